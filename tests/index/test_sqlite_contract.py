"""SQLite keeps the store contract, with and without the vector extension."""

from __future__ import annotations

from pathlib import Path

from contracts.store_contract import StoreContract
from memdown.index.sqlite import create
from memdown.index.store import Store


class TestSqlite(StoreContract):
    def make_store(self, folder: Path) -> Store:
        return create(folder / "index.sqlite")


class TestSqliteWithoutTheExtension(StoreContract):
    def make_store(self, folder: Path) -> Store:
        return create(folder / "index.sqlite", vector_enabled=False)
