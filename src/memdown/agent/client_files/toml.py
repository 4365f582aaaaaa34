"""One table set or removed in TOML text, everything else kept as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from memdown.errors import ConfigError

_HEADER = re.compile(r"^[ \t]*\[\[?[^\]\n]+\]\]?[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str) -> dict[str, Any]:
    """The data of TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"it is not valid TOML ({error}); correct it first") from None


def set_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """The text with the table `path` holding exactly `values`, in place or at the end."""
    wanted = parse(text)
    inner: Any = wanted
    for name in path[:-1]:
        inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        raise ConfigError(f"{'.'.join(path[:-1])} is not a table; edit it by hand")
    if inner.get(path[-1]) == values:
        return text
    inner[path[-1]] = dict(values)
    table = _rendered(path, values)
    spans = _spans(text, path)
    if spans:
        start = spans[0][0]
        result = text[:start] + table + _gap(text, spans) + _cut(text, spans)[start:]
    else:
        kept = text.rstrip("\n")
        result = f"{kept}\n\n{table}" if kept else table
    return _proven(result, wanted)


def remove_table(text: str, path: Sequence[str]) -> str:
    """The text without the table `path` and the tables below it."""
    wanted = parse(text)
    inner: Any = wanted
    for name in path[:-1]:
        inner = inner.get(name, {}) if isinstance(inner, dict) else {}
    if path[-1] not in inner:
        return text
    del inner[path[-1]]
    spans = _spans(text, path)
    result = _cut(text, spans)
    if spans and spans[-1][1] == len(text):
        result = result.rstrip("\n") + "\n" if result.strip() else ""
    for depth in range(len(path) - 1, 0, -1):
        _drop_empty(wanted, path[:depth], result)
    return _proven(result, wanted)


def _drop_empty(data: dict[str, Any], path: Sequence[str], text: str) -> None:
    """A table that only existed through the removed one goes with it."""
    inner: Any = data
    for name in path[:-1]:
        inner = inner.get(name, {})
    if inner.get(path[-1]) == {} and not _spans(text, path):
        del inner[path[-1]]


def _proven(text: str, wanted: dict[str, Any]) -> str:
    try:
        as_wanted = tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        as_wanted = False
    if not as_wanted:
        raise ConfigError("it is laid out in a way that cannot be edited safely; edit it by hand")
    return text


def _spans(text: str, path: Sequence[str]) -> list[tuple[int, int]]:
    """Where the table and those below it stand, each from its header to the next one."""
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers), len(text)][1:]
    return [
        (header.start(), end)
        for header, end in zip(headers, ends, strict=True)
        if _name(header[0])[: len(path)] == list(path)
    ]


def _name(header: str) -> list[str]:
    try:
        data: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return []
    names = []
    while data:
        (name, data), *_ = data.items()
        names.append(name)
        if isinstance(data, list):
            break
    return names


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text


def _gap(text: str, spans: Sequence[tuple[int, int]]) -> str:
    return "\n" if spans[-1][1] < len(text) else ""


def _rendered(path: Sequence[str], values: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in values.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    lines = [f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    text = "\n".join(lines) + "\n"
    for key, value in tables.items():
        text += "\n" + _rendered([*path, key], value)
    return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's strings, numbers and booleans are TOML's too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
