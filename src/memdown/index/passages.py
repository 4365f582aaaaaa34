"""What the index has of a passage: its terms, its feature terms, and all of them as numbers for a segment.

Every piece of text between two white spaces is looked up once in a table that gives it a number and
knows its terms, so that a text costs one look-up a word; the rest is done for all passages together, in
numpy. Vectors are made from the same numbers (`passage_vectors.py`).
`passages.passage_terms` says the same passage by passage, and is what this is tested against.
"""

from __future__ import annotations

import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.text import cues
from memdown.text.acronyms import defining_terms
from memdown.text.terms import index_terms, joined_terms, piece_terms, short_grams
from memdown.types import Chunk
from memdown.values import dataclass

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3


def feature_terms(chunk: Chunk) -> list[tuple[str, ...]]:
    """What each passage tells besides its words, as terms outside the space of words."""
    found = []
    for passage, speaker in zip(chunk.passages, _speakers(chunk), strict=True):
        text = chunk.text[passage.start : passage.end]
        found.append((*speaker, *cues.cues_of(text), *defining_terms(text)))
    return found


def _speakers(chunk: Chunk) -> list[tuple[str, ...]]:
    """The feature terms of who speaks in each passage, as told by the labels of lines, and whether they may say
    their name there.

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
        introduced: tuple[str, ...] = ()
        if ":" in some or "#" in some or "：" in some:
            for line in some.split("\n"):
                if line.startswith("#"):
                    speaker = ()
                elif name := cues.label_of(line):
                    speaker = cues.speaker_terms(name)
                    if cues.may_introduce(line):
                        introduced = (cues.INTRODUCES,)
        found.append(speaker + introduced)
    return found


def passage_terms(chunk: Chunk) -> Iterator[tuple[list[str], list[str]]]:
    """The terms of each passage, and those of what stands above it: file name, names, headings."""
    return ((text.split(), head.split()) for text, head in joined_passages(chunk))


def joined_passages(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The same as `passage_terms`, with the terms joined by white space."""
    for passage in chunk.passages:
        words = joined_terms(chunk.text[passage.start : passage.end])
        yield words, _head_terms(_head_text(chunk, passage.heading))


