"""An OpenClaw state folder: its configuration, its workspace, the sessions of its agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memdown.imports.foreign import entries, markdown_below, note_text
from memdown.imports.items import Found, Item, Said, Talk, note, safe, shown, transcript
from memdown.text import json5_text
from memdown.transcripts.messages import text_of
from memdown.types import Failure

SOURCE = "openclaw"
SETTINGS = "memdown.json5"
_PROVIDERS = ("openai", "google", "voyage")
_NOTES = ("MEMORY.md", "memory.md", "USER.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "HEARTBEAT.md")


def find(root: Path, home: Path) -> Found:
    """Everything below `~/.openclaw` that memory can use."""
    config, problems = _config(root, home)
    items: list[Item] = []
    if config:
        made = _ours(config)
        if made:
            items.append(_settings(root, home, made))
    for folder, prefix in _workspaces(root, config):
        items += [_note(path, folder, prefix, home) for path in _notes(folder)]
    for path in sorted(root.glob("agents/*/sessions/*.jsonl")):
        if path.is_file() and not path.is_symlink():
            items.append(session(path, home, path.parent.parent.name))
    return Found(tuple(items), problems)


def session(path: Path, home: Path, agent: str | None) -> Item:
    """One transcript; its agent has the same name here."""
    talk = Talk(path.stem, shown(path, home), lambda: turns(path))
    return transcript(SOURCE, talk, agent.lower() if agent else None)


def turns(path: Path) -> Iterator[Said]:
    """What user and assistant said."""
    for entry in entries(path):
        message = entry.get("message")
        if entry.get("type") != "message" or not isinstance(message, dict):
            continue
        role, text = message.get("role"), text_of(message.get("content"))
        if role in ("user", "assistant") and text.strip():
            yield Said(role, text, entry.get("timestamp") or message.get("timestamp"))


def _config(root: Path, home: Path) -> tuple[dict[str, Any] | None, tuple[Failure, ...]]:
    path = root / "openclaw.json"
    if not path.is_file():
        return None, ()
    try:
        data = json5_text.loads(path.read_text("utf-8", "replace"))
    except (json5_text.BadJson5, OSError) as error:
        where = shown(path, home)
        return None, (Failure(where, f"{where} cannot be read ({error}); correct it."),)
    return (data if isinstance(data, dict) else None), ()


def _settings(root: Path, home: Path, made: dict[str, Any]) -> Item:
    def content() -> Iterator[bytes]:
        where = shown(root / "openclaw.json", home)
        yield f"// imported from {SOURCE}: {where}\n{json5_text.dumps(made)}\n".encode()

    return Item("settings", shown(root / "openclaw.json", home), SETTINGS, content)


def _ours(config: dict[str, Any]) -> dict[str, Any]:
    """The parts of a configuration that are about memory; nothing of channels and their tokens."""
    agents = _object(config.get("agents"))
    defaults = _picked(_object(agents.get("defaults")), ("memorySearch", "compaction"))
    listed = [
        _picked(agent, ("id", "memorySearch"))
        for agent in agents.get("list") or ()
        if isinstance(agent, dict) and isinstance(agent.get("memorySearch"), dict)
    ]
    providers = {
        name: _picked(_object(value), ("apiKey", "baseUrl", "headers"))
        for name, value in _object(_object(config.get("models")).get("providers")).items()
        if name in _PROVIDERS
    }
    slots = _picked(_object(_object(config.get("plugins")).get("slots")), ("memory",))
    made: dict[str, Any] = {}
    if defaults or listed:
        made["agents"] = {
            key: value for key, value in (("defaults", defaults), ("list", listed)) if value
        }
    if isinstance(config.get("memory"), dict):
        made["memory"] = config["memory"]
    if any(providers.values()):
        made["models"] = {"providers": providers}
    if slots:
        made["plugins"] = {"slots": slots}
    return made


def _workspaces(root: Path, config: dict[str, Any] | None) -> Iterator[tuple[Path, str]]:
    """Every workspace with the folder its notes go to: one for each agent that has its own."""
    agents = _object((config or {}).get("agents"))
    named = _object(agents.get("defaults")).get("workspace")
    main = Path(named).expanduser() if isinstance(named, str) else root / "workspace"
    if not main.is_dir():
        main = root / "workspace"
    if main.is_dir():
        yield main, ""
    seen = {main.resolve()}
    for path in sorted(root.glob("workspace-*")):
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path, f"{safe(path.name.removeprefix('workspace-'))}/"
    for agent in agents.get("list") or ():
        own = agent.get("workspace") if isinstance(agent, dict) else None
        path = Path(own).expanduser() if isinstance(own, str) else main
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path, f"{safe(str(agent.get('id') or path.name))}/"


def _notes(folder: Path) -> Iterator[Path]:
    names: set[str] = set()
    for name in _NOTES:
        path = folder / name
        # A disk that does not tell case shows MEMORY.md under both names.
        if path.is_file() and not path.is_symlink() and name.lower() not in names:
            names.add(name.lower())
            yield path
    yield from markdown_below(folder / "memory")


def _note(path: Path, folder: Path, prefix: str, home: Path) -> Item:
    name = path.relative_to(folder).as_posix().removeprefix("memory/")
    return note(SOURCE, shown(path, home), prefix + name, lambda: note_text(path))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _picked(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: data[key] for key in keys if key in data}
