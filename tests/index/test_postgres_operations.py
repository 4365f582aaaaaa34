"""What an operator does and suffers, really done: backup, failover, a full disk, many clients at once."""

from __future__ import annotations

import os
import pwd
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest

from contracts.store_contract import PRINT, chunk, put, state, texts_found, unit, words
from index.postgres_server import Server, binaries
from memdown.errors import DiskFull, MemdownError, StoreError
from memdown.index.postgres import PostgresStore, create
from waiting import eventually

pytestmark = pytest.mark.long


@pytest.fixture
def own_server() -> Iterator[Server]:
    server = Server()
    try:
        yield server.create().start()
    finally:
        server.remove()


def filled(url: str, **options: object) -> PostgresStore:
    store = create(url, **options)  # type: ignore[arg-type]
    with store.writing(5.0) as acquired:
        assert acquired
        store.begin(PRINT)
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
    return store


def program(name: str, *arguments: str) -> None:
    done = subprocess.run(
        [str(binaries() / name), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_backup_is_restored_into_another_database(own_server: Server, tmp_path: Path) -> None:
    dump = tmp_path / "memdown.dump"
    filled(own_server.url).close()
    program("pg_dump", "-Fc", "-n", "memdown", "-f", str(dump), "-d", own_server.url)
    with psycopg.connect(own_server.url, autocommit=True) as db:
        db.execute("CREATE DATABASE restored")
    restored = own_server.url.replace("/postgres", "/restored")
    with psycopg.connect(restored, autocommit=True) as db:
        db.execute("CREATE EXTENSION vector")
    program("pg_restore", "-d", restored, str(dump))
    with closing(create(restored)) as store:
        assert texts_found(store, words("alpha")) == ["alpha"]
        assert store.check() == []
        with store.writing(5.0) as acquired:
            assert acquired
            put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
        assert texts_found(store, words("beta")) == ["beta"]


def test_clients_follow_a_failover(own_server: Server) -> None:
    """The address names both servers; when the first dies and the second is promoted, all goes on."""
    replica = Server()
    try:
        filled(own_server.url).close()
        replica.follow(own_server).start()
        url = (
            f"postgresql://memdown@127.0.0.1:{own_server.port},127.0.0.1:{replica.port}/postgres"
            "?target_session_attrs=read-write&connect_timeout=2"
        )
        with closing(create(url)) as store:
            assert texts_found(store, words("alpha")) == ["alpha"]
            own_server.kill()
            with psycopg.connect(replica.url, autocommit=True) as db:
                db.execute("SELECT pg_promote()")
            assert texts_found(store, words("alpha")) == ["alpha"]
            with store.writing(10.0) as acquired:
                assert acquired
                put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
            assert texts_found(store, words("beta")) == ["beta"]
    finally:
        replica.remove()


def test_a_full_disk_is_told_and_survived() -> None:
    """Needs the right to mount; the server lives on a small file system in memory."""
    server = Server()
    size = "160m"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(server.folder)], check=False
    )
    if mounted.returncode:
        pytest.fail("This test mounts a small file system: run it as root, or leave it out.")
    try:
        nobody = pwd.getpwnam("nobody")
        os.chown(server.folder, nobody.pw_uid, nobody.pw_gid)
        server.create().start()
        with closing(filled(server.url)) as store:
            filler = server.folder / "filler"
            with filler.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * (1 << 20))
                except OSError:
                    pass
            big = [chunk("b.md", n, ["beta " + os.urandom(400).hex()]) for n in range(1, 400)]
            rows = np.concatenate([unit(0, 1, 0, 0)] * len(big))
            with pytest.raises((DiskFull, StoreError)):
                put(store, state("b.md"), big, rows)
            filler.unlink()
            if server.process is not None and server.process.poll() is not None:
                server.start()
            eventually(lambda: _answers(store), 60.0)
            put(store, state("b.md"), big, rows)
            assert set(store.files()) == {"a.md", "b.md"}
            assert store.check() == []
    finally:
        if server.process is not None:
            server.kill()
        subprocess.run(["umount", str(server.folder)], check=True)
        server.remove()


def _answers(store: PostgresStore) -> bool:
    try:
        return texts_found(store, words("alpha")) == ["alpha"]
    except MemdownError:
        return False


def test_a_hundred_clients_come_back_after_a_restart(own_server: Server) -> None:
    """More than the server takes at once: some are refused with a reason, all are served in the end."""
    filled(own_server.url).close()
    stopped, served = threading.Event(), threading.Semaphore(0)
    wrong: list[str] = []

    def client() -> None:
        try:
            for again in (False, True):
                if again:
                    stopped.wait(120)
                with closing(create(own_server.url)) as store:
                    eventually(lambda store=store: _answers(store), 90.0, pause=0.2)  # type: ignore[misc]
                served.release()
        except Exception as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=client) for _ in range(100)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert served.acquire(timeout=120)
    own_server.kill()
    stopped.set()
    own_server.start()
    for thread in threads:
        thread.join()
    assert wrong == []
