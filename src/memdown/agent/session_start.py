"""What an agent knows when a session begins: the last two daily logs and, in private, MEMORY.md."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memdown.agent.framing import RECALLED, framed
from memdown.errors import NoteNotFound, WorkspaceError
from memdown.types import Excerpt
from memdown.workspace import daily_note

DEFAULT_BUDGET = 20_000
CURATED_NOTE = "MEMORY.md"
_HEADING = f"## Memory at the start of this session\n{RECALLED}"


class Notes(Protocol):
    """Anything that can read a note, such as `Memory`."""

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt: ...


@dataclass(frozen=True, slots=True)
class _Part:
    """A note of the context; logs lose their oldest lines first, MEMORY.md its last ones."""

    path: str
    text: str
    keep_end: bool


def session_context(
    notes: Notes,
    *,
    private: bool = True,
    today: datetime.date | None = None,
    budget: int = DEFAULT_BUDGET,
) -> str:
    """The notes to put before a new session, at most `budget` characters of them; "" if none.

    `private` is for a session with the owner alone; in a group MEMORY.md is left out. A note that
    does not fit is cut at a line, with a mark that says what is missing.
    """
    day = today or datetime.date.today()  # noqa: DTZ011
    wanted = [
        (daily_note(day - datetime.timedelta(days=1)), True),
        (daily_note(day), True),
    ]
    if private:
        wanted.insert(0, (CURATED_NOTE, False))
    parts, problems = [], []
    for path, keep_end in wanted:
        try:
            excerpt = notes.get(path)
        except NoteNotFound:
            continue
        except WorkspaceError as error:
            problems.append(f"(not read: {error})")
            continue
        if excerpt.text.strip():
            parts.append(_Part(excerpt.path, excerpt.text, keep_end))
    if not parts and not problems:
        return ""
    shares = fair_shares({part.path: len(part.text) for part in parts}, budget)
    shown = [_shown(part, shares[part.path]) for part in parts]
    return "\n\n".join([_HEADING, *shown, *problems])


def fair_shares(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    """Divide a budget: small ones get all they need, the large ones share what is left."""
    shares = {}
    left = max(0, budget)
    for count, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: item[1])):
        shares[name] = min(size, left // (len(sizes) - count))
        left -= shares[name]
    return shares


def _shown(part: _Part, share: int) -> str:
    lines = part.text.split("\n")
    first, last = _kept(lines, share, part.keep_end)
    text = framed("\n".join(lines[first:last]))
    before = _mark(part.path, 1, first) if first else ""
    after = _mark(part.path, last + 1, len(lines)) if last < len(lines) else ""
    inner = "\n".join(piece for piece in (before, text, after) if piece)
    return f'<recalled-memory path="{part.path}">\n{inner}\n</recalled-memory>'


def _kept(lines: list[str], share: int, keep_end: bool) -> tuple[int, int]:
    """Which lines, from and to, fit into the share."""
    total = kept = 0
    for line in reversed(lines) if keep_end else lines:
        total += len(line) + 1
        if total > share + 1:
            break
        kept += 1
    return (len(lines) - kept, len(lines)) if keep_end else (0, kept)


def _mark(path: str, first: int, last: int) -> str:
    return f"[… lines {first} to {last} of {path} are left out here; memory_get reads them]"
