"""The notes while the server runs: their texts, the words and names in them, and how a person looks for
them, by folder, by day, newest first.

A memory of more than `_MOST_CHARACTERS` keeps the newest notes; of the others only the words.

Names are found without a model: titles of notes, aliases, bold words that begin a fact, wiki links, and
words that are written with a capital letter in the middle of sentences and never without. German writes
every noun so: there a word is a name only if something else says so.
"""

from __future__ import annotations

import bisect
import calendar
import datetime
import logging
import posixpath
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from memdown.errors import MemdownError
from memdown.facts.reviewing import Proposal, decisions, review
from memdown.memory import Memory
from memdown.notes.document import read_front_matter, title_of
from memdown.types import FileState

log = logging.getLogger("memdown")
_T = TypeVar("_T")

_MOST_CHARACTERS = 64_000_000
_WORD = re.compile(r"[^\W\d_]{3,40}")
# So many words with one beginning are compared.
_MOST_COMPARED = 2_000
_LEAST_LETTERS = 2
# A title stands at the top.
_OPENING = 4_000


class Library:
    """The notes as they were at the last look: `files` has every note by its path, `texts` the kept ones."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self.files: Mapping[str, FileState] = {}
        self.texts: Mapping[str, str] = {}
        self._files: dict[str, FileState] = {}
        self._texts: dict[str, str] = {}
        self._words: Counter[str] = Counter()
        self._sorted: list[str] | None = None
        self._names: dict[str, str] = {}
        self._names_of = -1
        self.revision = 0

    def refresh(self) -> bool:
        """Read what changed since the last look; whether anything did."""
        with self._lock:
            files = self._memory.notes().files
            gone = [path for path in self._files if path not in files]
            changed = [
                one
                for one in files.values()
                if (old := self._files.get(one.path)) is None or not one.same_stat(old)
            ]
            for path in gone:
                self._drop(path)
            room = _MOST_CHARACTERS - sum(map(len, self._texts.values()))
            for one in sorted(changed, key=lambda state: -state.mtime_ns):
                self._drop(one.path)
                room -= self._take(one, room)
            if gone or changed:
                self._sorted = None
                # Whoever goes through the notes just now goes on with those of before.
                self.files = dict(sorted(self._files.items()))
                self.texts = dict(self._texts)
                self.revision += 1
            return bool(gone or changed)

    def complete(self, start: str) -> str | None:
        """The commonest word that begins like this; None if the notes hold the word itself."""
        start = start.casefold()
        if len(start) < _LEAST_LETTERS or not start.isalpha() or start in self._words:
            return None
        with self._lock:
            words = self._sorted = self._sorted or sorted(self._words)
        first = bisect.bisect_left(words, start)
        near = [one for one in words[first : first + _MOST_COMPARED] if one.startswith(start)]
        return max(near, key=lambda word: (self._words[word], -len(word)), default=None)

    def named(self, name: str) -> str | None:
        """The path of the note that is called so, by its file name or its title."""
        if self._names_of != self.revision:
            names: dict[str, str] = {}
            for path, text in sorted(self.texts.items(), reverse=True):
                lines = text[:_OPENING].split("\n")
                for one in (
                    path.removesuffix(".md"),
                    path.rpartition("/")[2][:-3],
                    self.title(path, lines),
                ):
                    names[folded(one)] = path
            self._names, self._names_of = names, self.revision
        return self._names.get(folded(name.removesuffix(".md")))

    def linking(self, path: str) -> list[tuple[str, int]]:
        """The notes that link to a note, each with the line of its first link."""
        name = path.rpartition("/")[2]
        link = re.compile(rf"[\w./-]{{0,200}}{re.escape(name)}")
        found = []
        for other, text in self.texts.items():
            if other == path:
                continue
            places = []
            if "[[" in text:
                wiki = _WIKI.finditer(text)
                places += [one.start() for one in wiki if self.named(one[1]) == path]
            if name in text:
                folder = posixpath.dirname(other)
                places += [
                    one.start()
                    for one in link.finditer(text)
                    if path in (one[0], posixpath.normpath(posixpath.join(folder, one[0])))
                ]
            if places:
                found.append((other, text.count("\n", 0, min(places)) + 1))
        return found

    def title(self, path: str, lines: Sequence[str] | None = None) -> str:
        """What a note is called, as it is written there."""
        if lines is None:
            lines = self.texts.get(path, "")[:_OPENING].split("\n")
        return title_of(path, lines)

    def _take(self, one: FileState, room: int) -> int:
        """Read a note; how many characters of it are kept."""
        self._files[one.path] = one
        try:
            text = self._memory.notebook.read(one.path).text
        except MemdownError:
            return 0
        self._words.update(word.casefold() for word in _WORD.findall(text))
        if len(text) > room:
            return 0
        self._texts[one.path] = text
        return len(text)

    def _drop(self, path: str) -> None:
        self._files.pop(path, None)
        text = self._texts.pop(path, None)
        if text is not None:
            for word in _WORD.findall(text):
                folded = word.casefold()
                self._words[folded] -= 1
                if not self._words[folded]:
                    del self._words[folded]


def folded(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return " ".join(re.sub(r"[-_\s]+", " ", name).casefold().split())


_LEAST_SEEN = 2
_BOLD = re.compile(r"^\s*[-*+]\s+\*\*([^*\n]{2,60})\*\*", re.MULTILINE)
_WIKI = re.compile(r"\[\[([^\[\]|#\n]{2,80})")
_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# A name of one to three words, behind a word or a comma: what begins a sentence may be any word.
_NAME = re.compile(r"(?<=[\w,;)] )([^\W\d_a-zß-öø-ÿ][\w'’-]+(?: [^\W\d_a-zß-öø-ÿ][\w'’-]+){0,2})")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.{2,60}?)[ \t#]*$", re.MULTILINE)
# What is called Mrs or Dr is a person in every language.
_TITLED = re.compile(
    r"(?<!\w)((?:Herrn?|Frau|Dr|Prof|Opa|Oma|Onkel|Tante)\.? ([^\W\d_a-zß-öø-ÿ][\w'’-]+))"
)
_BLOCK = re.compile(r"\n(?:[ \t]*\n|(?=[ \t]*[-*+] ))")
# Words that sentences are made of: German ones, and those of its neighbours.
_GERMAN = frozenset(
    "aber als am auch auf aus bei beim bis das dass dem den der des die ein eine einem einen einer er "
    "für hat ich ihr im ist kein keine mit nach nicht noch nur oder sich sie sind um und uns vom von "
    "vor war wenn werden wie wir wird wurde zu zum zur über".split()
)
_OTHERS = frozenset(
    "a and are as at be by for from has he his is it of on or she that the they this to was we with "
    "you à au avec dans de del du el en est et il la las le les los och para pas por pour que qui son "
    "sur un una une van voor het een met è di che non per".split()
)
_NO_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december christmas easter dr prof mr mrs ms herr frau i i'm i'll".split()
)


@dataclass(frozen=True, slots=True)
class Names:
    """Every name of the notes as it is written, by its folded form, with how often it stands there."""

    written: Mapping[str, str]
    counts: Mapping[str, int]

    def of(self, text: str) -> str | None:
        """The name that a text is, as it is written in the notes."""
        return self.written.get(folded(text))


def names_in(texts: Mapping[str, str], titles: Mapping[str, str]) -> Names:
    """The names of some notes; `titles` are those of the notes without a day."""
    written: dict[str, str] = {}
    proper: Counter[str] = Counter()
    nouns: Counter[str] = Counter()
    headings: set[str] = set()
    small: set[str] = set()
    for path, text in texts.items():
        for name in _names_given(text, titles.get(path)):
            written.setdefault(folded(name), name)
        headings.update(folded(one) for one in _HEADING.findall(text))
        headings.update(folded(bare(one)) for both in _TITLED.findall(text) for one in both)
        whole = _is_german(text)
        for block in _BLOCK.split(text):
            # German writes every noun with a capital, so there a capital alone makes no name.
            found = nouns if _is_german(block, whole) else proper
            found.update(bare(name) for name in _NAME.findall(block))
        small.update(word for word in _NAME_WORD.findall(text) if word[:1].islower())
    for name, count in proper.items():
        if count >= _LEAST_SEEN and not _is_common(name, small):
            written.setdefault(folded(name), name)
    for name in nouns:
        if folded(name) in headings and not _is_common(name, small):
            written.setdefault(folded(name), name)
    proper.update(nouns)
    counts: Counter[str] = Counter()
    for name, count in proper.items():
        if folded(name) in written:
            counts[folded(name)] += count
    return Names(written, counts)


def _names_given(text: str, title: str | None) -> Iterator[str]:
    """What a note calls itself and others: its title, its aliases, bold words that begin a fact, links."""
    aliases = read_front_matter(text[:_OPENING].split("\n")).aliases
    for given in (
        *([title] if title else ()),
        *aliases,
        *_BOLD.findall(text),
        *_WIKI.findall(text),
    ):
        name = given.strip().rstrip(":").strip()
        if 1 < len(name) <= 60 and not name.startswith(("http", "#")):
            yield name


def _is_german(text: str, otherwise: bool = False) -> bool:
    """Whether a text is German rather than another language; too short a one is as its note is."""
    words = [word.lower() for word in _NAME_WORD.findall(text)]
    german = sum(word in _GERMAN for word in words)
    others = sum(word in _OTHERS for word in words)
    return otherwise if german == others else german > others


def bare(name: str) -> str:
    """A name without the ending of a possessive."""
    return name.removesuffix("'s").removesuffix("’s").rstrip("'’-")


def _is_common(name: str, small: set[str]) -> bool:
    # "Frau Dreyer" is a name, "Dr" alone is none.
    words = name.split()
    words = words[1:] if len(words) > 1 and words[0].casefold() in _NO_NAMES else words
    return any(
        len(word) < 2
        or not word[0].isupper()
        or word.casefold().removesuffix("s") in _NO_NAMES
        or word.casefold() in _NO_NAMES
        or word.lower() in small
        for word in words
    )


class Derived(Generic[_T]):
    """Something made of all notes, made anew in the background when `state` has changed.

    Over thousands of notes it takes seconds, so that pages show what was made last, and `ready` is
    called when there is something newer.
    """

    def __init__(
        self, make: Callable[[], _T], state: Callable[[], object], ready: Callable[[], None]
    ) -> None:
        self._make = make
        self._state = state
        self._ready = ready
        self._lock = threading.Lock()
        self._beginning = threading.Lock()
        self._thread: threading.Thread | None = None
        self._of: object = None
        self._made: _T | None = None

    def now(self) -> _T:
        """What is made of the notes as they are now."""
        with self._lock:
            state = self._state()
            if self._made is None or self._of != state:
                self._made = self._make()
                self._of = state
            return self._made

    def last(self) -> _T | None:
        """What was made last; None before the first time. A newer one is made meanwhile."""
        with self._beginning:
            if self._is_stale() and (self._thread is None or not self._thread.is_alive()):
                thread = threading.Thread(target=self._run, name="memdown-web-made", daemon=True)
                thread.start()
                self._thread = thread
        return self._made

    def put(self, made: _T) -> None:
        """Show this until a newer one is made."""
        self._made = made

    def wait(self) -> None:
        """Wait until nothing is being made any more."""
        with self._beginning:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _is_stale(self) -> bool:
        return self._made is None or self._of != self._state()

    def _run(self) -> None:
        try:
            # What changed while it was made is taken in as well: nobody may ask again.
            while self._is_stale():
                before = self._made
                if self.now() != before:
                    self._ready()
        except MemdownError as error:
            log.warning("The notes could not be looked through: %s", error)


def names_of(library: Library, ready: Callable[[], None]) -> Derived[Names]:
    """The names of the notes."""

    def make() -> Names:
        texts, files = library.texts, library.files
        titles = {
            path: library.title(path)
            for path in texts
            if path in files and files[path].date is None and path.lower() != "memory.md"
        }
        return names_in(texts, titles)

    return Derived(make, lambda: library.revision, ready)


def proposals_of(
    memory: Memory, library: Library, ready: Callable[[], None]
) -> Derived[tuple[Proposal, ...]]:
    """What in the notes wants a look; it depends on the notes, the day, and what was decided."""

    def state() -> object:
        pen = memory.pen()
        try:
            facts = decisions(pen).file.stat()
        except OSError:
            return library.revision, pen.today, None
        return library.revision, pen.today, (facts.st_mtime_ns, facts.st_ino)

    return Derived(lambda: tuple(review(memory)), state, ready)


LOGS = "memory"
MOST_SHOWN = 400
_MOST_MONTHS = 18


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the tree: a folder, a year or a month of daily logs, or a note."""

    name: str
    path: str
    kind: str
    count: int = 0
    open: bool = False
    inner: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """One square of the year."""

    date: datetime.date
    paths: tuple[str, ...]
    level: int
    week: int
    weekday: int


