"""Candidates → features: one float32 array each, relative to the best, for all candidates at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import Floats, Frequencies, UnitPosting, places_of
from memdown.index.reader import Mask, Reader, Rows, Unit, word
from memdown.search.candidates import Candidates, Runs, runs_of
from memdown.text import is_gram
from memdown.text.cues import (
    ASKS,
    USER_TERMS,
    asked_kind,
    asks_of_oneself,
    named_speakers,
    own_words,
)
from memdown.tuning import TUNING, Tuning

_MEANING, _WORDS = TUNING.meaning, TUNING.words

_CACHED_QUESTIONS = 64

# Where two passages before, one before, one behind and two behind stand, with two more before the first of all.
_AROUND = np.array([[0], [1], [3], [4]])


class Features(NamedTuple):
    """The features of n candidates, float32 (n,) each.

    `text` to `chunk` are shares of the best BM25, `coverage` is the share of the query's words and
    `idf_coverage` the share of their idf; `once` is like BM25 with each word of the query counted about
    once, however often and in whatever forms it stands there, as a share of the best. If `of_speakers` is False,
    nobody who is asked about speaks anywhere, and `speaker`, `answers`, `at_length` and `own` are zeros.
    """

    text: Floats
    beside: Floats
    two_away: Floats
    file: Floats
    chunk: Floats
    coverage: Floats
    idf_coverage: Floats
    once: Floats
    passage_similarity: Floats
    chunk_similarity: Floats
    kind: Floats
    asks: Floats
    speaker: Floats
    answers: Floats
    at_length: Floats
    own: Floats
    of_speakers: bool


class Cues(NamedTuple):
    """What a question asks for besides its words: everyone who may speak, the kind of answer, and what only asks."""

    speakers: tuple[Unit, ...]
    kind: Unit | None
    asks: Unit

    def units(self) -> list[Unit]:
        """All that is looked up."""
        return [*self.speakers, self.asks, *((self.kind,) if self.kind else ())]


@lru_cache(maxsize=_CACHED_QUESTIONS)
def cues_of(question: str) -> Cues:
    """The cues of a question; each step of a search asks for them."""
    speakers = [*named_speakers(question), *(USER_TERMS if asks_of_oneself(question) else ())]
    kind = asked_kind(question)
    return Cues(tuple(map(word, speakers)), word(kind) if kind else None, word(ASKS))


def measure(question: str, found: Candidates, reader: Reader, tuning: Tuning) -> Features:
    """The features of all candidates of a question."""
    rows = found.rows
    text = found.own_text
    best = float(text.max(initial=0.0)) or 1.0
    beside, two_away = _neighbours(found, reader)
    covered = _coverage(found, reader, tuning)
    chunk = found.chunk_similarity
    passage = found.passage_similarity if found.passage_similarity is not None else chunk
    own_background = (
        found.passage_background if found.passage_similarity is not None else found.chunk_background
    )
    nothing = np.zeros(len(rows), np.float32)
    similar = nothing if passage is None else closeness(passage, own_background)
    cues = cues_of(question)
    asks = reader.tells(cues.asks)
    kind = nothing if cues.kind is None else reader.tells(cues.kind).take(rows).astype(np.float32)
    speaker = _speaker(cues, reader, rows, tuning)
    fitting = similar + covered.words
    talk = None if speaker is None else _talk(question, speaker, asks, reader, rows, fitting)
    return Features(
        text=text / best,
        beside=beside / best,
        two_away=two_away / best,
        file=_of_runs(text, runs_of(reader.passage_file.take(rows)), np.maximum) / best,
        chunk=_of_runs(text.astype(np.float64), found.chunk_runs, np.add) / best,
        coverage=covered.words,
        idf_coverage=covered.idf,
        once=covered.once,
        passage_similarity=similar,
        chunk_similarity=nothing if chunk is None else closeness(chunk, found.chunk_background),
        kind=kind,
        asks=asks.take(rows).astype(np.float32),
        speaker=nothing if speaker is None else speaker,
        answers=nothing if talk is None else talk.answers,
        at_length=nothing if talk is None else talk.at_length,
        own=nothing if talk is None else talk.own,
        of_speakers=talk is not None,
    )


def closeness(similarity: Floats, background: float) -> Floats:
    """Similarities (n,) from that of an average text, which becomes 0, to the best, which becomes 1 if it
    stands out, and much less if it does not."""
    reach = float(similarity.max(initial=background)) - background
    weight = min(
        1.0, max(_MEANING.least, (reach - _MEANING.indistinct) / _MEANING.distinct_after)
    ) / max(reach, _MEANING.stands_out)
    result: Floats = np.maximum(similarity - np.float32(background), 0) * np.float32(weight)
    return result


class _Neighbours(NamedTuple):
    beside: Floats
    two_away: Floats


def _neighbours(found: Candidates, reader: Reader) -> _Neighbours:
    """The larger BM25 of the passages before and behind each candidate in its file, and of those after these."""
    files = np.full(len(found.near) + 4, -1, np.int32)
    reader.passage_file.take(found.near, out=files[2:-2], mode="clip")
    text = np.zeros(len(files), np.float32)
    text[2:-2] = found.text
    around = found.places + _AROUND
    same = files.take(around) == files.take(found.places + 2)
    text = text.take(around) * same
    return _Neighbours(np.maximum(text[1], text[2]), np.maximum(text[0], text[3]))


def _of_runs(values: NDArray[Any], runs: Runs, combine: np.ufunc) -> Floats:
    """What the values of each one's run are combined to."""
    if not len(values):
        return np.zeros(0, np.float32)
    result: Floats = combine.reduceat(values, runs.begins).astype(np.float32).take(runs.places)
    return result


