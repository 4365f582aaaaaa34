"""MCP over HTTP: for this machine only, for who has the token, and for no web page."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import mcp_types as types
from anyio import from_thread, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from memdown import __version__
from memdown.errors import ConfigError, MemdownError, WorkspaceError
from memdown.files import make_folder
from memdown.mcp.service import MOST_SAMPLED, NO_ANSWER, NOT_ALLOWED, Refused, Service
from memdown.types import Progress

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

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
        context: Context,
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListToolsResult:
        listed = self._service.list_tools(sampling=_lends_its_model(context))
        return types.ListToolsResult.model_validate(listed)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        meta = dict(context.meta or {})
        latest: list[Progress] = []
        wants_progress = meta.get("progress_token") is not None

        def sample(prompt: str) -> str:
            return from_thread.run(self._sample, context, prompt)

        def call() -> types.CallToolResult:
            result = self._service.call_tool(
                params.name,
                params.arguments or {},
                meta,
                latest.append if wants_progress else None,
                sample=sample if _lends_its_model(context) else None,
            )
            return types.CallToolResult.model_validate(result)

        abandon = not self._service.writes(params.name)
        if not wants_progress:
            return await self._in_thread(call, abandon=abandon)
        async with anyio.create_task_group() as group:
            group.start_soon(_report, context, latest)
            result = await self._in_thread(call, abandon=abandon)
            group.cancel_scope.cancel()
        return result

    async def _sample(self, context: Context, prompt: str) -> str:
        """The answer of the client's model; a sentence for whoever waits if there is none."""
        seconds = self._service.settings.tidy.timeout_ms / 1000
        said = types.TextContent(type="text", text=prompt)
        request = types.CreateMessageRequest(
            params=types.CreateMessageRequestParams(
                messages=[types.SamplingMessage(role="user", content=said)],
                max_tokens=MOST_SAMPLED,
                include_context="none",
            )
        )
        try:
            with anyio.fail_after(seconds):
                # Clients listen to the stream of their own call; the other one may not be open.
                answer = await context.session.send_request(
                    request,
                    types.CreateMessageResult,
                    metadata=ServerMessageMetadata(related_request_id=context.request_id),
                )
        except TimeoutError:
            raise WorkspaceError(NO_ANSWER.format(seconds=seconds)) from None
        except MCPError as error:
            raise WorkspaceError(NOT_ALLOWED.format(why=str(error)[:200])) from None
        except ValidationError:
            return ""
        return answer.content.text if isinstance(answer.content, types.TextContent) else ""

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
        context: Context,
        params: types.ReadResourceRequestParams,
    ) -> types.ReadResourceResult:
        meta = dict(context.meta or {})
        read = await self._in_thread(lambda: self._service.read_resource(params.uri, meta))
        return types.ReadResourceResult.model_validate(read)

    async def _list_prompts(
        self,
        context: Context,  # noqa: ARG002
        params: types.PaginatedRequestParams | None,  # noqa: ARG002
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate(self._service.list_prompts())

    async def _get_prompt(
        self,
        context: Context,
        params: types.GetPromptRequestParams,
    ) -> types.GetPromptResult:
        given, meta = params.arguments or {}, dict(context.meta or {})
        prompt = await self._in_thread(lambda: self._service.get_prompt(params.name, given, meta))
        return types.GetPromptResult.model_validate(prompt)


def _lends_its_model(context: Context) -> bool:
    """Whether the client lets its model be asked, and can be asked at all over this connection."""
    declared = context.session.client_capabilities
    return bool(declared and declared.sampling) and context.session.can_send_request


async def _report(context: Context, latest: list[Progress]) -> None:
    """Tell the client how far the indexing is that its search waits for."""
    reported = 0
    while True:
        if len(latest) > reported:
            reported = len(latest)
            now = latest[-1]
            await context.session.report_progress(
                now.completed, now.total, f"Indexing {now.label}".strip()
            )
        await anyio.sleep(_REPORT_SECONDS)


TOKEN_VARIABLE = "MEMDOWN_MCP_TOKEN"  # noqa: S105
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_LEAST_TOKEN = 16
# A client that comes back later is told to begin a new session, which clients do by themselves.
IDLE_SECONDS = 15 * 60.0
MOST_SESSIONS = 500


class TokenGuard:
    """Lets a request pass that names this server, comes from no foreign page and has the token."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        refusal = self.refusal(headers)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def refusal(self, headers: dict[str, bytes]) -> tuple[int, str] | None:
        """Status and sentence for a request that may not pass; None for one that may."""
        host = headers.get("host", b"").decode("latin-1").lower()
        if host not in self._hosts:
            return 421, "This server does not answer to that Host; use the address it printed."
        origin = headers.get("origin")
        if origin is not None:
            named = origin.decode("latin-1").lower()
            if named.partition("://")[2] not in self._hosts:
                return 403, "Web pages of other sites may not use this server."
        scheme, _, given = headers.get("authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            return 401, "The bearer token is missing or wrong; see `memdown mcp --help`."
        return None


async def _refuse(send: Send, status: int, message: str) -> None:
    body = message.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def find_token(state_dir: Path) -> tuple[str, str]:
    """The token and where it comes from: the environment, or a file made on first use."""
    if named := os.environ.get(TOKEN_VARIABLE, "").strip():
        if len(named) < _LEAST_TOKEN:
            raise ConfigError(
                f"{TOKEN_VARIABLE} is too short to be safe; use at least {_LEAST_TOKEN} characters."
            )
        return named, TOKEN_VARIABLE
    file = state_dir / "mcp-token"
    try:
        make_folder(state_dir)
        try:
            descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            token = file.read_text(encoding="utf-8").strip()
            if len(token) < _LEAST_TOKEN:
                raise ConfigError(
                    f"{file} holds no usable token; delete it and try again."
                ) from None
            return token, str(file)
        token = secrets.token_urlsafe(32)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(f"{token}\n")
    except OSError as error:
        raise ConfigError(
            f"The token file {file} cannot be used ({error.strerror}); set {TOKEN_VARIABLE}."
        ) from None
    return token, str(file)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise MemdownError(
            f"{host}:{port} cannot be used ({error.strerror}); choose another --port."
        ) from None
    return listener


def allowed_hosts(host: str, port: int, more: Iterable[str] = ()) -> list[str]:
    """The Host headers that mean this server."""
    own = f"[{host}]" if ":" in host else host
    return [f"{name}:{port}" for name in dict.fromkeys((*LOOPBACK, own, *more))]


def create_app(server: Server[Any], token: str, hosts: list[str]) -> ASGIApp:
    """The guarded application; the SDK checks the headers once more."""
    from mcp.server.transport_security import TransportSecuritySettings

    security = TransportSecuritySettings(
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
    )
    app = server.streamable_http_app(
        transport_security=security,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
    )
    return TokenGuard(app, token, hosts)


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Answer until the process is told to stop."""
    from memdown import http_server as connections

    connections.server(app, lifespan="on").run(sockets=[listener])
