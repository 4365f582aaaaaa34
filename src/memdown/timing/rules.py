"""How times are written, the most exact first, and which days each way of writing means."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable, Iterator
from functools import cache

from memdown.timing.words import GERMAN, MONTHS, NUMBERS, UNITS, WEEKDAYS

Range = tuple[datetime.date, datetime.date]
Reader = Callable[[re.Match[str], datetime.date], Range | None]

_DAY = datetime.timedelta(days=1)
# Any word will do where a table tells afterwards: long alternatives take long to compile.
_WORD = r"[^\W\d_]+"
_MONTH = rf"(?P<month>{_WORD})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF = r"(?:[ ,.]|\bof\b|\bde\b|\bdel\b|\bdi\b)*"
_COUNT = rf"(?P<count>\d{{1,3}}|{_WORD})"
_UNIT = rf"(?P<unit>{_WORD})"
_IN = r"(?:in|im|en|em|au|during|since|from|until|by|seit|bis|wahrend|depuis|durant|desde|durante|nel|в)"
_LAST = r"(?:last|previous|past|letzte[rnsm]?|vorige[rnsm]?|vergangene[rnsm]?)"
_THIS = r"(?:this|current|diese[rnsm]?|aktuelle[rnsm]?|ce|cette|este|esta)"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBERS[text]


def _month_number(text: str) -> int:
    return int(text) if text.isdecimal() else MONTHS[text]


def _day(match: re.Match[str], today: datetime.date) -> Range | None:
    """A day; without a year the latest one that has come."""
    named = match.groupdict()
    month = _month_number(named["month"])
    if named.get("year"):
        day = datetime.date(int(named["year"]), month, int(named["day"]))
    else:
        day = datetime.date(today.year, month, int(named["day"]))
        if day > today:
            day = day.replace(year=today.year - 1)
    return day, day


def _month(match: re.Match[str], today: datetime.date) -> Range | None:
    named = match.groupdict()
    month = _month_number(named["month"])
    year = int(named["year"]) if named.get("year") else today.year - (month > today.month)
    return _whole_month(year, month)


def _whole_month(year: int, month: int) -> Range:
    last = calendar.monthrange(year, month)[1]
    return datetime.date(year, month, 1), datetime.date(year, month, last)


def _year(match: re.Match[str], today: datetime.date) -> Range | None:  # noqa: ARG001
    year = int(match["year"])
    return datetime.date(year, 1, 1), datetime.date(year, 12, 31)


def _days_ago(days: int) -> Reader:
    return lambda match, today: (today - days * _DAY, today - days * _DAY)  # noqa: ARG005


def _french_yesterday(match: re.Match[str], today: datetime.date) -> Range | None:
    """Yesterday in French, unless the words around it are German, where it is "here"."""
    if GERMAN.isdisjoint(match.string.split()):
        return today - _DAY, today - _DAY
    return None


def _weekday(match: re.Match[str], today: datetime.date) -> Range | None:
    back = (today.weekday() - WEEKDAYS[match["weekday"]]) % 7 or 7
    return today - back * _DAY, today - back * _DAY


def _ago(match: re.Match[str], today: datetime.date) -> Range | None:
    """So many days, weeks, months or years ago; the longer ago, the less exact."""
    count, unit = _number(match["count"]), UNITS[match["unit"]]
    if unit == "day":
        return today - count * _DAY, today - count * _DAY
    if unit == "week":
        day = today - 7 * count * _DAY
        return day - 3 * _DAY, day + 3 * _DAY
    return _period(unit, count)(match, today)


def _last_few(match: re.Match[str], today: datetime.date) -> Range | None:
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[UNITS[match["unit"]]]
    return today - days * _number(match["count"]) * _DAY, today


def _period(unit: str, back: int) -> Reader:
    """The week, month or year that was so many before this one."""

    def read(match: re.Match[str], today: datetime.date) -> Range:  # noqa: ARG001
        if unit == "week":
            monday = today - (today.weekday() + 7 * back) * _DAY
            return monday, monday + 6 * _DAY
        if unit == "month":
            months = 12 * today.year + today.month - 1 - back
            return _whole_month(months // 12, months % 12 + 1)
        year = today.year - back
        return datetime.date(year, 1, 1), datetime.date(year, 12, 31)

    return read


def _rules() -> Iterator[tuple[str, Reader, bool]]:
    """What is looked for, the most exact first, and whether it depends on today."""
    yield rf"\b{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)\b", _day, False
    yield rf"\b{_YEAR}/(?P<month>\d\d?)/(?P<day>\d\d?)\b", _day, False
    yield rf"\b(?P<day>\d\d?)\.(?P<month>\d\d?)\.{_YEAR}\b", _day, False
    yield rf"{_YEAR} ?年 ?(?P<month>\d\d?) ?月 ?(?P<day>\d\d?) ?日", _day, False
    yield r"(?P<month>\d\d?) ?月 ?(?P<day>\d\d?) ?[日号]", _day, False
    yield rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er)?{_OF}\b{_MONTH}{_OF}\b{_YEAR}\b", _day, False
    yield rf"\b{_MONTH} (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?,? {_YEAR}\b", _day, False
    yield rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er)?{_OF}\b{_MONTH}\b", _day, False
    yield rf"\b{_MONTH} (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?![.:]\d)", _day, False
    before = "day before yesterday|vorgestern|avant-hier|anteayer|antes de ayer|позавчера"
    yield rf"\b(?:{before})\b|前天|前日|一昨日|おととい|그저께|เมื่อวานซืน", _days_ago(2), True
    yesterday = "yesterday|gestern|ayer|ieri|ontem|gisteren|вчера"
    yield rf"\b(?:{yesterday})\b|昨天|昨日|きのう|어제|เมื่อวาน", _days_ago(1), True
    yield r"\bhier\b", _french_yesterday, True
    today = "today|heute|aujourd'hui|hoy|oggi|hoje|vandaag|сегодня"
    yield rf"\b(?:{today})\b|今天|今日|きょう|오늘|วันนี้", _days_ago(0), True
    yield rf"\b(?:vor|il y a|hace) {_COUNT} {_UNIT}\b", _ago, True
    yield rf"\b{_COUNT} {_UNIT} (?:ago|назад)\b", _ago, True
    yield rf"\b(?:{_LAST}|ultimos|ultimas) {_COUNT} {_UNIT}\b", _last_few, True
    for unit, last, this in (
        (
            "week",
            rf"\b{_LAST} (?:week|woche)\b|\bsemaine (?:derniere|passee)\b|\bsemana pasada\b"
            r"|\bпрошло[йи] неделе\b|上周|上星期|上個?礼拜|先週|지난주|สัปดาห์ที่แล้ว",
            rf"\b{_THIS} (?:week|woche|semaine|semana)\b|本周|这周|今週|이번 ?주",
        ),
        (
            "month",
            rf"\b{_LAST} (?:month|monats?)\b|\bmois (?:dernier|passe)\b|\bmes pasado\b"
            r"|\bпрошлом месяце\b|上个月|上月|先月|지난 ?달|เดือนที่แล้ว",
            rf"\b{_THIS} (?:month|monats?|mois|mes)\b|本月|这个月|今月|이번 ?달",
        ),
        (
            "year",
            rf"\b{_LAST} (?:year|jahr(?:es)?)\b|\bannee (?:derniere|passee)\b|\ban dernier\b"
            r"|\bano pasado\b|\bпрошлом году\b|去年|昨年|작년|ปีที่แล้ว",
            rf"\b{_THIS} (?:year|jahr(?:es)?|annee|ano)\b|今年|올해",
        ),
    ):
        yield last, _period(unit, 1), True
        yield this, _period(unit, 0), True
    on = f"on|last|{_LAST}|am|le|el|в|во|este|ce"
    yield rf"\b(?:{on}) (?=(?P<weekday>{_WORD}))", _weekday, True
    yield rf"\b{_YEAR}-(?P<month>\d\d)\b(?!-\d)", _month, False
    yield rf"{_YEAR} ?年 ?(?P<month>\d\d?) ?月", _month, False
    yield r"(?<!\d)(?P<month>\d\d?) ?月(?:份|に|の|は)?", _month, False
    yield rf"\b{_MONTH}{_OF}\b{_YEAR}\b", _month, False
    # Without a number beside it, "may" and "march" and "mars" are often other words.
    yield rf"\b(?:{_IN}|of|last|this) (?={_MONTH}\b)", _month, False
    yield rf"\b{_IN} (?:the year |jahr |dem jahr |l'annee |el ano )?{_YEAR}\b", _year, False
    yield rf"{_YEAR} ?年", _year, False


@cache
def rules() -> tuple[tuple[re.Pattern[str], Reader, bool], ...]:
    """Patterns, their readers, and whether what they mean depends on today; compiled when needed."""
    return tuple((re.compile(text), read, relative) for text, read, relative in _rules())
