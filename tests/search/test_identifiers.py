"""Identifiers are looked for whole: a note that only shares a number with one is no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown import Memory

NOTES = {
    "memory/pumps.md": "# Pumps\n\n- The PB-1400 leaks.\n- We paid 1500 euros for it.\n",
    "memory/errors.md": "# Errors\n\n- EV_403 means that the token is too old.\n- Line 403 is odd.\n",
    "memory/net.md": "# Net\n\n- The printer is 10.4.7.31.\n- Seats 10, 4, 7 and 31 are free.\n",
    "memory/spelled.md": "# Spelled\n\n- The router is an ER 605.\n- The camera is a GX80.\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder, state = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("state")
    (folder / "memory").mkdir()
    for path, text in NOTES.items():
        (folder / path).write_text(text)
    with Memory.open(folder, state_dir=state, environ={"HOME": str(state)}) as opened:
        yield opened


@pytest.mark.parametrize("query", ["PB-1500", "pb-1500", "EV_404", "10.4.7.32", "ZX81", "a1b2c3d"])
def test_what_no_note_holds_finds_nothing_and_says_so(memory: Memory, query: str) -> None:
    answer = memory.search(query)
    assert answer.hits == ()
    assert f"no note holds {query!r}" in answer.reasons


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("PB-1400", "- The PB-1400 leaks."),
        ("EV_403", "- EV_403 means that the token is too old."),
        ("10.4.7.31", "- The printer is 10.4.7.31."),
        ("ER-605", "- The router is an ER 605."),
        ("ER605", "- The router is an ER 605."),
        ("GX-80", "- The camera is a GX80."),
    ],
)
def test_what_a_note_holds_brings_that_line_only(memory: Memory, query: str, line: str) -> None:
    """Also where it is spelled with another joint, or with none."""
    answer = memory.search(query)
    assert [hit.snippet for hit in answer.hits] == [line]
    assert answer.strength == "strong"


def test_the_other_words_of_a_question_are_still_looked_for(memory: Memory) -> None:
    answer = memory.search("does the PB-1500 leak?")
    assert answer.hits[0].snippet == "- The PB-1400 leaks."
    assert "no note holds 'PB-1500'" in answer.reasons


def test_a_word_before_a_number_is_a_word(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(write_notes({"memory/a.md": "We use Python for the importer.\n"}))
    answer = memory.search("Python3")
    assert [hit.matched for hit in answer.hits] == [("python",)]
    assert "no note holds 'Python3'" in answer.reasons
