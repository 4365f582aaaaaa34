"""Scored passages → hits: how sure we are, what time leaves of a score, and windows around passages."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.notes.facts import BULLET, FactSpan, facts_in, heading_at
from memdown.search.snippets import (
    Shown,
    Taken,
    below_heading,
    grow,
    is_talk,
    show_below,
    show_fact,
    show_talk,
)
from memdown.text import distinct_terms, index_terms
from memdown.text.cues import label_of
from memdown.tuning import TUNING
from memdown.types import FILE_SPAN, Chunk, FileState, Hit, Move, Passage, StoredChunk, Why
from memdown.values import dataclass

_SHOWN, _SURENESS, _TIME = TUNING.shown, TUNING.sureness, TUNING.time

_MEMORY = "MEMORY.md"
# Compared with so many of the best notes, however many results are asked for.
_ECHOED = 12
# Text is read of so many candidates at first; of a hundred questions one or two need more.
_READ_FIRST = 10
# What is compared of a score: the last digits differ from machine to machine.
_DIGITS = 6
# So many digits of a score are shown.
SHOWN_DIGITS = 2
_SPEAKERS = frozenset(index_terms("User Assistant"))


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether the notes answer a question at all.

    `words` is whether it has words to look for; `covered` the largest share of them that a passage holds
    and `idf_coverage` that share by idf; `text` the best BM25 as a share of what is reachable; `near` how much
    nearer than an average text the nearest is; `passages` how many there are; `strangers` whether it
    names someone whom no note names; `dated` whether there are notes of the time it names.
    """

    words: bool
    covered: float
    idf_coverage: float
    text: float
    near: float
    passages: int = _SURENESS.many
    strangers: bool = False
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """What the two legs count; they add up to 1."""

    vector: float
    text: float


class Scored(NamedTuple):
    """A passage: its scores by leg, how they compare with the best ones, and both together."""

    key: int
    chunk_key: int
    text: float
    vector: float
    by_text: float
    by_vector: float
    share: float = 0.0
    # By both legs, counted from 1.
    rank: int = 1


