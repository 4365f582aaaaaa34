"""The LanceDB store: tables of a database in a folder or in object storage."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memdown.errors import IndexCorrupt, StoreError
from memdown.failpoints import reach
from memdown.stores.lancedb import cache, rows
from memdown.stores.lancedb.connection import KEPT_FOR, connect, mapped, opened
from memdown.stores.lancedb.matrix import Matrix
from memdown.stores.lancedb.pointer import (
    PREFIX,
    Pointer,
    next_generation,
    read_pointer,
    unused_tables,
    write_pointer,
)
from memdown.stores.lancedb.snapshot import LanceSnapshot
from memdown.stores.lancedb.terms import ChunkTerms, Terms, Vocabulary, parse
from memdown.stores.sqlite import lock
from memdown.stores.sqlite.keys import file_ids, file_keys
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    ModelKey,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)

_ALL = (1 << 31) - 1
_MANY = 2_000
# Every write makes a small file; so many are put together.
_COMPACT_AFTER = 100
_BATCH_ROWS = 2_000


def create(
    path: Path,
    *,
    url: str | None = None,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
) -> LanceStore:
    """A store in the folder `path`, or at an address such as `s3://bucket/memory`."""
    return LanceStore(path, url, vector_enabled, cache_entries)


class LanceStore:
    """One index. Many processes may read while one writes."""

    def __init__(
        self, path: Path, url: str | None, vector_enabled: bool, cache_entries: int
    ) -> None:
        self._path = path
        self._place = url or str(path)
        self._is_local = url is None
        self._cache_entries = cache_entries
        self._vector_error = None if vector_enabled else "turned off in the settings"
        self._db: Any = None
        self._lock = threading.RLock()
        self._vocabulary = Vocabulary()
        self._chunk_terms: dict[int, ChunkTerms] = {}
        self._terms: tuple[object, Terms] | None = None
        self._matrix: tuple[object, Matrix] | None = None
        self._keys: tuple[object, NDArray[np.int64]] | None = None
        self._known_files: tuple[object, dict[str, tuple[int, FileState]]] | None = None
        self._closed = False

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            return pointer.fingerprint if pointer else None

    def files(self) -> dict[str, FileState]:
        """Every indexed file."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            if pointer is None:
                return {}
            return {path: state for path, (_, state) in self._files(db, pointer.table).items()}

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        with self._using() as db:
            if not self._cache_entries or not digests or db is None:
                return {}
            return cache.read(db, key, digests)

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if self._cache_entries and digests:
            with self._using(make=True) as db:
                cache.write(db, key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk]) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            if pointer is None or path not in self._files(db, pointer.table):
                return 0
            number = self._files(db, pointer.table)[path][0]
            stored = self._chunks_of(db.open_table(pointer.table), number, ["key", "id"])
            same = 0
            for row, chunk in zip(stored, chunks, strict=False):
                if row["id"] != chunk.id:
                    break
                same += 1
            return same

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file in one step; its first `keep` chunks are there already."""
        self._write(file, chunks, vectors, keep, None)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            return self._last_chunk(db, pointer.table, path) if pointer else None

    def extend(
        self, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
    ) -> None:
        """Store a file that grew, in one step: rows from number `key` on are replaced."""
        self._write(file, chunks, vectors, 0, key)

    def touch(self, file: FileState) -> None:
        """Keep the rows of a file whose content is the same, with its new facts."""
        with self._using(make=True) as db:
            pointer = self._live(db)
            self._put(db, pointer.table, file, [], None, None)

    def remove(self, paths: Sequence[str]) -> None:
        """Forget files."""
        with self._using(make=True) as db:
            pointer = self._live(db)
            known = self._files(db, pointer.table)
            numbers = [known[path][0] for path in paths if path in known]
            if numbers:
                db.open_table(pointer.table).delete(f"file IN ({', '.join(map(str, numbers))})")
                reach("index.removing")

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        with self._using(make=True) as db:
            pointer = read_pointer(db)
            if pointer is None:
                pointer = Pointer(next_generation(db), fingerprint)
            write_pointer(db, pointer.made_with(fingerprint))

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        with self._using(make=True) as db:
            self._clear_leftovers(db)
            number = next_generation(db)
        reach("rebuild.begun")
        target = Rebuild(self, f"{PREFIX}{number}", fingerprint)
        try:
            yield target
            target.flush()
            reach("rebuild.before_flip")
            with self._using(make=True) as db:
                old = read_pointer(db)
                made = target.fingerprint
                write_pointer(db, old.moved(number, made) if old else Pointer(number, made))
        except BaseException:
            with contextlib.suppress(StoreError), self._using(make=True) as db:
                db.drop_table(f"{PREFIX}{number}", ignore_missing=True)
            raise
        reach("rebuild.after_flip")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[LanceSnapshot]:
        """One unchanging view for one search: one version of the live table."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            if pointer is None:
                raise StoreError(f"There is no index at {self._place} yet: run `memdown index`.")
            table = opened(db, pointer.table)
            if table is not None:
                table.checkout(table.version)
        dims = pointer.fingerprint.dims if self._vector_error is None else None
        yield LanceSnapshot(self, self._place, pointer.table, table, dims)

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer on this machine; False when another still is after `timeout`."""
        with lock.exclusive(self._path.with_name(self._path.name + ".lock"), timeout) as acquired:
            if acquired:
                with self._using(make=True) as db:
                    self._clear_leftovers(db)
            yield acquired
            if acquired:
                with self._using() as db:
                    self._compact(db)

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            files: dict[Any, int] = {}
            chunks: dict[Any, int] = {}
            table = opened(db, pointer.table) if pointer is not None else None
            if table is not None:
                for row in _read(table, "", ["key", "source"]):
                    counts = files if row["key"] < 0 else chunks
                    counts[row["source"]] = counts.get(row["source"], 0) + 1
            return StoreStatus(
                files=files,
                chunks=chunks,
                cache_entries=cache.count(db) if db is not None else 0,
                fts_available=True,
                fts_error=None,
                vector_available=self._vector_error is None,
                vector_error=self._vector_error,
                dims=pointer.fingerprint.dims if pointer else None,
                location=self._place,
                size_bytes=self._size(),
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._using() as db:
            return db is not None and bool(unused_tables(db, read_pointer(db)))

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._using() as db:
            pointer = read_pointer(db) if db is not None else None
            table = opened(db, pointer.table) if pointer is not None else None
            if table is None:
                return []
            wrong = []
            for row in _read(table, "key >= 0", rows.CHUNK_COLUMNS):
                try:
                    rows.read_chunk_row(row, None)
                except IndexCorrupt as error:
                    wrong.append(str(error))
            return wrong

    def set_aside(self) -> str | None:
        """Move a damaged index away, so that a new one can be made; the cache goes with it."""
        with self._lock, lock.exclusive(self._path.with_name(self._path.name + ".lock"), 60.0):
            self._db = self._terms = self._matrix = self._keys = self._known_files = None
            self._chunk_terms = {}
            if not self._is_local:
                with mapped(self._place):
                    connect(self._place).drop_all_tables()
                return f"deleted from {self._place}"
            if not self._path.exists():
                return None
            number = 1
            while (aside := self._path.with_name(f"{self._path.name}.damaged-{number}")).exists():
                number += 1
            self._path.rename(aside)
            return str(aside)

    def close(self) -> None:
        """Let go of everything; a closed store cannot be used again."""
        with self._lock:
            self._closed = True
            self._db = self._terms = self._matrix = self._keys = self._known_files = None
            self._chunk_terms = {}

    def matrix(self, name: str, table: Any, dims: int) -> Matrix:
        """All numbers of chunks and their vectors in one version of a table, in memory."""
        with self._lock:
            state = (name, table.version)
            if self._matrix is None or self._matrix[0] != state:
                columns = ["key", "embedding"] if "embedding" in table.schema.names else ["key"]
                where = "embedding IS NOT NULL" if len(columns) > 1 else "key < 0 AND key > 0"
                found = table.search().where(where).select(columns).limit(_ALL).to_arrow()
                keys = found["key"].to_numpy()
                order = np.argsort(keys, kind="stable")
                vectors = np.empty((0, dims), np.float32)
                if len(keys):
                    flat = found["embedding"].combine_chunks().flatten().to_numpy()
                    vectors = flat.reshape(len(keys), dims)[order]
                self._matrix = (state, Matrix(table.version, keys[order], vectors))
            return self._matrix[1]

    def keys(self, name: str, table: Any) -> NDArray[np.int64]:
        """The numbers of all chunks in one version of a table, in order."""
        with self._lock:
            state = (name, table.version)
            if self._keys is None or self._keys[0] != state:
                found = table.search().where("key >= 0").select(["key"]).limit(_ALL).to_arrow()
                self._keys = (state, np.sort(found["key"].to_numpy()))
            return self._keys[1]

    def terms(self, name: str, table: Any) -> Terms:
        """All terms of one version of a table; only what changed since the last one is read."""
        with self._lock:
            state = (name, table.version)
            if self._terms is not None and self._terms[0] == state:
                return self._terms[1]
            stamps = {
                row["key"]: row["stamp"] for row in _read(table, "key >= 0", ["key", "stamp"])
            }
            known = {
                key: one for key, one in self._chunk_terms.items() if stamps.get(key) == one.stamp
            }
            new = [key for key in stamps if key not in known]
            for row in _by_key(table, new, ["key", "stamp", "terms"]):
                known[row["key"]] = parse(row["terms"], row["stamp"], self._vocabulary)
            self._chunk_terms = known
            made = Terms(known, self._vocabulary)
            self._terms = (state, made)
            return made

    def _write(
        self,
        file: FileState,
        chunks: Sequence[Chunk],
        vectors: Vectors | None,
        keep: int,
        key: int | None,
    ) -> None:
        with self._using(make=True) as db:
            pointer = self._live(db)
            if key is None:
                number = self._number(db, pointer.table, file)
                key = file_keys(number).start
                key += sum(len(chunk.passages) for chunk in chunks[:keep])
            self._put(db, pointer.table, file, chunks[keep:], vectors, key)
            made = pointer.fingerprint
            if made.dims is None and vectors is not None and len(vectors):
                found = with_changes(made, dims=vectors.shape[1])
                write_pointer(db, pointer.made_with(found))
            reach("index.file")

    def _put(
        self,
        db: Any,
        name: str,
        file: FileState,
        chunks: Sequence[Chunk],
        vectors: Vectors | None,
        key: int | None,
    ) -> None:
        """A file's facts and, from number `key` on, its chunks, in one commit."""
        number = self._number(db, name, file)
        stamp = random.getrandbits(62)
        new = [rows.file_row(number, file, stamp)]
        if key is not None:
            new += rows.chunk_rows(number, key, chunks, vectors, stamp)
        dims = vectors.shape[1] if vectors is not None and vectors.ndim == 2 else None
        table = _table_for(db, name, dims)
        merge = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        if key is not None:
            merge = merge.when_not_matched_by_source_delete(f"file = {number} AND key >= {key}")
        # A file has no vector, which is no mistake.
        merge.execute(rows.as_table(new, table.schema), on_bad_vectors="null")

    def _number(self, db: Any, name: str, file: FileState) -> int:
        known = self._files(db, name)
        if file.path in known:
            return known[file.path][0]
        ids = file_ids(file.source)
        return max((n + 1 for n, _ in known.values() if n in ids), default=ids.start)

    def _files(self, db: Any, name: str) -> dict[str, tuple[int, FileState]]:
        table = opened(db, name)
        if table is None:
            return {}
        state = (name, table.version)
        known = self._known_files
        if known is None or known[0] != state:
            wanted = ["key", "path", "source", "digest", "facts"]
            found = {
                row["path"]: (-row["key"], rows.read_file_row(row))
                for row in _read(table, "key < 0", wanted)
            }
            known = self._known_files = (state, found)
        return known[1]

    def _chunks_of(self, table: Any, number: int, columns: list[str]) -> list[dict[str, Any]]:
        found = _read(table, f"file = {number} AND key >= 0", columns)
        return sorted(found, key=lambda row: int(row["key"]))

    def _last_chunk(self, db: Any, name: str, path: str) -> StoredChunk | None:
        known = self._files(db, name)
        if path not in known:
            return None
        number, state = known[path]
        table = db.open_table(name)
        keys = [row["key"] for row in self._chunks_of(table, number, ["key"])]
        if not keys:
            return None
        (row,) = _read(table, f"key = {keys[-1]}", rows.CHUNK_COLUMNS)
        return rows.read_chunk_row(row, state.date)

    def _live(self, db: Any) -> Pointer:
        pointer = read_pointer(db)
        if pointer is None:
            raise StoreError(f"There is no index at {self._place} yet: run `memdown index`.")
        return pointer

    @contextlib.contextmanager
    def _using(self, *, make: bool = False) -> Iterator[Any]:
        """The database; None while there is none, unless it is to be made."""
        with self._lock, mapped(self._place):
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            if self._is_local and not self._path.exists():
                self._db = None
                if not make:
                    yield None
                    return
                self._path.mkdir(mode=0o700, parents=True)
            if self._db is None:
                self._db = connect(self._place)
            yield self._db

    def _clear_leftovers(self, db: Any) -> None:
        for name in unused_tables(db, read_pointer(db)):
            db.drop_table(name, ignore_missing=True)

    def _compact(self, db: Any) -> None:
        pointer = read_pointer(db) if db is not None else None
        for name in [cache.NAME, *([pointer.table] if pointer else [])]:
            table = opened(db, name) if db is not None else None
            if table is None:
                continue
            if table.stats()["fragment_stats"]["num_small_fragments"] > _COMPACT_AFTER:
                table.optimize(cleanup_older_than=KEPT_FOR)

    def _size(self) -> int:
        if not self._is_local or not self._path.exists():
            return 0
        return sum(file.stat().st_size for file in self._path.rglob("*") if file.is_file())


