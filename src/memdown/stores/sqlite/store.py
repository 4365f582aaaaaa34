"""The SQLite store: connections, the writer, rebuilds and snapshots."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes
from pathlib import Path

import apsw

from memdown.errors import StoreError
from memdown.stores.sqlite import cache, generations, keywords, lock, schema, tables, vectors
from memdown.stores.sqlite.connection import connect, mapped, run, transaction
from memdown.stores.sqlite.schema import LIVE, NEXT
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    Match,
    ModelKey,
    Source,
    StoredChunk,
    StoreStatus,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)


def create(
    path: Path,
    *,
    vector_enabled: bool = True,
    extension_path: str | None = None,
    cache_entries: int = 50_000,
) -> SqliteStore:
    """A store in the given file, which is made on the first write."""
    return SqliteStore(path, vector_enabled, extension_path, cache_entries)


class SqliteStore:
    """One index file. Many threads and processes may read while one writes."""

    def __init__(
        self,
        path: Path,
        vector_enabled: bool = True,
        extension_path: str | None = None,
        cache_entries: int = 50_000,
    ) -> None:
        self._path = path
        self._vector_enabled = vector_enabled
        self._extension_path = extension_path
        self._cache_entries = cache_entries
        self._vector_error: str | None = None if vector_enabled else "turned off in the settings"
        self._fts_error: str | None = None
        self._readers: list[apsw.Connection] = []
        self._writer: apsw.Connection | None = None
        self._writer_lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._matrix: vectors.Matrix | None = None
        self._closed = False

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._reading() as db:
            return None if db is None else tables.read_fingerprint(db)

    def files(self) -> dict[str, FileState]:
        """Every indexed file."""
        with self._reading() as db:
            return {} if db is None else tables.read_files(db)

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        if not self._cache_entries or not digests:
            return {}
        with self._writing_to() as db:
            found = cache.read(db, key, digests)
            if found:
                with transaction(db):
                    cache.touch(db, key, list(found))
            return found

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if not self._cache_entries or not digests:
            return
        with self._writing_to() as db, transaction(db):
            cache.write(db, key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk]) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._reading() as db:
            return 0 if db is None else tables.stored_prefix(db, LIVE, path, chunks)

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file in one transaction; its first `keep` chunks are there already."""
        self._replace(LIVE, file, chunks, vectors, keep)

    def touch(self, file: FileState) -> None:
        """Keep the rows of a file whose content is the same, with its new facts."""
        with self._writing_to() as db, transaction(db):
            tables.touch_file(db, LIVE, file)

    def remove(self, paths: Sequence[str]) -> None:
        """Forget files."""
        with self._writing_to() as db:
            with_fts, with_vec = self._abilities(db, LIVE)
            for path in paths:
                with transaction(db):
                    tables.remove_file(db, LIVE, path, with_fts=with_fts, with_vec=with_vec)
                    tables.next_revision(db)

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        with self._writing_to() as db, transaction(db):
            tables.write_fingerprint(db, fingerprint)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        with self._writing_to() as db:
            generations.begin(db)
            target = Rebuild(self, fingerprint)
            try:
                yield target
                generations.publish(db, target.fingerprint)
            except BaseException:
                # A full disk may refuse this too; the next writer clears what is left.
                with contextlib.suppress(apsw.Error):
                    generations.clear_leftovers(db)
                raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[SqliteSnapshot]:
        """One unchanging view for one search."""
        with self._reading() as db:
            if db is None:
                raise StoreError(f"There is no index at {self._path} yet: run `memdown index`.")
            run(db, "BEGIN")
            try:
                yield SqliteSnapshot(db, self)
            finally:
                run(db, "ROLLBACK")

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer among all processes; False when another still is after `timeout`."""
        lock_file = self._path.with_name(self._path.name + ".lock")
        with contextlib.ExitStack() as held:
            with mapped(self._path):
                acquired = held.enter_context(lock.exclusive(lock_file, timeout))
            if acquired:
                with self._writing_to() as db:
                    generations.clear_leftovers(db)
            yield acquired

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._reading() as db:
            fingerprint = None if db is None else tables.read_fingerprint(db)
            return StoreStatus(
                files={} if db is None else tables.count_by_source(db, "files"),
                chunks={} if db is None else tables.count_by_source(db, "chunks"),
                cache_entries=0 if db is None else cache.count(db),
                fts_available=self._fts_error is None,
                fts_error=self._fts_error,
                vector_available=self._vector_error is None,
                vector_error=self._vector_error,
                dims=fingerprint.dims if fingerprint else None,
                location=str(self._path),
                size_bytes=sum(file.stat().st_size for file in self._files_on_disk()),
            )

    def set_aside(self) -> str:
        """Move a damaged index and its side files away together, so that a new one can be made."""
        self.close()
        self._closed = False
        number = 1
        while (aside := self._path.with_name(f"{self._path.name}.damaged-{number}")).exists():
            number += 1
        for file in self._files_on_disk():
            file.rename(aside.with_name(aside.name + file.name.removeprefix(self._path.name)))
        return str(aside)

    def close(self) -> None:
        """Close every connection; a closed store cannot be used again."""
        with self._writer_lock, self._pool_lock:
            self._closed = True
            for db in (*self._readers, *([self._writer] if self._writer else [])):
                db.close()
            self._readers.clear()
            self._writer = None
            self._matrix = None

    def matrix(self, db: apsw.Connection) -> vectors.Matrix:
        """All vectors in memory, read anew when the index changed."""
        revision = tables.read_revision(db)
        matrix = self._matrix
        if matrix is None or matrix.revision != revision:
            fingerprint = tables.read_fingerprint(db)
            dims = (fingerprint.dims if fingerprint else None) or 1
            matrix = vectors.read_matrix(db, revision, dims, schema.table_names(db))
            self._matrix = matrix
        return matrix

    def has_vector_table(self, db: apsw.Connection) -> bool:
        """Whether searching by `vec0` sees every vector."""
        return self._abilities(db, LIVE)[1]

    def has_keywords(self, db: apsw.Connection) -> bool:
        """Whether there is a full-text table to search."""
        return self._abilities(db, LIVE)[0]

    def _replace(
        self,
        prefix: str,
        file: FileState,
        chunks: Sequence[Chunk],
        rows: Vectors | None,
        keep: int,
    ) -> Fingerprint | None:
        with self._writing_to() as db, transaction(db):
            fingerprint = tables.read_fingerprint(db)
            if rows is not None and len(rows) and self._vector_error is None:
                vectors.create(db, prefix, rows.shape[1])
            with_fts, with_vec = self._abilities(db, prefix)
            model = fingerprint.key.model if fingerprint else ""
            tables.replace_file(
                db,
                prefix,
                file,
                chunks,
                rows,
                keep,
                model=model,
                with_fts=with_fts,
                with_vec=with_vec,
            )
            if prefix == LIVE:
                if fingerprint and fingerprint.dims is None and rows is not None and len(rows):
                    tables.write_fingerprint(db, with_changes(fingerprint, dims=rows.shape[1]))
                tables.next_revision(db)
            return fingerprint

    def _abilities(self, db: apsw.Connection, prefix: str) -> tuple[bool, bool]:
        names = schema.table_names(db)
        return (
            self._fts_error is None and f"{prefix}chunks_fts" in names,
            self._vector_error is None and f"{prefix}chunks_vec" in names,
        )

    @contextlib.contextmanager
    def _writing_to(self) -> Iterator[apsw.Connection]:
        with self._writer_lock, mapped(self._path):
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            if self._writer is None:
                db = connect(self._path)
                try:
                    self._equip(db)
                    schema.migrate(db, self._path)
                except BaseException:
                    db.close()
                    raise
                self._writer = db
            yield self._writer

    @contextlib.contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        """A connection of its own for the block; None while there is no index."""
        with mapped(self._path):
            db = self._take_reader()
            try:
                yield db
            finally:
                if db is not None:
                    with self._pool_lock:
                        if self._closed:
                            db.close()
                        else:
                            self._readers.append(db)

    def _take_reader(self) -> apsw.Connection | None:
        with self._pool_lock:
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            if self._readers:
                return self._readers.pop()
        if not self._path.exists():
            return None
        db = connect(self._path, read_only=True)
        try:
            self._equip(db)
            schema.check_version(db, self._path)
            if schema.version(db) == 0:
                db.close()
                return None
        except BaseException:
            db.close()
            raise
        return db

    def _equip(self, db: apsw.Connection) -> None:
        if self._vector_enabled:
            self._vector_error = vectors.load_extension(db, self._extension_path)
        self._fts_error = schema.fts5_error(db)

    def _files_on_disk(self) -> list[Path]:
        names = [self._path.with_name(self._path.name + suffix) for suffix in ("", "-wal", "-shm")]
        return [file for file in names if file.exists()]


class Rebuild:
    """The writer of the generation that is being made."""

    def __init__(self, store: SqliteStore, fingerprint: Fingerprint) -> None:
        self._store = store
        self.fingerprint = fingerprint

    def stored_prefix(self, path: str, chunks: Sequence[Chunk]) -> int:  # noqa: ARG002
        """Nothing is stored yet."""
        return 0

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file in one transaction."""
        self._store._replace(NEXT, file, chunks, vectors, keep)
        if vectors is not None and len(vectors):
            self.fingerprint = with_changes(self.fingerprint, dims=vectors.shape[1])

    def touch(self, file: FileState) -> None:
        """Not needed: every file is written once."""

    def remove(self, paths: Sequence[str]) -> None:
        """Not needed: every file is written once."""


class SqliteSnapshot:
    """One search's view: a read transaction on a connection of its own."""

    def __init__(self, db: apsw.Connection, store: SqliteStore) -> None:
        self._db = db
        self._store = store

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword; none where this SQLite has no FTS5."""
        if not self._store.has_keywords(self._db):
            return TextMatches((), 0.0)
        with mapped(self._store._path):
            return keywords.match(self._db, query)

    def match_vector(self, vector: Vector, sources: Sequence[Source], limit: int) -> list[Match]:
        """The nearest chunks."""
        with mapped(self._store._path):
            if self._store.has_vector_table(self._db):
                return vectors.match(self._db, vector, sources, limit)
            return self._store.matrix(self._db).match(vector, sources, limit)

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        with mapped(self._store._path):
            if self._store.has_vector_table(self._db):
                found, rows = vectors.fetch(self._db, chunk_keys)
                return dict(zip(found, map(float, rows @ vector), strict=True)) if found else {}
            return self._store.matrix(self._db).similarities(vector, chunk_keys)

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        with mapped(self._store._path):
            return tables.chunk_keys(self._db, passage_keys)

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        with mapped(self._store._path):
            return tables.load_chunks(self._db, chunk_keys)
