"""A section of the file, checked by pydantic → settings, or one sentence on the first problem."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar, cast

from memdown.config.keys import closest, nearest
from memdown.config.origin import Origin

T = TypeVar("T")

# Building one takes longer than using it.
_ADAPTERS: dict[type, Any] = {}

_EXPECTED = {
    "bool_type": "true or false",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_type": "a whole number",
    "string_type": "text",
    "tuple_type": "a list",
}


def validate(section: type[T], tree: object, origin: Origin) -> T:
    """The tree as an instance of the section's class."""
    from pydantic import ValidationError

    problem: dict[str, Any] | None = None
    try:
        # As JSON and strictly: so a list may become a tuple and a text a path, and nothing else
        # is converted.
        return cast(T, _adapter(section).validate_json(json.dumps(tree), strict=True))
    except ValidationError as error:
        problem = cast(dict[str, Any], error.errors(include_url=False, include_input=False)[0])
    # Raised outside the handler, so that no traceback leads to pydantic's error and its input.
    location = [part for part in problem["loc"] if part != "[key]"]
    raise origin.error(location, _sentence(section, problem, location, origin))


def _adapter(section: type) -> Any:
    if section not in _ADAPTERS:
        from pydantic import TypeAdapter

        _ADAPTERS[section] = TypeAdapter(section)
    return _ADAPTERS[section]


def _sentence(
    section: type, problem: dict[str, Any], location: list[str | int], origin: Origin
) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "unexpected_keyword_argument":
        # The value is not shown: it may be a key whose name was mistyped.
        if meant := nearest(section, location):
            return f'is not a key that Memdown knows; did you mean "{meant}"?'
        return "is not a key that Memdown knows; remove it; `memdown config show` has all keys."
    if kind == "missing":
        return "is missing; add it, or remove the object around it."
    if kind == "literal_error":
        return _choice(str(context["expected"]), origin.shown(location))
    if kind == "greater_than_equal":
        return f"is {origin.shown(location)}; give a number that is not below {context['ge']:g}."
    if kind == "greater_than":
        return f"is {origin.shown(location)}; give a number above {context['gt']:g}."
    remedy = "; correct it, or remove the key to get the default."
    if kind in ("dataclass_type", "dict_type"):
        # Here too the value is not shown: it may be a secret that belongs one level deeper.
        return f"must be an object{remedy}"
    expected = context["error"] if kind == "value_error" else _EXPECTED.get(kind, problem["msg"])
    return f"is {origin.shown(location)} but must be {expected}{remedy}"


def _choice(expected: str, shown: str) -> str:
    choices = expected.replace("'", '"')
    meant = closest(shown.strip('"'), re.findall(r'"([^"]+)"', choices))
    hint = f'; did you mean "{meant}"?' if meant else "; choose one of them."
    return f"is {shown} but must be {choices}{hint}"
