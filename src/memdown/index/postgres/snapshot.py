"""One search's view of an index: a few hundred candidates from the server's own tables."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

import psycopg

from memdown.index.postgres import keywords, tables, vectors
from memdown.index.postgres.tables import Live
from memdown.types import (
    FileState,
    Match,
    Source,
    StoredChunk,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)

log = logging.getLogger("memdown")


class PostgresSnapshot:
    """One search's view: a read transaction on a connection of its own.

    `middle` gives the mean vector of a source, which changes little from one search to the next.
    """

    def __init__(
        self, server: str, live: Live, dims: int | None, middle: Callable[[Live, Source], Vector]
    ) -> None:
        self._server = server
        self._live = live
        self._place = live.place
        self._dims = dims
        self._middle = middle

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword."""
        return keywords.match(self._place, query, self._live.totals)

    def match_vector(
        self,
        vector: Vector,
        sources: Sequence[Source],
        limit: int,
        files: frozenset[int] | None = None,
    ) -> list[Match]:
        """The nearest chunks; none if the server cannot compare vectors now."""
        if not self._can_compare(vector):
            return []
        try:
            with self._place.db.transaction():
                return vectors.match(
                    self._place, vector, sources, limit, files, chunks=self._live.chunks
                )
        except (psycopg.errors.QueryCanceled, psycopg.errors.InternalError_) as error:
            # This search goes on with keywords alone.
            log.warning("Vectors could not be compared on %s: %s", self._server, error)
            return []

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return tables.read_numbered(self._place)

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        if not self._can_compare(vector) or not chunk_keys:
            return {}
        return vectors.similarities(self._place, vector, chunk_keys)

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        if not self._can_compare(vector):
            return 0.0
        return float(self._middle(self._live, source) @ vector)

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        return keywords.chunk_keys(self._place, passage_keys) if passage_keys else {}

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        return tables.load_chunks(self._place, chunk_keys) if chunk_keys else {}

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        return vectors.sample(self._place, limit)

    def _can_compare(self, vector: Vector) -> bool:
        return self._dims == vector.size
