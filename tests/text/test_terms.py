"""Which terms a text is stored under, script by script."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.text import TOKENCHARS, index_terms, prefix_terms
from memdown.text.terms import ordered_terms, tokens

ANY_TEXT = st.text(st.characters(), max_size=80)
MIXED = st.text(
    st.sampled_from(
        "aBz09 -_./@:+#'’é\u0301ßжй中国のカ한국กิ่หिन्द\u200d👩💻🇩🇪\u00ad½ﷺ\ud800\0\n\u2028"
    ),
    max_size=60,
)

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Panthers were running", ["the", "panther", "were", "run"]),
        ("Anna's don't we'll l'eau", ["anna", "don", "we", "eau"]),
        ("It’s the boys’ room", ["it", "the", "boi", "room"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("Café cafe\u0301 CAFE", ["cafe", "cafe", "cafe"]),
        ("ＦＵＬＬ　ｗｉｄｔｈ　１２", ["full", "width", "12"]),
        ("Łódź Ørsted İstanbul ışık", ["lodz", "orst", "istanbul", "isik"]),
        ("лучшие книги, лучшая книга", ["лучш", "книг", "лучш", "книг"]),
        ("Ещё еще", ["еще", "еще"]),
        ("Ελληνικά ΣΊΣΥΦΟΣ", ["ελληνικα", "σισυφοσ"]),
        ("हिन्दी में लिखा।", ["हिन्दी", "में", "लिखा"]),
        ("العَرَبِيَّة الكتاب كتاب", ["عرب", "كتاب", "كتاب"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("می‌خواهم", ["میخواهم"]),
        ("co\u00adop soft\u00adhyphen", ["coop", "softhyphen"]),
        ("٢٠٢٦ २०२६", ["2026", "2026"]),
        ("6½ cups", ["6", "cup"]),
        ("👍🏽 ok 👩‍💻 🇩🇪 ✅", ["👍", "ok", "👩", "💻", "🇩🇪", "✅"]),
        ("... !!! — ### ***", []),
    ],
)
def test_words(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a828e60", ["a828e60"]),
        ("ER-605", ["er-605", "er", "605", "er605"]),
        ("ER605", ["er605", "er", "605"]),
        ("2026-03-01", ["2026-03-01", "2026", "03", "01", "2026-03"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3", "1.2.3"]),
        (
            "memorySearch.query.hybrid",
            ["memorysearch.query.hybrid", "memorysearch", "memori", "search", "queri", "hybrid"],
        ),
        (
            "anna.schmidt@example.com",
            [
                "anna.schmidt@example.com",
                "anna.schmidt",
                "anna",
                "schmidt",
                "example.com",
                "exampl",
                "com",
            ],
        ),
        (
            "https://example.com/a_b",
            ["http", "example.com/a_b", "example.com", "exampl", "com", "a_b", "a", "b"],
        ),
        ("snake_case, __init__", ["snake_case", "snake", "case", "init"]),
        ("XMLHttpRequest PDFs", ["xmlhttprequest", "xml", "http", "request", "pdf"]),
        ("GitHub", ["github", "git", "hub"]),
        ("Wi-Fi", ["wi-fi", "wi", "fi", "wifi"]),
        ("std::vector C++ C#", ["std::vector", "std", "vector", "c++", "c#"]),
        ("well\u2011known", ["well-known", "well", "know"]),
        ("done. Next", ["done", "next"]),
    ],
)
def test_identifiers_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    "text",
    ["memory/2026-03-01-router.md", "log_2026-03-01.txt", "2026-03-01T12:30:00Z", "(2026-03-01)"],
)
def test_a_date_is_found_wherever_it_stands(text: str) -> None:
    assert {"2026-03-01", "2026-03", "2026"} <= set(index_terms(text))


def test_runs_without_spaces_give_pairs_and_then_single_characters() -> None:
    assert index_terms("東京大学。猫") == ["東京", "京大", "大学", "猫", *sorted("東京大学猫")]
    assert index_terms("서울에서") == ["서울", "울에", "에서", *sorted("서울에")]


def test_thai_gives_triples_and_then_shorter_pieces() -> None:
    terms = index_terms("แมวดำ")
    assert terms[:3] == ["แมว", "มวด", "วดำ"]
    assert {"แ", "ม", "ดำ", "มว"} <= set(terms[3:])


def test_scripts_side_by_side_are_taken_apart() -> None:
    assert ordered_terms("Python的iPhone15は2026年") == (
        ["python", "的", "iphone15", "i", "phone15", "phone", "15", "は", "2026", "年"]
    )


def test_composed_and_decomposed_forms_are_one() -> None:
    assert index_terms("\u1112\u1161\u11ab\u1100\u116e\u11a8") == index_terms("한국")
    assert index_terms("か\u3099き") == index_terms("がき")
    assert index_terms("ｶﾞｷ") == index_terms("ガキ")
    assert index_terms("น\u0e4d\u0e32ตก") == index_terms("นำตก")


@pytest.mark.parametrize(
    ("terms", "prefixes"),
    [
        (["katze", "katzen", "hund"], ["katze"]),
        (["er-605", "abc1234", "memory.query"], []),
        (["हिन्दी"], ["हिन्द"]),
        (["東京", "서울에서는", "👍"], []),
    ],
)
def test_prefixes_stand_for_words_only(terms: list[str], prefixes: list[str]) -> None:
    assert prefix_terms(terms) == prefixes


@unhurried
@given(MIXED | ANY_TEXT)
def test_every_text_gives_terms_that_fts5_reads_back_unchanged(text: str) -> None:
    """The store joins terms by spaces and lets FTS5's ascii tokenizer take them apart again."""
    terms = index_terms(text)
    joined = " ".join(terms)
    joined.encode()
    database = apsw.Connection(":memory:")
    database.execute(
        f"CREATE VIRTUAL TABLE notes USING fts5(text, tokenize=\"ascii tokenchars '{TOKENCHARS}'\")"
    )
    database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(notes, instance)")
    database.execute("INSERT INTO notes VALUES (?)", (joined,))
    rows = database.execute("SELECT term FROM vocabulary ORDER BY offset").fetchall()
    database.close()
    assert [term for (term,) in rows] == terms
    assert all(0 < len(term) <= 64 for term in terms)


