"""Prints the folder for what tests write: one in memory where there is room, or the usual one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
# Far more than tests need at a time. Containers often have 64 MB there.
_ROOM = 2_000_000_000


def quick_folder(folder: Path = IN_MEMORY, room: int = _ROOM) -> str:
    """The folder in memory if it can be used for tests, otherwise that for temporary files."""
    fits = folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= room
    # Some tests write programs and run them.
    if fits and not os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return str(folder)
    return tempfile.gettempdir()


if __name__ == "__main__":
    print(quick_folder())
