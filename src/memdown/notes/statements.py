"""The facts of a note, each bullet, or each paragraph where there are no bullets; and when each holds.

`~~…~~` means that a fact is no longer true. A trailing parenthesis may say `since D`, `until D`, `D to D`
or a day, and `from <path>#L<n>`, in the words of ten languages; what is none of this stays part of the
text. What stands in code, in tables, in quotations and in front matter is no fact.
"""

from __future__ import annotations

import datetime
import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memdown.notes.document import heading_paths, outside_code, read_front_matter
from memdown.notes.roots import date_of
from memdown.text import fold
from memdown.text.dates import read_time
from memdown.text.dates.words import WEEKDAYS
from memdown.values import dataclass, pattern

_TRAILING: Final = pattern(r"[ \t]*[(（]([^()（）]{4,160})[)）][ \t]*[.。]?[ \t]*$")
_ISO: Final = pattern(r"(\d{4})-(\d\d)-(\d\d)")
_YEAR: Final = pattern(r"(?<!\d)(?:19|20|24|25)\d\d(?!\d)")
_SOURCE: Final = pattern(
    r"(?:from|aus|von|de|da|uit|van|来自|來自|出典|จาก)[ :：]*(?P<path>\S+\.(?:md|jsonl)#L\d+(?:-L?\d+)?)",
    re.IGNORECASE,
)
_SEPARATOR: Final = pattern(r"\s*[,;·，；、]\s*(?=\D)|\s+(?=(?:from|aus|until|bis|since|seit)\b)")
# en de fr es pt it nl zh ja th
_SINCE: Final = pattern(
    r"(?:since|as of|from|seit|ab|depuis(?: le)?|a partir (?:de|du)|desde(?: el| o)?|dal|da|sinds|vanaf"
    rf"|自从?|从|{fold('ตั้งแต่')})[ :：]*(?P<day>.+?)(?:[ ]*(?:起|以来|から|以降|onwards?))?"
    r"|(?P<onwards>.+?)[ ]*(?:起|以来|から|以降|onwards?)"
)
_UNTIL: Final = pattern(
    r"(?:until|till|up to|through|bis(?: zum)?|jusqu'au|jusqu'en|jusque|hasta(?: el)?|ate(?: o)?|fino (?:al?|a)"
    rf"|tot(?: en met)?|t/m|直到|截至|到|至|{fold('จนถึง')}|{fold('ถึง')})[ :：]*(?P<day>.+?)(?:[ ]*(?:为止|止|まで))?"
    r"|(?P<upto>.+?)[ ]*(?:为止|止|まで)"
)
_BETWEEN: Final = pattern(
    r"(?:(?:from|von|vom|du|de|del|da|dal|van)\s+)?(?P<first>.*?\d.*?)\s*(?:\b(?:to|until|till|bis|au|a|al|hasta|ate|fino al|tot|t/m)\b|–|—|→|\s-\s|～|〜"
    rf"|から|到|至|{fold('ถึง')})\s*(?P<last>.*\d.*)"
)
# Any day is in the past of this one: a note may tell of a day to come.
_FAR: Final = datetime.date(9998, 12, 31)
_SOON: Final = pattern(r"(?:in |for )?(\d{1,4}) ?(d|w|m|y|days?|weeks?|months?|years?)")
_SOON_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}
_TOMORROW: Final = frozenset(
    fold("tomorrow morgen demain mañana amanhã domani 明天 明日 พรุ่งนี้").split()
)


@dataclass(frozen=True, slots=True)
class Validity:
    """From when and until when a fact holds; `noted` is a day without either word.

    `source` is the line that the fact was taken from, such as `memory/2026-11-06.md#L3`.
    """

    since: datetime.date | None = None
    until: datetime.date | None = None
    noted: datetime.date | None = None
    source: str = ""

    @property
    def day(self) -> datetime.date | None:
        """The day by which the fact is newer or older than another."""
        return self.since or self.noted

    def expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and self.until < today


ALWAYS: Final = Validity()


@dataclass(frozen=True, slots=True)
class Timed:
    """A text without its trailing parenthesis, and what that says."""

    text: str
    validity: Validity = ALWAYS


def read_validity(text: str) -> Timed:
    """Take the trailing parenthesis off a text, if it tells a time or a source."""
    if text.rstrip(" \t.。")[-1:] not in (")", "）"):
        return Timed(text)
    match = _TRAILING.search(text)
    said = _said(match[1]) if match else None
    return Timed(text[: match.start()].rstrip(), said) if match and said else Timed(text)


def written(validity: Validity) -> str:
    """The parenthesis that says this, with a space before it; nothing if there is nothing to say."""
    since, until = validity.since, validity.until
    if since and until:
        parts = [f"{since} to {until}"]
    elif since:
        parts = [f"since {since}"]
    elif until:
        parts = [f"{validity.noted} to {until}" if validity.noted else f"until {until}"]
    else:
        parts = [str(validity.noted)] if validity.noted else []
    if validity.source:
        parts.append(f"from {validity.source}")
    return f" ({', '.join(parts)})" if parts else ""


def read_until(text: str, today: datetime.date) -> datetime.date | None:
    """The last day that a person means by "2026-11-20", "Friday", "tomorrow", "in 2 weeks"."""
    folded = fold(text.strip())
    folded = re.sub(r"^(?:until|till|bis|hasta|jusqu'a|fino a|tot|ate)\s+", "", folded)
    if soon := _SOON.fullmatch(folded):
        days = int(soon[1]) * _SOON_DAYS[soon[2][0]]
        return today + datetime.timedelta(days)
    if folded in _TOMORROW:
        return today + datetime.timedelta(1)
    weekday = WEEKDAYS.get(folded.removeprefix("next ").removeprefix("this "))
    if weekday is not None:
        return today + datetime.timedelta((weekday - today.weekday() - 1) % 7 + 1)
    found = _days(folded)
    if found is None and (named := read_time(folded, today)) and named[1] >= today:
        return named[1]
    return found[1] if found else None


