"""The journal of every change to the notes: who, when, which lines before and after.

It lies in the state folder, one SQLite file for a workspace, and is derived: deleting it loses no
note. A change is kept with the digests of the whole note before and after, so that it can be taken back
byte by byte or be refused. A copy of the last known version of each note, packed by zlib, lets changes by
other programs be recorded as well.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from memdown.errors import WorkspaceError
from memdown.files import make_folder
from memdown.notes.changes import (
    MOST_NOTE,
    OUTSIDE,
    By,
    Change,
    delta,
    kept_bytes,
    masked_all,
    spliced,
)
from memdown.notes.pending import lock_file
from memdown.notes.swapping import version_of
from memdown.values import dataclass

if TYPE_CHECKING:
    import apsw

log = logging.getLogger("memdown")
_T = TypeVar("_T")
_EMPTY: Final = version_of(b"")
_BUSY_MS: Final = 5_000
_PRUNE_EVERY: Final = 200
# A longer log is moved into the file, and its space given back.
_MOST_LOG: Final = 256 * 1024
# Of what a sync reads, so much waits until it is recorded together.
_MOST_WAITING: Final = 4 * 1024 * 1024
_VERSION: Final = 3
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, actor TEXT NOT NULL,
  session TEXT NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL, removed BLOB NOT NULL,
  added BLOB NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, undoes INTEGER NOT NULL,
  whole INTEGER NOT NULL, together TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS changes_of_path ON changes (path, id);
CREATE TABLE IF NOT EXISTS known (
  path TEXT PRIMARY KEY, digest TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_COLUMNS: Final = (
    "id, time, actor, session, path, at, removed, added, before, after, undoes, whole, together"
)


def _pack(data: bytes) -> bytes:
    return zlib.compress(data, 1)


class _Column(NamedTuple):
    """A column with texts of notes, and how they are stored in it."""

    table: str
    name: str
    pack: Callable[[bytes], bytes] = bytes
    unpack: Callable[[bytes], bytes] = bytes


_TEXTS: Final = (
    _Column("changes", "removed"),
    _Column("changes", "added"),
    _Column("known", "data", _pack, zlib.decompress),
)


def journal_file(workspace: Path, lock_dir: Path) -> Path:
    """Where the journal of a workspace lies: beside the folder of the locks."""
    name = lock_file(workspace, lock_dir).stem
    return lock_dir.parent / "journal" / f"{name}.sqlite"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the history is kept: so many days, and so many bytes of changes."""

    days: int = 90
    size: int = 64 * 1024 * 1024


