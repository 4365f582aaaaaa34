"""The keys of a section, found by walking its dataclass: for suggestions and for the reference."""

from __future__ import annotations

import dataclasses
import difflib
import types
from collections.abc import Iterator, Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

from memdown.config.values import Shared, Strict, camel


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One key: its dotted path (`paths[].name` inside a list) and the field behind it."""

    path: str
    field: dataclasses.Field[Any]
    branch: bool


def walk(section: type, prefix: str = "") -> Iterator[Key]:
    """All keys of a section in the order of the file; a branch comes before its keys."""
    hints = get_type_hints(section)
    for field in dataclasses.fields(section):
        path = prefix + camel(field.name)
        inner, mark = _inner(hints[field.name])
        branch = isinstance(inner, type) and issubclass(inner, Strict | Shared)
        yield Key(path, field, branch and not mark)
        if branch and isinstance(inner, type):
            yield from walk(inner, f"{path}{mark}.")


def nearest(section: type, location: Sequence[str | int]) -> str | None:
    """The valid key that an unknown one was most likely meant to be, dotted within its section."""
    *parents, name = location
    parent = _dotted(parents)
    paths = [key.path for key in walk(section)]
    siblings = {
        path.rpartition(".")[2]: path for path in paths if path.rpartition(".")[0] == parent
    }
    folded = {_fold(sibling): path for sibling, path in siblings.items()}
    if same := folded.get(_fold(str(name))):
        return same
    if elsewhere := [path for path in paths if _fold(path.rpartition(".")[2]) == _fold(str(name))]:
        return elsewhere[0]
    close = closest(str(name), list(siblings))
    return siblings[close] if close else None


def closest(word: str, words: Sequence[str], cutoff: float = 0.6) -> str | None:
    """The most similar of some words, if any is similar."""
    # Only the start is compared: the cost grows with the square of the length.
    found = difflib.get_close_matches(word[:80], words, n=1, cutoff=cutoff)
    return found[0] if found else None


def _dotted(parents: Sequence[str | int]) -> str:
    text = ""
    for part in parents:
        text += "[]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _inner(hint: object) -> tuple[object, str]:
    """What an optional or a list is made of, and the mark of a list."""
    if get_origin(hint) in (Union, types.UnionType):
        some = [part for part in get_args(hint) if part is not type(None)]
        return _inner(some[0]) if len(some) == 1 else (hint, "")
    if get_origin(hint) is tuple:
        return get_args(hint)[0], "[]"
    return hint, ""
