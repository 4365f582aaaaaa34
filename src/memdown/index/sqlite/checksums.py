"""Page checksums: SQLite's own checksum layer, so that a flipped bit is an error, not an answer.

Every page ends with eight bytes that are checked whenever it is read. The layer comes with the
wheels of apsw; where it is missing, an index is made without, and says so in `meta`.
"""

from __future__ import annotations

import functools
from pathlib import Path

import apsw

from memdown.index.sqlite.failures import Damaged

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


def check(db: apsw.Connection, *, writing: bool) -> None:
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
