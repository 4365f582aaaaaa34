"""The fault rows on the other engines: kills, several writers, rebuilds under readers."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from faults.stage import Stage, answers_of, staged
from stores.postgres_server import Server

ROLES = ("write", "sync", "rebuild", "search")
DONE = ("WROTE", "SYNCED", "REBUILT", "SEARCHED")
ENGINES = ("postgres", "lancedb")
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
        if db.execute("SELECT to_regclass('memdown.agents')").fetchone() != (None,):
            db.execute("DELETE FROM memdown.agents WHERE agent_id = 'main'")


@contextmanager
def indexed(top: Path) -> Iterator[Stage]:
    with staged(top / "stage") as stage:
        with stage.memory() as memory:
            memory.sync()
        yield stage


def check(stage: Stage) -> None:
    """After one sync, the index answers as one of SQLite does that is made from nothing."""
    stage.stop()
    stage.check_nothing_bad()
    stage.check_notes()
    with stage.memory() as memory:
        memory.sync()
        assert memory.check() == []
        assert not memory._store.leftovers()
        # The second and third time from memory.
        answers = [answers_of(memory) for _ in range(3)]
        files = memory._store.files()
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("MEMDOWN_CONFIG")
        stage.state = stage.top / "plain"
        with stage.memory() as memory:
            memory.sync()
            expected = answers_of(memory)
            assert set(files) == set(memory._store.files())
    for one in answers:
        assert one == expected


def kill_at_random(top: Path, kills: int) -> None:
    rng = random.Random(4)
    with indexed(top) as stage:
        running = {role: stage.start(role, f"{role}0") for role in ROLES}
        for kill in range(1, kills + 1):
            role = rng.choice(ROLES)
            stage.wait_ready(running[role])
            time.sleep(rng.uniform(0.0, 0.8))
            running[role].send_signal(signal.SIGKILL)
            running[role].wait()
            running[role] = stage.start(role, f"{role}{kill}")
        while not all(any(line.startswith(word) for line in stage.said()) for word in DONE):
            time.sleep(0.05)
        check(stage)


@pytest.mark.parametrize("kills", [4, pytest.param(60, marks=pytest.mark.long)])
def test_kills_at_random_points(engine: str, tmp_path: Path, kills: int) -> None:
    (tmp_path / "stage").mkdir()
    kill_at_random(tmp_path, kills)


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_point(engine: str, tmp_path: Path, point: str) -> None:
    if engine == "lancedb" and point == "rebuild.in_flip":
        # LanceDB moves its pointer in one commit: there is no middle to be killed in.
        point = "rebuild.before_flip"
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path) as stage:
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


@pytest.mark.parametrize("appends", [15, pytest.param(200, marks=pytest.mark.long)])
def test_several_writers_during_rebuilds(engine: str, tmp_path: Path, appends: int) -> None:
    """Two processes index, one rebuilds, one searches, and two write notes."""
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path) as stage:
        for role in ("rebuild", "sync", "sync", "search"):
            stage.start(role, role)
        writers = [stage.start("write", f"w{number}", appends) for number in range(2)]
        for writer in writers:
            assert writer.wait(600) == 0
        while not all(any(line.startswith(word) for line in stage.said()) for word in DONE):
            time.sleep(0.05)
        check(stage)


@pytest.mark.long
def test_many_rebuilds_under_readers(engine: str, tmp_path: Path) -> None:
    """Every search finds the note that never changes, whatever is published meanwhile."""
    (tmp_path / "stage").mkdir()
    with indexed(tmp_path) as stage:
        readers = [stage.start("search", f"s{number}") for number in range(3)]
        for reader in readers:
            stage.wait_ready(reader)
        assert stage.start("rebuild", "r", 15).wait(600) == 0
        check(stage)
