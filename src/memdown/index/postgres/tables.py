"""Files and chunks as rows, and what is noted about an agent's index."""

from __future__ import annotations

import datetime
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from memdown.errors import IndexCorrupt
from memdown.files import reach
from memdown.index.manifest import variant_of
from memdown.index.packing import (
    count_passages,
    file_ids,
    file_keys,
    is_stored_text,
    pack_lines,
    pack_passages,
    pack_text,
    unpack_chunk,
)
from memdown.index.postgres import postings, schema, vectors
from memdown.index.postgres.connection import Place, one, run
from memdown.index.postgres.postings import KeyedTerms
from memdown.index.shortlist import (
    pack_passage_vectors,
    pack_terms,
    terms_of,
    unpack_terms,
)
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Source,
    StoredChunk,
)

_ROWS_A_READ = 2_000
# How rows are packed: what has another layout is another index, of hosts with another version.
LAYOUT = 2
_MOST_FILES_A_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Live:
    """The live generation of a variant: where it is, at which revision, how it was made."""

    place: Place
    variant: str
    revision: int
    fingerprint: Fingerprint
    chunks: int
    passages: int
    tokens: int
    losses: int

    @property
    def settled_state(self) -> str:
        """The same as long as no file was taken out of the index."""
        return f"{self.place.generation} {self.losses}"

    @property
    def state(self) -> tuple[int, int]:
        """What tells one state of the index from another."""
        return self.place.generation, self.revision

    @property
    def average_length(self) -> float:
        """How many terms a passage has."""
        return self.tokens / self.passages if self.passages else 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as it is stored, and the terms of its passages."""

    columns: tuple[object, ...]
    terms: Sequence[KeyedTerms]
    embedding: bytes | None
    passage_vectors: bytes | None


def _keyed(key: int, packed: bytes, passages: bytes) -> list[KeyedTerms]:
    text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
    each = unpack_terms(text, count_passages(bytes(passages)))
    return [KeyedTerms(number, one) for number, one in enumerate(each, start=key)]


def read_live(at: Place, variant: str | None) -> Live | None:
    """The live generation of a variant, of the one used last if None; None if there is none."""
    which, values = ("AND i.variant = %s", (at.agent, variant)) if variant else ("", (at.agent,))
    rows = run(
        at.db,
        at.sql(
            "SELECT i.variant, i.revision, i.fingerprint, g.generation, g.shelf, g.passages, "
            # The column came later: also who may not add it reads.
            "g.tokens, g.chunks, g.has_vectors, to_jsonb(g)->>'losses' FROM {s}.indexes i "
            "JOIN {s}.generations g ON g.generation = i.live "
            f"WHERE i.agent_id = %s AND i.fingerprint->>'layout' = '{LAYOUT}' {which} "
            "ORDER BY i.used_at DESC LIMIT 1"
        ),
        values,
    )
    if not rows:
        return None
    name, revision, data, generation, shelf, passages, tokens, chunks, has_vectors, losses = rows[0]
    return Live(
        Place(at.db, at.schema, at.agent, generation, shelf, has_vectors),
        name,
        revision,
        _fingerprint(data),
        chunks,
        passages,
        tokens,
        int(losses or 0),
    )


@dataclass(frozen=True, slots=True)
class Variant:
    """One of an agent's indexes: how it was made, how large it is, whether this host uses it."""

    name: str
    model: str
    chunk_tokens: int
    chunks: int
    passages: int
    own_tables: bool
    vectors: str
    used_at: str
    is_mine: bool


def describe_variants(at: Place, mine: str) -> tuple[Variant, ...]:
    """All indexes of an agent, the last used first."""
    rows = run(
        at.db,
        at.sql(
            "SELECT i.variant, i.fingerprint, g.generation, g.shelf, g.chunks, g.passages, "
            "g.has_vectors, i.used_at FROM {s}.indexes i "
            "JOIN {s}.generations g ON g.generation = i.live "
            "WHERE i.agent_id = %s ORDER BY i.used_at DESC"
        ),
        (at.agent,),
    )
    found = []
    for name, data, generation, shelf, chunks, passages, has_vectors, used_at in rows:
        made = _fingerprint(data)
        place = Place(at.db, at.schema, at.agent, generation, shelf, has_vectors)
        kind = "compared here" if not has_vectors else "each compared"
        if has_vectors and made.dims and vectors.has_index(place, made.dims):
            kind = "HNSW"
        found.append(
            Variant(
                name,
                f"{made.key.provider}/{made.key.model}",
                made.chunk_tokens,
                chunks,
                passages,
                place.is_own_shelf,
                kind,
                used_at.isoformat(timespec="seconds"),
                name == mine,
            )
        )
    return tuple(found)


