"""The thesaurus: its file is well formed, and words find the others of their concept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memdown import Memory
from memdown.text import fold, query_terms, synonyms
from memdown.text.synonyms import as_terms, meanings

FILE = Path(synonyms.__file__).with_name("synonyms.txt")
LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"]
CONCEPTS = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]


def others(question: str) -> set[str]:
    return {word for one in meanings(question, query_terms(question).words) for word in one.same}


def translations(question: str) -> set[str]:
    return {word for one in meanings(question, query_terms(question).words) for word in one.others}


def test_each_line_names_a_concept_in_all_languages() -> None:
    for line in CONCEPTS:
        parts = line.split(" | ")
        assert [part[:2] for part in parts] == LANGUAGES, line
        for part in parts:
            words = part[4:].split(", ")
            assert part[2:4] == ": ", part
            assert all(word and word == word.strip() for word in words), part
            assert len(set(words)) == len(words), part


def test_no_word_has_many_meanings() -> None:
    listed = Counter(
        (part[:2], word)
        for line in CONCEPTS
        for part in line.split(" | ")
        for word in part[4:].split(", ")
    )
    assert [word for word, count in listed.items() if count > 2] == []


def test_the_file_is_folded_like_any_text() -> None:
    known = synonyms._thesaurus()
    assert list(known.lines) == [fold(line) for line in CONCEPTS]
    assert known.latin.isascii()


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("what is my salary", "paycheck"),
        ("how many kids does she have", "child"),
        ("the two fridges", "refrigerator"),
        ("Wo steht der Kühlschrank?", "eiskasten"),
        ("Wie viele Wohnungen hat sie?", "apartment"),
        ("¿cual es el telefono de Marta?", "llamada"),
        ("谁是医生", "大夫"),
        ("какие зарплаты", "оклад"),
    ],
)
def test_a_word_or_a_form_of_it_finds_the_others(question: str, word: str) -> None:
    assert word in others(question)


def test_a_concept_is_known_in_other_languages() -> None:
    assert {"geburtstag", "cumpleanos", "生日"} <= translations("when is his birthday")


@pytest.mark.parametrize("question", ["xqzt", "", "the of and", "salmon", "carpenter"])
def test_what_is_not_listed_has_no_others(question: str) -> None:
    assert meanings(question, query_terms(question).words) == ()


def test_a_known_term_is_left_out_and_a_phrase_has_several() -> None:
    assert as_terms(("wages", "wage", "cell phone"), "wage") == (("cell", "phone"),)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "MEMORY.md").write_text(
        "- The paycheck is 3,900 euros and comes on the 28th.\n"
        "- Ida's cell phone is in the blue drawer.\n"
        "- Der Geburtstag von Teo ist am 3. März.\n"
        "- The refrigerator was bought in 2021.\n"
        "- The fridge in the office is cleaned on Fridays.\n"
        "- The choir sings on Tuesdays.\n"
    )
    return Memory.open(tmp_path, state_dir=tmp_path / "state")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much is my salary", "paycheck"),
        ("where is Ida's mobile", "cell phone"),
        ("when is Teo's birthday", "Geburtstag"),
        ("which fridge is cleaned", "The fridge"),
    ],
)
def test_a_search_finds_what_is_called_otherwise(
    memory: Memory, question: str, answer: str
) -> None:
    with memory:
        first = memory.search(question).hits[0]
    assert answer in first.snippet


def test_words_are_found_alike_whether_the_file_is_looked_through_or_taken_apart() -> None:
    words = {
        fold(word)
        for line in CONCEPTS
        for part in line.split(" | ")
        for word in part[4:].split(", ")
    }
    for start in {word[:length] for word in words for length in (3, 4, len(word))}:
        if len(start) >= 3 and " " not in start:
            looked_for = list(synonyms._looked_for(start))
            apart = synonyms._by_start(start.isascii()).get(start[:3], ())
            assert [one for one in apart if one.word.startswith(start)] == looked_for, start
