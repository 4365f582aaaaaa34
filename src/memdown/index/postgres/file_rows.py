"""Files as rows: their facts, their numbers, and the blocks of posting lists they belong to."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from memdown.index.filters import Filter, folders_of, meanings
from memdown.index.packing import file_ids
from memdown.index.postgres import postings
from memdown.index.postgres.connection import Place, one, run
from memdown.types import FileState, Source

_MOST_FILES_A_BLOCK = 1 << 16

_FACTS = "path, source, size, mtime, ctime, inode, hash, date, problem, tags, names"


# A number of any size takes longer to read than its digits.
_READ = _FACTS.replace("inode", "inode::text")


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


def note_passages(place: Place, number: int, passages: int) -> None:
    run(
        place.db,
        place.sql("UPDATE {files} SET passages = %s WHERE generation = %s AND id = %s"),
        (passages, place.generation, number),
    )


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


def read_changed(place: Place, revision: int) -> list[FileState]:
    """The files that were written since a revision of the index."""
    return list(_states(place, " AND revision > %s", (revision,)).values())


def lacks_vectors(place: Place) -> bool:
    """Whether vectors of some file are missing that may come later."""
    statement = (
        "SELECT 1 FROM {files} WHERE generation = %s AND problem <> '' AND hash <> '' LIMIT 1"
    )
    return one(place.db, place.sql(statement), (place.generation,)) is not None


def read_numbered(place: Place) -> dict[int, FileState]:
    """Every indexed file by number."""
    return _states(place)


def read_dated(place: Place, first: datetime.date, last: datetime.date) -> dict[int, Source]:
    """The numbers of the files of a time that lack nothing, and their sources."""
    statement = (
        "SELECT id, source FROM {files} "
        "WHERE generation = %s AND date BETWEEN %s AND %s AND problem = ''"
    )
    return dict(run(place.db, place.sql(statement), (place.generation, first, last)))


def matching(place: Place, wanted: Filter, sources: Sequence[Source]) -> frozenset[int]:
    """The numbers of the files that a filter lets through."""
    where = "source = ANY(%s)"
    values: list[object] = [list(sources)]
    for sign, day in ((">=", wanted.since), ("<=", wanted.until)):
        if day is not None:
            where, values = f"{where} AND date {sign} %s", [*values, day]
    for tag in wanted.tags:
        where += " AND EXISTS (SELECT 1 FROM unnest(tags) AS t WHERE t = %s OR starts_with(t, %s))"
        values += [tag, f"{tag}/"]
    if not wanted.folder:
        return _numbers(place, where, values)
    # It is the first meaning that counts under which a file of these sources stands, whatever its date.
    for name in meanings(wanted.folder):
        inside = "(path = %s OR starts_with(path, %s))"
        if _is_any(place, f"source = ANY(%s) AND {inside}", (list(sources), name, f"{name}/")):
            return _numbers(place, f"{where} AND {inside}", (*values, name, f"{name}/"))
    for name in map(str.casefold, meanings(wanted.folder)):
        # Case is folded here: the server's rules for it are others.
        names = [one for one in folders(place) if f"{one.casefold()}/".startswith(f"{name}/")]
        inside = f"({_FOLDER} = ANY(%s) OR lower(path) = lower(%s))"
        if _is_any(place, f"source = ANY(%s) AND {inside}", (list(sources), names, name)):
            return _numbers(place, f"{where} AND {inside}", (*values, names, name))
    return frozenset()


def folders(place: Place) -> frozenset[str]:
    """Every folder that holds a file, however deep."""
    statement = (
        f"SELECT DISTINCT {_FOLDER} FROM {{files}} WHERE generation = %s AND path LIKE '%%/%%'"
    )
    rows = run(place.db, place.sql(statement), (place.generation,))
    return frozenset(name for (deepest,) in rows for name in folders_of(f"{deepest}/"))


def tags(place: Place) -> frozenset[str]:
    """Every tag that a file has."""
    statement = "SELECT DISTINCT unnest(tags) FROM {files} WHERE generation = %s"
    return frozenset(name for (name,) in run(place.db, place.sql(statement), (place.generation,)))


# The folder of a path; a path without one is its own.
_FOLDER = "regexp_replace(path, '/[^/]*$', '')"


def _numbers(place: Place, where: str, values: Sequence[object]) -> frozenset[int]:
    """The numbers of files, as one value: there may be very many."""
    packed = one(
        place.db,
        place.sql(f"SELECT array_agg(id) FROM {{files}} WHERE generation = %s AND {where}"),
        (place.generation, *values),
    )
    return frozenset(packed or ())


def _is_any(place: Place, where: str, values: Sequence[object]) -> bool:
    statement = f"SELECT 1 FROM {{files}} WHERE generation = %s AND {where} LIMIT 1"
    return one(place.db, place.sql(statement), (place.generation, *values)) is not None


def file_number(place: Place, path: str) -> int | None:
    file_id: int | None = one(
        place.db,
        place.sql("SELECT id FROM {files} WHERE generation = %s AND path = %s"),
        (place.generation, path),
    )
    return file_id


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


def _states(place: Place, where: str = "", values: Sequence[object] = ()) -> dict[int, FileState]:
    found = run(
        place.db,
        place.sql(f"SELECT id, {_READ} FROM {{files}} WHERE generation = %s{where}"),
        (place.generation, *values),
        binary=True,
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
