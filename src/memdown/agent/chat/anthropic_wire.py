"""Anthropic's messages API: blocks out, streamed block deltas in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memdown.agent.definitions import ToolDefinition, anthropic_tools
from memdown.agent.turns import Message, OnText, Reply, ToolCall, Usage

if TYPE_CHECKING:
    from memdown.agent.chat.endpoint import Endpoint

PATH = "/v1/messages"
_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def headers(endpoint: Endpoint) -> dict[str, str]:
    return {"x-api-key": endpoint.key, "anthropic-version": "2023-06-01"}


def request(
    endpoint: Endpoint, messages: Sequence[Message], tools: Sequence[ToolDefinition]
) -> dict[str, Any]:
    """The body of one call."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "max_tokens": endpoint.max_output_tokens,
        "system": "\n\n".join(message.text for message in messages if message.role == "system"),
        "messages": _messages(messages),
        "stream": True,
    }
    return {**body, "tools": anthropic_tools(tools)} if tools else body


def read(events: Iterator[dict[str, Any]], on_text: OnText | None) -> Reply:
    """The streamed answer put together."""
    from memdown.agent.chat.endpoint import unfinished

    text: list[str] = []
    calls: dict[int, ToolCall] = {}
    read_tokens = written = 0
    finished = False
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            usage = (event.get("message") or {}).get("usage") or {}
            read_tokens = sum(usage.get(name) or 0 for name in _INPUT_COUNTS)
        elif kind == "content_block_start" and event["content_block"].get("type") == "tool_use":
            block = event["content_block"]
            calls[event["index"]] = ToolCall(block["id"], block["name"], "")
        elif kind == "content_block_delta":
            delta = event["delta"]
            if piece := delta.get("text"):
                text.append(piece)
                if on_text:
                    on_text(piece)
            elif event["index"] in calls:
                call = calls[event["index"]]
                more = delta.get("partial_json") or ""
                calls[event["index"]] = ToolCall(call.id, call.name, call.arguments + more)
        elif kind == "message_delta":
            written = (event.get("usage") or {}).get("output_tokens") or 0
        elif kind == "message_stop":
            finished = True
    if not finished:
        raise unfinished("The endpoint")
    return Reply("".join(text), tuple(calls.values()), Usage(read_tokens, written))


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
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
