"""PostgreSQL keeps the store contract, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from contracts.store_contract import StoreContract
from index.postgres_server import Server
from memdown.index.postgres import PostgresStore, create
from memdown.index.store import Store


class TestPostgres(StoreContract):
    @pytest.fixture(autouse=True)
    def server(self, postgres: Server) -> Iterator[None]:
        self.url = postgres.url
        self.made: list[PostgresStore] = []
        with psycopg.connect(self.url, autocommit=True) as db:
            if db.execute("SELECT to_regclass('memdown.meta')").fetchone() != (None,):
                # All agents share it, and one of the tests counts.
                db.execute("DELETE FROM memdown.embedding_cache")
        yield
        for store in self.made:
            store.close()

    def make_store(self, folder: Path) -> Store:
        store = create(self.url, agent=str(folder))
        self.made.append(store)
        return store
