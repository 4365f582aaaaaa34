"""The tables of a server, made and migrated in order.

Every row belongs to an agent and to a generation of that agent's index; a rebuild writes a new
generation beside the live one. Tables with many rows are divided among partitions by agent, and
numbers of terms are never used twice, so that an index over them finds one agent's rows only.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

from memdown.errors import IndexTooNew
from memdown.index.postgres.connection import Connection, one, run

PARTITIONS = 8
VERSION = 4
_MIGRATING = 0x6D656D64  # "memd": one process at a time makes tables
_LARGE = ("files", "chunks", "passages", "terms")

_TABLES = """
CREATE TABLE {s}.meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE {s}.agents (
  agent_id text PRIMARY KEY, live bigint NOT NULL, revision bigint NOT NULL DEFAULT 0,
  fingerprint jsonb);
CREATE TABLE {s}.generations (
  agent_id text NOT NULL, generation bigint NOT NULL, passages bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0, PRIMARY KEY (agent_id, generation));
CREATE TABLE {s}.agent_roles (
  agent_id text NOT NULL, role_name text NOT NULL, PRIMARY KEY (agent_id, role_name));
CREATE TABLE {s}.files (
  agent_id text NOT NULL, generation bigint NOT NULL, id bigint NOT NULL, path text NOT NULL,
  source text NOT NULL, hash text NOT NULL, mtime bigint NOT NULL, size bigint NOT NULL,
  ctime bigint NOT NULL, inode numeric NOT NULL, date date, revision bigint NOT NULL,
  problem text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{{}}', names text NOT NULL DEFAULT '',
  PRIMARY KEY (agent_id, generation, id), UNIQUE (agent_id, generation, path))
  PARTITION BY HASH (agent_id);
CREATE TABLE {s}.chunks (
  agent_id text NOT NULL, generation bigint NOT NULL, key bigint NOT NULL, id text NOT NULL,
  path text NOT NULL, source text NOT NULL, start_line integer NOT NULL, end_line integer NOT NULL,
  hash text NOT NULL, text bytea NOT NULL, headings bytea NOT NULL, passages bytea NOT NULL,
  lines bytea, dims integer, embedding {vector}, PRIMARY KEY (agent_id, generation, key))
  PARTITION BY HASH (agent_id);
CREATE TABLE {s}.passages (
  agent_id text NOT NULL, generation bigint NOT NULL, key bigint NOT NULL,
  words integer[] NOT NULL, head integer[] NOT NULL, PRIMARY KEY (agent_id, generation, key))
  PARTITION BY HASH (agent_id);
CREATE SEQUENCE {s}.term_numbers AS integer;
CREATE TABLE {s}.terms (
  agent_id text NOT NULL, generation bigint NOT NULL, term text COLLATE "C" NOT NULL,
  id integer NOT NULL DEFAULT nextval('{s}.term_numbers'), passages bigint NOT NULL,
  in_text bigint NOT NULL, PRIMARY KEY (agent_id, generation, term)) PARTITION BY HASH (agent_id);
CREATE SEQUENCE {s}.generation_numbers;
CREATE TABLE {s}.embedding_cache (
  provider text NOT NULL, model text NOT NULL, provider_key text NOT NULL, hash text NOT NULL,
  embedding bytea NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, model, provider_key, hash));
