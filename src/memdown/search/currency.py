"""Hits in the order of what holds now: the successor above what it replaced (pure functions).

A hit that only says what was (struck or over) comes after all that holds, and is marked. Of two hits
about the same thing that say different things, the newer comes first. A lone old answer stays where it is.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memdown.errors import QueryError
from memdown.notes.related import details_of, looks_superseded, overlap, same_fact
from memdown.notes.statements import Fact, facts_of
from memdown.text.dates import read_time
from memdown.types import LEFT_OUT, Hit

# Of longer hits the first facts say what they are about.
_MOST_FACTS: Final = 12
# Two hits are about the same thing from this share of common content words on.
_SAME_THING: Final = 0.5
# Only among so many of the best is the newer sought.
_MOST_COMPARED: Final = 24
# The first letter of the scripts that put no spaces between words, and how long a subject is in them.
_UNSPACED: Final = "\u0e00"
_SUBJECT: Final = 2


@dataclass(frozen=True, slots=True)
class Times:
    """When an answer is to hold: on `today`, or as of another day; `history` shows what was, too."""

    today: datetime.date
    as_of: datetime.date | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class _Dated:
    """A hit with its facts."""

    hit: Hit
    facts: tuple[Fact, ...]

    @property
    def day(self) -> datetime.date | None:
        """The day of its first current fact, else of its note."""
        days = [fact.day for fact in self.facts if fact.day and not fact.struck]
        return days[0] if days else self.hit.date

    @property
    def said(self) -> str:
        """What it says that is not struck."""
        heading = self.hit.heading.rpartition(" > ")[2]
        words = " ".join(fact.text for fact in self.facts if not fact.struck)
        return f"{heading}: {words}" if any(map(str.isalpha, heading)) else words


def order_by_currency(hits: Sequence[Hit], times: Times) -> list[Hit]:
    """The hits with what holds first, what was marked and last, and each with its day."""
    dated = [part for hit in hits for part in _parts(_Dated(hit, _facts(hit)), times)]
    if times.as_of is not None:
        return [hit for one in dated if (hit := _as_of(one, times.as_of)) is not None]
    over = _struck_elsewhere(dated)
    current: list[_Dated] = []
    past: list[Hit] = []
    for one in dated:
        day = one.day
        hit = replace(one.hit, date=day) if day != one.hit.date else one.hit
        if _is_past(one, times.today) or (one.facts and _key(one.said) in over):
            past.append(replace(hit, was=True))
        else:
            current.append(_Dated(hit, one.facts))
    kept = [one.hit for one in _newer_first(current)]
    if not times.history:
        return [*kept, *past]
    places = {(hit.path, hit.start_line): number for number, hit in enumerate(hits)}
    marked = [(places[hit.path, hit.start_line], hit) for hit in past]
    for place, hit in marked:
        kept.insert(min(place, len(kept)), hit)
    return kept


def read_as_of(given: datetime.date | str | None, today: datetime.date) -> datetime.date | None:
    """The day that a caller means by "2026-11-04", "March" or "last week": the last one of it."""
    if given is None or isinstance(given, datetime.date):
        return given
    days = read_time(given, today)
    if days is None:
        raise QueryError(
            f"{given!r} is no day that can be understood; write it as 2026-11-04 or as a month."
        )
    return days[1]


def _facts(hit: Hit) -> tuple[Fact, ...]:
    if hit.source != "memory" or f"\n{LEFT_OUT}\n" in hit.snippet:
        return ()
    return facts_of(hit.snippet, hit.path)[:_MOST_FACTS]


def _parts(one: _Dated, times: Times) -> list[_Dated]:
    """A hit cut into its facts where they do not hold together: one is over, or replaces another."""
    tops = [fact for fact in one.facts if not fact.parent]
    if len(tops) < 2:
        return [one]
    apart = [_fact_hit(one, fact, tops) for fact in tops]
    mixed = len({_is_past(part, times.today) for part in apart}) > 1
    replaced = any(
        _supersedes(newer, older) for older in apart for newer in apart if newer is not older
    )
    return apart if mixed or replaced else [one]


def _fact_hit(one: _Dated, fact: Fact, tops: Sequence[Fact]) -> _Dated:
    """A fact of a hit, with what is nested below it, as a hit of its own."""
    lines = one.hit.snippet.split("\n")
    following = [other.line for other in tops if other.line > fact.line]
    inner = [other for other in one.facts if fact.line <= other.line < (following or [1 << 30])[0]]
    last = max(other.end_line for other in inner)
    hit = replace(
        one.hit,
        snippet="\n".join(lines[fact.line - 1 : last]),
        start_line=one.hit.start_line + fact.line - 1,
        end_line=one.hit.start_line + last - 1,
    )
    return _Dated(hit, tuple(inner))


def _is_past(one: _Dated, today: datetime.date) -> bool:
    """Whether none of its facts holds any more."""
    return bool(one.facts) and not any(
        not fact.struck and not fact.validity.expired(today) for fact in one.facts
    )


def _as_of(one: _Dated, day: datetime.date) -> Hit | None:
    """A hit as it was on a day: the lines that held then; None if none did."""
    if not one.facts:
        return one.hit if one.hit.date is None or one.hit.date <= day else None
    held = [fact for fact in one.facts if fact.held_on(day)]
    if not held:
        return None
    if len(held) == len(one.facts):
        return one.hit
    lines = one.hit.snippet.split("\n")
    shown = [
        number
        for fact in held
        for number in range(fact.line, fact.end_line + 1)
        if number <= len(lines)
    ]
    first, last = shown[0], shown[-1]
    return replace(
        one.hit,
        snippet="\n".join(lines[number - 1] for number in shown),
        start_line=one.hit.start_line + first - 1,
        end_line=one.hit.start_line + last - 1,
        date=held[0].day or one.hit.date,
        was=any(fact.struck for fact in held),
    )


def _struck_elsewhere(dated: Sequence[_Dated]) -> frozenset[tuple[str, ...]]:
    """The words that some hit strikes: the same words unmarked elsewhere are over, too."""
    struck = [fact for one in dated for fact in one.facts if fact.struck]
    return frozenset(_key(fact.text) for fact in struck)


def _key(text: str) -> tuple[str, ...]:
    return details_of(text.rpartition(": ")[2] if ": " in text else text).said


def _newer_first(dated: list[_Dated]) -> list[_Dated]:
    """Of hits about the same thing, the newer one directly above the older."""
    found = list(dated)
    for place in range(1, min(len(found), _MOST_COMPARED)):
        newer = found[place]
        for above in range(place):
            if _supersedes(newer, found[above]):
                found.insert(above, found.pop(place))
                break
    return found


def _supersedes(newer: _Dated, older: _Dated) -> bool:
    if not newer.facts or not older.facts or not _is_newer(newer, older):
        return False
    ours, theirs = newer.said, older.said
    if not ours or not theirs or same_fact(ours, theirs):
        return False
    near = overlap(ours, theirs)
    if not looks_superseded(ours, theirs, near):
        return False
    if near >= _SAME_THING:
        return True
    # With fewer words in common, the newer must hold all that was asked and found in the older.
    asked, answered = set(older.hit.matched), set(newer.hit.matched)
    if not asked:
        return False
    return asked <= answered or (
        _same_start(ours, theirs) and 2 * len(asked & answered) >= len(asked)
    )


def _same_start(ours: str, theirs: str) -> bool:
    """Whether two texts without spaces between words begin with the same thing."""
    first = next((character for character in theirs if character.isalnum()), "")
    return first >= _UNSPACED and ours[:_SUBJECT] == theirs[:_SUBJECT]


def _is_newer(one: _Dated, other: _Dated) -> bool:
    if one.day is None or other.day is None:
        return False
    if one.day != other.day:
        return one.day > other.day
    # Within a day and a note, what was written later stands below.
    return one.hit.path == other.hit.path and one.hit.start_line > other.hit.start_line
