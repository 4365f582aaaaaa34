"""LanceDB as a store: a folder or object storage, read by many."""

from memdown.index.lancedb.store import LanceStore, create

__all__ = ["LanceStore", "create"]
