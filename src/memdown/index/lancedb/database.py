"""One index's database: reached when it is needed, and which of its tables is live."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from memdown.errors import StoreError
from memdown.files import make_folder
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import EngineClient, Tables, TableVersion, mapped, needed
from memdown.index.lancedb.reading import ReadCache
from memdown.index.manifest import Manifest, variant_of
from memdown.types import FileState, Fingerprint, ModelKey

# How rows are laid out: another layout is another variant.
_LAYOUT = 1
# Tables that an earlier form of this pointed to are made anew from the notes.
_POINTERS = "pointer_4"
# The one index of a folder; at an address there is one for each way to make it.
ONLY = "live"
PREFIX = "index_"
# A search that began before a rebuild was published goes on reading the old table.
_GRACE_SECONDS = 120.0
_POINTER_FIELDS = (("name", "string"), ("data", "string"))

_Result = TypeVar("_Result")
Files = dict[str, tuple[int, FileState]]


@dataclass(frozen=True, slots=True)
class Pointer:
    """The live table of a variant: its number, how it was made, when earlier ones were retired, and when
    this was written last, in seconds since 1970."""

    generation: int
    fingerprint: Fingerprint
    retired: tuple[tuple[int, float], ...] = ()
    written: float = 0.0

    @property
    def table(self) -> str:
        return f"{PREFIX}{self.generation}"

    def moved(self, generation: int, fingerprint: Fingerprint) -> Pointer:
        """The pointer after a rebuild."""
        return Pointer(
            generation, fingerprint, (*self.retired[-8:], (self.generation, time.time()))
        )

    def made_with(self, fingerprint: Fingerprint) -> Pointer:
        """The same table, made otherwise."""
        return replace(self, fingerprint=fingerprint)


def read_pointers(db: Tables) -> dict[str, Pointer]:
    """Where each variant of the index is."""
    return {row["name"]: _pointer(json.loads(row["data"])) for row in db.rows(_POINTERS)}


def _pointer(data: dict[str, Any]) -> Pointer:
    made = data["fingerprint"]
    made["key"] = ModelKey(**made["key"])
    retired = tuple((number, when) for number, when in data["retired"])
    return Pointer(data["generation"], Fingerprint(**made), retired, data["written"])


def write_pointer(db: Tables, pointer: Pointer, variant: str = ONLY) -> None:
    """Point to a table, in one step."""
    made = pointer.fingerprint
    data = {
        "generation": pointer.generation,
        "fingerprint": {
            "key": {
                "provider": made.key.provider,
                "model": made.key.model,
                "provider_key": made.key.provider_key,
            },
            "chunk_tokens": made.chunk_tokens,
            "chunk_overlap": made.chunk_overlap,
            "terms_version": made.terms_version,
            "dims": made.dims,
        },
        "retired": [list(one) for one in pointer.retired],
        "written": time.time(),
    }
    db.create(_POINTERS, _POINTER_FIELDS)
    db.merge(_POINTERS, {"name": [variant], "data": [json.dumps(data)]}, "name")


def next_generation(db: Tables) -> int:
    """A number that no table has or ever had: what is held of one is never taken for another."""
    numbers = [int(name.removeprefix(PREFIX)) for name in db.names() if _is_index(name)]
    live = [pointer.generation for pointer in read_pointers(db).values()]
    return max([*numbers, *live, time.time_ns() // 1_000_000]) + 1


def forget_variants(db: Tables, mine: str, seconds: float) -> None:
    """Forget variants that no host has published for so long; their tables are unused then."""
    old = [
        name
        for name, pointer in read_pointers(db).items()
        if name != mine and time.time() - pointer.written > seconds
    ]
    if old:
        names = ", ".join(f"'{name}'" for name in old)
        db.delete(_POINTERS, f"name IN ({names})")


def unused_tables(db: Tables, grace: float = _GRACE_SECONDS) -> list[str]:
    """Tables that nobody needs: of killed rebuilds, and `grace` seconds after they were followed by others."""
    spared = set()
    now = time.time()
    for pointer in read_pointers(db).values():
        spared.add(pointer.generation)
        spared |= {n for n, when in pointer.retired if 0 <= now - when < grace}
    return sorted(
        name
        for name in db.names()
        if _is_index(name) and int(name.removeprefix(PREFIX)) not in spared
    )


def _is_index(name: str) -> bool:
    return name.startswith(PREFIX) and name.removeprefix(PREFIX).isdigit()


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
        self.link = EngineClient(
            self.place if "://" in self.place else str(Path(self.place).absolute())
        )
        # Which of the indexes at an address this host uses: there is one for each way to make it.
        self.variant: str | None = ONLY if manifest is None else None
        self.lock = threading.RLock()
        self._was_there = False
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
            self._was_there = True
            yield Tables(self.link)

    def ask(self, work: Callable[[Any], _Result]) -> _Result:
        """What `work` reads from the database, which is None while there is none, in time."""
        with self.using() as db:
            if db is None or self.is_local:
                return work(db)
            self.link.reach()
            return work(db.within(needed()))

    def find(self, db: Tables | None) -> Pointer | None:
        """Where this host's index is; before it has chosen one, the one written last."""
        every = {} if db is None else read_pointers(db)
        if self.variant is None and self.manifest is not None:
            self.variant = self.manifest.variant()
        if self.variant is not None:
            return every.get(self.variant)
        return max(every.values(), key=lambda one: one.written, default=None)

    def live(self, db: Tables) -> Pointer:
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

    def table(self, db: Tables | None) -> TableVersion | None:
        """The live table as it is now; None if there is none."""
        pointer = self.find(db)
        return None if db is None or pointer is None else db.table(pointer.table)

    def files(self, db: Tables, name: str) -> Files:
        """The files of a table by path, each with its number."""
        table = db.table(name)
        if table is None:
            return {}
        state = (name, table.version)
        known = self._known_files
        if known is None or known[0] != state:
            files: Files = {}
            former = {} if known is None else known[1]
            for number, file in rows.read_files(table, "key < 0"):
                # After every change, and most of the files are as they were: they are not held twice.
                was = former.get(file.path)
                files[file.path] = was if was == (number, file) else (number, file)
            known = self._known_files = (state, files)
        return known[1]

    def let_go_of_tables(self) -> None:
        """Forget what was read."""
        self._known_files = None
        self.kept = ReadCache()

    def let_go(self) -> None:
        """Forget the database itself, too; it is opened again when it is needed."""
        self.let_go_of_tables()
        if self._was_there:
            self._was_there = False
            Tables(self.link).forget()

    def close(self) -> None:
        """Let go of everything; a closed database cannot be used again."""
        with self.lock:
            self._closed = True
            if self.manifest is not None:
                self.manifest.close()
            self.link.close()
            self.let_go_of_tables()
