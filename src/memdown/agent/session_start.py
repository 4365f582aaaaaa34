"""What an agent knows when a session begins: in private what MEMORY.md says, and two daily logs."""

from __future__ import annotations

import datetime
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from memdown.agent.answers import RECALLED, framed, one_line
from memdown.agent.provenance import persons_lines
from memdown.errors import MemdownError, NoteNotFound, WorkspaceError
from memdown.types import Excerpt

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.memory import Memory
    from memdown.notes import Workspace

_HEADING_LINE = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_BULLET = re.compile(r"([ \t]*)(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_STRUCK = re.compile(r"~~.+~~(?:\s*(?:\([^()]*\)|[·;,]|~~.+?~~))*\s*\.?$")
_TAIL = re.compile(r"\(([^()]*)\)\s*$")
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_UNTIL = re.compile(r"(?:\buntil|\bto)\s+(\d{4}-\d{2}-\d{2})\b")
# People put what matters most at the top of a note: so much of the room is for that.
_TOP_SHARE = 0.25
_USED_SHARE = 0.25
_NEVER: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True)
class NoteBlock:
    """Some lines that belong together, the headings above them, and the day they are dated."""

    line: int
    text: str
    headings: tuple[str, ...] = ()
    date: datetime.date | None = None
    holds: bool = True
    used: float = 0.0

    @property
    def size(self) -> int:
        """How many characters it takes, its line end included."""
        return len(self.text) + 1


@dataclass(frozen=True, slots=True)
class Standing:
    """What is shown of a note, how much of it, and how much is not.

    `no_room` are blocks that hold but do not fit, `past` those that no longer hold.
    """

    text: str
    shown: int = 0
    no_room: int = 0
    past: int = 0


def standing(
    text: str, today: datetime.date, room: int, used: Mapping[int, float] = _NEVER
) -> Standing:
    """The facts of a note that hold today, in at most `room` characters.

    Where they do not all fit, a quarter of the room is for the top of the note, a quarter for what
    was used most (`used`: how much, by line), and the rest for what is newest: by its date, else by
    its place, since notes are added at the end.
    """
    blocks = [
        replace(block, used=used.get(block.line, 0.0)) if used else block
        for block in blocks_of(text, today)
    ]
    current = [block for block in blocks if block.holds]
    chosen = _fitting(current, room)
    return Standing(
        _shown(chosen), len(chosen), len(current) - len(chosen), len(blocks) - len(current)
    )


def needed_room(text: str, today: datetime.date) -> int:
    """How many characters it takes to show all that holds today."""
    return _needed([block for block in blocks_of(text, today) if block.holds])


def _needed(blocks: Sequence[NoteBlock]) -> int:
    headings = {title for block in blocks for title in block.headings}
    return sum(block.size + 1 for block in blocks) + sum(len(title) + 2 for title in headings)


def blocks_of(text: str, today: datetime.date) -> Iterator[NoteBlock]:
    """The blocks of a note in order; in each, nested lines that no longer hold are left out."""
    from memdown.notes.document import read_front_matter

    lines = text.split("\n")
    at = read_front_matter(lines).lines
    above: list[tuple[int, str]] = []
    while at < len(lines):
        line = lines[at].rstrip()
        heading = _HEADING_LINE.match(line)
        if not line:
            at += 1
        elif heading:
            level = len(heading[1])
            above = [*(one for one in above if one[0] < level), (level, line.strip())]
            at += 1
        else:
            end = _block_end(lines, at)
            yield _block(lines[at:end], at + 1, tuple(title for _, title in above), today)
            at = end


def holds(line: str, today: datetime.date) -> bool:
    """Whether a line is true today: not struck through, and not past the day it is dated to."""
    bullet = _BULLET.fullmatch(line.rstrip())
    said = bullet[2] if bullet else line.strip()
    if _STRUCK.fullmatch(said):
        return False
    tail = _TAIL.search(said)
    last = _UNTIL.search(tail[1]) if tail else None
    day = _parsed(last[1]) if last else None
    return day is None or day >= today


