"""The vectors of an index, and the cache of those that were made once.

Vectors are most of an index, so each is stored once: in `chunks_vec` where a writer has the
extension, and then `chunks.embedding` is an empty blob that says so; otherwise in
`chunks.embedding` itself. NULL means that a chunk has no vector. One index may hold both, after
the extension was turned off or on. Reading never needs the extension: `vec0` keeps plain blobs of
some hundred vectors in ordinary tables. So a search finds the same with it and without.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from memdown.index.sqlite.connection import one, run, transaction
from memdown.index.sqlite.damage import Damaged
from memdown.index.sqlite.schema import IN_VEC, LIVE, table_names
from memdown.types import ModelKey, Source, Vector, Vectors

_SHADOWS = ("info", "chunks", "rowids", "vector_chunks00")
_TOLERANCE = 1e-2
_ROWS_A_BLOCK = 1024
# vec0 makes room for so many vectors at a time; its usual 1,024 would leave half a megabyte empty.
_ROWS_A_VEC_CHUNK = 256
_FLOAT_BYTES = 4
# Whether `chunks_vec` may hold vectors of chunks that are gone or have another one by now.
_STRAYS = "stray_vectors"
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
    if not run(db, "SELECT 1 FROM pragma_module_list WHERE name = 'vec0'"):
        return f"{path} is not sqlite-vec: it has no vec0"
    return None


class _Closed:
    """A `chunks_vec` that can be renamed and dropped, and nothing else."""

    def BestIndex(self, *_: object) -> None:  # noqa: N802
        raise apsw.SQLError("chunks_vec cannot be read without sqlite-vec")

    def Rename(self, _: str) -> None:  # noqa: N802
        """Its own tables are renamed one by one."""

    def Disconnect(self) -> None:  # noqa: N802
        """Nothing is held."""

    Destroy = Disconnect


class _StandIn:
    """Takes the place of the module `vec0`."""

    def Connect(self, *_: object) -> tuple[str, _Closed]:  # noqa: N802
        return "CREATE TABLE closed(source, embedding)", _Closed()


def stand_in(db: apsw.Connection) -> None:
    """Let an index be rebuilt without the extension: SQLite renames no table of a missing module."""
    db.create_module("vec0", _StandIn())  # type: ignore[arg-type]


def create(db: apsw.Connection, prefix: str, dims: int) -> None:
    """The table for vectors of this length, unless it is there."""
    run(
        db,
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {prefix}chunks_vec USING vec0("
        f"source TEXT PARTITION KEY, embedding FLOAT[{dims}] DISTANCE_METRIC=cosine, "
        f"chunk_size={_ROWS_A_VEC_CHUNK})",
    )


def drop(db: apsw.Connection, prefix: str) -> None:
    """Drop `chunks_vec` with its own tables, also without the extension."""
    for name in ("chunks_vec", *(f"chunks_vec_{shadow}" for shadow in _SHADOWS)):
        run(db, f"DROP TABLE IF EXISTS {prefix}{name}")


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
    table = f"{prefix}chunks_vec"
    delete(db, prefix, [key for key in gone if key not in rows])
    sql = f"SELECT rowid FROM {table}_rowids WHERE rowid IN (SELECT value FROM json_each(?))"
    there = {key for (key,) in run(db, sql, (json.dumps(list(rows)),))} if rows else set()
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


def note_strays(db: apsw.Connection) -> None:
    """Write down that vectors may be left behind in `chunks_vec`: nothing can delete them now."""
    run(db, "INSERT OR IGNORE INTO meta VALUES (?, '1')", (_STRAYS,))


def forget_strays(db: apsw.Connection) -> None:
    """Write down that there are none any more."""
    run(db, "DELETE FROM meta WHERE key = ?", (_STRAYS,))


def clear_strays(db: apsw.Connection) -> None:
    """Delete what writers without the extension had to leave behind."""
    if _may_have_strays(db):
        with transaction(db):
            delete(db, LIVE, sorted(_strays(db)))
            forget_strays(db)


def _may_have_strays(db: apsw.Connection) -> bool:
    return one(db, "SELECT 1 FROM meta WHERE key = ?", (_STRAYS,)) is not None


def _strays(db: apsw.Connection) -> set[int]:
    rows = run(
        db,
        "SELECT r.rowid FROM chunks_vec_rowids r LEFT JOIN chunks c ON c.number = r.rowid "
        f"WHERE c.embedding IS NOT {IN_VEC}",
    )
    return {key for (key,) in rows}


def rename(db: apsw.Connection, old: str, new: str) -> None:
    """Give `chunks_vec` another prefix; vec0 leaves its own tables behind, so they go one by one."""
    run(db, f"ALTER TABLE {old}chunks_vec RENAME TO {new}chunks_vec")
    for shadow in _SHADOWS:
        run(db, f"ALTER TABLE {old}chunks_vec_{shadow} RENAME TO {new}chunks_vec_{shadow}")


def fetch(
    db: apsw.Connection, dims: int, keys: Sequence[int], prefix: str = LIVE
) -> tuple[list[int], Vectors]:
    """The stored vectors of some chunks, as far as they have one."""
    wanted = json.dumps(list(keys))
    here = run(
        db,
        f"SELECT key, embedding FROM {prefix}chunks WHERE embedding IS NOT {IN_VEC} "
        "AND embedding IS NOT NULL AND key IN (SELECT value FROM json_each(?))",
        (wanted,),
    )
    blobs = dict(here)
    if len(blobs) < len(keys) and f"{prefix}chunks_vec_rowids" in table_names(db):
        blobs |= _fetch_from_vec(db, dims, wanted, prefix)
    found = [key for key in keys if key in blobs]
    if any(len(blobs[key]) != dims * _FLOAT_BYTES for key in found):
        raise Damaged("a stored vector has another length than the others")
    rows = np.frombuffer(b"".join(blobs[key] for key in found), np.float32).reshape(-1, dims)
    if len(rows) and not is_sound(rows).all():
        raise Damaged("a stored vector is not of length one")
    return found, rows


def _fetch_from_vec(db: apsw.Connection, dims: int, wanted: str, prefix: str) -> dict[int, bytes]:
    """Some vectors out of vec0's blobs of many."""
    places = run(
        db,
        # CROSS keeps the order of the tables, from the few keys to the many vectors.
        "SELECT c.key, v._rowid_, r.chunk_offset FROM json_each(?) AS wanted "
        f"CROSS JOIN {prefix}chunks c ON c.key = wanted.value "
        f"CROSS JOIN {prefix}chunks_vec_rowids r ON r.rowid = c.number "
        f"CROSS JOIN {prefix}chunks_vec_vector_chunks00 v ON v.rowid = r.chunk_id "
        f"WHERE c.embedding = {IN_VEC} ORDER BY v._rowid_",
        (wanted,),
    )
    size = dims * _FLOAT_BYTES
    blobs: dict[int, bytes] = {}
    for block, some in itertools.groupby(places, key=lambda place: int(place[1])):
        with db.blob_open(
            "main", f"{prefix}chunks_vec_vector_chunks00", "vectors", block, False
        ) as blob:
            for key, _, offset in some:
                if (offset + 1) * size > blob.length():
                    raise Damaged("a stored vector is missing")
                blob.seek(offset * size)
                blobs[key] = blob.read(size)
    return blobs


