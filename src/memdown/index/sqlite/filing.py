"""Writing files into a generation: rows of chunks, and segments, within one transaction."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import apsw
import numpy as np

from memdown.files import reach
from memdown.index import merging, packing
from memdown.index.merging import Made, NewRows, Segment
from memdown.index.packing import file_ids, file_keys
from memdown.index.passages import Terms, tokenise
from memdown.index.sqlite import vectors
from memdown.index.sqlite.connection import one, run
from memdown.index.sqlite.schema import LIVE
from memdown.types import Chunk, FileState, IndexedFile, Source, Vectors
from memdown.values import dataclass

_NEXT_SEGMENT = "next_segment"
# What a page takes besides its rows, and a row of `chunks` besides its texts and blobs, at most, if its number takes
# two bytes; how many rows the last two of a page are chosen from, and how many more fit by then.
_PAGE_HEAD, _ROW_HEAD = 16, 42
_ROWS_IN_REACH, _FEW_ROWS = 48, 3


@dataclass(frozen=True, slots=True)
class Generation:
    """The tables that are written to: the live ones, or those of a rebuild.

    `leaves_strays` where there is a `chunks_vec` that cannot be written to.
    """

    prefix: str
    with_fts: bool
    with_vec: bool
    leaves_strays: bool = False
    model: str = ""


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
        f"SELECT id, embedding IS NOT NULL FROM {prefix}chunks "
        "WHERE key >= ? AND key < ? ORDER BY key",
        (keys.start, keys.stop),
    )
    same = 0
    for (chunk_id, has_vector), chunk in zip(stored, chunks, strict=False):
        if chunk_id != chunk.id or (embedded and not has_vector):
            break
        same += 1
    return same


def write_files(
    db: apsw.Connection,
    generation: Generation,
    files: Sequence[IndexedFile],
    dims: int | None,
    tokens: Terms | None = None,
) -> None:
    """Store files, each path once: their rows, and one segment for all of them."""
    new: list[NewRows] = []
    tokens = tokens or tokenise([chunk for file in files for chunk in file.chunks])
    inserts = _Inserts(generation)
    struck = done = 0
    for file in files:
        file_id, is_new = _write_state(db, generation.prefix, file.state)
        keys = file_keys(file_id)
        key = keys.start + sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
        kept = _kept_vectors(db, generation.prefix, range(keys.start, key), file, dims)
        if not is_new:
            struck += _count_passages(db, generation.prefix, keys)
        gone = [] if is_new else _delete_from(db, generation, range(key, keys.stop))
        upto = done + len(file.chunks)
        inserts.add(key, file, gone, tokens.units[done + file.keep : upto])
        done = upto
        if file.chunks or not is_new:
            new.append(NewRows(keys.start, file.chunks, kept, file.passage_vectors, not is_new))
        reach("index.file" if generation.prefix == LIVE else "rebuild.file")
    inserts.write(db)
    add_segments(db, generation.prefix, merging.make(new, tokens), struck)


def _kept_vectors(
    db: apsw.Connection, prefix: str, keys: range, file: IndexedFile, dims: int | None
) -> Vectors | None:
    """The vectors of all chunks of a file, those of kept chunks as they are stored."""
    if not file.keep:
        return file.vectors
    if dims is None:
        return None
    sql = f"SELECT key FROM {prefix}chunks WHERE key >= ? AND key < ? ORDER BY key"
    there = [key for (key,) in run(db, sql, (keys.start, keys.stop))]
    found, rows = vectors.fetch(db, dims, there, prefix)
    known = np.zeros((len(there), dims), np.float32)
    known[np.isin(np.array(there, np.int64), np.array(found, np.int64))] = rows
    fresh = file.vectors
    if fresh is None or not fresh.size:
        fresh = np.zeros((len(file.chunks) - file.keep, dims), np.float32)
    return np.concatenate([known, fresh])


def extend_file(db: apsw.Connection, generation: Generation, key: int, file: IndexedFile) -> None:
    """Store a file that grew: rows from number `key` on are replaced by its chunks."""
    file_id, _ = _write_state(db, generation.prefix, file.state)
    keys = range(key, file_keys(file_id).stop)
    struck = _count_passages(db, generation.prefix, keys)
    inserts = _Inserts(generation)
    tokens = tokenise(file.chunks)
    inserts.add(key, file, _delete_from(db, generation, keys), tokens.units)
    inserts.write(db)
    rows = NewRows(key, file.chunks, file.vectors, file.passage_vectors)
    add_segments(db, generation.prefix, merging.make([rows], tokens), struck)


def add_segments(db: apsw.Connection, prefix: str, made: Sequence[Made], struck: int = 0) -> None:
    """Append segments, and merge the last ones if they are many."""
    for number, segment in enumerate(made):
        place = int(one(db, f"SELECT coalesce(max(place), 0) FROM {prefix}manifest")) + 1
        _add_segment(db, prefix, place, segment, 0 if number else struck)
    manifest, dead = read_manifest(db, prefix)
    places = merging.due(manifest, dead)
    if len(places):
        _merge(db, prefix, manifest, places)


def _add_segment(db: apsw.Connection, prefix: str, place: int, made: Made, struck: int) -> None:
    number = int(one(db, "SELECT value FROM meta WHERE key = ?", (_NEXT_SEGMENT,)) or 1)
    run(db, "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_NEXT_SEGMENT, str(number + 1)))
    _many(
        db,
        f"INSERT INTO {prefix}segments VALUES (?, ?, ?, ?)",
        [(number, *part, data) for part, data in made.parts.items()],
    )
    sql = f"INSERT INTO {prefix}manifest VALUES (?, ?, ?, ?)"
    run(db, sql, (place, number, made.passages, struck))


def _merge(db: apsw.Connection, prefix: str, manifest: Sequence[Segment], places: range) -> None:
    def read(segment: int, part: str, number: int) -> bytes:
        return read_block(db, prefix, segment, part, number)

    made = merging.merge(manifest, places, read)
    old = manifest[places.start :]
    numbers = json.dumps([segment.number for segment in old])
    within = "IN (SELECT value FROM json_each(?))"
    totals = "SELECT min(place), sum(struck)"
    ((place, struck),) = run(
        db, f"{totals} FROM {prefix}manifest WHERE segment {within}", (numbers,)
    )
    gone = sum(segment.passages for segment in old) - sum(one.passages for one in made)
    run(db, f"DELETE FROM {prefix}manifest WHERE segment {within}", (numbers,))
    run(db, f"DELETE FROM {prefix}segments WHERE segment {within}", (numbers,))
    for number, segment in enumerate(made):
        left = 0 if number else max(0, int(struck) - gone)
        _add_segment(db, prefix, int(place) + number, segment, left)


def read_manifest(db: apsw.Connection, prefix: str) -> tuple[list[Segment], int]:
    """The segments in order, and how many of their rows are struck."""
    rows = run(db, f"SELECT segment, passages, struck FROM {prefix}manifest ORDER BY place")
    segments = [Segment(number, passages) for number, passages, _ in rows]
    return segments, sum(int(struck) for _, _, struck in rows)


def read_block(db: apsw.Connection, prefix: str, segment: int, part: str, number: int) -> bytes:
    """A block of a segment; nothing where there is none."""
    sql = f"SELECT data FROM {prefix}segments WHERE segment = ? AND part = ? AND number = ?"
    data: bytes | None = one(db, sql, (segment, part, number))
    return data or b""


def read_blocks(
    db: apsw.Connection, prefix: str, segment: int, part: str, numbers: Sequence[int]
) -> dict[int, bytes]:
    """Several blocks of a segment by their numbers, as far as there are any."""
    sql = (
        f"SELECT number, data FROM {prefix}segments WHERE segment = ? AND part = ? "
        "AND number IN (SELECT value FROM json_each(?))"
    )
    return dict(run(db, sql, (segment, part, json.dumps(list(numbers)))))


def touch_files(db: apsw.Connection, prefix: str, files: Sequence[FileState]) -> None:
    """Keep the files' rows under their new sizes and times."""
    for file in files:
        _write_state(db, prefix, file)


