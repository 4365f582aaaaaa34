"""The facts of a text: bullets, table rows and paragraphs of one line, each of which stands by itself.

A fact is found and shown alone, with what belongs to it: the lines a bullet goes on in, and the bullets
below it. Paragraphs of several lines, code and talk are no facts; they are shown with what is around.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from memdown.notes.document import read_front_matter
from memdown.types import Chunk
from memdown.values import pattern

_FENCE_OR_HEADING: Final = pattern(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)|#{1,6}[ \t])", re.MULTILINE
)
# A line that is an item of a list.
BULLET: Final = pattern(r"([ \t]*)(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+\S")
# What is no paragraph is told by how a line begins, so that most lines are looked at once.
_BEGINNING: Final = pattern(
    r"(?P<fence> {0,3}(?:`{3}|~{3}))|(?P<heading> {0,3}#{1,6}(?:[ \t]|$))|(?P<row>[ \t]*\|)"
    r"|(?P<marks>[ \t]*[-*+•:=_0-9])"
)
_RULER: Final = pattern(r"[-:|=+_* \t]+$")
# So many lines and characters of bullets below a bullet belong to it; of more, each is a fact.
_MOST_LINES, _MOST_CHARS = 6, 400
# A longer paragraph says more than one thing.
_MOST_FACT: Final = 600
_CACHED: Final = 1_024
_start: Final = attrgetter("start")


class FactSpan(NamedTuple):
    """A fact or another stretch of a chunk: its offsets, and the number of headings above it."""

    start: int
    end: int
    section: int
    is_fact: bool


def units_of(chunk: Chunk) -> tuple[FactSpan, ...]:
    """What the text of a chunk consists of, in order; headings and front matter are no part of it."""
    return _parts(chunk).units


def section_at(chunk: Chunk, place: int) -> tuple[int, int]:
    """From where to where the section of a chunk's text goes that a place is in, with its heading."""
    headings = _parts(chunk).headings
    number = bisect_right(headings, place)
    start = headings[number - 1] if number else 0
    return start, headings[number] if number < len(headings) else len(chunk.text)


class _Text(NamedTuple):
    """What a text consists of, where its headings start, and where its front matter ends."""

    units: tuple[FactSpan, ...]
    headings: tuple[int, ...]
    front: int


def front_end(chunk: Chunk) -> int:
    """Where the front matter of a chunk's text ends; 0 if there is none."""
    return _parts(chunk).front


def _parts(chunk: Chunk) -> _Text:
    begins_note = chunk.start_line == 1 and chunk.source == "memory"
    return _read(chunk.text, _begins_in_code(chunk), begins_note)


@lru_cache(maxsize=_CACHED)
def _read(text: str, in_code: bool, begins_note: bool) -> _Text:
    reader = _Reader(in_code)
    lines = text.split("\n")
    count = read_front_matter(lines).lines if begins_note and text[:3] == "---" else 0
    start = front = sum(len(line) + 1 for line in lines[:count])
    for line in lines[count:]:
        reader.read(start, line)
        start += len(line) + 1
    reader.close()
    return _Text(tuple(reader.found), tuple(reader.headings), front)


def _begins_in_code(chunk: Chunk) -> bool:
    """Whether a chunk begins in the middle of code: what looks like its beginning is then its end.

    Only code begins with a language, and headings stand outside of it; those are known from the whole note.
    """
    text, fences = chunk.text, 0
    if "```" not in text and "~~~" not in text:
        return False
    starts = {passage.start for passage in chunk.passages}
    for line in _FENCE_OR_HEADING.finditer(text):
        if line["language"] or (line.start() in starts and not line["fence"]):
            return fences % 2 == 1
        if line["fence"]:
            fences += 1
    known = min(starts, default=0)
    return fences % 2 == 1 and _FENCE_OR_HEADING.search(text, 0, known) is not None


