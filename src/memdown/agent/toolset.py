"""The tools that a memory offers, as one object: which there are, and what runs them.

Notes and the single memories of `memory-lancedb` have tools of their own; a memory that is turned
off has none. Whatever a model sends, an answer that it can use comes back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from memdown.agent.answers import (
    RECALLED,
    ToolResult,
    answer_json,
    answer_result,
    excerpt_json,
    excerpt_result,
    failed,
    framed,
    merged,
    one_line,
    remembered_text,
    saved_json,
    show_citations,
)
from memdown.agent.definitions import (
    REMEMBER,
    SEARCH,
    TIDY,
    TOOLS,
    WRITING,
    Checked,
    ToolDefinition,
    checked_arguments,
    search_tool,
)
from memdown.config import Chat, ChatType, Settings, chat_of
from memdown.errors import MemdownError, PathRefused, SecretFound
from memdown.types import Answer, ProgressCallback

if TYPE_CHECKING:
    from memdown.backends.ltm import LongTermMemory
    from memdown.memory import Memory

REFUSED = "leave the secret out and write down where it is kept instead"
_FILTERS = ("since", "until", "folder", "tag", "source")
_LINES_AROUND = 21
_MESSAGES_AROUND = 7
_MOST_PROPOSALS = 20


@dataclass(frozen=True, slots=True)
class Asker:
    """Who calls a tool: in what kind of chat and session, and where progress is reported.

    `sample` asks the model of who calls, where that is offered.
    """

    chat: ChatType | None = None
    session_key: str | None = None
    progress: ProgressCallback | None = None
    sample: Callable[[str], str] | None = None


ALONE = Asker()


def asker_of(
    settings: Settings,
    chat: str | None,
    session_key: str | None,
    progress: ProgressCallback | None = None,
) -> Asker:
    """Who asks, if the caller says so and the settings do not; a kind of chat must be one there is."""
    if settings.chat != Chat():
        return Asker(progress=progress)
    return Asker(chat_of(chat).kind if chat else None, session_key, progress)


class Toolset(Protocol):
    """Some tools and what runs them. `run` never raises for what a model sent."""

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]: ...

    def run(
        self, name: str, arguments: Mapping[str, Any] | str, asker: Asker = ALONE
    ) -> ToolResult: ...


def offered_tools(settings: Settings, *, write: bool = False) -> tuple[ToolDefinition, ...]:
    """The tools of a memory: none when it is turned off, those that write only on request.

    The plugin `memory-lancedb` has tools of its own for single memories, in place of these.
    """
    if settings.holds_single_memories:
        from memdown.agent.long_term import LONG_TERM_TOOLS

        return tuple(tool for tool in LONG_TERM_TOOLS if write or not tool.writes)
    if not settings.holds_notes:
        return ()
    most = (settings.qmd.limits if settings.backend == "qmd" else settings.query).max_results
    search = search_tool(most, settings.query.min_score)
    tools = tuple(search if tool is SEARCH and tool != search else tool for tool in TOOLS)
    return (*tools, *WRITING) if write and settings.access == "rw" else tools


def with_sampling(tools: tuple[ToolDefinition, ...]) -> tuple[ToolDefinition, ...]:
    """The tools where the client lets its model be asked: who may write may tidy with it."""
    return (*tools, TIDY) if REMEMBER in tools else tools


def open_toolset(
    settings: Settings,
    memory: Callable[[], Memory],
    long_term: Callable[[], LongTermMemory],
    *,
    write: bool = False,
    others: Mapping[str, Callable[[], Memory]] | None = None,
) -> Toolset:
    """The tools that the settings ask for; what is behind them is opened by the first call.

    `others` are further workspaces by name, whose notes are searched and read beside these.
    """
    tools = offered_tools(settings, write=write)
    if settings.holds_single_memories:
        from memdown.agent.long_term import MemoryTools

        return MemoryTools(tools, long_term)
    return NoteTools(tools, memory, others or {})


def tools_for(memory: Memory, *, write: bool = False) -> tuple[ToolDefinition, ...]:
    """The tools this memory offers; `write` adds those that write, such as `memory_remember`."""
    return offered_tools(memory.settings, write=write)


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

    `write` allows the tools that write; `chat` and `session_key` tell who asks, in place of the
    settings. What was found is marked as recalled data: a note may hold text that someone else wrote.
    """
    tools = open_toolset(memory.settings, lambda: memory, memory.long_term, write=write)
    return tools.run(name, arguments, Asker(chat, session_key, progress))


def unknown_tool(name: str, tools: Sequence[ToolDefinition]) -> ToolResult:
    """The answer to a call of a tool that is not there."""
    shown = repr(str(name)[:60])
    if not tools:
        return failed(
            f"There is no tool {shown}: memory is turned off here (memorySearch.enabled, "
            "plugins.slots.memory)."
        )
    listed = ", ".join(tool.name for tool in tools)
    return failed(f"There is no tool {shown}; the memory tools are {listed}.")


