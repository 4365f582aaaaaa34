"""A turn runs tools and always comes to an end."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agent.scripted import ScriptedModel
from memdown.agent import Message, Reply, ToolCall, ToolResult, Usage, run_turn
from memdown.agent.definitions import TOOLS

ASK = [Message("user", "Where is it?")]


def call(arguments: str = "{}") -> Reply:
    return Reply("", (ToolCall("1", "memory_search", arguments),))


def run(name: str, arguments: Mapping[str, object] | str) -> ToolResult:
    return ToolResult({"ran": name}, name)


def test_a_tool_result_goes_back_to_the_model() -> None:
    model = ScriptedModel(call(), Reply("On the shelf.", usage=Usage(10, 5)))
    turn = run_turn(model, ASK, TOOLS, run)
    assert turn.text == "On the shelf."
    assert [message.role for message in turn.messages] == ["assistant", "tool", "assistant"]
    assert turn.messages[1].call_id == "1"
    assert turn.usage == Usage(10, 5)


def test_new_messages_are_seen_at_once() -> None:
    """So that they are on disk when the next call fails."""
    seen: list[Message] = []
    model = ScriptedModel(call(), ConnectionError("gone"))
    with pytest.raises(ConnectionError):
        run_turn(model, ASK, TOOLS, run, on_message=seen.append)
    assert [message.role for message in seen] == ["assistant", "tool"]


def test_text_after_a_tool_call_begins_a_new_paragraph() -> None:
    said: list[str] = []
    first = Reply("Looking.", (ToolCall("1", "memory_search", "{}"),))
    run_turn(ScriptedModel(first, Reply("On the shelf.")), ASK, TOOLS, run, on_text=said.append)
    assert "".join(said) == "Looking.\n\nOn the shelf."


def test_the_same_call_again_and_again_is_not_run() -> None:
    ran: list[str] = []

    def counted(name: str, arguments: Mapping[str, object] | str) -> ToolResult:
        ran.append(name)
        return ToolResult({}, "")

    model = ScriptedModel(call())
    turn = run_turn(model, ASK, TOOLS, counted, max_rounds=5)
    assert len(ran) == 2
    assert "same call before" in turn.messages[5].text


def test_when_the_rounds_are_used_up_the_model_must_answer() -> None:
    steps = [call(f'{{"n": {number}}}') for number in range(4)]
    model = ScriptedModel(*steps, Reply("That is all I found.", (ToolCall("9", "x", ""),)))
    turn = run_turn(model, ASK, TOOLS, run, max_rounds=4)
    assert turn.text == "That is all I found."
    assert turn.messages[-1].calls == ()
    assert model.tools[-1] == []
