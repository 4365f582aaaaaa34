"""Processes of their own that start with everything loaded: forked from one that does nothing else.

They are as real as any other (each has its own locks, and `kill -9` ends it), but need not load
Memdown for half a second, or LanceDB for three. What a start does is tested with `subprocess`.
"""

from __future__ import annotations

import atexit
import importlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from memdown import files
from waiting import eventually

_USUAL = ("faults.worker", "memdown.cli")


class Forked:
    """A process that calls a function of a module; the part of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        work: Callable[..., None],
        *arguments: object,
        output: Path,
        environ: Mapping[str, str] | None = None,
        load: tuple[str, ...] = (),
    ) -> None:
        self._server = _server((*_USUAL, *load))
        self._code: int | None = None
        given = (work, arguments, output, dict(os.environ if environ is None else environ))
        self.pid: int = _ask(self._server, given)

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal, of a process that ended."""
        if self._code is None:
            self._code = _ask(self._server, self.pid)
        return self._code

    def wait(self, seconds: float = 120.0) -> int:
        eventually(
            lambda: self.poll() is not None, seconds, pause=0.005, what="the end of a process"
        )
        assert self._code is not None
        return self._code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@cache
def _server(modules: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """The process that is forked, with these modules loaded. It ends when nobody asks any more."""
    here = Path(__file__).parent
    paths = [str(here), str(Path(files.__file__).parents[1])]
    server = subprocess.Popen(
        [sys.executable, "-m", "forked", *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # The folder of a test is gone after it.
        cwd=here,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    server.stdin.close()
    server.wait()


def _ask(server: subprocess.Popen[bytes], what: object) -> Any:
    assert server.stdin is not None
    assert server.stdout is not None
    pickle.dump(what, server.stdin)
    server.stdin.flush()
    return pickle.load(server.stdout)


def _serve(modules: list[str]) -> None:
    """Fork for whoever sends work, and tell how those ended whose number is sent."""
    for module in modules:
        importlib.import_module(module)
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    while True:
        try:
            what = pickle.load(asked)
        except EOFError:
            return
        if isinstance(what, int):
            ended, status = os.waitpid(what, os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if ended else None
        else:
            answer = _fork(*what)
        pickle.dump(answer, answers)
        answers.flush()


def _fork(
    work: Callable[..., None], arguments: tuple[object, ...], output: Path, environ: dict[str, str]
) -> int:
    with warnings.catch_warnings():
        # LanceDB warns that a process in the middle of something must not be forked.
        warnings.simplefilter("ignore")
        process = os.fork()
    if process:
        return process
    code = 1
    try:
        _become(output, environ)
        work(*arguments)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _become(output: Path, environ: dict[str, str]) -> None:
    """What a process has from its start: its streams, its environment, where it is to be killed."""
    with open(os.devnull, "rb") as nothing, output.open("ab") as said:
        os.dup2(nothing.fileno(), 0)
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    os.environ.clear()
    os.environ.update(environ)
    name, _, count = environ.get(files.VARIABLE, "").partition(":")
    vars(files).update(_NAME=name, _left=int(count or 1))


if __name__ == "__main__":
    _serve(sys.argv[1:])
