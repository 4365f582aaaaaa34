"""Drafted questions: each about one line, found by a search, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memdown import Memory
from memdown.evaluation.drafting import draft_questions
from memdown.evaluation.questions import Evidence

Notes = dict[str, str]
NOTES = {
    "memory/work.md": [
        "# Work",
        "",
        "- The quarterly report is due on the ninth and Tobias checks every table twice.",
        "- Deployment broke because certificate a828e60 had expired overnight.",
        "- At the fair we met Amara Okonkwo, who builds telescopes.",
        "```",
        "secret = compute_everything_at_once(argument)",
        "```",
    ],
    "memory/zh.md": ["牙医预约在星期三下午三点，地址是南京西路一百二十号。"],
}


def test_every_kind_is_drafted_from_its_line() -> None:
    questions = draft_questions(NOTES, 20)
    by_line = {one.evidence: one.text for one in questions}
    assert "a828e60" in [one.text for one in questions]
    assert by_line[Evidence("memory/work.md", 4, 4),]
    assert any("Amara Okonkwo" in one.text for one in questions)
    assert any(one.evidence[0].path == "memory/zh.md" for one in questions)


def test_a_sentence_is_never_asked_whole() -> None:
    """Some words are held out, or it would be no test."""
    lines = {line.lstrip("- ").rstrip(".。") for lines in NOTES.values() for line in lines}
    assert lines.isdisjoint(one.text for one in draft_questions(NOTES, 50))


def test_code_and_headings_are_left_out() -> None:
    questions = draft_questions(NOTES, 50)
    assert all(one.evidence[0].first in (1, 3, 4, 5) for one in questions)


def test_the_seed_decides() -> None:
    assert draft_questions(NOTES, 9, seed=4) == draft_questions(NOTES, 9, seed=4)
    drafts = [tuple(one.text for one in draft_questions(NOTES, 9, seed=n)) for n in range(5)]
    assert len(set(drafts)) > 1


def test_no_more_than_asked_and_every_note_in_turn() -> None:
    notes = {
        f"memory/{n}.md": [f"Topic{n} has the peculiar keyword{n} beside unusual thing{n}."] * 3
        for n in range(4)
    }
    notes |= {
        "memory/long.md": [f"Entry{n} tells marvel{n} and wonder{n} again." for n in range(9)]
    }
    questions = draft_questions(notes, 2)
    assert len(questions) == 2
    assert draft_questions({}, 5) == []


@given(st.dictionaries(st.just("a.md"), st.lists(st.text(max_size=80), max_size=6)))
def test_any_note_can_be_drafted_from(notes: dict[str, list[str]]) -> None:
    for one in draft_questions(notes, 5):
        assert one.text.strip()
        assert 1 <= one.evidence[0].first <= len(notes["a.md"])


def test_drafted_questions_are_found(
    write_notes: Callable[[Notes], Path], open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(write_notes({path: "\n".join(lines) for path, lines in NOTES.items()}))
    for question in draft_questions(NOTES, 20):
        (place,) = question.evidence
        hits = memory.search(question.text).hits
        assert any(hit.path == place.path for hit in hits), question.text
