"""The vector leg: sqlite-vec's `vec0` where the extension loads, numpy otherwise.

With the extension, vectors live in `chunks_vec` only; without it, in `chunk_rows.embedding` only: they
are most of an index, and storing them twice would double it. Each way reads what the other wrote:
`vec0` keeps plain blobs of some hundred vectors in ordinary tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from memdown.stores.sqlite.connection import run
from memdown.stores.sqlite.failures import Damaged
from memdown.stores.sqlite.schema import table_names
from memdown.types import Match, Source, Vector, Vectors

_SHADOWS = ("info", "chunks", "rowids", "vector_chunks00")
# The largest k that vec0 accepts.
_MOST = 4096
_TOLERANCE = 1e-2
_ROWS_A_BLOCK = 1024
# vec0 makes room for so many vectors at a time; its usual 1,024 would leave half a megabyte empty.
_ROWS_A_VEC_CHUNK = 256
Keys: TypeAlias = NDArray[np.int64]


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
        f"source TEXT PARTITION KEY, embedding FLOAT[{dims}] DISTANCE_METRIC=cosine, "
        f"chunk_size={_ROWS_A_VEC_CHUNK})",
    )


def replace(
    db: apsw.Connection,
    prefix: str,
    source: Source,
    gone: Sequence[int],
    rows: Mapping[int, bytes],
) -> None:
    """Store the vectors of chunks in `chunks_vec`, in place of those that are `gone`.

    A row that stays is overwritten: deleting leaves a hole that vec0 does not always fill again.
    """
    table, there = f"{prefix}chunks_vec", frozenset(gone)
    delete(db, prefix, [key for key in gone if key not in rows])
    db.executemany(
        f"UPDATE {table} SET embedding = ? WHERE rowid = ?",
        [(row, key) for key, row in rows.items() if key in there],
    ).fetchall()
    db.executemany(
        f"INSERT INTO {table}(rowid, source, embedding) VALUES (?, ?, ?)",
        [(key, source, row) for key, row in rows.items() if key not in there],
    ).fetchall()


def delete(db: apsw.Connection, prefix: str, keys: Sequence[int]) -> None:
    """Forget vectors."""
    sql = f"DELETE FROM {prefix}chunks_vec WHERE rowid = ?"
    db.executemany(sql, [(key,) for key in keys]).fetchall()


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


def read_blocks(db: apsw.Connection, dims: int) -> Iterator[tuple[Keys, Vectors]]:
    """Every vector, wherever it is stored, many at a time, without the extension."""
    if table_names(db) >= {"chunks_vec_chunks", "chunks_vec_vector_chunks00"}:
        for validity, rowids, vectors in db.execute(
            "SELECT c.validity, c.rowids, v.vectors FROM chunks_vec_chunks c "
            "JOIN chunks_vec_vector_chunks00 v ON v.rowid = c.chunk_id",
        ):
            used = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
            rows = np.frombuffer(vectors, np.float32).reshape(-1, dims)
            yield np.frombuffer(rowids, np.int64)[used], rows[used]
    sql = "SELECT key, embedding FROM chunk_rows WHERE embedding IS NOT NULL ORDER BY key"
    cursor = iter(db.execute(sql))
    while some := list(itertools.islice(cursor, _ROWS_A_BLOCK)):
        keys = np.array([key for key, _ in some], np.int64)
        yield keys, np.frombuffer(b"".join(row for _, row in some), np.float32).reshape(-1, dims)


def read_all(db: apsw.Connection, dims: int) -> tuple[Keys, Vectors]:
    """The keys and vectors of all chunks, in order."""
    blocks = list(read_blocks(db, dims))
    if not blocks:
        return np.empty(0, np.int64), np.empty((0, dims), np.float32)
    keys = np.concatenate([keys for keys, _ in blocks])
    rows = np.concatenate([rows for _, rows in blocks])
    order = np.argsort(keys, kind="stable")
    return keys[order], rows[order]
