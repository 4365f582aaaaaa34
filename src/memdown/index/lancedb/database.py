"""One index's database: opened when it is needed, its tables kept open, and which of them is live."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from memdown.errors import StoreError
from memdown.files import make_folder
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import (
    ONLY,
    POINTER,
    Pointer,
    Waits,
    connect,
    mapped,
    opened,
    read_pointers,
)
from memdown.index.lancedb.reading import ReadCache, read
from memdown.index.manifest import Manifest, variant_of
from memdown.types import FileState, Fingerprint

# How rows are laid out: another layout is another variant.
_LAYOUT = 1

_Result = TypeVar("_Result")
Files = dict[str, tuple[int, FileState]]


class Database:
    """The tables of one index in a folder, or at an address. Thread-safe.

    `path` is the folder, or where this host keeps the lock of an index at an address. `manifest` is
    what this host knows of its own files; None if the index is of this host alone.
    """

    def __init__(self, path: Path, url: str | None, manifest: Manifest | None) -> None:
        self.path = path
        self.place = url or str(path)
        self.is_local = url is None
        self.manifest = manifest
        self.kept = ReadCache()
        self.waits = Waits(is_local=self.is_local)
        # Which of the indexes at an address this host uses: there is one for each way to make it.
        self.variant: str | None = ONLY if manifest is None else None
        self.lock = threading.RLock()
        self._db: Any = None
        self._open_pointer: Any = None
        self._open_table: Any = None
        self._open_version: Any = None
        self._known_files: tuple[object, Files] | None = None
        self._closed = False

    @property
    def lock_file(self) -> Path:
        """The file that the one writer among this host's processes holds."""
        return self.path.with_name(self.path.name + ".lock")

    @contextlib.contextmanager
    def using(self, *, make: bool = False) -> Iterator[Any]:
        """The database; None while there is none, unless it is to be made."""
        with self.lock, mapped(self.place):
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            if self.is_local and not self.path.exists():
                self.let_go()
                if not make:
                    yield None
                    return
                make_folder(self.path)
            if self._db is None:
                self._db = self.waits.ask(lambda: connect(self.place))
            yield self._db

    def ask(self, work: Callable[[Any], _Result]) -> _Result:
        """What `work` reads from the database, which is None while there is none, in time."""
        with self.using() as db:
            return self.waits.ask(lambda: work(db))

    def pointer(self, db: Any) -> Pointer | None:
        """Where the live index is; its table stays open, since every search asks."""
        if db is None:
            return None
        try:
            if self._open_pointer is not None:
                return self.find(db, self._open_pointer)
        except (OSError, RuntimeError, ValueError):
            # Another process has set the index aside.
            self.let_go_of_tables()
        self._open_pointer = opened(db, POINTER)
        return None if self._open_pointer is None else self.find(db, self._open_pointer)

    def find(self, db: Any, pointers: Any = None) -> Pointer | None:
        """Where this host's index is; before it has chosen one, the one written last."""
        every = {} if db is None else read_pointers(db, pointers)
        if self.variant is None and self.manifest is not None:
            self.variant = self.manifest.variant()
        if self.variant is not None:
            return every.get(self.variant)
        return max(every.values(), key=lambda one: one.written, default=None)

    def live(self, db: Any) -> Pointer:
        """Where this host's index is; an error if there is none."""
        pointer = self.find(db)
        if pointer is None:
            raise StoreError(f"There is no index at {self.place} yet: run `memdown index`.")
        return pointer

    def variant_of(self, made: Fingerprint) -> str:
        """The name of an index that is made so."""
        return ONLY if self.manifest is None else variant_of(made, _LAYOUT)

    def choose(self, variant: str) -> None:
        """Use this variant from now on."""
        if self.manifest is not None:
            self.manifest.choose(variant)
        self.variant = variant

    def latest(self, db: Any, name: str) -> Any:
        """A table that sees what others write; None if there is none."""
        if self._open_table is None or self._open_table.name != name:
            self._open_table = opened(db, name)
        return self._open_table

    def at_version(self, db: Any, name: str) -> Any:
        """The newest version of a table, which stays what it is; None if nothing was written yet."""
        latest = self.latest(db, name)
        if latest is None:
            return None
        known = self._open_version
        if known is None or (known.name, known.version) != (name, latest.version):
            known = db.open_table(name)
            known.checkout(latest.version)
            self._open_version = known
        return known

    def files(self, db: Any, name: str) -> Files:
        """The files of a table by path, each with its number."""
        table = opened(db, name)
        if table is None:
            return {}
        state = (name, table.version)
        known = self._known_files
        if known is None or known[0] != state:
            wanted = ["key", "path", "source", "digest", "facts"]
            found = {
                row["path"]: (-row["key"], rows.read_file_row(row))
                for row in read(table, "key < 0", wanted).to_pylist()
            }
            known = self._known_files = (state, found)
        return known[1]

    def let_go_of_tables(self) -> None:
        """Forget what was opened and read."""
        self._open_pointer = self._open_table = self._open_version = self._known_files = None
        self.kept = ReadCache()

    def let_go(self) -> None:
        """Forget the database itself, too; it is opened again when it is needed."""
        self._db = None
        self.let_go_of_tables()

    def close(self) -> None:
        """Let go of everything; a closed database cannot be used again."""
        with self.lock:
            self._closed = True
            if self.manifest is not None:
                self.manifest.close()
            self.waits.close()
            self.let_go()
