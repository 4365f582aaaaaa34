"""A copy of an index that lies elsewhere, in the memory of a process that searches again and again.

The first search is answered by the index itself. At the second a thread begins to read the copy;
when it is there, searches are answered from memory, which follows the index from change to change.
"""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memdown.errors import MemdownError
from memdown.index.inverted import Inverted
from memdown.index.nearest import Gathered, Nearest
from memdown.index.packing import source_keys
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postings import Holders, NewPassage, Postings, units_of
from memdown.index.reader import Unit
from memdown.types import (
    SOURCES,
    FileState,
    Match,
    Source,
    TextMatches,
    TextQuery,
    Vector,
    Vectors,
)

log = logging.getLogger("memdown")

Keys = NDArray[np.int64]
Mask = NDArray[np.bool_]

# What one copy may take: about 100,000 chunks with vectors of 256 numbers.
MOST_BYTES = 256 << 20
_BYTES_A_TERM, _BYTES_A_NUMBER = 9, 2


@dataclass(frozen=True, slots=True)
class State:
    """Which index it is, how long its vectors are, and at which revision it is."""

    name: object
    dims: int | None
    revision: int

    @property
    def kind(self) -> object:
        """What stays the same from one revision to the next."""
        return self.name, self.dims


class Changes(NamedTuple):
    """What happened since a revision: which rows are out of date, and what is new."""

    stale: Callable[[Keys], Mask]
    passages: Sequence[NewPassage]
    chunks: Keys
    vectors: tuple[Keys, Vectors]


class Origin(Protocol):
    """One unchanging view of the index."""

    @property
    def state(self) -> State: ...

    def size(self) -> tuple[int, int]:
        """How many terms and how many chunks there are."""

    def words(self) -> Inverted:
        """The terms of all passages."""

    def chunks(self) -> Keys:
        """The keys of all chunks, in order."""

    def all_rows(self, dims: int) -> Iterable[tuple[Keys, Vectors]]:
        """All vectors, in as many parts as is convenient."""

    def changes(self, revision: int) -> Changes | None:
        """What changed after a revision; None if that cannot be told any more."""

    def sample(self, source: Source) -> list[int]:
        """The keys of some chunks, evenly drawn."""


class View:
    """The copy at one revision. Thread-safe; later changes make another one."""

    def __init__(self, origin: Origin) -> None:
        self.state = origin.state
        self._lock = threading.Lock()
        self._words = origin.words()
        self._postings = Postings(self._words.keys, self._words.lengths)
        self._struck: Mask = np.zeros(len(self._words.keys), bool)
        self._added: list[NewPassage] = []
        self._chunks = origin.chunks()
        self._gathered = _gathered(origin, self.state.dims, self._chunks)
        self._files: Mapping[int, FileState] | None = None
        self._look(_samples(origin))

    def followed(self, origin: Origin) -> View | None:
        """The copy at the origin's revision; None if it must be made anew."""
        found, samples = origin.changes(self.state.revision), _samples(origin)
        if found is None:
            return None
        new = copy.copy(self)
        new._lock = threading.Lock()
        new._files = None
        with self._lock:
            new._postings = self._postings.copy()
        if not new._postings.change(found.stale, found.passages):
            return None
        new.state = origin.state
        new._struck = self._struck | found.stale(self._words.keys)
        old = np.array([one.key for one in self._added], np.int64)
        gone = found.stale(old).tolist()
        kept = [one for one, stale in zip(self._added, gone, strict=True) if not stale]
        new._added = [*kept, *found.passages]
        alive = self._chunks[~found.stale(self._chunks)]
        new._chunks = np.sort(np.concatenate([alive, found.chunks]))
        for source, gathered in self._gathered.items():
            gathered.strike(found.stale)
            keys, rows = _within(source, *found.vectors)
            if len(keys):
                gathered.append(keys, rows)
        new._look(samples)
        return new

    def match_text(self, query: TextQuery) -> TextMatches:
        """The best passages by keyword."""
        units = units_of(query)
        if not units:
            return TextMatches((), 0.0)
        with self._lock:
            ready = self._postings.ready(units, self._holders)
        return ready.match(query, [source_keys(source) for source in query.sources])

    def match_vector(
        self,
        vector: Vector,
        sources: Sequence[Source],
        limit: int,
        files: frozenset[int] | None = None,
    ) -> list[Match]:
        """The nearest chunks; with `files`, of these files only."""
        near = [one for source in sources for one in self._near[source].match(vector, limit, files)]
        return sorted(near, key=lambda match: (-match.score, match.key))[:limit]

    def similarities(self, vector: Vector, chunk_keys: Sequence[int]) -> dict[int, float]:
        """How close some chunks are."""
        each = [near.similarities(vector, chunk_keys) for near in self._near.values()]
        return {key: score for some in each for key, score in some.items()}

    def background(self, vector: Vector, source: Source) -> float:
        """How similar an average chunk of a source is, judged by some of them."""
        return float(self._middle[source] @ vector)

    def chunk_keys(self, passages: Sequence[int]) -> dict[int, int]:
        """The chunk of each passage: the one with the largest key not above it."""
        if not len(self._chunks):
            return {}
        places = np.searchsorted(self._chunks, np.asarray(passages, np.int64), side="right") - 1
        return dict(zip(passages, self._chunks[places].tolist(), strict=True))

    @property
    def keys(self) -> Keys:
        """The keys of all chunks, in order."""
        return self._chunks

    def files(self, read: Callable[[], Mapping[int, FileState]]) -> Mapping[int, FileState]:
        """Every file by its number; read when it is first asked for."""
        known = self._files
        if known is None:
            known = self._files = read()
        return known

    def _look(self, samples: Mapping[Source, list[int]]) -> None:
        self._near: dict[Source, Nearest] = {
            source: gathered.now() for source, gathered in self._gathered.items()
        }
        self._middle = {source: one.middle(samples[source]) for source, one in self._near.items()}

    def _holders(self, unit: Unit) -> Holders:
        """The passages that hold a unit now."""
        keys, often = self._words.holders(unit)
        if self._struck.any():
            alive = ~self._struck[np.searchsorted(self._words.keys, keys)]
            keys, often = keys[alive], often[alive]
        new = {one.key: _often(unit, one) for one in self._added}
        new = {key: count for key, count in new.items() if count}
        if not new:
            return Holders(keys, often)
        return Holders(
            np.concatenate([keys, np.fromiter(new.keys(), np.int64, len(new))]),
            np.concatenate([often, np.fromiter(new.values(), np.float32, len(new))]),
        )


