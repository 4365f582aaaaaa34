"""A LanceDB database, and its errors as ours."""

from __future__ import annotations

import contextlib
import datetime
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import lancedb
import pyarrow as pa

from memdown.errors import DiskFull, IndexBusy, StoreError
from memdown.types import Fingerprint, ModelKey

_Result = TypeVar("_Result")

# How long a search waits for what it can do without, and for one answer that it needs. After the latter
# nobody asks for a while: a storage that is silent stays so for the next.
PATIENCE_SECONDS = 1.5
READ_SECONDS = 10.0
_SILENT_SECONDS = 5.0
# Old versions are kept for searches that still read them.
KEPT_FOR = datetime.timedelta(seconds=20)


def connect(place: str) -> Any:
    """The database in a folder or at an address such as `s3://bucket/memory`."""
    # Every read sees what other processes have written.
    return lancedb.connect(place, read_consistency_interval=datetime.timedelta(0))


def table_names(db: Any) -> set[str]:
    """The tables there are."""
    names: set[str] = set()
    token = None
    while True:
        page = db.list_tables(page_token=token)
        names |= set(page.tables)
        token = page.page_token
        if not token:
            return names


def opened(db: Any, name: str) -> Any:
    """A table by its name; None if there is none."""
    try:
        return db.open_table(name)
    except (ValueError, FileNotFoundError) as error:
        if "not found" in str(error).lower():
            return None
        raise


class Waits:
    """Reads at an address, each with a time limit; a folder on this host's disk needs none. Thread-safe.

    LanceDB cannot be told to give up: what took too long goes on in its thread, for as long as its own
    attempts take, and nobody waits for it.
    """

    def __init__(self, *, is_local: bool) -> None:
        self._is_local = is_local
        self._silent_until = 0.0
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []

    def ask(self, work: Callable[[], _Result], until: float | None = None) -> _Result:
        """What `work` reads; TimeoutError if it is not there in time, or by `until` (monotonic clock)."""
        if self._is_local:
            return work()
        begun = time.monotonic()
        limit = READ_SECONDS if until is None else max(0.0, min(READ_SECONDS, until - begun))
        if begun < self._silent_until:
            raise TimeoutError(f"it has not answered for {READ_SECONDS:.0f} seconds")
        if limit <= 0.0:
            raise TimeoutError("there is no time left")
        with self._lock:
            worker = self._idle.pop() if self._idle else _Worker()
        result: SimpleQueue[_Outcome] = SimpleQueue()
        worker.work.put((work, result))
        try:
            outcome = result.get(timeout=limit)
        except Empty:
            # It ends when its work does.
            worker.work.put(None)
            if until is None:
                self._silent_until = time.monotonic() + _SILENT_SECONDS
            raise TimeoutError(f"it has not answered for {limit:.1f} seconds") from None
        with self._lock:
            self._idle.append(worker)
        if outcome.error is not None:
            raise outcome.error
        value: _Result = outcome.value
        return value

    def close(self) -> None:
        """Let the threads end."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.work.put(None)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What some work gave, or why it failed."""

    value: Any = None
    error: BaseException | None = None


_Work = tuple[Callable[[], Any], "SimpleQueue[_Outcome]"]


class _Worker:
    """A thread that does one piece of work after the other, and keeps no process from ending.

    One is used again and again: each new thread would keep memory of its own.
    """

    def __init__(self) -> None:
        self.work: SimpleQueue[_Work | None] = SimpleQueue()
        threading.Thread(target=self._run, name="memdown-lancedb", daemon=True).start()

    def _run(self) -> None:
        while (given := self.work.get()) is not None:
            work, result = given
            try:
                result.put(_Outcome(work()))
            except BaseException as error:
                result.put(_Outcome(error=error))
            # What was read belongs to who asked for it.
            del given, work, result


