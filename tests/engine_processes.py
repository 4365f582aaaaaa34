"""The engine processes of LanceDB that tests have started: found by their sockets, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
from pathlib import Path

from memdown.index.lancedb.engine import peer
from waiting import eventually

VARIABLE = "XDG_RUNTIME_DIR"


def engines() -> list[int]:
    """Those that run in this test's folder for sockets."""
    found = []
    for file in Path(os.environ[VARIABLE], f"memdown-{os.geteuid()}").glob("*"):
        if not stat.S_ISSOCK(file.lstat().st_mode):
            continue
        with socket.socket(socket.AF_UNIX) as link, contextlib.suppress(OSError):
            link.connect(str(file))
            found.append(peer(link)[0])
    return found


def is_running(process: int) -> bool:
    """Whether a process is there, and not only waited for."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def end_engines() -> None:
    """As `kill -9` does: whoever asks next starts a new one."""
    ended = engines()
    for process in ended:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    eventually(lambda: not any(map(is_running, ended)), 30.0, what="the end of the engines")
