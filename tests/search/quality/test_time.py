"""The set in time.json: newer of two answers, an old note that alone answers, times that are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdown.config import load_settings
from memdown.evaluation.questions import QuestionSet, read_questions
from memdown.evaluation.running import configured, evaluate

SETS = {one.name: one for one in read_questions(Path(__file__).with_name("time.json"))}


def wrong(one: QuestionSet, tmp_path: Path, configuration: str = "hybrid") -> list[str]:
    """The questions whose first result is not the evidence."""
    settings = load_settings(workspace=tmp_path)
    (run,) = evaluate("time", [one], settings, [configuration]).runs
    return [each.question.text for each in run.outcomes if each.scores and not each.scores.first]


@pytest.mark.parametrize("name", ["newer", "alone", "named"])
def test_the_right_note_comes_first(name: str, tmp_path: Path) -> None:
    assert wrong(SETS[name], tmp_path) == []


def test_the_old_answers_are_found_without_decay_as_well(tmp_path: Path) -> None:
    assert wrong(SETS["alone"], tmp_path, "no-decay") == []


def test_of_facts_that_answer_alike_the_newer_is_first_without_decay_as_well(
    tmp_path: Path,
) -> None:
    """What holds now is no matter of age."""
    assert wrong(SETS["newer"], tmp_path, "no-decay") == []


def test_no_decay_turns_decay_off(tmp_path: Path) -> None:
    settings = configured(load_settings(workspace=tmp_path), "no-decay")
    assert not settings.query.hybrid.temporal_decay.enabled
