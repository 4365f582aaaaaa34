"""Advisory file locks across processes, served in the order in which they were asked for."""

from __future__ import annotations

import fcntl
import os
import threading


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
