"""What the index has of a passage: its terms, its feature terms, and all of them as numbers for a segment.

Every piece of text between two white spaces is looked up once in a table that knows its terms, so
that a passage costs one look-up a word; the rest is done for all passages together, in numpy.
`passages.passage_terms` says the same passage by passage, and is what this is tested against.
"""

from __future__ import annotations

import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memdown.text import cues
from memdown.text.terms import index_terms, joined_terms, piece_terms, short_grams
from memdown.types import Chunk, Passage

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3


def feature_terms(chunk: Chunk) -> list[tuple[str, ...]]:
    """What each passage tells besides its words, as terms outside the space of words."""
    return [
        (*speaker, *cues.cues_of(chunk.text[passage.start : passage.end]))
        for passage, speaker in zip(chunk.passages, _speakers(chunk), strict=True)
    ]


def _speakers(chunk: Chunk) -> list[tuple[str, ...]]:
    """The feature terms of who speaks in each passage, as told by the labels of lines.

    Who speaks goes on until another label or a heading; the lines that a chunk repeats from the one
    before tell who speaks in its first passage.
    """
    text = chunk.text
    speaker: tuple[str, ...] = ()
    if ":" not in text and "：" not in text:
        return [speaker] * len(chunk.passages)
    found: list[tuple[str, ...]] = []
    for passage in chunk.passages:
        some = text[passage.start if found else 0 : passage.end]
        if ":" in some or "#" in some or "：" in some:
            for line in some.split("\n"):
                if line.startswith("#"):
                    speaker = ()
                elif name := cues.label_of(line):
                    speaker = cues.speaker_terms(name)
        found.append(speaker)
    return found


def passage_terms(chunk: Chunk) -> Iterator[tuple[list[str], list[str]]]:
    """The terms of each passage, and those of what stands above it: file name, names, headings."""
    return ((text.split(), head.split()) for text, head in joined_passages(chunk))


