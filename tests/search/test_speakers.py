"""Who is meant by a name: speakers are found by the names they introduce themselves with, and by other spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdown import Memory
from memdown.types import Answer

SAID = (
    "ek93: Hi! Totally forgot to introduce myself, I'm Kate.",
    "Muhhamed: Hello Kate, nice to meet you.",
    "ek93: I started to play the cello last winter, every evening for an hour.",
    "Muhhamed: I play the trumpet in a small band, and I am getting better.",
    "ek93: That sounds like fun, how long is the way to the band?",
    "Muhhamed: Kate, it takes me an hour by tram.",
    "ek93: The tram was late today, so I walked home.",
    "Muhhamed: Then you should play something to warm up, Kate.",
)


def asked(folder: Path, question: str, *more: str) -> Answer:
    (folder / "memory").mkdir()
    (folder / "memory" / "talk.md").write_text("# Talk\n\n" + "\n".join((*SAID, *more)))
    with Memory.open(folder, state_dir=folder / "state") as memory:
        return memory.search(question)


def test_a_speaker_is_found_by_the_name_of_an_introduction(tmp_path: Path) -> None:
    found = asked(tmp_path, "What instrument does Kate play?")
    assert SAID[2] in found.hits[0].snippet


def test_an_introduction_is_found_behind_many_other_mentions(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    before = [f"Muhhamed: Kate, this is message number {number}." for number in range(40)]
    (tmp_path / "memory" / "talk.md").write_text("# Talk\n\n" + "\n".join((*before, *SAID)))
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        found = memory.search("What instrument does Kate play?")
    assert SAID[2] in found.hits[0].snippet


@pytest.mark.parametrize("name", ["Mohammed", "Muhammad", "Mohamed"])
def test_a_speaker_is_found_by_another_spelling_and_the_answer_says_so(
    tmp_path: Path, name: str
) -> None:
    found = asked(tmp_path, f"Which instrument does {name} play?")
    assert SAID[3] in found.hits[0].snippet
    assert f"no note holds {name!r}: looked for 'Muhhamed'" in found.reasons


def test_a_note_about_someone_of_the_same_name_is_still_found(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# People\n\n- Kate's birthday is on 3 May.\n")
    found = asked(tmp_path, "When is the birthday of Kate?")
    assert "3 May" in found.hits[0].snippet


@pytest.mark.parametrize("name", ["Ben", "Nora"])
def test_a_name_that_nobody_goes_by_stays(tmp_path: Path, name: str) -> None:
    found = asked(tmp_path, f"Which instrument does {name} play?", "ek93: Yesterday I met Nora.")
    assert not any("looked for" in reason for reason in found.reasons)
