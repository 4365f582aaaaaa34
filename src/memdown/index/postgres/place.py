"""Where rows are read or written: a connection, a schema, and whose rows of which generation."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from memdown.index.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Place:
    """One generation of one agent's index, seen through one connection."""

    db: Connection
    schema: str
    agent: str
    generation: int

    @property
    def owner(self) -> tuple[str, int]:
        """The first two columns of every row."""
        return self.agent, self.generation

    def sql(self, statement: str) -> sql.Composed:
        """A statement in which `{s}` stands for the schema."""
        return sql.SQL(statement).format(s=sql.Identifier(self.schema))