def tree(files: Iterable[str], folder: str, current: str = "") -> tuple[Branch, ...]:
    """What stands in a folder; the branches that lead to the current note are open.

    Daily logs are gathered by month, so that years of them stay easy to look through.
    """
    prefix = f"{folder}/" if folder else ""
    folders: dict[str, int] = defaultdict(int)
    months: dict[str, list[str]] = defaultdict(list)
    notes: list[str] = []
    for path in files:
        if not path.startswith(prefix):
            continue
        name, _, deeper = path[len(prefix) :].partition("/")
        if deeper or not name:
            folders[_first_folder(path, prefix)] += 1
        elif _is_log(name):
            months[name[:7]].append(path)
        else:
            notes.append(path)
    branches = [
        _folder(files, prefix, name, count, current) for name, count in sorted(folders.items())
    ]
    branches += _logs(months, prefix, current)
    shown = [Branch(path.rpartition("/")[2], path, "note") for path in sorted(notes)[:MOST_SHOWN]]
    # What lasts comes first.
    first = [one for one in shown if not folder and one.name.lower() == "memory.md"]
    return (*first, *branches, *(one for one in shown if one not in first))


def month(files: Iterable[str], name: str) -> tuple[Branch, ...]:
    """The daily logs of a month; `name` is a folder and the month, `memory/2026-11`."""
    return tuple(
        Branch(path.rpartition("/")[2], path, "note")
        for path in sorted(files, reverse=True)
        if path.startswith(f"{name}-") and _is_log(path.rpartition("/")[2])
    )[:MOST_SHOWN]


