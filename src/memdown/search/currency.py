"""Hits in the order of what holds now: the successor above what it replaced (pure functions).

A hit that only says what was (struck or over) comes after all that holds, and is marked. Of two hits
about the same thing that say different things, the newer comes first. A lone old answer stays where it is.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Final, NamedTuple, Protocol

from memdown.errors import QueryError
from memdown.notes.arrivals import Came
from memdown.notes.details import (
    content_words,
    details_of,
    is_among,
    looks_superseded,
    overlap,
    same_fact,
)
from memdown.notes.exchanges import gives_up
from memdown.notes.relation_words import tells_end
from memdown.notes.statements import Fact, facts_of
from memdown.notes.superseding import (
    LONGEST_NEW,
    LONGEST_OLD,
    Replaced,
    is_replaced,
    stand_apart,
)
from memdown.text.dates import read_time
from memdown.tuning import TUNING
from memdown.types import LEFT_OUT, Hit
from memdown.values import dataclass, pattern

_CURRENCY = TUNING.currency

# A note and a line of it.
_Place = tuple[str, int]
# Of longer hits the first facts say what they are about.
_MOST_FACTS: Final = 12
# Only among so many of the best, hits or facts, is the newer sought.
_MOST_COMPARED: Final = 24
# The first letter of the scripts that put no spaces between words.
_UNSPACED: Final = "\u0e00"
# Behind it another thing is said; a comma is not enough, and "am 3. Mai" is one thing.
_STATEMENT_END: Final = pattern(r";\s+|(?<=[.!?])(?<!\d\.)\s+")


class ArrivalSource(Protocol):
    """When the facts of a note came, by what they say.

    Those that are not there are older than the day on which looking began.
    """

    def until_now(self) -> Callable[[str], Mapping[str, Came]]: ...

    def begun(self) -> datetime.date | None: ...


@dataclass(frozen=True, slots=True)
class Times:
    """When an answer is to hold: on `today`, or as of another day; `history` shows what was, too.

    `arrivals` tells when the facts of a note came that name no day themselves; `named` are the first and the last
    day of a time that the question names, if anything was written then.
    """

    today: datetime.date
    as_of: datetime.date | None = None
    history: bool = False
    arrivals: ArrivalSource | None = None
    named: tuple[datetime.date, datetime.date] | None = None


@dataclass(frozen=True, slots=True)
class _Setting:
    """What all hits of one answer are compared by: a question with its content words, and when what came.

    What has no day was there `by` that one; `came_of` tells when the facts of a note came.
    """

    question: str
    asked: frozenset[str]
    today: datetime.date
    by: datetime.date | None = None
    came_of: Callable[[str], Mapping[str, Came]] | None = None
    named: tuple[datetime.date, datetime.date] | None = None

    def names(self, day: datetime.date | None) -> bool:
        """Whether the question names a time that a day is of."""
        return self.named is not None and day is not None and self.named[0] <= day <= self.named[1]


class _Dated:
    """A hit with its facts and the day it is of: that of its first current fact, else of its note.

    Of a hit that may be cut it is one fact with what is nested below it: the lines `first` to `last` of the
    hit, counted from 0; all of them if `last` is None. Its `place` is where it begins in the note.
    """

    def __init__(
        self,
        hit: Hit,
        facts: tuple[Fact, ...],
        setting: _Setting,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        self.hit, self.facts, self.setting, self.first, self.last = hit, facts, setting, first, last
        self.start_line = hit.start_line + first
        self.place: _Place = (hit.path, self.start_line)
        self.current = [fact for fact in facts if not fact.struck]
        self.day = next((fact.day for fact in self.current if fact.day), hit.date)

    @cached_property
    def said(self) -> str:
        """What it says that is not struck, below its heading."""
        heading = self.hit.heading.rpartition(" > ")[2]
        words = " ".join(fact.text for fact in self.current)
        return f"{heading}: {words}" if any(map(str.isalpha, heading)) else words

    @cached_property
    def met(self) -> frozenset[str]:
        """The words of the question that its first fact has which is not struck."""
        return self.setting.asked & content_words((self.current or self.facts)[0].text)

    @cached_property
    def tells_change(self) -> bool:
        """Whether anything in it tells that something changed, or its heading does."""
        texts = (fact.text for fact in self.current)
        return any(map(_tells_change, (self.hit.heading.rpartition(" > ")[2], *texts)))

    @cached_property
    def is_past(self) -> bool:
        """Whether none of its facts holds any more."""
        today = self.setting.today
        return bool(self.facts) and all(fact.validity.expired(today) for fact in self.current)

    @cached_property
    def came(self) -> Came | None:
        """When the first of its facts that is not struck came, if that was seen."""
        came_of = self.setting.came_of
        if came_of is None or not self.current:
            return None
        return came_of(self.hit.path).get(self.current[0].text)

    def shown(self) -> Hit:
        """As a hit of its own, of its day."""
        hit = self.hit
        if self.last is None:
            return hit if hit.date == self.day else replace(hit, date=self.day)
        lines = hit.snippet.split("\n")[self.first : self.last + 1]
        return replace(
            hit,
            snippet="\n".join(lines),
            start_line=self.start_line,
            end_line=hit.start_line + self.last,
            date=self.day,
        )

    def as_of(self, day: datetime.date) -> Hit | None:
        """As it was on a day: the lines that held then; None if none did."""
        hit = self.hit
        if not self.facts:
            return hit if hit.date is None or hit.date <= day else None
        valid = [fact for fact in self.facts if fact.was_true_on(day)]
        if not valid:
            return None
        if len(valid) == len(self.facts):
            return replace(self.shown(), date=hit.date)
        lines = hit.snippet.split("\n")
        shown = [
            number
            for fact in valid
            for number in range(fact.line, fact.end_line + 1)
            if number <= len(lines)
        ]
        first, last = shown[0], shown[-1]
        return replace(
            hit,
            snippet="\n".join(lines[number - 1] for number in shown),
            start_line=hit.start_line + first - 1,
            end_line=hit.start_line + last - 1,
            date=valid[0].day or hit.date,
            was=any(fact.struck for fact in valid),
        )


class _Parts(NamedTuple):
    """A hit, and each of its facts with what is nested below it."""

    whole: _Dated
    apart: list[_Dated]


def order_by_currency(hits: Sequence[Hit], times: Times, question: str = "") -> list[Hit]:
    """The hits with what holds first, what was marked and last, and each with its day.

    What was is struck, or over, or another hit is newer and says something else about the same thing.
    """
    setting = _compared_by(question, times)
    every = [_take_apart(hit, setting) for hit in hits]
    if times.as_of is not None:
        parts = [part for one in every for part in _parts(one)]
        return [hit for one in parts if (hit := one.as_of(times.as_of)) is not None]
    dated = _cut(every, setting.asked)
    over = _struck_elsewhere(dated)
    current: list[_Dated] = []
    past: list[Hit] = []
    for one in dated:
        if one.is_past or (over and one.facts and _key(one.said) in over):
            past.append(replace(one.shown(), was=True))
        else:
            current.append(one)
    current = _newer_first(current)
    earlier = _earlier(current)
    past = [*(replace(one.shown(), was=True) for one in earlier), *past]
    kept = [one.shown() for one in current if one not in earlier]
    if not times.history:
        return [*kept, *past]
    for place, hit in [(_rank_before(hit, hits), hit) for hit in past]:
        kept.insert(min(place, len(kept)), hit)
    return kept


def _rank_before(hit: Hit, hits: Sequence[Hit]) -> int:
    """Where a hit, or the one that it was cut from, stood among all."""
    ranks = (
        rank
        for rank, one in enumerate(hits)
        if one.path == hit.path and one.start_line <= hit.start_line <= one.end_line
    )
    return next(ranks, len(hits))


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


def _parts(one: _Parts) -> list[_Dated]:
    """A hit cut into its facts where they do not hold together: one is over, or replaces another."""
    apart = one.apart
    if len(apart) < 2:
        return [one.whole]
    mixed = len({part.is_past for part in apart}) > 1
    later = [part for part in apart if part.day]
    pairs = product(later, apart)
    if mixed or any(newer is not older and _supersedes(newer, older) for newer, older in pairs):
        return apart
    return [one.whole]


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
        # What has no day is newer than nothing.
        for above in range(place if newer.day else 0):
            if _supersedes(newer, found[above]):
                found.insert(above, found.pop(place))
                break
    return found


def _earlier(dated: Sequence[_Dated]) -> list[_Dated]:
    """The hits that say one thing, which a newer hit says otherwise."""
    compared = dated[:_MOST_COMPARED]
    later = [one for one in compared if one.day is not None and one.facts]
    return [
        one
        for one in compared
        if len(one.facts) == 1 and any(_replaces(other, one) for other in later if other is not one)
    ]


def _cut(every: Sequence[_Parts], asked: frozenset[str]) -> list[_Dated]:
    """The hits, with those cut into facts that do not hold together, or one of which is replaced.

    Of a hit that is cut, what has nothing to do with the question comes after all others. Where nothing has and
    others fit much better, it is what stands around, and stays whole.
    """
    best = max((one.whole.hit.score for one in every), default=0.0)
    each = [_parts(one) for one in every]
    several = [
        {part.place for part in one.apart}
        for one, parts in zip(every, each, strict=True)
        if len(parts) == 1 and len(one.whole.facts) > 1
    ]
    touched = _touched(every, several) if several else frozenset()
    found: list[_Dated] = []
    beside: list[_Dated] = []
    for one, uncut in zip(every, each, strict=True):
        parts = uncut
        if len(parts) == 1 and not touched.isdisjoint(part.place for part in one.apart):
            parts = one.apart
        if len(parts) > 1:
            related = [part for part in parts if _is_about(part, asked)]
            if not related:
                related = parts if one.whole.hit.score >= _CURRENCY.around * best else [one.whole]
            else:
                beside += [part for part in parts if part not in related]
            parts = related
        found += parts
    return [*found, *beside]


def _touched(every: Sequence[_Parts], several: Sequence[set[_Place]]) -> frozenset[_Place]:
    """The places of facts that replace another fact of the hits, or are replaced by one: for each of some hits of
    several facts, given by the places of these, one is enough."""
    parts = [part for one in every[:_MOST_COMPARED] for part in one.apart]
    if len(parts) < 2 or all(part.day is None for part in parts):
        # Nothing is newer than anything: their words need not be known.
        return frozenset()
    short = (part for part in parts if any(len(one.text) <= LONGEST_NEW for one in part.facts))
    answering = list(islice((part for part in short if part.met), _MOST_COMPARED))
    later = [part for part in answering if part.day is not None]
    wanted = frozenset[_Place]().union(*several)
    touched: set[_Place] = set()
    for older, newer in product(answering, later):
        if (
            (older.place in wanted or newer.place in wanted)
            and newer is not older
            and _replaces(newer, older)
        ):
            pair = {older.place, newer.place}
            touched |= pair
            wanted = wanted.difference(*(one for one in several if not one.isdisjoint(pair)))
    return frozenset(touched)


def _is_about(one: _Dated, asked: frozenset[str]) -> bool:
    return any(asked & content_words(fact.text) for fact in one.facts)


def _replaces(newer: _Dated, older: _Dated) -> bool:
    """Whether a newer hit surely says what holds instead; in doubt it is only shown above."""
    fact = (older.current or older.facts)[0]
    # What costs least comes first: most facts are too long or not newer, or share nothing that is asked.
    if len(fact.text) > LONGEST_OLD or not _is_newer(newer, older) or not (said := older.met):
        return False
    setting = older.setting
    places = [(one.hit.path, one.hit.heading) for one in (older, newer)]
    return any(
        not other.struck
        and len(other.text) <= LONGEST_NEW
        and (_shares(said, other.text) or gives_up(other.text, fact.text, setting.asked))
        and not stand_apart(places[0], places[1], fact.text, other.text)
        and is_replaced(fact.text, other.text, setting.question, Replaced.SURELY)
        for other in newer.facts
    )


def _shares(said: frozenset[str], text: str) -> bool:
    words = content_words(text)
    return bool(said & words) or any(is_among(word, words) for word in said)


def _supersedes(newer: _Dated, older: _Dated) -> bool:
    if not newer.facts or not older.facts or not _is_newer(newer, older):
        return False
    if _answers_as_well(newer, older):
        return True
    if newer.setting.question and len(newer.current) == len(older.current) == 1:
        # One fact each is judged as such: that Nora has a new bike is no answer to where she lives. Of one that has
        # replaced another it must be sure.
        return _replaces(newer, older)
    ours, theirs = newer.said, older.said
    if not ours or not theirs or same_fact(ours, theirs):
        return False
    near = overlap(ours, theirs)
    if not looks_superseded(ours, theirs, near):
        return False
    if near >= _CURRENCY.same_thing:
        return True
    # With fewer words in common, the newer must hold all that was asked and found in the older.
    asked, answered = set(older.hit.matched), set(newer.hit.matched)
    if not asked:
        return False
    return asked <= answered or (
        _same_start(ours, theirs) and 2 * len(asked & answered) >= len(asked)
    )


def _answers_as_well(newer: _Dated, older: _Dated) -> bool:
    """Whether two short facts answer alike: then the newer is the better answer, even if both hold.

    It has all of the question's words that the older has, or half of them if it tells of an end.
    """
    if len(newer.facts) > 1 or len(older.facts) > 1:
        return False
    ours, theirs = newer.facts[0].text, older.facts[0].text
    # What costs least comes first.
    return _has_as_much(newer, older) or _is_outdated(theirs, ours, newer.setting)


def _has_as_much(newer: _Dated, older: _Dated) -> bool:
    """Whether a newer short fact of the same topic has all of the question's words that the older has."""
    ours, theirs = newer.facts[0].text, older.facts[0].text
    if max(len(ours), len(theirs)) > _CURRENCY.short:
        return False
    asked = older.hit.matched
    if not asked or not set(asked).issubset(newer.hit.matched):
        return False
    if newer.hit.score < _CURRENCY.nearly_as_good * older.hit.score:
        return False
    return overlap(ours, theirs) >= _CURRENCY.same_topic and not details_of(ours).change.besides


