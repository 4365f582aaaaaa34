"""The texts of all notes, kept in memory while the server runs: words to complete, names to find.

A memory of more than `_MOST_CHARACTERS` keeps the newest notes; of the others only the words.
"""

from __future__ import annotations

import bisect
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.notes.document import title_of
from memdown.types import FileState

_MOST_CHARACTERS = 64_000_000
_WORD = re.compile(r"[^\W\d_]{3,40}")
# So many words with one beginning are compared.
_MOST_COMPARED = 2_000
_LEAST_LETTERS = 2
# A title stands at the top.
_OPENING = 4_000


class Library:
    """The notes as they were at the last look."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
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
                self.revision += 1
            return bool(gone or changed)

    @property
    def files(self) -> Mapping[str, FileState]:
        """Every note by its path."""
        return self._files

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of every note that is kept."""
        return self._texts

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
            for path, text in sorted(self._texts.items(), reverse=True):
                lines = text[:_OPENING].split("\n")
                for one in (
                    path.removesuffix(".md"),
                    path.rpartition("/")[2][:-3],
                    self.title(path, lines),
                ):
                    names[folded(one)] = path
            self._names, self._names_of = names, self.revision
        return self._names.get(folded(name.removesuffix(".md")))

    def title(self, path: str, lines: Sequence[str] | None = None) -> str:
        """What a note is called, as it is written there."""
        if lines is None:
            lines = self._texts.get(path, "")[:_OPENING].split("\n")
        return title_of(path, lines)

    def _take(self, one: FileState, room: int) -> int:
        """Read a note; how many characters of it are kept."""
        try:
            text = self._memory.notebook.read(one.path).text
        except MemdownError:
            return 0
        self._files[one.path] = one
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
