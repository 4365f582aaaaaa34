"""What a process that searches again and again holds of an index in memory, kept in step with it.

Reading it all pays only if more searches follow, so the first search of a process does without.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import apsw
import numpy as np
from numpy.typing import NDArray

from memdown.index.nearest import Gathered, Nearest
from memdown.index.passages import passage_terms
from memdown.index.postings import NewPassage, Postings, Ready
from memdown.index.reader import Unit
from memdown.index.sqlite import keywords, tables, vectors
from memdown.index.sqlite.connection import run
from memdown.index.sqlite.failures import Damaged
from memdown.index.sqlite.keys import file_keys, source_keys
from memdown.types import FILE_SPAN, SOURCES, FileState, Source, StoredChunk, Vector

Keys = NDArray[np.int64]
Mask = NDArray[np.bool_]

# A few megabytes.
_MOST_CHUNKS = 1_024
# To follow so many changed chunks, as a share of the known passages, takes as long as to begin anew.
_MOST_CHANGED, _FEW_CHANGED = 0.005, 500


@dataclass(frozen=True, slots=True)
class State:
    """Which index it is, what it holds, and at which revision."""

    index: object
    dims: int | None
    has_words: bool
    revision: int

    def is_like(self, other: State) -> bool:
        """Whether only the revision may differ."""
        return (self.index, self.dims, self.has_words) == (
            other.index,
            other.dims,
            other.has_words,
        )


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one source, and the mean of some of them, evenly drawn."""

    nearest: Nearest
    middle: Vector


