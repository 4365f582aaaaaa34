"""The memory tools as a model is told about them, and the shapes providers and MCP ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memdown.errors import BadArguments
from memdown.validation import Field, Problem


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told about it; `aliases` are other names models give its arguments."""

    name: str
    description: str
    fields: tuple[Field, ...] = ()
    writes: bool = False
    deletes: bool = False
    title: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """Its arguments as JSON schema."""
        return {
            "type": "object",
            "properties": {
                one.name: {**one.schema(), "description": one.about} for one in self.fields
            },
            "required": [one.name for one in self.fields if one.required],
        }


def _aliases(**names: str) -> dict[str, str]:
    """What is meant by other names, folded: `max_results`, `Max-Results` and `maxresults` are one."""
    return {alias: name for name, others in names.items() for alias in others.split()}


def search_tool(max_results: int, min_score: float | None) -> ToolDefinition:
    """`memory_search`, with what the settings say of how many and how good."""
    about_it = {"maxResults": f"How many results at most (default {max_results})."}
    if min_score is not None:
        about_it["minScore"] = f"How well a result must fit, from 0 to 1 (default {min_score:g})."
    fields = tuple(replace(one, about=about_it.get(one.name, one.about)) for one in SEARCH.fields)
    return replace(SEARCH, fields=fields)


SEARCH = ToolDefinition(
    "memory_search",
    "Search the notes in MEMORY.md and memory/*.md (and past conversations, if enabled) by "
    "meaning and by keyword. Use it before answering about earlier work, decisions, dates, "
    "people, preferences or to-dos. Returns the lines that answer, with path, lines and date.",
    (
        Field(
            "query",
            "What to look for: a question, names, or an exact identifier.",
            required=True,
            high=10_000,
        ),
        Field("maxResults", "How many results at most (default 6).", "integer", low=1, high=100),
        Field(
            "minScore",
            "How well a result must fit, from 0 to 1; without it, results below 0.35 are marked weak.",
            "number",
            low=0,
            high=1,
        ),
        Field("since", "Only notes dated from then on: 2026-03-01, March, last week.", high=100),
        Field("until", "Only notes dated up to then: 2026-03-31, March, yesterday.", high=100),
        Field("folder", "Only notes in this folder, such as memory/projects.", high=4096),
        Field("tag", "Only notes with this tag.", high=200),
        Field("source", "Only notes, or only past conversations.", choices=("notes", "sessions")),
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
    (
        Field("path", "The note's path as memory_search gave it.", required=True, high=4096),
        Field("from", "The first line to read, counted from 1.", "integer", low=1),
        Field("lines", "How many lines to read; all by default.", "integer", low=1),
        Field("around", "A line that a search gave: read what stands around it.", "integer", low=1),
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
    (
        Field(
            "text",
            "The note, in Markdown; whole sentences that make sense alone.",
            required=True,
            high=100_000,
        ),
        Field(
            "durable",
            "True for lasting facts, decisions and preferences (MEMORY.md); "
            "false for running notes (today's log, the default).",
            "boolean",
        ),
        Field("about", "The heading it belongs under, such as a person or a project.", high=200),
        Field(
            "replaces",
            "The fact that is no longer true: its place as memory_search gave it "
            "(MEMORY.md#L7), or its words.",
            high=4096,
        ),
        Field("until", "The last day on which it holds: 2026-11-20, Friday.", high=100),
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
    (
        Field(
            "fact",
            "Its place as memory_search gave it (MEMORY.md#L7), or its words.",
            required=True,
            high=4096,
        ),
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
    title="Review memory",
)

TIDY = ToolDefinition(
    "memory_tidy",
    "Let the model of this client look through all facts and name what is outdated, said twice, over or "
    "under a wrong heading. Use it when the user asks to tidy the memory. Only operations on facts that "
    "stand there are accepted; they are listed, and done with `apply`. Every change can be undone.",
    (Field("apply", "True to do what is proposed; false (the default) to list it.", "boolean"),),
    writes=True,
    title="Tidy memory",
    aliases=_aliases(apply="do confirm execute"),
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
            "input_schema": tool.parameters,
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
            "inputSchema": tool.parameters,
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
        "parameters": tool.parameters,
    }


_MAX_JSON_CHARS = 1_000_000


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
    known = {one.name: one for one in tool.fields}
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
    missing = [one.name for one in tool.fields if one.required and one.name not in present]
    if missing:
        raise BadArguments(f"{tool.name} needs {', '.join(map(repr, missing))}; {_usage(tool)}.")
    checked = {name: _checked(tool, known[name], value) for name, value in present.items()}
    if not unknown:
        return Checked(checked)
    return Checked(checked, f"left aside: {', '.join(unknown[:5])}; {_usage(tool)}")


def _folded(name: object) -> str:
    return str(name).replace("_", "").replace("-", "").lower()


def _same_name(name: object, known: Iterable[str]) -> str | None:
    return next((one for one in known if one.lower() == _folded(name)), None)


def _from_alias(meant: Field, value: Any) -> Any:
    """A value given under another name, as it is meant: a list of one is that one."""
    if isinstance(value, list) and len(value) == 1 and meant.type == "string":
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


def _checked(tool: ToolDefinition, meant: Field, value: Any) -> Any:
    if value == "memory" and "notes" in meant.choices:
        # As OpenClaw calls them in its results.
        value = "notes"
    name = f"{meant.name} of {tool.name}"
    try:
        checked = meant.check(value)
    except Problem as problem:
        raise BadArguments(f"{name} must {problem.must}, not {_shown(value)}.") from None
    if isinstance(checked, str) and not checked.strip():
        raise BadArguments(f"{name} is empty; give some text.")
    return checked


def _usage(tool: ToolDefinition) -> str:
    names = [one.name if one.required else f"{one.name}?" for one in tool.fields]
    return f"its arguments are {', '.join(names)}"


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:60]}…"
