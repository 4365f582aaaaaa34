"""Rows on their way into a table: collected, and written many at once.

Every write makes a new version and a new file of the table, so one for each note would be slow to
write and slow to read.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import opened
from memdown.types import Chunk, FileState, Vectors

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

    def add(
        self,
        number: int,
        file: FileState,
        chunks: Sequence[Chunk],
        vectors: Vectors | None,
        key: int | None,
        *,
        is_new: bool,
    ) -> None:
        """A file's facts and, from number `key` on, its chunks; without a key its chunks stay."""
        stamp = random.getrandbits(62)
        if not self._rows:
            self._since = time.monotonic()
        self._rows.append(rows.file_row(number, file, stamp))
        self.numbers[file.path] = number
        if vectors is not None and vectors.ndim == 2 and len(vectors):
            self._dims = vectors.shape[1]
        if key is None:
            self._touched.add(number)
            return
        self._rows += rows.chunk_rows(number, key, chunks, vectors, stamp)
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
        data = rows.as_table(new, table.schema)
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
        return db.create_table(name, schema=rows.schema_for(dims))
    if dims is not None and "embedding" not in table.schema.names:
        table.add_columns(rows.schema_for(dims).field("embedding"))
        table.checkout_latest()
    return table
