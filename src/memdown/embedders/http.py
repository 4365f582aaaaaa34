"""Requests to a provider: retries, pauses, deadlines, redirects, and errors of our own."""

from __future__ import annotations

import datetime
import json
import random
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memdown.embedders import failures
from memdown.embedders.endpoints import host, is_secret
from memdown.embedders.failures import ErrorSubject
from memdown.embedders.options import EmbeddingEndpoint, Options, Sent, Timeouts
from memdown.errors import BadAnswer, EmbedderError, ProviderTimeout

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 3
_MOST_BYTES = 1 << 30
_MOST_REDIRECTS = 3
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `path` is added to the base address; `url` is an address of its own.

    With `one_deadline` the time limit holds for all attempts together, else for each. With `into`
    the answer goes to a file, because it may be large.
    """

    path: str = ""
    method: str = "POST"
    url: str | None = None
    body: Any = None
    content: bytes | None = None
    files: Any = None
    data: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 120.0
    one_deadline: bool = False
    load: Sent | None = None
    into: Path | None = None


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An answer of a provider."""

    status: int
    headers: Mapping[str, str]
    data: bytes


@dataclass(frozen=True, slots=True)
class _Failed:
    """Why an attempt failed, whether another makes sense, and the pause the provider asks for."""

    error: EmbedderError
    again: bool = False
    pause: float | None = None


