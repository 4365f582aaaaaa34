"""Word stems: what is left of a word when the endings of grammar are taken off.

English by Porter's algorithm (1980) with its author's later corrections; Russian and its
relatives, and Arabic, by one pass over the usual endings, which finds most of what a full
algorithm would. Words are expected in the form of `fold`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memdown.values import pattern

# The same word stands in many pieces of text: "Word", "word," and "words".
_CACHED = 16_384

_DOUBLE = pattern(r"([^aeiouylsz])\1$")

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_STEP_2_ENDING = pattern(f"(?:{'|'.join(_STEP_2)})$")
_STEP_3_ENDING = pattern(f"(?:{'|'.join(_STEP_3)})$")
_STEP_4 = pattern(
    "(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic|ou)$"
)


# After folding there is no й and no ё.
_CYRILLIC = """
иями ыми ими ого его ому ему ами ями ием иеи иях ешь
ыи ии ои ая яя ое ее ые ие ую юю ою ею ых их ым им ам ям ах ях ом ем ов ев еи ия ию ью ья
ть ла ло ли ет ют ут ит ат ят а я о е у ю ы и ь л
"""
_CYRILLIC_ENDINGS = frozenset(_CYRILLIC.split())
# Endings of verbs, which stand behind a vowel that is not the first one: Тесла and школа are no verbs.
_CYRILLIC_PAST = frozenset("ла ло ли л ть".split())
_CYRILLIC_VOWELS = frozenset("аеиоуыэюя")
_ARABIC_ARTICLE = pattern("^(?:[وفبك]?ال|لل|و)(?=.{3})")
_ARABIC_ENDING = pattern("(?<=..)(?:ها|ان|ات|ون|ين|يه|ية|ه|ة|ي)$")


# What no rule joins: the nouns of verbs in -de, and the past of the usual irregular verbs.
_IRREGULAR = """
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
_IRREGULAR_STEMS = dict(zip(_IRREGULAR.split()[::2], _IRREGULAR.split()[1::2], strict=True))


_LETTER_KINDS = str.maketrans(
    dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "c") | dict.fromkeys("aeiou", "v")
)


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


def porter(word: str) -> str:
    """The stem of an English word as the algorithm has it."""
    if len(word) < 3:
        return word
    word = _without_endings(_without_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2_ENDING, _STEP_2)
    word = _replaced(word, _STEP_3_ENDING, _STEP_3)
    return _without_last_e(_without_suffix(word))


def _shape(word: str) -> str:
    """The word with every vowel as v and every consonant as c."""
    if "y" not in word:
        return word.translate(_LETTER_KINDS)
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant: Porter's m."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether the word ends like "hop": Porter's *o."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _without_endings(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    rest = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if rest == word or "v" not in _shape(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLE.search(rest):
        return rest[:-1]
    if _measure(rest) == 1 and _ends_short(rest):
        return rest + "e"
    return rest


def _replaced(word: str, endings: re.Pattern[str], replacements: dict[str, str]) -> str:
    ending = endings.search(word)
    if not ending or not _measure(word[: ending.start()]):
        return word
    return word[: ending.start()] + replacements[ending[0]]


def _without_suffix(word: str) -> str:
    ending = _STEP_4.search(word)
    if not ending:
        return word
    rest = word[: ending.start()]
    if ending[0] == "ion" and not rest.endswith(("s", "t")):
        return word
    return rest if _measure(rest) > 1 else word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
