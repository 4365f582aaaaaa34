"""One of each small thing about files: private places, atomic replace, locks, points at which tests kill.

`mkdir(parents=True)` gives its mode to the last folder only, and the process's umask decides about
the rest; what lies in the state folder is private whatever the umask is.

With `MEMDOWN_FAILPOINT=rebuild.before_flip` in the environment the process kills itself, as by
`kill -9`, when it gets to that point; with `rebuild.file:3` when it gets there the third time.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from memdown.errors import UnsafePlace

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path) -> None:
    """Make a folder and whatever is missing above it, each for its owner alone."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, os.strerror(20), str(folder))


def open_file(file: Path, flags: int) -> int:
    """A descriptor of a file that is made, where it is missing, for its owner alone."""
    return os.open(file, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def check_place(path: Path) -> None:
    """Refuse a file or folder that someone else owns or may write; one that is missing is fine.

    What stands in a configuration can load a library or send notes away, so it must be the
    user's own word, or that of root.
    """
    try:
        facts = path.stat()
    except OSError:
        return
    what = "folder" if stat.S_ISDIR(facts.st_mode) else "file"
    if facts.st_uid not in (0, os.geteuid()):
        raise UnsafePlace(
            path,
            f"The {what} {path} belongs to another user ({_name(facts.st_uid)}), who could make "
            f"Memdown run anything as you; run Memdown as that user, or use a {what} of your own.",
            mendable=False,
        )
    if facts.st_mode & stat.S_IWOTH or (
        facts.st_mode & stat.S_IWGRP and not _is_own_group(facts.st_uid, facts.st_gid)
    ):
        raise UnsafePlace(
            path,
            f"The {what} {path} can be written by other users ({stat.S_IMODE(facts.st_mode):03o}), "
            "who could make Memdown run anything as you; "
            f"run `chmod go-w {path}`, or `memdown doctor --fix`.",
            mendable=True,
        )


def close_to_others(path: Path) -> None:
    """Take from other users what they may do with a file or folder."""
    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)


def is_open_to_others(path: Path) -> bool:
    """Whether other users may do anything with a file or folder."""
    return bool(path.stat().st_mode & _OTHERS)


def open_to_others(top: Path) -> list[Path]:
    """What other users could read at or below a folder; a private folder hides all it holds."""
    found: list[Path] = []
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            facts = folder.lstat()
            if not stat.S_ISDIR(facts.st_mode) or not facts.st_mode & _OTHERS:
                continue
            found.append(folder)
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif not entry.is_symlink() and entry.stat().st_mode & _OTHERS:
                        found.append(Path(entry.path))
        except OSError:
            continue
    return found


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"number {user}"


def _is_own_group(user: int, group: int) -> bool:
    """Whether a group is its owner's alone, as many systems make one for every user."""
    import grp
    import pwd

    try:
        owner, entry = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    return (
        owner.pw_gid == group
        and entry.gr_name == owner.pw_name
        and set(entry.gr_mem) <= {owner.pw_name}
    )


def replace_file(
    file: Path,
    data: bytes,
    *,
    since: os.stat_result | None = None,
    mtime_ns: int | None = None,
    durable: bool = True,
) -> bool:
    """Give a file new content; it keeps its mode, a new one is for its owner alone.

    The data is on the disk before the name leads to it, unless it need not be `durable`. A file that has
    changed `since` it was read with these facts is left alone, and the answer is False. Nothing is left
    behind if that fails with an `OSError`; a kill leaves a hidden draft beside the file.
    """
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".new", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            if durable:
                opened.flush()
                os.fsync(opened.fileno())
        if mtime_ns is not None:
            os.utime(draft, ns=(mtime_ns, mtime_ns))
        if file.exists():
            draft.chmod(file.stat().st_mode & 0o777)
        if since is not None and _differs(file.stat(), since):
            draft.unlink()
            return False
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return True


def _differs(now: os.stat_result, before: os.stat_result) -> bool:
    """Whether a file was written since, or another stands in its place."""
    return (now.st_size, now.st_mtime_ns, now.st_ino) != (
        before.st_size,
        before.st_mtime_ns,
        before.st_ino,
    )


# How long is waited for a lock that others have for moments only.
LOCK_SECONDS = 60.0


@contextlib.contextmanager
def locked(file: Path, timeout: float = LOCK_SECONDS) -> Iterator[bool]:
    """Have a lock file while the block runs; False if another process still has it after `timeout`.

    The kernel drops the lock when its process dies. The file is not deleted, since a third
    process could then lock a new file while the old one is still in use.
    """
    make_folder(file.parent)
    descriptor = open_file(file, os.O_RDWR)
    try:
        yield acquire(descriptor, timeout)
    finally:
        release(descriptor)


def is_locked(file: Path) -> bool:
    """Whether another process has this file locked now."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def acquire_or_fail(descriptor: int, timeout: float = LOCK_SECONDS) -> None:
    """Lock an open file for this process alone; a TimeoutError (an OSError) if that takes too long."""
    if not acquire(descriptor, timeout):
        raise TimeoutError(errno.ETIMEDOUT, f"another process has it locked for {timeout:.0f} s")


def release(descriptor: int) -> None:
    """Unlock and close a file; closing alone would keep the lock in a process forked meanwhile."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def acquire(descriptor: int, timeout: float) -> bool:
    """Lock an open file for this process alone; False if another still has it after `timeout`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return timeout > 0 and _wait_in_line(descriptor, timeout)
    return True


def _wait_in_line(descriptor: int, timeout: float) -> bool:
    """Wait for the lock in the kernel's queue, where whoever came first is served first.

    Asking again and again instead would hardly ever succeed against a process that takes the lock
    anew as soon as it has released it. A blocked call cannot be given up, so a thread makes it;
    the lock belongs to both descriptors and is gone when both are closed.
    """
    own = os.dup(descriptor)
    taken = threading.Event()

    def wait() -> None:
        try:
            fcntl.flock(own, fcntl.LOCK_EX)
            taken.set()
        finally:
            os.close(own)

    threading.Thread(target=wait, name="memdown-lock", daemon=True).start()
    return taken.wait(timeout)


VARIABLE = "MEMDOWN_FAILPOINT"


def _wanted(text: str) -> tuple[str, int]:
    name, _, count = text.partition(":")
    return name, int(count) if count.isdigit() else 1


_NAME, _left = _wanted(os.environ.get(VARIABLE, ""))


def reach(name: str) -> None:
    """Say that this point is reached; here the process ends if a test asked for it."""
    global _left
    if name != _NAME:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
