"""How times are written, the most exact first, and which days each way of writing means."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable, Iterator
from functools import cache

from memdown.text import fold
from memdown.text.dates.words import (
    ALWAYS,
    CHINESE_NUMBERS,
    GERMAN,
    MONTHS,
    NUMBERS,
    ORDINALS,
    PAST,
    RULES,
    SEASONS,
    SHORT_MONTHS,
    THAI_MONTHS,
    UNITS,
    WEEKDAYS,
)
from memdown.values import pattern

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
_IN = (
    r"(?:in|im|en|em|au|during|since|from|until|by|seit|ab|bis|wahrend|depuis|durant|pendant|desde|durante"
    r"|nel|nell'|dal|op|sinds|vanaf|tijdens|в|early|mid|late|anfang|mitte|ende|debut|fin|courant)"
)
_LAST = r"(?:last|previous|past|letzte[rnsm]?|vorige[rnsm]?|vergangene[rnsm]?|afgelopen|dernier|derniere)"
_THIS = (
    r"(?:this|current|diese[rnsm]?|aktuelle[rnsm]?|ce|cette|cet|este|esta|questo|questa|dit|deze)"
)
_LAST_YEAR = (
    r"(?:last year|letzte[sn] jahr|vorige[sn] jahr|l'annee derniere|l'an dernier|el ano pasado"
    r"|l'anno scorso|ano passado|vorig jaar|прошлого года)"
)
# The year may follow; else it is the latest that has come.
_YEAR_AFTER = rf"(?:{_OF}\b{_YEAR}\b|,? (?P<lastyear>{_LAST_YEAR})\b)?"
_YEAR_BEFORE = rf"(?:{_YEAR} ?[年년] ?的?|(?P<lastyear>去年|昨年|작년)의?の?的? ?|今年의?の?的?)?"
_YEAR_AFTER_NAME = _YEAR_AFTER.replace("?P<year>", "?P<year2>").replace("lastyear", "lastyear2")
# Not the year itself, but a month or another part of it.
_NO_PART = r"(?![의的のは]? ?(?:\d|[一二三四五六七八九十春夏秋冬圣聖ク]))"
_ANY_YEAR = r"(?P<year>(?:19|20|24|25)\d\d)"
_CHINESE = "[一二三四五六七八九十]"
_FESTIVALS: tuple[tuple[str, tuple[int, int, int]], ...] = (
    # A name, and how it is counted: month, first and last day.
    (
        r"\b(?:christmas eve|xmas eve|heilig ?abend|(?:la )?veille de noel|nochebuena"
        r"|vigilia di natale|vespera de natal|kerstavond)\b|平安夜|クリスマスイブ|크리스마스 이브",
        (12, 24, 24),
    ),
    (
        r"\b(?:christmas(?: day)?|xmas|weihnachten|(?:a|pour|de) noel|noel(?= \d)|navidad"
        r"|(?:a|di|per) natale|natale(?= \d)|(?:no|de|para o) natal|natal(?= (?:de )?\d)|kerst|kerstmis"
        r"|рождество)\b|圣诞节?|聖誕節?|クリスマス|크리스마스|" + fold("คริสต์มาส"),
        (12, 24, 26),
    ),
    (
        r"\b(?:new year'?s eve|silvester|saint-sylvestre|nochevieja|san silvestro|oudejaarsavond)\b"
        "|大晦日",
        (12, 31, 31),
    ),
    (
        r"\b(?:new year'?s(?: day)?|neujahr|nouvel an|jour de l'an|ano nuevo|capodanno|ano novo"
        r"|nieuwjaar)\b|元旦|元日|" + fold("ปีใหม่"),
        (1, 1, 1),
    ),
)
_ALL_NUMBERS = {**NUMBERS, **CHINESE_NUMBERS}
_ALL_MONTHS = {**MONTHS, **THAI_MONTHS, **CHINESE_NUMBERS}
_WITH_SHORT_MONTHS = {**SHORT_MONTHS, **_ALL_MONTHS}
_EASTER = r"\b(?:easter|ostern|paques|pascua|pasqua|pascoa|pasen)\b"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _ALL_NUMBERS[text]


def _month_number(text: str, *, short: bool = False) -> int:
    if text.isdecimal():
        return int(text)
    return (_WITH_SHORT_MONTHS if short else _ALL_MONTHS)[text]


def _year_of(named: dict[str, str | None], today: datetime.date) -> int | None:
    """The year that stands beside a time; Thai ones are counted from Buddha's death."""
    if named.get("lastyear") or named.get("lastyear2"):
        return today.year - 1
    text = named.get("year") or named.get("year2")
    if not text:
        return None
    year = int(text)
    return year - 543 if year > 2_400 else year


