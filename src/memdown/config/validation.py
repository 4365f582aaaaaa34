"""A tree of plain values, checked against a dataclass → an instance of it, or the first problem.

The types that settings are made of are few, so the check is written out here: with pydantic a
start with a configuration file took 224 ms of CPU time, `import msgspec` alone 39, and so it is 28.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from memdown.config.document import SectionLayers
from memdown.config.keys import closest, nearest
from memdown.config.values import Duration, Strict, camel

T = TypeVar("T")
Location = tuple[str | int, ...]

_REMEDY = "; correct it, or remove the key to get the default."


class Problem(Exception):
    """Where a value does not fit, and the rest of a sentence about it; {} stands for the value."""

    def __init__(self, location: Location, sentence: str, *, unknown: bool = False) -> None:
        super().__init__(sentence)
        self.location = location
        self.sentence = sentence
        self.unknown = unknown


def validate(section: type[T], tree: object, origin: SectionLayers) -> T:
    """The tree as an instance of the section's class; an error names the file and the key."""
    try:
        checked: T = convert(section, tree)
        return checked
    except Problem as problem:
        found = problem
    # Raised outside the handler, so that no traceback leads to the values of the file.
    if found.unknown:
        raise origin.error(found.location, _unknown(section, found.location))
    shown = origin.shown(found.location)
    sentence = found.sentence.replace("{}", shown)
    raise origin.error(found.location, sentence + _hint(found.sentence, shown))


def convert(kind: Any, value: object, location: Location = ()) -> Any:
    """The value as an instance of a type; a `Problem` tells the first place where it is not one."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        some = [part for part in get_args(kind) if part is not type(None)]
        return None if value is None else convert(some[0], value, location)
    if origin is Literal:
        return _one_of(get_args(kind), value, location)
    if origin is tuple:
        if not isinstance(value, list):
            raise _not(location, "a list")
        inner = get_args(kind)[0]
        return tuple(convert(inner, item, (*location, n)) for n, item in enumerate(value))
    if origin is not None:
        inner = get_args(kind)[1]
        return {
            key: convert(inner, item, (*location, key)) for key, item in _object(value, location)
        }
    if dataclasses.is_dataclass(kind) and kind is not Duration:
        return _instance(kind, value, location)
    return _simple(kind, value, location)


def _instance(kind: Any, value: object, location: Location) -> Any:
    """An instance of a dataclass, by keys in camelCase."""
    given = dict(_object(value, location))
    made: dict[str, object] = {}
    for field, hint in _fields(kind):
        key = camel(field.name)
        here = (*location, key)
        if key in given:
            made[field.name] = converted = convert(hint, given.pop(key), here)
            _check_limits(converted, field.metadata, here)
        elif field.default is field.default_factory is dataclasses.MISSING:
            raise Problem(here, "is missing; add it, or remove the object around it.")
    if given and issubclass(kind, Strict):
        raise Problem((*location, next(iter(given))), "", unknown=True)
    return kind(**made)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(kind))


def _object(value: object, location: Location) -> Any:
    # The value is not shown: it may be a secret that belongs one level deeper.
    if not isinstance(value, Mapping):
        raise Problem(location, f"must be an object{_REMEDY}")
    return value.items()


def _simple(kind: Any, value: object, location: Location) -> Any:
    if kind is bool:
        if not isinstance(value, bool):
            raise _not(location, "true or false")
        return value
    if kind in (int, float):
        return _number(kind, value, location)
    if not isinstance(value, str):
        raise _not(location, "text")
    try:
        return value if kind is str else kind(value)
    except ValueError as error:
        # Raised outside of a chain: the text may be a secret.
        reason = str(error)
    raise _not(location, reason)


def _number(kind: Any, value: object, location: Location) -> Any:
    whole = kind is int
    fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not fits:
        raise _not(location, "a whole number" if whole else "a number")
    number: Any = value
    if not math.isfinite(number):
        raise _not(location, "a finite number")
    return kind(number)


def _one_of(choices: tuple[object, ...], value: object, location: Location) -> object:
    if value in choices and isinstance(value, str):
        return value
    *some, last = (f'"{choice}"' for choice in choices)
    expected = f"{', '.join(some)} or {last}" if some else last
    raise Problem(location, f"is {{}} but must be {expected}")


def _check_limits(value: object, facts: Mapping[str, Any], location: Location) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, above = facts.get("ge"), facts.get("gt")
    if low is not None and value < low:
        raise Problem(location, f"is {{}}; give a number that is not below {low:g}.")
    if above is not None and value <= above:
        raise Problem(location, f"is {{}}; give a number above {above:g}.")


def _not(location: Location, expected: str) -> Problem:
    return Problem(location, f"is {{}} but must be {expected}{_REMEDY}")


def _unknown(section: type, location: Location) -> str:
    # The value is not shown: it may be a key whose name was mistyped.
    if meant := nearest(section, location):
        return f'is not a key that Memdown knows; did you mean "{meant}"?'
    return "is not a key that Memdown knows; remove it; `memdown config show` has all keys."


def _hint(sentence: str, shown: str) -> str:
    """After the choices there are: the nearest one."""
    if sentence.endswith("."):
        return ""
    meant = closest(shown.strip('"'), sentence.split('"')[1::2])
    return f'; did you mean "{meant}"?' if meant else "; choose one of them."
