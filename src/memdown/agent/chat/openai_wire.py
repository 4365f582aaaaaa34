"""OpenAI's chat completions, spoken by most servers: messages out, streamed deltas in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memdown.agent.definitions import ToolDefinition, openai_tools
from memdown.agent.turns import Message, OnText, Reply, ToolCall, Usage

if TYPE_CHECKING:
    from memdown.agent.chat.endpoint import Endpoint

PATH = "/chat/completions"


def headers(endpoint: Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def request(
    endpoint: Endpoint, messages: Sequence[Message], tools: Sequence[ToolDefinition]
) -> dict[str, Any]:
    """The body of one call."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [_message(message) for message in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return {**body, "tools": openai_tools(tools)} if tools else body


def read(events: Iterator[dict[str, Any]], on_text: OnText | None) -> Reply:
    """The streamed answer put together."""
    from memdown.agent.chat.endpoint import unfinished

    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    usage: Usage | None = None
    finished = False
    for event in events:
        if counted := event.get("usage"):
            usage = Usage(counted.get("prompt_tokens", 0), counted.get("completion_tokens", 0))
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            if piece := delta.get("content"):
                text.append(piece)
                if on_text:
                    on_text(piece)
            for part in delta.get("tool_calls") or ():
                _merge(calls.setdefault(part.get("index", 0), {}), part)
            finished = finished or bool(choice.get("finish_reason"))
    if not finished:
        raise unfinished("The endpoint")
    made = [
        ToolCall(call.get("id") or f"call-{index}", call.get("name", ""), call.get("arguments", ""))
        for index, call in sorted(calls.items())
    ]
    return Reply("".join(text), tuple(made), usage)


def _merge(call: dict[str, str], part: dict[str, Any]) -> None:
    """Add a piece of a call; its arguments come in many."""
    function = part.get("function") or {}
    call["id"] = call.get("id") or part.get("id") or ""
    call["name"] = call.get("name") or function.get("name") or ""
    call["arguments"] = call.get("arguments", "") + (function.get("arguments") or "")


def _message(message: Message) -> dict[str, Any]:
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
