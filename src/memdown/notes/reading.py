"""Notes read whole, without following a link or leaving the memory."""

from __future__ import annotations

import contextlib
import os
import time

from memdown.errors import NoteNotFound, PathRefused, WorkspaceError
from memdown.notes.descriptors import (
    NOTE,
    failed_read,
    fault,
    is_only_name,
    opened_folder,
    shown,
)
from memdown.notes.roots import CURATED, NotePlace, Workspace, date_of, locate, normalised
from memdown.types import Excerpt, FileState

MAX_NOTE_BYTES = 32 * 1024 * 1024
_TRIES = 5
# Kernels stamp files with the time of the last clock tick, which is at most 10 ms ago.
_TICK_NS = 11_000_000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_note(
    workspace: Workspace, path: str, *, max_bytes: int = MAX_NOTE_BYTES
) -> tuple[bytes, FileState]:
    """The bytes of a note, with the facts that belong to these bytes.

    `MEMORY.md` is found under any spelling of its name.
    """
    for place in _places(workspace, path):
        try:
            return _read(place, max_bytes)
        except NoteNotFound:
            continue
    raise NoteNotFound(f"There is no note {shown(path)}; use a path that a search shows.")


def decode(data: bytes, path: str = "The note") -> str:
    """The text of a note: UTF-8, or UTF-16 with its mark; the mark is dropped."""
    encoding = "utf-16" if data.startswith(_UTF16) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise WorkspaceError(
            f"{shown(path)} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8."
        ) from None
    if "\0" in text:
        raise WorkspaceError(
            f"{shown(path)} looks like a binary file (it has NUL bytes); move it out of the notes "
            "or save it as UTF-8 text."
        )
    return text


def excerpt(text: str, path: str, start: int = 1, lines: int | None = None) -> Excerpt:
    """`lines` lines of a note from the 1-based line `start` on; beyond the end there are none."""
    if start < 1:
        raise WorkspaceError(f"Line {start} of {shown(path)} cannot be shown; lines start at 1.")
    if lines is not None and lines < 1:
        raise WorkspaceError(f"{lines} lines of {shown(path)} cannot be shown; ask for 1 or more.")
    every = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    total = len(every) if text else 0
    chosen = every[start - 1 : None if lines is None else start - 1 + lines] if total else []
    return Excerpt(path, "\n".join(chosen), start, start + len(chosen) - 1, total)


def _places(workspace: Workspace, path: str) -> list[NotePlace]:
    """The place a path names; for `Memory.md` also the other spellings that may be meant."""
    name = normalised(path)
    if name.lower() != "memory.md":
        return [locate(workspace, name)]
    places = []
    for spelling in dict.fromkeys((name, *CURATED)):
        with contextlib.suppress(PathRefused):
            places.append(locate(workspace, spelling))
    return places


def _read(place: NotePlace, max_bytes: int) -> tuple[bytes, FileState]:
    try:
        with opened_folder(place.base, place.parts[:-1]) as folder:
            for _ in range(_TRIES):
                note = os.open(place.parts[-1], os.O_RDONLY | NOTE, dir_fd=folder)
                try:
                    found = _read_stable(note, place.path, max_bytes)
                    # Without any name it was replaced meanwhile, and is nowhere else either.
                    if is_only_name(folder, place.parts[-1], note) or not os.fstat(note).st_nlink:
                        return found
                finally:
                    os.close(note)
    except OSError as error:
        raise failed_read(error, place.path) from None
    raise PathRefused(
        f"{shown(place.path)} is moved about all the time by another program, so that it cannot be "
        "told whether it is a note; stop that program and try again."
    )


def _read_stable(note: int, path: str, max_bytes: int) -> tuple[bytes, FileState]:
    """Read until nothing changed meanwhile.

    A note changed this very moment is left to rest for a clock tick first: a second change in the
    same tick would leave no trace in the facts. One that never rests is taken as it is, with the
    facts from before: they no longer hold, so the next scan sees that it changed.
    """
    for _ in range(_TRIES):
        before = os.fstat(note)
        wrong = fault(before)
        if wrong:
            raise PathRefused(f"{shown(path)} {wrong}.")
        age = time.time_ns() - before.st_ctime_ns
        if 0 <= age < _TICK_NS:
            time.sleep((_TICK_NS - age) / 1e9)
        data = _read_all(note, path, before.st_size, max_bytes)
        if _facts(os.fstat(note)) == _facts(before) and len(data) == before.st_size:
            break
    return data, FileState(
        path,
        "memory",
        before.st_size,
        before.st_mtime_ns,
        before.st_ctime_ns,
        before.st_ino,
        date=date_of(path),
    )


def _read_all(note: int, path: str, size: int, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    length = 0
    while length <= max_bytes and size <= max_bytes:
        piece = os.pread(note, max(size - length, 0) + 1, length)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        length += len(piece)
    raise WorkspaceError(
        f"{shown(path)} is larger than {max_bytes / 1e6:.0f} MB; split it into smaller notes."
    )


def _facts(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
