"""The running server: one socket, one memory, until it is stopped."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from memdown import http_server as connections
from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.web.app import create_app
from memdown.web.guard import Access
from memdown.web.launching import Door, link, running_door
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
    announce: Callable[[str, Path], None],
) -> None:
    """Serve a memory until Ctrl-C; `announce` gets a launch link and the file with the token."""
    listening = listen(host, port)
    number = listening.getsockname()[1]
    door = Door(memory.settings.state_dir, number)
    access = Access(number, host, tuple(name.lower() for name in names), door.use)
    site = Site(memory, access, read_only)
    with door.opened(access.token):
        announce(link(host, number, door.new_code()), door.token_file)
        if open_browser:
            page = door.lead_to(link(host, number, door.new_code()))
            threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()
        server(site).run(sockets=[listening])


def new_link(state_dir: Path, host: str, port: int | None) -> str:
    """A further link to the page that is open."""
    door, number = running_door(state_dir, port)
    return link(host, number, door.new_code())


def server(site: Site) -> uvicorn.Server:
    """The server of a site."""
    return connections.server(create_app(site))


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
