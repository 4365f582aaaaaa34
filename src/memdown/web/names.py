"""The names of the notes, found without a model.

Names are titles of notes, aliases, bold words that begin a fact, wiki links, and words that are
written with a capital letter in the middle of sentences and never without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memdown.notes.front_matter import read_front_matter
from memdown.web.library import Library, folded

_LEAST_SEEN = 2
_OPENING = 4_000
_BOLD = re.compile(r"^\s*[-*+]\s+\*\*([^*\n]{2,60})\*\*", re.MULTILINE)
_WIKI = re.compile(r"\[\[([^\[\]|#\n]{2,80})")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# A name of one to three words, behind a word or a comma: what begins a sentence may be any word.
_NAME = re.compile(r"(?<=[\w,;)] )([^\W\d_a-zß-öø-ÿ][\w'’-]+(?: [^\W\d_a-zß-öø-ÿ][\w'’-]+){0,2})")
_NO_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december christmas easter monday i i'm i'll".split()
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
    small: set[str] = set()
    for path, text in texts.items():
        lines = text[:_OPENING].split("\n")
        given = [titles[path]] if path in titles else []
        given += [*read_front_matter(lines).aliases, *_BOLD.findall(text), *_WIKI.findall(text)]
        for name in given:
            name = name.strip().rstrip(":").strip()
            if 1 < len(name) <= 60 and not name.startswith(("http", "#")):
                written.setdefault(folded(name), name)
        proper.update(bare(name) for name in _NAME.findall(text))
        small.update(word for word in _WORD.findall(text) if word[:1].islower())
    for name, count in proper.items():
        if count >= _LEAST_SEEN and not _is_common(name, small):
            written.setdefault(folded(name), name)
    counts: Counter[str] = Counter()
    for name, count in proper.items():
        if folded(name) in written:
            counts[folded(name)] += count
    return Names(written, counts)


def bare(name: str) -> str:
    """A name without the ending of a possessive."""
    return name.removesuffix("'s").removesuffix("’s").rstrip("'’-")


def _is_common(name: str, small: set[str]) -> bool:
    words = name.split()
    return any(
        len(word) < 2 or word.casefold() in _NO_NAMES or word.lower() in small for word in words
    )


class Subjects:
    """The names and facts of the notes, made anew when the notes have changed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._revision = -1
        self._names = Names({}, {})

    @property
    def is_ready(self) -> bool:
        """Whether the names are known without reading all notes."""
        return self._revision == self._library.revision

    def names(self) -> Names:
        """The names of the notes as they are now."""
        if not self.is_ready:
            revision = self._library.revision
            texts = dict(self._library.texts)
            dated = self._library.files
            titles = {
                path: self._library.title(path)
                for path in texts
                if path in dated and dated[path].date is None and path.lower() != "memory.md"
            }
            self._names, self._revision = names_in(texts, titles), revision
        return self._names
