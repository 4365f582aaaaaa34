"""Which transcripts an agent has: the `.jsonl` files of its own sessions folder, no links."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memdown.errors import NoteNotFound, NoteUnreadable, PathRefused
from memdown.types import Failure, FileState

PREFIX = "sessions/"
SUFFIX = ".jsonl"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff/\\]")


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The transcripts found, by path, and what could not be looked at."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: tuple[Failure, ...] = ()


def scan_transcripts(folder: Path) -> Transcripts:
    """Every transcript in the folder. Archived ones have another ending and do not count."""
    files: dict[str, FileState] = {}
    problems: list[Failure] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(SUFFIX) or entry.name.startswith("."):
                    continue
                path = PREFIX + entry.name
                problem = _problem(entry)
                if problem:
                    problems.append(Failure(_shown(path), f"{_shown(path)} {problem}."))
                    continue
                try:
                    files[path] = state_of(path, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
    except (FileNotFoundError, NotADirectoryError):
        return Transcripts()
    except OSError as error:
        reason = f"{folder} cannot be listed ({error.strerror}); check its permissions."
        return Transcripts({}, (Failure(PREFIX, reason),))
    return Transcripts(dict(sorted(files.items())), tuple(problems))


def state_of(path: str, facts: os.stat_result) -> FileState:
    """What tells whether a transcript changed."""
    return FileState(
        path, "sessions", facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
    )


@contextmanager
def opened(folder: str | Path, path: str) -> Iterator[int]:
    """A descriptor of a transcript, opened without following a link."""
    name = path.removeprefix(PREFIX)
    if not name.endswith(SUFFIX) or _UNUSABLE.search(name) or name.startswith("."):
        raise PathRefused(
            f"{_shown(path)} is no transcript; use a name `memdown sessions list` shows."
        )
    try:
        file = os.open(Path(folder) / name, _FLAGS)
    except FileNotFoundError:
        raise NoteNotFound(
            f"There is no transcript {_shown(path)}; `memdown sessions list` shows those there are."
        ) from None
    except OSError as error:
        raise NoteUnreadable(
            f"{_shown(path)} cannot be read ({error.strerror}); check its permissions."
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise PathRefused(f"{_shown(path)} is not a regular file; move it out of the sessions.")
        yield file
    finally:
        os.close(file)


def _problem(entry: os.DirEntry[str]) -> str | None:
    if _UNUSABLE.search(entry.name):
        return "has a control character in its name; rename the file"
    if entry.is_symlink():
        return "is a symbolic link, which is never followed; copy the transcript instead"
    if not entry.is_file(follow_symlinks=False):
        return "is not a regular file; move it out of the sessions"
    return None


def _shown(path: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in path[:200])
