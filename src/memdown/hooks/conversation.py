"""What was said and done in a coding agent's transcript, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memdown.transcripts.lines import read_lines
from memdown.transcripts.messages import BrokenLine, Role, parse_entry, text_of, time_of

_ROLES: tuple[Role, ...] = ("user", "assistant")
# Lines that the agent's program wrote, not a person or the model.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
_MACHINE_TEXT = ("<command-", "<local-command", "<system-reminder>", "<bash-", "Caveat: ")
_FILE_KEYS = ("file_path", "notebook_path", "path")
_EDITING_TOOLS = frozenset(
    {"Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "edit_file", "apply_patch"}
)


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who, what, which files it changed; `end` is where the next line starts."""

    id: str
    role: Role
    text: str
    time: int | None
    files: tuple[str, ...]
    end: int


def read_said(file: int, offset: int) -> Iterator[Said]:
    """The messages of an open transcript from `offset` on; a line still being written waits."""
    for line in read_lines(file, offset, 0):
        if line.data is None or not line.closed:
            continue
        try:
            said = said_in(parse_entry(line.data), line.end)
        except BrokenLine:
            continue
        if said:
            yield said


def said_in(entry: dict[str, Any], end: int) -> Said | None:
    """The message an entry holds; Claude Code's lines and Memdown's own are understood."""
    if any(entry.get(mark) for mark in _NOT_SAID):
        return None
    message = entry.get("message")
    if not isinstance(message, dict):
        return None
    role = next((role for role in _ROLES if message.get("role") == role), None)
    if role is None:
        return None
    content = message.get("content")
    text = text_of(content).strip()
    if role == "user" and text.startswith(_MACHINE_TEXT):
        return None
    files = _files(content) if role == "assistant" else ()
    if not text and not files:
        return None
    name = entry.get("uuid") or entry.get("id")
    return Said(
        id=name if isinstance(name, str) else f"at-{end}",
        role=role,
        text=text.encode("utf-8", "replace").decode("utf-8").replace("\0", " "),
        time=time_of(entry.get("timestamp")),
        files=files,
        end=end,
    )


def _files(content: Any) -> tuple[str, ...]:
    if not isinstance(content, list):
        return ()
    found: dict[str, None] = {}
    for block in content:
        if not isinstance(block, dict) or block.get("name") not in _EDITING_TOOLS:
            continue
        given = block.get("input")
        if isinstance(given, dict):
            paths = (given.get(key) for key in _FILE_KEYS)
            found.update((os.fspath(path), None) for path in paths if isinstance(path, str))
    return tuple(found)
