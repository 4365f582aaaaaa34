"""Files into a table: collected and written some at a time, since every write is a version of its own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from memdown.files import reach
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import Lease
from memdown.index.lancedb.database import Database, Files
from memdown.index.lancedb.reading import by_key, read
from memdown.index.lancedb.rows import Batch, table_for
from memdown.index.packing import file_ids, file_keys
from memdown.index.store import Writes, dims_of
from memdown.types import FILE_SPAN, FileState, IndexedFile, Source, StoredChunk


class TableWriter:
    """Writes to the tables of a database; `is_writing` counts who is the one writer now."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.lease = None if database.is_local else Lease()
        self.is_writing = 0
        self._batch: Batch | None = None
        # While this is the one writer, nobody else changes the files: they are read once.
        self._own_files: tuple[str, Files] | None = None

    def begin(self) -> None:
        """Be the one writer from now on: what was read before may have changed."""
        self._own_files = None
        self.is_writing += 1

    def end(self) -> None:
        """Be it no longer; what was collected is written."""
        self.is_writing -= 1
        with self.database.lock:
            # What could not be written is written by the next sync.
            waiting = self.drop()
        if waiting is not None:
            with self.database.using(make=True) as db:
                self.keep_lease(db)
                waiting.write(db)

    def drop(self) -> Batch | None:
        """Let go of what was collected."""
        waiting, self._batch = self._batch, None
        return waiting

    def put(self, db: Any, name: str, file: IndexedFile, key: int | None) -> None:
        """A file's facts and, from number `key` on, its chunks."""
        number = self.number(db, name, file.state)
        path = file.state.path
        is_new = path not in self.files(db, name)
        if self._batch is None:
            self._batch = Batch(name)
        elif self._batch.name != name or self._batch.waits_for(number):
            self.flush(db)
            self._batch, is_new = Batch(name), path not in self.files(db, name)
        self._batch.add(number, file, key, is_new=is_new)
        if not self.is_writing or self._batch.is_full:
            self.flush(db)

    def flush(self, db: Any) -> None:
        """Write what was collected."""
        waiting = self.drop()
        if waiting is not None:
            self.keep_lease(db)
            self._own_files = None
            waiting.write(db)

    def remove(self, db: Any, name: str, paths: list[str]) -> None:
        """Delete the rows of files."""
        self.flush(db)
        known = self.files(db, name)
        numbers = [known[path][0] for path in paths if path in known]
        if numbers:
            self.keep_lease(db)
            self._own_files = None
            db.open_table(name).delete(f"file IN ({', '.join(map(str, numbers))})")
            reach("index.removing")

    def keep_lease(self, db: Any) -> None:
        """Stay the one writer; an error if another may be it by now."""
        if self.lease is not None and self.is_writing:
            self.lease.keep(db)

    def number(self, db: Any, name: str, file: FileState) -> int:
        """A file's number, or the next one that is free."""
        known = {path: number for path, (number, _) in self.files(db, name).items()}
        if self._batch is not None and self._batch.name == name:
            known |= self._batch.numbers
        if file.path in known:
            return known[file.path]
        ids = file_ids(file.source)
        return max((number + 1 for number in known.values() if number in ids), default=ids.start)

    def files(self, db: Any, name: str) -> Files:
        """The files of a table as they are written, without what is still collected."""
        if self.is_writing and self._own_files is not None and self._own_files[0] == name:
            return self._own_files[1]
        found = self.database.files(db, name)
        if self.is_writing:
            self._own_files = (name, found)
        return found

    def last_chunk(self, db: Any, name: str, path: str) -> StoredChunk | None:
        """A file's last chunk."""
        known = self.files(db, name)
        if path not in known:
            return None
        number, state = known[path]
        table = db.open_table(name)
        keys = [row["key"] for row in chunks_of(table, number, ["key"])]
        if not keys:
            return None
        (row,) = by_key(table, keys[-1:], rows.CHUNK_COLUMNS)
        return rows.read_chunk_row(row, state.date)


def chunks_of(table: Any, number: int, columns: list[str]) -> list[dict[str, Any]]:
    """The rows of a file's chunks, in order."""
    found = read(table, f"file = {number} AND key >= 0", columns).to_pylist()
    return sorted(found, key=lambda row: int(row["key"]))


def with_vectors(table: Any, number: int) -> set[int]:
    """The numbers of a file's chunks that have vectors."""
    if "embedding" not in table.schema.names:
        return set()
    where = f"file = {number} AND key >= 0 AND embedding IS NOT NULL"
    return set(read(table, where, ["key"])["key"].to_pylist())


class NewTable:
    """The table that is being made; rows are collected and added many at once."""

    def __init__(self, writer: TableWriter, name: str) -> None:
        self._writer = writer
        self._database = writer.database
        self._name = name
        self._batch = Batch(name)
        self._numbers: dict[Source, int] = {}
        self._dims: int | None = None

    def apply(self, writes: Writes) -> None:
        """Collect files; what continues or touches one that is written is written at once."""
        self._dims = dims_of(writes.files) or self._dims
        for file in writes.files:
            if file.replaces is not None:
                self._put(file, file.replaces)
                continue
            number = self._new_number(file.state.source)
            self._batch.add(number, file, file_keys(number).start, is_new=True)
            reach("rebuild.file")
            if self._batch.is_full:
                self.flush()
        for state in writes.touched:
            self._put(IndexedFile(state, [], None), None)

    def copy(self, found: Any, number: int, source: Source) -> None:
        """Take over the rows of a file, Arrow, under a new number."""
        new = self._new_number(source)
        keys = [
            -new if key < 0 else key + (new - number) * FILE_SPAN
            for key in found["key"].to_pylist()
        ]
        for name, values in (("key", keys), ("file", [new] * len(keys))):
            place = found.schema.get_field_index(name)
            found = found.set_column(place, found.schema.field(name), pa.array(values, pa.int64()))
        with self._database.using(make=True) as db:
            self._writer.keep_lease(db)
            table_for(db, self._name, self._dims).add(found, on_bad_vectors="null")

    def _new_number(self, source: Source) -> int:
        number = self._numbers.get(source, file_ids(source).start)
        self._numbers[source] = number + 1
        return number

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk among those written so far."""
        self.flush()
        with self._database.using(make=True) as db:
            return self._writer.last_chunk(db, self._name, path)

    def flush(self) -> None:
        """Write what was collected."""
        with self._database.using(make=True) as db:
            self._writer.keep_lease(db)
            self._batch.write(db, self._dims)

    def _put(self, file: IndexedFile, key: int | None) -> None:
        self.flush()
        with self._database.using(make=True) as db:
            self._writer.put(db, self._name, file, key)
