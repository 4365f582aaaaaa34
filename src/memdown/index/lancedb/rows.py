"""Files and chunks as rows of one table, so that one version of it is one state of the index.

A chunk's row has the number of its first passage, a file's row the negative of its own number.
"""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from memdown.errors import IndexCorrupt
from memdown.index.lancedb.connection import opened
from memdown.index.packing import (
    pack_lines,
    pack_passages,
    pack_text,
    unpack_chunk,
)
from memdown.index.shortlist import pack_passage_vectors, pack_terms, terms_of
from memdown.text import prefix_terms
from memdown.types import Chunk, FileState, IndexedFile, StoredChunk

_FIELDS = (
    ("key", pa.int64()),
    ("file", pa.int64()),
    ("path", pa.string()),
    ("source", pa.string()),
    ("id", pa.string()),
    ("digest", pa.string()),
    ("facts", pa.string()),
    ("start_line", pa.int64()),
    ("end_line", pa.int64()),
    ("headings", pa.binary()),
    ("text", pa.binary()),
    ("passages", pa.binary()),
    ("lines", pa.binary()),
    ("terms", pa.string()),
    ("passage_vectors", pa.binary()),
)
_NOT_OF_A_CHUNK = ("file", "facts", "terms", "passage_vectors")
CHUNK_COLUMNS = [name for name, _ in _FIELDS if name not in _NOT_OF_A_CHUNK]
# Marks the beginning of a word as a term of its own, for the full-text index, which knows no prefixes.
BEGINNING = "\x03"


def schema_for(dims: int | None) -> pa.Schema:
    """The columns of a table; vectors have one only when their length is known."""
    fields = [pa.field(name, kind) for name, kind in _FIELDS]
    if dims is not None:
        fields.append(pa.field("embedding", pa.list_(pa.float32(), dims)))
    return pa.schema(fields)


# What stands before the day in a file's facts, as they are written below.
DATE_MARK = '"date": "'


def file_row(number: int, file: FileState) -> dict[str, Any]:
    """A file's facts."""
    facts = {
        "size": file.size,
        "mtime": file.mtime_ns,
        "ctime": file.ctime_ns,
        "inode": file.inode,
        "date": file.date.isoformat() if file.date else None,
        "problem": file.problem,
        "tags": list(file.tags),
        "names": file.names,
    }
    return {
        "key": -number,
        "file": number,
        "path": file.path,
        "source": file.source,
        "digest": file.digest,
        "facts": json.dumps(facts),
    }


