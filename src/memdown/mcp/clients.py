"""Which file tells an MCP client about a server, and what must stand there."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdown.errors import ConfigError, MemdownError

if TYPE_CHECKING:
    from memdown.agent.client_files import FileChange

Entry = dict[str, Any]
NAME = "memdown"
# Codex asks its model without the tools of a server that is not there within a second, as happens on
# a busy machine. `required` would make Codex itself fail where the server does.
_GRACE, _GRACE_MS = "mcp_optional_startup_grace_ms", 10_000
_WHY_GRACE = "memdown: its tools are there when the model is first asked"


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers: a file for the user, one for a project, a place in them."""

    user_file: Callable[[], Path] | None
    project_file: str | None
    path: tuple[str, ...]
    entry: Callable[[list[str], Mapping[str, str]], Entry]


def _plain(command: list[str], environ: Mapping[str, str]) -> Entry:
    entry: Entry = {"command": command[0], "args": command[1:]}
    return {**entry, "env": dict(environ)} if environ else entry


def _typed(command: list[str], environ: Mapping[str, str]) -> Entry:
    return {"type": "stdio", **_plain(command, environ)}


def _opencode(command: list[str], environ: Mapping[str, str]) -> Entry:
    entry: Entry = {"type": "local", "command": command, "enabled": True}
    return {**entry, "environment": dict(environ)} if environ else entry


def _home(*parts: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*parts)


def _application(mac: str, linux: str) -> Callable[[], Path]:
    def file() -> Path:
        if sys.platform == "darwin":
            return Path.home() / "Library/Application Support" / mac
        return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / linux

    return file


def _codex() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


def _claude_code() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home()) / ".claude.json"


def _gemini() -> Path:
    return Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini" / "settings.json"


def _xdg(*parts: str) -> Callable[[], Path]:
    def file() -> Path:
        base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(base).joinpath(*parts)

    return file


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(_claude_code, ".mcp.json", ("mcpServers",), _typed),
    "claude-desktop": Client(
        _application("Claude/claude_desktop_config.json", "Claude/claude_desktop_config.json"),
        None,
        ("mcpServers",),
        _plain,
    ),
    "codex": Client(_codex, ".codex/config.toml", ("mcp_servers",), _plain),
    "cursor": Client(_home(".cursor", "mcp.json"), ".cursor/mcp.json", ("mcpServers",), _plain),
    "gemini": Client(_gemini, ".gemini/settings.json", ("mcpServers",), _plain),
    "opencode": Client(_xdg("opencode", "opencode.json"), "opencode.json", ("mcp",), _opencode),
    "vscode": Client(
        _application("Code/User/mcp.json", "Code/User/mcp.json"),
        ".vscode/mcp.json",
        ("servers",),
        _typed,
    ),
    "windsurf": Client(
        _home(".codeium", "windsurf", "mcp_config.json"), None, ("mcpServers",), _plain
    ),
    "zed": Client(_xdg("zed", "settings.json"), ".zed/settings.json", ("context_servers",), _plain),
}


def plan_install(
    client: str,
    *,
    workspace: Path | None = None,
    config: Path | None = None,
    agent: str = "main",
    write: bool = False,
    project: bool = False,
    undo: bool = False,
    file: Path | None = None,
) -> FileChange:
    """The change that adds Memdown to a client's file, or with `undo` takes it out."""
    from memdown.agent.client_files import (
        as_it_was,
        parse_json,
        parse_toml,
        plan_change,
        remove_default,
        remove_member,
        remove_table,
        set_default,
        set_member,
        set_table,
    )

    known = CLIENTS[client]
    entry = known.entry(
        server_command(workspace=workspace, config=config, agent=agent, write=write),
        passed_environment(),
    )
    place = (*known.path, NAME)
    target = file or _file(client, known, project)
    if target.suffix == ".toml":
        if undo:
            return plan_change(
                target,
                lambda text: as_it_was(
                    target,
                    remove_default(remove_table(text, place), _GRACE, _WHY_GRACE),
                    parse_toml,
                ),
            )
        return plan_change(
            target,
            lambda text: set_table(set_default(text, _GRACE, _GRACE_MS, _WHY_GRACE), place, entry),
        )
    if undo:
        return plan_change(
            target, lambda text: as_it_was(target, remove_member(text, place), parse_json)
        )
    return plan_change(target, lambda text: set_member(text, place, entry))


def installed_command(client: str, file: Path) -> tuple[list[str], dict[str, str]]:
    """The command that a client's file holds for us, and the environment it adds."""
    from memdown.agent.client_files import parse_json, parse_toml

    text = file.read_text(encoding="utf-8")
    if file.suffix == ".toml":
        entry: Any = parse_toml(text)
    else:
        entry = parse_json(text)
    for name in (*CLIENTS[client].path, NAME):
        entry = entry[name]
    command = entry["command"]
    words = command if isinstance(command, list) else [command, *entry.get("args", [])]
    return list(words), dict(entry.get("env") or entry.get("environment") or {})


def server_command(
    *, workspace: Path | None, config: Path | None, agent: str, write: bool
) -> list[str]:
    """The command a client starts."""
    options = memory_options(workspace, config, agent)
    return [*own_command(), "mcp", *(["--write"] if write else []), *options]


def memory_options(workspace: Path | None, config: Path | None, agent: str) -> list[str]:
    """Which memory, with absolute paths: the command runs in another folder."""
    options: list[str] = []
    if workspace:
        options += ["--workspace", str(_absolute(workspace))]
    if config:
        options += ["--config", str(_absolute(config))]
    if agent != "main":
        options += ["--agent", agent]
    return options


def own_command() -> list[str]:
    """How to start this very installation of Memdown."""
    beside = Path(sys.executable).parent / NAME
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    return [found] if found else [sys.executable, "-m", "memdown.cli"]


def passed_environment() -> dict[str, str]:
    """What the command needs of this environment to find the same memory."""
    names = ("MEMDOWN_STATE_DIR", "MEMDOWN_CONFIG")
    return {name: str(_absolute(Path(os.environ[name]))) for name in names if os.environ.get(name)}


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100


def _file(client: str, known: Client, project: bool) -> Path:
    if project:
        if known.project_file is None:
            raise ConfigError(f"{client} has no file for a single project; leave --project out.")
        return Path.cwd() / known.project_file
    if known.user_file is None:
        raise ConfigError(f"{client} keeps servers per project only; add --project.")
    return known.user_file()


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
