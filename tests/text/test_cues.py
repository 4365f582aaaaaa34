"""What passages and questions tell besides their words."""

from __future__ import annotations

import pytest

from memdown.text.cues import (
    ASKS,
    MAY_INTRODUCE,
    asked_kind,
    asks_of_oneself,
    cues_of,
    introduces,
    label_of,
    may_introduce,
    named_speakers,
    own_words,
    piece_cues,
    sounds_like,
    speaker_terms,
)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Nora: hello", "Nora"),
        ("**Fahim Khan:** hello", "Fahim Khan"),
        ("[10:31] Ben: yes", "Ben"),
        ("- User: what now?", "User"),
        ("小明：你好 吗", None),
        ("小明： 你好", "小明"),
        ("https://example.org/a", None),
        ("The time is 10:31 now", None),
        ("No label here", None),
    ],
)
def test_a_label_is_a_name_and_a_colon_at_the_start(line: str, name: str | None) -> None:
    assert label_of(line) == name


def test_each_word_of_a_name_is_a_speaker() -> None:
    assert speaker_terms("Fahim Khan") == ("\x02speaker:fahim", "\x02speaker:khan")
    assert "\x02speaker:nora" in named_speakers("What are Nora's plans?")


def test_a_text_tells_whether_it_asks_and_what_it_holds() -> None:
    assert ASKS in cues_of("What is your favourite film?")
    assert ASKS not in cues_of("It is Alien.")
    assert cues_of("We met on Friday with Anna, three of us.") == (
        "\x02kind:number",
        "\x02kind:time",
        "\x02kind:name",
    )
    assert cues_of("nothing of that") == ()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Πού είναι το κλειδί;", True),
        ("Πού είναι το κλειδί\u037e", True),
        ("**Πού είναι ;**", True),
        ("int x = 1;", False),
        (";", False),
        ("Where to next؟", True),
    ],
)
def test_a_semicolon_asks_in_greek_only(text: str, asked: bool) -> None:
    assert (ASKS in cues_of(text)) is asked


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did we meet?", "time"),
        ("How many chairs are there?", "number"),
        ("Wer hat das gesagt?", "name"),
        ("什么时候出发", "time"),
        ("몇 명이 왔나요", "number"),
        ("Tell me of the garden", None),
    ],
)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: str | None) -> None:
    assert asked_kind(question) == (f"\x02kind:{kind}" if kind else None)


def test_the_first_person_asks_of_oneself() -> None:
    assert asks_of_oneself("What is my blood type?")
    assert asks_of_oneself("Wo ist mein Pass?")
    assert not asks_of_oneself("What does Nora like?")


def test_own_words_are_those_of_the_language_of_a_question() -> None:
    assert {"i", "my", "we"} <= own_words("What did Nora plant in the garden?")
    assert {"ich", "mein"} <= own_words("Was hat Nora in dem Garten gepflanzt?")
    assert not own_words("Nora tulips")


@pytest.mark.parametrize(
    ("line", "name", "is_one"),
    [
        ("Emi: Haha, I'm Kate. And you?", "Kate", True),
        ("Emi: my name is Kate", "Kate", True),
        ("Emi: Ich heiße Käthe!", "Käthe", True),
        ("Эми: Меня зовут Катя", "Катя", True),
        ("Emi: I'm Kate's sister", "Kate", False),
        ("Emi: I am Katerina", "Kate", False),
        ("Emi: I'm open to that", "Open", False),
        ("Emi: Hello Kate", "Kate", False),
    ],
)
def test_an_introduction_says_ones_own_name(line: str, name: str, is_one: bool) -> None:
    assert introduces(line, name) is is_one


@pytest.mark.parametrize(
    ("name", "other", "alike"),
    [
        ("Muhammad", "Mohammed", True),
        ("Faheem", "Fahim", True),
        ("Elisa", "Elise", True),
        ("Anna", "Ina", False),
        ("Nora", "Norbert", False),
    ],
)
def test_names_sound_alike_by_their_consonants(name: str, other: str, alike: bool) -> None:
    assert sounds_like(name, other) is alike


@pytest.mark.parametrize(
    "line",
    [
        "Kate: Hi, I'm Kate",
        "Kate: “I’m Kate”",
        "Kate: im Kate",
        "Kate: well, I am Kate",
        "Ben: MY NAME IS Ben",
        "Ben: My name's Ben",
        "Ben: (call me Ben)",
        "Ida: Ich heiße Ida",
        "Ida: mein Name ist Ida",
        "Eva: ¡Me llamo Eva!",
        "Eva: soy Eva",
        "Luc: Je m'appelle Luc",
        "Rui: Meu nome é Rui",
        "Jan: Mijn naam is Jan",
        "Оля: меня зовут Оля",
        "Оля: Моё имя Оля",
    ],
)
def test_a_word_tells_that_an_introduction_may_begin(line: str) -> None:
    """Only lines with such a word are looked at when notes are indexed."""
    assert may_introduce(line)
    assert any(piece_cues(piece) & MAY_INTRODUCE for piece in line.split())
    assert not piece_cues("Kate") & MAY_INTRODUCE
