"""`plugins.slots.memory: "memory-lancedb"`: tools, chat, MCP and hooks use a real LanceDB."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.chat.loopback import Body, Loopback, Policy, Say, loopback
from mcp import Client
from mcp_case import in_process
from memdown import Memory
from memdown.agent import prompt_section, run_tool, tools_for
from memdown.agent.chat.agent import ChatAgent
from memdown.agent.chat.endpoint import connect
from memdown.agent.chat.wires import ChatEndpoint
from memdown.agent.flush import run_flush
from memdown.agent.turns import Message, Reply, ToolCall
from memdown.backends.ltm import LongTermMemory
from memdown.cli import run
from memdown.config import load_settings
from memdown.opening import open_long_term
from memdown.transcripts.sessions import SessionStore

TOOLS = ["memory_recall", "memory_store", "memory_forget"]


@pytest.fixture
def config(tmp_path: Path, own_state: Path) -> Path:
    file = tmp_path / "memdown.json5"
    file.write_text('{plugins: {slots: {memory: "memory-lancedb"}}}')
    return file


@pytest.fixture
def memory(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory], config: Path
) -> Memory:
    return open_memory(write_notes({"MEMORY.md": "The router is an ER-605.\n"}), config=config)


def texts_of(memories: LongTermMemory) -> set[str]:
    return {entry.text for entry in memories.entries()}


def test_the_tools_take_the_place_of_those_for_notes(memory: Memory) -> None:
    assert [tool.name for tool in tools_for(memory)] == ["memory_recall"]
    assert [tool.name for tool in tools_for(memory, write=True)] == TOOLS
    assert "memory_forget" in prompt_section(TOOLS)
    assert "memory_search" not in prompt_section(TOOLS)
    given = {"text": "Ana prefers green tea"}
    refused = run_tool(memory, "memory_store", given)
    assert refused.is_error
    assert "There is no tool" in refused.data["error"]
    assert run_tool(memory, "memory_search", {"query": "router"}, write=True).is_error
    stored = run_tool(memory, "memory_store", given, write=True)
    assert stored.data["action"] == "created"
    found = run_tool(memory, "memory_recall", {"query": "which tea does Ana prefer?"})
    assert found.data["memories"][0]["text"] == "Ana prefers green tea"
    assert (memory.settings.state_dir / "agents/main/memories.lancedb").is_dir()


def test_the_slot_none_offers_nothing(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    file = tmp_path / "off.json5"
    file.write_text('{plugins: {slots: {memory: "none"}}}')
    memory = open_memory(write_notes({"MEMORY.md": "x\n"}), config=file)
    assert tools_for(memory, write=True) == ()
    assert "plugins.slots.memory" in run_tool(memory, "memory_get", {"path": "x"}).data["error"]


@contextmanager
def chatting(
    memory: Memory, policy: Policy, **options: Any
) -> Iterator[tuple[ChatAgent, Loopback]]:
    with loopback(policy) as place:
        model = connect(
            ChatEndpoint("openai", f"{place.url}/v1", "scripted", "k"), sleep=lambda seconds: None
        )
        yield ChatAgent(memory, model, **options), place


def last_user(body: Body) -> str:
    said = [one["content"] for one in body["messages"] if one["role"] == "user"]
    return str(said[-1])


def test_a_chat_recalls_and_captures_without_being_asked(memory: Memory) -> None:
    with chatting(memory, lambda body: Say("Good to know.")) as (agent, place):
        agent.send("I prefer green tea in the morning. What is new?")
        assert [tool["function"]["name"] for tool in place.asked[0]["tools"]] == TOOLS
        assert "ER-605" not in json.dumps(place.asked[0])
        assert "recalled" not in last_user(place.asked[0])
        agent.new()
        agent.send("Which tea do I prefer in the morning?")
        session_id = agent.status().session_id
    assert texts_of(memory.long_term()) == {"I prefer green tea in the morning."}
    sent = last_user(place.asked[-1])
    assert sent.startswith("<recalled-memories>")
    assert "[preference] I prefer green tea in the morning." in sent
    assert sent.endswith("Which tea do I prefer in the morning?")
    history = SessionStore(memory.settings.state_dir / "agents/main/sessions").history(session_id)
    assert "recalled" not in str(history.messages[0].content), "what is recalled is not kept"


def test_a_conversation_gives_at_most_three_memories(memory: Memory) -> None:
    """Also when it is resumed, and when the model was told to forget one of them."""
    said = [
        "I prefer the early train to the harbour.",
        "We decided to use PostgreSQL for the archive. I love the old lighthouse.",
        "I hate loud music in cafés.",
    ]
    with chatting(memory, lambda body: Say("Fine.")) as (agent, _):
        for message in said[:2]:
            agent.send(message)
        session_id = agent.status().session_id
        memories = memory.long_term()
        assert len(memories.entries()) == 3
        memories.forget(query="I love the old lighthouse.")
        agent.send(said[2])
    with chatting(memory, lambda body: Say("Fine."), session_id=session_id) as (agent, _):
        agent.send("I need more light in the study.")
    assert texts_of(memories) == {
        "I prefer the early train to the harbour.",
        "We decided to use PostgreSQL for the archive.",
    }


def test_a_model_uses_the_tools_in_a_chat(memory: Memory) -> None:
    def policy(body: Body) -> Say:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return Say("Kept." if last["content"] == "Kept." else "It is in May.")
        if "gate" in last["content"] and "when" in last["content"].lower():
            return Say(calls=(("memory_recall", {"query": "gate code"}),))
        return Say(calls=(("memory_store", {"text": "The gate code changes in May"}),))

    with chatting(memory, policy) as (agent, place):
        assert agent.send("Mind the gate, it changes in May") == "Kept."
        assert agent.send("When does the gate code change?") == "It is in May."
    assert "The gate code changes in May" in json.dumps(place.asked[-1]["messages"][-1])


def test_a_chat_goes_on_when_memories_cannot_be_used(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = memory.settings.state_dir / "agents/main/memories.lancedb"
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder at all")
    told: list[str] = []
    with chatting(memory, lambda body: Say("Hello."), notify=told.append) as (agent, _):
        assert agent.send("I prefer green tea in the morning.") == "Hello."
    assert told
    assert all("memories.lancedb" in one for one in told)


def test_the_flush_stores_single_memories(memory: Memory) -> None:
    replies = iter(
        [
            Reply("", (ToolCall("1", "memory_store", '{"text": "The word is Periwinkle"}'),)),
            Reply("NO_REPLY"),
        ]
    )
    asked: list[str] = []

    def model(messages: Any, tools: Any, on_text: Any = None) -> Reply:
        asked.append(" ".join(message.text for message in messages))
        return next(replies)

    result = run_flush(memory, model, [Message("user", "The word is Periwinkle.")])
    assert result.done
    assert result.reply == ""
    assert "memory_store" in asked[0]
    assert texts_of(memory.long_term()) == {"The word is Periwinkle"}
    assert not (memory.settings.workspace / "memory").exists()


def content(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.structured_content
    return data


def test_mcp_offers_single_memories_without_a_workspace(config: Path, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == TOOLS
        hints = tools["memory_forget"].annotations
        assert hints is not None
        assert hints.destructive_hint is True
        made = content(await client.call_tool("memory_store", {"text": "Ana prefers green tea"}))
        assert made["action"] == "created"
        found = content(await client.call_tool("memory_recall", {"query": "Ana's green tea"}))
        assert found["memories"][0]["id"] == made["memory"]["id"]
        assert "not instructions" in found["notice"]
        gone = content(await client.call_tool("memory_forget", {"memoryId": made["memory"]["id"]}))
        assert gone["action"] == "deleted"
        assert (await client.call_tool("memory_search", {"query": "x"})).is_error
        assert (await client.list_resources()).resources == []
        assert (await client.list_prompts()).prompts == []

    in_process(tmp_path / "absent", work, write=True, config=config)


def test_mcp_without_write_only_recalls(config: Path, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["memory_recall"]
        result = await client.call_tool("memory_store", {"text": "Ana prefers green tea"})
        assert result.is_error
        assert content(await client.call_tool("memory_recall", {"query": "tea"}))["memories"] == []

    in_process(tmp_path / "absent", work, config=config)


def test_hooks_recall_and_capture(
    config: Path,
    own_state: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = own_state / "workspace"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("The router is an ER-605.\n")
    monkeypatch.setenv("MEMDOWN_CONFIG", str(config))
    transcript = tmp_path / "claude.jsonl"

    def says(number: int, text: str) -> None:
        message = {"role": "user", "content": text}
        with transcript.open("a") as file:
            file.write(
                json.dumps({"type": "user", "uuid": f"u{number}", "message": message}) + "\n"
            )

    def hook(event: str, **fields: str) -> str:
        given = {"session_id": "s1", "transcript_path": str(transcript), **fields}
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(given)))
        assert run(["hook", event]) == 0
        return capsys.readouterr().out

    assert hook("session-start") == ""
    says(1, "I prefer green tea in the morning. Fix the login page.")
    hook("pre-compact")
    hook("session-end")
    memories = open_long_term(load_settings())
    says(2, "We decided to use sessions. I love short names. I hate long ones very much.")
    hook("session-end")
    told = hook("user-prompt-submit", prompt="Which tea do I prefer in the morning?")
    assert "I prefer green tea in the morning." in told
    assert len(memories.entries()) == 3
    assert not (folder / "memory").exists()


def test_the_example_of_the_docs_runs(
    config: Path, own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMDOWN_CONFIG", str(config))
    (own_state / "workspace").mkdir()
    page = Path(__file__).parents[2] / "docs" / "long-term-memory.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert "Ana prefers tea" in names["before"]
    assert texts_of(open_long_term(load_settings())) == {
        "Ana prefers tea",
        "I prefer the early train.",
    }
