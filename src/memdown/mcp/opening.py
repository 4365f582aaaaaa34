"""The memory behind a server, opened when it is first needed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from memdown.config import Settings
from memdown.errors import MemdownError

if TYPE_CHECKING:
    from memdown.backends.ltm import LongTermMemory
    from memdown.memory import Memory


class LazyMemory:
    """Opens a memory once. What keeps it from opening is told to whoever asks, each time anew:

    a server that does not start tells its user nothing, and the workspace may be made meanwhile.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._long_term: LongTermMemory | None = None
        self._closed = False

    def open(self) -> Memory:
        """The memory; opening it loads what `memdown --help` must not."""
        with self._lock:
            if self._closed:
                raise MemdownError("The server is shutting down; connect again.")
            if self._memory is None:
                from memdown.memory import Memory

                self._memory = Memory.from_settings(self._settings)
            return self._memory

    def long_term(self) -> LongTermMemory:
        """The single memories of the plugin `memory-lancedb`, which need no workspace."""
        with self._lock:
            if self._long_term is None:
                from memdown.opening import open_long_term

                self._long_term = open_long_term(self._settings)
            return self._long_term

    def warm_up(self) -> None:
        """Open the memory and tell it that a session starts."""
        self.open().start_session()

    def close(self) -> None:
        """Close the memory if it is open."""
        with self._lock:
            self._closed = True
            if self._memory is not None:
                self._memory.close()
                self._memory = None
