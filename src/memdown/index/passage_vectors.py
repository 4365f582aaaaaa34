"""Vectors of chunks and passages, for embedders whose vector of a text is the sum of those of its words.

The words are the pieces of text that terms are made from, too (`passages.tokenise`): each distinct one
is embedded once, and a text costs an addition a word. `passage_texts` says what is embedded of passages,
one by one; of a chunk it is its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.layout import Layout, Outline, lay_out, outline
from memdown.index.passages import Terms, Tokens, tokenised
from memdown.types import Chunk, ShortEmbedder, Vectors
from memdown.values import dataclass, pattern

Numbers = NDArray[np.int64]
Small = NDArray[np.int32]

# The bundled embedder's first numbers mean most: with 64 of 256 passages are told apart as well.
PASSAGE_DIMS = 64
_SHORT = 200
# Dates, times, paths and markup.
_UNSAID = pattern(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|`[^`\n]*[/\d][^`\n]*`|https?://\S+|[*_`|#\[\]]+|^\W*\d+[.)]\s"
)
_NUMBERED = pattern(r"\W*\d+[.)]\s")
# The vectors of so many pieces are kept from one portion of chunks to the next, at most 50 MB.
_MOST_KNOWN = 32_768
_LEARNT_AT_ONCE = 4_096
# For fewer words than these it does not pay.
_MANY_TOKENS = 20_000
# What a passage is the sum of, unless it is a heading's number: all its words under no heading, its words
# as they stand, or nothing, because words alone do not tell what is said.
_BARE, _RAW, _APART = -1, -2, -3


def shorten(vectors: Vectors, dims: int = PASSAGE_DIMS) -> Vectors:
    """The first `dims` numbers of vectors, shape (n, D), brought to length one again."""
    short = vectors[:, :dims]
    lengths = np.sqrt(np.einsum("ij,ij->i", short, short))
    lengths[lengths == 0] = 1
    shortened: Vectors = short / lengths[:, None]
    return shortened


def passage_texts(chunk: Chunk, only: int | None = None) -> list[str]:
    """What is embedded of each passage, or of `only` one: a short one under its heading, without what says
    nothing to an embedder but weighs as much as words."""
    wanted = chunk.passages if only is None else chunk.passages[only : only + 1]
    return [_said(chunk.text[one.start : one.end], one.heading or chunk.heading) for one in wanted]


def _said(text: str, heading: str) -> str:
    if len(text) > _SHORT:
        return text
    last = heading.rpartition(" > ")[2]
    said = " ".join(_UNSAID.sub(" ", text if last in text else f"{last}: {text}").split())
    return said if any(map(str.isalpha, said)) else text


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """C chunks with P passages: their tokens, and vectors of length one, float32 (C, D) and
    (P, `PASSAGE_DIMS`)."""

    tokens: Terms
    chunks: Vectors
    passages: Vectors


def add_up(
    embedder: ShortEmbedder, chunks: Sequence[Chunk], known: KnownWords | None = None
) -> Embedded:
    """The vectors of some chunks, and those of their passages; `known` is handed on to the next ones."""
    return add_up_outline(embedder, outline(chunks), known)


def add_up_outline(
    embedder: ShortEmbedder, given: Outline, known: KnownWords | None = None
) -> Embedded:
    """The same of chunks by their outline."""
    layout = lay_out(given)
    tokens = tokenised(layout)
    ways = _ways(layout)
    # It takes as much memory as all vectors of words.
    del layout
    if known is None or len(tokens.numbers) < _MANY_TOKENS:
        known = KnownWords(0)
    words = _words(embedder, tokens, known)
    passages = _passage_sums(embedder, words, given, ways)
    return Embedded(tokens, _chunk_sums(words, tokens), passages)


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """The words of some tokens: `place` int32 (N,) is each token's row of the three tables.

    `rows` float32 (W, D) are vectors of pieces, `raw` (W, `PASSAGE_DIMS`) their first numbers, and `bare`
    (W, `PASSAGE_DIMS`) those of the pieces without what says nothing; `lettered` bool (W,) if those have a
    letter. `starts` and `ends` int64 (P,) are where passages stand among the tokens.
    """

    place: Small
    rows: Vectors
    raw: Vectors
    bare: Vectors
    lettered: NDArray[np.bool_]
    starts: Numbers
    ends: Numbers


class KnownWords:
    """The vectors of the `most` pieces that were met first, which are the most frequent; of the others, those
    of the last tokens. For one thread."""

    def __init__(self, most: int = _MOST_KNOWN) -> None:
        self._most = most
        self._pieces: object = None
        self._known = np.zeros(most, bool)
        self._make_room(0, 0)

    def _make_room(self, dims: int, room: int) -> None:
        self.rows: Vectors = np.empty((room, dims), np.float32)
        self.raw: Vectors = np.empty((room, PASSAGE_DIMS), np.float32)
        self.bare: Vectors = np.empty((room, PASSAGE_DIMS), np.float32)
        self.lettered = np.zeros(room, bool)

    def place(self, embedder: ShortEmbedder, tokens: Tokens) -> Small:
        """Where the vectors of each token's piece stand, int32 (N,), once they are all there."""
        # Long pieces have numbers below 0.
        shift = len(tokens.long)
        indices = tokens.numbers + np.int32(shift)
        used = np.flatnonzero(np.bincount(indices)) - shift
        if tokens.pieces is not self._pieces:
            self._pieces = tokens.pieces
            self._known[:] = False
        kept = (used >= 0) & (used < self._most)
        upto = self._most + int(np.count_nonzero(~kept))
        self._grow(embedder.dims or PASSAGE_DIMS, upto)
        rows = np.empty(len(used), np.int32)
        rows[kept] = used[kept]
        rows[~kept] = np.arange(self._most, upto, dtype=np.int32)
        new = ~kept
        new[kept] = ~self._known[used[kept]]
        unknown, numbers = rows[new], used[new].tolist()
        for first in range(0, len(numbers), _LEARNT_AT_ONCE):
            some = slice(first, first + _LEARNT_AT_ONCE)
            self._learn(embedder, unknown[some], list(map(tokens.text, numbers[some])))
        self._known[used[kept]] = True
        place = np.zeros(int(used[-1]) + shift + 1 if len(used) else 0, np.int32)
        place[used + shift] = rows
        found: Small = place[indices]
        return found

    def _grow(self, dims: int, room: int) -> None:
        """Make room for so many rows; what is not written to yet takes no memory."""
        if self.rows.shape[1] == dims and len(self.rows) >= room:
            return
        before = (self.rows, self.raw, self.bare, self.lettered)
        self._make_room(dims, room + _LEARNT_AT_ONCE)
        if before[0].shape[1] != dims:
            self._known[:] = False
        if len(known := np.flatnonzero(self._known)):
            tables = (self.rows, self.raw, self.bare, self.lettered)
            for table, was in zip(tables, before, strict=True):
                table[known] = was[known]

    def _learn(self, embedder: ShortEmbedder, rows: Small, words: list[str]) -> None:
        bare = list(map(_bare, words))
        changed = [number for number, word in enumerate(words) if bare[number] != word]
        vectors = embedder.embed_words(words, self.rows.shape[1])
        self.rows[rows] = vectors
        self.raw[rows] = self.bare[rows] = vectors[:, :PASSAGE_DIMS]
        others = embedder.embed_words([bare[number] for number in changed], PASSAGE_DIMS)
        self.bare[rows[changed]] = others
        self.lettered[rows] = np.fromiter(map(_has_letter, bare), bool, len(bare))


