"""What is shown of a hit: few lines, the right ones, and a place that `memdown get` takes."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.cli.hits import best_line, print_answer
from memdown.types import Answer, Hit


def hit(snippet: str, *matched: str, start: int = 1, **more: object) -> Hit:
    end = start + snippet.count("\n")
    return Hit("memory/a.md", "memory", start, end, 0.5, snippet, matched=matched, **more)  # type: ignore[arg-type]


def printed(capsys: pytest.CaptureFixture[str], *hits: Hit, full: bool = False) -> list[str]:
    print_answer(Answer(hits, "bundled", "model"), full=full)
    return capsys.readouterr().out.splitlines()


def test_the_place_is_that_of_the_lines_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = "# Tea\n\nAna drinks tea.\n\nBob drinks coffee.\n\nEve drinks nothing."
    rows = printed(capsys, hit(text, "coffee", start=11, heading="Tea"))
    assert rows == [
        "1. memory/a.md:13-17   0.50   Tea",
        "   13  Ana drinks tea.",
        "   15  Bob drinks coffee.",
        "   17  Eve drinks nothing.",
    ]


def test_the_whole_snippet_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    text = "# Tea\n\nAna drinks tea."
    assert printed(capsys, hit(text, "tea"), full=True) == [
        "1. memory/a.md:1-3   0.50",
        "   # Tea",
        "",
        "   Ana drinks tea.",
    ]


def test_a_single_line_has_a_single_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, hit("Only this.", start=5))[0] == "1. memory/a.md:5   0.50"


def test_the_date_stands_beside_unless_the_name_tells_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    day = datetime.date(2026, 3, 1)
    assert printed(capsys, hit("Text.", date=day))[0].endswith("0.50   2026-03-01")
    log = Hit("memory/2026-03-01.md", "memory", 1, 1, 0.5, "Text.", date=day)
    assert printed(capsys, log)[0] == "1. memory/2026-03-01.md:1   0.50"


def test_lines_of_a_transcript_that_do_not_count_up_have_no_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    talk = Hit("sessions/a.jsonl", "sessions", 4, 90, 0.5, "User: tea?\nAssistant: yes, tea.")
    assert printed(capsys, talk) == [
        "1. sessions/a.jsonl:4-90   0.50",
        "   User: tea?",
        "   Assistant: yes, tea.",
    ]


def test_six_long_hits_are_twenty_lines(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(f"The tea of line {number}" for number in range(30))
    assert len(printed(capsys, *[hit(text, "tea")] * 6)) == 20


def test_a_match_in_the_heading_shows_what_stands_below_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "   3  Black, no sugar." in printed(
        capsys, hit("# Coffee\n\nBlack, no sugar.", "coffee")
    )


def test_the_best_line_is_the_one_with_most_of_the_words() -> None:
    text = "Tea.\nTea and scones at four.\nScones."
    assert best_line(hit(text, "tea", "scone", start=20)) == 21


@given(
    st.lists(st.text(max_size=400), max_size=8).map("\n".join),
    st.lists(st.sampled_from(["tea", "日本", "é"]), unique=True),
)
def test_any_text_can_be_shown(text: str, words: list[str]) -> None:
    """No snippet, however odd, may break the answer."""
    print_answer(Answer((hit(text, *words),), "bundled", "model"))
