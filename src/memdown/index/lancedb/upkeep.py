"""What keeps a database small: leftovers, small files put together, versions that nobody reads."""

from __future__ import annotations

import datetime
import time
import warnings
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from memdown.index.lancedb import cache
from memdown.index.lancedb.connection import (
    KEPT_FOR,
    LEASE,
    forget_variants,
    opened,
    table_names,
    unused_tables,
    write_pointer,
)
from memdown.index.lancedb.database import Database
from memdown.index.lancedb.reading import make_indexes
from memdown.index.ownership import HostReport

# Every write makes a small file and a version; after so many they are put together and cleared.
_COMPACT_AFTER = 20
_AT_ONCE = datetime.timedelta(0)
# A variant that is used is noted as such once a day; one that was not for so many days is cleared.
_DAY, UNUSED_DAYS = 24 * 3600.0, 30

_HOSTS = "hosts"
_HOSTS_SCHEMA = pa.schema(
    [("host", pa.string()), ("name", pa.string()), ("at", pa.float64()), ("paths", pa.binary())]
)


def clear_leftovers(db: Any) -> None:
    """Drop tables that nobody needs."""
    for name in unused_tables(db):
        db.drop_table(name, ignore_missing=True)


def compact(database: Database, db: Any, compacted: dict[str, int]) -> None:
    """Put small files together where there are many; `compacted` has each table's version after that."""
    pointer = database.find(db)
    for name in [cache.NAME, *([pointer.table] if pointer else [])]:
        table = opened(db, name) if db is not None else None
        if table is None:
            continue
        if name != cache.NAME:
            make_indexes(table)
        versions = table.version - compacted.get(name, 0)
        small = table.stats()["fragment_stats"]["num_small_fragments"]
        if small > _COMPACT_AFTER or versions > _COMPACT_AFTER:
            table.optimize(cleanup_older_than=KEPT_FOR)
            compacted[name] = table.version
    if pointer is not None and time.time() - pointer.written > _DAY:
        write_pointer(db, pointer, database.variant_of(pointer.fingerprint))


def vacuum(database: Database, db: Any) -> None:
    """Write every table anew and clear all earlier versions: what was removed is gone from disk.

    Who searches an earlier version at this moment has to ask again.
    """
    forget_variants(db, database.variant or "", UNUSED_DAYS * _DAY)
    clear_leftovers(db)
    for name in sorted(table_names(db)):
        table = db.open_table(name)
        if name != LEASE:
            # Compaction leaves rows in their file until a tenth of it is deleted.
            column = table.schema.names[0]
            table.update(where="true", values_sql={column: column})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table.optimize(cleanup_older_than=_AT_ONCE, delete_unverified=True)


def size_of(database: Database) -> int:
    """How many bytes a database takes in its folder; 0 at an address."""
    if not database.is_local or not database.path.exists():
        return 0
    return sum(file.stat().st_size for file in database.path.rglob("*") if file.is_file())


def report_files(db: Any, host: str, name: str, paths: bytes) -> None:
    """Note which files a host has, for the day when it is gone."""
    row = {"host": [host], "name": [name], "at": [time.time()], "paths": [paths]}
    table = db.create_table(_HOSTS, schema=_HOSTS_SCHEMA, exist_ok=True)
    merge = table.merge_insert("host").when_matched_update_all().when_not_matched_insert_all()
    merge.execute(pa.table(row, schema=_HOSTS_SCHEMA))
    if table.version % _COMPACT_AFTER == 0:
        table.optimize(cleanup_older_than=KEPT_FOR)


def read_reports(db: Any) -> list[HostReport]:
    """What every host has reported, the latest first."""
    table = opened(db, _HOSTS)
    found = [] if table is None else table.to_arrow().to_pylist()
    return [
        HostReport(row["host"], row["name"], time.time() - row["at"], row["paths"])
        for row in sorted(found, key=lambda row: -float(row["at"]))
    ]


def forget_hosts(db: Any, hosts: Sequence[str]) -> None:
    """Forget what some hosts have reported."""
    table = opened(db, _HOSTS)
    if table is not None and hosts:
        names = ", ".join(f"'{host}'" for host in hosts)
        table.delete(f"host IN ({names})")
