"""Which spellings a word may stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.search.spelling import spellings


@pytest.mark.parametrize("slip", ["ruoter", "rotuer", "routter", "roter", "rouser", "routr"])
def test_one_slip_is_one_step_away(slip: str) -> None:
    assert "router" in spellings(slip)


@pytest.mark.parametrize("other", ["outer", "ruoetr", "banana"])
def test_other_words_are_not(other: str) -> None:
    """The first letter is trusted, and so is everything but one slip."""
    assert "router" not in spellings(other)


@given(st.text("abcdefghij", min_size=5, max_size=12))
def test_spellings_are_close_and_never_the_word_itself(word: str) -> None:
    found = spellings(word)
    assert word not in found
    assert len(found) == len(set(found)) < 60 * len(word)
    assert all(abs(len(one) - len(word)) <= 1 and one[0] == word[0] for one in found)