class Http:
    """The way to one provider. Safe to use from several threads."""

    def __init__(
        self, provider: str, options: Options, *, auth: Mapping[str, str], timeouts: Timeouts
    ) -> None:
        endpoint = options.endpoint
        self.base_url = endpoint.base_url
        self._headers = {**auth, **endpoint.headers}
        self._timeouts = timeouts
        self._on_sent = options.on_sent
        self.place = _place(provider, endpoint)
        self.closed = threading.Event()
        self._client: httpx.Client | None = None
        self._client_lock = threading.Lock()
        self._users = 0
        self._not_before = 0.0

    def json(self, call: Call) -> Any:
        """The answer's JSON."""
        return self.read(self.send(call))

    def read(self, reply: HttpReply) -> Any:
        """The JSON in an answer."""
        try:
            return json.loads(reply.data)
        except ValueError:
            raise failures.not_json(self.place, reply.data.decode("utf-8", "replace")) from None

    def send(self, call: Call) -> HttpReply:
        """Send a request, up to three times, and return the answer; every failure is our error."""
        begun = time.monotonic()
        call = packed(call)
        for attempt in range(1, ATTEMPTS + 1):
            limit = call.timeout - (time.monotonic() - begun) if call.one_deadline else call.timeout
            self._pause(self._not_before - time.monotonic(), limit)
            outcome = self._attempt(call, limit)
            if isinstance(outcome, HttpReply):
                return outcome
            if not outcome.again or attempt == ATTEMPTS:
                raise outcome.error
            asked = outcome.pause
            delay = _backoff(attempt, self._timeouts) if asked is None else asked
            left = call.timeout - (time.monotonic() - begun) if call.one_deadline else None
            if delay > self._timeouts.longest_wait_asked or (left is not None and delay >= left):
                raise outcome.error
            if asked is not None:
                # Everyone else on the way to this provider should wait as well.
                self._not_before = max(self._not_before, time.monotonic() + asked)
            self._pause(delay, None)
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Stop waiting for anything. A connection in use is closed by whoever uses it."""
        self.closed.set()
        self._leave(0)

    def _leave(self, count: int) -> None:
        """Count users of the client; the last one out closes it, if it is no longer wanted."""
        with self._client_lock:
            self._users -= count
            if self.closed.is_set() and self._users == 0 and self._client is not None:
                self._client.close()
                self._client = None

    def _attempt(self, call: Call, limit: float) -> HttpReply | _Failed:
        """An answer that is accepted, or what is wrong."""
        left = True
        try:
            reply = self._exchange(call, max(limit, 0.001))
        except EmbedderError as error:
            return _Failed(error)
        except failures.http_errors() as error:
            left = not failures.never_left(error)
            mapped = failures.from_exception(self.place, error)
            return _Failed(mapped, again=failures.is_broken_connection(error))
        finally:
            if left and call.load is not None:
                self._on_sent(call.load)
        if 200 <= reply.status < 300:
            return reply
        body = reply.data.decode("utf-8", "replace")
        return _Failed(
            failures.from_status(self.place, reply.status, body),
            again=failures.is_worth_retrying(reply.status, body),
            pause=_asked_pause(reply.headers, body),
        )

    def _exchange(self, call: Call, limit: float) -> HttpReply:
        url = call.url or _join(self.base_url, call.path)
        deadline = time.monotonic() + limit
        for _ in range(_MOST_REDIRECTS + 1):
            reply = self._once(call, url, limit, deadline)
            if reply.status not in (301, 302, 303, 307, 308) or "location" not in reply.headers:
                return reply
            target = str(self._url(url).join(reply.headers["location"]))
            if not _may_follow(url, target):
                raise failures.redirected(self.place, host(target))
            if call.method != "GET" and reply.status in (301, 302, 303):
                break
            url = target
        raise BadAnswer(
            f"{self.place} redirects instead of answering; check memorySearch.remote.baseUrl."
        )

    def _once(self, call: Call, url: str, limit: float, deadline: float) -> HttpReply:
        if call.url and not _may_follow(self.base_url, url):
            raise failures.redirected(self.place, host(url))
        client = self._connect()
        try:
            return self._stream(client, call, url, limit, deadline)
        finally:
            self._leave(1)

    def _stream(
        self, client: httpx.Client, call: Call, url: str, limit: float, deadline: float
    ) -> HttpReply:
        with client.stream(
            call.method,
            url,
            content=call.content,
            files=call.files,
            data=call.data,
            headers={**self._headers, **call.headers},
            timeout=limit,
        ) as response:
            pieces = self._pieces(response, deadline)
            if call.into is None or response.status_code != 200:
                return HttpReply(response.status_code, response.headers, b"".join(pieces))
            with call.into.open("wb") as file:
                file.writelines(pieces)
            return HttpReply(response.status_code, response.headers, b"")

    def _pieces(self, response: httpx.Response, deadline: float) -> Iterator[bytes]:
        size = 0
        for piece in response.iter_bytes():
            yield piece
            size += len(piece)
            # The library's limits are for single reads: a trickle would never run into them.
            if time.monotonic() > deadline:
                raise ProviderTimeout(f"{self.place} did not answer in time; try again later.")
            if size > _MOST_BYTES:
                raise BadAnswer(f"{self.place} sent more than {_MOST_BYTES >> 20} MB; stopped.")

    def _connect(self) -> httpx.Client:
        import httpx

        with self._client_lock:
            self._users += 1
            if self._client is None:
                address = urlsplit(self.base_url).hostname
                self._client = httpx.Client(
                    follow_redirects=False,
                    # A server on this machine is never behind a proxy.
                    trust_env=address not in _LOOPBACK,
                    headers={"user-agent": "memdown"},
                    limits=httpx.Limits(max_connections=16, max_keepalive_connections=8),
                )
            return self._client

    def _url(self, url: str) -> httpx.URL:
        import httpx

        return httpx.URL(url)

    def _pause(self, seconds: float, limit: float | None) -> None:
        if limit is not None:
            seconds = min(seconds, limit)
        if (seconds > 0 and self.closed.wait(seconds)) or self.closed.is_set():
            raise stopped(self.place)


def packed(call: Call) -> Call:
    """The call with its JSON written out, so that whoever sends it has nothing left to do."""
    if call.body is None:
        return call
    data = json.dumps(call.body, ensure_ascii=False).encode()
    headers = {"content-type": "application/json", **call.headers}
    return replace(call, body=None, content=data, headers=headers)


def stopped(place: ErrorSubject) -> EmbedderError:
    """The error for those who wait while the memory is being closed."""
    return EmbedderError(f"Waiting for {place} was stopped because the memory was closed.")


def _place(provider: str, endpoint: EmbeddingEndpoint) -> ErrorSubject:
    secrets = [value for name, value in endpoint.headers.items() if is_secret(name)]
    if endpoint.api_key:
        secrets.append(endpoint.api_key)
    parts = urlsplit(endpoint.base_url)
    secrets += [part for part in (parts.username, parts.password) if part]
    return ErrorSubject(provider, host(endpoint.base_url), _key_hint(endpoint), tuple(secrets))


def _key_hint(endpoint: EmbeddingEndpoint) -> str:
    if endpoint.key_source:
        return f"check the key in {endpoint.key_source}."
    if endpoint.withheld:
        return (
            f"no key was sent, because the one in {endpoint.withheld} is for another host; set "
            "memorySearch.remote.apiKey to the key of this one."
        )
    return "no key was sent; set memorySearch.remote.apiKey if this server wants one."


def _join(base: str, path: str) -> str:
    """The address of a path below the base; a query of the base stays at the end."""
    before, mark, query = base.partition("?")
    return f"{before.rstrip('/')}{path}{mark}{query}"


def _may_follow(url: str, target: str) -> bool:
    """Whether a redirect stays with the same host, and does not leave encryption."""
    old, new = urlsplit(url), urlsplit(target)
    if (old.hostname or "").lower() != (new.hostname or "").lower():
        return False
    if old.scheme == new.scheme:
        return old.port == new.port
    return (old.scheme, new.scheme) == ("http", "https") and old.port is None and new.port is None


def _backoff(attempt: int, timeouts: Timeouts) -> float:
    pause = timeouts.first_pause * 2.0 ** (attempt - 1)
    return min(timeouts.longest_pause, pause * random.uniform(0.75, 1.25))


def _asked_pause(headers: Mapping[str, str], body: str) -> float | None:
    """The pause that an answer asks for, by its header or else in its text."""
    pause = _retry_after(headers)
    return failures.asked_pause(body) if pause is None else pause


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The pause in a Retry-After header: seconds, or a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    return max(0.0, (when - datetime.datetime.now(datetime.UTC)).total_seconds())
