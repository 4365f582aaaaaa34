"""Where a value stands in the file, so that an error can name the place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from memdown.errors import ConfigError

Location: TypeAlias = Sequence[str | int]

# What may not be shown: the values of these keys, and everything below them.
SECRET_KEYS = frozenset({"apiKey", "headers", "url", "readUrl"})


@dataclass(frozen=True, slots=True)
class Layer:
    """One place of the file that a section is read from."""

    prefix: str
    tree: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Origin:
    """The layers of one section, of which a later one wins key by key, and remarks on them."""

    file: Path
    layers: tuple[Layer, ...]
    notes: list[str] = field(default_factory=list)

    def merged(self) -> dict[str, object]:
        """The layers as one tree."""
        result: dict[str, object] = {}
        for layer in self.layers:
            result = _merge(result, layer.tree)
        return result

    def key(self, location: Location) -> str:
        """The full name of the key at a place of the merged tree."""
        for layer in reversed(self.layers):
            if _at(layer.tree, location)[0]:
                return join(layer.prefix, location)
        # A key that is missing is looked for where the object around it stands.
        return self.key(location[:-1]) + _tail(location[-1])

    def error(self, location: Location, problem: str) -> ConfigError:
        """An error about one key."""
        return ConfigError(f"{self.file}: {self.key(location)} {problem}")

    def note(self, location: Location, remark: str) -> None:
        """Remember that a key was not taken as written."""
        self.notes.append(f"{self.key(location)} {remark}")

    def shown(self, location: Location) -> str:
        """The value as the file has it, or what it is when it must not or cannot be shown."""
        value = self._value(location)
        if isinstance(value, dict):
            return "an object"
        if isinstance(value, list):
            return "a list"
        if value is None:
            return "null"
        if SECRET_KEYS & set(location):
            return "something else"
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 60 else text[:57] + "…"

    def _value(self, location: Location) -> object:
        for layer in reversed(self.layers):
            exists, value = _at(layer.tree, location)
            if exists:
                return value
        return None


def join(prefix: str, location: Location) -> str:
    """A dotted key, with `[n]` for places in lists."""
    return (prefix + "".join(_tail(part) for part in location)).removeprefix(".")


def _tail(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _at(tree: object, location: Location) -> tuple[bool, object]:
    for part in location:
        inside: Mapping[object, object] | None = None
        if isinstance(tree, Mapping):
            inside = tree
        elif isinstance(tree, list):
            inside = dict(enumerate(tree))
        if inside is None or part not in inside:
            return False, None
        tree = inside[part]
    return True, tree


def _merge(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        result[key] = _merge(under, value) if both else value  # type: ignore[arg-type]
    return result
