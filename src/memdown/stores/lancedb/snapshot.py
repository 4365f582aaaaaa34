"""One version of the live table, for one search."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memdown.stores.lancedb import rows
from memdown.stores.lancedb.connection import mapped
from memdown.stores.lancedb.matrix import Matrix
from memdown.stores.sqlite.keys import file_keys, source_keys
from memdown.types import (
    FILE_SPAN,
    Match,
    Source,
    StoredChunk,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)

if TYPE_CHECKING:
    from memdown.stores.lancedb.store import LanceStore

_ALL = (1 << 31) - 1
_SAMPLE = 64
# Up to here all vectors are kept in memory; above, LanceDB looks through its files.
_FEW = 200_000


class LanceSnapshot:
    """One search's view; `table` is None while nothing was written, `dims` without vectors."""

    def __init__(
        self, store: LanceStore, place: str, name: str, table: Any, dims: int | None
    ) -> None:
        self._store = store
        self._place = place
        self._name = name
        self._table = table
        self._dims = dims

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword."""
        if self._table is None:
            return TextMatches((), 0.0)
        with mapped(self._place):
            return self._store.terms(self._name, self._table).match(query)

    def match_vector(self, vector: Vector, sources: Sequence[Source], limit: int) -> list[Match]:
        """The nearest chunks."""
        if not self._can_compare(vector):
            return []
        if len(self._all_keys()) <= _FEW:
            return self._matrix(vector.size).match(vector, sources, limit)
        found: list[tuple[float, int]] = []
        for source in sources:
            keys = source_keys(source)
            query = (
                self._table.search(vector, vector_column_name="embedding")
                .distance_type("cosine")
                .where(f"key >= {keys.start} AND key < {keys.stop}", prefilter=True)
                .select(["key", "_distance"])
                .limit(limit)
            )
            with mapped(self._place):
                near = query.to_arrow()
            found += zip(near["_distance"].to_pylist(), near["key"].to_pylist(), strict=True)
        found.sort()
        return [Match(key, 1.0 - distance) for distance, key in found[:limit]]

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        if not self._can_compare(vector) or not chunk_keys:
            return {}
        if len(self._all_keys()) <= _FEW:
            return self._matrix(vector.size).similarities(vector, chunk_keys)
        found = self._rows(chunk_keys, ["key", "embedding"])
        return {
            row["key"]: float(np.dot(np.array(row["embedding"], np.float32), vector))
            for row in found
            if row["embedding"] is not None
        }

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        span = source_keys(source)
        keys = self._all_keys()
        numbers = np.unique(keys[(keys >= span.start) & (keys < span.stop)] // FILE_SPAN)
        step = max(1, len(numbers) // _SAMPLE)
        first = [file_keys(int(number)).start for number in numbers[::step]]
        near = self.similarities(vector, first).values()
        return sum(near) / len(near) if near else 0.0

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        keys = self._all_keys()
        places = np.searchsorted(keys, np.asarray(passage_keys, np.int64), side="right") - 1
        return dict(zip(passage_keys, keys[places].tolist(), strict=True)) if len(keys) else {}

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        numbers = {-(key // FILE_SPAN) for key in chunk_keys}
        dates: dict[str, datetime.date | None] = {
            row["path"]: rows.read_file_row(row).date
            for row in self._rows(sorted(numbers), ["path", "source", "digest", "facts"])
        }
        return {
            row["key"]: rows.read_chunk_row(row, dates.get(row["path"]))
            for row in self._rows(chunk_keys, rows.CHUNK_COLUMNS)
        }

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        if self._dims is None or self._table is None:
            return [], np.empty((0, 1), np.float32)
        keys = self._all_keys()
        step = max(1, -(-len(keys) // limit))
        found = self._rows(keys[::step].tolist(), ["key", "embedding"])
        found = sorted((row for row in found if row["embedding"]), key=lambda row: int(row["key"]))
        return [row["key"] for row in found], np.array(
            [row["embedding"] for row in found], np.float32
        ).reshape(len(found), self._dims)

    def _can_compare(self, vector: Vector) -> bool:
        return self._table is not None and self._dims == vector.size

    def _matrix(self, dims: int) -> Matrix:
        with mapped(self._place):
            return self._store.matrix(self._name, self._table, dims)

    def _all_keys(self) -> NDArray[np.int64]:
        if self._table is None:
            return np.empty(0, np.int64)
        with mapped(self._place):
            return self._store.keys(self._name, self._table)

    def _rows(self, keys: Sequence[int], columns: list[str]) -> list[dict[str, Any]]:
        if self._table is None or not len(keys):
            return []
        where = f"key IN ({', '.join(map(str, keys))})"
        query = self._table.search().where(where).select(columns).limit(_ALL)
        with mapped(self._place):
            found: list[dict[str, Any]] = query.to_arrow().to_pylist()
        return found
