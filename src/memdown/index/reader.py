"""The read model: one state of an index as arrays, the same for every engine.

Passages are rows of arrays. All passages of a file stand side by side and in the order of the document,
so a neighbour of a passage is the row before or after it, if that is of the same file. A file that
changed is struck as a whole and appended as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import length_norms
from memdown.index.passage_vectors import passage_texts, shorten
from memdown.index.passages import feature_terms, passage_terms
from memdown.text.cues import CHANGES
from memdown.types import FILE_SPAN, SOURCES, Chunk, FileState, Source, StoredChunk, Vector, Vectors
from memdown.values import dataclass

Rows = NDArray[np.int32]
Counts = NDArray[np.float32]
Often = NDArray[np.float32] | NDArray[np.uint8]
Bytes = NDArray[np.int8]
Mask = NDArray[np.bool_]

_BYTE, _HALF_BYTE = 127.0, 7.0
# Each step of a search asks for the units of the same words.
_CACHED_WORDS = 4_096
# So many posting lists without struck passages are kept.
_MOST_LIVING = 256
# So many passages tell what an average one is like.
_DRAWN = 512


class Unit(NamedTuple):
    """Something to look up: a word in text and heads, a prefix or a phrase in the text alone."""

    kind: Literal["word", "prefix", "phrase"]
    terms: tuple[str, ...]


@lru_cache(maxsize=_CACHED_WORDS)
def word(term: str) -> Unit:
    """The unit of one whole term; feature terms are words as well."""
    return Unit("word", (term,))


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What a search looks for. A store may give it a reader of those chunks alone that may answer.

    Only `sources` and, if not None, the files with the numbers `files` may be found; those of `preferred`,
    such as of a time that is named, must be represented. By its words the best `passages` are wanted, by
    the meaning of `vector` the best `chunks`, of each source.
    """

    words: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    vector: Vector | None = None
    sources: tuple[Source, ...] = SOURCES
    files: frozenset[int] | None = None
    preferred: frozenset[int] = frozenset()
    passages: int = 300
    chunks: int = 40

    def units(self) -> list[Unit]:
        """All that is looked up, each once."""
        phrases = (phrase for phrase in self.phrases if len(phrase) > 1)
        found = [
            *map(word, self.words),
            *(Unit("prefix", (prefix,)) for prefix in self.prefixes),
            *(Unit("phrase", phrase) for phrase in phrases),
        ]
        return list(dict.fromkeys(found))


class Posting(NamedTuple):
    """The posting list of a unit.

    `rows`, shape (n,), are the passages that hold it, ascending and each once; `text_tf` and `head_tf`,
    shape (n,), how often each holds it in its text and in what stands above it, as floats or bytes.
    Struck passages may be among them.
    """

    rows: Rows
    text_tf: Often
    head_tf: Often


NO_POSTING = Posting(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32))


class Origin(Protocol):
    """Where a reader fetches what it does not hold as an array; one unchanging view of an index."""

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit; `NO_POSTING` if no passage holds it."""

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks, shape (n, D), in the order asked for."""

    def passage_vectors_of(self, rows: Rows) -> Quantised | None:
        """The vectors of some passages, n of them; None where passages have none of their own."""

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """The text of some chunks by row: the only read of text in a search."""


@runtime_checkable
class Lexicon(Protocol):
    """An origin that can tell at once which of many words it has at all, and which end alike."""

    def holding(self, words: Collection[str]) -> set[str]:
        """Those of some words that have a posting list."""

    def ending(self, end: str) -> set[str]:
        """The longer words with a posting list that end like this."""


@runtime_checkable
class Sparing(Protocol):
    """An origin that need not have the whole posting list of a unit to tell which of some passages hold it."""

    def among(self, unit: Unit, rows: Rows) -> Rows:
        """Those of some rows, ascending, that hold a unit."""


@runtime_checkable
class Fetching(Protocol):
    """An origin that has several posting lists at hand in less time if it is asked for them together."""

    def fetch(self, units: Collection[Unit]) -> None:
        """Have the posting lists of some units at hand."""


class Quantised(NamedTuple):
    """Vectors of length one as bytes: `numbers` int8 (n, D) times `scale` float32 (n,)."""

    numbers: Bytes
    scale: Counts


