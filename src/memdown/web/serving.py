"""How a browser gets in: by a link that works once, which no other user of the machine can see.

What a program is started with can be read by everybody (`ps`), so a browser is opened on a small
private file that leads on to the link. The links still to be used are private files too: their
names are digests of the codes. So a second `memdown serve --link` can make one for a server that
runs, without asking it anything; that it runs is told by the lock on the file with its token.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from memdown import http_server as connections
from memdown.config import Settings
from memdown.errors import CannotListen, NoPage
from memdown.files import acquire_or_fail, is_locked, make_folder, open_file
from memdown.memory import Memory
from memdown.web.app import create_app
from memdown.web.guard import Access, Pairings
from memdown.web.site import Site


class Door:
    """The links to one server that may still be used, each once."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._port = port

    @property
    def token_file(self) -> Path:
        """Where programs find their token."""
        return self._folder / f"web-{self._port}.token"

    @property
    def page(self) -> Path:
        """What a browser is opened on."""
        return self._folder / f"web-{self._port}.html"

    def new_code(self) -> str:
        """A code that lets one browser in."""
        code = secrets.token_urlsafe(24)
        os.close(open_file(self._code_file(code), os.O_WRONLY | os.O_EXCL))
        return code

    def use(self, code: str) -> bool:
        """Whether a code was still to be used; it no longer is."""
        try:
            self._code_file(code).unlink()
        except OSError:
            return False
        return True

    @contextmanager
    def opened(self, token: str) -> Iterator[None]:
        """Keep the token for programs, and the lock that tells of the server, while it runs."""
        lock = self._lock()
        try:
            self._clear()
            os.ftruncate(lock, 0)
            os.write(lock, f"{token}\n".encode())
            yield
        finally:
            self._clear()
            self.token_file.unlink(missing_ok=True)
            os.close(lock)

    def lead_to(self, link: str) -> str:
        """The address of the private file, which leads on to the link."""
        self.page.unlink(missing_ok=True)
        with os.fdopen(open_file(self.page, os.O_WRONLY | os.O_EXCL), "w") as file:
            file.write(_REDIRECT.format(link=html.escape(link)))
        return self.page.as_uri()

    def _lock(self) -> int:
        try:
            make_folder(self._folder)
            lock = open_file(self.token_file, os.O_RDWR)
        except OSError as error:
            raise NoPage(
                f"The link to the page cannot be kept in {self._folder} ({error.strerror}); make "
                "that folder writable or set MEMDOWN_STATE_DIR to one that is."
            ) from None
        try:
            acquire_or_fail(lock, timeout=0)
        except OSError:
            os.close(lock)
            raise NoPage(
                f"A page with another address is open on port {self._port}; choose another --port."
            ) from None
        return lock

    def _clear(self) -> None:
        for file in (self.page, *self._folder.glob(f"web-{self._port}-*.code")):
            with contextlib.suppress(OSError):
                file.unlink()

    def _code_file(self, code: str) -> Path:
        digest = hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
        return self._folder / f"web-{self._port}-{digest}.code"


def running_ports(folder: Path) -> list[int]:
    """The ports on which pages of this user are open."""
    found = []
    for file in sorted(folder.glob("web-*.token")):
        port = file.name.removeprefix("web-").removesuffix(".token")
        if port.isdecimal() and is_locked(file):
            found.append(int(port))
    return found


def running_door(folder: Path, port: int | None) -> tuple[Door, int]:
    """The door of the page that is open, and its port; with several, `port` says which."""
    ports = running_ports(folder)
    if port is not None:
        ports = [one for one in ports if one == port]
    if not ports:
        where = f" on port {port}" if port else ""
        raise NoPage(f"No page is open{where}; start one with `memdown serve`.")
    if len(ports) > 1:
        shown = ", ".join(map(str, ports))
        raise NoPage(f"Several pages are open, on the ports {shown}; say which with --port.")
    return Door(folder, ports[0]), ports[0]


def link(address: str, port: int, code: str) -> str:
    """The launch link; a server that listens everywhere is called by the address of this machine."""
    host = "127.0.0.1" if address in ("0.0.0.0", "::") else address  # noqa: S104
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/?code={code}"