class _Covered(NamedTuple):
    words: Floats
    idf: Floats
    once: Floats


def _coverage(found: Candidates, reader: Reader, tuning: Tuning) -> _Covered:
    """The share of the query's words, and of their idf, that each candidate holds; and `Features.once`."""
    count = len(found.rows)
    own = {one.number: max(one.idf, 0.0) for one in found.looked if one.is_word}
    if not own:
        nothing = np.zeros(count, np.float32)
        return _Covered(nothing, nothing, nothing)
    weights = np.array([own[number] for number in range(len(own))], np.float32)
    lengths = reader.passage_length.take(found.rows) * np.float32(
        tuning.words.once_k1 * tuning.words.once_b / reader.average_length
    )
    lengths += np.float32(tuning.words.once_k1 * (1 - tuning.words.once_b))
    parts = _parts(found.frequencies, own, lengths, tuning)
    part, often = np.zeros((2, len(own), count), np.float32)
    by_word: list[list[int]] = [[] for _ in own]
    for place, one in enumerate(found.frequencies.units):
        if one.number >= 0:
            by_word[one.number].append(place)
    for number, places in enumerate(by_word):
        if len(places) == 1:
            part[number], often[number] = parts.coverage[places[0]], parts.once[places[0]]
        elif places:
            # Of its forms, the one counts that says most; to what stands for it, such as the parts of a
            # compound, each adds.
            part[number] = reduce(np.maximum, [parts.coverage[place] for place in places])
            its = [parts.once[place] for place in places if parts.is_own[place]]
            others = [parts.once[place] for place in places if not parts.is_own[place]]
            together = [reduce(np.maximum, its)] if its else []
            together += [reduce(np.add, others)] if others else []
            often[number] = reduce(np.add, together)
            np.minimum(often[number], weights[number], out=often[number])
    shares = _shares(found, len(own))
    words, once = shares @ part, shares @ often
    shares_of_idf: Floats = shares * weights / np.float32(float(shares @ weights) or 1.0)
    return _Covered(
        words / shares.sum(),
        shares_of_idf @ part,
        once / np.float32(float(once.max(initial=0.0)) or 1.0),
    )


class Nearness:
    """How much of a question stands together in a text: the largest share of its words' idf around any of them,
    where one counts less the further away it is."""

    def __init__(self, looked: Sequence[UnitPosting], tuning: Tuning) -> None:
        own = {one.number: one.idf for one in looked if one.is_word}
        self._total = sum(own.values()) or 1.0
        self._words: dict[str, list[tuple[int, float]]] = {}
        self._beginnings: dict[str, list[tuple[int, float]]] = {}
        for one in looked:
            if one.number not in own or len(one.unit.terms) > 1:
                continue
            begins = one.unit.kind == "prefix"
            counts = tuning.prefix_coverage if begins else one.weight
            at = self._beginnings if begins else self._words
            value = counts * min(one.idf, own[one.number])
            at.setdefault(one.unit.terms[0], []).append((one.number, value))
        self._sizes = sorted({len(term) for term in self._beginnings})
        self._reach = reach_of(looked)

    def of(self, terms: Sequence[str]) -> float:
        """That share for a text of these terms, in their order."""
        found = [
            (number, place, value)
            for place, term in enumerate(terms)
            for number, value in self._meant(term)
        ]
        if not found:
            return 0.0
        found.sort()
        numbers, places, values = np.array(found, np.float32).T
        apart = (places[:, None] - places[None, :]) / self._reach
        near = values * np.exp(-apart * apart)
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        return float(np.maximum.reduceat(near, first, axis=1).sum(axis=1).max()) / self._total

    def _meant(self, term: str) -> list[tuple[int, float]]:
        """The words of the question that a term stands for, and what it counts for each."""
        meant = self._words.get(term, [])
        for size in self._sizes:
            meant = meant + self._beginnings.get(term[:size], [])
        return meant