def _head_text(chunk: Chunk, heading: str) -> str:
    """What stands above a passage: file name, names of the document, headings."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    return f"{name} {chunk.names} {heading}" if chunk.names else f"{name} {heading}"


@lru_cache(maxsize=64)
def _head_terms(head: str) -> str:
    return joined_terms(head)


Numbers = NDArray[np.int64]
Small = NDArray[np.int32]

HEAD = "\x01"
"""Stands before a term that is found in the heads of passages: the file name, names and headings."""

_MOST_PIECES = 200_000
_LONGEST_PIECE = 24


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The texts of C chunks with P passages as N numbers of pieces, by span: each chunk has one of the
    lines that it repeats from the chunk before, and then one for each of its passages.

    `numbers` int32 (N,), below 0 those of `long`; `ends` int64 (C + P,), where each span ends; `firsts`
    int64 (C + 1,), the place among them of each chunk's first. `heads` int32 (P,) are the pieces above
    each passage, `features` int32 (F,) the terms that say who speaks and whether a passage asks, and
    `feature_rows` int32 (F,) whose they are.
    """

    pieces: _Pieces
    numbers: Small
    ends: Numbers
    firsts: Numbers
    long: list[_LongPiece]
    heads: Small
    features: Small
    feature_rows: Small

    def text(self, number: int) -> str:
        """The text of a piece; nothing where it is none."""
        return self.pieces.texts[number] if number >= 0 else self.long[-1 - number].text

    def of(self, first: int, last: int) -> Tokens:
        """Those of the chunks from one place to another."""
        if first == 0 and last == len(self.firsts) - 1:
            return self
        spans = slice(int(self.firsts[first]), int(self.firsts[last]))
        begin = int(self.ends[spans.start - 1]) if spans.start else 0
        end = int(self.ends[spans.stop - 1]) if spans.stop else 0
        rows = slice(spans.start - first, spans.stop - last)
        mine = (self.feature_rows >= rows.start) & (self.feature_rows < rows.stop)
        return Tokens(
            self.pieces,
            self.numbers[begin:end],
            self.ends[spans] - begin,
            self.firsts[first : last + 1] - spans.start,
            self.long,
            self.heads[rows],
            self.features[mine],
            self.feature_rows[mine] - np.int32(rows.start),
        )

    def repeats(self) -> NDArray[np.bool_]:
        """Which spans are of repeated lines, bool (C + P,)."""
        found = np.zeros(len(self.ends), bool)
        found[self.firsts[:-1]] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Every occurrence of a term in P passages; N of them, by passage and place.

    `names` are the T terms in order of their UTF-8 bytes. `term` int32 (N,) is a place in `names`,
    `row` int32 (N,) a passage, `position` int32 (N,) counts the terms of a passage's text from 0 and
    means nothing for terms of heads. `lengths` int64 (P,) is the number of terms of text and head.
    """

    names: list[bytes]
    term: Small
    row: Small
    position: Small
    lengths: Numbers


class _LongPiece(NamedTuple):
    """A piece that is kept for its own chunks only."""

    text: str
    terms: list[str]


class _Looked(NamedTuple):
    """What is known of N pieces: `terms` int32, one after the other, `sizes` int32 (N,) says how many
    of them belong to each piece, `cues` uint16 (N,) are those of `text.cues.piece_cues`."""

    terms: Small
    sizes: Small
    cues: NDArray[np.uint16]


class _Pieces(dict[str, int]):
    """Piece of text → its number; `flat[starts[n] : starts[n + 1]]` are the terms of piece n.

    Long pieces hardly ever come again, so they are kept for one call only, under numbers below 0. What
    is not a piece of a text (line ends, heads, short grams) has a number, but no text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary: defaultdict[str, int] = defaultdict()
        self.vocabulary.default_factory = self.vocabulary.__len__
        self.names: list[bytes] = []
        self.texts: list[str] = []
        self.flat = array("i")
        self.starts = array("i", [0])
        self.cues = array("H")
        self.short: dict[int, list[str]] = {}
        self._grams: dict[str, int] = {}
        self._heads: dict[str, int] = {}
        self._long: list[_LongPiece] = []
        # The terms of numbers that were given out and are not in `flat` yet, as far as they are known.
        self._terms: dict[int, list[str]] = {}
        # White space is in no piece.
        self.line_end = self["\n"] = self._number("", [])

    def __missing__(self, piece: str) -> int:
        if piece.isascii() and len(piece) <= _LONGEST_PIECE:
            number = self[piece] = self._number(piece)
            return number
        terms = list(piece_terms(piece))
        if len(piece) > _LONGEST_PIECE:
            self._long.append(_LongPiece(piece, terms))
            number = -len(self._long)
        else:
            number = self[piece] = self._number(piece, terms)
        if not piece.isascii() and (grams := short_grams(terms)):
            self.short[number] = grams
        return number

    def settle(self) -> None:
        """Find the terms of all pieces met since the last time: together it takes half as long."""
        known = self._terms.pop
        for number in range(len(self.cues), len(self.texts)):
            text = self.texts[number]
            terms = known(number, None)
            self._add(piece_terms(text) if terms is None else terms, text)

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
            number = self._heads[text] = self._number("", terms)
        return number

    def take_long(self) -> list[_LongPiece]:
        """The long pieces met since the last time."""
        taken, self._long = self._long, []
        for number in range(1, len(taken) + 1):
            self.short.pop(-number, None)
        return taken

    def look_up(self, numbers: Small, long: Sequence[_LongPiece] = ()) -> _Looked:
        """What is known of some pieces, one after the other."""
        known = len(self.cues)
        for text, terms in long:
            self._add(terms, text)
        if long:
            numbers = np.where(numbers < 0, np.int32(known - 1) - numbers, numbers)
        starts = np.frombuffer(self.starts, np.intc)
        begins = starts[numbers]
        sizes = starts[numbers + 1] - begins
        ends = np.cumsum(sizes, dtype=np.int32)
        places = np.repeat(begins - (ends - sizes), sizes)
        places += np.arange(len(places), dtype=np.int32)
        flat = np.frombuffer(self.flat, np.intc)[places]
        piece_cues = np.frombuffer(self.cues, np.uint16)[numbers]
        del starts
        del self.flat[self.starts[known] :], self.starts[known + 1 :], self.cues[known:]
        return _Looked(flat, sizes, piece_cues)

    def encoded(self) -> list[bytes]:
        """The name of each term of the vocabulary, by its number."""
        if len(self.names) < len(self.vocabulary):
            new = islice(self.vocabulary, len(self.names), None)
            self.names += [name.encode("utf-8", "surrogatepass") for name in new]
        return self.names

    def _gram(self, term: str) -> int:
        number = self._grams.get(term)
        if number is None:
            number = self._grams[term] = self._number("", [term])
        return number

    def _number(self, text: str, terms: list[str] | None = None) -> int:
        number = len(self.texts)
        self.texts.append(text)
        if terms is not None:
            self._terms[number] = terms
        return number

    def _add(self, terms: Iterable[str], text: str) -> None:
        self.cues.append(cues.piece_cues(text) if text else 0)
        self.flat.extend(map(self.vocabulary.__getitem__, terms))
        self.starts.append(len(self.flat))


