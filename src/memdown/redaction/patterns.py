"""Compiling for RE2: with memory enough for patterns of many words."""

from __future__ import annotations

from functools import cache

import re2

_MEMORY = 1 << 28


@cache
def compiled(pattern: str, *, longest: bool = False) -> re2._Regexp:
    """A pattern; `longest` takes the longest of several words that begin at a place."""
    options = _options()
    options.longest_match = longest
    return re2.compile(pattern, options)


def compiled_set(patterns: list[str]) -> re2.Set:
    """Patterns of which it is asked, all at once, which a text begins with."""
    made = re2.Set.MatchSet(_options())
    for pattern in patterns:
        made.Add(pattern)
    made.Compile()
    return made


def beginnings(values: list[bytes]) -> re2._Regexp:
    """A pattern for any of these bytes, the first that fits."""
    options = _options()
    options.encoding = re2.Options.Encoding.LATIN1
    pattern = "|".join("".join(f"\\x{byte:02x}" for byte in value) for value in values)
    # Not by re2.compile, which would keep the secrets of every conversation in a cache.
    return re2._Regexp(pattern.encode(), options)


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = _MEMORY
    return options
