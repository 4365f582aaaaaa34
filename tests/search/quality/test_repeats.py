"""The same thing written down twice is shown once, or later; MMR goes further on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Hit, Memory
from memdown.search.diversity import diversified, without_repeats

Notes = dict[str, str]
FACT = (
    "The spare key of the allotment hangs behind the blue flower pot, next to the water barrel.\n"
)


def hit(path: str, snippet: str, score: float) -> Hit:
    return Hit(path, "memory", 1, 1, score, snippet, relevance=score)


def test_the_very_same_text_is_shown_once(
    write_notes: Callable[[Notes], Path], open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(
        write_notes({"memory/a.md": FACT, "memory/b.md": FACT, "memory/c.md": "Other pots.\n"})
    )
    found = [one for one in memory.search("spare key allotment").hits if "spare" in one.snippet]
    assert len(found) == 1


def test_overlapping_chunks_show_no_line_twice(
    write_notes: Callable[[Notes], Path], open_memory: Callable[..., Memory]
) -> None:
    lines = [f"Line {n}: the allotment gate opens with code {1000 + n}.\n" for n in range(120)]
    memory = open_memory(write_notes({"memory/long.md": "".join(lines)}))
    hits = memory.search("allotment gate code", max_results=20).hits
    assert len(hits) > 3
    shown = [line for one in hits for line in one.snippet.split("\n")]
    assert len(shown) == len(set(shown))


def test_what_nearly_repeats_a_better_hit_steps_back() -> None:
    hits = [
        hit("a", FACT, 0.9),
        hit("b", FACT.replace("blue", "big blue"), 0.85),
        hit("c", "The allotment has four beds and one apple tree.", 0.75),
    ]
    assert [one.path for one in without_repeats(hits)] == ["a", "c", "b"]


def test_short_texts_are_not_taken_for_repeats() -> None:
    hits = [hit("a", "call Ana", 0.9), hit("b", "call Ana!", 0.8)]
    assert [one.score for one in without_repeats(hits)] == [0.9, 0.8]


def test_mmr_prefers_what_differs() -> None:
    hits = [
        hit("a", FACT, 0.9),
        hit("b", FACT.replace("blue", "red"), 0.89),
        hit("c", "The allotment has four beds and one apple tree.", 0.7),
    ]
    assert [one.path for one in diversified(hits, 0.5)] == ["a", "c", "b"]
    assert [one.path for one in diversified(hits, 1.0)] == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["四张床和一棵苹果树在花园里", "กุญแจสำรองแขวนอยู่หลังกระถางดอกไม้"])
def test_mmr_tells_texts_without_spaces_apart(text: str) -> None:
    hits = [hit("a", text, 0.9), hit("b", text[:-1], 0.89), hit("c", "other", 0.6)]
    assert [one.path for one in diversified(hits, 0.5)][1] == "c"
