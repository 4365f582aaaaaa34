"""The one-writer rule across processes: an advisory lock on a file that is never removed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def exclusive(path: Path, timeout: float) -> Iterator[bool]:
    """Hold the lock while the block runs; False if another process still has it after `timeout`.

    The kernel drops the lock when its holder dies. The file is not unlinked, since a third
    process could then lock a new file while the old one is still held.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield _acquire(descriptor, timeout)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, timeout: float) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return timeout > 0 and _wait_in_line(descriptor, timeout)
    return True


def _wait_in_line(descriptor: int, timeout: float) -> bool:
    """Wait for the lock in the kernel's queue, where whoever came first is served first.

    Asking again and again instead would never succeed against a process that takes the lock
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