def joined_passages(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The same as `passage_terms`, with the terms joined by white space."""
    for passage in chunk.passages:
        words = joined_terms(chunk.text[passage.start : passage.end])
        yield words, _head_terms(head_text(chunk, passage))


def head_text(chunk: Chunk, passage: Passage) -> str:
    """What stands above a passage: file name, names of the document, headings."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    return f"{name} {chunk.names} {passage.heading}" if chunk.names else f"{name} {passage.heading}"


@lru_cache(maxsize=64)
def _head_terms(head: str) -> str:
    return joined_terms(head)


Numbers = NDArray[np.int64]

HEAD = "\x01"
"""Stands before a term that is found in the heads of passages: the file name, names and headings."""

_MOST_PIECES = 200_000
_LONGEST_PIECE = 24


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Every occurrence of a term in P passages; N of them, by passage and place.

    `names` are the T terms in order of their UTF-8 bytes. `term` int64 (N,) is a place in `names`,
    `row` int64 (N,) a passage, `position` int64 (N,) counts the terms of a passage's text from 0 and
    means nothing for terms of heads. `lengths` int64 (P,) is the number of terms of text and head.
    """

    names: list[bytes]
    term: Numbers
    row: Numbers
    position: Numbers
    lengths: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """What is known of N pieces: `terms` int64, one after the other, `sizes` int64 (N,) says how many
    of them belong to each piece, `cues` uint16 (N,) are those of `text.cues.piece_cues`."""

    terms: Numbers
    sizes: Numbers
    cues: NDArray[np.uint16]


class _Pieces(dict[str, int]):
    """Piece of text → its number; `flat[starts[n] : starts[n + 1]]` are the terms of piece n.

    Long pieces hardly ever come again, so they are kept for one call only, as the last numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary: defaultdict[str, int] = defaultdict()
        self.vocabulary.default_factory = self.vocabulary.__len__
        self.flat = array("i")
        self.starts = array("i", [0])
        self.cues = array("H")
        self.short: dict[int, list[str]] = {}
        self._grams: dict[str, int] = {}
        self._heads: dict[str, int] = {}
        self._long: list[tuple[list[str], int]] = []
        # White space is in no piece.
        self.line_end = self["\n"] = self._add((), 0)

    def __missing__(self, piece: str) -> int:
        terms = list(piece_terms(piece))
        grams = [] if piece.isascii() else short_grams(terms)
        if len(piece) > _LONGEST_PIECE:
            self._long.append((terms, cues.piece_cues(piece)))
            number = -len(self._long)
        else:
            number = self[piece] = self._add(terms, cues.piece_cues(piece))
        if grams:
            self.short[number] = grams
        return number

    def grams(self, numbers: Sequence[int]) -> list[int]:
        """What is shorter than the usual terms of scripts without spaces, as numbers of pieces."""
        short = self.short
        found = set().union(*map(short.__getitem__, filter(short.__contains__, numbers)))
        return list(map(self._gram, sorted(found)))

    def head(self, text: str) -> int:
        """What stands above a passage, as the number of a piece."""
        number = self._heads.get(text)
        if number is None:
            terms = [HEAD + term for term in index_terms(text)]
            number = self._heads[text] = self._add(terms, 0)
        return number

    def look_up(self, numbers: Sequence[int]) -> _Looked:
        """What is known of some pieces, one after the other."""
        found = np.array(numbers, np.int64)
        known = len(self.starts) - 1
        for number, (terms, told) in enumerate(self._long, start=1):
            self._add(terms, told)
            self.short.pop(-number, None)
        self._long.clear()
        starts = np.frombuffer(self.starts, np.intc)
        found = np.where(found < 0, known - 1 - found, found)
        begins = starts[found].astype(np.int64)
        sizes = starts[found + 1] - begins
        places = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        flat = np.frombuffer(self.flat, np.intc)[places].astype(np.int64)
        piece_cues = np.frombuffer(self.cues, np.uint16)[found]
        del starts
        del self.flat[self.starts[known] :], self.starts[known + 1 :], self.cues[known:]
        return _Looked(flat, sizes, piece_cues)

    def _gram(self, term: str) -> int:
        number = self._grams.get(term)
        if number is None:
            number = self._grams[term] = self._add([term], 0)
        return number

    def _add(self, terms: Iterable[str], piece_cues: int) -> int:
        self.cues.append(piece_cues)
        self.flat.extend(map(self.vocabulary.__getitem__, terms))
        self.starts.append(len(self.flat))
        return len(self.starts) - 2


_lock = threading.Lock()
_known = _Pieces()


def occurrences(chunks: Sequence[Chunk]) -> Occurrences:
    """Every occurrence of a term in the passages of some chunks; passages are numbered in order."""
    global _known
    with _lock:
        if len(_known.starts) > _MOST_PIECES:
            _known = _Pieces()
        return _occurrences(_known, chunks)


def _occurrences(pieces: _Pieces, chunks: Sequence[Chunk]) -> Occurrences:
    numbers: list[int] = []
    ends: list[int] = []
    heads: list[int] = []
    told: list[tuple[str, ...]] = []
    look_up: Callable[[str], int] = pieces.__getitem__
    line_end = pieces.line_end
    for chunk in chunks:
        text = chunk.text
        is_ascii = text.isascii()
        heading: str | None = None
        head = 0
        for passage, speaker in zip(chunk.passages, _speakers(chunk), strict=True):
            start, end, _, _, below = passage
            own = text[start:end]
            begin = len(numbers)
            if "\n" in own:
                for line in own.split("\n"):
                    numbers += map(look_up, line.split())
                    numbers.append(line_end)
            else:
                numbers += map(look_up, own.split())
                numbers.append(line_end)
            if not is_ascii and not own.isascii():
                numbers += pieces.grams(numbers[begin:])
            ends.append(len(numbers))
            told.append((*speaker, cues.ASKS) if cues.asks(own) else speaker)
            if below != heading:
                heading = below
                head = pieces.head(head_text(chunk, passage))
            heads.append(head)
    count = len(ends)
    looked = pieces.look_up(numbers)
    above = pieces.look_up(heads)
    told = [
        (*one, *cues.kinds_of(kinds))
        for one, kinds in zip(told, _passage_cues(looked.cues, ends).tolist(), strict=True)
    ]
    features = list(map(pieces.vocabulary.__getitem__, chain.from_iterable(told)))
    feature_rows = np.repeat(np.arange(count), np.fromiter(map(len, told), np.int64, count))
    row = np.repeat(np.repeat(np.arange(count), _differences(ends)), looked.sizes)
    lengths = np.bincount(row, minlength=count)
    position = np.arange(len(looked.terms)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    term = np.concatenate([looked.terms, above.terms, np.array(features, np.int64)])
    row = np.concatenate([row, np.repeat(np.arange(count), above.sizes), feature_rows])
    position = np.concatenate([position, np.zeros(len(term) - len(position), np.int64)])
    used = np.flatnonzero(np.bincount(term, minlength=1))
    known = list(pieces.vocabulary)
    names = [known[number].encode("utf-8", "surrogatepass") for number in used.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(known), np.int64)
    rank[used[order]] = np.arange(len(order))
    names = [names[place] for place in order]
    return Occurrences(names, rank[term], row, position, lengths + above.sizes)


def _passage_cues(piece_cues: NDArray[np.uint16], ends: Sequence[int]) -> NDArray[np.uint16]:
    """The cues of each passage, uint16 (P,), from those of its pieces and of neighbours on a line.

    Every passage ends with at least one line end, which has no cues, so that none is empty and no
    pair reaches from one passage into the next.
    """
    alone = piece_cues & np.uint16(cues.NUMBER | cues.TIME)
    alone[1:] |= cues.paired(piece_cues[:-1], piece_cues[1:])
    starts = np.concatenate([[0], np.array(ends[:-1], np.int64)]) if ends else np.zeros(0, np.int64)
    return np.bitwise_or.reduceat(alone, starts) if len(starts) else alone


def _differences(ends: Sequence[int]) -> Numbers:
    """How far each number is above the one before it."""
    found = np.array(ends, np.int64)
    found[1:] -= found[:-1].copy()
    return found
