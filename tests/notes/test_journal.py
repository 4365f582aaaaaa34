"""The journal of changes and what undo makes of it."""

from __future__ import annotations

import datetime
import random
import string
import time
from pathlib import Path

import apsw
import pytest

from memdown.errors import UndoConflict
from memdown.notes import open_workspace, save
from memdown.notes.arrivals import Arrivals
from memdown.notes.changes import By, delta
from memdown.notes.editing import read_whole
from memdown.notes.journal import Journal, Limits, Recorder, journal_file
from memdown.notes.remembering import Pen, remember_fact
from memdown.notes.undoing import look_now, undo, undo_last, undo_since, versions

TODAY = datetime.date(2026, 11, 17)


@pytest.fixture
def pen(tmp_path: Path) -> Pen:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- one\n- two\n- three\n")
    made = Pen(open_workspace(folder), tmp_path / "state" / "locks", TODAY, By("agent", "s1"))
    made.journal.observe({"MEMORY.md": (folder / "MEMORY.md").read_bytes()}, complete=True)
    return made


def memory(pen: Pen) -> Path:
    return pen.workspace.folder / "MEMORY.md"


def test_every_change_says_who_and_what(pen: Pen) -> None:
    remember_fact(pen, "Nora likes tea.", durable=True)
    memory(pen).write_text(memory(pen).read_text().replace("- two\n", ""))
    look_now(pen, "MEMORY.md")
    outside, ours = pen.journal.changes()
    assert (ours.actor, ours.session, ours.kind) == ("agent", "s1", "changed")
    assert ours.added_text == "- Nora likes tea. (2026-11-17)\n"
    assert (outside.actor, outside.removed_text, outside.added_text) == ("outside", "- two\n", "")


def test_the_first_look_makes_notes_known_and_is_no_change(pen: Pen) -> None:
    assert pen.journal.changes() == []
    (pen.workspace.folder / "memory" / "new.md").write_text("later\n")
    look_now(pen, "memory/new.md")
    assert [change.kind for change in pen.journal.changes()] == ["created"]


def test_a_note_that_was_written_after_a_sync_read_it_is_no_change_from_outside(pen: Pen) -> None:
    """A sync reads for seconds before it looks into the journal; the agent writes meanwhile."""
    recorder = Recorder(pen.journal)
    before = time.time()
    recorder.add("MEMORY.md", memory(pen).read_bytes(), before)
    remember_fact(pen, "Nora likes tea.", durable=True)
    recorder.finish([], complete=True)
    (ours,) = pen.journal.changes()
    undo(pen, ours.id)
    memory(pen).write_text("# Memory\n\n- one\n")
    recorder.add("MEMORY.md", memory(pen).read_bytes(), time.time())
    recorder.finish([], complete=True)
    assert pen.journal.changes()[0].actor == "outside"


def test_undo_leaves_what_others_changed_elsewhere(pen: Pen) -> None:
    remember_fact(pen, "Nora likes tea.", durable=True)
    number = pen.journal.changes()[0].id
    memory(pen).write_text(memory(pen).read_text().replace("- one\n", "- one and a half\n"))
    undo(pen, number)
    assert memory(pen).read_text() == "# Memory\n\n- one and a half\n- two\n- three\n"
    with pytest.raises(UndoConflict, match="already"):
        undo(pen, number)


def test_lines_that_were_changed_again_are_a_conflict(pen: Pen) -> None:
    remember_fact(pen, "Nora likes tea.", durable=True)
    number = pen.journal.changes()[0].id
    memory(pen).write_text(memory(pen).read_text().replace("tea", "coffee"))
    before = memory(pen).read_bytes()
    with pytest.raises(UndoConflict, match="changed again by change"):
        undo(pen, number)
    assert memory(pen).read_bytes() == before


def test_an_undo_can_be_undone(pen: Pen) -> None:
    before = memory(pen).read_bytes()
    remember_fact(pen, "Nora likes tea.", durable=True)
    after = memory(pen).read_bytes()
    undo_last(pen)
    assert memory(pen).read_bytes() == before
    undo(pen, pen.journal.changes()[0].id)
    assert memory(pen).read_bytes() == after
    undo_last(pen)
    assert memory(pen).read_bytes() == before


