"""What one host knows of an index that several share: which files it has, and their facts on its disk.

Size, times and inode mean something on one host only. They stay there, in a small file of the state
folder; the shared index has paths and digests. A file that is not in a host's manifest was never
there, so its absence tells nothing: only a host that had a file may remove it.

Of its own files a host may also keep what the index says of them, and up to which state of the index it
knows that: then it asks for what changed since, not for the list of all.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import apsw

from memdown.errors import DiskFull, IndexBusy, StoreError
from memdown.files import make_folder
from memdown.types import FileState, Fingerprint, Source

_BUSY_MS = 10_000
# The size of no file.
_UNKNOWN = -2
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (
  place TEXT, path TEXT, size INTEGER, mtime INTEGER, ctime INTEGER, inode TEXT,
  PRIMARY KEY (place, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared (
  place TEXT, path TEXT, source TEXT, digest TEXT, date TEXT, problem TEXT, tags TEXT, names TEXT,
  PRIMARY KEY (place, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS learned (place TEXT PRIMARY KEY, state TEXT);
CREATE TABLE IF NOT EXISTS chosen (place TEXT PRIMARY KEY, variant TEXT);
CREATE TABLE IF NOT EXISTS settled (place TEXT PRIMARY KEY, state TEXT, found TEXT);
CREATE TABLE IF NOT EXISTS host (id TEXT);
CREATE TABLE IF NOT EXISTS reported (place TEXT PRIMARY KEY, at REAL);
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """A file's facts on this host's disk."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    def on(self, file: FileState) -> FileState:
        """The file as this host has it."""
        mine = (self.size, self.mtime_ns, self.ctime_ns, self.inode)
        if mine == (file.size, file.mtime_ns, file.ctime_ns, file.inode):
            return file
        return replace(
            file,
            size=self.size,
            mtime_ns=self.mtime_ns,
            ctime_ns=self.ctime_ns,
            inode=self.inode,
        )


def same_for_all(file: FileState, stored: FileState) -> bool:
    """Whether what all hosts share of a file is the same."""
    return (file.digest, file.date, file.problem, file.tags, file.names) == (
        stored.digest,
        stored.date,
        stored.problem,
        stored.tags,
        stored.names,
    )


def is_older(file: FileState, stored: FileState, mine: Mapping[str, Facts]) -> bool:
    """Whether a host that begins to share an index comes with an older copy of a file that is there."""
    is_new_here = file.path not in mine
    return is_new_here and bool(stored.digest) and stored.mtime_ns > file.mtime_ns


