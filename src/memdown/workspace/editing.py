"""A note edited as a whole: written beside the old version and swapped in, or not changed at all.

An editor shows a version and saves another one later. In between the agent, a sync tool or another
editor may have changed the file; that version must win until a person has seen it. So a save names
the version that it was made from, and the swap gives back what really stood there: where that is
something else, it is put back.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

from memdown.errors import NoteNotFound, PathRefused, WorkspaceError
from memdown.workspace import journal
from memdown.workspace.descriptors import failed_write, fault, opened_folder, shown, sync_folder
from memdown.workspace.reading import MAX_NOTE_BYTES, decode, read_note
from memdown.workspace.roots import Place, Workspace, check_folder, locate
from memdown.workspace.writing import repair

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# The names and flags of the system call that renames by swapping, or only to a free name.
_RENAME, _SWAP, _ONLY_NEW = (
    ("renameatx_np", 2, 4) if sys.platform == "darwin" else ("renameat2", 2, 1)
)


@dataclass(frozen=True, slots=True)
class Note:
    """A whole note; `version` is a digest of its bytes, which a later save must name."""

    path: str
    text: str
    version: str
    editable: bool


class NoteChanged(WorkspaceError):
    """The note is no longer the version that was edited; `current` is what stands there now."""

    def __init__(self, path: str, current: Note | None) -> None:
        what = "was changed" if current else "was removed"
        super().__init__(
            f"{shown(path)} {what} on disk meanwhile, so it was not saved; compare both versions "
            "and save again."
        )
        self.current = current


def read_whole(workspace: Workspace, path: str) -> Note:
    """A note with the version that an edit of it must name."""
    data, state = read_note(workspace, path)
    extra = locate(workspace, state.path).extra
    editable = not extra and not data.startswith(_UTF16)
    return Note(state.path, decode(data, state.path), version_of(data), editable)


def version_of(data: bytes) -> str:
    """What tells one version of a note from every other."""
    return hashlib.sha256(data).hexdigest()


def save(workspace: Workspace, path: str, text: str, *, base: str | None, lock_dir: Path) -> Note:
    """Give a note new text, if it still is the version `base`; None makes a new note.

    Line endings, a byte order mark and the permissions of the file stay as they were.
    """
    place = locate(workspace, path)
    if place.extra:
        raise PathRefused(f"{shown(path)} lies in extraPaths, which are only read; use memory/.")
    _check(text, place.path)
    check_folder(workspace.folder)
    repair(workspace, lock_dir)
    try:
        with (
            journal.locked(journal.lock_file(workspace.folder, lock_dir)),
            opened_folder(place.base, place.parts[:-1], create=base is None) as folder,
        ):
            return _save(workspace, place, folder, text, base)
    except OSError as error:
        raise failed_write(error, place.path) from None


def _save(workspace: Workspace, place: Place, folder: int, text: str, base: str | None) -> Note:
    old = _bytes(workspace, place)
    if (version_of(old) if old is not None else None) != base:
        raise NoteChanged(place.path, _note(workspace, place))
    if old is not None and old.startswith(_UTF16):
        raise WorkspaceError(
            f"{shown(place.path)} is UTF-16 text, which cannot be edited here; save it as UTF-8."
        )
    data = _encoded(text, old or b"")
    if data != old:
        name = place.parts[-1]
        temporary = _write_beside(folder, name if old is not None else None, data)
        if old is None:
            _publish(workspace, place, folder, temporary)
        else:
            _swap_in(workspace, place, folder, temporary, version_of(old))
        sync_folder(folder)
    return Note(place.path, decode(data, place.path), version_of(data), editable=True)


def _publish(workspace: Workspace, place: Place, folder: int, temporary: str) -> None:
    """Give a new note its name, unless someone else made one meanwhile."""
    try:
        if not _rename(folder, temporary, place.parts[-1], _ONLY_NEW):
            os.link(temporary, place.parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            os.unlink(temporary, dir_fd=folder)
    except FileExistsError:
        os.unlink(temporary, dir_fd=folder)
        raise NoteChanged(place.path, _note(workspace, place)) from None


def _swap_in(workspace: Workspace, place: Place, folder: int, temporary: str, base: str) -> None:
    """Swap the new version for the old one, and back again if that was not the version edited."""
    name = place.parts[-1]
    try:
        if not _rename(folder, temporary, name, _SWAP):
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            return
    except FileNotFoundError:
        os.unlink(temporary, dir_fd=folder)
        raise NoteChanged(place.path, None) from None
    if version_of(_read_beside(folder, temporary)) != base:
        _rename(folder, temporary, name, _SWAP)
        os.unlink(temporary, dir_fd=folder)
        raise NoteChanged(place.path, _note(workspace, place))
    os.unlink(temporary, dir_fd=folder)


def _write_beside(folder: int, like: str | None, data: bytes) -> str:
    """A new hidden file in the folder with the permissions of the note that it will replace."""
    name = f".memdown-{secrets.token_hex(8)}.tmp"
    file = os.open(name, _NEW_FILE, 0o666, dir_fd=folder)
    try:
        if like is not None:
            facts = os.stat(like, dir_fd=folder, follow_symlinks=False)
            wrong = fault(facts)
            if wrong:
                raise PathRefused(f"{shown(like)} {wrong}.")
            with contextlib.suppress(PermissionError):
                os.fchown(file, facts.st_uid, facts.st_gid)
            os.fchmod(file, facts.st_mode & 0o7777)
        written = 0
        while written < len(data):
            written += os.write(file, data[written:])
        os.fsync(file)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(file)
    return name


def _read_beside(folder: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(file, "rb") as stream:
        return stream.read()


def _rename(folder: int, old: str, new: str, flag: int) -> bool:
    """Rename in one step by the given rule; False where this system cannot do that."""
    # Here and below: what only an edit needs is not loaded at every start.
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), _RENAME, None)
    if call is None:
        return False
    if call(folder, os.fsencode(old), folder, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), new)


def _bytes(workspace: Workspace, place: Place) -> bytes | None:
    try:
        return read_note(workspace, place.path)[0]
    except NoteNotFound:
        return None


def _note(workspace: Workspace, place: Place) -> Note | None:
    try:
        return read_whole(workspace, place.path)
    except NoteNotFound:
        return None


def _check(text: str, path: str) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise WorkspaceError(
            f"The new text of {shown(path)} has half a character in it (a lone surrogate); remove "
            "it and save again."
        ) from None
    if "\0" in text:
        raise WorkspaceError(
            f"The new text of {shown(path)} has a NUL character in it; remove it and save again."
        )
    if size > MAX_NOTE_BYTES:
        raise WorkspaceError(
            f"The new text of {shown(path)} is larger than {MAX_NOTE_BYTES / 1e6:.0f} MB; split it."
        )


def _encoded(text: str, old: bytes) -> bytes:
    """The text in bytes, with the line endings and the mark that the old version has."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    before = old.removeprefix(_MARK).decode("utf-8", "replace").split("\n")
    returns = [line.endswith("\r") for line in before[:-1]]
    if not any(returns):
        endings = [False] * len(lines)
    elif all(returns):
        endings = [True] * len(lines)
    else:
        endings = _endings(before, returns, lines)
    joined = "".join(
        line + ("\r\n" if returned else "\n")
        for line, returned in zip(lines[:-1], endings, strict=False)
    )
    return (_MARK if old.startswith(_MARK) else b"") + (joined + lines[-1]).encode("utf-8")


def _endings(before: list[str], returns: list[bool], lines: list[str]) -> list[bool]:
    """In a file with both kinds of line ending, lines that stay keep theirs."""
    import difflib

    endings = [2 * sum(returns) > len(returns)] * len(lines)
    plain = [line.removesuffix("\r") for line in before]
    for block in difflib.SequenceMatcher(None, plain, lines, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            if block.a + offset < len(returns):
                endings[block.b + offset] = returns[block.a + offset]
    return endings
