"""The LanceDB store: tables of a database in a folder or in object storage."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes
from pathlib import Path
from urllib.parse import quote

from memdown.errors import IndexBusy, IndexCorrupt, StoreError
from memdown.files import acquire, locked, make_folder, open_file, reach, release
from memdown.index.lancedb import rows, upkeep
from memdown.index.lancedb.connection import PATIENCE_SECONDS, Tables, TableVersion, mapped
from memdown.index.lancedb.database import (
    PREFIX,
    Database,
    Files,
    Pointer,
    next_generation,
    read_pointers,
    unused_tables,
    write_pointer,
)
from memdown.index.lancedb.reading import LanceSnapshot, by_key, make_indexes
from memdown.index.lancedb.writing import NewTable, TableWriter, chunks_of, with_vectors
from memdown.index.manifest import Manifest, is_older, same_for_all
from memdown.index.ownership import (
    Ownership,
    ReportTurn,
    find_orphans,
    is_report_due,
    joining,
    pack_paths,
)
from memdown.index.pace import Clock
from memdown.index.packing import file_keys
from memdown.index.store import Rebuild, Writes
from memdown.types import (
    SOURCES,
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

log = logging.getLogger("memdown")

_LOCK_SECONDS = 60.0
_CHECKED_AT_ONCE = 2_000
_AGENT_NAME = "{agentId}"


def create(
    path: Path,
    *,
    url: str | None = None,
    agent: str = "main",
    host_file: Path | None = None,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
    patience: float = PATIENCE_SECONDS,
    **_: object,
) -> LanceStore:
    """A store in the folder `path`, or in the agent's own folder at an address such as `s3://b/m`.

    `host_file` is where this host keeps what it knows of its own files; without one the index is taken
    to be of this host alone. At an address a search waits `patience` seconds for what it can do without.
    """
    place = agent_url(url, agent) if url else None
    notes = Manifest(host_file, place or str(path.absolute())) if host_file else None
    database = Database(path, place, notes if place else None)
    return LanceStore(database, agent, notes, vector_enabled, cache_entries, patience)


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
        database: Database,
        agent: str,
        notes: Manifest | None,
        vector_enabled: bool,
        cache_entries: int,
        patience: float,
    ) -> None:
        self._database = database
        self._agent = agent
        self._manifest = database.manifest
        # Where it is noted that all was indexed, also of an index that is this host's alone.
        self._notes = notes
        self._found: str | None = None
        self._writer = TableWriter(database)
        self._cache_entries = cache_entries
        self._patience = patience
        self._vector_error = None if vector_enabled else "turned off in the settings"
        self._compacted: dict[str, int] = {}
        self._turn = ReportTurn()

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        pointer = self._database.ask(self._database.find)
        return pointer.fingerprint if pointer else None

    def state(self) -> object:
        """What tells one state of the index from another: any change makes a new one."""

        def read_state(db: Tables | None) -> object:
            pointer = self._database.find(db)
            table = None if db is None or pointer is None else db.table(pointer.table)
            return None if table is None else (pointer, table.version)

        return self._database.ask(read_state)

    def files(self) -> dict[str, FileState]:
        """Every indexed file that this host has, with its facts on this host's disk."""

        def read_files(db: Tables | None) -> Files:
            pointer = self._database.find(db)
            if db is None or pointer is None:
                return {}
            return self._writer.files(db, pointer.table)

        with self._database.using() as db:
            self._writer.flush(db)
        found = {path: state for path, (_, state) in self._database.ask(read_files).items()}
        return found if self._manifest is None else self._manifest.on_this_host(found)

    def is_settled(self, found: str) -> bool:
        """Whether this was noted last, and nothing was written since."""
        noted = None if self._notes is None else self._notes.settled()
        is_settled = noted is not None and noted == (self._settled_state(), found)
        if is_settled and self._manifest is not None and self._turn.is_due(self._manifest):
            # Whoever has nothing to write says once a day that it is there.
            with contextlib.suppress(StoreError), self.writing(0.0):
                pass
        return is_settled

    def settle(self, found: str) -> None:
        """Note that all files are indexed which a look at this host's disk has `found`."""
        if self._writer.is_writing:
            # What is collected makes one more version, and so does putting it in order.
            self._found = found
        elif self._notes is not None and (state := self._settled_state()):
            self._notes.settle(state, found)

    def _settle_found(self) -> None:
        """Note what was found while this was the one writer, now that all of it is written."""
        if self._found is not None:
            self.settle(self._found)

    def _settled_state(self) -> str:
        def read_state(db: Tables | None) -> str:
            table = self._database.table(db)
            return "" if table is None else f"{table.name} {table.version}"

        return self._database.ask(read_state)

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        with self._database.using() as db:
            if not self._cache_entries or not digests or db is None:
                return {}
            return upkeep.cached_vectors(db, key, digests)

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if self._cache_entries and digests:
            with self._database.using(make=True) as db:
                upkeep.cache_vectors(db, key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._database.using() as db:
            pointer = self._database.find(db)
            known = {} if pointer is None else self._writer.files(db, pointer.table)
            if pointer is None or path not in known:
                return 0
            number = known[path][0]
            table = db.table(pointer.table)
            stored = chunks_of(table, number, ["key", "id"])
            vectors = with_vectors(table, number) if embedded else set()
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
            older = {file.state.path for file in writes.files if self._is_older(file)}
            self._manifest.claim([state.path for state in states])
        else:
            older = set()
        for file in writes.files:
            if file.state.path in older:
                continue
            if self._manifest is None or not self._is_there(file):
                self._write(file, file.replaces)
        with self._database.using(make=True) as db:
            for state in writes.touched:
                name = self._writer.live(db).table
                self._writer.put(db, name, IndexedFile(state, [], None), None)
        if self._manifest is not None:
            self._manifest.note(states)
        if writes.removed:
            self._remove(writes.removed)

    def _write(self, file: IndexedFile, key: int | None) -> None:
        with self._database.using(make=True) as db:
            pointer = self._writer.live(db)
            if key is None:
                number = self._writer.number(db, pointer.table, file.state)
                key = file_keys(number).start
                key += sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
            self._writer.put(db, pointer.table, file, key)
            made, vectors = pointer.fingerprint, file.vectors
            if made.dims is None and vectors is not None and len(vectors):
                found = with_changes(made, dims=vectors.shape[1])
                write_pointer(db, pointer.made_with(found), self._database.variant_of(found))
                self._writer.let_go_of_pointer()
            reach("index.file")

    def _is_older(self, file: IndexedFile) -> bool:
        """Whether another host has a newer copy of a file that this one never had in the index."""
        if self._manifest is None or file.replaces is not None:
            return False
        with self._database.using(make=True) as db:
            stored = self._writer.files(db, self._writer.live(db).table).get(file.state.path)
        return stored is not None and is_older(file.state, stored[1], self._manifest.facts())

    def _is_there(self, file: IndexedFile) -> bool:
        """Whether a file is stored as given."""
        with self._database.using(make=True) as db:
            name = self._writer.live(db).table
            known = self._writer.files(db, name).get(file.state.path)
        if known is None or file.keep or file.replaces is not None or not file.state.digest:
            return False
        chunks, path = file.chunks, file.state.path
        embedded = file.vectors is not None
        return same_for_all(file.state, known[1]) and (
            self.stored_prefix(path, chunks, embedded=embedded) == len(chunks)
        )

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._database.using() as db:
            self._writer.flush(db)
            pointer = self._database.find(db)
            return self._writer.last_chunk(db, pointer.table, path) if pointer else None

    def _remove(self, paths: Sequence[str]) -> None:
        """Forget files that this host had; what it never had is not its to remove."""
        if self._manifest is not None:
            mine = self._manifest.facts()
            paths = [path for path in paths if path in mine]
        with self._database.using(make=True) as db:
            self._writer.remove(db, self._database.live(db).table, list(paths))
        if self._manifest is not None:
            self._manifest.forget(paths)

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        variant = self._database.variant_of(fingerprint)
        with self._database.using(make=True) as db:
            pointer = read_pointers(db).get(variant)
            if pointer is None:
                pointer = Pointer(next_generation(db), fingerprint)
            # Another host may have made it, in the same way.
            if self._manifest is None or not self._writer.files(db, pointer.table):
                write_pointer(db, pointer.made_with(fingerprint), variant)
            elif not self._manifest.facts():
                log.warning(joining(self._agent, self._database.place))
        self._database.choose(variant)
        self._writer.let_go_of_pointer()

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        database = self._database
        variant = database.variant_of(fingerprint)
        with database.using(make=True) as db:
            upkeep.clear_leftovers(db)
            number = next_generation(db)
        reach("rebuild.begun")
        made_table = NewTable(self._writer, f"{PREFIX}{number}")
        target = Rebuild(fingerprint, made_table.apply, made_table.last_chunk)
        try:
            yield target
            made_table.flush()
            with database.using(make=True) as db:
                self._take_over(read_pointers(db).get(variant), db, made_table, target)
            reach("rebuild.before_flip")
            with database.using(make=True) as db:
                make_indexes(db, f"{PREFIX}{number}")
                self._writer.keep_lease(db)
                old = read_pointers(db).get(variant)
                made = target.fingerprint
                if self._manifest is not None:
                    self._manifest.adopt(variant, target.noted.values())
                write_pointer(
                    db, old.moved(number, made) if old else Pointer(number, made), variant
                )
                database.choose(variant)
                self._writer.let_go_of_pointer()
        except BaseException:
            with contextlib.suppress(StoreError), database.using(make=True) as db:
                db.drop(f"{PREFIX}{number}")
            raise
        reach("rebuild.after_flip")

    def _take_over(
        self, old: Pointer | None, db: Tables, made_table: NewTable, target: Rebuild
    ) -> None:
        """Bring files that other hosts have, and this one never had, into the table that is made."""
        if self._manifest is None or old is None:
            return
        mine, table = self._manifest.facts(), db.table(old.table)
        for path, (number, state) in self._writer.files(db, old.table).items():
            if table is not None and path not in mine and path not in target.noted:
                made_table.copy(table, number, state.source)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[LanceSnapshot]:
        """One unchanging view for one search: one version of the live table."""
        database = self._database

        def look(db: Tables | None) -> tuple[Pointer | None, TableVersion | None]:
            pointer = database.find(db)
            return pointer, None if db is None or pointer is None else db.table(pointer.table)

        pointer, table = database.ask(look)
        if pointer is None:
            raise StoreError(f"There is no index at {database.place} yet: run `memdown index`.")
        dims = pointer.fingerprint.dims if self._vector_error is None else None
        view = LanceSnapshot(
            database.place,
            table,
            dims,
            database.kept,
            database.is_local,
            Clock(self._patience, database.kept.pace),
        )
        try:
            yield view
        finally:
            view.end()

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer among all processes; False when another still is after `timeout`.

        What is written inside is collected and written a few files at a time.
        """
        database, lease = self._database, self._writer.lease
        with self._writer_lock(timeout) as acquired:
            if acquired and lease is not None:
                with database.using(make=True) as db:
                    acquired = lease.take(db, timeout)
            if not acquired:
                yield False
                return
            try:
                with database.using(make=True) as db:
                    upkeep.clear_leftovers(db)
                self._found = None
                self._writer.begin()
                try:
                    yield True
                finally:
                    self._writer.end()
                with database.using() as db:
                    upkeep.compact(database, db, self._compacted)
                self._settle_found()
                self._report_files()
            finally:
                if lease is not None:
                    with contextlib.suppress(StoreError), database.using(make=True) as db:
                        lease.give_back(db)

    @contextlib.contextmanager
    def _writer_lock(self, timeout: float) -> Iterator[bool]:
        """Have the writer's lock; the engine process has it, too, as long as it does what it is asked for.

        So a client that is killed leaves it only when the last of its writes is done.
        """
        link = self._database.link
        make_folder(self._database.lock_file.parent)
        descriptor = open_file(self._database.lock_file, os.O_RDWR)
        acquired = False
        try:
            acquired = acquire(descriptor, timeout)
            if acquired:
                link.hold(descriptor)
            yield acquired
        finally:
            if not acquired or link.let_go():
                release(descriptor)
            else:
                os.close(descriptor)

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._database.using() as db:
            pointer = self._database.find(db)
            files, chunks = _counts(None if pointer is None else db.table(pointer.table))
            return StoreStatus(
                files=files,
                chunks=chunks,
                cache_entries=upkeep.count_cached(db) if db is not None else 0,
                fts_available=True,
                fts_error=None,
                vector_available=self._vector_error is None,
                vector_error=self._vector_error,
                dims=pointer.fingerprint.dims if pointer else None,
                location=self._database.place,
                size_bytes=upkeep.size_of(self._database),
                vector_engine="LanceDB",
                text_engine="BM25 over terms in LanceDB",
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._database.using() as db:
            return db is not None and bool(unused_tables(db))

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._database.using() as db:
            pointer = self._database.find(db)
            table = db.table(pointer.table) if pointer is not None else None
            if table is None:
                return []
            wrong = []
            keys = sorted(table.select(["key"], "key >= 0")["key"])
            for start in range(0, len(keys), _CHECKED_AT_ONCE):
                some = keys[start : start + _CHECKED_AT_ONCE]
                for row in by_key(table, some, [*rows.CHUNK_COLUMNS, "path", "source"]):
                    try:
                        rows.read_chunk_row(row, FileState(row["path"], row["source"], 0, 0))
                    except IndexCorrupt as error:
                        wrong.append(str(error))
            return wrong

    def set_aside(self) -> str | None:
        """Move a damaged index away, so that a new one can be made; the cache goes with it."""
        database = self._database
        path = database.path
        with database.lock, locked(database.lock_file, _LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"The index {database.place} is damaged, but another process is writing to it; "
                    "try again when that is done."
                )
            self._writer.drop()
            database.let_go()
            if not database.is_local:
                with mapped(database.place):
                    Tables(database.link).drop_all()
                return f"deleted from {database.place}"
            if not path.exists():
                return None
            number = 1
            while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
                number += 1
            path.rename(aside)
            return str(aside)

    def vacuum(self) -> None:
        """Write every table anew and clear all earlier versions: what was removed is gone from disk."""
        with self._alone(), self._database.using() as db:
            if db is not None:
                upkeep.vacuum(self._database, db)
            self._database.let_go_of_tables()

    def ownership(self, days: float, gone: Sequence[str] = ()) -> Ownership | None:
        """Which hosts have files here, and what none of them has; None if it is this host's alone."""
        manifest = self._manifest
        if manifest is None:
            return None
        with self._database.using(make=True) as db:
            pointer = self._database.find(db)
            return find_orphans(
                self._database.files(db, pointer.table) if pointer else (),
                manifest.facts().keys(),
                upkeep.read_reports(db),
                manifest.host(),
                days=days,
                gone=gone,
            )

    def remove_orphans(self, days: float, gone: Sequence[str], *, unreported: bool) -> list[str]:
        """Take files out that no living host has, and forget the hosts that are gone; which files."""
        with self._alone():
            found = self.ownership(days, gone)
            if found is None:
                return []
            paths = found.removable(unreported=unreported)
            with self._database.using(make=True) as db:
                if paths:
                    self._writer.remove(db, self._database.live(db).table, paths)
                upkeep.forget_hosts(db, [one.host for one in found.gone])
            return paths

    def _report_files(self) -> None:
        """Let others know which files this host has, if they do not yet; it can wait if it fails."""
        manifest = self._manifest
        if manifest is None or not is_report_due(manifest):
            return
        try:
            with self._database.using(make=True) as db:
                packed = pack_paths(manifest.facts())
                upkeep.report_files(db, manifest.host(), socket.gethostname(), packed)
        except StoreError as error:
            log.info("This host's files were not reported: %s", error)
        else:
            manifest.note_report()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with self.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"Another process is writing to {self._database.place}; try again when that is "
                    "done."
                )
            yield

    def close(self) -> None:
        """Let go of everything; a closed store cannot be used again."""
        with self._database.lock:
            self._writer.drop()
            self._database.close()
            if self._notes is not None:
                self._notes.close()


def _counts(table: TableVersion | None) -> tuple[dict[Source, int], dict[Source, int]]:
    """How many files and chunks a table has of each source."""
    files, chunks = (
        {
            source: 0 if table is None else table.count(f"{what} AND source = '{source}'")
            for source in SOURCES
        }
        for what in ("key < 0 AND digest <> ''", "key >= 0")
    )
    return {one: n for one, n in files.items() if n}, {one: n for one, n in chunks.items() if n}
