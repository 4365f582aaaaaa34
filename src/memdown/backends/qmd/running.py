"""Run a command that cannot be trusted to end: no shell, a time limit, bounded output, no orphans."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_OUTPUT = 8_000_000
# How often it is looked whether the command has ended or is no longer wanted.
_TICK_SECONDS = 0.1
# What a command's own children may still print after it has ended.
_DRAIN_SECONDS = 0.3
_PIECE = 65_536


class CommandFailed(Exception):
    """The command gave no usable answer; says why."""


class CommandMissing(CommandFailed):
    """The command is not installed or cannot be started."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended and what it printed."""

    code: int
    stdout: str
    stderr: str


def run(
    command: Sequence[str],
    *,
    environ: Mapping[str, str],
    folder: Path,
    timeout: float,
    stop: threading.Event | None = None,
    most: int = MOST_OUTPUT,
) -> Finished:
    """Run a command to its end; when it takes too long or prints too much, all of it is killed.

    The command gets a process group of its own, so that what it has started dies with it.
    """
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandMissing(f"{command[0]} cannot be started ({error.strerror})") from None
    with process:
        try:
            return _collected(process, _shown(command), timeout, stop, most)
        finally:
            # Before the process is waited for, nobody else can have got its number.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def _collected(
    process: subprocess.Popen[bytes],
    name: str,
    timeout: float,
    stop: threading.Event | None,
    most: int,
) -> Finished:
    deadline = time.monotonic() + timeout
    printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    size = 0
    ended = False
    with selectors.DefaultSelector() as selector:
        for stream in printed:
            selector.register(getattr(process, stream), selectors.EVENT_READ, stream)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                if ended:
                    break
                raise CommandFailed(f"{name} gave no answer within {timeout:g} s")
            if stop is not None and stop.is_set():
                raise CommandFailed(f"{name} was stopped")
            for key, _ in selector.select(min(left, _TICK_SECONDS)):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fileobj)
                size += len(piece)
                printed[key.data].append(piece)
            if size > most:
                raise CommandFailed(f"{name} printed more than {most / 1e6:g} MB")
            if not ended and _has_ended(process.pid):
                ended = True
                deadline = min(deadline, time.monotonic() + _DRAIN_SECONDS)
    while not ended and not _has_ended(process.pid):
        if time.monotonic() > deadline:
            raise CommandFailed(f"{name} gave no answer within {timeout:g} s")
        time.sleep(_TICK_SECONDS / 10)
    code = process.wait()
    stdout, stderr = (b"".join(pieces).decode("utf-8", "replace") for pieces in printed.values())
    return Finished(code, stdout, stderr)


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, without taking note: its number must stay its own."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _shown(command: Sequence[str]) -> str:
    return f"`{' '.join([Path(command[0]).name, *command[1:2]])}`"