class Held:
    """Postings, vectors and the last chunks of one index. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: object = None
        self._state: State | None = None
        self._postings: Postings | None = None
        self._gathered: dict[Source, Gathered] = {}
        self._vectors: dict[Source, Vectors] = {}
        self._keys: Keys = np.empty(0, np.int64)
        self._chunks: dict[int, StoredChunk] = {}
        self._files: tuple[State, Mapping[int, FileState]] | None = None

    def chunk_keys(
        self, db: apsw.Connection, state: State, passages: Sequence[int]
    ) -> dict[int, int] | None:
        """The chunk of each passage; None if only the index itself can tell."""
        with self._lock:
            if not self._follow(db, state) or not len(self._keys):
                return None
            keys = self._keys
        places = np.searchsorted(keys, np.array(passages, np.int64), side="right") - 1
        return dict(zip(passages, keys[places.clip(min=0)].tolist(), strict=True))

    def vectors(self, db: apsw.Connection, state: State) -> dict[Source, Vectors] | None:
        """The vectors by source; None if only the index itself can tell."""
        with self._lock:
            return self._vectors if self._follow(db, state) else None

    def postings(self, db: apsw.Connection, state: State, units: Sequence[Unit]) -> Ready | None:
        """Where these units stand; None if only the index itself can tell."""
        with self._lock:
            if not self._follow(db, state) or self._postings is None:
                return None
            try:
                return self._postings.ready(units, lambda unit: keywords.holders(db, unit))
            except LookupError as error:
                raise Damaged(f"the keyword index is at odds with itself: {error}") from error

    def chunks(
        self, db: apsw.Connection, state: State, keys: Sequence[int]
    ) -> dict[int, StoredChunk]:
        """Chunks by their keys; those that were read lately need not be read again."""
        with self._lock:
            # A chunk that is taken out and put back is the last to be dropped.
            lately = self._chunks if self._state == state else {}
            known = {key: lately.pop(key) for key in keys if key in lately}
            lately.update(known)
        found = known | tables.load_chunks(db, [key for key in keys if key not in known])
        with self._lock:
            if self._state == state:
                self._chunks.update(found)
                for key in list(islice(self._chunks, max(0, len(self._chunks) - _MOST_CHUNKS))):
                    del self._chunks[key]
        return found

    def files(self, db: apsw.Connection, state: State) -> Mapping[int, FileState]:
        """Every file by its number; read once for every state of the index."""
        with self._lock:
            known = self._files
        if known is None or known[0] != state:
            known = state, tables.read_numbered(db)
            with self._lock:
                self._files = known
        return known[1]

    def is_held(self, state: State) -> bool:
        """Whether the index has been searched before; to be asked once a search."""
        with self._lock:
            known, self._seen = self._seen == state.index, state.index
            return known

    def forget(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        self._state = self._postings = self._files = None
        self._gathered, self._vectors, self._chunks = {}, {}, {}
        self._keys = np.empty(0, np.int64)

    def _follow(self, db: apsw.Connection, state: State) -> bool:
        """Be at this state; False if memory is ahead of it, because the search began earlier."""
        was = self._state
        if was == state:
            return True
        if was is None or not was.is_like(state):
            self._begin(db, state)
        elif was.revision > state.revision:
            return False
        else:
            # If reading fails, what is half done is not kept.
            self._state = None
            if not self._change(db, was):
                self._begin(db, state)
        self._vectors = {
            source: Vectors(gathered.now(), _middle(db, gathered.now(), source))
            for source, gathered in self._gathered.items()
        }
        self._chunks = {}
        self._state = state
        return True

    def _begin(self, db: apsw.Connection, state: State) -> None:
        self._drop()
        if state.has_words:
            self._postings = Postings(*keywords.read_lengths(db))
        self._keys = tables.all_chunk_keys(db)
        if state.dims:
            self._gathered = _read_vectors(db, state.dims)

    def _change(self, db: apsw.Connection, was: State) -> bool:
        """Take over what changed since; False if that is too much, or cannot be told."""
        words = self._postings
        known = len(words) if words is not None else sum(map(len, self._gathered.values()))
        most = max(_FEW_CHANGED, int(_MOST_CHANGED * known))
        changes = _changes(db, was.revision, most)
        if changes is None:
            return False
        chunks, stale = changes
        if words is not None and not words.change(stale, _new_passages(db, chunks)):
            return False
        alive = self._keys[~stale(self._keys)]
        self._keys = np.sort(np.concatenate([alive, np.array(chunks, np.int64)]))
        if was.dims is None:
            return True
        for source, gathered in self._gathered.items():
            gathered.strike(stale)
            within = source_keys(source)
            some = [key for key in chunks if key in within]
            found, rows = vectors.fetch(db, was.dims, some)
            if found:
                gathered.append(np.array(found, np.int64), rows)
        return True


def _changes(
    db: apsw.Connection, revision: int, most: int
) -> tuple[list[int], Callable[[Keys], Mask]] | None:
    """The chunks of files that changed after a revision, and which rows are out of date.

    None if they are more than `most`, as after a rebuild: then reading all anew is faster.
    """
    changed = [file for (file,) in run(db, "SELECT id FROM files WHERE revision > ?", (revision,))]
    if len(changed) > most:
        return None
    chunks: list[int] = []
    for keys in map(file_keys, changed):
        sql = "SELECT key FROM chunk_rows WHERE key >= ? AND key < ?"
        chunks += [key for (key,) in run(db, sql, (keys.start, keys.stop))]
        if len(chunks) > most:
            return None
    there = np.array([file for (file,) in run(db, "SELECT id FROM files")], np.int64)
    kept = np.setdiff1d(there, np.array(changed, np.int64))
    return chunks, lambda keys: ~np.isin(keys // FILE_SPAN, kept)


def _new_passages(db: apsw.Connection, chunks: Sequence[int]) -> list[NewPassage]:
    return [
        NewPassage(number, text, head)
        for key, stored in tables.load_chunks(db, chunks).items()
        for number, (text, head) in enumerate(passage_terms(stored.chunk), start=key)
    ]


def _read_vectors(db: apsw.Connection, dims: int) -> dict[Source, Gathered]:
    counts = tables.count_by_source(db, "chunks")
    gathered = {source: Gathered(dims, counts.get(source, 0)) for source in SOURCES}
    for keys, rows in vectors.read_blocks(db, dims):
        for source, some in gathered.items():
            within = source_keys(source)
            mine = (keys >= within.start) & (keys < within.stop)
            if mine.all():
                some.append(keys, rows)
            elif mine.any():
                some.append(keys[mine], rows[mine])
    return gathered


def _middle(db: apsw.Connection, nearest: Nearest, source: Source) -> Vector:
    return nearest.middle(tables.sample_keys(db, source))
