"""How many hits are made: as few as give the same answer as all of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from memdown.search.arranging import arrange
from memdown.search.gathering import take
from memdown.search.query import Asked, Query, SearchOptions
from memdown.search.rank import Bar
from memdown.text import query_terms
from memdown.types import Hit

LONG = "red blue green white black brown pink gold silver grey teal lime plum rust"


def asked(text: str = "router", **options: object) -> Asked:
    wanted = replace(SearchOptions(max_results=2, min_score=0.5, strict=True), **options)  # type: ignore[arg-type]
    return Asked(Query(text, query_terms(text), None), wanted, datetime.date(2026, 3, 1))


def hit(name: str, score: float, snippet: str, *matched: str) -> Hit:
    return Hit(name, "memory", 1, 1, score, snippet, relevance=score, matched=matched)


def same_answer(question: Asked, made: list[Hit]) -> int:
    """How many hits were taken; the answer must be the one that all of them give."""
    taken = take(iter(made), question)
    shown = [one.path for one in arrange(question, taken).hits]
    assert shown == [one.path for one in arrange(question, made).hits]
    return len(taken)


def test_good_ones_that_differ_are_enough() -> None:
    """Six are settled together, so that the first are the same however many are asked for."""
    names = "abcdefghijklmnop"
    made = [hit(name, 1 - place / 40, name * 9) for place, name in enumerate(names)]
    assert same_answer(asked(), made) == 6
    assert same_answer(asked(max_results=9), made) == 12


def test_repeats_do_not_count() -> None:
    made = [
        hit("a", 0.9, f"{LONG} eleven"),
        hit("b", 0.9, f"{LONG} eleven"),
        hit("c", 0.85, f"{LONG} twelve"),
        *(
            hit(str(n), 0.8 - n / 50, f"{n} hangs on hook {n * 7} in room {n * 9}")
            for n in range(15)
        ),
    ]
    assert same_answer(asked(), made) == 3 + 5


def test_an_identifier_far_below_the_best_is_still_reached() -> None:
    many = [hit(str(n), 0.2 - n / 100, f"{n} hangs on hook {n * 7}") for n in range(8)]
    made = [hit("a", 0.9, "the router"), *many, hit("z", 0.1, "the ER605 itself", "er605")]
    assert same_answer(asked("router ER605", strict=False), made) == len(made)
    # Without an identifier the first of them ends it, or as many as an explanation names.
    assert same_answer(asked(strict=False), made) == 1 + 1
    assert same_answer(asked(strict=False, explain=True), made) == 1 + 4


def test_an_identifier_below_the_bar_is_still_reached() -> None:
    made = [
        hit("a", 0.9, "the router"),
        hit("b", 0.4, "not good enough"),
        hit("c", 0.3, "the ER605 itself", "er605"),
    ]
    assert same_answer(asked("router ER605"), made) == 3


def test_for_variety_more_are_made() -> None:
    def many() -> Iterator[Hit]:
        return (hit(str(n), 0.9 - n / 100, f"{n} " * 9) for n in range(60))

    question = asked(mmr_lambda=0.7, min_score=0.0)
    assert len(take(many(), question)) > len(take(many(), asked(min_score=0.0))) == 6


def test_a_conversation_that_repeats_a_note_does_not_count() -> None:
    """It is dropped in the end, and the first results must not depend on how many were taken."""
    says = [
        f"hook {n * 7} holds {' '.join(f'{word}{n}' for word in LONG.split())}" for n in range(12)
    ]
    notes = [hit(f"{n}.md", 0.9 - n / 40, text) for n, text in enumerate(says)]
    talk = [
        replace(hit(f"sessions/{n}", 0.95 - n / 40, text), source="sessions")
        for n, text in enumerate(
            [*(one[:60] for one in says), *(f"{n} says {n * 3}" for n in range(9))]
        )
    ]

    def first(count: int) -> list[str]:
        question = asked(max_results=count, sources=("memory", "sessions"), min_score=0.0)
        hits = [*notes, *take(iter(talk), question, notes)]
        return [one.path for one in arrange(question, hits).hits]

    every = first(50)
    assert "sessions/12" in every[:12]
    for count in (1, 6, 10, 12, 13, 20):
        assert first(count) == every[:count]


def test_once_there_are_enough_the_next_that_scores_less_is_not_made() -> None:
    bars: list[float] = []
    bar = Bar()

    def made() -> Iterator[Hit]:
        for place, name in enumerate("abcdefghij"):
            bars.append(bar.score)
            yield hit(name, 1 - place / 40, name * 9)

    assert len(take(made(), asked(), bar=bar)) == 6
    assert bars[:6] == [0.0] * 6
    assert bars[6] == round(1 - 5 / 40, 2)


def test_of_another_day_the_first_are_the_same_however_many_are_asked_for() -> None:
    """What did not hold then is dropped, so enough must have been made."""
    made = [
        hit(
            f"memory/2026-{6 if n % 3 else 4:02}-{1 + n % 28:02}.md",
            1 - n / 80,
            f"- Hook {n} holds coat {n * 7}.",
        )
        for n in range(70)
    ]

    def first(count: int) -> list[str]:
        question = asked(max_results=count, as_of=datetime.date(2026, 5, 1), min_score=0.0)
        hits = arrange(question, take(iter(made), question)).hits
        return [one.snippet for one in hits]

    every = first(50)
    assert len(every) == 20
    for count in (1, 6, 10, 13, 19):
        assert first(count) == every[:count]