def read_file_row(row: Mapping[str, Any]) -> FileState:
    """The facts back from a row."""
    try:
        facts = json.loads(row["facts"])
        return FileState(
            row["path"],
            row["source"],
            facts["size"],
            facts["mtime"],
            facts["ctime"],
            facts["inode"],
            row["digest"],
            datetime.date.fromisoformat(facts["date"]) if facts["date"] else None,
            facts.get("problem", ""),
            tuple(facts.get("tags", ())),
            facts.get("names", ""),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise IndexCorrupt(
            f"What is noted of {row.get('path')} cannot be read ({error}); rebuild the index with "
            "`memdown index --force`."
        ) from error


def beginnings(text: str) -> set[str]:
    """The beginnings of the words of a text, given as terms, as terms of their own."""
    return {BEGINNING + prefix for prefix in prefix_terms(text.split())}


def _searched(chunk: Chunk) -> str:
    """A chunk's terms; after one more tab, the beginnings of its words."""
    passages = terms_of(chunk)
    found = sorted(set().union(*(beginnings(one.text) for one in passages)))
    return f"{pack_terms(passages)}\t{' '.join(found)}"


def chunk_rows(number: int, first_key: int, file: IndexedFile) -> list[dict[str, Any]]:
    """The rows of a file's new chunks, numbered from `first_key` on."""
    done = sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
    rows = []
    key = first_key
    for place, chunk in enumerate(file.chunks[file.keep :]):
        own = None
        if file.passage_vectors is not None:
            own = file.passage_vectors[done : done + len(chunk.passages)]
        headings, passages = pack_passages(chunk)
        row: dict[str, Any] = {
            "key": key,
            "file": number,
            "path": chunk.path,
            "source": chunk.source,
            "id": chunk.id,
            "digest": chunk.digest,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "headings": pack_text(headings),
            "text": pack_text(chunk.text),
            "passages": passages,
            "lines": pack_lines(chunk),
            "terms": _searched(chunk),
            "passage_vectors": pack_passage_vectors(own),
        }
        if file.vectors is not None:
            row["embedding"] = file.vectors[place]
        rows.append(row)
        key += len(chunk.passages)
        done += len(chunk.passages)
    return rows


def read_chunk_row(row: Mapping[str, Any], date: datetime.date | None) -> StoredChunk:
    """A chunk back from a row, checked against the digest it was stored with."""
    return unpack_chunk(
        row["key"],
        row["id"],
        row["path"],
        row["source"],
        row["start_line"],
        row["end_line"],
        row["headings"],
        row["text"],
        row["digest"],
        row["passages"],
        row["lines"],
        date,
    )


def as_table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table; what a row lacks is null."""
    columns = {
        name: [row.get(name) for row in rows] for name in schema.names if name != "embedding"
    }
    if "embedding" in schema.names:
        columns["embedding"] = _vectors([row.get("embedding") for row in rows], schema)
    return pa.table(columns, schema=schema)


def _vectors(each: Sequence[Any], schema: pa.Schema) -> pa.Array:
    dims = schema.field("embedding").type.list_size
    flat = np.zeros((len(each), dims), np.float32)
    lacks = np.array([vector is None for vector in each], bool)
    for place in np.flatnonzero(~lacks).tolist():
        flat[place] = each[place]
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), dims, mask=pa.array(lacks))


_MOST_ROWS = 10_000
_MOST_SECONDS = 5.0
# A condition with very many parts is slow to read.
_MOST_REPLACED = 200


class Batch:
    """Files that wait to be written to one table. Not safe for several threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numbers: dict[str, int] = {}
        self._rows: list[dict[str, Any]] = []
        self._replaced: dict[int, int] = {}
        self._touched: set[int] = set()
        self._dims: int | None = None
        self._since = time.monotonic()

    def add(self, number: int, file: IndexedFile, key: int | None, *, is_new: bool) -> None:
        """A file's facts and, from number `key` on, its new chunks; without a key its chunks stay."""
        if not self._rows:
            self._since = time.monotonic()
        self._rows.append(file_row(number, file.state))
        self.numbers[file.state.path] = number
        if file.vectors is not None and file.vectors.ndim == 2 and len(file.vectors):
            self._dims = file.vectors.shape[1]
        if key is None:
            self._touched.add(number)
            return
        self._rows += chunk_rows(number, key, file)
        if not is_new:
            self._replaced[number] = key

    def waits_for(self, number: int) -> bool:
        """Whether a file is among them already."""
        return number in self.numbers.values()

    @property
    def is_full(self) -> bool:
        """Whether it is time to write."""
        return (
            len(self._rows) >= _MOST_ROWS
            or len(self._replaced) >= _MOST_REPLACED
            or time.monotonic() - self._since > _MOST_SECONDS
        )

    def write(self, db: Any, dims: int | None = None) -> None:
        """Write all in one commit; the table is made if it is not there."""
        table = table_for(db, self.name, self._dims or dims)
        new, self._rows = self._rows, []
        replaced, self._replaced = self._replaced, {}
        touched, self._touched = self._touched, set()
        self.numbers = {}
        if not new:
            return
        data = as_table(new, table.schema)
        if not replaced and not touched:
            # A file has no vector, which is no mistake.
            table.add(data, on_bad_vectors="null")
            return
        merge = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        if replaced:
            gone = (f"(file = {number} AND key >= {key})" for number, key in replaced.items())
            merge = merge.when_not_matched_by_source_delete(" OR ".join(gone))
        merge.execute(data, on_bad_vectors="null")


def table_for(db: Any, name: str, dims: int | None) -> Any:
    """The table, with a column for vectors of this length."""
    table = opened(db, name)
    if table is None:
        return db.create_table(name, schema=schema_for(dims))
    if dims is not None and "embedding" not in table.schema.names:
        table.add_columns(schema_for(dims).field("embedding"))
        table.checkout_latest()
    return table
