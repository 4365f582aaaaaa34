"""BM25 over posting lists, and what a passage could score at best, so that queries can be compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6
# Rarity is judged as if there were at least so many passages: of one, every word is in all.
FEW = 100


def idf(total: float, found: float) -> float:
    """The weight of something that `found` of `total` passages hold; never below a hair above 0."""
    total = max(total, FEW)
    return max(_LEAST_IDF, math.log((total - found + 0.5) / (found + 0.5)))


def length_norms(lengths: NDArray[Any], average: float) -> NDArray[np.float32]:
    """What a passage's length adds to the denominator of BM25, shape (n,), for lengths in terms."""
    scale = _K1 * _B / max(average, 1e-9)
    result: NDArray[np.float32] = lengths.astype(np.float32) * np.float32(scale)
    result += np.float32(_K1 * (1 - _B))
    return result


def saturate(frequency: NDArray[np.float32], norms: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a term of this weighted frequency gives to passages with these norms, before its idf."""
    result: NDArray[np.float32] = frequency * np.float32(_K1 + 1) / (frequency + norms)
    return result
