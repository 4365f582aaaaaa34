"""The vector leg: every vector compared while an agent has few, an HNSW index when it has many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memdown.index.postgres.connection import one, run
from memdown.index.postgres.place import Place
from memdown.index.sqlite.keys import source_keys
from memdown.types import FILE_SPAN, Match, Source, Vector, Vectors

# Up to here comparing all takes a few hundredths of a second, and misses nothing.
FEW = 20_000
_MOST_DIMS, _MOST_HALF_DIMS = 2_000, 4_000
_MINE = "agent_id = %s AND generation = %s"


def match(
    place: Place,
    vector: Vector,
    sources: Sequence[Source],
    limit: int,
    files: frozenset[int] | None = None,
    *,
    indexed: bool,
) -> list[Match]:
    """The nearest chunks; through the index where there is one.

    With `files`, only these are compared, each: the index would stop before it came to them.
    """
    rows: list[tuple[int, float]] = []
    dims = vector.size
    distance = "embedding <=> %s::real[]::vector"
    some = "" if files is None else f"AND key / {FILE_SPAN} = ANY(%s) "
    numbers = () if files is None else (sorted(files),)
    if indexed and files is None:
        # The expression of the index, so that the planner takes it.
        kind = _kind(dims)
        distance = f"embedding::{kind}({dims}) <=> %s::real[]::vector::{kind}({dims})"
        run(place.db, "SET LOCAL hnsw.iterative_scan = strict_order")
        run(place.db, place.sql(f"SET LOCAL hnsw.ef_search = {min(1000, max(100, 2 * limit))}"))
    for source in sources:
        keys = source_keys(source)
        rows += run(
            place.db,
            place.sql(
                f"SELECT key, {distance} AS distance FROM {{s}}.chunks WHERE {_MINE} "
                f"AND key >= %s AND key < %s {some}AND dims = {dims} ORDER BY distance LIMIT %s"
            ),
            (vector.tolist(), *place.owner, keys.start, keys.stop, *numbers, limit),
        )
    rows.sort(key=lambda row: (row[1], row[0]))
    return [Match(key, 1.0 - distance) for key, distance in rows[:limit]]


def similarities(place: Place, vector: Vector, keys: Sequence[int]) -> dict[int, float]:
    """How close some chunks are."""
    return dict(
        run(
            place.db,
            place.sql(
                "SELECT key, 1.0 - (embedding <=> %s::real[]::vector) FROM {s}.chunks "
                f"WHERE {_MINE} AND key = ANY(%s) AND dims = {vector.size}"
            ),
            (vector.tolist(), *place.owner, list(keys)),
        )
    )


def read(
    place: Place, dims: int, where: str, values: Sequence[object]
) -> tuple[NDArray[np.int64], Vectors]:
    """The vectors of some chunks, put together by the server, in its binary form."""
    ((keys, packed),) = run(
        place.db,
        place.sql(
            "SELECT string_agg(int8send(key), ''), string_agg(vector_send(embedding), '') "
            f"FROM (SELECT key, embedding FROM {{s}}.chunks WHERE {_MINE} AND dims = %s "
            f"AND {where} ORDER BY key) AS c"
        ),
        (*place.owner, dims, *values),
        binary=True,
    )
    rows = np.frombuffer(packed or b"", [("head", ">i4"), ("numbers", ">f4", (dims,))])
    return (
        np.frombuffer(keys or b"", ">i8").astype(np.int64),
        rows["numbers"].astype(np.float32).reshape(-1, dims),
    )


def read_some(place: Place, limit: int) -> tuple[list[int], Vectors]:
    """The keys and vectors of all chunks, or of evenly drawn ones."""
    every = [
        key
        for (key,) in run(
            place.db,
            place.sql(
                f"SELECT key FROM {{s}}.chunks WHERE {_MINE} AND dims IS NOT NULL ORDER BY key"
            ),
            place.owner,
        )
    ]
    step = max(1, -(-len(every) // limit))
    rows = run(
        place.db,
        place.sql(
            f"SELECT key, embedding::real[] FROM {{s}}.chunks WHERE {_MINE} AND key = ANY(%s) "
            "ORDER BY key"
        ),
        (*place.owner, every[::step]),
    )
    if not rows:
        return [], np.empty((0, 1), np.float32)
    return [key for key, _ in rows], np.array([row for _, row in rows], np.float32)


def make_index(place: Place, dims: int) -> None:
    """An HNSW index over vectors of this length in the agent's partition, if it has many.

    Without one nothing is missing but speed, so lengths that no index takes get none.
    """
    if dims > _MOST_HALF_DIMS or count(place) <= FEW:
        return
    partition = one(
        place.db,
        place.sql(
            "SELECT c.relname FROM {s}.chunks k JOIN pg_class c ON c.oid = k.tableoid "
            "WHERE k.agent_id = %s LIMIT 1"
        ),
        (place.agent,),
    )
    kind = _kind(dims)
    run(place.db, "SET LOCAL maintenance_work_mem = '512MB'")
    run(
        place.db,
        place.sql(
            f"CREATE INDEX IF NOT EXISTS {partition}_near_{dims} ON {{s}}.{partition} USING hnsw "
            f"((embedding::{kind}({dims})) {kind}_cosine_ops) WHERE dims = {dims}"
        ),
    )


def has_index(place: Place, dims: int) -> bool:
    """Whether vectors of this length have an index in the agent's partition."""
    return (
        one(
            place.db,
            place.sql(
                "SELECT 1 FROM pg_indexes WHERE schemaname = %s AND indexname LIKE %s AND "
                "tablename = (SELECT c.relname FROM {s}.chunks k JOIN pg_class c "
                "ON c.oid = k.tableoid WHERE k.agent_id = %s LIMIT 1)"
            ),
            (place.schema, f"%\\_near\\_{dims}", place.agent),
        )
        is not None
    )


def count(place: Place) -> int:
    """How many chunks have a vector."""
    return int(
        one(
            place.db,
            place.sql(f"SELECT count(*) FROM {{s}}.chunks WHERE {_MINE} AND dims IS NOT NULL"),
            place.owner,
        )
    )


def _kind(dims: int) -> str:
    return "vector" if dims <= _MOST_DIMS else "halfvec"
