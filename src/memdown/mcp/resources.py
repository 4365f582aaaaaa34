"""Notes as MCP resources: their addresses, and the list of them in pages."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from memdown.config import Settings
from memdown.errors import PathRefused
from memdown.notes import scan
from memdown.opening import open_notes

PAGE = 200
_PREFIX = "memory:///"


@dataclass(frozen=True, slots=True)
class NoteResource:
    """A note that a client can read."""

    path: str
    size: int

    @property
    def uri(self) -> str:
        return _PREFIX + quote(self.path)


def note_page(settings: Settings, cursor: str | None) -> tuple[list[NoteResource], str | None]:
    """One page of the notes and the cursor of the next one; a cursor is the last path of a page."""
    notes = scan(open_notes(settings)).files
    after = unquote(cursor) if cursor else ""
    rest = [NoteResource(path, state.size) for path, state in notes.items() if path > after]
    following = quote(rest[PAGE - 1].path) if len(rest) > PAGE else None
    return rest[:PAGE], following


def note_path(uri: str) -> str:
    """The path of the note that an address names."""
    if not uri.startswith(_PREFIX):
        raise PathRefused(
            f"{uri[:200]} is not the address of a note; notes are {_PREFIX}MEMORY.md and the like."
        )
    return unquote(uri.removeprefix(_PREFIX))
