"""What each model API speaks: requests out, streamed answers in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memdown.agent.definitions import ToolDefinition, anthropic_tools, openai_tools
from memdown.agent.turns import Message, OnText, Reply, ToolCall, Usage
from memdown.errors import EndpointError

Kind = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """Which model, where; the key never shows in a message."""

    kind: Kind
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    max_output_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class ChatWire:
    """How one kind of endpoint is spoken to."""

    path: str
    headers: Callable[[ChatEndpoint], dict[str, str]]
    request: Callable[[ChatEndpoint, Sequence[Message], Sequence[ToolDefinition]], dict[str, Any]]
    read: Callable[[Iterator[dict[str, Any]], OnText | None], Reply]


_ANTHROPIC_PATH = "/v1/messages"
_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _anthropic_headers(endpoint: ChatEndpoint) -> dict[str, str]:
    return {"x-api-key": endpoint.key, "anthropic-version": "2023-06-01"}


def _anthropic_request(
    endpoint: ChatEndpoint, messages: Sequence[Message], tools: Sequence[ToolDefinition]
) -> dict[str, Any]:
    """The body of one call."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "max_tokens": endpoint.max_output_tokens,
        "system": "\n\n".join(message.text for message in messages if message.role == "system"),
        "messages": _anthropic_messages(messages),
        "stream": True,
    }
    return {**body, "tools": anthropic_tools(tools)} if tools else body


def _anthropic_read(events: Iterator[dict[str, Any]], on_text: OnText | None) -> Reply:
    """The streamed answer put together."""
    incoming = _Incoming(on_text)
    incoming.usage = Usage(0, 0)
    read_tokens = 0
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            usage = (event.get("message") or {}).get("usage") or {}
            read_tokens = sum(usage.get(name) or 0 for name in _INPUT_COUNTS)
            incoming.usage = Usage(read_tokens, 0)
        elif kind == "content_block_start" and event["content_block"].get("type") == "tool_use":
            block = event["content_block"]
            incoming.call(event["index"], block["id"], block["name"])
        elif kind == "content_block_delta":
            _anthropic_delta(incoming, event["index"], event["delta"])
        elif kind == "message_delta":
            written = (event.get("usage") or {}).get("output_tokens") or 0
            incoming.usage = Usage(read_tokens, written)
        elif kind == "message_stop":
            incoming.finished = True
    return incoming.reply()


def _anthropic_delta(incoming: _Incoming, index: int, delta: Mapping[str, Any]) -> None:
    if piece := delta.get("text"):
        incoming.say(piece)
    elif piece := delta.get("thinking"):
        incoming.think(piece)
    elif index in incoming.calls:
        incoming.call(index, arguments=delta.get("partial_json") or "")


def _anthropic_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Blocks by role; two messages of one role in a row become one, as the API wants it."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        blocks = _blocks(message)
        if message.role == "system" or not blocks:
            continue
        role = "user" if message.role == "tool" else message.role
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].extend(blocks)
        else:
            merged.append({"role": role, "content": blocks})
    return merged


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {"type": "tool_result", "tool_use_id": message.call_id, "content": message.text or "-"}
        ]
    blocks: list[dict[str, Any]] = []
    if message.text.strip():
        blocks.append({"type": "text", "text": message.text})
    blocks.extend(
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
        for call in message.calls
    )
    return blocks


def _input(arguments: str) -> dict[str, Any]:
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


_OPENAI_PATH = "/chat/completions"


def _openai_headers(endpoint: ChatEndpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _openai_request(
    endpoint: ChatEndpoint, messages: Sequence[Message], tools: Sequence[ToolDefinition]
) -> dict[str, Any]:
    """The body of one call."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [_openai_message(message) for message in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return {**body, "tools": openai_tools(tools)} if tools else body


def _openai_read(events: Iterator[dict[str, Any]], on_text: OnText | None) -> Reply:
    """The streamed answer put together."""
    incoming = _Incoming(on_text)
    for event in events:
        if counted := event.get("usage"):
            read, written = counted.get("prompt_tokens", 0), counted.get("completion_tokens", 0)
            incoming.usage = Usage(read, written)
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            if piece := delta.get("content"):
                incoming.say(piece)
            # Two names for the same, by who serves the model.
            if piece := delta.get("reasoning_content") or delta.get("reasoning"):
                incoming.think(str(piece))
            for part in delta.get("tool_calls") or ():
                function = part.get("function") or {}
                incoming.call(
                    part.get("index", 0),
                    part.get("id") or "",
                    function.get("name") or "",
                    function.get("arguments") or "",
                )
            if choice.get("finish_reason"):
                incoming.finished = True
    return incoming.reply()


def _openai_message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments or "{}"},
        }
        for call in message.calls
    ]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls}


class _Incoming:
    """An answer as it comes in, piece by piece; what it says goes to `on_text` at once."""

    def __init__(self, on_text: OnText | None) -> None:
        self.calls: dict[int, ToolCall] = {}
        self.usage: Usage | None = None
        self.finished = False
        self._on_text = on_text
        self._text: list[str] = []
        self._thoughts: list[str] = []

    def say(self, piece: str) -> None:
        """A piece of what is said."""
        self._text.append(piece)
        if self._on_text:
            self._on_text(piece)

    def think(self, piece: str) -> None:
        """A piece of what is thought before."""
        self._thoughts.append(piece)

    def call(self, index: int, call_id: str = "", tool: str = "", arguments: str = "") -> None:
        """A piece of a call; its arguments come in many."""
        old = self.calls.get(index, ToolCall("", "", ""))
        self.calls[index] = ToolCall(old.id or call_id, old.name or tool, old.arguments + arguments)

    def reply(self) -> Reply:
        """The whole answer; raises `EndpointError` if it just stopped."""
        if not self.finished:
            raise EndpointError("The endpoint stopped in the middle of an answer; try again.")
        calls = tuple(
            ToolCall(call.id or f"call-{index}", call.name, call.arguments)
            for index, call in sorted(self.calls.items())
        )
        return Reply("".join(self._text), calls, self.usage, "".join(self._thoughts))


WIRES: dict[Kind, ChatWire] = {
    "openai": ChatWire(_OPENAI_PATH, _openai_headers, _openai_request, _openai_read),
    "anthropic": ChatWire(_ANTHROPIC_PATH, _anthropic_headers, _anthropic_request, _anthropic_read),
}
