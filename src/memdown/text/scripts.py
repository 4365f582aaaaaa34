"""Writing systems: which characters belong to which, how they fold, and what they weigh."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import Final

# The bodies of regular expression character classes.
HAN_KANA: Final = (
    "\u3005-\u3007\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
HANGUL: Final = (
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
)
# Thai, Lao, Burmese and Khmer without their punctuation and digits: written without spaces.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
)
EMOJI: Final = (
    "\u231a-\u23ff\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff"
)
FLAG_LETTERS: Final = "\U0001f1e6-\U0001f1ff"

# Marks that readers leave out: accents, Hebrew points, Arabic vowel signs; and invisible joiners.
_OPTIONAL_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f"
)
# Where the scripts lie whose marks spell the vowels, so that a word without them is another word.
_MARKED_BLOCKS: Final = (range(0x0780, 0x1D00), range(0xA800, 0xAC00), range(0x10A00, 0x12000))

MARKS: Final = _OPTIONAL_MARKS + "".join(
    char
    for char in map(chr, chain.from_iterable(_MARKED_BLOCKS))
    if unicodedata.category(char)[0] == "M"
)

_STRIP: Final = re.compile(f"[{_OPTIONAL_MARKS}]+")
_WIDE: Final = re.compile(f"[{HAN_KANA}{HANGUL}{EMOJI}{FLAG_LETTERS}\u3000-\u303f\uff01-\uff65]+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")
_DENSE: Final = re.compile("[\u0370-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u139f]+")

# Letters that Unicode does not take apart, and the native digits of common scripts.
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
    text = _STRIP.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text).translate(_FOLDED)


def weight(text: str) -> int:
    """The text's size in quarters of an estimated token: a Latin letter weighs one.

    A Chinese, Japanese or Korean character or an emoji weighs four, a Thai one two, a letter of
    the other scripts 1.6. The weight is never below the number of characters.
    """
    size = len(text)
    if text.isascii():
        return size
    size += 3 * _count(_WIDE, text) + _count(_UNSPACED, text)
    return size + 3 * _count(_DENSE, text) // 5


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of the text."""
    return -(-weight(text) // 4)


def _count(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))
