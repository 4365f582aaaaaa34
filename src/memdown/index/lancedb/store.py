"""The LanceDB store: tables of a database in a folder or in object storage."""

from __future__ import annotations

import contextlib
import datetime
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from memdown.errors import IndexBusy, IndexCorrupt, StoreError
from memdown.files import locked, make_folder, reach
from memdown.index.lancedb import cache, rows
from memdown.index.lancedb.connection import (
    KEPT_FOR,
    LEASE,
    ONLY,
    POINTER,
    PREFIX,
    Lease,
    Pointer,
    connect,
    forget_variants,
    mapped,
    next_generation,
    opened,
    read_pointers,
    table_names,
    unused_tables,
    write_pointer,
)
from memdown.index.lancedb.reading import LanceSnapshot, ReadCache, by_key, make_indexes, read
from memdown.index.lancedb.rows import Batch, table_for
from memdown.index.manifest import Manifest, same_for_all, variant_of
from memdown.index.packing import file_ids, file_keys
from memdown.index.store import Rebuild, Writes, dims_of
from memdown.types import (
    FILE_SPAN,
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Source,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)

# Every write makes a small file and a version; after so many they are put together and cleared.
_COMPACT_AFTER = 20
_LOCK_SECONDS = 60.0
_AGENT_NAME = "{agentId}"
_AT_ONCE = datetime.timedelta(0)
# A variant that is used is noted as such once a day; one that was not for so many days is cleared.
_DAY, UNUSED_DAYS = 24 * 3600.0, 30
# How rows are laid out: another layout is another variant.
_LAYOUT = 1


def create(
    path: Path,
    *,
    url: str | None = None,
    agent: str = "main",
    host_file: Path | None = None,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
) -> LanceStore:
    """A store in the folder `path`, or in the agent's own folder at an address such as `s3://b/m`.

    `host_file` is where this host keeps what it knows of its own files; without one the index is taken
    to be of this host alone.
    """
    place = agent_url(url, agent) if url else None
    manifest = Manifest(host_file, place) if host_file and place else None
    return LanceStore(path, place, vector_enabled, cache_entries, manifest)


def agent_url(url: str, agent: str) -> str:
    """Where an agent's index lies: `{agentId}` in the address is replaced, else its name is added.

    Several agents are usually given one address, and must never share an index.
    """
    name = quote(agent, safe="")
    if _AGENT_NAME in url:
        return url.replace(_AGENT_NAME, name)
    return f"{url.rstrip('/')}/{name}"


