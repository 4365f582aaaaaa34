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


def test_what_stands_beside_an_answer_does_not_take_the_score_of_what_was(tmp_path: Path) -> None:
    """A former answer goes to the end; what stood below it moves up, but fits no better."""
    facts = (
        "Mein Zahnarzt ist Dr. Behrens in der Lindenstraße.",
        "Der Stromzähler hat die Nummer 4471-88.",
        "Zahnarzt gewechselt: Dr. Yilmaz, Hauptstraße 12.",
        "Statt Dänemark wird es im August doch Südtirol.",
        "小红的生日是五月三日。",
        "服务器的端口是 8080。",
        "服务器的端口改成了 9090。",
        "My bank is N26.",
    )
    (tmp_path / "notes").mkdir()
    with Memory.open(tmp_path / "notes", state_dir=tmp_path / "state") as memory:
        for fact in facts:
            memory.remember(fact, durable=True)
        first, *others = memory.search("wer ist mein Zahnarzt").hits
    beside = [hit for hit in others if "Zahnarzt" not in hit.snippet]
    assert "Yilmaz" in first.snippet
    assert [hit.was for hit in others if "Behrens" in hit.snippet] == [True]
    assert beside
    assert all(hit.score < 0.5 for hit in beside)
