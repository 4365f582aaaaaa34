"""The PostgreSQL store: one agent's index on a server that many agents and hosts share."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from pathlib import Path

import psycopg

from memdown.errors import ConfigError, IndexBusy, StoreError
from memdown.files import reach
from memdown.index.manifest import Manifest, same_for_all, variant_of
from memdown.index.postgres import cache, schema, tables, vectors
from memdown.index.postgres.connection import (
    WRITE_SECONDS,
    Breaker,
    Connection,
    Connections,
    Place,
    checked_url,
    connect,
    mapped,
    one,
    run,
    shown,
    transaction,
)
from memdown.index.postgres.reading import (
    MANY_PASSAGES,
    Kept,
    PostgresSnapshot,
    give_memory_back,
)
from memdown.index.postgres.tables import Live
from memdown.index.store import Rebuild, Writes, dims_of
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

SCHEMA = "memdown"
_CLOSED = "This memory is closed; open it again with Memory.open."
# A search that began before a rebuild was published goes on reading tables of the old one.
GRACE_SECONDS = 120.0
# A variant that nobody has written to for so long is cleared.
UNUSED_DAYS = 30
# Space that so many deleted chunks left is given back to the tables at once.
_WORTH_VACUUMING = 200


def create(
    url: str | None,
    *,
    read_url: str | None = None,
    agent: str = "main",
    schema: str = SCHEMA,
    host_file: Path | None = None,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
) -> PostgresStore:
    """A store on the server at `url`; searches read from `read_url`, if there is one.

    `host_file` is where this host keeps what it knows of its own files; without one the index is
    taken to be of this host alone.
    """
    if not url:
        raise ConfigError(
            "memorySearch.store.driver is postgres, but there is no address: set "
            "memorySearch.store.url or the variable MEMDOWN_POSTGRES_URL."
        )
    write = checked_url(url, "memorySearch.store.url")
    read = checked_url(read_url, "memorySearch.store.readUrl") if read_url else None
    place = f"{shown(write)}/{schema}/{agent}"
    manifest = Manifest(host_file, place) if host_file else None
    return PostgresStore(write, read, agent, schema, manifest, vector_enabled, cache_entries)


@dataclass(frozen=True, slots=True)
class ServerDetails:
    """A server as an operator sees it: its schema, the extension, and an agent's indexes."""

    server: str
    schema: str
    version: int
    steps: int
    extension: str | None
    variants: tuple[tables.Variant, ...]
    unused: int
    roles: tuple[str, ...]


