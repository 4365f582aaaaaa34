"""The keyword leg in memory: for everything that was asked for, the passages that hold it.

A store reads the passages of a word once; from then on a search only adds up arrays. Scores are
those of BM25 as FTS5 computes them, by the numbers of the whole index as it is at the moment. When
files change, their passages are struck out and the new ones appended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import dampening, gained, rarity, reachable
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.reader import Unit
from memdown.index.similarity import highest, in_files
from memdown.types import Match, TextMatches, TextQuery

Keys = NDArray[np.int64]
Lengths = NDArray[np.int32]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float64]

# When so many rows were struck out or appended, beginning anew is cheaper than carrying them on.
_MOST_CHANGED, _FEW_CHANGED = 0.2, 4_000
# If fewer entries than this share of all rows are to be added up, only their rows are looked at.
_SPARSE = 0.02
# How many entries are kept for all units together: less than 100 MB.
_MOST_ENTRIES = 6_000_000


class Holders(NamedTuple):
    """The passages that hold a unit: their keys, each once, and how often, weighted by place."""

    keys: Keys
    often: NDArray[np.float32]


class NewPassage(NamedTuple):
    """A passage of a file that changed, and its terms."""

    key: int
    text: Sequence[str]
    head: Sequence[str]


Fetch = Callable[[Unit], Holders]


def units_of(query: TextQuery) -> list[Unit]:
    """Everything that a query looks for, the words first and in order."""
    return [
        *(Unit("word", (word,)) for word in query.words),
        *(Unit("prefix", (prefix,)) for prefix in query.prefixes),
        *(Unit("phrase", phrase) for phrase in query.phrases if len(phrase) > 1),
    ]


@dataclass(frozen=True, slots=True)
class _Posting:
    """The rows that hold a unit, how often, and what it gives to their scores.

    The first `seen` changes are in it.
    """

    rows: NDArray[np.int32]
    often: NDArray[np.float32]
    gains: NDArray[np.float32]
    seen: int


@dataclass(frozen=True, slots=True)
class _Change:
    """Rows that were appended, from number `first` on, and where each term stands in them."""

    first: int
    passages: Sequence[NewPassage]
    places: Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything that one search needs; later changes do not touch it.

    `first` and `last` are the lowest and the highest key.
    """

    keys: Keys
    first: int
    last: int
    total: int
    postings: Sequence[_Posting]

    def match(self, query: TextQuery, keys: Sequence[range]) -> TextMatches:
        """The best passages among those with keys in these ranges."""
        found = [len(posting.rows) for posting in self.postings]
        reach = reachable(query, found[: len(query.words)], self.total)
        rows = np.concatenate([posting.rows for posting in self.postings])
        gains = np.concatenate([posting.gains for posting in self.postings])
        if len(rows) < _SPARSE * len(self.keys):
            rows, places = np.unique(rows, return_inverse=True)
            sums, passages = np.bincount(places, gains), self.keys[rows]
        else:
            sums, passages = np.bincount(rows, gains, minlength=len(self.keys)), self.keys
        scores: Scores = sums.astype(np.float64, copy=False)
        if not any(one.start <= self.first and self.last < one.stop for one in keys):
            within = np.zeros(len(passages), bool)
            for one in keys:
                within |= (passages >= one.start) & (passages < one.stop)
            scores *= within
        if query.files is not None:
            scores *= in_files(passages, query.files)
        best = highest(scores, query.limit, above=0.0)
        order = sorted(zip((-scores[best]).tolist(), passages[best].tolist(), strict=True))
        return TextMatches(tuple(Match(key, -score) for score, key in order[: query.limit]), reach)


