"""The HTTP server of the page and of MCP: no client can hold a connection by being slow.

Whoever can reach the port can open connections without knowing any token. So a connection that
has not sent a whole request head in time is dropped, and when there are too many, the one that has
waited longest makes room.
"""

from __future__ import annotations

import asyncio
import resource
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import LifespanType
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
MOST_CONNECTIONS = 200


def server(app: ASGIApp, *, lifespan: LifespanType = "off") -> uvicorn.Server:
    """A server without an access log, because addresses hold questions."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=ImpatientProtocol,
            ws="none",
            log_level="warning",
            use_colors=False,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan=lifespan,
            timeout_graceful_shutdown=1,
        )
    )


def most_connections() -> int:
    """How many may be open at once: half of what the system lets this process open, at most."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if allowed < 0 else min(MOST_CONNECTIONS, max(allowed // 2, 8))


class ImpatientProtocol(H11Protocol):
    """A connection whose client has `HEAD_SECONDS` for each request head, and no more."""

    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio does this only for sockets that name their protocol. Without it, an answer of more
        # than one packet waits for the client to confirm the first: 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._since = self.loop.time()
        if len(self.connections) > most_connections():
            waiting = [
                one
                for one in self.connections
                if isinstance(one, ImpatientProtocol) and one.is_idle
            ]
            min(waiting, key=lambda one: one._since).give_up()
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._since = self.loop.time()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # Closing waits until the client has read everything, which it may never do.
        self._forget()
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.give_up)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def give_up(self) -> None:
        """Drop the connection, whatever its client has still to send or to read."""
        self.connections.discard(self)
        self.transport.abort()

    def _watch(self) -> None:
        if not self.is_idle:
            self._forget()
        elif self._deadline is None and self.timeout_keep_alive_task is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self.give_up)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
