"""What is shown of talk: the messages that fit, across the borders of chunks, what is left out marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdown import Hit, Memory
from memdown.notes.chunks import chunk_document
from memdown.search.snippets import Taken, is_talk, show_talk
from memdown.types import LEFT_OUT, Document, StoredChunk

SMALL_TALK = (
    "Nora: That sounds nice, tell me more when you can.",
    "Ben: It was a long day and the tram was late again.",
    "Nora: Same here, I only just came home.",
    "Ben: The rain has not stopped since this morning.",
)
SAID = {
    9: "Nora: My sister Ida keeps three beehives on her roof.",
    12: "Nora: The beehives gave eleven jars of honey this summer.",
    38: "Ben: I never saw beehives on a roof in this town.",
    41: "Nora: Ida wants to move the beehives to the garden in spring.",
}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    talk = [SAID.get(n, f"{SMALL_TALK[n % 4][:-1]}, number {n}.") for n in range(1, 61)]
    return ["# Talk", "", *talk]


@pytest.fixture(scope="module")
def hits(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Hit, ...]:
    folder: Path = tmp_path_factory.mktemp("talk")
    (folder / "memory").mkdir()
    (folder / "memory" / "talk.md").write_text("\n".join(lines))
    with Memory.open(folder, state_dir=folder / "state") as memory:
        return memory.search("What about the beehives of Nora's sister?").hits


def test_messages_that_fit_are_shown_and_the_gaps_between_them_marked(
    hits: tuple[Hit, ...], lines: list[str]
) -> None:
    shown = [line for hit in hits for line in hit.snippet.split("\n")]
    # Ben is not asked about.
    assert {line for line in SAID.values() if line.startswith("Nora")} <= set(shown)
    for hit in hits:
        assert len(hit.snippet) <= 700
        inside = iter(lines[hit.start_line - 1 : hit.end_line])
        for line in hit.snippet.split("\n"):
            assert line == LEFT_OUT or line in inside, f"{line!r} stands elsewhere"
        shown = hit.snippet.split("\n")
        assert (lines[hit.start_line - 1], lines[hit.end_line - 1]) == (shown[0], shown[-1])


def test_a_gap_is_marked_once_and_only_where_lines_are_left_out(
    hits: tuple[Hit, ...], lines: list[str]
) -> None:
    for hit in hits:
        inside = lines[hit.start_line - 1 : hit.end_line]
        shown = hit.snippet.split("\n")
        said = [line for line in shown if line != LEFT_OUT]
        assert (LEFT_OUT in shown) == (len(inside) > len(said))
        assert f"{LEFT_OUT}\n{LEFT_OUT}" not in hit.snippet


def test_no_message_is_shown_twice(hits: tuple[Hit, ...]) -> None:
    shown = [line for hit in hits for line in hit.snippet.split("\n") if line != LEFT_OUT]
    assert len(shown) == len(set(shown))


def test_messages_on_both_sides_of_a_chunk_border_are_shown_together(tmp_path: Path) -> None:
    """Wherever a border falls, a question and its answer beside it are one result."""
    (tmp_path / "memory").mkdir()
    talk = [SMALL_TALK[n % 4] for n in range(60)]
    answers = []
    for place in range(24, 40):
        asked = f"Ben: Which colour did the painter choose for house {place}?"
        answers.append(f"{asked}\nNora: A dark green, in the end.")
        lines = [*talk[:place], answers[-1], *talk[place:]]
        (tmp_path / "memory" / f"talk-{place}.md").write_text("\n".join(lines))
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        for place, answer in enumerate(answers, start=24):
            found = memory.search(f"which colour did the painter choose for house {place}").hits
            assert answer in found[0].snippet


def test_what_has_nothing_to_do_with_the_question_is_not_shown(
    hits: tuple[Hit, ...], lines: list[str]
) -> None:
    """Six results hold six answers, not their surroundings."""
    said = [line for line in hits[0].snippet.split("\n") if line in SAID.values()]
    assert len(said) >= len(hits[0].snippet.split("\n")) / 2


def test_a_short_question_is_shown_before_its_answer(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    talk = [SMALL_TALK[n % 4] for n in range(40)]
    talk[20:22] = [
        "Ben: And the third?",
        "Nora: The third beehive stands on the roof of the school.",
    ]
    (tmp_path / "memory" / "talk.md").write_text("\n".join(talk))
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        found = memory.search("where does the beehive stand, on which roof").hits
    assert found[0].snippet.startswith("Ben: And the third?\nNora: The third beehive")


def test_a_long_message_is_shown_without_the_question_before_it(tmp_path: Path) -> None:
    """It says enough by itself, and who reads six results should read six answers."""
    (tmp_path / "memory").mkdir()
    talk = [SMALL_TALK[n % 4] for n in range(40)]
    talk[20:22] = [
        "Ben: And the third?",
        "Nora: The third beehive stands on the roof of the school, where the children can see it from the yard.",
    ]
    (tmp_path / "memory" / "talk.md").write_text("\n".join(talk))
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        found = memory.search("where does the beehive stand, on which roof").hits
    assert found[0].snippet.startswith("Nora: The third beehive")


def test_talk_is_shown_though_nothing_of_it_scores(tmp_path: Path) -> None:
    """Where only a time is asked for, all messages of that day count the same, or nothing."""
    (tmp_path / "memory").mkdir()
    for day in (2, 3):
        talk = "\n".join(f"{SMALL_TALK[n % 4]} {n}" for n in range(9))
        (tmp_path / "memory" / f"2026-03-0{day}.md").write_text(talk)
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        for question in ("2026-03-02", "what happened on 2026-03-03?", "yesterday", "qwxyz"):
            for hit in memory.search(question, max_results=20, min_score=0.0).hits:
                assert hit.snippet


def test_a_message_of_no_worth_is_shown_alone() -> None:
    lines = ["Ben: Well, fine.", "Nora: Hello again.", "Ben: The bus was late."]
    document = Document("a.md", "memory", "\n".join(lines), "d")
    (chunk,) = chunk_document(document, tokens=400, overlap=80, model="m")
    stored = StoredChunk(7, chunk, None)
    shown = show_talk(8, dict.fromkeys((7, 8, 9), stored), {8: 0.0}, 700, Taken(), 0.0)
    assert shown is not None
    assert shown.text == lines[1]


def test_a_bullet_that_begins_with_a_name_is_a_fact_and_no_talk(tmp_path: Path) -> None:
    note = [
        "# Who is who",
        "",
        "- **Nora Brandt** (born 1987): the person I work for. Lead engineer in Hamburg.",
        "- **Teo**: her partner. Nurse, works blocks of night shifts.",
        "- **Ida**: their daughter. Hazelnut allergy, plays the cello.",
        "- Rehearsal: on Thursdays in the parish hall.",
        "",
        "1. Kettle: never the folding one.",
        "2. Shoes: not the white ones, it rains.",
    ]
    (tmp_path / "MEMORY.md").write_text("\n".join(note))
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        assert memory.search("which allergy does Ida have").hits[0].snippet == note[4]
        assert memory.search("when is the rehearsal").hits[0].snippet == note[5]
        assert memory.search("which shoes in the rain").hits[0].snippet == note[8]


def test_a_day_told_by_topic_is_no_talk(tmp_path: Path) -> None:
    """Bullets of topics that come back are facts, and the later one holds; messages in bullets stay talk."""
    log = tmp_path / "memory" / "2026-11-10.md"
    log.parent.mkdir()
    log.write_text(
        "# 2026-11-10\n"
        "- Car: the Skoda is in the garage until Friday\n"
        "- Dentist: appointment on 14 November at 9:30\n"
        "- Wifi: guest password is Tulip-77\n"
        "- Car: garage called, it is ready on Saturday\n"
        "- Dentist: moved to 21 November at 11:00\n"
        "- Plumber: comes on Monday\n"
    )
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        first, second = memory.search("when is the dentist appointment").hits[:2]
    assert first.snippet == "- Dentist: moved to 21 November at 11:00"
    assert second.snippet == "- Dentist: appointment on 14 November at 9:30"
    assert second.was
    said = "\n".join(
        f"- {who}: sentence {number}" for number in range(4) for who in ("Nora", "Ben")
    )
    talk, topics = (
        chunk_document(
            Document("a.md", "memory", text, "digest"), tokens=400, overlap=80, model="m"
        )[0]
        for text in (said, log.read_text())
    )
    assert is_talk(talk)
    assert not is_talk(topics)
