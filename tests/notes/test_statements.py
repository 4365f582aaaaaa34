"""The facts of a note, by the lines people write."""

from __future__ import annotations

import datetime

from memdown.notes.statements import facts_of

NOTE = """\
---
title: Nora
---
# Nora

An introduction beside bullets is no fact.

- Lives in Porto. (since 2026-11-06)
  - ~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)
- Works from
  Madrid. (until 2026-11-06)
- Lives with ~~Ben~~ Teo.
- 2026-10-20: keeps the Octavia.

```
- code is no fact
```

## Habits

Drinks tea
after noon.

| a | row |
"""


def test_bullets_and_lonely_paragraphs_are_facts() -> None:
    found = facts_of(NOTE, "memory/2026-11-03.md")
    assert [(fact.line, fact.end_line, fact.text) for fact in found] == [
        (8, 8, "Lives in Porto."),
        (9, 9, "Lives in Lisbon."),
        (10, 11, "Works from Madrid."),
        (12, 12, "Lives with Teo."),
        (13, 13, "2026-10-20: keeps the Octavia."),
        (21, 22, "Drinks tea after noon."),
    ]
    assert [fact.struck for fact in found] == [False, True, False, False, False, False]
    assert found[1].parent == 8
    assert found[5].heading == "Nora > Habits"


def test_the_day_of_a_fact_is_its_own_or_that_of_its_log() -> None:
    days = [fact.day for fact in facts_of(NOTE, "memory/2026-11-03.md")]
    assert days[0] == datetime.date(2026, 11, 6)
    assert days[2] == datetime.date(2026, 11, 3)
    assert days[4] == datetime.date(2026, 10, 20)


def test_what_holds_on_a_day() -> None:
    porto, lisbon, madrid = facts_of(NOTE, "memory/2026-11-03.md")[:3]
    before, after = datetime.date(2026, 11, 4), datetime.date(2026, 11, 8)
    assert lisbon.was_true_on(before)
    assert not porto.was_true_on(before)
    assert madrid.was_true_on(before)
    assert porto.was_true_on(after)
    assert not lisbon.was_true_on(after)
    assert not madrid.was_true_on(after)
    assert porto.is_current(after)
    assert not lisbon.is_current(after)
    assert not madrid.is_current(after)
