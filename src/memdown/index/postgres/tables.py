"""Files and chunks as rows, and what is noted about an agent's index."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memdown.errors import IndexCorrupt
from memdown.files.failpoints import reach
from memdown.index.packing import (
    is_stored_text,
    pack_headings,
    pack_lines,
    pack_passages,
    pack_text,
    unpack_chunk,
)
from memdown.index.postgres import keywords
from memdown.index.postgres.connection import Connection, one, run
from memdown.index.postgres.packed import literal
from memdown.index.postgres.place import Place
from memdown.index.sqlite.keys import file_ids, file_keys
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Source,
    StoredChunk,
)

_MINE = "agent_id = %s AND generation = %s"
_SAMPLE = 64


def read_agent(db: Connection, schema: str, agent: str) -> tuple[Place, int, Fingerprint] | None:
    """The live generation of an agent, its revision, and how it was made; None if there is none."""
    place = Place(db, schema, agent, 0)
    rows = run(
        db,
        place.sql("SELECT live, revision, fingerprint FROM {s}.agents WHERE agent_id = %s"),
        (agent,),
    )
    if not rows or rows[0][2] is None:
        return None
    live, revision, data = rows[0]
    return Place(db, schema, agent, live), revision, _fingerprint(data)


def write_agent(place: Place, fingerprint: Fingerprint) -> None:
    """Make this generation the live one, made like this."""
    run(
        place.db,
        place.sql(
            "INSERT INTO {s}.agents (agent_id, live, fingerprint) VALUES (%s, %s, %s) "
            "ON CONFLICT (agent_id) DO UPDATE SET live = excluded.live, "
            "fingerprint = excluded.fingerprint, revision = agents.revision + 1"
        ),
        (*place.owner, json.dumps(_data(fingerprint))),
    )


def new_generation(place: Place) -> Place:
    """An empty generation beside the live one."""
    number = one(place.db, place.sql("SELECT nextval('{s}.generation_numbers')"))
    made = Place(place.db, place.schema, place.agent, number)
    run(
        place.db,
        place.sql("INSERT INTO {s}.generations (agent_id, generation) VALUES (%s, %s)"),
        made.owner,
    )
    return made


def other_generations(place: Place) -> list[int]:
    """The generations that are not live: of a rebuild that goes on, is done or was killed."""
    rows = run(
        place.db,
        place.sql(
            "SELECT g.generation FROM {s}.generations g LEFT JOIN {s}.agents a "
            "ON a.agent_id = g.agent_id AND a.live = g.generation "
            "WHERE g.agent_id = %s AND a.live IS NULL"
        ),
        (place.agent,),
    )
    return [number for (number,) in rows]


def drop_generation(place: Place) -> None:
    """Delete all rows of a generation; who still reads it goes on seeing them."""
    for table in ("passages", "terms", "chunks", "files", "generations"):
        run(place.db, place.sql(f"DELETE FROM {{s}}.{table} WHERE {_MINE}"), place.owner)


def next_revision(place: Place) -> int:
    """Tell everyone who holds something in memory that it is out of date; the new number."""
    number: int = one(
        place.db,
        place.sql(
            "UPDATE {s}.agents SET revision = revision + 1 WHERE agent_id = %s RETURNING revision"
        ),
        (place.agent,),
    )
    return number


def stored_prefix(place: Place, path: str, chunks: Sequence[Chunk], embedded: bool) -> int:
    """How many of a file's leading chunks are stored as given, and have vectors if `embedded`."""
    file_id = _file_id(place, path)
    if file_id is None:
        return 0
    keys = file_keys(file_id)
    stored = run(
        place.db,
        place.sql(
            f"SELECT id, dims FROM {{s}}.chunks WHERE {_MINE} AND key >= %s AND key < %s "
            "ORDER BY key"
        ),
        (*place.owner, keys.start, keys.stop),
    )
    same = 0
    for (chunk_id, dims), chunk in zip(stored, chunks, strict=False):
        if chunk_id != chunk.id or (embedded and dims is None):
            break
        same += 1
    return same


def replace_files(
    place: Place, files: Sequence[IndexedFile], key: int | None, revision: int, point: str
) -> None:
    """Store files' chunks after those they keep, or one file's under the numbers from `key` on."""
    first_keys: list[int] = []
    new: list[Chunk] = []
    for file in files:
        first_keys += _replace_chunks(place, file, key, revision)
        new += file.chunks[file.keep :]
        reach(point)
    keywords.insert(place, first_keys, new)


