"""The server for the SDK, which speaks HTTP: every call crosses into a thread once."""

from __future__ import annotations

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
from memdown.mcp.service import Refused, Service
from memdown.types import Progress

Context = ServerRequestContext[Any]
_T = TypeVar("_T")

_THREADS = 8
_REPORT_SECONDS = 0.1


def create_server(service: Service) -> Server[Any]:
    """A server of the SDK over the service."""
    return _SdkServer(service).server


class _SdkServer:
    """The service's answers as the SDK's values."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._threads = anyio.CapacityLimiter(_THREADS)
        self.server: Server[Any] = Server(
            "memdown",
            version=__version__,
            title="Memdown",
            instructions=service.instructions or None,
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    @asynccontextmanager
    async def _lifespan(self, server: Server[Any]) -> AsyncIterator[dict[str, Any]]:  # noqa: ARG002
        async with anyio.create_task_group() as background:
            background.start_soon(self._warm_up)
            try:
                yield {}
            finally:
                background.cancel_scope.cancel()
                self._service.close()

    async def _warm_up(self) -> None:
        await to_thread.run_sync(self._service.warm_up, abandon_on_cancel=True)

    async def _in_thread(self, work: Callable[[], _T], *, abandon: bool = True) -> _T:
        """Do blocking work; a cancelled request is not waited for, unless it writes."""
        try:
            return await to_thread.run_sync(work, abandon_on_cancel=abandon, limiter=self._threads)
        except Refused as refused:
            raise MCPError(refused.code, str(refused)) from None

    async def _list_tools(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(self._service.list_tools())

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        meta = dict(context.meta or {})
        latest: list[Progress] = []
        wants_progress = meta.get("progress_token") is not None

        def call() -> types.CallToolResult:
            progress = latest.append if wants_progress else None
            result = self._service.call_tool(params.name, params.arguments or {}, meta, progress)
            return types.CallToolResult.model_validate(result)

        abandon = not self._service.writes(params.name)
        if not wants_progress:
            return await self._in_thread(call, abandon=abandon)
        async with anyio.create_task_group() as group:
            group.start_soon(_report, context, latest)
            result = await self._in_thread(call, abandon=abandon)
            group.cancel_scope.cancel()
        return result

    async def _list_resources(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListResourcesResult:
        listed = await self._in_thread(self._service.list_resources)
        return types.ListResourcesResult.model_validate(listed)

    async def _list_templates(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult.model_validate(self._service.list_templates())

    async def _read_resource(
        self,
        context: Context,  # noqa: ARG002
        params: types.ReadResourceRequestParams,
    ) -> types.ReadResourceResult:
        read = await self._in_thread(lambda: self._service.read_resource(params.uri))
        return types.ReadResourceResult.model_validate(read)

    async def _list_prompts(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate(self._service.list_prompts())

    async def _get_prompt(
        self,
        context: Context,  # noqa: ARG002
        params: types.GetPromptRequestParams,
    ) -> types.GetPromptResult:
        given = params.arguments or {}
        prompt = await self._in_thread(lambda: self._service.get_prompt(params.name, given))
        return types.GetPromptResult.model_validate(prompt)


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
