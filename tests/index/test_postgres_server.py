"""What can happen to a server: it dies, restarts, lags, is full of others' rows, is too new."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from commands import memdown
from contracts.store_contract import (
    DIMS,
    KEY,
    PRINT,
    by_vector,
    by_words,
    chunk,
    put,
    put_all,
    remove,
    state,
    texts_found,
    touch,
    unit,
    words,
)
from index.postgres_server import Server
from index.rebuilding import rebuilding
from memdown import Memory, cli
from memdown.errors import ConfigError, IndexBusy, IndexCorrupt, IndexTooNew, StoreError
from memdown.index.postgres import PostgresStore, create, reading, schema
from memdown.index.postgres import vectors as vector_leg
from memdown.index.postgres.connection import READ_SECONDS, Place, connect
from memdown.index.postgres.schema import shelf_for
from memdown.index.reader import Sought, word
from memdown.index.store import Writes
from memdown.types import IndexedFile
from waiting import eventually


@contextmanager
def opened(server: Server, agent: str, **options: object) -> Iterator[PostgresStore]:
    store = create(server.url, agent=agent, **options)  # type: ignore[arg-type]
    try:
        yield store
    finally:
        store.close()


@contextmanager
def begun(server: Server, agent: str) -> Iterator[PostgresStore]:
    """A store with one note."""
    with opened(server, agent) as store:
        with store.writing(5.0) as acquired:
            assert acquired
            store.begin(PRINT)
            put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        yield store


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that a test may kill."""
    server = Server()
    try:
        yield server.create().start()
    finally:
        server.remove()


def test_agents_do_not_see_each_other(postgres: Server) -> None:
    with begun(postgres, "tenant-1") as one, opened(postgres, "tenant-2") as two:
        assert two.files() == {}
        with two.writing(5.0):
            two.begin(PRINT)
            put(two, state("b.md"), [chunk("b.md", 1, ["alpha beta"])], unit(0, 1, 0, 0))
        assert texts_found(one, words("alpha")) == ["alpha"]
        assert texts_found(two, words("alpha")) == ["alpha beta"]
        with one.snapshot() as snapshot:
            assert len(by_vector(snapshot, unit(1, 1, 0, 0)[0], ["memory"], 10)) == 1
        two.set_aside()
        assert two.files() == {}
        assert set(one.files()) == {"a.md"}


def test_every_agent_has_a_cache_of_its_own(postgres: Server) -> None:
    """Its limit is its own too: another agent's vectors are neither read nor pushed out."""
    with (
        opened(postgres, "cache-1", cache_entries=2) as one,
        opened(postgres, "cache-2", cache_entries=2) as two,
    ):
        one.remember_vectors(KEY, ["mine"], unit(1, 0, 0, 0))
        two.remember_vectors(KEY, ["a", "b"], np.concatenate([unit(1, 0, 0, 0)] * 2))
        assert two.cached(KEY, ["mine"]) == {}
        assert list(one.cached(KEY, ["mine"])) == ["mine"]


def test_the_least_used_vectors_go_first(postgres: Server) -> None:
    with opened(postgres, "lru", schema="lru", cache_entries=3) as store:
        rows = np.concatenate([unit(1, 0, 0, 0)] * 3)
        store.remember_vectors(KEY, ["a", "b", "c"], rows)
        store.cached(KEY, ["a"])
        store.remember_vectors(KEY, ["d", "e"], rows[:2])
        assert sorted(store.cached(KEY, ["a", "b", "c", "d", "e"])) == ["a", "d", "e"]


