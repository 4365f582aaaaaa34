"""Claude Code: notes in `projects/<project>/memory/`, sessions in `projects/<project>/*.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memdown.imports.foreign import entries, markdown_below, note_text
from memdown.imports.items import Found, Item, Said, Talk, note, safe, shown, transcript
from memdown.transcripts.messages import text_of

SOURCE = "claude-code"
# What the program itself puts into the user's messages.
_COMMANDS = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-",
    "Caveat: The messages",
)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def find(root: Path, home: Path) -> Found:
    """Everything below `~/.claude`."""
    items: list[Item] = []
    for project in _projects(root):
        name = safe(project.name)
        for path in markdown_below(project / "memory"):
            inner = path.relative_to(project / "memory").as_posix()
            items.append(_note(path, f"{name}/{inner}", home))
        # Subagents have files of their own, which repeat the main conversation's tasks.
        items += [
            session(path, home)
            for path in sorted(project.glob("*.jsonl"))
            if not path.name.startswith("agent-") and path.is_file() and not path.is_symlink()
        ]
    return Found(tuple(items))


def session(path: Path, home: Path) -> Item:
    """One session file."""
    facts: dict[str, Any] = {"project": path.parent.name}
    talk = Talk(path.stem, shown(path, home), lambda: turns(path), facts)
    return transcript(SOURCE, talk)


def turns(path: Path) -> Iterator[Said]:
    """What user and assistant said, without commands, reminders, tool results and side chains."""
    for entry in entries(path):
        role = entry.get("type")
        message = entry.get("message")
        if role not in ("user", "assistant") or not isinstance(message, dict):
            continue
        if any(entry.get(flag) for flag in ("isMeta", "isSidechain", "isCompactSummary")):
            continue
        text = text_of(message.get("content"))
        if role == "user":
            if text.lstrip().startswith(_COMMANDS):
                continue
            if "<system-reminder>" in text:
                text = _REMINDER.sub("", text)
        if text.strip():
            yield Said(role, text, entry.get("timestamp"))


def _projects(root: Path) -> list[Path]:
    folder = root / "projects"
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _note(path: Path, name: str, home: Path) -> Item:
    return note(SOURCE, shown(path, home), name, lambda: note_text(path))
