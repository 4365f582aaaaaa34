"""The lives that others wrote are well formed: what their answers are judged by cannot be mistaken."""

from __future__ import annotations

import random

import pytest
from bench import hours, life
from bench.lives import NAMES, Life, read_life, read_pairs

from memdown.notes.statements import facts_of
from memdown.text.redaction import find_secrets

THIRD, FOURTH = read_life("third"), read_life("fourth")
FIFTH, SIXTH = read_life("fifth"), read_life("sixth")
EACH = pytest.mark.parametrize("told", [THIRD, FOURTH], ids=["third", "fourth"])


@pytest.mark.parametrize(
    ("told", "statements", "questions", "side_by_side"),
    [
        (THIRD, 180, 70, 120),
        (FOURTH, 250, 120, 120),
        (FIFTH, 390, 190, 300),
        (SIXTH, 390, 190, 300),
    ],
    ids=["third", "fourth", "fifth", "sixth"],
)
def test_it_tells_and_asks_enough(
    told: Life, statements: int, questions: int, side_by_side: int
) -> None:
    assert len(life.statements(told)) >= statements
    assert len(told.threads) >= questions
    assert sum(len(facts) for _, *facts in told.beside) >= side_by_side
    # Two are side by side, and `life.beside` tells three at most.
    assert {len(facts) for _, *facts in told.beside} <= {2, 3}


@EACH
def test_a_telling_word_stands_in_no_other_thread_and_in_no_aside(told: Life) -> None:
    for thread in told.threads:
        others = [text for one in told.threads if one != thread for text, _ in one.statements]
        for _, word in thread.statements:
            assert not [text for text in (*others, *told.aside) if word in text], word


@EACH
def test_what_holds_is_not_named_by_what_is_outdated(told: Life) -> None:
    for thread in told.threads:
        current = thread.statements[-1][1]
        for text, word in thread.statements:
            assert word == current or current not in text, text


@EACH
def test_nothing_is_told_twice_unless_it_is_meant_to_be(told: Life) -> None:
    texts = [one.text for one in life.statements(told) if not one.again]
    beside = [text for _, *facts in told.beside for text in facts]
    questions = [one.question for one in told.threads]
    questions += [question for question, *_ in told.beside]
    for several in (texts, beside, questions):
        assert len(several) == len(set(several))


@EACH
def test_every_statement_is_one_fact_as_it_is_told_and_no_secret(told: Life) -> None:
    texts = [one.text for one in life.statements(told)]
    texts += [text for _, *facts in told.beside for text in facts]
    for text in texts:
        assert [one.text for one in facts_of(f"- {text}\n", "MEMORY.md")] == [text]
        assert not list(find_secrets(text)), text


@EACH
def test_what_is_said_again_in_other_words_replaces_nothing(told: Life) -> None:
    again = [one for one in life.statements(told) if one.same]
    assert [one for one in again if not one.old]
    # Moved away and back: only where it was in between is outdated.
    assert [one for one in again if len(one.old) == 1]


@EACH
def test_what_is_temporary_is_over_on_the_last_day(told: Life) -> None:
    ends = [one.day + one.until for one in life.statements(told) if one.until]
    assert ends
    assert max(ends) < life.DAYS


@EACH
def test_told_within_hours_threads_of_different_things_are_of_one_person(told: Life) -> None:
    every = hours.groups(told)
    assert len(hours.as_life(every).threads) == len(told.threads)
    texts = [text for one in every for thread in one.threads for text, _ in thread.statements]
    assert len(texts) == len(set(texts)), "of one person, nothing is told twice"
    shared = [one for one in every if sum(" Nora" in thread.question for thread in one.threads) > 1]
    assert len(shared) == 1, "each group has a name of its own"


@EACH
def test_told_within_hours_each_thread_keeps_its_order(told: Life) -> None:
    for group in hours.groups(told)[:5]:
        texts = [one.text for one in hours.statements(group, 1, random.Random(1))]
        for thread in group.threads:
            mine = [text for text in texts if text in dict(thread.statements)]
            assert mine == [text for text, _ in thread.statements]


def test_what_is_taught_is_in_no_life() -> None:
    taught = {text for one in read_pairs("taught") for text in (one.old, one.new)}
    for name in NAMES:
        told = read_life(name)
        assert taught.isdisjoint(text for one in told.threads for text, _ in one.statements)