def dated(line: str) -> datetime.date | None:
    """The day in the parenthesis at the end of a line; None if there is none."""
    tail = _TAIL.search(line)
    found = _DAY.search(tail[1]) if tail else None
    return _parsed(found[0]) if found else None


def _parsed(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def _block(
    lines: Sequence[str], number: int, headings: tuple[str, ...], today: datetime.date
) -> NoteBlock:
    first = lines[0]
    if _FENCE.match(first):
        return NoteBlock(number, "\n".join(lines).rstrip(), headings)
    kept = [first]
    dropped: int | None = None
    for line in lines[1:]:
        bullet = _BULLET.match(line)
        indent = len(line) - len(line.lstrip())
        if dropped is not None and line.strip() and indent > dropped:
            continue
        dropped = indent if bullet and not holds(line, today) else None
        if dropped is None:
            kept.append(line)
    text = "\n".join(kept).rstrip()
    # A paragraph of several lines says more than the date at its end.
    one = bool(_BULLET.match(first)) or len(kept) == 1
    return NoteBlock(number, text, headings, dated(first) if one else None, holds(first, today))


def _block_end(lines: Sequence[str], start: int) -> int:
    """Where the block that begins here ends: before the next bullet on its level, blank or heading."""
    fence = _FENCE.match(lines[start])
    bullet = _BULLET.match(lines[start])
    at = start + 1
    if fence:
        while at < len(lines) and not lines[at].lstrip().startswith(fence[1]):
            at += 1
        return min(at + 1, len(lines))
    while at < len(lines):
        line = lines[at]
        if _HEADING_LINE.match(line):
            break
        if not line.strip():
            if not bullet or not _goes_on(lines, at, len(bullet[1])):
                break
        elif _begins_anew(line, bullet):
            break
        at += 1
    return at


def _begins_anew(line: str, bullet: re.Match[str] | None) -> bool:
    """Whether a line is a bullet on the same level; below a paragraph, any bullet or code."""
    other = _BULLET.match(line)
    if bullet is None:
        return bool(other or _FENCE.match(line))
    return other is not None and len(other[1]) <= len(bullet[1])


def _goes_on(lines: Sequence[str], blank: int, indent: int) -> bool:
    """Whether a bullet goes on behind a blank line: with a line further in."""
    following = next((line for line in lines[blank:] if line.strip()), "")
    return len(following) - len(following.lstrip()) > indent


def _fitting(blocks: Sequence[NoteBlock], room: int) -> list[NoteBlock]:
    """The blocks that there is room for, headings counted: some from the top, else the newest."""
    if _needed(blocks) <= room:
        return list(blocks)
    newest = sorted(blocks, key=lambda one: (one.date or datetime.date.min, one.line), reverse=True)
    chosen: dict[int, NoteBlock] = {}
    counted: set[str] = set()
    left = room

    def take(order: Sequence[NoteBlock], least: float) -> None:
        nonlocal left
        for block in order:
            new = [title for title in block.headings if title not in counted]
            cost = block.size + 1 + sum(len(title) + 2 for title in new)
            if block.line in chosen:
                continue
            if left - cost < least:
                return
            chosen[block.line] = block
            counted.update(new)
            left -= cost

    most_used = sorted((one for one in blocks if one.used), key=lambda one: -one.used)
    take(newest[:1], 0)
    take(blocks, room * (1 - _TOP_SHARE))
    take(most_used, room * (1 - _TOP_SHARE - _USED_SHARE))
    take(newest, 0)
    if not chosen and newest:
        # One block that is larger than the room: its beginning is better than nothing.
        cut = replace(newest[0], text=newest[0].text[: max(0, room - 2)].rstrip() + " …")
        return [cut] if room > 80 else []
    return [chosen[line] for line in sorted(chosen)]


def _shown(blocks: Sequence[NoteBlock]) -> str:
    """The blocks under their headings; below one heading the most used and newest on top."""
    lines: list[str] = []
    above: tuple[str, ...] = ()
    for headings, group in _sections(blocks):
        same = 0
        while same < min(len(above), len(headings)) and above[same] == headings[same]:
            same += 1
        lines += headings[same:]
        above = headings
        for number, block in enumerate(_ordered(group)):
            # Two paragraphs without a blank line between them would be one.
            apart = number and not _BULLET.match(block.text)
            lines.append(f"\n{block.text}" if apart else block.text)
    return "\n".join(lines)


def _sections(blocks: Sequence[NoteBlock]) -> Iterator[tuple[tuple[str, ...], list[NoteBlock]]]:
    group: list[NoteBlock] = []
    for block in blocks:
        if group and group[0].headings != block.headings:
            yield group[0].headings, group
            group = []
        group.append(block)
    if group:
        yield group[0].headings, group


def _ordered(blocks: Sequence[NoteBlock]) -> list[NoteBlock]:
    """The most used first, then the newest, then those without a date as they stand."""
    used = sorted((one for one in blocks if one.used), key=lambda one: -one.used)
    rest = [one for one in blocks if not one.used]
    dated_ones = [one for one in rest if one.date]
    newest = sorted(dated_ones, key=lambda one: (one.date, one.line), reverse=True)
    return [*used, *newest, *(one for one in rest if not one.date)]


DEFAULT_BUDGET = 20_000
# What a client puts into the context of what a hook says; of more, Claude Code (2.1) shows the
# first 2,000 characters and the name of a file. The others take at least as much.
CLIENT_BUDGET = 9_500
CURATED_NOTE = "MEMORY.md"
_NEARLY_FULL = 0.9
_HEADING = f"## Memory at the start of this session\n{RECALLED}"


class Notes(Protocol):
    """Anything that can read a note, such as `Memory`."""

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt: ...


@dataclass(frozen=True, slots=True)
class NotesAlone:
    """The notes without their index, which the start of a session does not need."""

    place: Workspace

    @classmethod
    def of(cls, settings: Settings) -> NotesAlone:
        """The notes that the settings name."""
        from memdown.notes import open_workspace

        extra = settings.extra_paths
        return cls(open_workspace(settings.workspace, extra, adopted=settings.adopted))

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt:
        """Some lines of a note, from line `start` on; all that follow if `lines` is None."""
        from memdown.notes import decode, excerpt, read_note

        data, state = read_note(self.place, path)
        return excerpt(decode(data, state.path), state.path, start, lines)


def weights_of_use(settings: Settings, today: datetime.date | None = None) -> dict[str, float]:
    """How much each fact was used of late; nothing where the use log is off."""
    if not settings.use.enabled:
        return {}
    from memdown.facts.use import weights_of

    return weights_of(settings, today or datetime.date.today())  # noqa: DTZ011


@dataclass(frozen=True, slots=True)
class _Shown:
    """A note as it is shown in some room, what of it is not, and how full it is, in words."""

    text: str
    left_out: str = ""
    full: str = ""


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
    used: Mapping[str, float] | None = None,
) -> str:
    """The notes to put before a new session, `budget` characters at most with all around them.

    "" if there are none. `private` is for a session with the owner alone; in a group MEMORY.md is
    left out. Of MEMORY.md only what holds today is given, and where that does not fit the newest
    before the rest; logs lose their oldest lines. The last lines say what is left out and how full
    the budget is. `used` is how much each fact was used of late (`memdown.facts.use`). Of the
    digests in a log only what a person said is given: an assistant may have repeated what a web
    page told it to do.
    """
    from memdown.notes import daily_note

    day = today or datetime.date.today()  # noqa: DTZ011
    yesterday = day - datetime.timedelta(days=1)
    wanted = [CURATED_NOTE] * private + [daily_note(yesterday), daily_note(day)]
    parts, problems = [], []
    for path in wanted:
        try:
            note = notes.get(path)
        except NoteNotFound:
            continue
        except WorkspaceError as error:
            problems.append(f"(not read: {one_line(str(error))})")
            continue
        if note.text.strip():
            parts.append(_part(note, day, budget, used or {}))
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


