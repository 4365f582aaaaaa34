"""SQLite's errors as ours, page checksums, and whether the log beside an index belongs to it.

Every page ends with eight bytes that are checked whenever it is read. The layer comes with the
wheels of apsw; where it is missing, an index is made without, and says so in `meta`.

SQLite replays any log with sound checksums onto any database. After a restored backup or a copy
of one file without the other, that mixes two states, and nothing in SQLite notices. So every
transaction counts up a number on the first page (`application_id`, which starts at random), and
the first number in the log must follow on the one in the database file, or lie below it where a
checkpoint had already begun.

Beside a log SQLite also reads zeros where the database file ends too early, as after a full disk or
a copy that was cut off: every page that the file lacks must stand in the log.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from memdown.errors import DiskFull, IndexBusy, IndexCorrupt, StoreError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NEARLY_NOTHING_BLOCKS = 16
_DAMAGED = frozenset(
    {
        apsw.SQLITE_IOERR_DATA,
        apsw.SQLITE_IOERR_SHORT_READ,
        apsw.SQLITE_IOERR_CORRUPTFS,
    }
)


class Damaged(Exception):
    """What was read cannot have been written by us; says what is wrong."""


def is_damage(error: Exception) -> bool:
    """Whether a failed read failed because of what it read."""
    return getattr(error, "extendedresult", None) in _DAMAGED


@contextlib.contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Turns the errors of a block into ours."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, Damaged) as error:
        raise _damaged(path, error) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexBusy(f"Another process is writing to the index {path}; try again.") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, PermissionError) as error:
        raise _not_writable(path, error) from error
    except OSError as error:
        if error.errno in _FULL:
            raise _full(path) from error
        if error.errno in (errno.EROFS, errno.ENOTDIR, errno.ENOENT):
            raise _not_writable(path, error) from error
        raise StoreError(f"The index {path} cannot be used: {error}.") from error
    except apsw.IOError as error:
        if is_damage(error):
            raise _damaged(path, error) from error
        if _out_of_space(path):
            raise _full(path) from error
        if path.is_dir():
            raise StoreError(
                f"The index {path} is a folder; move it away, or set memorySearch.store.path to a file."
            ) from error
        raise StoreError(f"The index {path} cannot be used: {error}.") from error
    except apsw.SQLError as error:
        # Every statement is ours and right, so a table or what stands in it must be broken;
        # virtual tables report nothing more exact than this.
        if "no such module" in str(error):
            raise StoreError(f"The index {path} cannot be used: {error}.") from error
        raise _damaged(path, error) from error
    except apsw.Error as error:
        raise StoreError(f"The index {path} cannot be used: {error}.") from error


def _out_of_space(path: Path) -> bool:
    """Whether a failed write failed for want of space; SQLite tells so for one errno only."""
    try:
        return os.statvfs(path.parent).f_bavail < _NEARLY_NOTHING_BLOCKS
    except OSError:
        return False


def _damaged(path: Path, error: Exception) -> IndexCorrupt:
    return IndexCorrupt(
        f"The index {path} is damaged ({error}); rebuild it with `memdown index --force`."
    )


def _full(path: Path) -> DiskFull:
    return DiskFull(
        f"No space left for the index {path}; free some and run `memdown index` again "
        "(your notes are untouched)."
    )


def _not_writable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"The index {path} cannot be written ({error}); set MEMDOWN_STATE_DIR or "
        "memorySearch.store.path to a folder you can write to."
    )


_VFS = "cksmvfs"
_BYTES = 8
_OFF = "checksums_off"


@functools.cache
def layer() -> str | None:
    """The name of the checksum layer, loaded once for the process; None if it is missing."""
    folder = Path(apsw.__file__).parent / "sqlite_extra_binaries"
    found = [*folder.glob("cksumvfs.so"), *folder.glob("cksumvfs.dylib")]
    if not found or not hasattr(apsw.Connection, "reserve_bytes"):
        return None
    usual = apsw.vfs_names()[0]
    db = apsw.Connection(":memory:")
    try:
        db.enable_load_extension(True)
        db.load_extension(str(found[0]))
    except apsw.Error:
        return None
    finally:
        db.close()
    # The layer makes itself the default of the process; other users of SQLite want no part of it.
    apsw.set_default_vfs(usual)
    return _VFS


def reserve(db: apsw.Connection) -> None:
    """Keep room for the checksums on every page of a database that is still empty."""
    if layer():
        db.reserve_bytes("main", _BYTES)


def check_checksums(db: apsw.Connection, *, writing: bool) -> None:
    """Refuse an index whose pages would go unchecked, or would be written without checksums."""
    reserved = db.reserve_bytes("main", -1) if hasattr(db, "reserve_bytes") else 0
    if layer() and reserved != _BYTES and not _made_without(db):
        raise Damaged("its pages have no checksums")
    if not layer() and reserved and writing:
        raise Damaged("its pages have checksums, which this installation of apsw cannot write")


def note_missing(db: apsw.Connection) -> None:
    """Write down that an index is made without checksums, so that others take it as it is."""
    if not layer():
        db.execute("INSERT OR IGNORE INTO meta VALUES (?, '1')", (_OFF,)).fetchall()


def _made_without(db: apsw.Connection) -> bool:
    return bool(db.execute("SELECT 1 FROM meta WHERE key = ?", (_OFF,)).fetchall())


_HEADER, _FRAME_HEADER = 32, 24
_APPLICATION_ID = 68
_TRIES = 5


def first_number() -> int:
    """Where a new index starts to count."""
    return int.from_bytes(os.urandom(4), "big") % (1 << 30) + 1


def count_up(db: apsw.Connection) -> None:
    """Number the transaction that has just begun."""
    number = _number(db)
    db.execute(f"PRAGMA application_id = {number % 0x7FFFFFFF + 1}").fetchall()


def _number(db: apsw.Connection) -> int:
    return int(str(db.pragma("application_id")))


def check_log(db: apsw.Connection, path: Path) -> None:
    """Refuse a log that was not written for this database."""
    log = path.with_name(path.name + "-wal")
    for attempt in range(_TRIES):
        facts = _numbers(db, path, log)
        if facts is None:
            return
        in_file, first_in_log, seen = facts
        if in_file == seen or first_in_log - 1 <= in_file <= seen:
            return
        # Another process may have begun a new log between two looks.
        time.sleep(0.02 * attempt)
    raise Damaged("the write-ahead log beside it belongs to another state of it")


def check_whole(db: apsw.Connection, path: Path, opened: os.stat_result) -> None:
    """Refuse a database file that was cut off; `opened` are the facts of the one that is open."""
    # While this reads, no checkpoint can empty the log of pages that the file lacks.
    db.execute("BEGIN").fetchall()
    try:
        count = int(str(db.pragma("page_count")))
        size = int(str(db.pragma("page_size")))
        facts = path.stat()
        there = facts.st_size // size
        if there >= count or (facts.st_dev, facts.st_ino) != (opened.st_dev, opened.st_ino):
            # Another process may have set it aside and begun a new one meanwhile.
            return
        missing = set(range(there + 1, count + 1))
        log = path.with_name(path.name + "-wal")
        missing -= {number for number, _ in _frames(log)}
        if missing:
            raise Damaged(f"it is cut off: {len(missing)} of {count} pages are missing")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK").fetchall()


def _numbers(db: apsw.Connection, path: Path, log: Path) -> tuple[int, int, int] | None:
    """The number in the file, the first one in the log, and the one that SQLite sees."""
    first = _first_in_log(log)
    if first is None:
        return None
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    # A first page that was cut off half-way in a checkpoint is made whole from the log.
    with contextlib.suppress(apsw.Error):
        alone = apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags, vfs=layer())
        try:
            in_file = _number(alone)
        finally:
            alone.close()
        return in_file, first, _number(db)
    return None


def _first_in_log(log: Path) -> int | None:
    """The number of the first transaction in the log; None if it holds none."""
    return next((number for page, number in _frames(log) if page == 1), None)


def _frames(log: Path) -> Iterator[tuple[int, int]]:
    """The pages in the log by number, with what a first page has at the place of its number."""
    try:
        descriptor = os.open(log, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        header = os.pread(descriptor, _HEADER, 0)
        size = int.from_bytes(header[8:12], "big")
        place = _HEADER
        while len(frame := os.pread(descriptor, _FRAME_HEADER, place)) == _FRAME_HEADER:
            if frame[8:16] != header[16:24]:
                return
            number = os.pread(descriptor, 4, place + _FRAME_HEADER + _APPLICATION_ID)
            yield int.from_bytes(frame[:4], "big"), int.from_bytes(number, "big")
            place += _FRAME_HEADER + size
    finally:
        os.close(descriptor)
