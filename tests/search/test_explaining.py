"""`search --explain`: every hit with its reasons, every empty answer with what was just below."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdown import Memory
from memdown.cli import run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/home.md").write_text("# Home\n\nThe router is a TP-Link ER605.\n")
    (folder / "memory/2025-03-02.md").write_text("# 2025-03-02\n\n- The old router broke.\n")
    (folder / "memory/cat.md").write_text("# Cat\n\nMomo the cat sleeps on the radiator.\n")
    return folder


def test_every_hit_has_its_reasons(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = 'which "router" ER605 in March 2025?'
    assert run(["search", query, "--explain", "--workspace", str(workspace)]) == 0
    shown = capsys.readouterr().out
    for line in (
        "words: router, er605",
        "phrases: router",
        "identifiers, found whatever the score: er605",
        "time: 2025-03-01 to 2025-03-31",
        "places looked at closely: ",
        "matched: router",
        "sure that the notes answer this: ",
        "of the time asked for: × 1.00",
        "rank after each step: words and meaning ",
    ):
        assert line in shown


def test_the_same_for_programs(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "which router is it?"
    assert run(["search", query, "--explain", "--json", "--workspace", str(workspace)]) == 0
    data = json.loads(capsys.readouterr().out)
    told = data["explain"]
    assert told["words"] == ["router"]
    assert (told["minScore"], told["period"]) == (0.35, None)
    assert len(told["hits"]) == len(data["results"])
    for hit, result in zip(told["hits"], data["results"], strict=True):
        assert (hit["path"], hit["startLine"]) == (result["path"], result["startLine"])
        assert hit["weights"]["text"] + hit["weights"]["vector"] == pytest.approx(1)
        assert hit["ranks"][0]["step"] == "fusion"
        assert {"matched", "textScore", "vectorScore", "recency", "confidence"} <= hit.keys()
    old = next(hit for hit in told["hits"] if hit["date"])
    assert old["date"] == "2025-03-02"
    assert old["recency"] < 1


def test_an_empty_answer_tells_what_was_just_below(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["search", "zzqx blorf", "--explain", "--workspace", str(workspace)]
    assert run(arguments) == 1
    printed = capsys.readouterr()
    shown = printed.out + printed.err
    assert "nothing in the notes resembles the query" in shown
    assert "Left out:" in shown
    assert "#L3-L3" in shown


def test_what_is_left_out_is_named_where_it_is_asked_for(workspace: Path) -> None:
    """To make it takes as long as to make results, so that a search does it only then."""
    with Memory.open(workspace) as memory:
        for explain in (False, True):
            answer = memory.search("ER605", explain=explain)
            assert len(answer.hits) == 1
            assert answer.explanation
            assert bool(answer.explanation.below) is explain
        assert memory.search("zzqx blorf").explanation.below  # type: ignore[union-attr]


def test_below_the_bar_for_programs(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "zzqx", "--explain", "--json", "--workspace", str(workspace)]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["results"] == []
    assert data["reasons"]
    assert data["explain"]["below"]
    assert all(one["score"] < 0.35 for one in data["explain"]["below"])
