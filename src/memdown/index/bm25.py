"""Posting lists → BM25: the best passages, and how often each of some passages holds what is looked for.

Lists of frequent words are long and say little. Once they cannot lift any other passage among the best, they are
only looked into for those that are (MaxScore), which changes nothing in what is found.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.tuning import TUNING
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.index.reader import Mask, Often, Posting, Reader, Rows, Unit

_WORDS = TUNING.words

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

_LEAST_IDF = 1e-6
# Short lists of so many entries in all are joined: to look at each by itself takes longer.
_JOINED = 16_384
# The shortest of so many entries are scored together; whether a longer one is, is asked one by one.
_TOGETHER = 2_048
# So that what is rounded does not count.
_HAIR = 1.0001


class UnitPosting(NamedTuple):
    """One unit of a query with its posting list; `number` is the place of its word, -1 for a phrase."""

    number: int
    unit: Unit
    posting: Posting
    idf: float
    # Whether it is a word of the question itself, and what it counts: below 1 for a word that only means about
    # the same; `defined`: the notes say that it does.
    is_word: bool = False
    weight: float = 1.0
    defined: bool = False


class _Joined(NamedTuple):
    """Posting lists one after the other, E entries: `unit` int64 (E,) is the place of each one's list, `often`
    float32 (E,) how often it counts, in the text and above it."""

    unit: Places
    rows: Rows
    text: Floats
    often: Floats


@dataclass(frozen=True, eq=False)
class PostingLists:
    """The posting lists of a query that hold something, the shortest first: U of them.

    `weights` float32 (U,) are what they count in BM25, `ends` where each one would end if all were joined; the
    first of them are `joined`.
    """

    units: Sequence[UnitPosting]
    weights: Floats
    ends: Sequence[int]
    joined: _Joined

    @property
    def long(self) -> range:
        """The places of the lists that are not joined."""
        return range(bisect_right(self.ends, len(self.joined.rows)), len(self.units))

    def entries(self, number: int) -> tuple[Rows, Floats]:
        """The rows of a list, and how often each counts."""
        begin, end = self.ends[number - 1] if number else 0, self.ends[number]
        if end <= len(self.joined.rows):
            return self.joined.rows[begin:end], self.joined.often[begin:end]
        posting = self.units[number].posting
        return posting.rows, _often(posting.text_tf, posting.head_tf)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often each of m passages holds each of U units: `text` float32 (U, m) in its text, `often` with what
    stands above it, by weight."""

    units: Sequence[UnitPosting]
    text: Floats
    often: Floats

    def at(self, places: Places) -> Frequencies:
        """Those of some of the passages."""
        return Frequencies(
            self.units, self.text.take(places, axis=1), self.often.take(places, axis=1)
        )


def lists_of(looked: Sequence[UnitPosting]) -> PostingLists:
    """The posting lists that hold something."""
    units = [one for one in looked if len(one.posting.rows)]
    units.sort(key=lambda one: len(one.posting.rows))
    ends = list(accumulate(len(one.posting.rows) for one in units))
    short = bisect_right(ends, _JOINED)
    weights = np.array([one.idf * one.weight for one in units], np.float32)
    return PostingLists(units, weights, ends, _joined([one.posting for one in units[:short]]))


def _joined(each: Sequence[Posting]) -> _Joined:
    if not each:
        nothing = np.empty(0, np.float32)
        return _Joined(np.empty(0, np.int64), np.empty(0, np.int32), nothing, nothing)
    text = np.concatenate([one.text_tf for one in each])
    if any(_is_any(one.head_tf) for one in each):
        often = _often(text, np.concatenate([one.head_tf for one in each]))
    else:
        often = _often(text, each[0].head_tf)
    unit = np.arange(len(each)).repeat([len(one.rows) for one in each])
    return _Joined(unit, np.concatenate([one.rows for one in each]), text, often)


def _often(text: Often, head: Often) -> Floats:
    found: Floats = np.float32(_WORDS.in_text) * text
    if _is_any(head):
        found += np.float32(_WORDS.in_head) * head
    return found


def _is_any(head: Often) -> bool:
    """Whether there may be anything but zeros: for all entries of a list, one zero may stand."""
    return head.strides != (0,)


class _Sums(NamedTuple):
    """Rows int32 (n,), each once, and what is summed up for each, float64 (n,)."""

    rows: Rows
    sums: NDArray[np.float64]


def best_by_words(lists: PostingLists, reader: Reader, within: Mask | None, count: int) -> Rows:
    """The rows with the `count` highest BM25 scores, ascending, of those `within`, bool (P,), or of all; of equal
    scores the first."""
    first = bisect_right(lists.ends, min(_TOGETHER, len(lists.joined.rows)))
    end = lists.ends[first - 1] if first else 0
    rows, norms = lists.joined.rows[:end], reader.length_norms
    gains = saturate(lists.joined.often[:end], norms.take(rows))
    gains *= lists.weights.take(lists.joined.unit[:end])
    found = _summed(rows, gains, within, reader)
    rest = list(range(first, len(lists.units)))
    gained = [_most(lists.units[one].posting, lists.weights[one], reader) for one in rest]
    least = _nth(found.sums, count)
    while rest and least <= sum(gained):
        one, *rest = rest
        del gained[0]
        rows, often = lists.entries(one)
        gains = lists.weights[one] * saturate(often, norms.take(rows))
        at = reader.places_in(found.rows, rows)
        is_known = _are_at(found.rows, at, rows)
        known = is_known.nonzero()[0]
        found.sums[at.take(known)] += gains.take(known)
        # What cannot be among the best with all that is left need not be kept.
        is_new = gains >= np.float64(least - sum(gained))
        is_new &= ~is_known
        if within is not None:
            is_new &= within.take(rows)
        new = is_new.nonzero()[0]
        found = _Sums(
            np.concatenate([found.rows, rows.take(new)]),
            np.concatenate([found.sums, gains.take(new)]),
        )
        least = _nth(found.sums, count)
    may = (found.sums + sum(gained) >= least).nonzero()[0]
    may = may[found.rows.take(may).argsort()]
    rows, sums = found.rows.take(may), found.sums.take(may)
    for one in rest:
        posting = lists.units[one].posting
        places, inside = places_of(posting.rows, rows)
        often = _often(posting.text_tf[inside], posting.head_tf[inside])
        sums[places] += lists.weights[one] * saturate(often, norms.take(rows[places]))
        del gained[0]
        if gained:
            # Fewer are looked for in the next list, which is longer.
            may = (sums + sum(gained) >= _nth(sums, count)).nonzero()[0]
            rows, sums = rows.take(may), sums.take(may)
    return rows[highest(sums, count)]


