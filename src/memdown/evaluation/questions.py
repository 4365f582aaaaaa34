"""Question sets: questions about notes, and the lines that a good answer must show."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdown.errors import QuestionsError

Key = str | int
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def line_of(text: str, keys: Sequence[Key]) -> int:
    """The line at which the value under these keys starts; the text must be valid JSON."""
    place = _skip(text, 0)
    for key in keys:
        place = _inside(text, place, key)
    return text.count("\n", 0, place) + 1


def _inside(text: str, place: int, key: Key) -> int:
    """Where a member of the object or list at `place` starts; `place` itself if it is not there."""
    if text[place] not in "[{":
        return place
    at = _skip(text, place + 1)
    number = 0
    while text[at] not in "]}":
        name: Any = number
        if text[place] == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1
    return place


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


_FILE_ENDINGS = (".json", ".txt", ".tsv")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines that a good answer shows; without lines, any part of the note will do."""

    path: str
    first: int = 1
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and where its answer stands; without evidence, nothing should be found.

    `where` is its place in the question file.
    """

    text: str
    evidence: tuple[Evidence, ...]
    where: str = ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions about one workspace; `documents` is None when they are about one's own notes.

    `today` is the day on which they are asked, if that matters.
    """

    name: str
    questions: tuple[Question, ...]
    documents: Mapping[str, Sequence[str]] | None = None
    today: datetime.date | None = None


class _Wrong(Exception):
    """What is wrong with the value under some keys of a JSON file."""

    def __init__(self, keys: Sequence[Key], reason: str) -> None:
        super().__init__(reason)
        self.keys = tuple(keys)
        self.reason = reason


def question_files(places: Iterable[Path]) -> list[Path]:
    """The files that are named, and of every folder those that may hold questions, by name."""
    files: list[Path] = []
    for place in places:
        if not place.is_dir():
            files.append(place)
            continue
        inside = sorted(file for file in place.iterdir() if file.suffix in _FILE_ENDINGS)
        if not inside:
            raise QuestionsError(
                f"{place} holds no question files: they end with {', '.join(_FILE_ENDINGS)}."
            )
        files += inside
    return files


def read_questions(file: Path) -> list[QuestionSet]:
    """Read a question file.

    Either a JSON list of workspaces `{name, documents, questions: [{question, evidence}]}`, or
    questions about one's own notes, one a line: the question, a tab, and where its answer stands
    (`memory/home.md` or `memory/home.md#L3-L9`; several places are separated by tabs).
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise QuestionsError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise QuestionsError(f"{file} is not UTF-8 text at byte {error.start}.") from None
    if text.lstrip().startswith(("[", "{")):
        return _read_json(file, text)
    return [QuestionSet(file.stem, tuple(_read_lines(file, text)))]


def write_questions(questions: Sequence[Question]) -> str:
    """Questions about one's own notes as a file that can be read and corrected by hand."""
    lines = [
        "# The question, a tab, and where its answer stands; nothing after the tab: no answer.",
        *(
            "\t".join((one.text, *map(written, one.evidence or (Evidence(""),))))
            for one in questions
        ),
    ]
    return "\n".join(lines) + "\n"


def written(evidence: Evidence) -> str:
    """A place as it stands in a question file: `memory/home.md#L3-L9`."""
    if evidence.last is None:
        return evidence.path
    if evidence.last == evidence.first:
        return f"{evidence.path}#L{evidence.first}"
    return f"{evidence.path}#L{evidence.first}-L{evidence.last}"


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
        named = [place.strip() for place in places.split("\t") if place.strip()]
        evidence = tuple(_place(file, number, place) for place in named)
        questions.append(Question(question.strip(), evidence, f"line {number}"))
    if not questions:
        raise QuestionsError(f"{file} holds no questions.")
    return questions


def _place(file: Path, number: int, place: str) -> Evidence:
    path, mark, lines = place.rpartition("#L")
    if not mark:
        return Evidence(place)
    first, _, last = lines.partition("-L")
    try:
        return _checked(Evidence(path, int(first), int(last or first)))
    except ValueError as error:
        raise QuestionsError(f"{file}, line {number}: {place!r} is no place: {error}.") from None


def _checked(evidence: Evidence) -> Evidence:
    if evidence.first < 1 or (evidence.last is not None and evidence.last < evidence.first):
        raise ValueError("lines count from 1, and the first comes before the last")
    return evidence


def _read_json(file: Path, text: str) -> list[QuestionSet]:
    try:
        data = json.loads(text)
        sets = data if isinstance(data, list) else [data]
        if not sets:
            raise QuestionsError(f"{file} holds no questions.")
        prefixes: list[tuple[Key, ...]] = (
            [(number,) for number in range(len(sets))] if isinstance(data, list) else [()]
        )
        return [_set(file.stem, keys, one) for keys, one in zip(prefixes, sets, strict=True)]
    except json.JSONDecodeError as error:
        raise QuestionsError(f"{file}, line {error.lineno}: no valid JSON: {error.msg}.") from None
    except RecursionError:
        raise QuestionsError(f"{file} is nested too deeply.") from None
    except _Wrong as wrong:
        line, name = line_of(text, wrong.keys), _name(wrong.keys)
        raise QuestionsError(f"{file}, line {line}: {name} {wrong.reason}.") from None


def _name(keys: Sequence[Key]) -> str:
    shown = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return shown.lstrip(".") or "the file"


def _set(stem: str, keys: tuple[Key, ...], data: Any) -> QuestionSet:
    questions = _field(keys, data, "questions", list)
    documents = _field(keys, data, "documents", dict) if "documents" in data else None
    for path, lines in (documents or {}).items():
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise _Wrong((*keys, "documents", path), "must be a list of lines")
    if not questions:
        raise _Wrong((*keys, "questions"), "is empty")
    return QuestionSet(
        str(data.get("name", stem)),
        tuple(_question((*keys, "questions", i), one) for i, one in enumerate(questions)),
        documents,
        _today(keys, data),
    )


def _today(keys: tuple[Key, ...], data: Any) -> datetime.date | None:
    if "today" not in data:
        return None
    try:
        return datetime.date.fromisoformat(_field(keys, data, "today", str))
    except ValueError:
        raise _Wrong((*keys, "today"), "must be a day such as 2026-03-01") from None


def _question(keys: tuple[Key, ...], data: Any) -> Question:
    text = _field(keys, data, "question", str)
    if not text.strip():
        raise _Wrong((*keys, "question"), "is empty")
    evidence = []
    for index, one in enumerate(_field(keys, data, "evidence", list)):
        if not isinstance(one, list) or list(map(type, one)) != [str, int, int]:
            raise _Wrong((*keys, "evidence", index), "must be [path, first, last]")
        try:
            evidence.append(_checked(Evidence(*one)))
        except ValueError as error:
            reason = f"must be [path, first, last]: {error}"
            raise _Wrong((*keys, "evidence", index), reason) from None
    return Question(text, tuple(evidence), _name(keys))


_KINDS: Mapping[type, str] = {list: "a list", dict: "an object", str: "text"}


def _field(keys: tuple[Key, ...], data: Any, name: str, kind: type) -> Any:
    if not isinstance(data, dict):
        raise _Wrong(keys, f"must be an object, is {type(data).__name__}")
    if name not in data:
        raise _Wrong(keys, f"has no {name!r}")
    if not isinstance(data[name], kind):
        raise _Wrong((*keys, name), f"must be {_KINDS[kind]}, is {type(data[name]).__name__}")
    return data[name]
