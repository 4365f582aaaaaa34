"""What a person sees of small notes with tables and front matter, and when nothing is of the day."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from memdown import Memory

TABLE = """# Work

| service | owner | port |
|---|---|---|
| checkout | Tomasz | 8081 |
| invoices | Priya | 8090 |
| search | Mei | 9200 |
"""
CAR = """---
tags: [car, home]
aliases: [Skoda]
---
# The car

We drive an Octavia from 2019, plate B-XY 4821.
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(TABLE, encoding="utf-8")
    (folder / "memory" / "car.md").write_text(CAR, encoding="utf-8")
    with Memory.open(folder, state_dir=tmp_path / "state") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "row"),
    [("who owns search?", 7), ("which port does invoices use?", 6), ("port of checkout", 5)],
)
def test_a_row_is_found_and_shown_by_its_columns(memory: Memory, question: str, row: int) -> None:
    first = memory.search(question).hits[0]
    assert (first.start_line, first.strength) == (row, "strong")
    assert first.heading == "Work > service | owner | port"


def test_no_row_is_shown_twice(memory: Memory) -> None:
    hits = memory.search("who owns search?").hits
    lines = [line for hit in hits for line in hit.snippet.split("\n")]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("question", ["Skoda", "car", "home"])
def test_what_is_found_by_front_matter_is_shown_by_its_text(memory: Memory, question: str) -> None:
    first = memory.search(question).hits[0]
    assert first.snippet == "We drive an Octavia from 2019, plate B-XY 4821."
    assert first.heading == "The car"


def test_of_a_day_without_notes_nothing_is_guessed(memory: Memory) -> None:
    answer = memory.search("what happened yesterday?")
    day = datetime.date.today() - datetime.timedelta(days=1)
    assert not answer.hits
    assert f"no note is dated {day}" in answer.reasons[-1]
