"""Files opened name by name from a trusted folder, so that no link is ever followed.

Checking a path and opening it afterwards leaves a moment in which a link can be slipped in;
walking with directory descriptors and `O_NOFOLLOW` leaves none.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memdown.errors import NoteNotFound, NoteUnreadable, PathRefused, WorkspaceError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A FIFO without a writer would block the open for ever.
NOTE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_MAX_SHOWN = 200
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LINK = frozenset({errno.ELOOP, errno.EMLINK})
_NO_FILE = frozenset({errno.ENXIO, errno.ENODEV, errno.EISDIR})


@contextmanager
def opened_folder(base: str, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """A descriptor of the folder that `parts` lead to from `base`; none of them may be a link."""
    current = os.open(base, _FOLDER)
    try:
        for part in parts:
            if create:
                _make_folder(current, part)
            inner = enter(current, part)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def enter(parent: int, name: str) -> int:
    """A descriptor of the folder `name` in `parent`."""
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except NotADirectoryError:
        # Linux says "not a directory" for a link as well.
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def sync_folder(folder: int) -> None:
    """Make a new name in a folder last through a power failure, where the disk can do that."""
    with contextlib.suppress(OSError):
        os.fsync(folder)


def fault(facts: os.stat_result) -> str | None:
    """Why what was opened or listed is no note, or None.

    A file with a second hard link is refused: the other name may lie anywhere on the disk, so
    such a link in the notes would show, or let an append change, a file outside of them, and
    nothing can tell which name is the original.
    """
    if stat.S_ISLNK(facts.st_mode):
        return "is a symbolic link, which memory never follows; name what it leads to in extraPaths"
    if not stat.S_ISREG(facts.st_mode):
        return "is not a regular file; move it out of the notes"
    if facts.st_nlink > 1:
        return "has a second hard link, which may be a file outside the notes; copy it instead"
    return None


def is_only_name(folder: int, name: str, note: int) -> bool:
    """Whether an open file has this name and no other.

    A link to a file outside, opened and unlinked at once, has one name again, too: the one outside.
    Asked in one call by name, the system cannot be misled.
    """
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return facts.st_nlink == 1 and os.path.samestat(facts, os.fstat(note))


def failed_read(error: OSError, path: str) -> WorkspaceError:
    """The error that explains why a note could not be opened or read."""
    refused = _failed_open(error, path)
    if refused:
        return refused
    return NoteUnreadable(
        f"{shown(path)} cannot be read ({error.strerror}); check its permissions and the disk."
    )


def failed_write(error: OSError, path: str) -> WorkspaceError:
    """The error that explains why nothing could be added to a note."""
    if error.errno in _FULL:
        return WorkspaceError(
            f"There is no space left to write {shown(path)}, and nothing was changed; free some "
            "space and try again."
        )
    refused = _failed_open(error, path)
    if refused:
        return refused
    return WorkspaceError(
        f"{shown(path)} cannot be written ({error.strerror}); check the permissions of the file "
        "and its folder."
    )


def shown(path: str | os.PathLike[str]) -> str:
    """A path as it may appear in a message: short, and nothing in it that a terminal obeys."""
    text = os.fspath(path).encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) > _MAX_SHOWN:
        text = f"{text[:_MAX_SHOWN]}…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _failed_open(error: OSError, path: str) -> WorkspaceError | None:
    if error.errno in _LINK:
        return PathRefused(
            f"{shown(path)} is or goes through a symbolic link, which memory never follows; copy "
            "the file or name its real folder in extraPaths."
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NoteNotFound(f"There is no note {shown(path)}; use a path that a search shows.")
    if error.errno in _NO_FILE:
        return PathRefused(f"{shown(path)} is not a regular file; move it out of the notes.")
    if error.errno == errno.ENAMETOOLONG:
        return PathRefused(f"{shown(path)} is too long a path; use a path that a search shows.")
    return None


def mode_in(folder: int, wanted: int) -> int:
    """The mode of something new in a folder: for others no more than the folder itself allows."""
    return wanted & (os.fstat(folder).st_mode | stat.S_IRWXU)


def _make_folder(parent: int, name: str) -> None:
    try:
        os.mkdir(name, mode_in(parent, 0o777), dir_fd=parent)
    except FileExistsError:
        return
    sync_folder(parent)