def write_index(place: Place, fingerprint: Fingerprint) -> None:
    """Make this generation the live one of its variant."""
    run(
        place.db,
        place.sql(
            "INSERT INTO {s}.indexes (agent_id, variant, live, fingerprint) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (agent_id, variant) DO UPDATE SET live = excluded.live, "
            "fingerprint = excluded.fingerprint, revision = indexes.revision + 1, "
            "used_at = clock_timestamp()"
        ),
        (
            place.agent,
            variant_of(fingerprint, LAYOUT),
            place.generation,
            json.dumps(_data(fingerprint)),
        ),
    )


def new_generation(at: Place, shelf: str | None = None) -> Place:
    """An empty generation beside the live one; on a shelf of its own if `shelf` is empty text."""
    number = one(at.db, at.sql("SELECT nextval('{s}.generation_numbers')"))
    if shelf is None:
        shelf = schema.shelf_for(at.agent)
    elif not shelf:
        shelf = f"own_{number}"
        schema.make_shelf(at.db, at.schema, shelf)
    made = Place(at.db, at.schema, at.agent, number, shelf)
    made = replace(made, has_vectors=schema.has_table(made, "vectors"))
    run(
        at.db,
        at.sql(
            "INSERT INTO {s}.generations (generation, agent_id, shelf, has_vectors) "
            "VALUES (%s, %s, %s, %s)"
        ),
        (number, at.agent, shelf, made.has_vectors),
    )
    return made


def unused_generations(at: Place, grace: float) -> list[Place]:
    """Generations that no variant points to: of a rebuild that goes on, is done or was killed.

    Tables that a search may still read are left for `grace` seconds.
    """
    rows = run(
        at.db,
        at.sql(
            "SELECT g.generation, g.shelf FROM {s}.generations g WHERE g.agent_id = %s "
            "AND NOT EXISTS (SELECT 1 FROM {s}.indexes i WHERE i.live = g.generation) "
            "AND (g.retired_at IS NULL OR g.retired_at < now() - make_interval(secs => %s))"
        ),
        (at.agent, grace),
    )
    return [Place(at.db, at.schema, at.agent, number, shelf) for number, shelf in rows]


def retire(place: Place) -> None:
    """Note since when nobody begins to read a generation."""
    run(
        place.db,
        place.sql("UPDATE {s}.generations SET retired_at = now() WHERE generation = %s"),
        (place.generation,),
    )


def drop_generation(place: Place) -> int:
    """Delete a generation; how many chunks have left space in tables that others use, too."""
    chunks = one(
        place.db,
        place.sql("DELETE FROM {s}.generations WHERE generation = %s RETURNING chunks"),
        (place.generation,),
    )
    if place.is_own_shelf:
        schema.drop_shelf(place)
        return 0
    tables = ["files", "chunks", "postings"]
    if schema.has_table(place, "vectors"):
        tables.append("vectors")
    for table in tables:
        run(
            place.db,
            place.sql(f"DELETE FROM {{{table}}} WHERE generation = %s"),
            (place.generation,),
        )
    return int(chunks or 0)


def drop_unused_variants(at: Place, mine: str, days: int) -> None:
    """Forget variants that no host has written to for a while."""
    run(
        at.db,
        at.sql(
            "DELETE FROM {s}.indexes WHERE agent_id = %s AND variant <> %s "
            "AND used_at < now() - make_interval(days => %s)"
        ),
        (at.agent, mine, days),
    )


def next_revision(live: Live) -> int:
    """Tell everyone who holds something of it that it is out of date; the new number."""
    number: int = one(
        live.place.db,
        live.place.sql(
            "UPDATE {s}.indexes SET revision = revision + 1, used_at = clock_timestamp() "
            "WHERE agent_id = %s AND variant = %s RETURNING revision"
        ),
        (live.place.agent, live.variant),
    )
    return number


