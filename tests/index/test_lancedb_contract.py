"""LanceDB keeps the store contract."""

from __future__ import annotations

from pathlib import Path

from contracts.store_contract import StoreContract
from memdown.index.lancedb import create
from memdown.index.store import Store


class TestLance(StoreContract):
    def make_store(self, folder: Path) -> Store:
        return create(folder / "index.lancedb")
