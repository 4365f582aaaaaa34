"""One agent's way to its tables: connections, the lock of its one writer, the generation that is live."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg import sql

from memdown.errors import IndexBusy, StoreError
from memdown.index.manifest import Manifest
from memdown.index.postgres import generations, schema
from memdown.index.postgres.connection import (
    READ_SECONDS,
    WRITE_SECONDS,
    Breaker,
    Connection,
    Connections,
    Place,
    connect,
    mapped,
    one,
    run,
    shown,
    transaction,
)
from memdown.index.postgres.generations import Live

log = logging.getLogger("memdown")

_CLOSED = "This memory is closed; open it again with Memory.open."


class Link:
    """The tables of one agent on a server, and which of its indexes this host uses. Thread-safe.

    `manifest` is what this host knows of its own files; None if the index is of this host alone.
    """

    def __init__(
        self,
        url: str,
        read_url: str | None,
        agent: str,
        schema_name: str,
        manifest: Manifest | None,
    ) -> None:
        self.url = url
        self.agent = agent
        self.schema = schema_name
        self.manifest = manifest
        self.server = shown(url)
        self.variant: str | None = None
        self._reads = Connections(url, READ_SECONDS)
        self._replica = Connections(read_url, READ_SECONDS) if read_url else None
        self._replica_breaker = Breaker()
        self._writer: Connection | None = None
        self._writer_lock = threading.RLock()
        self._epoch: int | None = None
        self._has_schema = False
        self._closed = False

    def at(self, db: Connection) -> Place:
        """The agent's place, of no generation yet."""
        return Place(db, self.schema, self.agent)

    def live(self, db: Connection) -> Live | None:
        """The live generation of the variant that this host uses; None if there is none."""
        if not self._has_schema:
            if not schema.is_readable(db, self.schema):
                return None
            self._has_schema = True
        return generations.read_live(self.at(db), self._used_variant())

    def peek(self) -> Live | None:
        """The same by one way to the server and back; its place is not to be read from."""
        if not self._has_schema or self._closed:
            with self.reading() as db:
                return self.live(db)
        with mapped(self.server):
            which = generations.find_live(self.schema, self.agent, self._used_variant())
            db, rows = self._reads.ask(which)
            return generations.live_of(self.at(db), rows)

    def _used_variant(self) -> str | None:
        if self.manifest is None:
            return None
        if self.variant is None:
            self.variant = self.manifest.variant()
        return self.variant

    def choose(self, variant: str) -> None:
        """Use this variant from now on."""
        self.variant = variant
        if self.manifest is not None:
            self.manifest.choose(variant)

    @contextlib.contextmanager
    def reading(self, *, replica: bool = False) -> Iterator[Connection]:
        """A connection inside a read transaction, to the replica if one is wanted and can answer."""
        if self._closed:
            raise StoreError(_CLOSED)
        with mapped(self.server), contextlib.ExitStack() as stack:
            db = None
            if replica and self._replica is not None and not self._replica_breaker.is_open:
                db = self._from_replica(self._replica, stack)
            yield db or stack.enter_context(self._reads.reading())

    def ask_aside(self, statements: Sequence[sql.Composable], deadline: float) -> list[list[Any]]:
        """The rows of statements, on another connection than the one that reads meanwhile."""
        if self._closed:
            raise StoreError(_CLOSED)
        return self._reads.ask_all(statements, deadline)

    @property
    def has_replica(self) -> bool:
        """Whether searches may read from another server."""
        return self._replica is not None

    @contextlib.contextmanager
    def seeing(self) -> Iterator[Live | None]:
        """The live generation inside a read transaction, from the replica if there is one."""
        if self._replica is not None or not self._has_schema or self._closed:
            with self.reading(replica=True) as db:
                yield self.live(db)
            return
        which = generations.find_live(self.schema, self.agent, self._used_variant())
        with mapped(self.server), self._reads.reading_first(which) as (db, rows):
            yield generations.live_of(self.at(db), rows)

    def _from_replica(self, replica: Connections, stack: contextlib.ExitStack) -> Connection | None:
        """A connection to the replica; None if it cannot answer for this agent."""
        try:
            with contextlib.ExitStack() as attempt:
                db = attempt.enter_context(replica.reading())
                if self.live(db) is not None:
                    stack.push(attempt.pop_all())
                    return db
        except psycopg.Error as error:
            log.warning("The replica cannot answer, the server itself does: %s", error)
            self._replica_breaker.failed()
        return None

    @contextlib.contextmanager
    def using(self) -> Iterator[Connection]:
        """The connection for writing; one that was lost is replaced."""
        with self._writer_lock, mapped(self.server):
            if self._closed:
                raise StoreError(_CLOSED)
            if self._writer is None or self._writer.closed or self._writer.broken:
                self._writer = connect(self.url, WRITE_SECONDS)
                schema.migrate(self._writer, self.schema)
            try:
                yield self._writer
            except psycopg.OperationalError:
                self._writer.close()
                raise

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """The connection for writing inside one transaction."""
        with self.using() as db, transaction(db):
            yield db

    @contextlib.contextmanager
    def changing(self) -> Iterator[tuple[Live, int]]:
        """The live generation inside one transaction, which no other writer of it overlaps.

        The second value is the number of the revision that the transaction makes.
        """
        with self.transaction() as db:
            run(db, "SELECT pg_advisory_xact_lock(%s)", (self.change_lock,))
            self.check_epoch(db)
            live = self.live(db)
            if live is None:
                raise StoreError(f"There is no index of {self.agent} on {self.server} yet.")
            yield live, generations.next_revision(live)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[bool]:
        """Be the one writer of this agent among all hosts; False when another still is.

        The lock is a transaction on a connection of its own, which poolers understand. If that
        connection is lost another may become the writer, and then writes of this one are refused.
        """
        with mapped(self.server), self._lock(timeout) as acquired:
            if not acquired:
                yield False
                return
            with self.transaction() as db:
                self._epoch = one(
                    db,
                    self.at(db).sql(
                        "INSERT INTO {s}.tenants (agent_id, epoch) VALUES (%s, 1) ON CONFLICT "
                        "(agent_id) DO UPDATE SET epoch = tenants.epoch + 1 RETURNING epoch"
                    ),
                    (self.agent,),
                )
            try:
                yield True
            finally:
                self._epoch = None

    def check_epoch(self, db: Connection) -> None:
        """Refuse to write if another process has become the writer since."""
        if self._epoch is None:
            return
        now = one(
            db,
            self.at(db).sql("SELECT epoch FROM {s}.tenants WHERE agent_id = %s FOR SHARE"),
            (self.agent,),
        )
        if now != self._epoch:
            raise IndexBusy(
                f"The connection to {self.server} was lost while writing, and another process "
                "writes now; what was written is kept, run `memdown index` again."
            )

    def close(self) -> None:
        """Close every connection; a closed link cannot be used again."""
        self._closed = True
        with self._writer_lock:
            if self._writer is not None:
                self._writer.close()
            self._writer = None
        for reads in (self._reads, self._replica):
            if reads is not None:
                reads.close()
        if self.manifest is not None:
            self.manifest.close()

    @contextlib.contextmanager
    def _lock(self, timeout: float) -> Iterator[bool]:
        """Take the lock in the order of asking: who only tried now and then might never get it."""
        if self._closed:
            raise StoreError(_CLOSED)
        db = connect(self.url, READ_SECONDS)
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
    def change_lock(self) -> int:
        """The lock that every transaction takes which changes the live generation."""
        return self._lock_number + 1

    @property
    def _lock_number(self) -> int:
        text = f"{self.schema}/{self.agent}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:7], "big") * 2
