"""One search's view of an index: from the copy in memory where that is at hand, else by SQL."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import psycopg

from memdown.index.mirror import Mirror, View
from memdown.index.postgres import keywords, tables, vectors
from memdown.index.postgres.reading import PostgresOrigin
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
    """One search's view: a read transaction on a connection of its own."""

    def __init__(self, server: str, mirror: Mirror, origin: PostgresOrigin) -> None:
        self._server = server
        self.origin = origin
        self._place = origin.place
        self._dims = origin.state.dims
        self._mirror = mirror
        self._looked = False
        self._found: View | None = None
        self._indexed: bool | None = None

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword."""
        view = self._view()
        return keywords.match(self._place, query) if view is None else view.match_text(query)

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
        view = self._view()
        if view is not None:
            return view.match_vector(vector, sources, limit, files)
        try:
            with self._place.db.transaction():
                if self._indexed is None:
                    self._indexed = vectors.has_index(self._place, vector.size)
                return vectors.match(
                    self._place, vector, sources, limit, files, indexed=self._indexed
                )
        except (psycopg.errors.QueryCanceled, psycopg.errors.InternalError_) as error:
            # This search goes on with keywords alone.
            log.warning("Vectors could not be compared on %s: %s", self._server, error)
            return []

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        view = self._view()
        if view is None:
            return tables.read_numbered(self._place)
        return view.files(lambda: tables.read_numbered(self._place))

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        if not self._can_compare(vector) or not chunk_keys:
            return {}
        view = self._view()
        if view is not None:
            return view.similarities(vector, chunk_keys)
        return vectors.similarities(self._place, vector, chunk_keys)

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        view = self._view()
        if view is not None and self._can_compare(vector):
            return view.background(vector, source)
        near = self.similarities(vector, tables.sample_keys(self._place, source)).values()
        return sum(near) / len(near) if near else 0.0

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        view = self._view()
        if view is not None:
            return view.chunk_keys(passage_keys)
        return tables.chunk_keys(self._place, passage_keys)

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        return tables.load_chunks(self._place, chunk_keys)

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        return vectors.read_some(self._place, limit)

    def _can_compare(self, vector: Vector) -> bool:
        return self._dims == vector.size

    def _view(self) -> View | None:
        """The copy in memory; None if it is not at hand for what this search sees."""
        if not self._looked:
            self._looked = True
            self._found = self._mirror.view(self.origin)
        return self._found