class Mirror:
    """Makes the copy and keeps it in step. Thread-safe.

    With `at_once` the first search waits for the copy, for an index that cannot answer by itself.
    """

    def __init__(
        self, look: Callable[[], AbstractContextManager[Origin]], *, at_once: bool = False
    ) -> None:
        self._look = look
        self._at_once = at_once
        self._lock = threading.Lock()
        self._view: View | None = None
        self._reading: threading.Thread | None = None
        self._too_large: object = None
        self._asked = False
        self._closed = False

    def view(self, origin: Origin) -> View | None:
        """The copy as the origin is; None if only the index itself can tell."""
        state = origin.state
        with self._lock:
            view = self._view
            if view is not None and view.state.kind == state.kind:
                if view.state.revision == state.revision:
                    return view
                if view.state.revision > state.revision and not self._at_once:
                    # This search began before the change that another has seen already.
                    return None
                view = view.followed(origin)
                if view is not None:
                    self._view = view
                    return view
            self._view = View(origin) if self._at_once else None
            if self._view is None:
                self._begin(state)
            return self._view

    def wait(self) -> None:
        """Until what is being read is there."""
        reading = self._reading
        if reading is not None:
            reading.join()

    def close(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._closed = True
            self._view = None

    def _begin(self, state: State) -> None:
        first, self._asked = not self._asked, True
        if first or self._closed or self._too_large == state.kind or self._reading is not None:
            return
        self._reading = threading.Thread(target=self._read, name="memdown-mirror", daemon=True)
        self._reading.start()

    def _read(self) -> None:
        view, large = None, None
        try:
            with self._look() as origin:
                if _bytes(origin) > MOST_BYTES:
                    large = origin.state.kind
                elif not self._closed:
                    view = View(origin)
        except MemdownError as error:
            log.info("The index could not be read into memory: %s", error)
        finally:
            with self._lock:
                self._reading = None
                self._too_large = large
                if not self._closed:
                    self._view = view


def _samples(origin: Origin) -> dict[Source, list[int]]:
    return {source: origin.sample(source) for source in SOURCES}


def _bytes(origin: Origin) -> int:
    terms, chunks = origin.size()
    return terms * _BYTES_A_TERM + chunks * (origin.state.dims or 0) * _BYTES_A_NUMBER


def _gathered(origin: Origin, dims: int | None, chunks: Keys) -> dict[Source, Gathered]:
    if dims is None:
        return {}
    gathered = {source: Gathered(dims, len(chunks)) for source in SOURCES}
    for keys, rows in origin.all_rows(dims):
        for source, some in gathered.items():
            mine, vectors = _within(source, keys, rows)
            if len(mine):
                some.append(mine, vectors)
    return gathered


def _within(source: Source, keys: Keys, rows: Vectors) -> tuple[Keys, Vectors]:
    bounds = source_keys(source)
    mine = (keys >= bounds.start) & (keys < bounds.stop)
    return (keys, rows) if mine.all() else (keys[mine], rows[mine])


def _often(unit: Unit, passage: NewPassage) -> float:
    """How often a passage that was added holds a unit, by weight."""
    text = passage.text
    if unit.kind == "word":
        (word,) = unit.terms
        return TEXT_WEIGHT * text.count(word) + HEAD_WEIGHT * passage.head.count(word)
    if unit.kind == "prefix":
        return TEXT_WEIGHT * sum(term.startswith(unit.terms[0]) for term in text)
    size = len(unit.terms)
    starts = range(len(text) - size + 1)
    return TEXT_WEIGHT * sum(tuple(text[n : n + size]) == unit.terms for n in starts)
