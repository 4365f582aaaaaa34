"""Times that a question names, seen from a Saturday in June."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.text.dates import find_time, read_time, written_day

TODAY = date(2026, 6, 20)


def days(text: str) -> str:
    """The range as text: one day, or first and last."""
    found = find_time(text, TODAY)
    if found is None:
        return ""
    return str(found.first) if found.first == found.last else f"{found.first} {found.last}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide yesterday?", "2026-06-19"),
        ("what happened the day before yesterday", "2026-06-18"),
        ("what is on today?", "2026-06-20"),
        ("notes of 2025-09-15", "2025-09-15"),
        ("notes of 2025/9/15", "2025-09-15"),
        ("Notizen vom 15.9.2025", "2025-09-15"),
        ("the call on 15 September 2025", "2025-09-15"),
        ("the call on September 15th, 2025", "2025-09-15"),
        ("the call on June 25", "2025-06-25"),
        ("2025年9月15日开会", "2025-09-15"),
        ("what was decided in March?", "2026-03-01 2026-03-31"),
        ("what was decided in December?", "2025-12-01 2025-12-31"),
        ("what was decided in March 2024?", "2024-03-01 2024-03-31"),
        ("the plan of 2025-11", "2025-11-01 2025-11-30"),
        ("the trip in 2024", "2024-01-01 2024-12-31"),
        ("last week", "2026-06-08 2026-06-14"),
        ("this week", "2026-06-15 2026-06-21"),
        ("last month", "2026-05-01 2026-05-31"),
        ("last year", "2025-01-01 2025-12-31"),
        ("on Monday", "2026-06-15"),
        ("last Saturday", "2026-06-13"),
        ("three days ago", "2026-06-17"),
        ("2 weeks ago", "2026-06-03 2026-06-09"),
        ("the last 3 days", "2026-06-17 2026-06-20"),
        ("gestern", "2026-06-19"),
        ("letzte Woche", "2026-06-08 2026-06-14"),
        ("im März", "2026-03-01 2026-03-31"),
        ("vor zwei Tagen", "2026-06-18"),
        ("hier soir", "2026-06-19"),
        ("la semaine dernière", "2026-06-08 2026-06-14"),
        ("la semana pasada", "2026-06-08 2026-06-14"),
        ("вчера", "2026-06-19"),
        ("на прошлой неделе", "2026-06-08 2026-06-14"),
        ("昨天", "2026-06-19"),
        ("先週の会議", "2026-06-08 2026-06-14"),
        ("어제", "2026-06-19"),
        ("지난주 회의", "2026-06-08 2026-06-14"),
        ("เมื่อวาน", "2026-06-19"),
        ("the call on 9 Nov 2025", "2025-11-09"),
        ("daily log from June 12", "2026-06-12"),
        ("what did I write on 9 November", "2025-11-09"),
        ("am 9.11. beim Arzt", "2025-11-09"),
        ("le 9 novembre", "2025-11-09"),
        ("9 de noviembre", "2025-11-09"),
        ("9 de novembro", "2025-11-09"),
        ("9 november", "2025-11-09"),
        ("11月9日", "2025-11-09"),
        ("十一月九日", "2025-11-09"),
        ("11월 9일", "2025-11-09"),
        ("9 พฤศจิกายน 2568", "2025-11-09"),
        ("in March last year", "2025-03-01 2025-03-31"),
        ("end of March", "2026-03-01 2026-03-31"),
        ("qu'est-ce que j'ai fait en mars", "2026-03-01 2026-03-31"),
        ("en marzo", "2026-03-01 2026-03-31"),
        ("em março", "2026-03-01 2026-03-31"),
        ("in marzo", "2026-03-01 2026-03-31"),
        ("in maart", "2026-03-01 2026-03-31"),
        ("三月的会议", "2026-03-01 2026-03-31"),
        ("去年三月", "2025-03-01 2025-03-31"),
        ("เดือนมีนาคม", "2026-03-01 2026-03-31"),
        ("since October", "2025-10-01 2026-06-20"),
        ("all meetings since October 3", "2025-10-03 2026-06-20"),
        ("since last week", "2026-06-08 2026-06-20"),
        ("since Monday", "2026-06-15 2026-06-20"),
        ("seit Oktober", "2025-10-01 2026-06-20"),
        ("depuis octobre", "2025-10-01 2026-06-20"),
        ("10月以来", "2025-10-01 2026-06-20"),
        ("ตั้งแต่มีนาคม", "2026-03-01 2026-06-20"),
        ("Q1 2026", "2026-01-01 2026-03-31"),
        ("2025 Q4", "2025-10-01 2025-12-31"),
        ("in Q3", "2025-07-01 2025-09-30"),
        ("the first quarter of 2026", "2026-01-01 2026-03-31"),
        ("erstes Quartal 2026", "2026-01-01 2026-03-31"),
        ("week 46", "2025-11-10 2025-11-16"),
        ("KW 3", "2026-01-12 2026-01-18"),
        ("2025-W46", "2025-11-10 2025-11-16"),
        ("summer of 2025", "2025-06-01 2025-08-31"),
        ("Sommer 2025", "2025-06-01 2025-08-31"),
        ("winter 2025", "2025-12-01 2026-02-28"),
        ("last summer", "2025-06-01 2025-08-31"),
        ("this summer", "2026-06-01 2026-08-31"),
        ("去年夏天", "2025-06-01 2025-08-31"),
        ("Christmas 2024", "2024-12-24 2024-12-26"),
        ("what happened on Christmas Eve last year", "2025-12-24"),
        ("Weihnachten", "2025-12-24 2025-12-26"),
        ("à Noël", "2025-12-24 2025-12-26"),
        ("New Year's Eve", "2025-12-31"),
        ("Easter", "2026-04-03 2026-04-06"),
        ("Ostern 2025", "2025-04-18 2025-04-21"),
        ("what did I do on Friday", "2026-06-19"),
        ("was habe ich am Freitag gemacht", "2026-06-19"),
        ("op vrijdag", "2026-06-19"),
        ("na sexta-feira", "2026-06-19"),
        ("venerdì scorso", "2026-06-19"),
    ],
)
def test_times_in_many_languages(text: str, expected: str) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "which router do we use?",
        "may I see the march of the penguins",
        "wer wohnt hier?",
        "version 2.1.4",
        "2026-13-45",
        "the 31st of nothing",
        "room 1984",
        "second hand",
        "ER-605",
        "what not to do on Friday",
        "never deploy on Friday",
        "can we deploy on Friday?",
        "who always cooks on Friday",
        "what did I always do on Friday",
        "the market on Fridays",
        "every Friday",
        "was darf man am Freitag nicht",
        "ce qu'il ne faut jamais faire le vendredi",
        "nunca el viernes",
        "what do I plant every year in March",
        "beans in Spring",
        "leaves fall",
    ],
)
def test_what_names_no_time(text: str) -> None:
    assert days(text) == ""


@given(st.text(max_size=60), st.dates(date(1900, 1, 1), date(2100, 12, 31)))
def test_any_text_gives_a_range_or_none(text: str, today: date) -> None:
    found = find_time(text, today)
    if found is not None:
        assert found.first <= found.last
        assert 0 <= found.start <= found.end <= len(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("what did I do in March?", "in March"),
        ("meetings since October with Bob", "since October"),
        ("Was war in der Großen Straße im März los", "im März"),
        ("ﬁne: 9 November", "9 November"),
        ("เกิดอะไรขึ้นในเดือนมีนาคม", "มีนาคม"),
    ],
)
def test_where_a_time_stands(text: str, place: str) -> None:
    """Its words are taken out of the question, so that they must be found in it exactly."""
    found = find_time(text, TODAY)
    assert found is not None
    assert text[found.start : found.end] == place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", "2026-03-01"),
        ("1.3.2026", "2026-03-01"),
        ("March", "2026-03-01 2026-03-31"),
        ("März", "2026-03-01 2026-03-31"),
        ("im März", "2026-03-01 2026-03-31"),
        ("2025", "2025-01-01 2025-12-31"),
        ("2025-11", "2025-11-01 2025-11-30"),
        ("last week", "2026-06-08 2026-06-14"),
        ("Friday", "2026-06-19"),
        ("7d", "2026-06-13 2026-06-20"),
        ("2w", "2026-06-06 2026-06-20"),
        ("9999y", "0001-01-01 2026-06-20"),
        ("Q1 2026", "2026-01-01 2026-03-31"),
        ("", ""),
        ("soon", ""),
        ("5", ""),
        ("2026-02-30", ""),
        ("March nonsense", ""),
        ("the report of March", ""),
    ],
)
def test_a_text_that_is_nothing_but_a_time(text: str, expected: str) -> None:
    found = read_time(text, TODAY)
    shown = "" if found is None else " ".join(str(day) for day in dict.fromkeys(found))
    assert shown == expected


@pytest.mark.parametrize(
    "text", ["", "2026", "March 2026", "9 November", "yesterday", "2026-02-30"]
)
def test_what_is_no_written_day(text: str) -> None:
    assert written_day(text) is None


@given(st.text(max_size=60), st.dates())
def test_any_text_is_a_time_or_none(text: str, today: date) -> None:
    found = read_time(text, today)
    assert found is None or found[0] <= found[1]
    written_day(text)
