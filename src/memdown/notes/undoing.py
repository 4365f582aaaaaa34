"""What happened to notes and facts: versions, differences, what a fact replaced, and taking it back.

A change can be taken back byte by byte while the lines that it changed are as it left them; changes
elsewhere in the note stay. What the journal does not know exactly (a secret, a note of more than a
megabyte) is never guessed.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memdown.errors import NoteNotFound, UndoConflict, WorkspaceError
from memdown.notes.changes import Change, one_act
from memdown.notes.descriptors import shown
from memdown.notes.editing import save_bytes
from memdown.notes.journal import Journal
from memdown.notes.reading import read_note
from memdown.notes.related import gather, rank_related
from memdown.notes.remembering import Pen
from memdown.notes.statements import Fact
from memdown.notes.swapping import version_of
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class Undone:
    """A change that was taken back: its number, the note, and what its lines are now."""

    id: int
    path: str
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Version:
    """A note as it was after a change; None is the text of a note that did not exist."""

    change: Change | None
    text: str | None


def look_now(pen: Pen, path: str) -> bytes | None:
    """The bytes of a note, with what another program did to it put into the journal."""
    data = _read(pen, path)
    pen.journal.observe({path: data})
    return data


def undo(pen: Pen, number: int) -> list[Undone]:
    """Take a change back, with all that the same act changed in other notes.

    `UndoConflict` if its lines were changed since.
    """
    act = _standing(pen, pen.journal.act(number))
    return [_undo(pen, number)] if len(act) < 2 else undo_all(pen, [number])


def _standing(pen: Pen, numbers: Iterable[int]) -> list[int]:
    """Those that were not taken back."""
    undone = pen.journal.undone()
    return [number for number in numbers if number not in undone]


def _undo(pen: Pen, number: int) -> Undone:
    journal = pen.journal
    change = journal.change(number)
    if change is None:
        raise UndoConflict(
            f"There is no change {number} in the journal; `memdown history` lists what there is."
        )
    if number in journal.undone():
        raise UndoConflict(f"Change {number} was taken back already; nothing was done.")
    now = look_now(pen, change.path)
    new = _without(journal, change, now)
    base = version_of(now) if now is not None else None
    save_bytes(
        pen.workspace,
        change.path,
        new,
        base=base,
        lock_dir=pen.lock_dir,
        by=pen.by,
        undoes=change.id,
    )
    return Undone(change.id, change.path, change.added_text, change.removed_text)


def undo_last(pen: Pen) -> list[Undone]:
    """Take back the newest change that still stands and is no undo itself, with the rest of its act."""
    undone = pen.journal.undone()
    for change in pen.journal.changes():
        if not change.undoes and change.id not in undone:
            return undo(pen, change.id)
    raise UndoConflict("There is no change in the journal that could be taken back.")


def undo_since(pen: Pen, since: datetime.datetime) -> list[Undone]:
    """Take back everything since a time, the newest first; all of it or, if it conflicts, nothing."""
    undone = pen.journal.undone()
    changes = pen.journal.changes(since=since)
    return undo_all(pen, [one.id for one in changes if not one.undoes and one.id not in undone])


def undo_all(pen: Pen, numbers: Iterable[int]) -> list[Undone]:
    """Take back some changes and the rest of their acts, the newest first; all or, if one conflicts, none."""
    done: list[Undone] = []
    wanted = set(numbers)
    wanted |= {other for one in wanted for other in _standing(pen, pen.journal.act(one))}
    pen = replace(pen, by=one_act(pen.by))
    for number in sorted(wanted, reverse=True):
        try:
            done.append(_undo(pen, number))
        except WorkspaceError as error:
            for one in reversed(done):
                _redo(pen, one)
            raise UndoConflict(f"Nothing was taken back: {error}") from None
    return done


def versions(pen: Pen, path: str) -> list[Version]:
    """The versions of a note, the newest first, as far back as the journal knows them."""
    now = look_now(pen, path)
    text = now
    found = [Version(None, _text(now))]
    for change in pen.journal.changes(path=path):
        found[-1] = Version(change, found[-1].text)
        try:
            text = _back(change, text)
        except UndoConflict:
            return found
        found.append(Version(None, _text(text)))
    return found if found[-1].text is not None or len(found) == 1 else found[:-1]


def diff(change: Change) -> list[str]:
    """The lines of a change, as `-` and `+`."""
    old, new = change.removed_text.splitlines(), change.added_text.splitlines()
    return [line.rstrip("\n") for line in difflib.ndiff(old, new) if line.startswith(("- ", "+ "))]


def _redo(pen: Pen, one: Undone) -> None:
    for change in pen.journal.changes(path=one.path, limit=50):
        if change.undoes == one.id:
            _undo(pen, change.id)
            return


def _without(journal: Journal, change: Change, now: bytes | None) -> bytes | None:
    """The note as it is now, without this change."""
    digest = version_of(now) if now is not None else ""
    if digest == change.after:
        return _back(change, now)
    if not change.after or now is None:
        raise _conflict(change, "it made or removed the whole note, which was changed since")
    start, end = change.at, change.at + len(change.added)
    chain = change.after
    for later in reversed(journal.changes(path=change.path, after=change.id)):
        if later.before != chain or not later.whole:
            raise _conflict(change, "what happened to the note since is not known")
        chain = later.after
        shift = len(later.added) - len(later.removed)
        if later.at >= end:
            continue
        if later.at + len(later.removed) > start:
            raise _conflict(change, f"its lines were changed again by change {later.id}")
        start, end = start + shift, end + shift
    if chain != digest or b"\0" in change.removed or not _same(now[start:end], change.added):
        raise _conflict(change, "its lines are no longer as it left them")
    # Other lines have come into a note that it made: of its own, the headings stay.
    kept = change.removed if change.before else _headings(change.added)
    return now[:start] + kept + now[end:]


def _headings(added: bytes) -> bytes:
    """The lines at the top of a new note that say nothing by themselves."""
    lines = added.splitlines(keepends=True)
    first = next(
        (n for n, line in enumerate(lines) if line.strip() and not line.startswith(b"#")),
        len(lines),
    )
    return b"".join(lines[:first])


def _back(change: Change, now: bytes | None) -> bytes | None:
    """The version before a change from the version after it, exactly."""
    if not change.before:
        return None
    if not change.whole:
        raise _conflict(change, "the note was too large to be kept")
    data = now or b""
    end = change.at + len(change.added)
    old = data[: change.at] + change.removed + data[end:]
    if version_of(old) != change.before:
        why = "the journal keeps no secrets, and there was one in its lines"
        raise _conflict(change, why if b"\0" in change.removed else "its text is not known exactly")
    return old


def _same(now: bytes, added: bytes) -> bool:
    """Whether bytes are those of a change; what was secret in it may be anything."""
    return len(now) == len(added) and all(
        ours == theirs or not theirs for ours, theirs in zip(now, added, strict=True)
    )


def _conflict(change: Change, why: str) -> UndoConflict:
    return UndoConflict(
        f"Change {change.id} of {shown(change.path)} cannot be taken back: {why}; edit the note by "
        "hand, or take back the later change first."
    )


def _read(pen: Pen, path: str) -> bytes | None:
    try:
        return read_note(pen.workspace, path)[0]
    except NoteNotFound:
        return None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def changes_holding(changes: Sequence[Change], words: str) -> list[Change]:
    """The changes whose lines hold all of these words."""
    wanted = words.casefold().split()
    return [
        change
        for change in changes
        if all(
            word in f"{change.removed_text}\n{change.added_text}\n{change.path}".casefold()
            for word in wanted
        )
    ]


_MOST: Final = 3
_RELATED: Final = 0.2
# What is this much less near than the best is about something else.
_SHARE: Final = 0.7


def chains(pen: Pen, query: str) -> list[list[Fact]]:
    """The facts that fit a question best, each followed by what it replaced."""
    facts = gather(pen.workspace)
    ranked = rank_related(query, facts, pen.comparing)
    if not ranked or ranked[0].score < _RELATED:
        return []
    found: dict[str, list[Fact]] = {}
    for one in ranked:
        if one.score < _SHARE * ranked[0].score or len(found) == _MOST:
            break
        head = _head(one.fact, facts)
        found.setdefault(head.reference, [head, *_past(head, facts)])
    return list(found.values())


def _head(fact: Fact, facts: Sequence[Fact]) -> Fact:
    """What a struck fact was replaced by: the bullet that it is nested under."""
    if not fact.struck or not fact.parent:
        return fact
    above = [one for one in facts if one.path == fact.path and one.line == fact.parent]
    return above[0] if above else fact


def _past(head: Fact, facts: Sequence[Fact]) -> list[Fact]:
    return [
        one
        for one in facts
        if one.path == head.path and one.parent == head.line and one.struck and one is not head
    ]
