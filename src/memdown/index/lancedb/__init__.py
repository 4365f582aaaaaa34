"""LanceDB as a store: a folder or object storage, read by many."""

import os

# Every thread of LanceDB keeps for itself what it has freed, and it begins dozens (docs/scaling.md has figures). It
# reads this when it is loaded; a value that is set already stays.
for _name in ("LANCE_CPU_THREADS", "LANCE_IO_THREADS"):
    os.environ.setdefault(_name, "2")

from memdown.index.lancedb.store import LanceStore, create  # noqa: E402

__all__ = ["LanceStore", "create"]
