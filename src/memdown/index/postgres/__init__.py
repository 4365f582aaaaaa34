"""PostgreSQL with pgvector as a store: many agents on many hosts, one server."""

from memdown.index.postgres.store import PostgresStore, create

__all__ = ["PostgresStore", "create"]