CREATE INDEX ON {s}.embedding_cache (updated_at);
CREATE INDEX ON {s}.passages USING gin ((words || head));
CREATE INDEX ON {s}.terms (agent_id, generation, id);
"""


def migrate(db: Connection, schema: str) -> None:
    """Make what is missing; a schema written by a newer version is left alone."""
    found = version(db, schema)
    if found > VERSION:
        raise IndexTooNew(
            f"The schema {schema} on the server was written by a newer version of Memdown and is "
            "left untouched: upgrade with `pip install -U memdown`, or use another database."
        )
    if found == VERSION:
        return
    with db.transaction():
        run(db, "SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        # Another process may have made the tables while this one waited.
        found = version(db, schema)
        if found == 0:
            _make_tables(db, schema)
            return
        if found < 2:
            _m002_headings_and_revisions(db, schema)
        if found < 3:
            _m003_problems(db, schema)
        if found < 4:
            _m004_tags_and_names(db, schema)


def version(db: Connection, schema: str) -> int:
    """How many migrations the schema has seen; 0 if there is none."""
    if one(db, "SELECT to_regclass(%s)", (f"{schema}.meta",)) is None:
        return 0
    return int(one(db, _named("SELECT value FROM {s}.meta WHERE key = 'version'", schema)) or 0)


def has_vectors(db: Connection) -> bool:
    """Whether the extension for vectors is installed in this database."""
    return one(db, "SELECT 1 FROM pg_extension WHERE extname = 'vector'") is not None


def _make_tables(db: Connection, schema: str) -> None:
    _install_vectors(db)
    run(db, sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
    kind = "vector" if has_vectors(db) else "real[]"
    for statement in _TABLES.replace("{vector}", kind).split(";\n"):
        if statement.strip():
            run(db, _named(statement, schema))
    for table in _LARGE:
        for number in range(PARTITIONS):
            run(
                db,
                _named(
                    f"CREATE TABLE {{s}}.{table}_{number} PARTITION OF {{s}}.{table} "
                    f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})",
                    schema,
                ),
            )
    for table in ("agents", "generations", *_LARGE):
        # The owner sees every row; a role that was granted the tables sees its own agents' only.
        run(db, _named(f"ALTER TABLE {{s}}.{table} ENABLE ROW LEVEL SECURITY", schema))
        run(
            db,
            _named(
                f"CREATE POLICY own_agents ON {{s}}.{table} USING (agent_id IN (SELECT "
                "r.agent_id FROM {s}.agent_roles r WHERE r.role_name = current_user))",
                schema,
            ),
        )
    for table in _LARGE:
        for number in range(PARTITIONS):
            # A partition named directly is not covered by its parent's policies.
            run(db, _named(f"ALTER TABLE {{s}}.{table}_{number} ENABLE ROW LEVEL SECURITY", schema))
    run(db, _named(f"INSERT INTO {{s}}.meta VALUES ('version', '{VERSION}')", schema))


def _m002_headings_and_revisions(db: Connection, schema: str) -> None:
    """Columns for the headings of passages; older rows go, and the next sync writes them anew."""
    for statement in (
        "TRUNCATE {s}.agents, {s}.generations, {s}.files, {s}.chunks, {s}.passages, {s}.terms",
        "ALTER TABLE {s}.files ADD COLUMN revision bigint NOT NULL",
        "ALTER TABLE {s}.chunks RENAME COLUMN heading TO headings",
        "UPDATE {s}.meta SET value = '2' WHERE key = 'version'",
    ):
        run(db, _named(statement, schema))


def _m003_problems(db: Connection, schema: str) -> None:
    """A column for why a file could not be read."""
    run(db, _named("ALTER TABLE {s}.files ADD COLUMN problem text NOT NULL DEFAULT ''", schema))
    run(db, _named("UPDATE {s}.meta SET value = '3' WHERE key = 'version'", schema))


def _m004_tags_and_names(db: Connection, schema: str) -> None:
    """What notes say of themselves; empty until the next rebuild, which the fingerprint asks for."""
    for statement in (
        "ALTER TABLE {s}.files ADD COLUMN tags text[] NOT NULL DEFAULT '{{}}'",
        "ALTER TABLE {s}.files ADD COLUMN names text NOT NULL DEFAULT ''",
        "UPDATE {s}.meta SET value = '4' WHERE key = 'version'",
    ):
        run(db, _named(statement, schema))


def _install_vectors(db: Connection) -> None:
    try:
        with db.transaction():
            run(db, "CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error:
        # Without it keywords are searched, and vectors are kept for the day it is there.
        return


def _named(statement: str, schema: str) -> sql.Composed:
    """The statement with `{s}` replaced by the schema's name."""
    return sql.SQL(statement).format(s=sql.Identifier(schema))
