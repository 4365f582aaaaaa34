"""The swap of a new version for an old one, such that no save of anyone else can be lost in it.

An editor knows nothing of our lock: it may save between the last look at a note and the swap, again
while its save is being put back, and it may have the file open all the time. So nothing is ever
replaced unseen. The swap gives what really stood there a hidden name (the draft's), and only if
that is the version that was edited, and no process can still write to it, is it removed. Anything
else goes back, or becomes a note of its own beside the other: `home.kept-1a2b3c4d.md`.

A process can be killed at any point of this. What it was about to do is recorded (`pending`), so that
whoever writes next finds the draft and settles it by the same rule.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import hashlib
import os
import re
import signal
import stat
import sys
import time

from memdown.files import reach
from memdown.notes.descriptors import NOTE, opened_folder, shown
from memdown.notes.pending import Save
from memdown.notes.roots import LOGS, NotePlace
from memdown.values import dataclass, pattern

# The names and flags of the system call that renames by swapping, or only to a free name.
_RENAME, _SWAP, _ONLY_NEW = (
    ("renameatx_np", 2, 4) if sys.platform == "darwin" else ("renameat2", 2, 1)
)
_DRAFT = pattern(r"\.memdown-[0-9a-f]{16}\.tmp")
_KEPT = pattern(r"(.*)\.kept-[0-9a-f]{8}\.md", re.DOTALL)
_MOST_NAME_BYTES = 200
# A program that has the note open to write gets this long to finish.
_TRIES, _PAUSE_SECONDS = 20, 0.01
# Each round needs another save within microseconds.
_ROUNDS = 50


class SwapOutcome(enum.Enum):
    """How a swap ended."""

    SAVED = enum.auto()
    CHANGED = enum.auto()
    BUSY = enum.auto()


@dataclass(frozen=True, slots=True)
class _Version:
    """What stands under a name: which file it is, and what it says."""

    file: tuple[int, int]
    digest: str
    is_open: bool


def version_of(data: bytes) -> str:
    """What tells one version of a note from every other."""
    return hashlib.sha256(data).hexdigest()


def draft_name() -> str:
    """A hidden name that no other draft has."""
    return f".memdown-{os.urandom(8).hex()}.tmp"


def is_draft(name: str) -> bool:
    """Whether a file has the name of a draft."""
    return _DRAFT.fullmatch(name) is not None


def original_of(path: str) -> str | None:
    """The note of which a note is a version that was kept; None for any other note."""
    match = _KEPT.fullmatch(path)
    return f"{match[1]}.md" if match else None


def kept_message(path: str, original: str) -> str:
    """What a user is told about a version that was kept."""
    return (
        f"{shown(path)} holds what another program saved while {shown(original)} was being saved; "
        "compare the two, then delete what you do not need."
    )


def publish(folder: int, draft: str, name: str) -> bool:
    """Give a draft the name of a new note; False if there is one by now."""
    try:
        _move(folder, draft, folder, name)
    except FileExistsError:
        return False
    return True


def swap_in(folder: int, name: str, save: Save) -> SwapOutcome:
    """Swap the draft for the note if it still is the version `save.base`, and nobody writes it."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        ours = _look(folder, save.draft)
        reach("save.drafted")
        try:
            if not _rename(folder, save.draft, folder, name, _SWAP):
                # Without a swap, a last look is the best there is.
                if _look(folder, name).digest != save.base:
                    return SwapOutcome.CHANGED
                os.replace(save.draft, name, src_dir_fd=folder, dst_dir_fd=folder)
                return SwapOutcome.SAVED
            reach("save.swapped")
            was = _look(folder, save.draft)
            if was.digest == save.base and not was.is_open:
                return SwapOutcome.SAVED
            is_ours = _put_back(folder, name, save.draft, ours)
        except FileNotFoundError:
            return SwapOutcome.CHANGED
        if was.digest != save.base or not is_ours:
            return SwapOutcome.CHANGED
    return SwapOutcome.BUSY


def _put_back(folder: int, name: str, draft: str, placed: _Version) -> bool:
    """Swap until nothing new comes back, so that the newest version has the name.

    `placed` is what we last gave the name. Whether the draft is ours again; otherwise it is a
    version of someone else that is older than the note.
    """
    ours = placed
    for _ in range(_ROUNDS):
        drafted = _look(folder, draft)
        reach("save.looked")
        _rename(folder, draft, folder, name, _SWAP)
        reach("save.back")
        out = _look(folder, draft)
        if (out.file, out.digest) == (placed.file, placed.digest):
            return placed is ours
        placed = drafted
    return False


def settle(place: NotePlace, folder: int, save: Save) -> str | None:
    """Remove the draft, or keep it as a note if it is a version of someone else; its path then."""
    try:
        left = _look(folder, save.draft)
    except FileNotFoundError:
        return None
    if not save.ours or (left.digest in (save.base, save.ours) and not left.is_open):
        os.unlink(save.draft, dir_fd=folder)
        return None
    return keep(place, folder, save.draft)


def keep(place: NotePlace, folder: int, draft: str) -> str:
    """Make a draft a note beside the one it is a version of; its path."""
    stem = place.parts[-1][:-3].encode()[:_MOST_NAME_BYTES].decode(errors="ignore")
    name = f"{stem}.kept-{os.urandom(4).hex()}.md"
    if len(place.parts) == 1:
        # Beside MEMORY.md only MEMORY.md is a note; where there can be no other, it is a file.
        with (
            contextlib.suppress(OSError),
            opened_folder(place.base, (LOGS,), create=True) as logs,
        ):
            _move(folder, draft, logs, name)
            return f"{LOGS}/{name}"
    _move(folder, draft, folder, name)
    return place.path.removesuffix(place.parts[-1]) + name


def _look(folder: int, name: str) -> _Version:
    facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    identity = facts.st_dev, facts.st_ino
    try:
        file = os.open(name, os.O_RDONLY | NOTE, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError:
        # A link, or something that may not be read: none of the versions that we know.
        return _Version(identity, "", is_open=False)
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return _Version(identity, "", is_open=False)
        # Asked first: once nobody has it open, what is read is final.
        is_open = _has_writer(file)
        return _Version(identity, hashlib.file_digest(stream, "sha256").hexdigest(), is_open)


def _has_writer(file: int) -> bool:
    """Whether some process has a file open to write; False also where that cannot be told."""
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        # Who opens the file while the lease lasts makes the kernel send a signal, and the usual
        # one would end this process.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _move(folder: int, old: str, to: int, new: str) -> None:
    """Rename a file unless there is one of the new name."""
    if not _rename(folder, old, to, new, _ONLY_NEW):
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=to)
        os.unlink(old, dir_fd=folder)


def _rename(folder: int, old: str, to: int, new: str, flag: int) -> bool:
    """Rename in one step by the given rule; False where this system cannot do that."""
    # What only an edit needs is not loaded at every start.
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), _RENAME, None)
    if call is None:
        return False
    if call(folder, os.fsencode(old), to, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), new)
