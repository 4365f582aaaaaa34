"""A note edited as a whole: written beside the old version and swapped in, or not changed at all.

An editor shows a version and saves another one later. In between the agent, a sync tool or another
editor may have changed the file; that version must win until a person has seen it. So a save names
the version that it was made from; `swapping` sees to it that nothing else is replaced.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memdown.errors import NoteChanged, NoteNotFound, PathRefused, WorkspaceError
from memdown.files import reach
from memdown.notes import pending
from memdown.notes.changes import SELF, By
from memdown.notes.descriptors import (
    failed_write,
    fault,
    mode_in,
    opened_folder,
    shown,
    sync_folder,
)
from memdown.notes.journal import Journal, journal_file
from memdown.notes.reading import MAX_NOTE_BYTES, decode, read_note
from memdown.notes.roots import NotePlace, Workspace, check_folder, locate
from memdown.notes.swapping import (
    SwapOutcome,
    draft_name,
    kept_message,
    publish,
    swap_in,
    version_of,
)
from memdown.notes.writing import finish, settle_save
from memdown.values import dataclass

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"
# Stands for the version that is there.
_ANY = "any"
_TRIES = 5
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Note:
    """A whole note; `version` is a digest of its bytes, which a later save must name."""

    path: str
    text: str
    version: str
    editable: bool


def _changed(path: str, current: Note | None, kept: str | None = None) -> NoteChanged:
    what = "was changed" if current else "was removed"
    message = (
        f"{shown(path)} {what} on disk meanwhile, so it was not saved; compare both versions and "
        "save again."
    )
    return NoteChanged(f"{message} {kept_message(kept, path)}" if kept else message, current)


def read_whole(workspace: Workspace, path: str) -> Note:
    """A note with the version that an edit of it must name."""
    data, state = read_note(workspace, path)
    extra = locate(workspace, state.path).extra
    editable = not extra and not data.startswith(_UTF16)
    return Note(state.path, decode(data, state.path), version_of(data), editable)


def save(
    workspace: Workspace,
    path: str,
    text: str,
    *,
    base: str | None,
    lock_dir: Path,
    by: By = SELF,
) -> Note:
    """Give a note new text, if it still is the version `base`; None makes a new note.

    Line endings, a byte order mark and the permissions of the file stay as they were.
    """
    _check(text, path)
    return _save_bytes(
        workspace, path, lambda old: _encoded(text, old), base=base, lock_dir=lock_dir, by=by
    )


def update(
    workspace: Workspace,
    path: str,
    change: Callable[[str], str],
    *,
    lock_dir: Path,
    by: By = SELF,
) -> Note:
    """Change the text of a note (empty if there is none) by a function, in one atomic write.

    The function gets line feeds only. It is called again if another program saves meanwhile.
    """

    def encode(old: bytes) -> bytes:
        text = change(decode(old, path).replace("\r\n", "\n"))
        _check(text, path)
        return _encoded(text, old)

    for _ in range(_TRIES):
        with contextlib.suppress(NoteChanged):
            return _save_bytes(workspace, path, encode, base=_ANY, lock_dir=lock_dir, by=by)
    raise WorkspaceError(
        f"{shown(path)} is changed all the time by another program, so it was not saved; stop that "
        "program and try again."
    )


def save_bytes(
    workspace: Workspace,
    path: str,
    data: bytes | None,
    *,
    base: str | None,
    lock_dir: Path,
    by: By = SELF,
    undoes: int = 0,
) -> None:
    """Give a note exactly these bytes, if it still is the version `base`; None removes it."""
    if data is not None:
        _save_bytes(
            workspace, path, lambda _: data, base=base, lock_dir=lock_dir, by=by, undoes=undoes
        )
        return
    place = locate(workspace, path)
    try:
        with (
            pending.locked(pending.lock_file(workspace.folder, lock_dir)) as lock,
            opened_folder(place.base, place.parts[:-1]) as folder,
        ):
            finish(workspace, lock)
            old = _bytes(workspace, place)
            if old is None or version_of(old) != base:
                raise _changed(place.path, _note(workspace, place))
            os.unlink(place.parts[-1], dir_fd=folder)
            sync_folder(folder)
            journal = Journal(journal_file(workspace.folder, lock_dir))
            journal.record(place.path, old, None, by, undoes=undoes)
    except OSError as error:
        raise failed_write(error, place.path) from None


def _save_bytes(
    workspace: Workspace,
    path: str,
    encode: Callable[[bytes], bytes],
    *,
    base: str | None,
    lock_dir: Path,
    by: By,
    undoes: int = 0,
) -> Note:
    place = locate(workspace, path)
    if place.extra:
        raise PathRefused(f"{shown(path)} lies in extraPaths, which are only read; use memory/.")
    check_folder(workspace.folder)
    try:
        with pending.locked(pending.lock_file(workspace.folder, lock_dir)) as lock:
            finish(workspace, lock)
            create = base in (None, _ANY)
            with opened_folder(place.base, place.parts[:-1], create=create) as folder:
                old = _bytes(workspace, place)
                if base == _ANY:
                    base = version_of(old) if old is not None else None
                data = encode(old or b"")
                note = _save(workspace, place, lock, folder, data, old, base)
                journal = Journal(journal_file(workspace.folder, lock_dir))
                journal.record(place.path, old, data, by, undoes=undoes)
                return note
    except OSError as error:
        raise failed_write(error, place.path) from None


def _save(
    workspace: Workspace,
    place: NotePlace,
    lock: int,
    folder: int,
    data: bytes,
    old: bytes | None,
    base: str | None,
) -> Note:
    if (version_of(old) if old is not None else None) != base:
        raise _changed(place.path, _note(workspace, place))
    if old is not None and old.startswith(_UTF16):
        raise WorkspaceError(
            f"{shown(place.path)} is UTF-16 text, which cannot be edited here; save it as UTF-8."
        )
    if data != old:
        outcome, kept = _put_in_place(place, lock, folder, data, base)
        if outcome is SwapOutcome.BUSY:
            raise WorkspaceError(
                f"{shown(place.path)} was not saved, because another program has it open to write; "
                "close it there and save again."
            )
        if outcome is SwapOutcome.CHANGED:
            raise _changed(place.path, _note(workspace, place), kept)
    return Note(place.path, decode(data, place.path), version_of(data), editable=True)


def _put_in_place(
    place: NotePlace, lock: int, folder: int, data: bytes, base: str | None
) -> tuple[SwapOutcome, str | None]:
    """Write a draft, give it the note's name, and tidy up, also if that was cut short.

    How it ended, and the path of a version of someone else that had to be kept.
    """
    name = place.parts[-1]
    work = pending.Save(place.path, draft_name())
    kept = None
    pending.record_save(lock, work)
    try:
        reach("save.recorded")
        _write_draft(folder, work.draft, name if base is not None else None, data)
        if base is None:
            outcome = (
                SwapOutcome.SAVED if publish(folder, work.draft, name) else SwapOutcome.CHANGED
            )
        else:
            work = replace(work, base=base, ours=version_of(data))
            pending.record_save(lock, work)
            outcome = swap_in(folder, name, work)
        sync_folder(folder)
        reach("save.done")
    finally:
        kept = settle_save(place, work)
        reach("save.settled")
        pending.clear(lock)
    return outcome, kept


def _write_draft(folder: int, draft: str, like: str | None, data: bytes) -> None:
    """A hidden file in the folder with the permissions of the note that it will replace."""
    mode = mode_in(folder, 0o666) if like is None else 0o600
    file = os.open(draft, _NEW_FILE, mode, dir_fd=folder)
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
            reach("save.drafting")
        os.fsync(file)
    finally:
        os.close(file)


def _bytes(workspace: Workspace, place: NotePlace) -> bytes | None:
    try:
        return read_note(workspace, place.path)[0]
    except NoteNotFound:
        return None


def _note(workspace: Workspace, place: NotePlace) -> Note | None:
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
