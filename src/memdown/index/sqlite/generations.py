"""Rebuilding beside the live index, and giving back space after much was written."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from memdown.files import reach
from memdown.index.sqlite import vectors
from memdown.index.sqlite.connection import one, run, transaction
from memdown.index.sqlite.schema import (
    GENERATION,
    LIVE,
    NEXT,
    OLD,
    create_generation,
    table_names,
)
from memdown.index.sqlite.tables import next_revision, write_fingerprint
from memdown.types import Fingerprint


def begin(db: apsw.Connection) -> None:
    """Empty `next_` tables, after clearing what a killed rebuild left."""
    clear_leftovers(db)
    with transaction(db):
        create_generation(db, NEXT)


def publish(db: apsw.Connection, fingerprint: Fingerprint) -> None:
    """Make the `next_` tables the live ones in one step; readers see the old or the new ones."""
    with transaction(db):
        _rename(db, LIVE, OLD)
        _rename(db, NEXT, LIVE)
        write_fingerprint(db, fingerprint)
        next_revision(db)
        vectors.forget_strays(db)
        reach("rebuild.in_flip")
    reach("rebuild.after_flip")
    clear_leftovers(db)


def has_leftovers(db: apsw.Connection) -> bool:
    """Whether there are tables of a rebuild that is going on, or that was killed."""
    return any(True for prefix in (NEXT, OLD) for _ in _existing(db, prefix))


def clear_leftovers(db: apsw.Connection) -> None:
    """Drop the tables of a finished or killed rebuild, each in a short transaction."""
    for prefix in (NEXT, OLD):
        for table in sorted(_existing(db, prefix)):
            with transaction(db):
                if table == "chunks_vec":
                    vectors.drop(db, prefix)
                else:
                    run(db, f"DROP TABLE IF EXISTS {prefix}{table}")
                reach("rebuild.clearing")


def _rename(db: apsw.Connection, old: str, new: str) -> None:
    for table in _existing(db, old):
        if table == "chunks_vec":
            vectors.rename(db, old, new)
        else:
            run(db, f"ALTER TABLE {old}{table} RENAME TO {new}{table}")


def _existing(db: apsw.Connection, prefix: str) -> Iterator[str]:
    names = table_names(db)
    return (table for table in GENERATION if prefix + table in names)


# Merging writes all keywords again, so it must have paid: by so many new chunks, and such a share.
_MANY_CHUNKS, _SHARE = 256, 4
_PAGES_A_MERGE = 1000
_PAGES_A_STEP = 500
# Gaps are filled again by what is written next, so a few of them may stay; after much was written
# little follows.
_FEW_PAGES, _FREE_SHARE, _SMALL_SHARE = 16, 8, 100
# What FTS5 counts as changed when there was nothing to merge.
_NOTHING = 2


def tidy(db: apsw.Connection, new_chunks: int, *, with_fts: bool) -> None:
    """Merge the keyword index and shrink the file where that pays, in short transactions."""
    much = new_chunks >= _MANY_CHUNKS and new_chunks * _SHARE >= int(
        one(db, "SELECT count(*) FROM chunks")
    )
    if much and with_fts and "chunks_fts" in table_names(db):
        _merge(db)
    gaps = _gaps(db)
    share = _SMALL_SHARE if much else _FREE_SHARE
    if gaps >= _FEW_PAGES and gaps * share >= int(str(db.pragma("page_count"))):
        _shrink(db)


def _merge(db: apsw.Connection) -> None:
    pages = -_PAGES_A_MERGE
    while True:
        before = db.total_changes()
        with transaction(db):
            run(db, "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('merge', ?)", (pages,))
        if db.total_changes() - before < _NOTHING:
            return
        pages = _PAGES_A_MERGE


def _shrink(db: apsw.Connection) -> None:
    """Move pages from the end of the file into gaps."""
    gaps = _gaps(db)
    while gaps:
        with transaction(db):
            run(db, f"PRAGMA incremental_vacuum({_PAGES_A_STEP})")
        before, gaps = gaps, _gaps(db)
        if gaps >= before:
            return


def _gaps(db: apsw.Connection) -> int:
    return int(str(db.pragma("freelist_count")))
