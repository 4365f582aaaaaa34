"""Folding and weighing text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.text import estimate_tokens, fold, weight
from memdown.text.scripts import fitting, in_latin

MIXED = st.text("ab é—жي中の한กิक📎🇩।", max_size=80)

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello", "hello"),
        ("ÀÉÎõü", "aeiou"),
        ("Straße", "strasse"),
        ("ＡＢＣ", "abc"),
        ("Йод", "иод"),
        ("हिन्दी", "हिन्दी"),
        ("한국", "한국"),
        ("が", "が"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd" * 100, 100),
        ("Überraschung für Zoë — “gut”", 7),
        ("中文" * 50, 100),
        ("한국" * 50, 100),
        ("ひらがな、", 5),
        ("ไทย" * 40, 60),
        ("русский текст", 6),
        ("👍👍", 2),
    ],
)
def test_token_estimates(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@unhurried
@given(MIXED, MIXED)
def test_weight_adds_up(first: str, second: str) -> None:
    assert weight(first + second) >= max(weight(first), weight(second), len(first + second))
    assert weight(first + second) <= weight(first) + weight(second)


@unhurried
@given(MIXED, st.integers(0, 80), st.integers(4, 60))
def test_fitting_is_the_longest_part_that_fits(text: str, start: int, cap: int) -> None:
    start = min(start, len(text))
    end = fitting(text, start, cap)
    assert start <= end <= len(text)
    assert weight(text[start:end]) <= cap
    assert end == len(text) or weight(text[start : end + 1]) > cap


def test_cyrillic_in_latin_letters() -> None:
    words = ("интернет2", "нотион", "щука", "чехия", "київ", "notion", "東京", "")
    assert list(map(in_latin, words)) == [
        "internet2",
        "notion",
        "shchuka",
        "chehiya",
        "kiiv",
        "",
        "",
        "",
    ]
