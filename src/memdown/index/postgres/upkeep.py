"""What keeps an agent's tables in order: leftovers, space, tables of its own, the index over vectors."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg

from memdown.errors import StoreError
from memdown.index.ownership import HostReport
from memdown.index.postgres import generations, lists, postings, schema, vectors
from memdown.index.postgres.connection import (
    Connection,
    Place,
    connect,
    holding,
    mapped,
    one,
    run,
    transaction,
)
from memdown.index.postgres.generations import Live, Variant
from memdown.index.postgres.link import Link

log = logging.getLogger("memdown")

# A search that began before a rebuild was published goes on reading tables of the old one.
GRACE_SECONDS = 120.0
# A variant that nobody has written to for so long is cleared.
UNUSED_DAYS = 30
# Space that so many deleted chunks left is given back to the tables at once.
_WORTH_VACUUMING = 200


@dataclass(frozen=True, slots=True)
class ServerDetails:
    """A server as an operator sees it: its schema, the extension, and an agent's indexes."""

    server: str
    schema: str
    version: int
    steps: int
    extension: str | None
    variants: tuple[Variant, ...]
    unused: int
    roles: tuple[str, ...]


def describe(link: Link) -> ServerDetails:
    """What an operator wants to know; writes nothing."""
    with link.reading() as db:
        version = schema.version(db, link.schema)
        at, live = link.at(db), link.live(db)
        ready = schema.is_readable(db, link.schema)
        roles = []
        if ready:
            mine = at.sql("SELECT role_name FROM {s}.agent_roles WHERE agent_id = %s")
            roles = run(db, mine, (link.agent,))
        return ServerDetails(
            server=link.server,
            schema=link.schema,
            version=version,
            steps=schema.step(db, link.schema) if version else 0,
            extension=one(db, "SELECT extversion FROM pg_extension WHERE extname = 'vector'"),
            variants=generations.describe_variants(at, live.variant if live else "")
            if ready
            else (),
            unused=len(generations.unused_generations(at, 0.0)) if ready else 0,
            roles=tuple(role for (role,) in roles),
        )


def has_leftovers(link: Link) -> bool:
    """Whether a rebuild that was killed has left something for the next writer to clear."""
    with link.reading() as db:
        if link.live(db) is None:
            return False
        return bool(generations.unused_generations(link.at(db), GRACE_SECONDS))


def clear_leftovers(link: Link, grace: float | None = None) -> None:
    """Drop generations that are not live; tables that a search may still read, after `grace` seconds."""
    grace = GRACE_SECONDS if grace is None else grace
    freed: dict[str, Place] = {}
    with link.using() as db:
        for place in generations.unused_generations(link.at(db), 0.0):
            is_due = not place.is_own_shelf or place.generation in {
                one.generation for one in generations.unused_generations(link.at(db), grace)
            }
            if is_due:
                with transaction(db):
                    if generations.drop_generation(place) >= _WORTH_VACUUMING:
                        freed[place.shelf] = place
        for place in freed.values():
            _give_space_back(place)


def clear_unused(link: Link) -> None:
    """Forget variants that nobody uses, and all that is not live."""
    with link.transaction() as db:
        generations.drop_unused_variants(link.at(db), link.variant or "", UNUSED_DAYS)
    clear_leftovers(link, grace=0.0)
    with link.transaction() as db:
        strays = generations.drop_strays(link.at(db))
    with link.using():
        for place in strays:
            _give_space_back(place)


def vacuum(link: Link) -> None:
    """Give the space of deleted rows back."""
    with link.using() as db:
        live = link.live(db)
        if live is not None:
            _give_space_back(live.place)


def _give_space_back(place: Place) -> None:
    """Let the tables of a shelf use the space of deleted rows again."""
    for table in ("files", "chunks", "postings", "vectors"):
        if schema.has_table(place, table):
            with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
                run(
                    place.db,
                    place.sql(f"VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) {{{table}}}"),
                )


def own_tables(link: Link) -> bool:
    """Give the agent tables of its own, whatever its size; False if it has them already."""
    with link.changing() as (live, _):
        if live.place.is_own_shelf:
            return False
        generations.move_to_own_shelf(live)
    return True


def outgrow(live: Live) -> None:
    """Give a large agent tables of its own; a role that may not make tables stays where it is."""
    if live.chunks <= vectors.FEW or live.place.is_own_shelf:
        return
    try:
        with live.place.db.transaction():
            generations.move_to_own_shelf(live)
    except psycopg.errors.InsufficientPrivilege:
        log.info("%s is large; let the owner run `memdown store vacuum` once.", live.place.agent)


def outgrow_now(link: Link) -> None:
    """The same, for an agent whose own role may not do it."""
    with link.reading() as db:
        live = link.live(db)
        is_due = live is not None and live.chunks > vectors.FEW and not live.place.is_own_shelf
    if is_due:
        with link.changing() as (live, _):
            outgrow(live)


