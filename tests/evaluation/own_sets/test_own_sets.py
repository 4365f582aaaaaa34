"""Search on question sets of our own; each bar is below what was measured when it was set."""

from __future__ import annotations

import pytest

from evaluation.own_sets import sets
from memdown.config import load_settings
from memdown.evaluation.questions import read_questions
from memdown.evaluation.running import DEFAULT, Run, evaluate

ASKED = 40


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("own")
    (folder / "empty").mkdir()
    settings = load_settings(workspace=folder / "empty", environ={"HOME": str(folder)})
    return {
        file.stem: evaluate(file.stem, read_questions(file), settings, [DEFAULT], limit=ASKED).runs[
            0
        ]
        for file in sets.write(folder / "sets")
    }


@pytest.mark.parametrize("make", sets.SETS)
def test_a_set_has_150_questions(make: sets.Make) -> None:
    assert sum(len(one["questions"]) for one in make()) >= 150


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("synonyms", 0.95),
        ("misspellings", 0.85),
        ("acronyms", 0.95),
        ("definitions", 0.95),
        ("compounds", 0.95),
    ],
)
def test_the_answer_is_seen(runs: dict[str, Run], name: str, least: float) -> None:
    scores = runs[name].scores
    assert sum(one.visible for one in scores) >= least * len(scores)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("synonyms", 0.4),
        ("misspellings", 0.85),
        ("acronyms", 0.6),
        ("definitions", 0.85),
        ("compounds", 0.9),
    ],
)
def test_the_answer_is_first(runs: dict[str, Run], name: str, least: float) -> None:
    scores = runs[name].scores
    assert sum(one.first for one in scores) >= least * len(scores)


def test_what_nobody_told_is_not_answered_with_confidence(runs: dict[str, Run]) -> None:
    outcomes = runs["foreign"].unanswerable
    assert len(outcomes) == ASKED
    assert sum(one.found for one in outcomes) <= ASKED // 10


def test_no_answer_is_empty(runs: dict[str, Run]) -> None:
    for name in ("synonyms", "acronyms", "definitions", "compounds", "misspellings"):
        assert not any(one.empty for one in runs[name].scores), name
