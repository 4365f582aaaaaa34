"""Which file tells an MCP client about a server, and what must stand there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdown.errors import ConfigError

if TYPE_CHECKING:
    from memdown.agent.client_files import Change

Entry = dict[str, Any]
NAME = "memdown"


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
) -> Change:
    """The change that adds Memdown to a client's file, or with `undo` takes it out."""
    from memdown.agent.client_files import as_it_was, plan_change

    known = CLIENTS[client]
    entry = known.entry(
        server_command(workspace=workspace, config=config, agent=agent, write=write),
        passed_environment(),
    )
    place = (*known.path, NAME)
    target = file or _file(client, known, project)
    if target.suffix == ".toml":
        from memdown.agent.client_files import toml

        if undo:
            return plan_change(
                target, lambda text: as_it_was(target, toml.remove_table(text, place), toml.parse)
            )
        return plan_change(target, lambda text: toml.set_table(text, place, entry))
    from memdown.agent.client_files import jsonc

    if undo:
        return plan_change(
            target, lambda text: as_it_was(target, jsonc.remove_member(text, place), jsonc.parse)
        )
    return plan_change(target, lambda text: jsonc.set_member(text, place, entry))


def installed_command(client: str, file: Path) -> tuple[list[str], dict[str, str]]:
    """The command that a client's file holds for us, and the environment it adds."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".toml":
        from memdown.agent.client_files import toml

        entry: Any = toml.parse(text)
    else:
        from memdown.agent.client_files import jsonc

        entry = jsonc.parse(text)
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
