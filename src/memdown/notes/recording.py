"""What a sync reads of the notes goes into the journal, some notes at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from memdown.notes.journal import Journal

_MOST_WAITING: Final = 4 * 1024 * 1024


class Recorder:
    """Puts notes as a sync reads them into the journal, some at a time."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: dict[str, bytes | None] = {}
        self._read_at: dict[str, float] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def add(self, path: str, data: bytes, read_at: float) -> None:
        """A note as it was at a time, in seconds since 1970; it may have been written to since."""
        with self._lock:
            self._waiting[path] = data
            self._read_at[path] = read_at
            self._bytes += len(data)
            if self._bytes > _MOST_WAITING:
                self._flush(complete=False)

    def finish(self, gone: Sequence[str], *, complete: bool) -> None:
        """The sync is over: these notes are gone, and if it is `complete`, it read all others."""
        with self._lock:
            for path in gone:
                self._waiting.setdefault(path, None)
            if self._waiting:
                self._flush(complete=complete)

    def _flush(self, *, complete: bool) -> None:
        self._journal.observe(self._waiting, complete=complete, read_at=self._read_at)
        self._waiting = {}
        self._read_at = {}
        self._bytes = 0