def stored_prefix(place: Place, path: str, chunks: Sequence[Chunk], embedded: bool) -> int:
    """How many of a file's leading chunks are stored as given, and have vectors if `embedded`."""
    stored = run(
        place.db,
        place.sql(
            "SELECT c.id, c.embedding IS NOT NULL FROM {files} f JOIN {chunks} c "
            "ON c.generation = f.generation AND c.key >= f.id << 24 AND c.key < (f.id + 1) << 24 "
            "WHERE f.generation = %s AND f.path = %s ORDER BY c.key"
        ),
        (place.generation, path),
    )
    same = 0
    for (chunk_id, has_vector), chunk in zip(stored, chunks, strict=False):
        if chunk_id != chunk.id or (embedded and not has_vector):
            break
        same += 1
    return same


def replace_files(
    place: Place, files: Sequence[IndexedFile], key: int | None, revision: int, point: str
) -> None:
    """Store files' chunks after those they keep, or one file's under the numbers from `key` on."""
    gone: dict[int, list[KeyedTerms]] = {}
    new: dict[int, list[KeyedTerms]] = {}
    chunks = 0
    for file in files:
        number, first = write_file(place, file.state, revision)
        start = key
        if start is None:
            kept = sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
            start = file_keys(number).start + kept
        removed = _delete_from(place, range(start, file_keys(number).stop))
        rows = _rows(start, file)
        insert(place, rows)
        gone.setdefault(first, []).extend(term for row in removed for term in row.terms)
        new.setdefault(first, []).extend(term for row in rows for term in row.terms)
        count = start - file_keys(number).start + sum(len(row.terms) for row in rows)
        _count_passages(place, number, count)
        chunks += len(rows) - len(removed)
        reach(point)
    postings.change(place, gone, new)
    _count(place, chunks, gone, new)


def _rows(key: int, file: IndexedFile) -> list[Row]:
    """The rows of a file's new chunks, numbered from `key` on."""
    rows = []
    done = sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
    for number, chunk in enumerate(file.chunks[file.keep :]):
        terms = [KeyedTerms(key + place, one) for place, one in enumerate(terms_of(chunk))]
        vector = None if file.vectors is None else file.vectors[number].astype(np.float32).tobytes()
        own = None
        if file.passage_vectors is not None:
            own = file.passage_vectors[done : done + len(chunk.passages)]
        packed = pack_terms([one.terms for one in terms]).encode("utf-8", "surrogatepass")
        headings, passages = pack_passages(chunk)
        columns = (
            key,
            chunk.id,
            chunk.start_line,
            chunk.end_line,
            chunk.digest,
            pack_text(chunk.text),
            pack_text(headings),
            passages,
            pack_lines(chunk),
            zlib.compress(packed, 1),
        )
        rows.append(Row(columns, terms, vector, pack_passage_vectors(own)))
        key += len(chunk.passages)
        done += len(chunk.passages)
    return rows


def insert(place: Place, rows: Sequence[Row]) -> None:
    """Store chunks, and their vectors where they can be compared."""
    if not rows:
        return
    with place.db.cursor() as cursor:
        cursor.executemany(
            place.sql(
                f"INSERT INTO {{chunks}} (generation, {_COLUMNS}, embedding, passage_vectors) "
                "VALUES (%s, %s, %s, %s, %s, %s, %b, %b, %b, %b, %b, %b, %b)"
            ),
            [(place.generation, *row.columns, row.embedding, row.passage_vectors) for row in rows],
        )
    vectors.insert(
        place,
        [(int(str(row.columns[0])), row.embedding) for row in rows if row.embedding is not None],
    )


def copy_files(old: Place, new: Place, paths: Sequence[str], revision: int) -> None:
    """Take over files of another generation that was made in the same way."""
    for path in paths:
        state = read_state(old, path)
        number = _file_id(old, path)
        if state is None or number is None:
            continue
        keys = file_keys(number)
        id_, first = write_file(new, state, revision)
        shift = file_keys(id_).start - keys.start
        rows = [
            Row(
                (row.columns[0] + shift, *row.columns[1:]),  # type: ignore[operator]
                [KeyedTerms(one.key + shift, one.terms) for one in row.terms],
                row.embedding,
                row.passage_vectors,
            )
            for row in _read_rows(old, keys)
        ]
        insert(new, rows)
        terms = {first: [term for row in rows for term in row.terms]}
        postings.change(new, {}, terms)
        _count(new, len(rows), {}, terms)
        _count_passages(new, id_, len(terms[first]))


