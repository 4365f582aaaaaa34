"""Rebuilding beside the live index: a second set of tables, swapped in whole or dropped."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from memdown.files.failpoints import reach
from memdown.index.sqlite import vectors
from memdown.index.sqlite.connection import run, transaction
from memdown.index.sqlite.schema import (
    GENERATION,
    LIVE,
    NEXT,
    OLD,
    create_generation,
    table_names,
)
from memdown.index.sqlite.tables import next_revision, write_fingerprint
from memdown.types import Fingerprint


def begin(db: apsw.Connection) -> None:
    """Empty `next_` tables, after clearing what a killed rebuild left."""
    clear_leftovers(db)
    with transaction(db):
        create_generation(db, NEXT)


def publish(db: apsw.Connection, fingerprint: Fingerprint) -> None:
    """Make the `next_` tables the live ones in one step; readers see the old or the new ones."""
    with transaction(db):
        _rename(db, LIVE, OLD)
        _rename(db, NEXT, LIVE)
        write_fingerprint(db, fingerprint)
        next_revision(db)
        vectors.forget_strays(db)
        reach("rebuild.in_flip")
    reach("rebuild.after_flip")
    clear_leftovers(db)


def has_leftovers(db: apsw.Connection) -> bool:
    """Whether there are tables of a rebuild that is going on, or that was killed."""
    return any(True for prefix in (NEXT, OLD) for _ in _existing(db, prefix))


def clear_leftovers(db: apsw.Connection) -> None:
    """Drop the tables of a finished or killed rebuild, each in a short transaction."""
    for prefix in (NEXT, OLD):
        for table in sorted(_existing(db, prefix)):
            with transaction(db):
                if table == "chunks_vec":
                    vectors.drop(db, prefix)
                else:
                    run(db, f"DROP TABLE IF EXISTS {prefix}{table}")
                reach("rebuild.clearing")


def _rename(db: apsw.Connection, old: str, new: str) -> None:
    for table in _existing(db, old):
        if table == "chunks_vec":
            vectors.rename(db, old, new)
        else:
            run(db, f"ALTER TABLE {old}{table} RENAME TO {new}{table}")


def _existing(db: apsw.Connection, prefix: str) -> Iterator[str]:
    names = table_names(db)
    return (table for table in GENERATION if prefix + table in names)
