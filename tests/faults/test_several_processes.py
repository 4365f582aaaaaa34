"""Several processes at once: nobody is locked out, and everyone sees a whole index."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.figures import Campaign
from faults.stage import staged
from waiting import eventually


def append_during_rebuilds(top: Path, appends: int, campaign: Campaign) -> None:
    done = campaign("four processes append while one rebuilds the index")
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
    done(
        f"4 × {appends:,} appends during {rebuilds} rebuilds",
        f"{4 * appends:,} entries, each once; 0 times “database is locked”; longest wait "
        f"{longest * 1000:.0f} ms",
    )


@pytest.mark.parametrize("appends", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_appends_during_rebuilds(tmp_path: Path, campaign: Campaign, appends: int) -> None:
    append_during_rebuilds(tmp_path, appends, campaign)


def read_during_rebuilds(top: Path, rebuilds: int, campaign: Campaign) -> None:
    done = campaign("readers while another process rebuilds the index")
    with staged(top) as stage:
        with stage.memory() as memory:
            memory.sync()
            chunks = sum(memory.status().store.chunks.values())
        readers = [stage.start("follow", f"f{number}", 600) for number in range(3)]

        def saw() -> list[int]:
            """The states of the index that readers saw, by number."""
            assert all(reader.poll() is None for reader in readers), stage.said()
            return [int(line.split()[1]) for line in stage.said() if line.startswith("SAW")]

        eventually(lambda: len(saw()) >= 3)
        before = min(saw())
        assert stage.start("rebuild", "r", rebuilds).wait(600) == 0
        last = max(float(line.split()[1]) for line in stage.said() if line.startswith("REBUILT"))
        eventually(lambda: sum(number >= before + rebuilds for number in saw()) >= 3)
        stage.stop()
        stage.check_nothing_bad()
        said = stage.said()
    seen = [line.split() for line in said if line.startswith("SAW")]
    assert {int(count) for _, _, count, _ in seen} == {chunks}
    published = sorted(float(line.split()[1]) for line in said if line.startswith("REBUILT"))
    revisions = sorted({int(number) for _, number, _, _ in seen})[-rebuilds:]
    first_seen = max(float(at) for _, number, _, at in seen if int(number) == revisions[-1])
    late = first_seen - last
    done(
        f"{len(published)} rebuilds, 3 readers",
        f"{len(seen)} new states seen, each with all {chunks} chunks; the last one by all readers "
        f"{max(0.0, late) * 1000:.0f} ms after it was published",
    )


@pytest.mark.parametrize("rebuilds", [4, pytest.param(50, marks=pytest.mark.long)])
def test_rebuilds_under_readers(tmp_path: Path, campaign: Campaign, rebuilds: int) -> None:
    read_during_rebuilds(tmp_path, rebuilds, campaign)
