"""The tables of a server, made and migrated in order, and the rights of roles.

An agent's index exists once for every way to make it (a variant: model, chunking, terms), so that
hosts with different settings never rebuild each other's. A variant points to its live generation; a
generation's rows stand on a shelf: a set of tables that small agents share, or one of its own.
"""

from __future__ import annotations

import hashlib
import time
from typing import NamedTuple

import psycopg
from psycopg import sql

from memdown.errors import ConfigError, IndexTooNew
from memdown.index.postgres.connection import (
    SHELF_TABLES,
    Connection,
    Place,
    one,
    run,
    transaction,
)

SHELVES = 8
# What a client must know to use the tables. Steps only add to them, so that clients of the version
# before go on working while others are upgraded.
VERSION = 5


class _Column(NamedTuple):
    """A column that a table got later."""

    table: str
    definition: str


class _Index(NamedTuple):
    """An index that a shelf's table got later; the shelf's name is added to its own."""

    table: str
    name: str
    over: str


class _Storage(NamedTuple):
    """How a shelf's table stores rows that are written from now on."""

    table: str
    setting: str


class _Table(NamedTuple):
    """A table beside the shelves that came later; roles see and change their own agents' rows."""

    name: str
    columns: str


_STEPS: tuple[_Column | _Index | _Storage | _Table, ...] = (
    _Column("{chunks}", "passage_vectors bytea"),
    # How many files were taken out of a generation: what a host has noted of its own holds until then.
    _Column("{s}.generations", "losses bigint NOT NULL DEFAULT 0"),
    _Index("{files}", "files_lacking", "(generation) WHERE problem <> '' AND hash <> ''"),
    _Index("{files}", "files_dated", "(generation, date)"),
    # Which ones, of the last: a host that knows the others asks for what changed.
    _Column("{s}.generations", "removals jsonb NOT NULL DEFAULT '[]'"),
    _Index("{files}", "files_changed", "(generation, revision)"),
    # The number of the lists that were put together of postings, the blocks that changed since, and
    # those that changed since the next ones were begun.
    _Column("{s}.generations", "list_version bigint"),
    _Column("{s}.generations", "unpacked bigint[]"),
    _Column("{s}.generations", "unpacked_since bigint[]"),
    # What every search asks of a chunk's terms, so that the terms themselves are seldom read.
    _Column("{chunks}", "told bytea"),
    # A search reads hundreds of rows with their vectors: half of its time went into looking these up one by one
    # in a table beside, where PostgreSQL puts what makes a row longer than 2 kB.
    _Storage("{chunks}", "toast_tuple_target = 4080"),
    # Which files each host has, so that those can be found that none has any more.
    _Table(
        "hosts",
        "agent_id text NOT NULL, host text NOT NULL, name text NOT NULL, paths bytea NOT NULL, "
        "reported_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (agent_id, host)",
    ),
)
# From this step on a client can read, whatever is still missing.
_READABLE = 1
# A step takes a lock for a moment. Whoever asks meanwhile waits behind it, so it does not wait long itself.
_LOCK_MS, _TRIES, _PAUSE_SECONDS = 500, 120, 0.5
_MIGRATING = 0x6D656D64  # "memd": one process at a time makes tables
_OWN_COLUMN = ("tenants", "indexes", "generations", "embedding_cache")

