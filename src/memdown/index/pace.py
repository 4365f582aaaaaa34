"""How much of its work a search does where the server, or this machine, has too much to do.

A search has so many seconds. Who is late reads fewer candidates and leaves out what an answer can do without,
and says so. A process also learns from how long its last searches took, and what of it came after their candidates
were found: if many wait for the same cores, only less work for each of them makes all of them faster.
"""

from __future__ import annotations

import threading
import time

# The share of its time that a search should take, its ranking included.
_AIM = 0.6
# How far one search changes the work of the next, and the least of it.
_LESS, _MORE, _LEAST = 0.5, 1.5, 0.3
# With less work than this share, or of the time left, an answer is made of what was found first.
_HURRIED = 0.6
# How much of what came after the candidates counts for the next search, and the least time for candidates.
_LATEST, _LEAST_TIME = 0.3, 0.4


class Pace:
    """What the searches of one process learn of how fast they are. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._share = 1.0
        self._rest = 0.0
        self._is_warm = False

    @property
    def share(self) -> float:
        """The share of its work that a search should do: 1 unless the last ones took long."""
        return self._share

    def time_for_candidates(self, patience: float) -> float:
        """How many seconds a search has to find candidates: what comes after them needs its time as well."""
        return max(_LEAST_TIME * patience, patience - self._rest)

    def learn(self, seconds: float, rest: float, patience: float) -> None:
        """Note how long a search took that should take no longer than its patience; the `rest` of it after its
        candidates were found.

        The first one of a process opens connections and reads what others find in memory: it tells nothing.
        """
        with self._lock:
            if not self._is_warm:
                self._is_warm = True
                return
            self._rest += _LATEST * (rest - self._rest)
            change = _AIM * patience / max(seconds, 1e-6)
            self._share = min(1.0, max(_LEAST, self._share * min(_MORE, max(_LESS, change))))


class Clock:
    """The time of one search: what is left of it, and which share of the work fits into that.

    At the `deadline`, a time of the monotonic clock, candidates that are not there yet are given up.
    """

    def __init__(self, patience: float, pace: Pace) -> None:
        self._patience = patience
        self._pace = pace
        self._begun = self._found = time.monotonic()
        self._share = pace.share
        self.deadline = self._begun + pace.time_for_candidates(patience)

    @property
    def share(self) -> float:
        """The share of its work that a search should do from now on."""
        left = (self._begun + self._patience - time.monotonic()) / self._patience
        return max(_LEAST, min(self._share, left / _HURRIED))

    @property
    def is_hurried(self) -> bool:
        """Whether what an answer can do without should be left out."""
        return self.share < _HURRIED

    def note_candidates(self) -> None:
        """Candidates are found: what follows is the rest, unless others are looked for."""
        self._found = time.monotonic()

    def stop(self) -> None:
        """The search is done: let others learn of it."""
        now = time.monotonic()
        self._pace.learn(now - self._begun, now - self._found, self._patience)
