"""The running server: one socket, one memory, until it is stopped."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence

import uvicorn

from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.web.app import create_app
from memdown.web.guard import Access
from memdown.web.site import Site

PORT = 7117


class CannotListen(MemdownError):
    """The address or the port cannot be used."""


def serve(
    memory: Memory,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    names: Sequence[str] = (),
    read_only: bool = False,
    open_browser: bool = False,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve a memory until Ctrl-C; `announce` gets the launch link."""
    listening = listen(host, port)
    access = Access(listening.getsockname()[1], host, tuple(name.lower() for name in names))
    site = Site(memory, access, read_only)
    announce(access.url())
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(access.url(),), daemon=True).start()
    server(site).run(sockets=[listening])


def server(site: Site) -> uvicorn.Server:
    """The server of a site; the access log is off, because addresses hold questions."""
    return uvicorn.Server(
        uvicorn.Config(
            create_app(site),
            log_level="warning",
            use_colors=False,
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
    )


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on the given port; without one, on the usual port or on any that is free."""
    for number in (PORT, 0) if port is None else (port,):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, number), family=family, backlog=128)
        except OSError as error:
            problem = error
    raise CannotListen(
        f"Nothing can listen on {host}, port {port} ({problem.strerror}); "
        "choose another with --port or --host."
    )
