"""Times that a question names: "in March", "last week", "gestern", "2025-09-15", 昨天.

Only what is over is understood, because that is what notes are about. A month without a year is
the latest one that has begun; a weekday is the last one before today. A question about every such
time ("what not to do on Friday") names none.
"""

from __future__ import annotations

import bisect
import datetime
import itertools
import re

from memdown.text import fold, index_terms, without_stop_words
from memdown.text.dates.rules import Range, Reader, rules
from memdown.text.dates.words import ASKING, TELLING, TELLING_PIECES
from memdown.values import dataclass, pattern

_MOST_CHARACTERS = 2_000
_LONGEST_DATE = 100
_WORDS = pattern(r"[^\W\d_]+")
_WORD_OR_NUMBER = pattern(r"[^\W_]+")
_DIGIT = pattern(r"\d")
# Where every word is spaced, a number of a date begins one, unlike that of "C317", and is a day, a week or a year,
# unlike that of "GR-99622".
_SPACED_NUMBER = pattern(r"\b(?:(?:q|kalenderwoche)\d|(?:\d\d?|(?:19|2[045])\d\d)(?!\d))")
# "since" makes a time go on until today.
_SINCE = pattern(
    r"(?:\b(?:since|seit|seitdem|ab|depuis|desde|dal|dallo|sinds|vanaf|с)"
    rf"(?: the| dem| den| der| le| la| el| l'| o)?|自从?|从|{fold('ตั้งแต่')})\W*$"
)
_ONWARDS = pattern(r"\W*(?:以来|以后|之后|起|から|以降|부터|onwards?\b)")
# What may stand around a time where nothing but a time is meant.
_AROUND = frozenset(
    "in on at the of since from until till to by im am der die das dem den seit ab bis vom le la les "
    "en au depuis el desde hasta em dal nel op sinds tot vanaf".split()
)
_SPACED_PIECES = tuple(filter(str.isascii, TELLING_PIECES))
_AGE = pattern(r"(\d{1,4}) ?([dwmy])")
_AGE_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class NamedTime:
    """The days that a question names, and where; `relative` if they depend on today."""

    first: datetime.date
    last: datetime.date
    start: int
    end: int
    relative: bool


def find_time(query: str, today: datetime.date) -> NamedTime | None:
    """The most exact time that a query names, with its place in the query."""
    asked = query[:_MOST_CHARACTERS]
    text = fold(asked)
    if not _may_name_a_time(text):
        return None
    for rule, read, relative in rules():
        for match in rule.finditer(text):
            days = _read(read, match, today)
            if days is None:
                continue
            start = match.start()
            end = max(match.end(number) for number in range(len(match.groups()) + 1))
            since = _SINCE.search(text[:start])
            onwards = _ONWARDS.match(text, end)
            begins = _SINCE.fullmatch(match[0].partition(" ")[0])
            if (since or onwards or begins) and days[0] <= today:
                days = days[0], max(days[1], today)
                start = since.start() if since else start
                end = onwards.end() if onwards else end
            return NamedTime(*days, *_place(asked, text, start, end), relative)
    return None


def read_time(text: str, today: datetime.date) -> Range | None:
    """The days that a text means which is nothing but a time: "March", "last week", "7d".

    None if it is no time, or more than one.
    """
    folded = fold(text.strip())
    if age := _AGE.fullmatch(folded):
        days = min(int(age[1]) * _AGE_DAYS[age[2]], (today - datetime.date.min).days)
        return today - datetime.timedelta(days), today
    for asked in (folded, f"in {folded}", f"on {folded}"):
        found = find_time(asked, today)
        if found is not None and found.end:
            rest = _WORD_OR_NUMBER.findall(asked[: found.start] + " " + asked[found.end :])
            if _AROUND.issuperset(rest):
                return found.first, found.last
    return None


def asks_for_notes_only(text: str) -> bool:
    """Whether the rest of a query that names a time asks for whatever was written then."""
    rest = [word for word in _WORD_OR_NUMBER.findall(fold(text)) if word not in ASKING]
    return not without_stop_words([term for word in rest for term in index_terms(word)])


def written_day(text: str) -> datetime.date | None:
    """The day of a date that is written out, with its year; None if there is none."""
    if not any(map(str.isdigit, text[:_LONGEST_DATE])):
        return None
    folded = fold(text[:_LONGEST_DATE])
    for rule, read, _ in rules():
        if {"year", "month", "day"} <= rule.groupindex.keys():
            match = rule.search(folded)
            if match and match["year"] and (days := _read(read, match, datetime.date.max)):
                return days[0]
    return None


def _read(read: Reader, match: re.Match[str], today: datetime.date) -> Range | None:
    try:
        return read(match, today)
    except (LookupError, ValueError, OverflowError):
        return None


def _place(asked: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Where a part of the folded text stands in the text; nowhere if that cannot be told."""
    if len(asked) == len(text):
        return start, end
    lengths = [len(fold(character)) for character in asked]
    if sum(lengths) != len(text):
        return 0, 0
    ends = list(itertools.accumulate(lengths, initial=0))
    return bisect.bisect_right(ends, start) - 1, bisect.bisect_left(ends, end)


def _may_name_a_time(text: str) -> bool:
    """Whether it is worth a closer look; most questions name no time."""
    return (
        not TELLING.isdisjoint(_WORDS.findall(text))
        or (_SPACED_NUMBER if text.isascii() else _DIGIT).search(text) is not None
        or any(piece in text for piece in (_SPACED_PIECES if text.isascii() else TELLING_PIECES))
    )
