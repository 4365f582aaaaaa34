"""Who may use the page: only the browser that opened the launch link, and only from the page itself.

A page on any website can send requests to 127.0.0.1. So each request must name the right host (no
DNS rebinding), carry the cookie that the launch link sets (SameSite=Strict) or the token for
programs, and, where it changes something, come from this origin with a token that only the page
knows. The code in a launch link is used up by the first browser that brings it.

What was asked for is read from the scope alone: some versions of Starlette build `request.url`
from the Host header, and a header must not decide which path is open to all.

A browser that was let in once keeps a secret, of which the state folder has the digest: the cookie of
a page ends with its server, because browsers send cookies to every port of a host. The secret is kept
by the page's own origin, port and all, and is only exchanged for a new cookie.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import ipaddress
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memdown.errors import CannotPair
from memdown.files import acquire_or_fail, make_folder, open_file, release

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
CSRF_HEADER = "x-memdown-csrf"
_PAIR = "/pair"
_MOST_SECRET_BYTES = 1_000
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9._-]{1,255}))(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Access:
    """The secrets of one run of the server, and the names it may be called by."""

    port: int
    address: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    use_code: Callable[[str], bool] = field(default=lambda _: False, repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    pairings: Pairings | None = field(default=None, repr=False)

    @property
    def cookie(self) -> str:
        """The cookie's name; cookies know no ports, so two servers need two names."""
        return f"memdown_{self.port}"

    @property
    def session(self) -> str:
        """The cookie's value."""
        return self._derived("session")

    @property
    def csrf(self) -> str:
        """What the page sends along with every change."""
        return self._derived("csrf")

    def knows_host(self, host: str) -> bool:
        """Whether a Host header names this server.

        A name could be one that an attacker points here; an address cannot, so once the server
        listens beyond this machine, every address will do.
        """
        parts = _HOST.fullmatch(host)
        if parts is None or int(parts[3] or 80) != self.port:
            return False
        name = (parts[1] or parts[2]).lower()
        if name in _LOCAL_NAMES or name == self.address.lower() or name in self.names:
            return True
        return self.address not in _LOCAL_NAMES and _is_address(name)

    def _derived(self, purpose: str) -> str:
        epoch = self.pairings.epoch if self.pairings else 0
        purpose = f"{purpose}-{epoch}" if epoch else purpose
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


class Guard:
    """ASGI middleware that lets a request through, or answers it with the reason why not."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        request = Request(scope, receive)
        if _path(request) == _PAIR and request.method == "POST":
            answer: Response | None = await self._pair(request)
        else:
            answer = self._refusal(request) or self._welcome(request)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Why a request is refused, before anything of the memory is touched."""
        if wrong := self._wrong_host(request):
            return wrong
        if _path(request).startswith("/static/"):
            return None
        bearer = _bearer(request, self._access.token)
        cookie = _equal(request.cookies.get(self._access.cookie, ""), self._access.session)
        code = _code(request)
        if not (bearer or cookie or code):
            return _refused(
                request, 401, "Open the link that `memdown serve` printed: it lets this browser in."
            )
        if not self._same_site(request):
            return _refused(request, 403, "This request came from another website and was refused.")
        # The code is used up even by a browser that is in already.
        if code and not (self._access.use_code(code) or cookie):
            return _refused(
                request,
                401,
                "This link was used before, or it is of an earlier start; each lets one browser "
                "in. `memdown serve --link` prints a new one.",
            )
        if bearer:
            return None
        if request.method not in _SAFE and not _equal(
            request.headers.get(CSRF_HEADER, ""), self._access.csrf
        ):
            return _refused(request, 403, "The page is out of date: reload it and try again.")
        return None

    def _wrong_host(self, request: Request) -> Response | None:
        hosts = request.headers.getlist("host")
        if len(hosts) == 1 and self._access.knows_host(hosts[0]):
            return None
        return _refused(request, 421, "Wrong host: use the address that `memdown serve` printed.")

    async def _pair(self, request: Request) -> Response:
        """A cookie for a browser that was let in before, or a secret for one that is in."""
        pairings = self._access.pairings
        if wrong := self._wrong_host(request):
            return wrong
        if pairings is None or not self._same_site(request):
            return JSONResponse({"error": "Browsers are not paired here."}, 403)
        secret = await _secret(request)
        try:
            if secret and pairings.knows(secret):
                answer = JSONResponse({"csrf": self._access.csrf})
                self._let_in(answer)
                return answer
            if not secret and self._refusal(request) is None:
                return JSONResponse({"secret": pairings.add(_browser_name(request))})
        except CannotPair as error:
            return JSONResponse({"error": str(error)}, 503)
        return JSONResponse({"error": "This browser is not known; open a new link."}, 401)

    def _let_in(self, answer: Response) -> None:
        answer.set_cookie(
            self._access.cookie, self._access.session, httponly=True, samesite="strict", path="/"
        )

    def _welcome(self, request: Request) -> Response | None:
        """Turn the code of the launch link into a cookie, and take it out of the address bar."""
        if not _code(request):
            return None
        rest = [
            (name, value) for name, value in request.query_params.multi_items() if name != "code"
        ]
        query = urlencode(rest)
        target = "/" + quote(_path(request).lstrip("/\\")) + (f"?{query}" if query else "")
        # A redirect would still count as coming from wherever the link was clicked, and a strict
        # cookie would not be sent; a page that reloads itself counts as our own.
        page = HTMLResponse(_WELCOME.format(target=_attribute(target)))
        self._let_in(page)
        return page

    def _same_site(self, request: Request) -> bool:
        origin = request.headers.get("origin")
        if origin is not None:
            return origin == f"http://{request.headers.get('host')}"
        site = request.headers.get("sec-fetch-site", "none")
        if request.method in _SAFE:
            return site in ("none", "same-origin") or (
                request.headers.get("sec-fetch-mode") == "navigate"
            )
        return site == "same-origin" or _bearer(request, self._access.token)