def test_a_new_note_is_taken_away_again_and_a_lost_one_comes_back(pen: Pen) -> None:
    remember_fact(pen, "Bought milk.")
    undo_last(pen)
    assert not (pen.workspace.folder / "memory" / "2026-11-17.md").exists()
    before = memory(pen).read_bytes()
    memory(pen).unlink()
    look_now(pen, "MEMORY.md")
    undo_last(pen)
    assert memory(pen).read_bytes() == before


def test_secrets_are_not_copied_and_what_held_one_is_not_guessed(pen: Pen) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    memory(pen).write_text(f"# Memory\n\n- token: {secret}\n")
    look_now(pen, "MEMORY.md")
    memory(pen).write_text("# Memory\n\n- gone\n")
    look_now(pen, "MEMORY.md")
    for file in pen.journal.file.parent.iterdir():
        assert secret.encode() not in file.read_bytes()
    with pytest.raises(UndoConflict, match="keeps no secrets"):
        undo_last(pen)
    assert memory(pen).read_text() == "# Memory\n\n- gone\n"


def test_a_replace_across_two_notes_is_taken_back_as_one(pen: Pen) -> None:
    log = pen.workspace.folder / "memory" / "2026-11-01.md"
    log.write_text("# 2026-11-01\n\n- Nora lives in Lisbon.\n")
    look_now(pen, "memory/2026-11-01.md")
    before = log.read_bytes(), memory(pen).read_bytes()
    place = "memory/2026-11-01.md#L3"
    remember_fact(pen, "Nora lives in Porto.", durable=True, replaces=[place])
    after = log.read_bytes(), memory(pen).read_bytes()
    assert {one.path for one in undo_last(pen)} == {"MEMORY.md", "memory/2026-11-01.md"}
    assert (log.read_bytes(), memory(pen).read_bytes()) == before
    undo(pen, pen.journal.changes()[0].id)
    assert (log.read_bytes(), memory(pen).read_bytes()) == after
    # By either of its numbers; if one note cannot go back, the other does not.
    log.write_text(log.read_text().replace("Lisbon", "Lissabon"))
    newest = pen.journal.changes(path="MEMORY.md")[0].id
    with pytest.raises(UndoConflict, match="Nothing was taken back"):
        undo(pen, newest)
    assert memory(pen).read_bytes() == after[1]


def test_a_journal_that_knows_no_acts_goes_on(pen: Pen) -> None:
    remember_fact(pen, "Nora likes tea.", durable=True)
    with apsw.Connection(str(pen.journal.file)) as db:
        db.execute("ALTER TABLE changes DROP COLUMN together")
        db.pragma("user_version", 2)
    db.close()
    remember_fact(pen, "Nora likes figs.", durable=True)
    assert len(pen.journal.changes()) == 2
    assert [one.path for one in undo_last(pen)] == ["MEMORY.md"]
    assert "figs" not in memory(pen).read_text()


def test_a_damaged_journal_keeps_nobody_from_writing(pen: Pen) -> None:
    remember_fact(pen, "Nora likes tea.", durable=True)
    pen.journal.file.write_bytes(b"this is no database" * 500)
    remember_fact(pen, "Ida plays the cello.", durable=True)
    remember_fact(pen, "Teo is a nurse.", durable=True)
    assert "Ida" in memory(pen).read_text()
    assert "Teo" in pen.journal.changes()[0].added_text


def test_a_journal_of_an_earlier_version_goes_on(pen: Pen) -> None:
    """It kept notes as they were; now they are packed."""
    text = memory(pen).read_bytes()
    db = apsw.Connection(str(pen.journal.file))
    db.execute("UPDATE known SET data = ?", (text,))
    db.pragma("user_version", 1)
    db.close()
    memory(pen).write_bytes(text.replace(b"- two\n", b""))
    look_now(pen, "MEMORY.md")
    assert [change.removed_text for change in pen.journal.changes()] == ["- two\n"]


def test_a_copy_that_cannot_be_unpacked_keeps_nobody_from_writing(pen: Pen) -> None:
    db = apsw.Connection(str(pen.journal.file))
    db.execute("UPDATE known SET data = x'00'")
    db.close()
    remember_fact(pen, "Nora likes tea.", durable=True)
    assert "Nora likes tea." in memory(pen).read_text()
    assert list(pen.journal.file.parent.glob("*.damaged-*"))


