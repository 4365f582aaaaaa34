"""Chunks as rows, each with the terms of its passages and its vectors."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memdown.index.packing import (
    count_passages,
    file_ids,
    file_keys,
    is_stored_text,
    pack_lines,
    pack_passages,
    pack_text,
    unpack_chunk,
)
from memdown.index.postgres import vectors
from memdown.index.postgres.connection import Place, numbers, one, run
from memdown.index.postgres.file_rows import file_number
from memdown.index.postgres.generations import Live
from memdown.index.postgres.postings import KeyedTerms
from memdown.index.shortlist import (
    pack_brief,
    pack_passage_vectors,
    pack_terms,
    terms_of,
    unpack_terms,
)
from memdown.types import Chunk, IndexedFile, Source, StoredChunk

_ROWS_A_READ = 2_000

_COLUMNS = "key, id, start_line, end_line, hash, text, headings, passages, lines, terms, told"


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as it is stored, and the terms of its passages."""

    columns: tuple[object, ...]
    terms: Sequence[KeyedTerms]
    embedding: bytes | None
    passage_vectors: bytes | None


@dataclass(frozen=True, slots=True)
class _Removed:
    terms: Sequence[KeyedTerms]


def rows_of(key: int, file: IndexedFile) -> list[Row]:
    """The rows of a file's new chunks, numbered from `key` on."""
    rows = []
    done = sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
    for number, chunk in enumerate(file.chunks[file.keep :]):
        terms = [KeyedTerms(key + place, one) for place, one in enumerate(terms_of(chunk))]
        vector = None if file.vectors is None else file.vectors[number].astype(np.float32).tobytes()
        own = None
        if file.passage_vectors is not None:
            own = file.passage_vectors[done : done + len(chunk.passages)]
        packed = pack_terms([one.terms for one in terms]).encode("utf-8", "surrogatepass")
        headings, passages = pack_passages(chunk)
        columns = (
            key,
            chunk.id,
            chunk.start_line,
            chunk.end_line,
            chunk.digest,
            pack_text(chunk.text),
            pack_text(headings),
            passages,
            pack_lines(chunk),
            zlib.compress(packed, 1),
            pack_brief([one.terms for one in terms]),
        )
        rows.append(Row(columns, terms, vector, pack_passage_vectors(own)))
        key += len(chunk.passages)
        done += len(chunk.passages)
    return rows


def insert(place: Place, rows: Sequence[Row]) -> None:
    """Store chunks, and their vectors where they can be compared."""
    if not rows:
        return
    with place.db.cursor() as cursor:
        cursor.executemany(
            place.sql(
                f"INSERT INTO {{chunks}} (generation, {_COLUMNS}, embedding, passage_vectors) "
                "VALUES (%s, %s, %s, %s, %s, %s, %b, %b, %b, %b, %b, %b, %b, %b)"
            ),
            [(place.generation, *row.columns, row.embedding, row.passage_vectors) for row in rows],
        )
    vectors.insert(
        place,
        [(int(str(row.columns[0])), row.embedding) for row in rows if row.embedding is not None],
    )


def read_rows(place: Place, keys: range) -> list[Row]:
    rows = run(
        place.db,
        place.sql(
            f"SELECT {_COLUMNS}, embedding, passage_vectors FROM {{chunks}} "
            "WHERE generation = %s AND key >= %s AND key < %s ORDER BY key"
        ),
        (place.generation, keys.start, keys.stop),
        binary=True,
    )
    return [Row(row[:-2], _keyed(row[0], row[9], row[7]), row[-2], row[-1]) for row in rows]


def delete_from(place: Place, keys: range) -> list[_Removed]:
    """Delete chunks; the terms of what is gone."""
    rows = run(
        place.db,
        place.sql(
            "DELETE FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s "
            "RETURNING key, terms, passages"
        ),
        (place.generation, keys.start, keys.stop),
        binary=True,
    )
    if rows:
        vectors.delete(place, keys)
    return [_Removed(_keyed(*row)) for row in rows]


def stored_prefix(place: Place, path: str, chunks: Sequence[Chunk], embedded: bool) -> int:
    """How many of a file's leading chunks are stored as given, and have vectors if `embedded`."""
    stored = run(
        place.db,
        place.sql(
            "SELECT c.id, c.embedding IS NOT NULL FROM {files} f JOIN {chunks} c "
            "ON c.generation = f.generation AND c.key >= f.id << 24 AND c.key < (f.id + 1) << 24 "
            "WHERE f.generation = %s AND f.path = %s ORDER BY c.key"
        ),
        (place.generation, path),
    )
    same = 0
    for (chunk_id, has_vector), chunk in zip(stored, chunks, strict=False):
        if chunk_id != chunk.id or (embedded and not has_vector):
            break
        same += 1
    return same


def last_chunk(place: Place, path: str) -> StoredChunk | None:
    """A file's last chunk."""
    file_id = file_number(place, path)
    if file_id is None:
        return None
    keys = file_keys(file_id)
    key = one(
        place.db,
        place.sql("SELECT max(key) FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s"),
        (place.generation, keys.start, keys.stop),
    )
    return None if key is None else load_chunks(place, [key])[key]


def load_chunks(place: Place, keys: Sequence[int]) -> dict[int, StoredChunk]:
    """Chunks by their numbers, each checked against the digest it was stored with."""
    rows = run(
        place.db,
        place.sql(
            "SELECT c.key, c.id, f.path, f.source, c.start_line, c.end_line, c.headings, c.text, "
            "c.hash, c.passages, c.lines, f.date FROM {chunks} c "
            "JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
            "WHERE c.generation = %s AND c.key = ANY(%s::bigint[])"
        ),
        (place.generation, numbers(keys)),
        binary=True,
    )
    return {row[0]: unpack_chunk(*row) for row in rows}


def has_brief(place: Place) -> bool:
    """Whether the tables have a column for what is told of a chunk's terms; later versions added it."""
    return (
        one(
            place.db,
            "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'told' "
            "AND NOT attisdropped",
            (f"{place.schema}.chunks_{place.shelf}",),
        )
        is not None
    )


def count_chunks(place: Place, source: Source) -> int:
    """How many chunks a source has."""
    ids = file_ids(source)
    return int(
        one(
            place.db,
            place.sql(
                "SELECT count(*) FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s"
            ),
            (place.generation, file_keys(ids.start).start, file_keys(ids.stop).start),
        )
    )


def problems(live: Live) -> Iterator[str]:
    """What is wrong with a generation, after a look at all of it, some rows at a time."""
    place = live.place
    passages = 0
    for rows in _all_rows(place, "c.key, f.path, c.text, c.hash, c.passages"):
        for _, path, text, digest, packed in rows:
            if not is_stored_text(text, digest):
                yield f"a chunk of {path} is not the text that was stored"
            passages += count_passages(bytes(packed))
    if passages != live.passages:
        yield "the number of passages is not what was counted"


def _all_rows(place: Place, columns: str) -> Iterator[list[Any]]:
    after = -1
    while True:
        rows = run(
            place.db,
            place.sql(
                f"SELECT {columns} FROM {{chunks}} c "
                "JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
                f"WHERE c.generation = %s AND c.key > %s ORDER BY c.key LIMIT {_ROWS_A_READ}"
            ),
            (place.generation, after),
            binary=True,
        )
        if not rows:
            return
        yield rows
        after = rows[-1][0]


def _keyed(key: int, packed: bytes, passages: bytes) -> list[KeyedTerms]:
    text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
    each = unpack_terms(text, count_passages(bytes(passages)))
    return [KeyedTerms(number, one) for number, one in enumerate(each, start=key)]
