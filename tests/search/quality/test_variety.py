"""Maximal marginal relevance in a whole search: it matters, and the first results are always the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
