"""Cases: what is indexed and how it is searched."""

from __future__ import annotations

import datetime
import threading
from pathlib import Path

import pytest

from config.key_world import World, found, shows
from memdown import ConfigError
from memdown.agent import tools_for
from memdown.transcripts import reading
from search.test_reranking import Server
from waiting import eventually, watched

DOORS = [f"memory/{name}.md" for name in "abcdefgh"]


def doors(world: World) -> None:
    for path in DOORS:
        world.write(path, f"The {Path(path).stem} door opens with the key.\n")


@shows("enabled", "plugins.slots.memory")
def tools(world: World) -> None:
    def names(**changes: object) -> list[str]:
        with world.memory(changes) as memory:
            return [tool.name for tool in tools_for(memory, write=True)]

    assert names()[:3] == ["memory_search", "memory_get", "memory_remember"]
    assert names(enabled=False) == []
    assert names(**{"plugins.slots.memory": "none"}) == []
    assert "memory_recall" in names(**{"plugins.slots.memory": "memory-lancedb"})


@shows("sources", "experimental.sessionMemory")
def conversations_are_searched(world: World) -> None:
    world.say("one", "The lighthouse is red.")
    both = {"sources": ["memory", "sessions"], "experimental.sessionMemory": True}
    for changes in ({}, {"sources": ["memory", "sessions"]}, {"experimental.sessionMemory": True}):
        with world.memory(changes) as memory:
            assert found(memory, "lighthouse") == []
    with world.memory(both) as memory:
        assert found(memory, "lighthouse") == ["sessions/one.jsonl"]


@shows("extraPaths")
def extra_paths(world: World) -> None:
    wiki = world.folder.parent / "wiki.md"
    wiki.write_text("The lighthouse is red.\n")
    with world.memory() as memory:
        assert found(memory, "lighthouse") == []
    with world.memory({"extraPaths": [str(wiki)]}) as memory:
        assert found(memory, "lighthouse") == [str(wiki)]


@shows("chunking.tokens", "chunking.overlap")
def chunks(world: World) -> None:
    text = "".join(f"Line {n} tells of the harbour and the boats in it.\n" for n in range(60))
    world.write("memory/long.md", text)

    def cut(**changes: object) -> list[str]:
        with world.memory(changes) as memory:
            return [chunk.text for chunk in memory.index.chunks("memory/long.md")]

    usual, small = cut(), cut(**{"chunking.tokens": 100})
    assert len(small) > 2 * len(usual)
    apart = cut(**{"chunking.tokens": 100, "chunking.overlap": 0})
    assert sum(map(len, apart)) < sum(map(len, small))


@shows("sync.onSearch", "sync.onSessionStart")
def when_to_index(world: World) -> None:
    with world.memory({"sync.onSearch": False, "sync.onSessionStart": False}) as memory:
        memory.sync()
        world.write("memory/new.md", "The lighthouse is red.\n")
        memory.start_session()
        assert found(memory, "lighthouse") == []
        assert memory.status().dirty
    with world.memory({"sync.onSearch": False}, fresh=False) as memory:
        memory.start_session()
        eventually(lambda: found(memory, "lighthouse") == ["memory/new.md"])
    with world.memory({"sync.onSessionStart": False}) as memory:
        assert found(memory, "lighthouse") == ["memory/new.md"]


@shows("sync.watch", "sync.intervalMinutes", "sync.watchDebounceMs")
def watching(world: World) -> None:
    with (
        world.memory({"sync.watch": False}) as memory,
        pytest.raises(ConfigError, match="nothing to watch for"),
    ):
        for _ in memory.watch(threading.Event()):
            pass
    with (
        world.memory({"sync.watch": False, "sync.intervalMinutes": 0.001}) as memory,
        watched(memory) as indexed,
    ):
        world.write("memory/one.md", "The lighthouse is red.\n")
        assert indexed.wait(30)
    with (
        world.memory({"sync.watchDebounceMs": 600_000, "store.path": "slow.sqlite"}) as late,
        world.memory({"sync.watchDebounceMs": 0}) as soon,
        watched(late) as later,
        watched(soon) as indexed,
    ):
        world.write("memory/two.md", "The pier is closed.\n")
        assert indexed.wait(30)
        assert not later.is_set()


@shows("sync.sessions.deltaBytes", "sync.sessions.deltaMessages")
def growing_conversations(world: World) -> None:
    world.monkeypatch.setattr(reading, "DEBOUNCE_SECONDS", 0.0)
    both = {"sources": ["memory", "sessions"], "experimental.sessionMemory": True}

    def indexed(**changes: object) -> int:
        world.say("one", "The harbour is old.")
        with world.memory({**both, **changes}) as memory:
            memory.sync()
            world.say("one", "The harbour is old.", "The lighthouse is red.", "The pier is new.")
            return memory.index.sync_settled().indexed

    assert indexed() == 0
    assert indexed(**{"sync.sessions.deltaBytes": 20}) == 1
    assert indexed(**{"sync.sessions.deltaMessages": 2}) == 1