@functools.lru_cache(maxsize=4096)
def _said(inside: str) -> Validity | None:
    """What a parenthesis says; None if it is a remark of another kind."""
    source = _SOURCE.search(inside)
    rest = inside[: source.start()] + inside[source.end() :] if source else inside
    path = source["path"] if source else ""
    rest = fold(rest).strip(" ,;·，；、")
    if not rest:
        return Validity(source=path) if path else None
    if not any(character.isdigit() for character in rest):
        return None
    return _dated(rest, path)


def _dated(rest: str, source: str) -> Validity | None:
    since = until = noted = None
    whole = _day_or_range(rest)
    for part in [rest] if whole else _SEPARATOR.split(rest):
        found = _day_or_range(part)
        if found is None:
            return None
        since, until, noted = found.since or since, found.until or until, found.noted or noted
    return Validity(since, until, noted, source)


def _day_or_range(text: str) -> Validity | None:
    text = text.strip()
    if match := _BETWEEN.fullmatch(text):
        first, last = _days(match["first"]), _days(match["last"])
        if first and last and first[0] <= last[1]:
            return Validity(first[0], last[1])
    if (match := _UNTIL.fullmatch(text)) and (days := _days(match["day"] or match["upto"])):
        return Validity(until=days[1])
    if (match := _SINCE.fullmatch(text)) and (days := _days(match["day"] or match["onwards"])):
        return Validity(since=days[0])
    days = _days(text)
    # A bare month or year is a remark: "the book (1984)" is not over.
    return Validity(noted=days[0]) if days and days[0] == days[1] else None


def _days(text: str) -> tuple[datetime.date, datetime.date] | None:
    """The first and the last day of a date that is written out with its year."""
    text = text.strip(" .")
    if iso := _ISO.fullmatch(text):
        try:
            day = datetime.date(int(iso[1]), int(iso[2]), int(iso[3]))
        except ValueError:
            return None
        return day, day
    if not _YEAR.search(text) or len(text) > 40:
        return None
    try:
        return read_time(text, _FAR)
    except (OverflowError, ValueError):
        return None


BULLET: Final = pattern(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])([ \t]+)(\[[ xX]\][ \t]+)?(?=\S)")
_NO_FACT: Final = pattern(r"[ \t]*(?:\||>|<!--|</?[a-z]|#{1,6}(?:[ \t]|$))", re.IGNORECASE)
_RULER: Final = pattern(r"[-:|=+_* \t]+$")
_STRUCK: Final = pattern(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL)
_LEADING_DAY: Final = pattern(r"(?:\*\*)?(\d{4}-\d\d-\d\d)(?:\*\*)?[:：,]?[ \t]+")
_WORD: Final = pattern(r"\w")
_PARENTHESES: Final = pattern(r"[(（][^()（）]*[)）]")
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

    def was_true_on(self, day: datetime.date) -> bool:
        """Whether it held on an earlier day, also if it was struck since."""
        validity = self.validity
        first = validity.since or self.day
        if first is not None and first > day:
            return False
        if self.struck and validity.until is not None:
            # On its last day the successor holds.
            return day < validity.until
        return not self.struck and not validity.expired(day)


class _Item(NamedTuple):
    """The lines of a bullet or paragraph."""

    line: int
    lines: tuple[str, ...]
    indent: int
    is_bullet: bool


@functools.lru_cache(maxsize=_CACHED)
def facts_of(text: str, path: str = "") -> tuple[Fact, ...]:
    """The facts of a note in order, struck ones too."""
    if not ("\n" in text or "```" in text or "~~~" in text):
        # Most texts that are asked for are one line, of which there is nothing else to know.
        item = _begun(text.rstrip("\r"), 1)
        fact = _fact(path, item, "", 0, date_of(path)) if item else None
        return (fact,) if fact else ()
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


def struck_text(text: str) -> str:
    """What a text strikes, joined; nothing if anything else stands in it."""
    bare = _PARENTHESES.sub("", _STRUCK.sub("", text))
    return " ".join(_STRUCK.findall(text)) if not _WORD.search(bare) else ""


def _fact(
    path: str, item: _Item, heading: str, parent: int, log_day: datetime.date | None
) -> Fact | None:
    raw = " ".join(map(str.strip, item.lines))
    if item.is_bullet and (bullet := BULLET.match(raw)):
        raw = raw[bullet.end() :]
    timed = read_validity(raw)
    was, said = "", timed.text
    if "~~" in raw:
        was = struck_text(timed.text)
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
            now = now._replace(lines=(*now.lines, line))
            continue
        if now is not None:
            yield now
        now = None if line is None or index + 1 in headings else _begun(line, index + 1)
    if now is not None:
        yield now


def _begun(line: str, number: int) -> _Item | None:
    """The bullet or paragraph that begins with a line; None if it is something else."""
    if not line.strip() or _RULER.match(line):
        return None
    if bullet := BULLET.match(line):
        return _Item(number, (line,), len(bullet[1].expandtabs(4)), is_bullet=True)
    return None if _NO_FACT.match(line) else _Item(number, (line,), 0, is_bullet=False)