def fill_vectors(link: Link) -> None:
    """Let the server compare vectors that were stored before it could."""
    with link.using() as db:
        live = link.live(db)
        if live is None or live.place.has_vectors or not schema.has_vectors(db):
            return
        try:
            vectors.fill(live.place)
        except psycopg.errors.InsufficientPrivilege as error:
            log.info("Vectors are not compared by the server yet: %s", error)


def fill_ends(link: Link) -> None:
    """Let words be found by their ends that were stored by an earlier version."""
    with link.reading() as db:
        live = link.live(db)
        if live is None or not live.passages or postings.knows_ends(live.place):
            return
    # Nothing that is found changes by it, so there is no new revision.
    with link.transaction() as db:
        run(db, "SELECT pg_advisory_xact_lock(%s)", (link.change_lock,))
        link.check_epoch(db)
        live = link.live(db)
        if live is not None:
            postings.fill_ends(live.place, live.lists)


def improve(link: Link) -> None:
    """Have what makes a large index fast made, in the background and without holding any lock."""
    try:
        with link.reading() as db:
            live = link.live(db)
            if live is None or not (_wants_index(live) or lists.wants_packing(live)):
                return
    except StoreError:
        return
    thread = threading.Thread(
        target=_improve, args=(link, live), name="memdown-upkeep", daemon=True
    )
    thread.start()


def _improve(link: Link, live: Live) -> None:
    try:
        make_index(link, live)
        put_lists_together(link, live)
    except StoreError as error:
        log.info("An index was not made: %s", error)


def make_index(link: Link, live: Live, *, wait: bool = False) -> None:
    """Make the index over vectors if there should be one; another process that is at it may be waited for."""
    dims = live.fingerprint.dims
    if dims and vectors.is_worth_an_index(live.place, dims, live.chunks):
        with (
            _working(link, vectors.index_lock(live.place), wait=wait) as db,
            contextlib.suppress(psycopg.errors.InsufficientPrivilege),
        ):
            if db is not None:
                vectors.make_index(db, live.place, dims, live.chunks)


def put_lists_together(link: Link, live: Live) -> None:
    """Put the posting lists together if they should be, unless another process is at it."""
    if lists.wants_packing(live):
        with _working(link, lists.pack_lock(live.place)) as db:
            if db is not None:
                lists.pack(db, live, link.change_lock)


@contextlib.contextmanager
def _working(link: Link, lock: int, *, wait: bool = False) -> Iterator[Connection | None]:
    """A connection without a time limit, for one process at a time; None if another is at it."""
    with mapped(link.server), holding(link.url, lock, wait=wait) as held:
        if not held:
            yield None
            return
        with contextlib.closing(connect(link.url, None)) as db:
            yield db


def _wants_index(live: Live) -> bool:
    dims = live.fingerprint.dims
    return (
        dims is not None
        and vectors.is_worth_an_index(live.place, dims, live.chunks)
        and not vectors.has_index(live.place, dims)
    )


def improve_now(link: Link) -> None:
    """Make what makes a large index fast, as far as this role may, and wait for it.

    Posting lists are put together anew if anything changed since: what was removed is in no list then.
    """
    with link.reading() as db:
        live = link.live(db)
    if live is None:
        return
    make_index(link, live, wait=True)
    if live.lists is not None or lists.wants_packing(live):
        with (
            _working(link, lists.pack_lock(live.place), wait=True) as db,
            contextlib.suppress(psycopg.errors.InsufficientPrivilege),
        ):
            if db is not None:
                lists.pack(db, live, link.change_lock, again=True)


def report_files(at: Place, host: str, name: str, paths: bytes) -> None:
    """Note which files a host has, for the day when it is gone."""
    run(
        at.db,
        at.sql(
            "INSERT INTO {s}.hosts (agent_id, host, name, paths) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (agent_id, host) DO UPDATE SET name = excluded.name, "
            "paths = excluded.paths, reported_at = clock_timestamp()"
        ),
        (at.agent, host, name, paths),
    )


def read_reports(at: Place) -> list[HostReport]:
    """What every host has reported, the latest first."""
    # The table came later, and whoever only looks makes none.
    if one(at.db, "SELECT to_regclass(%s)", (f"{at.schema}.hosts",)) is None:
        return []
    rows = run(
        at.db,
        at.sql(
            "SELECT host, name, extract(epoch FROM clock_timestamp() - reported_at)::float8, paths "
            "FROM {s}.hosts WHERE agent_id = %s ORDER BY reported_at DESC"
        ),
        (at.agent,),
        binary=True,
    )
    return [HostReport(*row) for row in rows]


def forget_hosts(at: Place, hosts: Sequence[str]) -> None:
    """Forget what some hosts have reported."""
    run(
        at.db,
        at.sql("DELETE FROM {s}.hosts WHERE agent_id = %s AND host = ANY(%s)"),
        (at.agent, list(hosts)),
    )
