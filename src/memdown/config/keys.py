"""The keys there are, found by walking the dataclasses: the one that a typed name means, and all for people."""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from memdown.config.search_settings import MemorySearch
from memdown.config.settings import (
    CompactionSettings,
    MemorySection,
    PluginSlots,
    ProviderSettings,
    SandboxSettings,
    Settings,
)
from memdown.config.values import Duration, Secret, Shared
from memdown.errors import ConfigError
from memdown.validation import Strict, camel
from memdown.values import pattern


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
    import difflib

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


WORKSPACE = "agents.defaults.workspace"
EXTRA_PATHS = "agents.defaults.memorySearch.extraPaths"
_SHORT = ("agents.defaults.memorySearch.", "agents.defaults.")
_SECTIONS = {
    "agents.defaults.memorySearch": MemorySearch,
    "agents.defaults.compaction": CompactionSettings,
    "agents.defaults.sandbox": SandboxSettings,
    "memory": MemorySection,
    "plugins.slots": PluginSlots,
}
_PROVIDER = pattern(r"(models\.providers\.[A-Za-z0-9_-]+)\.(.+)")
_HEADER = pattern(r"(.+\.headers)\.[A-Za-z0-9-]+")


def full_name(typed: str) -> str:
    """The whole dotted name: `maxResults` alone is enough where only one key ends so."""
    name = typed.strip().strip(".")
    known = _known(name)
    if header := _HEADER.fullmatch(name):
        return full_name(header[1]) + name[len(header[1]) :]
    for prefix in ("", *_SHORT):
        if prefix + name in known:
            return prefix + name
    ends = [key for key in known if key.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    if ends:
        shown = " or ".join(_short(key) for key in ends[:4])
        raise ConfigError(f"{typed[:80]} may be {shown}; give more of the name.")
    meant = _nearest(name, known)
    hint = f"did you mean {_short(meant)}?" if meant else "docs/configuration.md has all keys."
    raise ConfigError(f"{typed[:80]} is not a key that Memdown knows; {hint}")


def _known(name: str) -> list[str]:
    """All keys outside of lists, in the order of the documentation; objects among them."""
    keys = [WORKSPACE]
    for prefix, section in _SECTIONS.items():
        keys += [prefix, *(f"{prefix}.{key.path}" for key in walk(section) if "[" not in key.path)]
    if provider := _PROVIDER.match(name):
        keys += [f"{provider[1]}.{key.path}" for key in walk(ProviderSettings)]
    return keys


def _short(key: str) -> str:
    return next((key.removeprefix(start) for start in _SHORT if key.startswith(start)), key)


def _nearest(name: str, known: list[str]) -> str | None:
    by_spelling = {spelling: key for key in reversed(known) for spelling in _spellings(key)}
    found = closest(name, list(by_spelling)) or closest(name.rpartition(".")[2], list(by_spelling))
    return by_spelling[found] if found else None


def _spellings(key: str) -> tuple[str, ...]:
    return key, _short(key), key.rpartition(".")[2]


MASK = "set"


def as_json(settings: Settings) -> dict[str, object]:
    """The settings as a configuration file would have them, and under `memdown` how they came."""
    return {
        "agents": {
            "defaults": {
                "workspace": str(settings.workspace),
                "memorySearch": {
                    camel(field.name): plain(getattr(settings, field.name))
                    for field in fields(MemorySearch)
                },
                "compaction": plain(settings.compaction),
                "sandbox": {"workspaceAccess": settings.access},
            }
        },
        "memory": {
            "backend": settings.backend,
            "citations": settings.citations,
            "journal": plain(settings.journal),
            "use": plain(settings.use),
            "tidy": plain(settings.tidy),
            "qmd": plain(settings.qmd),
        },
        "models": {"providers": plain(settings.providers)},
        "plugins": {"slots": {"memory": settings.memory_slot}},
        "memdown": {
            "agent": settings.agent,
            "stateDir": str(settings.state_dir),
            "config": str(settings.config_path) if settings.config_path else None,
            "profileKeys": plain(settings.profile_keys),
            "notes": list(settings.notes),
        },
    }


def masked_address(address: str) -> str:
    """An address without what may be a key: the values of its query, and who logs in."""
    before, sign, query = address.partition("?")
    query, mark, fragment = query.partition("#")
    pairs = [pair.partition("=") for pair in re.split("[&;]", query)] if sign else []
    shown = "&".join(f"{name}={MASK}" if equals else MASK for name, equals, _ in pairs)
    before = re.sub(r"(?<=://)[^/@]*@", f"{MASK}@", before)
    return before + sign + shown + (f"#{MASK}" if mark and fragment else "")


def plain(value: object) -> object:
    """The value in JSON's terms, with camelCase keys; a secret becomes a mark that it is set."""
    if isinstance(value, Secret):
        return MASK
    if isinstance(value, Duration):
        return value.text
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str) and "://" in value:
        return masked_address(value)
    if is_dataclass(value):
        return {camel(field.name): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
