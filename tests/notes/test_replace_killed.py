"""`kill -9` at every step of a replace leaves the old fact or the new one, never half."""

from __future__ import annotations

import datetime
import signal
import threading
from pathlib import Path

import pytest

from memdown.notes import open_workspace, repair
from memdown.notes.remembering import Pen, remember_fact
from memdown.notes.statements import facts_of
from notes.killed import ended, replace_fact

TODAY = datetime.date(2026, 11, 17)
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
    said = folder / "said"
    given = (folder / "notes", folder / "locks", old)
    assert ended(replace_fact, *given, output=said, failpoint=point) == -signal.SIGKILL, said


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


@pytest.mark.parametrize(
    "point",
    ["replace.recorded", "save.recorded", "replace.written", "save.swapped", "replace.struck"],
)  # fmt: skip
def test_between_two_notes_it_is_done_or_was_not_begun(tmp_path: Path, point: str) -> None:
    """The old log is struck after today's was written; whoever looks next completes it."""
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    old, new = notes / "memory/2026-11-03.md", notes / "memory/2026-11-17.md"
    old.write_text("- Lives in Lisbon.\n")
    die(tmp_path, "memory/2026-11-03.md#L1", point)
    workspace = open_workspace(notes)
    repair(workspace, tmp_path / "locks")
    before = [(fact.text, fact.struck) for fact in facts_of(old.read_text())]
    after = [(fact.text, fact.struck) for fact in facts_of(new.read_text() if new.exists() else "")]
    was: tuple[list[tuple[str, bool]], list[tuple[str, bool]]]
    was = ([("Lives in Lisbon.", False)], [])
    done = ([("Lives in Lisbon.", True)], [("Lives in Porto.", False), ("Lives in Lisbon.", True)])
    assert (before, after) in (was, done)
    assert ((before, after) == done) == (point not in ("replace.recorded", "save.recorded"))
    assert not list((tmp_path / "locks").glob("*.replace.json"))
    if (before, after) == was:
        pen = Pen(workspace, tmp_path / "locks", TODAY)
        remember_fact(pen, "Lives in Porto.", replaces=["memory/2026-11-03.md#L1"])
        assert [fact.struck for fact in facts_of(old.read_text())] == [True]


def test_a_replace_that_is_under_way_is_left_to_its_writer(tmp_path: Path) -> None:
    """Another process looks in the middle of it: nothing is struck twice, and nothing is refused."""
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory/2026-11-03.md").write_text("- Lives in Lisbon.\n")
    workspace = open_workspace(notes)
    pen = Pen(workspace, tmp_path / "locks", TODAY)
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            repair(workspace, tmp_path / "locks")

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for number in range(10):
            remember_fact(pen, f"Rents flat {number}.", replaces=[])
            (notes / "memory/2026-11-03.md").write_text(f"- Owns house {number}.\n")
            remember_fact(pen, f"Sold house {number}.", replaces=["memory/2026-11-03.md#L1"])
            assert "~~" in (notes / "memory/2026-11-03.md").read_text()
    finally:
        stop.set()
        thread.join()
