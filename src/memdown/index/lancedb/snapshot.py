"""One version of the live table, for one search."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memdown.index.lancedb import candidates, rows
from memdown.index.lancedb.candidates import Figures
from memdown.index.lancedb.connection import mapped
from memdown.index.lancedb.reading import by_key, read
from memdown.index.mirror import View
from memdown.index.packing import source_keys
from memdown.types import (
    FILE_SPAN,
    FileState,
    Match,
    Source,
    StoredChunk,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)

_SAMPLE = 64
# How many parts of an index over vectors are looked into, and how many are compared exactly.
_PROBES, _REFINED = 40, 10


class LanceSnapshot:
    """One search's view; without a table nothing was written yet, `dims` is None without vectors.

    Of a small table a copy answers, `view`; a large one is asked itself, and `figures` are of it.
    """

    def __init__(
        self,
        place: str,
        table: Any,
        view: View | None,
        dims: int | None,
        figures: Figures | None = None,
    ) -> None:
        self._place = place
        self._table = table
        self._held = view
        self._dims = dims
        self._figures = figures
        self._chunk_of: dict[int, int] = {}

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword."""
        if self._figures is not None:
            with mapped(self._place):
                found, chunk_of = candidates.match(self._table, query, self._figures)
            self._chunk_of |= chunk_of
            return found
        return TextMatches((), 0.0) if self._held is None else self._held.match_text(query)

    def match_vector(
        self,
        vector: Vector,
        sources: Sequence[Source],
        limit: int,
        files: frozenset[int] | None = None,
    ) -> list[Match]:
        """The nearest chunks; LanceDB looks through its files if there are too many for memory."""
        if self._table is None or not self._can_compare(vector):
            return []
        if self._held is not None and self._held.state.dims is not None:
            return self._held.match_vector(vector, sources, limit, files)
        some = "" if files is None else f" AND file IN ({', '.join(map(str, sorted(files)))})"
        if files is not None and not files:
            return []
        found: list[tuple[float, int]] = []
        for source in sources:
            keys = source_keys(source)
            query = (
                self._table.search(vector, vector_column_name="embedding")
                .distance_type("cosine")
                .where(f"key >= {keys.start} AND key < {keys.stop}{some}", prefilter=True)
                .select(["key", "_distance"])
                .limit(limit)
                .nprobes(_PROBES)
                .refine_factor(_REFINED)
            )
            with mapped(self._place):
                near = query.to_arrow()
            found += zip(near["_distance"].to_pylist(), near["key"].to_pylist(), strict=True)
        found.sort()
        return [Match(key, 1.0 - distance) for distance, key in found[:limit]]

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        if self._table is None:
            return {}
        return self._read_files() if self._held is None else self._held.files(self._read_files)

    def _read_files(self) -> Mapping[int, FileState]:
        with mapped(self._place):
            found = read(self._table, "key < 0", ["file", "path", "source", "digest", "facts"])
            return {row["file"]: rows.read_file_row(row) for row in found.to_pylist()}

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        if self._table is None or not self._can_compare(vector) or not chunk_keys:
            return {}
        if self._held is not None and self._held.state.dims is not None:
            return self._held.similarities(vector, chunk_keys)
        return {
            row["key"]: float(np.dot(np.array(row["embedding"], np.float32), vector))
            for row in self._rows(chunk_keys, ["key", "embedding"])
            if row["embedding"] is not None
        }

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        if not self._can_compare(vector):
            return 0.0
        if self._figures is not None:
            return float(self._figures.middles[source] @ vector)
        if self._held is None:
            return 0.0
        if self._held.state.dims is not None:
            return self._held.background(vector, source)
        span, keys = source_keys(source), self._held.keys
        first = np.unique(keys[(keys >= span.start) & (keys < span.stop)] // FILE_SPAN) * FILE_SPAN
        near = self.similarities(vector, first[:: max(1, len(first) // _SAMPLE)].tolist()).values()
        return sum(near) / len(near) if near else 0.0

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        if self._figures is not None:
            return {key: self._chunk_of[key] for key in passage_keys}
        return {} if self._held is None else self._held.chunk_keys(passage_keys)

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        numbers = {-(key // FILE_SPAN) for key in chunk_keys}
        found = self._rows([*sorted(numbers), *chunk_keys], [*rows.CHUNK_COLUMNS, "facts"])
        dates: dict[str, datetime.date | None] = {
            row["path"]: rows.read_file_row(row).date for row in found if row["key"] < 0
        }
        return {
            row["key"]: rows.read_chunk_row(row, dates.get(row["path"]))
            for row in found
            if row["key"] >= 0
        }

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        if self._dims is None or self._table is None:
            return [], np.empty((0, 1), np.float32)
        keys = self._keys() if self._held is None else self._held.keys
        some = self._rows(keys[:: max(1, -(-len(keys) // limit))].tolist(), ["key", "embedding"])
        found = sorted((row for row in some if row["embedding"]), key=lambda row: int(row["key"]))
        return [row["key"] for row in found], np.array(
            [row["embedding"] for row in found], np.float32
        ).reshape(len(found), self._dims)

    def _keys(self) -> NDArray[np.int64]:
        with mapped(self._place):
            keys: NDArray[np.int64] = np.sort(
                read(self._table, "key >= 0", ["key"])["key"].to_numpy()
            )
        return keys

    def _can_compare(self, vector: Vector) -> bool:
        return self._dims == vector.size

    def _rows(self, keys: Sequence[int], columns: list[str]) -> list[dict[str, Any]]:
        if self._table is None or not len(keys):
            return []
        with mapped(self._place):
            return by_key(self._table, keys, columns)