def move_to_own_shelf(live: Live) -> Place:
    """Give a generation tables of its own; all of its rows move."""
    place = live.place
    shelf = f"own_{place.generation}"
    schema.make_shelf(place.db, place.schema, shelf)
    new = replace(place, shelf=shelf)
    for table in ("files", "chunks", "postings", "vectors"):
        if not (schema.has_table(place, table) and schema.has_table(new, table)):
            continue
        target = new.sql(f"{{{table}}}")
        gone = place.sql(f"DELETE FROM {{{table}}} WHERE generation = %s RETURNING *")
        run(
            place.db,
            place.sql("WITH moved AS (")
            + gone
            + place.sql(") INSERT INTO ")
            + target
            + place.sql(" SELECT * FROM moved"),
            (place.generation,),
        )
    run(
        place.db,
        place.sql("UPDATE {s}.generations SET shelf = %s WHERE generation = %s"),
        (shelf, place.generation),
    )
    return new


def remove_file(place: Place, path: str) -> None:
    """Forget a file and everything of it."""
    rows = run(
        place.db,
        place.sql("SELECT id, block FROM {files} WHERE generation = %s AND path = %s"),
        (place.generation, path),
    )
    for number, first in rows:
        removed = _delete_from(place, file_keys(number))
        gone = {first: [term for row in removed for term in row.terms]}
        postings.change(place, gone, {})
        _count(place, -len(removed), gone, {})
        run(
            place.db,
            place.sql("DELETE FROM {files} WHERE generation = %s AND id = %s"),
            (place.generation, number),
        )
        run(
            place.db,
            place.sql("UPDATE {s}.generations SET losses = losses + 1 WHERE generation = %s"),
            (place.generation,),
        )


_FACTS = "path, source, size, mtime, ctime, inode, hash, date, problem, tags, names"


def write_file(place: Place, file: FileState, revision: int | None = None) -> tuple[int, int]:
    """Note a file's facts; its number, and the first file of its block.

    Without a `revision`, that of its rows stays.
    """
    known = run(
        place.db,
        place.sql("SELECT id, block FROM {files} WHERE generation = %s AND path = %s"),
        (place.generation, file.path),
    )
    number, block = known[0] if known else _new_number(place, file.source)
    run(
        place.db,
        place.sql(
            f"INSERT INTO {{files}} (generation, id, {_FACTS}, revision, block, passages) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0) "
            "ON CONFLICT (generation, id) DO UPDATE SET hash = excluded.hash, "
            "mtime = excluded.mtime, size = excluded.size, ctime = excluded.ctime, "
            "inode = excluded.inode, date = excluded.date, problem = excluded.problem, "
            "tags = excluded.tags, names = excluded.names, "
            f"revision = coalesce(%s, {file_table(place)}.revision)"
        ),
        (
            place.generation,
            number,
            file.path,
            file.source,
            file.size,
            file.mtime_ns,
            file.ctime_ns,
            file.inode,
            file.digest,
            file.date,
            file.problem,
            [_text(tag) for tag in file.tags],
            _text(file.names),
            revision or 0,
            block,
            revision,
        ),
    )
    return number, block


def file_table(place: Place) -> str:
    """The name of the shelf's table of files."""
    return f"files_{place.shelf}"


def _new_number(place: Place, source: Source) -> tuple[int, int]:
    """A number for a new file, and the first file of the block that it joins."""
    ids = file_ids(source)
    last = run(
        place.db,
        place.sql(
            "SELECT l.id, l.block, (SELECT sum(passages) FROM {files} "
            "WHERE generation = l.generation AND id BETWEEN l.block AND l.id), g.passages FROM {files} l "
            "JOIN {s}.generations g ON g.generation = l.generation "
            "WHERE l.generation = %s AND l.id >= %s AND l.id < %s ORDER BY l.id DESC LIMIT 1"
        ),
        (place.generation, ids.start, ids.stop),
    )
    if not last:
        return ids.start, ids.start
    number, block, passages, of_index = last[0]
    is_full = number - block >= _MOST_FILES_A_BLOCK or postings.is_full(passages or 0, of_index)
    return number + 1, number + 1 if is_full else block


def read_state(place: Place, path: str) -> FileState | None:
    """What is noted of one file."""
    found = _states(place, " AND path = %s", (path,))
    return next(iter(found.values()), None)


def read_states(place: Place, paths: Sequence[str]) -> dict[str, FileState]:
    """What is noted of some files, by path."""
    found = _states(place, " AND path = ANY(%s)", (list(paths),))
    return {state.path: state for state in found.values()}


