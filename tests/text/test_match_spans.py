"""Where the words of a query stand in a text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.text import index_terms, match_spans, query_terms

MIXED = st.text("aB z-_.@'é\u0301ж中国の한กิ่हि👩🇩½\ud800\0\n", max_size=60)

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Anna's dogs ran.", "dog anna", ["Anna's", "dogs"]),
        ("The ER-605 router", "ER-605", ["ER-605"]),
        ("in src/memdown/text.py", "memdown", ["memdown"]),
        ("see notes/2026-03-01.md", "2026-03-01", ["2026-03-01"]),
        ("Häuser am See", "hauser", ["Häuser"]),
        ("我去东京大学看猫", "东京大学 猫", ["东京大学", "猫"]),
        ("ภาษาไทยง่าย", "ไทย", ["ไทย"]),
        ("서울에서 산다", "서울", ["서울"]),
        ("か\u3099きの本", "がき", ["か\u3099きの本"]),
        ("memorySearch.query", "search", ["Search"]),
        ("nothing here", "absent", []),
    ],
)
def test_spans(text: str, query: str, marked: list[str]) -> None:
    spans = match_spans(text, query_terms(query).words)
    assert [text[start:end] for start, end in spans] == marked


@unhurried
@given(MIXED)
def test_spans_are_in_order_and_apart(text: str) -> None:
    spans = match_spans(text, index_terms(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert bool(spans) == bool(index_terms(text))
