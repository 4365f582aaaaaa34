"""A reader of the few hundred chunks that may answer a question, for engines that find them themselves.

The engine's own indexes give the chunks; each comes with the terms of its passages, from which the
posting list of whatever is looked for is counted here. What is true of the whole index comes beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from memdown.index.passages import feature_terms, joined_passages
from memdown.index.reader import (
    NO_POSTING,
    Posting,
    Quantised,
    Reader,
    Rows,
    Unit,
    Whole,
    quantise,
)
from memdown.index.segments import pack_vectors, unpack_vectors
from memdown.types import FILE_SPAN, SOURCES, Chunk, FileState, StoredChunk, Vector, Vectors

# A whole index of so few chunks is one reader.
FEW_CHUNKS = 256
# Features are terms outside the space of words.
_FEATURE = "\x02"
# Between two chunks that are no neighbours: neither the next passage nor the one after it is beside.
_GAP = 2

Load = Callable[[Sequence[int]], Mapping[int, StoredChunk]]


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """The terms of one passage, joined by a space: of its text, of what stands above it, its features."""

    text: str
    head: str
    features: str

    @property
    def length(self) -> int:
        """The number of terms that BM25 counts."""
        return self.text.count(" ") + self.head.count(" ") + bool(self.text) + bool(self.head)

    def every(self) -> dict[str, tuple[int, int]]:
        """Each term, and how often it stands in the text and in what stands above."""
        found: dict[str, tuple[int, int]] = {}
        for term in chain(self.text.split(), self.features.split()):
            found[term] = (found.get(term, (0, 0))[0] + 1, 0)
        for term in self.head.split():
            text, head = found.get(term, (0, 0))
            found[term] = (text, head + 1)
        return found


def terms_of(chunk: Chunk) -> list[PassageTerms]:
    """The terms of each passage of a chunk."""
    return [
        PassageTerms(" ".join(text.split()), " ".join(head.split()), " ".join(features))
        for (text, head), features in zip(joined_passages(chunk), feature_terms(chunk), strict=True)
    ]


def pack_terms(passages: Sequence[PassageTerms]) -> str:
    """A line a passage, a tab between its parts."""
    return "\n".join(f"{one.text}\t{one.head}\t{one.features}" for one in passages)


def unpack_terms(packed: str) -> list[PassageTerms]:
    """The terms back from such lines; a chunk without passages has none."""
    lines = (line.split("\t") for line in packed.split("\n")) if packed else ()
    return [PassageTerms(*line) for line in lines]


def pack_passage_vectors(vectors: Vectors | None) -> bytes | None:
    """The vectors of a chunk's passages, float32 (n, D), at a byte a number."""
    return None if vectors is None or not vectors.size else pack_vectors(*quantise(vectors))


@dataclass(frozen=True, slots=True, eq=False)
class ListedChunk:
    """A chunk of a shortlist: `lines` int32 (n, 2) and `terms` of its n passages, its vector as it was made.

    `passage_vectors` are packed by `pack_passage_vectors`.
    """

    key: int
    lines: Rows
    terms: Sequence[PassageTerms]
    vector: Vector | None
    passage_vectors: bytes | None


