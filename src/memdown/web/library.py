"""The texts of all notes, kept in memory while the server runs: words to complete, names to find.

A memory of more than `_MOST_CHARACTERS` keeps the newest notes; of the others only the words.

Names are found without a model: titles of notes, aliases, bold words that begin a fact, wiki links, and
words that are written with a capital letter in the middle of sentences and never without. German writes
every noun so: there a word is a name only if something else says so.
"""

from __future__ import annotations

import bisect
import logging
import posixpath
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
            places = [one.start() for one in _WIKI.finditer(text) if self.named(one[1]) == path]
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
        lines = text[:_OPENING].split("\n")
        given = [titles[path]] if path in titles else []
        given += [*read_front_matter(lines).aliases, *_BOLD.findall(text), *_WIKI.findall(text)]
        for name in given:
            name = name.strip().rstrip(":").strip()
            if 1 < len(name) <= 60 and not name.startswith(("http", "#")):
                written.setdefault(folded(name), name)
        headings.update(folded(one) for one in _HEADING.findall(text))
        headings.update(folded(bare(one)) for both in _TITLED.findall(text) for one in both)
        whole = _is_german(text)
        for block in _BLOCK.split(text):
            found = proper if not _is_german(block, whole) else nouns
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
        if self._is_stale() and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._run, name="memdown-web-made", daemon=True)
            self._thread.start()
        return self._made

    def put(self, made: _T) -> None:
        """Show this until a newer one is made."""
        self._made = made

    def wait(self) -> None:
        """Wait until nothing is being made any more."""
        if self._thread is not None:
            self._thread.join()

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
