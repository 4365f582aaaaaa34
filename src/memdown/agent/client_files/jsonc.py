"""Members set and removed in JSON text, comments and layout kept (also JSON with comments)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memdown.errors import ConfigError

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ATOM = re.compile(r"[^\s,:{}\[\]\"/]+")
_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member of an object stands: from its key to the end of its value."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object stands, braces included, and its members."""

    start: int
    end: int
    members: tuple[_Member, ...]


def parse(text: str) -> Any:
    """The value of JSON text that may have comments and trailing commas; {} for empty text."""
    if not text[_space(text, 0) :]:
        return {}
    import pyjson5

    # JSON5 allows all that and more; the scan below is the stricter of the two.
    try:
        return pyjson5.decode(text.removeprefix("\ufeff"))
    except (pyjson5.Json5Exception, RecursionError):
        raise ConfigError("it is not valid JSON; correct it first") from None


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the member at `path` set; objects on the way are made if they are missing."""
    wanted = parse(text)
    _set(wanted, path, value)
    if not text[_space(text, 0) :]:
        return json.dumps(wanted, indent=2, ensure_ascii=False) + "\n"
    result = _with_member(text, list(path), value)
    return _proven(result, wanted)


def remove_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`; unchanged if there is none."""
    wanted = parse(text)
    inner: Any = wanted
    for name in path[:-1]:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or path[-1] not in inner:
        return text
    del inner[path[-1]]
    return _proven(_without_member(text, list(path)), wanted)


def _proven(text: str, wanted: Any) -> str:
    if parse(text) != wanted:
        raise ConfigError("it is laid out in a way that cannot be edited safely; edit it by hand")
    return text


def _set(data: Any, path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        data = data.setdefault(name, {}) if isinstance(data, dict) else None
    if not isinstance(data, dict):
        raise ConfigError(f"{'.'.join(path[:-1]) or 'the file'} is not an object; edit it by hand")
    data[path[-1]] = value


def _with_member(text: str, path: list[str], value: Any) -> str:
    here = _object_at(text, _space(text, 0))
    while len(path) > 1 and (found := _find(here, path[0])):
        here = _object_at(text, found.value)
        path = path[1:]
    for name in reversed(path[1:]):
        value = {name: value}
    unit = _indent_unit(text)
    inner = _line_indent(text, here.start) + unit
    found = _find(here, path[0])
    if found:
        return text[: found.value] + _rendered(value, inner, unit) + text[found.end :]
    new = f"{json.dumps(path[0], ensure_ascii=False)}: {_rendered(value, inner, unit)}"
    if here.members:
        last = here.members[-1].end
        return f"{text[:last]},\n{inner}{new}{_after_comma(text, last)}"
    outer = _line_indent(text, here.start)
    kept = text[here.start + 1 : here.end - 1].rstrip()
    return f"{text[: here.start + 1]}{kept}\n{inner}{new}\n{outer}{text[here.end - 1 :]}"


def _after_comma(text: str, end: int) -> str:
    """What follows a value, without the trailing comma it may have had."""
    comma = _space(text, end)
    return text[end:comma] + text[comma + 1 :] if text[comma : comma + 1] == "," else text[end:]


def _without_member(text: str, path: list[str]) -> str:
    here = _object_at(text, _space(text, 0))
    for name in path[:-1]:
        found = _find(here, name)
        if found is None:
            return text
        here = _object_at(text, found.value)
    member = _find(here, path[-1])
    if member is None:
        return text
    number = here.members.index(member)
    if number + 1 < len(here.members):
        return text[: member.start] + text[here.members[number + 1].start :]
    rest = _after_comma(text, member.end)
    if number:
        return text[: here.members[number - 1].end] + rest
    return text[: member.start].rstrip(" \t\n") + rest.lstrip(" \t\n")


def _find(here: _Object, name: str) -> _Member | None:
    # Of two members with one name, parsers take the last.
    return next((member for member in reversed(here.members) if member.key == name), None)


def _rendered(value: Any, indent: str, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _indent_unit(text: str) -> str:
    return min(_INDENT.findall(text), key=len, default="  ")


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _object_at(text: str, position: int) -> _Object:
    if text[position : position + 1] != "{":
        raise ConfigError("it has something else where an object is expected; edit it by hand")
    members = []
    at = _space(text, position + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise ConfigError("it is not valid JSON; correct it first")
        colon = _space(text, key.end())
        value = _space(text, colon + 1)
        end = _value_end(text, value)
        members.append(_Member(json.loads(key[0], strict=False), at, value, end))
        at = _space(text, end)
        if text[at : at + 1] == ",":
            at = _space(text, at + 1)
    return _Object(position, at + 1, tuple(members))


def _value_end(text: str, at: int) -> int:
    """The end of the value that begins here; the text is known to be valid."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "{[":
            depth += 1
            at += 1
        elif char in "}]":
            depth -= 1
            at += 1
        elif char in ",:":
            at += 1
        else:
            match = _STRING.match(text, at) or _ATOM.match(text, at)
            if match is None:
                break
            at = match.end()
        if depth == 0:
            return at
        if depth > _MAX_DEPTH:
            break
        at = _space(text, at)
    raise ConfigError("it is not valid JSON; correct it first")