def quantise(vectors: Vectors) -> Quantised:
    """Float vectors, shape (n, D), as one byte a number."""
    scale = np.abs(vectors).max(axis=1, initial=1e-9) / np.float32(_BYTE)
    numbers = np.rint(vectors / scale[:, None]).astype(np.int8)
    return Quantised(numbers, scale.astype(np.float32))


class QuantisedOne(NamedTuple):
    """One vector as bytes: `numbers` int8 (D,) times `scale`."""

    numbers: Bytes
    scale: np.float32


def quantise_one(vector: Vector) -> QuantisedOne:
    """A float vector as one byte a number."""
    scale: np.float32 = np.abs(vector).max(initial=1e-9) / np.float32(_BYTE)
    return QuantisedOne(np.rint(vector / scale).astype(np.int8), scale)


def quantise_passages(vectors: Vectors) -> Quantised:
    """Float vectors, shape (n, D), as numbers from -7 to 7, each row as long as it was."""
    largest = np.abs(vectors).max(axis=1, initial=1e-9) / np.float32(_HALF_BYTE)
    rounded = np.rint(vectors / largest[:, None])
    lengths = np.maximum(np.linalg.norm(rounded, axis=1), np.float32(1e-9))
    scale = np.linalg.norm(vectors, axis=1) / lengths
    return Quantised(rounded.astype(np.int8), scale.astype(np.float32))


def quantise_stored(vectors: Vectors) -> Quantised:
    """The same, where a row of zeros stands for a vector that there is none of: its scale is 0."""
    numbers, scale = quantise(vectors)
    return Quantised(numbers, np.where(vectors.any(axis=1), scale, np.float32(0)))


