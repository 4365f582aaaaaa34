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
    taken = _take(iter(made), question)
    shown = [one.path for one in arrange(question, taken).hits]
    assert shown == [one.path for one in arrange(question, made).hits]
    return len(taken)


def test_good_ones_that_differ_are_enough() -> None:
    """Twelve are settled together, so that the first are the same however many are asked for."""
    names = "abcdefghijklmnop"
    made = [hit(name, 1 - place / 40, name * 9) for place, name in enumerate(names)]
    assert same_answer(asked(), made) == 12
    assert same_answer(asked(max_results=13), made) == len(made)


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
    assert same_answer(asked(), made) == 3 + 11


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
    assert len(_take(many(), question)) > len(_take(many(), asked(min_score=0.0))) == 12
