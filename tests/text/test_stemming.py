"""Stems of English, Russian and Arabic words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memdown.text.stemming import porter, stem

ENDINGS = (
    "s es ies sses ed eed ing ational tional enci izer bli alli entli eli ousli ization ation ator "
    "alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al "
    "ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll y"
)


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


def test_threads_have_stemmers_of_their_own() -> None:
    """An object of Snowball's keeps the word that it works on."""
    words = [
        f"{first}{second}{ending}"
        for first in "bdflmprst"
        for second in "aeiou"
        for ending in ENDINGS.split()
    ]
    alone = [porter(word) for word in words]
    with ThreadPoolExecutor(8) as threads:
        for stems in threads.map(lambda _: [porter(word) for word in words], range(16)):
            assert stems == alone


@pytest.mark.parametrize("word", ["s", "us", "is", "js", "as"])
def test_short_words_keep_their_s(word: str) -> None:
    assert porter(word) == word
