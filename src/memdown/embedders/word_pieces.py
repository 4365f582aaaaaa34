"""The bundled embedder's word pieces: a text as units whose pieces never reach into each other.

The tokenizer of the `wordllama` package merges characters to pieces in a fixed order (byte-pair
encoding), but never across words, nor with characters of most scripts. So the pieces of a text are
those of its words, and of its Chinese or Thai characters, and each of them has to be cut only once.
Few are cut here, since loading the `tokenizers` package takes longer than a search; many by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SPACE = "▁"
_SIGNS = {"<unk>": 0, "<s>": 1, "</s>": 2}
_SIGN = re.compile("(<unk>|</?s>)")
# Marks in front of units that are no words; no word has white space in it.
_INNER, _IS_SIGN = "\n", "\t"
# Characters that are merged with no others: Thai to Tibetan, Burmese, Khmer, Chinese, Japanese,
# Korean, full-width forms, and all that lies beyond 16 bits.
LONERS = (
    "\u0e01-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uffef"
    "\U00010000-\U0010ffff"
)
# In the file of this size, what gives the piece with the lowest number is merged first.
_KNOWN_SIZE = 1_842_796
# One long word takes too long here.
_LONG_WORD = 1_000
_NO_PIECE = 1 << 30


def units(text: str) -> list[str]:
    """What a text is made of, in order: mostly words, in small letters.

    The vectors of capitalised words are worse than those of the same words in small, and runs of
    white space carry no meaning.
    """
    text = text.lower()
    if _SPACE in text or ("<" in text and _SIGN.search(text)):
        return _rare_units(" ".join(text.split()))
    if text.isascii() or not _loner().search(text):
        return text.split()
    # Each loner is a unit, and so is what stands between two of them.
    found = _words_and_loners().findall(f" {' '.join(text.split())}")
    return [(unit[1:] or _SPACE) if unit[0] == " " else _INNER + unit for unit in found]


@cache
def _loner() -> re.Pattern[str]:
    return re.compile(f"[{LONERS}]")


@cache
def _words_and_loners() -> re.Pattern[str]:
    # Made when needed: it takes milliseconds.
    return re.compile(f" ?[^{LONERS} ]+|[{LONERS}]| ")


def _rare_units(text: str) -> list[str]:
    """The units of a text that holds signs of the tokenizer's own."""
    found: list[str] = []
    for segment in _SIGN.split(text):
        if segment in _SIGNS:
            found.append(_IS_SIGN + segment)
        elif segment:
            words = segment.replace(" ", _SPACE).split(_SPACE)
            found += [word or _SPACE for word in words]
    return found


class Cutter:
    """Cuts units into the numbers of their pieces, with the tokenizer's file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known = file.stat().st_size == _KNOWN_SIZE

    def cut(self, wanted: Sequence[str], *, more_to_come: bool) -> list[list[int]]:
        """The pieces of each unit; if there is `more_to_come`, loading `tokenizers` pays."""
        words = [unit for unit in wanted if unit[0] not in (_INNER, _IS_SIGN, _SPACE)]
        if self._known and not more_to_come:
            words = [word for word in words if len(word) > _LONG_WORD]
        made = dict(zip(words, self._by_tokenizer(words), strict=True)) if words else {}
        return [made[unit] if unit in made else self._one(unit) for unit in wanted]

    def _one(self, unit: str) -> list[int]:
        if unit[0] == _IS_SIGN:
            return [_SIGNS[unit[1:]]]
        if unit[0] == _INNER:
            return self._pieces(unit[1:])
        return self._pieces(unit if unit == _SPACE else _SPACE + unit)

    def _pieces(self, text: str) -> list[int]:
        """Merge the two neighbours that give the piece with the lowest number, while there are any.

        Of several that give the same piece, those with the lowest numbers come first, then those
        further left.
        """
        numbers = self._vocabulary
        if text in numbers:
            return [numbers[text]]
        number = numbers.get
        parts: list[str] = []
        for character in text:
            if character in numbers:
                parts.append(character)
            else:
                parts += [f"<0x{byte:02X}>" for byte in character.encode("utf-8", "replace")]
        pairs = [number(a + b, _NO_PIECE) for a, b in pairwise(parts)]
        while pairs:
            best = min(pairs)
            if best == _NO_PIECE:
                break
            place = pairs.index(best)
            if pairs.count(best) > 1:
                same = [place for place, pair in enumerate(pairs) if pair == best]
                place = min(same, key=lambda i: (numbers[parts[i]], numbers[parts[i + 1]]))
            merged = parts[place] + parts[place + 1]
            parts[place : place + 2] = [merged]
            del pairs[place]
            if place:
                pairs[place - 1] = number(parts[place - 1] + merged, _NO_PIECE)
            if place < len(pairs):
                pairs[place] = number(merged + parts[place + 1], _NO_PIECE)
        return [numbers[part] for part in parts]

    def _by_tokenizer(self, words: Sequence[str]) -> list[list[int]]:
        text = " ".join(words).encode("utf-8", "replace").decode()
        made = self._tokenizer.encode(text, add_special_tokens=False)
        cut: list[list[int]] = [[] for _ in words]
        for number, word in zip(made.ids, made.word_ids, strict=True):
            cut[word or 0].append(number)
        return cut

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        data = self._file.read_bytes()
        if not self._known:
            every: dict[str, int] = json.loads(data)["model"]["vocab"]
            return every
        # The rest of the file is twice as long, and not needed here.
        start = data.index(b'"vocab": ') + len(b'"vocab": ')
        end = data.rindex(b"}", start, data.index(b'"merges"')) + 1
        pieces: dict[str, int] = json.loads(data[start:end])
        return pieces

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer, pre_tokenizers

        tokenizer = Tokenizer.from_file(str(self._file))
        # Gives the same pieces, and tells of which word each of them is.
        tokenizer.pre_tokenizer = pre_tokenizers.Split(_SPACE, "merged_with_next")
        return tokenizer
