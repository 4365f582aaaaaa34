"""The tables of an index, made and migrated in order.

`files`, `chunks`, `segments`, `manifest`, `chunks_fts` and `chunks_vec` form a generation. A rebuild makes
a second set whose names start with `next_`, and swaps the names when it is complete; `meta` and
`embedding_cache` stand outside the generations. `chunks` holds the plain text, one row a chunk, under
the names that other programs know; its rows count up, and those of `chunks_fts` and `chunks_vec` have the
same numbers, while `key` is what the rest of Memdown knows a chunk by. A search reads `segments`; `chunks_fts` is for other programs.
"""

from __future__ import annotations

import apsw

from memdown.errors import IndexTooNew
from memdown.index.sqlite import damage
from memdown.index.sqlite.connection import run, transaction

LIVE = ""
NEXT = "next_"
OLD = "old_"
# What stands in `chunks.embedding` while the vector itself is in `chunks_vec`.
IN_VEC = "x''"
GENERATION = ("files", "chunks", "segments", "manifest", "chunks_fts", "chunks_vec")

# Words of whole chunks, without their places: small, and enough to find a chunk with any SQLite tool.
_FTS_SQL = (
    "CREATE VIRTUAL TABLE {prefix}chunks_fts USING fts5("
    "text, content='', contentless_delete=1, detail=none)"
)
_FTS_BYTES = 8 * 1024 * 1024
# What the documents' own program makes in an index that Memdown has never written to.
_DOCUMENTS_TABLES = frozenset({"meta", "files", "chunks"})


def m001_first_tables(db: apsw.Connection) -> None:
    """Everything the first version needs besides the tables of a generation."""
    run(db, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    run(
        db,
        "CREATE TABLE embedding_cache ("
        "provider TEXT NOT NULL, model TEXT NOT NULL, provider_key TEXT NOT NULL, "
        "hash TEXT NOT NULL, embedding BLOB NOT NULL, dims INTEGER, updated_at INTEGER NOT NULL, "
        "PRIMARY KEY (provider, model, provider_key, hash)) WITHOUT ROWID",
    )
    run(db, "CREATE INDEX idx_embedding_cache_updated_at ON embedding_cache(updated_at)")
    damage.note_missing(db)


def older_layout(_: apsw.Connection) -> None:
    """Changes to tables that the last migration makes anew."""


def m010_full_pages(db: apsw.Connection) -> None:
    """The tables of a generation; older ones go, and the next sync fills these from the notes."""
    if run(db, "SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = 'chunks'"):
        run(db, "DROP VIEW chunks")
    for table in ("chunk_rows", "chunk_texts", *GENERATION[:-1]):
        for prefix in (LIVE, NEXT, OLD):
            run(db, f"DROP TABLE IF EXISTS {prefix}{table}")
    for prefix in (LIVE, NEXT, OLD):
        for name in sorted(table_names(db)):
            if name.startswith(f"{prefix}chunks_vec"):
                run(db, f"DROP TABLE IF EXISTS {name}")
    run(db, "DELETE FROM meta WHERE key IN ('memory_index_meta_v1', 'stray_vectors')")
    create_generation(db, LIVE)


MIGRATIONS = (
    m001_first_tables,
    older_layout,
    older_layout,
    older_layout,
    older_layout,
    older_layout,
    older_layout,
    older_layout,
    older_layout,
    m010_full_pages,
)
# The last of them after which an index is empty.
_EMPTIES = 10


def migrate(db: apsw.Connection, path: object) -> bool:
    """Bring an index up to this version; whether it is of an earlier one, and was emptied therefore.

    One written by a newer version is left alone.
    """
    check_version(db, path)
    was = version(db)
    if was == len(MIGRATIONS):
        return False
    with transaction(db):
        # Another process may have migrated while this one waited for the write lock.
        for number, migration in enumerate(MIGRATIONS[version(db) :], start=version(db) + 1):
            migration(db)
            run(db, f"PRAGMA user_version = {number}")
    return 0 < was < _EMPTIES


def check_version(db: apsw.Connection, path: object) -> None:
    """Refuse an index that a newer version wrote."""
    if version(db) > len(MIGRATIONS):
        raise IndexTooNew(
            f"The index {path} was written by a newer version of Memdown and is left untouched: "
            "upgrade with `pip install -U memdown`, or set memorySearch.store.path to another file."
        )


def is_of_another_program(db: apsw.Connection) -> bool:
    """Whether a file is an index that another program made, with the tables of the documents."""
    return version(db) == 0 and table_names(db) >= _DOCUMENTS_TABLES


def is_current(db: apsw.Connection) -> bool:
    """Whether the file has this version's tables; until a writer has made them it holds nothing."""
    return version(db) == len(MIGRATIONS)


def version(db: apsw.Connection) -> int:
    """How many migrations the file has seen."""
    number = db.pragma("user_version")
    return int(number) if isinstance(number, int) else 0


def create_generation(db: apsw.Connection, prefix: str) -> None:
    """Empty tables for one generation. `chunks_vec` comes with the first vector."""
    run(
        db,
        f"CREATE TABLE {prefix}files ("
        "id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, source TEXT NOT NULL, "
        "hash TEXT NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL, "
        "ctime INTEGER NOT NULL, inode INTEGER NOT NULL, date TEXT, updated_at INTEGER NOT NULL, "
        "problem TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '', "
        "names TEXT NOT NULL DEFAULT '')",
    )
    run(
        db,
        f"CREATE TABLE {prefix}chunks ("
        "number INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, id TEXT NOT NULL, "
        "path TEXT NOT NULL, source TEXT NOT NULL, "
        "start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL, "
        "model TEXT NOT NULL, text TEXT NOT NULL, embedding BLOB, updated_at INTEGER NOT NULL, "
        "headings TEXT NOT NULL, passages BLOB NOT NULL, lines BLOB)",
    )
    run(
        db,
        f"CREATE TABLE {prefix}segments (segment INTEGER NOT NULL, part TEXT NOT NULL, "
        "number INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (segment, part, number))",
    )
    run(
        db,
        f"CREATE TABLE {prefix}manifest (place INTEGER PRIMARY KEY, segment INTEGER NOT NULL, "
        "passages INTEGER NOT NULL, struck INTEGER NOT NULL)",
    )
    if fts5_error(db) is None:
        run(db, _FTS_SQL.format(prefix=prefix))
        # Smaller than usual by what the checksums take, so that every block fits on one page; and room
        # for the words of many chunks, so that they are sorted once.
        for option, value in (("pgsz", 4000), ("hashsize", _FTS_BYTES)):
            run(
                db,
                f"INSERT INTO {prefix}chunks_fts({prefix}chunks_fts, rank) VALUES (?, ?)",
                (option, value),
            )


def fts5_error(db: apsw.Connection) -> str | None:
    """Why full-text search is missing from this SQLite, or None if it is there."""
    try:
        run(db, "SELECT fts5_source_id()")
    except apsw.SQLError as error:
        return str(error)
    return None


def table_names(db: apsw.Connection) -> set[str]:
    """The tables that exist, virtual ones included."""
    return {str(name) for (name,) in run(db, "SELECT name FROM sqlite_master WHERE type = 'table'")}
