"""Writing and reading the rows of one generation."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Sequence

import apsw

from memdown.stores.sqlite import keywords, vectors
from memdown.stores.sqlite.connection import one, run
from memdown.stores.sqlite.failures import Damaged
from memdown.stores.sqlite.keys import file_ids, file_keys
from memdown.stores.sqlite.rows import (
    checked,
    pack_headings,
    pack_lines,
    pack_passages,
    pack_text,
    unpack_lines,
    unpack_passages,
    unpack_text,
)
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    ModelKey,
    Source,
    StoredChunk,
    Vectors,
)

_FINGERPRINT = "memory_index_meta_v1"
_REVISION = "revision"
_SAMPLE = 64


def stored_prefix(db: apsw.Connection, prefix: str, path: str, chunks: Sequence[Chunk]) -> int:
    """How many of a file's leading chunks are stored exactly as given."""
    file_id = _file_id(db, prefix, path)
    if file_id is None:
        return 0
    same = 0
    for (stored,), chunk in zip(_chunk_ids(db, prefix, file_id), chunks, strict=False):
        if stored != chunk.id:
            break
        same += 1
    return same


def replace_file(
    db: apsw.Connection,
    prefix: str,
    file: FileState,
    chunks: Sequence[Chunk],
    rows: Vectors | None,
    keep: int,
    key: int | None,
    *,
    revision: int,
    model: str,
    with_fts: bool,
    with_vec: bool,
) -> None:
    """Store a file's chunks after the first `keep`, which stay; `rows` are vectors of the others.

    With `key`, the chunks are stored under the numbers from there on, and what is before stays.
    """
    keys = file_keys(_write_file(db, prefix, file, revision))
    if key is None:
        key = keys.start + sum(len(chunk.passages) for chunk in chunks[:keep])
    _delete_from(db, prefix, range(key, keys.stop), with_fts=with_fts, with_vec=with_vec)
    now = time.time_ns() // 1_000_000
    for number, chunk in enumerate(chunks[keep:]):
        vector = None if rows is None else rows[number]
        inline = None if vector is None or with_vec else vector.tobytes()
        run(
            db,
            f"INSERT INTO {prefix}chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                chunk.id,
                chunk.path,
                chunk.source,
                chunk.start_line,
                chunk.end_line,
                chunk.digest,
                model,
                pack_text(chunk.text),
                inline,
                now,
                pack_headings(chunk),
                pack_passages(chunk),
                pack_lines(chunk),
            ),
        )
        if vector is not None and with_vec:
            vectors.insert(db, prefix, key, chunk.source, vector)
        if with_fts:
            keywords.insert(db, prefix, key, chunk)
        key += len(chunk.passages)


def remove_file(
    db: apsw.Connection, prefix: str, path: str, *, with_fts: bool, with_vec: bool
) -> None:
    """Forget a file and everything of it."""
    file_id = _file_id(db, prefix, path)
    if file_id is None:
        return
    _delete_from(db, prefix, file_keys(file_id), with_fts=with_fts, with_vec=with_vec)
    run(db, f"DELETE FROM {prefix}files WHERE id = ?", (file_id,))


def touch_file(db: apsw.Connection, prefix: str, file: FileState) -> None:
    """Keep a file's rows under its new size and times."""
    _write_file(db, prefix, file, None)


def read_files(db: apsw.Connection) -> dict[str, FileState]:
    """Every indexed file."""
    return {
        path: FileState(path, source, size, mtime, ctime, inode, digest, _date(date))
        for path, source, digest, mtime, size, ctime, inode, date in run(
            db, "SELECT path, source, hash, mtime, size, ctime, inode, date FROM files"
        )
    }


def chunk_keys(db: apsw.Connection, passages: Sequence[int]) -> dict[int, int]:
    """The chunk of each passage: the one with the largest number not above it."""
    return dict(
        run(
            db,
            "SELECT p.value, "
            "(SELECT key FROM chunks WHERE key <= p.value ORDER BY key DESC LIMIT 1) "
            "FROM json_each(?) AS p",
            (json.dumps(list(passages)),),
        )
    )


def last_chunk(db: apsw.Connection, prefix: str, path: str) -> StoredChunk | None:
    """A file's last chunk."""
    file_id = _file_id(db, prefix, path)
    if file_id is None:
        return None
    keys = file_keys(file_id)
    key: int | None = one(
        db,
        f"SELECT max(key) FROM {prefix}chunks WHERE key >= ? AND key < ?",
        (keys.start, keys.stop),
    )
    return None if key is None else load_chunks(db, [key], prefix)[key]


