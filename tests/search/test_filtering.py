"""Searches that show only some notes: of a time, in a folder, with a tag, from a source."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory, QueryError

NOTES = {
    "MEMORY.md": "# Memory\n\nThe ferry leaves at nine.\n",
    "memory/2026-03-01.md": "# Log\n\nThe ferry was late. #travel\n",
    "memory/2026-04-02.md": "# Log\n\nThe ferry was full.\n",
    "memory/projects/boat.md": "---\ntags: [Travel/sea]\ndate: 2025-07-01\n---\nThe ferry is a model.\n",
    "memory/projects/plan.md": "---\naliases: [Kanalfähre]\ntags: [plans]\n---\nThe ferry again.\n\n## Cost\n\nToo much.\n",
    "memory/Projects-old/x.md": "The ferry sank.\n",
}  # fmt: skip


@pytest.fixture
def folder(write_notes: Callable[..., Path]) -> Path:
    return write_notes(NOTES)


@pytest.fixture
def memory(folder: Path, open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(folder)


def found(memory: Memory, **only: object) -> set[str]:
    hits = memory.search("ferry", min_score=0.0, **only).hits  # type: ignore[arg-type]
    return {hit.path.rpartition("/")[2] for hit in hits}


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ({}, {"MEMORY.md", "2026-03-01.md", "2026-04-02.md", "boat.md", "plan.md", "x.md"}),
        ({"since": "2026-03-01"}, {"2026-03-01.md", "2026-04-02.md"}),
        ({"since": datetime.date(2026, 3, 2)}, {"2026-04-02.md"}),
        ({"until": datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)}, {"2026-03-01.md", "boat.md"}),
        ({"since": "March 2026", "until": "March 2026"}, {"2026-03-01.md"}),
        ({"until": "2025"}, {"boat.md"}),
        ({"folder": "memory/projects"}, {"boat.md", "plan.md"}),
        ({"folder": "./projects/"}, {"boat.md", "plan.md"}),
        ({"folder": "PROJECTS"}, {"boat.md", "plan.md"}),
        ({"folder": "memory/projects/boat.md"}, {"boat.md"}),
        ({"folder": "."}, {"MEMORY.md", "2026-03-01.md", "2026-04-02.md", "boat.md", "plan.md", "x.md"}),
        ({"tags": "travel"}, {"2026-03-01.md", "boat.md"}),
        ({"tags": ["#Travel/sea"]}, {"boat.md"}),
        ({"tags": ["travel", "plans"]}, set()),
        ({"tags": "travel", "folder": "projects", "until": "2025-12-31"}, {"boat.md"}),
        ({"sources": "notes"}, {"MEMORY.md", "2026-03-01.md", "2026-04-02.md", "boat.md", "plan.md", "x.md"}),
        ({"sources": ("memory",), "since": "2026-04-01"}, {"2026-04-02.md"}),
    ],
)  # fmt: skip
def test_only_what_is_asked_for_is_found(
    memory: Memory, only: dict[str, object], expected: set[str]
) -> None:
    assert found(memory, **only) == expected
    # The second search of a process goes another way.
    assert found(memory, **only) == expected


def test_an_absolute_folder_of_the_workspace(memory: Memory, folder: Path) -> None:
    assert found(memory, folder=str(folder.resolve() / "memory/projects")) == {"boat.md", "plan.md"}


@pytest.mark.parametrize(
    ("only", "reason"),
    [
        ({"folder": "nowhere"}, "there is no note in nowhere"),
        ({"folder": "memory/project"}, "there is no note in memory/project; did you mean memory/projects?"),
        ({"tags": "travle"}, "no note has the tag travle; did you mean travel?"),
        ({"since": "2030-01-01", "folder": "projects"},
         "there is no note in projects since 2030-01-01 (notes without a date are of no time)"),
        ({"tags": ["travel", "plans"]}, "there is no note tagged travel tagged plans"),
    ],
)  # fmt: skip
def test_an_empty_filter_says_so(memory: Memory, only: dict[str, object], reason: str) -> None:
    answer = memory.search("ferry", **only)  # type: ignore[arg-type]
    assert answer.hits == ()
    assert answer.reasons == (reason,)


@pytest.mark.parametrize(
    ("only", "sentence"),
    [
        ({"since": "whenever"}, "since is 'whenever', which is no time"),
        ({"until": ""}, "until is '', which is no time"),
        ({"since": 5}, "since is 5, which is no time"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "is after until"),
        ({"folder": "../elsewhere"}, "is above the workspace"),
        ({"tags": [" # "]}, "is empty"),
    ],
)
def test_wrong_values_get_one_clear_sentence(
    memory: Memory, only: dict[str, object], sentence: str
) -> None:
    with pytest.raises(QueryError, match=sentence) as caught:
        memory.search("ferry", **only)  # type: ignore[arg-type]
    assert str(caught.value).endswith(".")


def test_a_rare_folder_of_a_large_memory_gives_its_best(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory]
) -> None:
    """The filter comes before the number of candidates, or its notes would not be among them."""
    many = {f"memory/many/{number}.md": f"ferry ferry ferry {number}\n" for number in range(600)}
    rare = {"memory/rare/one.md": "Somewhere in a long text of many words stands a ferry.\n"}
    memory = open_memory(write_notes({**many, **rare}))
    memory.sync()
    for _ in range(2):
        (hit,) = memory.search("ferry", folder="rare", min_score=0.0).hits
        assert hit.path == "memory/rare/one.md"


def test_a_conversation_is_looked_for_though_none_is_indexed(memory: Memory) -> None:
    answer = memory.search("ferry", sources="sessions")
    assert answer.hits == ()
    assert "conversations are not indexed" in answer.reasons[0]


def test_a_note_is_found_by_its_alias_and_its_tags(memory: Memory) -> None:
    """Every passage is: the words in front count for all of the note."""
    (hit, *_) = memory.search("Kanalfähre cost").hits
    assert hit.path == "memory/projects/plan.md"
    (hit, *_) = memory.search("plans too much").hits
    assert hit.path == "memory/projects/plan.md"


def test_changed_front_matter_counts_at_once(memory: Memory, folder: Path) -> None:
    assert found(memory, tags="sea") == set()
    boat = folder / "memory/projects/boat.md"
    boat.write_text(boat.read_text().replace("Travel/sea", "sea").replace("2025", "2024"))
    assert found(memory, tags="sea") == {"boat.md"}
    assert found(memory, until="2024") == {"boat.md"}
    (hit,) = memory.search("ferry", tags="sea", min_score=0.0).hits
    assert hit.date == datetime.date(2024, 7, 1)


def test_an_inline_tag_that_is_added_counts_at_once(memory: Memory, folder: Path) -> None:
    log = folder / "memory/2026-04-02.md"
    memory.sync()
    log.write_text(log.read_text() + "\nLater: #travel again.\n")
    assert "2026-04-02.md" in found(memory, tags="travel")
