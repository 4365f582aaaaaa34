"""A reader of the few hundred chunks that may answer a question, for engines that find them themselves.

The engine's own indexes give the chunks; each comes with the terms of its passages, from which the
posting list of whatever is looked for is counted here. What is true of the whole index comes beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import NamedTuple

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
    quantise_passages,
    quantise_stored,
)
from memdown.index.segments import join_vectors, pack_vectors, unpack_vectors, vectors_shape
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
    """The text of all passages, a line each; after a tab their heads, after another their features."""
    parts = (
        (one.text for one in passages),
        (one.head for one in passages),
        (one.features for one in passages),
    )
    return "\t".join("\n".join(part) for part in parts)


def unpack_terms(packed: str, count: int) -> list[PassageTerms]:
    """The terms of the `count` passages of a chunk back from such lines."""
    if not count:
        return []
    text, head, features = (part.split("\n") for part in packed.split("\t")[:3])
    return list(map(PassageTerms, text, head, features))


def pack_passage_vectors(vectors: Vectors | None) -> bytes | None:
    """The vectors of a chunk's passages, float32 (n, D), at half a byte a number."""
    if vectors is None or not vectors.size:
        return None
    return pack_vectors(*quantise_passages(vectors), half=True)


@dataclass(frozen=True, slots=True, eq=False)
class ListedChunk:
    """A chunk of a shortlist: `lines` int32 (n, 2) and `terms` of its n passages, its vector as it was made.

    `terms` are those of `pack_terms` in UTF-8, `passage_vectors` are packed by `pack_passage_vectors`.
    """

    key: int
    lines: Rows
    terms: bytes
    vector: Vector | None
    passage_vectors: bytes | None

    @property
    def count(self) -> int:
        """How many passages it has."""
        return len(self.lines)


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
    passages = np.array([_GAP if one is None else one.count for one in rows], np.int64)
    chunk_alive = np.array([one is not None for one in rows], bool)
    passage_chunk = np.repeat(np.arange(len(rows), dtype=np.int32), passages)
    terms = _Terms.of(rows)
    vectors = _vectors(rows, dims)
    origin = _Listed(rows, terms, vectors, load)
    if whole is not None:
        whole = replace(whole, frequency=partial(_frequency, origin, whole.frequency))
    return Reader(
        files=states,
        file_source=np.array([SOURCES.index(state.source) for state in states], np.uint8),
        passage_file=chunk_file[passage_chunk],
        passage_chunk=passage_chunk,
        passage_lines=_lines(rows),
        passage_length=terms.text.lengths() + terms.head.lengths(),
        alive=chunk_alive[passage_chunk],
        chunk_key=np.array([-1 if one is None else one.key for one in rows], np.int64),
        chunk_file=chunk_file,
        chunk_alive=chunk_alive,
        chunk_vectors=None if vectors is None else quantise_stored(vectors),
        origin=origin,
        whole=whole,
    )


def _leaves_a_gap(before: ListedChunk, one: ListedChunk) -> bool:
    same_file = before.key // FILE_SPAN == one.key // FILE_SPAN
    return same_file and before.key + before.count != one.key


class _Column:
    """The terms of all passages, a line each, as one text that is searched as a whole."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        # A space before and behind every term.
        self._padded = b" " + lines.replace(b"\n", b" \n ") + b" "

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where each line but the last ends in the padded text."""
        return np.flatnonzero(np.frombuffer(self._padded, np.uint8) == ord("\n"))

    def lengths(self) -> Rows:
        """The number of terms of each passage, int32 (P,)."""
        text = np.frombuffer(self._lines, np.uint8)
        ends = np.append(np.flatnonzero(text == ord("\n")), len(text))
        spaces = np.append(0, np.cumsum(text == ord(" ")))[ends]
        has_some = np.diff(ends, prepend=-1) > 1
        lengths: Rows = (np.diff(spaces, prepend=0) + has_some).astype(np.int32)
        return lengths

    def counted(self, sought: bytes) -> tuple[Rows, NDArray[np.float32]]:
        """The passages that hold a text, ascending, and how often each does."""
        places = places_of(self._padded, sought)
        rows, counts = np.unique(np.searchsorted(self._ends, places), return_counts=True)
        return rows.astype(np.int32), counts.astype(np.float32)


