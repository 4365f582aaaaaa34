"""Cases: who embeds, where the index lies, what is kept, and what the agent may do."""

from __future__ import annotations

import datetime
import json
import shlex
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any

import pytest

from agent.scripted import ScriptedModel
from config.key_world import World, found, shows
from embedders.providers.scene import Scene
from memdown import EmbedderError, StoreError, WorkspaceError
from memdown.agent import FlushState, Message, Reply, run_flush, should_flush, tools_for
from memdown.agent.hooks.events import FLUSH, HookInput, run_event
from memdown.cli import run
from memdown.embedders import batch_jobs
from memdown.index.postgres import connection
from memdown.opening import store_options
from memdown.testing import HashEmbedder

NOTE = "The lighthouse is red.\n"


@shows("provider", "fallback", "model", "remote.baseUrl", "remote.apiKey", "remote.headers")
def provider(world: World) -> None:
    world.write("memory/one.md", NOTE)
    with world.memory(embedder=None) as memory:
        assert memory.search("lighthouse").provider == "bundled"
    headers = {"remote.headers": {"X-Project": "boats"}}
    with world.memory(world.remote(model="tiny", **headers), embedder=None) as memory:
        answer = memory.search("lighthouse")
        assert (answer.provider, answer.model, len(answer.hits)) == ("openai", "tiny", 1)
    seen = world.server.seen[-1]
    assert seen.headers["authorization"] == f"Bearer {world.server.key}"
    assert (seen.headers["x-project"], seen.body["model"]) == ("boats", "tiny")
    wrong = {**world.remote(), "remote.apiKey": "sk-wrong"}
    with world.memory(wrong, embedder=None) as memory:
        answer = memory.search("lighthouse")
        assert [hit.path for hit in answer.hits] == ["memory/one.md"]
        assert answer.reasons[0].startswith("keywords only: ")
    with world.memory({**wrong, "fallback": "bundled"}, embedder=None) as memory:
        memory.sync()
        answer = memory.search("lighthouse")
        assert (answer.provider, answer.fallback) == ("bundled", "openai")


@shows(
    "models.providers.<provider>.apiKey",
    "models.providers.<provider>.baseUrl",
    "models.providers.<provider>.headers",
)
def provider_section(world: World) -> None:
    world.write("memory/one.md", NOTE)
    section = {"apiKey": world.server.key, "baseUrl": world.server.base("openai")}
    given = {"models.providers": {"openai": {**section, "headers": {"X-Project": "boats"}}}}
    with world.memory({"provider": "openai", **given}, embedder=None) as memory:
        assert memory.search("lighthouse").provider == "openai"
    assert world.server.seen[-1].headers["x-project"] == "boats"


@shows(
    "remote.batch.enabled",
    "remote.batch.wait",
    "remote.batch.concurrency",
    "remote.batch.pollIntervalMs",
    "remote.batch.timeoutMinutes",
)
def batch_jobs_are_used(world: World) -> None:
    world.monkeypatch.setattr(batch_jobs, "_TEXTS_A_JOB", 2)
    scene = Scene(world.folder.parent, world.server, world.state)
    scene.job_changes = {"least_texts": 2}
    for n in range(8):
        scene.write(**{f"memory__n{n}": f"Note number {n} of the harbour.\n" * 40})

    def jobs(**batch: object) -> int:
        for file in [*world.state.glob("memory/*"), *world.state.glob("jobs/*/*")]:
            file.unlink()
        world.server.jobs.clear()
        remote = {"baseUrl": world.server.base("openai"), "apiKey": world.server.key}
        with scene.memory(remote={**remote, "batch": {"pollIntervalMs": 1, **batch}}) as memory:
            memory.sync()
            pending = memory.status().jobs
        assert pending.enabled != (batch.get("enabled") is False)
        return len(world.server.jobs)

    assert jobs(enabled=False) == 0
    assert jobs() > 3
    world.server.looks_until_done = 10**9
    assert jobs(wait=False) == 2
    assert jobs(wait=False, concurrency=3) == 3
    # Given up in a hundredth of a second; sixty minutes would be a long test.
    assert jobs(timeoutMinutes=0.0002) == 2
    world.server.looks_until_done = 2
    began = time.monotonic()
    jobs(pollIntervalMs=150)
    assert time.monotonic() - began >= 0.3