def test_many_notes_at_first_leave_no_long_log_and_no_secret(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal" / "notes.sqlite")
    secret = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
    draw = random.Random(2)
    words = ["".join(draw.choices(string.ascii_lowercase, k=7)) for _ in range(60_000)]
    text = " ".join(words).encode()
    notes = {f"memory/{number}.md": text[number * 60_000 :][:60_000] for number in range(8)}
    notes["memory/key.md"] = f"The token is {secret}.\n".encode()
    assert journal.observe(notes, complete=True) == 0
    log = journal.file.with_name(journal.file.name + "-wal")
    assert log.stat().st_size < 1024 * 1024
    assert journal.file.stat().st_size < sum(map(len, notes.values())) * 0.8
    assert journal.observe({"memory/key.md": None}) == 1
    assert secret not in journal.changes()[0].removed_text
    assert journal.changes()[0].removed_text.startswith("The token is ")


def test_old_and_too_many_changes_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    text = b""
    for number in range(60):
        new = text + b"- line %d %s\n" % (number, b"x" * 100)
        Journal(file).record("MEMORY.md", text or None, new, By())
        text = new
    assert len(Journal(file).changes()) == 60
    Journal(file, Limits(size=10_000)).observe({"MEMORY.md": text})
    left = Journal(file).changes()
    assert 0 < len(left) < 40
    assert left[0].id == 60
    Journal(file, Limits(days=0)).observe({"MEMORY.md": text})
    assert Journal(file).changes() == []


def test_versions_go_back_to_what_is_known(pen: Pen) -> None:
    first = memory(pen).read_text()
    remember_fact(pen, "Nora likes tea.", durable=True)
    second = memory(pen).read_text()
    memory(pen).write_text("# Memory\n")
    assert [one.text for one in versions(pen, "MEMORY.md")] == ["# Memory\n", second, first]


def some_lines(draw: random.Random, text: str) -> str:
    """A text with a few of its lines taken away, changed, added or moved."""
    lines = text.split("\n")
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(lines) + 1)
        match draw.randrange(4):
            case 0:
                lines[at:at] = [f"- new {draw.randrange(1000)} ü字"]
            case 1:
                del lines[at : at + draw.randint(1, 2)]
            case 2 if at < len(lines):
                lines[at] += " more"
            case _:
                lines.append("")
    return "\n".join(lines)


def live_and_undo(folder: Path, seed: int) -> None:
    """Edits by several writers, then everything taken back: the bytes are those of the beginning."""
    draw = random.Random(seed)
    notes = folder / "notes"
    (notes / "memory").mkdir(parents=True)
    names = ["MEMORY.md", "memory/a.md", "memory/b.md"]
    ending = draw.choice(["\n", "\r\n"])
    for name in names[: draw.randint(1, 3)]:
        (notes / name).write_bytes(
            (draw.choice(["", "\ufeff"]) + ending.join(["# T", "", "- a", "- b", "- c"])).encode()
        )
    pen = Pen(open_workspace(notes), folder / "state" / "locks", TODAY)
    pen.journal.observe(
        {n: (notes / n).read_bytes() for n in names if (notes / n).exists()}, complete=True
    )
    first = {name: (notes / name).read_bytes() for name in names if (notes / name).exists()}
    begun = datetime.datetime.now().astimezone()
    for _ in range(draw.randint(2, 8)):
        name = draw.choice(names)
        path = notes / name
        match draw.randrange(4):
            case 0:
                remember_fact(pen, f"Fact {draw.randrange(10**6)}.", durable=draw.random() < 0.5)
            case 1 if path.exists():
                note = read_whole(pen.workspace, name)
                save(
                    pen.workspace,
                    name,
                    some_lines(draw, note.text),
                    base=note.version,
                    lock_dir=pen.lock_dir,
                )
            case 2 if path.exists() and draw.random() < 0.3:
                path.unlink()
                look_now(pen, name)
            case _:
                old = path.read_bytes().decode() if path.exists() else ""
                path.write_bytes(some_lines(draw, old).encode())
                look_now(pen, name)
    undo_since(pen, begun)
    assert {n: (notes / n).read_bytes() for n in names if (notes / n).exists()} == first, seed