def read_shortlist(
    listed: Sequence[ListedChunk],
    files: Mapping[int, FileState],
    dims: int | None,
    load: Load,
    whole: Whole | None,
) -> Reader:
    """A reader of some chunks; `load` reads their text, `files` has at least those that they are of.

    Without `whole`, they are all that there is.
    """
    chunks = sorted(listed, key=lambda one: one.key)
    numbers = sorted({one.key // FILE_SPAN for one in chunks})
    place = {number: row for row, number in enumerate(numbers)}
    rows: list[ListedChunk | None] = []
    for before, one in pairwise([None, *chunks]):
        if before is not None and one is not None and _leaves_a_gap(before, one):
            rows.append(None)
        rows.append(one)
    states = [files[number] for number in numbers]
    if None in rows:
        # A gap is of a file of its own, which is like the first one.
        states.append(FileState("", states[0].source, 0, 0))
    gap = len(numbers)
    chunk_file = np.array(
        [gap if one is None else place[one.key // FILE_SPAN] for one in rows], np.int32
    )
    passages = np.array([_GAP if one is None else len(one.terms) for one in rows], np.int64)
    chunk_alive = np.array([one is not None for one in rows], bool)
    passage_chunk = np.repeat(np.arange(len(rows), dtype=np.int32), passages)
    terms = _joined(rows)
    vectors = _vectors(rows, dims)
    return Reader(
        files=states,
        file_source=np.array([SOURCES.index(state.source) for state in states], np.uint8),
        passage_file=chunk_file[passage_chunk],
        passage_chunk=passage_chunk,
        passage_lines=_lines(rows),
        passage_length=np.array([one.length for one in terms], np.int32),
        alive=chunk_alive[passage_chunk],
        chunk_key=np.array([-1 if one is None else one.key for one in rows], np.int64),
        chunk_file=chunk_file,
        chunk_alive=chunk_alive,
        chunk_vectors=None if vectors is None else _quantised(vectors),
        origin=_Listed(rows, terms, vectors, load),
        whole=whole,
    )


def _leaves_a_gap(before: ListedChunk, one: ListedChunk) -> bool:
    same_file = before.key // FILE_SPAN == one.key // FILE_SPAN
    return same_file and before.key + len(before.terms) != one.key


_NO_TERMS = PassageTerms("", "", "")


def _joined(rows: Sequence[ListedChunk | None]) -> list[PassageTerms]:
    parts = ([_NO_TERMS] * _GAP if one is None else one.terms for one in rows)
    return [terms for part in parts for terms in part]


def _lines(rows: Sequence[ListedChunk | None]) -> Rows:
    empty = np.zeros((_GAP, 2), np.int32)
    parts = [empty if one is None else one.lines for one in rows]
    return np.concatenate([np.empty((0, 2), np.int32), *parts])


def _vectors(rows: Sequence[ListedChunk | None], dims: int | None) -> Vectors | None:
    """The vectors of all chunks, float32 (C, D); zeros for one without."""
    if not dims:
        return None
    found = np.zeros((len(rows), dims), np.float32)
    for row, one in enumerate(rows):
        if one is not None and one.vector is not None and one.vector.size == dims:
            found[row] = one.vector
    return found


def _quantised(vectors: Vectors) -> Quantised:
    numbers, scale = quantise(vectors)
    return Quantised(numbers, np.where(vectors.any(axis=1), scale, np.float32(0)))


class _Listed:
    """Where the reader of a shortlist fetches what it does not hold as an array."""

    def __init__(
        self,
        rows: Sequence[ListedChunk | None],
        terms: Sequence[PassageTerms],
        vectors: Vectors | None,
        load: Load,
    ) -> None:
        self._rows = rows
        self._terms = terms
        self._vectors = vectors
        self._load = load
        self._postings: dict[Unit, Posting] = {}

    # Two spaces between terms, so that neighbours do not share one and each is counted.
    @cached_property
    def _text(self) -> list[str]:
        return [f" {one.text.replace(' ', '  ')} " for one in self._terms]

    @cached_property
    def _head(self) -> list[str]:
        return [f" {one.head.replace(' ', '  ')} " for one in self._terms]

    @cached_property
    def _features(self) -> list[str]:
        return [f" {one.features.replace(' ', '  ')} " for one in self._terms]

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit among the chunks of the list."""
        known = self._postings.get(unit)
        if known is None:
            known = self._postings[unit] = self._counted(unit)
        return known

    def _counted(self, unit: Unit) -> Posting:
        if unit.kind == "prefix":
            return _posting(_counts(self._text, f" {unit.terms[0]}"), None)
        if unit.kind == "phrase":
            return _posting(_counts(self._text, f" {'  '.join(unit.terms)} "), None)
        term = f" {unit.terms[0]} "
        if unit.terms[0].startswith(_FEATURE):
            return _posting(_counts(self._features, term), None)
        return _posting(_counts(self._text, term), _counts(self._head, term))

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks."""
        if self._vectors is None:
            return np.zeros((len(chunk_rows), 1), np.float32)
        found: Vectors = self._vectors[np.asarray(chunk_rows, np.intp)]
        return found

    @cached_property
    def _passage_vectors(self) -> Quantised | None:
        each = [
            unpack_vectors(one.passage_vectors) if one and one.passage_vectors else None
            for one in self._rows
        ]
        dims = next((one.numbers.shape[1] for one in each if one is not None), 0)
        if not dims:
            return None
        numbers = np.zeros((len(self._terms), dims), np.int8)
        scale = np.zeros(len(self._terms), np.float32)
        first = 0
        for row, found in zip(self._rows, each, strict=True):
            count = _GAP if row is None else len(row.terms)
            if found is not None and found.numbers.shape == (count, dims):
                numbers[first : first + count], scale[first : first + count] = found
            first += count
        return Quantised(numbers, scale)

    def passage_vectors_of(self, rows: Rows) -> Quantised | None:
        """The vectors of some passages."""
        every = self._passage_vectors
        return None if every is None else Quantised(every.numbers[rows], every.scale[rows])

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Some chunks with their text, by row."""
        keys = {row: one.key for row in chunk_rows if (one := self._rows[row]) is not None}
        found = self._load(list(keys.values()))
        return {row: found[key] for row, key in keys.items()}


def _counts(texts: Sequence[str], term: str) -> NDArray[np.float32]:
    return np.fromiter((text.count(term) for text in texts), np.float32, len(texts))


def _posting(text: NDArray[np.float32], head: NDArray[np.float32] | None) -> Posting:
    either = text if head is None else text + head
    rows = np.flatnonzero(either).astype(np.int32)
    if not len(rows):
        return NO_POSTING
    return Posting(rows, text[rows], np.zeros_like(text[rows]) if head is None else head[rows])
