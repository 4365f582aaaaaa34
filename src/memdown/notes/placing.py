"""Where a new fact stands in a note, and how an old one is struck (pure functions over text).

A new fact goes below the heading that fits, at the end of its list, never into code. A fact that is
replaced is struck, dated, and nested below its successor, which takes its place.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memdown.notes.document import heading_paths, outside_code, read_front_matter
from memdown.notes.statements import BULLET, Fact, Validity, facts_of, read_validity, written
from memdown.text import fold
from memdown.values import dataclass, pattern

INBOX: Final = "Inbox"
# Sections of what is to come or to be done: a fact lands there only if it is named. en de fr es pt it nl
# zh ja th
_PLANS: Final = pattern(
    r"\b(?:coming up|upcoming|to[- ]?dos?|tasks?|agenda|calendar|next steps?|reminders?|backlog"
    r"|demnachst|anstehend\w*|aufgaben|termine|a venir|a faire|agenda|taches|proximamente|pendientes|tareas"
    r"|em breve|a fazer|tarefas|prossimamente|da fare|scadenze|binnenkort|taken|te doen)\b"
    rf"|待办|日程|即将|予定|やること|今後|{fold('สิ่งที่ต้องทำ')}|{fold('กำหนดการ')}"
)
_HEADING: Final = pattern(r" {0,3}(#{1,6})(?:[ \t]|$)")
_WORDS: Final = pattern(r"\w+")
_LINKS: Final = pattern(r"~~")


@dataclass(frozen=True, slots=True)
class Placed:
    """A note's new text, and the first line of what was added or changed."""

    text: str
    line: int


def insert(text: str, entry: Sequence[str], *, about: str = "", beside: int = 0) -> Placed:
    """Add the lines of an entry below the heading `about`, or in the section of line `beside`.

    With neither: where the list under the title ends, or below "Inbox" if all facts stand below
    headings. `text` has line feeds only.
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    sections = _sections(lines)
    if about:
        section = _named(sections, about)
        title = about
    elif beside:
        section = next((one for one in reversed(sections) if one.start < beside), None)
        title = INBOX
    else:
        section, title = _default(sections), INBOX
    if section is None:
        return _new_section(lines, title, entry)
    return _append_to(lines, section, entry)


def insert_last(text: str, entry: Sequence[str]) -> Placed:
    """Add the lines of an entry at the end of a log: after its last list, never into code.

    What was planned ("Coming up") is passed over.
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    fitting = [one for one in _sections(lines) if not is_plan(one.title)]
    if not fitting:
        return _new_section(lines, INBOX, entry)
    return _append_to(lines, fitting[-1], entry)


def replace_facts(
    text: str, old: Sequence[Fact], entry: Sequence[str], today: datetime.date
) -> Placed:
    """Put an entry in the place of the first old fact, and all of them, struck, below it.

    What was nested below an old fact, such as its own history, stays nested.
    """
    lines = text.split("\n")
    first = old[0]
    indent = lines[first.line - 1][
        : len(lines[first.line - 1]) - len(lines[first.line - 1].lstrip())
    ]
    indent = indent if first.is_bullet else ""
    below = []
    taken: set[int] = set()
    for fact in old:
        inner = range(fact.end_line, _block_end(lines, fact))
        below.append(f"{indent}  - {struck_line(_own(lines, fact), fact, today)}")
        below += [_shifted(lines[number], fact, indent) for number in inner]
        taken.update(range(fact.line - 1, fact.end_line), inner)
    head = [f"{indent}{line}" if line else line for line in entry]
    kept_before = [
        line for number, line in enumerate(lines[: first.line - 1]) if number not in taken
    ]
    kept_after = [
        line
        for number, line in enumerate(lines)
        if number >= first.line - 1 and number not in taken
    ]
    return Placed("\n".join([*kept_before, *head, *below, *kept_after]), len(kept_before) + 1)


def nest_struck(
    text: str, line: int, old: Sequence[str], today: datetime.date, facts: Sequence[Fact]
) -> str:
    """Add copies of facts that stood elsewhere, struck, below the fact at a line."""
    lines = text.split("\n")
    here = facts_of(text)
    at = next(fact for fact in here if fact.line == line)
    # Someone who was killed half-way says it again: it is nested once.
    nested = {fact.text for fact in here if fact.parent == line and fact.struck}
    indent = " " * at.indent
    added = [
        f"{indent}  - {struck_line(words, fact, today, source=True)}"
        for words, fact in zip(old, facts, strict=True)
        if fact.text not in nested
    ]
    lines[at.end_line : at.end_line] = added
    return "\n".join(lines)


