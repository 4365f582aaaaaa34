"""Giving back space after much was written: merged keywords, and a file without empty pages."""

from __future__ import annotations

import apsw

from memdown.stores.sqlite.connection import one, run, transaction
from memdown.stores.sqlite.schema import table_names

# Merging writes all keywords again, so it must have paid: by so many new chunks, and such a share.
_MANY_CHUNKS, _SHARE = 256, 4
_PAGES_A_MERGE = 1000
_PAGES_A_STEP = 500
_FEW_PAGES, _FREE_SHARE = 64, 16
# What FTS5 counts as changed when there was nothing to merge.
_NOTHING = 2


def tidy(db: apsw.Connection, new_chunks: int, *, with_fts: bool) -> None:
    """Merge the keyword index and shrink the file where that pays, in short transactions."""
    if with_fts and new_chunks >= _MANY_CHUNKS and "chunks_fts" in table_names(db):
        if new_chunks * _SHARE >= int(one(db, "SELECT count(*) FROM chunk_rows")):
            _merge(db)
    shrink(db)


def _merge(db: apsw.Connection) -> None:
    pages = -_PAGES_A_MERGE
    while True:
        before = db.total_changes()
        with transaction(db):
            run(db, "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('merge', ?)", (pages,))
        if db.total_changes() - before < _NOTHING:
            return
        pages = _PAGES_A_MERGE


def shrink(db: apsw.Connection) -> None:
    """Move pages from the end of the file into gaps, if there are many gaps."""
    gaps = int(str(db.pragma("freelist_count")))
    if gaps < _FEW_PAGES or gaps * _FREE_SHARE < int(str(db.pragma("page_count"))):
        return
    while gaps:
        with transaction(db):
            run(db, f"PRAGMA incremental_vacuum({_PAGES_A_STEP})")
        left = int(str(db.pragma("freelist_count")))
        if left >= gaps:
            return
        gaps = left
