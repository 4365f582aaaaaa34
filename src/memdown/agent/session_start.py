"""What an agent knows when a session begins: the last two daily logs and, in private, MEMORY.md."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memdown.agent.framing import RECALLED, framed, one_line
from memdown.agent.provenance import persons_lines
from memdown.errors import NoteNotFound, WorkspaceError
from memdown.notes import daily_note
from memdown.types import Excerpt

DEFAULT_BUDGET = 20_000
CURATED_NOTE = "MEMORY.md"
_OTHERS = "[… {} lines that no person said are left out here; memory_get reads them]"
_HEADING = f"## Memory at the start of this session\n{RECALLED}"


class Notes(Protocol):
    """Anything that can read a note, such as `Memory`."""

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt: ...


@dataclass(frozen=True, slots=True)
class _Part:
    """A note of the context; logs lose their oldest lines first, MEMORY.md its last ones.

    `lines` are those that may be shown, with their numbers; `total` is how many the note has.
    """

    path: str
    lines: list[tuple[int, str]]
    total: int
    keep_end: bool
    left_out: int = 0

    @property
    def size(self) -> int:
        return sum(len(line) + 1 for _, line in self.lines)


def session_context(
    notes: Notes,
    *,
    private: bool = True,
    today: datetime.date | None = None,
    budget: int = DEFAULT_BUDGET,
) -> str:
    """The notes to put before a new session, at most `budget` characters of them; "" if none.

    `private` is for a session with the owner alone; in a group MEMORY.md is left out. A note that
    does not fit is cut at a line, with a mark that says what is missing. Of the digests in a log
    only what a person said is given: an assistant may have repeated what a web page told it to do.
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
            problems.append(f"(not read: {one_line(str(error))})")
            continue
        if excerpt.text.strip():
            parts.append(_part(excerpt, keep_end))
    if not parts and not problems:
        return ""
    shares = fair_shares({part.path: part.size for part in parts}, budget)
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


def _part(excerpt: Excerpt, is_log: bool) -> _Part:
    lines = excerpt.text.split("\n")
    if not is_log:
        return _Part(excerpt.path, list(enumerate(lines, start=1)), len(lines), keep_end=False)
    kept, left_out = persons_lines(lines)
    return _Part(excerpt.path, kept, len(lines), keep_end=True, left_out=left_out)


def _shown(part: _Part, share: int) -> str:
    first, last = _kept([line for _, line in part.lines], share, part.keep_end)
    shown = part.lines[first:last]
    text = framed("\n".join(line for _, line in shown))
    path = one_line(part.path).replace('"', "'")
    before = _mark(path, 1, shown[0][0] - 1 if shown else part.total) if first else ""
    after = _mark(path, shown[-1][0] + 1 if shown else 1, part.total) if _cut(part, last) else ""
    others = _OTHERS.format(part.left_out) if part.left_out else ""
    inner = "\n".join(piece for piece in (before, text, after, others) if piece)
    return f'<recalled-memory path="{path}">\n{inner}\n</recalled-memory>'


def _cut(part: _Part, last: int) -> bool:
    return last < len(part.lines)


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