def _first_folder(path: str, prefix: str) -> str:
    """The next folder on the way to a path; an absolute path is one folder up to its note."""
    rest = path[len(prefix) :]
    if rest.startswith("/"):
        return rest.rpartition("/")[0]
    return rest.partition("/")[0]


def _folder(files: Iterable[str], prefix: str, name: str, count: int, current: str) -> Branch:
    path = prefix + name
    is_open = current.startswith(f"{path}/") or path == LOGS
    return Branch(
        name, path, "folder", count, is_open, tree(files, path, current) if is_open else ()
    )


def _month(name: str, paths: Sequence[str], prefix: str, current: str) -> Branch:
    is_open = current in paths
    title = f"{calendar.month_name[int(name[5:7])]} {name[:4]}"
    inner = month(paths, prefix + name) if is_open else ()
    return Branch(title, prefix + name, "month", len(paths), is_open, inner)


def _logs(months: Mapping[str, Sequence[str]], prefix: str, current: str) -> list[Branch]:
    """The daily logs by month, newest first; many months are gathered by year once more."""
    inner = [_month(name, months[name], prefix, current) for name in sorted(months, reverse=True)]
    if len(inner) <= _MOST_MONTHS:
        return inner
    years: dict[str, list[Branch]] = defaultdict(list)
    for one in inner:
        years[one.path[len(prefix) : len(prefix) + 4]].append(one)
    return [
        Branch(
            name,
            prefix + name,
            "year",
            sum(one.count for one in inside),
            any(one.open for one in inside),
            tuple(inside) if any(one.open for one in inside) else (),
        )
        for name, inside in years.items()
    ]


