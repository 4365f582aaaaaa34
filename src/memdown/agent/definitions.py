"""The memory tools as a model is told about them, and the shapes providers and MCP ask for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memdown.errors import BadArguments


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told about it; `aliases` are other names models give its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    writes: bool = False
    deletes: bool = False
    title: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)


def _text(description: str, longest: int = 4096, **more: Any) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description, **more}


def _schema(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def _aliases(**names: str) -> dict[str, str]:
    """What is meant by other names, folded: `max_results`, `Max-Results` and `maxresults` are one."""
    return {alias: name for name, others in names.items() for alias in others.split()}


def search_tool(max_results: int, min_score: float | None) -> ToolDefinition:
    """`memory_search`, with what the settings say of how many and how good."""
    search = dict(SEARCH.parameters["properties"])
    search["maxResults"] = {
        **search["maxResults"],
        "description": f"How many results at most (default {max_results}).",
    }
    if min_score is not None:
        search["minScore"] = {
            **search["minScore"],
            "description": f"How well a result must fit, from 0 to 1 (default {min_score:g}).",
        }
    return replace(SEARCH, parameters={**SEARCH.parameters, "properties": search})


SEARCH = ToolDefinition(
    "memory_search",
    "Search the notes in MEMORY.md and memory/*.md (and past conversations, if enabled) by "
    "meaning and by keyword. Use it before answering about earlier work, decisions, dates, "
    "people, preferences or to-dos. Returns the lines that answer, with path, lines and date.",
    _schema(
        ["query"],
        query=_text("What to look for: a question, names, or an exact identifier.", 10_000),
        maxResults={
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "description": "How many results at most (default 6).",
        },
        minScore={
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "How well a result must fit, from 0 to 1; "
            "without it, results below 0.35 are marked weak.",
        },
        since=_text("Only notes dated from then on: 2026-03-01, March, last week.", 100),
        until=_text("Only notes dated up to then: 2026-03-31, March, yesterday.", 100),
        folder=_text("Only notes in this folder, such as memory/projects."),
        tag=_text("Only notes with this tag.", 200),
        source=_text("Only notes, or only past conversations.", enum=["notes", "sessions"]),
    ),
    title="Search memory",
    aliases=_aliases(
        query="q question search searchquery text prompt",
        maxResults="limit k topk n count numresults results",
        minScore="threshold scorethreshold",
        since="after afterdate from fromdate startdate",
        until="before beforedate to todate enddate",
        folder="directory dir pathprefix path in",
        tag="tags label",
        source="sources corpus",
    ),
)

GET = ToolDefinition(
    "memory_get",
    "Read lines of one memory note, after memory_search found it. With `around`, the lines on both "
    "sides of a place; of a conversation (sessions/….jsonl) the messages around a hit.",
    _schema(
        ["path"],
        path=_text("The note's path as memory_search gave it."),
        **{
            "from": {
                "type": "integer",
                "minimum": 1,
                "description": "The first line to read, counted from 1.",
            }
        },
        lines={
            "type": "integer",
            "minimum": 1,
            "description": "How many lines to read; all by default.",
        },
        around={
            "type": "integer",
            "minimum": 1,
            "description": "A line that a search gave: read what stands around it.",
        },
    ),
    title="Read a memory note",
    aliases={
        **_aliases(
            path="file filename filepath note uri name",
            lines="limit count numlines length",
            around="line near linenumber",
        ),
        **dict.fromkeys(("start", "startline", "offset", "fromline", "begin"), "from"),
    },
)

REMEMBER = ToolDefinition(
    "memory_remember",
    "Write something down that should last beyond this conversation: when the user asks to "
    "remember, on a decision, a preference or a correction. It goes to today's log, or to MEMORY.md "
    "if it is durable. What is known is not written twice; what it replaces is struck through, never "
    "deleted. Passwords, keys and tokens are refused: write down where they are kept instead.",
    _schema(
        ["text"],
        text=_text("The note, in Markdown; whole sentences that make sense alone.", 100_000),
        durable={
            "type": "boolean",
            "description": "True for lasting facts, decisions and preferences (MEMORY.md); "
            "false for running notes (today's log, the default).",
        },
        about=_text("The heading it belongs under, such as a person or a project.", 200),
        replaces=_text(
            "The fact that is no longer true: its place as memory_search gave it "
            "(MEMORY.md#L7), or its words."
        ),
        until=_text("The last day on which it holds: 2026-11-20, Friday.", 100),
    ),
    writes=True,
    title="Remember",
    aliases=_aliases(
        text="content note fact memory message body",
        durable="permanent persistent longterm lasting",
        about="topic heading section subject",
        replaces="supersedes replace corrects old",
        until="expires validuntil expirationdate",
    ),
)

FORGET = ToolDefinition(
    "memory_forget",
    "Say that a fact no longer holds, when the user asks to forget it and nothing takes its place: "
    "it is struck through, so it is no longer given as true, and can be undone. For a correction "
    "use memory_remember with `replaces`. To erase the words for good is the user's own command.",
    _schema(
        ["fact"],
        fact=_text("Its place as memory_search gave it (MEMORY.md#L7), or its words."),
    ),
    writes=True,
    deletes=True,
    title="Forget a fact",
    aliases=_aliases(fact="reference text query memory path memoryid"),
)

REVIEW = ToolDefinition(
    "memory_review",
    "List what should be tidied in the notes: contradictions, duplicates, expired and oversized "
    "facts, each with its places. Nothing is changed; correct with memory_remember or memory_forget "
    "after asking the user.",
    _schema([]),
    title="Review memory",
)

TOOLS = (SEARCH, GET)
WRITING = (REMEMBER, FORGET, REVIEW)


def openai_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of OpenAI's chat completions, and of everything compatible with them."""
    return [{"type": "function", "function": _function(tool)} for tool in tools]


