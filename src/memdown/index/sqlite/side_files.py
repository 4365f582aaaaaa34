"""Whether an index is whole, and the write-ahead log beside it belongs to it.

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
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from memdown.index.sqlite.checksums import layer
from memdown.index.sqlite.failures import Damaged

_HEADER, _FRAME_HEADER = 32, 24
_APPLICATION_ID = 68
_TRIES = 5


def first_number() -> int:
    """Where a new index starts to count."""
    return secrets.randbelow(1 << 30) + 1


def count_up(db: apsw.Connection) -> None:
    """Number the transaction that has just begun."""
    number = _number(db)
    db.execute(f"PRAGMA application_id = {number % 0x7FFFFFFF + 1}").fetchall()


def _number(db: apsw.Connection) -> int:
    return int(str(db.pragma("application_id")))


def check(db: apsw.Connection, path: Path) -> None:
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
