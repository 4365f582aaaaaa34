"""Codex: notes in `memories/`, sessions as `sessions/YYYY/MM/DD/rollout-*.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memdown.imports.foreign import entries, markdown_below, note_text
from memdown.imports.items import Found, Item, Said, Talk, note, shown, transcript

SOURCE = "codex"
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


def find(root: Path, home: Path) -> Found:
    """Everything below `~/.codex`."""
    items = [_note(path, root, home) for path in markdown_below(root / "memories")]
    for folder in ("sessions", "archived_sessions"):
        items += [
            session(path, home)
            for path in sorted((root / folder).glob("**/rollout-*.jsonl"))
            if path.is_file() and not path.is_symlink()
        ]
    return Found(tuple(items))


def session(path: Path, home: Path) -> Item:
    """One rollout."""
    match = _ROLLOUT.fullmatch(path.stem)
    name = match[1] if match else path.stem.removeprefix("rollout-")
    return transcript(SOURCE, Talk(name, shown(path, home), lambda: turns(path)))


def turns(path: Path) -> Iterator[Said]:
    """What user and assistant said; older files have the messages without an envelope."""
    for entry in entries(path):
        payload = entry.get("payload") if entry.get("type") == "response_item" else entry
        if not isinstance(payload, dict) or payload.get("type") != "message":
            continue
        role = payload.get("role")
        text = _text(payload.get("content"))
        if role not in ("user", "assistant") or not text.strip():
            continue
        if role == "user" and text.lstrip().startswith(_CONTEXT):
            continue
        yield Said(role, text, entry.get("timestamp"))


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return "\n".join(
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") in _BLOCKS
        and isinstance(block.get("text"), str)
    )


def _note(path: Path, root: Path, home: Path) -> Item:
    name = path.relative_to(root / "memories").as_posix()
    return note(SOURCE, shown(path, home), name, lambda: note_text(path))
