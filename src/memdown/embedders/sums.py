"""Sums of rows of a table, for many lists of rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memdown.types import Vectors

# Longer lists are added up one by one.
_MANY = 256
# So many numbers of sums stay in the processor's cache.
_NUMBERS_AT_ONCE = 1 << 19


def sums_of_lists(rows: Vectors, numbers: NDArray[np.int32], sizes: Sequence[int]) -> Vectors:
    """The sum of the rows of each list of numbers; lists of these sizes stand one after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    if len(numbers) == len(sizes) and np.array_equal(ends, np.arange(1, len(sizes) + 1)):
        one_each: Vectors = rows.take(numbers, axis=0)
        return one_each
    return sums_of(rows, numbers, ends - sizes, ends)


def sums_of(
    rows: Vectors, numbers: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> Vectors:
    """The sum of the rows of each list of numbers, float32 (m, dims); lists stand from `starts` to `ends`.

    The longest come first, so that the k-th rows of all lists that have so many are added at
    once: several times faster than list by list.
    """
    sizes = ends - starts
    order = np.argsort(-sizes, kind="stable")
    result = np.zeros((len(sizes), rows.shape[1]), np.float32)
    many = int(np.searchsorted(-sizes[order], -_MANY))
    for one in order[:many].tolist():
        result[one] = rows[numbers[starts[one] : ends[one]]].sum(axis=0)
    step = _NUMBERS_AT_ONCE // max(1, rows.shape[1])
    for first in range(many, len(order), step):
        some = order[first : first + step]
        fewer = -sizes[some]
        some = some[: np.searchsorted(fewer, 0)]
        total = rows.take(numbers[starts[some]], axis=0)
        for place in range(1, int(-fewer[0])):
            upto = int(np.searchsorted(fewer, -place))
            total[:upto] += rows.take(numbers[starts[some[:upto]] + place], axis=0)
        result[some] = total
    return result