class Rebuild:
    """The writer of the table that is being made; rows are collected and added many at once."""

    def __init__(self, store: LanceStore, name: str, fingerprint: Fingerprint) -> None:
        self._store = store
        self._name = name
        self._waiting: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}
        self.fingerprint = fingerprint

    def stored_prefix(self, path: str, chunks: Sequence[Chunk]) -> int:  # noqa: ARG002
        """Nothing is stored yet."""
        return 0

    def replace(
        self,
        file: FileState,
        chunks: Sequence[Chunk],
        vectors: Vectors | None,
        keep: int = 0,  # noqa: ARG002
    ) -> None:
        """Store a file."""
        self._note_dims(vectors)
        ids = file_ids(file.source)
        number = max((n + 1 for n in self._numbers.values() if n in ids), default=ids.start)
        self._numbers[file.path] = number
        stamp = random.getrandbits(62)
        self._waiting.append(rows.file_row(number, file, stamp))
        first = file_keys(number).start
        self._waiting += rows.chunk_rows(number, first, chunks, vectors, stamp)
        reach("rebuild.file")
        if len(self._waiting) >= _BATCH_ROWS:
            self.flush()

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk among those written so far."""
        self.flush()
        with self._store._using(make=True) as db:
            return self._store._last_chunk(db, self._name, path)

    def extend(
        self, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
    ) -> None:
        """Store more of a file."""
        self._note_dims(vectors)
        self.flush()
        with self._store._using(make=True) as db:
            self._store._put(db, self._name, file, chunks, vectors, key)

    def touch(self, file: FileState) -> None:
        """Note the new facts of a file that is written already."""
        self.flush()
        with self._store._using(make=True) as db:
            self._store._put(db, self._name, file, [], None, None)

    def remove(self, paths: Sequence[str]) -> None:
        """Not needed: what is gone is never written."""

    def flush(self) -> None:
        """Write what was collected."""
        with self._store._using(make=True) as db:
            table = _table_for(db, self._name, self.fingerprint.dims)
            if self._waiting:
                table.add(rows.as_table(self._waiting, table.schema), on_bad_vectors="null")
                self._waiting = []

    def _note_dims(self, vectors: Vectors | None) -> None:
        if vectors is not None and len(vectors):
            self.fingerprint = with_changes(self.fingerprint, dims=vectors.shape[1])


def _table_for(db: Any, name: str, dims: int | None) -> Any:
    """The table, with a column for vectors of this length."""
    table = opened(db, name)
    if table is None:
        return db.create_table(name, schema=rows.schema_for(dims))
    if dims is not None and "embedding" not in table.schema.names:
        table.add_columns(rows.schema_for(dims).field("embedding"))
        table.checkout_latest()
    return table


def _read(table: Any, where: str, columns: list[str]) -> list[dict[str, Any]]:
    query = table.search().select(columns).limit(_ALL)
    found: list[dict[str, Any]] = (query.where(where) if where else query).to_arrow().to_pylist()
    return found


def _by_key(table: Any, keys: Sequence[int], columns: list[str]) -> list[dict[str, Any]]:
    """Rows by their numbers; when they are many, all are read and the rest is left out."""
    if len(keys) > _MANY:
        wanted = set(keys)
        return [row for row in _read(table, "key >= 0", columns) if row["key"] in wanted]
    if not keys:
        return []
    return _read(table, f"key IN ({', '.join(map(str, keys))})", columns)
