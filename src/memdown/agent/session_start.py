"""What an agent knows when a session begins: in private what MEMORY.md says, and two daily logs."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from memdown.agent.answers import RECALLED, framed, one_line
from memdown.agent.provenance import persons_lines
from memdown.agent.standing import holds, needed_room, standing
from memdown.errors import NoteNotFound, WorkspaceError
from memdown.notes import daily_note
from memdown.types import Excerpt

DEFAULT_BUDGET = 20_000
# What a client puts into the context of what a hook says; of more, Claude Code (2.1) shows the
# first 2,000 characters and the name of a file. The others take at least as much.
CLIENT_BUDGET = 9_500
CURATED_NOTE = "MEMORY.md"
_HEADING = f"## Memory at the start of this session\n{RECALLED}"


class Notes(Protocol):
    """Anything that can read a note, such as `Memory`."""

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt: ...


@dataclass(frozen=True, slots=True)
class _Shown:
    """A note as it is shown in some room, and what of it is not, in words."""

    text: str
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A note of the context; `show` cuts it to some number of characters."""

    path: str
    size: int
    show: Callable[[int], _Shown]


def session_context(
    notes: Notes,
    *,
    private: bool = True,
    today: datetime.date | None = None,
    budget: int = DEFAULT_BUDGET,
) -> str:
    """The notes to put before a new session, `budget` characters at most with all around them.

    "" if there are none. `private` is for a session with the owner alone; in a group MEMORY.md is
    left out. Of MEMORY.md only what holds today is given, and where that does not fit the newest
    before the rest; logs lose their oldest lines. The last line says what is left out. Of the
    digests in a log only what a person said is given: an assistant may have repeated what a web
    page told it to do.
    """
    day = today or datetime.date.today()  # noqa: DTZ011
    yesterday = day - datetime.timedelta(days=1)
    wanted = [CURATED_NOTE] * private + [daily_note(yesterday), daily_note(day)]
    parts, problems = [], []
    for path in wanted:
        try:
            excerpt = notes.get(path)
        except NoteNotFound:
            continue
        except WorkspaceError as error:
            problems.append(f"(not read: {one_line(str(error))})")
            continue
        if excerpt.text.strip():
            parts.append(_part(excerpt, day))
    if not parts and not problems:
        return ""
    room = budget
    # Frames, marks and escaped characters take room, too: what is too much is taken off.
    for _ in range(8):
        text = _assembled(parts, problems, room)
        excess = length(text) - budget
        if excess <= 0 or room <= 0:
            break
        room -= excess + 20
    return text


def length(text: str) -> int:
    """How long a text is for programs in JavaScript, which count UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def fair_shares(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    """Divide a budget: small ones get all they need, the large ones share what is left."""
    shares = {}
    left = max(0, budget)
    for count, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: item[1])):
        shares[name] = min(size, left // (len(sizes) - count))
        left -= shares[name]
    return shares


def _assembled(parts: list[_Part], problems: list[str], room: int) -> str:
    shares = fair_shares({part.path: part.size for part in parts}, room)
    pieces, missing = [_HEADING], []
    for part in parts:
        shown = part.show(shares[part.path])
        path = one_line(part.path).replace('"', "'")
        if shown.text:
            text = framed(shown.text)
            pieces.append(f'<recalled-memory path="{path}">\n{text}\n</recalled-memory>')
        if shown.left_out:
            missing.append(f"{shown.left_out} of {path}")
    left_out = [f"[left out here: {'; '.join(missing)}]"] if missing else []
    return "\n\n".join([*pieces, *problems, *left_out])


def _part(excerpt: Excerpt, today: datetime.date) -> _Part:
    if excerpt.path.lower() == CURATED_NOTE.lower():
        return _curated(excerpt, today)
    lines = excerpt.text.split("\n")
    kept, others = persons_lines(lines)
    numbered = [(number, line) for number, line in kept if holds(line, today)]
    said = [line for _, line in numbered]
    size = sum(len(line) + 1 for line in said)

    def show(room: int) -> _Shown:
        last = _last_lines(said, room)
        missing = []
        if first := len(said) - len(last):
            until = numbered[first][0] - 1 if last else len(lines)
            missing.append(f"lines 1 to {until} (memory_get reads them)")
        if others:
            missing.append(f"{others} lines that no person said")
        return _Shown("\n".join(last).strip("\n"), " and ".join(missing))

    return _Part(excerpt.path, size, show)


def _curated(excerpt: Excerpt, today: datetime.date) -> _Part:
    def show(room: int) -> _Shown:
        found = standing(excerpt.text, today, room)
        missing = []
        if found.no_room:
            missing.append(f"{found.no_room} older facts (memory_search finds them)")
        if found.past:
            missing.append(f"{found.past} that no longer hold")
        return _Shown(found.text, " and ".join(missing))

    return _Part(excerpt.path, needed_room(excerpt.text, today), show)


def _last_lines(lines: list[str], room: int) -> list[str]:
    total = kept = 0
    for line in reversed(lines):
        total += len(line) + 1
        if total > room + 1:
            break
        kept += 1
    return lines[len(lines) - kept :]
