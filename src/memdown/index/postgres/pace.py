"""How much of its work a search does where the server, or this machine, has too much to do.

A search has so many seconds for all that it asks the server. Who is late reads fewer candidates and leaves out
what an answer can do without, and says so. A process also learns from how long its last searches took: if
many wait for the same cores, only less work for each of them makes all of them faster.
"""

from __future__ import annotations

import threading
import time

# The share of its time that a search should take, its ranking included; below this one it may do more again.
_AIM, _QUICK = 0.5, 0.25
# How far one search lessens the work of the next, how fast work grows again, and the least of it.
_LESS, _MORE, _LEAST = 0.5, 1.5, 0.3
# With less work than this share, or of the time left, an answer is made of what was found first.
_HURRIED = 0.6


class Pace:
    """What the searches of one process learn of how fast they are. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._share = 1.0
        self._is_warm = False

    @property
    def share(self) -> float:
        """The share of its work that a search should do: 1 unless the last ones took long."""
        return self._share

    def learn(self, seconds: float, patience: float) -> None:
        """Note how long a search took that should take no longer than its patience.

        The first one of a process opens connections and reads what others find in memory: it tells nothing.
        """
        with self._lock:
            if not self._is_warm:
                self._is_warm = True
            elif seconds > _AIM * patience:
                less = max(_LESS, _AIM * patience / seconds)
                self._share = max(_LEAST, self._share * less)
            elif seconds < _QUICK * patience:
                self._share = min(1.0, self._share * _MORE)


class Clock:
    """The time of one search: what is left of it, and which share of the work fits into that."""

    def __init__(self, patience: float, pace: Pace) -> None:
        self._patience = patience
        self._pace = pace
        self._begun = time.monotonic()
        self._share = pace.share
        self.deadline = self._begun + patience

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.deadline

    @property
    def share(self) -> float:
        """The share of its work that a search should do from now on."""
        left = (self.deadline - time.monotonic()) / self._patience
        return max(_LEAST, min(self._share, left / _HURRIED))

    @property
    def is_hurried(self) -> bool:
        """Whether what an answer can do without should be left out."""
        return self.share < _HURRIED

    def stop(self) -> None:
        """The search is done: let others learn of it."""
        self._pace.learn(time.monotonic() - self._begun, self._patience)
