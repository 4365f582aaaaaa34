"""Which index of an agent is live, how it was made, and where its rows stand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from psycopg import sql

from memdown.errors import IndexCorrupt
from memdown.index.manifest import variant_of
from memdown.index.postgres import schema, vectors
from memdown.index.postgres.connection import SHELF_TABLES, Place, one, run
from memdown.types import Fingerprint, ModelKey

# How rows are packed: what has another layout is another index, of hosts with another version.
LAYOUT = 2
# So many of the files that were taken out last are named: a host that knows older states lists all files.
_MOST_REMOVALS = 200


@dataclass(frozen=True, slots=True)
class PackedLists:
    """Posting lists that were put together: their number, and the blocks that changed since."""

    version: int
    changed: tuple[int, ...]


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
    lists: PackedLists | None

    @property
    def settled_state(self) -> str:
        """The same as long as no file was taken out of the index."""
        return f"{self.place.generation} {self.losses}"

    @property
    def position(self) -> str:
        """What a host notes that knows all files as they are now."""
        return f"{self.place.generation} {self.revision} {self.losses}"

    @property
    def state(self) -> tuple[int, int]:
        """What tells one state of the index from another."""
        return self.place.generation, self.revision

    @property
    def average_length(self) -> float:
        """How many terms a passage has."""
        return self.tokens / self.passages if self.passages else 1.0


def read_live(at: Place, variant: str | None) -> Live | None:
    """The live generation of a variant, of the one used last if None; None if there is none."""
    return live_of(at, run(at.db, find_live(at.schema, at.agent, variant)))


def find_live(schema_name: str, agent: str, variant: str | None) -> sql.Composed:
    """The statement that finds it."""
    which = sql.SQL("AND i.variant = {}").format(variant) if variant else sql.SQL("")
    return sql.SQL(
        "SELECT i.variant, i.revision, i.fingerprint, g.generation, g.shelf, g.passages, "
        # Columns that came later: also who may not add them reads.
        "g.tokens, g.chunks, g.has_vectors, to_jsonb(g) - 'removals' FROM {s}.indexes i "
        "JOIN {s}.generations g ON g.generation = i.live "
        "WHERE i.agent_id = {agent} AND i.fingerprint->>'layout' = {layout} {which} "
        "ORDER BY i.used_at DESC LIMIT 1"
    ).format(s=sql.Identifier(schema_name), agent=agent, layout=str(LAYOUT), which=which)


def live_of(at: Place, rows: Sequence[Any]) -> Live | None:
    """What that statement found."""
    if not rows:
        return None
    name, revision, data, generation, shelf, passages, tokens, chunks, has_vectors, later = rows[0]
    return Live(
        Place(at.db, at.schema, at.agent, generation, shelf, has_vectors),
        name,
        revision,
        _fingerprint(data),
        chunks,
        passages,
        tokens,
        int(later.get("losses") or 0),
        _lists(later),
    )


def _lists(columns: dict[str, Any]) -> PackedLists | None:
    version = columns.get("list_version")
    return None if version is None else PackedLists(version, tuple(columns["unpacked"]))


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


def new_generation_beside(at: Place, old: Live | None) -> Place:
    """An empty generation for a rebuild: of a large agent in tables of its own, which are dropped whole later.

    A role that may not make tables puts it into those of the old one.
    """
    if old is None or not old.place.is_own_shelf:
        return new_generation(at)
    try:
        with at.db.transaction():
            return new_generation(at, "")
    except psycopg.errors.InsufficientPrivilege:
        return new_generation(at, old.place.shelf)


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
    """Delete a generation; how many chunks have left space in tables that stay."""
    is_dropped = _is_alone(place) and _drop_shelf(place)
    if not is_dropped:
        _delete_rows(place)
    # Only now: a role sees the rows of those generations alone that stand here.
    chunks = one(
        place.db,
        place.sql("DELETE FROM {s}.generations WHERE generation = %s RETURNING chunks"),
        (place.generation,),
    )
    return 0 if is_dropped else int(chunks or 0)


def _is_alone(place: Place) -> bool:
    """Whether its tables hold no other generation."""
    others = "SELECT 1 FROM {s}.generations WHERE shelf = %s AND generation <> %s"
    return place.is_own_shelf and not run(
        place.db, place.sql(others), (place.shelf, place.generation)
    )


def _drop_shelf(place: Place) -> bool:
    """Delete tables whole; False if this role may not, since another has made them."""
    try:
        with place.db.transaction():
            schema.drop_shelf(place)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def _delete_rows(place: Place) -> None:
    for table in SHELF_TABLES:
        if schema.has_table(place, table):
            run(
                place.db,
                place.sql(f"DELETE FROM {{{table}}} WHERE generation = %s"),
                (place.generation,),
            )


def drop_strays(at: Place) -> list[Place]:
    """Delete what belongs to no generation any more; where rows have left space in tables that stay.

    Such are tables whose rows a role deleted that may not drop them, and what earlier versions left of the
    rebuilds of roles.
    """
    used = {shelf for (shelf,) in run(at.db, at.sql("SELECT DISTINCT shelf FROM {s}.generations"))}
    strays = []
    for shelf in schema.shelves(at.db, at.schema):
        place = replace(at, shelf=shelf)
        if place.is_own_shelf and shelf not in used:
            _drop_shelf(place)
            continue
        numbers = {
            number
            for table in SHELF_TABLES
            if schema.has_table(place, table)
            for number in _generations_without_facts(place, table)
        }
        for number in numbers:
            _delete_rows(replace(place, generation=number))
        if numbers:
            strays.append(place)
    return strays


def _generations_without_facts(place: Place, table: str) -> list[int]:
    """The generations of a table's rows that are not among the generations; one look-up for each."""
    rows = run(
        place.db,
        place.sql(
            f"WITH RECURSIVE here(n) AS (SELECT min(generation) FROM {{{table}}} UNION ALL "
            f"SELECT (SELECT min(generation) FROM {{{table}}} WHERE generation > n) FROM here "
            "WHERE n IS NOT NULL) SELECT n FROM here WHERE n IS NOT NULL "
            "AND n NOT IN (SELECT generation FROM {s}.generations)"
        ),
    )
    return [number for (number,) in rows]


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


def note_removal(place: Place, path: str) -> None:
    """Note that a file was taken out, for hosts that know the others; its name is not kept."""
    run(
        place.db,
        place.sql(
            "UPDATE {s}.generations SET losses = losses + 1, "
            f"removals = CASE WHEN jsonb_array_length(removals) < {_MOST_REMOVALS} THEN removals "
            "ELSE removals - 0 END || jsonb_build_array(jsonb_build_array(losses + 1, %s::text)) "
            "WHERE generation = %s"
        ),
        (removal_name(path), place.generation),
    )


def removal_name(path: str) -> str:
    """By what a file is told that was taken out."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def removed_since(live: Live, losses: int) -> frozenset[str] | None:
    """The `removal_name` of each file that was taken out since there were so many losses; None if that is not
    known."""
    wanted = range(losses + 1, live.losses + 1)
    if not wanted:
        return frozenset() if losses == live.losses else None
    noted = one(
        live.place.db,
        # The column came later: also who may not add it reads.
        live.place.sql(
            "SELECT to_jsonb(g)->'removals' FROM {s}.generations g WHERE generation = %s"
        ),
        (live.place.generation,),
    )
    names = {number: name for number, name in noted or () if number in wanted}
    return frozenset(names.values()) if len(names) == len(wanted) else None


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
