"""Connections to a server, every wait with a limit, and its errors as ours, each with what to do."""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, TypeAlias, TypeVar

import psycopg
from psycopg import errors, sql
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memdown.errors import ConfigError, DiskFull, IndexBusy, IndexCorrupt, StoreError

Statement: TypeAlias = LiteralString | sql.Composed | sql.SQL
_Result = TypeVar("_Result")

CONNECT_SECONDS = 10
# For a replica: the server itself can answer instead.
REPLICA_CONNECT_SECONDS = 2
READ_SECONDS = 20.0
WRITE_SECONDS = 300.0
# The server gives up first and says why; a server that is frozen says nothing.
_GRACE_SECONDS = 5.0
# How long a search waits for what it can do without, and then for the server to stop working on it.
PATIENCE_SECONDS = 1.5
_CANCEL_SECONDS = 0.3
_POLL_SECONDS = 0.2
_MOST_IDLE = 8
# The server is there, and says no; psycopg has no code for what went wrong before there was a connection.
_REFUSED = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|permission denied"
    r"|(role|database) .* does not exist|not permitted to log in"
)
_DAMAGED = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.DataCorrupted,
    errors.IndexCorrupted,
)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the driver has something to say: what it ignores after a connection is lost, is told by our error."""
    return not record.getMessage().startswith("error ignored")


logging.getLogger("psycopg").addFilter(_is_news)


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which no answer is awaited longer than `seconds`; None waits for ever.

    What runs when `until` comes, a time of the monotonic clock, is cancelled.
    """

    seconds: float | None = READ_SECONDS
    until: float | None = None

    def wait(
        self, gen: PQGen[_Result], interval: float = 0.1, timeout: float | None = None
    ) -> _Result:
        """Wait for the server; a connection whose server is silent is closed."""
        limit = timeout
        if limit is None and self.until is not None:
            limit = max(0.0, self.until - time.monotonic())
        elif limit is None and self.seconds is not None:
            limit = self.seconds + _GRACE_SECONDS
        try:
            try:
                return super().wait(gen, interval, limit)
            except errors._WaitTimeout:
                if timeout is not None or self.until is None:
                    raise
                # What is left to do, such as going back to a savepoint, has time again.
                self.until = None
                self._try_cancel(timeout=_CANCEL_SECONDS)
                return super().wait(gen, interval, _CANCEL_SECONDS)
        except errors._WaitTimeout as error:
            if timeout is not None:
                raise
            self.pgconn.finish()
            raise psycopg.OperationalError(
                f"the server has not answered for {limit:.1f} seconds"
            ) from error


@contextlib.contextmanager
def until(db: Connection, deadline: float) -> Iterator[None]:
    """What runs on a connection meanwhile is given up at this time of the monotonic clock."""
    db.until = deadline
    try:
        yield
    finally:
        db.until = None


def run(
    db: Connection, statement: Statement, values: Sequence[object] = (), *, binary: bool = False
) -> list[Any]:
    """Run one statement and return all of its rows; `binary` is faster where blobs are read."""
    cursor = db.execute(statement, values or None, binary=binary)
    return cursor.fetchall() if cursor.description else []


def run_guarded(db: Connection, statements: Sequence[sql.Composable]) -> list[list[Any]]:
    """Run statements inside a transaction, all as one message; the rows of each that has any.

    If one fails, the transaction goes on as if none had been run.
    """
    guarded = [sql.SQL("SAVEPOINT guarded"), *statements, sql.SQL("RELEASE guarded")]
    try:
        return _results(db, sql.SQL("; ").join(guarded))
    except psycopg.Error:
        if not db.closed:
            run(db, "ROLLBACK TO SAVEPOINT guarded")
        raise


def _results(db: Connection, message: sql.Composed) -> list[list[Any]]:
    """The rows of each statement of a message that has any."""
    cursor = db.execute(message)
    found = []
    while True:
        if cursor.description:
            found.append(cursor.fetchall())
        if not cursor.nextset():
            return found


def numbers(values: Iterable[int]) -> str:
    """Numbers as one value: there may be hundreds, which the driver would write one by one."""
    return f"{{{','.join(map(str, values))}}}"


def one(db: Connection, statement: Statement, values: Sequence[object] = ()) -> Any:
    """The first value of the first row, or None."""
    rows = run(db, statement, values)
    return rows[0][0] if rows else None


