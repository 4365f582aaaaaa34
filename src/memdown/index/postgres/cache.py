"""The embedding cache: every agent has its own share, which no other can read, fill or empty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memdown.index.postgres.connection import Place, one, run
from memdown.types import ModelKey, Vector, Vectors

_WHICH = "agent_id = %s AND provider = %s AND model = %s AND provider_key = %s"


def read(place: Place, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
    """The known vectors among `digests`, marked as just used."""
    rows = run(
        place.db,
        place.sql(
            "UPDATE {s}.embedding_cache SET updated_at = clock_timestamp() WHERE "
            + _WHICH
            + " AND hash = ANY(%s) RETURNING hash, embedding"
        ),
        (place.agent, *_columns(key), sorted(digests)),
        binary=True,
    )
    return {digest: np.frombuffer(blob, dtype=np.float32) for digest, blob in rows}


def write(place: Place, key: ModelKey, digests: Sequence[str], vectors: Vectors, most: int) -> None:
    """Keep new vectors; over `most` entries of this agent the least recently used go."""
    new = {
        digest: vector.astype(np.float32).tobytes()
        for digest, vector in zip(digests, vectors, strict=True)
    }
    # In one order for all, so that two hosts never wait for each other.
    order = sorted(new)
    run(
        place.db,
        place.sql(
            "INSERT INTO {s}.embedding_cache "
            "(agent_id, provider, model, provider_key, hash, embedding) "
            "SELECT %s, %s, %s, %s, * FROM unnest(%b::text[], %b::bytea[]) "
            "ON CONFLICT (agent_id, provider, model, provider_key, hash) "
            "DO UPDATE SET embedding = excluded.embedding, updated_at = clock_timestamp()"
        ),
        (place.agent, *_columns(key), order, [new[digest] for digest in order]),
    )
    excess = count(place) - most
    if excess > 0:
        run(
            place.db,
            place.sql(
                "DELETE FROM {s}.embedding_cache WHERE ctid = ANY (ARRAY(SELECT ctid FROM "
                "{s}.embedding_cache WHERE agent_id = %s ORDER BY updated_at LIMIT %s "
                "FOR UPDATE SKIP LOCKED))"
            ),
            (place.agent, excess),
        )


def count(place: Place) -> int:
    """How many vectors are kept for this agent."""
    return int(
        one(
            place.db,
            place.sql("SELECT count(*) FROM {s}.embedding_cache WHERE agent_id = %s"),
            (place.agent,),
        )
    )


def _columns(key: ModelKey) -> tuple[str, str, str]:
    return key.provider, key.model, key.provider_key