def openai_responses_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of OpenAI's responses API."""
    return [{"type": "function", **_function(tool), "strict": False} for tool in tools]


def anthropic_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of Anthropic's messages API."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": dict(tool.parameters),
        }
        for tool in tools
    ]


def mcp_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For the result of MCP's `tools/list`, with hints on what a call may do."""
    return [
        {
            "name": tool.name,
            "title": tool.title or tool.name,
            "description": tool.description,
            "inputSchema": dict(tool.parameters),
            "annotations": {
                "title": tool.title or tool.name,
                "readOnlyHint": not tool.writes,
                "destructiveHint": tool.deletes,
                "idempotentHint": not tool.writes,
                "openWorldHint": False,
            },
        }
        for tool in tools
    ]


def _function(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


_MAX_JSON_CHARS = 1_000_000
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments that fit, and a note for the model on those that were left aside."""

    values: Mapping[str, Any]
    note: str = ""


def checked_arguments(tool: ToolDefinition, arguments: Mapping[str, Any] | str) -> Checked:
    """The arguments as the schema wants them; None counts as left out.

    Models send JSON text or an object; both are taken. Names that models often confuse are
    understood, and what has no meaning here is left aside and named.
    """
    given = _parsed(tool, arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, Mapping):
        raise BadArguments(f"{tool.name} takes an object with named arguments; {_usage(tool)}.")
    known: Mapping[str, Any] = tool.parameters["properties"]
    present = {name: value for name, value in given.items() if name in known and value is not None}
    unknown = []
    for name, value in given.items():
        if name in known or value is None:
            continue
        meant = tool.aliases.get(_folded(name)) or _same_name(name, known)
        if meant is None or meant in present:
            unknown.append(str(name)[:60])
        else:
            present[meant] = _from_alias(known[meant], value)
    missing = [name for name in tool.parameters["required"] if name not in present]
    if missing:
        raise BadArguments(f"{tool.name} needs {', '.join(map(repr, missing))}; {_usage(tool)}.")
    checked = {
        name: _checked(tool.name, name, known[name], value) for name, value in present.items()
    }
    if not unknown:
        return Checked(checked)
    return Checked(checked, f"left aside: {', '.join(unknown[:5])}; {_usage(tool)}")


def _folded(name: object) -> str:
    return str(name).replace("_", "").replace("-", "").lower()


def _same_name(name: object, known: Mapping[str, Any]) -> str | None:
    return next((one for one in known if one.lower() == _folded(name)), None)


def _from_alias(schema: Mapping[str, Any], value: Any) -> Any:
    """A value given under another name, as it is meant: a list of one is that one."""
    if isinstance(value, list) and len(value) == 1 and schema["type"] == "string":
        return value[0]
    return value


def _parsed(tool: ToolDefinition, text: str) -> Any:
    if len(text) > _MAX_JSON_CHARS:
        raise BadArguments(f"The arguments of {tool.name} are too long; send much less.")
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadArguments(
            f"The arguments of {tool.name} are not valid JSON; send one JSON object: {_usage(tool)}."
        ) from None


def _checked(tool: str, name: str, schema: Mapping[str, Any], value: Any) -> Any:
    kind = schema["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if value == "memory" and "notes" in schema.get("enum", ()):
        # As OpenClaw calls them in its results.
        value = "notes"
    if not _fits(kind, value):
        raise BadArguments(f"{name} of {tool} must be {_KINDS[kind]}, not {_shown(value)}.")
    if kind == "string":
        if not value.strip():
            raise BadArguments(f"{name} of {tool} is empty; give some text.")
        longest = schema.get("maxLength", math.inf)
        if len(value) > longest:
            raise BadArguments(
                f"{name} of {tool} has {len(value)} characters; at most {longest} are allowed."
            )
        if "enum" in schema and value not in schema["enum"]:
            allowed = " or ".join(schema["enum"])
            raise BadArguments(f"{name} of {tool} must be {allowed}, not {_shown(value)}.")
    elif kind in ("integer", "number"):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            allowed = f"at least {low}" if high == math.inf else f"from {low} to {high}"
            raise BadArguments(f"{name} of {tool} must be {allowed}, not {_shown(value)}.")
    return value


def _fits(kind: str, value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (
        kind == "number" and isinstance(value, float) and math.isfinite(value)
    )


def _usage(tool: ToolDefinition) -> str:
    required = tool.parameters["required"]
    names = [name if name in required else f"{name}?" for name in tool.parameters["properties"]]
    return f"its arguments are {', '.join(names)}"


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:60]}…"