class PostgresStore:
    """One agent's index. Many threads, processes and hosts may read while one writes."""

    def __init__(
        self,
        url: str,
        read_url: str | None,
        agent: str,
        schema_name: str,
        manifest: Manifest | None,
        vector_enabled: bool,
        cache_entries: int,
    ) -> None:
        self._url = url
        self._agent = agent
        self._schema = schema_name
        self._manifest = manifest
        self._place_name = shown(url)
        self._vector_enabled = vector_enabled
        self._cache_entries = cache_entries
        self._reads = Connections(url)
        self._replica = Connections(read_url) if read_url else None
        self._replica_breaker = Breaker()
        self._writer: Connection | None = None
        self._writer_lock = threading.RLock()
        self._epoch: int | None = None
        self._variant: str | None = None
        self._has_schema = False
        self._has_extension: bool | None = None
        self._known_files: tuple[object, dict[str, FileState]] | None = None
        self._kept = Kept()
        self._closed = False

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._reading() as db:
            live = self._live(db)
            return live.fingerprint if live else None

    def state(self) -> object:
        """What tells one state of the index from another: any change makes a new one."""
        with self._reading() as db:
            live = self._live(db)
            return None if live is None else live.state

    def files(self) -> dict[str, FileState]:
        """Every indexed file that this host has, with its facts on this host's disk."""
        with self._reading() as db:
            live = self._live(db)
            if live is None:
                return {}
            known = self._known_files
            if known is None or known[0] != live.state:
                known = self._known_files = (live.state, tables.read_files(live.place))
        return dict(known[1]) if self._manifest is None else self._manifest.seen(known[1])

    def is_settled(self, found: str) -> bool:
        """Whether this was noted last, and nothing happened to this host's files in the index since."""
        if self._manifest is None:
            return False
        noted = self._manifest.settled()
        if noted is None or noted[1] != found:
            return False
        with self._reading() as db:
            live = self._live(db)
            return (
                live is not None
                and noted[0] == live.settled_state
                and not tables.lacks_vectors(live.place)
            )

    def settle(self, found: str) -> None:
        """Note that all files are indexed which a look at this host's disk has `found`."""
        if self._manifest is None:
            return
        with self._reading() as db:
            live = self._live(db)
        if live is not None:
            self._manifest.settle(live.settled_state, found)

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        if not self._cache_entries or not digests:
            return {}
        with self._transaction() as db:
            return cache.read(self._at(db), key, digests)

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if not self._cache_entries or not digests:
            return
        with self._transaction() as db:
            cache.write(self._at(db), key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._reading() as db:
            live = self._live(db)
            return 0 if live is None else tables.stored_prefix(live.place, path, chunks, embedded)

    def apply(self, writes: Writes) -> None:
        """Write files in one transaction; what is there as given is only noted for this host."""
        whole = [file for file in writes.files if file.replaces is None]
        new = self._without_known(whole) if self._manifest is not None else whole
        if new:
            self._claim([file.state for file in new])
            self._write(new)
        self._note([file.state for file in whole])
        for file in writes.files:
            if file.replaces is not None:
                self._claim([file.state])
                self._write([file], file.replaces)
                self._note([file.state])
        self._touch(writes.touched)
        self._remove(writes.removed)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._reading() as db:
            live = self._live(db)
            return None if live is None else tables.last_chunk(live.place, path)

    def _touch(self, files: Sequence[FileState]) -> None:
        """Keep the rows of files whose content is the same, with their new facts."""
        changed = list(files)
        if files and self._manifest is not None:
            with self._reading() as db:
                live = self._live(db)
                if live is not None:
                    known = tables.read_states(live.place, [file.path for file in files])
                    changed = [
                        file
                        for file in files
                        if file.path not in known or not same_for_all(file, known[file.path])
                    ]
        if changed:
            with self._changing() as (live, _):
                for file in changed:
                    tables.write_file(live.place, file)
        self._note(files)

    def _remove(self, paths: Sequence[str]) -> None:
        """Forget files that this host had; what it never had is not its to remove."""
        if self._manifest is not None:
            mine = self._manifest.facts()
            paths = [path for path in paths if path in mine]
        for path in paths:
            with self._changing() as (live, _):
                tables.remove_file(live.place, path)
                reach("index.removing")
            if self._manifest is not None:
                self._manifest.forget([path])

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made.

        If another host has made one in the same way, this host uses it from now on.
        """
        variant = variant_of(fingerprint, tables.LAYOUT)
        with self._transaction() as db:
            at = self._at(db)
            live = tables.read_live(at, variant)
            if live is None or (live.chunks == 0 and live.fingerprint != fingerprint):
                place = live.place if live else tables.new_generation(at)
                tables.write_index(place, fingerprint)
        self._choose(variant)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all.

        Files that other hosts have, and this one never had, are taken over.
        """
        variant = variant_of(fingerprint, tables.LAYOUT)
        with self._transaction() as db:
            at = self._at(db)
            old = tables.read_live(at, variant)
            is_large = old is not None and old.place.is_own_shelf
            place = tables.new_generation(at, "" if is_large else None)
        reach("rebuild.begun")
        target = Rebuild(
            fingerprint,
            lambda writes: self._apply_new(place, writes),
            lambda path: self._last_new(place, path),
        )
        try:
            yield target
            mine = self._manifest.facts() if self._manifest else {}
            with self._transaction() as db:
                self._check_epoch(db)
                if old is not None and self._manifest is not None:
                    others = tables.read_files(old.place).keys() - mine.keys() - target.noted.keys()
                    tables.copy_files(old.place, place, sorted(others), 0)
                self._claim(list(target.noted.values()))
                reach("rebuild.before_flip")
                if old is not None:
                    tables.retire(old.place)
                tables.write_index(place, target.fingerprint)
                reach("rebuild.in_flip")
            if self._manifest is not None:
                self._manifest.adopt(variant, target.noted.values())
            self._choose(variant)
            reach("rebuild.after_flip")
        finally:
            # Whichever generation is not live now: the old one, or the unfinished new one.
            with contextlib.suppress(psycopg.Error, StoreError):
                self._clear_leftovers()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        """One unchanging view for one search, from the replica if there is one that can answer."""
        with self._reading(replica=True) as db:
            live = self._live(db)
            if live is None:
                raise StoreError(
                    f"There is no index of {self._agent} on {self._place_name} yet: run "
                    "`memdown index`."
                )
            dims = live.fingerprint.dims if self._vector_enabled else None
            try:
                yield PostgresSnapshot(self._place_name, live, dims, self._kept)
            finally:
                if live.passages > MANY_PASSAGES:
                    give_memory_back()

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer of this agent among all hosts; False when another still is.

        The lock is a transaction on a connection of its own, which poolers understand. If that
        connection is lost another may become the writer, and then writes of this one are refused.
        """
        with mapped(self._place_name), self._locked(timeout) as acquired:
            if not acquired:
                yield False
                return
            with self._transaction() as db:
                at = self._at(db)
                self._epoch = one(
                    db,
                    at.sql(
                        "INSERT INTO {s}.tenants (agent_id, epoch) VALUES (%s, 1) ON CONFLICT "
                        "(agent_id) DO UPDATE SET epoch = tenants.epoch + 1 RETURNING epoch"
                    ),
                    (self._agent,),
                )
            try:
                self._clear_leftovers()
                self._fill_vectors()
                yield True
            finally:
                self._epoch = None
        self._index_vectors()

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._reading() as db:
            live = self._live(db)
            there = schema.is_readable(db, self._schema)
            error = self._vector_error(db, live)
            chunks: dict[Source, int] = {}
            if live is not None:
                counted = {source: tables.count_chunks(live.place, source) for source in SOURCES}
                chunks = {source: number for source, number in counted.items() if number}
            return StoreStatus(
                files=tables.count_by_source(live.place) if live else {},
                chunks=chunks,
                cache_entries=cache.count(self._at(db)) if there else 0,
                fts_available=True,
                fts_error=None,
                vector_available=error is None,
                vector_error=error,
                dims=live.fingerprint.dims if live else None,
                location=f"{self._place_name} ({self._schema}, {self._agent})",
                size_bytes=tables.size_of(live) if live else 0,
                vector_engine="pgvector",
                text_engine="BM25 over posting lists on the server",
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._reading() as db:
            if self._live(db) is None:
                return False
            return bool(tables.unused_generations(self._at(db), GRACE_SECONDS))

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._reading() as db:
            live = self._live(db)
            return list(tables.problems(live)) if live else []

    def set_aside(self) -> str | None:
        """Delete this agent's rows, so that a new index can be made; the cache stays."""
        with self._transaction() as db:
            gone = run(
                db,
                self._at(db).sql("DELETE FROM {s}.indexes WHERE agent_id = %s RETURNING live"),
                (self._agent,),
            )
            self._known_files = None
        self._clear_leftovers(grace=0.0)
        if self._manifest is not None:
            self._manifest.forget()
        return f"deleted from {self._place_name}" if gone else None

    def prepare(self, role: str | None = None) -> None:
        """Make the tables, and let a role that is not their owner use this agent's index."""
        with self._using() as db:
            if role is not None:
                schema.grant(db, self._schema, role, self._agent)

    def describe(self) -> ServerDetails:
        """What an operator wants to know; writes nothing."""
        with self._reading() as db:
            version = schema.version(db, self._schema)
            at, live = self._at(db), self._live(db)
            ready = schema.is_readable(db, self._schema)
            return ServerDetails(
                server=self._place_name,
                schema=self._schema,
                version=version,
                steps=schema.step(db, self._schema) if version else 0,
                extension=one(db, "SELECT extversion FROM pg_extension WHERE extname = 'vector'"),
                variants=tables.describe_variants(at, live.variant if live else "")
                if ready
                else (),
                unused=len(tables.unused_generations(at, 0.0)) if ready else 0,
                roles=tuple(
                    role
                    for (role,) in run(
                        db,
                        at.sql("SELECT role_name FROM {s}.agent_roles WHERE agent_id = %s"),
                        (self._agent,),
                    )
                )
                if ready
                else (),
            )

    def own_tables(self) -> bool:
        """Give this agent tables of its own, whatever its size; False if it has them already."""
        with self.writing(60.0) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"Another process is writing to {self._place_name}; try again when it is done."
                )
            with self._changing() as (live, _):
                if live.place.is_own_shelf:
                    return False
                tables.move_to_own_shelf(live)
            return True

    def vacuum(self) -> None:
        """Clear unused variants and generations, and give the space of deleted rows back."""
        with self.writing(60.0) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"Another process is writing to {self._place_name}; try again when it is done."
                )
            with self._transaction() as db:
                tables.drop_unused_variants(self._at(db), self._variant or "", UNUSED_DAYS)
            self._clear_leftovers(grace=0.0)
        with self._using() as db:
            live = self._live(db)
            if live is not None:
                self._vacuum(live.place)

    def close(self) -> None:
        """Close every connection; a closed store cannot be used again."""
        self._closed = True
        with self._writer_lock:
            if self._writer is not None:
                self._writer.close()
            self._writer = None
        for reads in (self._reads, self._replica):
            if reads is not None:
                reads.close()
        if self._manifest is not None:
            self._manifest.close()

    def _write(self, files: Sequence[IndexedFile], key: int | None = None) -> None:
        """Write files into the live generation; with `key` rows from there on."""
        with self._changing() as (live, revision):
            tables.replace_files(live.place, files, key, revision, "index.file")
            dims = dims_of(files)
            if live.fingerprint.dims is None and dims:
                tables.write_index(live.place, with_changes(live.fingerprint, dims=dims))
            if live.chunks > vectors.FEW and not live.place.is_own_shelf:
                self._move(live)

    def _move(self, live: Live) -> None:
        """Give a large agent tables of its own; a role that may not make tables stays where it is."""
        try:
            with live.place.db.transaction():
                tables.move_to_own_shelf(live)
        except psycopg.errors.InsufficientPrivilege:
            log.info("%s is large; let the owner run `memdown store vacuum` once.", self._agent)

    def _apply_new(self, place: Place, writes: Writes) -> None:
        """Write files into a generation that is being made."""
        whole = [file for file in writes.files if file.replaces is None]
        with self._transaction() as db:
            self._check_epoch(db)
            if whole:
                tables.replace_files(place, whole, None, 0, "rebuild.file")
            for file in writes.files:
                if file.replaces is not None:
                    tables.replace_files(place, [file], file.replaces, 0, "rebuild.file")
            for state in writes.touched:
                tables.write_file(place, state)

    def _last_new(self, place: Place, path: str) -> StoredChunk | None:
        with self._using():
            return tables.last_chunk(place, path)

    def _without_known(self, files: Sequence[IndexedFile]) -> list[IndexedFile]:
        """The files that are not stored as given: those of other hosts may be the very same."""
        with self._reading() as db:
            live = self._live(db)
            if live is None:
                return list(files)
            new = []
            known = tables.read_states(live.place, [file.state.path for file in files])
            for file in files:
                stored = known.get(file.state.path)
                is_there = (
                    stored is not None
                    and bool(stored.digest)
                    and same_for_all(file.state, stored)
                    and file.keep == 0
                    and tables.stored_prefix(
                        live.place, file.state.path, file.chunks, file.vectors is not None
                    )
                    == len(file.chunks)
                )
                if not is_there:
                    new.append(file)
            return new

    def _claim(self, files: Sequence[FileState]) -> None:
        if self._manifest is not None:
            self._manifest.claim([file.path for file in files])

    def _note(self, files: Sequence[FileState]) -> None:
        if self._manifest is not None:
            self._manifest.note(files)

    def _choose(self, variant: str) -> None:
        self._variant = variant
        self._known_files = None
        if self._manifest is not None:
            self._manifest.choose(variant)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[Live, int]]:
        """The live generation inside one transaction, which no other writer of it overlaps.

        The second value is the number of the revision that the transaction makes.
        """
        with self._transaction() as db:
            run(db, "SELECT pg_advisory_xact_lock(%s)", (self._lock_number + 1,))
            self._check_epoch(db)
            live = self._live(db)
            if live is None:
                raise StoreError(f"There is no index of {self._agent} on {self._place_name} yet.")
            yield live, tables.next_revision(live)

    def _check_epoch(self, db: Connection) -> None:
        """Refuse to write if another process has become the writer since."""
        if self._epoch is None:
            return
        now = one(
            db,
            self._at(db).sql("SELECT epoch FROM {s}.tenants WHERE agent_id = %s FOR SHARE"),
            (self._agent,),
        )
        if now != self._epoch:
            raise IndexBusy(
                f"The connection to {self._place_name} was lost while writing, and another process "
                "writes now; what was written is kept, run `memdown index` again."
            )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._using() as db, transaction(db):
            yield db

    @contextlib.contextmanager
    def _using(self) -> Iterator[Connection]:
        """The connection for writing; one that was lost is replaced."""
        with self._writer_lock, mapped(self._place_name):
            if self._closed:
                raise StoreError(_CLOSED)
            if self._writer is None or self._writer.closed or self._writer.broken:
                self._writer = connect(self._url, WRITE_SECONDS)
                schema.migrate(self._writer, self._schema)
            try:
                yield self._writer
            except psycopg.OperationalError:
                self._writer.close()
                raise

    @contextlib.contextmanager
    def _reading(self, *, replica: bool = False) -> Iterator[Connection]:
        if self._closed:
            raise StoreError(_CLOSED)
        with mapped(self._place_name), contextlib.ExitStack() as stack:
            db = None
            if replica and self._replica is not None and not self._replica_breaker.is_open:
                db = self._from_replica(self._replica, stack)
            yield db or stack.enter_context(self._reads.reading())

    def _from_replica(self, replica: Connections, stack: contextlib.ExitStack) -> Connection | None:
        """A connection to the replica; None if it cannot answer for this agent."""
        try:
            with contextlib.ExitStack() as attempt:
                db = attempt.enter_context(replica.reading())
                if self._live(db) is not None:
                    stack.push(attempt.pop_all())
                    return db
        except psycopg.Error as error:
            log.warning("The replica cannot answer, the server itself does: %s", error)
            self._replica_breaker.failed()
        return None

    @contextlib.contextmanager
    def _locked(self, timeout: float) -> Iterator[bool]:
        """Take the lock in the order of asking: who only tried now and then might never get it."""
        if self._closed:
            raise StoreError(_CLOSED)
        db = connect(self._url, None)
        try:
            run(db, "BEGIN")
            acquired = bool(one(db, "SELECT pg_try_advisory_xact_lock(%s)", (self._lock_number,)))
            if not acquired and timeout > 0:
                limit = f"{max(1, int(timeout * 1000))}"
                run(db, "SELECT set_config('lock_timeout', %s, true)", (limit,))
                db.seconds = timeout + 5.0
                with contextlib.suppress(psycopg.errors.LockNotAvailable):
                    run(db, "SELECT pg_advisory_xact_lock(%s)", (self._lock_number,))
                    acquired = True
            if acquired:
                # The query above would keep its snapshot for as long as the transaction lasts, and
                # with it every row that is deleted meanwhile; making an index would wait for it.
                run(db, "SET LOCAL lock_timeout = 0")
            yield acquired
        finally:
            db.close()

    @property
    def _lock_number(self) -> int:
        text = f"{self._schema}/{self._agent}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:7], "big") * 2

    def _at(self, db: Connection) -> Place:
        return Place(db, self._schema, self._agent)

    def _live(self, db: Connection) -> Live | None:
        if not self._has_schema:
            if not schema.is_readable(db, self._schema):
                return None
            self._has_schema = True
        if self._variant is None and self._manifest is not None:
            self._variant = self._manifest.variant()
        variant = self._variant if self._manifest is not None else None
        return tables.read_live(self._at(db), variant)

    def _vector_error(self, db: Connection, live: Live | None) -> str | None:
        if not self._vector_enabled:
            return "turned off in the settings"
        if not schema.has_vectors(db):
            return "the extension vector is not installed"
        if live is not None and not live.place.has_vectors:
            return "the extension vector was installed later; run `memdown index` as the owner"
        return None

    def _fill_vectors(self) -> None:
        """Let the server compare vectors that were stored before it could."""
        with self._using() as db:
            live = self._live(db)
            if live is None or live.place.has_vectors or not schema.has_vectors(db):
                return
            try:
                vectors.fill(live.place)
            except psycopg.errors.InsufficientPrivilege as error:
                log.info("Vectors are not compared by the server yet: %s", error)

    def _clear_leftovers(self, grace: float | None = None) -> None:
        grace = GRACE_SECONDS if grace is None else grace
        freed: dict[str, Place] = {}
        with self._using() as db:
            for place in tables.unused_generations(self._at(db), 0.0):
                is_due = not place.is_own_shelf or place.generation in {
                    one.generation for one in tables.unused_generations(self._at(db), grace)
                }
                if is_due:
                    with transaction(db):
                        if tables.drop_generation(place) >= _WORTH_VACUUMING:
                            freed[place.shelf] = place
            for place in freed.values():
                self._vacuum(place)

    def _vacuum(self, place: Place) -> None:
        """Let the tables of a shelf use the space of deleted rows again."""
        for table in ("files", "chunks", "postings", "vectors"):
            if schema.has_table(place, table):
                with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
                    run(
                        place.db,
                        place.sql(f"VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) {{{table}}}"),
                    )

    def _index_vectors(self) -> None:
        """Have an index over many vectors made, in the background and without holding any lock."""
        try:
            with self._reading() as db:
                live = self._live(db)
                if live is None or not vectors.wants_index(
                    live.place, live.fingerprint.dims, live.chunks
                ):
                    return
        except StoreError:
            return
        thread = threading.Thread(
            target=self._make_index, args=(live,), name="memdown-vectors", daemon=True
        )
        thread.start()

    def _make_index(self, live: Live) -> None:
        try:
            with mapped(self._place_name), contextlib.closing(connect(self._url, None)) as db:
                vectors.make_index(db, live.place, live.fingerprint.dims or 0, live.chunks)
        except StoreError as error:
            log.info("The index over vectors was not made: %s", error)
