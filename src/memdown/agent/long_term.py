"""`memory_recall`, `memory_store` and `memory_forget`: the tools of the `memory-lancedb` plugin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memdown.agent.arguments import checked_arguments
from memdown.agent.framing import RECALLED
from memdown.agent.running import ToolResult, failed
from memdown.agent.tools import REFUSED, ToolDefinition
from memdown.backends.ltm import (
    CATEGORIES,
    MOST_A_CONVERSATION,
    Entry,
    Found,
    LongTermMemory,
    Stored,
    auto_capture,
    auto_recall,
    captured,
)
from memdown.errors import MemdownError
from memdown.text.redaction import refuse_secrets

LONG_TERM_TOOLS = (
    ToolDefinition(
        "memory_recall",
        "Search long-term memories: preferences, facts, decisions and people. Use it before "
        "answering about the user or earlier conversations.",
        {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "maxLength": 10_000,
                    "description": "What to look for.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 50,
                    "description": "How many memories at most (default 5).",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    ToolDefinition(
        "memory_store",
        "Keep one thing for later conversations, as a sentence that makes sense alone. What is "
        "known already is not kept twice.",
        {
            "type": "object",
            "properties": {
                "text": {"type": "string", "maxLength": 4_000, "description": "What to keep."},
                "importance": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "From 0 to 1 (default 0.7).",
                },
                "category": {
                    "type": "string",
                    "enum": list(CATEGORIES),
                    "description": "What kind of memory it is; guessed if left out.",
                },
            },
            "required": ["text"],
            "additionalProperties": False,
        },
        writes=True,
    ),
    ToolDefinition(
        "memory_forget",
        "Delete one memory: by its id, or by a query that means exactly one. When several could "
        "be meant, they are listed and nothing is deleted.",
        {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "maxLength": 10_000,
                    "description": "What the memory says.",
                },
                "memoryId": {"type": "string", "maxLength": 100, "description": "Its id."},
            },
            "required": [],
            "additionalProperties": False,
        },
        writes=True,
        deletes=True,
    ),
)


def run_long_term_tool(
    memories: LongTermMemory, name: str, arguments: Mapping[str, Any] | str
) -> ToolResult:
    """Call a tool by name. Mistakes come back as an error result, never as an exception."""
    tools = {tool.name: tool for tool in LONG_TERM_TOOLS}
    if name not in tools:
        return failed(f"There is no tool {name[:60]!r}; there are {', '.join(tools)}.")
    try:
        given = checked_arguments(tools[name], arguments)
        if name == "memory_recall":
            found = memories.recall(given["query"], given.get("limit", 5))
            return ToolResult({"notice": RECALLED, "memories": [found_json(one) for one in found]})
        if name == "memory_store":
            refuse_secrets(given["text"], REFUSED)
            stored = memories.store(
                given["text"], given.get("importance", 0.7), given.get("category")
            )
            action = "created" if stored.is_new else "duplicate"
            return ToolResult({"action": action, "memory": entry_json(stored.entry)})
        gone = memories.forget(memory_id=given.get("memoryId"), query=given.get("query"))
    except MemdownError as error:
        return failed(str(error))
    if gone.entry is not None:
        return ToolResult({"action": "deleted", "memory": entry_json(gone.entry)})
    if gone.candidates:
        listed = [found_json(one) for one in gone.candidates]
        told = "Nothing was deleted; call again with the memoryId of the one that is meant."
        return ToolResult({"action": "candidates", "notice": told, "candidates": listed})
    return ToolResult({"action": "not_found"})


class AroundTurns:
    """What happens around the turns of one conversation without being asked.

    `said` are the user's messages so far: what was captured of them counts for the conversation.
    """

    def __init__(self, memories: Callable[[], LongTermMemory], said: Sequence[str] = ()) -> None:
        self._memories = memories
        self._left = MOST_A_CONVERSATION - len(captured(said))

    def before(self, message: str) -> str:
        """Memories to put before what the user says now; "" if none fits."""
        return auto_recall(self._memories(), message)

    def after(self, message: str) -> list[Stored]:
        """Keep what is worth it of what the user said."""
        worth = len(captured([message], self._left))
        if not worth:
            return []
        self._left -= worth
        return auto_capture(self._memories(), [message], worth)


def entry_json(entry: Entry) -> dict[str, Any]:
    """A memory in the documents' shape."""
    return {
        "id": entry.id,
        "text": entry.text,
        "importance": entry.importance,
        "category": entry.category,
        "createdAt": entry.created_at,
    }


def found_json(found: Found) -> dict[str, Any]:
    """A memory that was found, with its score."""
    return {**entry_json(found.entry), "score": round(found.score, 4)}
