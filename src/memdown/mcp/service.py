"""What a server over one memory answers, whatever carries it: plain functions with plain data.

Nothing here knows a transport, and nothing heavy is loaded until a tool is called: a client waits
for the list of tools before its model is asked for the first time.
"""

from __future__ import annotations

import contextlib
import datetime
import heapq
import logging
import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from memdown.agent.answers import ToolResult, failed, show_citations
from memdown.agent.definitions import mcp_tools
from memdown.agent.prompt import prompt_section
from memdown.agent.toolset import (
    Asker,
    NoteTools,
    asker_of,
    check_reading,
    open_toolset,
    with_sampling,
)
from memdown.config import ChatType
from memdown.errors import MemdownError, PathRefused, QueryError
from memdown.types import ProgressCallback

if TYPE_CHECKING:
    from memdown.backends.ltm import LongTermMemory
    from memdown.config import Settings
    from memdown.memory import Memory

log = logging.getLogger("memdown.mcp")

PROMPT = "session-start"
FLUSH_PROMPT = "memory-flush"
BY_TOOL = "Append with memory_remember; it chooses the file of the day by itself."
TEMPLATE = "memory:///{+path}"
_PREFIX = "memory:///"
# A client reads the whole list before its tools count as connected, and may show it to its model.
MOST_RESOURCES = 50
_LATEST_LOGS = 7
_MOST_TEXT = 1_000_000
CHATS: tuple[ChatType, ...] = ("direct", "group", "channel")
_META_CHAT, _META_KEY = "memdown/chat", "memdown/sessionKey"
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
# How long an answer of the client's model may be, in tokens, and what is said if there is none.
MOST_SAMPLED = 8192
NO_ANSWER = "The client's model did not answer within {seconds:.0f} s; nothing was changed."
NOT_ALLOWED = "The client did not let its model be asked ({why}); nothing was changed."


class Refused(Exception):
    """A request that cannot be answered: a JSON-RPC error code and a sentence."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class LazyMemory:
    """Opens a memory once. What keeps it from opening is said to whoever asks, each time anew:

    a server that does not start says nothing to its user, and the workspace may be made meanwhile.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._long_term: LongTermMemory | None = None
        self._stop = threading.Event()

    def open(self) -> Memory:
        """The memory; opening it loads what `memdown --help` must not."""
        with self._lock:
            if self._stop.is_set():
                raise MemdownError("The server is shutting down; connect again.")
            if self._memory is None:
                from memdown.memory import Memory

                self._memory = Memory.from_settings(self.settings)
            return self._memory

    def long_term(self) -> LongTermMemory:
        """The single memories of the plugin `memory-lancedb`, which need no workspace."""
        with self._lock:
            if self._long_term is None:
                from memdown.opening import open_long_term

                self._long_term = open_long_term(self.settings)
            return self._long_term

    def warm_up(self) -> None:
        """Load the model, bring the index up to date, and keep it so as `sync.watch` says."""
        try:
            memory = self.open()
            memory.start_session()
        except MemdownError as error:
            log.warning("%s", error)
            return
        from memdown.agent.session_start import keep_fresh

        keep_fresh(memory, self._stop, lambda problem: log.warning("%s", problem))

    def close(self) -> None:
        """Close the memory if it is open."""
        self._stop.set()
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None


@dataclass(frozen=True, slots=True)
class NoteResource:
    """A note that a client can read."""

    path: str
    size: int

    @property
    def uri(self) -> str:
        """Its address for clients, such as `memory:///memory/2026-03-01.md`."""
        return _PREFIX + quote(self.path)


