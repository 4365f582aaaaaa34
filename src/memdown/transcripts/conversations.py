"""An agent's transcripts as a source of the index: opt-in, and not at every word that is said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memdown.types import Failure, FileState

if TYPE_CHECKING:
    from memdown.transcripts import Portion

DEBOUNCE_SECONDS = 5.0


def sessions_folder(state_dir: Path, agent: str) -> Path:
    """Where the conversations of one agent are; no agent looks into another's."""
    return state_dir / "agents" / agent / "sessions"


class Conversations:
    """The transcripts in one folder; none at all unless `enabled`.

    A conversation that goes on is indexed in the background only once `delta_bytes` or
    `delta_messages` were added, and not sooner than 5 s after that was noticed. A search or a new
    session does not wait for that.

    Transcripts are loaded when they are needed: most memories have none, and start faster so.
    """

    def __init__(
        self,
        folder: Path,
        *,
        enabled: bool,
        delta_bytes: int,
        delta_messages: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.enabled = enabled
        self._delta_bytes = delta_bytes
        self._delta_messages = delta_messages
        self._clock = clock
        self._noticed: dict[str, float] = {}

    def scan(self) -> tuple[dict[str, FileState], tuple[Failure, ...]]:
        """The transcripts there are, as far as they count, and what could not be looked at."""
        if not self.enabled:
            return {}, ()
        from memdown.transcripts import scan_transcripts

        found = scan_transcripts(self.folder)
        return found.files, found.problems

    def portions(self, state: FileState, known: FileState | None) -> Iterator[Portion]:
        """What a transcript has beyond what is known of it, a part at a time."""
        from memdown.transcripts import read_portions

        return read_portions(str(self.folder), state, known)

    def settled(self, state: FileState, known: FileState | None) -> bool:
        """Whether a transcript that changed has grown enough, for long enough, to be indexed."""
        if not self._grown(state, known):
            self._noticed.pop(state.path, None)
            return False
        now = self._clock()
        if now - self._noticed.setdefault(state.path, now) < DEBOUNCE_SECONDS:
            return False
        del self._noticed[state.path]
        return True

    def _grown(self, state: FileState, known: FileState | None) -> bool:
        from memdown.transcripts import added_messages, parse_mark

        mark = parse_mark(known.digest) if known else None
        added = state.size - (mark.offset if mark else 0)
        if added < 0 or added >= self._delta_bytes or not self._delta_messages:
            return True
        known = known or FileState(state.path, "sessions", 0, 0)
        return added_messages(str(self.folder), state, known, self._delta_messages) >= (
            self._delta_messages
        )
