"""Several processes write at once, and some are killed while they do."""

from __future__ import annotations

import datetime
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from memdown.notes import Workspace, open_workspace, pending, remember, repair
from notes.killed import ended, write_a_part

TODAY = datetime.date(2026, 3, 1)

WRITING = """
import datetime, pathlib, sys
from memdown.notes import open_workspace, remember
folder, locks, name, count, length = sys.argv[1:]
workspace = open_workspace(pathlib.Path(folder))
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    text = f"{name}:{number} begin " + "x" * int(length) + "\\nsecond line\\nend"
    cited = remember(workspace, text, durable=False, today=datetime.date(2026, 3, 1),
                     lock_dir=pathlib.Path(locks))
    print(number, cited.start_line, cited.end_line, flush=True)
"""

ENTRY = re.compile(r"- (\w+):(\d+) begin (x+)\n  second line\n  end\n")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace").mkdir()
    return open_workspace(tmp_path / "workspace")


def writer(workspace: Workspace, locks: Path, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITING, str(workspace.folder), str(locks)]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def start(processes: list[subprocess.Popen[str]]) -> None:
    """Let all of them go at the same moment."""
    for process in processes:
        assert process.stdout
        process.stdout.readline()
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()


def whole_entries(text: str) -> Counter[tuple[str, int]]:
    """The entries of a log that holds nothing but whole entries."""
    heading, blank, body = text.split("\n", 2)
    assert (heading, blank) == ("# 2026-03-01", "")
    assert ENTRY.sub("", body) == ""
    return Counter((found[1], int(found[2])) for found in ENTRY.finditer(body))


def test_writers_at_once_lose_nothing(workspace: Workspace, tmp_path: Path) -> None:
    names = ["a", "b", "c", "d"]
    processes = [writer(workspace, tmp_path / "locks", name, 20, 3000) for name in names]
    start(processes)
    cited = {}
    for name, process in zip(names, processes, strict=True):
        output, _ = process.communicate()
        assert process.returncode == 0
        for line in output.splitlines():
            number, first, last = map(int, line.split())
            cited[name, number] = (first, last)

    text = (workspace.folder / "memory/2026-03-01.md").read_text()
    assert whole_entries(text) == Counter((name, number) for name in names for number in range(20))
    lines = text.split("\n")
    for (name, number), (first, last) in cited.items():
        assert lines[first - 1].startswith(f"- {name}:{number} begin")
        assert lines[last - 1] == "  end"


def test_killed_writers_leave_whole_entries(workspace: Workspace, tmp_path: Path) -> None:
    """What was confirmed is there; what was not is there whole or not at all."""
    chance = random.Random(1)
    confirmed: set[tuple[str, int]] = set()
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"]:
        process = writer(workspace, tmp_path / "locks", name, 10_000, 9000)
        start([process])
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.08))
        process.send_signal(signal.SIGKILL)
        output = first + process.communicate()[0]
        complete = output[: output.rfind("\n") + 1].splitlines()
        confirmed |= {(name, int(line.split()[0])) for line in complete}
        repair(workspace, tmp_path / "locks")

    found = whole_entries((workspace.folder / "memory/2026-03-01.md").read_text())

    assert confirmed
    assert confirmed <= set(found)
    assert max(found.values()) == 1


@pytest.mark.parametrize("part", [0, 1, 14, 20, 10_000])
@pytest.mark.parametrize("before", [None, "# 2026-03-01\n\n- before\n"])
def test_a_writer_killed_in_the_middle_of_its_write(
    workspace: Workspace, tmp_path: Path, before: str | None, part: int
) -> None:
    log = workspace.folder / "memory/2026-03-01.md"
    if before:
        log.parent.mkdir()
        log.write_text(before)
    given = (workspace.folder, tmp_path / "locks", part)
    assert ended(write_a_part, *given, output=tmp_path / "said") == -signal.SIGKILL

    remember(workspace, "next", durable=False, today=TODAY, lock_dir=tmp_path / "locks")

    cut_off = "- cut off in the middle\n" if part else ""
    assert log.read_text() == (before or "# 2026-03-01\n\n") + cut_off + "- next\n"
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_note_replaced_meanwhile_gets_the_entry(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors save by renaming; an entry must not end in the file that was just replaced."""
    note = workspace.folder / "MEMORY.md"
    note.write_text("# Memory\n")
    saves = iter(["# Saved by an editor\n"])
    record = pending.record

    def save_meanwhile(lock: int, intent: pending.Intent) -> None:
        for text in saves:
            (workspace.folder / "new").write_text(text)
            (workspace.folder / "new").rename(note)
        record(lock, intent)

    monkeypatch.setattr(pending, "record", save_meanwhile)
    cited = remember(workspace, "kept", durable=True, today=TODAY, lock_dir=tmp_path / "locks")

    assert note.read_text() == "# Saved by an editor\n\n- kept\n"
    assert str(cited) == "MEMORY.md#L3-L3"
