"""`kill -9` at every step of a replace leaves the old fact or the new one, never half."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memdown.notes import open_workspace, repair
from memdown.notes.remembering import Pen, remember_fact
from memdown.notes.statements import facts_of

TODAY = datetime.date(2026, 11, 17)
REPLACING = """
import datetime, pathlib, sys
from memdown.notes import open_workspace
from memdown.notes.remembering import Pen, remember_fact
folder, locks, old = sys.argv[1:]
pen = Pen(open_workspace(pathlib.Path(folder)), pathlib.Path(locks), datetime.date(2026, 11, 17))
remember_fact(pen, "Lives in Porto.", replaces=[old])
"""
OLD = "# Memory\n\n- Likes tea.\n- Lives in Lisbon.\n"
NEW = (
    "# Memory\n\n- Likes tea.\n- Lives in Porto. (since 2026-11-17)\n"
    "  - ~~Lives in Lisbon.~~ (until 2026-11-17)\n"
)
POINTS = (
    "append.recording",
    "save.recorded",
    "save.drafting",
    "save.drafted",
    "save.swapped",
    "save.done",
    "save.settled",
    "replace.written",
)


def die(folder: Path, old: str, point: str) -> None:
    """Replace a fact in a process that is killed at a point."""
    process = subprocess.run(
        [sys.executable, "-c", REPLACING, str(folder / "notes"), str(folder / "locks"), old],
        env={**os.environ, "MEMDOWN_FAILPOINT": point},
        check=False,
        capture_output=True,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr


@pytest.mark.parametrize("point", POINTS)
def test_a_note_holds_the_old_fact_or_the_new_one(tmp_path: Path, point: str) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text(OLD)
    die(tmp_path, "MEMORY.md#L4", point)
    workspace = open_workspace(notes)
    repair(workspace, tmp_path / "locks")
    assert (notes / "MEMORY.md").read_text() in (OLD, NEW)
    assert [file.name for file in notes.iterdir()] == ["MEMORY.md"]
    # Whoever says it again completes it, and nothing stands twice.
    pen = Pen(workspace, tmp_path / "locks", TODAY)
    if (notes / "MEMORY.md").read_text() == OLD:
        remember_fact(pen, "Lives in Porto.", replaces=["MEMORY.md#L4"])
    assert (notes / "MEMORY.md").read_text() == NEW


def test_between_two_notes_the_new_fact_names_what_it_replaced(tmp_path: Path) -> None:
    """The old log is struck after today's was written: killed between, both are there."""
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "2026-11-03.md").write_text("- Lives in Lisbon.\n")
    die(tmp_path, "memory/2026-11-03.md#L1", "replace.written")
    new = (notes / "memory" / "2026-11-17.md").read_text()
    assert [(fact.text, fact.struck) for fact in facts_of(new)] == [
        ("Lives in Porto.", False),
        ("Lives in Lisbon.", True),
    ]
    pen = Pen(open_workspace(notes), tmp_path / "locks", TODAY)
    remember_fact(pen, "Lives in Porto.", replaces=["memory/2026-11-03.md#L1"])
    assert "- ~~Lives in Lisbon.~~" in (notes / "memory" / "2026-11-03.md").read_text()
    assert (notes / "memory" / "2026-11-17.md").read_text() == new
