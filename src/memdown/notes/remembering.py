"""Something is remembered: where it is written, what it replaces, and which facts are near it.

All of ours that writes a fact goes through `remember_fact`. A fact that is known already is not written
again. One that replaces another takes its place: the old line is struck, dated and nested below in
the same atomic write. Related facts come back with it, so that the writer can see what is outdated.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from memdown.errors import MemdownError, NoteNotFound, WorkspaceError
from memdown.files import locked, reach, replace_file
from memdown.notes import pending, placing, writing
from memdown.notes.arrivals import Arrivals
from memdown.notes.changes import SELF, By, one_act
from memdown.notes.descriptors import shown
from memdown.notes.details import same_fact
from memdown.notes.editing import update
from memdown.notes.journal import Journal, journal_file
from memdown.notes.reading import read_note
from memdown.notes.related import (
    REFERENCE,
    Comparing,
    Finding,
    RankedFact,
    find_fact,
    gather,
    note_text,
    rank_related,
)
from memdown.notes.roots import Workspace, daily_note, date_of
from memdown.notes.statements import BULLET, Fact, facts_of, read_until, read_validity
from memdown.notes.superseding import is_worth_asking, likelihood
from memdown.notes.writing import append, curated, entry_of
from memdown.text import fold
from memdown.text.tombstones import read_tombstones, refuse_erased, tombstone_file
from memdown.types import Citation
from memdown.values import dataclass

RELATED: Final = 3
# Below this, two facts have nothing to do with each other; above the other, they share a heading.
_RELATED: Final = 0.2
_SAME_SECTION: Final = 0.34
# Of what is found by old words, the best must be this near, and this much nearer than the second.
_MEANT: Final = 0.55
_CLEARLY: Final = 0.12
_BLOCK: Final = re.compile(r"#{1,6}\s|>|```|~~~|\|")


@dataclass(frozen=True, slots=True)
class Related:
    """A current fact that is near what was remembered; `superseded` if it looks replaced by it."""

    reference: str
    text: str
    day: datetime.date | None
    heading: str
    nearness: float
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Remembered(Citation):
    """Where something was written, or stood already (`known`), and what is near it.

    `replaced` are the places of the facts that it replaced, as they were. `question` asks whether
    it replaces a related fact that looks superseded; empty if none does. `change` is the number of
    the last change in the journal.
    """

    known: bool = False
    related: tuple[Related, ...] = ()
    question: str = ""
    replaced: tuple[str, ...] = ()
    change: int | None = None

    @property
    def reference(self) -> str:
        """The place as `replaces` takes it: `MEMORY.md#L7`."""
        return f"{self.path}#L{self.start_line}"


@dataclass(frozen=True, slots=True)
class Pen:
    """What is needed to remember: the notes, the day, who writes, how texts are compared.

    Without `comparing` facts are compared by their words only; `finding` tells which of very many notes
    may hold facts near a text.
    """

    workspace: Workspace
    lock_dir: Path
    today: datetime.date
    by: By = SELF
    comparing: Comparing | None = None
    finding: Finding | None = None

    @property
    def journal(self) -> Journal:
        """The journal of the workspace."""
        return Journal(journal_file(self.workspace.folder, self.lock_dir))


def remember_fact(
    pen: Pen,
    text: str,
    *,
    durable: bool = False,
    about: str = "",
    replaces: Sequence[str] = (),
    until: str | datetime.date | None = None,
    again: bool = False,
) -> Remembered:
    """Write a fact down: in MEMORY.md if it is durable, else in today's log.

    `about` names the heading it belongs under. `replaces` are references or old words of current
    facts that are no longer true. `until` is its last day. `again` writes it even if it is known.
    """
    repair(pen.workspace, pen.lock_dir)
    _look(pen)
    refuse_erased(text, read_tombstones(tombstone_file(pen.lock_dir)))
    said = _single(entry_of(text))
    last_day = _last_day(until, pen.today)
    facts = gather(pen.workspace, near=[said or text, *replaces], finding=pen.finding)
    current = [fact for fact in facts if fact.is_current(pen.today)]
    old = _meant(pen, replaces, current, facts)
    known = None
    if said and not again:
        known = next((one for one in current if _is_known(one, said, last_day, old)), None)
    ranked = rank_related(said or text, current, pen.comparing)
    if known is not None and not old:
        place = Citation(known.path, known.line, known.end_line)
    elif old:
        place = _replace(pen, said or text.strip(), durable, old, known, last_day, current)
    else:
        place = _write(pen, text, said, durable, about, last_day, ranked)
    gone = {fact.reference for fact in old}
    near = [
        one
        for one in ranked
        if one.fact.reference not in gone and not (said and same_fact(one.fact.text, said))
    ]
    related = _moved(pen, [one for one in near if one.score >= _RELATED][:RELATED], said or text)
    asked = "" if old or known else _question(related, said or text)
    journal = pen.journal.changes(path=place.path, limit=1)
    return Remembered(
        place.path,
        place.start_line,
        place.end_line,
        known=known is not None and not old,
        related=related,
        question=asked,
        replaced=tuple(fact.reference for fact in old),
        change=journal[0].id if journal else None,
    )


def _look(pen: Pen) -> None:
    """What an editor wrote until now came before what is remembered: it is recorded first."""
    last = max(changed for changed, _ in pen.journal.stamp())
    now = time.time()
    found: dict[str, bytes | None] = {}
    for path in (curated(pen.workspace), daily_note(pen.today)):
        with contextlib.suppress(MemdownError):
            data, state = read_note(pen.workspace, path)
            # Who writes into the journal has looked before.
            if state.mtime_ns > last:
                found[path] = data
    if found:
        pen.journal.observe(found, read_at=dict.fromkeys(found, now))


def strike_fact(pen: Pen, fact: Fact) -> None:
    """Strike a fact where it stands, dated today."""

    def change(text: str) -> str:
        return placing.strike(text, _dated(pen, _same_again(text, fact)), pen.today)

    update(pen.workspace, fact.path, change, lock_dir=pen.lock_dir, by=pen.by)


def _single(entry: str) -> str:
    """The words of an entry that is one fact; empty if it is several, or another block."""
    lines = entry.split("\n")
    bullets = [line for line in lines if BULLET.match(line)]
    if len(bullets) != 1 or not BULLET.match(lines[0]) or _BLOCK.match(lines[0]):
        return ""
    if any(line.strip().startswith(("```", "~~~")) for line in lines):
        return ""
    return "\n".join([BULLET.sub("", lines[0], count=1), *(line.strip() for line in lines[1:])])


def _last_day(until: str | datetime.date | None, today: datetime.date) -> datetime.date | None:
    if until is None or isinstance(until, datetime.date):
        return until
    day = read_until(until, today)
    if day is None:
        raise WorkspaceError(
            f"{until!r} is no day that can be understood; write it as 2026-11-20, or as a weekday."
        )
    return day


def _is_known(fact: Fact, said: str, until: datetime.date | None, old: Sequence[Fact]) -> bool:
    timed = read_validity(said)
    last = until or timed.validity.until
    is_old = any(fact.reference == one.reference for one in old)
    return not is_old and fact.validity.until == last and same_fact(fact.text, timed.text)


def facts_meant(pen: Pen, wanted: Sequence[str]) -> list[Fact]:
    """The current facts that references or words name; an error if one is not clear."""
    facts = gather(pen.workspace, near=wanted, finding=pen.finding)
    return _meant(pen, wanted, [one for one in facts if one.is_current(pen.today)], facts)


def _meant(
    pen: Pen, replaces: Sequence[str], current: Sequence[Fact], every: Sequence[Fact]
) -> list[Fact]:
    """The current facts that references or old words name; one that names none is an error."""
    found: dict[str, Fact] = {}
    for wanted in replaces:
        fact = _by_reference(pen, wanted) if REFERENCE.fullmatch(wanted.strip()) else None
        fact = fact or _by_old_words(pen, wanted, current, every)
        found.setdefault(fact.reference, fact)
    return list(found.values())


def _by_reference(pen: Pen, reference: str) -> Fact:
    fact = find_fact(pen.workspace, reference)
    if fact is None:
        raise WorkspaceError(
            f"No fact stands at {shown(reference)}; search again and use the reference that you see."
        )
    if fact.struck:
        raise WorkspaceError(f"{shown(reference)} is struck already; name the line that holds now.")
    return fact


def _by_old_words(pen: Pen, words: str, current: Sequence[Fact], every: Sequence[Fact]) -> Fact:
    same = [one for one in current if same_fact(one.text, words)]
    if same:
        return same[0]
    folded = fold(" ".join(words.split())).strip(" .")
    inside = [one for one in current if len(folded) >= 4 and folded in fold(one.text)]
    if len(inside) == 1:
        return inside[0]
    ranked = rank_related(words, inside or current, pen.comparing)[:RELATED]
    if ranked and ranked[0].score >= _MEANT:
        second = ranked[1].score if len(ranked) > 1 else 0.0
        if ranked[0].score - second >= _CLEARLY:
            return ranked[0].fact
    if any(one.struck and same_fact(one.text, words) for one in every):
        raise WorkspaceError(f"{shown(words)!r} is struck already; name the line that holds now.")
    over = next((one for one in every if one.validity.until and same_fact(one.text, words)), None)
    if over is not None:
        raise WorkspaceError(
            f"{shown(words)!r} is over since {over.validity.until} ({over.reference}), so nothing was "
            "changed; it is no longer shown as true."
        )
    likely = [one for one in ranked if one.score >= _RELATED]
    near = "; ".join(f"{one.fact.reference} {one.fact.text!r}" for one in likely)
    raise WorkspaceError(
        f"It is not clear which fact {shown(words)!r} means, so nothing was changed; name it by its "
        f"reference{f', perhaps {near}' if near else ''}."
    )


def _write(
    pen: Pen,
    text: str,
    said: str,
    durable: bool,
    about: str,
    until: datetime.date | None,
    ranked: Sequence[RankedFact],
) -> Citation:
    """Write what is new below the heading that fits."""
    path = curated(pen.workspace) if durable else daily_note(pen.today)
    title = "Memory" if durable else pen.today.isoformat()
    entry = _entry(pen, text, said, until, dated=durable)
    if not said and any(line.startswith("#") for line in entry):
        # A heading of its own would take what follows with it.
        return append(pen.workspace, path, text, title=title, lock_dir=pen.lock_dir, by=pen.by)
    near = _near_in(path, ranked) if durable and not about else None
    lines: list[int] = []

    def change(now: str) -> str:
        now = now or f"# {title}\n"
        if about or durable:
            beside = _line_now(now, near) if near is not None else 0
            placed = placing.insert(now, entry, about=about.strip(), beside=beside)
        else:
            placed = placing.insert_last(now, entry)
        lines.append(placed.line)
        return placed.text

    if not durable and not about and _is_plain_log(pen, path):
        written = "\n".join(entry)
        return append(pen.workspace, path, written, title=title, lock_dir=pen.lock_dir, by=pen.by)
    update(pen.workspace, path, change, lock_dir=pen.lock_dir, by=pen.by)
    return Citation(path, lines[-1], lines[-1] + len(entry) - 1)


def _near_in(path: str, ranked: Sequence[RankedFact]) -> Fact | None:
    """The fact of a note that a new one belongs beside: one of the nearest of all, and no plan."""
    near = (
        one.fact
        for one in ranked[:RELATED]
        if one.fact.path == path
        and one.score >= _SAME_SECTION
        and not placing.is_plan(one.fact.heading.rpartition(" > ")[2])
    )
    return next(near, None)


def _is_plain_log(pen: Pen, path: str) -> bool:
    """Whether an entry may simply be added at the end: no code left open, no plans at the end."""
    try:
        text = note_text(pen.workspace, path)
    except NoteNotFound:
        return True
    return placing.insert_last(text, ["- x"]).text.startswith(text)


@dataclass(frozen=True, slots=True)
class _Replacement:
    """A new fact in the place of old ones: those in the note that it goes to, and those of `other_notes`.

    `twin` is the same fact as the new one, if it stands there already.
    """

    target: str
    entry: Sequence[str]
    inside: Sequence[Fact]
    other_notes: Sequence[Fact]
    twin: Fact | None


def _replace(
    pen: Pen,
    said: str,
    durable: bool,
    old: Sequence[Fact],
    known: Fact | None,
    until: datetime.date | None,
    current: Sequence[Fact],
) -> Citation:
    """Put the new fact in the place of the old ones, which are struck and nested below it."""
    target = _replacing_in(pen, old[0], known, durable=durable)
    plan = _Replacement(
        target,
        placing.dated_entry(said, since=pen.today, noted=None, until=until),
        [fact for fact in old if fact.path == target],
        [_dated(pen, fact) for fact in old if fact.path != target],
        known if known is not None and known.path == target else None,
    )
    others = plan.other_notes
    words = [placing.own_words(note_text(pen.workspace, one.path), one) for one in others]
    lines: list[int] = []

    def change(text: str) -> str:
        placed = _placed(pen, text, plan, said, current)
        lines.append(placed.line)
        return placing.nest_struck(placed.text, placed.line, words, pen.today, others)

    if not others:
        update(pen.workspace, target, change, lock_dir=pen.lock_dir, by=pen.by)
        reach("replace.written")
    else:
        file = _intent_file(pen.workspace, pen.lock_dir)
        pen = replace(pen, by=one_act(pen.by))
        with locked(file.with_suffix(".lock")):
            _record_intent(file, pen, said, target, others)
            reach("replace.recorded")
            update(pen.workspace, target, change, lock_dir=pen.lock_dir, by=pen.by)
            reach("replace.written")
            for fact in others:
                strike_fact(pen, fact)
                reach("replace.struck")
            file.unlink(missing_ok=True)
    return Citation(target, lines[-1], lines[-1] + len(plan.entry) - 1)


def _replacing_in(pen: Pen, first: Fact, known: Fact | None, *, durable: bool) -> str:
    """The note that a replacement goes to: where it is known already, else where the first old fact stands.

    The log of a past day stays as it is.
    """
    if known is not None and known.path != first.path:
        return known.path
    today = daily_note(pen.today)
    if date_of(first.path) is None or first.path == today:
        return first.path
    return curated(pen.workspace) if durable else today


def _placed(
    pen: Pen, text: str, plan: _Replacement, said: str, current: Sequence[Fact]
) -> placing.Placed:
    """The text of the note with the new fact in it, once, and its old facts struck below."""
    today = daily_note(pen.today)
    text = text or f"# {pen.today if plan.target == today else 'Memory'}\n"
    here = [_same_again(text, fact) for fact in plan.inside]
    twin = _same_again(text, plan.twin) if plan.twin is not None else None
    if twin is not None and here:
        text = placing.remove(text, twin)
        here = [_same_again(text, fact) for fact in plan.inside]
    if here:
        dated = [_dated(pen, fact) for fact in here]
        return placing.replace_facts(text, dated, plan.entry, pen.today)
    if twin is not None:
        return placing.Placed(text, twin.line)
    if plan.target == today:
        return placing.insert_last(text, plan.entry)
    beside = _beside(text, pen, said, current, plan.target)
    return placing.insert(text, plan.entry, beside=beside)


def repair(workspace: Workspace, lock_dir: Path) -> None:
    """Complete what a writer that was killed had begun: an entry, a save, a replace across notes."""
    writing.repair(workspace, lock_dir)
    file = _intent_file(workspace, lock_dir)
    if not file.exists():
        return
    with locked(file.with_suffix(".lock"), 0) as is_left:
        # Whoever has the lock is still at it.
        if is_left and file.exists():
            _complete(workspace, lock_dir, file)


def _intent_file(workspace: Workspace, lock_dir: Path) -> Path:
    return pending.lock_file(workspace.folder, lock_dir).with_suffix(".replace.json")


def _record_intent(file: Path, pen: Pen, said: str, target: str, outside: Sequence[Fact]) -> None:
    """Write down, durably, which facts of other notes are struck once the new one is written."""
    old = [{"path": one.path, "line": one.line, "text": one.text} for one in outside]
    intent = {
        "said": read_validity(" ".join(said.split())).text,
        "target": target,
        "old": old,
        "day": pen.today.isoformat(),
        "by": [pen.by.actor, pen.by.session, pen.by.together],
    }
    replace_file(file, json.dumps(intent, ensure_ascii=False).encode("utf-8", "replace"))


def _complete(workspace: Workspace, lock_dir: Path, file: Path) -> None:
    """Strike what a replace that was cut off had left, if its new fact stands; else it never was."""
    try:
        intent = json.loads(file.read_bytes())
        said, target = str(intent["said"]), str(intent["target"])
        old = [(str(one["path"]), int(one["line"]), str(one["text"])) for one in intent["old"]]
        by = By(*map(str, intent["by"]))
        pen = Pen(workspace, lock_dir, datetime.date.fromisoformat(intent["day"]), by)
    except (OSError, ValueError, KeyError, TypeError):
        # Cut off while it was written: nothing was begun.
        file.unlink(missing_ok=True)
        return
    try:
        new = facts_of(note_text(workspace, target), target)
    except MemdownError:
        new = ()
    if any(not fact.struck and same_fact(fact.text, said) for fact in new):
        for path, line, text in old:
            with contextlib.suppress(MemdownError):
                strike_fact(pen, Fact(path, line, line, text))
    file.unlink(missing_ok=True)


def _beside(text: str, pen: Pen, said: str, current: Sequence[Fact], path: str) -> int:
    here = [fact for fact in current if fact.path == path]
    best = next(iter(rank_related(said, here, pen.comparing)), None)
    is_near = best is not None and best.score >= _SAME_SECTION
    return _line_now(text, best.fact) if best is not None and is_near else 0


def _same_again(text: str, fact: Fact) -> Fact:
    """A fact in the text as it is now; an error if it is gone."""
    same = [one for one in facts_of(text, fact.path) if one.text == fact.text and not one.struck]
    if not same:
        raise WorkspaceError(
            f"{shown(fact.reference)} was changed meanwhile, so nothing was replaced; search again."
        )
    return min(same, key=lambda one: abs(one.line - fact.line))


def _dated(pen: Pen, fact: Fact) -> Fact:
    """The fact with the day of the change that brought it, where it has none of its own."""
    if fact.day is not None:
        return fact
    came = Arrivals(pen.journal).of(fact.path).get(fact.text)
    return replace(fact, day=came.day) if came is not None and came.day <= pen.today else fact


def _line_now(text: str, fact: Fact) -> int:
    same = [one for one in facts_of(text, fact.path) if one.text == fact.text]
    return min((one.line for one in same), key=lambda line: abs(line - fact.line), default=0)


def _entry(
    pen: Pen, text: str, said: str, until: datetime.date | None, *, dated: bool
) -> list[str]:
    if not said:
        return entry_of(text).split("\n")
    noted = pen.today if dated else None
    return placing.dated_entry(said, since=None, noted=noted, until=until)


def _moved(pen: Pen, near: Sequence[RankedFact], said: str) -> tuple[Related, ...]:
    """The related facts with the lines on which they stand after the write."""
    texts: dict[str, str] = {}
    found = []
    for one in near:
        fact = one.fact
        if fact.path not in texts:
            try:
                texts[fact.path] = note_text(pen.workspace, fact.path)
            except MemdownError:
                continue
        line = _line_now(texts[fact.path], fact)
        if line:
            found.append(
                Related(
                    f"{fact.path}#L{line}",
                    fact.text,
                    _dated(pen, fact).day,
                    fact.heading,
                    round(one.score, 3),
                    is_worth_asking(fact.text, said, one.score, nearest=one is near[0]),
                )
            )
    return tuple(found)


def _question(related: Sequence[Related], said: str) -> str:
    """What the writer is asked about the related fact that most looks superseded."""
    doubted = [one for one in related if one.superseded]
    if not doubted:
        return ""
    one = max(doubted, key=lambda other: likelihood(other.text, said))
    return (
        f"Does this replace {one.reference} ({one.text!r})? If so, remember it again with "
        f"replaces={one.reference}."
    )
