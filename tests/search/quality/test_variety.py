"""Maximal marginal relevance in a whole search: it matters, and the first results are always the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder

ALIKE = {
    f"memory/a{number:02}.md": f"The harbour crane lifts the grey container number {number}.\n"
    for number in range(18)
}
DIFFERENT = {
    "memory/b1.md": "The harbour has a cold swimming pool behind the church and much seaweed everywhere.\n",
    "memory/b2.md": "Grandmother's harbour painting hangs crooked above our green sofa since Easter.\n",
    "memory/b3.md": "A harbour for lost umbrellas: the office under platform nine closes early today.\n",
    "memory/b4.md": "Safe harbour clauses in contracts protect directors who make honest forecasts.\n",
}  # fmt: skip


@pytest.fixture
def search(write_notes: Callable[..., Path]) -> Callable[[float | None, int], list[str]]:
    folder = write_notes({**ALIKE, **DIFFERENT})

    def paths(weight: float | None, count: int) -> list[str]:
        settings = load_settings(workspace=folder)
        mmr = replace(
            settings.query.hybrid.mmr,
            enabled=weight is not None,
            lambda_=0.7 if weight is None else weight,
        )
        hybrid = replace(settings.query.hybrid, mmr=mmr)
        settings = replace(settings, query=replace(settings.query, hybrid=hybrid))
        with Memory.from_settings(settings, embedder=HashEmbedder()) as memory:
            hits = memory.search("harbour crane container", max_results=count, min_score=0.0).hits
            return [hit.path for hit in hits]

    return paths


def test_lambda_matters_at_the_default_size(
    search: Callable[[float | None, int], list[str]],
) -> None:
    """Eighteen notes say the same: of six results, variety must bring the four others."""
    plain, varied = search(None, 6), search(0.0, 6)
    assert all(path in ALIKE for path in plain)
    assert sum(path in DIFFERENT for path in varied) == len(DIFFERENT)
    assert search(1.0, 6) == plain


@pytest.mark.parametrize("weight", [None, 0.0, 0.3, 0.7, 1.0])
def test_the_first_results_do_not_depend_on_how_many_are_asked_for(
    search: Callable[[float | None, int], list[str]], weight: float | None
) -> None:
    """SPEC 7.2: the pool is large enough, also for variety."""
    every = search(weight, 22)
    for count in (1, 3, 6, 12, 60, 100):
        assert search(weight, count)[: len(every)] == every[:count]


@pytest.mark.parametrize(
    "options",
    [{}, {"as_of": "2026-07-15"}, {"history": True}, {"min_score": 0.1}],
    ids=lambda options: next(iter(options), "plain"),
)
@pytest.mark.parametrize("conversations", [False, True])
def test_the_first_of_any_list_are_those_of_the_longest(
    write_notes: Callable[..., Path],
    own_state: Path,
    conversations: bool,
    options: dict[str, Any],
) -> None:
    """Also where facts are struck, replaced or of another day, and where conversations repeat notes."""
    things = ("crane", "router", "piano", "boiler")
    says = [
        [
            f"- The {thing} stands in room {(day * 7) % 11} since day {day}.",
            f"- ~~The {thing} of house {day} is red.~~",
            f"- Ana painted the {thing} of house {day} {'blue' if day % 2 else 'green'}.",
        ]
        for day in range(1, 25)
        for thing in [things[day % 4], things[day % 3]]
    ]
    notes: dict[str, str] = {}
    for number, lines in enumerate(says):
        path = f"memory/2026-{1 + number % 9:02}-{1 + number % 28:02}.md"
        notes[path] = "\n".join([notes.get(path, "# Log\n"), *lines])
    folder = write_notes(notes)
    settings = load_settings(workspace=folder)
    if conversations:
        talk = [
            line[2:] for lines in says for line in (*lines[1:], f"- Is the {lines[0][6:14]} ok?")
        ]
        session = own_state / "agents" / "main" / "sessions" / "one.jsonl"
        session.parent.mkdir(parents=True)
        session.write_text(
            "".join(
                json.dumps({"type": "message", "message": {"role": "user", "content": one}}) + "\n"
                for one in talk
            )
        )
        settings = replace(settings, sources=("memory", "sessions"))
    with Memory.from_settings(settings, embedder=HashEmbedder()) as memory:

        def shown(query: str, count: int) -> list[object]:
            hits = memory.search(query, max_results=count, **options).hits
            return [(hit.path, hit.start_line, hit.snippet, hit.score, hit.was) for hit in hits]

        for query in ("crane room", "piano painted", "router boiler"):
            every = shown(query, 50)
            assert len(every) > 12
            for count in (1, 6, 10, 13, 25, 49):
                assert shown(query, count) == every[:count]
