"""NO_REPLY is never heard, however the stream is cut up; everything else is heard whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.agent import spoken, spoken_deltas


@pytest.mark.parametrize(
    "text", ["NO_REPLY", " \n NO_REPLY", "NO_REPLY.", "NO_REPLY Saved two notes."]
)
def test_silent_replies(text: str) -> None:
    assert spoken(text) == ""


@pytest.mark.parametrize("text", ["NO", "NO_", "NO_REPL", "Say NO_REPLY", "Hello"])
def test_replies_that_only_look_like_it_are_heard(text: str) -> None:
    assert spoken(text) == text


def cut(text: str, places: list[int]) -> list[str]:
    at = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(at)]


@given(
    st.sampled_from(["NO_REPLY", "  NO_REPLY and more", "NO_REPL", "NOPE", "", " ", "N"])
    | st.text(),
    st.lists(st.integers(0, 30)),
)
def test_the_cuts_of_a_stream_do_not_matter(text: str, places: list[int]) -> None:
    heard = "".join(spoken_deltas(cut(text, places)))
    silent = text.lstrip().startswith("NO_REPLY") or not text.strip()
    assert heard == ("" if silent else text)


def test_text_is_not_held_back_longer_than_needed() -> None:
    stream = spoken_deltas(iter(["N", "e", "w"]))
    assert next(stream) == "Ne"
