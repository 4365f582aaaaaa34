"""Something added to a note, whole or not at all; and what saves that were cut off have left."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memdown.errors import NoteNotFound, PathRefused, WorkspaceError
from memdown.files import reach
from memdown.notes import pending
from memdown.notes.changes import SELF, By
from memdown.notes.descriptors import (
    NOTE,
    failed_write,
    fault,
    is_only_name,
    mode_in,
    opened_folder,
    shown,
    sync_folder,
)
from memdown.notes.journal import Journal, journal_file
from memdown.notes.roots import (
    CURATED,
    LOGS,
    NotePlace,
    Workspace,
    check_folder,
    daily_note,
    hidden,
    locate,
)
from memdown.notes.swapping import is_draft, keep, kept_message, original_of, settle, version_of
from memdown.types import Citation, Failure
from memdown.values import dataclass, pattern

log = logging.getLogger("memdown")

MAX_ENTRY_BYTES = 256 * 1024
_TRIES = 5
_APPEND = os.O_RDWR | os.O_APPEND | NOTE
_NEW = _APPEND | os.O_CREAT | os.O_EXCL
_BLOCK_BYTES = 1024 * 1024
_TAIL_BYTES = 4096
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_HEADING = pattern(r"\s*#{1,6}(?:\s|$)")
_MARKDOWN_BLOCK = pattern(r"#{1,6}\s|[-*+]\s|[0-9]{1,9}[.)]\s|>|```|~~~|\|")
_LIST_LINE = pattern(r"[-*+]\s|  ")


@dataclass(frozen=True, slots=True)
class _End:
    """How a note ends, which decides how the next entry starts."""

    size: int
    lines: int
    open_line: bool
    newline: str
    last_line: str


def remember(
    workspace: Workspace,
    text: str,
    *,
    durable: bool,
    today: datetime.date,
    lock_dir: Path,
    by: By = SELF,
) -> Citation:
    """Write `text` down now: in MEMORY.md if it is to last, otherwise in the log of `today`."""
    path, title = (curated(workspace), "Memory") if durable else (daily_note(today), str(today))
    return append(workspace, path, text, title=title, lock_dir=lock_dir, by=by)


def append(
    workspace: Workspace, path: str, text: str, *, title: str, lock_dir: Path, by: By = SELF
) -> Citation:
    """Add an entry at the end of a note of the workspace, and tell which lines it became.

    Plain text becomes a list item, with further lines indented below it; text that starts with
    Markdown of its own (a heading, a list, a quote, code, a table) is written as it is. A new
    note gets `title` as its heading. Extra paths are only ever read.
    """
    place = locate(workspace, path)
    if place.extra:
        raise PathRefused(f"{shown(path)} lies in extraPaths, which are only read; use memory/.")
    entry = entry_of(text)
    check_folder(workspace.folder)
    try:
        with pending.locked(pending.lock_file(workspace.folder, lock_dir)) as lock:
            finish(workspace, lock)
            for _ in range(_TRIES):
                with _opened(place, create=True) as (folder, note):
                    if not is_only_name(folder, place.parts[-1], note):
                        continue
                    before = _whole(note)
                    first_line = _append(lock, note, place, entry, title)
                    if _still_there(folder, place.parts[-1], note):
                        journal = Journal(journal_file(workspace.folder, lock_dir))
                        journal.record(place.path, before or None, _whole(note), by)
                        return Citation(place.path, first_line, first_line + entry.count("\n"))
    except OSError as error:
        raise failed_write(error, place.path) from None
    raise WorkspaceError(
        f"{shown(path)} is replaced all the time by another program, so nothing can be added; "
        "stop that program and try again."
    )


def repair(workspace: Workspace, lock_dir: Path) -> None:
    """Complete an entry or a save whose writer was killed half-way, if there is one."""
    file = pending.lock_file(workspace.folder, lock_dir)
    try:
        is_pending = file.stat().st_size > 0
    except OSError:
        return
    if is_pending:
        with pending.locked(file) as lock:
            finish(workspace, lock)


def _append(lock: int, note: int, place: NotePlace, entry: str, title: str) -> int:
    end = _end_of(note, place.path)
    data, first_line = _layout(end, entry, title)
    pending.record(lock, pending.Intent(place.path, end.size, data))
    reach("append.recorded")
    try:
        _write(note, data)
        reach("append.written")
    finally:
        pending.clear(lock)
    reach("append.cleared")
    return first_line


def finish(workspace: Workspace, lock: int) -> None:
    """Do the rest of what was recorded, by the holder of the lock."""
    left = pending.recorded(lock)
    if left is not None:
        with contextlib.suppress(PathRefused, NoteNotFound):
            place = locate(workspace, left.path)
            try:
                if isinstance(left, pending.Save):
                    settle_save(place, left)
                else:
                    _finish_append(place, left)
            except OSError as error:
                raise failed_write(error, place.path) from None
    pending.clear(lock)


def settle_save(place: NotePlace, save: pending.Save) -> str | None:
    """Tidy up after a save; the path of another's version that it had to keep, which is told."""
    try:
        with opened_folder(place.base, place.parts[:-1]) as folder:
            kept = settle(place, folder, save)
            sync_folder(folder)
    except FileNotFoundError:
        return None
    if kept is not None:
        log.warning("%s", kept_message(kept, place.path))
    return kept