_REDIRECT = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Memdown</title>'
    '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0;url={link}">'
    '<p><a href="{link}">Open Memdown</a></p></html>'
)


PORT = 7117
_ANSWER_SECONDS = 5.0
_TRY_SECONDS = 0.1
_MOST_TRIES = 300


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
    with listen(host, port) as listening:
        number = listening.getsockname()[1]
        state_dir = memory.settings.state_dir
        door = Door(state_dir, number)
        called = tuple(name.lower() for name in names)
        access = Access(number, host, called, door.use, pairings=Pairings(state_dir))
        site = Site(memory, access, read_only)
        page_server = server(site)
        with _ended_by_signals(page_server), door.opened(access.token), site.following():
            announce(link(host, number, door.new_code()), door.token_file)
            if open_browser:
                page = door.lead_to(link(host, number, door.new_code()))
                threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()
            page_server.run(sockets=[listening])


@contextmanager
def _ended_by_signals(page_server: uvicorn.Server) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM, by which a service is ended, end the server where it can be ended.

    An exception in the middle of anything would do harm: an import that it cuts short may keep its
    lock, for which the thread that follows the notes would wait without end. A second signal
    does not wait.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def end(number: int, _: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        page_server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGINT in came:
        raise KeyboardInterrupt


def new_link(state_dir: Path, host: str, port: int | None) -> str:
    """A further link to the page that is open."""
    door, number = running_door(state_dir, port)
    return link(host, number, door.new_code())


def find_page(settings: Settings) -> int | None:
    """The port of a page of this very workspace that is open; None if there is none."""
    for port in running_ports(settings.state_dir):
        if _shows(settings, port):
            return port
    return None


def start_page(settings: Settings) -> int:
    """Start a server that outlives this process; its port once it answers."""
    command = [sys.executable, "-m", "memdown.cli", "serve", "--no-open"]
    command += ["--workspace", str(settings.workspace), "--agent", settings.agent]
    if settings.config_path:
        command += ["--config", str(settings.config_path)]
    make_folder(settings.state_dir)
    log = settings.state_dir / "web.log"
    with os.fdopen(open_file(log, os.O_WRONLY | os.O_TRUNC), "wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env={**os.environ, "MEMDOWN_STATE_DIR": str(settings.state_dir)},
        )
    for _ in range(_MOST_TRIES):
        if (port := find_page(settings)) is not None:
            return port
        if process.poll() is not None:
            raise NoPage(_last_sentence(log) or f"The page did not start; {log} says why.")
        time.sleep(_TRY_SECONDS)
    raise NoPage(f"The page did not start; {log} says why.")


def _last_sentence(log: Path) -> str:
    """The error with which a server ended, as the command line says it; "" if it said something else."""
    said = log.read_text(encoding="utf-8", errors="replace").splitlines()
    sign = "memdown: "
    return said[-1].removeprefix(sign) if said and said[-1].startswith(sign) else ""


def open_page(settings: Settings, port: int, *, browser: bool) -> str:
    """A link to the page that is open on a port; with `browser`, it is opened there as well."""
    door = Door(settings.state_dir, port)
    if browser:
        webbrowser.open(door.lead_to(link("127.0.0.1", port, door.new_code())))
    return link("127.0.0.1", port, door.new_code())


def _shows(settings: Settings, port: int) -> bool:
    """Whether the server on a port answers, and shows this workspace of this agent."""
    try:
        token = Door(settings.state_dir, port).token_file.read_text().strip()
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/status", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:  # noqa: S310
            said = json.load(answer)
    except (OSError, ValueError):
        return False
    workspace = Path(str(said.get("workspaceDir", "")))
    return (
        workspace.resolve() == settings.workspace.resolve() and said.get("agent") == settings.agent
    )


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
        f"Nothing can listen on {host}{f', port {port}' if port else ''} ({_reason(problem)}); "
        "choose another with --port or --host."
    )


def _reason(error: OSError) -> str:
    """What the system says; Python adds the address, which the sentence has."""
    return os.strerror(error.errno) if error.errno else str(error)
