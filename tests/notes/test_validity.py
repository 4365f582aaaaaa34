"""The time a fact holds, in the words of ten languages."""

from __future__ import annotations

import datetime

import pytest

from memdown.notes.statements import Validity, read_until, read_validity, written

NOV_6, NOV_20 = datetime.date(2026, 11, 6), datetime.date(2026, 11, 20)
TUESDAY = datetime.date(2026, 11, 17)


@pytest.mark.parametrize(
    "said",
    [
        "(since 2026-11-06)",
        "(seit 6.11.2026)",
        "(seit 6. November 2026)",
        "(depuis le 6 novembre 2026)",
        "(desde el 6 de noviembre de 2026)",
        "(desde 6 de novembro de 2026)",
        "(dal 6 novembre 2026)",
        "(sinds 6 november 2026)",
        "（自2026年11月6日起）",
        "（2026年11月6日から）",
        "(ตั้งแต่ 6 พฤศจิกายน 2569)",
    ],
)
def test_since_when(said: str) -> None:
    assert read_validity(f"Porto. {said}").validity == Validity(since=NOV_6)


@pytest.mark.parametrize(
    "said",
    [
        "(until 2026-11-20)",
        "(bis 20.11.2026)",
        "(jusqu'au 20 novembre 2026)",
        "(hasta el 20 de noviembre de 2026)",
        "(até 20 de novembro de 2026)",
        "(fino al 20 novembre 2026)",
        "(tot 20 november 2026)",
        "（到2026年11月20日为止）",
        "（2026年11月20日まで）",
        "(จนถึง 20 พฤศจิกายน 2569)",
    ],
)
def test_until_when(said: str) -> None:
    assert read_validity(f"Madrid. {said}").validity == Validity(until=NOV_20)


@pytest.mark.parametrize(
    "said",
    [
        "(2026-11-06 to 2026-11-20)",
        "(vom 6.11.2026 bis 20.11.2026)",
        "(du 2026-11-06 au 2026-11-20)",
        "(2026-11-06 – 2026-11-20)",
        "（2026年11月6日到2026年11月20日）",
        "(since 2026-11-06, until 2026-11-20)",
    ],
)
def test_a_range(said: str) -> None:
    assert read_validity(f"Madrid. {said}").validity == Validity(NOV_6, NOV_20)


def test_a_day_and_a_source() -> None:
    timed = read_validity("Porto. (2026-11-06, from memory/2026-11-06.md#L3)")
    assert timed.text == "Porto."
    assert timed.validity == Validity(noted=NOV_6, source="memory/2026-11-06.md#L3")


@pytest.mark.parametrize(
    "text",
    [
        "The book (1984)",
        "Nora (born 1987-03-14)",
        "Room 12 (second floor)",
        "Costs (EUR 2,026 a year)",
    ],
)
def test_other_remarks_stay_part_of_the_text(text: str) -> None:
    assert read_validity(text).text == text
    assert read_validity(text).validity == Validity()


@pytest.mark.parametrize(
    "validity",
    [
        Validity(since=NOV_6),
        Validity(until=NOV_20),
        Validity(NOV_6, NOV_20),
        Validity(noted=NOV_6, source="MEMORY.md#L3"),
    ],
)
def test_what_is_written_is_read_again(validity: Validity) -> None:
    assert read_validity(f"A fact.{written(validity)}").validity == validity


def test_the_last_day_as_people_say_it() -> None:
    assert read_until("2026-11-20", TUESDAY) == NOV_20
    assert read_until("Freitag", TUESDAY) == NOV_20
    assert read_until("tomorrow", TUESDAY) == datetime.date(2026, 11, 18)
    assert read_until("in 2 weeks", TUESDAY) == datetime.date(2026, 12, 1)
    assert read_until("when pigs fly", TUESDAY) is None