def places_of(padded: bytes, sought: bytes) -> list[int]:
    """Where terms stand one after the other, or one begins, with spaces around them; they may overlap."""
    places = []
    # The space behind a term is the one before the next.
    behind = sought.find(b" ", 1)
    step = behind if behind > 0 else len(sought)
    place = padded.find(sought)
    while place >= 0:
        places.append(place)
        place = padded.find(sought, place + step)
    return places


class _Terms(NamedTuple):
    """The terms of all passages of a shortlist."""

    text: _Column
    head: _Column
    features: _Column

    @classmethod
    def of(cls, rows: Sequence[ListedChunk | None]) -> _Terms:
        gap = [b"\n" * (_GAP - 1)] * 3
        parts = [
            gap if one is None else one.terms.split(b"\t")[:3]
            for one in rows
            if one is None or one.count
        ]
        return cls(*(_Column(b"\n".join(part[n] for part in parts)) for n in range(3)))


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


class _Listed:
    """Where the reader of a shortlist fetches what it does not hold as an array."""

    def __init__(
        self,
        rows: Sequence[ListedChunk | None],
        terms: _Terms,
        vectors: Vectors | None,
        load: Load,
    ) -> None:
        self._rows = rows
        self._terms = terms
        self._vectors = vectors
        self._load = load
        self._postings: dict[Unit, Posting] = {}

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit among the chunks of the list."""
        known = self._postings.get(unit)
        if known is None:
            known = self._postings[unit] = self._counted(unit)
        return known

    def _counted(self, unit: Unit) -> Posting:
        sought = f" {' '.join(unit.terms)} ".encode("utf-8", "surrogatepass")
        if unit.kind == "prefix":
            return _in_text(*self._terms.text.counted(sought[:-1]))
        if unit.kind == "phrase":
            return _in_text(*self._terms.text.counted(sought))
        if unit.terms[0].startswith(_FEATURE):
            return _in_text(*self._terms.features.counted(sought))
        return _both(*self._terms.text.counted(sought), *self._terms.head.counted(sought))

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks."""
        if self._vectors is None:
            return np.zeros((len(chunk_rows), 1), np.float32)
        found: Vectors = self._vectors[np.asarray(chunk_rows, np.intp)]
        return found

    @cached_property
    def _passage_vectors(self) -> Quantised | None:
        shapes = [
            vectors_shape(one.passage_vectors) if one and one.passage_vectors else (0, 0)
            for one in self._rows
        ]
        kind = next((kind for _, kind in shapes if kind), 0)
        if not kind:
            return None
        counts = np.array([_GAP if one is None else one.count for one in self._rows])
        fits = [
            one is not None and shape == (one.count, kind)
            for one, shape in zip(self._rows, shapes, strict=True)
        ]
        # All at once: there are hundreds of chunks with a few vectors each.
        joined = [
            one.passage_vectors for one, fit in zip(self._rows, fits, strict=True) if fit and one
        ]
        found = unpack_vectors(join_vectors([block for block in joined if block]))
        inside = np.repeat(fits, counts)
        numbers = np.zeros((len(inside), found.numbers.shape[1]), np.int8)
        scale = np.zeros(len(inside), np.float32)
        numbers[inside], scale[inside] = found
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


def _frequency(listed: _Listed, ask: Callable[[Unit], int], unit: Unit) -> int:
    """In how many passages a unit stands; of a feature that none of the list has, nobody is asked."""
    is_feature = unit.terms[0].startswith(_FEATURE)
    return 0 if is_feature and not len(listed.posting(unit).rows) else ask(unit)


def _in_text(rows: Rows, text: NDArray[np.float32]) -> Posting:
    return Posting(rows, text, np.zeros_like(text)) if len(rows) else NO_POSTING


def _both(
    in_text: Rows, text: NDArray[np.float32], in_head: Rows, head: NDArray[np.float32]
) -> Posting:
    if not len(in_head):
        return _in_text(in_text, text)
    rows = np.union1d(in_text, in_head)
    tf = np.zeros((2, len(rows)), np.float32)
    tf[0, np.searchsorted(rows, in_text)] = text
    tf[1, np.searchsorted(rows, in_head)] = head
    return Posting(rows, tf[0], tf[1])
