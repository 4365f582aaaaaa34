"""The keyword leg: all terms in memory, kept in step with the table, ranked by BM25 as in SQLite.

LanceDB's own full-text index scores each of its parts by itself and knows neither our weights nor
prefixes, so its answers would differ from those of the other stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memdown.stores.bm25 import Column, Wanted, weighed
from memdown.stores.reach import reachable
from memdown.stores.sqlite.keys import source_keys
from memdown.text import without_stop_words
from memdown.types import Match, TextMatches, TextQuery

Numbers = NDArray[np.int64]


@dataclass
class Vocabulary:
    """Every term that was ever seen, and its number."""

    numbers: dict[str, int] = field(default_factory=dict)
    by_first: dict[str, list[str]] = field(default_factory=dict)

    def add(self, term: str) -> int:
        number = self.numbers.get(term)
        if number is None:
            number = self.numbers[term] = len(self.numbers)
            self.by_first.setdefault(term[:2], []).append(term)
        return number

    def starting(self, prefix: str) -> list[int]:
        """The numbers of all terms with this prefix."""
        if len(prefix) < 2:
            return [n for term, n in self.numbers.items() if term.startswith(prefix)]
        near = self.by_first.get(prefix[:2], ())
        return [self.numbers[term] for term in near if term.startswith(prefix)]


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """One chunk: its terms as numbers, which passage each is of, and which stand in its head."""

    stamp: int
    terms: NDArray[np.int32]
    passages: NDArray[np.int32]
    is_head: NDArray[np.bool_]
    count: int


def parse(text: str, stamp: int, vocabulary: Vocabulary) -> ChunkTerms:
    """A chunk's terms as they are stored: a line a passage, a tab before those of the head."""
    terms: list[int] = []
    passages: list[int] = []
    heads: list[bool] = []
    lines = text.split("\n") if text else []
    for number, line in enumerate(lines):
        for column, words in enumerate(line.split("\t")):
            for word in words.split(" ") if words else ():
                terms.append(vocabulary.add(word))
                passages.append(number)
                heads.append(column == 1)
    return ChunkTerms(
        stamp,
        np.array(terms, np.int32),
        np.array(passages, np.int32),
        np.array(heads, np.bool_),
        len(lines),
    )


class Terms:
    """All passages of one version of the table."""

    def __init__(self, chunks: Mapping[int, ChunkTerms], vocabulary: Vocabulary) -> None:
        keys = sorted(chunks)
        self._vocabulary = vocabulary
        counts = np.array([chunks[key].count for key in keys], np.int64)
        first = np.cumsum(counts) - counts
        self._keys = np.concatenate(
            [np.arange(key, key + chunks[key].count, dtype=np.int64) for key in keys]
            or [np.empty(0, np.int64)]
        )
        terms = [chunks[key].terms for key in keys]
        rows = [chunks[key].passages + start for key, start in zip(keys, first, strict=True)]
        heads = [chunks[key].is_head for key in keys]
        self._flat = np.concatenate(terms or [np.empty(0, np.int32)])
        self._rows = np.concatenate(rows or [np.empty(0, np.int64)]).astype(np.int64)
        self._heads = np.concatenate(heads or [np.empty(0, np.bool_)])
        self._lengths = np.bincount(self._rows, minlength=len(self._keys))
        self._order = np.argsort(self._flat, kind="stable")
        self._sorted = self._flat[self._order]

    def match(self, query: TextQuery) -> TextMatches:
        """The best passages that hold any of the query's words, prefixes or phrases."""
        total = len(self._keys)
        if not total:
            return TextMatches((), 0.0)
        wanted = self._wanted(query)
        most = self._reachable(query, total)
        scores = np.zeros(total)
        average = len(self._flat) / total
        for one in wanted:
            rows, often = self._often(one)
            found = len(rows) if one.found_in is None else one.found_in
            scores[rows] += weighed(often, self._lengths[rows], average, total, found)
        best = self._best(scores, query)
        matches = tuple(Match(int(self._keys[row]), float(scores[row])) for row in best)
        return TextMatches(matches, most)

    def _best(self, scores: NDArray[np.float64], query: TextQuery) -> list[int]:
        allowed = np.zeros(len(scores), np.bool_)
        for source in query.sources:
            keys = source_keys(source)
            first, last = np.searchsorted(self._keys, (keys.start, keys.stop))
            allowed[first:last] = True
        rows = np.flatnonzero(allowed & (scores > 0))
        order = np.lexsort((self._keys[rows], -scores[rows]))
        best: list[int] = rows[order[: query.limit]].tolist()
        return best

    def _wanted(self, query: TextQuery) -> list[Wanted]:
        numbers = self._vocabulary.numbers
        wanted = [Wanted((numbers[word],), None) for word in query.words if word in numbers]
        for prefix in query.prefixes:
            terms = self._vocabulary.starting(prefix)
            if terms:
                wanted.append(Wanted(tuple(terms), None, in_head=False))
        for phrase in map(without_stop_words, query.phrases):
            if len(phrase) > 1 and all(term in numbers for term in phrase):
                terms = [numbers[term] for term in phrase]
                wanted.append(Wanted(tuple(terms), None, is_phrase=True, in_head=False))
        return wanted

    def _often(self, one: Wanted) -> tuple[Numbers, NDArray[np.float64]]:
        """The rows that hold something, and how often, by weight."""
        if one.is_phrase:
            places = self._places(one.terms[:1])
            for step, term in enumerate(one.terms[1:], start=1):
                places = places[places + step < len(self._flat)]
                follows = self._flat[places + step] == term
                follows &= self._rows[places + step] == self._rows[places]
                follows &= ~self._heads[places + step]
                places = places[follows]
        else:
            places = self._places(one.terms)
        return Column(places, self._rows[places]).weights(self._heads[places], one.in_head)

    def _places(self, terms: Sequence[int]) -> Numbers:
        found = [
            self._order[slice(*np.searchsorted(self._sorted, (term, term + 1)))] for term in terms
        ]
        return np.concatenate(found)

    def _reachable(self, query: TextQuery, total: int) -> float:
        numbers = [self._vocabulary.numbers.get(word) for word in query.words]
        found = [
            0 if number is None else len(np.unique(self._rows[self._places([number])]))
            for number in numbers
        ]
        return reachable(query, found, total)
