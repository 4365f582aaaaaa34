"""Scored passages → hits: how sure we are, what time leaves of a score, and windows around passages."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memdown.notes.facts import facts_in, heading_at
from memdown.search.snippets import Shown, Taken, grow, show_fact, show_talk
from memdown.text import distinct_terms, index_terms
from memdown.text.cues import label_of
from memdown.types import Hit, Move, StoredChunk, Why

# How sure a match makes us: a text score of 1 / _TEXT_SURE is certainty, where _BESIDE of the better
# neighbour's counts as well; a similarity counts from _VECTOR_LEAST above that of an average chunk
# on, and is certainty _VECTOR_SPAN further. Where it stands alone, it must do without a margin.
# Of many words, one will be missing more often: each beyond the first lowers the bar a little.
# A passage with all of them is an answer, however long it is.
_TEXT_SURE, _BESIDE, _EACH_WORD, _MOST_WORDS, _ALL_WORDS = 0.9, 0.5, 0.06, 13, 0.6
_VECTOR_LEAST, _VECTOR_SPAN, _VECTOR_ALONE = 0.3, 0.3, 0.6
# What was written down in the time that is asked about is an answer, whatever its words.
_DATED_SURE = 0.6
_WORDS_MISSED = 0.1
# The share of a score that age can take away: an old note that alone answers must stay on top.
GENTLE_DECAY = 0.15
# Of nearly equal answers the one in MEMORY.md comes first: it was put there to last.
_MEMORY, _DURABLE = "MEMORY.md", 1.06
# What is left of a share for notes of another time than the one asked for, and for undated ones.
# Where nothing but the time is asked for, all others come after its notes.
_UNTIMELY, _UNDATED, _BESIDE_THE_TIME = 0.6, 0.8, 0.2
# When a transcript's words are a note's: nearly all of at least so many.
_ECHO_SHARE, _ECHO_WORDS = 0.9, 5
_SPEAKERS = frozenset(index_terms("User Assistant"))


@dataclass(frozen=True, slots=True)
class Legs:
    """What the two legs found in one source.

    `text` is BM25 by passage and `reachable` what a passage with every word of the query would
    score; `vector` is cosine similarity by chunk and `background` that of an average chunk; `words`
    is about how many words the query has. `dated` tells that there are notes of the time it names.
    """

    text: Mapping[int, float]
    reachable: float
    vector: Mapping[int, float]
    background: float
    chunk_of: Mapping[int, int]
    words: float = 1.0
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
    moves: tuple[Move, ...] = ()


def confidence(
    legs: Legs, weights: Weights, covered: float = 0.0, near: float | None = None
) -> float:
    """How sure we are that something was found: from 0, nothing fits, to 1.

    `covered` is the largest share of the query's words that one passage holds, `near` how much nearer
    than an average one the nearest sentence is, if that is known of all.
    """
    if near is None:
        near = max(legs.vector.values(), default=legs.background) - legs.background
    if not weights.text:
        # Words that stand nowhere in the notes speak against everything that only resembles them.
        missed = _WORDS_MISSED if legs.reachable > 0 else 0.0
        return _clipped((near - missed) / _VECTOR_ALONE)
    by_vector = _clipped((near - _VECTOR_LEAST) / _VECTOR_SPAN) if weights.vector else 0.0
    by_text = _sure_by_text(legs)
    if covered >= 1.0:
        by_text = max(by_text, _ALL_WORDS)
    sure = 1.0 - (1.0 - by_text) * (1.0 - by_vector)
    return max(sure, _DATED_SURE) if legs.dated else sure


def _sure_by_text(legs: Legs) -> float:
    if legs.reachable <= 0:
        return 0.0
    get = legs.text.get
    best = max(
        (
            score + _BESIDE * max(get(key - 1, 0.0), get(key + 1, 0.0))
            for key, score in legs.text.items()
        ),
        default=0.0,
    )
    lenience = 1.0 + _EACH_WORD * (max(1.0, min(legs.words, _MOST_WORDS)) - 1.0)
    return _clipped(_TEXT_SURE * lenience * best / legs.reachable)


def _rounded(value: float) -> float:
    """What is compared: the last digits differ from machine to machine."""
    return round(value, 6)


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


@dataclass(frozen=True, slots=True)
class View:
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
    most_decay: float = GENTLE_DECAY
    period: tuple[datetime.date, datetime.date] | None = None
    only_time: bool = False
    context: int = 0
    near: float = 0.0


def recency(date: datetime.date | None, view: View) -> float:
    """The factor that time leaves of a share: 1 for undated or new notes.

    Age takes at most the share `most_decay`: a little, or all of it where the user set a half-life.

    Where the query names a time, it is not age that counts but being of that time.
    """
    if view.period is not None:
        if view.only_time:
            return 1.0 if date is not None and _is_timely(date, view.period) else _BESIDE_THE_TIME
        return _UNDATED if date is None else 1.0 if _is_timely(date, view.period) else _UNTIMELY
    if date is None or view.half_life_days is None:
        return 1.0
    age = max(0, (view.today - date).days)
    left = math.exp(-math.log(2) / view.half_life_days * age)
    return 1.0 - view.most_decay + view.most_decay * left


def _is_timely(date: datetime.date, period: tuple[datetime.date, datetime.date]) -> bool:
    return period[0] <= date <= period[1]


class _Facts(NamedTuple):
    """The candidates of a chunk that are one fact each: where it starts, by key, and its share."""

    places: dict[int, int]
    shares: dict[int, float]


def _find_facts(scored: Sequence[Scored], stored: StoredChunk) -> _Facts:
    chunk = stored.chunk
    found = _Facts({}, {})
    for one in scored:
        number = min(one.key - stored.key, len(chunk.passages) - 1)
        passage = chunk.passages[number]
        if label_of(chunk.text[passage.start : passage.end]) is None:
            facts = facts_in(chunk, number)
            if len(facts) == 1:
                found.places[one.key] = facts[0].start
                found.shares[facts[0].start] = one.share
    return found


def make_hits(
    scored: Sequence[Scored],
    chunks: Mapping[int, StoredChunk],
    words: Collection[str],
    view: View,
    around: Mapping[int, StoredChunk] | None = None,
) -> Iterator[Hit]:
    """What a person sees, best first: windows around passages, none of them showing a line twice.

    `around` are the chunks of talk by the keys of their passages, with those beside them.
    """
    shares: dict[int, float] = {}
    together: dict[int, list[Scored]] = {}
    for one in scored:
        shares[one.key] = max(one.share, shares.get(one.key, 0.0))
        together.setdefault(one.chunk_key, []).append(one)
    known = [one for one in scored if one.chunk_key in chunks]
    known = [
        one._replace(share=_DURABLE * one.share)
        if chunks[one.chunk_key].chunk.path == _MEMORY
        else one
        for one in known
    ]
    factors = {key: recency(chunks[key].date, view) for key in {one.chunk_key for one in known}}
    known.sort(key=lambda one: (-_rounded(one.share * factors[one.chunk_key]), one.key))
    taken = Taken()
    # Only of what is shown it is asked which of its passages are facts.
    facts: dict[int, _Facts] = {}
    for rank, one in enumerate(known, start=1):
        stored, factor = chunks[one.chunk_key], factors[one.chunk_key]
        chunk = stored.chunk
        shown = None
        if around and one.key in around:
            shown = show_talk(one.key, around, shares, view.size, taken)
        if shown is not None:
            yield _hit(stored, one, (*one.moves, Move("time", rank)), shown, factor, words, view)
            continue
        if one.chunk_key not in facts:
            facts[one.chunk_key] = _find_facts(together[one.chunk_key], stored)
        at = facts[one.chunk_key].places.get(one.key)
        if at is None:
            number = min(one.key - stored.key, len(chunk.passages) - 1)
            wanted = [shares.get(stored.key + n, 0.0) for n in range(len(chunk.passages))]
            place = grow(chunk, number, wanted, words, view.size, taken)
        else:
            near = facts[one.chunk_key].shares
            place = show_fact(chunk, at, near, view.size, taken, view.context)
        if place is not None:
            start, end = place
            shown = Shown(
                chunk.text[start:end],
                chunk.line_at(start),
                chunk.line_at(max(start, end - 1)),
                start,
            )
            yield _hit(stored, one, (*one.moves, Move("time", rank)), shown, factor, words, view)


def _hit(
    stored: StoredChunk,
    scored: Scored,
    moves: tuple[Move, ...],
    shown: Shown,
    factor: float,
    words: Collection[str],
    view: View,
) -> Hit:
    chunk, sure, snippet = stored.chunk, view.sure, shown.text
    heading = heading_at(chunk, shown.start)
    found = distinct_terms(snippet) | distinct_terms(heading)
    return Hit(
        path=chunk.path,
        source=chunk.source,
        start_line=shown.start_line,
        end_line=shown.end_line,
        score=_clipped(sure * scored.share * factor),
        snippet=snippet,
        relevance=_clipped(sure * scored.share),
        vector_score=scored.vector,
        text_score=scored.text,
        recency=factor,
        heading=heading,
        date=stored.date,
        matched=tuple(word for word in words if word in found),
        why=Why(
            text_weight=view.weights.text,
            vector_weight=view.weights.vector,
            by_text=scored.by_text,
            by_vector=scored.by_vector,
            confidence=sure,
            timely=_timely(stored.date, view.period),
            moves=moves,
            resembles=scored.text > 0 or scored.vector >= view.near,
        ),
    )


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
    known = [distinct_terms(note.snippet) for note in notes]
    rest = [hit for hit in hits if hit.source == "memory" or not _echoes(hit, known)]
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


def _echoes(hit: Hit, known: Iterable[frozenset[str]]) -> bool:
    """Whether nearly all words of a hit stand in one note that was found as well."""
    words = distinct_terms(hit.snippet) - _SPEAKERS
    return len(words) >= _ECHO_WORDS and any(
        len(words & note) >= _ECHO_SHARE * len(words) for note in known
    )


def cited(hit: Hit) -> Hit:
    """The hit with its citation."""
    return replace(hit, citation=f"{hit.path}#L{hit.start_line}-L{hit.end_line}")