_TABLES = """
CREATE TABLE {s}.meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE {s}.agent_roles (
  agent_id text NOT NULL, role_name text NOT NULL, PRIMARY KEY (agent_id, role_name));
CREATE TABLE {s}.tenants (agent_id text PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0);
CREATE TABLE {s}.indexes (
  agent_id text NOT NULL, variant text NOT NULL, live bigint NOT NULL,
  revision bigint NOT NULL DEFAULT 0, fingerprint jsonb NOT NULL,
  used_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (agent_id, variant));
CREATE TABLE {s}.generations (
  generation bigint PRIMARY KEY, agent_id text NOT NULL, shelf text NOT NULL,
  chunks bigint NOT NULL DEFAULT 0, passages bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0, has_vectors boolean NOT NULL, retired_at timestamptz);
CREATE INDEX ON {s}.generations (agent_id);
CREATE SEQUENCE {s}.generation_numbers;
CREATE TABLE {s}.embedding_cache (
  agent_id text NOT NULL, provider text NOT NULL, model text NOT NULL, provider_key text NOT NULL,
  hash text NOT NULL, embedding bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_id, provider, model, provider_key, hash));
CREATE INDEX ON {s}.embedding_cache (agent_id, updated_at);
"""
_SHELF = """
CREATE TABLE {files} (
  generation bigint NOT NULL, id bigint NOT NULL, path text NOT NULL, source text NOT NULL,
  hash text NOT NULL, mtime bigint NOT NULL, size bigint NOT NULL, ctime bigint NOT NULL,
  inode numeric NOT NULL, date date, problem text NOT NULL, tags text[] NOT NULL,
  names text NOT NULL, revision bigint NOT NULL, block bigint NOT NULL, passages integer NOT NULL,
  PRIMARY KEY (generation, id), UNIQUE (generation, path));
CREATE TABLE {chunks} (
  generation bigint NOT NULL, key bigint NOT NULL, id text NOT NULL, start_line integer NOT NULL,
  end_line integer NOT NULL, hash text NOT NULL, text bytea NOT NULL, headings bytea NOT NULL,
  passages bytea NOT NULL, lines bytea, terms bytea NOT NULL, embedding bytea,
  PRIMARY KEY (generation, key));
CREATE TABLE {postings} (
  generation bigint NOT NULL, term text COLLATE "C" NOT NULL, block bigint NOT NULL,
  count integer NOT NULL, data bytea NOT NULL, PRIMARY KEY (generation, term, block));
"""
_VECTORS = """
CREATE TABLE IF NOT EXISTS {vectors} (
  generation bigint NOT NULL, key bigint NOT NULL, embedding halfvec NOT NULL,
  PRIMARY KEY (generation, key))
"""
_OLD = ("agents", "files", "chunks", "passages", "terms")


def shelf_for(agent: str) -> str:
    """The shelf that an agent shares with others while it is small."""
    return str(int.from_bytes(hashlib.sha256(agent.encode()).digest()[:4], "big") % SHELVES)


def version(db: Connection, schema: str) -> int:
    """How many migrations the schema has seen; 0 if there is none. A newer one is an error."""
    if one(db, "SELECT to_regclass(%s)", (f"{schema}.meta",)) is None:
        return 0
    found = int(one(db, _named("SELECT value FROM {s}.meta WHERE key = 'version'", schema)) or 0)
    if found > VERSION:
        raise IndexTooNew(
            f"The schema {schema} on the server was written by a newer version of Memdown and is "
            "left untouched: upgrade with `pip install -U memdown`, or use another database."
        )
    return found


def is_readable(db: Connection, schema: str) -> bool:
    """Whether this version can read the tables, though it may have steps to add."""
    return version(db, schema) == VERSION and step(db, schema) >= _READABLE


def _is_ready(db: Connection, schema: str) -> bool:
    return version(db, schema) == VERSION and step(db, schema) >= len(_STEPS)


def step(db: Connection, schema: str) -> int:
    """How many of the steps within a version the tables have seen."""
    return int(one(db, _named("SELECT value FROM {s}.meta WHERE key = 'step'", schema)) or 0)


