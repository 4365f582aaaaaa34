"""The facts of a text: bullets, table rows and paragraphs of one line, each of which stands by itself.

A fact is found and shown alone, with what belongs to it: the lines a bullet goes on in, and the bullets
below it. Paragraphs of several lines, code and talk are no facts; they are shown with what is around.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from memdown.notes.document import read_front_matter
from memdown.types import Chunk, Passage
from memdown.values import pattern

_FENCE_OR_HEADING: Final = pattern(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)|#{1,6}[ \t])", re.MULTILINE
)
_HEADING: Final = pattern(r"^ {0,3}(?P<heading>#{1,6}(?:[ \t]|$))", re.MULTILINE)
# A line that is an item of a list.
BULLET: Final = pattern(r"([ \t]*)(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+\S")
# What is no paragraph is told by how a line begins, so that most lines are looked at once.
_BEGINNING: Final = pattern(
    r"(?P<fence> {0,3}(?:`{3}|~{3}))|(?P<heading> {0,3}#{1,6}(?:[ \t]|$))|(?P<row>[ \t]*\|)"
    r"|(?P<marks>[ \t]*[-*+•:=_0-9])"
)
# How nearly all bullets and rows begin.
_BEGINNINGS: Final = ("- ", "| ")
_RULER: Final = pattern(r"[-:|=+_* \t]+$")
# So many lines and characters of bullets below a bullet belong to it; of more, each is a fact.
_MOST_LINES, _MOST_CHARS = 6, 400
# A longer paragraph says more than one thing.
_MOST_FACT: Final = 600
_CACHED: Final = 1_024
_start: Final = attrgetter("start")


class FactSpan(NamedTuple):
    """A fact or another stretch of a chunk, by its offsets."""

    start: int
    end: int
    is_fact: bool


def units_of(chunk: Chunk, start: int = 0) -> Iterator[FactSpan]:
    """What the text of a chunk consists of, in order, from the block on that a place is in.

    Headings and front matter are no part of it. What is not asked for is not read.
    """
    while start < len(chunk.text):
        block = _block_at(chunk, start)
        yield from block.units
        start = block.end


def unit_after(chunk: Chunk, unit: FactSpan) -> FactSpan | None:
    """The next stretch in the section of one; None behind the last."""
    for one in units_of(chunk, unit.start):
        if one.start > unit.start:
            return None if _HEADING.search(chunk.text, unit.end, one.start) else one
    return None


def unit_before(chunk: Chunk, unit: FactSpan) -> FactSpan | None:
    """The stretch before one in its section; None before the first."""
    place = unit.start
    while place >= 0:
        block = _block_at(chunk, place)
        for one in reversed(block.units):
            if one.start < unit.start:
                return None if _HEADING.search(chunk.text, one.end, unit.start) else one
        place = block.start - 1
    return None


def adjoin(chunk: Chunk, one: FactSpan, other: FactSpan) -> bool:
    """Whether a stretch is the next one behind another in its section."""
    between = chunk.text[one.end : other.start].strip()
    if not between:
        return True
    # Of what stands between two stretches, the head of a table and rulers are none, and both end with a ruler.
    ends_with_ruler = _RULER.match(between, between.rfind("\n") + 1) is not None
    return ends_with_ruler and unit_after(chunk, one) == other


def section_at(chunk: Chunk, place: int) -> tuple[int, int]:
    """From where to where the section of a chunk's text goes that a place is in, with its heading."""
    text = chunk.text
    if not _is_plain(chunk):
        headings = _whole(chunk).headings
        number = bisect_right(headings, place)
        start = headings[number - 1] if number else 0
        return start, headings[number] if number < len(headings) else len(text)
    return _heading_before(text, place), _heading_behind(text, place)


def _heading_before(text: str, place: int) -> int:
    """Where the last heading begins that does not begin behind a place; 0 if there is none."""
    sign = text.rfind("#", 0, place + 1)
    while sign >= 0:
        line = text.rfind("\n", 0, sign) + 1
        found = _HEADING.match(text, line)
        if found and found.start("heading") <= place:
            return found.start("heading")
        sign = text.rfind("#", 0, line)
    return 0


def _heading_behind(text: str, place: int) -> int:
    """Where the next heading behind a place begins; the end of the text if there is none."""
    sign = text.find("#", place + 1)
    while sign >= 0:
        found = _HEADING.match(text, text.rfind("\n", 0, sign) + 1)
        if found and found.start("heading") > place:
            return found.start("heading")
        line = text.find("\n", sign)
        sign = text.find("#", line) if line >= 0 else -1
    return len(text)


class _Block(NamedTuple):
    """A stretch of a text that is read alone: what it consists of, where its headings start, and where its front
    matter ends."""

    start: int
    end: int
    units: tuple[FactSpan, ...]
    headings: tuple[int, ...]
    front: int


def front_end(chunk: Chunk) -> int:
    """Where the front matter of a chunk's text ends; 0 if there is none."""
    return 0 if _is_plain(chunk) else _whole(chunk).front


def _is_plain(chunk: Chunk) -> bool:
    """Whether a chunk is without code and front matter, of which every line depends on those far above."""
    text = chunk.text
    # Looking for one sign takes a tenth of the time.
    if ("`" in text and "```" in text) or ("~" in text and "~~~" in text):
        return False
    return not (text[:3] == "---" and _begins_note(chunk))


def _begins_note(chunk: Chunk) -> bool:
    return chunk.start_line == 1 and chunk.source == "memory"


