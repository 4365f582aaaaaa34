"""The notes of a workspace as lines, for questions about them; a bad file stops nothing."""

from __future__ import annotations

from dataclasses import dataclass

from memdown.errors import WorkspaceError
from memdown.memory import Memory
from memdown.types import Failure


@dataclass(frozen=True, slots=True)
class OwnNotes:
    """The lines of every note that can be read, and why the others cannot."""

    lines: dict[str, list[str]]
    unreadable: tuple[Failure, ...]


def read_own_notes(memory: Memory) -> OwnNotes:
    """Read every note of a workspace."""
    lines: dict[str, list[str]] = {}
    unreadable: list[Failure] = []
    for path in memory.notes().files:
        try:
            lines[path] = memory.notebook.read(path).text.split("\n")
        except WorkspaceError as error:
            unreadable.append(Failure(path, str(error)))
    return OwnNotes(lines, tuple(unreadable))
