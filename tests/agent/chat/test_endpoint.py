"""Both wires over real HTTP: what goes out, what comes back, and every way it can go wrong."""

from __future__ import annotations

from typing import Any

import pytest

from agent.chat.loopback import Say, loopback
from memdown.agent import Message, ToolCall, Usage
from memdown.agent.chat.endpoint import connect
from memdown.agent.chat.wires import ChatEndpoint, Kind
from memdown.agent.definitions import TOOLS
from memdown.errors import ContextOverflow, EndpointError

KEY = "sk-test-0123456789"
TALK = [
    Message("system", "Be brief."),
    Message("user", "Where?"),
    Message("assistant", "", (ToolCall("t1", "memory_search", '{"query": "x"}'),)),
    Message("tool", "found it", call_id="t1"),
    Message("user", "So?"),
]
KINDS: list[Kind] = ["openai", "anthropic"]


def endpoint(kind: Kind, url: str) -> ChatEndpoint:
    return ChatEndpoint(kind, f"{url}/v1" if kind == "openai" else url, "scripted", KEY)


def ask(kind: Kind, policy: Any, **options: Any) -> tuple[Any, Any]:
    with loopback(policy) as place:
        model = connect(endpoint(kind, place.url), sleep=lambda seconds: None)
        return model(TALK, TOOLS, **options), place


@pytest.mark.parametrize("kind", KINDS)
def test_text_streams_and_tokens_are_counted(kind: Kind) -> None:
    heard: list[str] = []
    reply, _ = ask(kind, lambda body: Say("On the shelf."), on_text=heard.append)
    assert reply.text == "".join(heard) == "On the shelf."
    assert len(heard) > 1
    assert reply.usage == Usage(11, 7)


@pytest.mark.parametrize("kind", KINDS)
def test_tool_calls_are_put_together_from_pieces(kind: Kind) -> None:
    wanted = (("memory_search", {"query": "the router"}), ("memory_get", {"path": "MEMORY.md"}))
    reply, _ = ask(kind, lambda body: Say("Let me look.", wanted))
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("memory_search", '{"query": "the router"}'),
        ("memory_get", '{"path": "MEMORY.md"}'),
    ]
    assert len({call.id for call in reply.calls}) == 2


def test_what_openai_is_sent() -> None:
    _, place = ask("openai", lambda body: Say("ok"))
    (body,) = place.asked
    assert [message["role"] for message in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert body["messages"][3]["tool_call_id"] == body["messages"][2]["tool_calls"][0]["id"] == "t1"
    assert [tool["function"]["name"] for tool in body["tools"]] == ["memory_search", "memory_get"]
    assert place.headers[0]["authorization"] == f"Bearer {KEY}"


def test_what_anthropic_is_sent() -> None:
    _, place = ask("anthropic", lambda body: Say("ok"))
    (body,) = place.asked
    assert body["system"] == "Be brief."
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "text"]
    assert place.headers[0]["x-api-key"] == KEY


@pytest.mark.parametrize("kind", KINDS)
def test_an_endpoint_that_dies_in_the_middle(kind: Kind) -> None:
    with pytest.raises(EndpointError, match="in the middle of an answer"):
        ask(kind, lambda body: Say("A long answer that never ends.", break_off=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "said", "kind_of_error", "words"),
    [
        (401, f"Incorrect API key: {KEY}", EndpointError, "refused the key"),
        (400, "This model's maximum context length is 8192 tokens", ContextOverflow, "too long"),
        (400, "prompt is too long: 9 tokens > 8", ContextOverflow, "too long"),
        (404, "no such model", EndpointError, "no such model"),
        (503, "overloaded", EndpointError, "busy or broken"),
    ],
)
def test_refusals_are_told_in_a_sentence_without_the_key(
    kind: Kind, status: int, said: str, kind_of_error: type[Exception], words: str
) -> None:
    with pytest.raises(kind_of_error, match=words) as caught:
        ask(kind, lambda body: Say(status=status, error=said))
    assert KEY not in str(caught.value)


def test_a_busy_endpoint_is_asked_again() -> None:
    answers = iter([Say(status=429, error="slow down"), Say(status=500, error="oops"), Say("here")])
    reply, place = ask("openai", lambda body: next(answers))
    assert reply.text == "here"
    assert len(place.asked) == 3


def test_nobody_there() -> None:
    with pytest.raises(EndpointError, match="cannot be reached"):
        connect(endpoint("openai", "http://127.0.0.1:9"), sleep=lambda seconds: None)(TALK, ())
