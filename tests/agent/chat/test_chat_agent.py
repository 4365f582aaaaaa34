"""The reference agent end to end: a real endpoint on this machine, real files, real memory."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.chat.loopback import Body, Loopback, Policy, Say, loopback
from memdown import Memory, WorkspaceError
from memdown.agent.chat.agent import ChatAgent
from memdown.agent.chat.endpoint import connect
from memdown.agent.chat.wires import ChatEndpoint, Kind
from memdown.errors import EndpointError
from memdown.transcripts.sessions import SessionStore
from waiting import eventually

WINDOW = 6000


@pytest.fixture
def memory(write_notes: Callable[..., Path], open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(write_notes({"MEMORY.md": "# Memory\n\n- The router is an ER-605.\n"}))


@contextmanager
def chatting(
    memory: Memory, policy: Policy, kind: Kind = "openai", window: int = WINDOW, **options: object
) -> Iterator[tuple[ChatAgent, Loopback, list[str]]]:
    notices: list[str] = []
    with loopback(policy) as place:
        url = f"{place.url}/v1" if kind == "openai" else place.url
        model = connect(ChatEndpoint(kind, url, "scripted", "k"), sleep=lambda seconds: None)
        agent = ChatAgent(
            memory,
            model,
            context_window=window,
            notify=notices.append,
            **options,  # type: ignore[arg-type]
        )
        yield agent, place, notices


def texts(body: Body) -> str:
    return json.dumps(body["messages"], ensure_ascii=False)


def last(body: Body) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def is_flush(body: Body) -> bool:
    return "Before compaction" in texts(body)


def is_summary(body: Body) -> bool:
    return "Summarise the conversation" in last(body)


def today_log(memory: Memory) -> str:
    day = datetime.date.today().isoformat()
    file = memory.settings.workspace / f"memory/{day}.md"
    return file.read_text() if file.exists() else ""


def test_a_session_brings_the_index_up_to_date(memory: Memory) -> None:
    with chatting(memory, lambda body: Say("Hello.")) as (agent, _, notices):
        eventually(lambda: not memory.status().dirty)
        (memory.settings.workspace / "MEMORY.md").write_text("# Memory\n\n- Another router.\n")
        agent.new()
        eventually(lambda: not memory.status().dirty)
        assert notices == []


class Chatty:
    """Answers at length, saves one fact when it is asked to, and summarises."""

    def __init__(self, fact: str = "The launch code word is Periwinkle.") -> None:
        self.fact = fact
        self.flushes = 0

    def __call__(self, body: Body) -> Say:
        if is_summary(body):
            return Say("We talked about the launch.")
        if is_flush(body):
            if "Saved:" in last(body):
                return Say("NO_REPLY")
            self.flushes += 1
            return Say(calls=(("memory_remember", {"text": self.fact}),))
        return Say("A long answer. " * 60)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_memory_is_used_and_everything_is_on_disk(memory: Memory, kind: Kind) -> None:
    def policy(body: Body) -> Say:
        if "ER-605" in last(body):
            return Say("It is an ER-605.", thinking="The note says it.")
        return Say(calls=(("memory_search", {"query": "which router"}),))

    heard: list[str] = []
    with chatting(memory, policy, kind) as (agent, place, notices):
        assert agent.send("Which router do we have?", heard.append) == "It is an ER-605."
        status = agent.status()
    assert "".join(heard) == "It is an ER-605."
    assert notices == ["[memory_search]"]
    first = json.dumps(place.asked[0])
    assert "call memory_search" in first
    assert "The router is an ER-605." in first
    assert (status.input_tokens, status.output_tokens) == (11, 7)
    history = SessionStore(memory.settings.state_dir / "agents/main/sessions").history(
        status.session_id
    )
    assert [message.role for message in history.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    asked, call, result, answer = history.messages
    assert asked.usage is None
    assert call.tool_calls[0].id == result.tool_call_id
    assert (call.tool_calls[0].name, result.name) == ("memory_search", "memory_search")
    for one in (call, answer):
        assert one.usage is not None
        assert (one.usage.input_tokens, one.usage.output_tokens) == (11, 7)
    assert [(block.type, block.content) for block in answer.thinking_blocks] == [
        ("thought", "The note says it.")
    ]
    assert call.thinking_blocks == ()
    with chatting(memory, policy, kind, session_id=status.session_id) as (agent, place, _):
        agent.send("Thanks for the ER-605.")
    assert "The note says it." not in json.dumps(place.asked), "no model gets its thoughts again"
    transcript = memory.settings.state_dir / f"agents/main/sessions/{status.session_id}.jsonl"
    lines = [json.loads(line) for line in transcript.read_text().splitlines()]
    assert [line["message"]["role"] for line in lines] == ["user", "assistant"] * 2
    assert all(line["type"] == "message" for line in lines)


def test_the_flush_writes_before_compaction_and_the_next_session_finds_it(memory: Memory) -> None:
    model = Chatty()
    heard: list[str] = []
    with chatting(memory, model) as (agent, place, _notices):
        for number in range(30):
            agent.send(f"Tell me about the launch, part {number}.", heard.append)
            if agent.status().compactions:
                break
        status = agent.status()
        assert status.compactions == 1
        assert model.flushes == 1
        assert status.flushed_at
        assert "NO_REPLY" not in "".join(heard)
        assert "Periwinkle" in today_log(memory)
        order = [
            "flush" if is_flush(body) else "summary" if is_summary(body) else "turn"
            for body in place.asked
        ]
        assert order.index("flush") < order.index("summary")
        assert "[Summary] We talked about the launch." in texts(place.asked[-1])
        assert "part 0" not in texts(place.asked[-1])
        assert agent.context_tokens < WINDOW

        agent.new()
        assert "Periwinkle" in agent._system.text

    def next_time(body: Body) -> Say:
        if "Periwinkle" in last(body):
            return Say("Periwinkle.")
        return Say(calls=(("memory_search", {"query": "launch code word"}),))

    with chatting(memory, next_time) as (agent, _place, _notices):
        assert agent.send("What is the code word?") == "Periwinkle."


def test_one_flush_a_cycle_and_one_in_the_next(memory: Memory) -> None:
    model = Chatty()
    with chatting(memory, model) as (agent, _place, _notices):
        for number in range(40):
            agent.send(f"More, part {number}.")
            model.fact = f"Fact of cycle {agent.status().compactions}."
            if agent.status().compactions == 3:
                break
        assert agent.status().compactions == 3
        assert model.flushes == 3


def test_a_session_goes_on_after_a_restart(memory: Memory) -> None:
    with chatting(memory, lambda body: Say("Hello.")) as (agent, _place, _notices):
        agent.send("My name is Ana.")
        session_id = agent.status().session_id
    with chatting(memory, lambda body: Say("Ana."), session_id=session_id) as (agent, place, _):
        agent.send("What is my name?")
        assert "My name is Ana." in texts(place.asked[0])


def test_overflow_without_warning_is_survived(memory: Memory) -> None:
    """The provider counts more tokens than we do and refuses; memories are saved all the same."""
    model = Chatty()
    refused: list[bool] = []

    def policy(body: Body) -> Say:
        ordinary = not is_flush(body) and not is_summary(body)
        if ordinary and "part 2" in texts(body) and not refused:
            refused.append(True)
            return Say(status=400, error="maximum context length exceeded")
        return model(body)

    with chatting(memory, policy, window=100_000) as (agent, _place, notices):
        for number in range(3):
            agent.send(f"Tell me, part {number}.")
        assert agent.status().compactions == 1
    assert "Periwinkle" in today_log(memory)
    assert any("too long" in notice for notice in notices)


def test_an_endpoint_that_dies_loses_nothing_that_was_said(memory: Memory) -> None:
    answers = iter([Say("I was about to say", break_off=True), Say("Now it works.")])
    with chatting(memory, lambda body: next(answers)) as (agent, place, _notices):
        with pytest.raises(EndpointError, match="in the middle"):
            agent.send("Remember the milk.")
        assert agent.send("Again, please.") == "Now it works."
        assert "Remember the milk." in texts(place.asked[-1])
        assert "about to say" not in texts(place.asked[-1])


def test_a_flush_that_cannot_write_is_told_and_tried_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(text: str, **more: object) -> object:
        raise WorkspaceError("There is no space left to write the note.")

    model = Chatty()
    with chatting(memory, model) as (agent, _place, notices):
        monkeypatch.setattr(memory, "remember", full)
        for number in range(30):
            agent.send(f"Tell me, part {number}.")
            if notices:
                break
        assert any("no space left" in notice for notice in notices)
        assert agent.status().flushed_at is None
        assert agent.status().compactions == 0
        monkeypatch.undo()
        tried = model.flushes
        agent.send("And more.")
        assert model.flushes == tried, "not before every single message"
        for number in range(6):
            agent.send(f"More, part {number}.")
        assert agent.status().flushed_at
    assert today_log(memory).count("Periwinkle") == 1


def test_a_model_that_loops_on_tools_is_stopped(memory: Memory) -> None:
    def policy(body: Body) -> Say:
        if "tools" not in body:
            return Say("I give up.")
        return Say(calls=(("memory_search", {"query": f"again {len(body['messages'])}"}),))

    with chatting(memory, policy, window=100_000) as (agent, _place, _notices):
        assert agent.send("Look.") == "I give up."


def test_a_failed_summary_does_not_stop_the_conversation(memory: Memory) -> None:
    model = Chatty()

    def policy(body: Body) -> Say:
        return Say(status=400, error="no summaries today") if is_summary(body) else model(body)

    with chatting(memory, policy) as (agent, place, notices):
        for number in range(30):
            agent.send(f"Tell me, part {number}.")
            if agent.status().compactions:
                break
        assert agent.status().compactions == 1
        assert "The user said" in texts(place.asked[-1])
        assert any("could not be summarised" in notice for notice in notices)