def _block_at(chunk: Chunk, place: int) -> _Block:
    """The block that a place is in: from a line that is not indented, behind a blank one, to the next such line.

    Nothing goes on with what stands before such a line, so each block can be read without the others.
    """
    if not _is_plain(chunk):
        return _whole(chunk)
    text = chunk.text
    start = place
    while start > 0:
        start = text.rfind("\n\n", 0, start) + 2
        if start < 2 or not text[start].isspace():
            break
        start -= 1
    start = start if start >= 2 else 0
    end = max(place - 1, 0)
    while True:
        end = text.find("\n\n", end) + 2
        if end < 2 or end >= len(text):
            end = len(text)
            break
        if not text[end].isspace():
            break
        end -= 1
    return _read(text[start:end], start)


def _whole(chunk: Chunk) -> _Block:
    return _read(chunk.text, 0, _begins_in_code(chunk), _begins_note(chunk))


@lru_cache(maxsize=_CACHED)
def _read(text: str, begin: int, in_code: bool = False, begins_note: bool = False) -> _Block:
    """Read a block that begins at a place of its chunk."""
    reader = _Reader(in_code)
    lines = text.split("\n")
    count = read_front_matter(lines).lines if begins_note and text[:3] == "---" else 0
    front = begin + sum(len(line) + 1 for line in lines[:count])
    start = front
    for line in lines[count:]:
        reader.read(start, line)
        start += len(line) + 1
    reader.close()
    end = begin + len(text)
    return _Block(begin, end, tuple(reader.found), tuple(reader.headings), front)


def _begins_in_code(chunk: Chunk) -> bool:
    """Whether a chunk begins in the middle of code: what looks like its beginning is then its end.

    Only code begins with a language, and headings stand outside of it; those are known from the whole note.
    """
    text, fences = chunk.text, 0
    starts = {passage.start for passage in chunk.passages}
    for line in _FENCE_OR_HEADING.finditer(text):
        if line["language"] or (line.start() in starts and not line["fence"]):
            return fences % 2 == 1
        if line["fence"]:
            fences += 1
    known = min(starts, default=0)
    return fences % 2 == 1 and _FENCE_OR_HEADING.search(text, 0, known) is not None


def facts_in(chunk: Chunk, passage: Passage) -> list[FactSpan]:
    """The facts and stretches that begin in a passage of a chunk; none if it is mostly something else.

    One fact beside prose, such as the line with the date above a talk, is part of it.
    """
    start, end = _line_alone(chunk, passage), passage.end
    if start is not None:
        return [FactSpan(start, end, is_fact=True)] if end - start <= _MOST_FACT else []
    found = []
    for one in units_of(chunk, passage.start):
        if one.start >= end:
            break
        if one.start >= passage.start:
            found.append(one)
    facts = sum(one.is_fact for one in found)
    return found if facts > 1 or (facts and facts == len(found)) else []


def is_heading(chunk: Chunk, passage: Passage) -> bool:
    """Whether a passage only says what stands below it: a heading, the first row of a table, front matter."""
    if _line_alone(chunk, passage) is not None:
        return False
    for one in units_of(chunk, passage.start):
        if one.start >= passage.end:
            break
        if one.end > passage.start:
            return False
    return True


def _line_alone(chunk: Chunk, passage: Passage) -> int | None:
    """Where the last line of a passage begins if it is surely one stretch by itself, and only a heading stands before
    it; None if that is to be found out by reading what is around it.

    Most passages of notes are a bullet, a row or a paragraph on one line, with a blank line or the next one behind it.
    """
    text, start, end = chunk.text, passage.start, passage.end
    if not _ends_behind(text, end) or not _is_plain(chunk):
        return None
    if text[start : start + 1] == "#":
        if _HEADING.match(text, start) is None:
            return None
        start = text.find("\n\n", start, end) + 2
    begins = _begins_row(text, start) or (
        text[start].isalpha() and (start == 0 or text[start - 2 : start] == "\n\n")
    )
    is_line = start >= passage.start and text.find("\n", start, end) < 0
    above = text.count("\n", passage.start, start)
    return start if begins and is_line and above in (0, 2) else None


def _ends_behind(text: str, end: int) -> bool:
    """Whether what stands in a line surely ends with it: nothing behind its end can belong to it."""
    if text[end - 1].isspace():
        return False
    behind = text[end : end + 3]
    if behind[:2] == "\n\n":
        return not behind[2:].isspace()
    return len(behind) < 2 or _begins_row(text, end + 1)


def _begins_row(text: str, start: int) -> bool:
    """Whether a line surely begins a bullet or a row, and is no ruler."""
    said = text[start + 2 : start + 3]
    return text[start : start + 2] in _BEGINNINGS and (said.isalnum() or said == "[")


def heading_at(chunk: Chunk, place: int, passage: Passage | None = None) -> str:
    """The path of headings above a place in a chunk, such as "Home > Network"; that of a passage if it is there."""
    if passage is not None and passage.start <= place < passage.end:
        return passage.heading
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
            self.found.append(FactSpan(start, end, is_fact))
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
        if self._blank:
            self.close()
        in_table = self._kind in ("row", "head")
        self._headed = self._headed and in_table
        if not _RULER.match(line):
            self._begin("row", start, end)
        elif in_table and not self._headed:
            # The row above a ruler is no fact; it says what the others mean.
            self._headed = True
            self._kind = "head"
