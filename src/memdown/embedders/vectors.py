"""Vectors as every embedder must return them: finite, of length one, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memdown.errors import BadAnswer

if TYPE_CHECKING:
    from memdown.types import Vectors


def normalised(rows: Vectors) -> Vectors:
    """The rows with non-finite numbers as 0, each scaled to length one; zero rows stay zero."""
    rows = np.nan_to_num(np.asarray(rows, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: Vectors = np.divide(rows, lengths, out=rows, where=lengths > 0)
    return result


def checked(
    rows: Vectors, *, count: int, dims: int | None, provider: str, zeros: bool = False
) -> Vectors:
    """The rows if there are `count` of them, of `dims` numbers, none all zero; else an error.

    With `zeros`, rows of zeros are let through.
    """
    if rows.ndim != 2 or rows.shape[0] != count:
        got = rows.shape[0] if rows.ndim else 0
        raise BadAnswer(f"{provider} returned {got} vectors for {count} texts; nothing was stored.")
    if dims is not None and rows.shape[1] != dims:
        raise BadAnswer(
            f"{provider} returned vectors of {rows.shape[1]} numbers instead of {dims}; "
            "nothing was stored. Check memorySearch.model."
        )
    if not zeros and not rows.any(axis=1).all():
        raise BadAnswer(f"{provider} returned an all-zero vector; nothing was stored.")
    return rows