def migrate(db: Connection, schema: str) -> None:
    """Make what is missing; a schema written by a newer version is left alone."""
    if _is_ready(db, schema):
        return
    with transaction(db):
        run(db, "SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        # Another process may have made the tables while this one waited.
        found = version(db, schema)
        if found < VERSION:
            _install_vectors(db)
            run(db, sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
            if found:
                _set_older_aside(db, schema)
            _make_tables(db, schema)
            if found:
                _take_over_cache(db, schema)
    _add_steps(db, schema)


def _add_steps(db: Connection, schema: str) -> None:
    """What later versions added, in order, while others read and write.

    Every statement stands alone and may be repeated: who is stopped half way, or meets another who is
    at it, leaves nothing behind that is in the way.
    """
    done = step(db, schema)
    for number, added in enumerate(_STEPS[done:], start=done + 1):
        for shelf in [""] if isinstance(added, _Table) else shelves(db, schema):
            _add_patiently(Place(db, schema, "", shelf=shelf), added)
        run(
            db,
            _named(
                "INSERT INTO {s}.meta VALUES ('step', %s) ON CONFLICT (key) DO UPDATE "
                "SET value = excluded.value WHERE meta.value::int < excluded.value::int",
                schema,
            ),
            (str(number),),
        )


def shelves(db: Connection, schema: str) -> list[str]:
    """Every shelf that there is."""
    rows = run(
        db,
        "SELECT substr(tablename, 8) FROM pg_tables WHERE schemaname = %s "
        "AND tablename LIKE 'chunks\\_%%'",
        (schema,),
    )
    return [shelf for (shelf,) in rows]


def _add_patiently(place: Place, added: _Column | _Index | _Storage | _Table) -> None:
    """One step on one shelf; where its lock is not to be had, once more a moment later."""
    for attempt in range(_TRIES):
        try:
            if isinstance(added, _Index):
                _add_index(place, added)
            else:
                with transaction(place.db):
                    run(place.db, sql.SQL(f"SET LOCAL lock_timeout = {_LOCK_MS}"))
                    if isinstance(added, _Table):
                        _add_table(place, added)
                    else:
                        _change_table(place, added)
        except psycopg.errors.UndefinedTable:
            # A rebuild has dropped the shelf.
            return
        except (
            psycopg.errors.LockNotAvailable,
            psycopg.errors.DeadlockDetected,
            psycopg.errors.DuplicateTable,
            psycopg.errors.UniqueViolation,
        ):
            if attempt + 1 == _TRIES:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _change_table(place: Place, added: _Column | _Storage) -> None:
    if isinstance(added, _Column):
        change = f"ADD COLUMN IF NOT EXISTS {added.definition}"
    else:
        change = f"SET ({added.setting})"
    run(place.db, place.sql(f"ALTER TABLE {added.table} {change}"))


def _add_table(place: Place, added: _Table) -> None:
    run(place.db, place.sql(f"CREATE TABLE IF NOT EXISTS {{s}}.{added.name} ({added.columns})"))
    _protect(place, f"{{s}}.{added.name}", _MINE)
    _grant_to_roles(place, added.name)


def _add_index(place: Place, added: _Index) -> None:
    """An index that is made while others write; what another attempt left unfinished is in the way."""
    name = f"{added.name}_{place.shelf}"
    is_valid = one(
        place.db,
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)",
        (f"{place.schema}.{name}",),
    )
    if is_valid is False:
        target = sql.Identifier(place.schema, name)
        run(place.db, sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(target))
    if not is_valid:
        run(
            place.db,
            place.sql(f"CREATE INDEX CONCURRENTLY {name} ON {added.table} {added.over}"),
        )


def has_vectors(db: Connection) -> bool:
    """Whether the extension for vectors is installed in this database."""
    return one(db, "SELECT 1 FROM pg_extension WHERE extname = 'vector'") is not None


def has_table(place: Place, name: str) -> bool:
    """Whether the place's shelf has this table."""
    return (
        one(place.db, "SELECT to_regclass(%s)", (f"{place.schema}.{name}_{place.shelf}",))
        is not None
    )


def make_shelf(db: Connection, schema: str, shelf: str) -> None:
    """The tables of one shelf, which roles see their own agents' rows of."""
    place = Place(db, schema, "", shelf=shelf)
    for statement in _statements(_SHELF):
        run(db, place.sql(statement))
    for table in ("files", "chunks", "postings"):
        protect_shelf_table(place, table)
    for added in _STEPS:
        if isinstance(added, _Index):
            name = f"{added.name}_{shelf}"
            run(db, place.sql(f"CREATE INDEX {name} ON {added.table} {added.over}"))
        elif not isinstance(added, _Table) and not added.table.startswith("{s}"):
            _change_table(place, added)
    if has_vectors(db):
        make_vectors(place)


def make_vectors(place: Place) -> None:
    """The shelf's table for vectors; the extension may have come after the shelf."""
    run(place.db, place.sql(_VECTORS))
    protect_shelf_table(place, "vectors")


def protect_shelf_table(place: Place, name: str) -> None:
    """Let roles see and change their own agents' rows of a table that a shelf got later."""
    _protect(place, f"{{{name}}}", _OF_MY_GENERATIONS)
    _grant_to_roles(place, f"{name}_{place.shelf}")


def _grant_to_roles(place: Place, table: str) -> None:
    """Let every role that uses an agent's index use a table that came later."""
    roles = place.sql(
        "SELECT DISTINCT r.role_name FROM {s}.agent_roles r JOIN pg_roles p ON p.rolname = r.role_name"
    )
    for (role,) in run(place.db, roles):
        run(
            place.db,
            sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}").format(
                sql.Identifier(place.schema, table), sql.Identifier(role)
            ),
        )


