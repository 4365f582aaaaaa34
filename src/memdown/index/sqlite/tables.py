"""Reading what an index holds, as one unchanging state of its file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import apsw
import numpy as np

from memdown.index.packing import (
    as_bytes,
    file_ids,
    file_keys,
    source_keys,
    unpack_chunk,
    unpack_tags,
)
from memdown.index.sqlite import filing, tables, vectors
from memdown.index.sqlite.connection import one, run
from memdown.index.sqlite.damage import Damaged
from memdown.index.sqlite.schema import LIVE
from memdown.types import (
    FILE_SPAN,
    SOURCES,
    FileState,
    Fingerprint,
    ModelKey,
    Source,
    StoredChunk,
    Vectors,
)

_FINGERPRINT = "memory_index_meta_v1"
_REVISION = "revision"
_FILES_WITHIN = "files WHERE id >= ? AND id < ? AND hash <> ''"
_CHUNKS_WITHIN = "chunks WHERE key >= ? AND key < ?"
# Many files are of one day.
_CACHED_DAYS = 4_096


def read_numbered(db: apsw.Connection) -> dict[int, FileState]:
    """Every indexed file by its number."""
    files = {}
    for number, path, source, size, mtime, ctime, inode, digest, date, problem, tags, names in run(
        db,
        "SELECT id, path, source, size, mtime, ctime, inode, hash, date, problem, tags, names "
        "FROM files",
    ):
        if path is None:
            raise Damaged("a file in it has no name")
        known = unpack_tags(tags) if tags else ()
        files[number] = FileState(
            path, source, size, mtime, ctime, inode, digest, _date(date), problem, known, names
        )
    return files


def last_chunk(db: apsw.Connection, prefix: str, path: str) -> StoredChunk | None:
    """A file's last chunk."""
    file_id: int | None = one(db, f"SELECT id FROM {prefix}files WHERE path = ?", (path,))
    if file_id is None:
        return None
    keys = file_keys(file_id)
    key: int | None = one(
        db,
        f"SELECT max(key) FROM {prefix}chunks WHERE key >= ? AND key < ?",
        (keys.start, keys.stop),
    )
    return None if key is None else load_chunks(db, [key], prefix)[key]


def load_chunks(
    db: apsw.Connection, keys: Sequence[int], prefix: str = ""
) -> dict[int, StoredChunk]:
    """Chunks by their numbers, each checked against the digest it was stored with."""
    rows = run(
        db,
        "SELECT c.key, c.id, c.path, c.source, c.start_line, c.end_line, c.headings, c.text, c.hash, "
        "c.passages, c.lines, f.date, f.names "
        f"FROM json_each(?) AS wanted JOIN {prefix}chunks c ON c.key = wanted.value "
        f"JOIN {prefix}files f ON f.id = c.key / {FILE_SPAN}",
        (json.dumps(list(keys)),),
    )
    found = {}
    for (
        key,
        ident,
        path,
        source,
        first,
        last,
        headings,
        text,
        digest,
        passages,
        lines,
        date,
        names,
    ) in rows:
        found[key] = unpack_chunk(
            key,
            ident,
            path,
            source,
            first,
            last,
            as_bytes(headings),
            text,
            digest,
            passages,
            lines,
            _date(date),
            names,
        )
    return found


def count_by_source(db: apsw.Connection, table: Literal["files", "chunks"]) -> dict[Source, int]:
    """How many readable files or chunks each source has: its numbers form one range."""
    counts = {}
    for source in SOURCES:
        numbers = file_ids(source) if table == "files" else source_keys(source)
        sql = _FILES_WITHIN if table == "files" else _CHUNKS_WITHIN
        if count := int(one(db, f"SELECT count(*) FROM {sql}", (numbers.start, numbers.stop))):
            counts[source] = count
    return counts


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


@lru_cache(maxsize=_CACHED_DAYS)
def _date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except (ValueError, TypeError) as error:
        raise Damaged(f"a date in it cannot be read ({error})") from error


class SqliteView:
    """A read transaction on a connection of its own."""

    def __init__(
        self,
        db: apsw.Connection,
        revision: object,
        dims: int | None,
        files: Callable[[], Mapping[int, FileState]],
    ) -> None:
        self._db = db
        self._files = files
        self.revision = revision
        self.dims = dims

    def manifest(self) -> Sequence[int]:
        """The segments in the order in which they count."""
        segments, _ = filing.read_manifest(self._db, LIVE)
        return [segment.number for segment in segments]

    def block(self, segment: int, part: str, number: int) -> bytes:
        """A block of a segment; nothing where there is none."""
        return filing.read_block(self._db, LIVE, segment, part, number)

    def blocks_of(self, segment: int, part: str, numbers: Sequence[int]) -> Mapping[int, bytes]:
        """Several blocks by their numbers, as far as there are any."""
        return filing.read_blocks(self._db, LIVE, segment, part, numbers)

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return self._files()

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""
        found = tables.load_chunks(self._db, keys)
        if len(found) < len(set(keys)):
            raise Damaged("a chunk that was indexed is missing")
        return found

    def vectors(self, keys: Sequence[int]) -> Vectors:
        """The exact vectors of chunks; zeros where there is none."""
        rows = np.zeros((len(keys), self.dims or 0), np.float32)
        if self.dims and keys:
            found, known = vectors.fetch(self._db, self.dims, keys)
            place = {key: number for number, key in enumerate(keys)}
            rows[[place[key] for key in found]] = known
        return rows