def variant_of(made: Fingerprint, layout: int) -> str:
    """The name of a way to make an index; the length of vectors is no part of it."""
    key = made.key
    parts = (
        key.provider,
        key.model,
        key.provider_key,
        made.chunk_tokens,
        made.chunk_overlap,
        made.terms_version,
        layout,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


_SHARED = "path, source, digest, date, problem, tags, names"


def _state(path: str, facts: Facts, columns: Sequence[Any]) -> FileState:
    """A file from its facts and the columns of `_SHARED` after its path."""
    source, digest, date, problem, tags, names = columns
    return FileState(
        path,
        cast("Source", sys.intern(source)),
        facts.size,
        facts.mtime_ns,
        facts.ctime_ns,
        facts.inode,
        digest,
        datetime.date.fromisoformat(date) if date else None,
        problem,
        tuple(json.loads(tags)) if tags else (),
        names,
    )


class Manifest:
    """This host's files in one shared index, `place`. Thread-safe; processes of a host share it."""

    def __init__(self, file: Path, place: str) -> None:
        self._file = file
        self._place = place
        self._lock = threading.RLock()
        self._db: apsw.Connection | None = None
        # Both are kept in step with what this process writes, and read anew after another wrote; the second
        # only if it is asked for.
        self._known: dict[str, Facts] | None = None
        self._states: dict[str, FileState] | None = None
        self._version = -1

    def facts(self) -> Mapping[str, Facts]:
        """The facts of every file that this host has in the index, by path."""
        with self._lock:
            return self._facts()

    def files(self) -> dict[str, FileState]:
        """This host's files that are in the index, as far as that was learned."""
        with self._lock:
            return dict(self._indexed())

    def _facts(self) -> dict[str, Facts]:
        db = self._current()
        if self._known is None:
            self._known = {}
            rows = db.execute(
                "SELECT path, size, mtime, ctime, inode FROM facts WHERE place = ?", (self._place,)
            )
            for path, size, mtime, ctime, inode in rows:
                self._known[path] = Facts(size, mtime, ctime, int(inode))
        return self._known

    def _indexed(self) -> dict[str, FileState]:
        facts, db = self._facts(), self._current()
        if self._states is None:
            # Paths and numbers are those of the facts: for tens of thousands of files that is megabytes.
            paths = {path: path for path in facts}
            self._states = {}
            rows = db.execute(f"SELECT {_SHARED} FROM shared WHERE place = ?", (self._place,))
            for path, *columns in rows:
                if path in facts:
                    self._states[paths[path]] = _state(paths[path], facts[path], columns)
        return self._states

    def learned(self) -> str | None:
        """The state of the index up to which its files are known here."""
        with self._lock:
            row = (
                self._open()
                .execute("SELECT state FROM learned WHERE place = ?", (self._place,))
                .fetchone()
            )
        return None if row is None else str(row[0])

    def learn(
        self,
        state: str,
        changed: Iterable[FileState],
        gone: Iterable[str] = (),
        *,
        whole: bool = False,
    ) -> None:
        """In this state of the index, these files changed in it and those are gone.

        If they are the `whole` of it, all others are gone.
        """
        with self._changing() as db:
            mine, states = self._facts(), self._indexed()
            news = [one for one in changed if one.path in mine]
            lost = states.keys() - {one.path for one in news} if whole else set(gone)
            db.executemany(
                "DELETE FROM shared WHERE place = ? AND path = ?",
                [(self._place, path) for path in lost],
            )
            self._share(db, news)
            db.execute("INSERT OR REPLACE INTO learned VALUES (?, ?)", (self._place, state))
            for path in lost:
                states.pop(path, None)
            states |= {one.path: mine[one.path].on(one) for one in news}

    def on_this_host(self, indexed: Mapping[str, FileState]) -> dict[str, FileState]:
        """Of the files of the index, those that this host has, with their facts here."""
        mine = self.facts()
        return {path: mine[path].on(state) for path, state in indexed.items() if path in mine}

    def claim(self, paths: Iterable[str]) -> None:
        """These files are this host's, before they are written: who is killed then owns them still.

        Facts that no file has make the next sync look into them.
        """
        with self._changing() as db:
            known, some = self._facts(), list(paths)
            db.executemany(
                f"INSERT OR IGNORE INTO facts VALUES (?, ?, {_UNKNOWN}, 0, 0, '0')",
                [(self._place, path) for path in some],
            )
            if not known.keys() >= set(some):
                self._unreport(db)
            for path in some:
                known.setdefault(path, Facts(_UNKNOWN, 0, 0, 0))
            self._unsettle(db)

    def adopt(self, variant: str, files: Iterable[FileState]) -> None:
        """Use this variant, in which this host has exactly these files."""
        with self._changing() as db:
            self.forget()
            self.note(files)
            db.execute("INSERT OR REPLACE INTO chosen VALUES (?, ?)", (self._place, variant))

    def note(self, files: Iterable[FileState]) -> None:
        """These files are on this host's disk, with these facts, and in the index."""
        some = list(files)
        if not some:
            return
        with self._changing() as db:
            known, states = self._facts(), self._states
            db.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (self._place, one.path, one.size, one.mtime_ns, one.ctime_ns, str(one.inode))
                    for one in some
                ],
            )
            self._share(db, some)
            if not known.keys() >= {one.path for one in some}:
                self._unreport(db)
            for one in some:
                known[one.path] = Facts(one.size, one.mtime_ns, one.ctime_ns, one.inode)
                if states is not None:
                    states[one.path] = one

    def forget(self, paths: Iterable[str] | None = None) -> None:
        """These files, or all, are no longer on this host's disk."""
        with self._changing() as db:
            if paths is None:
                self._forget_all(db)
            else:
                some = list(paths)
                known, states = self._facts(), self._states
                for table in ("facts", "shared"):
                    db.executemany(
                        f"DELETE FROM {table} WHERE place = ? AND path = ?",
                        [(self._place, path) for path in some],
                    )
                for path in some:
                    known.pop(path, None)
                    if states is not None:
                        states.pop(path, None)
                self._unreport(db)
            self._unsettle(db)

    def variant(self) -> str | None:
        """Which variant of the index this host uses."""
        with self._lock:
            row = (
                self._open()
                .execute("SELECT variant FROM chosen WHERE place = ?", (self._place,))
                .fetchone()
            )
        return None if row is None else str(row[0])

    def choose(self, variant: str) -> None:
        """Use this variant from now on; the facts were of another one."""
        with self._changing() as db:
            if self.variant() == variant:
                return
            self._forget_all(db)
            db.execute("INSERT OR REPLACE INTO chosen VALUES (?, ?)", (self._place, variant))
            self._unsettle(db)

    def settled(self) -> tuple[str, str] | None:
        """The state of the index, and what was on this host's disk, when all of it was indexed last."""
        with self._lock:
            row = (
                self._open()
                .execute("SELECT state, found FROM settled WHERE place = ?", (self._place,))
                .fetchone()
            )
        return None if row is None else (str(row[0]), str(row[1]))

    def settle(self, state: str, found: str) -> None:
        """All that was `found` on this host's disk is in the index, which is in this state."""
        with self._changing() as db:
            db.execute(
                "INSERT OR REPLACE INTO settled VALUES (?, ?, ?)", (self._place, state, found)
            )

    def host(self) -> str:
        """This host's number, drawn once; whoever has the same state folder has the same."""
        with self._changing() as db:
            db.execute(
                "INSERT INTO host SELECT ? WHERE NOT EXISTS (SELECT 1 FROM host)",
                (uuid.uuid4().hex[:12],),
            )
            ((number,),) = db.execute("SELECT id FROM host").fetchall()
        return str(number)

    def reported_before(self) -> float:
        """How many seconds ago this host reported the files that it has now; infinite if never."""
        with self._lock:
            row = (
                self._open()
                .execute("SELECT at FROM reported WHERE place = ?", (self._place,))
                .fetchone()
            )
        # A clock that was set back must not put a report off for ever.
        return float("inf") if row is None or row[0] > time.time() else time.time() - row[0]

    def note_report(self) -> None:
        """All files of this host were reported just now."""
        with self._changing() as db:
            db.execute("INSERT OR REPLACE INTO reported VALUES (?, ?)", (self._place, time.time()))

    def _unreport(self, db: apsw.Connection) -> None:
        db.execute("DELETE FROM reported WHERE place = ?", (self._place,))

    def _forget_all(self, db: apsw.Connection) -> None:
        for table in ("facts", "shared", "learned"):
            db.execute(f"DELETE FROM {table} WHERE place = ?", (self._place,))
        self._unreport(db)
        self._known, self._states = {}, {}

    def _share(self, db: apsw.Connection, files: Iterable[FileState]) -> None:
        """Keep what the index says of some files."""
        db.executemany(
            "INSERT OR REPLACE INTO shared VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self._place,
                    one.path,
                    one.source,
                    one.digest,
                    one.date.isoformat() if one.date else None,
                    one.problem,
                    json.dumps(one.tags) if one.tags else "",
                    one.names,
                )
                for one in files
            ],
        )

    @contextlib.contextmanager
    def _changing(self) -> Iterator[apsw.Connection]:
        """One transaction, which waits for that of another process.

        It is the writer from the start: one that reads first is refused as soon as another wrote since.
        """
        with self._lock:
            db = self._open()
            if db.in_transaction:
                yield db
                return
            try:
                with self._begun(db):
                    yield db
            except apsw.BusyError as error:
                raise IndexBusy(
                    f"Another process writes to the list of this host's files ({self._file}); try again "
                    "when it is done."
                ) from error
            except apsw.FullError as error:
                raise DiskFull(
                    f"No space left for the list of this host's files ({self._file}); free some and "
                    "run the command again."
                ) from error

    @contextlib.contextmanager
    def _begun(self, db: apsw.Connection) -> Iterator[None]:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            # What is kept of it may be ahead of the file.
            self._known = self._states = None
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _current(self) -> apsw.Connection:
        """The open file; what another process has changed is read anew."""
        db = self._open()
        version = int(db.pragma("data_version"))
        if version != self._version:
            self._known = self._states = None
            self._version = version
        return db

    def _unsettle(self, db: apsw.Connection) -> None:
        db.execute("DELETE FROM settled WHERE place = ?", (self._place,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def _open(self) -> apsw.Connection:
        if self._db is None:
            try:
                make_folder(self._file.parent)
                db = apsw.Connection(str(self._file))
                db.set_busy_timeout(_BUSY_MS)
                db.pragma("journal_mode", "wal")
                db.pragma("synchronous", "normal")
                db.execute(_TABLES)
                self._file.chmod(0o600)
            except (OSError, apsw.Error) as error:
                raise StoreError(
                    f"The list of this host's files cannot be opened ({self._file}: {error}); "
                    "check the folder's permissions, or delete the file: it is made anew."
                ) from error
            self._db = db
        return self._db
