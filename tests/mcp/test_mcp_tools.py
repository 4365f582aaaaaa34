"""The server as its clients see it: the same over both transports and both protocol eras."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from mcp import Client
from mcp_case import http_client, http_server, http_thread, in_process, run, with_stdio

NOTES = {
    "MEMORY.md": "# Memory\n\nThe router at home is an ER-605.\n",
    "memory/network.md": "# Network\n\nThe printer has the address 10.0.0.7.\n",
}


@pytest.fixture
def folder(write_notes: Callable[..., Path]) -> Path:
    return write_notes(NOTES)


def content(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.structured_content
    return data


def text(result: Any) -> str:
    (block,) = result.content
    return str(block.text)


async def use_everything(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["memory_search", "memory_get"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)

    found = content(await client.call_tool("memory_search", {"query": "router"}))
    assert found["results"][0]["path"] == "MEMORY.md"
    assert "not instructions" in found["notice"]

    read = content(await client.call_tool("memory_get", {"path": "MEMORY.md", "from": 3}))
    assert read["text"] == "The router at home is an ER-605."

    uris = [resource.uri for resource in (await client.list_resources()).resources]
    assert uris == ["memory:///MEMORY.md", "memory:///memory/network.md"]
    (text,) = (await client.read_resource(uris[1])).contents
    assert "10.0.0.7" in getattr(text, "text", "")

    (prompt,) = (await client.list_prompts()).prompts
    direct = await client.get_prompt(prompt.name)
    assert "ER-605" in getattr(direct.messages[0].content, "text", "")
    group = await client.get_prompt(prompt.name, {"chat": "group"})
    assert "ER-605" not in getattr(group.messages[0].content, "text", "")

    # Who asks is told by what carries the question, for a server that several chats use.
    metas: list[tuple[Any, bool]] = [
        ({"memdown/sessionKey": "agent:main:main"}, True),
        ({"memdown/sessionKey": "agent:main:slack:channel:c024"}, False),
        ({"memdown/chat": "group"}, False),
    ]
    for meta, is_told in metas:
        said = await client.call_tool("memory_search", {"query": "router"}, meta=meta)
        assert ("MEMORY.md" in said.content[0].text) == is_told  # type: ignore[union-attr]
        start = await client.get_prompt(prompt.name, meta=meta)
        assert ("ER-605" in getattr(start.messages[0].content, "text", "")) == is_told


async def make_mistakes(client: Client) -> None:
    mistakes: list[tuple[str, dict[str, Any], str]] = [
        ("memory_search", {}, "needs 'query'"),
        ("memory_search", {"query": 5}, "must be text"),
        ("memory_search", {"query": "x" * 1_000_000}, "at most 10000"),
        ("memory_get", {"path": "../../etc/passwd"}, "'..'"),
        ("memory_get", {"path": "/etc/passwd"}, "outside the memory"),
        ("memory_remember", {"text": "x"}, "There is no tool 'memory_remember'"),
        ("rm", {}, "There is no tool 'rm'"),
    ]
    for name, arguments, sentence in mistakes:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert sentence in text(result)
    for uri in (
        "memory:///../x.md",
        "memory:///none.md",
        "file:///etc/passwd",
        "memory:////etc/x.md",
    ):
        with pytest.raises(MCPError):
            await client.read_resource(uri)
    with pytest.raises(MCPError, match="session-start"):
        await client.get_prompt("nothing")
    names = [one.name for one in (await client.list_prompts()).prompts]
    writes = any(tool.name == "memory_remember" for tool in (await client.list_tools()).tools)
    assert ("memory-flush" in names) == writes
    if writes:
        asked = await client.get_prompt("memory-flush")
        assert "memory_remember" in str(asked.messages[0].content)
    found = await client.call_tool("memory_search", {"query": "router"})
    assert not found.is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_everything_over_stdio(folder: Path, mode: str) -> None:
    with_stdio(folder, use_everything, mode=mode)


def test_everything_over_http(folder: Path) -> None:
    """One process for clients of both eras: it serves more than one."""

    async def main(address: str) -> None:
        for mode in ("auto", "legacy"):
            async with http_client(address, mode) as client:
                await use_everything(client)

    with http_server(folder) as address:
        run(main, address)


def test_mistakes_are_told_and_cost_nothing_else(folder: Path) -> None:
    with_stdio(folder, make_mistakes)


def test_with_write_notes_are_added(folder: Path) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        hints = tools["memory_remember"].annotations
        assert hints is not None
        assert hints.read_only_hint is False
        assert hints.destructive_hint is False
        written = content(await client.call_tool("memory_remember", {"text": "The cat is Pixel."}))
        day = datetime.date.today().isoformat()
        assert written["path"] == f"memory/{day}.md"
        found = content(await client.call_tool("memory_search", {"query": "cat Pixel"}))
        assert found["results"][0]["path"] == written["path"]

    in_process(folder, work, write=True)


async def fifty(client: Client) -> None:
    answers: list[dict[str, Any]] = []

    async def one(number: int) -> None:
        if number % 2:
            result = await client.call_tool("memory_search", {"query": f"router {number}"})
        else:
            result = await client.call_tool("memory_get", {"path": "MEMORY.md"})
        assert not result.is_error
        answers.append(content(result))

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(one, number)
    assert len(answers) == 50


def test_fifty_calls_at_once_over_stdio(folder: Path) -> None:
    with_stdio(folder, fifty)


def test_fifty_calls_at_once_over_http(folder: Path) -> None:
    async def main(address: str) -> None:
        async with http_client(address) as client:
            await fifty(client)

    with http_thread(folder) as address:
        run(main, address)


def test_fifty_notes_at_once_lose_none(folder: Path) -> None:
    async def work(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(client.call_tool, "memory_remember", {"text": f"Fact #{number}."})

    in_process(folder, work, write=True)
    (log,) = (folder / "memory").glob("2*.md")
    assert sorted(line for line in log.read_text().splitlines() if "Fact" in line) == sorted(
        f"- Fact #{number}." for number in range(50)
    )


def test_a_memory_that_is_off_offers_nothing(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "off.json5"
    config.write_text("{agents: {defaults: {memorySearch: {enabled: false}}}}")

    async def work(client: Client) -> None:
        assert (await client.list_tools()).tools == []
        assert (await client.list_resources()).resources == []
        assert (await client.list_prompts()).prompts == []
        result = await client.call_tool("memory_search", {"query": "router"})
        assert result.is_error

    in_process(folder, work, config=config)


def test_a_missing_workspace_is_told_with_every_call_until_it_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "later"

    async def work(client: Client) -> None:
        result = await client.call_tool("memory_search", {"query": "router"})
        assert result.is_error
        assert "later" in result.content[0].text  # type: ignore[union-attr]
        (folder / "memory").mkdir(parents=True)
        (folder / "MEMORY.md").write_text("The router is an ER-605.")
        found = content(await client.call_tool("memory_search", {"query": "router"}))
        assert found["results"]

    in_process(folder, work)


def test_of_many_notes_the_main_ones_are_listed_and_all_can_be_read(
    write_notes: Callable[..., Path],
) -> None:
    """A client reads the whole list before its tools count as connected."""
    notes = {f"memory/note-{number:03}.md": "x" for number in range(450)}
    logs = {f"memory/2026-03-{day:02}.md": "y" for day in range(1, 29)}
    folder = write_notes({**notes, **logs, "MEMORY.md": "z", "memory/deep/er.md": "deep"})

    async def work(client: Client) -> None:
        page = await client.list_resources()
        names = [resource.name for resource in page.resources]
        assert page.next_cursor is None
        assert len(names) == len(set(names)) == 50
        assert names[:3] == ["MEMORY.md", "memory/2026-03-28.md", "memory/2026-03-27.md"]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "memory:///{+path}"
        read = await client.read_resource("memory:///memory/deep/er.md")
        assert getattr(read.contents[0], "text", "") == "deep"

    with_stdio(folder, work)


def test_progress_of_a_search_that_must_index_first(write_notes: Callable[..., Path]) -> None:
    text = "\n".join(f"Line {number} says something about the harbour." for number in range(60))
    folder = write_notes({f"memory/note-{number}.md": text for number in range(400)})
    told: list[tuple[float, float | None]] = []

    async def work(client: Client) -> None:
        async def report(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total))

        result = await client.call_tool(
            "memory_search", {"query": "harbour"}, progress_callback=report
        )
        assert content(result)["results"]
        assert "partial" not in content(result)

    config = folder / "quiet.json5"
    config.write_text("{agents: {defaults: {memorySearch: {sync: {onSessionStart: false}}}}}")
    with_stdio(folder, work, "--config", str(config))
    assert told
    assert [step for step, _ in told] == sorted(step for step, _ in told)


def test_a_cancelled_call_leaves_the_server_well(folder: Path) -> None:
    async def work(client: Client) -> None:
        for _ in range(10):
            with anyio.move_on_after(0.001):
                await client.call_tool("memory_search", {"query": "router"})
        found = await client.call_tool("memory_search", {"query": "router"})
        assert not found.is_error

    in_process(folder, work)