def _is_outdated(older: str, newer: str, setting: _Setting) -> bool:
    """Whether a newer fact may replace an older one, or that statement of it which answers the question.

    "1:1 on Tuesdays; Priya is my manager" says two things, of which one may be over.
    """
    if not setting.question or len(newer) > LONGEST_NEW:
        return False
    if len(older) <= LONGEST_OLD and is_replaced(older, newer, setting.question, Replaced.PERHAPS):
        return True
    if not _tells_change(newer) or len(said := _STATEMENT_END.split(older)) < 2:
        return False
    asked = setting.asked
    answering = max(said, key=lambda one: len(asked & content_words(one)))
    met, words = asked & content_words(answering), content_words(newer)
    if not met or not all(is_among(word, words) for word in met):
        return False
    return is_replaced(answering, newer, setting.question, Replaced.PERHAPS)


def _same_start(ours: str, theirs: str) -> bool:
    """Whether two texts without spaces between words begin with the same thing."""
    first = next((character for character in theirs if character.isalnum()), "")
    return first >= _UNSPACED and ours[: _CURRENCY.subject] == theirs[: _CURRENCY.subject]


def _compared_by(question: str, times: Times) -> _Setting:
    """What the hits that answer a question are compared by; it is looked once what came."""
    asked, arrivals = content_words(question), times.arrivals
    if arrivals is None:
        return _Setting(question, asked, times.today, named=times.named)
    return _Setting(
        question, asked, times.today, arrivals.begun(), arrivals.until_now(), times.named
    )


