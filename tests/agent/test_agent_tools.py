"""What a model may call, and what it hears when it calls something wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown import Memory
from memdown.agent import (
    anthropic_tools,
    mcp_tools,
    openai_responses_tools,
    openai_tools,
    run_tool,
    tools_for,
)
from memdown.agent.answers import MAX_TEXT_CHARS, RECALLED, answer_text, shortened
from memdown.agent.definitions import REMEMBER, TOOLS, ToolDefinition, checked_arguments
from memdown.agent.toolset import offered_tools
from memdown.config import load_settings
from memdown.errors import BadArguments

NOTES = {
    "MEMORY.md": "# Memory\n\nThe router at home is an ER-605.\n",
    "memory/2026-03-01.md": "# Log\n\n- Bought tickets to Lisbon. #journey\n",
}


@pytest.fixture
def memory(write_notes: Callable[..., Path], open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(write_notes(NOTES))


def test_search_gives_the_documented_shape_marked_as_recalled(memory: Memory) -> None:
    result = run_tool(memory, "memory_search", {"query": "router ER-605", "maxResults": 1})
    assert not result.is_error
    assert result.data["notice"] == RECALLED
    (hit,) = result.data["results"]
    assert set(hit) == {
        "path",
        "startLine",
        "endLine",
        "score",
        "strength",
        "snippet",
        "source",
        "citation",
        "heading",
    }
    assert hit["snippet"].endswith("Source: MEMORY.md#L3-L3")
    assert result.text.split("\n") == [
        RECALLED,
        f"Paths are below {memory.settings.workspace}.",
        "",
        "1. MEMORY.md#L3 | Memory | strong",
        "The router at home is an ER-605.",
    ]


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        ({"since": "2026-03-01"}, ["memory/2026-03-01.md"]),
        ({"until": "2026-02-28"}, []),
        ({"folder": "memory"}, ["memory/2026-03-01.md"]),
        ({"tag": "journey"}, ["memory/2026-03-01.md"]),
        ({"source": "notes"}, ["memory/2026-03-01.md"]),
        ({"source": "sessions"}, []),
    ],
)
def test_a_model_may_search_some_notes_only(
    memory: Memory, only: dict[str, str], paths: list[str]
) -> None:
    result = run_tool(memory, "memory_search", {"query": "tickets to Lisbon", **only})
    assert [hit["path"] for hit in result.data["results"]][:1] == paths
    assert paths or result.data["reasons"]


def test_names_that_models_confuse_are_understood_and_the_rest_is_named(memory: Memory) -> None:
    given = {"q": "router", "max_results": 1, "corpus": "memory", "verbose": True}
    result = run_tool(memory, "memory_search", given)
    assert [hit["path"] for hit in result.data["results"]] == ["MEMORY.md"]
    assert "left aside: verbose" in result.text
    read = run_tool(memory, "memory_get", {"file": "MEMORY.md", "start_line": 3})
    assert read.data["text"] == "The router at home is an ER-605."


def test_a_fact_is_corrected_forgotten_and_reviewed(memory: Memory) -> None:
    note = memory.settings.workspace / "MEMORY.md"
    text = {"text": "The router at home is an ER-707.", "durable": True, "replaces": "MEMORY.md#L3"}
    corrected = run_tool(memory, "memory_remember", text, write=True)
    assert "No longer true: " in corrected.text
    assert "~~" in note.read_text()
    gone = run_tool(memory, "memory_forget", {"fact": corrected.data["citation"]}, write=True)
    assert not gone.is_error
    assert "ER-707" in gone.text
    assert not run_tool(memory, "memory_review", {}, write=True).is_error
    assert run_tool(memory, "memory_forget", {"fact": "MEMORY.md#L3"}).is_error


def test_an_empty_answer_says_what_to_do_next(memory: Memory) -> None:
    """A model has no options of a command line."""
    result = run_tool(memory, "memory_search", {"query": "zxqj vwkp"})
    assert "Try other words" in result.text
    assert "--" not in result.text


def test_a_partial_answer_says_to_ask_again(memory: Memory) -> None:
    """The server indexes already; a model need not run a command for that."""
    answer = memory.search("router")
    reason = "partial: indexing is not complete (7 files changed): run `memdown index`"
    told = answer_text(replace(answer, partial=True, reasons=(reason,)), citations=True)
    assert "(7 files changed); that goes on, so ask again in a moment)" in told


def test_get_around_a_line_reads_both_sides(memory: Memory) -> None:
    around = run_tool(memory, "memory_get", {"path": "MEMORY.md", "around": 2, "lines": 3})
    assert around.data["text"] == "# Memory\n\nThe router at home is an ER-605."


def test_search_marks_what_no_longer_holds(memory: Memory) -> None:
    (memory.settings.workspace / "memory/2026-03-02.md").write_text(
        "# Log\n\n- ~~The gate code is 4471.~~ (2026-03-02 to 2026-03-05)\n"
    )
    result = run_tool(memory, "memory_search", {"query": "gate code 4471", "maxResults": 1})
    assert result.data["results"][0]["was"] is True
    assert "| strong | no longer true\n- ~~The gate code" in result.text


def test_get_behind_the_last_line_says_how_long_the_note_is(memory: Memory) -> None:
    behind = run_tool(memory, "memory_get", {"path": "MEMORY.md", "from": 40})
    assert behind.text == "MEMORY.md has 3 lines; there is no line 40."
    assert behind.data["text"] == ""


def test_get_around_opens_a_conversation_if_it_is_part_of_the_memory(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    config = tmp_path / "sessions.json5"
    config.write_text(
        "{agents: {defaults: {memorySearch: {sources: ['memory', 'sessions'], "
        "experimental: {sessionMemory: true}}}}}"
    )
    memory = open_memory(write_notes(NOTES), config=config)
    settings = memory.settings
    folder = settings.state_dir / "agents" / settings.agent / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    said = [f"Message {n} of the talk." for n in range(1, 30)]
    said[14] = "My password is hunter2hunter2. The ferry leaves at nine."
    lines = [{"type": "message", "message": {"role": "user", "content": text}} for text in said]
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = run_tool(memory, "memory_search", {"query": "ferry leaves", "source": "sessions"})
    (hit, *_) = found.data["results"]
    opened = run_tool(memory, "memory_get", {"path": hit["path"], "around": 15})
    shown = [one["line"] for one in opened.data["messages"]]
    assert shown == [12, 13, 14, 15, 16, 17, 18]
    assert "ferry leaves at nine" in opened.text
    assert "hunter2" not in opened.text
    off = open_memory(write_notes(NOTES))
    refused = run_tool(off, "memory_get", {"path": "sessions/a.jsonl", "around": 15})
    assert refused.is_error
    assert "conversations are not part of this memory" in refused.text


def test_get_reads_the_asked_lines(memory: Memory) -> None:
    result = run_tool(memory, "memory_get", '{"path": "MEMORY.md", "from": 3, "lines": 1}')
    assert result.data["text"] == "The router at home is an ER-605."


def test_citations_are_left_out_in_groups(memory: Memory) -> None:
    result = run_tool(memory, "memory_search", {"query": "router"}, chat="group")
    assert "Source:" not in result.text


def test_remember_is_only_there_when_writing_is_allowed(memory: Memory) -> None:
    refused = run_tool(memory, "memory_remember", {"text": "We moved."})
    assert refused.is_error
    written = run_tool(
        memory, "memory_remember", {"text": "We moved.", "durable": True}, write=True
    )
    assert written.data["path"] == "MEMORY.md"
    assert "We moved." in (memory.settings.workspace / "MEMORY.md").read_text()


def test_a_model_is_told_how_many_results_are_usual(write_notes: Callable[..., Path]) -> None:
    settings = load_settings(workspace=write_notes({"MEMORY.md": "- Tea.\n"}))
    assert offered_tools(settings) == TOOLS
    settings = replace(settings, query=replace(settings.query, max_results=3, min_score=0.2))
    told = offered_tools(settings)[0].parameters["properties"]
    assert "default 3" in told["maxResults"]["description"]
    assert "default 0.2" in told["minScore"]["description"]


def test_no_tools_exist_when_memory_is_off(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    config = tmp_path / "off.json5"
    config.write_text("{agents: {defaults: {memorySearch: {enabled: false}}}}")
    memory = open_memory(write_notes(NOTES), config=config)
    assert tools_for(memory, write=True) == ()
    result = run_tool(memory, "memory_search", {"query": "router"})
    assert result.is_error
    assert "turned off" in result.text


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("memory_delete", {}, "There is no tool 'memory_delete'; the memory tools are"),
        ("memory_search", {}, "needs 'query'"),
        ("memory_search", {"query": None}, "needs 'query'"),
        ("memory_search", {"query": 7}, "must be text, not 7"),
        ("memory_search", {"query": "  "}, "is empty"),
        ("memory_search", {"query": "x" * 10_001}, "at most 10000"),
        ("memory_search", {"query": "x", "maxResults": 0}, "from 1 to 100, not 0"),
        (
            "memory_search",
            {"query": "x", "source": "mail"},
            "must be notes or sessions, not 'mail'",
        ),
        ("memory_search", {"query": "x", "since": "whenever"}, "is no time that is understood"),
        ("memory_search", {"query": "x", "tag": "#"}, "is empty"),
        ("memory_search", {"query": "x", "maxResults": "5"}, "must be a whole number, not '5'"),
        ("memory_search", {"query": "x", "maxResults": True}, "must be a whole number"),
        ("memory_search", {"query": "x", "maxResults": 10**400}, "from 1 to 100"),
        ("memory_search", {"query": "x", "minScore": float("nan")}, "must be a finite number"),
        ("memory_search", "{not json", "not valid JSON"),
        ("memory_search", "[1, 2]", "takes an object"),
        ("memory_search", "[" * 100_000, "not valid JSON"),
        ("memory_search", '{"query": "' + "x" * 2_000_000 + '"}', "too long"),
        ("memory_get", {"path": "../../etc/passwd"}, "'..'"),
        ("memory_get", {"path": "/etc/passwd"}, "outside the memory"),
        ("memory_get", {"path": "sessions/a.jsonl"}, "outside the memory"),
        ("memory_get", {"path": "memory/x.txt"}, "not a Markdown note"),
        ("memory_get", {"path": "memory/none.md"}, "There is no note"),
        ("memory_get", {"path": "MEMORY.md\0.md"}, "control character"),
        ("memory_get", {"path": "MEMORY.md", "from": 0}, "at least 1"),
    ],
)
def test_mistakes_come_back_as_sentences(
    memory: Memory, name: str, arguments: Any, sentence: str
) -> None:
    result = run_tool(memory, name, arguments)
    assert result.is_error
    assert sentence in result.data["error"]
    assert len(result.text) < 500


def test_a_whole_float_is_a_whole_number_and_null_is_left_out(memory: Memory) -> None:
    """Models write 3.0, and strict modes send null for what is optional."""
    result = run_tool(memory, "memory_search", {"query": "x", "maxResults": 3.0, "minScore": None})
    assert not result.is_error


def attempt(tool: ToolDefinition, arguments: Any) -> tuple[str, dict[str, Any]]:
    try:
        return "", dict(checked_arguments(tool, arguments).values)
    except BadArguments as error:
        return str(error), {}


@given(
    st.dictionaries(
        st.sampled_from(["query", "maxResults", "minScore", "path", "x"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_any_arguments_are_taken_or_refused_clearly(arguments: dict[str, Any]) -> None:
    refused, checked = attempt(TOOLS[0], arguments)
    assert refused.endswith(".") or checked["query"].strip()


@given(st.text())
def test_any_text_as_arguments_is_taken_or_refused_clearly(text: str) -> None:
    refused, checked = attempt(REMEMBER, text)
    assert refused.endswith(".") or checked["text"].strip()


def test_a_huge_note_is_cut_at_a_line_with_the_way_to_go_on() -> None:
    text = "\n".join(f"line {number} with some words in it" for number in range(1, 5000))
    first = shortened({"path": "memory/big.md", "text": text}, 1)
    assert first["truncated"]
    assert len(first["text"]) <= MAX_TEXT_CHARS
    assert f"line {first['nextFrom']} " not in first["text"]
    assert f"line {first['nextFrom'] - 1} " in first["text"]


def test_one_definition_serves_every_format() -> None:
    tools = offered_tools(load_settings(), write=True)
    chat, responses = openai_tools(tools), openai_responses_tools(tools)
    claude, mcp = anthropic_tools(tools), mcp_tools(tools)
    for number, tool in enumerate(tools):
        assert chat[number]["function"]["name"] == responses[number]["name"] == tool.name
        assert claude[number]["input_schema"] == mcp[number]["inputSchema"] == tool.parameters
        assert mcp[number]["annotations"]["readOnlyHint"] is not tool.writes
        assert mcp[number]["annotations"]["destructiveHint"] is (tool.name == "memory_forget")
    json.dumps([chat, responses, claude, mcp])
