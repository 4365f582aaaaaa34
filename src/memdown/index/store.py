"""What an index is stored in: the protocol that every engine and every plugin meets."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol, TypeGuard, runtime_checkable

from memdown.index.passages import Terms
from memdown.index.reader import Reader, Sought
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Source,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
    offers,
)
from memdown.values import dataclass


class Snapshot(Protocol):
    """One unchanging view of a store, for one search."""

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number, which is that of its chunks' keys divided by `FILE_SPAN`."""

    def dated(self, first: datetime.date, last: datetime.date) -> Mapping[int, Source]:
        """The numbers of the files of a time, both days included, that lack nothing; their sources."""

    def reader(self, sought: Sought) -> Reader:
        """The index as arrays: all of it, or the chunks that may answer what is sought."""

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""


@dataclass(frozen=True, slots=True)
class Writes:
    """What is written in one go: files with their chunks, new facts of files that stay, files that go.

    `tokens` are those of all chunks of the files, if they were made: an engine that keeps terms may
    use them instead of the texts.
    """

    files: Sequence[IndexedFile] = ()
    touched: Sequence[FileState] = ()
    removed: Sequence[str] = ()
    tokens: Terms | None = None


class Writer(Protocol):
    """Where the rows of an index are written."""

    def apply(self, writes: Writes) -> None:
        """Write; each file is stored whole or not at all, and each path is named once."""

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given.

        With `embedded`, only as far as they have vectors.
        """

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""


class Store(Writer, Protocol):
    """A durable index: SQLite by default; the same contract suite runs on every engine."""

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""

    def files(self) -> dict[str, FileState]:
        """Every indexed file by its path."""

    def rebuild(self, fingerprint: Fingerprint) -> AbstractContextManager[Writer]:
        """A new, empty index beside the live one: published whole on success, or not at all."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """One unchanging view, for one search."""

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are known already, by the digest of their text."""

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""

    def writing(self, timeout: float) -> AbstractContextManager[bool]:
        """Be the one writer among all processes; False when another still is after `timeout` seconds."""

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""

    def close(self) -> None:
        """Let go of everything; a closed store cannot be used again."""


@runtime_checkable
class HurriedSnapshot(Protocol):
    """A view of a store that answers with less if it would take too long otherwise."""

    def missing(self) -> Sequence[str]:
        """What there was no time for, each a sentence; nothing as a rule."""


@runtime_checkable
class PacedSnapshot(HurriedSnapshot, Protocol):
    """A view of a store that knows how much time a search has left."""

    def leaves_out(self, what: str) -> bool:
        """Whether there is too little time left for something; `missing` names it then."""


def leaves_out(snapshot: Snapshot, what: str) -> bool:
    """Whether a search should do without something, since it would take too long otherwise."""
    return _is_paced(snapshot) and snapshot.leaves_out(what)


def missing_from(snapshot: Snapshot) -> Sequence[str]:
    """What an engine had no time for, each a sentence."""
    return snapshot.missing() if _is_hurried(snapshot) else ()


def _is_hurried(snapshot: Snapshot) -> TypeGuard[HurriedSnapshot]:
    return offers(snapshot, HurriedSnapshot)


def _is_paced(snapshot: Snapshot) -> TypeGuard[PacedSnapshot]:
    return offers(snapshot, PacedSnapshot)


@runtime_checkable
class StatefulStore(Protocol):
    """A store that can tell, much faster than by reading its files, whether anything changed."""

    def state(self) -> object:
        """Equal to an earlier one if nothing was written in between."""


def is_stateful(store: Store) -> TypeGuard[StatefulStore]:
    """Whether a store can tell whether anything changed."""
    return offers(store, StatefulStore)


@runtime_checkable
class SettledStore(Protocol):
    """A store that remembers for this host that all its files were indexed, without a list of them."""

    def is_settled(self, found: str) -> bool:
        """Whether this was noted last, and nothing happened to this host's files in the index since."""

    def settle(self, found: str) -> None:
        """Note that all files are indexed which a look at this host's disk has `found`."""


@runtime_checkable
class MendableStore(Protocol):
    """A store that can look itself over, and begin anew after damage."""

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""

    def set_aside(self) -> str | None:
        """Move a damaged index away, so that a new one can be made; where it is now.

        None if that has been done already by another process.
        """


class Rebuild:
    """The writer of an index that is being made; an engine gives what writes and reads it.

    `fingerprint` learns the length of the vectors, `noted` has the files that were written.
    """

    def __init__(
        self,
        fingerprint: Fingerprint,
        write: Callable[[Writes], None],
        last_chunk: Callable[[str], StoredChunk | None],
    ) -> None:
        self.fingerprint = fingerprint
        self.noted: dict[str, FileState] = {}
        self._write = write
        self._last_chunk = last_chunk

    def apply(self, writes: Writes) -> None:
        """Write; what is gone was never written."""
        self._write(writes)
        self.noted |= {file.state.path: file.state for file in writes.files}
        self.noted |= {state.path: state for state in writes.touched}
        dims = dims_of(writes.files)
        if dims:
            self.fingerprint = replace(self.fingerprint, dims=dims)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:  # noqa: ARG002
        """Nothing is stored yet."""
        return 0

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk among those written so far."""
        return self._last_chunk(path)


def dims_of(files: Sequence[IndexedFile]) -> int | None:
    """How long the vectors of some files are; None if there are none among them."""
    made = (file.vectors for file in files if file.vectors is not None and len(file.vectors))
    return next((int(rows.shape[1]) for rows in made), None)
