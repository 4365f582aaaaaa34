"""Tidying by the client's own model: a real client answers, well, badly, not at all, or goes away."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import anyio
import mcp_types as types
import pytest
from mcp.client.session import SamplingFnT

from mcp import Client
from mcp_case import http_client, http_thread, run, server
from memdown.config import load_settings
from memdown.memory import Memory
from memdown.notes.undoing import undo_last

MEMORY = "# Memory\n\n- Nora lives in Lisbon.\n- Nora lives in Porto.\n- Likes tea.\n"
GOOD = {"operations": [{"op": "replace", "old": "MEMORY.md#L3", "new": "MEMORY.md#L4"}]}
Sampled = types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData


def answering(text: str, asked: list[str] | None = None) -> SamplingFnT:
    """A client's model that always says the same."""

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> Sampled:
        content = params.messages[0].content
        assert isinstance(content, types.TextContent)
        if asked is not None:
            asked.append(content.text)
        said = types.TextContent(type="text", text=text)
        return types.CreateMessageResult(role="assistant", content=said, model="scripted")

    return sample


class WithModel(Protocol):
    """Does something with a client whose model is `sample`, and a server that may write."""

    def __call__(
        self,
        folder: Path,
        work: Callable[[Client], Awaitable[None]],
        sample: SamplingFnT | None,
        config: Path | None = None,
    ) -> None: ...


def over_stdio(
    folder: Path,
    work: Callable[[Client], Awaitable[None]],
    sample: SamplingFnT | None,
    config: Path | None = None,
) -> None:
    async def main() -> None:
        options = ["--config", str(config)] if config else []
        started = server(folder, "--write", *options)
        async with Client(started, mode="legacy", sampling_callback=sample) as client:
            await work(client)

    run(main)


def over_http(
    folder: Path,
    work: Callable[[Client], Awaitable[None]],
    sample: SamplingFnT | None,
    config: Path | None = None,
) -> None:
    async def main(address: str) -> None:
        async with http_client(address, "legacy", sample) as client:
            await work(client)

    with http_thread(folder, write=True, config=config) as address:
        run(main, address)


@pytest.fixture(params=[over_stdio, over_http])
def with_model(request: pytest.FixtureRequest) -> WithModel:
    chosen: WithModel = request.param
    return chosen


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.fixture
def notes(write_notes: Callable[[dict[str, str]], Path], own_state: Path) -> Path:
    return write_notes({"MEMORY.md": MEMORY})


def test_the_tool_is_there_for_clients_that_lend_their_model(
    with_model: WithModel, notes: Path
) -> None:
    async def lent(client: Client) -> None:
        assert "memory_tidy" in [tool.name for tool in (await client.list_tools()).tools]

    async def alone(client: Client) -> None:
        assert "memory_tidy" not in [tool.name for tool in (await client.list_tools()).tools]
        refused = await client.call_tool("memory_tidy", {})
        assert refused.is_error
        assert "There is no tool 'memory_tidy'" in text_of(refused)

    with_model(notes, lent, answering("{}"))
    with_model(notes, alone, None)


def test_good_operations_are_listed_then_done_and_can_be_undone(
    with_model: WithModel, notes: Path
) -> None:
    asked: list[str] = []

    async def work(client: Client) -> None:
        # The sync at the start is over: what it reads meanwhile would count as somebody else's change.
        await client.call_tool("memory_search", {"query": "tea"})
        listed = await client.call_tool("memory_tidy", {})
        assert "replace MEMORY.md#L3, MEMORY.md#L4" in text_of(listed)
        assert "Nothing was changed yet" in text_of(listed)
        assert (notes / "MEMORY.md").read_text() == MEMORY
        done = await client.call_tool("memory_tidy", {"apply": True})
        assert not done.is_error
        assert "memdown undo" in text_of(done)

    with_model(notes, work, answering(f"Here you are: {json.dumps(GOOD)}", asked))
    assert "MEMORY.md#L5 [Memory] Likes tea." in asked[0]
    assert "  - ~~Nora lives in Lisbon.~~" in (notes / "MEMORY.md").read_text()
    with Memory.from_settings(load_settings(workspace=notes)) as memory:
        undo_last(memory.pen())
    assert (notes / "MEMORY.md").read_text() == MEMORY


NONSENSE = {
    "I would rather write a poem.": "names no operations as JSON; nothing was changed",
    '{"operations": "all"}': "names no operations as JSON; nothing was changed",
    '{"operations": [{"op": "erase", "fact": "MEMORY.md#L3"}]}': "Nothing was changed.",
    '{"operations": [{"op": "expire", "fact": "MEMORY.md#L99"}]}': "Nothing was changed.",
    '{"operations": []}': "Nothing was changed.",
}


def test_nonsense_changes_nothing(with_model: WithModel, notes: Path) -> None:
    answers = iter(NONSENSE)

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> Sampled:
        return await answering(next(answers))(context, params)

    async def work(client: Client) -> None:
        for answer, told in NONSENSE.items():
            said = text_of(await client.call_tool("memory_tidy", {"apply": True}))
            assert told in said, answer
            assert (notes / "MEMORY.md").read_text() == MEMORY, answer

    with_model(notes, work, sample)
    assert list(answers) == []


def test_a_refusal_changes_nothing(with_model: WithModel, notes: Path) -> None:
    async def refuse(context: Any, params: types.CreateMessageRequestParams) -> Sampled:
        return types.ErrorData(code=-1, message="The user said no.")

    async def work(client: Client) -> None:
        result = await client.call_tool("memory_tidy", {"apply": True})
        assert result.is_error
        assert "(The user said no.); nothing was changed" in text_of(result)

    with_model(notes, work, refuse)
    assert (notes / "MEMORY.md").read_text() == MEMORY


def test_a_model_that_takes_too_long_changes_nothing(
    with_model: WithModel, notes: Path, tmp_path: Path
) -> None:
    """Its late answer is passed over, and the server goes on."""
    config = tmp_path / "config.json5"
    config.write_text("{memory: {tidy: {timeoutMs: 1000}}}")
    late = anyio.Event()

    async def slow(context: Any, params: types.CreateMessageRequestParams) -> Sampled:
        await late.wait()
        return await answering(json.dumps(GOOD))(context, params)

    async def work(client: Client) -> None:
        result = await client.call_tool("memory_tidy", {"apply": True})
        assert result.is_error
        assert "did not answer within 1 s; nothing was changed" in text_of(result)
        late.set()
        assert not (await client.call_tool("memory_search", {"query": "tea"})).is_error

    with_model(notes, work, slow, config)
    assert (notes / "MEMORY.md").read_text() == MEMORY


def test_a_client_that_goes_away_leaves_nobody_waiting(with_model: WithModel, notes: Path) -> None:
    begun = anyio.Event()

    async def never(context: Any, params: types.CreateMessageRequestParams) -> Sampled:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "memory_tidy", {"apply": True})
            await begun.wait()
            tasks.cancel_scope.cancel()

    with_model(notes, work, never)
    assert (notes / "MEMORY.md").read_text() == MEMORY
