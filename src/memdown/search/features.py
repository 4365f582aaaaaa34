"""Candidates → features: one float32 array each, relative to the best, for all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.passages import HEAD_WEIGHT
from memdown.index.reader import Posting, Reader, Rows, Unit, word
from memdown.search.candidates import Candidates, Floats, UnitPosting
from memdown.search.tuning import Tuning
from memdown.text import is_gram
from memdown.text.cues import (
    ASKS,
    USER_TERMS,
    asked_kind,
    asks_of_oneself,
    named_speakers,
    own_words,
)
from memdown.values import dataclass

# A leg of meaning counts in full only if the best stands out by _TELLING from an average text. Where an
# embedder does not know a language, everything is equally near and tells nothing: below _UNTOLD it
# hardly counts, and from there on more and more, until it has risen by _TOLD.
_TELLING, _UNTOLD, _TOLD, _LEAST_TOLD = 0.3, 0.05, 0.15, 0.01

# What a word counts that stands there once, and how much more a passage of average length takes: BM25 with
# k1 0.4 and b 0.3, so that neither repetitions nor length matter much.
_ONCE_AGAIN = 0.4
_ONCE_LONG = 0.3 * _ONCE_AGAIN

_GREETING, _LONG_MESSAGE = 12, 2.0

# Two words stand together within about so many others; a piece of a script without spaces is a third of a word.
_SENTENCE, _PIECES_A_WORD = 10.0, 3.0


@dataclass(frozen=True, eq=False)
class Features:
    """The features of n candidates, float32 (n,) each.

    `text` to `chunk` are shares of the best BM25, `coverage` is the share of the query's words and
    `idf_coverage` the share of their idf; `once` is like BM25 with each word of the query counted about
    once, however often and in whatever forms it stands there, as a share of the best.
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
    speaker: Floats
    kind: Floats
    asks: Floats
    answers: Floats
    told: Floats
    own: Floats


def measure(question: str, found: Candidates, reader: Reader, tuning: Tuning) -> Features:
    """The features of all candidates of a question."""
    rows = found.rows
    text = found.text[rows]
    best = float(text.max(initial=0.0)) or 1.0
    files, chunks = reader.passage_file[rows], reader.passage_chunk[rows]
    beside, two_away = (_neighbours(found.text, reader, rows, distance) for distance in (1, 2))
    words = sum(one.is_word for one in found.looked)
    covered = _coverage(found, reader, words, tuning)
    chunk = found.chunk_similarity
    passage = found.passage_similarity if found.passage_similarity is not None else chunk
    own_background = (
        found.passage_background if found.passage_similarity is not None else found.chunk_background
    )
    nothing = np.zeros(len(rows), np.float32)
    similar = nothing if passage is None else closeness(passage, own_background)
    kind = asked_kind(question)
    asking = reader.posting(word(ASKS))
    speaker = _speaker(question, reader, rows, tuning)
    return Features(
        text=text / best,
        beside=beside / best,
        two_away=two_away / best,
        file=_best_of(text, files) / best,
        chunk=_sum_of(text, chunks) / best,
        coverage=covered.words,
        idf_coverage=covered.idf,
        once=covered.once,
        passage_similarity=similar,
        chunk_similarity=nothing if chunk is None else closeness(chunk, found.chunk_background),
        speaker=speaker,
        kind=_holds(reader.posting(word(kind)), rows) if kind else nothing,
        asks=_holds(asking, rows),
        answers=_behind(asking, reader, rows) * speaker if speaker.any() else nothing,
        told=_told(reader.passage_length[rows]) * speaker if speaker.any() else nothing,
        own=_of_oneself(question, reader, rows, speaker, np.minimum(similar + covered.words, 1))
        if speaker.any()
        else nothing,
    )


def closeness(similarity: Floats, background: float) -> Floats:
    """Similarities (n,) from that of an average text, which becomes 0, to the best, which becomes 1 if it
    stands out, and much less if it does not."""
    reach = float(similarity.max(initial=background)) - background
    told = min(1.0, max(_LEAST_TOLD, (reach - _UNTOLD) / _TOLD)) / max(reach, _TELLING)
    result: Floats = np.maximum(similarity - np.float32(background), 0) * np.float32(told)
    return result