class Postings:
    """All passages of an index by number, and where the units stand that were asked for so far.

    Not safe for several threads; what `ready` returns is.
    """

    def __init__(self, keys: Keys, lengths: Lengths) -> None:
        self._keys = keys
        self._lengths = lengths
        self._struck: Mask = np.zeros(len(keys), bool)
        self._known: dict[Unit, _Posting] = {}
        self._entries = 0
        self._changes: list[_Change] = []
        self._begun = len(keys)
        self._count()

    def __len__(self) -> int:
        return self._total

    @property
    def keys(self) -> Keys:
        """The keys of all passages that there are."""
        return self._keys[~self._struck]

    def copy(self) -> Postings:
        """The same again, so that a change of one leaves the other as it is."""
        other = copy(self)
        other._known, other._changes = dict(self._known), list(self._changes)
        return other

    def change(self, stale: Callable[[Keys], Mask], new: Sequence[NewPassage]) -> bool:
        """Strike out the passages that are `stale` and append new ones; False if that is too much."""
        struck = self._struck | stale(self._keys)
        changed = int(np.count_nonzero(struck)) + len(self._keys) + len(new) - self._begun
        if changed > max(_FEW_CHANGED, _MOST_CHANGED * self._begun):
            return False
        self._changes.append(_change(len(self._keys), new))
        self._keys = np.concatenate([self._keys, np.array([one.key for one in new], np.int64)])
        lengths = np.array([len(one.text) + len(one.head) for one in new], np.int32)
        self._lengths = np.concatenate([self._lengths, lengths])
        self._struck = np.concatenate([struck, np.zeros(len(new), bool)])
        self._count()
        return True

    def ready(self, units: Sequence[Unit], fetch: Fetch) -> Ready:
        """What is needed to look for these units; `fetch` reads those that are asked for first."""
        postings = [self._posting(unit, fetch) for unit in units]
        while self._entries > _MOST_ENTRIES and len(self._known) > 1:
            oldest = next(iter(self._known))
            self._entries -= len(self._known.pop(oldest).rows)
        return Ready(self._keys, *self._bounds, self._total, postings)

    def _count(self) -> None:
        alive = ~self._struck
        self._total = int(np.count_nonzero(alive))
        words = int(self._lengths.sum(where=alive, dtype=np.int64))
        self._damp = dampening(self._lengths, words / self._total if self._total else 1.0)
        self._bounds = (int(self._keys.min()), int(self._keys.max())) if len(self._keys) else (1, 0)
        self._order: tuple[NDArray[np.int64], Keys] | None = None

    def _posting(self, unit: Unit, fetch: Fetch) -> _Posting:
        posting = self._known.pop(unit, None)
        if posting is None:
            posting = self._numbered(fetch(unit))
            self._entries += len(posting.rows)
        elif posting.seen < len(self._changes):
            self._entries -= len(posting.rows)
            posting = self._followed(unit, posting)
            self._entries += len(posting.rows)
        # The last one asked for is the last one to be dropped. Of what no passage holds there is no
        # end, and asking again costs little.
        if len(posting.rows):
            self._known[unit] = posting
        return posting

    def _numbered(self, holders: Holders) -> _Posting:
        """Passages by number instead of by key."""
        if not len(holders.keys):
            return self._weighed(np.empty(0, np.int32), holders.often)
        if self._order is None:
            alive = np.flatnonzero(~self._struck)
            order = alive[np.argsort(self._keys[alive], kind="stable")]
            self._order = (order, self._keys[order])
        order, keys = self._order
        places = np.searchsorted(keys, holders.keys)
        if not np.array_equal(keys[places.clip(max=max(0, len(keys) - 1))], holders.keys):
            raise LookupError("a word stands in a passage that is not listed")
        return self._weighed(order[places].astype(np.int32), holders.often)

    def _followed(self, unit: Unit, posting: _Posting) -> _Posting:
        """A posting with the changes since it was made."""
        rows, often = [posting.rows], [posting.often]
        for change in self._changes[posting.seen :]:
            counts = _counts(unit, change)
            rows.append(np.fromiter(counts.keys(), np.int32, len(counts)))
            often.append(np.fromiter(counts.values(), np.float32, len(counts)))
        all_rows, all_often = np.concatenate(rows), np.concatenate(often)
        alive = ~self._struck[all_rows]
        return self._weighed(all_rows[alive], all_often[alive])

    def _weighed(self, rows: NDArray[np.int32], often: NDArray[np.float32]) -> _Posting:
        gains = gained(often, self._damp[rows]) * rarity(self._total, len(rows))
        return _Posting(rows, often, gains.astype(np.float32), len(self._changes))


def _change(first: int, new: Sequence[NewPassage]) -> _Change:
    places: dict[str, dict[int, float]] = defaultdict(dict)
    for row, passage in enumerate(new, start=first):
        for terms, weight in ((passage.text, TEXT_WEIGHT), (passage.head, HEAD_WEIGHT)):
            for term in terms:
                places[term][row] = places[term].get(row, 0.0) + weight
    return _Change(first, new, places)


def _counts(unit: Unit, change: _Change) -> Mapping[int, float]:
    """The appended rows that hold a unit, and how often."""
    if unit.kind == "word":
        return change.places.get(unit.terms[0], {})
    counts = {}
    for row, passage in enumerate(change.passages, start=change.first):
        text = passage.text
        if unit.kind == "prefix":
            often = sum(term.startswith(unit.terms[0]) for term in text)
        else:
            size = len(unit.terms)
            often = sum(
                tuple(text[n : n + size]) == unit.terms for n in range(len(text) - size + 1)
            )
        if often:
            counts[row] = TEXT_WEIGHT * often
    return counts
