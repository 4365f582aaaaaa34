"""A rebuild of an index by a process of its own, which may be killed in the middle."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from contracts.store_contract import PRINT, chunk, put, state, unit
from forked import Forked
from memdown.files import VARIABLE
from memdown.index.store import Store


def rebuild_lancedb(folder: Path) -> None:
    from memdown.index.lancedb import create

    with closing(create(folder)) as store:
        _rebuild(store)


def rebuild_postgres(url: str, agent: str) -> None:
    from memdown.index.postgres import create

    with closing(create(url, agent=agent)) as store:
        _rebuild(store)


def _rebuild(store: Store) -> None:
    with store.writing(60.0) as acquired:
        assert acquired
        with store.rebuild(PRINT) as writer:
            for n in range(3):
                path = f"new-{n}.md"
                put(writer, state(path), [chunk(path, 1, ["gamma"])], unit(0, 1, 0, 0))


def rebuilding(engine: str, *place: object, output: Path, failpoint: str = "") -> Forked:
    """A process that rebuilds an index of this engine."""
    work: Callable[..., None] = rebuild_lancedb if engine == "lancedb" else rebuild_postgres
    environ = {**os.environ, VARIABLE: failpoint}
    load = f"memdown.index.{engine}"
    return Forked(work, *place, output=output, environ=environ, load=(load,))