def _neighbours(values: Floats, reader: Reader, rows: Rows, distance: int) -> Floats:
    """The larger value of the passages so far before and behind, in the same file."""
    every = reader.passage_file
    if not len(rows):
        return np.zeros(0, np.float32)
    files, behind, before = every[rows], rows + distance, rows - distance
    # What lies outside of the file is taken as well, and does not count.
    ours = (every.take(behind, mode="clip") == files) & (behind < len(every))
    result: Floats = values.take(behind, mode="clip") * ours
    ours = (every.take(before, mode="clip") == files) & (before >= 0)
    np.maximum(result, values.take(before, mode="clip") * ours, out=result)
    return result


def _best_of(values: Floats, groups: NDArray[Any]) -> Floats:
    """The best value of each one's group; the members of a group stand side by side."""
    return _of_groups(values, groups, np.maximum)


def _sum_of(values: Floats, groups: NDArray[Any]) -> Floats:
    """The sum of each one's group; the members of a group stand side by side."""
    return _of_groups(values.astype(np.float64), groups, np.add)


def _of_groups(values: NDArray[Any], groups: NDArray[Any], reduce: np.ufunc) -> Floats:
    if not len(values):
        return np.zeros(0, np.float32)
    begins = np.ones(len(groups), bool)
    np.not_equal(groups[1:], groups[:-1], out=begins[1:])
    found = reduce.reduceat(values, begins.nonzero()[0]).astype(np.float32)
    result: Floats = found[begins.cumsum() - 1]
    return result


class _Covered(NamedTuple):
    words: Floats
    idf: Floats
    once: Floats


