"""MCP over standard input and output: JSON-RPC, one message a line, and nothing else on them.

The protocol is spoken here and not by the SDK, which takes a second to load: clients ask for the
tools when a session starts, and some make their first request to the model without tools that come
later. What is quick is answered in the order it is asked; tools run in threads of their own.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Protocol

from memdown import __version__
from memdown.errors import WorkspaceError
from memdown.mcp.service import (
    INVALID_PARAMS,
    MOST_SAMPLED,
    NO_ANSWER,
    NOT_ALLOWED,
    Refused,
    Service,
)
from memdown.types import Progress

MODERN = "2026-07-28"
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_META = "io.modelcontextprotocol/"
_SERVER = {"name": "memdown", "title": "Memdown", "version": __version__}
_PARSE_ERROR, _INVALID_REQUEST, _NOT_FOUND = -32700, -32600, -32601
_MOST_LINE = 16 * 1024 * 1024
_THREADS = 8
_REPORT_SECONDS = 0.1
# If nobody asks for the tools: when to load what a search needs all the same.
_IDLE_SECONDS = 1.0
# How long calls that only read are waited for once the client has gone.
_LAST_SECONDS = 5.0
# These give their model the data in place of the text, which costs it a third more to read.
_READ_DATA_FIRST = ("claude-code", "codex")

Answer = dict[str, Any]


class _Lines(Protocol):
    def readline(self, limit: int, /) -> bytes: ...


def serve(
    service: Service, reading: _Lines | None = None, writing: IO[bytes] | None = None
) -> None:
    """Answer until standard input ends."""
    if writing is None:
        # Whatever prints something must not break the protocol.
        writing = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
    connection = StdioConnection(service, writing)
    try:
        for line in _lines(reading or sys.stdin.buffer):
            connection.receive(line)
    except KeyboardInterrupt:
        pass
    finally:
        connection.close()


def _lines(reading: _Lines) -> Iterator[bytes]:
    """The lines that are there; the rest of one that is too long is passed over."""
    too_long = False
    while line := reading.readline(_MOST_LINE):
        ends = line.endswith(b"\n")
        if not too_long and (ends or len(line) < _MOST_LINE):
            yield line
        elif not too_long:
            yield b"{"
        too_long = not ends


class StdioConnection:
    """One client: what it said of itself, and the calls that run for it."""

    def __init__(self, service: Service, writing: IO[bytes]) -> None:
        self._service = service
        self._writing = writing
        self._write_lock = threading.Lock()
        self._slots = threading.Semaphore(_THREADS)
        self._running: dict[str, threading.Thread] = {}
        self._writers: set[str] = set()
        self._cancelled: set[str] = set()
        self._state_lock = threading.Lock()
        self._client = ""
        self._samples = False
        self._asked: dict[str, queue.SimpleQueue[Answer]] = {}
        self._gone = False
        self._warming: threading.Thread | None = None
        self._idle: threading.Timer | None = None
        self._quick: Mapping[str, Callable[[Mapping[str, Any]], Answer]] = {
            "ping": lambda _: {},
            "initialize": self._initialize,
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "resources/list": lambda _: service.list_resources(),
            "resources/templates/list": lambda _: service.list_templates(),
            "prompts/list": lambda _: service.list_prompts(),
            "logging/setLevel": lambda _: {},
        }
        self._slow: Mapping[str, Callable[[Mapping[str, Any], str | int | None], Answer]] = {
            "tools/call": self._call_tool,
            "resources/read": lambda given, _: service.read_resource(
                _text(given, "uri"), _object(given.get("_meta"))
            ),
            "prompts/get": lambda given, _: service.get_prompt(
                _text(given, "name"), _object(given.get("arguments")), _object(given.get("_meta"))
            ),
        }

    def receive(self, line: bytes) -> None:
        """Answer one line, or begin to."""
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._send_error(None, _PARSE_ERROR, "This line is not valid JSON.")
            return
        # Clients of 2025-03-26 may send several at once.
        if isinstance(message, list):
            for one in message:
                self._take(one)
            if message:
                return
        self._take(message)

    def close(self) -> None:
        """Wait for what writes, and a little for what reads; then close the memory."""
        if self._idle is not None:
            self._idle.cancel()
        with self._state_lock:
            running = dict(self._running)
            self._gone = True
            for waiting in self._asked.values():
                waiting.put({"error": {"message": "it is gone"}})
        until = time.monotonic() + _LAST_SECONDS
        for key, thread in running.items():
            thread.join(None if key in self._writers else max(0.0, until - time.monotonic()))
        self._service.close()

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._send_error(None, _INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")
            return
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            with self._state_lock:
                waiting = self._asked.pop(str(number), None)
            # Others are answers to what was never asked, or is no longer waited for.
            if waiting is not None:
                waiting.put(message)
            return
        given = _object(message.get("params"))
        if "id" not in message:
            if method == "notifications/cancelled":
                self._cancel(given.get("requestId"))
            return
        if isinstance(number, bool) or not isinstance(number, (str, int, float)):
            self._send_error(None, _INVALID_REQUEST, "The id must be text or a number.")
        elif method in self._quick:
            self._answer(number, given, self._quick[method])
        elif method in self._slow:
            self._start(number, method, given)
        else:
            self._send_error(number, _NOT_FOUND, f"There is no method {method[:60]!r}.")

    def _start(self, number: Any, method: str, given: Mapping[str, Any]) -> None:
        key = repr(number)
        meta = _object(given.get("_meta"))

        def work() -> None:
            with self._slots:
                if key not in self._cancelled:
                    token = meta.get("progressToken")
                    handle = self._slow[method]
                    report = token if isinstance(token, (str, int)) else None
                    self._answer(number, given, lambda one: handle(one, report))
            with self._state_lock:
                self._running.pop(key, None)
                self._cancelled.discard(key)

        thread = threading.Thread(target=work, name=f"memdown-{method}", daemon=True)
        with self._state_lock:
            self._running[key] = thread
            if method == "tools/call" and self._service.writes(str(given.get("name"))):
                self._writers.add(key)
        thread.start()

    def _cancel(self, number: Any) -> None:
        with self._state_lock:
            if repr(number) in self._running:
                self._cancelled.add(repr(number))

    def _answer(
        self, number: Any, given: Mapping[str, Any], handle: Callable[[Mapping[str, Any]], Answer]
    ) -> None:
        try:
            result = handle(given)
        except Refused as refused:
            self._send_error(number, refused.code, str(refused))
            return
        except Exception as error:
            # Whatever is wrong with us, the client must not wait for an answer for ever.
            self._send_error(
                number, -32603, f"The memory failed ({type(error).__name__}: {error})."
            )
            return
        if repr(number) in self._cancelled:
            return
        version = _object(given.get("_meta")).get(f"{_META}protocolVersion")
        self._send({"jsonrpc": "2.0", "id": number, "result": _fitting(result, version)})

    def _initialize(self, given: Mapping[str, Any]) -> Answer:
        self._client = _name(given.get("clientInfo"))
        self._samples = isinstance(_object(given.get("capabilities")).get("sampling"), dict)
        asked = given.get("protocolVersion")
        self._idle = threading.Timer(_IDLE_SECONDS, self._warm_up)
        self._idle.daemon = True
        self._idle.start()
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": self._capabilities(),
            "serverInfo": _SERVER,
            **self._instructions(),
        }

    def _discover(self, given: Mapping[str, Any]) -> Answer:
        meta = _object(given.get("_meta"))
        self._client = _name(meta.get(f"{_META}clientInfo"))
        return {
            "supportedVersions": [MODERN],
            "capabilities": self._capabilities(),
            **self._instructions(),
        }

    def _list_tools(self, given: Mapping[str, Any]) -> Answer:
        del given
        # The client has what it waits for: now is the time to load the rest.
        self._warm_up(after=0.05)
        return self._service.list_tools(sampling=self._samples)

    def _call_tool(self, given: Mapping[str, Any], token: str | int | None) -> Answer:
        name, arguments = _text(given, "name"), given.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise Refused(INVALID_PARAMS, "arguments must be an object.")
        client = _name(_object(given.get("_meta")).get(f"{_META}clientInfo")) or self._client
        return self._service.call_tool(
            name,
            arguments or {},
            _object(given.get("_meta")),
            None if token is None else _Reporter(token, self._send),
            structured=not client.lower().startswith(_READ_DATA_FIRST),
            sample=self._sample if self._samples else None,
        )

    def _sample(self, prompt: str) -> str:
        """The answer of the client's model; a sentence for whoever waits if there is none."""
        seconds = self._service.settings.tidy.timeout_ms / 1000
        number = f"memdown-{secrets.token_hex(8)}"
        waiting: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        with self._state_lock:
            if self._gone:
                raise WorkspaceError("The client is gone; nothing was changed.")
            self._asked[number] = waiting
        content = {"type": "text", "text": prompt}
        params = {
            "messages": [{"role": "user", "content": content}],
            "maxTokens": MOST_SAMPLED,
            "includeContext": "none",
        }
        request = {"jsonrpc": "2.0", "id": number, "method": "sampling/createMessage"}
        self._send({**request, "params": params})
        try:
            answer = waiting.get(timeout=seconds)
        except queue.Empty:
            with self._state_lock:
                self._asked.pop(number, None)
            cancelled = {"requestId": number, "reason": "It took too long."}
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
            self._send(note)
            raise WorkspaceError(NO_ANSWER.format(seconds=seconds)) from None
        if "error" in answer:
            why = str(_object(answer["error"]).get("message", ""))[:200]
            raise WorkspaceError(NOT_ALLOWED.format(why=why))
        return _said(_object(answer.get("result")).get("content"))

    def _warm_up(self, after: float = 0.0) -> None:
        with self._state_lock:
            if self._warming is not None:
                return

            def work() -> None:
                time.sleep(after)
                self._service.warm_up()

            self._warming = threading.Thread(target=work, name="memdown-warm-up", daemon=True)
        self._warming.start()

    def _capabilities(self) -> Answer:
        return {
            "prompts": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": False},
            "tools": {"listChanged": False},
        }

    def _instructions(self) -> Answer:
        instructions = self._service.instructions
        return {"instructions": instructions} if instructions else {}

    def _send_error(self, number: Any, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._send({"jsonrpc": "2.0", "id": number, "error": error})

    def _send(self, message: Answer) -> None:
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._write_lock:
            try:
                while data:
                    data = data[self._writing.write(data) :]
                self._writing.flush()
            except (BrokenPipeError, ValueError):
                # The client is gone; standard input ends next.
                return


class _Reporter:
    """Reports the progress of a call to its client: ever more, and not more often than is useful."""

    def __init__(self, token: str | int, send: Callable[[Answer], None]) -> None:
        self._token = token
        self._send = send
        self._last = (-1.0, 0.0)
        self._lock = threading.Lock()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        with self._lock:
            done, moment = self._last
            if progress.completed <= done or now - moment < _REPORT_SECONDS:
                return
            self._last = (progress.completed, now)
        params = {
            "progressToken": self._token,
            "progress": progress.completed,
            "total": progress.total,
            "message": f"Indexing {progress.label}".strip(),
        }
        self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _fitting(result: Answer, version: Any) -> Answer:
    """A result in the shape of the protocol that a request names: since 2026 it names itself."""
    if version is None:
        return result
    listed = {"cacheScope": "private", "ttlMs": 0} if _is_listing(result) else {}
    return {**result, **listed, "resultType": "complete", "_meta": {f"{_META}serverInfo": _SERVER}}


def _is_listing(result: Answer) -> bool:
    names = (
        "tools", "resources", "resourceTemplates", "prompts", "contents", "supportedVersions"
    )  # fmt: skip
    return any(name in result for name in names)


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise Refused(INVALID_PARAMS, f"{name} must be text.")
    return value


def _said(content: Any) -> str:
    """The text of a sampled message: one block, or several."""
    blocks = content if isinstance(content, list) else [content]
    texts = [_object(block).get("text") for block in blocks]
    return "\n".join(text for text in texts if isinstance(text, str))


def _name(info: Any) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
