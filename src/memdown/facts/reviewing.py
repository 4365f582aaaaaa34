"""What in the notes wants a look: contradictions, duplicates, what is over, what should last.

It proposes and changes nothing; each proposal can be applied on its own and undone. No model is
asked. Precision comes first: what only might be wrong is not proposed.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from memdown.errors import NoteNotFound, WorkspaceError
from memdown.files import locked, make_folder, replace_file
from memdown.notes import placing
from memdown.notes.arrivals import Arrivals
from memdown.notes.changes import By
from memdown.notes.descriptors import shown
from memdown.notes.details import details_of, same_fact
from memdown.notes.discovery import scan
from memdown.notes.editing import update
from memdown.notes.related import gather, note_text
from memdown.notes.remembering import Pen, remember_fact, strike_fact
from memdown.notes.roots import date_of
from memdown.notes.statements import Fact, facts_of
from memdown.notes.superseding import contradicts
from memdown.notes.writing import curated

if TYPE_CHECKING:
    from memdown.memory import Memory

Kind = Literal["contradiction", "duplicate", "expired", "repeated", "oversized"]
# What a person can say to a proposal; `other` keeps the fact that would be struck or removed.
Verdict = Literal["apply", "other", "fine", "later"]
VERDICTS: Final[tuple[Verdict, ...]] = ("apply", "other", "fine", "later")
_LATER_SECONDS: Final = 7 * 86_400
# What a client takes of MEMORY.md at the start of a session, in characters.
SESSION_BUDGET: Final = 9_500
# A section of at least this share of a note that is too large is proposed to be moved.
_LARGE_SHARE: Final = 0.2
# So many pairs are compared, of facts that have a word in common which at most so many have.
_MOST_PAIRS, _COMMON = 40_000, 40
_MOST_NOTES: Final = 2_000
_REPEATED_DAYS: Final = 3
_FEWEST_WORDS: Final = 3


FOREVER: Final = float("inf")
_MOST_DECISIONS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a person decided: the proposals that are not shown, each up to a time in seconds since 1970.

    The file beside the journal keeps digests and no words of the notes; if it is lost, all are shown again.
    """

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


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that could be changed: why, about which facts, and the lines as they would be."""

    number: int
    kind: Kind
    reason: str
    references: tuple[str, ...]
    diff: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What stays the same while its facts do, wherever their lines move."""
        paths = sorted(one.partition("#")[0] for one in self.references)
        said = "\n".join((self.kind, *paths, *self.diff))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a verdict did: the changes it made, by which it can be undone."""

    proposal: Proposal
    changes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A proposal without its number, and what applying it does; `keep_other` is the other way."""

    proposal: Proposal
    apply: Callable[[Pen], None]
    keep_other: Callable[[Pen], None] | None = None


def review(memory: Memory) -> list[Proposal]:
    """What could be changed, numbered; the same notes and decisions give the same list."""
    pen = memory.pen()
    hidden = decisions(pen).hidden(time.time())
    return [one.proposal for one in _found(pen, _paths(pen)) if one.proposal.key not in hidden]


def decisions(pen: Pen) -> Decisions:
    """What was decided about the proposals of a workspace."""
    return Decisions(pen.journal.file.with_suffix(".decided.json"))


def decide(
    memory: Memory,
    key: str,
    verdict: Verdict,
    *,
    known: Sequence[Proposal] = (),
    actor: str = "person",
) -> Decided:
    """Do what a person says to a proposal: it is named by its key, because numbers move.

    If it is among the `known` ones only its own notes are looked through, which is quick.
    """
    pen = memory.notebook.writing_pen(By(actor))
    references = [one for old in known if old.key == key for one in old.references]
    paths = list(dict.fromkeys(one.partition("#")[0] for one in references)) or _paths(pen)
    found = next((one for one in _found(pen, paths) if one.proposal.key == key), None)
    if found is None:
        raise NoteNotFound("The notes were changed meanwhile; look at the list again.")
    if verdict in ("fine", "later"):
        until = {} if verdict == "fine" else {"until": time.time() + _LATER_SECONDS}
        decisions(pen).hide(key, **until)
        return Decided(found.proposal)
    run = found.apply if verdict == "apply" else found.keep_other
    if run is None:
        raise WorkspaceError(f"A proposal of kind {found.proposal.kind!r} has no other side.")
    last = max((change.id for change in pen.journal.changes(limit=1)), default=0)
    run(pen)
    made = sorted(change.id for change in pen.journal.changes(after=last))
    return Decided(found.proposal, tuple(made))