def checked_url(url: str, key: str, connect_seconds: int = CONNECT_SECONDS) -> str:
    """The address with our own time limits; a malformed one is an error that does not show it."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ConfigError(
            f"{key} is no address of a PostgreSQL server; write it like "
            "postgresql://user@host:5432/database."
        ) from None
    ours: dict[str, Any] = {
        "connect_timeout": connect_seconds,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
        "application_name": "memdown",
    }
    return make_conninfo(**{**ours, **given})


def shown(url: str) -> str:
    """An address as it may be shown: without its password."""
    given = conninfo_to_dict(url)
    host, port = given.get("host") or "localhost", given.get("port") or 5432
    return f"postgresql://{host}:{port}/{given.get('dbname') or ''}"


def connect(url: str, seconds: float | None) -> Connection:
    """A connection on which every statement is given up after so many seconds.

    Nothing is prepared on the server: a generic plan locks every table that it might read, and
    poolers hand a connection on after each transaction.
    """
    db = Connection.connect(url, autocommit=True, prepare_threshold=None)
    db.seconds = seconds
    return db


@contextlib.contextmanager
def transaction(
    db: Connection, *, read_only: bool = False, first: sql.Composable | None = None
) -> Iterator[list[list[Any]]]:
    """One transaction with the connection's own time limit, also through a pooler.

    Beginning, limit and the `first` statement, whose rows it gives, are one message, since every
    message is a way to the server and back.
    """
    begin = _begin(db, read_only=read_only)
    found = _results(db, sql.SQL("; ").join([begin, *([first] if first is not None else [])]))
    try:
        yield found
    except BaseException:
        if not db.closed:
            with contextlib.suppress(psycopg.Error):
                run(db, "ROLLBACK")
        raise
    if not (read_only and db.closed):
        run(db, "ROLLBACK" if read_only else "COMMIT")


def begin_again(db: Connection) -> None:
    """End a read transaction in which a statement was given up, and begin another."""
    run(db, "ROLLBACK")
    run(db, _begin(db, read_only=True))


@contextlib.contextmanager
def holding(url: str, number: int, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock while other connections work; False if another has it, unless one shall `wait`.

    The lock is a transaction on a connection of its own: through a pooler, what a session locks
    may never be unlocked, since each statement may come to another session.
    """
    with contextlib.closing(connect(url, READ_SECONDS)) as db:
        while not (held := _try_to_lock(db, number)) and wait:
            # Who waits inside a query keeps a snapshot, and making an index waits for all snapshots: also
            # the one who has this lock would wait for ever.
            run(db, "ROLLBACK")
            time.sleep(_POLL_SECONDS)
        yield held


def _try_to_lock(db: Connection, number: int) -> bool:
    run(db, "BEGIN")
    held = bool(one(db, "SELECT pg_try_advisory_xact_lock(%s)", (number,)))
    # The query above would keep its snapshot.
    run(db, "SET LOCAL lock_timeout = 0")
    return held


def is_pooled(db: Connection) -> bool:
    """Whether a pooler stands between: it gives each client a number that is no server process's."""
    return bool(one(db, "SELECT pg_backend_pid()") != db.info.backend_pid)


def _begin(db: Connection, *, read_only: bool) -> sql.SQL:
    mode = " ISOLATION LEVEL REPEATABLE READ READ ONLY" if read_only else ""
    limit = int((db.seconds or 0) * 1000)
    return sql.SQL(f"BEGIN{mode}; SET LOCAL statement_timeout = {limit}")


class Connections:
    """Connections for reading: made when they are needed, kept for the next search. Thread-safe."""

    def __init__(self, url: str, seconds: float) -> None:
        self._url = url
        self._seconds = seconds
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection inside a read transaction; one that broke while idle is replaced."""
        db, begun = self._tried(_begun)
        try:
            with begun:
                yield db
        finally:
            self._give_back(db)

    @contextlib.contextmanager
    def reading_first(self, statement: sql.Composed) -> Iterator[tuple[Connection, list[Any]]]:
        """The same, and the rows of its first statement: beginning and statement are one message."""

        def begun(db: Connection) -> tuple[contextlib.ExitStack, list[Any]]:
            stack = contextlib.ExitStack()
            (rows,) = stack.enter_context(transaction(db, read_only=True, first=statement))
            return stack, rows

        db, (stack, rows) = self._tried(begun)
        try:
            with stack:
                yield db, rows
        finally:
            self._give_back(db)

    def ask(self, statement: sql.Composed) -> tuple[Connection, list[Any]]:
        """The rows of one statement in a read transaction of its own, all of it as one message.

        The connection that answered is another's again.
        """
        db, rows = self._tried(lambda db: _asked(db, statement))
        self._give_back(db)
        return db, rows

    def ask_all(self, statements: Sequence[sql.Composable], deadline: float) -> list[list[Any]]:
        """The rows of each statement that has any, in a read transaction of their own, as one message.

        What runs at the deadline, a time of the monotonic clock, is cancelled.
        """
        with self._lock:
            db = self._idle.pop() if self._idle else None
        db = db or connect(self._url, self._seconds)
        try:
            whole = [_begin(db, read_only=True), *statements, sql.SQL("ROLLBACK")]
            with until(db, deadline):
                found = _results(db, sql.SQL("; ").join(whole))
        except errors.QueryCanceled:
            # A server that is slow would have even more to do if everybody connected anew.
            _roll_back(db)
            self._give_back(db)
            raise
        except BaseException:
            db.close()
            raise
        self._give_back(db)
        return found

    def close(self) -> None:
        """Close what is idle, and what is given back later."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    def _tried(self, begin: Callable[[Connection], _Result]) -> tuple[Connection, _Result]:
        """A connection and what was begun on it; one that broke while idle is replaced."""
        while True:
            with self._lock:
                db = self._idle.pop() if self._idle else None
            fresh = db is None
            db = db or connect(self._url, self._seconds)
            try:
                if fresh:
                    return db, begin(db)
                # Behind one that was idle the server may be frozen or gone.
                with until(db, time.monotonic() + PATIENCE_SECONDS):
                    return db, begin(db)
            except psycopg.OperationalError:
                db.close()
                if fresh:
                    raise
            except BaseException:
                db.close()
                raise

    def _give_back(self, db: Connection) -> None:
        with self._lock:
            is_kept = not (db.closed or self._closed) and len(self._idle) < _MOST_IDLE
            if is_kept:
                self._idle.append(db)
        if not is_kept:
            db.close()


