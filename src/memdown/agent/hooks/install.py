"""The hooks in the settings of coding agents: added beside whatever else stands there, and taken out.

Claude Code, Codex and Gemini CLI speak the same protocol; events and units have other names. For
OpenCode, a plugin of ours (`opencode.js`) speaks it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memdown.agent.client_files import (
    FileChange,
    as_it_was,
    parse_json,
    plan_change,
    remove_member,
    set_member,
)
from memdown.errors import ConfigError, MemdownError

_RECALL = "user-prompt-submit"


@dataclass(frozen=True, slots=True)
class Event:
    """Our name of an event, the client's, and how many seconds its hook may take.

    With `later` the hook hands its work to a process of its own and ends at once.
    """

    name: str
    theirs: str
    seconds: int
    later: bool = False


@dataclass(frozen=True, slots=True)
class HookClient:
    """Where a client keeps its hooks, what it calls the events, and how it counts time.

    `variable` names the folder in which `inner` is, in place of `home` in the home folder.
    """

    folder: str
    variable: str
    file: str
    events: tuple[Event, ...]
    per_second: int = 1
    inner: str = ""
    home: str = ""


_CLAUDE_EVENTS = (
    Event("session-start", "SessionStart", 30),
    Event("pre-compact", "PreCompact", 30),
    Event("stop", "Stop", 10),
    Event("session-end", "SessionEnd", 30),
    Event(_RECALL, "UserPromptSubmit", 10),
)
HOOK_CLIENTS: Mapping[str, HookClient] = {
    "claude-code": HookClient(".claude", "CLAUDE_CONFIG_DIR", "settings.json", _CLAUDE_EVENTS),
    "codex": HookClient(
        ".codex",
        "CODEX_HOME",
        "hooks.json",
        # Codex waits 3 s for the end of a session at most, which is too short on a busy machine.
        tuple(
            replace(event, seconds=3, later=True) if event.name == "session-end" else event
            for event in _CLAUDE_EVENTS
        ),
    ),
    "gemini": HookClient(
        ".gemini",
        "GEMINI_CLI_HOME",
        "settings.json",
        (
            Event("session-start", "SessionStart", 30),
            Event("pre-compact", "PreCompress", 30),
            Event("stop", "AfterAgent", 10),
            Event("session-end", "SessionEnd", 30),
            Event(_RECALL, "BeforeAgent", 10),
        ),
        per_second=1000,
        inner=".gemini",
    ),
    "opencode": HookClient(
        ".opencode",
        "XDG_CONFIG_HOME",
        "plugins/memdown.js",
        _CLAUDE_EVENTS,
        inner="opencode",
        home=".config/opencode",
    ),
}
_PLUGIN = Path(__file__).with_name("opencode.js")
_PLACEHOLDER = "const MEMDOWN = null"
_FILLED = re.compile(r"^const MEMDOWN = (\{.*\})$", re.MULTILINE)


def settings_file(client: str = "claude-code", *, project: bool) -> Path:
    """A client's settings: of the user, or of the project in the current folder."""
    known = HOOK_CLIENTS[client]
    if project:
        return Path.cwd() / known.folder / known.file
    if named := os.environ.get(known.variable):
        return Path(named) / known.inner / known.file
    return Path.home() / (known.home or known.folder) / known.file


def plan_hooks(
    file: Path,
    command: list[str],
    options: list[str],
    *,
    client: str = "claude-code",
    recall: bool = False,
    undo: bool = False,
) -> FileChange:
    """The change that adds the hooks to a settings file, or with `undo` takes them out."""
    known = HOOK_CLIENTS[client]
    if file.suffix == ".js":
        change = plan_change(file, lambda text: _plugin(text, command, options, recall, undo))
        return replace(change, ours=True)

    def edit(text: str) -> str | None:
        for one in known.events:
            name, event = one.name, one.theirs
            wanted = not undo and (recall or name != _RECALL)
            more = ["--later"] if one.later else []
            hook = {
                "type": "command",
                "command": shlex.join([*command, "hook", name, *more, *options]),
                "timeout": one.seconds * known.per_second,
            }
            text = _with_hook(text, event, name, hook if wanted else None)
        if not undo:
            return text
        if parse_json(text).get("hooks") == {}:
            text = remove_member(text, ["hooks"])
        return as_it_was(file, text, parse_json)

    return plan_change(file, edit)


def installed_commands(file: Path, client: str = "claude-code") -> list[str]:
    """Our commands as they stand in a settings file, that of the session's start first."""
    text = file.read_text(encoding="utf-8")
    if filled := _FILLED.search(text):
        given = json.loads(filled[1])
        return [shlex.join([*given["command"], "hook", "session-start", *given["options"]])]
    hooks = parse_json(text).get("hooks", {})
    return [
        hook["command"]
        for event in HOOK_CLIENTS[client].events
        for group in hooks.get(event.theirs, [])
        for hook in group.get("hooks", [])
        if _is_ours(hook, event.name)
    ]


def _plugin(
    text: str, command: list[str], options: list[str], recall: bool, undo: bool
) -> str | None:
    """Our plugin with what it is to run; a file of that name that is not ours stays."""
    if text.strip() and not _FILLED.search(text):
        raise ConfigError("another program made this plugin; move it away first")
    if undo:
        return None
    given = json.dumps({"command": command, "options": options, "recall": recall})
    return _PLUGIN.read_text("utf-8").replace(_PLACEHOLDER, f"const MEMDOWN = {given}")


def _with_hook(text: str, event: str, name: str, hook: dict[str, Any] | None) -> str:
    data = parse_json(text)
    hooks = data.get("hooks", {}) if isinstance(data, dict) else None
    groups = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise ConfigError("its hooks are not laid out as the client has them; edit it by hand")
    kept = [group for group in (_without(group, name) for group in groups) if group is not None]
    wanted = [*kept, {"hooks": [hook]}] if hook else kept
    if wanted == groups:
        return text
    if not wanted:
        return remove_member(text, ["hooks", event])
    return set_member(text, ["hooks", event], wanted)


def _without(group: Any, name: str) -> Any:
    """A group without our hook; None if nothing else is in it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    others = [hook for hook in group["hooks"] if not _is_ours(hook, name)]
    if len(others) == len(group["hooks"]):
        return group
    return {**group, "hooks": others} if others else None


def _is_ours(hook: Any, name: str) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and "memdown" in command and f" hook {name}" in command


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
