"""Advisory file locks across processes, served in the order in which they were asked for."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from memdown.files.private import make_folder, open_file

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