@contextlib.contextmanager
def mapped(place: str) -> Iterator[None]:
    """Turns the errors of a block into ours; LanceDB tells them apart by their text only."""
    try:
        yield
    except TimeoutError as error:
        raise StoreError(
            f"The index {place} cannot be reached ({error}); check the network and the storage, then "
            "ask again."
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        text = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        if "No space left" in str(error):
            raise DiskFull(
                f"No space left for the index {place}; free some and run `memdown index` again "
                "(your notes are untouched)."
            ) from error
        raise StoreError(
            f"The index {place} cannot be used ({text}); check the address and its permissions, "
            "or make it anew with `memdown index --force`."
        ) from error


LEASE = "writer"
LEASE_SECONDS = 60.0
_POLL_SECONDS = 0.2
_LEASE_SCHEMA = pa.schema([("name", pa.string()), ("owner", pa.string()), ("until", pa.float64())])


class Lease:
    """The right to write, of one store."""

    def __init__(self) -> None:
        self._owner = str(uuid.uuid4())
        self._until = 0.0

    def take(self, db: Any, timeout: float) -> bool:
        """Become the holder; False when another still is after `timeout`."""
        deadline = time.monotonic() + timeout
        while not self._try(db, f"owner = '' OR until < {time.time()}"):
            if time.monotonic() >= deadline:
                return False
            time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        return True

    def keep(self, db: Any) -> None:
        """Stay the holder; an error if it took so long that another may be writing by now."""
        if self._until - time.time() > LEASE_SECONDS / 2:
            return
        if not self._try(db, f"owner = '{self._owner}'"):
            raise IndexBusy(
                "Writing took so long that another machine may have taken over; what was written "
                "is kept, run `memdown index` again."
            )

    def give_back(self, db: Any) -> None:
        """Let others write."""
        table = opened(db, LEASE)
        if table is not None:
            table.update(where=f"owner = '{self._owner}'", values={"owner": "", "until": 0.0})
        self._until = 0.0

    def _try(self, db: Any, where: str) -> bool:
        table = db.create_table(LEASE, schema=_LEASE_SCHEMA, exist_ok=True)
        if not table.count_rows():
            row = pa.table({"name": ["live"], "owner": [""], "until": [0.0]}, schema=_LEASE_SCHEMA)
            merge = table.merge_insert("name").when_not_matched_insert_all()
            merge.execute(row)
        until = time.time() + LEASE_SECONDS
        # Of two that write at once, one is told of a conflict; what stands there then decides.
        with contextlib.suppress(RuntimeError, OSError, ValueError):
            table.update(where=where, values={"owner": self._owner, "until": until})
        table.checkout_latest()
        holders = table.to_arrow().to_pylist()
        if len(holders) == 1 and holders[0]["owner"] == self._owner:
            self._until = float(holders[0]["until"])
            return self._until > time.time()
        return False


# Tables that an earlier form of this pointed to are made anew from the notes.
POINTER = "pointer_4"
# The one index of a folder; at an address there is one for each way to make it.
ONLY = "live"
PREFIX = "index_"
# A search that began before a rebuild was published goes on reading the old table.
_GRACE_SECONDS = 120.0
_POINTER_SCHEMA = pa.schema([("name", pa.string()), ("data", pa.string())])


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


def read_pointers(db: Any, table: Any = None) -> dict[str, Pointer]:
    """Where each variant of the index is; `table` is the pointers', if it is open."""
    table = table or opened(db, POINTER)
    rows = [] if table is None else table.to_arrow().to_pylist()
    return {row["name"]: _pointer(json.loads(row["data"])) for row in rows}


def _pointer(data: dict[str, Any]) -> Pointer:
    made = data["fingerprint"]
    made["key"] = ModelKey(**made["key"])
    retired = tuple((number, when) for number, when in data["retired"])
    return Pointer(data["generation"], Fingerprint(**made), retired, data["written"])


def write_pointer(db: Any, pointer: Pointer, variant: str = ONLY) -> None:
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
    row = pa.table({"name": [variant], "data": [json.dumps(data)]}, schema=_POINTER_SCHEMA)
    table = db.create_table(POINTER, schema=_POINTER_SCHEMA, exist_ok=True)
    table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all().execute(row)


def next_generation(db: Any) -> int:
    """A number that no table has or ever had: what is held of one is never taken for another."""
    numbers = [int(name.removeprefix(PREFIX)) for name in table_names(db) if _is_index(name)]
    live = [pointer.generation for pointer in read_pointers(db).values()]
    return max([*numbers, *live, time.time_ns() // 1_000_000]) + 1


def forget_variants(db: Any, mine: str, seconds: float) -> None:
    """Forget variants that no host has published for so long; their tables are unused then."""
    old = [
        name
        for name, pointer in read_pointers(db).items()
        if name != mine and time.time() - pointer.written > seconds
    ]
    if old:
        names = ", ".join(f"'{name}'" for name in old)
        db.open_table(POINTER).delete(f"name IN ({names})")


def unused_tables(db: Any) -> list[str]:
    """Tables that nobody needs: of killed rebuilds, and of published ones after a while."""
    spared = set()
    now = time.time()
    for pointer in read_pointers(db).values():
        spared.add(pointer.generation)
        spared |= {n for n, when in pointer.retired if 0 <= now - when < _GRACE_SECONDS}
    return sorted(
        name
        for name in table_names(db)
        if _is_index(name) and int(name.removeprefix(PREFIX)) not in spared
    )


def _is_index(name: str) -> bool:
    return name.startswith(PREFIX) and name.removeprefix(PREFIX).isdigit()