def keep_fresh(
    memory: Memory, stop: threading.Event, warn: Callable[[str], None]
) -> threading.Thread | None:
    """Let the index follow the notes in the background until `stop`, as `sync.watch` says.

    None if the settings want neither a watch nor an interval. What goes wrong is told to `warn`.
    """
    sync = memory.settings.sync
    if not sync.watch and not sync.interval_minutes:
        return None

    def follow() -> None:
        try:
            for report in memory.watch(stop):
                for failure in report.failed:
                    warn(failure.reason)
        except MemdownError as error:
            if not stop.is_set():
                warn(str(error))

    thread = threading.Thread(target=follow, name="memdown-watch", daemon=True)
    thread.start()
    return thread


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
    pieces, missing, full = [_HEADING], [], []
    for part in parts:
        shown = part.show(shares[part.path])
        path = one_line(part.path).replace('"', "'")
        if shown.text:
            text = framed(shown.text)
            pieces.append(f'<recalled-memory path="{path}">\n{text}\n</recalled-memory>')
        if shown.left_out:
            missing.append(f"{shown.left_out} of {path}")
        if shown.full:
            full.append(f"[{shown.full}]")
    left_out = [f"[left out here: {'; '.join(missing)}]"] if missing else []
    return "\n\n".join([*pieces, *problems, *full, *left_out])


