"""The MCP server: tools, resources and a prompt over one memory.

The protocol runs in an event loop; every call crosses into the synchronous core once, by thread.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from memdown import __version__
from memdown.agent.citations import show_citations
from memdown.agent.formats import mcp_tools
from memdown.agent.prompt import prompt_section
from memdown.agent.running import ToolResult, failed, run_tool
from memdown.agent.session_start import session_context
from memdown.agent.tools import offered_tools
from memdown.config import Chat, Settings
from memdown.errors import MemdownError
from memdown.mcp.opening import LazyMemory
from memdown.mcp.resources import note_page, note_path
from memdown.types import Progress, ProgressCallback

log = logging.getLogger("memdown.mcp")
Context = ServerRequestContext[Any]
_T = TypeVar("_T")

PROMPT = "session-start"
# In the `_meta` of a call: which session it comes from.
SESSION_KEY = "memdown/sessionKey"
_THREADS = 8
_REPORT_SECONDS = 0.1


def create_server(settings: Settings, *, write: bool = False) -> Server[Any]:
    """A server over the memory that the settings name; `write` adds the tools that write."""
    return _MemoryServer(settings, write).server


class _MemoryServer:
    """The handlers of one server and the memory they share."""

    def __init__(self, settings: Settings, write: bool) -> None:
        self._settings = settings
        self._write = write
        self._memory = LazyMemory(settings)
        self._tools = offered_tools(settings, write=write)
        # Single memories take the place of the notes: nothing of these is offered beside them.
        self._has_notes = settings.enabled and settings.memory_slot == "memory-core"
        self._threads = anyio.CapacityLimiter(_THREADS)
        names = [tool.name for tool in self._tools]
        self.server: Server[Any] = Server(
            "memdown",
            version=__version__,
            title="Memdown",
            instructions=prompt_section(
                names, citations=show_citations(settings.citations, settings.chat.kind)
            )
            or None,
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    @asynccontextmanager
    async def _lifespan(self, server: Server[Any]) -> AsyncIterator[dict[str, Any]]:  # noqa: ARG002
        async with anyio.create_task_group() as background:
            if self._has_notes:
                background.start_soon(self._warm_up)
            try:
                yield {}
            finally:
                background.cancel_scope.cancel()
                self._memory.close()

    async def _warm_up(self) -> None:
        """Load the model and bring the index up to date while the client gets ready."""
        try:
            await to_thread.run_sync(self._memory.warm_up, abandon_on_cancel=True)
        except MemdownError as error:
            log.warning("%s", error)

    async def _in_thread(self, work: Callable[[], _T], *, abandon: bool = True) -> _T:
        """Do blocking work; a cancelled request is not waited for, unless it writes."""
        return await to_thread.run_sync(work, abandon_on_cancel=abandon, limiter=self._threads)

    async def _list_tools(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListToolsResult:
        tools = [types.Tool.model_validate(tool) for tool in mcp_tools(self._tools)]
        return types.ListToolsResult(tools=tools)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        wants_progress = bool(context.meta and context.meta.get("progress_token") is not None)
        latest: list[Progress] = []

        def call() -> types.CallToolResult:
            try:
                result = self._run_tool(
                    params.name,
                    params.arguments or {},
                    latest.append if wants_progress else None,
                    _asker(context, self._settings),
                )
            except MemdownError as error:
                return _said(str(error), is_error=True)
            return _said(result.text, is_error=result.is_error)

        writes = any(tool.writes for tool in self._tools if tool.name == params.name)
        if not wants_progress:
            return await self._in_thread(call, abandon=not writes)
        async with anyio.create_task_group() as group:
            group.start_soon(_report, context, latest)
            result = await self._in_thread(call, abandon=not writes)
            group.cancel_scope.cancel()
        return result

    def _run_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        progress: ProgressCallback | None,
        session_key: str | None,
    ) -> ToolResult:
        if self._settings.memory_slot != "memory-lancedb":
            return run_tool(
                self._memory.open(),
                name,
                arguments,
                session_key=session_key,
                write=self._write,
                progress=progress,
            )
        from memdown.agent.long_term import run_long_term_tool

        offered = [tool.name for tool in self._tools]
        if name not in offered:
            return failed(f"There is no tool {name[:60]!r}; there are {', '.join(offered)}.")
        return run_long_term_tool(self._memory.long_term(), name, arguments)

    async def _list_resources(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,
    ) -> types.ListResourcesResult:
        if not self._has_notes:
            return types.ListResourcesResult(resources=[])
        cursor = params.cursor if params else None
        try:
            page, following = await self._in_thread(lambda: note_page(self._settings, cursor))
        except MemdownError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        resources = [
            types.Resource(uri=note.uri, name=note.path, mime_type="text/markdown", size=note.size)
            for note in page
        ]
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    async def _read_resource(
        self,
        context: Context,  # noqa: ARG002
        params: types.ReadResourceRequestParams,
    ) -> types.ReadResourceResult:
        def read() -> str:
            return self._memory.open().get(note_path(params.uri)).text

        if not self._has_notes:
            told = "Notes are turned off (memorySearch.enabled, plugins.slots.memory)."
            raise MCPError(types.INVALID_PARAMS, told)
        try:
            text = await self._in_thread(read)
        except MemdownError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _list_prompts(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListPromptsResult:
        if not self._has_notes:
            return types.ListPromptsResult(prompts=[])
        prompt = types.Prompt(
            name=PROMPT,
            title="Start of a session",
            description="What should be known at the start: today's and yesterday's log, and "
            "MEMORY.md in a private chat.",
            arguments=[
                types.PromptArgument(
                    name="chat",
                    description="direct (default), group or channel; only direct gets MEMORY.md.",
                    required=False,
                )
            ],
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(
        self,
        context: Context,  # noqa: ARG002
        params: types.GetPromptRequestParams,
    ) -> types.GetPromptResult:
        if params.name != PROMPT or not self._has_notes:
            message = f"There is no prompt {params.name[:60]!r}; the prompt is {PROMPT}."
            raise MCPError(types.INVALID_PARAMS, message)
        chat = (params.arguments or {}).get("chat", self._settings.chat.kind)
        try:
            text = await self._in_thread(
                lambda: session_context(self._memory.open(), private=chat == "direct")
            )
        except MemdownError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        content = types.TextContent(text=text or "There are no notes of today or yesterday yet.")
        return types.GetPromptResult(
            description="Memory at the start of this session",
            messages=[types.PromptMessage(role="user", content=content)],
        )


def _asker(context: Context, settings: Settings) -> str | None:
    """The key of the session that a call comes from, if the client says so and nobody else did."""
    key = context.meta.get(SESSION_KEY) if context.meta else None
    return key if isinstance(key, str) and settings.chat == Chat() else None


async def _report(context: Context, latest: list[Progress]) -> None:
    """Tell the client how far the indexing is that its search waits for."""
    told = 0
    while True:
        if len(latest) > told:
            told = len(latest)
            now = latest[-1]
            await context.session.report_progress(
                now.completed, now.total, f"Indexing {now.label}".strip()
            )
        await anyio.sleep(_REPORT_SECONDS)


def _said(text: str, *, is_error: bool) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)
