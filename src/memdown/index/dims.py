"""How long the vectors are that are to be stored."""

from __future__ import annotations

from collections.abc import Sequence

from memdown.types import IndexedFile


def dims_of(files: Sequence[IndexedFile]) -> int | None:
    """How long the vectors of some files are; None if there are none among them."""
    made = (file.vectors for file in files if file.vectors is not None and len(file.vectors))
    return next((int(rows.shape[1]) for rows in made), None)
