"""Coverage: the share of a query's words that a text holds, in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.search.coverage import Coverage
from memdown.text import query_terms


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("router firmware", "The routers have new firmware.", 1.0),
        ("router firmware", "The routers are new.", 0.5),
        ("Wo ist der Schlüsselbund?", "Das Schlüsselbrett hängt im Flur.", 0.5),
        ("牙医预约", "牙医的预约在星期三", 2 / 3),
        ("นัดหมอฟัน", "นัดหมอฟันวันพุธ", 1.0),
        ("router", "", 0.0),
    ],
)
def test_the_share_of_the_words(query: str, text: str, share: float) -> None:
    assert Coverage(query_terms(query)).share(text) == pytest.approx(share)


@given(st.text(max_size=60), st.text(max_size=200))
def test_any_texts_give_a_share(query: str, text: str) -> None:
    assert 0.0 <= Coverage(query_terms(query)).share(text) <= 1.0


@given(st.lists(st.sampled_from(["router", "Mira", "ER605", "garden", "Straße"]), min_size=1))
def test_a_text_covers_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert Coverage(query_terms(text)).share(text) == 1.0