def _are_at(listed: Rows, at: Rows, rows: Rows) -> Mask:
    """Which rows stand at these places of a list; any number is a place of one that does not."""
    return listed.take(at, mode="clip") == rows if len(listed) else np.zeros(len(rows), bool)


def _most(posting: Posting, weight: np.float32, reader: Reader) -> float:
    """A hair more than a list can give to any passage."""
    often = _WORDS.in_text * float(posting.text_tf.max())
    if _is_any(posting.head_tf):
        often += _WORDS.in_head * float(posting.head_tf.max())
    return _HAIR * float(weight) * often * (_WORDS.k1 + 1) / (often + reader.least_norm)


def _summed(rows: Rows, gains: NDArray[Any], within: Mask | None, reader: Reader) -> _Sums:
    """All that is gained by each row, wherever it stands among them."""
    if within is not None:
        keep = within[rows]
        rows, gains = rows[keep], gains[keep]
    # Where each stands for the last time.
    last = reader.places_in(rows, rows)
    # Of nothing, it would count whole numbers.
    sums = np.bincount(last, gains, len(rows)).astype(np.float64, copy=False)
    once = (last == np.arange(len(rows))).nonzero()[0]
    return _Sums(rows[once], sums[once])


def frequencies(lists: PostingLists, rows: Rows, reader: Reader) -> Frequencies:
    """How often some passages, ascending, hold each unit."""
    text, often = np.zeros((2, len(lists.units), len(rows)), np.float32)
    if not len(rows):
        return Frequencies(lists.units, text, often)
    joined = lists.joined
    at = reader.places_in(rows, joined.rows)
    inside = _are_at(rows, at, joined.rows).nonzero()[0]
    place = joined.unit.take(inside) * len(rows) + at.take(inside)
    text.ravel()[place] = joined.text.take(inside)
    often.ravel()[place] = joined.often.take(inside)
    for number in lists.long:
        posting = lists.units[number].posting
        places, inside = places_of(posting.rows, rows)
        tf = posting.text_tf[inside]
        text[number, places] = tf
        often[number, places] = _often(tf, posting.head_tf[inside])
    return Frequencies(lists.units, text, often)


def bm25(found: Frequencies, lists: PostingLists, norms: Floats) -> Floats:
    """BM25 of m passages with these length norms, float32 (m,)."""
    scores: Floats = lists.weights @ saturate(found.often, norms)
    return scores


def distinct(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row once, ascending; of several ascending runs, which are merged."""
    rows = rows.copy()
    rows.sort(kind="stable")
    keep = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=keep[1:])
    return rows[keep]


def highest(values: NDArray[Any], count: int) -> Places:
    """Where the `count` highest values stand, ascending; of equal ones the first."""
    if len(values) <= count:
        return np.arange(len(values))
    least = _nth(values, count)
    found: Places = (values >= least).nonzero()[0]
    if len(found) > count:
        # More are equal to the last of them.
        equal = (values.take(found) == least).nonzero()[0]
        found = np.delete(found, equal[count - len(found) :])
    return found


def _nth(values: NDArray[Any], count: int) -> float:
    """The value that stands at a place, counted from the highest; below all if there are fewer."""
    place = len(values) - count
    if place < 0:
        return -np.inf
    values = values.copy()
    values.partition(place)
    return float(values[place])


def places_of(listed: Rows, rows: Rows) -> tuple[Places, Places]:
    """Where in `rows` the listed ones stand, and where in the list; both ascend and have each row once."""
    few, many = (listed, rows) if len(listed) < len(rows) else (rows, listed)
    if not len(few):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = many.searchsorted(few)
    same = (many.take(at, mode="clip") == few).nonzero()[0]
    return (at[same], same) if few is listed else (same, at[same])


def idf(total: float, found: float) -> float:
    """The weight of something that `found` of `total` passages hold; never below a hair above 0."""
    total = max(total, _WORDS.least_passages)
    return max(_LEAST_IDF, math.log((total - found + 0.5) / (found + 0.5)))


def length_norms(lengths: NDArray[Any], average: float) -> NDArray[np.float32]:
    """What a passage's length adds to the denominator of BM25, shape (n,), for lengths in terms."""
    scale = _WORDS.k1 * _WORDS.b / max(average, 1e-9)
    result: NDArray[np.float32] = lengths.astype(np.float32) * np.float32(scale)
    result += np.float32(_WORDS.k1 * (1 - _WORDS.b))
    return result


def saturate(frequency: Floats, norms: Floats) -> Floats:
    """What a term of this weighted frequency gives to passages with these norms, before its idf."""
    result: NDArray[np.float32] = frequency + norms
    np.divide(frequency * np.float32(_WORDS.k1 + 1), result, out=result)
    return result