def sample_keys(db: apsw.Connection, source: Source) -> list[int]:
    """The first chunks of some files, evenly drawn."""
    ids = [file_id for (file_id,) in run(db, "SELECT id FROM files WHERE source = ?", (source,))]
    step = max(1, len(ids) // _SAMPLE)
    return [file_keys(file_id).start for file_id in ids[::step]]


def load_chunks(
    db: apsw.Connection, keys: Sequence[int], prefix: str = ""
) -> dict[int, StoredChunk]:
    """Chunks by their numbers, each checked against the digest it was stored with."""
    found = {}
    for (
        key,
        chunk_id,
        path,
        source,
        start,
        end,
        headings,
        packed,
        digest,
        places,
        numbers,
        date,
    ) in run(
        db,
        "SELECT c.key, c.id, c.path, c.source, c.start_line, c.end_line, c.headings, c.text, "
        "c.hash, c.passages, c.lines, f.date "
        f"FROM {prefix}chunks c JOIN {prefix}files f ON f.path = c.path "
        "WHERE c.key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    ):
        text = checked(unpack_text(packed), digest, path)
        lines = unpack_lines(numbers)
        above = headings.split("\n")
        passages = unpack_passages(places, above, text, start, lines)
        chunk = Chunk(chunk_id, path, source, start, end, above[0], text, digest, passages, lines)
        found[key] = StoredChunk(key, chunk, _date(date))
    return found


def count_by_source(db: apsw.Connection, table: str) -> dict[Source, int]:
    """How many rows of `files` or `chunks` each source has."""
    return dict(run(db, f"SELECT source, count(*) FROM {table} GROUP BY source"))


def read_fingerprint(db: apsw.Connection) -> Fingerprint | None:
    """How the live generation was made."""
    text = read_meta(db, _FINGERPRINT)
    if text is None:
        return None
    try:
        data = json.loads(text)
        return Fingerprint(
            key=ModelKey(data["provider"], data["model"], data["providerKey"]),
            chunk_tokens=data["chunkTokens"],
            chunk_overlap=data["chunkOverlap"],
            terms_version=data["termsVersion"],
            dims=data["vectorDims"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"its fingerprint cannot be read: {error}") from error


def write_fingerprint(db: apsw.Connection, fingerprint: Fingerprint) -> None:
    """Note how the live generation is made."""
    data = {
        "provider": fingerprint.key.provider,
        "model": fingerprint.key.model,
        "providerKey": fingerprint.key.provider_key,
        "chunkTokens": fingerprint.chunk_tokens,
        "chunkOverlap": fingerprint.chunk_overlap,
        "termsVersion": fingerprint.terms_version,
        "vectorDims": fingerprint.dims,
    }
    write_meta(db, _FINGERPRINT, json.dumps(data))


def read_revision(db: apsw.Connection) -> int:
    """A number that grows with every change to the live generation."""
    return int(read_meta(db, _REVISION) or 0)


def next_revision(db: apsw.Connection) -> int:
    """Tell everyone who holds something in memory that it is out of date; the new number."""
    revision = read_revision(db) + 1
    write_meta(db, _REVISION, str(revision))
    return revision


def read_meta(db: apsw.Connection, key: str) -> str | None:
    """One entry of `meta`."""
    value: str | None = one(db, "SELECT value FROM meta WHERE key = ?", (key,))
    return value


def write_meta(db: apsw.Connection, key: str, value: str) -> None:
    """Set one entry of `meta`."""
    run(db, "INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _file_id(db: apsw.Connection, prefix: str, path: str) -> int | None:
    file_id: int | None = one(db, f"SELECT id FROM {prefix}files WHERE path = ?", (path,))
    return file_id


def _write_file(db: apsw.Connection, prefix: str, file: FileState, revision: int | None) -> int:
    """Note a file's facts; without a `revision`, that of its rows stays."""
    file_id = _file_id(db, prefix, file.path)
    if file_id is None:
        ids = file_ids(file.source)
        last: int | None = one(
            db, f"SELECT max(id) FROM {prefix}files WHERE id >= ? AND id < ?", (ids.start, ids.stop)
        )
        file_id = ids.start if last is None else last + 1
    run(
        db,
        f"INSERT INTO {prefix}files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, mtime = excluded.mtime, "
        "size = excluded.size, ctime = excluded.ctime, inode = excluded.inode, "
        "date = excluded.date, revision = ifnull(?, revision)",
        (
            file_id,
            file.path,
            file.source,
            file.digest,
            file.mtime_ns,
            file.size,
            file.ctime_ns,
            file.inode,
            file.date.isoformat() if file.date else None,
            revision or 0,
            revision,
        ),
    )
    return file_id


def _chunk_ids(db: apsw.Connection, prefix: str, file_id: int) -> list[tuple[str]]:
    keys = file_keys(file_id)
    return run(
        db,
        f"SELECT id FROM {prefix}chunks WHERE key >= ? AND key < ? ORDER BY key",
        (keys.start, keys.stop),
    )


def _delete_from(
    db: apsw.Connection, prefix: str, keys: range, *, with_fts: bool, with_vec: bool
) -> None:
    bounds = (keys.start, keys.stop)
    if with_vec:
        gone = run(db, f"SELECT key FROM {prefix}chunks WHERE key >= ? AND key < ?", bounds)
        vectors.delete(db, prefix, [key for (key,) in gone])
    if with_fts:
        keywords.delete(db, prefix, keys)
    run(db, f"DELETE FROM {prefix}chunks WHERE key >= ? AND key < ?", bounds)


def _date(text: str | None) -> datetime.date | None:
    return datetime.date.fromisoformat(text) if text else None
