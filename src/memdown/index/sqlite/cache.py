"""The embedding cache: a text that was embedded once is not embedded again."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import apsw
import numpy as np

from memdown.index.sqlite.connection import one, run
from memdown.types import ModelKey, Vector, Vectors

_KEYS_A_READ = 400


def read(db: apsw.Connection, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
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


def touch(db: apsw.Connection, key: ModelKey, digests: Sequence[str]) -> None:
    """Mark vectors as just used, so that they are the last to go."""
    run(
        db,
        "UPDATE embedding_cache SET updated_at = ? "
        "WHERE provider = ? AND model = ? AND provider_key = ? "
        "AND hash IN (SELECT value FROM json_each(?))",
        (_now(), *_columns(key), json.dumps(digests)),
    )


def write(
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
    excess = count(db) - most
    if excess > 0:
        run(
            db,
            "DELETE FROM embedding_cache WHERE (provider, model, provider_key, hash) IN "
            "(SELECT provider, model, provider_key, hash FROM embedding_cache "
            "ORDER BY updated_at LIMIT ?)",
            (excess,),
        )


def count(db: apsw.Connection) -> int:
    """How many vectors are kept."""
    return int(one(db, "SELECT count(*) FROM embedding_cache"))


def _columns(key: ModelKey) -> tuple[str, str, str]:
    return key.provider, key.model, key.provider_key


def _now() -> int:
    return time.time_ns() // 1_000_000
