"""A pattern of words finds what `re` finds, whatever it leaves out of looking."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.text.wording import WordPattern

SOURCES = (
    r"\b(?:now|no longer|not any ?more|neue?[rs]?|kein\w* .{0,20}mehr)\b|现在|新",
    r"\b(?:(?:has|have|she) left|left (?:us|for)|moved(?! the\b)|s'appelle|don'?t|entre-temps|a (?:une?|plus))\b",
    r"\b(?:too(?! \w)|une? autre|in the end|not? x|eine?n?|go(?! to)ne)\b",
    r"\b(?:is|are|il y a)\s+(?:an?|une?)\s+new\b",
    r"\b(?:\w*farbe|colou?r)\b",
    r"\bmoved (?!to\b)",
    r"\d+|\b(?:one|two)\b",
)
WORDS = (
    "now no longer not any anymore more neu neue neuer kein keine mehr has have she left us for moved the "
    "s'appelle don't dont entre-temps a une un plus is are il y an new wandfarbe color colour to 12 one two "
    "too took in the end autre ein einen gone go no not until nowhere unmoved 现在 新しい x, (now) re-moved left, isn't €5 no  longer"
).split(" ")
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


@pytest.mark.parametrize("source", SOURCES)
@given(text=texts)
def test_the_same_as_re(source: str, text: str) -> None:
    ours, theirs = WordPattern(source), re.compile(source)
    found = ours.search(text)
    assert (found and found.span()) == ((match := theirs.search(text)) and match.span())
    assert ours.matches(text) == (match is not None)
    assert [one.span() for one in ours.finditer(text)] == [
        one.span() for one in theirs.finditer(text)
    ]
    assert ours.sub("-", text) == theirs.sub("-", text)


def test_words_that_only_begin_alike_are_left_alone() -> None:
    pattern = WordPattern(r"\b(?:now|left (?:us|for))\b")
    assert pattern.search("Nobody left the nowhere") is None
    assert pattern.search("he left us") is not None
