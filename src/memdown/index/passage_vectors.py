"""The vectors of passages, for embedders whose vector of a text is the sum of those of its words.

What stands between two white spaces is embedded once and kept as a row, so that a passage costs one
look-up a word and an addition; `passage_texts` says what is embedded, passage by passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from memdown.types import Chunk, ShortEmbedder, Vectors

Numbers = NDArray[np.int64]

# The bundled embedder's first numbers mean most: with 64 of 256 passages are told apart as well.
PASSAGE_DIMS = 64
_SHORT = 200
# Dates, times, paths and markup.
_UNSAID = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|`[^`\n]*[/\d][^`\n]*`|https?://\S+|[*_`|#\[\]]+|^\W*\d+[.)]\s"
)
_NUMBERED = re.compile(r"\W*\d+[.)]\s")
# 26 MB of rows; those of a larger number of words are made anew.
_MOST_WORDS = 100_000
# Longer passages are added up one by one.
_MANY_WORDS = 256
_PASSAGES_AT_ONCE = 8_192


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


def _bare(piece: str) -> str:
    """A piece of a short passage without what says nothing."""
    return _UNSAID.sub(" ", piece)


class _Words(dict[str, int]):
    """Piece of text → the number of its row; new ones get their rows by `rows`."""

    def __init__(self, said: Callable[[str], str]) -> None:
        super().__init__()
        self._said = said
        self._new: list[str] = []
        self._rows: Vectors = np.zeros((0, PASSAGE_DIMS), np.float32)
        self._lettered = np.zeros(0, bool)

    def __missing__(self, piece: str) -> int:
        self._new.append(self._said(piece))
        number = self[piece] = len(self)
        return number

    def rows(self, embedder: ShortEmbedder) -> Vectors:
        """The row of each number, float32 (n, dims)."""
        if self._new:
            added = embedder.embed_words(self._new, PASSAGE_DIMS)
            self._rows = np.concatenate([self._rows, added])
            lettered = [any(map(str.isalpha, text)) for text in self._new]
            self._lettered = np.concatenate([self._lettered, lettered])
            self._new = []
        return self._rows

    @property
    def lettered(self) -> NDArray[np.bool_]:
        """Which of the rows are of a text with a letter in it, bool (n,)."""
        return self._lettered


class PassageEmbedding:
    """Makes the vectors of passages, many at a time; words are kept for the next ones."""

    def __init__(self, embedder: ShortEmbedder) -> None:
        self._embedder = embedder
        self._said, self._raw = _Words(_bare), _Words(str)

    def embed(self, chunks: Sequence[Chunk]) -> Vectors:
        """The vectors of all passages of some chunks, float32 (n, `PASSAGE_DIMS`), of length one."""
        if len(self._said) + len(self._raw) > _MOST_WORDS:
            self._said, self._raw = _Words(_bare), _Words(str)
        short, long = _Bags(), _Bags()
        # Where words alone do not tell what is said: the passages to embed one by one.
        apart: dict[int, str] = {}
        headings: dict[str, list[int]] = {}
        said, raw = self._said.__getitem__, self._raw.__getitem__
        count = 0
        for chunk in chunks:
            text = chunk.text
            marked = "`" in text
            heading: str | None = None
            last = ""
            above: list[int] = []
            for start, end, _, _, below in chunk.passages:
                own = text[start:end]
                if end - start > _SHORT:
                    long.numbers += map(raw, own.split())
                    long.ends.append(len(long.numbers))
                    long.owners.append(count)
                elif (marked and "`" in own) or _NUMBERED.match(own):
                    apart[count] = _said(own, below or chunk.heading)
                else:
                    if below != heading:
                        heading = below
                        last = (below or chunk.heading).rpartition(" > ")[2]
                        found = headings.get(last)
                        if found is None:
                            found = headings[last] = list(map(said, f"{last}:".split()))
                        above = found
                    short.numbers += map(said, own.split())
                    if last not in own:
                        short.numbers += above
                    short.ends.append(len(short.numbers))
                    short.owners.append(count)
                count += 1
        result = np.zeros((count, PASSAGE_DIMS), np.float32)
        for bags, words in ((short, self._said), (long, self._raw)):
            result[bags.owners] = bags.sums(words.rows(self._embedder))
        if unlettered := short.without(self._said.lettered):
            texts = [text for chunk in chunks for text in passage_texts(chunk)]
            apart |= {number: texts[number] for number in unlettered}
        lengths = np.sqrt(np.einsum("ij,ij->i", result, result))
        lengths[lengths == 0] = 1
        result /= lengths[:, None]
        if apart:
            result[list(apart)] = self._embedder.embed_short(list(apart.values()), PASSAGE_DIMS)
        return result


class _Bags:
    """The words of some passages as numbers, one after the other, and whose they are."""

    def __init__(self) -> None:
        self.owners: list[int] = []
        self.numbers: list[int] = []
        self.ends: list[int] = []

    def _sizes(self) -> Numbers:
        ends = np.array([0, *self.ends], np.int64)
        return ends[1:] - ends[:-1]

    def without(self, marked: NDArray[np.bool_]) -> list[int]:
        """The passages that have no word with a mark; `marked` is bool (n,)."""
        owner = np.repeat(np.arange(len(self.ends)), self._sizes())
        found = np.bincount(owner[marked[self.numbers]], minlength=len(self.ends))
        return [self.owners[place] for place in np.flatnonzero(found == 0).tolist()]

    def sums(self, rows: Vectors) -> Vectors:
        """The sum of the rows of each passage's words, float32 (m, dims).

        The longest come first, so that the k-th words of all passages that have so many are added
        at once: several times faster than passage by passage.
        """
        numbers, sizes = np.array(self.numbers, np.int64), self._sizes()
        starts = np.cumsum(sizes) - sizes
        order = np.argsort(-sizes, kind="stable")
        result = np.zeros((len(sizes), rows.shape[1]), np.float32)
        many = int(np.searchsorted(-sizes[order], -_MANY_WORDS))
        for one in order[:many].tolist():
            result[one] = rows[numbers[starts[one] : starts[one] + sizes[one]]].sum(axis=0)
        for first in range(many, len(order), _PASSAGES_AT_ONCE):
            some = order[first : first + _PASSAGES_AT_ONCE]
            total = np.zeros((len(some), rows.shape[1]), np.float32)
            fewer = -sizes[some]
            for place in range(int(-fewer[0])):
                upto = int(np.searchsorted(fewer, -place))
                total[:upto] += rows.take(numbers[starts[some[:upto]] + place], axis=0)
            result[some] = total
        return result