@shows("local.modelPath", "local.modelCacheDir")
def local_model(world: World) -> None:
    model = world.folder.parent / "tiny.gguf"
    model.write_bytes(b"GGUF")
    with world.memory({"local.modelPath": str(model)}, embedder=None) as memory:
        assert memory.status().provider == "local"
    from memdown.embedders import local

    cache = world.folder.parent / "models"
    world.monkeypatch.setattr(local, "_CONNECT_SECONDS", 0.01)
    world.monkeypatch.setattr(local, "_knock", _no_network)
    given = {"provider": "local", "local.modelCacheDir": str(cache)}
    with world.memory(given, embedder=None) as memory:
        embedder = memory.index.choice.embedder
        assert embedder is not None
        with pytest.raises(EmbedderError):
            embedder.embed_query("lighthouse")
    assert cache.is_dir()


def _no_network(url: str) -> None:
    raise OSError(url)


@shows(
    "store.driver", "store.path", "store.url", "store.vector.enabled", "store.vector.extensionPath"
)
def store(world: World) -> None:
    world.write("memory/one.md", NOTE)
    with world.memory() as memory:
        memory.sync()
        assert memory.status().store.vector_available
    with world.memory({"store.path": "elsewhere/{agentId}.sqlite"}) as memory:
        memory.sync()
    assert (world.state / "elsewhere" / "main.sqlite").is_file()
    with world.memory({"store.vector.enabled": False}) as memory:
        assert found(memory, "lighthouse")
        assert not memory.status().store.vector_available
    with world.memory({"store.vector.extensionPath": "/nowhere/vec0"}) as memory:
        assert found(memory, "lighthouse")
        assert "/nowhere/vec0" in str(memory.status().store.vector_error)
    with world.memory({"store.driver": "lancedb", "store.path": "lance.x"}) as memory:
        memory.sync()
    assert (world.state / "lance.lancedb").is_dir()
    place = world.folder.parent / "shared"
    with world.memory({"store.driver": "lancedb", "store.url": str(place)}) as memory:
        memory.sync()
    assert place.is_dir()


