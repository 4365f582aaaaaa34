"""Run a tool that a model called: whatever comes in, an answer that the model can use goes out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memdown.agent.arguments import checked_arguments
from memdown.agent.framing import RECALLED
from memdown.agent.tools import (
    ToolDefinition,
    memory_get,
    memory_remember,
    memory_search,
    tools_for,
)
from memdown.config import ChatType
from memdown.errors import MemdownError
from memdown.types import ProgressCallback

if TYPE_CHECKING:
    from memdown.memory import Memory

# A note may be as large as a book; a context is not.
MAX_TEXT_CHARS = 40_000


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What goes back to the model: `data`, and the same as JSON text."""

    data: Mapping[str, Any]
    is_error: bool = False

    @property
    def text(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)


def run_tool(
    memory: Memory,
    name: str,
    arguments: Mapping[str, Any] | str,
    *,
    chat: ChatType | None = None,
    session_key: str | None = None,
    write: bool = False,
    progress: ProgressCallback | None = None,
) -> ToolResult:
    """Call a memory tool by name. Mistakes come back as an error result, never as an exception.

    `write` allows the tools that write. `chat` and `session_key` tell who asks, in place of the
    settings. What was found is marked as recalled data: a note may hold
    text that someone else wrote.
    """
    tools = {tool.name: tool for tool in tools_for(memory, write=write)}
    if name not in tools:
        return failed(_unknown(name, tools))
    try:
        if memory.settings.memory_slot == "memory-lancedb":
            from memdown.agent.long_term import run_long_term_tool

            return run_long_term_tool(memory.long_term(), name, arguments)
        given = checked_arguments(tools[name], arguments)
        if name == "memory_search":
            found = memory_search(
                memory,
                given["query"],
                given.get("maxResults"),
                given.get("minScore"),
                **{name: given.get(name) for name in ("since", "until", "folder", "tag", "source")},
                chat=chat,
                session_key=session_key,
                progress=progress,
            )
            return ToolResult({"notice": RECALLED, **found})
        if name == "memory_get":
            start = given.get("from", 1)
            read = memory_get(memory, given["path"], start, given.get("lines"))
            return ToolResult({"notice": RECALLED, **shortened(read, start)})
        return ToolResult(memory_remember(memory, given["text"], given.get("durable", False)))
    except MemdownError as error:
        return failed(str(error))


def failed(message: str) -> ToolResult:
    """A result that tells the model what went wrong."""
    return ToolResult({"error": message}, is_error=True)


def shortened(read: Mapping[str, Any], start: int) -> dict[str, Any]:
    """An excerpt that fits into a context; if it was cut, with the line to go on from."""
    text = read["text"]
    if len(text) <= MAX_TEXT_CHARS:
        return dict(read)
    kept = text[:MAX_TEXT_CHARS]
    whole = kept.rpartition("\n")[0] or kept
    following = start + whole.count("\n") + 1
    return {**read, "text": whole, "truncated": True, "nextFrom": following}


def _unknown(name: str, tools: Mapping[str, ToolDefinition]) -> str:
    shown = repr(str(name)[:60])
    if not tools:
        return (
            f"There is no tool {shown}: memory is turned off here (memorySearch.enabled, "
            "plugins.slots.memory)."
        )
    return f"There is no tool {shown}; the memory tools are {', '.join(tools)}."