def read_files(place: Place) -> dict[str, FileState]:
    """Every indexed file."""
    return {state.path: state for state in _states(place).values()}


def lacks_vectors(place: Place) -> bool:
    """Whether vectors of some file are missing that may come later."""
    statement = (
        "SELECT 1 FROM {files} WHERE generation = %s AND problem <> '' AND hash <> '' LIMIT 1"
    )
    return one(place.db, place.sql(statement), (place.generation,)) is not None


def read_numbered(place: Place, numbers: Sequence[int] | None = None) -> dict[int, FileState]:
    """Every indexed file, or some, by number."""
    return _states(place) if numbers is None else _states(place, " AND id = ANY(%s)", (numbers,))


def read_dated(place: Place, first: datetime.date, last: datetime.date) -> dict[int, Source]:
    """The numbers of the files of a time that lack nothing, and their sources."""
    statement = (
        "SELECT id, source FROM {files} "
        "WHERE generation = %s AND date BETWEEN %s AND %s AND problem = ''"
    )
    return dict(run(place.db, place.sql(statement), (place.generation, first, last)))


def _states(place: Place, where: str = "", values: Sequence[object] = ()) -> dict[int, FileState]:
    found = run(
        place.db,
        place.sql(f"SELECT id, {_FACTS} FROM {{files}} WHERE generation = %s{where}"),
        (place.generation, *values),
    )
    return {row[0]: _state(*row[1:]) for row in found}


def _state(  # The columns, in the order of `_FACTS`.
    path: str,
    source: Source,
    size: int,
    mtime: int,
    ctime: int,
    inode: Any,
    *more: Any,
) -> FileState:
    digest, date, problem, tags, names = more
    return FileState(
        path, source, size, mtime, ctime, int(inode), digest, date, problem, tuple(tags), names
    )


def _text(text: str) -> str:
    """As PostgreSQL's text can hold it: neither NUL nor half characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def last_chunk(place: Place, path: str) -> StoredChunk | None:
    """A file's last chunk."""
    file_id = _file_id(place, path)
    if file_id is None:
        return None
    keys = file_keys(file_id)
    key = one(
        place.db,
        place.sql("SELECT max(key) FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s"),
        (place.generation, keys.start, keys.stop),
    )
    return None if key is None else load_chunks(place, [key])[key]


def load_chunks(place: Place, keys: Sequence[int]) -> dict[int, StoredChunk]:
    """Chunks by their numbers, each checked against the digest it was stored with."""
    rows = run(
        place.db,
        place.sql(
            "SELECT c.key, c.id, f.path, f.source, c.start_line, c.end_line, c.headings, c.text, "
            "c.hash, c.passages, c.lines, f.date FROM {chunks} c "
            "JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
            "WHERE c.generation = %s AND c.key = ANY(%s)"
        ),
        (place.generation, list(keys)),
        binary=True,
    )
    return {row[0]: unpack_chunk(*row) for row in rows}


def count_by_source(place: Place) -> dict[Source, int]:
    """How many files that could be read each source has."""
    return dict(
        run(
            place.db,
            place.sql(
                "SELECT source, count(*) FROM {files} WHERE generation = %s AND hash <> '' "
                "GROUP BY source"
            ),
            (place.generation,),
        )
    )


def count_chunks(place: Place, source: Source) -> int:
    """How many chunks a source has."""
    ids = file_ids(source)
    return int(
        one(
            place.db,
            place.sql(
                "SELECT count(*) FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s"
            ),
            (place.generation, file_keys(ids.start).start, file_keys(ids.stop).start),
        )
    )


def size_of(live: Live) -> int:
    """About how many bytes an index takes: its share of the tables of its shelf."""
    place = live.place
    size = one(
        place.db,
        "SELECT sum(pg_total_relation_size(to_regclass(name))) FROM unnest(%s::text[]) AS name",
        (
            [
                f"{place.schema}.{name}_{place.shelf}"
                for name in ("files", "chunks", "postings", "vectors")
            ],
        ),
    )
    every = one(
        place.db,
        place.sql("SELECT sum(chunks) FROM {s}.generations WHERE shelf = %s"),
        (place.shelf,),
    )
    return int(int(size or 0) * live.chunks / max(1, int(every or 0)))


