"""What saves that were cut off have left: hidden drafts, and versions that were kept as notes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from memdown.notes import pending
from memdown.notes.descriptors import failed_write, opened_folder, shown
from memdown.notes.roots import LOGS, Place, Workspace, hidden
from memdown.notes.swapping import is_draft, keep, original_of, told_kept, version_of
from memdown.notes.writing import finish
from memdown.types import Failure


def kept_versions(paths: Iterable[str]) -> tuple[Failure, ...]:
    """The notes that are versions of others, each with what to do about it."""
    found = ((path, original_of(path)) for path in paths if ".kept-" in path)
    return tuple(Failure(path, told_kept(path, original)) for path, original in found if original)


def unfinished_save(workspace: Workspace, lock_dir: Path) -> Failure | None:
    """A save that was cut off and that nobody has settled yet; a moment ago it may be under way."""
    try:
        lock = os.open(pending.lock_file(workspace.folder, lock_dir), os.O_RDONLY | os.O_CLOEXEC)
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
    """The hidden files that saves have left, by path."""
    return [
        "/".join((*parts, name))
        for parts, names in _folders(workspace.folder)
        for name in names
        if is_draft(name)
    ]


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
                    place = Place(name, str(workspace.folder), (*parts, "recovered.md"), False)
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
