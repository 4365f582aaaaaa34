"""`memory_search`, `memory_get` and `memory_remember`: plain functions with JSON schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memdown.agent.citations import show_citations, with_source
from memdown.errors import SecretFound
from memdown.types import Answer, Citation, Excerpt, Hit, ProgressCallback

if TYPE_CHECKING:
    from memdown.config import ChatType, Settings
    from memdown.memory import Memory


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told about it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    writes: bool = False
    deletes: bool = False


TOOLS = (
    ToolDefinition(
        "memory_search",
        "Search the notes in MEMORY.md and memory/*.md (and past conversations, if enabled) by "
        "meaning and by keyword. Use it before answering about earlier work, decisions, dates, "
        "people, preferences or to-dos. Returns snippets with path and lines.",
        {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "maxLength": 10_000,
                    "description": "What to look for: a question, names, or an exact identifier.",
                },
                "maxResults": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "description": "How many results at most (default 6).",
                },
                "minScore": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "How well a result must fit, from 0 to 1; "
                    "without it, results below 0.35 are marked weak.",
                },
                "since": {
                    "type": "string",
                    "maxLength": 100,
                    "description": "Only notes dated from then on: 2026-03-01, March, last week.",
                },
                "until": {
                    "type": "string",
                    "maxLength": 100,
                    "description": "Only notes dated up to then: 2026-03-31, March, yesterday.",
                },
                "folder": {
                    "type": "string",
                    "maxLength": 4096,
                    "description": "Only notes in this folder, such as memory/projects.",
                },
                "tag": {
                    "type": "string",
                    "maxLength": 200,
                    "description": "Only notes with this tag.",
                },
                "source": {
                    "type": "string",
                    "enum": ["notes", "sessions"],
                    "description": "Only notes, or only past conversations.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    ToolDefinition(
        "memory_get",
        "Read lines of one memory note, after memory_search found it.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "maxLength": 4096,
                    "description": "The note's path as memory_search gave it.",
                },
                "from": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to read, counted from 1.",
                },
                "lines": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many lines to read; all by default.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
)


REFUSED = "leave the secret out and write down where it is kept instead"

REMEMBER = ToolDefinition(
    "memory_remember",
    "Write something down that should last beyond this conversation: in today's log, or in "
    "MEMORY.md if it is durable. It is only ever added; nothing that stands there is changed. "
    "Passwords, keys and tokens are refused: write down where they are kept instead.",
    {
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "maxLength": 100_000,
                "description": "The note, in Markdown; whole sentences that make sense alone.",
            },
            "durable": {
                "type": "boolean",
                "description": "True for lasting facts, decisions and preferences (MEMORY.md); "
                "false for running notes (today's log, the default).",
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    writes=True,
)


def offered_tools(settings: Settings, *, write: bool = False) -> tuple[ToolDefinition, ...]:
    """The tools of a memory: none when it is turned off, those that write only on request.

    The plugin `memory-lancedb` has tools of its own for single memories, in place of these.
    """
    if not settings.enabled or settings.memory_slot == "none":
        return ()
    if settings.memory_slot == "memory-lancedb":
        from memdown.agent.long_term import LONG_TERM_TOOLS

        return tuple(tool for tool in LONG_TERM_TOOLS if write or not tool.writes)
    return (*TOOLS, REMEMBER) if write and settings.access == "rw" else TOOLS


def tools_for(memory: Memory, *, write: bool = False) -> tuple[ToolDefinition, ...]:
    """The tools this memory offers; `write` adds those that write, such as `memory_remember`."""
    return offered_tools(memory.settings, write=write)


def memory_search(
    memory: Memory,
    query: str,
    max_results: int | None = None,
    min_score: float | None = None,
    *,
    since: str | None = None,
    until: str | None = None,
    folder: str | None = None,
    tag: str | None = None,
    source: str | None = None,
    chat: ChatType | None = None,
    session_key: str | None = None,
    progress: ProgressCallback | None = None,
) -> dict[str, Any]:
    """Search, as the tool returns it."""
    answer = memory.search(
        query,
        max_results=max_results,
        min_score=min_score,
        sources=source,
        since=since,
        until=until,
        folder=folder,
        tags=tag,
        progress=progress,
        chat=chat,
        session_key=session_key,
    )
    asked_in = memory.settings.asked_in(chat, session_key)
    shown = show_citations(memory.settings.citations, asked_in.kind)
    return answer_json(answer, citations=shown)


def memory_get(
    memory: Memory, path: str, start: int = 1, lines: int | None = None
) -> dict[str, Any]:
    """Read a note, as the tool returns it."""
    return excerpt_json(memory.get(path, start=start, lines=lines))


def memory_remember(
    memory: Memory, text: str, durable: bool = False, *, allow_secrets: bool = False
) -> dict[str, Any]:
    """Write something down and tell where; a secret is refused, in words for a model."""
    try:
        return citation_json(memory.remember(text, durable=durable, allow_secrets=allow_secrets))
    except SecretFound as error:
        raise SecretFound(error.what, REFUSED) from None


def answer_json(answer: Answer, *, citations: bool) -> dict[str, Any]:
    """An answer in the documents' shape."""
    data: dict[str, Any] = {
        "results": [hit_json(hit, citations=citations) for hit in answer.hits],
        "strength": answer.strength,
        "provider": answer.provider,
        "model": answer.model,
    }
    if answer.fallback:
        data["fallback"] = answer.fallback
    if answer.partial:
        data["partial"] = True
    data["reasons"] = list(answer.reasons)
    return data


def hit_json(hit: Hit, *, citations: bool) -> dict[str, Any]:
    """A result in the documents' shape."""
    data: dict[str, Any] = {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "score": round(hit.score, 4),
        "strength": hit.strength,
        "snippet": with_source(hit) if citations else hit.snippet,
        "source": hit.source,
    }
    if citations:
        data["citation"] = f"{hit.path}#L{hit.start_line}-L{hit.end_line}"
    return data


def excerpt_json(excerpt: Excerpt) -> dict[str, Any]:
    """Lines of a note in the documents' shape."""
    return {"path": excerpt.path, "text": excerpt.text}


def citation_json(citation: Citation) -> dict[str, Any]:
    """Where something was written."""
    return {
        "path": citation.path,
        "startLine": citation.start_line,
        "endLine": citation.end_line,
        "citation": str(citation),
    }
