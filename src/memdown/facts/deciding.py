"""What a person decided about proposals: that all is well as it is, or that it can wait.

A small file beside the journal keeps digests of proposals and no words of the notes. If it is lost,
the proposals are shown again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memdown.errors import WorkspaceError
from memdown.files import locked, make_folder, replace_file

FOREVER: Final = float("inf")
_MOST_DECISIONS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Decisions:
    """The proposals that are not shown, each up to a time in seconds since 1970."""

    file: Path

    def hidden(self, now: float) -> frozenset[str]:
        """The keys of the proposals that are not shown now."""
        return frozenset(key for key, until in self._read().items() if until > now)

    def hide(self, key: str, until: float = FOREVER) -> None:
        """Do not show a proposal until then."""
        self._change(key, until)

    def show(self, key: str) -> None:
        """Show a proposal again."""
        self._change(key, None)

    def _change(self, key: str, until: float | None) -> None:
        make_folder(self.file.parent)
        with locked(self.file.with_suffix(".lock")) as is_mine:
            if not is_mine:
                raise WorkspaceError(
                    f"{self.file.name} is in use by another process; try again in a moment."
                )
            kept = self._read()
            kept.pop(key, None)
            if until is not None:
                kept[key] = until
            shown = {one: None if time == FOREVER else time for one, time in kept.items()}
            newest = dict(list(shown.items())[-_MOST_DECISIONS:])
            try:
                replace_file(self.file, json.dumps(newest).encode())
            except OSError as error:
                raise WorkspaceError(
                    f"{self.file} cannot be written ({error.strerror}); free some space or make its "
                    "folder writable, and try again."
                ) from None

    def _read(self) -> dict[str, float]:
        try:
            values = json.loads(self.file.read_bytes())
            return {
                str(key): FOREVER if until is None else float(until)
                for key, until in values.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