class Journal:
    """The changes of one workspace. Safe to use from several threads and processes.

    With `limits`, what is beyond them is dropped now and then. A journal that cannot be written or read never keeps a note from being written: that is logged,
    and the change is recorded as one from outside by the next sync.
    """

    def __init__(self, file: Path, limits: Limits | None = None) -> None:
        self.file = file
        self._log = file.with_name(file.name + "-wal")
        self._limits = limits

    def record(
        self, path: str, before: bytes | None, after: bytes | None, by: By, *, undoes: int = 0
    ) -> int | None:
        """Add a change that was just made; its number, None if nothing changed or it failed."""

        def add(db: apsw.Connection) -> int | None:
            # What another program did in between is a change of its own.
            self._observe(db, path, before, begun=_value(db, "begun") is not None)
            return self._add(db, path, before, after, by, undoes)

        return self._write(add, None)

    def observe(
        self,
        notes: Mapping[str, bytes | None],
        *,
        complete: bool = False,
        read_at: Mapping[str, float] | None = None,
    ) -> int:
        """Compare notes with the versions last known (None: gone) and record what differs.

        The first look at a workspace only makes these versions known; `complete` says that
        everything was looked at. `read_at` is when notes were read, in seconds since 1970: what was
        recorded of a note since then is newer than what was read. The number of changes found.
        """
        times = read_at or {}

        def compare(db: apsw.Connection) -> int:
            begun = _value(db, "begun") is not None
            met = frozenset() if begun else self._meet(db, notes)
            found = sum(
                self._observe(db, path, data, begun=begun) is not None
                for path, data in notes.items()
                if path not in met
                and (path not in times or not _changed_since(db, path, times[path]))
            )
            self._prune(db)
            if complete and not begun:
                db.execute("INSERT OR REPLACE INTO facts VALUES ('begun', ?)", (str(time.time()),))
            return found

        return self._write(compare, 0)

    def begun(self) -> datetime.date | None:
        """When all notes were looked at for the first time, or since when changes are kept."""

        def look(db: apsw.Connection) -> float | None:
            value = _value(db, "begun")
            oldest = next(iter(db.execute("SELECT min(time) FROM changes")))[0]
            return None if value is None else max(float(value), oldest or 0.0)

        seconds = self._read(look, None)
        return None if seconds is None else _local(seconds).date()

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Another value after every change of the file."""
        return tuple(map(_stamp, (self.file, self._log)))

    def latest(self) -> dict[str, int]:
        """The number of the last change of each note that was changed."""
        query = "SELECT path, max(id) FROM changes GROUP BY path"
        return self._read(lambda db: dict(db.execute(query)), {})

    def known(self) -> dict[str, str]:
        """The notes that are known, with the digest of their last version."""
        return self._read(lambda db: dict(db.execute("SELECT path, digest FROM known")), {})

    def changes(
        self,
        *,
        path: str | None = None,
        since: datetime.datetime | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[Change]:
        """The changes, newest first: of one note, since a time, after a number."""
        where = ["id > ?"]
        values: list[Any] = [after]
        if path is not None:
            where.append("path = ?")
            values.append(path)
        if since is not None:
            where.append("time >= ?")
            values.append(since.timestamp())
        query = (
            f"SELECT {_COLUMNS} FROM changes WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
        )
        values.append(-1 if limit is None else limit)
        return self._listed(query, values)

    def change(self, number: int) -> Change | None:
        """One change by its number."""
        query = f"SELECT {_COLUMNS} FROM changes WHERE id = ?"
        found = self._listed(query, (number,))
        return found[0] if found else None

    def _listed(self, query: str, values: Sequence[Any]) -> list[Change]:
        none: list[Change] = []
        return self._read(lambda db: [_change(row) for row in db.execute(query, values)], none)

    def act(self, number: int) -> list[int]:
        """The numbers of the changes that one act made, this one among them, the newest first."""
        query = (
            "SELECT id FROM changes WHERE id = ?1 OR (together != '' AND together = "
            "(SELECT together FROM changes WHERE id = ?1)) ORDER BY id DESC"
        )
        return self._read(lambda db: [one for (one,) in db.execute(query, (number,))], [number])

    def undone(self) -> frozenset[int]:
        """The numbers of the changes that were taken back, and not brought back since."""
        query = "SELECT id, undoes FROM changes WHERE undoes ORDER BY id DESC"
        none: list[tuple[int, int]] = []
        gone: set[int] = set()
        for number, undoes in self._read(lambda db: list(db.execute(query)), none):
            # An undo that was itself taken back counts for nothing.
            if number not in gone:
                gone.add(undoes)
        return frozenset(gone)

    def count_matching(self, pattern: re.Pattern[bytes]) -> int:
        """How many of the kept texts match; packed ones cannot be found by reading the file's bytes."""

        def count(db: apsw.Connection) -> int:
            return sum(
                pattern.search(column.unpack(data)) is not None
                for column in _TEXTS
                for (data,) in db.execute(f"SELECT {column.name} FROM {column.table}")
            )

        return self._read(count, 0)

    def rewrite_matching(self, pattern: re.Pattern[bytes]) -> int:
        """Blank what matches in everything that is kept, and leave no trace of it in the file.

        The digests of versions that held it are kept, so that no such change is undone wrongly.
        Journals that were damaged and set aside are deleted, since nobody can look into them.
        The number of rows that held any. Raises `WorkspaceError` if the journal cannot be changed.
        """
        import apsw

        for aside in self.file.parent.glob(f"{self.file.stem}.damaged-*"):
            aside.unlink(missing_ok=True)

        if not self.file.exists():
            return 0
        count = 0
        try:
            with self._writing() as db:
                for table, column, pack, unpack in _TEXTS:
                    for row, stored in list(db.execute(f"SELECT rowid, {column} FROM {table}")):
                        data = unpack(stored)
                        clean = pattern.sub(lambda match: bytes(len(match[0])), data)
                        if clean != data:
                            count += 1
                            query = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
                            db.execute(query, (pack(clean), row))
            with self._connected() as db:
                list(db.execute("VACUUM"))
                list(db.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        except (apsw.Error, OSError) as error:
            raise WorkspaceError(
                f"The journal {self.file} cannot be changed ({error}); end other programs that use it, "
                "or delete it: it is only derived."
            ) from None
        return count

    def _meet(self, db: apsw.Connection, notes: Mapping[str, bytes | None]) -> frozenset[str]:
        """Make versions of notes known that nothing is known of yet, all at once; their paths."""
        new = {
            path: data
            for path, data in notes.items()
            if data is not None and len(data) <= MOST_NOTE and _known_digest(db, path) is None
        }
        for (path, data), kept in zip(new.items(), masked_all(list(new.values())), strict=True):
            self._know(db, path, version_of(data), data, kept)
        return frozenset(new)

    def _observe(
        self, db: apsw.Connection, path: str, data: bytes | None, *, begun: bool
    ) -> int | None:
        digest = version_of(data) if data is not None else ""
        if (_known_digest(db, path) or "") == digest:
            return None
        row = _known_row(db, path)
        if row is None and not begun:
            self._know(db, path, digest, data, kept_bytes(data or b""))
            return None
        return self._insert(
            db, path, (row[0], row[1]) if row else ("", b""), digest, data, OUTSIDE, 0
        )

    def _add(
        self,
        db: apsw.Connection,
        path: str,
        before: bytes | None,
        after: bytes | None,
        by: By,
        undoes: int,
    ) -> int | None:
        if before == after:
            return None
        row = _known_row(db, path) if before is not None else None
        old = row or ("", b"")
        digest = version_of(after) if after is not None else ""
        kept = spliced(old[1], before or b"", after) if after is not None else b""
        return self._insert(db, path, old, digest, after, by, undoes, kept)

    def _insert(
        self,
        db: apsw.Connection,
        path: str,
        old: tuple[str, bytes],
        digest: str,
        data: bytes | None,
        by: By,
        undoes: int,
        kept: bytes | None = None,
    ) -> int:
        if kept is None:
            kept = kept_bytes(data or b"")
        had_text = old[0] in ("", _EMPTY) or bool(old[1])
        whole = had_text and len(data or b"") <= MOST_NOTE
        change = delta(old[1], kept)
        db.execute(
            "INSERT INTO changes (time, actor, session, path, at, removed, added, before, after, "
            "undoes, whole, together) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                time.time(),
                by.actor,
                by.session,
                path,
                change.at,
                change.removed,
                change.added,
                old[0],
                digest,
                undoes,
                whole,
                by.together,
            ),
        )
        number = db.last_insert_rowid()
        self._know(db, path, digest, data, kept)
        return number

    @staticmethod
    def _know(db: apsw.Connection, path: str, digest: str, data: bytes | None, kept: bytes) -> None:
        if data is None:
            db.execute("DELETE FROM known WHERE path = ?", (path,))
        else:
            row = (path, digest, _pack(kept))
            db.execute("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", row)

    def _prune(self, db: apsw.Connection) -> None:
        """Drop what is too old, and the oldest beyond the size limit; not after every change.

        The last change stays, however large: it can always be undone.
        """
        if self._limits is None:
            return
        last = next(iter(db.execute("SELECT coalesce(max(id), 0) FROM changes")))[0]
        pages = db.pragma("page_count") - db.pragma("freelist_count")
        quarters = pages * db.pragma("page_size") * 4 // self._limits.size
        today = int(time.time() // 86_400)
        kept = f"{self._limits.days} {self._limits.size}"
        done = f"{kept} {today} {last // _PRUNE_EVERY} {quarters}"
        if _value(db, "pruned") == done:
            return
        db.execute("INSERT OR REPLACE INTO facts VALUES ('pruned', ?)", (done,))
        oldest = time.time() - self._limits.days * 86_400
        db.execute("DELETE FROM changes WHERE time < ?", (oldest,))
        db.execute(
            "DELETE FROM changes WHERE id <= (SELECT coalesce(max(id), 0) FROM (SELECT id, "
            "sum(length(removed) + length(added) + 200) OVER (ORDER BY id DESC) AS size FROM changes) "
            "WHERE size > ?) AND id < (SELECT max(id) FROM changes)",
            (self._limits.size,),
        )

    @contextmanager
    def _connected(self) -> Iterator[apsw.Connection]:
        import apsw

        make_folder(self.file.parent)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        db = apsw.Connection(str(self.file))
        try:
            db.set_busy_timeout(_BUSY_MS)
            # Each command opens it once; moving the log into the file at every close takes long.
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            list(db.execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON"))
            if db.pragma("user_version") != _VERSION:
                _migrate(db)
            yield db
        finally:
            db.close()

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def _write(self, work: Callable[[apsw.Connection], _T], failed: _T) -> _T:
        """Do some work in a transaction; `failed` if the journal cannot be written."""
        import apsw

        try:
            with self._writing() as db:
                result = work(db)
            self._shorten_log()
            return result
        except (apsw.Error, zlib.error, OSError) as error:
            self._set_aside_if_damaged(error)
            return failed

    def _shorten_log(self) -> None:
        """Move a long log into the file, unless someone else uses it now."""
        import apsw

        log_file = self._log
        with contextlib.suppress(apsw.BusyError, FileNotFoundError):
            if log_file.stat().st_size > _MOST_LOG:
                with self._connected() as db:
                    list(db.execute("PRAGMA wal_checkpoint(TRUNCATE)"))

    def _read(self, work: Callable[[apsw.Connection], _T], nothing: _T) -> _T:
        """Look something up; `nothing` if there is no journal, or it cannot be read."""
        import apsw

        if not self.file.exists():
            return nothing
        try:
            with self._connected() as db:
                return work(db)
        except (apsw.Error, zlib.error, OSError) as error:
            self._set_aside_if_damaged(error)
            return nothing

    def _set_aside_if_damaged(self, error: Exception) -> None:
        import apsw

        if not isinstance(error, apsw.NotADBError | apsw.CorruptError | zlib.error):
            log.warning("The journal %s cannot be used: %s.", self.file, error)
            return
        aside = self.file.with_suffix(f".damaged-{int(time.time())}")
        with contextlib.suppress(OSError):
            self.file.rename(aside)
        for side in ("-wal", "-shm"):
            self.file.with_name(self.file.name + side).unlink(missing_ok=True)
        log.warning("The journal was damaged (%s) and is now %s; a new one begins.", error, aside)


def _migrate(db: apsw.Connection) -> None:
    """Make the tables, or pack what an earlier version kept as it was."""
    list(db.execute("PRAGMA journal_mode = WAL"))
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have come first.
        version = db.pragma("user_version")
        if version == 0:
            list(db.execute(_SCHEMA))
        if version == 1:
            for path, data in list(db.execute("SELECT path, data FROM known")):
                row = (_pack(data), path)
                db.execute("UPDATE known SET data = ? WHERE path = ?", row)
        if "together" not in {column[1] for column in db.execute("PRAGMA table_info(changes)")}:
            # Earlier versions do not know which changes belong together, and need not.
            db.execute("ALTER TABLE changes ADD COLUMN together TEXT NOT NULL DEFAULT ''")
        db.pragma("user_version", _VERSION)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _known_digest(db: apsw.Connection, path: str) -> str | None:
    """The digest of the last known version of a note; its bytes would have to be unpacked."""
    row = next(iter(db.execute("SELECT digest FROM known WHERE path = ?", (path,))), None)
    return row[0] if row else None


def _changed_since(db: apsw.Connection, path: str, seconds: float) -> bool:
    rows = db.execute("SELECT 1 FROM changes WHERE path = ? AND time >= ? LIMIT 1", (path, seconds))
    return next(iter(rows), None) is not None


def _known_row(db: apsw.Connection, path: str) -> tuple[str, bytes] | None:
    """The digest and the kept bytes of the last known version of a note."""
    rows = db.execute("SELECT digest, data FROM known WHERE path = ?", (path,))
    return next(((digest, zlib.decompress(data)) for digest, data in rows), None)


def _local(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, tz=datetime.UTC).astimezone()


def _change(row: Sequence[Any]) -> Change:
    number, seconds, actor, session, path, at, removed, added, before, after, *last = row
    undoes, whole, together = last
    return Change(
        number,
        _local(seconds),
        actor,
        session,
        path,
        at,
        removed,
        added,
        before,
        after,
        undoes,
        bool(whole),
        together,
    )


def _value(db: apsw.Connection, name: str) -> str | None:
    row = next(iter(db.execute("SELECT value FROM facts WHERE name = ?", (name,))), None)
    return row[0] if row else None


class Recorder:
    """Puts notes as a sync reads them into the journal, some at a time."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: dict[str, bytes | None] = {}
        self._read_at: dict[str, float] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def add(self, path: str, data: bytes, read_at: float) -> None:
        """A note as it was at a time, in seconds since 1970; it may have been written to since."""
        with self._lock:
            self._waiting[path] = data
            self._read_at[path] = read_at
            self._bytes += len(data)
            if self._bytes > _MOST_WAITING:
                self._flush(complete=False)

    def finish(self, gone: Sequence[str], *, complete: bool) -> None:
        """The sync is over: these notes are gone, and if it is `complete`, it read all others."""
        with self._lock:
            for path in gone:
                self._waiting.setdefault(path, None)
            if self._waiting:
                self._flush(complete=complete)

    def _flush(self, *, complete: bool) -> None:
        self._journal.observe(self._waiting, complete=complete, read_at=self._read_at)
        self._waiting = {}
        self._read_at = {}
        self._bytes = 0
