"""The vector leg: every vector compared up to about 100,000, an HNSW index for more.

The chunks have their vectors as they were made; a table beside them has them in half precision for
the server to compare, if it has the extension, also if that was installed later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from memdown.index.packing import file_ids, file_keys, source_keys
from memdown.index.postgres import schema
from memdown.index.postgres.connection import (
    Connection,
    Place,
    is_pooled,
    numbers,
    one,
    run,
    run_guarded,
    transaction,
)
from memdown.index.similarity import cosines
from memdown.index.vector_blocks import unpack_vectors
from memdown.types import FILE_SPAN, Source, Vector, Vectors

# Up to here comparing all takes less than a tenth of a second, and misses nothing.
FEW = 100_000
# Without the extension so many are compared in this process.
FEW_HERE = 20_000
# Of the true nearest six this finds 97 of 100; 200 found 81.
_EF_SEARCH, _LEAST_EF = 1_000, 200
_MOST_DIMS = 4_000
# What a node of the graph takes besides its vector; the memory for making it.
_LINKS_BYTES = 1_200
_LEAST_MEGABYTES, _MOST_MEGABYTES = 256, 8_192
_SAMPLE = 64
_ROWS_A_READ = 2_000
_FILES_TO_LIST = 5_000
# The vectors of so many files are all compared; of more, as many as the index gives are looked through.
_FILES_TO_COMPARE = 3_000

Keys = NDArray[np.int64]


def insert(place: Place, rows: Sequence[tuple[int, bytes]]) -> None:
    """Let the server compare the vectors of chunks; they are given as bytes of float32."""
    if not place.has_vectors or not rows:
        return
    run(
        place.db,
        place.sql(
            "INSERT INTO {vectors} SELECT %s, key, embedding::halfvec "
            "FROM unnest(%s::bigint[], %s::text[]) AS new (key, embedding) ON CONFLICT DO NOTHING"
        ),
        (
            place.generation,
            [key for key, _ in rows],
            [_literal(np.frombuffer(packed, np.float32)) for _, packed in rows],
        ),
    )


def delete(place: Place, keys: range) -> None:
    """Forget the vectors of some chunks."""
    if place.has_vectors:
        run(
            place.db,
            place.sql("DELETE FROM {vectors} WHERE generation = %s AND key >= %s AND key < %s"),
            (place.generation, keys.start, keys.stop),
        )


def fill(place: Place) -> Place:
    """Let the server compare vectors that were stored before it had the extension."""
    new = Place(
        place.db, place.schema, place.agent, place.generation, place.shelf, has_vectors=True
    )
    with transaction(place.db):
        if not schema.has_table(place, "vectors"):
            schema.make_vectors(place)
    for keys, packed in _stored(place):
        with transaction(place.db):
            insert(new, list(zip(keys, packed, strict=True)))
    run(
        place.db,
        place.sql("UPDATE {s}.generations SET has_vectors = true WHERE generation = %s"),
        (place.generation,),
    )
    return new


def nearest(
    place: Place,
    vector: Vector,
    sources: Sequence[Source],
    limit: int,
    files: frozenset[int] | None = None,
    *,
    chunks: int,
    indexed: bool | None = None,
    share: float = 1.0,
) -> list[int]:
    """The keys of the nearest `limit` chunks of each source; with `files`, of these files only.

    `indexed` tells whether there is an index, if that is known. The transaction goes on if this fails.
    """
    if not place.has_vectors:
        return _nearest_here(place, vector, sources, limit, files) if chunks <= FEW_HERE else []
    if files is not None and len(files) <= _FILES_TO_COMPARE:
        found = run_guarded(place.db, list(_nearest_of(place, vector, sources, limit, files)))
        return [key for rows in found for (key,) in rows]
    if indexed is None:
        indexed = chunks > FEW and has_index(place, vector.size)
    statements = comparing(place, vector, sources, limit, files, indexed=indexed, share=share)
    return [key for rows in run_guarded(place.db, statements) for (key,) in rows]


def comparing(
    place: Place,
    vector: Vector,
    sources: Sequence[Source],
    limit: int,
    files: frozenset[int] | None = None,
    *,
    indexed: bool,
    share: float = 1.0,
) -> list[sql.Composable]:
    """The statements that give the keys of the nearest chunks of each source, inside one transaction.

    With less than a whole `share` an index is looked through less thoroughly.
    """
    dims = vector.size
    distance = "embedding <#> {vector}::halfvec"
    statements: list[sql.Composable] = []
    if indexed:
        # The expression of the index, so that the planner takes it.
        distance = f"embedding::halfvec({dims}) <#> {{vector}}::halfvec({dims})"
        statements = [
            sql.SQL(f"SET LOCAL hnsw.ef_search = {max(_LEAST_EF, round(share * _EF_SEARCH))}"),
            sql.SQL("SET LOCAL hnsw.iterative_scan = strict_order"),
        ]
    inside = "" if files is None else f" AND key / {FILE_SPAN} = ANY({{of_files}}::bigint[])"
    for source in sources:
        bounds = source_keys(source)
        statements.append(
            place.sql(
                "SELECT key FROM {vectors} WHERE generation = {generation} AND key >= {first} "
                f"AND key < {{last}}{inside} ORDER BY {distance} LIMIT {{limit}}",
                generation=place.generation,
                first=bounds.start,
                last=bounds.stop,
                of_files=numbers(files or ()),
                vector=_literal(vector),
                limit=limit,
            )
        )
    return statements


def _nearest_of(
    place: Place, vector: Vector, sources: Sequence[Source], limit: int, files: frozenset[int]
) -> Iterator[sql.Composed]:
    """Statements for the nearest chunks of some files, whose rows alone are read."""
    for source in sources:
        ids = file_ids(source)
        mine = [number for number in sorted(files) if number in ids]
        if mine:
            yield place.sql(
                "SELECT v.key FROM unnest({of_files}::bigint[]) AS f, LATERAL (SELECT key, embedding "
                "FROM {vectors} WHERE generation = {generation} "
                "AND key >= f << 24 AND key < (f + 1) << 24 "
                "OFFSET 0) AS v ORDER BY v.embedding <#> {vector}::halfvec LIMIT {limit}",
                of_files=numbers(mine),
                generation=place.generation,
                vector=_literal(vector),
                limit=limit,
            )


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """What is average in a source: the mean vector of its chunks and of their passages; how many chunks."""

    chunk: Vector
    passage: Vector | None
    chunks: int


def means(place: Place, source: Source, dims: int, chunks: int) -> Means:
    """The means of some chunks of a source: the first ones of files, evenly drawn."""
    keys = _sample_keys(place, source, chunks)
    rows = run(
        place.db,
        place.sql(
            "SELECT embedding, passage_vectors FROM {chunks} "
            "WHERE generation = %s AND key = ANY(%s)"
        ),
        (place.generation, keys),
        binary=True,
    )
    each = [bytes(packed) for packed, _ in rows if packed is not None and len(packed) == 4 * dims]
    mean = np.zeros(dims, np.float32)
    if each:
        every = np.frombuffer(b"".join(each), np.float32).reshape(-1, dims)
        mean = every.mean(axis=0, dtype=np.float32)
    own = [unpack_vectors(bytes(packed)) for _, packed in rows if packed is not None]
    passage = None
    if own:
        passage = np.concatenate([one.numbers * one.scale[:, None] for one in own]).mean(
            axis=0, dtype=np.float32
        )
    return Means(mean, passage, _count(place, source, chunks))


def _count(place: Place, source: Source, chunks: int) -> int:
    """How many chunks a source has; of very many, its share of all files tells."""
    ids, keys = file_ids(source), source_keys(source)
    if chunks <= FEW_HERE:
        statement = "SELECT count(*) FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s"
        values = (place.generation, keys.start, keys.stop)
        return int(one(place.db, place.sql(statement), values))
    ((mine, every),) = run(
        place.db,
        place.sql(
            "SELECT count(*) FILTER (WHERE id >= %s AND id < %s), count(*) FROM {files} "
            "WHERE generation = %s"
        ),
        (ids.start, ids.stop, place.generation),
    )
    return round(chunks * int(mine) / max(1, int(every)))


def _sample_keys(place: Place, source: Source, chunks: int) -> list[int]:
    bounds = source_keys(source)
    mine = (place.generation, bounds.start // FILE_SPAN, bounds.stop // FILE_SPAN)
    if chunks <= _FILES_TO_LIST:
        ids = [
            file_id
            for (file_id,) in run(
                place.db,
                place.sql(
                    "SELECT id FROM {files} WHERE generation = %s AND id >= %s AND id < %s ORDER BY id"
                ),
                mine,
            )
        ]
        return [file_keys(file_id).start for file_id in ids[:: max(1, len(ids) // _SAMPLE)]]
    ((first, last),) = run(
        place.db,
        place.sql(
            "SELECT min(id), max(id) FROM {files} WHERE generation = %s AND id >= %s AND id < %s"
        ),
        mine,
    )
    if first is None:
        return []
    step = max(1, (last - first) // _SAMPLE)
    return [file_keys(number).start for number in range(first, last + 1, step)]


def sample(place: Place, limit: int) -> tuple[list[int], Vectors]:
    """The keys and vectors of all chunks, or of evenly drawn ones."""
    keys: list[int] = []
    parts: list[Vectors] = []
    count = int(
        one(
            place.db,
            place.sql(
                "SELECT count(*) FROM {chunks} WHERE generation = %s AND embedding IS NOT NULL"
            ),
            (place.generation,),
        )
    )
    step = max(1, -(-count // limit))
    seen = 0
    for some, packed in _stored(place):
        chosen = range(-seen % step, len(some), step)
        keys += [some[number] for number in chosen]
        parts += [np.frombuffer(packed[number], np.float32) for number in chosen]
        seen += len(some)
    if not parts:
        return [], np.empty((0, 1), np.float32)
    return keys, np.stack(parts)


def has_index(place: Place, dims: int) -> bool:
    """Whether vectors of this length have an index that is ready."""
    return (
        one(
            place.db,
            "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = %s AND c.relname = %s AND i.indisvalid",
            (place.schema, _index_name(place, dims)),
        )
        is not None
    )


def is_worth_an_index(place: Place, dims: int, chunks: int) -> bool:
    """Whether there should be an index: there are many vectors, on a shelf of their own."""
    return 0 < dims <= _MOST_DIMS and chunks > FEW and place.has_vectors and place.is_own_shelf


def index_lock(place: Place) -> int:
    """The lock of who makes the index of a generation."""
    return place.generation * 4 + 1


def make_index(db: Connection, place: Place, dims: int, chunks: int) -> None:
    """An HNSW index, made while others read and write; who makes it holds `index_lock`.

    `db` is a connection without a time limit. If the client goes away, the server goes on.
    """
    place = Place(db, place.schema, place.agent, place.generation, place.shelf)
    if has_index(place, dims) or _is_being_made(place):
        return
    target = sql.Identifier(place.schema, _index_name(place, dims))
    # What a server that was stopped has left unfinished is in the way.
    run(db, sql.SQL("DROP INDEX IF EXISTS {}").format(target))
    if is_pooled(db):
        # What is set for a session would stay there for the next client, and may miss our own.
        _create_index(place, dims)
    else:
        run(db, sql.SQL(f"SET maintenance_work_mem = '{_graph_megabytes(chunks, dims)}MB'"))
        try:
            run(db, sql.SQL("SET max_parallel_maintenance_workers = 4"))
            _create_index(place, dims)
        except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory):
            # Several processes need shared memory, of which a container may have little.
            run(db, sql.SQL("DROP INDEX IF EXISTS {}").format(target))
            run(db, sql.SQL("SET max_parallel_maintenance_workers = 0"))
            _create_index(place, dims)
    # Until the server knows how large the tables are, it reads all of them; and until it has noted which pages
    # everybody sees, it looks up each chunk in its page to learn the number that the index tells already.
    for table in ("files", "chunks"):
        run(db, place.sql(f"VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) {{{table}}}"))
    for table in ("postings", "vectors"):
        run(db, place.sql(f"ANALYZE {{{table}}}"))


def _create_index(place: Place, dims: int) -> None:
    run(
        place.db,
        place.sql(
            f"CREATE INDEX CONCURRENTLY {_index_name(place, dims)} ON {{vectors}} USING hnsw "
            f"((embedding::halfvec({dims})) halfvec_ip_ops)"
        ),
    )


def _is_being_made(place: Place) -> bool:
    """Whether the server still makes an index for a client that has gone away."""
    making = "SELECT 1 FROM pg_stat_progress_create_index WHERE relid = to_regclass(%s)"
    return one(place.db, making, (f"{place.schema}.vectors_{place.shelf}",)) is not None


def _graph_megabytes(chunks: int, dims: int) -> int:
    """The memory in which a graph of so many vectors is made: one that does not fit takes ten times as long."""
    return min(_MOST_MEGABYTES, max(_LEAST_MEGABYTES, chunks * (2 * dims + _LINKS_BYTES) >> 20))


def _index_name(place: Place, dims: int) -> str:
    return f"near_{place.shelf}_{dims}"


def _nearest_here(
    place: Place,
    vector: Vector,
    sources: Sequence[Source],
    limit: int,
    files: frozenset[int] | None,
) -> list[int]:
    """The keys of the nearest chunks, compared in this process; for a server without the extension."""
    best: dict[Source, list[tuple[float, int]]] = {source: [] for source in sources}
    for keys, packed in _stored(place):
        alike = [n for n, row in enumerate(packed) if len(row) == 4 * vector.size]
        if not alike:
            continue
        every = np.frombuffer(b"".join(packed[n] for n in alike), np.float32)
        scores = cosines(every.reshape(-1, vector.size), vector).tolist()
        for n, score in zip(alike, scores, strict=True):
            if files is None or keys[n] // FILE_SPAN in files:
                for source in sources:
                    if keys[n] in source_keys(source):
                        best[source].append((-score, keys[n]))
        best = {source: sorted(found)[:limit] for source, found in best.items()}
    return [key for found in best.values() for _, key in found]


def _stored(place: Place) -> Iterator[tuple[list[int], list[bytes]]]:
    """The vectors of all chunks as they are stored, some at a time, in order."""
    after = -1
    while True:
        rows = run(
            place.db,
            place.sql(
                "SELECT key, embedding FROM {chunks} WHERE generation = %s AND key > %s "
                f"AND embedding IS NOT NULL ORDER BY key LIMIT {_ROWS_A_READ}"
            ),
            (place.generation, after),
            binary=True,
        )
        if not rows:
            return
        yield [key for key, _ in rows], [bytes(packed) for _, packed in rows]
        after = rows[-1][0]


def _literal(vector: Vector) -> str:
    return "[" + ",".join(map(str, vector.tolist())) + "]"
