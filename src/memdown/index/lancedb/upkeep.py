"""What lies beside an index, and what keeps a database small.

Beside it are the embedding cache, which no rebuild touches, and what hosts report of their files. Small are
kept the number of files, by putting them together, and of versions that nobody reads.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import numpy as np

from memdown.index.lancedb.connection import Tables, rows_of
from memdown.index.lancedb.database import (
    Database,
    forget_variants,
    unused_tables,
    write_pointer,
)
from memdown.index.lancedb.reading import make_indexes
from memdown.index.ownership import HostReport
from memdown.types import ModelKey, Vector, Vectors

# Every write makes a small file and a version; after so many they are put together and cleared.
_COMPACT_AFTER = 20
# Old versions are kept for searches that still read them.
_KEPT_SECONDS = 20.0
# A variant that is used is noted as such once a day; one that was not for so many days is cleared.
_DAY, UNUSED_DAYS = 24 * 3600.0, 30

LEASE = "writer"
_CACHE = "embedding_cache"
_CACHE_FIELDS = (("key", "string"), ("embedding", "binary"), ("at", "int64"))
_KEYS_A_READ = 400
_HOSTS = "hosts"
_HOSTS_FIELDS = (("host", "string"), ("name", "string"), ("at", "float64"), ("paths", "binary"))


def clear_leftovers(db: Tables, *, at_once: bool = False) -> None:
    """Drop tables that nobody needs; `at_once` also those that a search may still read."""
    for name in unused_tables(db, 0.0) if at_once else unused_tables(db):
        db.drop(name)


def compact(database: Database, db: Tables | None, compacted: dict[str, int]) -> None:
    """Put small files together where there are many; `compacted` has each table's version after that."""
    if db is None:
        return
    pointer = database.find(db)
    for name in [_CACHE, *([pointer.table] if pointer else [])]:
        if name != _CACHE:
            make_indexes(db, name)
        table = db.table(name)
        if table is None:
            continue
        versions = table.version - compacted.get(name, 0)
        if versions > _COMPACT_AFTER or table.small_files() > _COMPACT_AFTER:
            db.optimize(name, _KEPT_SECONDS)
            after = db.table(name)
            compacted[name] = 0 if after is None else after.version
    if pointer is not None and time.time() - pointer.written > _DAY:
        write_pointer(db, pointer, database.variant_of(pointer.fingerprint))


def vacuum(database: Database, db: Tables) -> None:
    """Write every table anew and clear all earlier versions: what was removed is gone from disk.

    Who searches an earlier version at this moment has to ask again.
    """
    forget_variants(db, database.variant or "", UNUSED_DAYS * _DAY)
    clear_leftovers(db, at_once=True)
    for name in sorted(db.names()):
        if name == LEASE:
            # Whoever holds it must find it unchanged.
            db.optimize(name, 0.0)
        else:
            db.rewrite(name)


def size_of(database: Database) -> int:
    """How many bytes a database takes in its folder; 0 at an address."""
    if not database.is_local or not database.path.exists():
        return 0
    return sum(file.stat().st_size for file in database.path.rglob("*") if file.is_file())


def report_files(db: Tables, host: str, name: str, paths: bytes) -> None:
    """Note which files a host has, for the day when it is gone."""
    db.create(_HOSTS, _HOSTS_FIELDS)
    row = {"host": [host], "name": [name], "at": [time.time()], "paths": [paths]}
    db.merge(_HOSTS, row, "host")
    table = db.table(_HOSTS)
    if table is not None and table.version % _COMPACT_AFTER == 0:
        db.optimize(_HOSTS, _KEPT_SECONDS)


def read_reports(db: Tables) -> list[HostReport]:
    """What every host has reported, the latest first."""
    return [
        HostReport(row["host"], row["name"], time.time() - row["at"], row["paths"])
        for row in sorted(db.rows(_HOSTS), key=lambda row: -float(row["at"]))
    ]


def forget_hosts(db: Tables, hosts: Sequence[str]) -> None:
    """Forget what some hosts have reported."""
    if hosts and db.table(_HOSTS) is not None:
        names = ", ".join(f"'{host}'" for host in hosts)
        db.delete(_HOSTS, f"host IN ({names})")


def cached_vectors(db: Tables, model: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
    """The vectors among `digests` that the cache has."""
    table, prefix = db.table(_CACHE), _prefix(model)
    if table is None:
        return {}
    found: dict[str, Vector] = {}
    for first in range(0, len(digests), _KEYS_A_READ):
        keys = ", ".join(f"'{prefix}{_safe(one)}'" for one in digests[first : first + _KEYS_A_READ])
        for row in rows_of(table.select(["key", "embedding"], f"key IN ({keys})")):
            digest = row["key"].removeprefix(prefix)
            found[digest] = np.frombuffer(row["embedding"], dtype=np.float32)
    return found


def cache_vectors(
    db: Tables, model: ModelKey, digests: Sequence[str], vectors: Vectors, most: int
) -> None:
    """Keep new vectors; over `most` entries the oldest go."""
    prefix, now = _prefix(model), time.time_ns()
    new = {
        prefix + _safe(digest): vector.astype(np.float32).tobytes()
        for digest, vector in zip(digests, vectors, strict=True)
    }
    rows = {"key": list(new), "embedding": list(new.values()), "at": [now] * len(new)}
    db.create(_CACHE, _CACHE_FIELDS)
    db.merge(_CACHE, rows, "key")
    excess = count_cached(db) - most
    table = db.table(_CACHE)
    if excess > 0 and table is not None:
        at = table.select(["at"])["at"]
        db.delete(_CACHE, f"at <= {sorted(at)[excess - 1]}")


def count_cached(db: Tables) -> int:
    """How many vectors the cache has."""
    table = db.table(_CACHE)
    return 0 if table is None else table.count()


def _prefix(model: ModelKey) -> str:
    text = "\0".join((model.provider, model.model, model.provider_key))
    return hashlib.sha256(text.encode()).hexdigest()[:16] + ":"


def _safe(digest: str) -> str:
    return digest.replace("'", "''")