def _replace_chunks(place: Place, file: IndexedFile, key: int | None, revision: int) -> list[int]:
    """The numbers of a file's new chunks, which are stored, but not yet among the keywords."""
    keys = file_keys(write_file(place, file.state, revision))
    if key is None:
        key = keys.start + sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
    _delete_from(place, range(key, keys.stop))
    new, rows = file.chunks[file.keep :], file.vectors
    first_keys = []
    for chunk in new:
        first_keys.append(key)
        key += len(chunk.passages)
    with place.db.cursor() as cursor:
        cursor.executemany(
            place.sql(
                "INSERT INTO {s}.chunks VALUES "
                "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::real[])"
            ),
            [
                (
                    *place.owner,
                    first,
                    chunk.id,
                    chunk.path,
                    chunk.source,
                    chunk.start_line,
                    chunk.end_line,
                    chunk.digest,
                    pack_text(chunk.text),
                    pack_headings(chunk),
                    pack_passages(chunk),
                    pack_lines(chunk),
                    None if rows is None else rows.shape[1],
                    None if rows is None else literal(rows[number].tolist()),
                )
                for number, (first, chunk) in enumerate(zip(first_keys, new, strict=True))
            ],
        )
    return first_keys


def remove_file(place: Place, path: str) -> None:
    """Forget a file and everything of it."""
    file_id = _file_id(place, path)
    if file_id is None:
        return
    _delete_from(place, file_keys(file_id))
    run(
        place.db,
        place.sql(f"DELETE FROM {{s}}.files WHERE {_MINE} AND id = %s"),
        (*place.owner, file_id),
    )


def write_file(place: Place, file: FileState, revision: int | None = None) -> int:
    """Note a file's facts; its number. Without a `revision`, that of its rows stays."""
    file_id = _file_id(place, file.path)
    if file_id is None:
        ids = file_ids(file.source)
        last = one(
            place.db,
            place.sql(f"SELECT max(id) FROM {{s}}.files WHERE {_MINE} AND id >= %s AND id < %s"),
            (*place.owner, ids.start, ids.stop),
        )
        file_id = ids.start if last is None else last + 1
    run(
        place.db,
        place.sql(
            "INSERT INTO {s}.files (agent_id, generation, id, path, source, hash, mtime, size, "
            "ctime, inode, date, problem, tags, names, revision) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
            "ON CONFLICT (agent_id, generation, id) DO UPDATE SET hash = excluded.hash, "
            "mtime = excluded.mtime, size = excluded.size, ctime = excluded.ctime, "
            "inode = excluded.inode, date = excluded.date, problem = excluded.problem, "
            "tags = excluded.tags, names = excluded.names, "
            "revision = coalesce(%s, files.revision)"
        ),
        (
            *place.owner,
            file_id,
            file.path,
            file.source,
            file.digest,
            file.mtime_ns,
            file.size,
            file.ctime_ns,
            file.inode,
            file.date,
            file.problem,
            [_text(tag) for tag in file.tags],
            _text(file.names),
            revision or 0,
            revision,
        ),
    )
    return file_id


def read_files(place: Place) -> dict[str, FileState]:
    """Every indexed file."""
    return {state.path: state for state in read_numbered(place).values()}


def read_numbered(place: Place) -> dict[int, FileState]:
    """Every indexed file by its number."""
    return {
        number: FileState(
            path, source, size, mtime, ctime, int(inode), digest, date, problem, tuple(tags), names
        )
        for (
            number,
            path,
            source,
            size,
            mtime,
            ctime,
            inode,
            digest,
            date,
            problem,
            tags,
            names,
        ) in run(
            place.db,
            place.sql(
                "SELECT id, path, source, size, mtime, ctime, inode, hash, date, problem, tags, names "
                f"FROM {{s}}.files WHERE {_MINE}"
            ),
            place.owner,
        )
    }


