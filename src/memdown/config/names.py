"""The name of a key as people type it → its place in the file."""

from __future__ import annotations

import re

from memdown.config.keys import closest, walk
from memdown.config.search_settings import MemorySearch
from memdown.config.settings import (
    CompactionSettings,
    MemorySection,
    PluginSlots,
    ProviderSettings,
    SandboxSettings,
)
from memdown.errors import ConfigError

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
_PROVIDER = re.compile(r"(models\.providers\.[A-Za-z0-9_-]+)\.(.+)")
_HEADER = re.compile(r"(.+\.headers)\.[A-Za-z0-9-]+")


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
