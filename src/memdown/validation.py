"""Plain values, of JSON or of an address, checked against types; the same for settings, the arguments
of tools, web requests and session files.

The types are few, so the check is written out here: with pydantic a start with a configuration file
took 224 ms of CPU time, `import msgspec` alone 39, and so it is 28.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from memdown.values import dataclass

Location = tuple[str | int, ...]
Reason = Literal["wrong", "missing", "unknown", "hidden"]

_PYTHON: Mapping[str, type] = {"string": str, "boolean": bool, "integer": int, "number": float}


class Problem(Exception):
    """Where a value does not fit, and what it must do, such as "be a whole number".

    Its text names the place, not the value; a `hidden` one must not be shown by anybody else either,
    since it may be a secret in the wrong place.
    """

    def __init__(self, location: Location, must: str, reason: Reason = "wrong") -> None:
        name = written(location) or "the content"
        is_what = {"missing": "is missing", "unknown": "is not known"}
        super().__init__(f"{name} {is_what.get(reason, f'must {must}')}")
        self.location = location
        self.must = must
        self.reason = reason


class Strict:
    """For values that are ours alone: an unknown key is an error."""

    __slots__ = ()


class WrittenAsText:
    """For values that are made of a text, such as a span of time."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a call: its name, what it means, its type in JSON schema's words, its bounds.

    Those of a text are the numbers of its characters.
    """

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
        """The field as JSON schema, without what it means."""
        of_text = self.type == "string"
        lower, upper = ("minLength", "maxLength") if of_text else ("minimum", "maximum")
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

    def check(self, value: object) -> Any:
        """The value if it fits, else a `Problem`."""
        if value is None and self.nullable:
            return None
        here = (self.name,)
        checked = convert(_PYTHON[self.type], value, here)
        if isinstance(checked, str):
            _check_bounds(len(checked), self.low, self.high, here, "have {} characters")
        elif not isinstance(checked, bool):
            _check_bounds(checked, self.low, self.high, here, "be {}")
        if self.choices and checked not in self.choices:
            raise Problem(here, f"be {_listed(self.choices)}")
        return checked

    def parse(self, text: str) -> Any:
        """The value of a text that stands in an address."""
        if self.type == "boolean":
            return self.check({"true": True, "false": False}.get(text, text))
        if self.type == "string" or not text.isascii():
            return self.check(text)
        try:
            number = int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return self.check(text)
        return self.check(number)


def convert(kind: Any, value: object, location: Location = ()) -> Any:
    """The value as an instance of a type; a `Problem` tells the first place where it is not one.

    A dataclass is made of an object with keys in camelCase. If it has a field `extra`, other programs
    write the same file: what is not known is kept there, and null counts as left out.
    """
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return _one_that_fits(get_args(kind), value, location)
    if origin is Literal:
        return _one_of(get_args(kind), value, location)
    if origin in (tuple, list):
        if not isinstance(value, list):
            raise Problem(location, "be a list")
        inner = get_args(kind)[0]
        return origin(convert(inner, item, (*location, n)) for n, item in enumerate(value))
    if origin is not None:
        inner = get_args(kind)[1]
        return {
            key: convert(inner, item, (*location, key)) for key, item in _object(value, location)
        }
    if _is_object(kind):
        return _instance(kind, value, location)
    return _simple(kind, value, location)


def written(location: Location) -> str:
    """A place as people write it: `messages[2].role`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def camel(name: str) -> str:
    """The name of a key in a file: `max_results` is `maxResults`, `lambda_` is `lambda`."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def _one_that_fits(kinds: tuple[Any, ...], value: object, location: Location) -> Any:
    """The value as the first type it fits."""
    if value is None and type(None) in kinds:
        return None
    problems = []
    for kind in kinds:
        if kind is not type(None):
            try:
                return convert(kind, value, location)
            except Problem as problem:
                problems.append(problem)
    raise problems[0]


def _is_object(kind: Any) -> bool:
    return dataclasses.is_dataclass(kind) and not issubclass(cast(type, kind), WrittenAsText)


def _instance(kind: Any, value: object, location: Location) -> Any:
    """An instance of a dataclass."""
    given = dict(_object(value, location))
    made: dict[str, object] = {}
    is_shared = any(field.name == "extra" for field, _ in _fields(kind))
    for field, hint in _fields(kind):
        key = camel(field.name)
        here = (*location, key)
        if key in given and field.name != "extra":
            found = given.pop(key)
            if not (is_shared and found is None):
                made[field.name] = converted = convert(hint, found, here)
                _check_limits(converted, field.metadata, here)
        if field.default is field.default_factory is dataclasses.MISSING and field.name not in made:
            raise Problem(here, "be there", "missing")
    if is_shared:
        made["extra"] = given
    elif given and issubclass(kind, Strict):
        raise Problem((*location, next(iter(given))), "be known", "unknown")
    return kind(**made)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(kind))


def _object(value: object, location: Location) -> Any:
    if not isinstance(value, Mapping):
        raise Problem(location, "be an object", "hidden")
    return value.items()


def _simple(kind: Any, value: object, location: Location) -> Any:
    if kind is bool:
        if not isinstance(value, bool):
            raise Problem(location, "be true or false")
        return value
    if kind in (int, float):
        return _number(kind, value, location)
    if not isinstance(value, str):
        raise Problem(location, "be text")
    try:
        return value if kind is str else kind(value)
    except ValueError as error:
        # Raised outside of a chain: the text may be a secret.
        reason = str(error)
    raise Problem(location, f"be {reason}")


def _number(kind: type, value: object, location: Location) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    number: Any = value
    if isinstance(value, float) and not math.isfinite(value):
        raise Problem(location, "be a finite number")
    if not is_number or (kind is int and number != int(number)):
        raise Problem(location, "be a whole number" if kind is int else "be a number")
    try:
        return kind(number)
    except OverflowError:
        raise Problem(location, "be a finite number") from None


def _one_of(choices: tuple[object, ...], value: object, location: Location) -> object:
    if value in choices and isinstance(value, str):
        return value
    quoted = [f'"{choice}"' for choice in choices]
    raise Problem(location, f"be {_listed(quoted)}")


def _listed(choices: Sequence[str]) -> str:
    *some, last = choices
    return f"{', '.join(some)} or {last}" if some else last


def _check_limits(value: object, facts: Mapping[str, Any], location: Location) -> None:
    """What a field's metadata say of its number: not below `ge`, above `gt`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, above = facts.get("ge"), facts.get("gt")
    if low is not None and value < low:
        raise Problem(location, f"be at least {low:g}")
    if above is not None and value <= above:
        raise Problem(location, f"be above {above:g}")


def _check_bounds(
    size: float, low: float | None, high: float | None, location: Location, must: str
) -> None:
    if (low is None or size >= low) and (high is None or size <= high):
        return
    if high is None:
        allowed = f"at least {low:g}"
    elif low is None:
        allowed = f"at most {high:.15g}"
    else:
        allowed = f"from {low:g} to {high:.15g}"
    raise Problem(location, must.format(allowed))
