"""Patterns for RE2, each made when it is first used: most programs that could need them never do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

# Enough for patterns of many words; RE2 takes it only as it needs it.
_MEMORY = 1 << 28


class Pattern:
    """A pattern for bytes and text, in time linear in the text."""

    def __init__(self, pattern: str | bytes, options: dict[str, Any]) -> None:
        self._pattern = pattern
        self._options = options

    def __getattr__(self, name: str) -> Any:
        if name not in ("search", "match", "fullmatch", "finditer", "findall"):
            raise AttributeError(name)
        made = self._made()
        # From now on they are found without coming here.
        for method in ("search", "match", "fullmatch", "finditer", "findall"):
            setattr(self, method, getattr(made, method))
        return getattr(made, name)

    def _made(self) -> Any:
        import re2

        # Not by re2.compile, which would keep the secrets of every conversation in a cache.
        return re2._Regexp(self._pattern, _options(**self._options))


class Beginnings:
    """Patterns of which it is asked, all at once, which of them a text begins with."""

    def __init__(self, patterns: Sequence[str]) -> None:
        import re2

        self._set = re2.Set.MatchSet(_options())
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()

    def of(self, text: bytes) -> Iterator[int]:
        """The numbers of the patterns."""
        yield from self._set.Match(text) or ()


@cache
def compiled(pattern: str, *, longest: bool = False) -> Pattern:
    """A pattern; `longest` takes the longest of several words that begin at a place."""
    return Pattern(pattern, {"longest_match": longest})


def any_of(values: Sequence[bytes]) -> Pattern:
    """A pattern for any of these bytes."""
    pattern = "|".join("".join(f"\\x{byte:02x}" for byte in value) for value in values)
    return Pattern(pattern.encode(), {"latin1": True})


def _options(*, latin1: bool = False, **more: Any) -> Any:
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    for name, value in more.items():
        setattr(options, name, value)
    return options