def _words(embedder: ShortEmbedder, tokens: Tokens, known: KnownWords) -> _Words:
    place = known.place(embedder, tokens)
    spans = ~tokens.repeats()
    ends = tokens.ends
    return _Words(
        place,
        known.rows,
        known.raw,
        known.bare,
        known.lettered,
        np.concatenate([[0], ends[:-1]])[spans] if len(ends) else ends,
        ends[spans],
    )


def _chunk_sums(words: _Words, tokens: Tokens) -> Vectors:
    result = np.zeros((len(tokens.firsts) - 1, words.rows.shape[1]), np.float32)
    begin = 0
    for chunk, last in enumerate((tokens.firsts[1:] - 1).tolist()):
        end = int(tokens.ends[last])
        # One chunk at a time stays in the processor's cache.
        np.add.reduce(words.rows.take(words.place[begin:end], axis=0), axis=0, out=result[chunk])
        begin = end
    return _of_length_one(result)


def _passage_sums(embedder: ShortEmbedder, words: _Words, given: Outline, under: _Ways) -> Vectors:
    # Only what writes needs it.
    from memdown.embedders.bundled import sums_of

    ways = under.ways
    result = np.zeros((len(ways), PASSAGE_DIMS), np.float32)
    for mine, rows in ((ways >= _BARE, words.bare), (ways == _RAW, words.raw)):
        result[mine] = sums_of(rows, words.place, words.starts[mine], words.ends[mine])
    bare = [" ".join(map(_bare, heading.split())) for heading in under.headings]
    headed = np.flatnonzero(ways >= 0)
    result[headed] += embedder.embed_words(bare, PASSAGE_DIMS)[ways[headed]]
    counts = np.concatenate([[0], np.cumsum(words.lettered[words.place])])
    lettered = counts[words.ends] > counts[words.starts]
    lettered[headed] |= np.array(list(map(_has_letter, bare)), bool)[ways[headed]]
    result = _of_length_one(result)
    apart = np.flatnonzero((ways == _APART) | ((ways >= _BARE) & ~lettered))
    if len(apart):
        result[apart] = embedder.embed_short(_texts_of(given, apart), PASSAGE_DIMS)
    return result


