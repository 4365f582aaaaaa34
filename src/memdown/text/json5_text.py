"""JSON and JSON5 as text: read, written readably, and changed in place so that comments stay.

Reading is pyjson5's work. What is here only finds where a value stands in a text that pyjson5 has
accepted, which is enough to put something else there without touching the rest. Strict JSON stays
strict: where the keys are in double quotes, new ones are too, and no comma is left at an end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_SKIP = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*(?s:.*?)\*/)+")
_PLAIN = re.compile(r"[^\s,:\[\]{}\"'/]+")
_STRING = re.compile(r'"(?:[^"\\]|\\(?s:.))*"|\'(?:[^\'\\]|\\(?s:.))*\'')
_INDENT = re.compile(r"^[ \t]+(?=[^\s*/])", re.MULTILINE)
_MOST_DEPTH = 500


class BadJson5(Exception):
    """A text that is no JSON5, with the reason."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a value stands: its first character and the place behind its last one."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Member:
    """A key of an object: where it begins, and where its value stands."""

    key: str
    start: int
    value: _Span


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file is written, which new parts of it follow."""

    strict: bool
    unit: str
    newline: str

    def key(self, name: str) -> str:
        bare = not self.strict and _NAME.fullmatch(name)
        return name if bare else json.dumps(name, ensure_ascii=False)

    def value(self, value: Any, indent: str) -> str:
        text = (
            json.dumps(value, indent=self.unit, ensure_ascii=False)
            if self.strict
            else dumps(value, unit=self.unit)
        )
        return text.replace("\n", f"{self.newline}{indent}")


def loads(text: str) -> Any:
    """The value of a JSON5 text."""
    import pyjson5

    try:
        return pyjson5.decode(text.removeprefix("\ufeff"), maxdepth=_MOST_DEPTH)
    except (pyjson5.Json5DecoderException, RecursionError) as error:
        reason = str(error.args[0]) if error.args else "it is nested too deeply"
        raise BadJson5(reason.rstrip(".")) from None


def is_blank(text: str) -> bool:
    """Whether there is nothing in a text but space and comments."""
    return _skipped(text, 0) == len(text)


def dumps(value: Any, indent: int = 0, unit: str = "  ") -> str:
    """A value as JSON5 a person likes to read: bare keys, commas after every item."""
    space, inner = unit * indent, unit * (indent + 1)
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        items = (
            f"{inner}{key if _NAME.fullmatch(key) else json.dumps(key, ensure_ascii=False)}: "
            f"{dumps(item, indent + 1, unit)},\n"
            for key, item in value.items()
        )
        return "{\n" + "".join(items) + space + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return "[]"
        lines = (f"{inner}{dumps(item, indent + 1, unit)},\n" for item in value)
        return "[\n" + "".join(lines) + space + "]"
    return json.dumps(value, ensure_ascii=False)


def with_value(text: str, path: Sequence[str], value: Any, *, strict: bool = False) -> str | None:
    """The text with the value under a path of keys replaced or added, objects on the way included.

    None if something on the way is no object. `strict` is for a text that has no key yet.
    """
    if is_blank(text):
        for name in reversed(path):
            value = {name: value}
        made = _Style(strict, "  ", "\n").value(value, "")
        return f"{text.rstrip()}\n{made}\n".lstrip("\n")
    style = _style(text, strict)
    here = _whole(text)
    for depth, name in enumerate(path):
        if text[here.start] != "{":
            return None
        found = _last(_members(text, here), name)
        if found is None:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            indent = _line_indent(text, here.start) + style.unit
            return _insert(text, here, f"{style.key(name)}: {style.value(value, indent)}", style)
        here = found.value
    indent = _line_indent(text, here.start)
    return text[: here.start] + style.value(value, indent) + text[here.end :]


def with_members(text: str, members: Mapping[str, Any]) -> str | None:
    """The text with members added at the end of its object, all at once; None if it is no object."""
    span = _whole(text)
    if text[span.start] != "{":
        return None
    style = _style(text, strict=False)
    indent = _line_indent(text, span.start) + style.unit
    items = [f"{style.key(name)}: {style.value(value, indent)}" for name, value in members.items()]
    return _insert(text, span, f",{style.newline}{indent}".join(items), style)


def with_item(text: str, path: Sequence[str], value: Any) -> str | None:
    """The text with a value added at the end of an array; None if there is no such array."""
    span = _find(text, path)
    if span is None or text[span.start] != "[":
        return None
    style = _style(text, strict=False)
    indent = _line_indent(text, span.start) + style.unit
    return _insert(text, span, style.value(value, indent), style)


def without_key(text: str, path: Sequence[str]) -> str | None:
    """The text without a key and its value, however often it is there; None if it is not."""
    members = list(_members(text, _find(text, path[:-1])))
    number = next((n for n, one in enumerate(members) if one.key == path[-1]), None)
    if number is None:
        return None
    start, after = members[number].start, _skipped(text, members[number].value.end)
    if text[after : after + 1] == ",":
        after += 1
    else:
        after = members[number].value.end
        if number:
            # It was the last one: strict JSON has no comma before the end.
            comma = _skipped(text, members[number - 1].value.end)
            text = text[:comma] + text[comma + 1 :]
            start, after = start - 1, after - 1
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip():
        start = line
        rest = re.compile(r"[ \t]*\r?\n").match(text, after)
        after = rest.end() if rest else after
    left = text[:start] + text[after:]
    return without_key(left, path) or left


def _style(text: str, strict: bool) -> _Style:
    keys = [text[one.start] for one in _members(text, _whole(text))]
    return _Style(
        strict=all(sign == '"' for sign in keys) if keys else strict,
        unit=min(_INDENT.findall(text), key=len, default="  "),
        newline="\r\n" if "\r\n" in text else "\n",
    )


def _insert(text: str, span: _Span, item: str, style: _Style) -> str:
    """Add an item before the closing bracket, with a comma behind the last one if it has none."""
    close = span.end - 1
    outer = _line_indent(text, span.start)
    last = _last_end(text, span)
    if last is None:
        before, comma = text[:close].rstrip(), not style.strict
    else:
        at = _skipped(text, last)
        comma = text[at] == ","
        if comma:
            before = text[:close].rstrip()
        else:
            before, comma = f"{text[:last]},{text[last:close].rstrip()}", not style.strict
    end = "," if comma else ""
    line = style.newline
    return f"{before}{line}{outer}{style.unit}{item}{end}{line}{outer}{text[close:]}"


def _last_end(text: str, span: _Span) -> int | None:
    if text[span.start] == "{":
        ends = [one.value.end for one in _members(text, span)]
    else:
        ends = [one.end for one in _items(text, span)]
    return ends[-1] if ends else None


def _whole(text: str) -> _Span:
    start = _skipped(text, 0)
    return _Span(start, _value_end(text, start))


def _find(text: str, path: Sequence[str]) -> _Span | None:
    """Where the value under a path of keys stands; the last of equal keys counts, as in reading."""
    span: _Span | None = _whole(text)
    for name in path:
        found = _last(_members(text, span), name)
        span = found.value if found else None
    return span


def _last(members: Iterator[_Member], name: str) -> _Member | None:
    return next((one for one in reversed(list(members)) if one.key == name), None)


def _members(text: str, span: _Span | None) -> Iterator[_Member]:
    """The keys of an object; none of anything else."""
    if span is None or text[span.start] != "{":
        return
    at = _skipped(text, span.start + 1)
    while at < span.end and text[at] != "}":
        end = _value_end(text, at)
        key = str(loads(text[at:end])) if text[at] in "\"'" else text[at:end]
        value = _skipped(text, _skipped(text, end) + 1)
        member = _Member(key, at, _Span(value, _value_end(text, value)))
        yield member
        at = _behind_comma(text, member.value.end)


def _items(text: str, span: _Span) -> Iterator[_Span]:
    at = _skipped(text, span.start + 1)
    while at < span.end and text[at] != "]":
        item = _Span(at, _value_end(text, at))
        yield item
        at = _behind_comma(text, item.end)


def _behind_comma(text: str, at: int) -> int:
    at = _skipped(text, at)
    return _skipped(text, at + 1) if text[at : at + 1] == "," else at


def _value_end(text: str, at: int) -> int:
    """Where the value that starts here ends. Brackets are counted, not followed by calls."""
    depth = 0
    while at < len(text):
        character = text[at]
        if character in "{[":
            depth += 1
            at += 1
        elif character in "}]":
            depth -= 1
            at += 1
        elif character in ",:":
            at += 1
        else:
            match = (_STRING if character in "\"'" else _PLAIN).match(text, at)
            if match is None:
                raise BadJson5(f"an unexpected character at offset {at}")
            at = match.end()
        if depth <= 0:
            return at
        at = _skipped(text, at)
    raise BadJson5("the end is missing")


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skipped(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at
