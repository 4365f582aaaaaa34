"""The one-writer rule across processes: an advisory lock on a file that is never removed."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from memdown.files.locks import acquire
from memdown.files.private import make_folder


@contextlib.contextmanager
def exclusive(path: Path, timeout: float) -> Iterator[bool]:
    """Hold the lock while the block runs; False if another process still has it after `timeout`.

    The kernel drops the lock when its holder dies. The file is not unlinked, since a third
    process could then lock a new file while the old one is still held.
    """
    make_folder(path.parent)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield acquire(descriptor, timeout)
    finally:
        # Closing alone would keep the lock alive in a process forked meanwhile.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)