@shows("query.maxResults", "query.minScore")
def how_many(world: World) -> None:
    doors(world)
    with world.memory() as memory:
        assert len(found(memory, "door key")) == 6
    with world.memory({"query.maxResults": 8}, fresh=False) as memory:
        assert len(found(memory, "door key")) == 8
    with world.memory({"query.minScore": 1}, fresh=False) as memory:
        answer = memory.search("which door was painted by Bo")
        assert not answer.hits
        assert "below the minimum score" in answer.reasons[0]


@shows("query.hybrid.enabled", "query.hybrid.vectorWeight", "query.hybrid.textWeight")
def weights(world: World) -> None:
    doors(world)

    def scores(**changes: object) -> tuple[float, float]:
        with world.memory(changes, fresh=False) as memory:
            hit = memory.search("a door").hits[0]
            assert hit.why is not None
            return hit.text_score, hit.why.text_weight

    assert scores()[0] > 0
    assert scores(**{"query.hybrid.enabled": False}) == (0.0, 0.0)
    assert scores(**{"query.hybrid.textWeight": 0.9})[1] == pytest.approx(0.9)
    assert scores(**{"query.hybrid.vectorWeight": 0.9})[1] == pytest.approx(0.1)


@shows("query.hybrid.mmr.enabled", "query.hybrid.mmr.lambda", "query.hybrid.candidateMultiplier")
def variety(world: World) -> None:
    for n in range(40):
        world.write(f"memory/same-{n:02}.md", f"The ferry timetable of the harbour, copy {n}.\n")
    other = "A ferry timetable hangs beside the fish market, two cranes and nine old boats."
    world.write("memory/zz.md", f"{other}\n")

    def paths(**changes: object) -> list[str]:
        with world.memory(changes, fresh=False) as memory:
            return found(memory, "ferry timetable harbour")

    varied = {"query.hybrid.mmr.enabled": True, "query.hybrid.mmr.lambda": 0}
    assert "memory/zz.md" not in paths()
    assert paths(**varied)[1] == "memory/zz.md"
    assert "memory/zz.md" not in paths(**{**varied, "query.hybrid.mmr.lambda": 1})
    assert "memory/zz.md" not in paths(**{**varied, "query.hybrid.candidateMultiplier": 1})


@shows("query.hybrid.temporalDecay.enabled", "query.hybrid.temporalDecay.halfLifeDays")
def age(world: World) -> None:
    world.write("memory/2026-03-01.md", "The ferry leaves at nine.\n")

    def left(**changes: object) -> float:
        day = datetime.date(2026, 3, 11)
        with world.memory(changes, fresh=False, today=day) as memory:
            hit = memory.search("when does the ferry leave").hits[0]
            return hit.score / hit.relevance

    assert 0.85 < left() < 1
    assert left(**{"query.hybrid.temporalDecay.enabled": False}) == 1
    halved = left(**{"query.hybrid.temporalDecay.halfLifeDays": 10})
    assert halved == pytest.approx(0.5, abs=0.01)
    assert left(**{"query.hybrid.temporalDecay.halfLifeDays": 5}) == pytest.approx(0.25, abs=0.01)


@shows(
    "query.rerank.enabled",
    "query.rerank.provider",
    "query.rerank.model",
    "query.rerank.baseUrl",
    "query.rerank.apiKey",
    "query.rerank.candidates",
    "query.rerank.timeoutMs",
)
def reranking(world: World) -> None:
    doors(world)
    server, released = Server(), threading.Event()
    given: dict[str, object] = {
        "query.rerank.enabled": True,
        "query.rerank.provider": "own",
        "query.rerank.model": "tiny",
        "query.rerank.baseUrl": server.base_url,
        "query.rerank.apiKey": "sk-own",
    }
    try:
        with world.memory() as memory:
            assert found(memory, "door key")[0] != "memory/e.md"
        assert not server.seen
        with world.memory(given, fresh=False) as memory:
            assert found(memory, "door key")[0] == "memory/e.md"
        _, headers, body = server.seen[-1]
        assert (headers["Authorization"], body["model"]) == ("Bearer sk-own", "tiny")
        assert len(body["documents"]) == len(DOORS)
        with world.memory({**given, "query.rerank.candidates": 3}, fresh=False) as memory:
            found(memory, "door key")
        assert len(server.seen[-1][2]["documents"]) == 3
        without = {key: value for key, value in given.items() if "model" not in key}
        with world.memory({**without, "query.rerank.provider": "jina"}, fresh=False) as memory:
            found(memory, "door key")
        assert "jina" in server.seen[-1][2]["model"]
        good = server.answer
        server.answer = lambda documents: good(documents) if released.wait(30) else (500, None)
        with world.memory({**given, "query.rerank.timeoutMs": 100}, fresh=False) as memory:
            assert "not reranked" in memory.search("door key").reasons[0]
    finally:
        released.set()
        server.close()
