"""Where rows are read or written: a connection, a schema, and whose rows of which generation."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from memdown.index.postgres.connection import Connection

# Tables that every shelf has; a shelf is a set of tables, shared by agents or of one generation.
SHELF_TABLES = ("files", "chunks", "postings", "vectors")


@dataclass(frozen=True, slots=True)
class Place:
    """One generation of one agent's index, seen through one connection.

    Statements name the tables of its shelf, never a parent of all: no plan can lock other agents'.
    With `has_vectors` the server can compare its vectors.
    """

    db: Connection
    schema: str
    agent: str
    generation: int = 0
    shelf: str = ""
    has_vectors: bool = False

    def sql(self, statement: str) -> sql.Composed:
        """A statement in which `{s}` stands for the schema and `{files}` … for the shelf's tables."""
        tables = {
            name: sql.Identifier(self.schema, f"{name}_{self.shelf}") for name in SHELF_TABLES
        }
        return sql.SQL(statement).format(s=sql.Identifier(self.schema), **tables)

    @property
    def is_own_shelf(self) -> bool:
        """Whether its tables hold nothing else."""
        return self.shelf.startswith("own")
