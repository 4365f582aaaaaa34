"""Clients of LanceDB's engine process, in a process of their own, which may be killed in the middle."""

from __future__ import annotations

import contextlib
import os
import signal
from contextlib import closing
from pathlib import Path

from contracts.store_contract import PRINT, chunk, put, state, texts_found, unit, words
from memdown.index.lancedb import LanceStore, create
from waiting import eventually


def filled(folder: Path) -> LanceStore:
    """A store with one note."""
    made = create(folder)
    with made.writing(5.0) as acquired:
        assert acquired
        made.begin(PRINT)
        put_note(made, "alpha")
    return made


def put_note(store: LanceStore, text: str) -> None:
    put(store, state(f"{text}.md"), [chunk(f"{text}.md", 1, [text])], unit(1, 0, 0, 0))


def search_in(store: LanceStore) -> list[str]:
    return texts_found(store, words("alpha"))


def search(folder: Path) -> None:
    """Search once."""
    with closing(create(folder)) as store:
        assert search_in(store) == ["alpha"]


def search_on(folder: Path, told: Path) -> None:
    """Search in a process group of its own until it is interrupted; `told` says that it has begun."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with closing(create(folder)) as store, contextlib.suppress(KeyboardInterrupt):
        while True:
            assert search_in(store) == ["alpha"]
            told.touch()


def write_on(folder: Path, signs: Path) -> None:
    """Be the one writer, with the sign `told`, and make an index when there is the sign `go`.

    The sign `asking` comes right before that.
    """
    with closing(create(folder)) as store, store.writing(60.0) as acquired:
        assert acquired
        with store._database.using() as db:
            name = store._database.live(db).table
            # Connected already, so that nothing but the index is left to ask for.
            db.delete(name, "false")
            (signs / "told").touch()
            eventually((signs / "go").exists)
            (signs / "asking").touch()
            db.index(name, "key", "keys")
