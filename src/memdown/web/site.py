"""What every page and every call works on: one memory, and what the server may do with it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.web.atlas import Atlases
from memdown.web.guard import Access
from memdown.web.jobs import SyncJob


class ReadOnly(MemdownError):
    """The server was started with --read-only."""


@dataclass(slots=True)
class Site:
    """One running server."""

    memory: Memory
    access: Access
    read_only: bool = False
    atlases: Atlases = field(init=False)
    job: SyncJob = field(init=False)

    def __post_init__(self) -> None:
        self.atlases = Atlases(self.memory)
        self.job = SyncJob(self.memory)

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.memory.settings.workspace

    def today(self) -> datetime.date:
        """The local date, in which daily logs are written."""
        return datetime.date.today()  # noqa: DTZ011

    def check_writable(self) -> None:
        """Refuse a change in read-only mode."""
        if self.read_only:
            raise ReadOnly("This page is read-only; start `memdown serve` without --read-only.")

    def known(self) -> Known:
        """Tells which paths are notes, looking them up once."""
        return Known(self.memory)


class Known:
    """Whether a path is a note; each is looked at once, because a scan of all would take longer."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._seen: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        if path not in self._seen:
            try:
                self._memory.get(path, lines=1)
            except MemdownError:
                self._seen[path] = False
            else:
                self._seen[path] = True
        return self._seen[path]