def remove_files(db: apsw.Connection, generation: Generation, paths: Sequence[str]) -> None:
    """Forget files and everything of them."""
    strikes: list[NewRows] = []
    struck = 0
    for path in paths:
        file_id = find_file(db, generation.prefix, path)
        if file_id is not None:
            keys = file_keys(file_id)
            struck += _count_passages(db, generation.prefix, keys)
            gone = _delete_from(db, generation, keys)
            if generation.with_vec:
                vectors.delete(db, generation.prefix, gone)
            run(db, f"DELETE FROM {generation.prefix}files WHERE id = ?", (file_id,))
            strikes.append(NewRows(keys.start, [], None))
        reach("index.removing")
    if strikes:
        add_segments(db, generation.prefix, merging.make(strikes), struck)


def find_file(db: apsw.Connection, prefix: str, path: str) -> int | None:
    """A file's number."""
    file_id: int | None = one(db, f"SELECT id FROM {prefix}files WHERE path = ?", (path,))
    return file_id


def _write_state(db: apsw.Connection, prefix: str, file: FileState) -> tuple[int, bool]:
    """Note a file's facts; its number, and whether it is new."""
    known = find_file(db, prefix, file.path)
    file_id = _next_file(db, prefix, file) if known is None else known
    date = file.date.isoformat() if file.date else None
    facts = (file.digest, file.mtime_ns, file.size, file.ctime_ns, file.inode, date, file.problem)
    said = (packing.pack_tags(file.tags), file.names)
    run(
        db,
        f"INSERT OR REPLACE INTO {prefix}files (id, path, source, hash, mtime, size, ctime, inode, "
        "date, problem, tags, names, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (file_id, file.path, file.source, *facts, *said, _now()),
    )
    return file_id, known is None