def reach_of(looked: Sequence[UnitPosting]) -> float:
    """Within how many terms words of a question stand together."""
    words = [one.unit.terms[0] for one in looked if one.is_word]
    return _WORDS.together_within * (
        _WORDS.pieces_a_word if 2 * sum(map(is_gram, words)) > len(words) else 1.0
    )


class _Parts(NamedTuple):
    """How much of its word each of U units is where n candidates hold it, and how it scores once: floats (U, n);
    and whether each is a form of the word."""

    coverage: Floats
    once: Floats
    is_own: Sequence[bool]


def _parts(found: Frequencies, own: Mapping[int, float], lengths: Floats, tuning: Tuning) -> _Parts:
    """What each unit counts; `own` is the idf of each word, `lengths` float32 (n,)."""
    is_prefix = [one.unit.kind == "prefix" for one in found.units]
    every = list(zip(found.units, is_prefix, strict=True))
    counts = np.array([tuning.prefix_coverage if p else one.weight for one, p in every], np.float32)
    in_heads = counts * np.array(
        [1.0 if p else tuning.head_coverage for p in is_prefix], np.float32
    )
    rarity = np.array([min(one.idf, own.get(one.number, 0.0)) for one in found.units], np.float32)
    part = np.where(found.text > 0, counts[:, None], in_heads[:, None])
    part *= found.often > 0
    once = found.often / (found.often + lengths)
    once *= (counts * rarity)[:, None]
    return _Parts(part, once, [p or one.is_word for one, p in every])


def _shares(found: Candidates, words: int) -> Floats:
    """What each word of a query counts, float32 (words,): those that one short form stands for are one.

    Among pieces of a script without spaces, a name or number counts as much as the pieces of a word.
    """
    shares = np.ones(words, np.float32)
    own = [one for one in found.looked if one.is_word]
    pieces = [is_gram(one.unit.terms[0]) for one in own]
    if any(pieces):
        whole = [one.number for one, piece in zip(own, pieces, strict=True) if not piece]
        shares[whole] = np.float32(_WORDS.pieces_a_word)
    together: dict[Unit, list[int]] = {}
    for one in found.looked:
        if one.defined:
            together.setdefault(one.unit, []).append(one.number)
    for numbers in together.values():
        shares[numbers] /= np.float32(len(numbers))
    return shares


class _Talk(NamedTuple):
    """What those who are asked about say, float32 (n,) each; see `Tuning`."""

    answers: Floats
    at_length: Floats
    own: Floats


def _talk(
    question: str, speaker: Floats, asks: Mask, reader: Reader, rows: Rows, fitting: Floats
) -> _Talk:
    """What n candidates are, of which `speaker` float32 (n,) says who spoke; `asks` bool (P,)."""
    return _Talk(
        _behind(asks, reader, rows) * speaker,
        _length_of(reader.passage_length[rows]) * speaker,
        _of_oneself(question, reader, rows, speaker, np.minimum(fitting, 1)),
    )


def _behind(mask: Mask, reader: Reader, rows: Rows) -> Floats:
    """1 where the passage before, in the same file, is in a mask, bool (P,)."""
    before = np.maximum(rows - 1, 0)
    files = reader.passage_file
    same = (files.take(before) == files.take(rows)) & (before < rows)
    found: Floats = (mask.take(before) & same).astype(np.float32)
    return found


def _length_of(lengths: Rows) -> Floats:
    """How much is said in so many terms: from 0, a greeting, to 1, a long message."""
    found: Floats = (np.log(np.maximum(lengths, 1) / _WORDS.greeting) / _WORDS.long_message).clip(
        0, 1
    )
    return found.astype(np.float32)


def _of_oneself(
    question: str, reader: Reader, rows: Rows, speaker: Floats, fitting: Floats
) -> Floats:
    """How well it fits the question where people who are named speak of themselves: who tells something says *I*
    and *my*; in small talk they do, too.

    Not measured for what one said oneself, as a user, nor meant for it: what was answered counts there, too.
    """
    found = np.zeros(len(rows), np.float32)
    if asks_of_oneself(question):
        return found
    said = np.flatnonzero(speaker)
    spoken = rows[said]
    for term in sorted(own_words(question)):
        found[said[np.searchsorted(spoken, reader.among(word(term), spoken))]] = 1
    return found * fitting


def _speaker(cues: Cues, reader: Reader, rows: Rows, tuning: Tuning) -> Floats | None:
    """1 where those speak who are asked about: people who are named, or the user of "my" and "I". None if nowhere."""
    found = None
    for unit in cues.speakers:
        posting = reader.posting(unit)
        if reader.frequency_of(unit, posting) >= tuning.least_labels:
            places = places_of(posting.rows, rows)[0]
            if len(places):
                found = np.zeros(len(rows), np.float32) if found is None else found
                found[places] = 1
    return found
