"""Similarities that are the same on every machine and in every place of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from memdown.types import Vector, Vectors

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
