"""Times that a question names: "in March", "last week", "gestern", "2025-09-15", 昨天.

Only what is over is understood, because that is what notes are about. A month without a year is
the latest one that has begun; a weekday is the last one before today.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from memdown.text import fold
from memdown.timing.rules import Range, Reader, rules
from memdown.timing.words import TELLING, TELLING_PIECES

_DAY = datetime.timedelta(days=1)
_MOST_CHARACTERS = 2_000
_FEW_DAYS, _MANY_DAYS = 14, 100
_WORDS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class NamedTime:
    """The days that a question names, and where; `relative` if they depend on today."""

    first: datetime.date
    last: datetime.date
    start: int
    end: int
    relative: bool


def time_range(query: str, today: datetime.date) -> Range | None:
    """The first and last day of the time that a query names; None if it names none."""
    found = find_time(query, today)
    return (found.first, found.last) if found else None


def find_time(query: str, today: datetime.date) -> NamedTime | None:
    """The most exact time that a query names, with its place in the query."""
    text = fold(query[:_MOST_CHARACTERS])
    if not _may_name_a_time(text):
        return None
    for pattern, read, relative in rules():
        for match in pattern.finditer(text):
            days = _read(read, match, today)
            if days is not None:
                # Folding may change lengths; where it does, no place can be told.
                whole = len(text) == len(query[:_MOST_CHARACTERS])
                end = max(match.end(number) for number in range(len(match.groups()) + 1))
                return NamedTime(*days, *((match.start(), end) if whole else (0, 0)), relative)
    return None


def dates_within(first: datetime.date, last: datetime.date) -> list[str]:
    """The days of a short time, the months of a longer one, as file names of daily logs hold them.

    None for a long time, which such names would hardly narrow down.
    """
    days = (last - first).days + 1
    if days <= _FEW_DAYS:
        return [(first + n * _DAY).isoformat() for n in range(days)]
    if days <= _MANY_DAYS:
        months = {(first + n * _DAY).isoformat()[:7] for n in range(0, days, 28)}
        return sorted(months | {last.isoformat()[:7]})
    return []


def _read(read: Reader, match: re.Match[str], today: datetime.date) -> Range | None:
    try:
        return read(match, today)
    except (LookupError, ValueError, OverflowError):
        return None


def _may_name_a_time(text: str) -> bool:
    """Whether it is worth a closer look; most questions name no time."""
    return (
        not TELLING.isdisjoint(_WORDS.findall(text))
        or _DIGIT.search(text) is not None
        or any(piece in text for piece in TELLING_PIECES)
    )
