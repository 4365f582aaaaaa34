"""`kill -9` at any point: no note lost, no half index, no torn read."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

import memdown
from faults.figures import Campaign
from faults.stage import KILLED, Stage, staged


def kill_at_random(top: Path, kills: int, campaign: Campaign) -> None:
    done = campaign(f"{KILLED}: SQLite")
    with staged(top) as stage:
        with stage.memory() as memory:
            memory.sync()
        stage.kill_at_random(kills)
        stage.check_nothing_bad()
        with stage.memory() as memory:
            memory.sync()
        written = stage.check_notes()
        stage.check_index()
        did = stage.done()
    done(
        f"{kills} kills",
        f"{written:,} acknowledged notes, 0 lost, 0 torn, 0 twice; {did['sync']:,} syncs, "
        f"{did['rebuild']:,} rebuilds, {did['search']:,} searches, all whole; the index equals a "
        "rebuild",
    )


@pytest.mark.parametrize("kills", [6, pytest.param(300, marks=pytest.mark.long)])
def test_kills_at_random_points(tmp_path: Path, campaign: Campaign, kills: int) -> None:
    kill_at_random(tmp_path, kills, campaign)


def failpoints() -> list[str]:
    """Every name that the sources pass to `reach`; tests/notes/test_replace_killed.py has `replace.`."""
    sources = Path(memdown.__file__).parent.rglob("*.py")
    names = {
        name
        for source in sources
        for line in source.read_text().splitlines()
        if "reach(" in line
        for name in re.findall(r'"([a-z]+\.[a-z_]+)"', line)
        if not name.startswith("replace.")
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
    with staged(tmp_path, topics=5) as stage:
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
