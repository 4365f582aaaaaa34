"""Opening a store by its name: a module here, or a plugin's entry point."""

from __future__ import annotations

from typing import Any

from memdown.config.plugins import Seam
from memdown.types import Store

SEAM = Seam(
    "memdown.stores",
    "memdown.index",
    ("sqlite", "postgres", "lancedb"),
    "The store",
    "memorySearch.store.driver",
)


def open_store(driver: str, **options: Any) -> Store:
    """The store called `driver`, made from plain options."""
    store: Store = SEAM.maker(driver)(**options)
    return store
