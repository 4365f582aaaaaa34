"""Notes that could not be read: not tried again at every search, but when they change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from memdown.types import Failure, FileState

_AGAIN_SECONDS = 60.0


class Unreadable:
    """What failed, in which state of the file, and when."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, tuple[FileState, Failure, float]] = {}

    def note(
        self, tried: Iterable[str], states: Mapping[str, FileState], failures: Iterable[Failure]
    ) -> None:
        """Remember what failed among the files that were tried, and forget the rest of them."""
        for path in tried:
            self._failed.pop(path, None)
        for failure in failures:
            if failure.path in states:
                self._failed[failure.path] = (states[failure.path], failure, self._clock())

    def failure(self, state: FileState) -> Failure | None:
        """Why this file need not be tried now; None if it is worth a try."""
        known = self._failed.get(state.path)
        if known is None or not known[0].same_stat(state):
            return None
        return known[1] if self._clock() - known[2] < _AGAIN_SECONDS else None
