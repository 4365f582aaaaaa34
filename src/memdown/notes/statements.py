"""The facts of a note: each bullet, or each paragraph where there are no bullets.

`~~…~~` means that a fact is no longer true; a trailing parenthesis may tell when it holds. What
stands in code, in tables, in quotations and in front matter is no fact.
"""

from __future__ import annotations

import datetime
import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memdown.notes.document import heading_paths, outside_code
from memdown.notes.front_matter import read_front_matter
from memdown.notes.roots import date_of
from memdown.notes.validity import ALWAYS, Validity, read_validity

BULLET: Final = re.compile(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])([ \t]+)(\[[ xX]\][ \t]+)?(?=\S)")
_NO_FACT: Final = re.compile(r"[ \t]*(?:\||>|<!--|</?[a-z]|#{1,6}(?:[ \t]|$))", re.IGNORECASE)
_RULER: Final = re.compile(r"[-:|=+_* \t]+$")
_STRUCK: Final = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL)
_LEADING_DAY: Final = re.compile(r"(?:\*\*)?(\d{4}-\d\d-\d\d)(?:\*\*)?[:：,]?[ \t]+")
_WORD: Final = re.compile(r"\w")
_PARENTHESES: Final = re.compile(r"[(（][^()（）]*[)）]")
_CACHED: Final = 512


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a note, with its place.

    `text` is what it says, without marks, strikes and the trailing parenthesis; `lines` are the
    first and the last line of its own, `parent` is the line of the bullet that it is nested under
    (0 for none). `day` is by when it is newer or older than another: since when it holds, when it
    was noted, or the day of its log.
    """

    path: str
    line: int
    end_line: int
    text: str
    heading: str = ""
    struck: bool = False
    validity: Validity = ALWAYS
    day: datetime.date | None = None
    parent: int = 0
    indent: int = 0
    is_bullet: bool = True

    @property
    def reference(self) -> str:
        """The place as people and models write it: `MEMORY.md#L7`."""
        return f"{self.path}#L{self.line}"

    def is_current(self, today: datetime.date) -> bool:
        """Whether it holds on a day: not struck, begun, and not over."""
        validity = self.validity
        begun = validity.since is None or validity.since <= today
        return not self.struck and begun and not validity.expired(today)

    def held_on(self, day: datetime.date) -> bool:
        """Whether it held on an earlier day, also if it was struck since."""
        validity = self.validity
        first = validity.since or self.day
        if first is not None and first > day:
            return False
        if self.struck and validity.until is not None:
            # On its last day the successor holds.
            return day < validity.until
        return not self.struck and not validity.expired(day)


@dataclass(frozen=True, slots=True)
class _Item:
    """The lines of a bullet or paragraph."""

    line: int
    lines: tuple[str, ...]
    indent: int
    is_bullet: bool


@functools.lru_cache(maxsize=_CACHED)
def facts_of(text: str, path: str = "") -> tuple[Fact, ...]:
    """The facts of a note in order, struck ones too."""
    lines = text.replace("\r\n", "\n").split("\n")
    front = read_front_matter(lines)
    log_day = front.date or date_of(path)
    headings = heading_paths(lines, front)
    found: list[Fact] = []
    above: list[Fact] = []
    starts = [line for line, _ in headings]
    at = 0
    items = list(_items(lines, front.lines, frozenset(line for line, _ in headings)))
    bulleted = {bisect_right(starts, item.line) for item in items if item.is_bullet}
    for item in items:
        while at < len(starts) and starts[at] <= item.line:
            at += 1
            above.clear()
        if not item.is_bullet and at in bulleted:
            continue
        while above and above[-1].indent >= item.indent:
            above.pop()
        parent = above[-1].line if above and item.is_bullet else 0
        heading = headings[at - 1][1] if at else ""
        fact = _fact(path, item, heading, parent, log_day)
        if fact is not None:
            found.append(fact)
            above.append(fact)
    return tuple(found)


def current_facts(facts: Sequence[Fact], today: datetime.date) -> list[Fact]:
    """Those that hold today."""
    return [fact for fact in facts if fact.is_current(today)]


def struck_text(text: str) -> str:
    """What a text strikes, joined; nothing if anything else stands in it."""
    bare = _PARENTHESES.sub("", _STRUCK.sub("", text))
    return " ".join(_STRUCK.findall(text)) if not _WORD.search(bare) else ""


def _fact(
    path: str, item: _Item, heading: str, parent: int, log_day: datetime.date | None
) -> Fact | None:
    raw = " ".join(line.strip() for line in item.lines)
    if item.is_bullet:
        raw = BULLET.sub("", raw, count=1)
    timed = read_validity(raw)
    was = struck_text(timed.text) if "~~" in raw else ""
    said = was or _STRUCK.sub("", timed.text)
    said = " ".join(said.split())
    if not _WORD.search(said):
        return None
    validity = timed.validity
    leading = _LEADING_DAY.match(said)
    day = validity.day or (_day(leading[1]) if leading else None) or log_day
    end = item.line + len(item.lines) - 1
    return Fact(
        path,
        item.line,
        end,
        said,
        heading,
        bool(was),
        validity,
        day,
        parent,
        item.indent,
        item.is_bullet,
    )


def _day(iso: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(iso)
    except ValueError:
        return None


def _items(lines: Sequence[str], start: int, headings: frozenset[int]) -> Iterator[_Item]:
    """The bullets and paragraphs outside of code."""
    now: _Item | None = None
    last = start - 1
    for index, line in outside_code(lines, start):
        skipped = index != last + 1
        last = index
        bullet = BULLET.match(line) if line is not None else None
        goes_on = (
            now is not None
            and not skipped
            and line is not None
            and bool(line.strip())
            and not bullet
            and index + 1 not in headings
            and not _NO_FACT.match(line)
        )
        if goes_on and now is not None and line is not None:
            now = _Item(now.line, (*now.lines, line), now.indent, now.is_bullet)
            continue
        if now is not None:
            yield now
        now = None
        if line is None or not line.strip() or index + 1 in headings:
            continue
        if bullet and not _RULER.match(line):
            indent = len(bullet[1].expandtabs(4))
            now = _Item(index + 1, (line,), indent, is_bullet=True)
        elif not _NO_FACT.match(line) and not _RULER.match(line):
            now = _Item(index + 1, (line,), 0, is_bullet=False)
    if now is not None:
        yield now
