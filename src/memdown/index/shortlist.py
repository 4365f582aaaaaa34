"""A reader of the few hundred chunks that may answer a question, for engines that find them themselves.

The engine's own indexes give the chunks; each comes with the terms of its passages, from which the
posting list of whatever is looked for is counted here. What is true of the whole index comes beside.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.packing import lines_of_all
from memdown.index.passages import feature_terms, joined_passages
from memdown.index.reader import (
    NO_POSTING,
    Posting,
    Quantised,
    Reader,
    Rows,
    Unit,
    Whole,
    common_rows,
    quantise_passages,
    quantise_stored,
    word,
)
from memdown.index.vector_blocks import join_vectors, pack_vectors, unpack_vectors, vectors_shape
from memdown.types import FILE_SPAN, SOURCES, Chunk, FileState, StoredChunk, Vectors

# A whole index of so few chunks is one reader.
FEW_CHUNKS = 256
# Features are terms outside the space of words.
_FEATURE = "\x02"
_MOST_LENGTH = 65_535
# Between two chunks that are no neighbours: neither the next passage nor the one after it is beside.
_GAP = 2

Load = Callable[[Sequence[int]], Mapping[int, StoredChunk]]
LoadTerms = Callable[[Sequence[int]], Mapping[int, bytes]]
Keys = NDArray[np.int64]
Places = NDArray[np.int64]


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


def pack_brief(passages: Sequence[PassageTerms]) -> bytes:
    """How many terms each passage has, two bytes each, and their features, a line each: what every search
    asks of a chunk, without its words."""
    lengths = np.array([min(_MOST_LENGTH, one.length) for one in passages], "<u2")
    features = "\n".join(one.features for one in passages)
    return lengths.tobytes() + features.encode("utf-8", "surrogatepass")


def pack_passage_vectors(vectors: Vectors | None) -> bytes | None:
    """The vectors of a chunk's passages, float32 (n, D), at half a byte a number."""
    if vectors is None or not vectors.size:
        return None
    return pack_vectors(*quantise_passages(vectors), half=True)


class ListedChunk(NamedTuple):
    """A chunk of a shortlist, as it is stored: its passages as packed by `pack_passages`, their terms by
    `pack_terms` in UTF-8, its vector as it was made, float32, and those of its passages as packed by
    `pack_passage_vectors`. With `brief`, as packed by `pack_brief`, it may come without its terms."""

    key: int
    passages: bytes
    terms: bytes | None
    vector: bytes | None
    passage_vectors: bytes | None
    brief: bytes | None = None


class KeyedPosting(NamedTuple):
    """The passages that hold a unit, by key, ascending; how often in the text and in what stands above."""

    keys: Keys
    text: NDArray[np.float32]
    head: NDArray[np.float32]


