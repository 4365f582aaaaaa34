"""`memory_recall`, `memory_store` and `memory_forget`: the tools of the `memory-lancedb` plugin."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memdown.agent.answers import RECALLED, ToolResult, failed, framed
from memdown.agent.definitions import ToolDefinition, checked_arguments
from memdown.agent.toolset import ALONE, REFUSED, Asker, unknown_tool
from memdown.backends.ltm import (
    CATEGORIES,
    MOST_A_CONVERSATION,
    Entry,
    LongTermMemory,
    ScoredMemory,
    Stored,
    auto_capture,
    auto_recall,
    captured,
)
from memdown.errors import MemdownError
from memdown.text.redaction import refuse_secrets
from memdown.validation import Field

_NONE = "No memory matches; try other words, or say that you looked and found nothing."

LONG_TERM_TOOLS = (
    ToolDefinition(
        "memory_recall",
        "Search long-term memories: preferences, facts, decisions and people. Use it before "
        "answering about the user or earlier conversations.",
        (
            Field("query", "What to look for.", required=True, high=10_000),
            Field("limit", "How many memories at most (default 5).", "integer", low=1, high=50),
        ),
    ),
    ToolDefinition(
        "memory_store",
        "Keep one thing for later conversations, as a sentence that makes sense alone. What is "
        "known already is not kept twice.",
        (
            Field("text", "What to keep.", required=True, high=4_000),
            Field("importance", "From 0 to 1 (default 0.7).", "number", low=0, high=1),
            Field(
                "category",
                "What kind of memory it is; guessed if left out.",
                choices=tuple(CATEGORIES),
            ),
        ),
        writes=True,
    ),
    ToolDefinition(
        "memory_forget",
        "Delete one memory: by its id, or by a query that means exactly one. When several could "
        "be meant, they are listed and nothing is deleted.",
        (
            Field("query", "What the memory says.", high=10_000),
            Field("memoryId", "Its id.", high=100),
        ),
        writes=True,
        deletes=True,
    ),
)


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """The tools over single memories."""

    definitions: tuple[ToolDefinition, ...]
    memories: Callable[[], LongTermMemory]

    def run(
        self, name: str, arguments: Mapping[str, Any] | str, asker: Asker = ALONE
    ) -> ToolResult:
        """Call a tool by name; single memories are the same for whoever asks."""
        del asker
        if name not in [tool.name for tool in self.definitions]:
            return unknown_tool(name, self.definitions)
        try:
            return run_long_term_tool(self.memories(), name, arguments)
        except MemdownError as error:
            return failed(str(error))


def run_long_term_tool(
    memories: LongTermMemory, name: str, arguments: Mapping[str, Any] | str
) -> ToolResult:
    """Call a tool by name. Mistakes come back as an error result, never as an exception."""
    tool = next((tool for tool in LONG_TERM_TOOLS if tool.name == name), None)
    if tool is None:
        return unknown_tool(name, LONG_TERM_TOOLS)
    try:
        given = checked_arguments(tool, arguments).values
        if name == "memory_recall":
            found = memories.recall(given["query"], given.get("limit", 5))
            data: dict[str, Any] = {
                "notice": RECALLED,
                "memories": [found_json(one) for one in found],
            }
            return ToolResult(data, "\n".join([RECALLED, *map(_line, found)] if found else [_NONE]))
        if name == "memory_store":
            return _store(memories, given)
        gone = memories.forget(memory_id=given.get("memoryId"), query=given.get("query"))
    except MemdownError as error:
        return failed(str(error))
    if gone.entry is not None:
        data = {"action": "deleted", "memory": entry_json(gone.entry)}
        return ToolResult(data, f"Deleted: {framed(gone.entry.text)}")
    if gone.candidates:
        listed = [found_json(one) for one in gone.candidates]
        notice = "Nothing was deleted; call again with the memoryId of the one that is meant."
        lines = [f"{_line(one)} (memoryId {one.entry.id})" for one in gone.candidates]
        data = {"action": "candidates", "notice": notice, "candidates": listed}
        return ToolResult(data, "\n".join([notice, *lines]))
    return ToolResult({"action": "not_found"}, "There is no such memory; nothing was deleted.")


def _store(memories: LongTermMemory, given: Mapping[str, Any]) -> ToolResult:
    refuse_secrets(given["text"], REFUSED)
    stored = memories.store(given["text"], given.get("importance", 0.7), given.get("category"))
    action = "created" if stored.is_new else "duplicate"
    data = {"action": action, "memory": entry_json(stored.entry)}
    return ToolResult(data, "Kept." if stored.is_new else "This is known already.")


def _line(found: ScoredMemory) -> str:
    """A memory to read: what it says, since when, and of which kind."""
    entry = found.entry
    day = datetime.datetime.fromtimestamp(entry.created_at / 1000).date()  # noqa: DTZ006
    return f"- {framed(' '.join(entry.text.split()))} ({entry.category}, {day.isoformat()})"


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


def found_json(found: ScoredMemory) -> dict[str, Any]:
    """A memory that was found, with its score."""
    return {**entry_json(found.entry), "score": round(found.score, 4)}
