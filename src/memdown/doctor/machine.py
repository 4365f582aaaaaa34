"""The machine: Python, SQLite and its parts, and how many folders can be watched."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from memdown.doctor.checks import Check, Subject

# Older ones can corrupt a database in WAL mode.
_SQLITE_WITHOUT_THE_WAL_BUG = (3, 51, 3)
_MAPS = Path("/proc/self/maps")
_INOTIFY = Path("/proc/sys/fs/inotify")


def python(_: Subject) -> Iterator[Check]:
    yield Check("Python", "ok", f"{platform.python_version()}, {sys.executable}")


def sqlite(_: Subject) -> Iterator[Check]:
    import apsw

    from memdown.index.sqlite import damage
    from memdown.index.sqlite.schema import fts5_error

    version = apsw.sqlite_lib_version()
    numbers = tuple(int(part) for part in version.split("."))
    upgrade = "pip install -U apsw"
    if numbers >= _SQLITE_WITHOUT_THE_WAL_BUG:
        yield Check("SQLite", "ok", f"{version} (apsw {apsw.apsw_version()})")
    else:
        yield Check("SQLite", "error", f"{version} can lose what was written", upgrade)
    db = apsw.Connection(":memory:")
    try:
        missing = fts5_error(db)
    finally:
        db.close()
    if missing is None:
        yield Check("FTS5", "ok", "keyword search works")
    else:
        yield Check("FTS5", "error", f"no keyword search: {missing}", upgrade)
    if damage.layer():
        yield Check("Checksums", "ok", "every page of the index is checked when it is read")
    else:
        finding = "this apsw has no checksum layer, so that a damaged index may go unnoticed"
        yield Check("Checksums", "warning", finding, upgrade)


def sqlite_libraries(_: Subject) -> Iterator[Check]:
    """Two SQLite libraries that open one file in one process drop each other's locks."""
    try:
        lines = _MAPS.read_text().splitlines()
    except OSError:
        return
    names = {Path(line.rpartition(" ")[2]).name for line in lines}
    others = sorted(name for name in names if name.startswith("libsqlite3"))
    more = f", and {', '.join(others)}, which never opens the index" if others else ""
    yield Check("SQLite libraries", "ok", f"{1 + len(others)} in the process: apsw's own{more}")


def vector_extension(subject: Subject) -> Iterator[Check]:
    import apsw

    from memdown.index.sqlite.vectors import load_extension

    settings = subject.settings
    if settings is not None and not settings.store.vector.enabled:
        yield Check("Vectors", "ok", "sqlite-vec is turned off; vectors are compared in process")
        return
    db = apsw.Connection(":memory:")
    try:
        problem = load_extension(db, settings.store.vector.extension_path if settings else None)
    finally:
        db.close()
    if problem is None:
        yield Check("Vectors", "ok", "sqlite-vec loads")
    else:
        yield Check(
            "Vectors",
            "warning",
            f"sqlite-vec does not load ({problem}); vectors are compared in process, slower",
            "pip install -U sqlite-vec, or remove memorySearch.store.vector.extensionPath",
        )


def watch_limits(subject: Subject) -> Iterator[Check]:
    """How many folders the system lets one user watch."""
    try:
        watches = int((_INOTIFY / "max_user_watches").read_text())
        instances = int((_INOTIFY / "max_user_instances").read_text())
    except (OSError, ValueError):
        return
    folders = len(subject.memory.notes().folders) if subject.memory else 0
    if watches >= folders + 100 and instances >= 8:
        yield Check(
            "Watching", "ok", f"folders of notes: {folders}; folders that can be watched: {watches}"
        )
    else:
        yield Check(
            "Watching",
            "warning",
            f"{folders} folders of notes, but only {watches} can be watched by all programs "
            "together; `memdown watch` will scan instead",
            "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=128",
        )


CHECKS = (python, sqlite, sqlite_libraries, vector_extension, watch_limits)
