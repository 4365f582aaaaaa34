"""What a check is, and those of the machine and of what the user has set up."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memdown import files
from memdown.config import Settings
from memdown.embedders.better import GRANITE
from memdown.errors import WorkspaceError
from memdown.facts.reviewing import SESSION_BUDGET
from memdown.memory import Memory
from memdown.notes.roots import CURATED
from memdown.text.redaction import find_secrets
from memdown.text.stopwords import is_english

Verdict = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `mend` does what `advice` says where that is safe."""

    name: str
    verdict: Verdict
    finding: str
    advice: str = ""
    mend: Callable[[], object] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined; a part that could not be had is None, and the reason is a check."""

    settings: Settings | None
    memory: Memory | None
    complaints: tuple[Check, ...] = ()


# Older ones can corrupt a database in WAL mode.
_SQLITE_WITHOUT_THE_WAL_BUG = (3, 51, 3)
_MAPS = Path("/proc/self/maps")
_INOTIFY = Path("/proc/sys/fs/inotify")


def python(_: Subject) -> Iterator[Check]:
    """Which Python runs this."""
    yield Check("Python", "ok", f"{platform.python_version()}, {sys.executable}")


def sqlite(subject: Subject) -> Iterator[Check]:
    """Whether SQLite is new enough and has full-text search."""
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
    if not _is_in_sqlite(subject):
        return
    if missing is None:
        yield Check("FTS5", "ok", "other programs can search the table chunks_fts")
    else:
        finding = f"other programs cannot search the index ({missing}); Memdown itself can"
        yield Check("FTS5", "warning", finding, upgrade)
    if damage.layer():
        yield Check("Checksums", "ok", "every page of the index is checked when it is read")
    else:
        finding = "this apsw has no checksum layer, so that a damaged index may go unnoticed"
        yield Check("Checksums", "warning", finding, upgrade)


def _is_in_sqlite(subject: Subject) -> bool:
    """Whether the index is, or would be, in SQLite: other engines have no such tables."""
    return subject.settings is None or subject.settings.store.driver == "sqlite"


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
    """Whether sqlite-vec can be loaded, from where the settings say."""
    import apsw

    from memdown.index.sqlite.vectors import load_extension

    settings = subject.settings
    if not _is_in_sqlite(subject):
        return
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


MACHINE_CHECKS = (python, sqlite, sqlite_libraries, vector_extension, watch_limits)


_MOST_PLACES = 20
# So many notes, and so much of each, tell in which language most are.
_LANGUAGE_SAMPLE, _LANGUAGE_CHARS = 50, 2_000


def configuration(subject: Subject) -> Iterator[Check]:
    """Which configuration file is in force."""
    if subject.settings is not None:
        path = subject.settings.config_path
        yield Check("Configuration", "ok", str(path) if path else "none; the defaults are in force")


def notes(subject: Subject) -> Iterator[Check]:
    """Whether the notes can be read and added to."""
    if subject.memory is None or subject.settings is None:
        return
    found = subject.memory.notes()
    folder = subject.settings.workspace
    yield Check("Workspace", "ok", f"{folder}, notes: {len(found.files)}")
    for problem in subject.memory.status().problems:
        yield Check("Notes", "warning", problem.reason)
    left = subject.memory.notebook.drafts()
    if left:
        yield Check(
            "Unfinished saves",
            "warning",
            f"saves that were cut off have left hidden files: {', '.join(left[:3])}"
            + (f" and {len(left) - 3} more" if len(left) > 3 else ""),
            "memdown doctor --fix makes notes of those that say what no note says",
            subject.memory.notebook.recover,
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        finding = f"{folder} cannot be written, so nothing can be remembered"
        yield Check("Workspace", "warning", finding, f"chmod u+wx {folder}")


def session_start(subject: Subject) -> Iterator[Check]:
    """Whether a session gets all of MEMORY.md when it starts."""
    if subject.memory is None:
        return
    try:
        size = len(subject.memory.get(CURATED[0]).text)
    except WorkspaceError:
        # There is none, or that it cannot be read is told elsewhere.
        return
    if size > SESSION_BUDGET:
        finding = (
            f"MEMORY.md has {size:,} characters, and a session starts with {SESSION_BUDGET:,} at "
            "most: older facts are left out"
        )
        yield Check("Session start", "warning", finding, "memdown review says what could move")


def secrets(subject: Subject) -> Iterator[Check]:
    """Whether notes hold what looks like a secret; the secret itself is never shown."""
    if subject.memory is None:
        return
    places = list(_secrets(subject.memory))
    if not places:
        yield Check("Secrets", "ok", "no note holds what looks like a secret")
    for place in places[:_MOST_PLACES]:
        advice = "take it out of the note; change it if anyone else could read the note"
        yield Check("Secrets", "warning", place, advice)
    if len(places) > _MOST_PLACES:
        more = f"{len(places) - _MOST_PLACES} more places in the notes look like secrets"
        yield Check("Secrets", "warning", more, "take them out of the notes")


def _secrets(memory: Memory) -> Iterator[str]:
    for path in memory.notes().files:
        try:
            text = memory.get(path).text
        except WorkspaceError:
            # That it cannot be read is told elsewhere.
            continue
        for one in find_secrets(text):
            line = text.count("\n", 0, one.start) + 1
            yield f"{path}, line {line}, looks as if it holds a secret: {one.kind}"


def state_folder(subject: Subject) -> Iterator[Check]:
    """Whether the index can be written, and read by nobody else."""
    if subject.settings is None:
        return
    place = subject.settings.store.path.parent
    existing = next(folder for folder in (place, *place.parents) if folder.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield Check(
            "State folder",
            "error",
            f"{existing} cannot be written; searches answer from the index as it is",
            f"chmod u+rwx {existing}, or set MEMDOWN_STATE_DIR to a folder you can write to",
        )
        return
    yield Check("State folder", "ok", str(place))
    top = subject.settings.state_dir
    found = files.open_to_others(top)
    found += [file for file in _open_index_files(subject.settings.store.path) if file not in found]
    if found:
        more = f", and {len(found) - 1} more files and folders" if len(found) > 1 else ""
        yield Check(
            "Permissions",
            "warning",
            f"{found[0]} can be read by other users{more}",
            f"memdown doctor --fix, or chmod -R go-rwx {shlex.quote(str(found[0]))}",
            functools.partial(_close, found),
        )


def _open_index_files(index: Path) -> list[Path]:
    """The index may lie in any folder, so that only its own files are looked at."""
    beside = (index.with_name(index.name + suffix) for suffix in ("", "-wal", "-shm", ".lock"))
    return [file for file in beside if file.is_file() and files.is_open_to_others(file)]


def _close(paths: Sequence[Path]) -> None:
    for path in paths:
        files.close_to_others(path)


def provider(subject: Subject) -> Iterator[Check]:
    """Whether the embedder answers."""
    if subject.memory is None:
        return
    status = subject.memory.status(deep=True)
    shown = f"{status.provider}, {status.model}"
    if status.fallback:
        advice = "check the key and the endpoint of the provider you asked for"
        yield Check("Provider", "warning", f"{shown} instead: {status.fallback}", advice)
    elif status.embedder_works is False:
        advice = "check memorySearch.provider, the key and the network; keywords still work"
        yield Check("Provider", "error", f"{shown}: {status.embedder_error}", advice)
    elif (status.provider, status.model) == ("better", GRANITE) and _mostly_not_english(
        subject.memory
    ):
        finding = f"{shown} knows English only, and most notes are in other languages"
        yield Check("Provider", "warning", finding, "take memorySearch.model out: see providers.md")
    else:
        yield Check("Provider", "ok", shown)


def _mostly_not_english(memory: Memory) -> bool:
    files = list(memory.notes().files)
    english = []
    for path in files[:: 1 + len(files) // _LANGUAGE_SAMPLE]:
        with contextlib.suppress(WorkspaceError):
            english.append(is_english(memory.get(path).text[:_LANGUAGE_CHARS]))
    return english.count(False) > english.count(True)


SETTING_CHECKS = (configuration, notes, session_start, secrets, state_folder, provider)
