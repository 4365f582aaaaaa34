"""Connections to the index file, opened the same way everywhere."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from memdown.files import make_folder
from memdown.index.sqlite import damage
from memdown.index.sqlite.damage import is_damage, mapped

__all__ = [
    "connect",
    "is_unshared",
    "mapped",
    "one",
    "one_view",
    "run",
    "spare_space",
    "transaction",
]

_BUSY_MS = 5_000
_PAGE_BYTES = 16384
_TIGHT_BYTES = 32 * 1024 * 1024
_LOG_PAGES, _TIGHT_LOG_PAGES = 1000, 50
_unshared: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """A connection in WAL mode; creates the file (0600) and its folder (0700) unless read-only."""
    with mapped(path):
        if read_only:
            return _connect_read_only(path)
        make_folder(path.parent)
        # SQLite gives the -wal and -shm files the mode of the database file.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        facts = path.stat()
        db = apsw.Connection(str(path), vfs=damage.layer())
        try:
            db.set_busy_timeout(_BUSY_MS)
            _make_first_page(db)
            for pragma in (
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = NORMAL",
                "PRAGMA temp_store = MEMORY",
                "PRAGMA cache_size = -16000",
                "PRAGMA trusted_schema = OFF",
            ):
                run(db, pragma)
            damage.check_log(db, path)
            damage.check_whole(db, path, facts)
        except BaseException:
            db.close()
            raise
        return db


def spare_space(db: apsw.Connection, path: Path) -> None:
    """Keep the log small where the disk is nearly full; it would otherwise grow to megabytes."""
    facts = os.statvfs(path.parent)
    tight = facts.f_bavail * facts.f_frsize < _TIGHT_BYTES
    run(db, f"PRAGMA wal_autocheckpoint = {_TIGHT_LOG_PAGES if tight else _LOG_PAGES}")
    if tight:
        with contextlib.suppress(apsw.BusyError, apsw.FullError):
            run(db, "PRAGMA wal_checkpoint(TRUNCATE)")


def _make_first_page(db: apsw.Connection) -> None:
    """Give an empty file its room for checksums and its first number."""
    _expect_page_size(db)
    if db.pragma("page_count"):
        return
    damage.reserve(db)
    run(db, "PRAGMA auto_vacuum = INCREMENTAL")
    run(db, "BEGIN IMMEDIATE")
    # Another process may have come first.
    if not db.pragma("application_id"):
        run(db, f"PRAGMA application_id = {damage.first_number()}")
    run(db, "COMMIT")


def _expect_page_size(db: apsw.Connection) -> None:
    """Set the size of a page, which a file that holds something already keeps as it is.

    Rows of about a kilobyte leave much of a smaller page unused. This must come before anything
    is read: who opens a file that is still empty would otherwise read its first page, once there
    is one, with the usual size, and find the checksum wrong.
    """
    run(db, f"PRAGMA page_size = {_PAGE_BYTES}")


def _connect_read_only(path: Path) -> apsw.Connection:
    """A connection that writes nothing, also where not even the WAL's side files can be made."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    for options in ("mode=ro", "immutable=1"):
        facts = path.stat()
        db = apsw.Connection(
            f"{path.absolute().as_uri()}?{options}", flags=flags, vfs=damage.layer()
        )
        try:
            db.set_busy_timeout(_BUSY_MS)
            _expect_page_size(db)
            run(db, "PRAGMA cache_size = -16000")
            run(db, "SELECT count(*) FROM sqlite_master")
            damage.check_log(db, path)
            damage.check_whole(db, path, facts)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError) as error:
            db.close()
            # What is only in the log would be missing from a view of the file alone.
            if options == "immutable=1" or _has_log(path) or is_damage(error):
                raise
        except BaseException:
            db.close()
            raise
        else:
            if options == "immutable=1":
                _unshared.add(db)
            return db
    raise AssertionError("unreachable")


def is_unshared(db: apsw.Connection) -> bool:
    """Whether a connection sees the file alone and knows nothing of writers: for one use only."""
    return db in _unshared


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def run(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Run a statement to its end: a cursor left open would hold its locks."""
    return db.execute(sql, values).fetchall()


def one(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first value of the first row, or None."""
    found = run(db, sql, values)
    return found[0][0] if found else None


@contextlib.contextmanager
def one_view(db: apsw.Connection) -> Iterator[None]:
    """What is read in the block is of one state of the index, that of the transaction that runs if one does."""
    is_within = db.in_transaction
    if not is_within:
        run(db, "BEGIN")
    try:
        yield
    finally:
        if not is_within and db.in_transaction:
            run(db, "ROLLBACK")


@contextlib.contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """A write transaction that holds the write lock from its start."""
    run(db, "BEGIN IMMEDIATE")
    try:
        damage.count_up(db)
        yield
    except BaseException:
        if db.in_transaction:
            run(db, "ROLLBACK")
        raise
    else:
        run(db, "COMMIT")
