"""Commands as people type them: as a real process, or in this one where that is all the same.

A process takes half a second to load what a search needs. What only a process has (its exit code
as the shell sees it, signals, pipes that break, what it loads) is tested with one.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memdown.cli import run

Done = subprocess.CompletedProcess[str]


def memdown_process(*arguments: str, **options: Any) -> Done:
    """A real process, with nothing but pipes around it."""
    command = [sys.executable, "-m", "memdown.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def memdown(*arguments: str, cwd: Path | None = None) -> Done:
    """What a command prints and returns, without a process of its own."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patched,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        if cwd is not None:
            patched.chdir(cwd)
        code = run(list(arguments))
    return Done(list(arguments), code, written(out), written(errors))


def in_turn(commands: Sequence[list[str]], given: str, folder: Path, umask: int) -> None:
    """Some commands, one after the other, for a process of its own; each reads what is given."""
    os.umask(umask)
    os.chdir(folder)
    for command in commands:
        sys.stdin = io.StringIO(given)
        run(command)


def written(stream: io.TextIOWrapper) -> str:
    """All that was written to a stream."""
    stream.seek(0)
    return stream.read()
