"""What a request may carry: checked by the same table that documents it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memdown.errors import BadRequest

_TRUE, _FALSE = frozenset({"true"}), frozenset({"false"})
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One value: its name, its type in JSON schema's words, and its bounds."""

    name: str
    about: str
    type: str = "string"
    required: bool = False
    nullable: bool = False
    default: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The field as JSON schema."""
        lower, upper = (
            ("minLength", "maxLength") if self.type == "string" else ("minimum", "maximum")
        )
        schema: dict[str, Any] = {"type": [self.type, "null"] if self.nullable else self.type}
        if self.low is not None:
            schema[lower] = self.low
        if self.high is not None:
            schema[upper] = self.high
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.default is not None:
            schema["default"] = self.default
        return schema

    def check(self, value: Any) -> Any:
        """The value if it fits; an error that says what would."""
        if value is None and self.nullable:
            return None
        if isinstance(value, bool) != (self.type == "boolean") or not isinstance(
            value, _KINDS[self.type]
        ):
            raise BadRequest(f"`{self.name}` must be of type {self.type}.")
        if self.type != "boolean":
            self._check_bounds(value)
        if self.choices and value not in self.choices:
            raise BadRequest(f"`{self.name}` must be one of {', '.join(self.choices)}.")
        return value

    def _check_bounds(self, value: Any) -> None:
        size = len(value) if isinstance(value, str) else value
        # Written so that "not a number" is out of bounds too.
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not low <= size <= high:
            raise BadRequest(f"`{self.name}` must lie between {self.low} and {self.high}.")

    def parse(self, text: str) -> Any:
        """The value that stands in an address."""
        try:
            if self.type == "integer":
                if not text.lstrip("-").isascii() or not text.lstrip("-").isdecimal():
                    raise ValueError
                return self.check(int(text))
            if self.type == "number":
                return self.check(float(text))
        except ValueError:
            raise BadRequest(f"`{self.name}` must be of type {self.type}.") from None
        if self.type == "boolean":
            if text not in _TRUE | _FALSE:
                raise BadRequest(f"`{self.name}` must be true or false.")
            return text in _TRUE
        return self.check(text)


def from_query(fields: Sequence[Field], given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The values of an address's query."""
    named = {field.name: field for field in fields}
    values: dict[str, Any] = {}
    for name, text in given:
        if name not in named:
            raise BadRequest(f"There is no parameter `{name[:40]}` here; see /api/openapi.json.")
        if name in values:
            raise BadRequest(f"`{name}` is given twice; give it once.")
        values[name] = named[name].parse(text)
    return _complete(fields, values)


def from_body(fields: Sequence[Field], body: bytes) -> dict[str, Any]:
    """The values of a JSON body."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body must be JSON.") from None
    if not isinstance(data, Mapping):
        raise BadRequest("The body must be a JSON object.")
    named = {field.name: field for field in fields}
    for name in data:
        if name not in named:
            raise BadRequest(f"There is no field `{str(name)[:40]}` here; see /api/openapi.json.")
    return _complete(fields, {name: named[name].check(value) for name, value in data.items()})


def _complete(fields: Sequence[Field], values: dict[str, Any]) -> dict[str, Any]:
    for field in fields:
        if field.name not in values:
            if field.required:
                raise BadRequest(f"`{field.name}` is missing.")
            values[field.name] = field.default
    return values
