"""Facts that are remembered, replaced and known, in real files."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from memdown.errors import WorkspaceError
from memdown.notes import open_workspace
from memdown.notes.arrivals import Arrivals
from memdown.notes.changes import By
from memdown.notes.remembering import Pen, Remembered, remember_fact
from memdown.notes.undoing import look_now

MEMORY = """\
# Memory

What lasts.

## Nora

- Likes tea.
- Lives in Lisbon. (2026-11-01)

## Work

- The stand-up is at 09:30.

## Coming up

- 2026-11-22: Yokohama
"""


class Life:
    """A workspace to which things are told day by day."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "notes"
        self.folder.mkdir()
        self._locks = folder / "state" / "locks"

    def pen(self, day: int) -> Pen:
        today = datetime.date(2026, 11, day)
        return Pen(open_workspace(self.folder), self._locks, today, By("agent"))

    def tell(self, day: int, text: str, **more: object) -> Remembered:
        return remember_fact(self.pen(day), text, **more)  # type: ignore[arg-type]

    def read(self, path: str = "MEMORY.md") -> str:
        return (self.folder / path).read_text()


@pytest.fixture
def life(tmp_path: Path) -> Life:
    made = Life(tmp_path)
    (made.folder / "MEMORY.md").write_text(MEMORY)
    return made


def test_a_replaced_fact_is_struck_dated_and_nested(life: Life) -> None:
    done = life.tell(6, "Lives in Porto.", durable=True, replaces=["MEMORY.md#L8"])
    assert (
        "- Likes tea.\n- Lives in Porto. (since 2026-11-06)\n"
        "  - ~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)\n\n## Work" in life.read()
    )
    assert done.replaced == ("MEMORY.md#L8",)
    assert done.reference == "MEMORY.md#L8"


def test_history_stays_below_what_replaces_again(life: Life) -> None:
    life.tell(6, "Lives in Porto.", replaces=["Lives in Lisbon"])
    life.tell(9, "Lives in Braga.", replaces=["Lives in Porto."])
    assert (
        "- Lives in Braga. (since 2026-11-09)\n"
        "  - ~~Lives in Porto.~~ (2026-11-06 to 2026-11-09)\n"
        "  - ~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)\n" in life.read()
    )


def test_what_is_known_is_not_written_again(life: Life) -> None:
    before = life.read()
    done = life.tell(6, "Standup is at 09:30", durable=True)
    assert not done.known
    done = life.tell(6, "the stand-up is at 09:30", durable=True)
    assert done.known
    assert done.reference.startswith("MEMORY.md#L")
    assert life.read().count("09:30") == before.count("09:30") + 1


def test_the_tool_asks_when_a_related_fact_looks_outdated(life: Life) -> None:
    done = life.tell(6, "The stand-up is at 10:15 now.", durable=True)
    assert done.related[0].text == "The stand-up is at 09:30."
    assert done.related[0].superseded
    assert done.related[0].reference in done.question
    # Whoever follows the question says the same again, with what it replaces.
    life.tell(6, "The stand-up is at 10:15 now.", replaces=[done.related[0].reference])
    text = life.read()
    assert text.count("10:15") == 1
    assert (
        "- The stand-up is at 10:15 now. (since 2026-11-06)\n  - ~~The stand-up is at 09:30.~~"
        in text
    )


def test_a_fact_lands_under_the_heading_that_fits(life: Life) -> None:
    life.tell(6, "Nora likes green tea after lunch.", durable=True)
    life.tell(6, "Zebras have stripes.", durable=True)
    life.tell(6, "Henrike is the boss.", durable=True, about="work")
    text = life.read()
    assert text.index("green tea") < text.index("## Work")
    assert text.index("## Work") < text.index("Henrike") < text.index("## Coming up")
    assert text.endswith("## Inbox\n\n- Zebras have stripes. (2026-11-06)\n")


def test_never_into_code_that_was_left_open(life: Life) -> None:
    (life.folder / "MEMORY.md").write_text("# Memory\n\n- a\n\n```\nmake test\n")
    life.tell(6, "Zebras have stripes.", durable=True)
    assert life.read() == "# Memory\n\n- a\n- Zebras have stripes. (2026-11-06)\n\n```\nmake test\n"


