"""Files into a table: collected and written some at a time, since every write is a version of its own."""

from __future__ import annotations

import contextlib
import time
import uuid
from typing import Any

from memdown.errors import IndexBusy
from memdown.files import reach
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import Tables, TableVersion, rows_of
from memdown.index.lancedb.database import Database, Files, Pointer
from memdown.index.lancedb.reading import by_key
from memdown.index.lancedb.rows import EMBEDDING, Batch, make_table
from memdown.index.lancedb.upkeep import LEASE
from memdown.index.packing import file_ids, file_keys
from memdown.index.store import Writes, dims_of
from memdown.types import FILE_SPAN, FileState, IndexedFile, Source, StoredChunk

LEASE_SECONDS = 60.0
_POLL_SECONDS = 0.2
_LEASE_FIELDS = (("name", "string"), ("owner", "string"), ("until", "float64"))


class Lease:
    """The right to write, of one store."""

    def __init__(self) -> None:
        self._owner = str(uuid.uuid4())
        self._until = 0.0

    def take(self, db: Tables, timeout: float) -> bool:
        """Become the holder; False when another still is after `timeout`."""
        deadline = time.monotonic() + timeout
        while not self._try(db, f"owner = '' OR until < {time.time()}"):
            if time.monotonic() >= deadline:
                return False
            time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        return True

    def keep(self, db: Tables) -> None:
        """Stay the holder; an error if it took so long that another may be writing by now."""
        if self._until - time.time() > LEASE_SECONDS / 2:
            return
        if not self._try(db, f"owner = '{self._owner}'"):
            raise IndexBusy(
                "Writing took so long that another machine may have taken over; what was written "
                "is kept, run `memdown index` again."
            )

    def give_back(self, db: Tables) -> None:
        """Let others write."""
        if db.table(LEASE) is not None:
            db.update(LEASE, f"owner = '{self._owner}'", {"owner": "", "until": 0.0})
        self._until = 0.0

    def _try(self, db: Tables, where: str) -> bool:
        db.create(LEASE, _LEASE_FIELDS)
        if not db.rows(LEASE):
            db.merge(LEASE, {"name": ["live"], "owner": [""], "until": [0.0]}, "name")
        until = time.time() + LEASE_SECONDS
        # Of two that write at once, one is told of a conflict; what stands there then decides.
        with contextlib.suppress(RuntimeError, OSError, ValueError):
            db.update(LEASE, where, {"owner": self._owner, "until": until})
        holders = db.rows(LEASE)
        if len(holders) == 1 and holders[0]["owner"] == self._owner:
            self._until = float(holders[0]["until"])
            return self._until > time.time()
        return False