def _part(note: Excerpt, today: datetime.date, budget: int, used: Mapping[str, float]) -> _Part:
    if note.path.lower() == CURATED_NOTE.lower():
        return _curated(note, today, budget, used)
    lines = note.text.split("\n")
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

    return _Part(note.path, size, show)


def _curated(note: Excerpt, today: datetime.date, budget: int, used: Mapping[str, float]) -> _Part:
    lines = _used_lines(note.text, used) if used else _NEVER
    needed = needed_room(note.text, today)

    def show(room: int) -> _Shown:
        found = standing(note.text, today, room, lines)
        missing = []
        if found.no_room:
            missing.append(f"{found.no_room} older facts (memory_search finds them)")
        if found.past:
            missing.append(f"{found.past} that no longer hold")
        full = how_full(found.shown, found.shown + found.no_room, needed, budget)
        return _Shown(found.text, " and ".join(missing), full)

    return _Part(note.path, needed, show)


def how_full(shown: int, facts: int, needed: int, budget: int) -> str:
    """How much of the budget of a session's start MEMORY.md takes, for the model that adds to it."""
    share = (
        f"{CURATED_NOTE}: {shown} of {facts} current facts shown; they take {needed / 1000:.1f} of "
        f"{budget / 1000:.1f} kB"
    )
    if needed < _NEARLY_FULL * budget:
        return share
    return (
        f"{share}: replace or strike what no longer matters, and leave what passes to the daily log"
    )


def budget_line(text: str, today: datetime.date | None = None) -> str:
    """How much of a client's start of a session the text of MEMORY.md takes; "" if it is empty."""
    day = today or datetime.date.today()  # noqa: DTZ011
    found = standing(text, day, CLIENT_BUDGET)
    facts = found.shown + found.no_room
    return how_full(found.shown, facts, needed_room(text, day), CLIENT_BUDGET) if facts else ""


def _used_lines(text: str, used: Mapping[str, float]) -> dict[int, float]:
    from memdown.facts.use import fact_key
    from memdown.notes.statements import facts_of

    return {
        fact.line: used[key]
        for fact in facts_of(text, CURATED_NOTE)
        if (key := fact_key(fact)) in used
    }


def _last_lines(lines: list[str], room: int) -> list[str]:
    total = kept = 0
    for line in reversed(lines):
        total += len(line) + 1
        if total > room + 1:
            break
        kept += 1
    return lines[len(lines) - kept :]