class _Ways(NamedTuple):
    """What each of P passages is the sum of, int64 (P,): with the words of one of the `headings`, its number."""

    ways: Numbers
    headings: list[str]


def _texts_of(given: Outline, rows: Numbers) -> list[str]:
    """What is embedded of some passages."""
    chunks = np.searchsorted(np.cumsum(given.counts), rows, side="right")
    before = (np.cumsum(given.sizes) - given.sizes)[chunks]
    starts, ends = (before + given.passages[rows, column] for column in (0, 1))
    places = zip(rows.tolist(), chunks.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return [
        _said(given.text[start:end], given.headings[row] or given.above[chunk])
        for row, chunk, start, end in places
    ]


def _ways(layout: Layout) -> _Ways:
    ways = np.full(len(layout.starts), _BARE, np.int64)
    may_be_apart = layout.passages_with("`")
    numbered = [row for row in layout.may_be_numbered() if _NUMBERED.match(layout.passage(row))]
    ways[np.concatenate([may_be_apart, np.array(numbered, np.int64)])] = _APART
    ways[layout.ends - layout.starts > _SHORT] = _RAW
    numbers: dict[str, int] = {}
    own = np.repeat(np.arange(len(layout.counts)), layout.counts)
    above = layout.outline.above
    rows = np.flatnonzero(ways == _BARE)
    headed: list[int] = []
    heading: str | None = None
    last, number = "", _BARE
    find = layout.text.find
    places = zip(
        rows.tolist(), layout.starts[rows].tolist(), layout.ends[rows].tolist(), strict=True
    )
    for row, start, end in places:
        below = layout.headings[row] or above[own[row]]
        if below != heading:
            heading = below
            last = below.rpartition(" > ")[2]
            number = numbers.setdefault(last, len(numbers))
        headed.append(number if find(last, start, end) < 0 else _BARE)
    ways[rows] = headed
    return _Ways(ways, [f"{heading}:" for heading in numbers])


def _bare(piece: str) -> str:
    """A piece of a short passage without what says nothing."""
    return piece if piece.isalpha() else _UNSAID.sub(" ", piece)


def _has_letter(text: str) -> bool:
    return text.isalpha() or any(map(str.isalpha, text))


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1
    vectors /= lengths[:, None]
    return vectors
