"""However many results are asked for, the first ones are the same."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator

import pytest

from memdown import Hit, Memory

THINGS = ("router", "printer", "boiler", "bicycle", "garden", "piano", "passport", "kettle")
PLACES = ("cellar", "attic", "kitchen", "hall", "office", "shed")
DOINGS = ("was moved to", "was repaired in", "stands in", "was cleaned in", "leaks in")
QUESTIONS = (
    "where is the router",
    "what was repaired in the cellar?",
    "Nora and the piano",
    "which thing leaks",
    "what happened in March 2026?",
    "kettle kitchen",
    "the attic",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("many")
    chance = random.Random(7)
    notes: dict[str, list[str]] = {"MEMORY.md": ["# Home", ""]}
    for day in range(60):
        date = datetime.date(2026, 2, 1) + datetime.timedelta(days=day)
        name = f"memory/{date}.md"
        notes[name] = [f"# {date}", ""]
        for _ in range(6):
            said = (
                f"The {chance.choice(THINGS)} {chance.choice(DOINGS)} the {chance.choice(PLACES)}."
            )
            talks = day % 3 == 0
            notes[name].append(
                f"{chance.choice(('Nora', 'Ben'))}: {said}" if talks else f"- {said}"
            )
        if day % 7 == 0:
            notes["MEMORY.md"].append(notes[name][-1])
    for path, lines in notes.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("\n".join(lines))
    with Memory.open(folder, state_dir=folder / "state") as opened:
        opened.sync()
        yield opened


def named(hits: tuple[Hit, ...]) -> list[tuple[str | None, str, float, bool]]:
    return [(hit.citation, hit.strength, hit.score, hit.was) for hit in hits]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_first_results_do_not_depend_on_how_many_are_asked_for(
    memory: Memory, question: str
) -> None:
    every = named(memory.search(question, max_results=50).hits)
    assert len(every) > 12
    for count in (*range(1, 14), 20, 24, 25, 36, 49):
        assert named(memory.search(question, max_results=count).hits) == every[:count], count
