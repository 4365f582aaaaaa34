"""The vector leg: sqlite-vec's `vec0` where the extension loads, numpy otherwise.

With the extension, vectors live in `chunks_vec` only; without it, in `chunks.embedding` only: they
are most of an index, and storing them twice would double it. Each way reads what the other wrote:
`vec0` keeps plain blobs of 1,024 vectors in ordinary tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from memdown.stores.sqlite.connection import run
from memdown.stores.sqlite.failures import Damaged
from memdown.stores.sqlite.keys import source_keys
from memdown.types import Match, Source, Vector, Vectors

_SHADOWS = ("info", "chunks", "rowids", "vector_chunks00")
# The largest k that vec0 accepts.
_MOST = 4096
_TOLERANCE = 1e-2


def load_extension(db: apsw.Connection, path: str | None) -> str | None:
    """Load sqlite-vec into a connection; the reason if that fails."""
    try:
        if path is None:
            import sqlite_vec

            path = sqlite_vec.loadable_path()
        db.enable_load_extension(True)
        try:
            db.load_extension(path)
        finally:
            db.enable_load_extension(False)
    except (ImportError, apsw.Error, AttributeError) as error:
        return f"{error}"
    return None


def create(db: apsw.Connection, prefix: str, dims: int) -> None:
    """The table for vectors of this length, unless it is there."""
    run(
        db,
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {prefix}chunks_vec USING vec0("
        f"source TEXT PARTITION KEY, embedding FLOAT[{dims}] DISTANCE_METRIC=cosine)",
    )


def insert(db: apsw.Connection, prefix: str, key: int, source: Source, vector: Vector) -> None:
    """Store a chunk's vector in `chunks_vec`."""
    run(
        db,
        f"INSERT INTO {prefix}chunks_vec(rowid, source, embedding) VALUES (?, ?, ?)",
        (key, source, vector.tobytes()),
    )


def delete(db: apsw.Connection, prefix: str, keys: Sequence[int]) -> None:
    """Forget vectors."""
    for key in keys:
        run(db, f"DELETE FROM {prefix}chunks_vec WHERE rowid = ?", (key,))


def rename(db: apsw.Connection, old: str, new: str) -> None:
    """Give `chunks_vec` another prefix; vec0 leaves its own tables behind, so they go one by one."""
    run(db, f"ALTER TABLE {old}chunks_vec RENAME TO {new}chunks_vec")
    for shadow in _SHADOWS:
        run(db, f"ALTER TABLE {old}chunks_vec_{shadow} RENAME TO {new}chunks_vec_{shadow}")


def match(
    db: apsw.Connection, vector: Vector, sources: Sequence[Source], limit: int
) -> list[Match]:
    """The nearest chunks, by `vec0`."""
    rows: list[tuple[int, float]] = []
    for source in sources:
        rows += run(
            db,
            "SELECT rowid, distance FROM chunks_vec "
            "WHERE embedding MATCH ? AND k = ? AND source = ?",
            (vector.tobytes(), min(limit, _MOST), source),
        )
    if any(distance is None or distance != distance for _, distance in rows):
        raise Damaged("a stored vector is empty")
    rows.sort(key=lambda row: row[1])
    return [Match(key, 1.0 - distance) for key, distance in rows[:limit]]


def fetch(db: apsw.Connection, keys: Sequence[int]) -> tuple[list[int], Vectors]:
    """The stored vectors of some chunks, by `vec0`."""
    found: list[int] = []
    blobs: list[bytes] = []
    for key in keys:
        for (blob,) in run(db, "SELECT embedding FROM chunks_vec WHERE rowid = ?", (key,)):
            found.append(key)
            blobs.append(blob)
    rows = np.array([np.frombuffer(blob, dtype=np.float32) for blob in blobs], dtype=np.float32)
    if len(rows) and not is_sound(rows).all():
        raise Damaged("a stored vector is not of length one")
    return found, rows


def is_sound(rows: Vectors) -> NDArray[np.bool_]:
    """Which vectors are of length one, as all are when they are stored."""
    with np.errstate(all="ignore"):
        sound: NDArray[np.bool_] = np.abs(np.linalg.norm(rows, axis=1) - 1.0) < _TOLERANCE
        return sound


@dataclass(frozen=True, slots=True)
class Matrix:
    """All vectors of one revision of the index, in memory."""

    revision: int
    keys: np.ndarray
    rows: Vectors

    def match(self, vector: Vector, sources: Sequence[Source], limit: int) -> list[Match]:
        """The nearest chunks."""
        if not len(self.keys):
            return []
        found: list[tuple[float, int]] = []
        for source in sources:
            # Keys are sorted, and those of a source form one range.
            bounds = source_keys(source)
            first, last = np.searchsorted(self.keys, (bounds.start, bounds.stop))
            scores = self.rows[first:last] @ vector
            if len(scores) > limit:
                best = np.argpartition(-scores, limit)[:limit]
            else:
                best = np.arange(len(scores))
            found += zip(scores[best].tolist(), self.keys[first:last][best].tolist(), strict=True)
        found.sort(key=lambda one: (-one[0], one[1]))
        return [Match(key, score) for score, key in found[:limit]]

    def similarities(self, vector: Vector, keys: Sequence[int]) -> dict[int, float]:
        """How close the given chunks are."""
        if not len(self.keys):
            return {}
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        scores = (self.rows[places] @ vector).tolist()
        known = (self.keys[places] == np.asarray(keys)).tolist()
        return {key: score for key, score, there in zip(keys, scores, known, strict=True) if there}


def read_matrix(db: apsw.Connection, revision: int, dims: int, tables: set[str]) -> Matrix:
    """Read every vector, wherever it is stored, without the extension."""
    keys: list[np.ndarray] = []
    blocks: list[Vectors] = []
    if "chunks_vec_chunks" in tables:
        for validity, rowids, vectors in run(
            db,
            "SELECT c.validity, c.rowids, v.vectors FROM chunks_vec_chunks c "
            "JOIN chunks_vec_vector_chunks00 v ON v.rowid = c.chunk_id",
        ):
            used = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
            keys.append(np.frombuffer(rowids, np.int64)[used])
            blocks.append(np.frombuffer(vectors, np.float32).reshape(-1, dims)[used])
    for key, blob in run(db, "SELECT key, embedding FROM chunks WHERE embedding IS NOT NULL"):
        keys.append(np.array([key], np.int64))
        blocks.append(np.frombuffer(blob, np.float32).reshape(1, dims))
    if not keys:
        return Matrix(revision, np.empty(0, np.int64), np.empty((0, dims), np.float32))
    all_keys, rows = np.concatenate(keys), np.concatenate(blocks)
    order = np.argsort(all_keys, kind="stable")
    return Matrix(revision, all_keys[order], rows[order])