class TableWriter:
    """Writes to the tables of a database; `is_writing` counts who is the one writer now."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.lease = None if database.is_local else Lease()
        self.is_writing = 0
        self._batch: Batch | None = None
        # While this is the one writer, nobody else changes the files: they are read once.
        self._own_files: tuple[str, Files] | None = None
        self._own_pointer: Pointer | None = None
        self._next: tuple[Files, dict[Source, int]] | None = None

    def begin(self) -> None:
        """Be the one writer from now on: what was read before may have changed."""
        self._own_files = None
        self.let_go_of_pointer()
        self.is_writing += 1

    def end(self) -> None:
        """Be it no longer; what was collected is written."""
        self.is_writing -= 1
        self.let_go_of_pointer()
        with self.database.lock:
            # What could not be written is written by the next sync.
            waiting = self.drop()
        if waiting is not None:
            with self.database.using(make=True) as db:
                self.keep_lease(db)
                waiting.write(db)

    def live(self, db: Tables) -> Pointer:
        """Where the index is; asked once by the one writer, who alone can change it."""
        if self._own_pointer is not None:
            return self._own_pointer
        found = self.database.live(db)
        if self.is_writing:
            self._own_pointer = found
        return found

    def let_go_of_pointer(self) -> None:
        """The index may be another one from now on."""
        self._own_pointer = None

    def drop(self) -> Batch | None:
        """Let go of what was collected."""
        waiting, self._batch = self._batch, None
        return waiting

    def put(self, db: Tables, name: str, file: IndexedFile, key: int | None) -> None:
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

    def flush(self, db: Tables) -> None:
        """Write what was collected."""
        waiting = self.drop()
        if waiting is not None:
            self.keep_lease(db)
            self._own_files = None
            waiting.write(db)

    def remove(self, db: Tables, name: str, paths: list[str]) -> None:
        """Delete the rows of files."""
        self.flush(db)
        known = self.files(db, name)
        numbers = [known[path][0] for path in paths if path in known]
        if numbers:
            self.keep_lease(db)
            self._own_files = None
            db.delete(name, f"file IN ({', '.join(map(str, numbers))})")
            reach("index.removing")

    def keep_lease(self, db: Tables) -> None:
        """Stay the one writer; an error if another may be it by now."""
        if self.lease is not None and self.is_writing:
            self.lease.keep(db)

    def number(self, db: Tables, name: str, file: FileState) -> int:
        """A file's number, or the next one that is free."""
        known, collected = self.files(db, name), 0
        if self._batch is not None and self._batch.name == name:
            waiting = self._batch.numbers.get(file.path)
            if waiting is not None:
                return waiting
            collected = self._batch.next_numbers.get(file.source, 0)
        if file.path in known:
            return known[file.path][0]
        return max(collected, self._next_number(known, file.source))

    def _next_number(self, known: Files, source: Source) -> int:
        """The number after those of a source; the list is looked through once, since every new file asks."""
        if self._next is None or self._next[0] is not known:
            self._next = (known, {})
        numbers = self._next[1]
        if source not in numbers:
            ids = file_ids(source)
            taken = (number + 1 for number, _ in known.values() if number in ids)
            numbers[source] = max(taken, default=ids.start)
        return numbers[source]

    def files(self, db: Tables, name: str) -> Files:
        """The files of a table as they are written, without what is still collected."""
        if self.is_writing and self._own_files is not None and self._own_files[0] == name:
            return self._own_files[1]
        found = self.database.files(db, name)
        if self.is_writing:
            self._own_files = (name, found)
        return found

    def last_chunk(self, db: Tables, name: str, path: str) -> StoredChunk | None:
        """A file's last chunk."""
        known = self.files(db, name)
        table = db.table(name)
        if path not in known or table is None:
            return None
        number, state = known[path]
        keys = [row["key"] for row in chunks_of(table, number, ["key"])]
        if not keys:
            return None
        (row,) = by_key(table, keys[-1:], rows.CHUNK_COLUMNS)
        return rows.read_chunk_row(row, state)


def chunks_of(table: TableVersion, number: int, columns: list[str]) -> list[dict[str, Any]]:
    """The rows of a file's chunks, in order."""
    found = rows_of(table.select(columns, f"file = {number} AND key >= 0"))
    return sorted(found, key=lambda row: int(row["key"]))


def with_vectors(table: TableVersion, number: int) -> set[int]:
    """The numbers of a file's chunks that have vectors."""
    if EMBEDDING not in table.columns:
        return set()
    where = f"file = {number} AND key >= 0 AND embedding IS NOT NULL"
    return set(table.select(["key"], where)["key"])


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

    def copy(self, old: TableVersion, number: int, source: Source) -> None:
        """Take over the rows of a file of another table, under a new number."""
        found = old.select(old.columns, f"file = {number}")
        new = self._new_number(source)
        found["key"] = [
            -new if key < 0 else key + (new - number) * FILE_SPAN for key in found["key"]
        ]
        found["file"] = [new] * len(found["key"])
        with self._database.using(make=True) as db:
            self._writer.keep_lease(db)
            make_table(db, self._name, self._dims)
            db.add(self._name, found, "key")

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
