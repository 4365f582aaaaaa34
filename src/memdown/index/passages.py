"""What the index has of a passage: its terms, its feature terms, and all of them as numbers for a segment.

Every piece of text between two white spaces is looked up once in a table that gives it a number and
knows its terms, so that a text costs one look-up a word; the rest is done for all passages together, in
numpy. Vectors are made from the same numbers (`passage_vectors.py`).
`passages.passage_terms` says the same passage by passage, and is what this is tested against.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.layout import (
    Layout,
    Said,
    distinct,
    document_name,
    lay_out,
    outline,
    said_by,
    units_of,
)
from memdown.text import cues
from memdown.text.acronyms import defining_terms
from memdown.text.terms import index_terms, joined_terms, piece_terms, short_grams
from memdown.types import Chunk
from memdown.values import dataclass


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
    return f"{document_name(chunk)} {heading}"


@lru_cache(maxsize=64)
def _head_terms(head: str) -> str:
    return joined_terms(head)


Numbers = NDArray[np.int64]
Small = NDArray[np.int32]

HEAD = "\x01"
"""Stands before a term that is found in the heads of passages: the file name, names and headings."""

_MOST_PIECES = 200_000
_LONGEST_PIECE = 24
# Stands for the end of a line among its pieces, and what stands for that sign where a text holds it.
_LINE_END, _NOTHING = "\0", "\1"
# Stands between headings, and holds no word.
_BELOW = " > "
# One more cue of a piece: that there are terms in it that are shorter than usual.
_HAS_GRAMS = cues.MAY_INTRODUCE << 1


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The texts of C chunks with P passages as N numbers of pieces, by span: each chunk has one of the
    lines that it repeats from the chunk before, and then one for each of its passages.

    `numbers` int32 (N,), below 0 those of `long`; `ends` int64 (C + P,), where each span ends; `firsts`
    int64 (C + 1,), the place among them of each chunk's first. `heads` int32 (P, 2) are the pieces above
    each passage: the name of its document and its heading. `features` int32 (F,) the terms that say who speaks and whether a passage asks, and
    `feature_rows` int32 (F,) whose they are. `lines` int32 (P, 2) are the first and last line of each passage in
    its file, and `units` what `layout.units_of` says of each chunk.
    """

    pieces: _Pieces
    numbers: Small
    ends: Numbers
    firsts: Numbers
    long: list[_LongPiece]
    heads: Small
    features: Small
    feature_rows: Small
    lines: Small
    units: list[bytes | None]

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
            self.lines[rows],
            self.units[first:last],
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

    def of(self, first: int, last: int) -> Occurrences:
        """Those in the passages from one row to before another."""
        mine = (self.row >= first) & (self.row < last)
        term = self.term[mine]
        used = np.flatnonzero(np.bincount(term, minlength=1))
        place = np.zeros(len(self.names), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        return Occurrences(
            [self.names[number] for number in used.tolist()],
            place[term],
            self.row[mine] - np.int32(first),
            self.position[mine],
            self.lengths[first:last],
        )


@dataclass(frozen=True, slots=True, eq=False)
class FoundTerms:
    """The same as `Tokens` once all terms are found: C chunks with P passages, without the table of pieces.

    `counts` int64 (C,) says how many passages each chunk has.
    """

    found: Occurrences
    counts: Numbers
    lines: Small
    units: list[bytes | None]

    def of(self, first: int, last: int) -> FoundTerms:
        """Those of the chunks from one place to another."""
        if first == 0 and last == len(self.counts):
            return self
        begin = int(self.counts[:first].sum())
        end = begin + int(self.counts[first:last].sum())
        return FoundTerms(
            self.found.of(begin, end),
            self.counts[first:last],
            self.lines[begin:end],
            self.units[first:last],
        )


Terms = Tokens | FoundTerms


class _LongPiece(NamedTuple):
    """A piece that is kept for its own chunks only, with its terms and its cues."""

    text: str
    terms: Sequence[str]
    cues: int


class _HeadTerms(dict[str, list[str]]):
    """A part of what stands above passages → its terms, as those of heads: many documents have the same ones.

    `with_grams` is what has terms that are shorter than usual, of which two parts may have some in common.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_grams: set[str] = set()

    def __missing__(self, text: str) -> list[str]:
        terms = index_terms(text)
        if short_grams(terms):
            self.with_grams.add(text)
        found = self[text] = [HEAD + term for term in terms]
        return found

    def of(self, head: str) -> list[str]:
        """The terms of a name or a path of headings."""
        parts = head.split(_BELOW)
        terms = list(chain.from_iterable(map(self.__getitem__, parts)))
        has_grams = self.with_grams.intersection(parts)
        if has_grams:
            self.with_grams.add(head)
        return self[head] if len(has_grams) > 1 else terms


class _Looked(NamedTuple):
    """What is known of N pieces: `terms` int32, one after the other, `sizes` int32 (N,) says how many
    of them belong to each piece, `cues` uint16 (N,) are those of `text.cues.piece_cues`."""

    terms: Small
    sizes: Small
    cues: NDArray[np.uint16]


class _Vocabulary(dict[str, int]):
    """Term → its number. It holds nothing of itself, so that its memory is free again without the collector."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _Pieces(dict[str, int]):
    """Piece of text → its number; `flat[starts[n] : starts[n + 1]]` are the terms of piece n.

    Long pieces hardly ever come again, so they are kept for one call only, under numbers below 0. What
    is not a piece of a text (line ends, heads, short grams) has a number, but no text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = _Vocabulary()
        self.names: list[bytes] = []
        self.texts: list[str] = []
        self.flat = array("i")
        self.starts = array("i", [0])
        self.cues = array("H")
        self.grams: dict[int, list[str]] = {}
        self._gram_numbers: dict[str, int] = {}
        self._heads: dict[str, int] = {}
        self._head_terms = _HeadTerms()
        self._long: dict[str, int] = {}
        # Of how many numbers all is known, and the terms of others that have no text.
        self._settled = 0
        self._terms: dict[int, list[str]] = {}
        # A piece that no text has, since they are looked up without it.
        self.line_end = self[_LINE_END] = self._textless([])

    def __missing__(self, piece: str) -> int:
        if len(piece) > _LONGEST_PIECE:
            return self._long.setdefault(piece, -1 - len(self._long))
        number = self[piece] = len(self.texts)
        self.texts.append(piece)
        return number

    def settle(self) -> list[_LongPiece]:
        """Find the terms of all pieces met since the last time: together it takes half as long. The long ones."""
        self._forget_others()
        terms: list[Sequence[str]] = []
        bits: list[int] = []
        for number in range(self._settled, len(self.texts)):
            text = self.texts[number]
            found, bit = self._look_into(text, number) if text else (self._terms[number], 0)
            terms.append(found)
            bits.append(bit)
        self._add(terms, bits)
        self._settled = len(self.texts)
        self._terms.clear()
        taken, self._long = self._long, {}
        return [_LongPiece(text, *self._look_into(text, number)) for text, number in taken.items()]

    def _look_into(self, text: str, number: int) -> tuple[Sequence[str], int]:
        """The terms and the cues of a piece; terms that are shorter than usual are kept by its number."""
        terms, bits = piece_terms(text), cues.found_cues(text)
        if not text.isascii() and (grams := short_grams(terms)):
            self.grams[number] = sorted(grams)
            bits |= _HAS_GRAMS
        return terms, bits

    def gram_numbers(self, numbers: Sequence[int]) -> list[int]:
        """What is shorter than the usual terms of scripts without spaces, as numbers of pieces."""
        if len(numbers) == 1:
            found: Iterable[str] = self.grams[numbers[0]]
        else:
            found = sorted(set().union(*map(self.grams.__getitem__, numbers)))
        return [self._gram_numbers.get(gram) or self._gram(gram) for gram in found]

    def heads(self, names: Sequence[str], counts: Numbers, headings: Sequence[str]) -> Small:
        """What stands above P passages as the numbers of two pieces each, int32 (P, 2).

        `counts` int64 (C,) says how many passages have each of the C names above them.
        """
        for text in {*names, *headings}.difference(self._heads):
            self._heads[text] = self._textless(self._head_terms.of(text))
        number = self._heads.__getitem__
        named = np.repeat(np.array(list(map(number, names)), np.int32), counts)
        numbers = np.stack([named, np.array(list(map(number, headings)), np.int32)], axis=1)
        with_grams = self._head_terms.with_grams
        if not with_grams.isdisjoint(names):
            each = chain.from_iterable(map(repeat, names, counts.tolist()))
            for row, (name, heading) in enumerate(zip(each, headings, strict=True)):
                if name in with_grams and heading in with_grams:
                    numbers[row] = (self._head(f"{name} {heading}"), self.line_end)
        return numbers

    def _head(self, text: str) -> int:
        number = self._heads.get(text)
        if number is None:
            number = self._heads[text] = self._textless(self._head_terms[text])
        return number

    def forget_long(self, long: Sequence[_LongPiece]) -> None:
        """Their numbers will be those of others."""
        for number in range(1, len(long) + 1):
            self.grams.pop(-number, None)

    def bits(self, long: Sequence[_LongPiece]) -> NDArray[np.uint16]:
        """The cues of long pieces, from the last to the first, and of all others by number, uint16."""
        own = np.array([one.cues for one in reversed(long)], np.uint16)
        return np.concatenate([own, np.frombuffer(self.cues, np.uint16)])

    def look_up(self, numbers: Small, long: Sequence[_LongPiece] = ()) -> _Looked:
        """What is known of some pieces, one after the other."""
        try:
            if long:
                self._add([one.terms for one in long], [one.cues for one in long])
                numbers = np.where(numbers < 0, np.int32(self._settled - 1) - numbers, numbers)
            return self._looked(numbers)
        finally:
            self._forget_others()

    def _looked(self, numbers: Small) -> _Looked:
        starts = np.frombuffer(self.starts, np.intc)
        begins = starts[numbers]
        sizes = starts[numbers + 1] - begins
        ends = np.cumsum(sizes, dtype=np.int32)
        places = np.repeat(begins - (ends - sizes), sizes)
        places += np.arange(len(places), dtype=np.int32)
        flat = np.frombuffer(self.flat, np.intc)[places]
        return _Looked(flat, sizes, np.frombuffer(self.cues, np.uint16)[numbers])

    def _forget_others(self) -> None:
        """Leave out what was added beyond the pieces that are settled, also if that was interrupted."""
        number = self._settled
        del self.cues[number:], self.starts[number + 1 :], self.flat[self.starts[number] :]

    def encoded(self) -> list[bytes]:
        """The name of each term of the vocabulary, by its number."""
        if len(self.names) < len(self.vocabulary):
            new = islice(self.vocabulary, len(self.names), None)
            self.names += [name.encode("utf-8", "surrogatepass") for name in new]
        return self.names

    def _gram(self, term: str) -> int:
        number = self._gram_numbers[term] = self._textless([term])
        return number

    def _textless(self, terms: list[str]) -> int:
        """The number of something with these terms that is no piece of a text."""
        self._terms[len(self.texts)] = terms
        self.texts.append("")
        return len(self.texts) - 1

    def _add(self, terms: Sequence[Sequence[str]], bits: Sequence[int]) -> None:
        before = len(self.flat)
        self.flat.extend(map(self.vocabulary.__getitem__, chain.from_iterable(terms)))
        self.starts.extend(islice(accumulate(map(len, terms), initial=before), 1, None))
        self.cues.extend(bits)


_lock = threading.Lock()
_known = _Pieces()


def tokenise(chunks: Sequence[Chunk]) -> Tokens:
    """The texts of some chunks as numbers: the one time that every word of them is looked at."""
    return tokenised(lay_out(outline(chunks)))


def tokenised(layout: Layout) -> Tokens:
    """The same of chunks that are laid out already."""
    global _known
    with _lock:
        if len(_known.texts) > _MOST_PIECES:
            _known = _Pieces()
        return _tokenised(_known, layout)


def _tokenised(pieces: _Pieces, layout: Layout) -> Tokens:
    numbers = _looked_up(pieces, layout)
    heads = pieces.heads(layout.outline.names, layout.counts, layout.headings)
    long = pieces.settle()
    bits = pieces.bits(long)[numbers + np.int32(len(long))]
    # Where each line begins among the numbers, and where another one would.
    lines = np.concatenate([[0], np.flatnonzero(numbers == pieces.line_end) + 1])
    spans = _spans(layout, lines)
    said = said_by(layout, _spans_with(bits, cues.MAY_INTRODUCE, lines))
    said += [
        Said(row, row + 1, cues.ASKS) for row in layout.may_ask() if cues.asks(layout.passage(row))
    ]
    shortened = spans.row[distinct(_spans_with(bits, cues.SHORT_FORM, spans.begins))]
    for row in shortened[shortened >= 0].tolist():
        said += [Said(row, row + 1, term) for term in defining_terms(layout.passage(row))]
    features, feature_rows = _spread(pieces, said)
    numbers, ends = _with_grams(pieces, numbers, bits, spans)
    pieces.forget_long(long)
    pieces.settle()
    return Tokens(
        pieces,
        numbers,
        ends,
        spans.firsts,
        long,
        heads,
        features,
        feature_rows,
        layout.lines,
        units_of(layout),
    )


def _spread(pieces: _Pieces, said: Sequence[Said]) -> tuple[Small, Small]:
    """Feature terms by number and the passages that have them, int32 (F,) each."""
    number = pieces.vocabulary.__getitem__
    firsts = np.array([one.first for one in said], np.int64)
    sizes = np.array([one.end for one in said], np.int64) - firsts
    rows = np.arange(sizes.sum()) + np.repeat(firsts - (np.cumsum(sizes) - sizes), sizes)
    terms = np.array([number(one.term) for one in said], np.int32)
    return np.repeat(terms, sizes), rows.astype(np.int32)


def _looked_up(pieces: _Pieces, layout: Layout) -> Small:
    """The numbers of the pieces of all texts, with one of a line end behind each line, int32 (N,)."""
    numbers: list[int] = []
    look_up: Callable[[str], int] = pieces.__getitem__
    between = f" {_LINE_END} "
    for text in layout.texts():
        if _LINE_END in text:
            text = text.replace(_LINE_END, _NOTHING)
        numbers += map(look_up, text.replace("\n", between).split())
        numbers.append(pieces.line_end)
    return np.array(numbers, np.int32)


class _Spans(NamedTuple):
    """The spans of C chunks with P passages: where each begins among the numbers, and where another one would,
    int64 (C + P + 1,); `firsts` int64 (C + 1,), the first of each chunk; `row` int64 (C + P,), the passage that
    each is, -1 for repeated lines."""

    begins: Numbers
    firsts: Numbers
    row: Numbers


def _spans(layout: Layout, lines: Numbers) -> _Spans:
    firsts = np.concatenate([[0], np.cumsum(layout.counts + 1)])
    count = int(firsts[-1])
    of_passages = np.ones(count, bool)
    of_passages[firsts[:-1]] = False
    of_chunks, own = layout.first_lines()
    begins = np.empty(count + 1, np.int64)
    begins[firsts[:-1]] = lines[of_chunks]
    begins[:-1][of_passages] = lines[own]
    begins[-1] = lines[-1]
    row = np.where(of_passages, np.cumsum(of_passages) - 1, -1)
    return _Spans(begins, firsts, row)


def _spans_with(bits: NDArray[np.uint16], cue: int, begins: Numbers) -> Numbers:
    """The spans that hold pieces with a cue, once for each of those; spans stand from one beginning to the next."""
    matching = np.flatnonzero(bits & np.uint16(cue))
    return np.searchsorted(begins, matching, side="right") - 1


def _with_grams(
    pieces: _Pieces, numbers: Small, bits: NDArray[np.uint16], spans: _Spans
) -> tuple[Small, Numbers]:
    """The numbers with what is shorter than usual terms behind each passage, and where each span ends then."""
    places = np.flatnonzero(bits & np.uint16(_HAS_GRAMS))
    owners = np.searchsorted(spans.begins, places, side="right") - 1
    own = spans.row[owners] >= 0
    places, owners = places[own], owners[own]
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    found: list[int] = []
    sizes = np.zeros(len(spans.row), np.int64)
    ends = [*firsts[1:].tolist(), len(places)]
    matching = numbers[places].tolist()
    for span, begin, end in zip(owners[firsts].tolist(), firsts.tolist(), ends, strict=False):
        some = pieces.gram_numbers(matching[begin:end])
        sizes[span] = len(some)
        found += some
    if found:
        numbers = np.insert(numbers, np.repeat(spans.begins[1:], sizes), found)
    return numbers, spans.begins[1:] + np.cumsum(sizes)


def occurrences(tokens: Terms) -> Occurrences:
    """Every occurrence of a term in the passages of some chunks; passages are numbered in order."""
    if isinstance(tokens, FoundTerms):
        return tokens.found
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
    term, counts, cue_bits = pieces.look_up(numbers, tokens.long)
    above = pieces.look_up(tokens.heads.ravel())
    sizes_above = above.sizes.reshape(-1, 2).sum(axis=1, dtype=np.int32)
    kinds = _kinds(pieces, _passage_cues(cue_bits, sizes))
    row = np.repeat(np.repeat(every, sizes), counts)
    # Each of these is several megabytes.
    del numbers, counts, cue_bits
    lengths = np.bincount(row, minlength=count)
    position = np.arange(len(row), dtype=np.int32)
    position -= np.repeat((np.cumsum(lengths) - lengths).astype(np.int32), lengths)
    term = np.concatenate([term, above.terms, tokens.features, *(one for one, _ in kinds)])
    row = np.concatenate(
        [row, np.repeat(every, sizes_above), tokens.feature_rows, *(rows for _, rows in kinds)]
    )
    position = np.concatenate([position, np.zeros(len(term) - len(position), np.int32)])
    used = np.flatnonzero(np.bincount(term, minlength=1))
    known = pieces.encoded()
    names = [known[number] for number in used.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(known), np.int32)
    rank[used[order]] = np.arange(len(order), dtype=np.int32)
    names = [names[place] for place in order]
    return Occurrences(names, rank[term], row, position, lengths + sizes_above)


def _kinds(pieces: _Pieces, cue_bits: NDArray[np.uint16]) -> list[tuple[Small, Small]]:
    """The feature terms of the kinds of answer that passages hold, and the rows of each."""
    every = np.flatnonzero(np.bincount(cue_bits))
    place = np.searchsorted(every, cue_bits)
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