def test_a_fact_of_an_old_log_is_replaced_in_todays(life: Life) -> None:
    life.tell(7, "The door code is 4471#.")
    life.tell(8, "The door code is 9902#.", replaces=["memory/2026-11-07.md#L3"])
    assert life.read("memory/2026-11-07.md").endswith(
        "- ~~The door code is 4471#.~~ (2026-11-07 to 2026-11-08)\n"
    )
    assert life.read("memory/2026-11-08.md") == (
        "# 2026-11-08\n\n- The door code is 9902#. (since 2026-11-08)\n"
        "  - ~~The door code is 4471#.~~ (2026-11-07 to 2026-11-08, from memory/2026-11-07.md#L3)\n"
    )


def test_a_last_day_is_written(life: Life) -> None:
    life.tell(6, "Works from Madrid.", until="Friday")
    assert "- Works from Madrid. (until 2026-11-13)" in life.read("memory/2026-11-06.md")
    with pytest.raises(WorkspaceError, match="no day that can be understood"):
        life.tell(6, "Works from Rome.", until="whenever")


def test_unclear_words_change_nothing(life: Life) -> None:
    before = life.read()
    with pytest.raises(WorkspaceError, match="not clear which fact"):
        life.tell(6, "Something new.", replaces=["something that nobody ever said"])
    with pytest.raises(WorkspaceError, match="No fact stands at"):
        life.tell(6, "Something new.", replaces=["MEMORY.md#L2"])
    assert life.read() == before


def test_line_endings_and_marks_of_other_editors_stay(life: Life) -> None:
    path = life.folder / "MEMORY.md"
    path.write_bytes(b"\xef\xbb\xbf# Memory\r\n\r\n* [ ] Lives in Lisbon.\r\n* Likes tea.\r\n")
    life.tell(6, "Lives in Porto.", replaces=["Lives in Lisbon."])
    assert path.read_bytes() == (
        b"\xef\xbb\xbf# Memory\r\n\r\n- Lives in Porto. (since 2026-11-06)\r\n"
        b"  - ~~Lives in Lisbon.~~ (until 2026-11-06)\r\n* Likes tea.\r\n"
    )


def test_several_facts_at_once_and_blocks_are_written_as_they_are(life: Life) -> None:
    life.tell(6, "- one thing\n- another thing")
    life.tell(6, "## Call with Mei\n\nShe agreed.")
    assert life.read("memory/2026-11-06.md").endswith(
        "- one thing\n- another thing\n\n## Call with Mei\n\nShe agreed.\n"
    )


def test_an_undated_fact_takes_the_day_of_the_change_that_brought_it(life: Life) -> None:
    """Written by hand between two looks at the note; the journal has the day."""
    today = datetime.date.today()
    pen = replace(life.pen(1), today=today + datetime.timedelta(3))
    pen.journal.observe({"MEMORY.md": MEMORY.encode()}, complete=True)
    text = MEMORY.replace("- Likes tea.", "- Likes tea.\n- Owns a canoe.")
    (life.folder / "MEMORY.md").write_text(text)
    look_now(pen, "MEMORY.md")
    done = remember_fact(pen, "Owns a new canoe.", durable=True, replaces=["Owns a canoe."])
    assert f"~~Owns a canoe.~~ ({today} to {pen.today})" in life.read()
    assert done.replaced == ("MEMORY.md#L8",)
    remember_fact(pen, "Likes coffee.", durable=True, replaces=["Likes tea."])
    assert f"~~Likes tea.~~ (until {pen.today})" in life.read(), "it was there before the journal"


def test_what_an_editor_wrote_came_before_what_is_remembered_next(life: Life) -> None:
    """Also into the other note, and though nobody looked meanwhile."""
    look_now(life.pen(17), "MEMORY.md")
    life.pen(17).journal.observe({"MEMORY.md": life.read().encode()}, complete=True)
    (life.folder / "MEMORY.md").write_text(f"{MEMORY}\n- Ida's bank is Alba.\n")
    life.tell(17, "Ida's bank is Nordea.")
    look_now(life.pen(17), "MEMORY.md")
    arrivals = Arrivals(life.pen(17).journal)
    old = arrivals.of("MEMORY.md")["Ida's bank is Alba."]
    new = arrivals.of("memory/2026-11-17.md")["Ida's bank is Nordea."]
    assert new.is_after(old) is True
    assert old.is_after(new) is False


def test_of_the_same_one_only_what_may_be_replaced_is_asked_about(life: Life) -> None:
    life.tell(17, "Teo lives in Lisbon.", durable=True)
    life.tell(17, "Teo drinks coffee.", durable=True)
    assert not life.tell(17, "Teo has a new bike.").question
    assert "Teo drinks coffee." in life.tell(17, "Teo now drinks tea.").question
    assert "Teo lives in Lisbon." in life.tell(17, "Teo moved to Porto.").question
