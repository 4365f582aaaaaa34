"""What went wrong at a provider → one of our errors, with a sentence that says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memdown.errors import (
    BadAnswer,
    EmbedderError,
    ProviderTimeout,
    QuotaExhausted,
    RateLimited,
    RefusedKey,
    Unreachable,
)

_QUOTA = re.compile(r"quota|billing|credit|balance|insufficient_funds|payment", re.IGNORECASE)
_RATE = re.compile(
    r"rate.?limit|too many requests|resource.?exhausted|tokens per min", re.IGNORECASE
)
# What Gemini says of too many requests a minute, which has nothing to do with the account's plan.
_NO_QUOTA = "(e.g. check quota)"
# "Please try again in 6m0.5s", "Please retry in 250ms", and Gemini's RetryInfo.
_PAUSE = re.compile(
    r"(?:try again in|retry in|\"retryDelay\":)\s*\"?(?:(?P<minutes>\d+)m(?!s))?(?P<number>\d+(?:\.\d+)?)?(?P<unit>ms|s)?",
    re.IGNORECASE,
)
_KEY = re.compile(r"api.?key.{0,20}(not valid|invalid|expired)|API_KEY_INVALID", re.IGNORECASE)
# Something long without a space is more likely a key than a word.
_LOOKS_SECRET = re.compile(r"\b(?:sk|pa|hf|AIza)[-_A-Za-z0-9*.]{8,}|[A-Za-z0-9_\-*]{32,}")
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class ErrorSubject:
    """Whom an error is about: the provider, its host, and how its key is set."""

    provider: str
    host: str
    key_hint: str
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Place({self.provider!r}, {self.host!r})"

    def __str__(self) -> str:
        return f"{self.provider} ({self.host})"


def from_status(place: ErrorSubject, status: int, body: str) -> EmbedderError:
    """The error that an answer with this status stands for."""
    said = _said(place, body)
    tail = f": {said}" if said else ""
    if status in (401, 403) or (status == 400 and _KEY.search(body)):
        return RefusedKey(f"{place} refused access (HTTP {status}); {place.key_hint}")
    if status == 402 or _has_no_quota(status, body):
        return QuotaExhausted(
            f"{place} has no quota left (HTTP {status}{tail}); check the account's plan and "
            "billing, or choose another memorySearch.provider."
        )
    if status == 429 or (400 <= status < 500 and _RATE.search(body)):
        return RateLimited(
            f"{place} asks for fewer requests (HTTP {status}{tail}); wait a little and try again."
        )
    if status in (408, 504):
        return ProviderTimeout(f"{place} gave up on the request (HTTP {status}); try again later.")
    if status >= 500:
        return Unreachable(f"{place} is out of order (HTTP {status}{tail}); try again later.")
    if status == 404:
        return BadAnswer(
            f"{place} does not know the model or the address (HTTP 404{tail}); check "
            "memorySearch.model and memorySearch.remote.baseUrl."
        )
    return BadAnswer(
        f"{place} does not accept the request (HTTP {status}{tail}); check memorySearch.model "
        "and memorySearch.remote."
    )


def _has_no_quota(status: int, body: str) -> bool:
    """Whether an account may send nothing more; where it may again after a pause, it sent too much at once."""
    if status == 429 and asked_pause(body) is not None:
        return False
    return status in (403, 429) and _QUOTA.search(body.replace(_NO_QUOTA, "")) is not None


def asked_pause(body: str) -> float | None:
    """The seconds that an answer asks to wait for, in its text; None if it does not say."""
    found = _PAUSE.search(body)
    if found is None or not (found["minutes"] or (found["number"] and found["unit"])):
        return None
    seconds = float(found["number"] or 0) / (1_000 if found["unit"] == "ms" else 1)
    return 60 * int(found["minutes"] or 0) + seconds


def is_worth_retrying(status: int, body: str) -> bool:
    """Whether the same request may well succeed a little later."""
    if status == 429 or status >= 500:
        return True
    return 400 <= status < 500 and status not in (401, 403) and _RATE.search(body) is not None


def from_exception(place: ErrorSubject, error: Exception) -> EmbedderError:
    """The error that an exception of the HTTP library stands for."""
    import httpx

    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Unreachable(f"{place} cannot be reached in time; check the network and the address.")
    if isinstance(error, httpx.TimeoutException):
        return ProviderTimeout(f"{place} did not answer in time; try again later.")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return Unreachable(
            f"The address of {place.provider} is not one that can be called; correct "
            "memorySearch.remote.baseUrl, such as https://api.openai.com/v1."
        )
    if isinstance(error, httpx.ProxyError):
        return Unreachable(
            f"The proxy on the way to {place} refuses or fails; check HTTPS_PROXY and NO_PROXY."
        )
    if isinstance(error, httpx.ConnectError):
        return Unreachable(
            f"{place} cannot be reached; check the network, and that the address is right."
        )
    if isinstance(error, httpx.DecodingError | httpx.TooManyRedirects):
        return BadAnswer(f"{place} sent an answer that cannot be decoded; try again later.")
    return Unreachable(f"The connection to {place} broke off; try again later.")


def is_broken_connection(error: Exception) -> bool:
    """Whether no whole answer came, though nobody ran out of time."""
    import httpx

    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.DecodingError):
        return False
    return isinstance(error, httpx.TransportError) and not isinstance(error, httpx.TimeoutException)


def never_left(error: Exception) -> bool:
    """Whether no connection came about, so that nothing was sent."""
    import httpx

    none = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
    return isinstance(error, (*none, httpx.UnsupportedProtocol, httpx.InvalidURL))


def redirected(place: ErrorSubject, target: str) -> EmbedderError:
    """The error for a redirect that would carry the key to someone else."""
    return BadAnswer(
        f"{place} redirects to another host, {target}, which is refused because the key and the "
        "texts would go there; if that is right, set memorySearch.remote.baseUrl to it."
    )


def not_json(place: ErrorSubject, body: str) -> EmbedderError:
    """The error for an answer that is no JSON."""
    what = "a web page" if body.lstrip()[:1] == "<" else "something that is not whole JSON"
    return BadAnswer(
        f"{place} answered with {what}; check memorySearch.remote.baseUrl, or try again later."
    )


def odd(place: ErrorSubject, what: str) -> EmbedderError:
    """The error for an answer that is JSON, but not the expected one."""
    return BadAnswer(f"{place} answered with {what}; nothing was stored.")


def http_errors() -> tuple[type[Exception], ...]:
    """Every kind of exception that the HTTP library may raise at us."""
    import httpx

    return (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict)


def _said(place: ErrorSubject, body: str) -> str:
    """The provider's own words, short and without anything that could be a key."""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    text = " ".join(_message(data).split())
    for secret in place.secrets:
        text = text.replace(secret, "…")
    text = _LOOKS_SECRET.sub("…", text)
    return text if len(text) <= _MOST_CHARS else text[: _MOST_CHARS - 1] + "…"


def _message(data: object) -> str:
    if isinstance(data, str):
        return data
    if isinstance(data, Sequence):
        return _message(data[0]) if data else ""
    if isinstance(data, dict):
        for name in ("error", "message", "detail"):
            if data.get(name):
                return _message(data[name])
    return ""