def _finish_append(place: NotePlace, intent: pending.Intent) -> None:
    """Complete an append if its first part, and nothing else, stands at the note's end."""
    with _opened(place) as (folder, note):
        there = os.pread(note, len(intent.data) + 1, intent.offset)
        is_part = there and intent.data.startswith(there) and there != intent.data
        if is_part and is_only_name(folder, place.parts[-1], note):
            _write(note, intent.data[len(there) :])


@contextmanager
def _opened(place: NotePlace, *, create: bool = False) -> Iterator[tuple[int, int]]:
    """Descriptors of a note's folder and of the note; a new note that stays empty is removed."""
    name = place.parts[-1]
    with opened_folder(place.base, place.parts[:-1], create=create) as folder:
        note, new = _open_note(folder, name, create)
        try:
            wrong = fault(os.fstat(note))
            if wrong:
                raise PathRefused(f"{shown(place.path)} {wrong}.")
            yield folder, note
        finally:
            if new:
                with contextlib.suppress(OSError):
                    if not os.fstat(note).st_size:
                        os.unlink(name, dir_fd=folder)
                sync_folder(folder)
            os.close(note)


def _open_note(folder: int, name: str, create: bool) -> tuple[int, bool]:
    """A descriptor of the note, and whether it was made by this call."""
    try:
        return os.open(name, _APPEND, dir_fd=folder), False
    except FileNotFoundError:
        if not create:
            raise
    try:
        return os.open(name, _NEW, mode_in(folder, 0o666), dir_fd=folder), True
    except FileExistsError:
        return os.open(name, _APPEND, dir_fd=folder), False


def _still_there(folder: int, name: str, note: int) -> bool:
    """Whether the note is still the file of that name; editors replace files when they save."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(note))
    except FileNotFoundError:
        return False


def _write(note: int, data: bytes) -> None:
    """Append all of `data`, or take back what was written of it."""
    written = 0
    try:
        while written < len(data):
            written += os.write(note, data[written:])
        reach("append.unsynced")
        os.fsync(note)
    except BaseException:
        with contextlib.suppress(OSError):
            end = os.lseek(note, 0, os.SEEK_CUR)
            # Another program may have appended since; its text must stay.
            if written and end == os.fstat(note).st_size:
                os.ftruncate(note, end - written)
        raise


def curated(workspace: Workspace) -> str:
    """The path of the note that lasts, as its name is spelled here."""
    for name in CURATED:
        if os.path.lexists(workspace.folder / name):
            return name
    return CURATED[0]


def entry_of(text: str) -> str:
    """The lines to be written, without the last newline."""
    clean = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not clean:
        raise WorkspaceError("There is nothing to remember: the text is empty; give some words.")
    if len(clean.encode("utf-8")) > MAX_ENTRY_BYTES:
        raise WorkspaceError(
            f"The text to remember is larger than {MAX_ENTRY_BYTES // 1024} KB; save it as a note "
            "of its own under memory/."
        )
    if _MARKDOWN_BLOCK.match(clean):
        return clean
    first, *rest = clean.split("\n")
    inside = (f"  {line}" if line.strip() else "" for line in _without_headings(rest))
    return "\n".join([f"- {first}", *inside])


def _without_headings(lines: Iterable[str]) -> Iterator[str]:
    """Lines that go below a bullet, where a heading would take all that is written later with it: indented as
    far as this one, it is none."""
    is_code = False
    for line in lines:
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        yield f"    {line}" if not is_code and _HEADING.match(line) else line


def _whole(note: int) -> bytes:
    """All bytes of an open note."""
    return os.pread(note, os.fstat(note).st_size, 0)


def _end_of(note: int, path: str) -> _End:
    size = lines = returns = 0
    tail = b""
    while block := os.pread(note, _BLOCK_BYTES, size):
        if not size and block.startswith(_UTF16):
            raise WorkspaceError(
                f"{shown(path)} is UTF-16 text, to which nothing can be added; save it as UTF-8."
            )
        size += len(block)
        lines += block.count(b"\n")
        returns += block.count(b"\r\n")
        tail = (tail + block)[-_TAIL_BYTES:]
    last = tail.decode("utf-8", "replace").removesuffix("\n").rpartition("\n")[2]
    newline = "\r\n" if returns * 2 > lines else "\n"
    return _End(size, lines, size > 0 and not tail.endswith(b"\n"), newline, last)


def _layout(end: _End, entry: str, title: str) -> tuple[bytes, int]:
    """The bytes to append and the number of the entry's first line."""
    if not end.size:
        before = f"# {title}\n\n"
    else:
        goes_on = _LIST_LINE.match(end.last_line) and _LIST_LINE.match(entry)
        blank = "" if goes_on or not end.last_line.strip() else "\n"
        before = ("\n" if end.open_line else "") + blank
    data = f"{before}{entry}\n".replace("\n", end.newline).encode("utf-8")
    return data, end.lines + before.count("\n") + 1


