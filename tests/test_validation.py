"""One way to check plain values: settings, arguments of tools, requests and session files use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from memdown.validation import Field, Problem, Strict, convert


@dataclass(frozen=True, slots=True)
class Part:
    kind: Literal["text", "image"]
    size: int = 0


@dataclass(frozen=True, slots=True)
class Ours(Strict):
    max_size: int = field(default=1, metadata={"ge": 0})
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Theirs:
    content: str | list[Any] = ""
    count: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def test_an_object_becomes_a_dataclass() -> None:
    made = convert(Ours, {"maxSize": 3.0, "parts": [{"kind": "text", "size": 2}]})
    assert made == Ours(3, (Part("text", 2),))
    assert isinstance(made.max_size, int)


def test_what_other_programs_write_is_kept_and_null_counts_as_left_out() -> None:
    made = convert(Theirs, {"content": ["a", {"b": 1}], "count": None, "new": [1]})
    assert made == Theirs(["a", {"b": 1}], None, {"new": [1]})


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (Ours, [], "the content must be an object"),
        (Ours, {"maxSize": "3"}, "maxSize must be a whole number"),
        (Ours, {"maxSize": 3.5}, "maxSize must be a whole number"),
        (Ours, {"maxSize": True}, "maxSize must be a whole number"),
        (Ours, {"maxSize": float("inf")}, "maxSize must be a finite number"),
        (float, 10**400, "the content must be a finite number"),
        (Ours, {"maxSize": -1}, "maxSize must be at least 0"),
        (Ours, {"maxsize": 1}, "maxsize is not known"),
        (Ours, {"parts": [{}]}, "parts[0].kind is missing"),
        (Ours, {"parts": [{"kind": "text"}, {"kind": "x"}]}, 'parts[1].kind must be "text" or "image"'),
        (Theirs, {"content": 5}, "content must be text"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_its_place(kind: Any, value: object, told: str) -> None:
    with pytest.raises(Problem) as problem:
        convert(kind, value)
    assert str(problem.value) == told


NUMBER = Field("limit", "How many.", "integer", low=1, high=100)
TEXT = Field("tag", "Which.", low=1, high=4, nullable=True)
CHOICE = Field("source", "Where.", choices=("notes", "sessions"))
SWITCH = Field("all", "Whether.", "boolean")


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (NUMBER, "7", 7),
        (NUMBER, "7.0", 7),
        (Field("score", "", "number"), "-0.5", -0.5),
        (SWITCH, "true", True),
        (SWITCH, "false", False),
        (TEXT, "true", "true"),
        (CHOICE, "notes", "notes"),
    ],
)
def test_a_text_of_an_address_becomes_a_value(field: Field, text: str, value: object) -> None:
    assert field.parse(text) == value
    assert type(field.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        (NUMBER, "seven", "limit must be a whole number"),
        (NUMBER, "0", "limit must be from 1 to 100"),
        (NUMBER, "nan", "limit must be a finite number"),
        (NUMBER, "٧", "limit must be a whole number"),
        (Field("id", "", "integer", low=1), "-1", "id must be at least 1"),
        (SWITCH, "yes", "all must be true or false"),
        (TEXT, "", "tag must have from 1 to 4 characters"),
        (Field("q", "", high=3), "long", "q must have at most 3 characters"),
        (CHOICE, "mail", "source must be notes or sessions"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(field: Field, text: str, told: str) -> None:
    with pytest.raises(Problem) as problem:
        field.parse(text)
    assert str(problem.value) == told


def test_a_field_is_its_own_schema() -> None:
    assert NUMBER.schema() == {"type": "integer", "minimum": 1, "maximum": 100}
    assert TEXT.schema() == {"type": ["string", "null"], "minLength": 1, "maxLength": 4}
    assert CHOICE.schema() == {"type": "string", "enum": ["notes", "sessions"]}
    assert TEXT.check(None) is None
