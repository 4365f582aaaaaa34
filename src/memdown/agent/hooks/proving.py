"""Installed hooks run once as an agent would run them, without anything being written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from memdown.errors import MemdownError

_SECONDS = 60


def prove(commands: Sequence[str]) -> list[str]:
    """What each command says of itself; raises what is wrong with the first that fails."""
    return [_run(command) for command in commands]


def _run(command: str) -> str:
    given = {"session_id": "memdown-install", "cwd": str(Path.home()), "memdown_dry_run": True}
    try:
        done = subprocess.run(  # noqa: S602 - an agent runs it by a shell, too
            command,
            shell=True,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            cwd=Path.home(),
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MemdownError("the hook did not end in time.") from None
    if done.returncode:
        said = done.stderr.strip() or f"the hook ended with exit code {done.returncode}."
        raise MemdownError(said.removeprefix("memdown: "))
    try:
        return str(json.loads(done.stdout)["systemMessage"]).removeprefix("memdown: ")
    except (ValueError, KeyError, TypeError):
        raise MemdownError("the hook gave no answer that an agent would understand.") from None
