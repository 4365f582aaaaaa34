"""BM25 over posting lists, and what a passage could score at best, so that queries can be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memdown.text import is_gram, is_stop
from memdown.types import TextQuery

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

_K1, _B = 1.2, 0.75
_LEAST_RARITY = 1e-6
# Rarity is judged as if there were at least so many passages: of one, every word is in all.
FEW = 100


def rarity(total: float, found: float) -> float:
    """The weight of something that `found` of `total` passages hold."""
    total = max(total, FEW)
    return max(_LEAST_RARITY, math.log((total - found + 0.5) / (found + 0.5)))


def dampening(lengths: NDArray[Any], average: float) -> Scores:
    """What keeps long rows from gaining by their length alone."""
    result: Scores = _K1 * (1 - _B + _B * lengths / max(average, 1e-9))
    return result


def gained(often: NDArray[Any], damp: Scores) -> Scores:
    """What something that occurs so often gives to rows, before its rarity counts."""
    result: Scores = often * (_K1 + 1) / (often + damp)
    return result


def idf(total: float, found: float) -> float:
    """The weight of something that `found` of `total` passages hold; never below a hair above 0."""
    return rarity(total, found)


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


# A prefix is found with its word and scores about half as much.
_WITH_PREFIX = 1.5
# So many unknown pairs for each known one are borders; in real questions there is hardly one.
_BORDERS = 2
# In so many passages most words of a language occur; in fewer, it tells less that one is missing.
_MANY = 500


def reachable(query: TextQuery, frequencies: Sequence[int], total: int) -> float:
    """What a passage of average length would score that holds every word once.

    `frequencies` tells in how many of the `total` passages each word occurs. A pair of characters
    that occurs nowhere is no missing word but a border between two words, unless there are many more
    of them than of known pairs: then the query is about something else. A word that is a stop word in
    some language and stands nowhere was not meant as a word.
    """
    if not total:
        return 0.0
    score = 0.0
    borders = 0
    for word, found in zip(query.words, frequencies, strict=True):
        gram = is_gram(word)
        if gram:
            borders += -_BORDERS if found else 1
        if found or not (gram or is_stop(word)):
            weight = _WITH_PREFIX if word.startswith(query.prefixes) else 1.0
            score += _rarity(total, found) * weight
    return score + max(0, borders) * _rarity(total, 0)


def _rarity(total: int, found: int) -> float:
    share = 1.0 if found else min(1.0, math.log(max(total, FEW) + 1) / math.log(_MANY))
    return rarity(total, found) * share
