"""The tables of an index, made and migrated in order.

`files`, `chunk_rows`, `chunk_texts`, `chunks_fts` and `chunks_vec` form a generation. A rebuild makes
a second set whose names start with `next_`, and swaps the names when it is complete; `meta` and
`embedding_cache` stand outside the generations. `chunks` is a view that shows the rows of the live
generation under the names that other programs know.
"""

from __future__ import annotations

import apsw

from memdown.errors import IndexTooNew
from memdown.index.sqlite import checksums
from memdown.index.sqlite.connection import run, transaction
from memdown.text import TOKENCHARS
from memdown.types import FILE_SPAN

LIVE = ""
NEXT = "next_"
OLD = "old_"
# What stands in `chunk_rows.embedding` while the vector itself is in `chunks_vec`.
IN_VEC = "x''"
GENERATION = ("files", "chunk_rows", "chunk_texts", "chunks_fts", "chunks_vec")

_FTS_SQL = (
    "CREATE VIRTUAL TABLE {prefix}chunks_fts USING fts5("
    "text, head, content='', contentless_delete=1, "
    f"tokenize=\"ascii tokenchars '{TOKENCHARS}'\")"
)


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
    checksums.note_missing(db)


def m002_smaller_rows(db: apsw.Connection) -> None:
    """The tables of a generation; older ones go, and the next sync fills these from the notes."""
    for table in ("files", "chunks", "chunks_fts", "chunks_vec"):
        for prefix in (LIVE, NEXT, OLD):
            run(db, f"DROP TABLE IF EXISTS {prefix}{table}")
    run(db, "DELETE FROM meta WHERE key = 'memory_index_meta_v1'")
    create_generation(db, LIVE)
    create_views(db)


def m003_problems(db: apsw.Connection) -> None:
    """A column for why a file could not be read; a new generation has it already."""
    _add_columns(db, "problem")


def m004_where_vectors_are(db: apsw.Connection) -> None:
    """Tell chunks whose vector is in `chunks_vec` from those that have none."""
    if "chunks_vec_rowids" in table_names(db):
        run(
            db,
            f"UPDATE chunk_rows SET embedding = {IN_VEC} WHERE embedding IS NULL "
            "AND key IN (SELECT rowid FROM chunks_vec_rowids)",
        )
    drop_views(db)
    create_views(db)


def m005_tags_and_names(db: apsw.Connection) -> None:
    """What notes say of themselves; empty until the next rebuild, which the fingerprint asks for."""
    _add_columns(db, "tags", "names")


def _add_columns(db: apsw.Connection, *names: str) -> None:
    """Columns of text for `files`, as far as they are not there."""
    there = {str(row[1]) for row in run(db, "PRAGMA table_info(files)")}
    for name in names:
        if name not in there:
            run(db, f"ALTER TABLE files ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")


MIGRATIONS = (
    m001_first_tables,
    m002_smaller_rows,
    m003_problems,
    m004_where_vectors_are,
    m005_tags_and_names,
)


def migrate(db: apsw.Connection, path: object) -> None:
    """Bring an index up to this version; one written by a newer version is left alone."""
    check_version(db, path)
    if version(db) == len(MIGRATIONS):
        return
    with transaction(db):
        # Another process may have migrated while this one waited for the write lock.
        for number, migration in enumerate(MIGRATIONS[version(db) :], start=version(db) + 1):
            migration(db)
            run(db, f"PRAGMA user_version = {number}")


def check_version(db: apsw.Connection, path: object) -> None:
    """Refuse an index that a newer version wrote."""
    if version(db) > len(MIGRATIONS):
        raise IndexTooNew(
            f"The index {path} was written by a newer version of Memdown and is left untouched: "
            "upgrade with `pip install -U memdown`, or set memorySearch.store.path to another file."
        )


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
        "revision INTEGER NOT NULL, problem TEXT NOT NULL DEFAULT '', "
        "tags TEXT NOT NULL DEFAULT '', names TEXT NOT NULL DEFAULT '')",
    )
    run(
        db,
        f"CREATE TABLE {prefix}chunk_rows ("
        "key INTEGER PRIMARY KEY, id BLOB NOT NULL, hash BLOB NOT NULL, "
        "start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, text_start INTEGER NOT NULL, "
        "text_end INTEGER NOT NULL, passages BLOB NOT NULL, lines BLOB, embedding BLOB)",
    )
    run(db, f"CREATE TABLE {prefix}chunk_texts (key INTEGER PRIMARY KEY, text BLOB NOT NULL)")
    if fts5_error(db) is None:
        run(db, _FTS_SQL.format(prefix=prefix))
        # Smaller than usual by what the checksums take, so that every block fits on one page.
        run(db, f"INSERT INTO {prefix}chunks_fts({prefix}chunks_fts, rank) VALUES ('pgsz', 4000)")


def create_views(db: apsw.Connection) -> None:
    """What exists of the live generation only: the view of its chunks, and its files by revision.

    A row of `chunks` shows the block that holds its text, and where in it the text stands.
    """
    run(
        db,
        "CREATE VIEW chunks AS SELECT lower(hex(c.id)) AS id, f.path, f.source, c.start_line, "
        "c.end_line, lower(hex(c.hash)) AS hash, "
        "(SELECT value ->> 'model' FROM meta WHERE meta.key = 'memory_index_meta_v1') AS model, "
        "(SELECT text FROM chunk_texts t WHERE t.key <= c.key ORDER BY t.key DESC LIMIT 1) "
        f"AS text, nullif(c.embedding, {IN_VEC}) AS embedding, f.updated_at, c.key, c.text_start, c.text_end "
        f"FROM chunk_rows c LEFT JOIN files f ON f.id = c.key / {FILE_SPAN}",
    )
    run(db, "CREATE INDEX idx_files_revision ON files(revision)")


def drop_views(db: apsw.Connection) -> None:
    """Take them away before tables change their names."""
    run(db, "DROP VIEW IF EXISTS chunks")
    run(db, "DROP INDEX IF EXISTS idx_files_revision")


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
