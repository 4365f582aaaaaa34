"""One search's view of an index: from memory where that is at hand, else by SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

from memdown.index.postings import units_of
from memdown.index.similarity import cosines
from memdown.index.sqlite import keywords, tables, vectors
from memdown.index.sqlite.connection import mapped
from memdown.index.sqlite.held import Held, State
from memdown.index.sqlite.held import Vectors as HeldVectors
from memdown.index.sqlite.keys import source_keys
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


class SqliteSnapshot:
    """A read transaction on a connection of its own."""

    def __init__(self, db: apsw.Connection, path: Path, held: Held, state: State) -> None:
        self._db = db
        self._path = path
        self._state = state
        # Few passages are read for the first search already: FTS5 cannot tell which words are rare.
        with mapped(path):
            self._few = state.has_words and keywords.are_few(db)
        self._held = held if held.is_held(state) or self._few else None

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword; none where this SQLite has no FTS5."""
        units = units_of(query)
        if not self._state.has_words or not units:
            return TextMatches((), 0.0)
        with mapped(self._path):
            ready = self._held.postings(self._db, self._state, units) if self._held else None
            if ready is None and self._few:
                ready = Held().postings(self._db, self._state, units)
            if ready is None:
                return keywords.match(self._db, query)
            return ready.match(query, [source_keys(source) for source in query.sources])

    def match_vector(
        self,
        vector: Vector,
        sources: Sequence[Source],
        limit: int,
        files: frozenset[int] | None = None,
    ) -> list[Match]:
        """The nearest chunks; with `files`, of these files only."""
        if not self._state.dims:
            return []
        with mapped(self._path):
            held = self._vectors()
            if held is None:
                return vectors.match(self._db, vector, sources, limit, files)
            if len(sources) == 1:
                return held[sources[0]].nearest.match(vector, limit, files)
            found = [
                one
                for source in sources
                for one in held[source].nearest.match(vector, limit, files)
            ]
            return sorted(found, key=lambda one: (-one.score, one.key))[:limit]

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        with mapped(self._path):
            if self._held is None:
                return tables.read_numbered(self._db)
            return self._held.files(self._db, self._state)

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        if not self._state.dims:
            return {}
        with mapped(self._path):
            held = self._vectors()
            if held is not None:
                near = [one.nearest.similarities(vector, chunk_keys) for one in held.values()]
                return {key: score for some in near for key, score in some.items()}
            found, rows = vectors.fetch(self._db, vector.size, chunk_keys)
            return dict(zip(found, cosines(rows, vector).tolist(), strict=True))

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        with mapped(self._path):
            held = self._vectors()
            if held is not None:
                return float(held[source].middle @ vector)
            near = self.similarities(vector, tables.sample_keys(self._db, source)).values()
            return sum(near) / len(near) if near else 0.0

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        with mapped(self._path):
            found = None
            if self._held is not None:
                found = self._held.chunk_keys(self._db, self._state, passage_keys)
            return tables.chunk_keys(self._db, passage_keys) if found is None else found

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        with mapped(self._path):
            if self._held is None:
                return tables.load_chunks(self._db, chunk_keys)
            return self._held.chunks(self._db, self._state, chunk_keys)

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        with mapped(self._path):
            keys, rows = vectors.read_all(self._db, self._state.dims or 1)
            step = max(1, -(-len(keys) // limit))
            return keys[::step].tolist(), rows[::step]

    def _vectors(self) -> dict[Source, HeldVectors] | None:
        """All vectors in memory; None where that is not at hand."""
        if self._held is None or not self._state.dims:
            return None
        return self._held.vectors(self._db, self._state)