def read_shortlist(
    listed: Sequence[ListedChunk],
    files: Mapping[int, FileState],
    dims: int | None,
    load: Load,
    whole: Whole | None,
    known: Mapping[Unit, KeyedPosting] | None = None,
    ending: Callable[[str], Collection[str]] | None = None,
    load_terms: LoadTerms | None = None,
) -> Reader:
    """A reader of some chunks; `load` reads their text, `files` has at least those that they are of.

    Without `whole`, they are all that there is. `known` are posting lists that were read anyway, and
    hold every passage of these chunks that they should; others are counted in the chunks' terms.
    `ending` gives the longer words of the whole index that end alike; without it those of the chunks count.
    `load_terms` reads the terms of chunks that came without.
    """
    chunks = sorted(listed, key=lambda one: one.key)
    keys = np.fromiter((one.key for one in chunks), np.int64, len(chunks))
    counts, lines = lines_of_all([one.passages for one in chunks])
    rows = _Rows.of(keys, counts)
    numbers, own_file = np.unique(keys // FILE_SPAN, return_inverse=True)
    states = [files[number] for number in numbers.tolist()]
    if len(rows.chunk_key) > len(keys):
        # A gap is of a file of its own, which is like the first one.
        states.append(FileState("", states[0].source, 0, 0))
    chunk_file = np.full(len(rows.chunk_key), len(numbers), np.int32)
    chunk_file[rows.of_chunk] = own_file
    chunk_alive = rows.chunk_key >= 0
    passage_lines = np.zeros((len(rows.passage_chunk), 2), np.int32)
    passage_lines[rows.of_passage] = lines
    terms = _Terms(list(zip(chunks, counts.tolist(), strict=True)), load_terms or _no_terms)
    passage_length = np.zeros(len(rows.passage_chunk), np.int32)
    passage_length[rows.of_passage] = terms.lengths()
    vectors = _vectors(chunks, rows, dims)
    origin = _Listed(chunks, rows, terms, vectors, load, known or {}, ending)
    if whole is not None:
        whole = replace(whole, frequency=partial(_frequency, origin, whole.frequency))
    return Reader(
        files=states,
        file_source=np.array([SOURCES.index(state.source) for state in states], np.uint8),
        passage_file=chunk_file[rows.passage_chunk],
        passage_chunk=rows.passage_chunk,
        passage_lines=passage_lines,
        passage_length=passage_length,
        alive=chunk_alive[rows.passage_chunk],
        chunk_key=rows.chunk_key,
        chunk_file=chunk_file,
        chunk_alive=chunk_alive,
        chunk_vectors=None if vectors is None else quantise_stored(vectors),
        origin=origin,
        whole=whole,
    )


def give_memory_back() -> None:
    """Let the system have what a search over very many rows needed for a moment.

    The C library keeps it for the next time, which is too much for a process that mostly waits.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


class _Rows(NamedTuple):
    """The rows of a reader, of which some are gaps between chunks that are no neighbours.

    `of_chunk` and `of_passage` are the rows of what there is, `passage_key` int64 the keys of passages,
    `counts` how many each chunk has.
    """

    chunk_key: Keys
    passage_chunk: Rows
    of_chunk: Places
    of_passage: Places
    passage_key: Keys
    counts: Places

    @classmethod
    def of(cls, keys: Keys, counts: Places) -> _Rows:
        """Of chunks by ascending keys, with so many passages each."""
        same_file = keys[1:] // FILE_SPAN == keys[:-1] // FILE_SPAN
        leaves_a_gap = same_file & (keys[:-1] + counts[:-1] != keys[1:])
        of_chunk = np.arange(len(keys)) + np.append(0, np.cumsum(leaves_a_gap))[: len(keys)]
        total = int(of_chunk[-1]) + 1 if len(keys) else 0
        chunk_key = np.full(total, -1, np.int64)
        chunk_key[of_chunk] = keys
        passages = np.full(total, _GAP, np.int64)
        passages[of_chunk] = counts
        passage_chunk = np.repeat(np.arange(total, dtype=np.int32), passages)
        of_passage = np.flatnonzero(chunk_key[passage_chunk] >= 0)
        ends = np.cumsum(counts)
        passage_key = np.arange(len(of_passage)) + np.repeat(keys - ends + counts, counts)
        return cls(chunk_key, passage_chunk, of_chunk, of_passage, passage_key, counts)


class _Column:
    """The terms of all passages, a line each, as one text that is searched as a whole."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._is_empty = not lines
        self._lines = b"\n".join(lines)

    @cached_property
    def _padded(self) -> bytes:
        """With a space before and behind every term."""
        return b" " + self._lines.replace(b"\n", b" \n ") + b" "

    @cached_property
    def _ends(self) -> Places:
        """Where each line but the last ends in the padded text."""
        return np.flatnonzero(np.frombuffer(self._padded, np.uint8) == ord("\n"))

    def lengths(self) -> Rows:
        """The number of terms of each passage, int32 (P,)."""
        if self._is_empty:
            return np.empty(0, np.int32)
        text = np.frombuffer(self._lines, np.uint8)
        ends = np.append(np.flatnonzero(text == ord("\n")), len(text))
        spaces = np.searchsorted(np.flatnonzero(text == ord(" ")), ends)
        has_some = np.diff(ends, prepend=-1) > 1
        lengths: Rows = (np.diff(spaces, prepend=0) + has_some).astype(np.int32)
        return lengths

    def counted(self, sought: bytes) -> tuple[Places, NDArray[np.float32]]:
        """The lines that hold a text, ascending, and how often each does."""
        places = places_of(self._padded, sought)
        lines, counts = np.unique(np.searchsorted(self._ends, places), return_counts=True)
        return lines, counts.astype(np.float32)

    def ending(self, end: str) -> set[str]:
        """The longer words that end like this."""
        return words_ending(self._padded, end)


def words_ending(padded: bytes, end: str) -> set[str]:
    """The longer words that end like this, of terms with spaces around them."""
    tail = re.escape(end.encode("utf-8", "surrogatepass"))
    found = {
        one.decode("utf-8", "surrogatepass")
        for one in re.findall(rb"\S+" + tail + rb"(?=\s)", padded)
    }
    return {one for one in found if one[0].isalnum()}


def places_of(padded: bytes, sought: bytes) -> list[int]:
    """Where terms stand one after the other, or one begins, with spaces around them; they may overlap."""
    found = []
    place = padded.find(sought)
    while place >= 0:
        found.append(place)
        # The space behind a term is the one before the next.
        place = padded.find(sought, place + 1)
    return found


class _Terms:
    """The terms of all passages of a shortlist; of words that are not asked for nothing is read."""

    def __init__(self, chunks: Sequence[tuple[ListedChunk, int]], load: LoadTerms) -> None:
        self._chunks = chunks
        self._load = load
        self._some: dict[tuple[int, ...], _Terms] = {}

    @cached_property
    def _brief(self) -> list[tuple[bytes, int]] | None:
        """What is told of each chunk and where its features begin; None if not of every one."""
        found = [
            (one.brief, 2 * count) for one, count in self._chunks if count and one.brief is not None
        ]
        return found if len(found) == len(self._filled) else None

    @cached_property
    def _filled(self) -> list[ListedChunk]:
        """The chunks that have passages: others have no line."""
        return [one for one, count in self._chunks if count]

    def of_some(self, places: Sequence[int]) -> _Terms:
        """Those of the chunks at some places; what is read of them is read once."""
        some = tuple(places)
        if some not in self._some:
            self._some[some] = _Terms([self._chunks[place] for place in some], self._load)
        return self._some[some]

    @cached_property
    def _parts(self) -> list[list[bytes]]:
        missing = [one.key for one in self._filled if one.terms is None]
        loaded = self._load(missing) if missing else {}
        return [
            (loaded[one.key] if one.terms is None else one.terms).split(b"\t", 3)
            for one in self._filled
        ]

    @cached_property
    def text(self) -> _Column:
        return _Column([part[0] for part in self._parts])

    @cached_property
    def head(self) -> _Column:
        return _Column([part[1] for part in self._parts])

    @cached_property
    def features(self) -> _Column:
        if self._brief is not None:
            return _Column([brief[begin:] for brief, begin in self._brief])
        return _Column([part[2] for part in self._parts])

    def lengths(self) -> Rows:
        """The number of terms of each passage, int32 (P,)."""
        if self._brief is None:
            every: Rows = self.text.lengths() + self.head.lengths()
            return every
        packed = b"".join([brief[:begin] for brief, begin in self._brief])
        return np.frombuffer(packed, "<u2").astype(np.int32)


def _no_terms(_: Sequence[int]) -> Mapping[int, bytes]:
    return {}


def _vectors(chunks: Sequence[ListedChunk], rows: _Rows, dims: int | None) -> Vectors | None:
    """The vectors of all chunks, float32 (C, D); zeros for one without."""
    if not dims:
        return None
    found = np.zeros((len(rows.chunk_key), dims), np.float32)
    there = [
        (place, one.vector)
        for place, one in enumerate(chunks)
        if one.vector is not None and len(one.vector) == 4 * dims
    ]
    if there:
        every = np.frombuffer(b"".join([vector for _, vector in there]), np.float32)
        found[rows.of_chunk[[place for place, _ in there]]] = every.reshape(-1, dims)
    return found


class _Listed:
    """Where the reader of a shortlist fetches what it does not hold as an array."""

    def __init__(
        self,
        chunks: Sequence[ListedChunk],
        rows: _Rows,
        terms: _Terms,
        vectors: Vectors | None,
        load: Load,
        known: Mapping[Unit, KeyedPosting],
        ending: Callable[[str], Collection[str]] | None,
    ) -> None:
        self._chunks = chunks
        self._rows = rows
        self._terms = terms
        self._vectors = vectors
        self._load = load
        self._known = known
        self._ending = ending
        self._loaded: dict[int, StoredChunk] = {}
        self._postings: dict[Unit, Posting] = {}

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit among the chunks of the list."""
        made = self._postings.get(unit)
        if made is None:
            known = self._known.get(unit)
            made = self._counted(unit) if known is None else self._placed(known)
            self._postings[unit] = made
        return made

    def _placed(self, known: KeyedPosting) -> Posting:
        every = self._rows.passage_key
        if not len(every) or not len(known.keys):
            return NO_POSTING
        places = np.minimum(np.searchsorted(every, known.keys), len(every) - 1)
        here = every[places] == known.keys
        rows = self._rows.of_passage[places[here]].astype(np.int32)
        return Posting(rows, known.text[here], known.head[here]) if len(rows) else NO_POSTING

    def _counted(self, unit: Unit) -> Posting:
        sought = f" {' '.join(unit.terms)} ".encode("utf-8", "surrogatepass")
        if unit.kind == "prefix":
            sought = sought[:-1]
        # Every chunk comes with its features; its words may have to be asked for.
        if unit.terms[0].startswith(_FEATURE):
            return self._in_text(*self._terms.features.counted(sought))
        if unit.kind != "word":
            return self._in_text(*self._terms.text.counted(sought))
        return self._both(*self._terms.text.counted(sought), *self._terms.head.counted(sought))

    def among(self, unit: Unit, rows: Rows) -> Rows:
        """Those of some rows, ascending, that hold a unit; only the terms of their chunks are read."""
        is_at_hand = unit in self._known or unit in self._postings
        # Features come with every chunk, words do not.
        if unit.kind != "word" or is_at_hand or unit.terms[0].startswith(_FEATURE):
            return common_rows(self.posting(unit).rows, rows)
        every = self._rows
        here = np.unique(np.searchsorted(every.of_chunk, every.passage_chunk[rows])).tolist()
        terms = self._terms.of_some(here)
        sought = f" {unit.terms[0]} ".encode("utf-8", "surrogatepass")
        lines = np.union1d(terms.text.counted(sought)[0], terms.head.counted(sought)[0])
        # Where the passages of each of these chunks begin among all, and how many there are.
        begin, counts = (np.cumsum(every.counts) - every.counts)[here], every.counts[here]
        places = np.arange(counts.sum()) + np.repeat(begin - np.cumsum(counts) + counts, counts)
        return common_rows(every.of_passage[places[lines]].astype(np.int32), rows)

    def holding(self, words: Collection[str]) -> set[str]:
        """Those of some words that have a posting list."""
        return {one for one in words if len(self.posting(word(one)).rows)}

    def ending(self, end: str) -> set[str]:
        """The longer words with a posting list that end like this."""
        if self._ending is not None:
            return set(self._ending(end))
        return self._terms.text.ending(end)

    def _in_text(self, lines: Places, text: NDArray[np.float32]) -> Posting:
        rows = self._rows.of_passage[lines].astype(np.int32)
        return Posting(rows, text, np.zeros_like(text)) if len(rows) else NO_POSTING

    def _both(
        self, in_text: Places, text: NDArray[np.float32], in_head: Places, head: NDArray[np.float32]
    ) -> Posting:
        if not len(in_head):
            return self._in_text(in_text, text)
        lines = np.union1d(in_text, in_head)
        tf = np.zeros((2, len(lines)), np.float32)
        tf[0, np.searchsorted(lines, in_text)] = text
        tf[1, np.searchsorted(lines, in_head)] = head
        return Posting(self._rows.of_passage[lines].astype(np.int32), tf[0], tf[1])

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks."""
        if self._vectors is None:
            return np.zeros((len(chunk_rows), 1), np.float32)
        found: Vectors = self._vectors[np.asarray(chunk_rows, np.intp)]
        return found

    @cached_property
    def _passage_vectors(self) -> Quantised | None:
        counts = self._rows.counts.tolist()
        shapes = [
            vectors_shape(one.passage_vectors) if one.passage_vectors else (0, 0)
            for one in self._chunks
        ]
        kind = next((kind for _, kind in shapes if kind), 0)
        if not kind:
            return None
        fits = [shape == (count, kind) for shape, count in zip(shapes, counts, strict=True)]
        # All at once: there are hundreds of chunks with a few vectors each.
        joined = [
            one.passage_vectors
            for one, fit in zip(self._chunks, fits, strict=True)
            if fit and one.passage_vectors
        ]
        found = unpack_vectors(join_vectors(joined))
        inside = self._rows.of_passage[np.repeat(fits, self._rows.counts)]
        numbers = np.zeros((len(self._rows.passage_chunk), found.numbers.shape[1]), np.int8)
        scale = np.zeros(len(numbers), np.float32)
        numbers[inside], scale[inside] = found
        return Quantised(numbers, scale)

    def passage_vectors_of(self, rows: Rows) -> Quantised | None:
        """The vectors of some passages."""
        every = self._passage_vectors
        return None if every is None else Quantised(every.numbers[rows], every.scale[rows])

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Some chunks with their text, by row."""
        keys = {row: int(self._rows.chunk_key[row]) for row in chunk_rows}
        keys = {row: key for row, key in keys.items() if key >= 0}
        missing = [key for key in keys.values() if key not in self._loaded]
        if missing:
            self._loaded.update(self._load(missing))
        return {row: self._loaded[key] for row, key in keys.items()}


def _frequency(listed: _Listed, ask: Callable[[Unit], int], unit: Unit) -> int:
    """In how many passages a unit stands; of a feature that none of the list has, nobody is asked."""
    is_feature = unit.terms[0].startswith(_FEATURE)
    return 0 if is_feature and not len(listed.posting(unit).rows) else ask(unit)