def _path(request: Request) -> str:
    return str(request.scope["path"])


def _code(request: Request) -> str:
    """The code of a launch link; only pages are opened by one."""
    if request.method != "GET" or _path(request).startswith("/api/"):
        return ""
    # A whole link may be pasted into the field for the code.
    return request.query_params.get("code", "").rpartition("code=")[2].strip()


async def _secret(request: Request) -> str:
    """The secret that a browser brings along; empty if there is none that can be read."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_SECRET_BYTES:
            return ""
    try:
        secret = json.loads(body).get("secret", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return secret if isinstance(secret, str) else ""


def _browser_name(request: Request) -> str:
    """What a browser calls itself, in two words: `Firefox on Linux`."""
    says = request.headers.get("user-agent", "")
    kinds = (
        ("Edg/", "Edge"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    )
    places = (
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Mac OS X", "macOS"),
        ("Windows", "Windows"),
        ("Linux", "Linux"),
    )
    kind = next((name for mark, name in kinds if mark in says), "A browser")
    place = next((name for mark, name in places if mark in says), "")
    return f"{kind} on {place}" if place else kind


def _refused(request: Request, status: int, message: str) -> Response:
    if _path(request).startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return HTMLResponse(_DOOR.format(status=status, message=_attribute(message)), status)


def _bearer(request: Request, token: str) -> bool:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return kind.lower() == "bearer" and _equal(value.strip(), token)


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _attribute(text: str) -> str:
    return (
        text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace("`", "&#96;")
    )


_WELCOME = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Memdown</title>'
    '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0;url={target}">'
    '<p><a href="{target}">Open Memdown</a></p></html>'
)
_DOOR = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Memdown</title>'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/memdown.css">'
    '<script src="/static/door.js" defer></script><body class="door"><main>'
    '<p class="door-code">{status}</p><h1>Memdown is here, but this browser may not come in</h1>'
    "<p>{message}</p>"
    "<p>In a terminal, <code>memdown open</code> lets this machine's browser in for good.</p>"
    '<form><label for="code">Or paste a link from <code>memdown serve --link</code></label>'
    '<input id="code" name="code" autocomplete="off" spellcheck="false" required>'
    '<button class="button primary">Come in</button></form></main></body></html>'
)


_MOST_BROWSERS = 50
_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Browser:
    """One browser that may come in without a link; times in seconds since 1970."""

    id: str
    digest: str
    name: str
    first: float
    last: float


class Pairings:
    """The browsers that may come in, in one private file; safe with several servers at once.

    `epoch` counts the browsers that were thrown out by this server: cookies of before are void, and
    browsers that still may come in get a new one by their secret.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "web-browsers.json"
        self.epoch = 0

    def all(self) -> list[Browser]:
        """Every browser that may come in, the last one seen first."""
        with self._locked() as lock:
            return sorted(_read(lock), key=lambda one: -one.last)

    def add(self, name: str) -> str:
        """Let a browser in for good; the secret that it must keep."""
        secret = secrets.token_urlsafe(32)
        now = time.time()
        with self._locked() as lock:
            one = Browser(secrets.token_hex(4), _digest(secret), name[:60], now, now)
            kept = sorted(_read(lock), key=lambda known: -known.last)[: _MOST_BROWSERS - 1]
            _write(lock, [one, *kept])
        return secret

    def knows(self, secret: str) -> bool:
        """Whether a secret is one that was given out and not taken back."""
        digest = _digest(secret)
        now = time.time()
        with self._locked() as lock:
            known = _read(lock)
            found = [one for one in known if hmac.compare_digest(one.digest, digest)]
            if found and now - found[0].last > _A_DAY:
                _write(lock, [replace(one, last=now) if one in found else one for one in known])
        return bool(found)

    def remove(self, browser: str) -> bool:
        """Throw a browser out, at once; whether there was one with this id."""
        with self._locked() as lock:
            known = _read(lock)
            kept = [one for one in known if one.id != browser]
            _write(lock, kept)
        self.epoch += 1
        return len(kept) < len(known)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            make_folder(self._file.parent)
            lock = open_file(self._file, os.O_RDWR)
        except OSError as error:
            raise CannotPair(
                f"{self._file} cannot be written ({error.strerror}); make its folder writable, or "
                "set MEMDOWN_STATE_DIR to one that is."
            ) from None
        try:
            try:
                acquire_or_fail(lock)
            except OSError as error:
                raise CannotPair(f"{self._file} cannot be used ({error.strerror}).") from None
            yield lock
        finally:
            release(lock)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _read(lock: int) -> list[Browser]:
    """What the file says; nothing if it was damaged: browsers then need a new link."""
    data = os.pread(lock, 1 << 20, 0)
    try:
        return [Browser(**one) for one in json.loads(data or b"[]")]
    except (ValueError, TypeError):
        return []


def _write(lock: int, browsers: list[Browser]) -> None:
    data = json.dumps([asdict(one) for one in browsers], indent=1).encode()
    os.pwrite(lock, data, 0)
    os.ftruncate(lock, len(data))