@dataclass(frozen=True, slots=True)
class NoteTools:
    """The tools over notes; `definitions` is empty if memory is turned off."""

    definitions: tuple[ToolDefinition, ...]
    memory: Callable[[], Memory]
    others: Mapping[str, Callable[[], Memory]]

    def run(
        self, name: str, arguments: Mapping[str, Any] | str, asker: Asker = ALONE
    ) -> ToolResult:
        """Call a tool by name."""
        offered = with_sampling(self.definitions) if asker.sample else self.definitions
        tool = next((tool for tool in offered if tool.name == name), None)
        if tool is None:
            return unknown_tool(name, offered)
        try:
            given = checked_arguments(tool, arguments)
            result = self._run(name, given, asker)
        except MemdownError as error:
            return failed(str(error))
        return replace(result, text=f"{result.text}\n({given.note})") if given.note else result

    def _run(self, name: str, given: Checked, asker: Asker) -> ToolResult:
        if name == "memory_search":
            return self._search(given.values, asker)
        if name == "memory_get":
            return self._get(given.values, asker)
        if name == "memory_forget":
            return self._forget(given.values)
        if name == "memory_review":
            return self._review()
        if name == "memory_tidy" and asker.sample is not None:
            return self._tidy(given.values, asker.sample)
        return self._remember(given.values)

    def _search(self, given: Mapping[str, Any], asker: Asker) -> ToolResult:
        memory = self.memory()
        settings = memory.settings
        citations = cites(settings, asker)
        answer = _search(memory, given, asker)
        if settings.use.enabled:
            from memdown.facts.use import record_question

            session = asker.session_key or ""
            record_question(memory, given["query"], answer, actor="agent", session=session)
        if self.others:
            most = given.get("maxResults") or settings.query.max_results
            answers = [answer]
            for name, opened in self.others.items():
                with contextlib.suppress(PathRefused):
                    answers.append(_named(_search(opened(), given, asker), name))
            answer = merged(answers, most)
        return answer_result(answer, citations=citations, place=str(settings.workspace))

    def _get(self, given: Mapping[str, Any], asker: Asker) -> ToolResult:
        memory, path = self._place(given["path"])
        check_reading(memory.settings, asker)
        citations = cites(memory.settings, asker)
        around = given.get("around")
        if path.startswith("sessions/") and path.endswith(".jsonl") and around is not None:
            return _messages_around(memory, path, around, given.get("lines"))
        start, lines = given.get("from", 1), given.get("lines")
        if around is not None:
            lines = lines or _LINES_AROUND
            start = max(1, around - lines // 2)
        found = memory.get(path, start=start, lines=lines)
        if memory.settings.use.enabled:
            from memdown.facts.use import record_opening

            end = None if lines is None else start + lines - 1
            session = asker.session_key or ""
            record_opening(memory, path, start, end, actor="agent", session=session)
        return excerpt_result(found, citations=citations)

    def _remember(self, given: Mapping[str, Any]) -> ToolResult:
        data = memory_remember(
            self.memory(),
            given["text"],
            given.get("durable", False),
            about=given.get("about", ""),
            replaces=given.get("replaces"),
            until=given.get("until"),
        )
        return ToolResult(data, remembered_text(data))

    def _forget(self, given: Mapping[str, Any]) -> ToolResult:
        from memdown.facts import forgetting

        struck = forgetting.strike(self.memory(), given["fact"], actor="agent")
        data = {"struck": [{"reference": one.reference, "text": one.text} for one in struck]}
        lines = [f"Struck: {one.reference}: {framed(one_line(one.text))}" for one in struck]
        return ToolResult(data, "\n".join(lines) or "No fact was struck.")

    def _review(self) -> ToolResult:
        from memdown.facts import reviewing

        found = reviewing.review(self.memory())[:_MOST_PROPOSALS]
        data = {
            "proposals": [
                {"kind": one.kind, "reason": one.reason, "references": list(one.references)}
                for one in found
            ]
        }
        lines = [
            f"- {one.kind}: {framed(one_line(one.reason))} ({', '.join(one.references)})"
            for one in found
        ]
        return ToolResult(data, "\n".join([RECALLED, *lines]) if found else "Nothing to tidy.")

    def _tidy(self, given: Mapping[str, Any], sample: Callable[[str], str]) -> ToolResult:
        """What the client's own model proposes, checked as every other model's answer is."""
        from memdown.facts import tidying

        memory = self.memory()
        found = tidying.plan(memory, sample)
        data: dict[str, Any] = {
            "operations": [
                {"op": one.kind, "references": [fact.reference for fact in one.facts]}
                for one in found.operations
            ],
            "refused": list(found.refused),
        }
        lines = [
            f"- {one.kind} {', '.join(fact.reference for fact in one.facts)}: "
            f"{framed(one_line(' / '.join(one.diff)))}"
            for one in found.operations
        ]
        lines += [f"- refused, {framed(one_line(why))}" for why in found.refused]
        if not found.operations:
            return ToolResult(data, "\n".join([*lines, "Nothing was changed."]))
        if not given.get("apply"):
            advice = "Nothing was changed yet; ask the user, then call again with apply=true."
            return ToolResult(data, "\n".join([RECALLED, *lines, advice]))
        data["changes"] = tidying.apply(memory, found)
        numbers = " ".join(map(str, data["changes"]))
        return ToolResult(
            data, "\n".join([RECALLED, *lines, f"Done; `memdown undo {numbers}` takes it back."])
        )

    def _place(self, path: str) -> tuple[Memory, str]:
        """The memory that a path is of, and the path there: `project:memory/x.md`."""
        name, colon, inner = path.partition(":")
        if colon and name in self.others:
            return self.others[name](), inner
        return self.memory(), path


def cites(settings: Settings, asker: Asker) -> bool:
    """Whether who asks is told where something stands."""
    asked_in = settings.asked_in(asker.chat, asker.session_key)
    return show_citations(settings.citations, asked_in.kind)


def check_reading(settings: Settings, asker: Asker = ALONE) -> None:
    """Raise `PathRefused` where `memory.qmd.scope` keeps notes from who asks."""
    asked_in = settings.asked_in(asker.chat, asker.session_key)
    if settings.backend == "qmd" and not settings.qmd.scope.allows(asked_in):
        raise PathRefused(
            "memory.qmd.scope does not allow reading notes in this chat; ask in a direct one."
        )


def _search(memory: Memory, given: Mapping[str, Any], asker: Asker) -> Answer:
    return memory.search(
        given["query"],
        max_results=given.get("maxResults"),
        min_score=given.get("minScore"),
        sources=given.get("source"),
        since=given.get("since"),
        until=given.get("until"),
        folder=given.get("folder"),
        tags=given.get("tag"),
        progress=asker.progress,
        chat=asker.chat,
        session_key=asker.session_key,
    )


def _named(answer: Answer, name: str) -> Answer:
    """An answer whose paths tell the workspace they are of."""
    hits = tuple(
        replace(
            hit,
            path=f"{name}:{hit.path}",
            citation=f"{name}:{hit.citation}" if hit.citation else None,
        )
        for hit in answer.hits
    )
    return replace(answer, hits=hits)


def _messages_around(memory: Memory, path: str, line: int, count: int | None) -> ToolResult:
    """The messages of a conversation around a line of its transcript, secrets redacted."""
    from memdown.transcripts.messages import without_recalled
    from memdown.transcripts.reading import sessions_folder
    from memdown.transcripts.sessions.browsing import messages_around

    settings = memory.settings
    if "sessions" not in settings.sources:
        raise PathRefused(
            f"{path[:200]} is a conversation, and conversations are not part of this memory "
            "(memorySearch.sources)."
        )
    folder = sessions_folder(settings.state_dir, settings.agent)
    turns = messages_around(folder, path, line, count or _MESSAGES_AROUND)
    messages = [
        {"line": turn.line, "role": turn.role, "text": without_recalled(turn.text)[:4000]}
        for turn in turns
    ]
    lines = [
        f"L{one['line']} {one['role']}: {framed(str(one['text']).strip())}" for one in messages
    ]
    text = "\n".join([RECALLED, f"{one_line(path)}, messages around line {line}:", *lines])
    return ToolResult({"notice": RECALLED, "path": path, "messages": messages}, text)


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
    """Search, as the tool returns it to programs."""
    filters = (since, until, folder, tag, source)
    given = {
        "query": query,
        "maxResults": max_results,
        "minScore": min_score,
        **dict(zip(_FILTERS, filters, strict=True)),
    }
    answer = _search(memory, given, Asker(chat, session_key, progress))
    return answer_json(answer, citations=cites(memory.settings, Asker(chat, session_key)))


def memory_get(
    memory: Memory, path: str, start: int = 1, lines: int | None = None
) -> dict[str, Any]:
    """Read a note, as the tool returns it to programs."""
    return excerpt_json(memory.get(path, start=start, lines=lines))


def memory_remember(
    memory: Memory,
    text: str,
    durable: bool = False,
    *,
    about: str = "",
    replaces: str | None = None,
    until: str | None = None,
    actor: str = "agent",
    session: str = "",
    allow_secrets: bool = False,
) -> dict[str, Any]:
    """Write something down and tell where, with what is related; a secret is refused.

    `replaces` names a fact that is no longer true, by its place or its words; `until` the last day
    on which this holds.
    """
    try:
        saved = memory.remember(
            text,
            durable=durable,
            about=about,
            replaces=replaces or (),
            until=until,
            actor=actor,
            session=session,
            allow_secrets=allow_secrets,
        )
    except SecretFound as error:
        raise SecretFound(error.what, REFUSED) from None
    return saved_json(saved)
