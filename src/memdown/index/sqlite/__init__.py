"""The default store: one SQLite file per agent, through apsw and nothing else."""

from memdown.index.sqlite.store import SqliteStore, create

__all__ = ["SqliteStore", "create"]
