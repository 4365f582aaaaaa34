"""The hooks in Claude Code's settings: added beside whatever else stands there, and taken out."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from memdown.agent.client_files import Change, jsonc, plan_change
from memdown.errors import ConfigError

# Our name of an event, Claude Code's name, and how many seconds it may take.
_EVENTS = (
    ("session-start", "SessionStart", 10),
    ("pre-compact", "PreCompact", 30),
    ("stop", "Stop", 10),
    ("session-end", "SessionEnd", 30),
)
_RECALL = ("user-prompt-submit", "UserPromptSubmit", 10)


def settings_file(*, project: bool) -> Path:
    """Claude Code's settings: of the user, or of the project in the current folder."""
    if project:
        return Path.cwd() / ".claude" / "settings.json"
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "settings.json"


def plan_hooks(
    file: Path, command: list[str], options: list[str], *, recall: bool = False, undo: bool = False
) -> Change:
    """The change that adds the hooks to a settings file, or with `undo` takes them out."""

    def edit(text: str) -> str:
        for name, event, seconds in (*_EVENTS, _RECALL):
            wanted = not undo and (recall or name != _RECALL[0])
            hook = {
                "type": "command",
                "command": shlex.join([*command, "hook", name, *options]),
                "timeout": seconds,
            }
            text = _with_hook(text, event, name, hook if wanted else None)
        data = jsonc.parse(text)
        if undo and data.get("hooks") == {}:
            return jsonc.remove_member(text, ["hooks"])
        return text

    return plan_change(file, edit)


def installed_commands(file: Path) -> list[str]:
    """Our commands as they stand in a settings file, that of the session's start first."""
    hooks = jsonc.parse(file.read_text(encoding="utf-8")).get("hooks", {})
    return [
        hook["command"]
        for name, event, _ in (*_EVENTS, _RECALL)
        for group in hooks.get(event, [])
        for hook in group.get("hooks", [])
        if _is_ours(hook, name)
    ]


def _with_hook(text: str, event: str, name: str, hook: dict[str, Any] | None) -> str:
    data = jsonc.parse(text)
    hooks = data.get("hooks", {}) if isinstance(data, dict) else None
    groups = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise ConfigError("its hooks are not laid out as Claude Code has them; edit it by hand")
    kept = [group for group in (_without(group, name) for group in groups) if group is not None]
    wanted = [*kept, {"hooks": [hook]}] if hook else kept
    if wanted == groups:
        return text
    if not wanted:
        return jsonc.remove_member(text, ["hooks", event])
    return jsonc.set_member(text, ["hooks", event], wanted)


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
