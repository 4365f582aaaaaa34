"""Where the model is: one request to an OpenAI-compatible or Anthropic endpoint, streamed; who tidies."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memdown.agent.chat.wires import WIRES, ChatEndpoint, Kind
from memdown.agent.definitions import ToolDefinition
from memdown.agent.turns import Message, ModelCall, OnText, Reply
from memdown.errors import ConfigError, ContextOverflow, EndpointError

if TYPE_CHECKING:
    import httpx

    from memdown.config import Settings

DEFAULT_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_ATTEMPTS = 3
_TIDYING_TOKENS = 8192
_READ_SECONDS = 300.0
_TOO_LONG = ("context_length_exceeded", "context length", "prompt is too long", "maximum context")


def endpoint_for(
    settings: Settings,
    kind: Kind,
    model: str,
    base_url: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> ChatEndpoint:
    """The endpoint of a model: its key from the environment, else from `models.providers`."""
    configured = settings.providers.get(kind)
    variable = f"{kind.upper()}_API_KEY"
    key = (os.environ if environ is None else environ).get(variable, "").strip()
    if not key and configured and configured.api_key:
        key = configured.api_key.reveal()
    url = base_url or (configured.base_url if configured else None) or DEFAULT_URLS[kind]
    if not key and url == DEFAULT_URLS[kind]:
        raise ConfigError(
            f"There is no key for {kind}; set {variable}, or name a server of your own "
            "with --base-url."
        )
    return ChatEndpoint(kind, url, model, key)


def asker(
    settings: Settings,
    *,
    command: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Callable[[str], str]:
    """A function that gives a model's answer to a prompt; what is named here wins over `memory.tidy`."""
    tidy = settings.tidy
    if command and model:
        raise ConfigError("A command and a model are both named; name one of them.")
    if not command and not model:
        command, model = tidy.command, tidy.model
    seconds = tidy.timeout_ms / 1000
    if command:
        from memdown.facts.tidying import ask_command

        named = command
        return lambda prompt: ask_command(named, prompt, seconds=seconds)
    if not model:
        raise ConfigError(
            "There is no model to tidy with; name a command (--with claude), or set memory.tidy.command, "
            "or memory.tidy.model for an endpoint."
        )
    endpoint = endpoint_for(settings, tidy.provider, model, base_url or tidy.base_url, environ)
    endpoint = replace(endpoint, max_output_tokens=_TIDYING_TOKENS)
    return lambda prompt: ask_once(endpoint, prompt, seconds)


def ask_once(endpoint: ChatEndpoint, prompt: str, seconds: float) -> str:
    """The answer of a model to one prompt; an `EndpointError` if there is none after `seconds`.

    A thread asks: an endpoint that sends a little now and then never runs into a time-out of its own.
    """
    answers: queue.SimpleQueue[str | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(connect(endpoint, attempts=1)([Message("user", prompt)], ()).text)
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, name="memdown-ask", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise EndpointError(
            f"{endpoint.base_url} did not answer within {seconds:.0f} s; nothing was changed."
        ) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def connect(
    endpoint: ChatEndpoint,
    sleep: Callable[[float], None] = time.sleep,
    attempts: int = _ATTEMPTS,
) -> ModelCall:
    """A function that asks this endpoint, up to `attempts` times while it is busy."""
    wire = WIRES[endpoint.kind]
    client: httpx.Client | None = None

    def ask(
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        on_text: OnText | None = None,
    ) -> Reply:
        nonlocal client
        client = client or _client()
        url = endpoint.base_url.rstrip("/") + wire.path
        body = wire.request(endpoint, messages, tools)
        for attempt in range(attempts):
            try:
                with _streamed(client, endpoint, url, wire.headers(endpoint), body) as events:
                    return wire.read(events, on_text)
            except _Busy as busy:
                if attempt == attempts - 1:
                    raise EndpointError(str(busy)) from None
                sleep(0.5 * 2**attempt)
        raise EndpointError(f"{url} was not asked.")

    return ask


def _client() -> httpx.Client:
    """A client that keeps no connection open: a person types for minutes between two requests."""
    import httpx

    timeout = httpx.Timeout(10.0, read=_READ_SECONDS)
    return httpx.Client(timeout=timeout, limits=httpx.Limits(max_keepalive_connections=0))


class _Busy(Exception):
    """An answer that says: try again."""


@contextmanager
def _streamed(
    client: httpx.Client,
    endpoint: ChatEndpoint,
    url: str,
    headers: dict[str, str],
    body: dict[str, Any],
) -> Iterator[Iterator[dict[str, Any]]]:
    """The events of one streamed answer, with every failure told in a sentence."""
    import httpx

    started = False
    try:
        with client.stream("POST", url, headers=headers, json=body) as response:
            if response.status_code != 200:
                response.read()
                raise _failure(endpoint, url, response.status_code, response.text)
            started = True
            yield _events(response, endpoint, url)
    except httpx.TransportError as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if not started:
            raise _Busy(
                f"{url} cannot be reached ({what}); check --base-url, and that the server runs."
            ) from None
        # Part of the answer may have been shown: asking again would show it twice.
        raise EndpointError(
            f"{url} broke off in the middle of an answer ({what}); try again."
        ) from None
    except httpx.InvalidURL:
        raise EndpointError(f"{url} is not a usable address; check --base-url.") from None


def _events(response: httpx.Response, endpoint: ChatEndpoint, url: str) -> Iterator[dict[str, Any]]:
    streamed = False
    for line in response.iter_lines():
        if not line.startswith("data:"):
            continue
        streamed = True
        text = line.removeprefix("data:").strip()
        if text == "[DONE]":
            return
        event = _parsed(text, url)
        if error := event.get("error"):
            raise _failure(endpoint, url, 0, json.dumps(error))
        yield event
    if not streamed:
        kind = response.headers.get("content-type", "no content type").split(";")[0]
        raise EndpointError(
            f"{url} sent no streamed answer but {kind[:60]}: it is no model's address, or a server "
            "that cannot stream; check --base-url."
        )


def _failure(endpoint: ChatEndpoint, url: str, status: int, body: str) -> Exception:
    said = _message(body)
    if endpoint.key:
        said = said.replace(endpoint.key, "[redacted]")
    if any(words in body.lower() for words in _TOO_LONG) or status == 413:
        return ContextOverflow(f"{url} refused the conversation as too long: {said}")
    if status in (401, 403):
        return EndpointError(f"{url} refused the key ({status}): {said}")
    if status in (408, 409, 429) or status >= 500:
        return _Busy(f"{url} is busy or broken ({status}): {said}")
    return EndpointError(f"{url} answered with an error ({status or 'stream'}): {said}")


def _parsed(text: str, url: str) -> dict[str, Any]:
    try:
        event = json.loads(text)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise EndpointError(f"{url} sent something that is not a streamed answer; check the URL.")
    return event


def _message(body: str) -> str:
    try:
        data = json.loads(body)
    except ValueError:
        return " ".join(body.split())[:300]
    inner = data.get("error", data) if isinstance(data, dict) else data
    said = inner.get("message", inner) if isinstance(inner, dict) else inner
    return " ".join(str(said).split())[:300]
