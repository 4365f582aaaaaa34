"""The third life is well formed: what its answers are judged by cannot be mistaken."""

from __future__ import annotations

from bench import life
from bench.life_third import THIRD_LIFE


def test_every_language_tells_enough() -> None:
    told = {
        name: sum(len(one.statements) for one in threads) for name, threads in THIRD_LIFE.items()
    }
    assert set(told) == set("en de fr es pt it nl zh ja th".split())
    assert min(told.values()) >= 8
    assert len(life.statements(life.THIRD)) >= 180
    assert len(life.THIRD.threads) >= 70
    assert len(life.THIRD.beside) >= 60


def test_a_telling_word_stands_in_no_other_thread_and_in_no_aside() -> None:
    for thread in life.THIRD.threads:
        others = [text for one in life.THIRD.threads if one != thread for text, _ in one.statements]
        for _, word in thread.statements:
            assert not [text for text in (*others, *life.THIRD.aside) if word in text], word


def test_what_holds_is_not_named_by_what_is_outdated() -> None:
    for thread in life.THIRD.threads:
        current = thread.statements[-1][1]
        for text, word in thread.statements:
            assert word == current or current not in text, text


def test_nothing_is_told_twice_unless_it_is_meant_to_be() -> None:
    texts = [one.text for one in life.statements(life.THIRD) if not one.again]
    beside = [text for _, *facts in life.THIRD.beside for text in facts]
    questions = [one.question for one in life.THIRD.threads]
    questions += [question for question, *_ in life.THIRD.beside]
    for told in (texts, beside, questions):
        assert len(told) == len(set(told))


def test_what_is_said_again_in_other_words_replaces_nothing() -> None:
    again = [one for one in life.statements(life.THIRD) if one.same]
    assert [one for one in again if not one.old]
    # Moved away and back: only where it was in between is outdated.
    assert [one for one in again if len(one.old) == 1]


def test_what_is_temporary_is_over_on_the_last_day() -> None:
    ends = [one.day + one.until for one in life.statements(life.THIRD) if one.until]
    assert ends
    assert max(ends) < life.DAYS
