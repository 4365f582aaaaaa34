"""A text as a secret's reader would see it: without invisible characters, without line breaks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import re2

# Zero-width space to right-to-left mark, bidi controls, word joiner to invisible plus, BOM, soft
# hyphen, variation selectors, tag characters: nothing a reader sees, in UTF-8.
_INVISIBLE = re.compile(
    rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xc2\xad|\xef\xb8[\x80-\x8f]"
    rb"|\xcd\x8f|\xd8\x9c|\xe1\xa0[\x8b-\x8e]|\xf3\xa0[\x80-\x87][\x80-\xbf]|\x00"
)
_HAS_INVISIBLE = re2.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\ufe00-\ufe0f\u034f\u061c\u180b-\u180e"
    "\U000e0000-\U000e01ff\\x00]"
)
# A break may come with blanks or a shell's backslash; the next line may be indented or quoted.
_BEFORE_BREAK = b" \t\r\\"
_AFTER_BREAK = b" \t\r>|"


@dataclass(frozen=True, slots=True)
class View:
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


def has_invisible(data: bytes) -> bool:
    """Whether a text holds a character that has no width."""
    if data.isascii():
        return b"\0" in data
    return _HAS_INVISIBLE.search(data) is not None


def without_invisible(data: bytes) -> View:
    """The text without characters that have no width."""
    return _cut(data, _INVISIBLE) if has_invisible(data) else View(data)


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


def squeezed(data: bytes) -> bytes:
    """The text without blanks and breaks, in which nothing that was cut in two is still apart.

    Empty for a text of one line, where nothing was.
    """
    if b"\\n" in data:
        data = data.replace(b"\\n", b"\n")
    return data.translate(None, b"\n\r\t \\>|") if b"\n" in data else b""


def _cut(data: bytes, what: re.Pattern[bytes]) -> View:
    parts: list[bytes] = []
    cuts: list[int] = []
    removed: list[int] = []
    last = gone = 0
    for match in what.finditer(data):
        end = match.end()
        start = match.start()
        parts.append(data[last:start])
        cuts.append(start - gone)
        gone += end - start
        removed.append(gone)
        last = end
    if not cuts:
        return View(data)
    return View(b"".join((*parts, data[last:])), tuple(cuts), tuple(removed))
