"""Writing systems: which characters belong to which, how they fold, and what they weigh."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from memdown.values import pattern

# The bodies of regular expression character classes. Patterns of the large ones are compiled on
# first use: that takes milliseconds which a command on Latin notes need not spend.
HAN_KANA: Final = (
    "\u3005-\u3007\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
# Thai, Lao, Burmese and Khmer without their punctuation and digits.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\uaa60-\uaa7f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd"
)
FIRST_UNSPACED: Final = "\u0e01"
EMOJI: Final = (
    "\u231a-\u23ff\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff"
)
FLAG_LETTERS: Final = "\U0001f1e6-\U0001f1ff"

# Marks that writers leave out: accents, Hebrew points, Arabic vowel signs; and invisible joiners.
_OPTIONAL_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f"
)
# Everything else that goes on inside a word although Python's \w does not match it. Most of it
# spells vowels. The Indic blocks are taken whole, but for their full stops.
MARKS: Final = (
    f"{_OPTIONAL_MARKS}\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b"
    "\u0898-\u0963\u0966-\u096f\u0971-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc"
    "\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86-\u0fbc\u0fc6"
    "\u102b-\u103e\u1056-\u1074\u1082-\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u1773"
    "\u17b4-\u17d3\u17dd\u180b-\u180f\u1885\u1886\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f"
    "\u1b00-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cf9\u2de0-\u2dff\u302a-\u302f"
    "\u3099\u309a\ua66f-\ua67d\ua802-\ua827\ua880-\ua8c5\ua8e0-\ua8f1\ua926-\ua92d\ua947-\ua953"
    "\ua980-\ua9c0\ua9e5\uaa29-\uaa4d\uaa7b-\uaa7d\uaab0-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6"
    "\uabe3-\uabea\uabec\uabed\U00010a01-\U00011fff\U0001e000-\U0001e94a"
)

# What weighs more than Latin letters, and how many fifths of one: wide, unspaced and dense scripts.
_WIDE: Final = f"{HAN_KANA}{HANGUL}{EMOJI}{FLAG_LETTERS}\u3000-\u303f\uff01-\uff65"
_DENSE: Final = "\u0370-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u139f"
_FIFTHS: Final = (5, 20, 10, 8)
_NOT_LATIN: Final = pattern("[^\x00-\u036f\u2000-\u22ff]")

# Letters that Unicode does not take apart, and the digits of common scripts.
_FOLDED: Final = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h"}
    | {
        chr(zero + digit): str(digit)
        for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50)
        for digit in range(10)
    }
)


def fold(text: str) -> str:
    """The text in the form that terms are compared in: no case, no accents, no wide forms."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text).casefold()
    text = _optional_marks().sub("", unicodedata.normalize("NFKD", text))
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    # To look for such a letter takes a tenth of the time that translating takes.
    return text.translate(_FOLDED) if _has_folded().search(text) else text


# Of Russian and its neighbours, as names and brands are mostly written in Latin letters.
_CYRILLIC: Final = pattern("[\u0400-\u04ff]")
_AS_LATIN: Final = str.maketrans(
    dict(zip("абвгдежзийклмнопрстуфхцыэіїєґ", "abvgdejziyklmnoprstufhcyeiieg", strict=True))
    | {"ж": "zh", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "ъ": "", "ь": ""}
)


def in_latin(word: str) -> str:
    """A folded word of Cyrillic letters in Latin ones: *internet2* for *интернет2*; empty if it has none."""
    return word.translate(_AS_LATIN) if _CYRILLIC.search(word) else ""


def weight(text: str) -> int:
    """The text's size in quarters of an estimated token: a Latin letter weighs one.

    A Chinese, Japanese or Korean character or an emoji weighs four, a Thai one two, a letter of
    the other scripts 1.6. The weight is never below the number of characters.
    """
    if text.isascii() or not _NOT_LATIN.search(text):
        return len(text)
    wide, unspaced, dense = (sum(map(len, runs.findall(text))) for runs in _heavy())
    return len(text) + 3 * wide + unspaced - (-3 * dense // 5)


def fitting(text: str, start: int, cap: int) -> int:
    """Where the longest part of a text ends that starts there and weighs no more than the cap."""
    room, end = cap * 5, start
    if not text.isascii():
        for run in _heavy_run().finditer(text, start, start + cap):
            room -= 5 * (run.start() - end)
            each = _FIFTHS[run.lastindex or 0]
            if room < each * len(run[0]):
                return run.start() + room // each if room > 0 else run.start() + room // 5
            room -= each * len(run[0])
            end = run.end()
    return min(end + room // 5, len(text))


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of the text."""
    return -(-weight(text) // 4)


@cache
def runs() -> re.Pattern[str]:
    """Runs of characters in the scripts that are searched by pieces instead of words."""
    return pattern(f"[{HAN_KANA}]+|[{HANGUL}]+|[{UNSPACED}]+")


@cache
def _optional_marks() -> re.Pattern[str]:
    return pattern(f"[{_OPTIONAL_MARKS}]+")


@cache
def _has_folded() -> re.Pattern[str]:
    return pattern(f"[{''.join(map(chr, _FOLDED))}]")


@cache
def _heavy() -> tuple[re.Pattern[str], ...]:
    return pattern(f"[{_WIDE}]+"), pattern(f"[{UNSPACED}]+"), pattern(f"[{_DENSE}]+")


@cache
def _heavy_run() -> re.Pattern[str]:
    return pattern(f"([{_WIDE}]+)|([{UNSPACED}]+)|([{_DENSE}]+)")
