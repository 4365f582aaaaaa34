"""One unchanging state of an index file, for one search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import apsw
import numpy as np

from memdown.index.sqlite import filing, tables, vectors
from memdown.index.sqlite.failures import Damaged
from memdown.index.sqlite.schema import LIVE
from memdown.types import FileState, StoredChunk, Vectors


class SqliteView:
    """A read transaction on a connection of its own."""

    def __init__(
        self,
        db: apsw.Connection,
        revision: object,
        dims: int | None,
        files: Callable[[], Mapping[int, FileState]],
    ) -> None:
        self._db = db
        self._files = files
        self.revision = revision
        self.dims = dims

    def manifest(self) -> Sequence[int]:
        """The segments in the order in which they count."""
        segments, _ = filing.read_manifest(self._db, LIVE)
        return [segment.number for segment in segments]

    def block(self, segment: int, part: str, number: int) -> bytes:
        """A block of a segment; nothing where there is none."""
        return filing.read_block(self._db, LIVE, segment, part, number)

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return self._files()

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""
        found = tables.load_chunks(self._db, keys)
        if len(found) < len(set(keys)):
            raise Damaged("a chunk that was indexed is missing")
        return found

    def vectors(self, keys: Sequence[int]) -> Vectors:
        """The exact vectors of chunks; zeros where there is none."""
        rows = np.zeros((len(keys), self.dims or 0), np.float32)
        if self.dims and keys:
            found, known = vectors.fetch(self._db, self.dims, keys)
            place = {key: number for number, key in enumerate(keys)}
            rows[[place[key] for key in found]] = known
        return rows