def test_a_role_reads_and_writes_its_own_agents_rows_only(postgres: Server) -> None:
    with begun(postgres, "alice"), begun(postgres, "bob") as bob:
        bob.remember_vectors(KEY, ["bob's"], unit(1, 0, 0, 0))
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute("CREATE ROLE alice_role LOGIN")
    with closing(connect(postgres.url, 30.0)) as owner:
        schema.grant(owner, "memdown", "alice_role", "alice")
    url = postgres.url.replace("memdown@", "alice_role@")
    with psycopg.connect(url, autocommit=True) as db:
        for table in ("tenants", "indexes", "generations"):
            seen = db.execute(f"SELECT DISTINCT agent_id FROM memdown.{table}").fetchall()
            assert seen == [("alice",)], table
        assert db.execute("SELECT * FROM memdown.embedding_cache").fetchall() == []
        mine = db.execute("SELECT generation FROM memdown.generations").fetchall()
        for number in range(8):
            for table in ("files", "chunks", "postings", "vectors"):
                rows = db.execute(f"SELECT DISTINCT generation FROM memdown.{table}_{number}")
                assert set(rows.fetchall()) <= set(mine), table
        for harm in (
            "UPDATE memdown.meta SET value = '99'",
            "DELETE FROM memdown.meta",
            "INSERT INTO memdown.agent_roles VALUES ('bob', 'alice_role')",
            "INSERT INTO memdown.embedding_cache VALUES ('bob', 'p', 'm', 'k', 'h', '\\x00')",
            "INSERT INTO memdown.generations VALUES (1, 'bob', '0', 0, 0, 0, false)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(harm)
    with (
        closing(create(url, agent="alice")) as store,
        closing(create(url, agent="bob")) as other,
    ):
        assert texts_found(store, words("alpha")) == ["alpha"]
        with store.writing(5.0):
            put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
            with store.rebuild(PRINT) as writer:
                put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
        assert texts_found(store, words("beta")) == ["beta"]
        assert other.files() == {}
        with pytest.raises(StoreError, match="memdown store init"):
            other.begin(PRINT)


@pytest.fixture
def carol(postgres: Server) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """An agent with one note, as the owner of the tables has it, and as a role of its own."""
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute("CREATE ROLE carol_role LOGIN")
    url = postgres.url.replace("memdown@", "carol_role@")
    try:
        with begun(postgres, "carol") as owner, closing(create(url, agent="carol")) as role:
            owner.prepare("carol_role")
            yield owner, role
            owner.set_aside()
    finally:
        with psycopg.connect(postgres.url, autocommit=True) as db:
            db.execute("DROP OWNED BY carol_role")
            db.execute("DROP ROLE carol_role")


def _rebuild(store: PostgresStore, text: str) -> None:
    with store.writing(5.0), store.rebuild(PRINT) as writer:
        put(writer, state("b.md"), [chunk("b.md", 1, [text])], unit(1, 0, 0, 0))


def _strays(server: Server) -> list[tuple[str, int]]:
    """Tables with rows of no generation, and how many."""
    found = []
    with psycopg.connect(server.url) as db:
        tables = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'memdown' "
            "AND tablename ~ '^(files|chunks|postings|vectors|lists)_'"
        )
        for (table,) in tables.fetchall():
            ((rows,),) = db.execute(
                f"SELECT count(*) FROM memdown.{table} "
                "WHERE generation NOT IN (SELECT generation FROM memdown.generations)"
            ).fetchall()
            if rows:
                found.append((table, rows))
    return found


def test_a_role_leaves_nothing_behind(
    postgres: Server, carol: tuple[PostgresStore, PostgresStore]
) -> None:
    """It sees the rows of its own generations only, so these go before what says that they are its own."""
    owner, role = carol
    for text in ("beta", "gamma"):
        _rebuild(role, text)
    assert _strays(postgres) == []
    role.set_aside()
    assert _strays(postgres) == []
    shelf = shelf_for("carol")
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute(f"INSERT INTO memdown.postings_{shelf} VALUES (-5, 'secret', 0, 1, '')")
    owner.vacuum()
    assert _strays(postgres) == [], "what an earlier version left is cleared"