def _take_apart(hit: Hit, setting: _Setting) -> _Parts:
    """A hit with its facts, as a whole and each by itself."""
    whole = _Dated(hit, _facts(hit, setting), setting)
    tops = [fact for fact in whole.facts if not fact.parent]
    if len(whole.facts) == 1 and tops and tops[0].line == 1:
        return _Parts(whole, [whole])
    return _Parts(whole, [_part(whole, fact, tops) for fact in tops])


def _facts(hit: Hit, setting: _Setting) -> tuple[Fact, ...]:
    if hit.source != "memory" or f"\n{LEFT_OUT}\n" in hit.snippet:
        return ()
    facts = facts_of(hit.snippet, hit.path)[:_MOST_FACTS]
    if setting.came_of is None or hit.date is not None or all(fact.day for fact in facts):
        return facts
    came = setting.came_of(hit.path)
    if not came:
        return facts
    return tuple(
        replace(fact, day=one.day)
        if fact.day is None and (one := came.get(fact.text)) and one.day <= setting.today
        else fact
        for fact in facts
    )


def _part(one: _Dated, fact: Fact, tops: Sequence[Fact]) -> _Dated:
    """A fact of a hit, with what is nested below it."""
    following = [other.line for other in tops if other.line > fact.line]
    inner = [other for other in one.facts if fact.line <= other.line < (following or [1 << 30])[0]]
    last = max(other.end_line for other in inner)
    return _Dated(one.hit, tuple(inner), one.setting, fact.line - 1, last - 1)


def _is_newer(one: _Dated, other: _Dated) -> bool:
    """Whether one is of a later day than another, came later, or tells that something changed."""
    if one.day is None:
        return False
    if one.setting.names(other.day) and not one.setting.names(one.day):
        # Who asks for a day is not told what was written on the next one.
        return False
    if other.day is None:
        # "Now" is later than what has no day at all; so is what came after that was there.
        by = one.setting.by
        return (by is not None and one.day > by) or one.tells_change
    if one.day != other.day:
        return one.day > other.day
    ours, theirs = one.came, other.came
    if ours is not None and theirs is not None and (after := ours.is_after(theirs)) is not None:
        return after
    if one.hit.path == other.hit.path:
        # What is written later mostly stands below.
        return one.start_line > other.start_line
    return one.tells_change and not other.tells_change


def _tells_change(text: str) -> bool:
    """Whether a text tells that something changed or ended."""
    return details_of(text).cued or tells_end(text)
