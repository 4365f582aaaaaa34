"""The figures mean what they say: each on results whose worth is plain."""

from __future__ import annotations

import pytest

from memdown.evaluation.metrics import ShownResult, mean, score
from memdown.evaluation.questions import Evidence, Question
from memdown.evaluation.report import averages
from memdown.evaluation.running import PlainFts5

NOTES = {"a.md": ["# A", "", "the answer", "more"], "b.md": ["nothing here"]}
QUESTION = Question("what?", (Evidence("a.md", 3, 3),))


def found(path: str, start: int, end: int, shown: str) -> ShownResult:
    return ShownResult(path, start, end, shown)


def test_the_perfect_answer() -> None:
    scores = score(QUESTION, [found("a.md", 2, 4, "the answer\nmore")], NOTES)
    assert (scores.visible, scores.recall_6, scores.first, scores.mrr, scores.ndcg) == (1,) * 5
    assert scores.empty == 0


def test_a_chunk_that_holds_the_evidence_below_the_fold_does_not_show_it() -> None:
    scores = score(QUESTION, [found("a.md", 1, 4, "# A")], NOTES)
    assert (scores.visible, scores.recall_6, scores.first) == (0, 1, 1)


def test_the_second_place_is_worth_half() -> None:
    results = [found("b.md", 1, 1, "nothing here"), found("a.md", 3, 3, "the answer")]
    scores = score(QUESTION, results, NOTES)
    assert (scores.first, scores.hit, scores.mrr) == (0, 1, 0.5)
    assert 0 < scores.ndcg < 1


def test_nothing_found() -> None:
    scores = score(QUESTION, [], NOTES)
    assert (scores.visible, scores.hit, scores.empty) == (0, 0, 1)


def test_a_budget_of_characters_is_kept() -> None:
    long = found("b.md", 1, 1, "x" * 4_000)
    scores = score(QUESTION, [long, found("a.md", 3, 3, "the answer")], NOTES)
    assert (scores.recall_4k, scores.recall_8k) == (0, 1)


def test_an_interval_holds_the_mean() -> None:
    (figure,) = averages([[0.0], [1.0]] * 50)
    assert figure.low < figure.mean < figure.high
    assert figure.mean == mean([0.0, 1.0]) == 0.5


@pytest.mark.parametrize(("question", "path"), [("the answer", "a.md"), ("what is here?", "b.md")])
def test_the_baseline_finds_any_word(question: str, path: str) -> None:
    assert PlainFts5(NOTES).search(question, 3)[0].path == path


def test_the_baseline_takes_any_text() -> None:
    assert PlainFts5(NOTES).search('"?! the', 3) == []
