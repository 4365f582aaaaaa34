"""Connections to a server, and its errors as ours, each with what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, LiteralString, TypeAlias

import psycopg
import psycopg_pool
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memdown.errors import ConfigError, DiskFull, IndexBusy, IndexCorrupt, StoreError

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Pool: TypeAlias = psycopg_pool.ConnectionPool[Connection]
Statement: TypeAlias = LiteralString | sql.Composed | sql.SQL

_CONNECT_SECONDS = 10
_READ_SECONDS = 30
_WRITE_SECONDS = 600
_DAMAGED = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.DataCorrupted,
    errors.IndexCorrupted,
)


def run(
    db: Connection, statement: Statement, values: Sequence[object] = (), *, binary: bool = False
) -> list[Any]:
    """Run one statement and return all of its rows; `binary` is faster where blobs are read."""
    cursor = db.execute(statement, values or None, binary=binary)
    return cursor.fetchall() if cursor.description else []


def one(db: Connection, statement: Statement, values: Sequence[object] = ()) -> Any:
    """The first value of the first row, or None."""
    rows = run(db, statement, values)
    return rows[0][0] if rows else None


def checked_url(url: str, key: str) -> str:
    """The address with our own time limits; a malformed one is an error that does not show it."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ConfigError(
            f"{key} is no address of a PostgreSQL server; write it like "
            "postgresql://user@host:5432/database."
        ) from None
    ours: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "keepalives_idle": 30,
        "application_name": "memdown",
    }
    return make_conninfo(**{**ours, **given})


def shown(url: str) -> str:
    """An address as it may be shown: without its password."""
    given = conninfo_to_dict(url)
    host, port = given.get("host") or "localhost", given.get("port") or 5432
    return f"postgresql://{host}:{port}/{given.get('dbname') or ''}"


def connect(url: str) -> Connection:
    """A connection for writing."""
    return psycopg.connect(
        url, autocommit=True, options=f"-c statement_timeout={_WRITE_SECONDS * 1000}"
    )


def reading_pool(url: str) -> Pool:
    """Connections for reading, made when they are needed and checked before each use."""
    return psycopg_pool.ConnectionPool(
        url,
        kwargs={"autocommit": True, "options": f"-c statement_timeout={_READ_SECONDS * 1000}"},
        min_size=0,
        max_size=16,
        open=False,
        timeout=_CONNECT_SECONDS,
        reconnect_timeout=_CONNECT_SECONDS,
        check=psycopg_pool.ConnectionPool.check_connection,
        name="memdown",
    )


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
            f"{place} refuses ({_first_line(error)}); give the user the right to create a schema, "
            "or let its owner run `memdown index` once."
        ) from error
    except (psycopg.OperationalError, psycopg_pool.PoolTimeout) as error:
        raise StoreError(
            f"{place} cannot be reached ({_first_line(error)}); check that the server runs and "
            "that memorySearch.store.url is right."
        ) from error
    except psycopg.Error as error:
        raise StoreError(f"The index on {place} cannot be used: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