def facts_in(chunk: Chunk, number: int) -> list[FactSpan]:
    """The facts and stretches that begin in a passage; none if it is mostly something else.

    One fact beside prose, such as the line with the date above a talk, is part of it.
    """
    passage = chunk.passages[number]
    units = units_of(chunk)
    first = bisect_left(units, passage.start, key=_start)
    found = list(units[first : bisect_left(units, passage.end, first, key=_start)])
    facts = sum(one.is_fact for one in found)
    return found if facts > 1 or (facts and facts == len(found)) else []


def heading_at(chunk: Chunk, place: int) -> str:
    """The path of headings above a place in a chunk, such as "Home > Network"."""
    number = bisect_right(chunk.passages, place, key=_start) - 1
    return chunk.passages[number].heading if number >= 0 else chunk.heading


class _Reader:
    """Reads the lines of a text one after the other. What the next line may belong to is open: a bullet, a row or
    the head of a table, text or code, from `start` to `end`."""

    def __init__(self, in_code: bool) -> None:
        self.found: list[FactSpan] = []
        self.headings: list[int] = []
        self._kind: Literal["bullet", "row", "head", "text", "code", ""] = ""
        self._start = self._end = self._lines = self._indent = 0
        self._fenced, self._blank = in_code, False
        self._headed = False

    def read(self, start: int, line: str) -> None:
        """One line, from where it starts."""
        # Most lines of notes: a bullet that is in no other always begins something.
        if line[:2] == "- " and line[2:3].isalnum() and not self._fenced:
            self._begin("bullet", start, start + len(line.rstrip()))
            self._blank = False
            return
        bare = line.strip()
        if not bare and not self._fenced:
            self._blank = True
            return
        begins = _BEGINNING.match(line)
        kind = begins.lastgroup if begins else None
        indent = line.index(bare[0]) if bare else 0
        start += indent
        end = start + len(bare)
        if kind == "fence" or self._fenced:
            self._read_code(start, end, kind == "fence")
        elif kind == "heading":
            self.close()
            self.headings.append(start)
        elif kind == "row":
            self._read_row(start, end, bare)
        else:
            is_bullet = kind == "marks" and BULLET.match(line) is not None
            if self._belongs(is_bullet, indent, end):
                self._go_on(end)
            elif kind == "marks" and _RULER.match(bare):
                self.close()
            elif is_bullet:
                self._begin("bullet", start, end, indent)
            else:
                self._begin("text", start, end)
        self._blank = False

    def close(self) -> None:
        """What is open ends here."""
        kind, start, end = self._kind, self._start, self._end
        if kind and kind != "head":
            alone = kind in ("bullet", "row") or (kind == "text" and self._lines == 1)
            is_fact = alone and end - start <= _MOST_FACT
            self.found.append(FactSpan(start, end, len(self.headings), is_fact))
        self._kind = ""

    def _begin(
        self, kind: Literal["bullet", "row", "text", "code"], start: int, end: int, indent: int = 0
    ) -> None:
        self.close()
        self._kind, self._start, self._end, self._lines, self._indent = kind, start, end, 1, indent

    def _go_on(self, end: int) -> None:
        self._end = end
        self._lines += 1

    def _belongs(self, is_bullet: bool, indent: int, end: int) -> bool:
        """Whether a line goes on with what is open."""
        if self._kind == "bullet" and indent > self._indent:
            short = self._lines < _MOST_LINES and end - self._start <= _MOST_CHARS
            return short or not is_bullet
        return self._kind in ("bullet", "text") and not self._blank and not is_bullet

    def _read_code(self, start: int, end: int, is_fence: bool) -> None:
        if not self._kind or (is_fence and not self._fenced):
            self._begin("code", start, end)
        else:
            self._go_on(max(end, self._end))
        self._fenced ^= is_fence

    def _read_row(self, start: int, end: int, line: str) -> None:
        in_table = self._kind in ("row", "head") and not self._blank
        self._headed = self._headed and in_table
        if not _RULER.match(line):
            self._begin("row", start, end)
        elif in_table and not self._headed:
            # The row above a ruler is no fact; it says what the others mean.
            self._headed = True
            self._kind = "head"