def kept_versions(paths: Iterable[str]) -> tuple[Failure, ...]:
    """The notes that are versions of others, each with what to do about it."""
    found = ((path, original_of(path)) for path in paths if ".kept-" in path)
    return tuple(
        Failure(path, kept_message(path, original)) for path, original in found if original
    )


def unfinished_save(workspace: Workspace, lock_dir: Path) -> Failure | None:
    """A save that was cut off and that nobody has settled yet; a moment ago it may be under way."""
    file = pending.lock_file(workspace.folder, lock_dir)
    try:
        # Before every search; hardly ever is anything recorded.
        if not os.stat(file).st_size:  # noqa: PTH116
            return None
        lock = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        left = pending.recorded(lock)
    finally:
        os.close(lock)
    if not isinstance(left, pending.Save):
        return None
    return Failure(
        left.path,
        f"A save of {shown(left.path)} was cut off; `memdown index` settles it, and nothing is "
        "lost.",
    )


def drafts(workspace: Workspace) -> list[str]:
    """The hidden files that saves have left, by path; file systems list them in any order."""
    return sorted(
        "/".join((*parts, name))
        for parts, names in _folders(workspace.folder)
        for name in names
        if is_draft(name)
    )


def recover(workspace: Workspace, lock_dir: Path) -> list[str]:
    """Make every draft that is left a note of its own; what a note says already is removed.

    The paths of the new notes. Nothing is overwritten.
    """
    made = []
    with pending.locked(pending.lock_file(workspace.folder, lock_dir)) as lock:
        finish(workspace, lock)
        for path in drafts(workspace):
            *parts, draft = path.split("/")
            try:
                with opened_folder(str(workspace.folder), parts) as folder:
                    if _is_said_by_a_note(folder, draft):
                        os.unlink(draft, dir_fd=folder)
                        continue
                    name = "/".join((*parts, "recovered.md"))
                    place = NotePlace(name, str(workspace.folder), (*parts, "recovered.md"), False)
                    made.append(keep(place, folder, draft))
            except OSError as error:
                raise failed_write(error, path) from None
    return made


def _is_said_by_a_note(folder: int, draft: str) -> bool:
    wanted = _read(folder, draft)
    if not wanted:
        return True
    size, digest = len(wanted), version_of(wanted)
    with os.scandir(folder) as entries:
        return any(
            entry.is_file(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_size == size
            and version_of(_read(folder, entry.name)) == digest
            for entry in entries
            if entry.name.lower().endswith(".md") and not hidden(entry.name)
        )


def _read(folder: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(file, "rb") as stream:
        return stream.read()


def _folders(top: Path) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The workspace itself, and every folder of notes in it, with the files that each holds."""
    yield (), _files(top)
    for folder, inner, files in os.walk(top / LOGS):
        inner[:] = [name for name in inner if not hidden(name)]
        yield Path(folder).relative_to(top).parts, files


def _files(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder)]
    except OSError:
        return []
