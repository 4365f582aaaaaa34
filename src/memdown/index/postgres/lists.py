"""Whole posting lists of a large index: the rows of each term put together, one after the other on disk.

The rows of `postings` are the truth, small enough to be written anew when a note changes; but those of
one term lie all over the disk, thousands of them. So they are copied, term by term, into a table beside,
from which a search reads one row a term. Blocks that changed since are noted, and read from the truth.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from psycopg import sql

from memdown.index.postgres import schema
from memdown.index.postgres.connection import Connection, Place, one, run, transaction
from memdown.index.postgres.generations import Live, read_live
from memdown.index.postgres.postings import EDGES

# From so many passages on lists are put together.
LEAST_PASSAGES = 300_000
# They are put together anew when a share of one in so many of their blocks has changed, and at least so many.
_WORTH_SHARE, _WORTH_BLOCKS = 8, 64
_PASSAGES_A_BLOCK = 8_192
# So many files are put together at most: a value may have 1 GB.
_PART_BITS = 32
_SORT_MEGABYTES = 256
# A row of postings has one column of numbers after the other; so has a list, each through all its rows.
_DATA = " || ".join(
    f"string_agg(substr(data, {start} * count + 1, {end - start} * count), '')"
    for start, end in pairwise(EDGES)
)
_TABLE = """
CREATE TABLE {lists} (
  generation bigint NOT NULL, version bigint NOT NULL, term text COLLATE "C" NOT NULL,
  part bigint NOT NULL, count bigint NOT NULL, blocks bytea NOT NULL, counts bytea NOT NULL,
  data bytea NOT NULL, PRIMARY KEY (version, term, part))
"""
# Compressing them saves little, and takes longer than reading.
_PLAIN = ", ".join(
    f"ALTER {column} SET STORAGE EXTERNAL" for column in ("blocks", "counts", "data")
)


def note_changed(place: Place, blocks: Collection[int]) -> None:
    """Blocks changed: what was put together of them no longer holds."""
    if not place.is_own_shelf or not blocks:
        return
    with_new = "(SELECT array_agg(DISTINCT b) FROM unnest({name} || %s::bigint[]) AS b)"
    changes = ", ".join(
        f"{name} = CASE WHEN {name} IS NULL THEN NULL ELSE {with_new.format(name=name)} END"
        for name in ("unpacked", "unpacked_since")
    )
    numbers = sorted(blocks)
    run(
        place.db,
        place.sql(f"UPDATE {{s}}.generations SET {changes} WHERE generation = %s"),
        (numbers, numbers, place.generation),
    )


def wants_packing(live: Live) -> bool:
    """Whether lists should be put together: there are many, and not yet, or much has changed since."""
    if not live.place.is_own_shelf or live.passages <= LEAST_PASSAGES:
        return False
    if live.lists is None:
        return True
    most = max(_WORTH_BLOCKS, live.passages // _PASSAGES_A_BLOCK // _WORTH_SHARE)
    return len(live.lists.changed) > most


def pack_lock(place: Place) -> int:
    """The lock of who puts the lists of a generation together."""
    return place.generation * 4 + 2


def pack(db: Connection, live: Live, writer_lock: int, *, again: bool = False) -> None:
    """Put the lists together while others read and write; who does it holds `pack_lock`.

    `db` is a connection without a time limit; writers take `writer_lock` for each transaction. With
    `again` it is done if anything changed since the last time.
    """
    place = Place(db, live.place.schema, live.place.agent, live.place.generation, live.place.shelf)
    now = read_live(place, live.variant)
    if now is None or now.place.generation != place.generation:
        return
    if wants_packing(now) or (again and now.lists is not None and now.lists.changed):
        _pack(place, now, writer_lock)


def _pack(place: Place, live: Live, writer_lock: int) -> None:
    db = place.db
    if not schema.has_table(place, "lists"):
        with transaction(db):
            run(db, place.sql(_TABLE))
            run(db, place.sql(f"ALTER TABLE {{lists}} {_PLAIN}"))
            schema.protect_shelf_table(place, "lists")
    # What one that was stopped has left.
    clear = place.sql("DELETE FROM {lists} WHERE generation = %s AND version <> %s")
    run(db, clear, (place.generation, live.lists.version if live.lists else 0))
    version = one(db, place.sql("SELECT nextval('{s}.generation_numbers')"))
    with transaction(db):
        # Who writes now may have begun before changes were noted.
        run(db, "SELECT pg_advisory_xact_lock(%s)", (writer_lock,))
        _set(place, "unpacked_since = ARRAY[]::bigint[]")
    with transaction(db):
        run(db, sql.SQL(f"SET LOCAL work_mem = '{_SORT_MEGABYTES}MB'"))
        # One order for the rows of a term makes its values fit each other.
        run(
            db,
            place.sql(
                "INSERT INTO {lists} SELECT generation, %s, term, part, sum(count), "
                "string_agg(int8send(block), ''), string_agg(int4send(count), ''), "
                f"{_DATA} FROM (SELECT generation, term, block >> {_PART_BITS} AS part, "
                "block, count, data FROM {postings} WHERE generation = %s AND block >= 0 "
                "ORDER BY term, block) "
                "AS listed GROUP BY generation, term, part ORDER BY term, part"
            ),
            (version, place.generation),
        )
    with transaction(db):
        run(db, "SELECT pg_advisory_xact_lock(%s)", (writer_lock,))
        switch = "list_version = %s, unpacked = unpacked_since, unpacked_since = NULL"
        _set(place, switch, version)
        # Searches that have begun still see them.
        run(db, clear, (place.generation, version))
    run(db, place.sql("VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) {lists}"))


def _set(place: Place, changes: str, *values: object) -> None:
    run(
        place.db,
        place.sql(f"UPDATE {{s}}.generations SET {changes} WHERE generation = %s"),
        (*values, place.generation),
    )
