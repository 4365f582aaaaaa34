"""What a question looks up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.text import index_terms, prefix_terms, query_terms, verb_beginnings

ANY_TEXT = st.text(st.characters(), max_size=200) | st.text(
    st.sampled_from("aBz09 -_./@:+#'’\"“”«»「」é\u0301жй中国のカ한은กิ่हि👩🇩½\ud800\0\n"), max_size=80
)

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What did Anna say about the router?", ["anna", "sai", "router"]),
        ("Wann hat die Straße gebrannt?", ["strass", "gebrannt"]),
        ("Où est l'hôtel de Marie ?", ["hotel", "mari"]),
        ("¿Dónde está la llave?", ["llave"]),
        ("Dov'è la chiave?", ["chiav"]),
        ("Onde está o carro?", ["carro"]),
        ("Waar is de sleutel?", ["sleutel"]),
        ("Где лежат ключи от дома?", ["леж", "ключ", "дом"]),
        ("猫在哪里？", ["猫在"]),
        ("猫", ["猫"]),
        ("カメラはどこですか", ["カメ", "メラ", "ラは"]),
        ("집은 어디인가?", ["집은", "집"]),
        ("แมว", ["แมว"]),
        ("ยา", ["ยา"]),
        ("ก", ["ก"]),
        ("C++ or C#?", ["c++", "c#"]),
        ("👍", ["👍"]),
    ],
)
def test_words(question: str, words: list[str]) -> None:
    assert list(query_terms(question).words) == words


@pytest.mark.parametrize(
    "question", ["the who", "to be or not to be", "and/or", "est-ce que", "的"]
)
def test_stop_words_count_when_there_is_nothing_else(question: str) -> None:
    words = query_terms(question).words
    assert words
    assert set(words) <= set(index_terms(question))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what is Dan's door code", ["dan", "door", "code"]),
        ("where is the van of the Dell man", ["van", "dell", "man"]),
        ("war in Europe", ["war", "europ"]),
        ("Wer war Dan?", ["dan"]),
        ("Wer kocht?", ["kocht"]),
        ("door handle", ["door", "handl"]),
        ("How did Caesar die?", ["caesar", "die"]),
        ("Wie ist die Adresse?", ["adress"]),
    ],
)
def test_stop_words_are_those_of_the_language_that_is_asked_in(
    question: str, words: list[str]
) -> None:
    """A stop word of another language is a word like any other: a van, a door, a war."""
    assert list(query_terms(question).words) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Wie heißt meine Katze?", ["katz"]),
        ("Wann haben wir geheiratet?", ["geheiratet"]),
        ("Wo arbeitet unser Vermieter?", ["arbeitet", "vermiet"]),
        ("Comment s'appelle notre chat ?", ["chat"]),
        ("¿Cómo se llama mi hijo?", ["hijo"]),
        ("Come si chiama mio figlio?", ["figlio"]),
        ("Como se chama o meu gato?", ["gato"]),
        ("Hoe heet mijn zoon?", ["zoon"]),
        ("Как зовут моего сына?", ["сын"]),
        # Written as names, they are some.
        ("Quando è il compleanno di Mia?", ["compleanno", "mia"]),
        ("Wanneer is Ben jarig?", ["ben", "jarig"]),
        # In another language they are words like any other.
        ("where is the llama of Mia", ["llama", "mia"]),
        ("who is ben", ["ben"]),
    ],
)
def test_what_people_say_of_themselves_says_little(question: str, words: list[str]) -> None:
    """*My* and *have* and *is called* stand in half of all personal notes."""
    assert list(query_terms(question).words) == words


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("Wie werden Daten gespeichert?", "speic"),
        ("Wann wurde das ausgerollt?", "ausro"),
        ("Wer gründete den Verein?", "gegru"),
        ("Wie is het huis gebouwd?", "bouw"),
    ],
)
def test_other_forms_of_a_verb_begin_otherwise(question: str, verb: str) -> None:
    assert verb in query_terms(question).prefixes


@pytest.mark.parametrize(
    "question", ["Wo sind die Daten?", "how is data gestated?", "où est Gerant"]
)
def test_only_verbs_of_german_and_dutch_have_such_forms(question: str) -> None:
    found = query_terms(question)
    assert set(found.prefixes) <= set(prefix_terms(found.words))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what does the CI do", ["ci"]),
        ("is MIT in the US", ["mit", "us"]),
        ("who works in IT", ["work", "it"]),
        ('what of "it"', ["it"]),
        ("WHAT IS THE CODE", ["code"]),
        ("it", ["it"]),
    ],
)
def test_capitals_quotes_and_standing_alone_make_a_word_count(
    question: str, words: list[str]
) -> None:
    assert list(query_terms(question).words) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("猫用什么颜色的碗？", ["猫用", "颜色", "色的", "的碗"]),
        ("谁的自行车", ["的自", "自行", "行车"]),
        ("鍵はどこにありますか", ["鍵は", "にあ", "あり"]),
        ("รถของใครอยู่ข้างนอก", ["รถข", "ถขอ", "ู่ข", "่ข้", "ข้า", "างน", "งนอ", "นอก"]),
        # Names and words that only look as if they asked.
        ("哪吒", ["哪吒"]),
        ("吗啡", ["吗啡"]),
        ("りんごなどの果物", ["りん", "んご", "ごな", "など", "の果", "果物"]),
        # Nothing else is asked for.
        ("什么", ["什么"]),
        ("法案是什么时候制定？", ["法案", "制定"]),
        ("NASUWT คืออะไร", ["nasuwt"]),
        ("NASUWT 是谁？", ["nasuwt"]),
    ],
)
def test_what_asks_is_cut_out_of_runs(question: str, words: list[str]) -> None:
    found = query_terms(question).words
    assert [word for word in found if word in words] == words
    if len(words) > 1:
        assert not any(asks in "".join(found) for asks in ("什", "谁", "どこ", "ใคร"))


def test_a_phrase_keeps_its_stop_words() -> None:
    assert query_terms('who said "to be or not"').phrases == (("to", "be", "or", "not"),)


def test_a_compound_of_stop_words_is_one() -> None:
    assert query_terms("cats and/or dogs").words == ("cat", "dog")


@pytest.mark.parametrize("question", ["", " ", "???", "!!! ... --- ###", "\0", "\ud800", "\u0301"])
def test_no_words_in_punctuation(question: str) -> None:
    found = query_terms(question)
    assert (found.words, found.prefixes, found.phrases, found.exact) == ((), (), (), frozenset())


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("where is ER-605", {"er-605"}),
        ("commit a828e60 please", {"a828e60"}),
        ("notes of 2026-03-01", {"2026-03-01"}),
        ("mail anna.schmidt@example.com", {"anna.schmidt@example.com"}),
        ("set memorySearch.query.hybrid", {"memorysearch.query.hybrid"}),
        ("read src/memdown/text.py", {"src/memdown/text.py"}),
        ("order 48213907 in v1.2.3", {"48213907", "v1.2.3"}),
        ("our long-term plan for 2026, the 1st of 5 at 10am or 12:30", set()),
        ("the U.S. input/output", set()),
        ("東京2026", set()),
    ],
)
def test_identifiers_are_told_from_prose(question: str, exact: set[str]) -> None:
    assert query_terms(question).exact == exact


def test_the_short_numbers_of_a_date_are_not_looked_up() -> None:
    assert query_terms("2026-03-01").words == ("2026-03-01", "2026", "2026-03")
    assert query_terms("iPhone-15").words == ("iphone-15", "iphon", "phone", "15", "iphone15")


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('say "big red dogs" now', [("big", "red", "dog")]),
        ("„guten Tag“ und «bon jour»", [("guten", "tag"), ("bon", "jour")]),
        ("“curly ones” »umgekehrt hier«", [("curli", "on"), ("umgekehrt", "hier")]),
        ("「東京大学」『猫』", [("東京", "京大", "大学"), ("猫",)]),
        ('"" "!!" " one', []),
    ],
)
def test_phrases_are_what_is_quoted(question: str, phrases: list[tuple[str, ...]]) -> None:
    assert list(query_terms(question).phrases) == phrases


def test_long_questions_are_cut() -> None:
    many = query_terms(" ".join(f"word{n}x" for n in range(100_000)))
    assert len(many.words) == 64
    assert many.words[0] == "word0x"
    assert query_terms(" ".join(["same"] * 1_000)).words == ("same",)
    assert len(query_terms("".join(map(chr, range(0x4E00, 0x5E00)))).words) == 192


@unhurried
@given(ANY_TEXT)
def test_a_text_is_found_by_itself(text: str) -> None:
    """Whatever a query looks up, the index stores for the same text: no rule is on one side only."""
    found, stored = query_terms(text), index_terms(text)
    assert set(found.words) <= set(stored)
    verbs = {one for term in stored for one in verb_beginnings(term)}
    assert set(found.prefixes) <= set(prefix_terms(stored)) | verbs
    assert found.exact <= set(found.words)
    assert all(set(phrase) <= set(stored) for phrase in found.phrases)
    assert len(set(found.words)) == len(found.words)
    assert bool(found.words) == any(stored)


@unhurried
@given(ANY_TEXT)
def test_a_phrase_stands_in_the_terms_of_its_text(text: str) -> None:
    quoted = text.translate(dict.fromkeys(map(ord, '"“”„«»「」『』')))
    for phrase in query_terms(f'"{quoted}"').phrases:
        stored = tuple(index_terms(f"before {quoted} after"))
        starts = range(len(stored) - len(phrase) + 1)
        assert any(stored[at : at + len(phrase)] == phrase for at in starts)


def test_one_word_tells_russian() -> None:
    """No other of the known languages is written so."""
    assert query_terms("Сколько мячей?").words == ("мяч",)
    assert query_terms("Сколько?").words == ("скольк",)
