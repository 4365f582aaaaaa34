"""Files and chunks as rows of one table, so that one version of it is one state of the index.

A chunk's row has the number of its first passage, a file's row the negative of its own number.
"""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memdown.errors import IndexCorrupt
from memdown.index.lancedb.connection import Columns, Tables, TableVersion, VectorColumn
from memdown.index.packing import (
    file_ids,
    pack_lines,
    pack_passages,
    pack_text,
    unpack_chunk,
)
from memdown.index.shortlist import pack_passage_vectors, pack_terms, terms_of
from memdown.text import prefix_terms
from memdown.types import SOURCES, Chunk, FileState, IndexedFile, Source, StoredChunk

_FIELDS = (
    ("key", "int64"),
    ("file", "int64"),
    ("path", "string"),
    ("source", "string"),
    ("id", "string"),
    ("digest", "string"),
    ("facts", "string"),
    ("start_line", "int64"),
    ("end_line", "int64"),
    ("headings", "binary"),
    ("text", "binary"),
    ("passages", "binary"),
    ("lines", "binary"),
    ("terms", "string"),
    ("passage_vectors", "binary"),
)
# What a chunk is made of; what its file tells of it is not read again.
CHUNK_COLUMNS = (
    "key",
    "id",
    "digest",
    "start_line",
    "end_line",
    "headings",
    "text",
    "passages",
    "lines",
)
# Marks the beginning of a word as a term of its own, for the full-text index, which knows no prefixes.
BEGINNING = "\x03"


# What is read of a file.
FILE_COLUMNS = ("key", "path", "digest", "facts")
EMBEDDING = "embedding"


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


def _source_of(number: int) -> Source:
    """Whose file has this number."""
    return next(source for source in SOURCES if number in file_ids(source))


def read_file_row(number: int, path: str, digest: str, packed: str) -> FileState:
    """The facts back from a row."""
    try:
        facts = json.loads(packed)
        return FileState(
            path,
            _source_of(number),
            facts["size"],
            facts["mtime"],
            facts["ctime"],
            facts["inode"],
            digest,
            datetime.date.fromisoformat(facts["date"]) if facts["date"] else None,
            facts.get("problem", ""),
            tuple(facts.get("tags", ())),
            facts.get("names", ""),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise IndexCorrupt(
            f"What is noted of {path} cannot be read ({error}); rebuild the index with "
            "`memdown index --force`."
        ) from error


def read_files(table: TableVersion, where: str) -> Iterator[tuple[int, FileState]]:
    """The files that meet a condition, with their numbers."""
    return _numbered(table.select(FILE_COLUMNS, where))


def files_of(table: TableVersion, numbers: Sequence[int]) -> Iterator[tuple[int, FileState]]:
    """Some files, with their numbers."""
    return _numbered(table.files(FILE_COLUMNS, [-number for number in numbers]))


def _numbered(columns: Columns) -> Iterator[tuple[int, FileState]]:
    """Files out of their rows; one at a time, since there may be tens of thousands."""
    for key, *columns_of_file in zip(*(columns[name] for name in FILE_COLUMNS), strict=True):
        yield -key, read_file_row(-key, *columns_of_file)


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


def read_chunk_row(row: Mapping[str, Any], file: FileState) -> StoredChunk:
    """A chunk of a file back from a row, checked against the digest it was stored with."""
    return unpack_chunk(
        row["key"],
        row["id"],
        file.path,
        file.source,
        row["start_line"],
        row["end_line"],
        row["headings"],
        row["text"],
        row["digest"],
        row["passages"],
        row["lines"],
        file.date,
    )


def _as_columns(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Rows as columns; what a row lacks is None."""
    columns: Columns = {name: [row.get(name) for row in rows] for name, _ in _FIELDS}
    each = [row.get(EMBEDDING) for row in rows]
    vectors = [vector for vector in each if vector is not None]
    if vectors:
        has = [vector is not None for vector in each]
        columns[EMBEDDING] = VectorColumn(has, np.stack(vectors))
    return columns


_MOST_ROWS = 10_000
_MOST_SECONDS = 5.0
# A condition with very many parts is slow to read.
_MOST_REPLACED = 200


class Batch:
    """Files that wait to be written to one table. Not safe for several threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numbers: dict[str, int] = {}
        self.next_numbers: dict[Source, int] = {}
        self._rows: list[dict[str, Any]] = []
        self._replaced: dict[int, int] = {}
        self._touched: set[int] = set()
        self._waiting: set[int] = set()
        self._dims: int | None = None
        self._since = time.monotonic()

    def add(self, number: int, file: IndexedFile, key: int | None, *, is_new: bool) -> None:
        """A file's facts and, from number `key` on, its new chunks; without a key its chunks stay."""
        if not self._rows:
            self._since = time.monotonic()
        self._rows.append(file_row(number, file.state))
        self.numbers[file.state.path] = number
        self._waiting.add(number)
        source = file.state.source
        self.next_numbers[source] = max(number + 1, self.next_numbers.get(source, 0))
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
        return number in self._waiting

    @property
    def is_full(self) -> bool:
        """Whether it is time to write."""
        return (
            len(self._rows) >= _MOST_ROWS
            or len(self._replaced) >= _MOST_REPLACED
            or time.monotonic() - self._since > _MOST_SECONDS
        )

    def write(self, db: Tables, dims: int | None = None) -> None:
        """Write all in one commit; the table is made if it is not there."""
        make_table(db, self.name, self._dims or dims)
        new, self._rows = self._rows, []
        replaced, self._replaced = self._replaced, {}
        touched, self._touched = self._touched, set()
        self.numbers, self.next_numbers, self._waiting = {}, {}, set()
        if not new:
            return
        if not replaced and not touched:
            db.add(self.name, _as_columns(new), "key")
            return
        gone = (f"(file = {number} AND key >= {key})" for number, key in replaced.items())
        db.merge(self.name, _as_columns(new), "key", " OR ".join(gone) or None)


def make_table(db: Tables, name: str, dims: int | None) -> None:
    """Make a table unless it is there; vectors have a column only when their length is known."""
    vectors = [] if dims is None else [(EMBEDDING, dims)]
    table = db.table(name)
    if table is None:
        db.create(name, [*_FIELDS, *vectors])
    elif vectors and EMBEDDING not in table.columns:
        db.add_column(name, *vectors)