def _day(match: re.Match[str], today: datetime.date) -> Range | None:
    """A day; without a year the latest one that has come."""
    named = match.groupdict()
    month, number = _month_number(named["month"], short=True), _number(named["day"])
    year = _year_of(named, today)
    day = datetime.date(today.year if year is None else year, month, number)
    if year is None and day > today:
        day = day.replace(year=today.year - 1)
    return day, day


def _month(match: re.Match[str], today: datetime.date) -> Range | None:
    """A month; without a year the latest one that has begun."""
    named = match.groupdict()
    month = _month_number(named["month"], short=bool(named.get("year")))
    year = _year_of(named, today)
    if year is None and _is_general(match.string, hard_only=True):
        return None
    return _whole_month(today.year - (month > today.month) if year is None else year, month)


def _quarter(match: re.Match[str], today: datetime.date) -> Range | None:
    named = match.groupdict()
    text = named["quarter"]
    number = int(text) if text.isdecimal() else ORDINALS[text]
    month, year = 3 * number - 2, _year_of(named, today)
    if year is None:
        year = today.year - (month > today.month)
    return datetime.date(year, month, 1), _whole_month(year, month + 2)[1]


def _week(match: re.Match[str], today: datetime.date) -> Range | None:
    """A week by its number; without a year the latest one that has begun."""
    year = _year_of(match.groupdict(), today)
    asked = today.isocalendar().year if year is None else year
    monday = datetime.date.fromisocalendar(asked, int(match["week"]), 1)
    if year is None and monday > today:
        monday = datetime.date.fromisocalendar(asked - 1, int(match["week"]), 1)
    return monday, monday + 6 * _DAY


def _season(match: re.Match[str], today: datetime.date) -> Range | None:
    """Three months; without a year the latest that have begun."""
    named = match.groupdict()
    month, year = SEASONS[named["season"]], _year_of(named, today)
    if year is None:
        year = today.year - (month > today.month)
        if named.get("last") and _three_months(year, month)[1] >= today:
            year -= 1
    return _three_months(year, month)


def _three_months(year: int, month: int) -> Range:
    after = month + 2
    last = _whole_month(year + (after > 12), (after - 1) % 12 + 1)[1]
    return datetime.date(year, month, 1), last


def _festival(month: int, first: int, last: int) -> Reader:
    def read(match: re.Match[str], today: datetime.date) -> Range:
        year = _year_of(match.groupdict(), today)
        if year is None:
            year = today.year - (datetime.date(today.year, month, first) > today)
        return datetime.date(year, month, first), datetime.date(year, month, last)

    return read


def _easter(match: re.Match[str], today: datetime.date) -> Range | None:
    """From Good Friday to Easter Monday."""
    year = _year_of(match.groupdict(), today)
    sunday = _easter_sunday(today.year if year is None else year)
    if year is None and sunday - 2 * _DAY > today:
        sunday = _easter_sunday(today.year - 1)
    return sunday - 2 * _DAY, sunday + _DAY


def _easter_sunday(year: int) -> datetime.date:
    """By the computus of the Gregorian calendar, as everyone writes it down."""
    golden, (century, of_century) = year % 19, divmod(year, 100)
    leap, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap - correction + 15) % 30
    fourth, years = divmod(of_century, 4)
    weekday = (32 + 2 * rest + 2 * fourth - moon - years) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return datetime.date(year, month, day + 1)