def strike(text: str, fact: Fact, today: datetime.date) -> str:
    """Strike a fact where it stands."""
    lines = text.split("\n")
    first = lines[fact.line - 1]
    bullet = BULLET.match(first) if fact.is_bullet else None
    marks = bullet[0] if bullet else ""
    lines[fact.line - 1 : fact.end_line] = [marks + struck_line(_own(lines, fact), fact, today)]
    return "\n".join(lines)


def remove(text: str, fact: Fact) -> str:
    """Take a fact with its own lines out of a note; what is nested below moves up one level."""
    lines = text.split("\n")
    end = _block_end(lines, fact)
    inner = lines[fact.end_line : end]
    surplus = min((len(line) - len(line.lstrip()) for line in inner), default=0) - fact.indent
    lines[fact.line - 1 : end] = [line[max(0, surplus) :] for line in inner]
    return "\n".join(lines)


def own_words(text: str, fact: Fact) -> str:
    """A fact as it is written, on one line, without its bullet."""
    return _own(text.split("\n"), fact)


def struck_line(words: str, fact: Fact, today: datetime.date, *, source: bool = False) -> str:
    """The words of a fact struck and dated: `~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)`."""
    timed = read_validity(words)
    since = timed.validity.since or fact.day
    since = since if since is None or since <= today else None
    bare = _LINKS.sub("", timed.text).strip()
    place = fact.reference if source else timed.validity.source
    return f"~~{bare}~~{written(Validity(since, today, None, place))}"


def dated_entry(
    text: str,
    *,
    since: datetime.date | None,
    noted: datetime.date | None,
    until: datetime.date | None,
) -> list[str]:
    """The lines of a new fact, with its time behind it unless it tells one itself."""
    first, *rest = text.split("\n")
    timed = read_validity(first)
    said = timed.validity
    if rest:
        return [f"- {first}", *(f"  {line}" if line.strip() else "" for line in rest)]
    merged = replace(
        said,
        since=said.since or since,
        noted=said.noted or noted,
        until=until or said.until,
    )
    if merged.until is not None and merged.noted is not None:
        # What is over already when it is noted has no first day that is known.
        since = merged.since or (merged.noted if merged.noted <= merged.until else None)
        merged = replace(merged, since=since, noted=None)
    return [f"- {timed.text}{written(merged)}"]


def is_plan(title: str) -> bool:
    """Whether a section is of what is to come or to be done, by its heading."""
    return bool(_PLANS.search(fold(title)))


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a fact with what is nested below it, at the left edge, and their offsets."""

    lines: tuple[str, ...]
    numbers: range


def block_of(text: str, fact: Fact) -> Block:
    """A fact with what is nested below it."""
    lines = text.split("\n")
    numbers = range(fact.line - 1, _block_end(lines, fact))
    return Block(tuple(lines[number][fact.indent :] for number in numbers), numbers)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a note: its heading, the line below it, and its lines."""

    title: str
    level: int
    line: int
    lines: tuple[str, ...]


def sections_of(text: str) -> list[Section]:
    """The sections of a note with their lines."""
    lines = text.split("\n")
    return [
        Section(one.title, one.level, one.start + 1, tuple(lines[one.start : one.end]))
        for one in _sections(lines)
    ]


def file_name(title: str) -> str:
    """A file name for what stands under a heading: "Who is who" gives who-is-who.md."""
    words = "-".join(_WORDS.findall(fold(title)))[:60]
    return f"{words or 'more'}.md"


@dataclass(frozen=True, slots=True)
class _Section:
    """The lines from below a heading to the next heading: offsets into the list of lines."""

    title: str
    start: int
    end: int
    level: int