def _roll_back(db: Connection) -> None:
    """End a transaction in which something went wrong; a connection that cannot is closed."""
    try:
        run(db, "ROLLBACK")
    except psycopg.Error:
        db.close()


def _begun(db: Connection) -> contextlib.ExitStack:
    begun = contextlib.ExitStack()
    begun.enter_context(transaction(db, read_only=True))
    return begun


def _asked(db: Connection, statement: sql.Composed) -> list[Any]:
    whole = [_begin(db, read_only=True), statement, sql.SQL("ROLLBACK")]
    (rows,) = _results(db, sql.SQL("; ").join(whole))
    return rows


class Breaker:
    """Keeps from asking again, for a while, what has just failed."""

    def __init__(self, seconds: float = 30.0) -> None:
        self._seconds = seconds
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether it failed so recently that asking again is not worth the wait."""
        return time.monotonic() < self._until

    def failed(self) -> None:
        """Note a failure."""
        self._until = time.monotonic() + self._seconds


@contextlib.contextmanager
def mapped(place: str) -> Iterator[None]:
    """Turns the errors of a block into ours."""
    try:
        yield
    except _DAMAGED as error:
        raise IndexCorrupt(
            f"The index on {place} is damaged ({_first_line(error)}); rebuild it with "
            "`memdown index --force`."
        ) from error
    except errors.DiskFull as error:
        raise DiskFull(
            f"No space left on {place}; free some there and run `memdown index` again "
            "(your notes are untouched)."
        ) from error
    except (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected) as error:
        raise IndexBusy(
            f"{place} took too long ({_first_line(error)}); try again when it has less to do."
        ) from error
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{place} refuses ({_first_line(error)}); let the owner of the tables run "
            "`memdown store init`, with --role for a role that is not the owner."
        ) from error
    except psycopg.OperationalError as error:
        reason = _first_line(error)
        if _REFUSED.search(reason):
            raise StoreError(
                f"{place} refuses the connection ({_without_address(reason)}); check the user, the "
                "password and the database in memorySearch.store.url."
            ) from error
        raise StoreError(
            f"{place} cannot be reached ({_without_address(reason)}); check that the server runs "
            "and that memorySearch.store.url is right."
        ) from error
    except psycopg.Error as error:
        raise StoreError(f"The index on {place} cannot be used: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _without_address(reason: str) -> str:
    """The reason why no connection was made; the address is told already."""
    return re.sub(
        r"^connection failed: (connection to server .*? failed: )?(FATAL:\s*)?", "", reason
    )


# Tables that a shelf may have; a shelf is a set of tables, shared by agents or of one generation.
SHELF_TABLES = ("files", "chunks", "postings", "vectors", "lists")


@dataclass(frozen=True, slots=True)
class Place:
    """One generation of one agent's index, seen through one connection.

    Statements name the tables of its shelf, never a parent of all: no plan can lock other agents'.
    With `has_vectors` the server can compare its vectors.
    """

    db: Connection
    schema: str
    agent: str
    generation: int = 0
    shelf: str = ""
    has_vectors: bool = False

    def sql(self, statement: str, **values: object) -> sql.Composed:
        """A statement in which `{s}` stands for the schema and `{files}` … for the shelf's tables.

        `values` are written into it: for one of several statements of a message.
        """
        tables: dict[str, object] = {
            name: sql.Identifier(self.schema, f"{name}_{self.shelf}") for name in SHELF_TABLES
        }
        return sql.SQL(statement).format(s=sql.Identifier(self.schema), **{**tables, **values})

    @property
    def is_own_shelf(self) -> bool:
        """Whether its tables hold nothing else."""
        return self.shelf.startswith("own")
