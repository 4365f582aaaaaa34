"""A disk that is full, and folders that cannot be written: a clear error, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.figures import Campaign
from faults.stage import WORKER
from faults.worker import open_memory, search_as_nobody
from forked import Forked

# Runs in a mount namespace of its own, where anyone may mount a small file system.
ON_A_SMALL_DISK = """
import os, pathlib, subprocess, sys
sys.path.insert(0, sys.argv[2])
from faults.worker import open_memory
from memdown import MemdownError
disk = pathlib.Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=True)
folder, state = disk / "workspace", disk / "state"
(folder / "memory").mkdir(parents=True)
for number in range(20):
    (folder / f"memory/n{number}.md").write_text(f"note {number} lighthouse alpha {number}\\n" * 20)
before = {file: file.read_bytes() for file in folder.rglob("*.md")}
if sys.argv[3] == "index first":
    with open_memory(folder, state) as memory:
        memory.sync()
filler = disk / "filler"
def fill(room):
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with filler.open("ab") as file:
        file.write(bytes(max(0, free - room)))
fill(int(sys.argv[4]))
for number in range(40, 60):
    text = f"note {number} lighthouse beta {number}\\n" * 20
    try:
        (folder / f"memory/n{number}.md").write_text(text)
    except OSError:
        (folder / f"memory/n{number}.md").unlink(missing_ok=True)
        break
    before[folder / f"memory/n{number}.md"] = text.encode()
said = set()
def attempt(what):
    try:
        return what()
    except MemdownError as error:
        said.add(type(error).__name__ + ": " + str(error))
with open_memory(folder, state) as memory:
    attempt(memory.sync)
    attempt(lambda: memory.sync(force=True))
    if sys.argv[3] == "index first":
        answer = memory.search("note 7 lighthouse alpha", min_score=0.0)
        assert answer.hits, answer
    fill(0)
    for _ in range(3):
        attempt(lambda: memory.remember("remember this " * 400))
    for file, data in before.items():
        assert file.read_bytes() == data, file
    filler.unlink()
    assert memory.sync().failed == ()
    assert memory.index.check() == []
    assert memory.search("note 7 lighthouse alpha", min_score=0.0).hits[0].path == "memory/n7.md"
    memory.remember("there is space again")
    (folder / "memory/after.md").write_text("the pelican is back\\n")
    assert memory.search("pelican", min_score=0.0).hits[0].path == "memory/after.md"
print("\\n".join(sorted(said)))
"""


def on_a_small_disk(when: str, room: int) -> list[str]:
    with tempfile.TemporaryDirectory() as disk:
        done = subprocess.run(
            [
                *("unshare", "--user", "--map-root-user", "--mount"),
                *(
                    sys.executable,
                    "-c",
                    ON_A_SMALL_DISK,
                    disk,
                    WORKER.parent.parent,
                    when,
                    str(room),
                ),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def fill(rooms: list[int], campaign: Campaign) -> None:
    done = campaign("a file system of 2 MiB filled to different levels")
    errors: set[str] = set()
    for room in rooms:
        for when in ("index first", "index after"):
            said = on_a_small_disk(when, room)
            assert all("space" in line for line in said), said
            errors |= {line.split(":")[0] for line in said}
    assert "WorkspaceError" in errors
    assert "DiskFull" in errors
    done(
        f"{2 * len(rooms)} times",
        f"clear errors ({', '.join(sorted(errors))}), no note changed, all indexed when there was "
        "space again",
    )


def test_a_full_disk(campaign: Campaign) -> None:
    fill([0, 70_000], campaign)


@pytest.mark.long
def test_a_disk_filled_to_many_levels(campaign: Campaign) -> None:
    fill([step * 16_384 for step in range(40)], campaign)


@pytest.fixture
def open_top() -> Iterator[Path]:
    """A folder that everybody may enter; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        top.chmod(0o755)
        yield top
        for folder in [top, *(path for path in top.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)


def as_nobody(top: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        code = Forked(search_as_nobody, top, output=said).wait()
        assert code == 0, said.read_text()
        return said.read_text()


def make_index(top: Path) -> None:
    (top / "workspace/memory").mkdir(parents=True)
    (top / "workspace/memory/a.md").write_text("The lighthouse is white.\n")
    with open_memory(top / "workspace", top / "state") as memory:
        memory.sync()
    for path in [top, *top.rglob("*")]:
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)


def test_a_read_only_state_folder_still_answers(open_top: Path) -> None:
    make_index(open_top)
    assert as_nobody(open_top) == "1 False\n"
    (open_top / "state/memory").chmod(0o555)
    for file in (open_top / "state/memory").iterdir():
        file.chmod(0o444)
    assert as_nobody(open_top) == "1 False\n"
    (open_top / "workspace/memory/b.md").write_text("Another lighthouse is red.\n")
    said = as_nobody(open_top)
    assert said.startswith("1 True partial: the index could not be brought up to date")
    assert "cannot be written" in said


def test_a_folder_that_cannot_be_read_for_a_while_keeps_its_notes(open_top: Path) -> None:
    """An unplugged disk or a wrong mode is no reason to forget and embed everything again."""
    make_index(open_top)
    (open_top / "workspace/memory/inner").mkdir()
    (open_top / "workspace/memory/inner/c.md").write_text("The third lighthouse is blue.\n")
    if os.geteuid() == 0:
        os.chown(open_top / "workspace/memory/inner", 65534, 65534)
    assert as_nobody(open_top).startswith("2 False")
    (open_top / "workspace/memory/inner").chmod(0)
    assert as_nobody(open_top).startswith("2 True partial: memory/inner cannot be read")