def _next_file(db: apsw.Connection, prefix: str, file: FileState) -> int:
    ids = file_ids(file.source)
    last: int | None = one(
        db, f"SELECT max(id) FROM {prefix}files WHERE id >= ? AND id < ?", (ids.start, ids.stop)
    )
    return ids.start if last is None else last + 1


class _NewRow(NamedTuple):
    """A row of `chunks`: what follows its number, how many bytes that takes, its vector unless that stands in
    the row, and its text."""

    columns: tuple[object, ...]
    size: int
    vector: bytes | None
    text: str
    source: Source


class _Inserts:
    """Rows of chunks that are not kept, of many files, to be written by one statement a table."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._now = _now()
        self._rows: dict[int, _NewRow] = {}
        self._new: list[_NewRow] = []
        self._gone: dict[Source, list[int]] = {}

    def add(
        self, key: int, file: IndexedFile, gone: Sequence[int], units: Sequence[bytes | None]
    ) -> None:
        """The chunks of a file from key `key` on, in place of the rows `gone`, whose numbers they take.

        `units` are those of these chunks; see `packing.pack_closely`.
        """
        self._gone.setdefault(file.state.source, []).extend(gone)
        own = file.vectors
        for place, chunk in enumerate(file.chunks[file.keep :]):
            blob = None if own is None else own[place].tobytes()
            row = self._row(key, chunk, blob, packing.pack_closely(chunk, units[place]))
            if place < len(gone):
                self._rows[gone[place]] = row
            else:
                self._new.append(row)
            key += len(chunk.passages)

    def _row(
        self, key: int, chunk: Chunk, blob: bytes | None, packed: tuple[str, bytes]
    ) -> _NewRow:
        vector = None
        if blob is not None and self._generation.with_vec:
            vector, blob = blob, b""
        headings, passages = packed
        text, path, above = map(packing.as_text, (chunk.text, chunk.path, headings))
        lines, model = packing.pack_lines(chunk), self._generation.model
        size = sum(map(_stored_size, (text, path, above, chunk.source, model)))
        size += sum(map(len, (chunk.id, chunk.digest, passages, blob or b"", lines or b"")))
        columns = (
            key,
            chunk.id,
            path,
            chunk.source,
            chunk.start_line,
            chunk.end_line,
            chunk.digest,
            model,
            text,
            blob,
            self._now,
            above,
            passages,
            lines,
        )
        if isinstance(text, bytes):
            text = chunk.text.encode("utf-8", "replace").decode()
        return _NewRow(columns, size, vector, text, chunk.source)

    def write(self, db: apsw.Connection) -> None:
        """Write all rows."""
        prefix = self._generation.prefix
        # Numbers of rows that are gone may be larger than all that are left; `chunks_vec` still has them.
        there = one(db, f"SELECT max(number) FROM {prefix}chunks")
        last = max(int(there or 0), *chain.from_iterable(self._gone.values()), 0)
        for number, row in enumerate(_filling_pages(db, self._new, last + 1), start=last + 1):
            self._rows[number] = row
        marks = ", ".join("?" * 15)
        rows = [(number, *row.columns) for number, row in self._rows.items()]
        _many(db, f"INSERT INTO {prefix}chunks VALUES ({marks})", rows)
        if self._generation.with_vec:
            for source, gone in self._gone.items():
                mine = ((number, row) for number, row in self._rows.items() if row.source == source)
                blobs = {number: row.vector for number, row in mine if row.vector is not None}
                vectors.replace(db, prefix, source, gone, blobs)
        if self._generation.with_fts:
            sql = f"INSERT INTO {prefix}chunks_fts(rowid, text) VALUES (?, ?)"
            _many(db, sql, [(number, row.text) for number, row in self._rows.items()])


def _filling_pages(db: apsw.Connection, rows: Sequence[_NewRow], first: int) -> Iterator[_NewRow]:
    """New rows in an order in which little room is left at the end of pages; each stays near its place.

    Their numbers begin with the `first`: larger ones take more bytes.

    SQLite begins a new page where the next row does not fit any more, which left one byte in twenty unused.
    A size is at most some bytes too large; one too small would shift all pages after it. If that went wrong,
    pages would be less full, and nothing else.
    """
    page = int(str(db.pragma("page_size"))) - _PAGE_HEAD
    left = page
    waiting: list[tuple[int, _NewRow]] = []
    coming = (
        (row.size + _ROW_HEAD + _longer_by(number), row)
        for number, row in enumerate(rows, start=first)
    )
    while True:
        waiting += islice(coming, _ROWS_IN_REACH - len(waiting))
        if not waiting:
            return
        # They come in turn until few more fit.
        chosen = [0]
        if left < _FEW_ROWS * waiting[0][0]:
            chosen = _filling([size for size, _ in waiting], left) or chosen
        for place in sorted(chosen, reverse=True):
            size, row = waiting.pop(place)
            left = (left if size <= left else page) - size
            yield row


def _filling(sizes: Sequence[int], room: int) -> list[int]:
    """The places of the one or two of some rows that fill the room best; of none if none fits."""
    # Next to nothing, a row stands alone.
    every = sorted([(0, -1), *zip(sizes, range(len(sizes)), strict=True)])
    small, large = 0, len(every) - 1
    most, best = 0, (-1, -1)
    # From both ends: what is too much with the smaller one is too much with all that follow it.
    while small < large:
        total = every[small][0] + every[large][0]
        if most < total <= room:
            most, best = total, (every[small][1], every[large][1])
        if total <= room:
            small += 1
        else:
            large -= 1
    return [place for place in best if place >= 0]


def _longer_by(number: int) -> int:
    """How many bytes more than two a row's number takes: seven bits of it stand in each."""
    return (number >= 1 << 14) + (number >= 1 << 21)


