"""The PostgreSQL store: one agent's index on a server that many agents and hosts share."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes

import psycopg

from memdown.errors import ConfigError, IndexBusy, StoreError
from memdown.files.failpoints import reach
from memdown.index.dims import dims_of
from memdown.index.mirror import Mirror, State
from memdown.index.postgres import cache, schema, tables, vectors
from memdown.index.postgres.connection import (
    Connection,
    Pool,
    checked_url,
    connect,
    mapped,
    one,
    reading_pool,
    run,
    shown,
)
from memdown.index.postgres.place import Place
from memdown.index.postgres.reading import PostgresOrigin
from memdown.index.postgres.snapshot import PostgresSnapshot
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)

log = logging.getLogger("memdown")

SCHEMA = "memdown"
_CLOSED = "This memory is closed; open it again with Memory.open."


def create(
    url: str | None,
    *,
    read_url: str | None = None,
    agent: str = "main",
    schema: str = SCHEMA,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
) -> PostgresStore:
    """A store on the server at `url`; searches read from `read_url`, if there is one."""
    if not url:
        raise ConfigError(
            "memorySearch.store.driver is postgres, but there is no address: set "
            "memorySearch.store.url or the variable MEMDOWN_POSTGRES_URL."
        )
    write = checked_url(url, "memorySearch.store.url")
    read = checked_url(read_url, "memorySearch.store.readUrl") if read_url else None
    return PostgresStore(write, read, agent, schema, vector_enabled, cache_entries)


class PostgresStore:
    """One agent's index. Many threads, processes and hosts may read while one writes."""

    def __init__(
        self,
        url: str,
        read_url: str | None,
        agent: str,
        schema_name: str,
        vector_enabled: bool,
        cache_entries: int,
    ) -> None:
        self._url = url
        self._agent = agent
        self._schema = schema_name
        self._place_name = shown(url)
        self._vector_enabled = vector_enabled
        self._vector_error: str | None = None if vector_enabled else "turned off in the settings"
        self._cache_entries = cache_entries
        self._pool = reading_pool(url)
        self._replica = reading_pool(read_url) if read_url else None
        self._opened: set[int] = set()
        self._pool_lock = threading.Lock()
        self._writer: Connection | None = None
        self._writer_lock = threading.RLock()
        self._is_writing = 0
        self._looked_for_vectors = False
        self._has_schema = False
        self._mirror = Mirror(self._origin)
        self._known_files: tuple[object, dict[str, FileState]] | None = None
        self._closed = False

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._reading() as db:
            found = self._live(db)
            return found[2] if found else None

    def state(self) -> object:
        """What tells one state of the index from another: any change makes a new one."""
        with self._reading() as db:
            found = self._live(db)
            return None if found is None else (found[0].generation, found[1])

    def files(self) -> dict[str, FileState]:
        """Every indexed file."""
        with self._reading() as db:
            found = self._live(db)
            if found is None:
                return {}
            place, revision, _ = found
            state = (place.generation, revision)
            known = self._known_files
            if known is None or known[0] != state:
                known = self._known_files = (state, tables.read_files(place))
            return dict(known[1])

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        if not self._cache_entries or not digests:
            return {}
        with self._writing_to() as db:
            return cache.read(self._at(db), key, digests)

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later and for every agent, whatever happens to the index."""
        if not self._cache_entries or not digests:
            return
        with self._writing_to() as db, db.transaction():
            cache.write(self._at(db), key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._reading() as db:
            found = self._live(db)
            return 0 if found is None else tables.stored_prefix(found[0], path, chunks, embedded)

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file in one transaction; its first `keep` chunks are there already."""
        self.replace_all([IndexedFile(file, chunks, vectors, keep)])

    def replace_all(self, files: Sequence[IndexedFile]) -> None:
        """Store several files in one transaction."""
        self._write(None, files)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._writing_to() as db:
            found = self._live(db)
            return None if found is None else tables.last_chunk(found[0], path)

    def extend(
        self, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
    ) -> None:
        """Store a file that grew, in one transaction: rows from number `key` on are replaced."""
        self._write(None, [IndexedFile(file, chunks, vectors)], key)

    def touch(self, *files: FileState) -> None:
        """Keep the rows of files whose content is the same, with their new facts."""
        with self._changing() as (place, _):
            for file in files:
                tables.write_file(place, file)

    def remove(self, paths: Sequence[str]) -> None:
        """Forget files."""
        for path in paths:
            with self._changing() as (place, _):
                tables.remove_file(place, path)
                reach("index.removing")

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        with self._writing_to() as db, db.transaction():
            found = self._live(db)
            place = found[0] if found else tables.new_generation(self._at(db))
            tables.write_agent(place, fingerprint)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        with self._writing_to() as db:
            with db.transaction():
                place = tables.new_generation(self._at(db))
            reach("rebuild.begun")
            target = Rebuild(self, place, fingerprint)
            try:
                yield target
                self._index_vectors(place, target.fingerprint.dims)
                reach("rebuild.before_flip")
                with db.transaction():
                    tables.write_agent(place, target.fingerprint)
                    reach("rebuild.in_flip")
                reach("rebuild.after_flip")
            finally:
                # Whichever generation is not live now: the old one, or the unfinished new one.
                with contextlib.suppress(psycopg.Error):
                    self._clear_leftovers(db)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        """One unchanging view for one search, from the replica if there is one that can answer."""
        with self._reading(replica=True) as db:
            run(db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                found = self._live(db)
                if found is None:
                    raise StoreError(
                        f"There is no index of {self._agent} on {self._place_name} yet: run "
                        "`memdown index`."
                    )
                self._look_for_vectors(db)
                yield PostgresSnapshot(self._place_name, self._mirror, self._seen(*found))
            finally:
                if not db.closed:
                    db.rollback()

    @contextlib.contextmanager
    def _origin(self) -> Iterator[PostgresOrigin]:
        """What the mirror reads, on a connection of its own."""
        with self.snapshot() as snapshot:
            yield snapshot.origin

    def _seen(self, place: Place, revision: int, fingerprint: Fingerprint) -> PostgresOrigin:
        dims = fingerprint.dims if self._vector_error is None else None
        return PostgresOrigin(place, State(place.generation, dims, revision))

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer of this agent among all hosts; False when another still is.

        The lock belongs to the connection that writes: when the server goes away, the lock and
        the right to write are lost together.
        """
        with self._writing_to() as db:
            acquired = self._lock(db, timeout)
            self._is_writing += acquired
            try:
                if acquired:
                    self._clear_leftovers(db)
                yield acquired
                if acquired:
                    found = self._live(db)
                    if found is not None:
                        self._index_vectors(found[0], found[2].dims)
            finally:
                self._is_writing -= acquired
                if acquired and not db.closed:
                    with contextlib.suppress(psycopg.Error):
                        run(db, "SELECT pg_advisory_unlock(%s)", (self._lock_number,))

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._reading() as db:
            found = self._live(db)
            place = found[0] if found else None
            there = schema.version(db, self._schema) > 0
            if there:
                self._look_for_vectors(db)
            return StoreStatus(
                files=tables.count_by_source(place, "files") if place else {},
                chunks=tables.count_by_source(place, "chunks") if place else {},
                cache_entries=cache.count(self._at(db)) if there else 0,
                fts_available=True,
                fts_error=None,
                vector_available=self._vector_error is None,
                vector_error=self._vector_error,
                dims=found[2].dims if found else None,
                location=f"{self._place_name} ({self._schema}, {self._agent})",
                size_bytes=tables.size_of(place) if place else 0,
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._reading() as db:
            found = self._live(db)
            return found is not None and bool(tables.other_generations(found[0]))

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._reading() as db:
            found = self._live(db)
            return tables.problems(found[0]) if found else []

    def set_aside(self) -> str | None:
        """Delete this agent's rows, so that a new index can be made; the cache stays."""
        with self._writing_to() as db, db.transaction():
            place = self._at(db)
            gone = run(
                db,
                place.sql("DELETE FROM {s}.agents WHERE agent_id = %s RETURNING live"),
                (self._agent,),
            )
            self._clear_leftovers(db)
            self._known_files = None
        return f"deleted from {self._place_name}" if gone else None

    def close(self) -> None:
        """Close every connection; a closed store cannot be used again."""
        self._closed = True
        self._mirror.close()
        with self._writer_lock, self._pool_lock:
            if self._writer is not None:
                self._writer.close()
            self._writer = None
            for pool in (self._pool, self._replica):
                if pool is not None and id(pool) in self._opened:
                    pool.close()

    def _write(
        self, place: Place | None, files: Sequence[IndexedFile], key: int | None = None
    ) -> None:
        """Write files into a generation, None is the live one; with `key` rows from there on."""
        if place is not None:
            with self._writing_to() as db, db.transaction():
                tables.replace_files(place, files, key, 0, "rebuild.file")
            return
        with self._changing() as (live, revision):
            tables.replace_files(live, files, key, revision, "index.file")
            found = self._live(live.db)
            dims = dims_of(files)
            if found and found[2].dims is None and dims:
                tables.write_agent(live, with_changes(found[2], dims=dims))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[Place, int]]:
        """The live generation inside one transaction, which no other writer of it overlaps.

        The second value is the number of the revision that the transaction makes.
        """
        with self._writing_to() as db, db.transaction():
            run(db, "SELECT pg_advisory_xact_lock(%s)", (self._lock_number + 1,))
            found = self._live(db)
            if found is None:
                raise StoreError(f"There is no index of {self._agent} on {self._place_name} yet.")
            yield found[0], tables.next_revision(found[0])

    @contextlib.contextmanager
    def _writing_to(self) -> Iterator[Connection]:
        with self._writer_lock, mapped(self._place_name):
            if self._closed:
                raise StoreError(_CLOSED)
            if self._writer is not None and self._writer.closed:
                if self._is_writing:
                    raise IndexBusy(
                        f"The connection to {self._place_name} was lost while writing; what was "
                        "written is kept, run `memdown index` again."
                    )
                self._writer = None
            if self._writer is None:
                self._writer = connect(self._url)
                schema.migrate(self._writer, self._schema)
            yield self._writer

    @contextlib.contextmanager
    def _reading(self, *, replica: bool = False) -> Iterator[Connection]:
        with mapped(self._place_name):
            pool = self._replica if replica and self._replica else self._pool
            db = self._take(pool)
            if db is None:
                pool = self._pool
                db = pool.getconn()
            try:
                yield db
            finally:
                pool.putconn(db)

    def _take(self, pool: Pool) -> Connection | None:
        """A connection of the pool; None if it is a replica's that cannot answer for this agent."""
        with self._pool_lock:
            if self._closed:
                raise StoreError(_CLOSED)
            for each in (pool, self._pool):
                if id(each) not in self._opened:
                    each.open()
                    self._opened.add(id(each))
        if pool is self._pool:
            return pool.getconn()
        try:
            db = pool.getconn()
        except psycopg.OperationalError as error:
            log.warning("The replica cannot be reached, the server itself answers: %s", error)
            return None
        try:
            if self._live(db) is not None:
                return db
        except psycopg.Error as error:
            log.warning("The replica cannot answer, the server itself does: %s", error)
        pool.putconn(db)
        return None

    def _at(self, db: Connection) -> Place:
        return Place(db, self._schema, self._agent, 0)

    def _live(self, db: Connection) -> tuple[Place, int, Fingerprint] | None:
        if not self._has_schema:
            if schema.version(db, self._schema) < schema.VERSION:
                return None
            self._has_schema = True
        return tables.read_agent(db, self._schema, self._agent)

    def _look_for_vectors(self, db: Connection) -> None:
        if self._vector_enabled and not self._looked_for_vectors:
            has = schema.has_vectors(db)
            self._vector_error = None if has else "the extension vector is not installed"
            self._looked_for_vectors = True

    def _clear_leftovers(self, db: Connection) -> None:
        for number in tables.other_generations(self._at(db)):
            with db.transaction():
                tables.drop_generation(Place(db, self._schema, self._agent, number))

    def _index_vectors(self, place: Place, dims: int | None) -> None:
        if dims is not None and self._vector_error is None and schema.has_vectors(place.db):
            with place.db.transaction():
                vectors.make_index(place, dims)

    @property
    def _lock_number(self) -> int:
        text = f"{self._schema}/{self._agent}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:7], "big") * 2

    def _lock(self, db: Connection, timeout: float) -> bool:
        """Take the lock in the order of asking: who only tried now and then might never get it."""
        if one(db, "SELECT pg_try_advisory_lock(%s)", (self._lock_number,)):
            return True
        if timeout <= 0:
            return False
        run(db, "SELECT set_config('lock_timeout', %s, false)", (f"{max(1, int(timeout * 1000))}",))
        try:
            run(db, "SELECT pg_advisory_lock(%s)", (self._lock_number,))
        except psycopg.errors.LockNotAvailable:
            return False
        finally:
            if not db.closed:
                run(db, "SET lock_timeout = 0")
        return True


class Rebuild:
    """The writer of the generation that is being made."""

    def __init__(self, store: PostgresStore, place: Place, fingerprint: Fingerprint) -> None:
        self._store = store
        self._place = place
        self.fingerprint = fingerprint

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:  # noqa: ARG002
        """Nothing is stored yet."""
        return 0

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file in one transaction."""
        self.replace_all([IndexedFile(file, chunks, vectors, keep)])

    def replace_all(self, files: Sequence[IndexedFile], key: int | None = None) -> None:
        """Store several files in one transaction."""
        self._store._write(self._place, files, key)
        dims = dims_of(files)
        if dims:
            self.fingerprint = with_changes(self.fingerprint, dims=dims)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk among those written so far."""
        with self._store._writing_to():
            return tables.last_chunk(self._place, path)

    def extend(
        self, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
    ) -> None:
        """Store more of a file in one transaction."""
        self.replace_all([IndexedFile(file, chunks, vectors)], key)

    def touch(self, *files: FileState) -> None:
        """Note the new facts of files that are written already."""
        with self._store._writing_to() as db, db.transaction():
            for file in files:
                tables.write_file(self._place, file)

    def remove(self, paths: Sequence[str]) -> None:
        """Not needed: what is gone is never written."""
