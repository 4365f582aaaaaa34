"""Which spellings a word may stand for, which short and long forms, and which parts of compounds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown import Memory
from memdown.search.spelling import spellings


@pytest.mark.parametrize("slip", ["ruoter", "rotuer", "routter", "roter", "rouser", "routr"])
def test_one_slip_is_one_step_away(slip: str) -> None:
    assert "router" in spellings(slip)


@pytest.mark.parametrize("other", ["outer", "ruoetr", "banana"])
def test_other_words_are_not(other: str) -> None:
    """The first letter is trusted, and so is everything but one slip."""
    assert "router" not in spellings(other)


@given(st.text("abcdefghij", min_size=5, max_size=12))
def test_spellings_are_close_and_never_the_word_itself(word: str) -> None:
    found = spellings(word)
    assert word not in found
    assert len(found) == len(set(found)) < 60 * len(word)
    assert all(abs(len(one) - len(word)) <= 1 and one[0] == word[0] for one in found)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder, state = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("state")
    (folder / "memory").mkdir()
    (folder / "memory/words.md").write_text(
        "# Words\n\n- SLO: service level objective\n- We use continuous integration (CI) since May.\n"
    )
    (folder / "memory/duties.md").write_text(
        "# Duties\n\n- Nora looks after the CI.\n- Ben looks after the garden.\n"
        "- Ida reviews each service level objective in June.\n- Sven reviews the community garden in July.\n"
    )
    with Memory.open(folder, state_dir=state, environ={"HOME": str(state)}) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Who looks after continuous integration?", "- Nora looks after the CI."),
        ("Who reviews the SLO?", "- Ida reviews each service level objective in June."),
        ("Who reviews the slo?", "- Ida reviews each service level objective in June."),
    ],
)
def test_a_defined_short_form_is_found_by_its_long_form(
    memory: Memory, question: str, line: str
) -> None:
    assert memory.search(question).hits[0].snippet.startswith(line)


def test_what_a_short_form_means_is_told_by_its_definition(memory: Memory) -> None:
    assert "SLO: service level objective" in memory.search("What is an SLO?").hits[0].snippet


@pytest.mark.parametrize(
    ("question", "written", "meant"),
    [
        ("Which gradens does Ben like?", "gradens", "gardens"),
        ("reveiws", "reveiws", "reviews"),
        ("Nroa?", "nroa", "nora"),
    ],
)
def test_the_word_is_put_right_and_not_its_stem(
    memory: Memory, question: str, written: str, meant: str
) -> None:
    assert f"no note holds {written!r}: looked for {meant!r}" in memory.search(question).reasons


def test_a_word_that_is_known_is_right_though_no_note_holds_it(memory: Memory) -> None:
    """Of "common" it is one letter to what is left of "community"."""
    assert any("looked for 'garden'" in reason for reason in memory.search("guarden").reasons)
    assert not any("looked for" in reason for reason in memory.search("common").reasons)


def test_half_of_a_long_form_is_not_the_long_form(memory: Memory) -> None:
    assert "the CI" not in memory.search("Who looks after continuous things?").hits[0].snippet


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Wie lautet das Routerpasswort?", "Das Passwort vom Router ist ZX-44."),
        ("Was kostet die Heizungsreparatur?", "Die Reparatur der Heizung kostet 310 Euro."),
        ("Waar staat het autocontract?", "Contract voor de auto: map 7."),
        ("Wo ist das Routerhandbuch?", "Das Passwort vom Router ist ZX-44."),
    ],
)
def test_a_compound_is_found_by_its_parts(tmp_path: Path, question: str, line: str) -> None:
    """A part that no note holds is none: the last question is answered by its beginning alone."""
    (tmp_path / "notes/memory").mkdir(parents=True)
    lines = [
        "Das Passwort vom Router ist ZX-44.",
        "Das Passwort vom Drucker ist QY-12.",
        "Die Reparatur vom Dach kostet 2.000 Euro.",
        "Die Reparatur der Heizung kostet 310 Euro.",
        "Die Heizung läuft seit Oktober.",
        "Contract voor de auto: map 7.",
        "Contract voor de woning: map 9.",
    ]
    for number, one in enumerate(lines):
        (tmp_path / f"notes/memory/{number}.md").write_text(f"{one}\n")
    environ = {"HOME": str(tmp_path)}
    with Memory.open(tmp_path / "notes", state_dir=tmp_path / "state", environ=environ) as memory:
        assert memory.search(question).hits[0].snippet == line


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Ist mein Pass noch gültig?", "Der Reisepass läuft im Mai ab."),
        ("Wo liegt der Schlüssel?", "Der Haustürschlüssel hängt im Flur."),
        ("Waar is de sleutel?", "De fietssleutel ligt op de kast."),
        # What ends alike in English is another word.
        ("Where is the pass?", ""),
    ],
)
def test_a_word_is_found_in_a_compound_that_ends_with_it(
    tmp_path: Path, question: str, line: str
) -> None:
    (tmp_path / "notes/memory").mkdir(parents=True)
    lines = [
        "Der Reisepass läuft im Mai ab.",
        "Der Haustürschlüssel hängt im Flur.",
        "De fietssleutel ligt op de kast.",
        "Der Termin beim Bürgeramt ist am Montag.",
        "Die Versicherung kostet 40 Euro.",
    ]
    for number, one in enumerate(lines):
        (tmp_path / f"notes/memory/{number}.md").write_text(f"{one}\n")
    environ = {"HOME": str(tmp_path)}
    with Memory.open(tmp_path / "notes", state_dir=tmp_path / "state", environ=environ) as memory:
        hits = memory.search(question).hits
    if line:
        assert hits[0].snippet == line
        assert hits[0].text_score > 0
    else:
        assert not any(hit.text_score for hit in hits)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Что такое Интернет2?", "Сеть Internet2 построена с Qwest."),
        ("где мы ведём Нотион", "Заметки команды ведём в Notion."),
        ("Internet2", "Сеть Internet2 построена с Qwest."),
        ("формат A4", "Бумага формата А4 лежит в шкафу."),
    ],
)
def test_names_in_latin_and_in_cyrillic_letters(tmp_path: Path, question: str, line: str) -> None:
    """Notes have *Internet2*, who asks writes *Интернет2*; of А4, nobody sees which letter it is."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/MEMORY.md").write_text(
        "Сеть Internet2 построена с Qwest.\n\nЗаметки команды ведём в Notion.\n\nБумага формата А4 лежит в шкафу.\n"
    )
    with Memory.open(tmp_path / "notes", state_dir=tmp_path / "state") as memory:
        first = memory.search(question).hits[0]
    assert (first.snippet, first.strength) == (line, "strong")