class Service:
    """The tools, resources and the prompt of a server over one or several memories.

    `write` adds the tools that write; `others` are further workspaces by name. Who asks is said by
    the settings, or by the `_meta` of a call where they do not say.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        write: bool = False,
        others: Mapping[str, Settings] | None = None,
    ) -> None:
        self.settings = settings
        self._memory = LazyMemory(settings)
        self._others = {name: LazyMemory(one) for name, one in (others or {}).items()}
        self.tools = open_toolset(
            settings,
            self._memory.open,
            self._memory.long_term,
            write=write,
            others={name: one.open for name, one in self._others.items()},
        )
        # Single memories take the place of the notes: nothing of these is offered beside them.
        self.has_notes = isinstance(self.tools, NoteTools) and bool(self.tools.definitions)

    @property
    def instructions(self) -> str:
        """What a model is told about its memory when it connects."""
        return prompt_section(
            [tool.name for tool in self.tools.definitions],
            citations=show_citations(self.settings.citations, self.settings.chat.kind),
            place=str(self.settings.workspace) if self.has_notes else "",
            sources=self.settings.sources,
            others=tuple(self._others),
            full=self._how_full(),
        )

    def _how_full(self) -> str:
        """How full MEMORY.md is, for a model that may add to it in private."""
        if not self._remembers or not self.has_notes or self.settings.chat.kind != "direct":
            return ""
        from memdown.agent.session_start import CURATED_NOTE, budget_line

        return budget_line(_plain_text(self.settings.workspace / CURATED_NOTE))

    def warm_up(self) -> None:
        """Get ready for the first call, in the background of whoever calls this."""
        if self.has_notes:
            for one in (self._memory, *self._others.values()):
                one.warm_up()

    def close(self) -> None:
        """Close what is open."""
        for one in (self._memory, *self._others.values()):
            one.close()

    def list_tools(self, *, sampling: bool = False) -> dict[str, Any]:
        """The answer to `tools/list`, for a client that lets its model be asked (`sampling`) or not."""
        tools = self.tools.definitions
        return {"tools": mcp_tools(with_sampling(tools) if sampling else tools)}

    def writes(self, name: str) -> bool:
        """Whether a tool changes something, so that its call is not to be given up half-way."""
        tools = with_sampling(self.tools.definitions)
        return any(tool.writes for tool in tools if tool.name == name)

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any] | None = None,
        progress: ProgressCallback | None = None,
        *,
        structured: bool = True,
        sample: Callable[[str], str] | None = None,
    ) -> dict[str, Any]:
        """The answer to `tools/call`: text for the model and, if wanted, the same as data.

        `sample` asks the client's model.
        """
        try:
            asker = replace(self._asker(meta or {}, progress), sample=sample)
            result = self.tools.run(name, arguments, asker)
        except MemdownError as error:
            result = failed(str(error))
        return call_result(result, structured=structured)

    def list_resources(self) -> dict[str, Any]:
        """The answer to `resources/list`: MEMORY.md, the latest logs, curated notes; at most 50.

        Every other note can be read by its address, which the template tells. One folder is
        listed, so that this costs nothing with very many notes.
        """
        if not self.has_notes:
            return {"resources": []}
        resources = [
            {"uri": one.uri, "name": one.path, "mimeType": "text/markdown", "size": one.size}
            for one in main_notes(self.settings.workspace, adopted=self.settings.adopted)
        ]
        return {"resources": resources}

    def list_templates(self) -> dict[str, Any]:
        """The answer to `resources/templates/list`."""
        if not self.has_notes:
            return {"resourceTemplates": []}
        template = {
            "uriTemplate": TEMPLATE,
            "name": "note",
            "title": "A memory note",
            "description": "Any note by its path, such as memory:///memory/2026-03-01.md.",
            "mimeType": "text/markdown",
        }
        return {"resourceTemplates": [template]}

    def read_resource(self, uri: str, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to `resources/read`."""
        if not self.has_notes:
            why = "Notes are turned off (memorySearch.enabled, plugins.slots.memory)."
            raise Refused(INVALID_PARAMS, why)
        try:
            check_reading(self.settings, self._asker(meta or {}))
            text = self._memory.open().get(note_path(uri)).text
        except MemdownError as error:
            raise Refused(INVALID_PARAMS, str(error)) from None
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    def list_prompts(self) -> dict[str, Any]:
        """The answer to `prompts/list`."""
        if not self.has_notes:
            return {"prompts": []}
        chat = {
            "name": "chat",
            "description": "direct (default), group or channel; only direct gets MEMORY.md.",
            "required": False,
        }
        prompt = {
            "name": PROMPT,
            "title": "Start of a session",
            "description": "What should be known at the start: MEMORY.md in a private chat, and "
            "yesterday's and today's log.",
            "arguments": [chat],
        }
        if not self._remembers:
            return {"prompts": [prompt]}
        flush = {
            "name": FLUSH_PROMPT,
            "title": "Save what must last",
            "description": "Let the model save what must last of this conversation, for instance "
            "before it is compacted.",
        }
        return {"prompts": [prompt, flush]}

    def get_prompt(
        self, name: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The answer to `prompts/get`; what is for the owner alone must be nobody else's to hear."""
        prompts = [one["name"] for one in self.list_prompts()["prompts"]]
        if name not in prompts:
            offered = " and ".join(prompts) or "none"
            raise Refused(INVALID_PARAMS, f"There is no prompt {name[:60]!r}; there is {offered}.")
        if name == FLUSH_PROMPT:
            return self._flush_prompt()
        chat = arguments.get("chat", self.settings.chat.kind)
        if chat not in CHATS:
            why = f"chat must be {', '.join(CHATS[:-1])} or {CHATS[-1]}, not {str(chat)[:60]!r}."
            raise Refused(INVALID_PARAMS, why)
        from memdown.agent.session_start import session_context, weights_of_use

        try:
            asker = self._asker(meta or {})
            asked_in = self.settings.asked_in(asker.chat, asker.session_key)
            text = session_context(
                self._memory.open(),
                private=chat == "direct" and asked_in.is_direct,
                used=weights_of_use(self.settings),
            )
        except MemdownError as error:
            raise Refused(INTERNAL_ERROR, str(error)) from None
        said = text or "There are no notes of today or yesterday yet."
        message = {"role": "user", "content": {"type": "text", "text": said}}
        return {"description": "Memory at the start of this session", "messages": [message]}

    def _flush_prompt(self) -> dict[str, Any]:
        """The turn that saves memories, for a client that lets its user ask for it."""
        wanted = self.settings.compaction.memory_flush
        day = datetime.date.today().isoformat()  # noqa: DTZ011
        said = f"{wanted.system_prompt}\n\n{wanted.prompt}\n\n{BY_TOOL}"
        content = {"type": "text", "text": said.replace("YYYY-MM-DD", day)}
        return {
            "description": "Save what must last",
            "messages": [{"role": "user", "content": content}],
        }

    @property
    def _remembers(self) -> bool:
        return any(tool.name == "memory_remember" for tool in self.tools.definitions)

    def _asker(self, meta: Mapping[str, Any], progress: ProgressCallback | None = None) -> Asker:
        """Who asks, by the client's word; one that cannot be understood gets no answer."""
        given = [meta.get(_META_CHAT), meta.get(_META_KEY)]
        if not all(one is None or isinstance(one, str) for one in given):
            raise QueryError(f"{_META_CHAT} and {_META_KEY} in _meta must be text.")
        return asker_of(self.settings, given[0], given[1], progress)


def call_result(result: ToolResult, *, structured: bool) -> dict[str, Any]:
    """The result of a tool in MCP's shape."""
    content = [{"type": "text", "text": result.text}]
    answer: dict[str, Any] = {"content": content, "isError": result.is_error}
    if structured and not result.is_error:
        answer["structuredContent"] = dict(result.data)
    return answer


def note_path(uri: str) -> str:
    """The path of the note that an address names."""
    if not uri.startswith(_PREFIX):
        raise PathRefused(
            f"{uri[:200]} is not the address of a note; notes are {_PREFIX}MEMORY.md and the like."
        )
    return unquote(uri.removeprefix(_PREFIX))


def main_notes(folder: Path, *, adopted: bool = False) -> list[NoteResource]:
    """MEMORY.md, the latest daily logs and the first of the undated notes beside them."""
    from memdown.notes import date_of

    top = [name for name in _markdown(folder) if adopted or name.lower() == "memory.md"]
    dated: list[tuple[datetime.date, str]] = []
    others: list[str] = sorted(top)
    for name in _markdown(folder / "memory"):
        path = f"memory/{name}"
        day = date_of(path)
        if day is None:
            others.append(path)
        else:
            dated.append((day, path))
    logs = [path for _, path in heapq.nlargest(_LATEST_LOGS, dated)]
    first, rest = others[: len(top)], sorted(others[len(top) :])
    chosen = [*first, *logs, *rest][:MOST_RESOURCES]
    return [NoteResource(path, _size(folder / path)) for path in chosen]


def _markdown(folder: Path) -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if (
                name.endswith(".md")
                and not name.startswith(".")
                and entry.is_file(follow_symlinks=False)
            ):
                yield name


def _plain_text(path: Path) -> str:
    """The text of a small file, read without what a search needs; "" if that is not to be had."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(path, flags)
    except OSError:
        return ""
    with os.fdopen(file, "rb") as handle:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return ""
        return handle.read(_MOST_TEXT).decode("utf-8", "replace")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