def months(files: Iterable[str], name: str) -> tuple[Branch, ...]:
    """The months of a year of daily logs; `name` is a folder and the year, `memory/2026`."""
    prefix = name[:-4]
    found: dict[str, list[str]] = defaultdict(list)
    for path in files:
        log = path[len(prefix) :]
        if path.startswith(f"{name}-") and "/" not in log and _is_log(log):
            found[log[:7]].append(path)
    return tuple(_month(one, found[one], prefix, "") for one in sorted(found, reverse=True))


def _is_log(name: str) -> bool:
    return (
        len(name) > 10
        and name[4] == name[7] == "-"
        and name[:4].isdecimal()
        and name[5:7] in _MONTHS
        and name[8:10].isdecimal()
    )


_MONTHS = frozenset(f"{number:02}" for number in range(1, 13))


def by_day(files: Mapping[str, FileState]) -> dict[datetime.date, list[FileState]]:
    """The dated notes, by their day."""
    days: dict[datetime.date, list[FileState]] = defaultdict(list)
    for state in files.values():
        if state.date:
            days[state.date].append(state)
    return dict(days)


def year(days: Mapping[datetime.date, Sequence[FileState]], number: int) -> list[Day]:
    """Every day of a year with how much was written, in weeks that begin on Monday.

    The level tells in which quarter of the year's days a day is: one very long day must not make
    all others look empty.
    """
    first = datetime.date(number, 1, 1)
    offset = first.weekday()
    written = {day: sum(one.size for one in files) for day, files in days.items()}
    sizes = sorted(size for day, size in written.items() if day.year == number)
    result = []
    for index in range(366 if calendar.isleap(number) else 365):
        day = first + datetime.timedelta(days=index)
        size = written.get(day, 0)
        paths = tuple(one.path for one in days.get(day, ()))
        level = 1 + min(3, 4 * bisect.bisect_left(sizes, size) // len(sizes)) if paths else 0
        week, weekday = divmod(index + offset, 7)
        result.append(Day(day, paths, level, week, weekday))
    return result


def months_of(days: Sequence[Day]) -> list[tuple[int, str]]:
    """Where each month begins in the picture of a year: week and short name."""
    return [(day.week, calendar.month_abbr[day.date.month]) for day in days if day.date.day == 1]


def latest(files: Mapping[str, FileState], count: int) -> list[FileState]:
    """The notes of the last days, newest first."""
    dated = [state for state in files.values() if state.date]
    return sorted(dated, key=lambda one: (one.date, one.path), reverse=True)[:count]


def around(files: Mapping[str, FileState], path: str) -> tuple[FileState | None, FileState | None]:
    """The dated notes before and after a dated one; nothing beside one without a day."""
    if path not in files or files[path].date is None:
        return None, None
    dated = sorted(
        (one for one in files.values() if one.date), key=lambda one: (str(one.date), one.path)
    )
    at = next(number for number, one in enumerate(dated) if one.path == path)
    after = dated[at + 1] if at + 1 < len(dated) else None
    return (dated[at - 1] if at else None), after
