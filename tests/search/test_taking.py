"""How many hits are made: as few as give the same answer as all of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from memdown.search.answer import Asked, Query, SearchOptions, _take, arrange
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
    taken, _ = _take(iter(made), question)
    shown = [one.path for one in arrange(question, taken).hits]
    assert shown == [one.path for one in arrange(question, made).hits]
    return len(taken)


def test_good_ones_that_differ_are_enough() -> None:
    made = [hit(name, 1 - place / 10, name * 9) for place, name in enumerate("abcd")]
    assert same_answer(asked(), made) == 2


def test_repeats_do_not_count() -> None:
    made = [
        hit("a", 0.9, f"{LONG} eleven"),
        hit("b", 0.9, f"{LONG} eleven"),
        hit("c", 0.85, f"{LONG} twelve"),
        hit("d", 0.8, "the router hangs in the hall"),
        hit("e", 0.7, "a cat sleeps on the radiator"),
    ]
    assert same_answer(asked(), made) == 4


def test_an_identifier_below_the_bar_is_still_reached() -> None:
    made = [
        hit("a", 0.9, "the router"),
        hit("b", 0.4, "not good enough"),
        hit("c", 0.3, "the ER605 itself", "er605"),
    ]
    assert same_answer(asked("router ER605"), made) == 3


def test_for_variety_more_are_made() -> None:
    def many() -> Iterator[Hit]:
        return (hit(str(number), 0.9, f"{number} " * 9) for number in range(50))

    question = asked(mmr_lambda=0.7)
    assert len(_take(many(), question)[0]) > len(_take(many(), asked())[0]) == 2


def test_too_few_are_told() -> None:
    assert _take(iter([hit("a", 0.9, "the router")]), asked())[1] is False
