"""Similarities that are the same on every machine, and the best of many scores without putting all in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from memdown.types import Vector, Vectors
from numpy.typing import NDArray

from memdown.types import FILE_SPAN

# Finer differences than this are noise of the last bits of a float32.
_DIGITS = 6


def cosines(rows: Vectors, vector: Vector) -> Vector:
    """The cosine similarity of each row, shape (n, dims), to a vector, both of length one.

    A matrix product adds up the last rows of a matrix in another order than the first, depending on
    the processor, so that equal rows would get unequal scores. Here every row is added up alike, and
    the noise is rounded away, so that ties are ties and can be broken by key.
    """
    found: Vector = np.round(np.einsum("ij,j->i", rows, vector), _DIGITS)
    return found


Scores = NDArray[np.float64] | NDArray[np.float32]
Places = NDArray[np.int64]

_GROUP = 64
# With fewer groups, most of them would hold one of the best scores.
_FEW = 4


def highest(scores: Scores, count: int, above: float = -np.inf) -> Places:
    """Where the `count` highest scores stand, and some more: at least all that equal one of them.

    Only scores above a given one are looked for.
    """
    groups = len(scores) // _GROUP
    if groups <= _FEW * count:
        return _at_least(scores, _nth(scores, count), above)
    end = groups * _GROUP
    tops = scores[:end].reshape(groups, _GROUP).max(axis=1)
    # In so many groups there is a score that is at least this high.
    least = _nth(tops, count)
    inside = _at_least(tops, least, above)
    places = np.append(
        (inside[:, None] * _GROUP + np.arange(_GROUP)).ravel(), np.arange(end, len(scores))
    )
    return places[_at_least(scores[places], least, above)]


def in_files(keys: Places, files: frozenset[int]) -> NDArray[np.bool_]:
    """Which of the keys belong to one of the files with these numbers."""
    return np.isin(keys // FILE_SPAN, np.fromiter(files, np.int64, len(files)))


def _nth(scores: Scores, number: int) -> float:
    """The score that stands at a place, counted from the highest; if there are fewer, the lowest."""
    place = max(0, len(scores) - number)
    return float(np.partition(scores, place)[place]) if len(scores) else 0.0


def _at_least(scores: Scores, least: float, above: float) -> Places:
    return np.flatnonzero(scores >= least) if least > above else np.flatnonzero(scores > above)