def test_a_role_keeps_its_rights_in_tables_of_its_own(
    postgres: Server, carol: tuple[PostgresStore, PostgresStore]
) -> None:
    """The owner makes them, or what a large agent needs; the role goes on, and rebuilds in them."""
    owner, role = carol
    assert owner.own_tables()
    assert texts_found(role, words("alpha")) == ["alpha"]
    with role.writing(5.0):
        put(role, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
    assert texts_found(role, words("beta")) == ["beta"]
    for text in ("gamma", "delta"):
        _rebuild(role, text)
        assert texts_found(role, words(text)) == [text]
        assert not role.leftovers()
    role.vacuum()
    assert role.describe().variants[0].own_tables
    role.set_aside()
    owner.vacuum()
    with psycopg.connect(postgres.url) as db:
        left = db.execute(
            "SELECT t.tablename FROM pg_tables t WHERE schemaname = 'memdown' AND tablename ~ '_own_' "
            "AND NOT EXISTS (SELECT 1 FROM memdown.generations g WHERE tablename ~ (g.shelf || '$'))"
        )
        assert left.fetchall() == [], "tables that hold nothing any more"


def test_the_owner_does_for_a_large_agent_what_its_role_may_not(
    postgres: Server,
    carol: tuple[PostgresStore, PostgresStore],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner, role = carol
    monkeypatch.setattr(vector_leg, "FEW", 50)
    chunks = [chunk("b.md", n, [f"line {n}"]) for n in range(1, 61)]
    with role.writing(5.0):
        put(role, state("b.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 60))
    role.vacuum()
    (mine,) = role.describe().variants
    assert (mine.own_tables, mine.vectors) == (False, "each compared")
    owner.vacuum()
    (mine,) = role.describe().variants
    assert (mine.own_tables, mine.vectors) == (True, "HNSW")
    assert len(texts_found(role, words("line"))) == 60


def test_a_restart_is_survived(own_server: Server) -> None:
    with begun(own_server, "main") as store:
        assert texts_found(store, words("alpha")) == ["alpha"]
        own_server.kill()
        with pytest.raises(StoreError, match="cannot be reached"):
            store.remember_vectors(KEY, ["d"], unit(1, 0, 0, 0))
        own_server.start()
        assert texts_found(store, words("alpha")) == ["alpha"]
        with store.writing(5.0) as acquired:
            assert acquired
            put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
        assert set(store.files()) == {"a.md", "b.md"}


@pytest.mark.long
def test_a_server_that_dies_while_writing_ends_the_right_to_write(own_server: Server) -> None:
    """The lock died with the connection, so another host may be writing by now."""
    beta = (state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
    with begun(own_server, "main") as store:
        with contextlib.suppress(StoreError), store.writing(5.0):
            own_server.kill()
            with pytest.raises(StoreError):
                put(store, *beta)
            own_server.start()
            with closing(create(own_server.url)) as other, other.writing(5.0) as mine:
                assert mine
            with pytest.raises(IndexBusy, match="was lost while writing"):
                put(store, *beta)
        assert set(store.files()) == {"a.md"}
        assert store.check() == []


@pytest.mark.parametrize(
    "point",
    [
        pytest.param("rebuild.begun", marks=pytest.mark.long),
        pytest.param("rebuild.file:2", marks=pytest.mark.long),
        pytest.param("rebuild.before_flip", marks=pytest.mark.long),
        "rebuild.in_flip",
    ],
)
def test_a_killed_rebuild_leaves_the_old_index(
    postgres: Server, point: str, tmp_path: Path
) -> None:
    agent, said = f"killed-{point}", tmp_path / "said"
    with begun(postgres, agent) as store:
        killed = rebuilding("postgres", postgres.url, agent, output=said, failpoint=point)
        assert killed.wait() == -signal.SIGKILL, said.read_text()
        assert set(store.files()) == {"a.md"}
        assert texts_found(store, words("alpha", "gamma")) == ["alpha"]
        assert store.leftovers()
        with store.writing(30.0) as acquired:
            assert acquired, "the lock must go with its holder"
        assert not store.leftovers()
        assert store.check() == []


@pytest.mark.long
def test_a_rebuild_killed_after_the_flip_is_done(postgres: Server, tmp_path: Path) -> None:
    point, said = "rebuild.after_flip", tmp_path / "said"
    with begun(postgres, "flipped") as store:
        killed = rebuilding("postgres", postgres.url, "flipped", output=said, failpoint=point)
        assert killed.wait() == -signal.SIGKILL, said.read_text()
        assert set(store.files()) == {"new-0.md", "new-1.md", "new-2.md"}
        assert texts_found(store, words("alpha")) == []


def test_readers_see_the_old_or_the_new_index(postgres: Server, tmp_path: Path) -> None:
    """Never a mixture, while two processes rebuild and this one reads."""
    said = tmp_path / "said"
    with begun(postgres, "readers") as store:
        done = threading.Event()
        both = [rebuilding("postgres", postgres.url, "readers", output=said) for _ in range(2)]
        seen = set()
        while not done.is_set():
            with store.snapshot() as snapshot:
                found = by_words(snapshot, words("alpha", "gamma"))
                seen.add(len(found))
                assert len(snapshot.chunks([one.chunk for one in found])) == len(found)
            if all(process.poll() is not None for process in both):
                done.set()
            time.sleep(0.01)
        assert [process.wait() for process in both] == [0, 0], said.read_text()
        assert seen <= {1, 3}
        assert 3 in seen
        assert store.check() == []


def test_counts_stay_in_step(postgres: Server) -> None:
    with begun(postgres, "counts") as store:
        for round_ in range(3):
            chunks = [chunk("b.md", n, [f"beta {n} {round_}", "alpha alpha"]) for n in (1, 3, 5)]
            put(store, state("b.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 3))
        put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
        remove(store, ["a.md"])
        with psycopg.connect(postgres.url) as db:
            kept = db.execute(
                "SELECT generation, shelf, chunks, passages FROM memdown.generations "
                "WHERE agent_id = 'counts'"
            ).fetchone()
            assert kept is not None
            terms = db.execute(
                f"SELECT term, count FROM memdown.postings_{kept[1]} WHERE generation = {kept[0]}"
            ).fetchall()
        assert kept[2:] == (1, 1)
        assert ("beta", 1) in terms
        assert all(count == 1 for _, count in terms)
        assert store.check() == []


@pytest.mark.long
def test_a_replica_answers_searches_and_its_absence_is_bridged(postgres: Server) -> None:
    with begun(postgres, "replicated"):
        pass
    replica = Server()
    try:
        replica.follow(postgres).start()
        store = create(postgres.url, read_url=replica.url, agent="replicated")
        try:
            assert texts_found(store, words("alpha")) == ["alpha"]
            with psycopg.connect(replica.url) as db:
                asked = db.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memdown'"
                ).fetchone()
            assert asked is not None
            assert asked[0] >= 1, "the search must have gone to the replica"
            with store.writing(5.0):
                put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
            for _ in range(200):
                if texts_found(store, words("beta")):
                    break
                time.sleep(0.05)
            assert texts_found(store, words("beta")) == ["beta"]
            replica.kill()
            again = create(postgres.url, read_url=replica.url, agent="replicated")
            try:
                assert texts_found(again, words("beta")) == ["beta"]
            finally:
                again.close()
        finally:
            store.close()
    finally:
        replica.remove()


def test_a_replica_that_says_nothing_costs_two_seconds_once(postgres: Server) -> None:
    """Every command is a process of its own, which does not know that the one before has waited."""
    with begun(postgres, "lonely"), socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        away = f"postgresql://memdown@127.0.0.1:{silent.getsockname()[1]}/postgres"
        with closing(create(postgres.url, read_url=away, agent="lonely")) as store:
            begin = time.monotonic()
            assert texts_found(store, words("alpha")) == ["alpha"]
            assert time.monotonic() - begin < 8.0
            begin = time.monotonic()
            assert texts_found(store, words("alpha")) == ["alpha"]
            assert time.monotonic() - begin < 2.0


def test_a_large_agent_gets_tables_and_an_index_of_its_own(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made after publishing, while others write; a rebuild drops the old tables whole."""
    monkeypatch.setattr(vector_leg, "FEW", 50)
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(120, DIMS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    chunks = [chunk("b.md", n, [f"line {n}"]) for n in range(1, 121)]
    with begun(postgres, "near") as store:
        with store.writing(5.0):
            put(store, state("b.md"), chunks, rows)
            touch(store, state("b.md", size=9))
            put(store, state("c.md"), [chunk("c.md", 1, ["gamma"])], unit(0, 0, 0, 1))
        eventually(lambda: _indexes(postgres))
        with store.snapshot() as snapshot:
            found = by_vector(snapshot, rows[7], ["memory"], 10)
            exact = sorted(map(float, rows @ rows[7]), reverse=True)[:10]
        assert [match.score for match in found] == pytest.approx(exact, abs=1e-4)
        monkeypatch.setattr("memdown.index.postgres.upkeep.GRACE_SECONDS", 0.0)
        with store.writing(5.0), store.rebuild(PRINT) as writer:
            put(writer, state("b.md"), chunks, rows)
        eventually(lambda: len(_indexes(postgres)) == 1)
        assert len(texts_found(store, words("line"))) == 120
        assert store.check() == []
        assert not store.leftovers()


def _indexes(server: Server) -> list[tuple[str]]:
    with psycopg.connect(server.url) as db:
        rows = db.execute(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE c.relname LIKE 'near_own_%' AND i.indisvalid"
        )
        return rows.fetchall()


def test_texts_that_postgres_cannot_hold_as_text(postgres: Server) -> None:
    with begun(postgres, "odd") as store:
        odd = chunk("b.md", 1, ["nul \0 here", "and more"])
        put(store, state("b.md"), [odd], unit(1, 0, 0, 0))
        last = store.last_chunk("b.md")
        assert last is not None
        assert last.chunk.text == odd.text


def test_damage_is_found_and_told(postgres: Server) -> None:
    with begun(postgres, "damaged") as store:
        with psycopg.connect(postgres.url) as db:
            kept = db.execute(
                "SELECT generation, shelf FROM memdown.generations WHERE agent_id = 'damaged'"
            ).fetchone()
            assert kept is not None
            db.execute(
                f"UPDATE memdown.chunks_{kept[1]} SET text = 'other' WHERE generation = {kept[0]}"
            )
        assert store.check() == ["a chunk of a.md is not the text that was stored"]
        with pytest.raises(IndexCorrupt, match=r"a\.md"):
            store.last_chunk("a.md")
        assert store.set_aside() is not None
        assert store.set_aside() is None
        assert store.fingerprint() is None


def test_a_newer_schema_is_left_alone(postgres: Server) -> None:
    with opened(postgres, "main", schema="newer") as store:
        store.begin(PRINT)
    with psycopg.connect(postgres.url) as db:
        db.execute("UPDATE newer.meta SET value = '99' WHERE key = 'version'")
    with opened(postgres, "main", schema="newer") as store:
        for use in (lambda: store.begin(PRINT), store.files):
            with pytest.raises(IndexTooNew):
                use()


def test_lists_that_were_put_together_hold_what_changed_since(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    monkeypatch.setattr("memdown.index.postgres.choosing.MANY_PASSAGES", 0)
    monkeypatch.setattr("memdown.index.postgres.lists.LEAST_PASSAGES", 0)
    with begun(postgres, "packed") as store, opened(postgres, "packed") as other:
        for number in range(30):
            path = f"n{number}.md"
            put(store, state(path), [chunk(path, 1, [f"beta box{number}"])], unit(0, 1, 0, 0))
        assert store.own_tables()
        store.vacuum()
        before = _packed(postgres)
        assert {"alpha", "beta", "box7"} <= set(before)
        assert texts_found(other, words("box7")) == ["beta box7"]
        put(store, state("n7.md"), [chunk("n7.md", 1, ["gamma delta"])], unit(0, 1, 0, 0))
        put(store, state("new.md"), [chunk("new.md", 1, ["gamma box7"])], unit(0, 1, 0, 0))
        remove(store, ["a.md"])
        assert _packed(postgres) == before, "it is done now and then"
        for _ in range(2):
            assert texts_found(other, words("box7")) == ["gamma box7"]
            assert sorted(texts_found(other, words("gamma"))) == ["gamma box7", "gamma delta"]
            assert texts_found(other, words("alpha")) == []
            assert len(texts_found(other, words("beta"))) == 29
            store.vacuum()
        after = _packed(postgres)
        assert "alpha" not in after, "what was removed is in no list"
        assert after["gamma"] == 2
        assert after["beta"] == 29
        assert store.check() == []


def _packed(server: Server) -> dict[str, int]:
    """The terms whose lists were put together, each with its number of passages."""
    with psycopg.connect(server.url) as db:
        ((shelf,),) = db.execute(
            "SELECT shelf FROM memdown.generations WHERE agent_id = 'packed'"
        ).fetchall()
        rows = db.execute(f"SELECT term, count FROM memdown.lists_{shelf}").fetchall()
    assert len(rows) == len({term for term, _ in rows}), "of one time only"
    return dict(rows)


OLDER = """
CREATE SCHEMA older;
CREATE TABLE older.meta (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO older.meta VALUES ('version', '4');
CREATE TABLE older.agents (agent_id text PRIMARY KEY, live bigint NOT NULL);
INSERT INTO older.agents VALUES ('main', 7);
CREATE TABLE older.generations (agent_id text NOT NULL, generation bigint NOT NULL);
CREATE TABLE older.agent_roles (agent_id text NOT NULL, role_name text NOT NULL);
CREATE TABLE older.files (agent_id text NOT NULL) PARTITION BY HASH (agent_id);
CREATE TABLE older.files_0 PARTITION OF older.files FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE older.chunks (agent_id text NOT NULL);
CREATE TABLE older.passages (agent_id text NOT NULL);
CREATE TABLE older.terms (agent_id text NOT NULL);
CREATE SEQUENCE older.term_numbers AS integer;
CREATE SEQUENCE older.generation_numbers;
CREATE TABLE older.embedding_cache (
  provider text NOT NULL, model text NOT NULL, provider_key text NOT NULL, hash text NOT NULL,
  embedding bytea NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, model, provider_key, hash));
INSERT INTO older.embedding_cache VALUES ('hash', 'hash-4', 'k', 'kept', '\\x0000803f');
"""


def test_an_older_schema_is_brought_up_to_date(postgres: Server) -> None:
    """Until a writer has done so it holds nothing; the cache stays, the rows are made anew."""
    with psycopg.connect(postgres.url) as db:
        db.execute(OLDER)
    with opened(postgres, "main", schema="older") as store:
        assert store.files() == {}
        assert store.fingerprint() is None
        with store.writing(5.0) as acquired:
            assert acquired
            store.begin(PRINT)
            put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
        assert texts_found(store, words("beta")) == ["beta"]
        assert list(store.cached(KEY, ["kept"])) == ["kept"]


def test_others_read_and_write_while_a_schema_is_brought_up_to_date(postgres: Server) -> None:
    """Also while a lock is not to be had: what waits for it must keep nobody else waiting."""
    name = "stepped"
    with opened(postgres, "main", schema=name) as old, psycopg.connect(postgres.url) as db:
        with old.writing(5.0):
            old.begin(PRINT)
            put(old, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        # As the version before left it; the store that is open goes on like a process of that version.
        db.execute(f"ALTER TABLE {name}.generations DROP COLUMN losses, DROP COLUMN removals")
        shelf = shelf_for("main")
        db.execute(f"DROP INDEX {name}.files_dated_{shelf}, {name}.files_lacking_{shelf}")
        db.execute(f"UPDATE {name}.meta SET value = '1' WHERE key = 'step'")
        db.commit()
        with opened(postgres, "main", schema=name) as reader:
            assert texts_found(reader, words("alpha")) == ["alpha"], "also before it is done"
        db.execute(f"SELECT * FROM {name}.generations")
        with opened(postgres, "main", schema=name) as new:
            migrating = threading.Thread(target=new.prepare)
            migrating.start()
            eventually(lambda: _is_waiting(postgres, name), what="a migration that waits")
            for n in range(5):
                path = f"{n}.md"
                put(old, state(path), [chunk(path, 1, ["beta"])], unit(0, 1, 0, 0))
                assert texts_found(old, words("beta")) == ["beta"] * (n + 1)
            assert migrating.is_alive(), "the lock is still held"
            db.rollback()
            migrating.join()
            assert new.describe().steps == 12
            new.apply(Writes(removed=["a.md"]))
            assert texts_found(old, words("alpha")) == []
            assert new.check() == []
        db.execute(f"DROP INDEX {name}.files_dated_{shelf}, {name}.files_lacking_{shelf}")
        db.execute(f"UPDATE {name}.meta SET value = '2' WHERE key = 'step'")
        db.commit()
        with opened(postgres, "main", schema=name) as writer, writer.writing(5.0):
            put(writer, state("c.md"), [chunk("c.md", 1, ["gamma"])], unit(0, 0, 1, 0))
            assert writer.describe().steps == 12, "a writer does it while it holds its own lock"
    with psycopg.connect(postgres.url) as db:
        rows = db.execute(
            "SELECT bool_and(indisvalid), count(*) FROM pg_index WHERE indexrelid = ANY "
            "(ARRAY[to_regclass(%s), to_regclass(%s)])",
            (f"{name}.files_dated_{shelf}", f"{name}.files_lacking_{shelf}"),
        ).fetchall()
    assert rows == [(True, 2)]


def _is_waiting(server: Server, schema_name: str) -> bool:
    with psycopg.connect(server.url) as db:
        rows = db.execute(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND query LIKE 'ALTER TABLE%%' AND query LIKE %s",
            (f"%{schema_name}%",),
        ).fetchall()
    return bool(rows)


def test_writers_wait_in_line(postgres: Server) -> None:
    """One that rebuilds without pause must not keep another from ever writing."""
    with begun(postgres, "line") as store, opened(postgres, "line") as other:
        done = threading.Event()

        def greedy() -> None:
            while not done.is_set():
                with store.writing(30.0):
                    time.sleep(0.05)

        thread = threading.Thread(target=greedy)
        thread.start()
        try:
            for _ in range(5):
                with other.writing(5.0) as acquired:
                    assert acquired
            with store.writing(5.0):
                assert not _acquired(other, 0.0)
                assert not _acquired(other, 0.2)
        finally:
            done.set()
            thread.join()


def _acquired(store: PostgresStore, timeout: float) -> bool:
    with store.writing(timeout) as acquired:
        return acquired


def test_wrong_addresses_are_told_without_their_password() -> None:
    with pytest.raises(ConfigError, match="MEMDOWN_POSTGRES_URL"):
        create(None)
    with pytest.raises(ConfigError, match=r"memorySearch\.store\.url") as told:
        create("user sesame")
    assert "sesame" not in str(told.value)
    store = create("postgresql://user:sesame@127.0.0.1:1/none")
    try:
        with pytest.raises(StoreError, match="cannot be reached") as told_too:
            store.begin(PRINT)
        assert "sesame" not in str(told_too.value)
    finally:
        store.close()


def test_a_refusal_names_its_reason(own_server: Server) -> None:
    """Who the server does not let in learns why, and not that it cannot be reached."""
    rules = own_server.data / "pg_hba.conf"
    rules.write_text(f"host all guarded 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
    with psycopg.connect(own_server.url, autocommit=True) as db:
        db.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        db.execute("SELECT pg_reload_conf()")
    place = own_server.url.split("@")[1]
    wrong = f"postgresql://guarded:wrong@{place}"
    eventually(lambda: "password authentication failed" in _refusal(wrong))
    told = _refusal(wrong)
    assert "refuses the connection" in told
    assert "FATAL" not in told
    assert "password supplied" in _refusal(f"postgresql://guarded@{place}")
    assert 'role "nobody" does not exist' in _refusal(f"postgresql://nobody@{place}")
    nowhere = own_server.url.replace("/postgres", "/nowhere")
    assert 'database "nowhere" does not exist' in _refusal(nowhere)


def _refusal(url: str) -> str:
    with closing(create(url)) as store:
        try:
            store.files()
        except StoreError as error:
            return str(error)
    return ""


def test_commands_tell_what_is_not_there_yet(postgres: Server, tmp_path: Path) -> None:
    """A newcomer on a new database: every command says what comes first, and one that looks makes nothing."""
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute("CREATE DATABASE newcomer")
    config = tmp_path / "memdown.json"
    store = {"driver": "postgres", "url": postgres.url.replace("/postgres", "/newcomer")}
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
    (tmp_path / "notes").mkdir()

    def said(*arguments: str) -> str:
        place = ("--config", str(config), "--workspace", str(tmp_path / "notes"))
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("MEMDOWN_STATE_DIR", str(tmp_path / "state"))
            done = memdown("store", *arguments, *place)
        return done.stdout + done.stderr

    for command in ("status", "vacuum"):
        assert "There are no tables yet: run `memdown store init`." in said(command)
    assert "No host has reported yet." in said("orphans")
    assert "There is no index yet: run `memdown index`." in said("verify")
    assert "There are no tables yet" in said("status"), "nothing of this has made any"
    assert "The server has no role 'nobody'; create it first" in said("init", "--role", "nobody")
    assert "There is no index yet: run `memdown index`." in said("status")


def test_the_extension_may_come_later(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then few vectors are compared here; the first writer afterwards hands them over."""
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute("CREATE DATABASE plain")
    url = postgres.url.replace("/postgres", "/plain")
    monkeypatch.setattr("memdown.index.postgres.schema._install_vectors", lambda db: None)
    with closing(create(url, agent="main")) as store:
        with store.writing(5.0):
            store.begin(PRINT)
            put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        assert texts_found(store, words("alpha")) == ["alpha"]
        with store.snapshot() as snapshot:
            assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 5)) == 1
            assert snapshot.vectors(5)[1].tolist() == [[1, 0, 0, 0]]
        assert store.status().vector_error == "the extension vector is not installed"
        with psycopg.connect(url, autocommit=True) as db:
            db.execute("CREATE EXTENSION vector")
        assert texts_found(store, words("alpha")) == ["alpha"]
        with store.writing(5.0):
            put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
        assert store.status().vector_error is None
        with store.snapshot() as snapshot:
            near = by_vector(snapshot, unit(1, 1, 0, 0)[0], ["memory"], 5)
        assert len(near) == 2


def test_a_frozen_connection_is_given_up(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel goes on acknowledging what nobody reads, so only our own clock can tell."""
    monkeypatch.setattr("memdown.index.postgres.connection._GRACE_SECONDS", 0.2)
    monkeypatch.setattr("memdown.index.postgres.link.READ_SECONDS", 2.0)
    with begun(own_server, "main") as store:
        assert texts_found(store, words("alpha")) == ["alpha"]
        frozen = own_server.backends()
        for process in frozen:
            os.kill(process, signal.SIGSTOP)
        try:
            assert texts_found(store, words("alpha")) == ["alpha"], "by another connection"
            assert set(own_server.backends()) - set(frozen)
        finally:
            for process in frozen:
                os.kill(process, signal.SIGCONT)


def test_one_agents_index_does_not_block_the_writers_of_another(postgres: Server) -> None:
    """A build of one agent's index locks its own tables; no plan of another's may touch them."""
    with begun(postgres, "still-1") as one, begun(postgres, "still-2") as two:
        shelves = {shelf_for(name): store for name, store in (("still-1", one), ("still-2", two))}
        assert len(shelves) == 2
        with psycopg.connect(postgres.url) as db:
            db.execute(f"LOCK TABLE memdown.chunks_{shelf_for('still-1')} IN SHARE MODE")
            two_files = [
                IndexedFile(state(f"n{n}.md"), [chunk(f"n{n}.md", 1, ["beta"])], unit(1, 0, 0, 0))
                for n in range(20)
            ]
            for file in two_files:
                put_all(two, [file])
        assert len(two.files()) == 21


def test_rebuilds_leave_no_bloat(postgres: Server) -> None:
    chunks = [chunk("b.md", n, [f"line {n} of many words"]) for n in range(1, 401)]
    rows = np.concatenate([unit(1, 0, 0, 0)] * 400)
    with opened(postgres, "main", schema="bloat") as store:
        sizes = []
        for _ in range(6):
            with store.writing(5.0), store.rebuild(PRINT) as writer:
                put(writer, state("b.md"), chunks, rows)
            sizes.append(store.status().size_bytes)
    assert sizes[-1] <= 3 * sizes[0]


def test_notes_of_a_question_file_never_come_into_an_agents_index(
    postgres: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An evaluation writes to the same server, and leaves nothing there."""
    config = tmp_path / "memdown.json"
    store = {"driver": "postgres", "url": postgres.url}
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
    asked = {"question": "Which router?", "evidence": [["a.md", 1, 1]]}
    notes = {"name": "home", "documents": {"a.md": ["The router is red."]}, "questions": [asked]}
    questions = tmp_path / "questions.json"
    questions.write_text(json.dumps([notes, {**notes, "name": "other"}]))
    assert cli.run(["eval", str(questions), "--config", str(config), "--agent", "judged"]) == 0
    assert "100.0" in capsys.readouterr().out
    with psycopg.connect(postgres.url) as db:
        for table in ("indexes", "generations", "embedding_cache"):
            left = db.execute(
                f"SELECT agent_id FROM memdown.{table} WHERE agent_id ~ '^(eval-|judged)'"
            )
            assert left.fetchall() == [], table


@pytest.fixture
def lighthouse(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    """A memory on a server, which waits for it one second."""
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    for number in range(30):
        (notes / "memory" / f"{number}.md").write_text(
            f"The lighthouse number {number} is painted red.\n"
        )
    config = tmp_path / "memdown.json"
    store = {"driver": "postgres", "url": own_server.url, "timeoutMs": 1000}
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
    with Memory.open(notes, config=config, state_dir=tmp_path / "state") as memory:
        memory.sync()
        eventually(lambda: _is_whole(memory))
        yield memory


def _is_whole(memory: Memory) -> bool:
    answer = memory.search("Which lighthouse is red?")
    return bool(answer.hits) and not answer.partial


def _nobody_waits(server: Server) -> bool:
    """Whether no statement waits for a lock; each transaction sees this once, so it is asked in one of its own."""
    with psycopg.connect(server.url, autocommit=True) as db:
        found = db.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        return found.fetchone() == (0,)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("vectors", "found by words only"),
        ("postings", "words were looked up in what is alike only"),
    ],
)
@pytest.mark.parametrize("from_chunks", [0, 5_000], ids=["beside", "in turn"])
def test_a_search_answers_with_what_it_has_when_the_server_takes_too_long(
    own_server: Server,
    lighthouse: Memory,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    reason: str,
    from_chunks: int,
) -> None:
    """Whether vectors are compared while lists are read, or after it."""
    monkeypatch.setattr("memdown.index.postgres.reading._WORTH_ASKING_ASIDE", from_chunks)
    with psycopg.connect(own_server.url) as db:
        db.execute(f"LOCK TABLE memdown.{table}_{shelf_for('main')} IN ACCESS EXCLUSIVE MODE")
        answer = lighthouse.search("Which lighthouse is red?")
        assert answer.hits
        assert answer.partial
        assert [reason in one for one in answer.reasons if one.startswith("partial:")] == [True]
        # What is given up is cancelled at the server, long before a statement's own limit ends it.
        eventually(
            lambda: _nobody_waits(own_server),
            seconds=READ_SECONDS / 2,
            what="nothing works on for a search that has given up",
        )
    eventually(lambda: _is_whole(lighthouse))


def test_vectors_are_compared_while_lists_are_read(
    own_server: Server, lighthouse: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find the same as in turn; the second connection is kept, not made for every search."""
    in_turn = lighthouse.search("Which lighthouse is red?")
    monkeypatch.setattr("memdown.index.postgres.reading._WORTH_ASKING_ASIDE", 0)
    monkeypatch.setattr("memdown.index.postgres.vectors.nearest", None)
    beside = lighthouse.search("Which lighthouse is red?")
    assert beside.hits == in_turn.hits
    backends = own_server.backends()
    for _ in range(3):
        assert lighthouse.search("Which lighthouse is red?").hits == in_turn.hits
    assert own_server.backends() == backends


def test_what_one_look_has_read_the_next_does_not_read_again(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question is looked up twice, with other forms of its words the second time."""
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    read: list[int] = []
    whole = reading._read_chunks

    def count(*given: Any, **options: Any) -> list[Any]:
        rows = whole(*given, **options)
        read.extend(row[0] for row in rows)
        return rows

    monkeypatch.setattr("memdown.index.postgres.reading._read_chunks", count)
    with opened(postgres, "looks") as store:
        with store.writing(5.0):
            store.begin(PRINT)
            for number in range(20):
                name = "alpha" if number % 2 else "beta"
                path = f"{number}.md"
                put(store, state(path), [chunk(path, 1, [name, "gamma"])], unit(1, 0, 0, 0))
        with store.snapshot() as view:
            first = view.reader(Sought(("alpha",))).chunk_key
            again = view.reader(Sought(("alpha", "beta"))).chunk_key
        with store.snapshot() as view:
            fresh = view.reader(Sought(("alpha", "beta"))).chunk_key
    assert again.tolist() == fresh.tolist()
    assert (first >= 0).sum() == 10
    assert len(read) == 20 + 20, "each chunk once for a view"


def test_a_backend_that_freezes_while_it_compares_costs_the_vectors_only(
    own_server: Server, lighthouse: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[int] = []
    nearest = vector_leg.nearest

    def freeze(place: Place, *rest: Any, **options: Any) -> list[int]:
        if not frozen:
            frozen.append(place.db.info.backend_pid)
            os.kill(frozen[0], signal.SIGSTOP)
        return nearest(place, *rest, **options)

    monkeypatch.setattr("memdown.index.postgres.vectors.nearest", freeze)
    try:
        answer = lighthouse.search("Which lighthouse is red?")
        assert answer.hits
        assert answer.partial
        eventually(lambda: _is_whole(lighthouse))
    finally:
        os.kill(frozen[0], signal.SIGCONT)


def test_chunks_of_an_earlier_version_are_found_as_those_of_this_one(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come with their terms, also before there is a column for what is told of these."""
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    asked = Sought(("alpha", "beta"), phrases=(("red", "router"),))

    def found(store: PostgresStore) -> list[tuple[int, float]]:
        with store.snapshot() as snapshot:
            reader = snapshot.reader(Sought(("alpha",)))
            last = reader.posting(word("alpha")).rows[-2:]
            assert len(reader.among(word("router"), last)) == 1, "of those passages only"
            assert len(reader.posting(word("router")).rows) == 4, "a word that was not looked for"
            return [(one.key, round(one.score, 4)) for one in by_words(snapshot, asked)]

    with opened(postgres, "main", schema="telling") as store:
        with store.writing(5.0):
            store.begin(PRINT)
            for path in ("a.md", "b.md"):
                lines = ["alpha is a red router", "beta and alpha", "the router is red"]
                put(store, state(path), [chunk(path, 1, lines)], unit(1, 0, 0, 0))
        now = found(store)
        assert len(now) == 4
    table = f"telling.chunks_{shelf_for('main')}"
    with psycopg.connect(postgres.url, autocommit=True) as db:
        for change in ("DROP COLUMN told", "ADD COLUMN told bytea"):
            db.execute(f"ALTER TABLE {table} {change}")
            with opened(postgres, "main", schema="telling") as store:
                assert found(store) == now
    with opened(postgres, "main", schema="telling") as store:
        with store.writing(5.0):
            put(store, state("b.md"), [chunk("b.md", 1, lines)], unit(1, 0, 0, 0))
        assert found(store) == now