def drop_shelf(place: Place) -> None:
    """Delete the tables of a shelf."""
    for table in SHELF_TABLES:
        run(place.db, place.sql(f"DROP TABLE IF EXISTS {{{table}}}"))


def grant(db: Connection, schema: str, role: str, agent: str) -> None:
    """Let a role use one agent's index: read and write its rows, and nothing that others rely on."""
    if one(db, "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)) is None:
        raise ConfigError(
            f"The server has no role {role!r}; create it first, for example with "
            f"`CREATE ROLE \"{role}\" LOGIN PASSWORD '…'`."
        )
    names = {"s": sql.Identifier(schema), "role": sql.Identifier(role)}
    with transaction(db):
        for statement in (
            "GRANT USAGE ON SCHEMA {s} TO {role}",
            "REVOKE ALL ON ALL TABLES IN SCHEMA {s} FROM {role}",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {role}",
            "REVOKE INSERT, UPDATE, DELETE ON {s}.meta, {s}.agent_roles FROM {role}",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO {role}",
        ):
            run(db, sql.SQL(statement).format(**names))
        run(
            db,
            _named("INSERT INTO {s}.agent_roles VALUES (%s, %s) ON CONFLICT DO NOTHING", schema),
            (agent, role),
        )


_MINE = "agent_id IN (SELECT r.agent_id FROM {s}.agent_roles r WHERE r.role_name = current_user)"
# The table of generations shows a role its own agents' only.
_OF_MY_GENERATIONS = "generation IN (SELECT g.generation FROM {s}.generations g)"


def _make_tables(db: Connection, schema: str) -> None:
    for statement in _statements(_TABLES):
        run(db, _named(statement, schema))
    place = Place(db, schema, "")
    # The owner sees every row; a role that was granted the tables sees its own agents' only.
    for table in _OWN_COLUMN:
        _protect(place, f"{{s}}.{table}", _MINE)
    _protect(place, "{s}.agent_roles", "role_name = current_user")
    for number in range(SHELVES):
        make_shelf(db, schema, str(number))
    run(db, _named(f"INSERT INTO {{s}}.meta VALUES ('version', '{VERSION}')", schema))


def _protect(place: Place, table: str, condition: str) -> None:
    run(place.db, place.sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"))
    run(place.db, place.sql(f"DROP POLICY IF EXISTS own_agents ON {table}"))
    run(place.db, place.sql(f"CREATE POLICY own_agents ON {table} USING ({condition})"))


def _set_older_aside(db: Connection, schema: str) -> None:
    """Indexes of the versions before are made anew from the notes; the paid-for vectors stay."""
    run(db, _named("ALTER TABLE {s}.embedding_cache RENAME TO old_cache", schema))
    run(db, _named("CREATE TABLE {s}.old_agents AS SELECT agent_id FROM {s}.agents", schema))
    for table in (*_OLD, "generations", "meta", "agent_roles"):
        run(db, _named(f"DROP TABLE IF EXISTS {{s}}.{table} CASCADE", schema))
    for sequence in ("term_numbers", "generation_numbers"):
        run(db, _named(f"DROP SEQUENCE IF EXISTS {{s}}.{sequence}", schema))


def _take_over_cache(db: Connection, schema: str) -> None:
    run(
        db,
        _named(
            "INSERT INTO {s}.embedding_cache SELECT a.agent_id, c.provider, c.model, "
            "c.provider_key, c.hash, c.embedding, c.updated_at "
            "FROM {s}.old_cache c CROSS JOIN {s}.old_agents a",
            schema,
        ),
    )
    run(db, _named("DROP TABLE {s}.old_cache, {s}.old_agents", schema))


def _install_vectors(db: Connection) -> None:
    try:
        with db.transaction():
            run(db, "CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error:
        # Until it is there vectors are compared in this process, or words alone are searched.
        return


def _statements(text: str) -> list[str]:
    return [statement for statement in text.split(";\n") if statement.strip()]


def _named(statement: str, schema: str) -> sql.Composed:
    """The statement with `{s}` replaced by the schema's name."""
    return sql.SQL(statement).format(s=sql.Identifier(schema))