@unhurried
@given(MIXED | ANY_TEXT)
def test_tokens_are_where_they_say(text: str) -> None:
    end = 0
    for start, token in tokens(text):
        assert start >= end
        assert text[start : start + len(token)] == token
        end = start + len(token)


@unhurried
@given(MIXED, MIXED)
def test_terms_of_lines_are_the_terms_of_each(first: str, second: str) -> None:
    assert ordered_terms(f"{first}\n{second}") == ordered_terms(first) + ordered_terms(second)


@unhurried
@given(st.text("中国大学の猫カ한국서울", min_size=1, max_size=12), st.data())
def test_every_part_of_a_run_is_findable(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    assert set(ordered_terms(run[start:end])) <= set(index_terms(run))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        "aB" * 100_000,
        "e" + "\u0301" * 100_000,
        "a-" * 50_000,
        "2026-03-01-" * 10_000,
        "\ud800\0" * 100_000,
        "中" * 100_000,
        "ก" * 100_000,
        "🇩" * 50_000,
    ],
)
def test_pathological_texts_give_short_terms(text: str) -> None:
    terms = index_terms(text)
    assert all(len(term) <= 64 for term in terms)
    assert len(terms) <= len(text)


def test_a_word_longer_than_a_term_is_still_found_whole() -> None:
    long = "https-" + "x" * 100
    assert index_terms(long)[0] == index_terms(f"see {long}.")[1]
    assert index_terms(long)[0] != index_terms(long + "y")[0]
