r"""Patterns of whole words, looked for only in texts that have a word which begins like one of them.

A pattern of a hundred words in ten languages takes a hundred times as long to fail as a look into a set,
and most facts have none of them. Such a pattern is written as `\b(?:now|no longer|neue?)\b|现在|新`: words
between boundaries, then signs of scripts that are written without spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Final, NamedTuple

from memdown.values import pattern

if TYPE_CHECKING:
    import re

_WORD: Final = pattern(r"\w+")
# A letter that may be left out, with all that stands before and behind it.
_OPTIONAL: Final = pattern(r"([\w ]*)(\w)\?(.*)")
# Letters of scripts without spaces, and all others that stand behind them but for punctuation.
# Told by what it is not: a set that reaches beyond 16 bits takes 4 ms to compile.
_SIGN: Final = pattern("[^\x00-\u0dff\u2000-\u2e7f]")
_GROUP: Final = r"\b(?:"
_MARK: Final = pattern(r"\\.|[()\[\]|]")
_BRACKET: Final = pattern("[()]")
_OPENING: Final = ("(", "[")
_CLOSING: Final = (")", "]")
# What may follow a group of words so that each of them ends there.
_BEHIND: Final = (r"\b", r"\s")
_REPEATING: Final = ("?", "*", "{")
_CACHED: Final = 2_048
_CACHED_WORDS: Final = 50_000


class _Wanted(NamedTuple):
    """What a text must have one of: words or phrases, or words that begin so; `always`: it may be anything.

    A text that has one of `enough` is matched for sure.
    """

    always: bool
    whole: frozenset[str]
    begun: frozenset[str]
    enough: frozenset[str]


class _Bits(NamedTuple):
    """The patterns that may match, and those that do for sure: a bit each."""

    may: int
    sure: int


class WordPattern:
    """A compiled pattern with the same answers as `re`, most of them much sooner."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pattern = pattern(source)
        self.bit = _every.add(self)

    @cached_property
    def wanted(self) -> _Wanted:
        """What a text must have so that this can match."""
        found = _beginnings_of(self._source)
        begun = {one[:-1] for one in found or () if one.endswith("*")}
        return _Wanted(
            found is None,
            frozenset(one for one in found or () if not one.endswith("*")),
            frozenset(begun),
            frozenset(_enough(self._source)),
        )

    def matches(self, text: str) -> bool:
        """Whether there is a match: for most texts that is known without looking where it is."""
        may, sure = _matching(text)
        if sure & self.bit:
            return True
        return bool(may & self.bit) and self._pattern.search(text) is not None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self._pattern.search(text) if _matching(text).may & self.bit else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches."""
        return self._pattern.finditer(text) if _matching(text).may & self.bit else iter(())

    def sub(self, by: str, text: str) -> str:
        """The text with all matches replaced."""
        return self._pattern.sub(by, text) if _matching(text).may & self.bit else text


def bits_of(some: Iterable[WordPattern]) -> int:
    """What stands for some patterns together."""
    return reduce(or_, (one.bit for one in some))


def may_match(text: str, bits: int) -> bool:
    """Whether one of some patterns may match a text: where none does, they need not be asked one by one."""
    return bool(_matching(text).may & bits)


class _Every(dict[str, _Bits]):
    """By word, which of all patterns may match, and which do. The bit 1 stands beside a word that may begin
    a phrase; by that word, `phrases` tells with which of them which patterns may match. Of `idle` words it is known
    that they make none match: most are, and leaving them out at once is quicker than to ask for each."""

    def __init__(self) -> None:
        super().__init__()
        self._patterns: list[WordPattern] = []
        self.idle: set[str] = set()
        self._always = 0
        self._whole: dict[str, int] = {}
        self._enough: dict[str, int] = {}
        # By their first two letters.
        self._begun: dict[str, list[tuple[str, int]]] = {}
        self.phrases: dict[str, list[tuple[str, int]]] = {}

    def add(self, one: WordPattern) -> int:
        """One more pattern; the bit that stands for it."""
        self._patterns.append(one)
        self.clear()
        self.idle = set()
        self._whole = {}
        _matching.cache_clear()
        return 1 << len(self._patterns)

    def __missing__(self, word: str) -> _Bits:
        if not self._whole:
            self._read()
        if len(self) + len(self.idle) >= _CACHED_WORDS:
            self.clear()
            self.idle = set()
        found = self._whole.get(word, 0)
        for letters in (word[:1], word[:2]):
            for begin, bit in self._begun.get(letters, ()):
                if word.startswith(begin):
                    found |= bit
        bits = _Bits(found, self._enough.get(word, 0))
        if found:
            self[word] = bits
        else:
            self.idle.add(word)
        return bits

    @property
    def always(self) -> int:
        """The patterns that may match whatever a text has."""
        if not self._whole:
            self._read()
        return self._always

    def _read(self) -> None:
        """Find out what the patterns want, once there are all."""
        # Never empty, so that it is known to be read.
        whole, always = {"": 0}, 0
        enough: dict[str, int] = {}
        begun: dict[str, list[tuple[str, int]]] = {}
        phrases: dict[str, list[tuple[str, int]]] = {}
        for number, one in enumerate(self._patterns, start=1):
            bit, wanted = 1 << number, one.wanted
            always |= bit if wanted.always else 0
            for word in wanted.whole:
                first, space, _ = word.partition(" ")
                whole[first] = whole.get(first, 0) | (1 if space else bit)
                if space:
                    phrases.setdefault(first, []).append((word, bit))
            for word in wanted.enough:
                enough[word] = enough.get(word, 0) | bit
            for begin in wanted.begun:
                begun.setdefault(begin[:2], []).append((begin, bit))
        self.phrases, self._begun, self._always, self._enough = phrases, begun, always, enough
        # Last of all: another thread may be looking whether it is there.
        self._whole = whole


@lru_cache(maxsize=_CACHED)
def _matching(text: str) -> _Bits:
    """Which patterns may match a text, and which do."""
    if not text.isascii() and _SIGN.search(text):
        return _Bits(-1, 0)
    may, sure = _every.always, 0
    for word in set(_WORD.findall(text)) - _every.idle:
        bits = _every[word]
        may |= bits.may
        sure |= bits.sure
        if bits.may & 1:
            for phrase, bit in _every.phrases[word]:
                if phrase in text:
                    may |= bit
    return _Bits(may, sure)


_every: Final = _Every()


def _beginnings_of(source: str) -> frozenset[str] | None:
    """What a text of spaced words must have one of, so that a pattern can match: a word, a phrase,
    or with a star how a word begins; None if it may be anything."""
    found: set[str] = set()
    for alternative in _alternatives(source):
        if _SIGN.match(alternative):
            continue
        if not alternative.startswith(_GROUP):
            return None
        end = _end_of_group(alternative, len(_GROUP))
        if not alternative.startswith(_BEHIND, end + 1):
            return None
        for word in _spellings(alternative[len(_GROUP) : end]):
            begins = _beginnings_of_word(word)
            if begins is None:
                return None
            found |= begins
    return frozenset(found)


def _enough(source: str) -> Iterator[str]:
    """The words that are alternatives of a pattern by themselves."""
    for alternative in _alternatives(source):
        if alternative.startswith(_GROUP):
            end = _end_of_group(alternative, len(_GROUP))
            if alternative[end + 1 :] == _BEHIND[0]:
                yield from filter(_WORD.fullmatch, _spellings(alternative[len(_GROUP) : end]))


def _spellings(source: str) -> Iterator[str]:
    """The alternatives of a group, with and without each letter that may be left out: "une? autre" is two."""
    for word in _alternatives(source):
        if optional := _OPTIONAL.fullmatch(word):
            before, letter, behind = optional.groups()
            yield from _spellings(f"{before}{behind}")
            yield from _spellings(f"{before}{letter}{behind}")
        else:
            yield word


def _beginnings_of_word(word: str) -> set[str] | None:
    if word.startswith("(?:"):
        end = _end_of_group(word, 3)
        if word[end + 1 : end + 2] in _REPEATING:
            return None
        each = [_beginnings_of_word(one + word[end + 1 :]) for one in _alternatives(word[3:end])]
        return None if None in each else set().union(*(one for one in each if one))
    literal = _WORD.match(word)
    if literal is None:
        return None
    begin, behind = literal[0], word[literal.end() : literal.end() + 1]
    if behind in _REPEATING and behind:
        begin = begin[:-1]
    if not begin:
        return None
    rest = word[literal.end() + 1 :]
    if behind == " " and not rest.startswith(_REPEATING):
        # "In the end" is not looked for in every text with an "in".
        nexts = _beginnings_of_word(rest)
        return {f"{begin} {one.rstrip('*')}" for one in nexts} if nexts else {begin}
    if behind == "(" and rest.startswith("?!") and _end_of_group(rest, 0) == len(rest) - 1:
        # Whatever may not follow, the word ends here.
        return {begin}
    ends = not behind or (behind in " '-" and not rest.startswith(_REPEATING))
    return {begin} if ends else {f"{begin}*"}


def _alternatives(source: str) -> Iterator[str]:
    """What stands between the bars that are in no bracket."""
    start = depth = 0
    for found in _MARK.finditer(source):
        mark = found[0]
        if mark == "|" and not depth:
            yield source[start : found.start()]
            start = found.end()
        depth += (mark in _OPENING) - (mark in _CLOSING)
    yield source[start:]


def _end_of_group(source: str, start: int) -> int:
    """Where the bracket closes that was opened before a place."""
    depth = 1
    for found in _BRACKET.finditer(source, start):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.start()
    return len(source)
