"""Stems of English, Russian and Arabic words."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memdown.text.stemming import porter, stem

ENDINGS = (
    "s es ies sses ed eed ing ational tional enci izer bli alli entli eli ousli ization ation ator "
    "alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al "
    "ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll y"
)

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("conflated", "conflat"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("electrical", "electr"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("is", "is"),
        ("decided", "decid"),
        ("decision", "decid"),
        ("bought", "bui"),
        ("wrote", "write"),
        ("книгами", "книг"),
        ("учились", "учи"),
        ("дом", "дом"),
        ("сделала", "сдела"),
        ("тесла", "тесл"),
        ("теслы", "тесл"),
        ("школа", "школ"),
        ("школу", "школ"),
        ("амазониеи", "амазон"),
        ("амазонии", "амазон"),
        ("утраченная", "утрачен"),
        ("утрачен", "утрачен"),
        ("والكتاب", "كتاب"),
        ("مدرسات", "مدرس"),
        ("schön", "schön"),
        ("er-605", "er-605"),
        ("", ""),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@unhurried
@given(
    st.lists(
        st.builds(
            "{}{}".format,
            st.text("abeiloprstuvwxyz", min_size=2, max_size=6),
            st.sampled_from(ENDINGS.split()),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_english_stems_are_those_of_sqlite(words: list[str]) -> None:
    """SQLite carries an independent implementation of the same algorithm.

    The two differ only where a whole word is a suffix, hence the two letters before it, and of *yy*, the second of
    which is a vowel.
    """
    assume(not any("yy" in word for word in words))
    database = apsw.Connection(":memory:")
    database.execute("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize='porter ascii')")
    database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(notes, instance)")
    database.execute("INSERT INTO notes VALUES (?)", (" ".join(words),))
    rows = database.execute("SELECT term FROM vocabulary ORDER BY offset").fetchall()
    database.close()
    assert [porter(word) for word in words] == [term for (term,) in rows]
