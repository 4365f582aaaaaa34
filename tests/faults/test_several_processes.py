"""Several processes at once: nobody is locked out, and everyone sees a whole index."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.stage import staged

Tell = Callable[[str], None]


def append_during_rebuilds(top: Path, appends: int, tell: Tell) -> None:
    with staged(top) as stage:
        with stage.memory() as memory:
            memory.sync()
        rebuilding = stage.start("rebuild", "r")
        writers = [stage.start("write", f"w{number}", appends) for number in range(4)]
        for writer in writers:
            assert writer.wait(600) == 0
        rebuilding.kill()
        rebuilding.wait()
        stage.check_nothing_bad()
        assert not [line for line in stage.said() if "locked" in line.lower()]
        assert len(stage.entries()) == 4 * appends
        assert stage.check_notes() == 4 * appends
        stage.check_index()
        said = stage.said()
    longest = max(float(line.split()[1]) for line in said if line.startswith("LONGEST"))
    rebuilds = sum(line.startswith("REBUILT") for line in said)
    assert rebuilds >= 1
    assert longest < 2.0
    tell(
        f"4 × {appends} appends during {rebuilds} rebuilds: {4 * appends} entries, "
        f'0 "database is locked", longest wait {longest * 1000:.0f} ms'
    )


def test_appends_during_rebuilds(tmp_path: Path, tell: Tell) -> None:
    append_during_rebuilds(tmp_path, 60, tell)


@pytest.mark.long
def test_a_thousand_appends_each_during_rebuilds(tmp_path: Path, tell: Tell) -> None:
    append_during_rebuilds(tmp_path, 1000, tell)


def read_during_rebuilds(top: Path, rebuilds: int, tell: Tell) -> None:
    with staged(top) as stage:
        with stage.memory() as memory:
            memory.sync()
            chunks = sum(memory.status().store.chunks.values())
        readers = [stage.start("follow", f"f{number}", 600) for number in range(3)]
        while sum(line.startswith("SAW") for line in stage.said()) < 3:
            time.sleep(0.02)
            assert all(reader.poll() is None for reader in readers), stage.said()
        before = min(int(line.split()[1]) for line in stage.said() if line.startswith("SAW"))
        assert stage.start("rebuild", "r", rebuilds).wait(600) == 0
        last = max(float(line.split()[1]) for line in stage.said() if line.startswith("REBUILT"))
        newest = 0
        while newest < 3:
            time.sleep(0.02)
            seen = [line.split() for line in stage.said() if line.startswith("SAW")]
            newest = sum(int(number) >= before + rebuilds for _, number, _, _ in seen)
            assert all(reader.poll() is None for reader in readers), stage.said()
        stage.stop()
        stage.check_nothing_bad()
        said = stage.said()
    seen = [line.split() for line in said if line.startswith("SAW")]
    assert {int(count) for _, _, count, _ in seen} == {chunks}
    published = sorted(float(line.split()[1]) for line in said if line.startswith("REBUILT"))
    revisions = sorted({int(number) for _, number, _, _ in seen})[-rebuilds:]
    first_seen = max(float(at) for _, number, _, at in seen if int(number) == revisions[-1])
    late = first_seen - last
    assert late < 1.0
    tell(
        f"{len(published)} rebuilds, 3 readers, {len(seen)} new states seen, every one with all "
        f"{chunks} chunks; the last one everywhere {max(0.0, late) * 1000:.0f} ms after the flip"
    )


def test_rebuilds_under_readers(tmp_path: Path, tell: Tell) -> None:
    read_during_rebuilds(tmp_path, 8, tell)


@pytest.mark.long
def test_fifty_rebuilds_under_readers(tmp_path: Path, tell: Tell) -> None:
    read_during_rebuilds(tmp_path, 50, tell)
