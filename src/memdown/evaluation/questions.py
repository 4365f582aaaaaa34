"""Question sets: questions about notes, and the lines that a good answer must show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdown.errors import MemdownError


class QuestionsError(MemdownError):
    """A question file that cannot be used, with the place and the reason."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines that a good answer shows; without lines, any part of the note will do."""

    path: str
    first: int = 1
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and where its answer stands; without evidence, nothing should be found."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions about one workspace; `documents` is None when they are about one's own notes."""

    name: str
    questions: tuple[Question, ...]
    documents: Mapping[str, Sequence[str]] | None = None


def read_questions(file: Path) -> list[QuestionSet]:
    """Read a question file.

    Either a JSON list of workspaces `{name, documents, questions: [{question, evidence}]}`, or
    questions about one's own notes, one a line: `question<TAB>path` or `question<TAB>path#L3-L9`.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"{file} cannot be read: {error}.") from None
    if text.lstrip().startswith(("[", "{")):
        return _read_json(file, text)
    return [QuestionSet(file.stem, tuple(_read_lines(file, text)))]


def _read_lines(file: Path, text: str) -> list[Question]:
    questions = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        question, tab, places = line.partition("\t")
        if not question.strip():
            raise QuestionsError(f"{file}, line {number}: the question is empty.")
        if not tab:
            raise QuestionsError(
                f"{file}, line {number}: no note is named; write the question, a tab, and the "
                "note's path, such as memory/home.md#L3-L9 (nothing after the tab: no answer)."
            )
        evidence = [_place(file, number, place) for place in places.split()]
        questions.append(Question(question.strip(), tuple(evidence)))
    if not questions:
        raise QuestionsError(f"{file} holds no questions.")
    return questions


def _place(file: Path, number: int, place: str) -> Evidence:
    path, mark, lines = place.partition("#L")
    if not mark:
        return Evidence(path)
    first, _, last = lines.partition("-L")
    try:
        return _checked(Evidence(path, int(first), int(last or first)))
    except ValueError as error:
        raise QuestionsError(f"{file}, line {number}: {place!r} is no place: {error}.") from None


def _checked(evidence: Evidence) -> Evidence:
    if evidence.first < 1 or (evidence.last is not None and evidence.last < evidence.first):
        raise ValueError("lines count from 1, the first comes before the last")
    return evidence


def _read_json(file: Path, text: str) -> list[QuestionSet]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise QuestionsError(f"{file}, line {error.lineno}: {error.msg}.") from None
    except RecursionError:
        raise QuestionsError(f"{file} is nested too deeply.") from None
    sets = data if isinstance(data, list) else [data]
    if not sets:
        raise QuestionsError(f"{file} holds no questions.")
    return [_set(file, f"[{index}]", one) for index, one in enumerate(sets)]


def _set(file: Path, where: str, data: Any) -> QuestionSet:
    questions = _field(file, where, data, "questions", list)
    documents = _field(file, where, data, "documents", dict) if "documents" in data else None
    for path, lines in (documents or {}).items():
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise QuestionsError(f"{file}, {where}.documents[{path!r}]: must be a list of lines.")
    return QuestionSet(
        str(data.get("name", file.stem)),
        tuple(_question(file, f"{where}.questions[{i}]", one) for i, one in enumerate(questions)),
        documents,
    )


def _question(file: Path, where: str, data: Any) -> Question:
    text = _field(file, where, data, "question", str)
    if not text.strip():
        raise QuestionsError(f"{file}, {where}.question: is empty.")
    evidence = []
    for index, one in enumerate(_field(file, where, data, "evidence", list)):
        try:
            path, first, last = one
            if not isinstance(path, str):
                raise TypeError("the path must be text")
            evidence.append(_checked(Evidence(path, int(first), int(last))))
        except (TypeError, ValueError) as error:
            raise QuestionsError(
                f"{file}, {where}.evidence[{index}]: must be [path, first, last]: {error}."
            ) from None
    return Question(text, tuple(evidence))


def _field(file: Path, where: str, data: Any, name: str, kind: type) -> Any:
    if not isinstance(data, dict):
        raise QuestionsError(f"{file}, {where}: must be an object, is {type(data).__name__}.")
    if name not in data:
        raise QuestionsError(f"{file}, {where}: {name} is missing.")
    if not isinstance(data[name], kind):
        raise QuestionsError(
            f"{file}, {where}.{name}: must be {kind.__name__}, is {type(data[name]).__name__}."
        )
    return data[name]