def is_sound(rows: Vectors) -> NDArray[np.bool_]:
    """Which vectors are of length one, as all are when they are stored."""
    with np.errstate(all="ignore"):
        sound: NDArray[np.bool_] = np.abs(np.linalg.norm(rows, axis=1) - 1.0) < _TOLERANCE
        return sound


def read_blocks(db: apsw.Connection, dims: int) -> Iterator[tuple[Keys, Vectors]]:
    """Every vector, wherever it is stored, many at a time, without the extension."""
    if table_names(db) >= {"chunks_vec_chunks", "chunks_vec_vector_chunks00"}:
        numbers, known = _numbered(db)
        strays = np.array(sorted(_strays(db)) if _may_have_strays(db) else [], np.int64)
        for validity, rowids, vectors in db.execute(
            "SELECT c.validity, c.rowids, v.vectors FROM chunks_vec_chunks c "
            "JOIN chunks_vec_vector_chunks00 v ON v.rowid = c.chunk_id",
        ):
            used = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
            rows = np.frombuffer(rowids, np.int64)
            if len(strays):
                used &= ~np.isin(rows, strays)
            keys = _keys_of(rows[used], numbers, known)
            yield keys, np.frombuffer(vectors, np.float32).reshape(-1, dims)[used]
    sql = (
        f"SELECT key, embedding FROM chunks WHERE embedding IS NOT NULL "
        f"AND embedding <> {IN_VEC} ORDER BY key"
    )
    cursor = iter(db.execute(sql))
    while some := list(itertools.islice(cursor, _ROWS_A_BLOCK)):
        keys = np.array([key for key, _ in some], np.int64)
        yield keys, np.frombuffer(b"".join(row for _, row in some), np.float32).reshape(-1, dims)