class LanceStore:
    """One index. Many processes may read while one writes."""

    def __init__(
        self,
        path: Path,
        url: str | None,
        vector_enabled: bool,
        cache_entries: int,
        manifest: Manifest | None = None,
    ) -> None:
        self._manifest = manifest
        self._path = path
        self._place = url or str(path)
        self._is_local = url is None
        self._cache_entries = cache_entries
        self._vector_error = None if vector_enabled else "turned off in the settings"
        self._db: Any = None
        self._lock = threading.RLock()
        self._kept = ReadCache()
        self._open_pointer: Any = None
        self._open_table: Any = None
        self._open_version: Any = None
        self._known_files: tuple[object, dict[str, tuple[int, FileState]]] | None = None
        self._lease = None if self._is_local else Lease()
        self._batch: Batch | None = None
        self._is_writing = 0
        # While this is the one writer, nobody else changes the files: they are read once.
        self._own_files: tuple[str, dict[str, tuple[int, FileState]]] | None = None
        self._compacted: dict[str, int] = {}
        self._closed = False
        # Which of the indexes at an address this host uses: there is one for each way to make it.
        self._variant: str | None = ONLY if manifest is None else None

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._using() as db:
            pointer = self._pointer(db)
            return pointer.fingerprint if pointer else None

    def state(self) -> object:
        """What tells one state of the index from another: any change makes a new one."""
        with self._using() as db:
            pointer = self._pointer(db)
            table = None if pointer is None else self._latest(db, pointer.table)
            return None if table is None else (pointer, table.version)

    def files(self) -> dict[str, FileState]:
        """Every indexed file that this host has, with its facts on this host's disk."""
        with self._using() as db:
            self._flush(db)
            pointer = self._find(db)
            if pointer is None:
                return {}
            found = {path: state for path, (_, state) in self._files(db, pointer.table).items()}
        return found if self._manifest is None else self._manifest.seen(found)

    def is_settled(self, found: str) -> bool:
        """Whether this was noted last, and nothing was written since."""
        if self._manifest is None:
            return False
        noted = self._manifest.settled()
        return noted is not None and noted == (self._settled_state(), found)

    def settle(self, found: str) -> None:
        """Note that all files are indexed which a look at this host's disk has `found`."""
        if self._manifest is not None and (state := self._settled_state()):
            self._manifest.settle(state, found)

    def _settled_state(self) -> str:
        with self._using() as db:
            pointer = self._pointer(db)
            table = None if pointer is None else self._latest(db, pointer.table)
            return "" if table is None else f"{table.name} {table.version}"

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

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._using() as db:
            pointer = self._find(db)
            if pointer is None or path not in self._files(db, pointer.table):
                return 0
            number = self._files(db, pointer.table)[path][0]
            table = db.open_table(pointer.table)
            stored = self._chunks_of(table, number, ["key", "id"])
            vectors = self._with_vectors(table, number) if embedded else set()
            same = 0
            for row, chunk in zip(stored, chunks, strict=False):
                if row["id"] != chunk.id or (embedded and row["key"] not in vectors):
                    break
                same += 1
            return same

    def apply(self, writes: Writes) -> None:
        """Write files, one after the other; inside `writing` some of them in one step.

        What another host has stored just so is only noted for this one.
        """
        states = [*(file.state for file in writes.files), *writes.touched]
        if self._manifest is not None:
            self._manifest.claim([state.path for state in states])
        for file in writes.files:
            if self._manifest is None or not self._is_there(file):
                self._write(file, file.replaces)
        with self._using(make=True) as db:
            for state in writes.touched:
                self._put(db, self._live(db).table, IndexedFile(state, [], None), None)
        if self._manifest is not None:
            self._manifest.note(states)
        if writes.removed:
            self._remove(writes.removed)

    def _is_there(self, file: IndexedFile) -> bool:
        """Whether a file is stored as given."""
        with self._using(make=True) as db:
            known = self._files(db, self._live(db).table).get(file.state.path)
        if known is None or file.keep or file.replaces is not None or not file.state.digest:
            return False
        chunks, path = file.chunks, file.state.path
        embedded = file.vectors is not None
        return same_for_all(file.state, known[1]) and (
            self.stored_prefix(path, chunks, embedded=embedded) == len(chunks)
        )

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._using() as db:
            self._flush(db)
            pointer = self._find(db)
            return self._last_chunk(db, pointer.table, path) if pointer else None

    def _remove(self, paths: Sequence[str]) -> None:
        """Forget files that this host had; what it never had is not its to remove."""
        if self._manifest is not None:
            mine = self._manifest.facts()
            paths = [path for path in paths if path in mine]
        with self._using(make=True) as db:
            self._flush(db)
            pointer = self._live(db)
            known = self._files(db, pointer.table)
            numbers = [known[path][0] for path in paths if path in known]
            if numbers:
                self._keep_lease(db)
                self._own_files = None
                db.open_table(pointer.table).delete(f"file IN ({', '.join(map(str, numbers))})")
                reach("index.removing")
        if self._manifest is not None:
            self._manifest.forget(paths)

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        variant = self._variant_of(fingerprint)
        with self._using(make=True) as db:
            pointer = read_pointers(db).get(variant)
            if pointer is None:
                pointer = Pointer(next_generation(db), fingerprint)
            # Another host may have made it, in the same way.
            if self._manifest is None or not self._files(db, pointer.table):
                write_pointer(db, pointer.made_with(fingerprint), variant)
        self._choose(variant)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        variant = self._variant_of(fingerprint)
        with self._using(make=True) as db:
            self._clear_leftovers(db)
            number = next_generation(db)
        reach("rebuild.begun")
        made_table = _NewTable(self, f"{PREFIX}{number}")
        target = Rebuild(fingerprint, made_table.apply, made_table.last_chunk)
        try:
            yield target
            made_table.flush()
            with self._using(make=True) as db:
                self._take_over(read_pointers(db).get(variant), db, made_table, target)
            reach("rebuild.before_flip")
            with self._using(make=True) as db:
                new = opened(db, f"{PREFIX}{number}")
                if new is not None:
                    make_indexes(new)
                    self._keep_lease(db)
                old = read_pointers(db).get(variant)
                made = target.fingerprint
                if self._manifest is not None:
                    self._manifest.adopt(variant, target.noted.values())
                write_pointer(
                    db, old.moved(number, made) if old else Pointer(number, made), variant
                )
                self._choose(variant)
        except BaseException:
            with contextlib.suppress(StoreError), self._using(make=True) as db:
                db.drop_table(f"{PREFIX}{number}", ignore_missing=True)
            raise
        reach("rebuild.after_flip")

    def _take_over(
        self, old: Pointer | None, db: Any, made_table: _NewTable, target: Rebuild
    ) -> None:
        """Bring files that other hosts have, and this one never had, into the table that is made."""
        if self._manifest is None or old is None:
            return
        mine = self._manifest.facts()
        for path, (number, state) in self._files(db, old.table).items():
            if path not in mine and path not in target.noted:
                rows = read(db.open_table(old.table), f"file = {number}", [])
                made_table.copy(rows, number, state.source)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[LanceSnapshot]:
        """One unchanging view for one search: one version of the live table."""
        with self._using() as db:
            pointer = self._pointer(db)
            if pointer is None:
                raise StoreError(f"There is no index at {self._place} yet: run `memdown index`.")
            dims = pointer.fingerprint.dims if self._vector_error is None else None
            table = self._at_version(db, pointer.table)
        yield LanceSnapshot(self._place, table, dims, self._kept)

    def _at_version(self, db: Any, name: str) -> Any:
        """The newest version of a table, which stays what it is; None if nothing was written yet."""
        latest = self._latest(db, name)
        if latest is None:
            return None
        known = self._open_version
        if known is None or (known.name, known.version) != (name, latest.version):
            known = db.open_table(name)
            known.checkout(latest.version)
            self._open_version = known
        return known

    def _pointer(self, db: Any) -> Pointer | None:
        """Where the live index is; its table stays open, since every search asks."""
        if db is None:
            return None
        try:
            if self._open_pointer is not None:
                return self._find(db, self._open_pointer)
        except (OSError, RuntimeError, ValueError):
            # Another process has set the index aside.
            self._let_go()
        self._open_pointer = opened(db, POINTER)
        return None if self._open_pointer is None else self._find(db, self._open_pointer)

    def _find(self, db: Any, pointers: Any = None) -> Pointer | None:
        """Where this host's index is; before it has chosen one, the one written last."""
        every = {} if db is None else read_pointers(db, pointers)
        if self._variant is None and self._manifest is not None:
            self._variant = self._manifest.variant()
        if self._variant is not None:
            return every.get(self._variant)
        return max(every.values(), key=lambda one: one.written, default=None)

    def _variant_of(self, made: Fingerprint) -> str:
        return ONLY if self._manifest is None else variant_of(made, _LAYOUT)

    def _choose(self, variant: str) -> None:
        if self._manifest is not None:
            self._manifest.choose(variant)
        if self._variant != variant:
            self._variant = variant
            self._own_files = None

    def _latest(self, db: Any, name: str) -> Any:
        """A table that sees what others write; None if there is none."""
        if self._open_table is None or self._open_table.name != name:
            self._open_table = opened(db, name)
        return self._open_table

    def _let_go(self) -> None:
        self._open_pointer = self._open_table = self._open_version = self._known_files = None
        self._kept = ReadCache()

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer among all processes; False when another still is after `timeout`.

        What is written inside is collected and written a few files at a time.
        """
        with locked(self._path.with_name(self._path.name + ".lock"), timeout) as acquired:
            if acquired and self._lease is not None:
                with self._using(make=True) as db:
                    acquired = self._lease.take(db, timeout)
            try:
                if acquired:
                    with self._using(make=True) as db:
                        self._clear_leftovers(db)
                self._own_files = None
                self._is_writing += acquired
                try:
                    yield acquired
                finally:
                    self._is_writing -= acquired
                    with self._lock:
                        # What could not be written is written by the next sync.
                        waiting, self._batch = self._batch, None
                    if waiting is not None:
                        with self._using(make=True) as db:
                            self._keep_lease(db)
                            waiting.write(db)
                if acquired:
                    with self._using() as db:
                        self._compact(db)
            finally:
                if acquired and self._lease is not None:
                    with contextlib.suppress(StoreError), self._using(make=True) as db:
                        self._lease.give_back(db)

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._using() as db:
            pointer = self._find(db)
            files: dict[Any, int] = {}
            chunks: dict[Any, int] = {}
            table = opened(db, pointer.table) if pointer is not None else None
            if table is not None:
                for row in read(table, "digest <> ''", ["key", "source"]).to_pylist():
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
                vector_engine="LanceDB",
                text_engine="BM25 over terms in LanceDB",
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._using() as db:
            return db is not None and bool(unused_tables(db))

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._using() as db:
            pointer = self._find(db)
            table = opened(db, pointer.table) if pointer is not None else None
            if table is None:
                return []
            wrong = []
            for row in read(table, "key >= 0", rows.CHUNK_COLUMNS).to_pylist():
                try:
                    rows.read_chunk_row(row, None)
                except IndexCorrupt as error:
                    wrong.append(str(error))
            return wrong

    def set_aside(self) -> str | None:
        """Move a damaged index away, so that a new one can be made; the cache goes with it."""
        place = self._path.with_name(self._path.name + ".lock")
        with self._lock, locked(place, _LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"The index {self._place} is damaged, but another process is writing to it; "
                    "try again when that is done."
                )
            self._db = self._batch = None
            self._let_go()
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
            if self._manifest is not None:
                self._manifest.close()
            self._db = self._batch = None
            self._let_go()

    def _write(self, file: IndexedFile, key: int | None) -> None:
        with self._using(make=True) as db:
            pointer = self._live(db)
            if key is None:
                number = self._number(db, pointer.table, file.state)
                key = file_keys(number).start
                key += sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
            self._put(db, pointer.table, file, key)
            made, vectors = pointer.fingerprint, file.vectors
            if made.dims is None and vectors is not None and len(vectors):
                found = with_changes(made, dims=vectors.shape[1])
                write_pointer(db, pointer.made_with(found), self._variant_of(found))
            reach("index.file")

    def _put(self, db: Any, name: str, file: IndexedFile, key: int | None) -> None:
        """A file's facts and, from number `key` on, its chunks."""
        number = self._number(db, name, file.state)
        path = file.state.path
        is_new = path not in self._files(db, name)
        if self._batch is None:
            self._batch = Batch(name)
        elif self._batch.name != name or self._batch.waits_for(number):
            self._flush(db)
            self._batch, is_new = Batch(name), path not in self._files(db, name)
        self._batch.add(number, file, key, is_new=is_new)
        if not self._is_writing or self._batch.is_full:
            self._flush(db)

    def _flush(self, db: Any) -> None:
        """Write what was collected."""
        waiting, self._batch = self._batch, None
        if waiting is not None:
            self._keep_lease(db)
            self._own_files = None
            waiting.write(db)

    def _keep_lease(self, db: Any) -> None:
        if self._lease is not None and self._is_writing:
            self._lease.keep(db)

    def _number(self, db: Any, name: str, file: FileState) -> int:
        known = {path: number for path, (number, _) in self._files(db, name).items()}
        if self._batch is not None and self._batch.name == name:
            known |= self._batch.numbers
        if file.path in known:
            return known[file.path]
        ids = file_ids(file.source)
        return max((number + 1 for number in known.values() if number in ids), default=ids.start)

    def _files(self, db: Any, name: str) -> dict[str, tuple[int, FileState]]:
        if self._is_writing and self._own_files is not None and self._own_files[0] == name:
            return self._own_files[1]
        found = self._read_files(db, name)
        if self._is_writing:
            self._own_files = (name, found)
        return found

    def _read_files(self, db: Any, name: str) -> dict[str, tuple[int, FileState]]:
        table = opened(db, name)
        if table is None:
            return {}
        state = (name, table.version)
        known = self._known_files
        if known is None or known[0] != state:
            wanted = ["key", "path", "source", "digest", "facts"]
            found = {
                row["path"]: (-row["key"], rows.read_file_row(row))
                for row in read(table, "key < 0", wanted).to_pylist()
            }
            known = self._known_files = (state, found)
        return known[1]

    def _chunks_of(self, table: Any, number: int, columns: list[str]) -> list[dict[str, Any]]:
        found = read(table, f"file = {number} AND key >= 0", columns).to_pylist()
        return sorted(found, key=lambda row: int(row["key"]))

    def _with_vectors(self, table: Any, number: int) -> set[int]:
        """The numbers of a file's chunks that have vectors."""
        if "embedding" not in table.schema.names:
            return set()
        where = f"file = {number} AND key >= 0 AND embedding IS NOT NULL"
        return set(read(table, where, ["key"])["key"].to_pylist())

    def _last_chunk(self, db: Any, name: str, path: str) -> StoredChunk | None:
        known = self._files(db, name)
        if path not in known:
            return None
        number, state = known[path]
        table = db.open_table(name)
        keys = [row["key"] for row in self._chunks_of(table, number, ["key"])]
        if not keys:
            return None
        (row,) = by_key(table, keys[-1:], rows.CHUNK_COLUMNS)
        return rows.read_chunk_row(row, state.date)

    def _live(self, db: Any) -> Pointer:
        pointer = self._find(db)
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
                self._let_go()
                if not make:
                    yield None
                    return
                make_folder(self._path)
            if self._db is None:
                self._db = connect(self._place)
            yield self._db

    def _clear_leftovers(self, db: Any) -> None:
        for name in unused_tables(db):
            db.drop_table(name, ignore_missing=True)

    def _compact(self, db: Any) -> None:
        pointer = self._find(db)
        for name in [cache.NAME, *([pointer.table] if pointer else [])]:
            table = opened(db, name) if db is not None else None
            if table is None:
                continue
            if name != cache.NAME:
                make_indexes(table)
            versions = table.version - self._compacted.get(name, 0)
            small = table.stats()["fragment_stats"]["num_small_fragments"]
            if small > _COMPACT_AFTER or versions > _COMPACT_AFTER:
                table.optimize(cleanup_older_than=KEPT_FOR)
                self._compacted[name] = table.version
        if pointer is not None and time.time() - pointer.written > _DAY:
            write_pointer(db, pointer, self._variant_of(pointer.fingerprint))

    def vacuum(self) -> None:
        """Write every table anew and clear all earlier versions: what was removed is gone from disk.

        Who searches an earlier version at this moment has to ask again.
        """
        with self.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"Another process is writing to {self._place}; try again when that is done."
                )
            with self._using() as db:
                if db is not None:
                    forget_variants(db, self._variant or "", UNUSED_DAYS * _DAY)
                    self._clear_leftovers(db)
                for name in sorted(table_names(db)) if db is not None else ():
                    table = db.open_table(name)
                    if name != LEASE:
                        # Compaction leaves rows in their file until a tenth of it is deleted.
                        column = table.schema.names[0]
                        table.update(where="true", values_sql={column: column})
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        table.optimize(cleanup_older_than=_AT_ONCE, delete_unverified=True)
                self._let_go()

    def _size(self) -> int:
        if not self._is_local or not self._path.exists():
            return 0
        return sum(file.stat().st_size for file in self._path.rglob("*") if file.is_file())