def _is_general(text: str, *, hard_only: bool = False) -> bool:
    """Whether a question is about all such times: what never to do on Friday."""
    words = set(re.findall(_WORD, text))
    if not ALWAYS.isdisjoint(words):
        return True
    if hard_only or RULES.isdisjoint(words):
        return False
    # In German "was" is no past, but a question.
    past = PAST & words if GERMAN.isdisjoint(words - {"was"}) else (PAST & words) - {"was"}
    return not past


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
    if not match["last"] and _is_general(match.string):
        return None
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
    thai = f"(?P<month>{'|'.join(THAI_MONTHS)})"
    yield rf"\b{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)", _day, False
    yield rf"\b{_YEAR}/(?P<month>\d\d?)/(?P<day>\d\d?)\b", _day, False
    yield rf"\b(?P<day>\d\d?)\.(?P<month>\d\d?)\.{_YEAR}\b", _day, False
    yield rf"{_YEAR} ?[年년] ?(?P<month>\d\d?) ?[月월] ?(?P<day>\d\d?) ?[日号일]", _day, False
    yield rf"{_YEAR_BEFORE}(?P<month>\d\d?) ?[月월] ?(?P<day>\d\d?) ?[日号일]", _day, False
    number = f"{_CHINESE}{{1,3}}"
    yield rf"{_YEAR_BEFORE}(?P<month>{number})月(?P<day>{number})[日号]", _day, False
    yield rf"(?P<day>\d\d?) ?{thai}(?: ?{_ANY_YEAR})?", _day, False
    yield rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er)?{_OF}\b{_MONTH}\.?{_OF}\b{_YEAR}\b", _day, False
    yield rf"\b{_MONTH}\.? (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?,? {_YEAR}\b", _day, False
    after = rf"(?:,? (?P<lastyear>{_LAST_YEAR})\b)?"
    yield rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er)?{_OF}\b{_MONTH}\b{after}", _day, False
    yield (
        rf"\b{_MONTH}\.? (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?![.:]\d){after}",
        _day,
        False,
    )
    yield r"\b(?:am|vom|zum|seit|bis) (?P<day>\d\d?)\.(?P<month>\d\d?)\.(?!\d)", _day, False
    yield rf"\b{_MONTH},? (?P<lastyear>{_LAST_YEAR})\b", _month, False
    for name, days in _FESTIVALS:
        yield rf"{_YEAR_BEFORE}(?:{name}){_YEAR_AFTER_NAME}", _festival(*days), False
    yield rf"{_EASTER}{_YEAR_AFTER}", _easter, False
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
            rf"\b{_LAST} (?:week|woche)\b|\bsemaine (?:derniere|passee)\b|\bsemana (?:pasada|passada)\b"
            r"|\bsettimana scorsa\b"
            r"|\bпрошло[йи] неделе\b|上周|上星期|上個?礼拜|先週|지난주|สัปดาห์ที่แล้ว",
            rf"\b{_THIS} (?:week|woche|semaine|semana)\b|本周|这周|今週|이번 ?주",
        ),
        (
            "month",
            rf"\b{_LAST} (?:month|monats?|maand)\b|\bmois (?:dernier|passe)\b|\bmes (?:pasado|passado)\b"
            r"|\bmese scorso\b"
            r"|\bпрошлом месяце\b|上个月|上月|先月|지난 ?달|เดือนที่แล้ว",
            rf"\b{_THIS} (?:month|monats?|mois|mes)\b|本月|这个月|今月|이번 ?달",
        ),
        (
            "year",
            rf"\b{_LAST} (?:year|jahr(?:es)?|jaar)\b|\bannee (?:derniere|passee)\b|\ban dernier\b"
            rf"|\bano (?:pasado|passado)\b|\banno scorso\b|\bпрошлом году\b|(?:去年|昨年|작년){_NO_PART}|ปีที่แล้ว",
            rf"\b{_THIS} (?:year|jahr(?:es)?|annee|ano)\b|(?:今年|올해){_NO_PART}",
        ),
    ):
        yield last, _period(unit, 1), True
        yield this, _period(unit, 0), True
    on = "on|am|le|el|в|во|este|ce|op|na|il|lo|since|seit|depuis|desde|sinds"
    yield rf"\b(?:{on}|(?P<last>{_LAST})) (?=(?P<weekday>{_WORD}(?:-feira)?))", _weekday, True
    yield (
        rf"\b(?P<weekday>{_WORD}) (?P<last>scorso|scorsa|dernier|pasado|passado)\b",
        _weekday,
        True,
    )
    quarter = r"\bq(?P<quarter>[1-4])"
    counted = (
        rf"\b(?P<quarter>[1-4]|{_WORD})(?:st|nd|rd|th|er|e|\.)?"
        r" (?:quarter|quartals?|trimestre|kwartaal)\b"
    )
    yield rf"{quarter}[ /-]?{_OF}{_YEAR}\b", _quarter, False
    yield rf"\b{_YEAR}[ /-]?q(?P<quarter>[1-4])\b", _quarter, False
    yield rf"\b(?:{_IN}|last|this) q(?P<quarter>[1-4])\b", _quarter, False
    yield rf"{counted}{_YEAR_AFTER}", _quarter, False
    yield rf"\b{_YEAR}-?w(?P<week>\d\d?)\b", _week, False
    weeks = "week|kw|woche|kalenderwoche|semaine|semana|settimana"
    yield rf"\b(?:{weeks}) ?(?P<week>\d\d?)\b(?:[ ,/]*{_OF}\b{_YEAR}\b)?", _week, False
    yield rf"(?:{_YEAR} ?年 ?)?第 ?(?P<week>\d\d?) ?[周週]", _week, False
    yield rf"\b{_YEAR}-(?P<month>\d\d)\b(?!-\d)", _month, False
    yield (
        rf"{_YEAR_BEFORE}(?P<month>\d\d?|{_CHINESE}{{1,2}}) ?[月월](?:份|に|の|は|에)?",
        _month,
        False,
    )
    yield rf"{thai}(?: ?{_ANY_YEAR})?", _month, False
    yield rf"\b{_MONTH}\.?{_OF}\b{_YEAR}\b", _month, False
    # Without a number beside it, "may" and "march" and "mars" are often other words.
    of = rf"(?:{_IN}|of|last|this|mois de|mes de|maand)(?: the| dem| den)?(?: month of| monat)?"
    yield rf"\b{of}[ -](?=(?:{_WORD}['’])?{_MONTH}\b{after})", _month, False
    seasons = "|".join(sorted(SEASONS, key=len, reverse=True))
    season = f"(?P<season>{seasons})"
    yield rf"\b{season}{_OF}\b{_YEAR}\b", _season, False
    yield rf"{_YEAR_BEFORE}(?P<season>[春夏秋冬][天季])", _season, False
    plain = rf"(?:{_IN}|{_THIS}|(?P<last>{_LAST}))(?: the| dem| den| le| la| el)?"
    # In Spring there are beans, and in fall there is nothing.
    yield rf"\b{plain} (?<!\bin )(?=(?P<season>spring|fall)\b{after})", _season, False
    yield rf"\b{plain} (?!spring|fall)(?={season}\b{after})", _season, False
    yield rf"\b{_IN} (?:the year |jahr |dem jahr |l'annee |el ano )?{_YEAR}\b", _year, False
    yield rf"{_YEAR} ?[年년]", _year, False


@cache
def rules() -> tuple[tuple[re.Pattern[str], Reader, bool], ...]:
    """Patterns, their readers, and whether what they mean depends on today; compiled when needed."""
    return tuple((pattern(text), read, relative) for text, read, relative in _rules())