_lock = threading.Lock()
_known = _Pieces()


def tokenise(chunks: Sequence[Chunk]) -> Tokens:
    """The texts of some chunks as numbers: the one time that every word of them is looked at."""
    global _known
    with _lock:
        if len(_known.texts) > _MOST_PIECES:
            _known = _Pieces()
        return _tokenised(_known, chunks)


def _tokenised(pieces: _Pieces, chunks: Sequence[Chunk]) -> Tokens:
    numbers: list[int] = []
    ends: list[int] = []
    firsts: list[int] = []
    heads: list[int] = []
    asking: list[int] = []
    spoken: list[tuple[int, tuple[str, ...]]] = []
    look_up: Callable[[str], int] = pieces.__getitem__
    line_end = pieces.line_end
    for chunk in chunks:
        text = chunk.text
        is_ascii = text.isascii()
        heading: str | None = None
        head = 0
        firsts.append(len(ends))
        if chunk.passages and chunk.passages[0].start:
            numbers += map(look_up, text[: chunk.passages[0].start].split())
        ends.append(len(numbers))
        if ":" in text or "：" in text:
            spoken += enumerate(_speakers(chunk), start=len(heads))
        for start, end, _, _, below in chunk.passages:
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
            if cues.asks(own):
                asking.append(len(heads))
            if below != heading:
                heading = below
                head = pieces.head(_head_text(chunk, below))
            heads.append(head)
    firsts.append(len(ends))
    pieces.settle()
    said = [(row, term) for row, terms in spoken for term in terms]
    said += [(row, cues.ASKS) for row in asking]
    tokens = Tokens(
        pieces,
        np.array(numbers, np.int32),
        np.array(ends, np.int64),
        np.array(firsts, np.int64),
        pieces.take_long(),
        np.array(heads, np.int32),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
    )
    rows = _abbreviating(tokens)
    for row, (chunk, place) in zip(rows, passages_at(chunks, rows), strict=True):
        start, end, *_ = chunk.passages[place]
        said += [(row, term) for term in defining_terms(chunk.text[start:end])]
    return replace(
        tokens,
        features=np.array([pieces.vocabulary[term] for _, term in said], np.int32),
        feature_rows=np.array([row for row, _ in said], np.int32),
    )