def _coverage(found: Candidates, reader: Reader, words: int, tuning: Tuning) -> _Covered:
    """The share of the query's words, and of their idf, that each candidate holds; and `Features.once`."""
    rows = found.rows
    if not words:
        nothing = np.zeros(len(rows), np.float32)
        return _Covered(nothing, nothing, nothing)
    units: list[list[UnitPosting]] = [[] for _ in range(words)]
    for one in found.looked:
        if one.number >= 0 and len(one.posting.rows):
            units[one.number].append(one)
    weights = np.zeros(words, np.float32)
    for one in found.looked:
        if one.is_word:
            weights[one.number] = max(one.idf, 0.0)
    lengths = reader.passage_length[rows] * np.float32(_ONCE_LONG / reader.average_length)
    lengths += np.float32(_ONCE_AGAIN - _ONCE_LONG)
    shares = _shares(found, words)
    by_word, by_idf, once = np.zeros((3, len(rows)), np.float32)
    for share, weight, some in zip(shares, weights, units, strict=True):
        if len(some) == 1:
            places, part, often = _parts(some[0], rows, lengths, weight, tuning)
        else:
            # Of its forms, the one counts that says most; to what stands for it, such as the parts of a
            # compound, which come behind them, each adds.
            places = slice(None)
            part, often = np.zeros((2, len(rows) if some else 0), np.float32)
            for one in some:
                at, held, scored = _parts(one, rows, lengths, weight, tuning)
                part[at] = np.maximum(part[at], held)
                own = one.unit.kind == "prefix" or one.is_word
                often[at] = np.maximum(often[at], scored) if own else often[at] + scored
            np.minimum(often, weight, out=often)
        if len(part):
            by_word[places] += share * part
            by_idf[places] += share * weight * part
            once[places] += share * often
    return _Covered(
        by_word / shares.sum(),
        by_idf / np.float32(float(shares @ weights) or 1.0),
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
        pieces = sum(is_gram(one.unit.terms[0]) for one in looked if one.is_word)
        self.reach = _SENTENCE * (_PIECES_A_WORD if 2 * pieces > len(own) else 1.0)

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
        apart = (places[:, None] - places[None, :]) / self.reach
        near = values * np.exp(-apart * apart)
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        return float(np.maximum.reduceat(near, first, axis=1).sum(axis=1).max()) / self._total

    def _meant(self, term: str) -> list[tuple[int, float]]:
        """The words of the question that a term stands for, and what it counts for each."""
        meant = self._words.get(term, [])
        for size in self._sizes:
            meant = meant + self._beginnings.get(term[:size], [])
        return meant


class _Parts(NamedTuple):
    places: NDArray[Any] | slice
    held: Floats
    once: Floats


def _parts(
    one: UnitPosting, rows: Rows, lengths: Floats, weight: np.float32, tuning: Tuning
) -> _Parts:
    """Where a unit stands among the candidates, how much of its word each holds, and how it scores once."""
    places, inside = _places(one.posting, rows)
    text = one.posting.text_tf[inside]
    often = text + np.float32(HEAD_WEIGHT) * one.posting.head_tf[inside]
    often /= often + lengths[places]
    if one.unit.kind == "prefix":
        counts = tuning.prefix_coverage
        part = np.full(len(places), counts, np.float32)
    else:
        counts = one.weight
        part = np.where(text > 0, np.float32(counts), np.float32(counts * tuning.head_coverage))
    often *= np.float32(counts) * np.minimum(np.float32(one.idf), weight)
    return _Parts(places, part, often)


def _shares(found: Candidates, words: int) -> Floats:
    """What each word of a query counts, float32 (words,): those that one short form stands for are one.

    Among pieces of a script without spaces, a name or number counts as much as the pieces of a word.
    """
    shares = np.ones(words, np.float32)
    own = [one for one in found.looked if one.is_word]
    pieces = [is_gram(one.unit.terms[0]) for one in own]
    if any(pieces):
        whole = [one.number for one, piece in zip(own, pieces, strict=True) if not piece]
        shares[whole] = np.float32(_PIECES_A_WORD)
    together: dict[Unit, list[int]] = {}
    for one in found.looked:
        if one.defined:
            together.setdefault(one.unit, []).append(one.number)
    for numbers in together.values():
        shares[numbers] /= np.float32(len(numbers))
    return shares


def _places(posting: Posting, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int64] | slice]:
    """Where in `rows` the passages of a posting list stand, and where in the list."""
    found = posting.rows
    if len(rows) and len(found) and rows[-1] == len(rows) - 1 and found[-1] <= rows[-1]:
        # The rows are all from 0 on, as they are distinct: each stands at its own place.
        return found, slice(None)
    few, many = (posting.rows, rows) if len(posting.rows) < len(rows) else (rows, posting.rows)
    if not len(many):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.searchsorted(many, few).clip(max=len(many) - 1)
    same = np.flatnonzero(many[at] == few)
    return (at[same], same) if few is posting.rows else (same, at[same])


def _holds(posting: Posting, rows: Rows) -> Floats:
    held = np.zeros(len(rows), np.float32)
    held[_places(posting, rows)[0]] = 1
    return held


def _behind(posting: Posting, reader: Reader, rows: Rows) -> Floats:
    """1 where the passage before, in the same file, is in a posting list."""
    files = reader.passage_file
    before = posting.rows[posting.rows + 1 < len(files)]
    held = np.zeros(len(files), np.float32)
    held[before + 1] = files[before + 1] == files[before]
    found: Floats = held[rows]
    return found


def _told(lengths: Rows) -> Floats:
    """How much is said in so many terms: from 0, a greeting, to 1, a long message."""
    found: Floats = (np.log(np.maximum(lengths, 1) / _GREETING) / _LONG_MESSAGE).clip(0, 1)
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


def _speaker(question: str, reader: Reader, rows: Rows, tuning: Tuning) -> Floats:
    """1 where those speak who are asked about: people who are named, or the user of "my" and "I"."""
    found = np.zeros(len(rows), np.float32)
    terms = [*named_speakers(question), *(USER_TERMS if asks_of_oneself(question) else ())]
    for term in terms:
        if reader.document_frequency(word(term)) >= tuning.least_labels:
            found[_places(reader.posting(word(term)), rows)[0]] = 1
    return found