def problems(live: Live) -> Iterator[str]:
    """What is wrong with a generation, after a look at all of it, some rows at a time."""
    place = live.place
    passages = 0
    for rows in _all_rows(place, "c.key, f.path, c.text, c.hash, c.passages"):
        for _, path, text, digest, packed in rows:
            if not is_stored_text(text, digest):
                yield f"a chunk of {path} is not the text that was stored"
            passages += count_passages(bytes(packed))
    if passages != live.passages:
        yield "the number of passages is not what was counted"


def _all_rows(place: Place, columns: str) -> Iterator[list[Any]]:
    after = -1
    while True:
        rows = run(
            place.db,
            place.sql(
                f"SELECT {columns} FROM {{chunks}} c "
                "JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
                f"WHERE c.generation = %s AND c.key > %s ORDER BY c.key LIMIT {_ROWS_A_READ}"
            ),
            (place.generation, after),
            binary=True,
        )
        if not rows:
            return
        yield rows
        after = rows[-1][0]


def _file_id(place: Place, path: str) -> int | None:
    file_id: int | None = one(
        place.db,
        place.sql("SELECT id FROM {files} WHERE generation = %s AND path = %s"),
        (place.generation, path),
    )
    return file_id


_COLUMNS = "key, id, start_line, end_line, hash, text, headings, passages, lines, terms"


def _read_rows(place: Place, keys: range) -> list[Row]:
    rows = run(
        place.db,
        place.sql(
            f"SELECT {_COLUMNS}, embedding, passage_vectors FROM {{chunks}} "
            "WHERE generation = %s AND key >= %s AND key < %s ORDER BY key"
        ),
        (place.generation, keys.start, keys.stop),
        binary=True,
    )
    return [Row(row[:-2], _keyed(row[0], row[9], row[7]), row[-2], row[-1]) for row in rows]


@dataclass(frozen=True, slots=True)
class _Removed:
    terms: Sequence[KeyedTerms]


def _delete_from(place: Place, keys: range) -> list[_Removed]:
    """Delete chunks; the terms of what is gone."""
    rows = run(
        place.db,
        place.sql(
            "DELETE FROM {chunks} WHERE generation = %s AND key >= %s AND key < %s "
            "RETURNING key, terms, passages"
        ),
        (place.generation, keys.start, keys.stop),
        binary=True,
    )
    if rows:
        vectors.delete(place, keys)
    return [_Removed(_keyed(*row)) for row in rows]


def _count_passages(place: Place, number: int, passages: int) -> None:
    run(
        place.db,
        place.sql("UPDATE {files} SET passages = %s WHERE generation = %s AND id = %s"),
        (passages, place.generation, number),
    )


def _count(
    place: Place,
    chunks: int,
    gone: dict[int, list[KeyedTerms]],
    new: dict[int, list[KeyedTerms]],
) -> None:
    """Keep the counts of a generation in step."""
    passages = tokens = 0
    for sign, files in ((-1, gone), (1, new)):
        for terms in files.values():
            passages += sign * len(terms)
            tokens += sign * sum(one.terms.length for one in terms)
    run(
        place.db,
        place.sql(
            "UPDATE {s}.generations SET chunks = chunks + %s, passages = passages + %s, "
            "tokens = tokens + %s WHERE generation = %s"
        ),
        (chunks, passages, tokens, place.generation),
    )


def _data(fingerprint: Fingerprint) -> dict[str, object]:
    return {
        "provider": fingerprint.key.provider,
        "model": fingerprint.key.model,
        "providerKey": fingerprint.key.provider_key,
        "chunkTokens": fingerprint.chunk_tokens,
        "chunkOverlap": fingerprint.chunk_overlap,
        "termsVersion": fingerprint.terms_version,
        "vectorDims": fingerprint.dims,
        "layout": LAYOUT,
    }


def _fingerprint(data: dict[str, object]) -> Fingerprint:
    try:
        return Fingerprint(
            key=ModelKey(str(data["provider"]), str(data["model"]), str(data["providerKey"])),
            chunk_tokens=int(str(data["chunkTokens"])),
            chunk_overlap=int(str(data["chunkOverlap"])),
            terms_version=int(str(data["termsVersion"])),
            dims=None if data["vectorDims"] is None else int(str(data["vectorDims"])),
        )
    except (KeyError, ValueError) as error:
        raise IndexCorrupt(
            f"The index's fingerprint cannot be read ({error}); rebuild it with "
            "`memdown index --force`."
        ) from error
