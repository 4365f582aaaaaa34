"""All terms of an index in memory, for stores that cannot be asked for the passages of a word fast.

For each term the places are kept where it stands: about nine bytes for every word of the notes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postings import Holders
from memdown.index.reader import Unit

Keys = NDArray[np.int64]
Numbers = NDArray[np.int32]
_AFTER_ALL = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Column:
    """The terms of all passages one after the other, as numbers; `ends` tells where each ends."""

    terms: Numbers
    ends: NDArray[np.int64]


class Inverted:
    """The passages with these keys and terms; `names` are all terms in order, by their numbers.

    Names without a number of their own may be left in: `numbers[n]` is the number of `names[n]`.
    """

    def __init__(
        self, keys: Keys, text: Column, head: Column, names: Sequence[str], numbers: Numbers
    ) -> None:
        self.keys = keys
        self._text = _Places(text)
        self._head = _Places(head)
        self._names = names
        self._numbers = numbers

    @property
    def lengths(self) -> Numbers:
        """How many terms each passage has."""
        return (self._text.sizes + self._head.sizes).astype(np.int32)

    def holders(self, unit: Unit) -> Holders:
        """The passages that hold a word, a prefix or a phrase, and how often."""
        if unit.kind == "word":
            numbers = self._starting(unit.terms[0], unit.terms[0] + "\0")
            rows, often = _counted(self._text.rows_of(numbers), TEXT_WEIGHT)
            above, more = _counted(self._head.rows_of(numbers), HEAD_WEIGHT)
            return self._joined(np.concatenate([rows, above]), np.concatenate([often, more]))
        if unit.kind == "prefix":
            numbers = self._starting(unit.terms[0], unit.terms[0] + _AFTER_ALL)
            rows, often = _counted(self._text.rows_of(numbers), TEXT_WEIGHT)
        else:
            wanted = [self._starting(term, term + "\0") for term in unit.terms]
            rows, often = _counted(self._text.rows_of_phrase(wanted), TEXT_WEIGHT)
        return Holders(self.keys[rows], often)

    def _starting(self, first: str, end: str) -> Numbers:
        """The numbers of the terms from `first` up to `end`."""
        low = bisect_left(self._names, first)
        return self._numbers[low : bisect_left(self._names, end, lo=low)]

    def _joined(self, rows: NDArray[np.int64], often: NDArray[np.float32]) -> Holders:
        order = np.argsort(rows, kind="stable")
        rows, often = rows[order], often[order]
        if not len(rows):
            return Holders(self.keys[rows], often)
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        return Holders(self.keys[rows[first]], np.add.reduceat(often, first, dtype=np.float32))


class _Places:
    """Where each term stands in a column."""

    def __init__(self, column: Column) -> None:
        self._terms = column.terms
        self._ends = column.ends
        order = np.argsort(column.terms, kind="stable").astype(np.int32)
        ordered = column.terms[order]
        self._order = order
        self._first = np.flatnonzero(np.diff(ordered, prepend=np.int32(-1)))
        self._known = ordered[self._first]

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self._ends, prepend=0)

    def rows_of(self, numbers: Numbers) -> NDArray[np.int64]:
        """The passage of each place where one of the terms stands, in order."""
        places = [self._places(number) for number in numbers.tolist()]
        if len(places) != 1:
            return self._rows(np.sort(np.concatenate([*places, np.empty(0, np.int32)])))
        return self._rows(places[0])

    def rows_of_phrase(self, wanted: Sequence[Numbers]) -> NDArray[np.int64]:
        """The passage of each place where the terms stand in order."""
        if not all(map(len, wanted)):
            return np.empty(0, np.int64)
        numbers = [int(one[0]) for one in wanted]
        each = [self._places(number) for number in numbers]
        rarest = min(range(len(each)), key=lambda step: len(each[step]))
        starts = each[rarest].astype(np.int64) - rarest
        starts = starts[(starts >= 0) & (starts + len(numbers) <= len(self._terms))]
        for step, number in enumerate(numbers):
            starts = starts[self._terms[starts + step] == number]
        rows = self._rows(starts)
        whole: NDArray[np.int64] = rows[rows == self._rows(starts + len(numbers) - 1)]
        return whole

    def _places(self, number: int) -> Numbers:
        at = int(np.searchsorted(self._known, number))
        if at == len(self._known) or self._known[at] != number:
            return self._order[:0]
        end = self._first[at + 1] if at + 1 < len(self._first) else len(self._order)
        return self._order[self._first[at] : end]

    def _rows(self, places: NDArray[np.integer]) -> NDArray[np.int64]:
        return np.searchsorted(self._ends, places, side="right").astype(np.int64)


def _counted(
    rows: NDArray[np.int64], weight: float
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Each row once, and how often it was there, times a weight."""
    if not len(rows):
        return rows, np.empty(0, np.float32)
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    often = np.diff(first, append=len(rows)) * weight
    return rows[first], often.astype(np.float32)
