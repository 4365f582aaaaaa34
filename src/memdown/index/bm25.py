"""BM25 as FTS5 computes it, over passages given as rows of term numbers; for stores without FTS5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

_K1, _B = 1.2, 0.75
_LEAST_RARITY = 1e-6
# Rarity is judged as if there were at least so many passages: of one, every word is in all.
FEW = 100


@dataclass(frozen=True, slots=True)
class Column:
    """The terms of all rows, one after the other, and the row that each belongs to."""

    terms: Numbers
    rows: Numbers


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing to look for: any of some terms, or all of them in order (a phrase).

    `found_in` is the number of passages that hold it; None if only the rows at hand can tell.
    """

    terms: tuple[int, ...]
    found_in: float | None
    is_phrase: bool = False
    in_head: bool = True


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


def weighed(often: Scores, lengths: Numbers, average: float, total: int, found: float) -> Scores:
    """What something that occurs so often adds to the scores of rows of these lengths."""
    result: Scores = rarity(total, min(found, total)) * gained(often, dampening(lengths, average))
    return result


def scores(
    count: int,
    text: Column,
    head: Column,
    wanted: Sequence[Wanted],
    *,
    total: int,
    average: float,
) -> Scores:
    """The score of each of `count` rows; `total` and `average` length are of the whole index."""
    length = np.bincount(text.rows, minlength=count) + np.bincount(head.rows, minlength=count)
    result = np.zeros(count)
    looked_for = np.unique(np.array([term for one in wanted for term in one.terms], np.int64))
    some_text, some_head = _only(text, looked_for), _only(head, looked_for)
    for one in wanted:
        if one.is_phrase:
            often = TEXT_WEIGHT * _phrases(text, one.terms, count)
        else:
            often = TEXT_WEIGHT * _counts(some_text, one.terms, count)
            if one.in_head:
                often = often + HEAD_WEIGHT * _counts(some_head, one.terms, count)
        found = one.found_in if one.found_in is not None else float(np.count_nonzero(often))
        result += weighed(often, length, average, total, found)
    return result


def _only(column: Column, terms: Numbers) -> Column:
    keep = np.isin(column.terms, terms)
    return Column(column.terms[keep], column.rows[keep])


def _counts(column: Column, terms: tuple[int, ...], count: int) -> Scores:
    found = column.terms == terms[0] if len(terms) == 1 else np.isin(column.terms, terms)
    return np.bincount(column.rows[found], minlength=count).astype(np.float64)


def _phrases(column: Column, terms: tuple[int, ...], count: int) -> Scores:
    starts = len(column.terms) - len(terms) + 1
    if starts <= 0:
        return np.zeros(count)
    found = column.rows[:starts] == column.rows[len(terms) - 1 :]
    for place, term in enumerate(terms):
        found &= column.terms[place : place + starts] == term
    return np.bincount(column.rows[:starts][found], minlength=count).astype(np.float64)


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