def _sections(lines: Sequence[str]) -> list[_Section]:
    """The sections of a note; what stands above the first heading is one without a title."""
    front = read_front_matter(lines)
    starts = [(front.lines, "", 0)]
    for line, path in heading_paths(lines, front):
        marks = _HEADING.match(lines[line - 1])
        level = len(marks[1]) if marks else 1
        # An underlined heading has its rule below it.
        below = line if marks else line + 1
        starts.append((below, path.rpartition(" > ")[2], level))
    ends = [start - 1 for start, _, _ in starts[1:]]
    found = []
    for number, (start, title, level) in enumerate(starts):
        end = ends[number] if number < len(ends) else len(lines)
        found.append(_Section(title, min(start, end), end, level))
    if len(found) > 1 and not any(line.strip() for line in lines[found[0].start : found[0].end]):
        del found[0]
    return found


def _named(sections: Sequence[_Section], about: str) -> _Section | None:
    """The section of a heading: the same words, or all of the words of `about` in it."""
    wanted = fold(about).strip()
    for one in sections:
        if fold(one.title).strip() == wanted:
            return one
    words = set(_WORDS.findall(wanted))
    return next(
        (one for one in sections if words and words <= set(_WORDS.findall(fold(one.title)))), None
    )


def _default(sections: Sequence[_Section]) -> _Section | None:
    """Where a fact without a heading of its own goes; None for a new section."""
    inbox = _named(sections, INBOX)
    if inbox is not None:
        return inbox
    # Facts that all stand below headings leave the space under the title to words about the file.
    if len(sections) == 1:
        return sections[0]
    return None


def _append_to(lines: list[str], section: _Section, entry: Sequence[str]) -> Placed:
    body = lines[section.start : section.end]
    code = _open_code(lines, section)
    end = section.start + (code if code is not None else len(body))
    while end > section.start and not lines[end - 1].strip():
        end -= 1
    is_list = end > section.start and _in_list(lines, section.start, end)
    before = [] if is_list and BULLET.match(entry[0]) else [""]
    if end == 0 or (end == section.start and not lines[end - 1].strip()):
        before = []
    after = [""] if end < len(lines) and lines[end].strip() else []
    new = [*lines[:end], *before, *entry, *after, *lines[end:]]
    return Placed("\n".join(new) + "\n", end + len(before) + 1)


def _new_section(lines: list[str], title: str, entry: Sequence[str]) -> Placed:
    """A section at the end, before code that was never closed."""
    end = len(lines)
    sections = _sections(lines)
    if sections and (code := _open_code(lines, sections[-1])) is not None:
        end = sections[-1].start + code
    while end and not lines[end - 1].strip():
        end -= 1
    head = [*([""] if end else []), f"## {title}", ""]
    after = [""] if end < len(lines) and lines[end].strip() else []
    new = [*lines[:end], *head, *entry, *after, *lines[end:]]
    return Placed("\n".join(new) + "\n", end + len(head) + 1)


def _open_code(lines: Sequence[str], section: _Section) -> int | None:
    """Where code begins in a section that is still open at its end; None if none is."""
    last_prose = last_code = -1
    for index, line in outside_code(lines, section.start):
        if index >= section.end:
            break
        if line is None:
            last_code = index
        else:
            last_prose = index
    if last_code > last_prose and not _closes(lines[last_code], lines[last_code + 1 : section.end]):
        return last_code - section.start
    return None


def _closes(opening: str, rest: Sequence[str]) -> bool:
    mark = opening.strip()[:3]
    return any(line.strip().startswith(mark) and not line.strip().strip(mark[0]) for line in rest)


def _in_list(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether the last lines before `end` belong to a list."""
    for number in range(end - 1, start - 1, -1):
        if not lines[number].strip():
            return False
        if BULLET.match(lines[number]):
            return True
    return False


def _block_end(lines: Sequence[str], fact: Fact) -> int:
    """The offset behind what is nested below a fact."""
    end = fact.end_line
    if not fact.is_bullet:
        return end
    while end < len(lines):
        line = lines[end]
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent <= fact.indent:
            break
        end += 1
    return end


def _shifted(line: str, fact: Fact, indent: str) -> str:
    """A nested line, moved with its fact."""
    return (
        f"{indent}{line[min(fact.indent, len(line) - len(line.lstrip())) :]}"
        if line.strip()
        else line
    )


def _own(lines: Sequence[str], fact: Fact) -> str:
    own = " ".join(line.strip() for line in lines[fact.line - 1 : fact.end_line])
    return BULLET.sub("", own, count=1) if fact.is_bullet else own
