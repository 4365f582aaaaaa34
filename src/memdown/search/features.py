"""Candidates → features: one float32 array each, relative to the best, for all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import Floats, Frequencies, UnitPosting, places_of
from memdown.index.reader import Posting, Reader, Rows, Unit, word
from memdown.search.candidates import Candidates
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

# A leg of meaning counts in full only if the best stands out by _TELLING from an average text. Where an
# embedder does not know a language, everything is equally near and tells nothing: below _UNTOLD it
# hardly counts, and from there on more and more, until it has risen by _TOLD.
_TELLING, _UNTOLD, _TOLD, _LEAST_TOLD = 0.3, 0.05, 0.15, 0.01

# What a word counts that stands there once, and how much more a passage of average length takes: BM25 with
# k1 0.4 and b 0.3, so that neither repetitions nor length matter much.
_ONCE_AGAIN = 0.4
_ONCE_LONG = 0.3 * _ONCE_AGAIN

_GREETING, _LONG_MESSAGE = 12, 2.0

# Where two passages before, one before, one behind and two behind stand, with two more before the first of all.
_AROUND = np.array([[0], [1], [3], [4]])

# Two words stand together within about so many others; a piece of a script without spaces is a third of a word.
_SENTENCE, _PIECES_A_WORD = 10.0, 3.0


class Features(NamedTuple):
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
    text = found.own_text
    best = float(text.max(initial=0.0)) or 1.0
    files, chunks = reader.passage_file[rows], reader.passage_chunk[rows]
    beside, two_away = _neighbours(found, reader)
    covered = _coverage(found, reader, tuning)
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


def _coverage(found: Candidates, reader: Reader, tuning: Tuning) -> _Covered:
    """The share of the query's words, and of their idf, that each candidate holds; and `Features.once`."""
    count = len(found.rows)
    own = {one.number: max(one.idf, 0.0) for one in found.looked if one.is_word}
    if not own:
        nothing = np.zeros(count, np.float32)
        return _Covered(nothing, nothing, nothing)
    weights = np.array([own[number] for number in range(len(own))], np.float32)
    lengths = reader.passage_length.take(found.rows) * np.float32(
        _ONCE_LONG / reader.average_length
    )
    lengths += np.float32(_ONCE_AGAIN - _ONCE_LONG)
    parts = _parts(found.held, weights, lengths, tuning)
    part, often = np.zeros((2, len(own), count), np.float32)
    by_word: list[list[int]] = [[] for _ in own]
    for place, one in enumerate(found.held.units):
        if one.number >= 0:
            by_word[one.number].append(place)
    for number, places in enumerate(by_word):
        if len(places) == 1:
            part[number], often[number] = parts.held[places[0]], parts.once[places[0]]
        elif places:
            # Of its forms, the one counts that says most; to what stands for it, such as the parts of a
            # compound, each adds.
            part[number] = parts.held[places].max(axis=0)
            its = [place for place in places if parts.is_own[place]]
            others = [place for place in places if not parts.is_own[place]]
            often[number] = parts.once[its].max(axis=0, initial=0) + parts.once[others].sum(axis=0)
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
    """How much of its word each of U units is where n candidates hold it, and how it scores once: float32 (U, n);
    and whether each is a form of the word."""

    held: Floats
    once: Floats
    is_own: Sequence[bool]


def _parts(held: Frequencies, weights: Floats, lengths: Floats, tuning: Tuning) -> _Parts:
    """What each unit counts; `weights` float32 (words,) are the idf of the words, `lengths` float32 (n,)."""
    is_prefix = np.array([one.unit.kind == "prefix" for one in held.units], bool)
    counts = np.array([one.weight for one in held.units], np.float32)
    counts[is_prefix] = tuning.prefix_coverage
    in_heads = np.where(is_prefix, counts, counts * np.float32(tuning.head_coverage))
    rarity = np.array([one.idf for one in held.units], np.float32)
    np.minimum(rarity, weights.take([one.number for one in held.units], mode="clip"), out=rarity)
    part = np.where(held.text > 0, counts[:, None], in_heads[:, None]) * (held.often > 0)
    once = held.often / (held.often + lengths)
    once *= (counts * rarity)[:, None]
    is_own = [one.unit.kind == "prefix" or one.is_word for one in held.units]
    return _Parts(part, once, is_own)


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


def _holds(posting: Posting, rows: Rows) -> Floats:
    held = np.zeros(len(rows), np.float32)
    held[places_of(posting.rows, rows)[0]] = 1
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
            found[places_of(reader.posting(word(term)).rows, rows)[0]] = 1
    return found
