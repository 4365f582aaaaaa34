"""Who may write to a database that several machines share: one row, held for a while at a time.

A file lock ends at the machine. Here the holder writes its name and an end into a table; whoever
finds the end passed may take over, and LanceDB lets only one of two that try at once succeed.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from typing import Any

import pyarrow as pa

from memdown.errors import IndexBusy
from memdown.index.lancedb.connection import opened

NAME = "writer"
SECONDS = 60.0
_POLL_SECONDS = 0.2
_SCHEMA = pa.schema([("name", pa.string()), ("owner", pa.string()), ("until", pa.float64())])


class Lease:
    """The right to write, of one store."""

    def __init__(self) -> None:
        self._owner = str(uuid.uuid4())
        self._until = 0.0

    def take(self, db: Any, timeout: float) -> bool:
        """Become the holder; False when another still is after `timeout`."""
        deadline = time.monotonic() + timeout
        while not self._try(db, f"owner = '' OR until < {time.time()}"):
            if time.monotonic() >= deadline:
                return False
            time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        return True

    def keep(self, db: Any) -> None:
        """Stay the holder; an error if it took so long that another may be writing by now."""
        if self._until - time.time() > SECONDS / 2:
            return
        if not self._try(db, f"owner = '{self._owner}'"):
            raise IndexBusy(
                "Writing took so long that another machine may have taken over; what was written "
                "is kept, run `memdown index` again."
            )

    def give_back(self, db: Any) -> None:
        """Let others write."""
        table = opened(db, NAME)
        if table is not None:
            table.update(where=f"owner = '{self._owner}'", values={"owner": "", "until": 0.0})
        self._until = 0.0

    def _try(self, db: Any, where: str) -> bool:
        table = db.create_table(NAME, schema=_SCHEMA, exist_ok=True)
        if not table.count_rows():
            row = pa.table({"name": ["live"], "owner": [""], "until": [0.0]}, schema=_SCHEMA)
            merge = table.merge_insert("name").when_not_matched_insert_all()
            merge.execute(row)
        until = time.time() + SECONDS
        # Of two that write at once, one is told of a conflict; what stands there then decides.
        with contextlib.suppress(RuntimeError, OSError, ValueError):
            table.update(where=where, values={"owner": self._owner, "until": until})
        table.checkout_latest()
        holders = table.to_arrow().to_pylist()
        if len(holders) == 1 and holders[0]["owner"] == self._owner:
            self._until = float(holders[0]["until"])
            return self._until > time.time()
        return False
