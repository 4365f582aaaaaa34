"""Commands run on a real pseudo-terminal, as a person sees them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

_END = "@@@ end of command"
_EACH = f"""
import json, sys
from memdown.cli import run
for command in json.loads(sys.argv[1]):
    run(command)
    sys.stderr.flush()
    print({_END!r}, end="", flush=True)
"""


def on_terminal(
    *arguments: str,
    cwd: Path | None = None,
    columns: int = 80,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What `memdown` prints on a terminal, standard error included, byte for byte."""
    return _shown([sys.executable, "-m", "memdown", *arguments], cwd, columns, environment)


def each_on_terminal(
    commands: list[list[str]], cwd: Path, environment: Mapping[str, str]
) -> list[str]:
    """What each of the commands prints there, one after the other in one process."""
    shown = _shown([sys.executable, "-c", _EACH, json.dumps(commands)], cwd, 80, environment)
    return shown.split(_END)[:-1]


def _shown(
    command: list[str], cwd: Path | None, columns: int, environment: Mapping[str, str] | None
) -> str:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    own = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        own.pop(name, None)
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=cwd,
        env=own | dict(environment or {}),
    )
    os.close(slave)
    pieces = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            # Linux says so when the other side is closed.
            break
        if not piece:
            break
        pieces.append(piece)
    process.wait()
    os.close(master)
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")
