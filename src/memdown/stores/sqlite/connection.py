"""Connections to the index file: opened the same way everywhere, errors mapped to ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from memdown.errors import DiskFull, IndexBusy, IndexCorrupt, StoreError

_BUSY_MS = 5_000


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """A connection in WAL mode; creates the file (0600) and its folder (0700) unless read-only."""
    with mapped(path):
        if read_only:
            return _connect_read_only(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives the -wal and -shm files the mode of the database file.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        db = apsw.Connection(str(path))
        try:
            db.set_busy_timeout(_BUSY_MS)
            for pragma in (
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = NORMAL",
                "PRAGMA temp_store = MEMORY",
                "PRAGMA cache_size = -16000",
                "PRAGMA trusted_schema = OFF",
            ):
                run(db, pragma)
        except apsw.Error:
            db.close()
            raise
        return db


def _connect_read_only(path: Path) -> apsw.Connection:
    """A connection that writes nothing, also where not even the WAL's side files can be made."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    for options in ("mode=ro", "immutable=1"):
        db = apsw.Connection(f"{path.absolute().as_uri()}?{options}", flags=flags)
        try:
            db.set_busy_timeout(_BUSY_MS)
            run(db, "SELECT count(*) FROM sqlite_master")
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            db.close()
            if options == "immutable=1":
                raise
        except apsw.Error:
            db.close()
            raise
        else:
            return db
    raise AssertionError("unreachable")


def run(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Run a statement to its end: a cursor left open would hold its locks."""
    return db.execute(sql, values).fetchall()


def one(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first value of the first row, or None."""
    found = run(db, sql, values)
    return found[0][0] if found else None


@contextlib.contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """A write transaction that holds the write lock from its start."""
    run(db, "BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            run(db, "ROLLBACK")
        raise
    else:
        run(db, "COMMIT")


@contextlib.contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Turns SQLite's errors and the file system's into ours, each with what to do."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise IndexCorrupt(
            f"The index {path} is damaged ({error}); rebuild it with `memdown index --force`."
        ) from error
    except apsw.FullError as error:
        raise DiskFull(
            f"No space left for the index {path}; free some and run `memdown index` again "
            "(your notes are untouched)."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexBusy(f"Another process is writing to the index {path}; try again.") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, PermissionError) as error:
        raise StoreError(
            f"The index {path} cannot be written ({error}); set MEMDOWN_STATE_DIR or "
            "memorySearch.store.path to a folder you can write to."
        ) from error
    except OSError as error:
        raise StoreError(f"The index {path} cannot be used: {error}.") from error
    except apsw.Error as error:
        raise StoreError(f"The index {path} cannot be used: {error}.") from error
