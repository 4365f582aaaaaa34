"""Drafted questions: each about one line, found by a search, the same for the same seed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
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
    questions = {one.text: one.evidence[0] for one in draft_questions(NOTES, 20)}
    assert questions["what is a828e60?"] == Evidence("memory/work.md", 4, 4)
    assert questions["who or what is Amara Okonkwo?"] == Evidence("memory/work.md", 5, 5)
    assert questions["when is the quarterly report?"] == Evidence("memory/work.md", 3, 3)
    assert any(place.path == "memory/zh.md" for place in questions.values())


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The router is a TP-Link ER605 since March.", "what is the router?"),
        ("My boss is Henrik Larsen from Aarhus.", "who is my boss?"),
        ("The spare key is under the green pot.", "where is the spare key?"),
        ("The dentist appointment is on 14 May at 9:30.", "when is the dentist appointment?"),
        ("The cat is called Momo and eats chicken.", "what is the name of the cat?"),
        ("**Ida** (born 2018): their daughter, plays cello.", "who or what is Ida?"),
        ("Der Klempner heißt Wagner und kommt sofort.", "wie ist der Name von der Klempner?"),
        ("La lavadora está detrás de la puerta verde.", "¿dónde se encuentra la lavadora?"),
        ("会议室在二楼走廊的尽头右边。", "会议室的位置或时间？"),
        ("2026-10-06: The harbour uses plain PostgreSQL partitions.", "what about the harbour?"),
    ],
)
def test_a_fact_becomes_a_question_without_its_answer(fact: str, question: str) -> None:
    assert question in [one.text for one in draft_questions({"memory/a.md": [fact]}, 9)]


def test_what_fits_no_pattern_is_asked_by_two_of_its_words() -> None:
    (one,) = draft_questions({"memory/a.md": ["Yesterday everybody painted several windows."]}, 9)
    assert one.text == "what do the notes say about painted and Yesterday?"


def test_the_words_of_a_note_are_never_repeated_in_a_row() -> None:
    """A question that quotes its note tests nothing; the example has notes in nine languages."""
    folder = Path(__file__).parents[2] / "examples" / "workspace"
    notes = {
        str(file.relative_to(folder)): file.read_text(encoding="utf-8").split("\n")
        for file in folder.rglob("*.md")
    }
    questions = draft_questions(notes, 400)
    assert len(questions) == 400
    for one in questions:
        (place,) = one.evidence
        said = re.findall(r"\w+", notes[place.path][place.first - 1].lower())
        asked = re.findall(r"\w+", one.text.lower())
        for n in range(len(asked) - 3):
            row = asked[n : n + 4]
            # A name or an identifier of several parts cannot be asked for in other words.
            if any(part.isdigit() for part in row) or one.text.startswith(("who or", "what is ")):
                continue
            assert not any(said[m : m + 4] == row for m in range(len(said))), one.text


def test_code_headings_front_matter_and_tables_are_left_out() -> None:
    notes = {
        "memory/a.md": [
            "---",
            "title: The marvellous harbour report",
            "---",
            "# The heading is a heading about nothing",
            "| The table is wide | of oak |",
            "    the_code_is = indented_somewhere",
            "```",
            "The fence is closed around code.",
            "```",
            "2026-03-04",
            "17:45",
            "1,240 4711",
            "short fragment",
            "see `memory/projects/harbour.md`",
        ]
    }
    assert draft_questions(notes, 50) == []
    assert all(one.evidence[0].first in (1, 3, 4, 5) for one in draft_questions(NOTES, 50))


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
        # Whether the best is good enough is another matter, with so few notes.
        hits = memory.search(question.text, min_score=0.0).hits
        assert any(hit.path == place.path for hit in hits), question.text