@pytest.mark.parametrize("seed", range(12))
def test_random_histories_are_undone_byte_by_byte(tmp_path: Path, seed: int) -> None:
    live_and_undo(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_random_histories(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 50):
        live_and_undo(tmp_path / str(seed), seed)


def test_deltas_are_whole_lines_and_give_the_old_text_back() -> None:
    draw = random.Random(7)
    text = "# T\n\n- a\n- b\n"
    for _ in range(300):
        new = some_lines(draw, text)
        before, after = text.encode(), new.encode()
        found = delta(before, after)
        end = found.at + len(found.added)
        assert after[: found.at] + found.removed + after[end:] == before
        assert not found.at or before[found.at - 1 : found.at] == b"\n"
        text = new if len(new) < 2000 else "# T\n"


def test_the_journal_lies_beside_the_locks(tmp_path: Path) -> None:
    file = journal_file(tmp_path / "notes", tmp_path / "state" / "locks")
    assert file.parent == tmp_path / "state" / "journal"


class Clock:
    """What the journal takes for now, in days from a Monday."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.first = datetime.datetime(2026, 3, 2, 12).astimezone()
        self.day = 0
        monkeypatch.setattr("memdown.notes.journal.time.time", self.now)

    def now(self) -> float:
        return (self.first + datetime.timedelta(self.day)).timestamp()

    def date(self, day: int) -> datetime.date:
        return (self.first + datetime.timedelta(day)).date()


def test_facts_have_the_day_on_which_they_came(pen: Pen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when their spelling is mended, they are struck, brought back, or moved with their note."""
    clock = Clock(monkeypatch)
    seen = Arrivals(pen.journal)
    note = memory(pen)
    for text in (
        "- one\n- The canoe is in Hambrug.\n",
        "- one\n- The canoe is in Hamburg.\n- Seats 3 people.\n",
        "- one\n- ~~The canoe is in Hamburg.~~\n- Seats 4 people.\n",
    ):
        clock.day += 1
        note.write_text(f"# Memory\n\n{text}")
        look_now(pen, "MEMORY.md")
        seen.of("MEMORY.md")
    canoe = {"The canoe is in Hamburg.": clock.date(1)}
    assert days(seen, "MEMORY.md") == {**canoe, "Seats 4 people.": clock.date(3)}
    clock.day = 4
    undo_last(pen)
    assert days(seen, "MEMORY.md") == {**canoe, "Seats 3 people.": clock.date(2)}
    clock.day = 5
    moved = note.with_name("boats.md")
    note.rename(moved)
    pen.journal.observe({"MEMORY.md": None, "boats.md": moved.read_bytes()})
    assert days(seen, "boats.md") == {**canoe, "Seats 3 people.": clock.date(2)}
    assert Arrivals(pen.journal).of("boats.md") == seen.of("boats.md"), (
        "read at once, or bit by bit"
    )


def test_what_is_asked_in_a_row_is_as_of_one_moment(
    pen: Pen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer compares facts by when they came: all of them by the same look at the journal."""
    clock = Clock(monkeypatch)
    arrivals = Arrivals(pen.journal)
    earlier = arrivals.until_now()
    clock.day = 1
    memory(pen).write_text("# Memory\n\n- The canoe is in Hamburg.\n")
    look_now(pen, "MEMORY.md")
    assert earlier("MEMORY.md") == {}
    assert set(arrivals.until_now()("MEMORY.md")) == {"The canoe is in Hamburg."}


def days(seen: Arrivals, path: str) -> dict[str, datetime.date]:
    return {text: came.day for text, came in seen.of(path).items()}


def test_of_two_changes_of_ours_the_later_is_known(
    pen: Pen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also within a second; of what other programs wrote only what was seen at another time."""
    clock = Clock(monkeypatch)
    for text, path in (("first", "a.md"), ("second", "b.md")):
        pen.journal.record(path, None, f"- {text}\n".encode(), By("agent"))
    pen.journal.observe({"c.md": b"- third\n", "d.md": b"- fourth\n"})
    clock.day += 1
    pen.journal.observe({"e.md": b"- fifth\n"})
    seen = Arrivals(pen.journal)
    came = {text: one for name in "abcde" for text, one in seen.of(f"{name}.md").items()}
    assert came["second"].is_after(came["first"]) is True
    assert came["first"].is_after(came["second"]) is False
    assert came["fourth"].is_after(came["third"]) is None
    assert came["third"].is_after(came["second"]) is None
    assert came["fifth"].is_after(came["fourth"]) is True


def test_without_a_journal_no_day_is_known(tmp_path: Path) -> None:
    assert Arrivals(Journal(tmp_path / "none.sqlite")).of("MEMORY.md") == {}
