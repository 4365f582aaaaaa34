"""What a review proposes, and that it is silent where nothing is wrong."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory
from memdown.errors import WorkspaceError
from memdown.facts.reviewing import apply, review
from memdown.notes.undoing import undo_all

ROOT = Path(__file__).parents[2]
YESTERDAY = datetime.date.today() - datetime.timedelta(1)
NOTES = {
    "MEMORY.md": f"""\
# Memory

- The stand-up is at 09:30. (2026-01-05)
- Works from Madrid. (until {YESTERDAY})
- The printer hates blue paper.
""",
    "memory/office.md": "# Office\n\n- The stand-up is at 10:15. (2026-02-05)\n",
    "memory/odd.md": "# Odd\n\n- The printer hates blue paper.\n- The printer hates red paper.\n",
    **{f"memory/2026-03-0{day}.md": "- Teo had his night shift again.\n" for day in (1, 2, 3)},
}


@pytest.fixture
def memory(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> Memory:
    made: Memory = open_memory(write_notes(NOTES))
    return made


def test_each_kind_is_proposed_once(memory: Memory) -> None:
    assert [(one.number, one.kind, one.references[0]) for one in review(memory)] == [
        (1, "expired", "MEMORY.md#L4"),
        (2, "duplicate", "MEMORY.md#L5"),
        (3, "contradiction", "MEMORY.md#L3"),
        (4, "repeated", "memory/2026-03-03.md#L1"),
    ]


def test_what_is_applied_can_be_undone(memory: Memory) -> None:
    folder = memory.settings.workspace
    before = {file: file.read_bytes() for file in folder.rglob("*.md")}
    proposals = review(memory)
    changes = apply(memory, [one.number for one in proposals])
    text = (folder / "MEMORY.md").read_text()
    assert "~~The stand-up is at 09:30.~~" in text
    assert "~~Works from Madrid.~~" in text
    assert "Teo had his night shift again." in text
    assert review(memory) == []
    undo_all(memory.pen(), changes)
    assert {file: file.read_bytes() for file in folder.rglob("*.md")} == before


def test_a_number_that_is_not_there_changes_nothing(memory: Memory) -> None:
    before = (memory.settings.workspace / "MEMORY.md").read_bytes()
    with pytest.raises(WorkspaceError, match="no proposal 99"):
        apply(memory, [1, 99])
    assert (memory.settings.workspace / "MEMORY.md").read_bytes() == before


def test_a_large_memory_is_proposed_to_be_split(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    many = "".join(f"- Word {n} of the glossary means thing {n * 31}.\n" for n in range(250))
    memory = open_memory(
        write_notes({"MEMORY.md": f"# Memory\n\n## Glossary\n\n{many}\n## People\n\n- Ida.\n"})
    )
    (proposal,) = [one for one in review(memory) if one.kind == "oversized"]
    apply(memory, [proposal.number])
    folder = memory.settings.workspace
    assert (folder / "MEMORY.md").read_text() == (
        "# Memory\n\n## Glossary\n\nSee `memory/glossary.md`.\n\n## People\n\n- Ida.\n"
    )
    assert (folder / "memory" / "glossary.md").read_text() == f"# Glossary\n\n{many}"


def test_the_example_notes_give_no_false_alarm(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    shutil.copytree(ROOT / "examples" / "workspace", tmp_path / "example")
    assert review(open_memory(tmp_path / "example")) == []


def test_what_lasts_is_reviewed_before_many_logs(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    first = datetime.date(2001, 1, 1)
    logs = {f"memory/{first + datetime.timedelta(day)}.md": f"- Log {day}.\n" for day in range(420)}
    with_logs = open_memory(write_notes({**logs, **NOTES}))
    assert {"expired", "contradiction"} <= {one.kind for one in review(with_logs)}


def test_undated_facts_contradict_by_when_they_came(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """The later one was written by hand; the history has its day. The search tells it, too."""
    folder = write_notes({"MEMORY.md": "# Memory\n\n- Ida's bank is Alba. (2026-01-05)\n"})
    memory = open_memory(folder)
    memory.sync()
    note = folder / "MEMORY.md"
    note.write_text(f"{note.read_text()}- Ida's bank is Nordea.\n")
    found = memory.search("What is Ida's bank?").hits
    assert [(one.snippet[2:21], one.was) for one in found] == [
        ("Ida's bank is Norde", False),
        ("Ida's bank is Alba.", True),
    ]
    assert found[0].date == datetime.date.today()
    (proposal,) = review(memory)
    assert proposal.references == ("MEMORY.md#L3", "MEMORY.md#L4")


def test_a_correction_within_the_hour_is_proposed(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """Both are of one day and stand in two notes; the journal knows which was told first."""
    memory: Memory = open_memory(write_notes({}))
    memory.remember("Nora lives in Lisbon.", durable=True)
    memory.remember("Nora lives in Porto.")
    [found] = review(memory)
    assert found.kind == "contradiction"
    assert found.diff[:2] == ("- Nora lives in Lisbon.", "+ Nora lives in Porto.")
