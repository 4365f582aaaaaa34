"""The lock that writers of notes take, and the record that makes a change whole or nothing.

A process can be killed, and the power can fail, in the middle of a write: the kernel then keeps
the part that fits the pages written so far. So the bytes are recorded in the lock file first, and
whoever takes the lock next completes what was cut off. Of a save that swaps files, the record tells
which hidden file belongs to which note, and which two versions it may be. The lock file lies outside the workspace,
one for each workspace, and is never removed: removing it would let two processes lock two files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from memdown.errors import WorkspaceError
from memdown.files import LOCK_SECONDS, acquire, make_folder, reach, release
from memdown.notes.descriptors import shown
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """Bytes that are about to stand in a note, from an offset on."""

    path: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Save:
    """A hidden draft for a note; the digests of both versions once they may be swapped."""

    path: str
    draft: str
    base: str = ""
    ours: str = ""


@lru_cache(maxsize=16)
def lock_file(workspace: Path, lock_dir: Path) -> Path:
    """The lock file of a workspace."""
    name = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]
    return lock_dir / f"notes-{name}.lock"


@contextmanager
def locked(file: Path, timeout: float = LOCK_SECONDS) -> Iterator[int]:
    """Be the one writer of a workspace among all processes and threads; yields the lock file."""
    try:
        make_folder(file.parent)
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise WorkspaceError(
            f"The lock file {shown(file)} cannot be opened ({error.strerror}); make its folder "
            "writable or set MEMDOWN_STATE_DIR to one that is."
        ) from None
    try:
        _wait(lock, file, timeout)
        yield lock
    finally:
        release(lock)


def record(lock: int, intent: Intent) -> None:
    """Write down, durably, what is about to be appended."""
    entry = {"path": intent.path, "offset": intent.offset, "text": intent.data.decode("utf-8")}
    _add_line(lock, entry)


def record_save(lock: int, save: Save) -> None:
    """Write down, durably, a draft that is about to be made; with digests, one to be swapped."""
    _add_line(lock, asdict(save))


def recorded(lock: int) -> Intent | Save | None:
    """What a writer that was cut off had written down last; None where it came to nothing."""
    data = os.pread(lock, os.fstat(lock).st_size, 0)
    # A line that was cut off says nothing: what it tells of was not begun.
    for line in reversed(data.split(b"\n")):
        try:
            entry = json.loads(line)
            if "draft" in entry:
                return Save(**{name: str(value) for name, value in entry.items()})
            text = str(entry["text"]).encode("utf-8")
            return Intent(str(entry["path"]), int(entry["offset"]), text)
        except (ValueError, TypeError, KeyError):
            continue
    return None


def clear(lock: int) -> None:
    """Forget the record: the change is done, or given up."""
    os.ftruncate(lock, 0)


def _add_line(lock: int, entry: dict[str, object]) -> None:
    data = json.dumps(entry, ensure_ascii=False).encode("utf-8") + b"\n"
    end = os.fstat(lock).st_size
    written = 0
    while written < len(data):
        written += os.pwrite(lock, data[written:], end + written)
    reach("append.recording")
    os.fsync(lock)


def _wait(lock: int, file: Path, timeout: float) -> None:
    if not acquire(lock, timeout):
        raise WorkspaceError(
            f"Another process has been writing notes for {timeout:.0f} seconds and holds "
            f"{shown(file)}; end it or try again later."
        )