@shows("store.readUrl")
def read_url(world: World) -> None:
    """Searches ask there first; that they are answered is seen in tests/index, with a server."""
    world.monkeypatch.setattr(connection, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as replica:
        address = f"postgresql://nobody@127.0.0.1:{replica.getsockname()[1]}/none"
        nobody = "postgresql://nobody@127.0.0.1:9/none"
        given = {"store.driver": "postgres", "store.url": nobody, "store.readUrl": address}
        with (
            world.memory(given) as memory,
            pytest.raises(StoreError, match=r"127\.0\.0\.1:9/none"),
            memory.index.store.snapshot(),
        ):
            pass
        replica.settimeout(30)
        replica.accept()[0].close()


@shows("store.timeoutMs")
def store_timeout(world: World) -> None:
    """That a search answers with less after that long is seen in tests/index, with a slow server."""
    given = {"store.driver": "postgres", "store.url": "postgresql://nobody@127.0.0.1:9/none"}
    with world.memory({**given, "store.timeoutMs": 250}) as memory:
        assert store_options(memory.settings)["patience"] == 0.25


@shows("cache.enabled", "cache.maxEntries")
def cache(world: World) -> None:
    for n in range(4):
        world.write(f"memory/{n}.md", f"Note {n}.\n")

    def again(**changes: object) -> tuple[int, int]:
        embedder = HashEmbedder()
        with world.memory(changes, embedder=embedder) as memory:
            memory.sync()
            before = len(embedder.embedded)
            memory.sync(force=True)
            return len(embedder.embedded) - before, memory.status().store.cache_entries

    assert again() == (0, 4)
    assert again(**{"cache.enabled": False}) == (4, 0)
    assert again(**{"cache.maxEntries": 2})[1] == 2


COMPACTION = "agents.defaults.compaction."


@shows(
    COMPACTION + "reserveTokensFloor",
    COMPACTION + "memoryFlush.enabled",
    COMPACTION + "memoryFlush.softThresholdTokens",
)
def when_memories_are_saved(world: World) -> None:
    def saves(tokens: int, **changes: object) -> bool:
        given = {COMPACTION + key.replace("__", "."): value for key, value in changes.items()}
        state = FlushState(tokens, 200_000)
        return should_flush(state, world.settings(given).compaction).flush

    assert not saves(175_999)
    assert saves(176_000)
    assert saves(166_000, reserveTokensFloor=30_000)
    assert saves(170_000, memoryFlush__softThresholdTokens=10_000)
    assert not saves(199_000, memoryFlush__enabled=False)


@shows(COMPACTION + "memoryFlush.command")
def who_is_asked_after_a_session(world: World) -> None:
    script = world.write("model.txt", 'print(\'{"remember": [{"text": "Boats: 9."}]}\')')
    given = {COMPACTION + "memoryFlush.command": shlex.join([sys.executable, str(script)])}

    def log_after(session: str, changes: Mapping[str, object]) -> str:
        settings = world.settings(changes)
        message = {"role": "user", "content": "Nine boats now."}
        line = {"type": "user", "uuid": f"in-{session}", "message": message}
        talk = world.write("memory/talk.txt", json.dumps(line) + "\n")
        event = HookInput(session, talk, None, "")
        for name in ("session-end", FLUSH):
            run_event(name, event, settings)
        (log,) = (world.folder / "memory").glob("*.md")
        return log.read_text()

    assert "Boats: 9." not in log_after("one", {})
    assert "Boats: 9." in log_after("two", given)


@shows(COMPACTION + "memoryFlush.systemPrompt", COMPACTION + "memoryFlush.prompt")
def how_memories_are_asked_for(world: World) -> None:
    given = {
        COMPACTION + "memoryFlush.systemPrompt": "Keep the boats.",
        COMPACTION + "memoryFlush.prompt": "Write into memory/YYYY-MM-DD.md now.",
    }
    model = ScriptedModel(Reply("NO_REPLY"))
    with world.memory(given) as memory:
        talk = [Message("user", "We have nine boats.")]
        run_flush(memory, model, talk, today=lambda: datetime.date(2026, 3, 1))
    told = [message.text for message in model.asked[0]]
    assert any("Keep the boats." in text for text in told)
    assert "Write into memory/2026-03-01.md now." in told[-1]


SANDBOX = "agents.defaults.sandbox."


@shows(SANDBOX + "workspaceAccess", SANDBOX + "mode")
def access(world: World) -> None:
    for access in ("ro", "none"):
        with world.memory({SANDBOX + "workspaceAccess": access}) as memory:
            assert "memory_remember" not in [tool.name for tool in tools_for(memory, write=True)]
            with pytest.raises(WorkspaceError, match="workspaceAccess"):
                memory.remember("Something.")
    assert not list(world.folder.rglob("20*.md"))
    free: dict[str, Any] = {SANDBOX + "workspaceAccess": "ro", SANDBOX + "mode": "off"}
    with world.memory(free) as memory:
        memory.remember("Something.")
    world.monkeypatch.setenv("MEMDOWN_SESSION_KEY", "agent:main:telegram:group:1")
    with (
        world.memory({**free, SANDBOX + "mode": "non-main"}) as memory,
        pytest.raises(WorkspaceError),
    ):
        memory.remember("Something else.")


@shows("memory.citations")
def citations(world: World) -> None:
    world.write("memory/one.md", NOTE)

    def shown(mode: str, *options: str) -> str:
        import contextlib
        import io

        config = str(world.config({"memory.citations": mode}))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            where = ["--config", config, "--workspace", str(world.folder)]
            assert run(["search", "lighthouse", *where, *options]) == 0
        assert "lighthouse is red" in printed.getvalue()
        return printed.getvalue()

    assert "memory/one.md" in shown("auto")
    assert "memory/one.md" not in shown("off")
    assert "memory/one.md" not in shown("auto", "--chat", "group")
    assert "memory/one.md" in shown("on", "--chat", "group")
