"""Patterns for RE2, each made when it is first used, and a text as a reader sees it.

Most programs that could need a pattern never do. What a reader sees is without invisible characters,
colours and line breaks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from memdown.values import dataclass

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


# Zero-width space to right-to-left mark, bidi controls, word joiner to invisible plus, BOM, soft
# hyphen, variation selectors, tag characters: nothing a reader sees.
_INVISIBLE = (
    "[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\ufe00-\ufe0f\u034f\u061c\u180b-\u180e"
    "\U000e0000-\U000e01ff\\x00]"
)
# A terminal's colours, also written as an escape or without the escape character that a log lost.
_COLOUR = (
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]"
    r"|\\(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,12}m|\[[0-9;]{1,12}m"
)
# A text with colours has one of these, since nearly all end with a reset; the last with a backslash.
_COLOUR_MARKS = (b"\x1b", b"[0m")
_WRITTEN_MARKS = (b"u001b[", b"u001B[", b"x1b[", b"x1B[", b"033[", b"\\e[")
_HAS_INVISIBLE = compiled(_INVISIBLE)
_HAS_COLOUR = compiled(_COLOUR)
_UNSEEN = compiled(f"{_INVISIBLE}|{_COLOUR}")
# A break may come with blanks or a shell's backslash; the next line may be indented or quoted.
_BEFORE_BREAK = b" \t\r\\"
_AFTER_BREAK = b" \t\r>|"


_BETWEEN = b"\x1e"


@dataclass(frozen=True, slots=True)
class CutText:
    """A text with some places cut out; `cuts` are where they were, `removed` how much by then."""

    data: bytes
    cuts: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A place of the view in the text it was made from; what was cut inside belongs to it."""
        return self._before(bisect_right(self.cuts, start)) + start, (
            self._before(bisect_left(self.cuts, end)) + end
        )

    def _before(self, number: int) -> int:
        return self.removed[number - 1] if number else 0


HIDING = rf"{_INVISIBLE}|\x1b|\[0m"
"""A part of every text that hides something from a reader, but for those with a written escape."""


def nothing_hidden(texts: Sequence[bytes]) -> bool:
    """Whether nothing in the texts hides from a reader; that is so for nearly all."""
    together = b"\n".join(texts)
    marks = (*_COLOUR_MARKS, *_WRITTEN_MARKS) if b"\\" in together else _COLOUR_MARKS
    if any(mark in together for mark in marks):
        return False
    return _HAS_INVISIBLE.search(together) is None


def views(data: bytes) -> list[CutText]:
    """A text as it is read: without what has no width, and without colours.

    A colour may stand inside a key or between a word and a key; so such a text is seen twice.
    """
    coloured = _HAS_COLOUR.search(data) is not None
    if not coloured and _HAS_INVISIBLE.search(data) is None:
        return [CutText(data)]
    cut = _cut(data, _UNSEEN)
    return [cut, CutText(_blanked(data))] if coloured else [cut]


def _blanked(data: bytes) -> bytes:
    parts: list[bytes] = []
    last = 0
    for match in _HAS_COLOUR.finditer(data):
        start, end = match.span()
        parts += (data[last:start], b" " * (end - start))
        last = end
    return b"".join((*parts, data[last:]))


def lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a text with their places, without what only comes with a line break.

    Breaks that are written as an escape, as in quoted code, count too.
    """
    # As long as what it replaces, so that places stay right.
    data = data.replace(b"\\n", b" \n")
    start = 0
    for line in data.split(b"\n"):
        body = line.lstrip(_AFTER_BREAK)
        yield start + len(line) - len(body), body.rstrip(_BEFORE_BREAK)
        start += len(line) + 1


def squeezed(texts: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Texts without blanks and breaks, in which nothing that was cut in two is still apart.

    They come as one, with the second value between them, which stands in none of them.
    """
    together = _BETWEEN.join(texts)
    if together.count(_BETWEEN) >= len(texts):
        together = _BETWEEN.join(text.replace(_BETWEEN, b" ") for text in texts)
    if b"\\n" in together:
        together = together.replace(b"\\n", b"\n")
    return together.translate(None, b"\n\r\t \\>|"), _BETWEEN


def _cut(data: bytes, what: Pattern) -> CutText:
    parts: list[bytes] = []
    cuts: list[int] = []
    removed: list[int] = []
    last = gone = 0
    for match in what.finditer(data):
        start, end = match.span()
        parts.append(data[last:start])
        cuts.append(start - gone)
        gone += end - start
        removed.append(gone)
        last = end
    if not cuts:
        return CutText(data)
    return CutText(b"".join((*parts, data[last:])), tuple(cuts), tuple(removed))
