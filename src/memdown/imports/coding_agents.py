"""Claude Code and Codex: the notes they keep, and their sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memdown.imports.items import (
    ForeignTranscript,
    ImportedTurn,
    ImportItem,
    SourceContents,
    entries,
    markdown_below,
    note,
    note_text,
    safe,
    shown,
    transcript,
)
from memdown.transcripts.messages import text_of

CLAUDE_CODE = "claude-code"
# What the program itself puts into the user's messages.
_COMMANDS = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-",
    "Caveat: The messages",
)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def find_claude_code(root: Path, home: Path) -> SourceContents:
    """Everything below `~/.claude`."""
    items: list[ImportItem] = []
    for project in _projects(root):
        name = safe(project.name)
        for path in markdown_below(project / "memory"):
            inner = path.relative_to(project / "memory").as_posix()
            items.append(_claude_code_note(path, f"{name}/{inner}", home))
        # Subagents have files of their own, which repeat the main conversation's tasks.
        sessions = [
            path
            for path in sorted(project.glob("*.jsonl"))
            if not path.name.startswith("agent-") and path.is_file() and not path.is_symlink()
        ]
        origins = _origins(sessions)
        items += [claude_code_session(path, home, origins.get(path)) for path in sessions]
    return SourceContents(tuple(items))


def claude_code_session(path: Path, home: Path, origin: Path | None = None) -> ImportItem:
    """One session file; of a fork, what came after it left the session `origin`."""
    facts: dict[str, Any] = {"project": path.parent.name}
    log = ForeignTranscript(
        path.stem, shown(path, home), lambda: claude_code_turns(path, origin), facts
    )
    return transcript(CLAUDE_CODE, log)


def _origins(sessions: Sequence[Path]) -> dict[Path, Path]:
    """The session that each fork came from: a fork begins with the same messages, of the same ids."""
    first: dict[str, Path] = {}
    found: dict[Path, Path] = {}
    for path in sorted(sessions, key=_began):
        name = next((str(one["uuid"]) for one in entries(path) if "uuid" in one), path.name)
        if first.setdefault(name, path) != path:
            found[path] = first[name]
    return found


def _began(path: Path) -> tuple[str, str]:
    """When a session wrote its first line, so that which one is the fork stays the same for good."""
    times = (one.get("timestamp") for one in entries(path))
    return next((time for time in times if isinstance(time, str)), ""), path.name


def claude_code_turns(path: Path, origin: Path | None = None) -> Iterator[ImportedTurn]:
    """What user and assistant said, without commands, reminders, tool results and side chains."""
    in_origin = {entry.get("uuid") for entry in entries(origin)} - {None} if origin else set()
    for entry in entries(path):
        if entry.get("uuid") in in_origin:
            continue
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
            yield ImportedTurn(role, text, entry.get("timestamp"))


def _projects(root: Path) -> list[Path]:
    folder = root / "projects"
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _claude_code_note(path: Path, name: str, home: Path) -> ImportItem:
    return note(CLAUDE_CODE, shown(path, home), name, lambda: note_text(path))


CODEX = "codex"
_BLOCKS = ("input_text", "output_text", "text")
# What the program itself says in the user's name.
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
)
_ROLLOUT = re.compile(r"rollout-[0-9T-]{19}-(.+)")


def find_codex(root: Path, home: Path) -> SourceContents:
    """Everything below `~/.codex`."""
    items = [_codex_note(path, root, home) for path in markdown_below(root / "memories")]
    for folder in ("sessions", "archived_sessions"):
        items += [
            codex_session(path, home)
            for path in sorted((root / folder).glob("**/rollout-*.jsonl"))
            if path.is_file() and not path.is_symlink()
        ]
    return SourceContents(tuple(items))


def codex_session(path: Path, home: Path) -> ImportItem:
    """One rollout."""
    match = _ROLLOUT.fullmatch(path.stem)
    name = match[1] if match else path.stem.removeprefix("rollout-")
    return transcript(CODEX, ForeignTranscript(name, shown(path, home), lambda: codex_turns(path)))


def codex_turns(path: Path) -> Iterator[ImportedTurn]:
    """What user and assistant said; older files have the messages without an envelope."""
    for entry in entries(path):
        payload = entry.get("payload") if entry.get("type") == "response_item" else entry
        if not isinstance(payload, dict) or payload.get("type") != "message":
            continue
        role = payload.get("role")
        text = _codex_text(payload.get("content"))
        if role not in ("user", "assistant") or not text.strip():
            continue
        if role == "user" and text.lstrip().startswith(_CONTEXT):
            continue
        yield ImportedTurn(role, text, entry.get("timestamp"))


def _codex_text(content: Any) -> str:
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return "\n".join(
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") in _BLOCKS
        and isinstance(block.get("text"), str)
    )


def _codex_note(path: Path, root: Path, home: Path) -> ImportItem:
    name = path.relative_to(root / "memories").as_posix()
    return note(CODEX, shown(path, home), name, lambda: note_text(path))
