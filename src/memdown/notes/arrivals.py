"""When facts came into their notes, by the journal: on which day, and which of two came later."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Mapping
from dataclasses import field
from itertools import zip_longest
from typing import Final, NamedTuple

from memdown.notes.changes import OUTSIDE, Change
from memdown.notes.journal import Journal
from memdown.notes.statements import facts_of
from memdown.values import dataclass, pattern

# Of one note, so many changes are looked through for the days on which its facts came.
_MOST_CHANGES: Final = 5_000
_RENAMED_SECONDS: Final = 60
_MOST_LETTERS, _SPELT_ALIKE = 3, 0.7
_DIGITS: Final = pattern(r"\d+")
# What other programs wrote is recorded by the next sync, several notes at once, and after what we wrote meanwhile:
# within so many seconds, that it was recorded later says nothing.
_ONE_LOOK_SECONDS: Final = 60


class Came(NamedTuple):
    """When a fact came: the time of the change that brought it, its number, and whether another program
    made it."""

    time: datetime.datetime
    change: int
    outside: bool

    @property
    def day(self) -> datetime.date:
        """The day on which it came."""
        return self.time.date()

    def is_after(self, other: Came) -> bool | None:
        """Whether this came later than another; None if the journal cannot tell."""
        if self.change == other.change:
            return None
        later = max(self, other, key=lambda one: one.change)
        seconds = abs((self.time - other.time).total_seconds())
        if later.outside and seconds < _ONE_LOOK_SECONDS:
            return None
        return later is self


@dataclass(slots=True)
class _Known:
    """The facts of one note by when they came, as far as the changes up to `last` tell."""

    last: int = 0
    came: dict[str, Came] = field(default_factory=dict)
    gone: dict[str, Came] = field(default_factory=dict)


_NOTHING: Final = _Known()


class Arrivals:
    """When facts came into their notes, by the journal, of which each change is read once.

    Safe to use from several threads. Without a journal nothing is known. A fact whose spelling is mended
    keeps its day, and so does one that an undo brings back, or that moves with its note to another name.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._stamp: tuple[tuple[int, int], ...] = ()
        self._latest: dict[str, int] = {}
        self._known: dict[str, _Known] = {}
        self._begun: datetime.date | None = None

    def of(self, path: str) -> Mapping[str, Came]:
        """When the facts of a note came, by what they say."""
        return self.until_now()(path)

    def until_now(self) -> Callable[[str], Mapping[str, Came]]:
        """What tells the same of one note after the other; changes that come meanwhile are not looked for."""
        with self._lock:
            stamp = self._journal.stamp()
            if stamp != self._stamp:
                self._stamp, self._latest = stamp, self._journal.latest()
        return self._known_of

    def _known_of(self, path: str) -> Mapping[str, Came]:
        with self._lock:
            known = self._known.get(path, _NOTHING)
            # Most notes did not change since they were first read.
            if self._latest.get(path, 0) > known.last:
                known = self._read(path)
            return known.came

    def begun(self) -> datetime.date | None:
        """The day on which the journal began: an undated fact that did not come since is older."""
        with self._lock:
            if self._begun is None:
                self._begun = self._journal.begun()
            return self._begun

    def _read(self, path: str) -> _Known:
        known = self._known.setdefault(path, _Known())
        changes = self._journal.changes(path=path, after=known.last, limit=_MOST_CHANGES)
        for change in reversed(changes):
            known.last = change.id
            before = {fact.text for fact in facts_of(change.removed_text)}
            after = {fact.text for fact in facts_of(change.added_text)}
            lost, come = before - after, after - before
            moved = self._moved(change) if come and not change.before else {}
            times = {text: self._came(text, change, lost, moved, known) for text in come}
            for text in lost:
                if (time := known.came.pop(text, None)) is not None:
                    known.gone[text] = time
            known.came |= {text: time for text, time in times.items() if time is not None}
        return known

    @staticmethod
    def _came(
        text: str,
        change: Change,
        lost: set[str],
        moved: Mapping[str, Came | None],
        known: _Known,
    ) -> Came | None:
        if text in moved:
            return moved[text]
        if change.undoes:
            return known.gone.get(text)
        if (old := next((one for one in lost if _respelled(one, text)), None)) is not None:
            return known.came.get(old)
        return Came(change.time, change.id, change.actor == OUTSIDE.actor)

    def _moved(self, change: Change) -> dict[str, Came | None]:
        """The facts that another note lost when this one was made: it was renamed."""
        found: dict[str, Came | None] = {}
        if change.actor != OUTSIDE.actor:
            return found
        since = change.time - datetime.timedelta(seconds=_RENAMED_SECONDS)
        for other in self._journal.changes(since=since):
            near = abs((other.time - change.time).total_seconds()) <= _RENAMED_SECONDS
            if near and other.path != change.path and other.kind == "removed":
                gone = self._read(other.path).gone
                found |= {fact.text: gone.get(fact.text) for fact in facts_of(other.removed_text)}
        return found


def _respelled(old: str, new: str) -> bool:
    """Whether a fact is the same but for its spelling: no other number, hardly a letter differs."""
    from difflib import SequenceMatcher

    if abs(len(old) - len(new)) > _MOST_LETTERS or _DIGITS.findall(old) != _DIGITS.findall(new):
        return False
    pairs = list(zip_longest(old.split(), new.split(), fillvalue=""))
    differ = [(one, other) for one, other in pairs if one != other]
    return len(differ) == 1 and all(
        min(map(len, pair)) > _MOST_LETTERS and SequenceMatcher(None, *pair).ratio() >= _SPELT_ALIKE
        for pair in differ
    )