def apply(memory: Memory, numbers: Sequence[int], *, actor: str = "person") -> list[int]:
    """Do what these proposals say; the numbers of the changes, by which they can be undone."""
    pen = memory.notebook.writing_pen(By(actor))
    found = _found(pen, _paths(pen))
    wanted = [one for one in found if one.proposal.number in set(numbers)]
    missing = set(numbers) - {one.proposal.number for one in wanted}
    if missing:
        raise WorkspaceError(
            f"There is no proposal {min(missing)}; `memdown review` lists what there is now."
        )
    last = max((change.id for change in pen.journal.changes(limit=1)), default=0)
    for one in wanted:
        one.apply(pen)
    return sorted(change.id for change in pen.journal.changes(after=last))


def proposal_json(proposal: Proposal) -> dict[str, object]:
    """A proposal for programs."""
    return {
        "number": proposal.number,
        "key": proposal.key,
        "kind": proposal.kind,
        "reason": proposal.reason,
        "references": list(proposal.references),
        "diff": list(proposal.diff),
    }


def _found(pen: Pen, paths: Sequence[str]) -> list[_Found]:
    """What could be changed in some notes, numbered."""
    arrivals = Arrivals(pen.journal)
    facts = [
        fact if fact.day is not None else _as_it_came(fact, arrivals, pen.today)
        for fact in gather(pen.workspace, paths)
        if not fact.struck
    ]
    current = [fact for fact in facts if fact.is_current(pen.today)]
    every = [
        *_expired(facts, pen.today),
        *_duplicates(current),
        *_contradictions(current, arrivals),
        *_repeated(current, curated(pen.workspace)),
        *_oversized(pen),
    ]
    return [
        replace(one, proposal=replace(one.proposal, number=number))
        for number, one in enumerate(every, start=1)
    ]


def _as_it_came(fact: Fact, arrivals: Arrivals, today: datetime.date) -> Fact:
    """An undated fact with the day on which it came, as far as the history tells."""
    came = arrivals.of(fact.path).get(fact.text)
    return replace(fact, day=came.day) if came is not None and came.day <= today else fact


def _paths(pen: Pen) -> list[str]:
    """The notes to look through: what lasts before the logs, of these the newest, up to a limit."""
    files = scan(pen.workspace).files
    first = curated(pen.workspace)
    dated = {path: day for path in files if (day := date_of(path)) is not None}
    lasting = sorted((path for path in files if path not in dated), key=lambda one: one != first)
    logs = sorted(dated, key=lambda path: (dated[path], path), reverse=True)
    return [*lasting, *logs][:_MOST_NOTES]


def _expired(facts: Sequence[Fact], today: datetime.date) -> Iterator[_Found]:
    """Facts of lasting notes whose last day is over; logs are what was, anyway."""
    for fact in facts:
        if fact.validity.expired(today) and date_of(fact.path) is None:
            yield _Found(
                Proposal(
                    0,
                    "expired",
                    f"Its last day was {fact.validity.until}: strike it.",
                    (fact.reference,),
                    (f"- {fact.text}", f"+ ~~{fact.text}~~"),
                ),
                _striking(fact),
            )


def _duplicates(facts: Sequence[Fact]) -> Iterator[_Found]:
    """Lasting facts that say the same twice; what several days say is another matter."""
    groups: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        words = details_of(fact.text)
        if date_of(fact.path) is None and len(words.words) >= _FEWEST_WORDS:
            groups[words.said].append(fact)
    for same in groups.values():
        kept, *others = sorted(same, key=lambda one: (one.path != "MEMORY.md", one.path, one.line))
        for fact in others:
            # Below another heading a few words may be about something else.
            alone = len(details_of(fact.text).words) > _FEWEST_WORDS
            if same_fact(kept.text, fact.text) and (alone or fact.heading == kept.heading):
                yield _Found(
                    Proposal(
                        0,
                        "duplicate",
                        f"It says the same as {kept.reference}: remove it.",
                        (kept.reference, fact.reference),
                        (f"- {fact.text}",),
                    ),
                    removing(fact),
                    removing(kept),
                )


def _contradictions(facts: Sequence[Fact], arrivals: Arrivals) -> Iterator[_Found]:
    """Two facts of which the newer says something else; what has no day was there before the journal began."""
    begun = arrivals.begun()
    lasting = [fact for fact in facts if fact.day is not None or begun is not None]
    compared = islice(_linked([details_of(fact.text).words for fact in lasting]), _MOST_PAIRS)
    for places in compared:
        pair = [lasting[place] for place in places]
        older, newer = sorted(pair, key=lambda fact: fact.day or datetime.date.min)
        if older.day is None and (begun is None or newer.day is None or newer.day <= begun):
            continue
        if older.day == newer.day:
            later = _is_later(newer, older, arrivals)
            if later is None:
                continue
            older, newer = (older, newer) if later else (newer, older)
        if contradicts(older, newer):
            yield _Found(
                Proposal(
                    0,
                    "contradiction",
                    f"{newer.reference} is newer and says something else: strike the older.",
                    (older.reference, newer.reference),
                    (f"- {older.text}", f"+ {newer.text}", f"+   ~~{older.text}~~"),
                ),
                _replacing(older, newer),
                _striking(newer),
            )


