"""The server: routes, one way into the library for every call, one handler for every error."""

from __future__ import annotations

import functools
import gzip
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from memdown.errors import (
    BadRequest,
    ImportFailed,
    MemdownError,
    NoteChanged,
    NoteNotFound,
    PathRefused,
    QueryError,
    ReadOnly,
    SecretFound,
    SessionError,
    SessionNotFound,
    WorkspaceError,
)
from memdown.web import pages, uploads
from memdown.web.api import note_json
from memdown.web.guard import Guard
from memdown.web.operations import OPERATIONS, HttpOperation, document, from_body, from_query
from memdown.web.site import STATIC, Site, page

log = logging.getLogger("memdown")

MAX_BODY_BYTES = 8 * 1024 * 1024

Endpoint = Callable[[Request], Awaitable[Response]]

# The first kind that fits decides.
_STATUS: tuple[tuple[type[MemdownError], int], ...] = (
    (NoteNotFound, 404),
    (SessionNotFound, 404),
    (PathRefused, 403),
    (ReadOnly, 403),
    (NoteChanged, 409),
    (BadRequest, 400),
    (QueryError, 400),
    (WorkspaceError, 422),
    (ImportFailed, 422),
    (SessionError, 422),
    (MemdownError, 503),
)


def create_app(site: Site) -> ASGIApp:
    """The page and its JSON interface over one memory, behind its guard."""
    shown = [Route(path, _page(site, view), methods=["GET"]) for path, view in pages.PAGES]
    described = document()
    app = Starlette(
        routes=[
            Route("/api/openapi.json", lambda _: JSONResponse(described)),
            Route("/api/sync/events", functools.partial(_events, site)),
            *_calls(site),
            Mount("/static", _Static(directory=STATIC)),
            *shown,
        ],
        exception_handlers={
            HTTPException: functools.partial(_http_error, site),
            MemdownError: functools.partial(_error, site),
            Exception: functools.partial(_surprise, site),
        },
    )
    return Guard(app, site.access)


def _calls(site: Site) -> list[Route]:
    """One route for each path, whatever its methods; a path without parameters comes first."""
    grouped: dict[str, dict[str, Endpoint]] = {}
    for one in OPERATIONS:
        grouped.setdefault(one.route, {})[one.method] = _call(site, one)
    return [
        Route(path, _by_method(methods), methods=list(methods))
        for path, methods in sorted(grouped.items(), key=lambda item: "{" in item[0])
    ]


def _by_method(methods: dict[str, Endpoint]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await methods["GET" if request.method == "HEAD" else request.method](request)

    return endpoint


class _Static(StaticFiles):
    """Files that come with the package; their addresses change with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        wanted = Headers(scope=scope).get("accept-encoding", "")
        # Only files of ours: to pack pages with secrets in them would tell something of these.
        if response.status_code == 200 and "gzip" in wanted and path in _PACKED:
            response = Response(
                _packed(path),
                media_type=response.media_type,
                headers={"content-encoding": "gzip", "vary": "accept-encoding"},
            )
        if b"v=" in scope.get("query_string", b""):
            response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response


_PACKED = frozenset(file.name for file in STATIC.iterdir())


@functools.cache
def _packed(name: str) -> bytes:
    return gzip.compress((STATIC / name).read_bytes(), mtime=0)


def _call(site: Site, operation: HttpOperation) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        given = from_query(operation.query, request.query_params.multi_items())
        for field in operation.inline:
            given[field.name] = field.check(request.path_params[field.name])
        if operation.body:
            given |= from_body(operation.body, await _body(request))
        if operation.takes_file:
            given["file"] = await uploads.receive(site, given["name"], request.stream())
            if given["file"] is None:
                limit = uploads.MAX_UPLOAD_BYTES // 1024 // 1024
                raise HTTPException(
                    413, f"More than {limit} MB cannot be sent; `memdown import` can."
                )
        try:
            result = await run_in_threadpool(operation.handler, site, given)
        finally:
            if operation.method != "GET":
                site.expect_changes()
        return JSONResponse(result, operation.status)

    return endpoint


def _page(site: Site, view: pages.View) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(view, site, request)

    return endpoint


async def _events(site: Site, request: Request) -> Response:  # noqa: ARG001
    return StreamingResponse(
        site.job.events(), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "Send JSON, with the header `Content-Type: application/json`.")
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY_BYTES:
            limit = MAX_BODY_BYTES // 1024 // 1024
            raise HTTPException(413, f"More than {limit} MB cannot be sent; edit the file itself.")
        pieces.append(piece)
    return b"".join(pieces)


async def _error(site: Site, request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    more: dict[str, Any] = {}
    if isinstance(error, NoteChanged):
        more["current"] = note_json(error.current) if error.current else None
    if isinstance(error, SecretFound):
        more["secret"] = error.what
    return await _answer(site, request, status, str(error), more)


async def _http_error(site: Site, request: Request, error: Any) -> Response:
    message = error.detail if error.status_code in (413, 415) else _PLAIN.get(error.status_code)
    answer = await _answer(site, request, error.status_code, message or error.detail, {})
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    return answer


async def _surprise(site: Site, request: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    log.error("A request for %s failed.", request.scope["path"], exc_info=error)
    message = "Something went wrong that should not have; the log of `memdown serve` says more."
    return await _answer(site, request, 500, message, {})


async def _answer(
    site: Site, request: Request, status: int, message: str, more: dict[str, Any]
) -> Response:
    if str(request.scope["path"]).startswith("/api/"):
        return JSONResponse({"error": message, **more}, status)
    values = {"message": message, "status": status, "path": str(request.scope["path"])}
    return page(site, request, "error.html", values, status=status)


_PLAIN = {404: "There is no page here.", 405: "This address cannot be used in that way."}