def common_rows(one: Rows, other: Rows) -> Rows:
    """The rows that are in both; of a short list and a long one, without sorting them together."""
    few, many = (one, other) if len(one) < len(other) else (other, one)
    if not len(few):
        return few
    found: Rows = few[many.take(many.searchsorted(few), mode="clip") == few]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What is true of a whole index, for a reader that has only some of its chunks.

    `chunks` counts them by source, `chunk_mean` float32 (D,) is their mean vector, `passage_mean` that of
    passages; `frequency` gives the number of passages that hold a unit.
    """

    passages: int
    average_length: float
    chunks: Mapping[Source, int]
    chunk_mean: Mapping[Source, Vector]
    passage_mean: Vector | None
    frequency: Callable[[Unit], int]


@dataclass(frozen=True, eq=False)
class Reader:
    """One state of an index, or of the chunks of it that may answer a question: F files, C chunks and P
    passages. With `whole`, counts, averages and frequencies are those of the whole index.

    `file_source` uint8 (F,) is a place in `SOURCES`. Of passages: `passage_file` and `passage_chunk`
    int32 (P,) are rows of their file and chunk, `passage_lines` int32 (P, 2) the first and last line
    from 1, `passage_length` int32 (P,) the number of terms of text and head, `alive` bool (P,) is
    False for what was struck. Of chunks: `chunk_key` int64 (C,), `chunk_file` int32 (C,),
    `chunk_alive` bool (C,). `chunk_vectors` are bytes with a scale per row, None where there are none; a
    chunk without a vector has scale 0.
    """

    files: Sequence[FileState]
    file_source: NDArray[np.uint8]
    passage_file: Rows
    passage_chunk: Rows
    passage_lines: Rows
    passage_length: Rows
    alive: Mask
    chunk_key: NDArray[np.int64]
    chunk_file: Rows
    chunk_alive: Mask
    chunk_vectors: Quantised | None
    origin: Origin
    whole: Whole | None = None

    @cached_property
    def is_unstruck(self) -> bool:
        """Whether every row is alive."""
        return bool(self.alive.all())

    @cached_property
    def count(self) -> int:
        """How many passages the index has."""
        return self.whole.passages if self.whole else int(np.count_nonzero(self.alive))

    @cached_property
    def average_length(self) -> float:
        """The mean number of terms of a passage; 1 if there are none."""
        if self.whole is not None:
            return self.whole.average_length
        total = int(self.passage_length.sum(where=self.alive, dtype=np.int64))
        return total / self.count if total else 1.0

    @cached_property
    def length_norms(self) -> NDArray[np.float32]:
        """What the length of each passage adds to the denominator of BM25, shape (P,)."""
        return length_norms(self.passage_length, self.average_length)

    @cached_property
    def least_norm(self) -> float:
        """The least of them."""
        return float(self.length_norms.min(initial=np.inf))

    @cached_property
    def _spare(self) -> list[Rows]:
        """Arrays of P numbers that nobody uses just now; several threads may read at once."""
        return []

    def places_in(self, listed: Rows, rows: Rows) -> Rows:
        """Where `rows` stand among `listed` ones, int32 (n,): of one that is listed twice the last place, and
        any number for those that are not.

        By one look at a number of each passage: to search for thousands takes several times as long.
        """
        try:
            numbers = self._spare.pop()
        except IndexError:
            numbers = np.zeros(len(self.passage_file), np.int32)
        numbers[listed] = np.arange(len(listed), dtype=np.int32)
        found: Rows = numbers.take(rows)
        self._spare.append(numbers)
        return found

    @cached_property
    def chunk_first(self) -> Rows:
        """The row of each chunk's first passage, shape (C,)."""
        first = np.full(len(self.chunk_key), -1, np.int32)
        rows = np.arange(len(self.passage_chunk), dtype=np.int32)
        first[self.passage_chunk[::-1]] = rows[::-1]
        return first

    @cached_property
    def chunk_passages(self) -> NDArray[np.int64]:
        """How many passages each chunk has, int64 (C,); they stand in a row."""
        return np.bincount(self.passage_chunk, minlength=len(self.chunk_key))

    @cached_property
    def file_number(self) -> NDArray[np.int64]:
        """The number of each file in the keys of its chunks, shape (F,); -1 for a file without any."""
        numbers = np.full(len(self.files), -1, np.int64)
        # What was struck points at a file that may have another number by now.
        living = np.flatnonzero(self.chunk_alive)
        numbers[self.chunk_file[living]] = self.chunk_key[living] // FILE_SPAN
        return numbers

    @cached_property
    def file_of(self) -> Mapping[int, FileState]:
        """Each file by its number in the keys of its chunks."""
        return dict(zip(self.file_number.tolist(), self.files, strict=True))

    @cached_property
    def file_bounds(self) -> Rows:
        """The first passage row of each file and the one after its last, shape (F, 2)."""
        bounds = np.zeros((len(self.files), 2), np.int32)
        rows = np.arange(len(self.passage_file), dtype=np.int32)
        bounds[self.passage_file[::-1], 0] = rows[::-1]
        bounds[self.passage_file, 1] = rows + 1
        return bounds

    @cached_property
    def _by_key(self) -> NDArray[np.int64]:
        return np.argsort(np.where(self.chunk_alive, self.chunk_key, -1), kind="stable")

    @cached_property
    def _sorted_keys(self) -> NDArray[np.int64]:
        """The keys in the order of `_by_key`; -1 for chunks that were struck."""
        return np.where(self.chunk_alive, self.chunk_key, -1)[self._by_key]

    def rows_of(self, keys: Sequence[int]) -> list[int]:
        """The rows of the chunks with these keys, each once."""
        places = self._sorted_keys.searchsorted(np.array(sorted(set(keys)), np.int64))
        rows: list[int] = self._by_key[places].tolist()
        return rows

    def rows_with(self, passages: Sequence[int]) -> list[int]:
        """The rows of the chunks that hold the passages with these keys; keys that none has are left out."""
        keys = self._sorted_keys
        found = set()
        for key, behind in zip(passages, keys.searchsorted(passages, "right"), strict=True):
            place = behind - 1
            if place >= 0 and keys[place] >= 0:
                row = int(self._by_key[place])
                if key < keys[place] + self.chunk_passages[row]:
                    found.add(row)
        return sorted(found)

    @cached_property
    def passage_mean(self) -> Vector | None:
        """The mean of some passages' vectors, evenly drawn; None where passages have none."""
        if self.whole is not None:
            return self.whole.passage_mean
        rows = np.flatnonzero(self.alive)
        drawn = rows[:: max(1, -(-len(rows) // _DRAWN))].astype(np.int32)
        vectors = self.passage_vectors_of(drawn) if len(drawn) else None
        if vectors is None:
            return None
        mean: Vector = (vectors.numbers * vectors.scale[:, None]).mean(axis=0)
        return mean

    def fetch(self, units: Collection[Unit]) -> None:
        """Have the posting lists of some units at hand, which are asked for next."""
        if self._fetching is not None:
            self._fetching.fetch(units)

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit, of living passages only."""
        posting = self.origin.posting(unit)
        if self.is_unstruck:
            return posting
        at = posting.rows.searchsorted(self._struck_runs)
        if (at[::2] == at[1::2]).all():
            return posting
        known = self._living.get(unit)
        if known is None:
            keep = self.alive[posting.rows]
            known = Posting(posting.rows[keep], posting.text_tf[keep], posting.head_tf[keep])
            if len(self._living) >= _MOST_LIVING:
                self._living.clear()
            self._living[unit] = known
        return known

    @cached_property
    def _struck_runs(self) -> Rows:
        """The first row of each run of struck rows and the one after its last, one after the other: files are
        struck as a whole."""
        alive = np.concatenate([[True], self.alive, [True]])
        return np.flatnonzero(alive[1:] != alive[:-1]).astype(np.int32)

    @cached_property
    def _living(self) -> dict[Unit, Posting]:
        """Posting lists without what was struck: of what is asked for once, more is asked in the same search."""
        return {}

    def among(self, unit: Unit, rows: Rows) -> Rows:
        """Those of some rows of living passages, ascending, that hold a unit."""
        if self._sparing is not None:
            return self._sparing.among(unit, rows)
        return common_rows(self.posting(unit).rows, rows)

    def among_changes(self, unit: Unit) -> Rows:
        """The rows of living passages that hold a unit and tell of a change, ascending."""
        if self._sparing is not None:
            return self._sparing.among(unit, self.posting(word(CHANGES)).rows)
        rows = self.posting(unit).rows
        found: Rows = rows[self.tells(word(CHANGES)).take(rows)]
        return found

    def tells(self, unit: Unit) -> Mask:
        """Which living passages have a feature that many have, bool (P,): a look at some takes less time than to look
        for them in a list of thousands."""
        known = self._masks.get(unit)
        if known is None:
            known = np.zeros(len(self.alive), bool)
            known[self.posting(unit).rows] = True
            self._masks[unit] = known
        return known

    @cached_property
    def _masks(self) -> dict[Unit, Mask]:
        """Masks of features; there are five that many passages have."""
        return {}

    # Whether an object has the methods of a protocol takes longer to find out than most of what is asked of it.
    @cached_property
    def _sparing(self) -> Sparing | None:
        return self.origin if isinstance(self.origin, Sparing) else None

    @cached_property
    def _fetching(self) -> Fetching | None:
        return self.origin if isinstance(self.origin, Fetching) else None

    @cached_property
    def _lexicon(self) -> Lexicon | None:
        return self.origin if isinstance(self.origin, Lexicon) else None

    def holding(self, words: Sequence[str], files: Mask | None) -> Iterator[str]:
        """Those of some words, in order, that a living passage of some `files`, bool (F,), holds."""
        there = set(words) if self._lexicon is None else self._lexicon.holding(words)
        for one in words:
            if one in there:
                rows = self.posting(word(one)).rows
                if len(rows) if files is None else files[self.passage_file[rows]].any():
                    yield one

    def ending(self, end: str) -> list[str]:
        """The longer words that end like this, in order; none where an engine cannot tell."""
        return [] if self._lexicon is None else sorted(self._lexicon.ending(end))

    def document_frequency(self, unit: Unit) -> int:
        """How many passages of the index hold a unit."""
        return self.frequency_of(unit, self.posting(unit))

    def frequency_of(self, unit: Unit, posting: Posting) -> int:
        """The same, of a unit whose posting list is known."""
        return self.whole.frequency(unit) if self.whole else len(posting.rows)

    def chunk_count(self, files: Mask | None) -> int:
        """How many chunks the index has of the sources of some `files`, bool (F,), or in all."""
        if self.whole is not None:
            return sum(self.whole.chunks.get(source, 0) for source in self._sources(files))
        return self._chunks_alive if files is None else self._count_chunks(files)

    @cached_property
    def _chunks_alive(self) -> int:
        return self._count_chunks(None)

    def _count_chunks(self, files: Mask | None) -> int:
        return int(np.count_nonzero(self.chunks_within(files)))

    def chunks_within(self, files: Mask | None) -> Mask:
        """Which chunks of some `files`, bool (F,), or of all, are alive: bool (C,)."""
        return self.chunk_alive if files is None else files[self.chunk_file] & self.chunk_alive

    @cached_property
    def _is_embedded(self) -> bool:
        """Whether every chunk is alive and has a vector."""
        vectors = self.chunk_vectors
        return vectors is not None and bool(self.chunk_alive.all() and (vectors.scale > 0).all())

    def embedded_within(self, files: Mask | None) -> Mask | None:
        """Which chunks of some `files`, bool (F,), or of all, have vectors: bool (C,); None if every one."""
        if files is None:
            return None if self._is_embedded else self._embedded
        return files[self.chunk_file] & self._embedded

    @cached_property
    def _embedded(self) -> Mask:
        """Which living chunks have vectors, bool (C,)."""
        there = self.chunks_within(None)
        return there if self.chunk_vectors is None else there & (self.chunk_vectors.scale > 0)

    def chunk_background(self, similarity: Counts, vector: Vector, files: Mask | None) -> float:
        """The mean cosine of the chunks of some `files`; `similarity` float32 (C,) are all there is.

        Chunks without a vector do not count.
        """
        if self.whole is not None:
            of = {one: self.whole.chunks.get(one, 0) for one in self._sources(files)}
            total = sum(
                float(self.whole.chunk_mean[one] @ vector) * of[one] for one in of if of[one]
            )
            return total / max(1, sum(of.values()))
        there = self.embedded_within(files)
        if there is None:
            return float(similarity.mean()) if len(similarity) else 0.0
        return float(similarity.mean(where=there)) if there.any() else 0.0

    def _sources(self, files: Mask | None) -> list[Source]:
        found = self.file_source if files is None else self.file_source[files]
        return [SOURCES[number] for number in sorted(set(found.tolist()))]

    @cached_property
    def sources(self) -> frozenset[Source]:
        """The sources that it has files of."""
        return frozenset(self._sources(None))

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks, shape (n, D)."""
        return self.origin.vectors_of(chunk_rows)

    def passage_vectors_of(self, rows: Rows) -> Quantised | None:
        """The vectors of some passages, of fewer dimensions than those of chunks; None if there are none."""
        return self.origin.passage_vectors_of(rows)

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """The text of some chunks by row."""
        return self.origin.chunks(chunk_rows)

    def texts(self, rows: Sequence[int]) -> list[str]:
        """The texts of some passages; their chunks are read at once."""
        numbers = [int(self.passage_chunk[row]) for row in rows]
        stored = self.chunks(sorted(set(numbers)))
        found = []
        for row, number in zip(rows, numbers, strict=True):
            chunk = stored[number].chunk
            passage = chunk.passages[row - int(self.chunk_first[number])]
            found.append(chunk.text[passage.start : passage.end])
        return found


class IndexedChunks(NamedTuple):
    """One file for a reader in memory; `vectors`, shape (n, D), are of its chunks."""

    state: FileState
    chunks: Sequence[Chunk]
    vectors: Vectors | None = None


def read_in_memory(
    files: Sequence[IndexedChunks],
    embed_passages: Callable[[Sequence[str]], Vectors] | None = None,
) -> Reader:
    """A reader over chunks at hand: for tests, tuning and as the reference of every engine.

    With `embed_passages` each passage gets a vector of its own. A file without `vectors` is found by
    its words only.
    """
    origin = _InMemory()
    for number, (state, chunks, _) in enumerate(files):
        origin.add(number, state, chunks)
    dims = next((v.shape[1] for _, _, v in files if v is not None and len(v)), 0)
    if dims:
        parts = [
            np.zeros((len(chunks), dims), np.float32) if vectors is None else vectors
            for _, chunks, vectors in files
        ]
        origin.vectors = np.concatenate([np.empty((0, dims), np.float32), *parts])
    passages = origin.passages
    lines = [(one.start_line, one.end_line) for one in passages]
    if embed_passages:
        origin.passage_vectors = quantise_passages(shorten(embed_passages(origin.texts)))
    return Reader(
        files=[state for state, _, _ in files],
        file_source=np.array([SOURCES.index(one.state.source) for one in files], np.uint8),
        passage_file=np.array(origin.passage_file, np.int32),
        passage_chunk=np.array(origin.passage_chunk, np.int32),
        passage_lines=np.array(lines, np.int32).reshape(-1, 2),
        passage_length=np.array(origin.lengths, np.int32),
        alive=np.ones(len(passages), bool),
        chunk_key=np.array([one.key for one in origin.stored], np.int64),
        chunk_file=np.array(origin.chunk_file, np.int32),
        chunk_alive=np.ones(len(origin.stored), bool),
        chunk_vectors=quantise_stored(origin.vectors) if dims else None,
        origin=origin,
    )


class _InMemory:
    """Chunks, posting lists and vectors of a reader that nothing is stored of."""

    def __init__(self) -> None:
        self.stored: list[StoredChunk] = []
        self.chunk_file: list[int] = []
        self.passages: list[_Lines] = []
        self.texts: list[str] = []
        self.passage_file: list[int] = []
        self.passage_chunk: list[int] = []
        self.lengths: list[int] = []
        self.vectors: Vectors = np.empty((0, 0), np.float32)
        self.passage_vectors: Quantised | None = None
        self._terms: list[Sequence[str]] = []
        self._counts: dict[str, dict[int, list[float]]] = defaultdict(dict)
        self._postings: dict[Unit, Posting] = {}
        self._vocabulary: list[str] | None = None

    def add(self, file: int, state: FileState, chunks: Sequence[Chunk]) -> None:
        """Append a file."""
        begins = len(self.passages)
        for chunk in chunks:
            key = file * FILE_SPAN + len(self.passages) - begins
            row = len(self.stored)
            self.stored.append(StoredChunk(key, chunk, state.date))
            self.chunk_file.append(file)
            self.texts += passage_texts(chunk)
            every = zip(chunk.passages, passage_terms(chunk), feature_terms(chunk), strict=True)
            for passage, terms, features in every:
                number = len(self.passages)
                self.passages.append(_Lines(passage.start_line, passage.end_line))
                self.passage_file.append(file)
                self.passage_chunk.append(row)
                self._count(number, *terms)
                for feature in features:
                    self._counts[feature][number] = [1.0, 0.0]

    def _count(self, number: int, text: Sequence[str], head: Sequence[str]) -> None:
        for place, terms in enumerate((text, head)):
            for term in terms:
                self._counts[term].setdefault(number, [0.0, 0.0])[place] += 1
        self.lengths.append(len(text) + len(head))
        self._terms.append(text)

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit."""
        if unit not in self._postings:
            self._postings[unit] = self._made(unit)
        return self._postings[unit]

    def _made(self, unit: Unit) -> Posting:
        if unit.kind == "word":
            return _posting(self._counts.get(unit.terms[0], {}))
        found: dict[int, list[float]] = {}
        if unit.kind == "prefix":
            for term in self._beginning_with(unit.terms[0]):
                for row, (often, _) in self._counts[term].items():
                    if often:
                        found.setdefault(row, [0.0, 0.0])[0] += often
            return _posting(found)
        rows = set.intersection(*(set(self._counts.get(term, {})) for term in unit.terms))
        size = len(unit.terms)
        for row in rows:
            terms = tuple(self._terms[row])
            often = sum(terms[n : n + size] == unit.terms for n in range(len(terms) - size + 1))
            if often:
                found[row] = [float(often), 0.0]
        return _posting(found)

    def _beginning_with(self, prefix: str) -> Iterable[str]:
        if self._vocabulary is None:
            self._vocabulary = sorted(self._counts)
        for place in range(bisect_left(self._vocabulary, prefix), len(self._vocabulary)):
            if not self._vocabulary[place].startswith(prefix):
                return
            yield self._vocabulary[place]

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks."""
        found: Vector = self.vectors[np.asarray(chunk_rows, np.intp)]
        return found

    def passage_vectors_of(self, rows: Rows) -> Quantised | None:
        """The vectors of some passages."""
        every = self.passage_vectors
        return Quantised(every.numbers[rows], every.scale[rows]) if every else None

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Some chunks by row."""
        return {row: self.stored[row] for row in chunk_rows}


class _Lines(NamedTuple):
    start_line: int
    end_line: int


def _posting(counts: Mapping[int, Sequence[float]]) -> Posting:
    if not counts:
        return NO_POSTING
    rows = np.fromiter(counts.keys(), np.int32, len(counts))
    often = np.array(list(counts.values()), np.float32)
    order = np.argsort(rows, kind="stable")
    return Posting(rows[order], often[order, 0], often[order, 1])
