"""`memdown eval` as people run it: tables, comparisons, reports, drafts, and clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdown.cli import run

WORKSPACE = {
    "name": "home",
    "documents": {
        "memory/home.md": ["# Home", "", "The router is a TP-Link ER605.", "The cat is Momo."],
        "memory/work.md": ["# Work", "", "The build server is called kestrel."],
    },
    "questions": [
        {"question": "Which router do we have?", "evidence": [["memory/home.md", 3, 3]]},
        {"question": "What is the build server called?", "evidence": [["memory/work.md", 3, 3]]},
        {"question": "Who painted the ceiling of the chapel?", "evidence": []},
    ],
}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.json"
    file.write_text(json.dumps([WORKSPACE], indent=1))
    return file


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/home.md").write_text(
        "# Home\n\nThe router ER605 hums quietly behind the wardrobe door.\n"
        "Momo the tabby sleeps on the radiator every single afternoon.\n"
    )
    return folder


def test_a_table(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", str(questions)]) == 0
    shown = capsys.readouterr().out
    assert "questions: 3 questions about 2 notes" in shown
    rows = {line[:24].strip(): line[24:].split() for line in shown.splitlines() if line[:1].strip()}
    for name in ("visible in 6 × 700", "within 4,000 characters", "MRR", "nDCG@10", "median ms"):
        assert name in rows
    assert rows["first hit right"][0] == "100.0"
    assert rows["empty answers"][0] == "0.0"
    assert rows["rightly nothing"][0] == "100.0"


def test_failing_questions_are_named_with_what_came_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A figure alone does not tell what to mend."""
    asked = [
        {"question": "Which router do we have?", "evidence": [["memory/work.md", 3, 3]]},
        {"question": "What is the build server called?", "evidence": []},
        {"question": "The cat is Momo?", "evidence": [["memory/home.md", 4, 4]]},
    ]
    file, report = tmp_path / "wrong.json", tmp_path / "report.md"
    file.write_text(json.dumps([WORKSPACE | {"questions": asked}]))
    assert run(["eval", str(file), "--report", str(report)]) == 0
    told = capsys.readouterr().out
    assert "Not answered (hybrid), 2 of 3:" in told
    assert "- Which router do we have?\n  wanted memory/work.md#L3; came memory/home.md#L" in told
    assert "“The router is a TP-Link ER605.”" in told
    assert "- What is the build server called?\n  wanted nothing; came memory/work.md#L" in told
    assert "Momo?" not in told
    assert "- Which router do we have?\n  wanted memory/work.md#L3" in report.read_text("utf-8")
    assert run(["eval", str(file), "--json"]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    first, second = data["configurations"][0]["failures"]
    assert (first["question"], first["where"]) == ("Which router do we have?", "[0].questions[0]")
    assert first["wanted"] == ["memory/work.md#L3"]
    assert first["came"].startswith("memory/home.md#L")
    assert "ER605" in first["shown"]
    assert second["wanted"] == []


def test_one_unreadable_note_stops_neither_make_nor_run(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "memory/broken.md").write_bytes(b"\xff\xfe\x00 no text \x80")
    assert run(["eval", "make", "--workspace", str(workspace)]) == 0
    drafted = capsys.readouterr()
    assert "what is ER605?" in drafted.out
    file = tmp_path / "mine.txt"
    file.write_text(drafted.out)
    assert run(["eval", str(file), "--workspace", str(workspace)]) == 0


def test_configurations_side_by_side_as_json(
    questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["fts5", "hybrid", "text", "vectors", "mmr", "no-decay", "no-bar"]
    assert run(["eval", str(questions), "--compare", ",".join(names), "--json"]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert (data["name"], data["workspaces"], data["notes"], data["questions"]) == (
        "questions",
        1,
        2,
        3,
    )
    by_name = {one["name"]: one for one in data["configurations"]}
    assert list(by_name) == names
    for one in by_name.values():
        assert one["answerable"] == 2
        assert all(f["low"] <= f["mean"] <= f["high"] for f in one["figures"].values())
        assert one["latencyMs"]["median"] <= one["latencyMs"]["p95"]
    assert by_name["fts5"]["gained"]["visible"] == {"mean": 0, "low": 0, "high": 0}
    assert by_name["no-bar"]["silent"]["mean"] == 0
    assert by_name["hybrid"]["figures"]["first"]["mean"] == 1


def test_a_report_with_a_plot(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.md"
    arguments = ["eval", str(questions), "--compare", "hybrid,fts5", "--report", str(report)]
    assert run(arguments) == 0
    assert f"Report: {report}" in capsys.readouterr().err
    text = report.read_text(encoding="utf-8")
    assert text.startswith("# Retrieval quality")
    assert "| visible in 6 × 700 |" in text
    assert "  hybrid ████" in text
    assert "`fts5` against `hybrid`" in text
    assert "- `fts5`: plain FTS5 over the same chunks" in text


def test_options_may_come_first_and_a_limit_holds(
    questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", "--json", "--limit", "1", str(questions)]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert data["questions"] == 1


def test_a_folder_of_question_files(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (questions.parent / "more.json").write_text(json.dumps(WORKSPACE))
    assert run(["eval", str(questions.parent), "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["more", "questions"]


def test_drafted_questions_about_ones_own_notes(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", "make", "-n", "5", "--workspace", str(workspace)]) == 0
    drafted = capsys.readouterr().out
    assert "what is ER605?\tmemory/home.md#L3\n" in drafted
    file = tmp_path / "mine.txt"
    file.write_text(drafted)
    arguments = ["--json", "--compare", "no-bar", "--workspace", str(workspace)]
    assert run(["eval", str(file), *arguments]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert data["configurations"][0]["figures"]["first"]["mean"] == 1


def test_drafts_as_json_can_be_run(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", "make", "--json", "--workspace", str(workspace)]) == 0
    file = tmp_path / "mine.json"
    file.write_text(capsys.readouterr().out)
    assert run(["eval", str(file), "--workspace", str(workspace)]) == 0


def test_nothing_to_draft_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    assert run(["eval", "make", "--workspace", str(tmp_path)]) == 2
    assert "hold no fact, name or identifier" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[\n{\n}]", "line 2: [0] has no 'questions'"),
        ("ok\tMEMORY.md\nno tab\n", "line 2: no note is named"),
        ("router\tmemory/none.md\n", "line 1: there is no note 'memory/none.md'"),
        ("router\tmemory/home.md#L99\n", "line 1: memory/home.md has 5 lines, none at 99"),
    ],
)
def test_a_wrong_file_names_line_and_reason(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(text)
    assert run(["eval", str(file), "--workspace", str(workspace)]) == 2
    assert reason in capsys.readouterr().err


def test_documents_stay_inside_the_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(
        json.dumps(
            WORKSPACE
            | {"documents": {"../evil.md": ["x"]}, "questions": [{"question": "x", "evidence": []}]}
        )
    )
    assert run(["eval", str(file)]) == 2
    assert "must be a path inside the workspace" in capsys.readouterr().err
    assert not (tmp_path.parent / "evil.md").exists()


def test_an_unknown_configuration(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", str(questions), "--compare", "magic"]) == 2
    assert "There is no configuration 'magic' to compare: choose from" in capsys.readouterr().err
