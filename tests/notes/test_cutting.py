"""Cutting long lines."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.notes.chunks import cuts
from memdown.text import weight

CLUSTERS = [
    "a",
    "b",
    ".",
    "é",
    "é",
    "é̂̃",
    "ж",
    "中",
    "。",
    "の",
    "が",
    "한",
    "한",
    "กิ่",
    "น้ำ",
    "क्षि",
    "👍🏽",
    "👩\u200d💻",
    "❤️",
    "🇩🇪",
]

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


def parts(text: str, cap: int) -> list[str]:
    return [text[start:end] for start, end in cuts(text, cap)]


@unhurried
@given(st.lists(st.sampled_from([*CLUSTERS, " "]), max_size=120), st.integers(32, 80))
def test_parts_fit_and_make_up_the_text_and_split_no_character(
    clusters: list[str], cap: int
) -> None:
    text = "".join(clusters)
    ends, borders = 0, {0}
    for cluster in clusters:
        ends += len(cluster)
        borders.add(ends)
    found = list(cuts(text, cap))
    assert "".join(text[start:end] for start, end in found) == text
    assert all(weight(text[start:end]) <= cap for start, end in found)
    assert {start for start, _ in found} <= borders


@unhurried
@given(st.text(st.characters(), max_size=200))
def test_any_text_can_be_cut(text: str) -> None:
    found = parts(text, 32)
    assert "".join(found) == text
    assert all(weight(part) <= 32 for part in found)


def test_a_cut_falls_behind_a_sentence_before_a_space_before_anything() -> None:
    assert parts("One two three four. Five six seven eight", 32) == (
        ["One two three four. ", "Five six seven eight"]
    )
    assert parts("one two three four five six seven", 32) == (
        ["one two three four five six ", "seven"]
    )
    assert parts("x" * 40, 32) == ["x" * 32, "x" * 8]
    assert parts("一二三四五。六七八九", 32) == ["一二三四五。", "六七八九"]
    assert parts("一二三四五，六七八九", 32) == ["一二三四五，", "六七八九"]


@pytest.mark.parametrize("mark", ["\u0301", "\u200d", "\U0001f3fd"])
def test_only_a_character_longer_than_the_cap_is_taken_apart(mark: str) -> None:
    found = parts("ab" + mark * 500 + "c", 32)
    assert all(weight(part) <= 32 for part in found)
    assert found[0] == "a"


def test_flags_keep_both_letters() -> None:
    assert all(len(part) % 2 == 0 for part in parts("🇩🇪🇫🇷🇯🇵" * 20, 36))


def test_no_part_starts_with_a_mark_in_running_thai() -> None:
    text = "ที่นี่มีน้ำดื่มเย็นๆให้นักท่องเที่ยวทุกคน" * 20
    assert not any(unicodedata.category(part[0]) == "Mn" for part in parts(text, 40))
