"""A LanceDB database, and its errors as ours."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from typing import Any

import lancedb

from memdown.errors import DiskFull, StoreError

# Old versions are kept for searches that still read them.
KEPT_FOR = datetime.timedelta(minutes=2)


def connect(place: str) -> Any:
    """The database in a folder or at an address such as `s3://bucket/memory`."""
    # Every read sees what other processes have written.
    return lancedb.connect(place, read_consistency_interval=datetime.timedelta(0))


def table_names(db: Any) -> set[str]:
    """The tables there are."""
    names: set[str] = set()
    token = None
    while True:
        page = db.list_tables(page_token=token)
        names |= set(page.tables)
        token = page.page_token
        if not token:
            return names


def opened(db: Any, name: str) -> Any:
    """A table by its name; None if there is none."""
    try:
        return db.open_table(name)
    except (ValueError, FileNotFoundError) as error:
        if "not found" in str(error).lower():
            return None
        raise


@contextlib.contextmanager
def mapped(place: str) -> Iterator[None]:
    """Turns the errors of a block into ours; LanceDB tells them apart by their text only."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        text = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        if "No space left" in str(error):
            raise DiskFull(
                f"No space left for the index {place}; free some and run `memdown index` again "
                "(your notes are untouched)."
            ) from error
        raise StoreError(
            f"The index {place} cannot be used ({text}); check the address and its permissions, "
            "or make it anew with `memdown index --force`."
        ) from error