class _NewTable:
    """The table that is being made; rows are collected and added many at once."""

    def __init__(self, store: LanceStore, name: str) -> None:
        self._store = store
        self._name = name
        self._batch = Batch(name)
        self._numbers: dict[Source, int] = {}
        self._dims: int | None = None

    def apply(self, writes: Writes) -> None:
        """Collect files; what continues or touches one that is written is written at once."""
        self._dims = dims_of(writes.files) or self._dims
        for file in writes.files:
            if file.replaces is not None:
                self._put(file, file.replaces)
                continue
            number = self._new_number(file.state.source)
            self._batch.add(number, file, file_keys(number).start, is_new=True)
            reach("rebuild.file")
            if self._batch.is_full:
                self.flush()
        for state in writes.touched:
            self._put(IndexedFile(state, [], None), None)

    def copy(self, rows: Any, number: int, source: Source) -> None:
        """Take over the rows of a file, Arrow, under a new number."""
        new = self._new_number(source)
        keys = [
            -new if key < 0 else key + (new - number) * FILE_SPAN for key in rows["key"].to_pylist()
        ]
        for name, values in (("key", keys), ("file", [new] * len(keys))):
            place = rows.schema.get_field_index(name)
            rows = rows.set_column(place, rows.schema.field(name), pa.array(values, pa.int64()))
        with self._store._using(make=True) as db:
            self._store._keep_lease(db)
            table_for(db, self._name, self._dims).add(rows, on_bad_vectors="null")

    def _new_number(self, source: Source) -> int:
        number = self._numbers.get(source, file_ids(source).start)
        self._numbers[source] = number + 1
        return number

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk among those written so far."""
        self.flush()
        with self._store._using(make=True) as db:
            return self._store._last_chunk(db, self._name, path)

    def flush(self) -> None:
        """Write what was collected."""
        with self._store._using(make=True) as db:
            self._store._keep_lease(db)
            self._batch.write(db, self._dims)

    def _put(self, file: IndexedFile, key: int | None) -> None:
        self.flush()
        with self._store._using(make=True) as db:
            self._store._put(db, self._name, file, key)