def _stored_size(value: str | bytes) -> int:
    return len(value) if value.isascii() else len(packing.as_bytes(value))


def _many(db: apsw.Connection, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    db.executemany(sql, rows).fetchall()


def _count_passages(db: apsw.Connection, prefix: str, keys: range) -> int:
    sql = f"SELECT passages FROM {prefix}chunks WHERE key >= ? AND key < ?"
    return sum(packing.count_passages(blob) for (blob,) in run(db, sql, (keys.start, keys.stop)))


def _delete_from(db: apsw.Connection, generation: Generation, keys: range) -> list[int]:
    """Delete a file's rows with these keys, but for the vectors in `chunks_vec`; the rows' numbers."""
    prefix, bounds = generation.prefix, (keys.start, keys.stop)
    sql = f"SELECT number FROM {prefix}chunks WHERE key >= ? AND key < ? ORDER BY key"
    gone = run(db, sql, bounds)
    if generation.with_fts:
        _many(db, f"DELETE FROM {prefix}chunks_fts WHERE rowid = ?", gone)
    run(db, f"DELETE FROM {prefix}chunks WHERE key >= ? AND key < ?", bounds)
    if gone and generation.leaves_strays:
        vectors.note_strays(db)
    return [number for (number,) in gone]


def _now() -> int:
    return time.time_ns() // 1_000_000