class Columns(NamedTuple):
    """The same of n passages: keys and ranks int64 (n,), the scores floats (n,)."""

    key: NDArray[np.int64]
    chunk_key: NDArray[np.int64]
    text: NDArray[np.floating]
    vector: NDArray[np.floating]
    by_text: NDArray[np.floating]
    by_vector: NDArray[np.floating]
    share: NDArray[np.floating]
    rank: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Passages in the order in which they count. Of hundreds about ten are ever looked at: those become values."""

    columns: Columns

    @classmethod
    def of(cls, scored: Sequence[Scored]) -> Ranking:
        """Of values, in their order."""
        return cls(Columns._make(map(np.array, zip(*scored, strict=True))))

    def __len__(self) -> int:
        return len(self.columns.key)

    def __getitem__(self, place: int) -> Scored:
        return Scored._make([column.item(place) for column in self.columns])

    def __iter__(self) -> Iterator[Scored]:
        return map(self.__getitem__, range(len(self)))

    def in_order(self, order: NDArray[np.int64]) -> Ranking:
        """Those at some places."""
        return Ranking(Columns._make(column.take(order) for column in self.columns))


def confidence(signs: Signs, weights: Weights) -> float:
    """How sure we are that something was found: from 0, nothing fits, to 1."""
    if not weights.text:
        return _clipped(
            (signs.near - _SURENESS.missed_words * signs.words) / _SURENESS.vector_alone
        )
    by_vector = (
        _clipped((signs.near - _SURENESS.vector_from) / _SURENESS.vector_span)
        if weights.vector
        else 0.0
    )
    by_text = 0.0
    if signs.words and signs.text > 0:
        bar = _SURENESS.bar - _SURENESS.each_halving * max(
            0.0, math.log2(_SURENESS.many / max(1, signs.passages))
        )
        bar += _SURENESS.strangers * signs.strangers
        odds = (
            _SURENESS.idf_coverage * min(1.0, signs.idf_coverage)
            + _SURENESS.text * min(_SURENESS.most_text, signs.text)
            - bar
        )
        by_text = (1.0 / (1.0 + math.exp(-odds))) ** _SURENESS.power
    if signs.covered >= 1.0:
        by_text = max(by_text, _SURENESS.all_words)
    sure = 1.0 - (1.0 - by_text) * (1.0 - by_vector)
    return max(sure, _SURENESS.dated) if signs.dated else sure


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


@dataclass(frozen=True, slots=True)
class Presentation:
    """How the hits of one source are shown: how long, how sure, seen from which day.

    `period` is the time that the query names, `only_time` that it asks for nothing else. From the
    similarity `near` on, a result resembles the query, whatever its words; of facts, `context` lines
    are shown.
    """

    size: int
    sure: float
    weights: Weights
    today: datetime.date
    half_life_days: float | None
    most_decay: float = _TIME.most_decay
    period: tuple[datetime.date, datetime.date] | None = None
    only_time: bool = False
    context: int = 0
    near: float = 0.0


def recency(date: datetime.date | None, view: Presentation) -> float:
    """The factor that time leaves of a share: 1 for undated or new notes.

    Age takes at most the share `most_decay`: a little, or all of it where the user set a half-life.

    Where the query names a time, it is not age that counts but being of that time.
    """
    if view.period is not None:
        if view.only_time:
            return (
                1.0 if date is not None and _is_timely(date, view.period) else _TIME.beside_the_time
            )
        return (
            _TIME.undated
            if date is None
            else 1.0
            if _is_timely(date, view.period)
            else _TIME.untimely
        )
    if date is None or view.half_life_days is None:
        return 1.0
    age = max(0, (view.today - date).days)
    left = math.exp(-math.log(2) / view.half_life_days * age)
    return 1.0 - view.most_decay + view.most_decay * left


def _is_timely(date: datetime.date, period: tuple[datetime.date, datetime.date]) -> bool:
    return period[0] <= date <= period[1]


def by_time(scored: Ranking, file_of: Mapping[int, FileState], view: Presentation) -> Ranking:
    """The candidates in the order in which they are shown, which time and place change."""
    columns = scored.columns
    numbers, place = np.unique(columns.chunk_key // FILE_SPAN, return_inverse=True)
    files = [file_of[number] for number in numbers.tolist()]
    durable = np.array([_TIME.durable if file.path == _MEMORY else 1.0 for file in files])
    left_of = {date: recency(date, view) for date in {file.date for file in files}}
    left = np.array([left_of[file.date] for file in files])
    share = columns.share * durable.take(place)
    order = np.lexsort((columns.key, -(share * left.take(place)).round(_DIGITS)))
    return Ranking(columns._replace(share=share)).in_order(order)


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of some candidates: their chunks by key, and by the keys of their passages the chunks of
    talk with those beside them."""

    chunks: Mapping[int, StoredChunk]
    talk: Mapping[int, StoredChunk]


class Bar:
    """The score that a hit must have to be made; whoever takes hits raises it once there are enough.

    What follows `is_far` below the best: only what holds an identifier of the question is still shown.
    """

    def __init__(self) -> None:
        self.score = 0.0
        self.is_far = False


def make_hits(
    scored: Ranking,
    read: Callable[[Sequence[Scored], Collection[int]], Texts],
    file_of: Mapping[int, FileState],
    words: Collection[str],
    view: Presentation,
    chosen: Iterator[int],
    bar: Bar,
) -> Iterator[Hit]:
    """What a person sees of the candidates with the `chosen` numbers: windows around passages, none of them
    showing a line twice. Text is read as it is needed, with the keys of the best, and no more once a candidate
    is below the `bar`."""
    shares = dict(zip(scored.columns.key.tolist(), scored.columns.share.tolist(), strict=True))
    best = _least_beside(scored)
    good = {key for key, share in shares.items() if share >= best}
    taken = Taken()
    # Only of what is shown it is asked which of its passages are facts.
    facts: dict[int, _Facts] = {}
    count, done = _READ_FIRST, 0
    while some := list(islice(chosen, count)):
        # The longer it takes, the more are read at once: from a server each time is a way there and back.
        count = done = done + len(some)
        each = [_in_time(number, scored[number], file_of, view) for number in some]
        if each[0].score < bar.score:
            return
        texts = read([one.scored for one in each], good)
        for number, one, factor, score in each:
            if score < bar.score:
                return
            if one.key in taken.messages:
                continue
            stored = texts.chunks[one.chunk_key]
            if one.chunk_key not in facts:
                facts[one.chunk_key] = _find_facts(stored, shares)
            least = max(best, _SHOWN.beside_share * one.share)
            shown = _shown(one, texts, shares, least, facts[one.chunk_key], words, view, taken)
            if shown is not None:
                moves = Move("fusion", one.rank), Move("time", number + 1)
                yield _hit(stored, one, shown, factor, words, view, moves)


