"""Times that a question names, seen from a Saturday in June."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.timing import dates_within, find_time, time_range

TODAY = date(2026, 6, 20)


def days(text: str) -> str:
    """The range as text: one day, or first and last."""
    found = time_range(text, TODAY)
    if found is None:
        return ""
    first, last = found
    return str(first) if first == last else f"{first} {last}"


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


def test_file_names_of_a_short_and_a_longer_time() -> None:
    assert dates_within(date(2026, 6, 8), date(2026, 6, 10)) == [
        "2026-06-08",
        "2026-06-09",
        "2026-06-10",
    ]
    assert dates_within(date(2026, 1, 31), date(2026, 3, 1)) == ["2026-01", "2026-02", "2026-03"]
    assert dates_within(date(2025, 1, 1), date(2025, 12, 31)) == []
