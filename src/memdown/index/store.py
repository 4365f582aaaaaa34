"""What an index is stored in: the protocol that every engine and every plugin meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from memdown.index.reader import Reader, Sought
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)


class Snapshot(Protocol):
    """One unchanging view of a store, for one search."""

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number, which is that of its chunks' keys divided by `FILE_SPAN`."""

    def reader(self, sought: Sought) -> Reader:
        """The index as arrays: all of it, or the chunks that may answer what is sought."""

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""


class Writer(Protocol):
    """Where the rows of an index are written."""

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given.

        With `embedded`, only as far as they have vectors.
        """

    def replace(
        self, file: FileState, chunks: Sequence[Chunk], vectors: Vectors | None, keep: int = 0
    ) -> None:
        """Store a file; its first `keep` chunks are there already, `vectors` are of the others."""

    def replace_all(self, files: Sequence[IndexedFile]) -> None:
        """Store several files, each path once: all of them together, or one after the other."""

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""

    def extend(
        self, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
    ) -> None:
        """Store a file that grew: its rows from number `key` on are replaced by these chunks."""

    def touch(self, *files: FileState) -> None:
        """Keep the rows of files whose content is the same, with their new facts."""

    def remove(self, paths: Sequence[str]) -> None: ...


@runtime_checkable
class StatefulStore(Protocol):
    """A store that can tell, much faster than by reading its files, whether anything changed."""

    def state(self) -> object:
        """Equal to an earlier one if nothing was written in between."""


class Store(Writer, Protocol):
    """A durable index: SQLite by default; the same contract suite runs on every engine."""

    def fingerprint(self) -> Fingerprint | None: ...

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""

    def files(self) -> dict[str, FileState]: ...

    def rebuild(self, fingerprint: Fingerprint) -> AbstractContextManager[Writer]:
        """A new, empty index beside the live one: published whole on success, or not at all."""

    def snapshot(self) -> AbstractContextManager[Snapshot]: ...

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]: ...

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None: ...

    def writing(self, timeout: float) -> AbstractContextManager[bool]:
        """Be the one writer among all processes; False when another still is after `timeout`."""

    def status(self) -> StoreStatus: ...

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""

    def set_aside(self) -> str | None:
        """Move a damaged index away, so that a new one can be made; where it is now.

        None if that has been done already by another process.
        """

    def close(self) -> None: ...
