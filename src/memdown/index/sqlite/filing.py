"""Writing files into a generation: many rows of one kind at a time, within one transaction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from memdown.files.failpoints import reach
from memdown.index.sqlite import keywords, vectors
from memdown.index.sqlite.connection import one, run
from memdown.index.sqlite.keys import file_ids, file_keys
from memdown.index.sqlite.rows import pack, pack_lines, pack_tags
from memdown.index.sqlite.schema import LIVE
from memdown.types import Chunk, FileState, IndexedFile


@dataclass(frozen=True, slots=True)
class Generation:
    """The tables that are written to: the live ones, or those of a rebuild.

    `leaves_strays` where there is a `chunks_vec` that cannot be written to.
    """

    prefix: str
    with_fts: bool
    with_vec: bool
    leaves_strays: bool = False


def stored_prefix(
    db: apsw.Connection, prefix: str, path: str, chunks: Sequence[Chunk], embedded: bool
) -> int:
    """How many of a file's leading chunks are stored as given, and have vectors if `embedded`."""
    file_id = find_file(db, prefix, path)
    if file_id is None:
        return 0
    keys = file_keys(file_id)
    stored = run(
        db,
        f"SELECT id, embedding IS NOT NULL FROM {prefix}chunk_rows "
        "WHERE key >= ? AND key < ? ORDER BY key",
        (keys.start, keys.stop),
    )
    same = 0
    for (chunk_id, has_vector), chunk in zip(stored, chunks, strict=False):
        if chunk_id != bytes.fromhex(chunk.id) or (embedded and not has_vector):
            break
        same += 1
    return same


def write_files(
    db: apsw.Connection, generation: Generation, files: Sequence[IndexedFile], revision: int
) -> None:
    """Store files, each path once."""
    for file in files:
        file_id, is_new = _write_state(db, generation.prefix, file.state, revision)
        keys = file_keys(file_id)
        key = keys.start + sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
        gone = [] if is_new else _delete_from(db, generation, range(key, keys.stop))
        _insert(db, generation, key, file, gone)
        reach("index.file" if generation.prefix == LIVE else "rebuild.file")


def extend_file(
    db: apsw.Connection, generation: Generation, key: int, file: IndexedFile, revision: int
) -> None:
    """Store a file that grew: rows from number `key` on are replaced by its chunks."""
    file_id, _ = _write_state(db, generation.prefix, file.state, revision)
    gone = _delete_from(db, generation, range(key, file_keys(file_id).stop))
    _insert(db, generation, key, file, gone)


def touch_files(db: apsw.Connection, prefix: str, files: Sequence[FileState]) -> None:
    """Keep the files' rows under their new sizes and times."""
    for file in files:
        _write_state(db, prefix, file, None)


def remove_files(db: apsw.Connection, generation: Generation, paths: Sequence[str]) -> None:
    """Forget files and everything of them."""
    for path in paths:
        file_id = find_file(db, generation.prefix, path)
        if file_id is not None:
            gone = _delete_from(db, generation, file_keys(file_id))
            if generation.with_vec:
                vectors.delete(db, generation.prefix, gone)
            run(db, f"DELETE FROM {generation.prefix}files WHERE id = ?", (file_id,))
        reach("index.removing")


def find_file(db: apsw.Connection, prefix: str, path: str) -> int | None:
    """A file's number."""
    file_id: int | None = one(db, f"SELECT id FROM {prefix}files WHERE path = ?", (path,))
    return file_id


def _write_state(
    db: apsw.Connection, prefix: str, file: FileState, revision: int | None
) -> tuple[int, bool]:
    """Note a file's facts; without a `revision`, its rows stay as they are.

    Gives its number, and whether it is new.
    """
    known = find_file(db, prefix, file.path)
    file_id = _next_file(db, prefix, file) if known is None else known
    date = file.date.isoformat() if file.date else None
    facts = (file.digest, file.mtime_ns, file.size, file.ctime_ns, file.inode, date, file.problem)
    said = (pack_tags(file.tags), file.names)
    if known is None:
        run(
            db,
            f"INSERT INTO {prefix}files (id, path, source, hash, mtime, size, ctime, inode, date, "
            "problem, tags, names, updated_at, revision) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (file_id, file.path, file.source, *facts, *said, _now(), revision or 0),
        )
    elif revision is None:
        run(
            db,
            f"UPDATE {prefix}files SET hash = ?, mtime = ?, size = ?, ctime = ?, inode = ?, "
            "date = ?, problem = ?, tags = ?, names = ? WHERE id = ?",
            (*facts, *said, file_id),
        )
    else:
        run(
            db,
            f"UPDATE {prefix}files SET hash = ?, mtime = ?, size = ?, ctime = ?, inode = ?, "
            "date = ?, problem = ?, tags = ?, names = ?, updated_at = ?, revision = ? WHERE id = ?",
            (*facts, *said, _now(), revision, file_id),
        )
    return file_id, known is None


def _next_file(db: apsw.Connection, prefix: str, file: FileState) -> int:
    ids = file_ids(file.source)
    last: int | None = one(
        db, f"SELECT max(id) FROM {prefix}files WHERE id >= ? AND id < ?", (ids.start, ids.stop)
    )
    return ids.start if last is None else last + 1


def _insert(
    db: apsw.Connection, generation: Generation, key: int, file: IndexedFile, gone: Sequence[int]
) -> None:
    """Add the chunks of a file that are not kept, from number `key` on, in place of those `gone`."""
    fresh = file.chunks[file.keep :]
    keys = []
    for chunk in fresh:
        keys.append(key)
        key += len(chunk.passages)
    blobs: dict[int, bytes] = {}
    if file.vectors is not None:
        blobs = {key: row.tobytes() for key, row in zip(keys, file.vectors, strict=True)}
    rows, texts = [], []
    number = 0
    for block in pack(fresh):
        texts.append((keys[number], block.packed))
        for place in block.places:
            chunk = fresh[number]
            rows.append(
                (
                    keys[number],
                    bytes.fromhex(chunk.id),
                    bytes.fromhex(chunk.digest),
                    chunk.start_line,
                    chunk.end_line,
                    *place,
                    pack_lines(chunk.lines),
                    b""
                    if generation.with_vec and keys[number] in blobs
                    else blobs.get(keys[number]),
                )
            )
            number += 1
    prefix = generation.prefix
    _many(db, f"INSERT INTO {prefix}chunk_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    _many(db, f"INSERT INTO {prefix}chunk_texts VALUES (?, ?)", texts)
    if generation.with_vec:
        vectors.replace(db, prefix, file.state.source, gone, blobs)
    if generation.with_fts:
        keywords.insert(db, prefix, zip(keys, fresh, strict=True))


def _many(db: apsw.Connection, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    db.executemany(sql, rows).fetchall()


def _delete_from(db: apsw.Connection, generation: Generation, keys: range) -> list[int]:
    """Delete the rows of a file with these numbers, but not yet the vectors of its chunks; those."""
    prefix, bounds = generation.prefix, (keys.start, keys.stop)
    gone = run(db, f"SELECT key FROM {prefix}chunk_rows WHERE key >= ? AND key < ?", bounds)
    if generation.with_fts:
        keywords.delete(db, prefix, keys)
    run(db, f"DELETE FROM {prefix}chunk_rows WHERE key >= ? AND key < ?", bounds)
    run(db, f"DELETE FROM {prefix}chunk_texts WHERE key >= ? AND key < ?", bounds)
    if gone and generation.leaves_strays:
        vectors.note_strays(db)
    return [key for (key,) in gone]


def _now() -> int:
    return time.time_ns() // 1_000_000