def _is_later(one: Fact, other: Fact, arrivals: Arrivals) -> bool | None:
    """Which of two facts of one day came later, as far as the history tells."""
    ours, theirs = (arrivals.of(fact.path).get(fact.text) for fact in (one, other))
    return None if ours is None or theirs is None else ours.is_after(theirs)


def _linked(words: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The places of all pairs that have a word in common which not very many have."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, some in enumerate(words):
        for word in set(some):
            places[word].append(number)
    for number, some in enumerate(words):
        near = {place for word in some if len(places[word]) <= _COMMON for place in places[word]}
        yield from ((number, place) for place in sorted(near) if place > number)


def _repeated(facts: Sequence[Fact], lasting: str) -> Iterator[_Found]:
    """What logs of several days say and MEMORY.md does not."""
    days: dict[tuple[str, ...], dict[datetime.date, Fact]] = defaultdict(dict)
    known = {details_of(fact.text).said for fact in facts if date_of(fact.path) is None}
    for fact in facts:
        day = date_of(fact.path)
        said = details_of(fact.text).said
        if day is not None and len(details_of(fact.text).words) >= _FEWEST_WORDS:
            days[said].setdefault(day, fact)
    for said, by_day in days.items():
        if len(by_day) >= _REPEATED_DAYS and said not in known:
            first = by_day[min(by_day)]
            yield _Found(
                Proposal(
                    0,
                    "repeated",
                    f"Logs of {len(by_day)} days say it: write it into {lasting}.",
                    tuple(fact.reference for fact in by_day.values()),
                    (f"+ {first.text}",),
                ),
                _promoting(first),
            )


def _oversized(pen: Pen) -> Iterator[_Found]:
    """A MEMORY.md that no session gets whole: the sections that could be notes of their own."""
    path = curated(pen.workspace)
    try:
        text = note_text(pen.workspace, path)
    except WorkspaceError:
        return
    if len(text) <= SESSION_BUDGET:
        return
    for section in placing.sections_of(text):
        size = sum(len(line) + 1 for line in section.lines)
        if section.level == 2 and size >= _LARGE_SHARE * len(text):
            name = placing.file_name(section.title)
            yield _Found(
                Proposal(
                    0,
                    "oversized",
                    f"{path} has {len(text):,} characters, a session gets {SESSION_BUDGET:,}: move "
                    f'"{section.title}" to memory/{name}.',
                    (f"{path}#L{section.line}",),
                    (f"- ## {section.title} ({size:,} characters)", f"+ see memory/{name}"),
                ),
                _moving(path, section.title, name),
            )


def _striking(fact: Fact) -> Callable[[Pen], None]:
    return lambda pen: strike_fact(pen, fact)


def removing(fact: Fact) -> Callable[[Pen], None]:
    """What takes a fact out of its note, if it still stands there."""

    def run(pen: Pen) -> None:
        def change(text: str) -> str:
            here = [one for one in facts_of(text, fact.path) if one.text == fact.text]
            if not here:
                raise WorkspaceError(
                    f"{shown(fact.reference)} was changed meanwhile; review again."
                )
            return placing.remove(text, min(here, key=lambda one: abs(one.line - fact.line)))

        update(pen.workspace, fact.path, change, lock_dir=pen.lock_dir, by=pen.by)

    return run


def _replacing(older: Fact, newer: Fact) -> Callable[[Pen], None]:
    def run(pen: Pen) -> None:
        remember_fact(pen, newer.text, replaces=[older.reference])

    return run


def _promoting(fact: Fact) -> Callable[[Pen], None]:
    def run(pen: Pen) -> None:
        remember_fact(pen, fact.text, durable=True, again=True)

    return run


def _moving(path: str, title: str, name: str) -> Callable[[Pen], None]:
    def run(pen: Pen) -> None:
        text = note_text(pen.workspace, path)
        section = next((one for one in placing.sections_of(text) if one.title == title), None)
        if section is None:
            raise WorkspaceError(f"{path} was changed meanwhile; review again.")
        moved = "\n".join([f"# {title}", *section.lines]).rstrip() + "\n"

        def add(now: str) -> str:
            return f"{now.rstrip()}\n\n{moved}" if now else moved

        # The copy first: if this is cut short, the lines stand twice, and none is lost.
        update(pen.workspace, f"memory/{name}", add, lock_dir=pen.lock_dir, by=pen.by)

        def cut(now: str) -> str:
            return now.replace("\n".join(section.lines), f"\nSee `memory/{name}`.\n", 1)

        update(pen.workspace, path, cut, lock_dir=pen.lock_dir, by=pen.by)

    return run