def _abbreviating(tokens: Tokens) -> list[int]:
    """The passages that hold what looks like a short form, and may define it."""
    known = np.frombuffer(tokens.pieces.cues, np.uint16)
    # Long pieces have numbers below 0, the first of them -1.
    long = np.array([cues.piece_cues(one.text) for one in reversed(tokens.long)], np.uint16)
    places = tokens.numbers + np.int32(len(long))
    held = np.concatenate([long, known])[places] & np.uint16(cues.SHORT_FORM)
    spans = np.unique(np.searchsorted(tokens.ends, np.flatnonzero(held), side="right"))
    spans = spans[~tokens.repeats()[spans]]
    # Before a passage stands one span of repeated lines for each chunk up to its own.
    rows: list[int] = (spans - np.searchsorted(tokens.firsts[:-1], spans, side="right")).tolist()
    return rows


def passages_at(chunks: Sequence[Chunk], rows: Sequence[int]) -> Iterator[tuple[Chunk, int]]:
    """The chunk of each of some passages, by row, and the passage's place in it."""
    ends = np.cumsum([len(chunk.passages) for chunk in chunks])
    for row, number in zip(rows, np.searchsorted(ends, rows, side="right").tolist(), strict=True):
        chunk = chunks[number]
        yield chunk, row - int(ends[number]) + len(chunk.passages)


def occurrences(tokens: Tokens) -> Occurrences:
    """Every occurrence of a term in the passages of some chunks; passages are numbered in order."""
    with _lock:
        return _occurrences(tokens.pieces, tokens)


def _occurrences(pieces: _Pieces, tokens: Tokens) -> Occurrences:
    count = len(tokens.heads)
    sizes = np.diff(tokens.ends, prepend=0)
    numbers, repeated = tokens.numbers, tokens.repeats()
    if repeated.any():
        numbers = numbers[np.repeat(~repeated, sizes)]
        sizes = sizes[~repeated]
    every = np.arange(count, dtype=np.int32)
    term, counts, told = pieces.look_up(numbers, tokens.long)
    above = pieces.look_up(tokens.heads)
    kinds = _kinds(pieces, _passage_cues(told, sizes))
    row = np.repeat(np.repeat(every, sizes), counts)
    # Each of these is several megabytes.
    del numbers, counts, told
    lengths = np.bincount(row, minlength=count)
    position = np.arange(len(row), dtype=np.int32)
    position -= np.repeat((np.cumsum(lengths) - lengths).astype(np.int32), lengths)
    term = np.concatenate([term, above.terms, tokens.features, *(one for one, _ in kinds)])
    row = np.concatenate(
        [row, np.repeat(every, above.sizes), tokens.feature_rows, *(rows for _, rows in kinds)]
    )
    position = np.concatenate([position, np.zeros(len(term) - len(position), np.int32)])
    used = np.flatnonzero(np.bincount(term, minlength=1))
    known = pieces.encoded()
    names = [known[number] for number in used.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(known), np.int32)
    rank[used[order]] = np.arange(len(order), dtype=np.int32)
    names = [names[place] for place in order]
    return Occurrences(names, rank[term], row, position, lengths + above.sizes)


def _kinds(pieces: _Pieces, told: NDArray[np.uint16]) -> list[tuple[Small, Small]]:
    """The feature terms of the kinds of answer that passages hold, and the rows of each."""
    every, place = np.unique(told, return_inverse=True)
    names = [cues.kinds_of(bits) for bits in every.tolist()]
    found = []
    for name in dict.fromkeys(chain.from_iterable(names)):
        rows = np.flatnonzero(np.array([name in some for some in names])[place]).astype(np.int32)
        found.append((np.full(len(rows), pieces.vocabulary[name], np.int32), rows))
    return found


def _passage_cues(piece_cues: NDArray[np.uint16], sizes: Numbers) -> NDArray[np.uint16]:
    """The cues of each passage, uint16 (P,), from those of its pieces and of neighbours on a line.

    Every passage ends with at least one line end, which has no cues, so that none is empty and no
    pair reaches from one passage into the next.
    """
    alone = piece_cues & np.uint16(cues.ALONE)
    alone[1:] |= cues.paired(piece_cues[:-1], piece_cues[1:])
    starts = np.cumsum(sizes) - sizes
    return np.bitwise_or.reduceat(alone, starts) if len(starts) else alone