class _InTime(NamedTuple):
    """The candidate with a number: what time leaves of its score, and the score as it is shown."""

    number: int
    scored: Scored
    factor: float
    score: float


def _in_time(
    number: int, one: Scored, file_of: Mapping[int, FileState], view: Presentation
) -> _InTime:
    factor = recency(file_of[one.chunk_key // FILE_SPAN].date, view)
    return _InTime(number, one, factor, shown_score(_score(one, factor, view)))


def _least_beside(scored: Ranking) -> float:
    """The share from which on a message is shown beside a better one: that of the last of the best."""
    if len(scored) < _SHOWN.best_messages:
        return 0.0
    place = len(scored) - _SHOWN.best_messages
    return float(np.partition(scored.columns.share, place)[place])


class _Facts(NamedTuple):
    """The candidates of a chunk that are one fact each: the fact by the key, and its share by the fact."""

    of: dict[int, FactSpan]
    shares: dict[FactSpan, float]


def _find_facts(stored: StoredChunk, wanted: Mapping[int, float]) -> _Facts:
    """Those of a chunk's passages that are `wanted`."""
    chunk = stored.chunk
    found = _Facts({}, {})
    keys = range(stored.key, stored.key + len(chunk.passages))
    for key in [one for one in keys if one in wanted]:
        passage = chunk.passages[key - stored.key]
        text = chunk.text[passage.start : passage.end]
        # "- Rehearsal: on Thursday" is a fact, but where people speak it may be what one of them says.
        if label_of(text) is None or (BULLET.match(text) and not is_talk(chunk)):
            facts = facts_in(chunk, passage)
            if len(facts) == 1:
                found.of[key] = facts[0]
                found.shares[facts[0]] = wanted[key]
    return found


def _passage(one: Scored, stored: StoredChunk) -> Passage:
    passages = stored.chunk.passages
    return passages[min(one.key - stored.key, len(passages) - 1)]


def _shown(
    one: Scored,
    texts: Texts,
    shares: Mapping[int, float],
    least: float,
    facts: _Facts,
    words: Collection[str],
    view: Presentation,
    taken: Taken,
) -> Shown | None:
    """What is shown of a candidate; None if all of it is shown already."""
    stored = texts.chunks[one.chunk_key]
    chunk = stored.chunk
    if one.key in texts.talk:
        shown = show_talk(one.key, texts.talk, shares, view.size, taken, least)
        if shown is not None:
            return shown
    fact = facts.of.get(one.key)
    if fact is not None:
        place = show_fact(chunk, fact, facts.shares, view.size, taken, view.context)
    else:
        passage = _passage(one, stored)
        below = below_heading(stored, passage, texts.chunks)
        if below is not None:
            place = show_below(below, view.size, taken)
            start = below.start if below.chunk is chunk else passage.start
            return None if place is None else _lines(below.chunk, place, start)
        wanted = [shares.get(stored.key + n, 0.0) for n in range(len(chunk.passages))]
        number = min(one.key - stored.key, len(wanted) - 1)
        place = grow(chunk, number, wanted, words, view.size, taken)
    if place is None:
        return None
    start, end = place
    if one.key in texts.talk:
        taken.messages.update(
            stored.key + n
            for n, passage in enumerate(chunk.passages)
            if passage.start < end and passage.end > start
        )
    return _lines(chunk, place, start)


def _lines(chunk: Chunk, place: tuple[int, int], start: int) -> Shown:
    low, high = place
    first = chunk.line_at(low)
    last = chunk.line_at(high - 1) if "\n" in chunk.text[low : high - 1] else first
    return Shown(chunk.text[low:high], first, last, start)


def _hit(
    stored: StoredChunk,
    scored: Scored,
    shown: Shown,
    factor: float,
    words: Collection[str],
    view: Presentation,
    moves: tuple[Move, ...],
) -> Hit:
    chunk, sure, snippet = stored.chunk, view.sure, shown.text
    heading = heading_at(chunk, shown.start, _passage(scored, stored))
    said, above = distinct_terms(snippet), distinct_terms(heading)
    return Hit(
        path=chunk.path,
        source=chunk.source,
        start_line=shown.start_line,
        end_line=shown.end_line,
        score=_score(scored, factor, view),
        snippet=snippet,
        relevance=relevance(scored, view),
        vector_score=scored.vector,
        text_score=scored.text,
        recency=factor,
        heading=heading,
        date=stored.date,
        matched=tuple([word for word in words if word in said or word in above]),
        why=Why(
            text_weight=view.weights.text,
            vector_weight=view.weights.vector,
            by_text=scored.by_text,
            by_vector=scored.by_vector,
            confidence=sure,
            timely=_timely(stored.date, view.period),
            moves=moves,
            resembles=resembles(scored, view),
        ),
    )


def _score(scored: Scored, factor: float, view: Presentation) -> float:
    return _clipped(view.sure * scored.share * factor)


def shown_score(score: float) -> float:
    """A score as it is shown: nobody should read that 0.35 is below 0.35."""
    return round(score, SHOWN_DIGITS)


def resembles(scored: Scored, view: Presentation) -> bool:
    """Whether a candidate shares a word with the question, or is near it in meaning."""
    return scored.text > 0 or scored.vector >= view.near


def relevance(scored: Scored, view: Presentation) -> float:
    """How sure we are that a candidate answers, whatever its age."""
    return _clipped(view.sure * scored.share)


def _timely(
    date: datetime.date | None, period: tuple[datetime.date, datetime.date] | None
) -> bool | None:
    if period is None:
        return None
    return date is not None and _is_timely(date, period)


def with_lanes(hits: Sequence[Hit]) -> list[Hit]:
    """Notes and transcripts in turn where both were found, so that neither crowds the other out.

    The order stays as it is, except that among the first results, however many one takes, at most
    one more is from transcripts than from notes, as long as there are notes. What a transcript only
    repeats of a found note is left out.
    """
    notes = [hit for hit in hits if hit.source == "memory"]
    if not notes or len(notes) == len(hits):
        return list(hits)
    known = [distinct_terms(note.snippet) for note in notes[:_ECHOED]]
    rest = [hit for hit in hits if hit.source == "memory" or not echoes(hit, known)]
    ordered: list[Hit] = []
    lead = 0
    while rest:
        number = 0
        if lead > 0 and rest[0].source != "memory":
            number = next((n for n, hit in enumerate(rest) if hit.source == "memory"), 0)
        hit = rest.pop(number)
        lead += -1 if hit.source == "memory" else 1
        ordered.append(hit)
    return ordered


def echoes(hit: Hit, known: Iterable[frozenset[str]]) -> bool:
    """Whether nearly all words of a hit stand in one note that was found as well."""
    words = distinct_terms(hit.snippet) - _SPEAKERS
    return len(words) >= _SHOWN.echo_words and any(
        len(words & note) >= _SHOWN.echo_share * len(words) for note in known
    )


def cited(hit: Hit, why: Why | None = None) -> Hit:
    """The hit with its citation, and with these reasons if any are given."""
    citation = f"{hit.path}#L{hit.start_line}-L{hit.end_line}"
    return replace(hit, citation=citation, why=why or hit.why)
