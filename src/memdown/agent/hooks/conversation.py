"""What was said and done in a coding agent's transcript, line by line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from memdown.transcripts.lines import read_lines
from memdown.transcripts.messages import (
    BrokenLine,
    Role,
    parse_entry,
    spoken_text,
    text_of,
    time_of,
)

_ROLES: tuple[Role, ...] = ("user", "assistant")
# Lines that the agent's program wrote, not a person or the model.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
_MACHINE_TEXT = (
    "<command-",
    "<local-command",
    "<system-reminder>",
    "<bash-",
    "Caveat: ",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
    "<session_context>",
)
# What hooks, such as ours, gave to Gemini CLI stands before what the user typed.
_HOOK_CONTEXT = re.compile(r"<hook_context>.*?</hook_context>", re.DOTALL)
_FILE_KEYS = ("file_path", "notebook_path", "path")
_EDITING_TOOLS = frozenset(
    {"Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "edit_file", "apply_patch"}
)


Read = Literal["", "tools", "web"]
_WEB_TOOL = re.compile(r"web|fetch|browser|http|url|crawl|scrape", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who, what, which files it changed; `end` is where the next line starts.

    `after` is what the assistant had read in this turn before it spoke: tools, or the web; `then`
    what it has read when the next message comes.
    """

    id: str
    role: Role
    text: str
    time: int | None
    files: tuple[str, ...]
    end: int
    after: Read = ""
    then: Read = ""


def read_said(file: int, offset: int, read: Read = "") -> Iterator[Said]:
    """The messages of an open transcript from `offset` on; a line still being written waits."""
    for line in read_lines(file, offset, 0):
        if line.data is None or not line.closed:
            continue
        try:
            entry = _plain(parse_entry(line.data))
        except BrokenLine:
            continue
        said = said_in(entry, line.end)
        if said:
            before = "" if said.role == "user" else read
            read = _more(before, _used(entry))
            yield replace(said, after=before, then=read)
        else:
            read = _more(read, _used(entry))


def _used(entry: dict[str, Any]) -> Read:
    """Which tools a message of the assistant calls: whatever comes next may repeat their words."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    used: Read = ""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            named = f"{block.get('name')} {str(block.get('input'))[:2000]}"
            used = _more(used, "web" if _WEB_TOOL.search(named) else "tools")
    return used


def _more(one: Read, other: Read) -> Read:
    """The less trustworthy of two."""
    return "web" if "web" in (one, other) else one or other


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of Codex or Gemini CLI in the shape of Claude Code's; others as they are."""
    payload = entry.get("payload")
    if entry.get("type") == "response_item" and isinstance(payload, dict):
        blocks = payload.get("content")
        if payload.get("type") == "message" and isinstance(blocks, list):
            return _entry_of(
                payload,
                payload.get("role"),
                [_block(one) for one in blocks],
                entry.get("timestamp"),
            )
        if str(payload.get("type", "")).endswith("_call"):
            used = {
                "type": "tool_use",
                "name": payload.get("name") or payload.get("type"),
                "input": payload.get("arguments") or payload.get("input"),
            }
            return {"message": {"role": "tool", "content": [used]}}
    if entry.get("type") in ("user", "gemini") and "content" in entry and "message" not in entry:
        content = entry["content"]
        blocks = content if isinstance(content, list) else [{"text": content}]
        calls = entry.get("toolCalls")
        used_tools = [
            {"type": "tool_use", "name": call.get("name"), "input": call.get("args")}
            for call in (calls if isinstance(calls, list) else ())
            if isinstance(call, dict)
        ]
        role = "user" if entry["type"] == "user" else "assistant"
        said = [*(_block(one) for one in blocks), *used_tools]
        return _entry_of(entry, role, said, entry.get("timestamp"))
    return entry


def _block(block: Any) -> dict[str, Any]:
    text = block.get("text") if isinstance(block, dict) else None
    return {"type": "text", "text": text} if isinstance(text, str) else {}


def _entry_of(source: dict[str, Any], role: Any, content: list[Any], time: Any) -> dict[str, Any]:
    return {
        "id": source.get("id"),
        "timestamp": time,
        "message": {"role": role, "content": content},
    }


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
    if role == "user" and "<hook_context>" in text:
        text = _HOOK_CONTEXT.sub("", text).strip()
    if role == "user" and text.startswith(_MACHINE_TEXT):
        return None
    text = spoken_text(role, text, message.get("model"))
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
