"""A model endpoint on this machine that does what a test tells it: streams, calls tools, breaks."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """One answer: text in pieces, tool calls, or something that goes wrong."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    status: int = 200
    error: str = ""
    break_off: bool = False
    input_tokens: int = 11
    output_tokens: int = 7
    thinking: str = ""


Policy = Callable[[Body], Say]


@dataclass
class Loopback:
    """Where the endpoint is, and what it was asked."""

    url: str
    asked: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def loopback(policy: Policy) -> Iterator[Loopback]:
    """Serve until the test is over."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            place.asked.append(body)
            place.headers.append({name.lower(): value for name, value in self.headers.items()})
            say = policy(body)
            if say.status != 200:
                self._send(say.status, "application/json", _error(say.error))
            elif self.path.endswith("/messages"):
                self._stream(_anthropic_events(say), say.break_off)
            elif body.get("stream"):
                self._stream([*_openai_events(say), "[DONE]"], say.break_off)
            else:
                self._send(200, "application/json", json.dumps(_openai_answer(say)))

        def _send(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: list[Any], break_off: bool) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.send_header("content-length", "10000000" if break_off else str(_size(events)))
            self.end_headers()
            for event in events[: len(events) // 2 if break_off else None]:
                self.wfile.write(_line(event))
                self.wfile.flush()
            self.close_connection = True
            if break_off:
                self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *arguments: object) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    place = Loopback(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield place
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _line(event: Any) -> bytes:
    text = event if isinstance(event, str) else json.dumps(event)
    return f"data: {text}\n\n".encode()


def _size(events: list[Any]) -> int:
    return sum(len(_line(event)) for event in events)


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "test"}})


def _pieces(text: str) -> list[str]:
    return [text[start : start + 3] for start in range(0, len(text), 3)]


def _openai_events(say: Say) -> list[Body]:
    def event(delta: Body, finish: str | None = None) -> Body:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [choice],
        }

    events = [event({"reasoning_content": piece}) for piece in _pieces(say.thinking)]
    events += [event({"role": "assistant", "content": piece}) for piece in _pieces(say.text)]
    for index, (name, arguments) in enumerate(say.calls):
        first, *rest = _pieces(json.dumps(arguments))
        head = {"index": index, "id": f"call_{index}", "type": "function"}
        events.append(
            event({"tool_calls": [{**head, "function": {"name": name, "arguments": first}}]})
        )
        events += [
            event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in rest
        ]
    events.append(event({}, "tool_calls" if say.calls else "stop"))
    return [*events, {**event({}), "choices": [], "usage": _usage(say)}]


def _usage(say: Say) -> Body:
    total = say.input_tokens + say.output_tokens
    return {
        "prompt_tokens": say.input_tokens,
        "completion_tokens": say.output_tokens,
        "total_tokens": total,
    }


def _openai_answer(say: Say) -> Body:
    message: Body = {"role": "assistant", "content": say.text or None}
    if say.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, (name, arguments) in enumerate(say.calls)
        ]
    finish = "tool_calls" if say.calls else "stop"
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(say),
    }


def _anthropic_events(say: Say) -> list[Body]:
    events: list[Body] = [
        {
            "type": "message_start",
            "message": {
                "usage": {"input_tokens": 1, "cache_read_input_tokens": say.input_tokens - 1}
            },
        }
    ]
    blocks: list[tuple[Body, list[Body]]] = []
    if say.thinking:
        thoughts: list[Body] = [
            {"type": "thinking_delta", "thinking": piece} for piece in _pieces(say.thinking)
        ]
        blocks.append(({"type": "thinking", "thinking": ""}, thoughts))
    if say.text:
        deltas: list[Body] = [{"type": "text_delta", "text": piece} for piece in _pieces(say.text)]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for number, (name, arguments) in enumerate(say.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        pieces = _pieces(json.dumps(arguments))
        blocks.append(
            (block, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces])
        )
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": one} for one in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "usage": {"output_tokens": say.output_tokens}})
    return [*events, {"type": "message_stop"}]
