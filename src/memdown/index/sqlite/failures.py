"""SQLite's errors and the file system's as ours, each with what to do."""

from __future__ import annotations

import contextlib
import errno
import os
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
        if error.errno == errno.EROFS:
            raise _not_writable(path, error) from error
        raise StoreError(f"The index {path} cannot be used: {error}.") from error
    except apsw.IOError as error:
        if is_damage(error):
            raise _damaged(path, error) from error
        if _out_of_space(path):
            raise _full(path) from error
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
