"""`kill -9` at any point: no note lost, no half index, no torn read."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import memdown
from faults.stage import Stage, staged

Tell = Callable[[str], None]
ROLES = ("write", "sync", "rebuild", "search")
DONE = ("WROTE", "SYNCED", "REBUILT", "SEARCHED")


def kill_at_random(top: Path, kills: int, tell: Tell) -> None:
    rng = random.Random(4)
    with staged(top) as stage:
        with stage.memory() as memory:
            memory.sync()
        running = {role: stage.start(role, f"{role}0") for role in ROLES}
        for kill in range(1, kills + 1):
            role = rng.choice(ROLES)
            # On a busy machine a process needs a while to come to what it is killed in.
            stage.wait_ready(running[role])
            time.sleep(rng.uniform(0.0, 0.6))
            running[role].send_signal(signal.SIGKILL)
            running[role].wait()
            running[role] = stage.start(role, f"{role}{kill}")
        for process in running.values():
            stage.wait_ready(process)
        while not all(any(line.startswith(word) for line in stage.said()) for word in DONE):
            time.sleep(0.05)
        stage.stop()
        stage.check_nothing_bad()
        with stage.memory() as memory:
            memory.sync()
        written = stage.check_notes()
        stage.check_index()
        said = stage.said()
    done = {word: said.count(word) for word in ("SYNCED", "SEARCHED")}
    rebuilt = sum(line.startswith("REBUILT") for line in said)
    tell(
        f"{kills} kills; {written} acknowledged notes, 0 lost; {done['SYNCED']} syncs, {rebuilt} "
        f"rebuilds, {done['SEARCHED']} searches, 0 torn; the index equals a rebuild"
    )


def test_kills_at_random_points(tmp_path: Path, tell: Tell) -> None:
    kill_at_random(tmp_path, 12, tell)


@pytest.mark.long
def test_two_hundred_kills_at_random_points(tmp_path: Path, tell: Tell) -> None:
    kill_at_random(tmp_path, 200, tell)


def failpoints() -> list[str]:
    """Every name that the sources pass to `reach`."""
    sources = Path(memdown.__file__).parent.rglob("*.py")
    names = {
        name
        for source in sources
        for line in source.read_text().splitlines()
        if "reach(" in line
        for name in re.findall(r'"([a-z]+\.[a-z_]+)"', line)
    }
    assert len(names) >= 15
    return sorted(names)


def role_for(point: str) -> str:
    if point.startswith("append."):
        return "write"
    if point.startswith("save."):
        return "edit"
    return "rebuild" if point.startswith(("rebuild.", "cache.")) else "sync"


def prepare_for(point: str, stage: Stage) -> None:
    """Make the point lie on the way."""
    with stage.memory() as memory:
        memory.sync()
    if point.startswith("index."):
        (stage.folder / "memory/topic1.md").unlink()
        for number in range(20, 24):
            (stage.folder / f"memory/more{number}.md").write_text(f"more {number} alpha\n")
    if point.startswith("cache."):
        (stage.folder / "memory/fresh.md").write_text("a text that was never embedded before\n")
    if point == "aside.half":
        stage.index.write_bytes(b"garbage" * 1000)


@pytest.mark.parametrize("point", failpoints())
def test_a_kill_at_a_named_point(tmp_path: Path, point: str) -> None:
    with staged(tmp_path) as stage:
        prepare_for(point, stage)
        count = 3 if point in ("index.file", "rebuild.file", "append.written") else 1
        # Only the second edit meets another, so two of them are on the way to every point.
        edits = 2 if point.startswith("save.") else 5
        process = stage.start(role_for(point), "p", edits, failpoint=f"{point}:{count}")
        assert process.wait(60) == -signal.SIGKILL, stage.said()
        stage.check_nothing_bad()
        with stage.memory() as memory:
            memory.sync()
        stage.check_notes()
        stage.check_index()


def test_no_embedding_is_paid_twice_after_a_kill(tmp_path: Path) -> None:
    """What was embedded before a rebuild was killed comes from the cache afterwards."""
    with staged(tmp_path) as stage:
        process = stage.start("sync", "p", 1, failpoint="cache.written")
        assert process.wait(60) == -signal.SIGKILL
        with stage.memory() as memory:
            report = memory.sync()
            assert report.chunks > 0
            assert report.embedded == 0
