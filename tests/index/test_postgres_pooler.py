"""Through PgBouncer in transaction mode: each transaction may come to another session of the server."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest

from contracts.store_contract import (
    DIMS,
    PRINT,
    StoreContract,
    by_vector,
    chunk,
    put,
    state,
    texts_found,
    unit,
    words,
)
from index.pgbouncer import MISSING, find_pgbouncer
from index.postgres_server import Server, free_port, unprivileged
from memdown.index.postgres import PostgresStore, create
from memdown.index.postgres import vectors as vector_leg
from memdown.index.postgres.connection import connect, is_pooled
from memdown.index.store import Store
from waiting import eventually

_CLIENTS, _SESSIONS = 24, 6
_SETTINGS = """\
[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres user=memdown
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
server_round_robin = 1
logfile = {folder}/log
"""


@pytest.fixture(scope="module")
def pooler(postgres: Server) -> Iterator[str]:
    """The address of a pooler that gives every transaction the session that had none for longest."""
    program = find_pgbouncer()
    assert program, MISSING
    folder, port, rights = postgres.folder / "pooler", free_port(), unprivileged()
    folder.mkdir()
    file = folder / "pgbouncer.ini"
    file.write_text(
        _SETTINGS.format(server=postgres.port, port=port, sessions=_SESSIONS, folder=folder)
    )
    if rights:
        os.chown(folder, rights["user"], rights["group"])
    process = subprocess.Popen([program, "-q", str(file)], cwd=folder, **rights)
    url = f"postgresql://memdown@127.0.0.1:{port}/postgres"
    try:
        eventually(lambda: _answers(url), 30)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _answers(url: str) -> bool:
    try:
        with closing(connect(url, 5.0)) as db:
            return is_pooled(db)
    except psycopg.OperationalError:
        return False


class TestPooled(StoreContract):
    """The whole contract, each agent with two stores that share the pooler's few sessions."""

    @pytest.fixture(autouse=True)
    def server(self, postgres: Server, pooler: str) -> Iterator[None]:
        self.url = pooler
        self.made: list[PostgresStore] = []
        with psycopg.connect(postgres.url, autocommit=True) as db:
            if db.execute("SELECT to_regclass('pooled.meta')").fetchone() != (None,):
                db.execute("DELETE FROM pooled.embedding_cache")
        yield
        for store in self.made:
            store.close()

    def make_store(self, folder: Path) -> Store:
        store = create(self.url, agent=str(folder), schema="pooled")
        self.made.append(store)
        return store


def test_a_direct_connection_is_not_taken_for_a_pooler(postgres: Server) -> None:
    with closing(connect(postgres.url, 5.0)) as db:
        assert not is_pooled(db)


def test_what_a_large_index_needs_is_made_and_leaves_no_lock_and_no_setting(
    postgres: Server, pooler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_leg, "FEW", 50)
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    monkeypatch.setattr("memdown.index.postgres.choosing.MANY_PASSAGES", 0)
    monkeypatch.setattr("memdown.index.postgres.lists.LEAST_PASSAGES", 0)
    rows = np.random.default_rng(1).normal(size=(120, DIMS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    chunks = [chunk("b.md", n, [f"line {n}"]) for n in range(1, 121)]
    with closing(create(pooler, agent="large", schema="pooled")) as store:
        with store.writing(5.0) as acquired:
            assert acquired
            store.begin(PRINT)
            put(store, state("b.md"), chunks, rows)
            put(store, state("c.md"), [chunk("c.md", 1, ["gamma"])], unit(0, 0, 0, 1))
        eventually(lambda: _is_improved(postgres))
        eventually(lambda: not _locks(postgres), what="no lock is left in a session of the pooler")
        for number in range(3):
            path = f"d{number}.md"
            put(store, state(path), [chunk(path, 1, ["delta"])], -rows[7:8])
            store.vacuum()
        assert texts_found(store, words("delta")) == ["delta"] * 3
        with store.snapshot() as snapshot:
            found = by_vector(snapshot, rows[7], ["memory"], 10)
        exact = sorted(map(float, rows @ rows[7]), reverse=True)[:10]
        assert [match.score for match in found] == pytest.approx(exact, abs=1e-4)
        assert store.check() == []
    assert not _locks(postgres)
    assert _settings(pooler) == _settings(postgres.url)


def test_more_clients_than_sessions(pooler: str) -> None:
    """Each with a store of its own; one of them writes and rebuilds meanwhile."""
    with closing(create(pooler, agent="many", schema="pooled")) as writer:
        with writer.writing(5.0):
            writer.begin(PRINT)
            put(writer, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))

        def search(_: int) -> list[list[str]]:
            with closing(create(pooler, agent="many", schema="pooled")) as store:
                return [texts_found(store, words("alpha")) for _ in range(10)]

        with ThreadPoolExecutor(_CLIENTS) as pool:
            asked = [pool.submit(search, number) for number in range(_CLIENTS)]
            for number in range(3):
                with writer.writing(30.0) as acquired, writer.rebuild(PRINT) as rebuild:
                    assert acquired
                    again = [chunk("a.md", 1, ["alpha"]), chunk("a.md", 2, [f"line {number}"])]
                    put(rebuild, state("a.md"), again, np.eye(2, DIMS, dtype=np.float32))
            assert [one.result() for one in asked] == [[["alpha"]] * 10] * _CLIENTS


def test_one_writer_at_a_time(pooler: str) -> None:
    with (
        closing(create(pooler, agent="turns", schema="pooled")) as one,
        closing(create(pooler, agent="turns", schema="pooled")) as two,
    ):
        with one.writing(5.0) as acquired:
            assert acquired
            with two.writing(0.2) as also:
                assert not also
        with two.writing(5.0) as acquired:
            assert acquired


def _is_improved(server: Server) -> bool:
    with psycopg.connect(server.url) as db:
        made = db.execute(
            "SELECT g.list_version FROM pooled.generations g JOIN pg_class c "
            "ON c.relname LIKE 'near_' || g.shelf || '%' JOIN pg_index i ON i.indexrelid = c.oid "
            "WHERE g.agent_id = 'large' AND i.indisvalid AND g.list_version IS NOT NULL"
        )
        return made.fetchone() is not None


def _locks(server: Server) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url) as db:
        return db.execute("SELECT pid, objid FROM pg_locks WHERE locktype = 'advisory'").fetchall()


def _settings(url: str) -> set[tuple[object, ...]]:
    """What counts in the sessions behind an address, after asking each of them more than once."""
    names = ("work_mem", "maintenance_work_mem", "max_parallel_maintenance_workers",
             "statement_timeout", "lock_timeout", "default_transaction_read_only")  # fmt: skip
    found: set[tuple[object, ...]] = set()
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as db:
        for _ in range(3 * _SESSIONS):
            each = ", ".join(f"current_setting('{name}')" for name in names)
            found |= {tuple(value or None for value in row) for row in db.execute(f"SELECT {each}")}
    return found
