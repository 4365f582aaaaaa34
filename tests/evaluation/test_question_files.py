"""Question files: what is read from them, and which line is to blame when they are wrong."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.errors import QuestionsError
from memdown.evaluation.questions import (
    Evidence,
    Question,
    line_of,
    question_files,
    read_questions,
    write_questions,
)

SET = {
    "name": "home",
    "today": "2026-06-20",
    "documents": {"memory/home.md": ["# Home", "", "The router is an ER605."]},
    "questions": [{"question": "Which router?", "evidence": [["memory/home.md", 3, 3]]}],
}


def written(folder: Path, text: str, name: str = "questions.json") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_list_of_workspaces(tmp_path: Path) -> None:
    (one,) = read_questions(written(tmp_path, json.dumps([SET])))
    assert (one.name, one.today) == ("home", date(2026, 6, 20))
    assert one.documents == SET["documents"]
    (question,) = one.questions
    assert question.text == "Which router?"
    assert question.evidence == (Evidence("memory/home.md", 3, 3),)


def test_one_workspace_alone_and_a_byte_order_mark(tmp_path: Path) -> None:
    (one,) = read_questions(written(tmp_path, "\ufeff" + json.dumps(SET)))
    assert one.name == "home"


def test_questions_about_ones_own_notes(tmp_path: Path) -> None:
    text = (
        "# a remark\n\nWhich router?\tmemory/home.md#L3-L4\tMEMORY.md\n"
        "Which cat?\tmemory/pets.md#L2\nWhich yacht?\t\n"
    )
    (one,) = read_questions(written(tmp_path, text, "mine.txt"))
    assert (one.name, one.documents) == ("mine", None)
    assert [question.evidence for question in one.questions] == [
        (Evidence("memory/home.md", 3, 4), Evidence("MEMORY.md")),
        (Evidence("memory/pets.md", 2, 2),),
        (),
    ]
    assert [question.where for question in one.questions] == ["line 3", "line 4", "line 5"]


_words = st.text("abc üß中 ", min_size=1, max_size=20).map(lambda t: t.strip() or "x")


@given(
    st.lists(
        st.tuples(
            _words,
            st.lists(
                st.one_of(
                    st.just(Evidence("memory/a.md")),
                    st.integers(1, 9).map(lambda n: Evidence("memory/a.md", n, n)),
                    st.integers(1, 9).map(lambda n: Evidence("MEMORY.md", n, n + 3)),
                ),
                max_size=3,
            ),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, drafted: list[tuple[str, list[Evidence]]]
) -> None:
    questions = [Question(text, tuple(evidence)) for text, evidence in drafted]
    file = written(tmp_path_factory.mktemp("questions"), write_questions(questions), "q.txt")
    (one,) = read_questions(file)
    assert [(q.text, q.evidence) for q in one.questions] == [
        (q.text, q.evidence) for q in questions
    ]


def changed(**changes: Any) -> list[dict[str, Any]]:
    return [SET | changes]


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        ([3], 2, "[0] must be an object, is int"),
        ([{"name": "x"}], 2, "[0] has no 'questions'"),
        (changed(questions=[]), 12, "[0].questions is empty"),
        (changed(questions={}), 12, "must be a list, is dict"),
        (changed(questions=[{"question": "x"}]), 13, "has no 'evidence'"),
        (changed(questions=[{"question": " ", "evidence": []}]), 14, "question is empty"),
        (changed(questions=[{"question": "x", "evidence": [["a.md", 1]]}]), 16, "[path, first"),
        (changed(questions=[{"question": "x", "evidence": ["a.md#L1"]}]), 16, "first, last]."),
        (changed(questions=[{"question": "x", "evidence": [["a", 3, 2]]}]), 16, "first comes"),
        (changed(questions=[{"question": "x", "evidence": [["a", "1", 2]]}]), 16, "[path, first"),
        (changed(documents={"a.md": "text"}), 6, "must be a list of lines"),
        (changed(today="soon"), 4, "must be a day such as 2026-03-01"),
    ],
)
def test_wrong_json_values_name_line_and_reason(
    tmp_path: Path, data: object, line: int, reason: str
) -> None:
    file = written(tmp_path, json.dumps(data, indent=1))
    with pytest.raises(QuestionsError) as caught:
        read_questions(file)
    assert f"{file}, line {line}: " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[\n {]\n", "line 2: no valid JSON"),
        ("[]", "holds no questions"),
        ("", "holds no questions"),
        ("ok\tMEMORY.md\nno tab here\n", "line 2: no note is named"),
        ("\tMEMORY.md\n", "line 1: the question is empty"),
        ("ok\tMEMORY.md#L0\n", "line 1: 'MEMORY.md#L0' is no place"),
        ("ok\tMEMORY.md#L5-L2\n", "line 1: 'MEMORY.md#L5-L2' is no place"),
        ("ok\tMEMORY.md#Lx\n", "line 1: 'MEMORY.md#Lx' is no place"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_wrong_texts_name_line_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(QuestionsError, match="questions") as caught:
        read_questions(written(tmp_path, text, "questions.txt"))
    assert reason in str(caught.value)


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="cannot be read: No such file"):
        read_questions(tmp_path / "none.json")
    file = tmp_path / "bytes.txt"
    file.write_bytes(b"ok\xff")
    with pytest.raises(QuestionsError, match="not UTF-8 text at byte 2"):
        read_questions(file)


def test_a_folder_stands_for_its_question_files(tmp_path: Path) -> None:
    for name in ("b.json", "a.txt", "c.tsv", "README.md"):
        (tmp_path / name).write_text("")
    alone = tmp_path / "README.md"
    assert [file.name for file in question_files([alone, tmp_path])] == [
        "README.md",
        "a.txt",
        "b.json",
        "c.tsv",
    ]


def test_a_folder_without_question_files(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="holds no question files"):
        question_files([tmp_path])


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_json, st.lists(st.integers(0, 3) | st.text(max_size=3), max_size=3))
def test_every_place_in_any_json_has_a_line(data: object, keys: list[str | int]) -> None:
    text = json.dumps(data, indent=1)
    if isinstance(data, (list, dict)):
        assert 1 <= line_of(text, keys) <= text.count("\n") + 1
