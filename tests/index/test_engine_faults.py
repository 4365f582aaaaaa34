"""The fault rows on the other engines: kills, several writers, rebuilds under readers."""

from __future__ import annotations

import datetime
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psycopg
import pytest

from contracts.store_contract import by_words
from faults.figures import Campaign
from faults.stage import KILLED, Stage, staged
from index.postgres_server import Server
from memdown.index.reader import Sought
from memdown.index.store import MendableStore, Store
from memdown.types import Chunk, Source

ENGINES = ("postgres", "lancedb")
ALL: tuple[Source, ...] = ("memory", "sessions")
Row = tuple[Chunk, datetime.date | None, list[float]]
POINTS = (
    "index.file",
    "index.file:7",
    "index.removing",
    "rebuild.begun",
    "rebuild.file:5",
    "rebuild.before_flip",
    "rebuild.in_flip",
    "rebuild.after_flip",
)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, postgres: Server) -> Iterator[str]:
    """A configuration that every process of a stage reads."""
    store = {"driver": request.param}
    if request.param == "postgres":
        store["url"] = postgres.url
    config = tmp_path / "engine.json"
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMDOWN_CONFIG", str(config))
        yield request.param
    with psycopg.connect(postgres.url, autocommit=True) as db:
        # All stages are of one agent, and the next one has other notes.
        if db.execute("SELECT to_regclass('memdown.indexes')").fetchone() != (None,):
            db.execute("DELETE FROM memdown.indexes WHERE agent_id = 'main'")


@contextmanager
def indexed(top: Path, engine: str) -> Iterator[Stage]:
    with staged(top / "stage", load=(f"memdown.index.{engine}",)) as stage:
        with stage.memory() as memory:
            memory.sync()
        yield stage


def check(stage: Stage) -> int:
    """After one sync, the index holds and scores what one of SQLite does, made from nothing.

    How many notes were acknowledged, and are there.
    """
    stage.stop()
    stage.check_nothing_bad()
    acknowledged = stage.check_notes()
    with stage.memory() as memory:
        memory.sync()
        assert memory.index.check() == []
        store = memory.index.store
        assert isinstance(store, MendableStore)
        assert not store.leftovers()
        assert memory.search("anchor lighthouse keeper", min_score=0.0).hits
        # The first time by the engine itself, then from memory.
        held = [everything(memory.index.store) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("MEMDOWN_CONFIG")
        stage.state = stage.top / "plain"
        with stage.memory() as memory:
            memory.sync()
            expected = everything(memory.index.store)
    for rows, scores in held:
        assert rows == expected[0]
        assert scores == pytest.approx(expected[1], rel=1e-4)
    return acknowledged


def everything(store: Store) -> tuple[list[Row], list[float]]:
    """All chunks with their vectors, and how all passages score for some words."""
    with store.snapshot() as snapshot:
        keys, vectors = snapshot.vectors(100_000)
        chunks = snapshot.chunks(keys)
        rows: list[Row] = [
            (chunks[key].chunk, chunks[key].date, np.round(vector, 4).tolist())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        asked = Sought(("anchor", "entri", "topic", "beta", "check"), ("top",), passages=100_000)
        found = by_words(snapshot, asked)
    assert set(store.files()) == {chunk.path for chunk, _, _ in rows}
    ordered = sorted(rows, key=lambda row: (row[0].path, row[0].start_line))
    return ordered, [match.score for match in found]


def test_a_kill_among_several_writers(engine: str, tmp_path: Path) -> None:
    """Two processes index, one rebuilds, one searches, one saves, three write notes; one is killed.

    The short form of the two campaigns below: it is the processes that take their time to start.
    """
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path, engine) as stage:
        stage.start("sync", "second")
        writers = [stage.start("write", f"w{number}", 3) for number in range(2)]
        stage.kill_at_random(1, meanwhile=writers)
        check(stage)


@pytest.mark.long
def test_kills_at_random_points(engine: str, tmp_path: Path, campaign: Campaign) -> None:
    kills = 100
    name = {"postgres": "PostgreSQL", "lancedb": "LanceDB"}[engine]
    done = campaign(f"{KILLED}: {name}")
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path, engine) as stage:
        stage.kill_at_random(kills)
        did, written = stage.done(), check(stage)
    done(
        f"{kills} kills",
        f"{written:,} acknowledged notes, 0 lost, 0 torn, 0 twice; {did['rebuild']:,} rebuilds, "
        f"{did['search']:,} searches, all whole; the index equals one of SQLite, made from nothing",
    )


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_point(engine: str, tmp_path: Path, point: str) -> None:
    if engine == "lancedb" and point == "rebuild.in_flip":
        # LanceDB moves its pointer in one commit: there is no middle to be killed in.
        point = "rebuild.before_flip"
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path, engine) as stage:
        (stage.folder / "memory/new.md").write_text("A new note.\n")
        for number in range(8):
            (stage.folder / f"memory/topic{number}.md").write_text(f"topic {number} is other now\n")
        (stage.folder / "memory/topic9.md").unlink()
        role = "rebuild" if point.startswith("rebuild.") else "sync"
        process = stage.start(role, "k", failpoint=point)
        assert process.wait(120) == -signal.SIGKILL
        with stage.memory() as memory:
            assert memory.search("anchor lighthouse keeper", min_score=0.0).hits
        check(stage)


@pytest.mark.long
def test_several_writers_during_rebuilds(engine: str, tmp_path: Path) -> None:
    """Two processes index, one rebuilds, one searches, and two write notes."""
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path, engine) as stage:
        for role in ("rebuild", "sync", "sync", "search"):
            stage.start(role, role)
        writers = [stage.start("write", f"w{number}", 200) for number in range(2)]
        for writer in writers:
            assert writer.wait(600) == 0
        stage.wait_for_work()
        check(stage)


@pytest.mark.long
def test_many_rebuilds_under_readers(engine: str, tmp_path: Path) -> None:
    """Every search finds the note that never changes, whatever is published meanwhile."""
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path, engine) as stage:
        readers = [stage.start("search", f"s{number}") for number in range(3)]
        for reader in readers:
            stage.wait_ready(reader)
        assert stage.start("rebuild", "r", 15).wait(600) == 0
        check(stage)
