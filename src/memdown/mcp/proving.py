"""A server started once as a client would start it, to see that it answers."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdown.errors import MemdownError

_VERSION = "2025-06-18"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a server said of itself; it has no notes if memory is off, or of single memories."""

    version: str
    tools: tuple[str, ...]
    has_notes: bool


def prove(command: Sequence[str], environ: Mapping[str, str], seconds: float = 60.0) -> Proof:
    """Start the server in the home folder, ask it, and end it; raises what is wrong with it."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environ},
            cwd=Path.home(),
        )
    except OSError as error:
        raise MemdownError(f"{command[0]} cannot be started ({error.strerror}).") from None
    try:
        return _asked(_Talk(process, time.monotonic() + seconds))
    finally:
        process.kill()
        process.communicate()


def _asked(talk: _Talk) -> Proof:
    about = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": _info("memdown")}
    said = talk.ask("initialize", about)
    talk.say({"method": "notifications/initialized"})
    tools = tuple(str(tool.get("name")) for tool in talk.ask("tools/list", {}).get("tools", []))
    if "memory_search" not in tools:
        return Proof(_version(said), tools, has_notes=False)
    call = {"name": "memory_search", "arguments": {"query": "memory"}}
    found = talk.ask("tools/call", call)
    if found.get("isError"):
        raise MemdownError(" ".join(str(one.get("text")) for one in found.get("content", [])))
    return Proof(_version(said), tools, has_notes=True)


def _info(name: str) -> dict[str, str]:
    from memdown import __version__

    return {"name": name, "version": __version__}


def _version(said: Mapping[str, Any]) -> str:
    return str(said.get("serverInfo", {}).get("version", "?"))


class _Talk:
    """JSON-RPC by lines with a process, until a moment."""

    def __init__(self, process: subprocess.Popen[bytes], end: float) -> None:
        self._process = process
        self._end = end
        self._rest = b""
        self._id = 0

    def say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            raise MemdownError("the server ended at once.") from None

    def ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of a call; other messages are passed over."""
        self._id += 1
        self.say({"id": self._id, "method": method, "params": params})
        while True:
            message = self._message()
            if message.get("id") == self._id:
                if "error" in message:
                    raise MemdownError(str(message["error"].get("message", "an error")))
                return dict(message.get("result") or {})

    def _message(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            self._rest += self._read()
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise MemdownError("the server said something that is not of the protocol.")
        return message

    def _read(self) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it is a pipe
        with selectors.DefaultSelector() as waiting:
            waiting.register(stdout, selectors.EVENT_READ)
            if not waiting.select(max(self._end - time.monotonic(), 0)):
                raise MemdownError("the server did not answer in time.")
        data = os.read(stdout.fileno(), 1 << 16)
        if not data:
            raise MemdownError("the server ended before it answered.")
        return data
