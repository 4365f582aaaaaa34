"""Which table is live: one row that is replaced whole, since a table cannot be renamed safely."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from memdown.index.lancedb.connection import opened, table_names
from memdown.types import Fingerprint, ModelKey

# Tables that an earlier form of this pointed to are made anew from the notes.
NAME = "pointer_2"
PREFIX = "index_"
# A search that began before a rebuild was published goes on reading the old table.
_GRACE_SECONDS = 120.0
_SCHEMA = pa.schema([("name", pa.string()), ("data", pa.string())])


@dataclass(frozen=True, slots=True)
class Pointer:
    """The live table's number, how it was made, and when earlier ones were retired."""

    generation: int
    fingerprint: Fingerprint
    retired: tuple[tuple[int, float], ...] = ()

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


def read_pointer(db: Any, table: Any = None) -> Pointer | None:
    """Where the live index is; None if there is none yet. `table` is the pointer's, if it is open."""
    table = table or opened(db, NAME)
    rows = [] if table is None else table.to_arrow().to_pylist()
    if not rows:
        return None
    data = json.loads(rows[0]["data"])
    made = data["fingerprint"]
    made["key"] = ModelKey(**made["key"])
    retired = tuple((number, when) for number, when in data["retired"])
    return Pointer(data["generation"], Fingerprint(**made), retired)


def write_pointer(db: Any, pointer: Pointer) -> None:
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
    }
    row = pa.table({"name": ["live"], "data": [json.dumps(data)]}, schema=_SCHEMA)
    table = db.create_table(NAME, schema=_SCHEMA, exist_ok=True)
    table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all().execute(row)


def next_generation(db: Any) -> int:
    """A number that no table has or ever had: what is held of one is never taken for another."""
    pointer = read_pointer(db)
    numbers = [int(name.removeprefix(PREFIX)) for name in table_names(db) if _is_index(name)]
    return max([*numbers, pointer.generation if pointer else 0, time.time_ns() // 1_000_000]) + 1


def unused_tables(db: Any, pointer: Pointer | None) -> list[str]:
    """Tables that nobody needs: of killed rebuilds, and of published ones after a while."""
    spared = set()
    if pointer is not None:
        spared.add(pointer.generation)
        now = time.time()
        spared |= {n for n, when in pointer.retired if 0 <= now - when < _GRACE_SECONDS}
    return sorted(
        name
        for name in table_names(db)
        if _is_index(name) and int(name.removeprefix(PREFIX)) not in spared
    )


def _is_index(name: str) -> bool:
    return name.startswith(PREFIX) and name.removeprefix(PREFIX).isdigit()
