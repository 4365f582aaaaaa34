"""The embedding cache: a table of its own, which no rebuild touches."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from memdown.index.lancedb.connection import opened
from memdown.types import ModelKey, Vector, Vectors

NAME = "embedding_cache"
_SCHEMA = pa.schema([("key", pa.string()), ("embedding", pa.binary()), ("at", pa.int64())])
_KEYS_A_READ = 400


def read(db: Any, model: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
    """The known vectors among `digests`."""
    table, prefix = opened(db, NAME), _prefix(model)
    if table is None:
        return {}
    found: dict[str, Vector] = {}
    for first in range(0, len(digests), _KEYS_A_READ):
        keys = ", ".join(f"'{prefix}{_safe(one)}'" for one in digests[first : first + _KEYS_A_READ])
        rows = table.search().where(f"key IN ({keys})").limit(_KEYS_A_READ).to_arrow().to_pylist()
        for row in rows:
            digest = row["key"].removeprefix(prefix)
            found[digest] = np.frombuffer(row["embedding"], dtype=np.float32)
    return found


def write(db: Any, model: ModelKey, digests: Sequence[str], vectors: Vectors, most: int) -> None:
    """Keep new vectors; over `most` entries the oldest go."""
    prefix, now = _prefix(model), time.time_ns()
    new = {
        prefix + _safe(digest): vector.astype(np.float32).tobytes()
        for digest, vector in zip(digests, vectors, strict=True)
    }
    rows = pa.table(
        {"key": list(new), "embedding": list(new.values()), "at": [now] * len(new)}, schema=_SCHEMA
    )
    table = db.create_table(NAME, schema=_SCHEMA, exist_ok=True)
    table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all().execute(rows)
    excess = table.count_rows() - most
    if excess > 0:
        at = table.search().select(["at"]).limit(most + excess).to_arrow()["at"].to_pylist()
        table.delete(f"at <= {sorted(at)[excess - 1]}")


def count(db: Any) -> int:
    """How many vectors are kept."""
    table = opened(db, NAME)
    return 0 if table is None else int(table.count_rows())


def _prefix(model: ModelKey) -> str:
    text = "\0".join((model.provider, model.model, model.provider_key))
    return hashlib.sha256(text.encode()).hexdigest()[:16] + ":"


def _safe(digest: str) -> str:
    return digest.replace("'", "''")
