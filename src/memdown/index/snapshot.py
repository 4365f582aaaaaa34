"""What the ranking asks of an index, answered from its reader: the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import simsimd
from numpy.typing import NDArray

from memdown.index.bm25 import idf, length_norms, reachable, saturate
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postings import units_of
from memdown.index.reader import Reader, quantise
from memdown.index.similarity import cosines, highest
from memdown.types import (
    FILE_SPAN,
    SOURCES,
    FileState,
    Match,
    Source,
    StoredChunk,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)

Keys = NDArray[np.int64]
Mask = NDArray[np.bool_]

# A byte a number is exact to 0.003. So many of the nearest are compared by their exact vectors, which
# must be read from the index.
_EXACT = 64
_SAMPLE = 64


class _Known:
    """What follows from a reader alone and is needed by every search."""

    def __init__(self, reader: Reader) -> None:
        self._keys = reader.chunk_key
        self._passage_chunk = reader.passage_chunk
        self._first = reader.chunk_first
        self.norms = length_norms(reader.passage_length, reader.average_length)
        source = reader.file_source
        self.chunk_source = source[reader.chunk_file] if len(source) else reader.chunk_file
        self.passage_source = source[reader.passage_file] if len(source) else reader.passage_file
        alive = np.flatnonzero(reader.chunk_alive)
        self.rows = alive[np.argsort(reader.chunk_key[alive], kind="stable")]
        self.keys = reader.chunk_key[self.rows]

    @cached_property
    def passage_keys(self) -> Keys:
        """The key of each passage, int64 (P,)."""
        rows = np.arange(len(self._passage_chunk))
        found: Keys = self._keys[self._passage_chunk] + rows - self._first[self._passage_chunk]
        return found


_known: WeakKeyDictionary[Reader, _Known] = WeakKeyDictionary()


class ReaderSnapshot:
    """One unchanging view of an index, for one search."""

    def __init__(self, reader: Reader, numbers: Mapping[int, FileState]) -> None:
        self._reader = reader
        self._numbers = numbers
        known = _known.get(reader)
        if known is None:
            known = _known[reader] = _Known(reader)
        self._known = known

    def reader(self) -> Reader:
        """The read model of this state."""
        return self._reader

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by BM25."""
        reader, units = self._reader, units_of(query)
        if not units or not reader.count:
            return TextMatches((), 0.0)
        postings = [reader.posting(unit) for unit in units]
        counts = [len(posting.rows) for posting in postings]
        reach = reachable(query, counts[: len(query.words)], reader.count)
        rows = np.concatenate([posting.rows for posting in postings])
        gains = np.concatenate(
            [
                saturate(
                    np.float32(TEXT_WEIGHT) * posting.text_tf
                    + np.float32(HEAD_WEIGHT) * posting.head_tf,
                    self._known.norms[posting.rows],
                )
                * np.float32(idf(reader.count, len(posting.rows)))
                for posting in postings
            ]
        )
        found, places = np.unique(rows, return_inverse=True)
        scores = np.bincount(places, gains, minlength=len(found)).astype(np.float64)
        inside = np.isin(self._known.passage_source[found], _sources(query.sources))
        keys = self._known.passage_keys[found]
        if query.files is not None:
            inside &= np.isin(keys // FILE_SPAN, _numbers(query.files))
        best = highest(scores * inside, query.limit, above=0.0)
        order = sorted(zip((-scores[best]).tolist(), keys[best].tolist(), strict=True))
        matches = tuple(Match(key, -score) for score, key in order[: query.limit])
        return TextMatches(matches, reach)

    def match_vector(
        self,
        vector: Vector,
        sources: Sequence[Source],
        limit: int,
        files: frozenset[int] | None = None,
    ) -> list[Match]:
        """The nearest chunks; with `files`, of these files only."""
        reader = self._reader
        stored = reader.chunk_vectors
        if stored is None or not len(stored.scale) or stored.numbers.shape[1] != vector.size:
            return []
        inside = reader.chunk_alive & (stored.scale > 0)
        inside &= np.isin(self._known.chunk_source, _sources(sources))
        if files is not None:
            inside &= np.isin(reader.chunk_key // FILE_SPAN, _numbers(files))
        asked = quantise(vector[None, :])
        scores = np.asarray(simsimd.cdist(asked.numbers, stored.numbers, "dot"))[0]
        scores = scores * (stored.scale * asked.scale[0])
        scores[~inside] = -np.inf
        best = highest(scores.astype(np.float64), max(limit, _EXACT))
        best = best[inside[best]]
        exact = scores[best]
        nearest = np.argsort(-exact, kind="stable")[:_EXACT]
        exact[nearest] = cosines(reader.vectors_of(best[nearest].tolist()), vector)
        keys = reader.chunk_key[best]
        first = np.lexsort((keys, -exact))[:limit]
        return list(map(Match, keys[first].tolist(), exact[first].tolist()))

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return self._numbers

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are, as far as they have vectors of this length."""
        rows = self._rows(chunk_keys)
        stored = self._reader.chunk_vectors
        if stored is None or stored.numbers.shape[1] != vector.size:
            return {}
        rows = rows[stored.scale[rows] > 0]
        if len(rows) <= _EXACT:
            exact = cosines(self._reader.vectors_of(rows.tolist()), vector)
        else:
            exact = (stored.numbers[rows] @ vector) * stored.scale[rows]
        return dict(zip(self._reader.chunk_key[rows].tolist(), exact.tolist(), strict=True))

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by the beginnings of some files."""
        stored = self._reader.chunk_vectors
        if stored is None or stored.numbers.shape[1] != vector.size:
            return 0.0
        number = SOURCES.index(source)
        rows = self._known.rows
        mine = rows[self._known.chunk_source[rows] == number]
        first = mine[np.flatnonzero(np.diff(self._reader.chunk_file[mine], prepend=-1))]
        first = first[:: max(1, len(first) // _SAMPLE)]
        first = first[stored.scale[first] > 0]
        if not len(first):
            return 0.0
        near = (stored.numbers[first] @ vector) * stored.scale[first]
        return float(near.mean())

    def chunk_keys(self, passage_keys: Sequence[int]) -> dict[int, int]:
        """The key of the chunk that holds each passage."""
        keys = self._known.keys
        if not len(keys):
            return {}
        places = np.searchsorted(keys, np.asarray(passage_keys, np.int64), side="right") - 1
        return dict(zip(passage_keys, keys[places.clip(min=0)].tolist(), strict=True))

    def load(self, chunk_keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks by their keys."""
        rows = self._rows(chunk_keys).tolist()
        return {one.key: one for one in self._reader.chunks(rows).values()}

    def all_vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys and vectors of all chunks, or of evenly drawn ones."""
        stored = self._reader.chunk_vectors
        rows = self._known.rows
        rows = rows[:0] if stored is None else rows[stored.scale[rows] > 0]
        rows = rows[:: max(1, -(-len(rows) // limit))]
        return self._reader.chunk_key[rows].tolist(), self._reader.vectors_of(rows.tolist())

    def _rows(self, chunk_keys: Sequence[int]) -> Keys:
        """The rows of the chunks with these keys, as far as there are any."""
        wanted, keys = np.array(chunk_keys, np.int64), self._known.keys
        if not len(keys):
            return np.empty(0, np.int64)
        places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        found: Keys = self._known.rows[places[keys[places] == wanted]]
        return found


def _sources(sources: Sequence[Source]) -> list[int]:
    return [SOURCES.index(source) for source in sources]


def _numbers(files: frozenset[int]) -> Keys:
    return np.fromiter(files, np.int64, len(files))