def _text(text: str) -> str:
    """As PostgreSQL's text can hold it: neither NUL nor half characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def chunk_keys(place: Place, passages: Sequence[int]) -> dict[int, int]:
    """The chunk of each passage: the one with the largest number not above it."""
    return dict(
        run(
            place.db,
            place.sql(
                f"SELECT p, (SELECT key FROM {{s}}.chunks WHERE {_MINE} AND key <= p "
                "ORDER BY key DESC LIMIT 1) FROM unnest(%s::bigint[]) AS p"
            ),
            (*place.owner, list(passages)),
        )
    )


def last_chunk(place: Place, path: str) -> StoredChunk | None:
    """A file's last chunk."""
    file_id = _file_id(place, path)
    if file_id is None:
        return None
    keys = file_keys(file_id)
    key = one(
        place.db,
        place.sql(f"SELECT max(key) FROM {{s}}.chunks WHERE {_MINE} AND key >= %s AND key < %s"),
        (*place.owner, keys.start, keys.stop),
    )
    return None if key is None else load_chunks(place, [key])[key]


def sample_keys(place: Place, source: Source) -> list[int]:
    """The first chunks of some files, evenly drawn."""
    ids = [
        file_id
        for (file_id,) in run(
            place.db,
            place.sql(f"SELECT id FROM {{s}}.files WHERE {_MINE} AND source = %s ORDER BY id"),
            (*place.owner, source),
        )
    ]
    step = max(1, len(ids) // _SAMPLE)
    return [file_keys(file_id).start for file_id in ids[::step]]


def load_chunks(place: Place, keys: Sequence[int]) -> dict[int, StoredChunk]:
    """Chunks by their numbers, each checked against the digest it was stored with."""
    rows = run(
        place.db,
        place.sql(
            "SELECT c.key, c.id, c.path, c.source, c.start_line, c.end_line, c.headings, c.text, "
            "c.hash, c.passages, c.lines, f.date FROM {s}.chunks c "
            "JOIN {s}.files f USING (agent_id, generation, path) "
            "WHERE c.agent_id = %s AND c.generation = %s AND c.key = ANY(%s)"
        ),
        (*place.owner, list(keys)),
        binary=True,
    )
    return {row[0]: unpack_chunk(*row) for row in rows}


def count_by_source(place: Place, table: str) -> dict[Source, int]:
    """How many rows of `files` that could be read, or of `chunks`, each source has."""
    return dict(
        run(
            place.db,
            place.sql(
                f"SELECT source, count(*) FROM {{s}}.{table} WHERE {_MINE} AND hash <> '' "
                "GROUP BY source"
            ),
            place.owner,
        )
    )


def size_of(place: Place) -> int:
    """About how many bytes an agent's texts, vectors and terms take."""
    sums = [
        one(
            place.db,
            place.sql(f"SELECT sum(pg_column_size(t.*)) FROM {{s}}.{table} t WHERE {_MINE}"),
            place.owner,
        )
        for table in ("chunks", "passages")
    ]
    return sum(int(size or 0) for size in sums)


def problems(place: Place) -> list[str]:
    """What is wrong with a generation, after a look at all of it."""
    wrong = []
    for path, text, digest in run(
        place.db,
        place.sql(f"SELECT path, text, hash FROM {{s}}.chunks WHERE {_MINE}"),
        place.owner,
    ):
        if not is_stored_text(text, digest):
            wrong.append(f"a chunk of {path} is not the text that was stored")
    if not keywords.totals_are_right(place):
        wrong.append("the number of passages is not what was counted")
    lost = one(
        place.db,
        place.sql(
            f"SELECT count(*) FROM {{s}}.chunks c WHERE {_MINE} AND NOT EXISTS (SELECT 1 FROM "
            "{s}.passages p WHERE p.agent_id = c.agent_id AND p.generation = c.generation "
            "AND p.key = c.key)"
        ),
        place.owner,
    )
    if lost:
        wrong.append(f"{lost} chunks cannot be found by keyword")
    return wrong


def _file_id(place: Place, path: str) -> int | None:
    file_id: int | None = one(
        place.db,
        place.sql(f"SELECT id FROM {{s}}.files WHERE {_MINE} AND path = %s"),
        (*place.owner, path),
    )
    return file_id


def _delete_from(place: Place, keys: range) -> None:
    keywords.delete(place, keys)
    run(
        place.db,
        place.sql(f"DELETE FROM {{s}}.chunks WHERE {_MINE} AND key >= %s AND key < %s"),
        (*place.owner, keys.start, keys.stop),
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
