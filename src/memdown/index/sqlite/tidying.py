"""Giving back space after much was written: merged keywords, and a file without empty pages."""

from __future__ import annotations

import apsw

from memdown.index.sqlite.connection import one, run, transaction
from memdown.index.sqlite.schema import table_names

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