def _numbered(db: apsw.Connection) -> tuple[Keys, Keys]:
    """The numbers of all rows of `chunks`, ascending, and their keys."""
    rows = run(db, "SELECT number, key FROM chunks ORDER BY number")
    both: Keys = np.array(rows, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _keys_of(rows: Keys, numbers: Keys, known: Keys) -> Keys:
    """The key of each row by its number; 0, which no chunk has, where there is none."""
    place = np.searchsorted(numbers, rows).clip(max=max(0, len(numbers) - 1))
    if not len(numbers):
        return np.zeros(len(rows), np.int64)
    return np.where(numbers[place] == rows, known[place], 0)


def read_all(db: apsw.Connection, dims: int) -> tuple[Keys, Vectors]:
    """The keys and vectors of all chunks, in order."""
    blocks = list(read_blocks(db, dims))
    if not blocks:
        return np.empty(0, np.int64), np.empty((0, dims), np.float32)
    keys = np.concatenate([keys for keys, _ in blocks])
    rows = np.concatenate([rows for _, rows in blocks])
    order = np.argsort(keys, kind="stable")
    return keys[order], rows[order]


_KEYS_A_READ = 400


def read_cache(db: apsw.Connection, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
    """The known vectors among `digests`."""
    found: dict[str, Vector] = {}
    for first in range(0, len(digests), _KEYS_A_READ):
        for digest, blob in run(
            db,
            "SELECT hash, embedding FROM embedding_cache "
            "WHERE provider = ? AND model = ? AND provider_key = ? "
            "AND hash IN (SELECT value FROM json_each(?))",
            (*_columns(key), json.dumps(digests[first : first + _KEYS_A_READ])),
        ):
            found[digest] = np.frombuffer(blob, dtype=np.float32)
    return found


def touch_cache(db: apsw.Connection, key: ModelKey, digests: Sequence[str]) -> None:
    """Mark vectors as just used, so that they are the last to go."""
    run(
        db,
        "UPDATE embedding_cache SET updated_at = ? "
        "WHERE provider = ? AND model = ? AND provider_key = ? "
        "AND hash IN (SELECT value FROM json_each(?))",
        (_now(), *_columns(key), json.dumps(digests)),
    )


def write_cache(
    db: apsw.Connection, key: ModelKey, digests: Sequence[str], vectors: Vectors, most: int
) -> None:
    """Keep new vectors; over `most` entries the least recently used go."""
    now = _now()
    db.executemany(
        "INSERT OR REPLACE INTO embedding_cache VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (*_columns(key), digest, vector.tobytes(), vector.size, now)
            for digest, vector in zip(digests, vectors, strict=True)
        ),
    ).fetchall()
    excess = count_cached(db) - most
    if excess > 0:
        run(
            db,
            "DELETE FROM embedding_cache WHERE (provider, model, provider_key, hash) IN "
            "(SELECT provider, model, provider_key, hash FROM embedding_cache "
            "ORDER BY updated_at LIMIT ?)",
            (excess,),
        )


def count_cached(db: apsw.Connection) -> int:
    """How many vectors are kept."""
    return int(one(db, "SELECT count(*) FROM embedding_cache"))


def _columns(key: ModelKey) -> tuple[str, str, str]:
    return key.provider, key.model, key.provider_key


def _now() -> int:
    return time.time_ns() // 1_000_000
