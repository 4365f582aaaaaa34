"""Word stems: what is left of a word when the endings of grammar are taken off.

English by Snowball; Russian and its relatives, and Arabic, by one pass over the usual endings, which joins as
much as Snowball does, or more. Words are expected in the form of `fold`.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

from Stemmer import Stemmer

from memdown.values import pattern

# The same word stands in many pieces of text: "Word", "word," and "words".
_CACHED: Final = 16_384
# Snowball takes all of "s" away, and the s of "us", "is" and "js".
_LEAST_ENGLISH: Final = 3
# After folding there is no й and no ё.
_CYRILLIC: Final = """
иями ыми ими ого его ому ему ами ями ием иеи иях ешь
ыи ии ои ая яя ое ее ые ие ую юю ою ею ых их ым им ам ям ах ях ом ем ов ев еи ия ию ью ья
ть ла ло ли ет ют ут ит ат ят а я о е у ю ы и ь л
"""
_CYRILLIC_ENDINGS: Final = frozenset(_CYRILLIC.split())
# Endings of verbs, which stand behind a vowel that is not the first one: Тесла and школа are no verbs.
_CYRILLIC_PAST: Final = frozenset("ла ло ли л ть".split())
_CYRILLIC_VOWELS: Final = frozenset("аеиоуыэюя")
_ARABIC_ARTICLE: Final = pattern("^(?:[وفبك]?ال|لل|و)(?=.{3})")
_ARABIC_ENDING: Final = pattern("(?<=..)(?:ها|ان|ات|ون|ين|يه|ية|ه|ة|ي)$")


# What no rule joins: the nouns of verbs in -de, and the past of the usual irregular verbs.
_IRREGULAR: Final = """
collis collid conclus conclud decis decid divis divid eros erod exclus exclud explos explod inclus includ
intrus intrud invas invad persuas persuad
eaten eat began begin begun begin bought bui broke break broken break brought bring built build
came come caught catch chose choos chosen choos drank drink drove drive driven drive fell fall
flew fly forgot forget forgotten forget fought fight gave give given give gone go grew grow
grown grow heard hear held hold kept keep knew know known know learnt learn led lead lent lend made make
meant mean met meet paid pai ran run said sai sang sing sat sit seen see sent send slept
sleep sold sell spent spend spoke speak spoken speak stood stand stole steal stolen steal swam swim taken
take taught teach thought think threw throw thrown throw told tell took take wore wear worn wear won win
woke wake wrote write written write
"""
_IRREGULAR_STEMS: Final = dict(zip(_IRREGULAR.split()[::2], _IRREGULAR.split()[1::2], strict=True))


class _Snowball(threading.local):
    """Porter's algorithm, without a cache of its own; an object of Snowball's serves one thread."""

    def __init__(self) -> None:
        self.english = Stemmer("porter", 0)


_SNOWBALL: Final = _Snowball()


@lru_cache(maxsize=_CACHED)
def stem(word: str) -> str:
    """The stem of a folded word; what is no word of a known script is its own stem."""
    if not word.isalpha():
        return word
    if word.isascii():
        stemmed = porter(word)
        return _IRREGULAR_STEMS.get(stemmed, stemmed)
    if "а" <= word[0] <= "я":
        return _cyrillic(word)
    if "ء" <= word[0] <= "ي":
        return _ARABIC_ENDING.sub("", _ARABIC_ARTICLE.sub("", word))
    return word


def porter(word: str) -> str:
    """The stem of an English word by Porter's algorithm."""
    if len(word) < _LEAST_ENGLISH:
        return word
    stemmed: str = _SNOWBALL.english.stemWord(word)
    return stemmed


def _cyrillic(word: str) -> str:
    if len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    for size in (4, 3, 2, 1):
        rest, ending = word[:-size], word[-size:]
        if len(rest) > 2 and ending in _CYRILLIC_ENDINGS:
            vowels = sum(map(_CYRILLIC_VOWELS.__contains__, rest))
            if ending in _CYRILLIC_PAST and (rest[-1] not in _CYRILLIC_VOWELS or vowels < 2):
                continue
            word = rest
            break
    # утраченный, утрачен
    return word[:-1] if word.endswith("нн") else word
