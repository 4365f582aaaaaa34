"""Members set and removed in JSON5 text, comments kept; strict JSON stays strict JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memdown.agent.client_files import jsonc
from memdown.errors import ConfigError
from memdown.text.json5_text import BadJson5, dumps, with_value, without_key

_UNSAFE = "it is laid out in a way that cannot be edited safely; edit it by hand"


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the member at `path` set; objects on the way are made if they are missing."""
    data = jsonc.parse(text)
    depth = _depth(data, path)
    inner = value
    for name in reversed(path[depth + 1 :]):
        inner = {name: inner}
    if not data and "{" not in text:
        return f"{text.rstrip()}\n{dumps({path[0]: inner})}\n".lstrip("\n")
    try:
        return jsonc.set_member(text, path, value)
    except ConfigError:
        # Not strict: bare keys, single quotes.
        return _proven(lambda: with_value(text, path[: depth + 1], inner), path, value)


def remove_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`; unchanged if there is none."""
    if _depth(jsonc.parse(text), path) < len(path):
        return text
    try:
        return jsonc.remove_member(text, path)
    except ConfigError:
        return _proven(lambda: without_key(text, path), path, None)


def value_at(data: Any, path: Sequence[str]) -> Any:
    """The value at a path of keys; None if there is none."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _depth(data: Any, path: Sequence[str]) -> int:
    """How many keys of the path are there."""
    for depth, name in enumerate(path):
        if not isinstance(data, dict):
            raise ConfigError(
                f"{'.'.join(path[:depth]) or 'the file'} is no object; edit it by hand"
            )
        if name not in data:
            return depth
        data = data[name]
    return len(path)


def _proven(edit: Any, path: Sequence[str], value: Any) -> str:
    try:
        text = edit()
    except BadJson5:
        text = None
    if not isinstance(text, str) or value_at(jsonc.parse(text), path) != value:
        raise ConfigError(_UNSAFE)
    return text
