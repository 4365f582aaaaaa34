"""JSON5 as text: read, written readably, and changed in place so that comments stay.

Reading is pyjson5's work. What is here only finds where a value stands in a text that pyjson5 has
accepted, which is enough to put something else there without touching the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyjson5

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_SKIP = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*(?s:.*?)\*/)+")
_PLAIN = re.compile(r"[^\s,:\[\]{}\"'/]+")
_STRING = re.compile(r'"(?:[^"\\]|\\(?s:.))*"|\'(?:[^\'\\]|\\(?s:.))*\'')
_MOST_DEPTH = 500


class BadJson5(Exception):
    """A text that is no JSON5, with the reason."""


def loads(text: str) -> Any:
    """The value of a JSON5 text."""
    try:
        return pyjson5.decode(text, maxdepth=_MOST_DEPTH)
    except (pyjson5.Json5DecoderException, RecursionError) as error:
        reason = str(error.args[0]) if error.args else "it is nested too deeply"
        raise BadJson5(reason.rstrip(".")) from None


def dumps(value: Any, indent: int = 0) -> str:
    """A value as JSON5 a person likes to read: bare keys, two spaces, commas after every item."""
    space, inner = "  " * indent, "  " * (indent + 1)
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        items = (f"{inner}{_key(key)}: {dumps(item, indent + 1)},\n" for key, item in value.items())
        return "{\n" + "".join(items) + space + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return "[]"
        return (
            "[\n" + "".join(f"{inner}{dumps(item, indent + 1)},\n" for item in value) + space + "]"
        )
    return json.dumps(value, ensure_ascii=False)


def with_value(text: str, path: Sequence[str], value: Any) -> str | None:
    """The text with the value under a key replaced or added; None if that place is not there."""
    span = _find(text, path)
    if span is not None:
        return text[: span[0]] + dumps(value, len(path)) + text[span[1] :]
    parent = _find(text, path[:-1])
    if parent is None or text[parent[0]] != "{":
        return None
    item = f"{_key(path[-1])}: {dumps(value, len(path))}"
    return _insert(text, parent, item, len(path))


def with_item(text: str, path: Sequence[str], value: Any) -> str | None:
    """The text with a value added at the end of an array; None if there is no such array."""
    span = _find(text, path)
    if span is None or text[span[0]] != "[":
        return None
    return _insert(text, span, dumps(value, len(path) + 1), len(path) + 1)


def without_key(text: str, path: Sequence[str]) -> str | None:
    """The text without a key and its value; None if it is not there."""
    for key, start, value_start, end in _members(text, _find(text, path[:-1])):
        if key == path[-1]:
            after = _skipped(text, end)
            if after < len(text) and text[after] == ",":
                after += 1
            elif value_start > start:
                # The last one, without a comma behind it: the comma before may stay in JSON5.
                after = end
            line = text.rfind("\n", 0, start) + 1
            if not text[line:start].strip():
                start = line
                if text[after : after + 1] == "\n":
                    after += 1
            return text[:start] + text[after:]
    return None


def _insert(text: str, span: tuple[int, int], item: str, indent: int) -> str:
    """Add an item before the closing bracket, with a comma behind the last one if it has none."""
    close = span[1] - 1
    last = _last_end(text, span)
    inner, outer = "  " * indent, "  " * (indent - 1)
    if last is None:
        between = text[span[0] + 1 : close].rstrip()
        return f"{text[: span[0] + 1]}{between}\n{inner}{item},\n{outer}{text[close:]}"
    comma = _skipped(text, last)
    if text[comma] == ",":
        before = text[: comma + 1] + text[comma + 1 : close].rstrip()
    else:
        before = text[:last] + "," + text[last:close].rstrip()
    return f"{before}\n{inner}{item},\n{outer}{text[close:]}"


def _last_end(text: str, span: tuple[int, int]) -> int | None:
    if text[span[0]] == "{":
        ends = [end for _, _, _, end in _members(text, span)]
    else:
        ends = [end for _, end in _items(text, span)]
    return ends[-1] if ends else None


def _find(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """Where the value under a path of keys stands; the last of equal keys counts, as in reading."""
    start = _skipped(text, 0)
    span: tuple[int, int] | None = (start, _value_end(text, start))
    for name in path:
        found = None
        for key, _, value_start, end in _members(text, span):
            if key == name:
                found = (value_start, end)
        span = found
        if span is None:
            return None
    return span


def _members(text: str, span: tuple[int, int] | None) -> Iterator[tuple[str, int, int, int]]:
    """The keys of an object with the starts of key and value and the end of the value."""
    if span is None or text[span[0]] != "{":
        return
    at = _skipped(text, span[0] + 1)
    while at < span[1] and text[at] != "}":
        start = at
        end = _value_end(text, at)
        key = str(loads(text[at:end])) if text[at] in "\"'" else text[at:end]
        colon = _skipped(text, end)
        value = _skipped(text, colon + 1)
        end = _value_end(text, value)
        yield key, start, value, end
        at = _skipped(text, end)
        if text[at : at + 1] == ",":
            at = _skipped(text, at + 1)


def _items(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    at = _skipped(text, span[0] + 1)
    while at < span[1] and text[at] != "]":
        end = _value_end(text, at)
        yield at, end
        at = _skipped(text, end)
        if text[at : at + 1] == ",":
            at = _skipped(text, at + 1)


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


def _skipped(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _key(key: str) -> str:
    return key if _NAME.fullmatch(key) else json.dumps(key, ensure_ascii=False)
