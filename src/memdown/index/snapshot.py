"""One unchanging view of an index whose reader has all of it in memory."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

import numpy as np

from memdown.index.reader import Reader, Sought
from memdown.types import FileState, Source, StoredChunk, Vectors


class ReaderSnapshot:
    """One unchanging view of an index, for one search."""

    def __init__(self, reader: Reader, numbers: Mapping[int, FileState]) -> None:
        self._reader = reader
        self._numbers = numbers

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return self._numbers

    def dated(self, first: datetime.date, last: datetime.date) -> Mapping[int, Source]:
        """The numbers of the files of a time that lack nothing, and their sources."""
        return {
            number: file.source
            for number, file in self._numbers.items()
            if file.date is not None and not file.problem and first <= file.date <= last
        }

    def reader(self, sought: Sought) -> Reader:  # noqa: ARG002
        """The read model of this state, whatever is sought."""
        return self._reader

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""
        rows = self._reader.rows_of(keys) if keys else []
        return {one.key: one for one in self._reader.chunks(rows).values()}

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""
        reader = self._reader
        stored = reader.chunk_vectors
        alive = np.flatnonzero(reader.chunk_alive)
        rows = alive[np.argsort(reader.chunk_key[alive], kind="stable")]
        rows = rows[:0] if stored is None else rows[stored.scale[rows] > 0]
        rows = rows[:: max(1, -(-len(rows) // limit))]
        return reader.chunk_key[rows].tolist(), reader.vectors_of(rows.tolist())
