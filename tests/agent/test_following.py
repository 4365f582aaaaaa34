"""The index follows the notes in `mcp`, `serve` and `chat`, as `sync.watch` says, without any search."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memdown import Memory
from memdown.agent.chat.agent import ChatAgent
from memdown.agent.session_start import keep_fresh
from memdown.agent.turns import Reply
from memdown.config import load_settings
from memdown.mcp.service import Service
from waiting import eventually
from web.live import site_over

CONFIG = """{agents: {defaults: {memorySearch: {sync: {
  onSearch: false, onSessionStart: false, watchDebounceMs: 50, watch: %s}}}}}"""


def configure(watch: bool) -> None:
    """A search does not look at the files itself, so that only the watcher can have done it."""
    state = Path(os.environ["MEMDOWN_STATE_DIR"])
    state.mkdir(parents=True, exist_ok=True)
    (state / "memdown.json5").write_text(CONFIG % str(watch).lower())


@pytest.fixture
def folder(write_notes: Callable[..., Path]) -> Path:
    return write_notes({"MEMORY.md": "# Memory\n\n- The router is an ER-605.\n"})


@contextmanager
def served(memory: Memory) -> Iterator[None]:
    with site_over(memory).following():
        yield


@contextmanager
def chatted(memory: Memory) -> Iterator[None]:
    agent = ChatAgent(memory, lambda messages, tools, on_text=None: Reply("Yes."))
    agent.follow_notes()
    yield
    agent.close()


@pytest.mark.parametrize("running", [served, chatted], ids=["serve", "chat"])
def test_a_new_note_is_found_without_a_search_that_syncs(
    running: Callable[[Memory], Iterator[None]],
    folder: Path,
    open_memory: Callable[..., Memory],
) -> None:
    configure(watch=True)
    memory = open_memory(folder)
    memory.sync()
    with running(memory):  # type: ignore[attr-defined]
        (folder / "memory").mkdir(exist_ok=True)
        (folder / "memory/boat.md").write_text("The boat ZX-81 is leaking.\n")
        eventually(lambda: memory.search("boat ZX-81").hits, what="the new note")


def test_a_server_for_clients_follows_the_notes(folder: Path) -> None:
    configure(watch=True)
    service = Service(load_settings(workspace=folder))

    def found(query: str) -> bool:
        answer = service.call_tool("memory_search", {"query": query})
        return query.split()[-1] in answer["content"][0]["text"]

    try:
        service.warm_up()
        eventually(lambda: found("router ER-605"))
        (folder / "MEMORY.md").write_text("# Memory\n\n- The boat is a ZX-81.\n")
        eventually(lambda: found("boat ZX-81"))
    finally:
        service.close()


def test_nothing_follows_where_it_is_turned_off(
    folder: Path, open_memory: Callable[..., Memory]
) -> None:
    configure(watch=False)
    memory = open_memory(folder)
    assert keep_fresh(memory, threading.Event(), pytest.fail) is None
    assert memory.search("router ER-605").hits == ()
