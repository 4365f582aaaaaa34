"""Long lines → parts, cut where a reader would and never inside what is seen as one character."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from memdown.text.scripts import fitting
from memdown.values import pattern

_SENTENCE_END: Final = pattern(r"(?<=[.!?…])[\"'”’)\]]{0,2}\s+|(?<=[。！？])[」』”）]{0,2}")
_PAUSE: Final = pattern(r"\s+|(?<=[，、；：])")
_JOINER: Final = "\u200d"
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
# Not marks by their Unicode category, yet drawn into the character before: joiners, Thai and Lao
# am, half-width voice marks, Hangul vowels and finals, skin tones, the tags of regional flags.
_ATTACHED: Final = pattern(
    "[\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7fb"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_VIRAMA: Final = 9


def cuts(text: str, cap: int) -> Iterator[tuple[int, int]]:
    """The parts of a text, each at most `cap` in weight, as offsets; together they are the text.

    A cut falls behind the last sentence end in the second half of what fits, else behind the last
    space or pause there, else between two characters. Only a character that alone outweighs the cap, such
    as a letter under a thousand accents, is taken apart.
    """
    start = 0
    while start < len(text):
        end = max(start + 1, fitting(text, start, cap))
        if end < len(text):
            end = _best_cut(text, start, end)
        yield start, end
        start = end


def _best_cut(text: str, start: int, end: int) -> int:
    middle = start + (end - start) // 2
    for end_of in (_SENTENCE_END, _PAUSE):
        for match in reversed(list(end_of.finditer(text, middle, end))):
            if start < match.end() and not _splits(text, start, match.end()):
                return match.end()
    return next((at for at in range(end, start, -1) if not _splits(text, start, at)), end)


def _splits(text: str, start: int, at: int) -> bool:
    """Whether a cut at this place would split what is seen as one character."""
    before, after = text[at - 1], text[at]
    if before == _JOINER or unicodedata.category(after)[0] == "M" or _ATTACHED.match(after):
        return True
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after) == "Lo"
    if after in _FLAG_LETTERS:
        flags = text[start:at]
        return (len(flags) - len(flags.rstrip(_FLAG_LETTERS))) % 2 == 1
    return False
