"""Words that answer the same question: salary and wage, Handy and Mobiltelefon, and birthday in ten languages.

`synonyms.txt` has a line for each concept: `en: salary, wage | de: Gehalt, Lohn | …`. For a command it is looked
through as one text: to take all of it apart would cost more than its search. A process that asks more does so once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from memdown.text.scripts import HAN_KANA, fold
from memdown.text.stemming import stem
from memdown.text.terms import is_gram, ordered_terms, token_terms, tokens
from memdown.values import pattern

_BETWEEN_LANGUAGES: Final = " | "
_BETWEEN_WORDS: Final = ", "
_LANGUAGE: Final = len("en: ")
_OTHER_SCRIPTS: Final = " | ru: "
_WORD: Final = pattern(r"[^,|\n]+")
_BEFORE_WORDS: Final = frozenset(":,")
_UNSPACED: Final = pattern(f"[{HAN_KANA}]+")
# The letters of the file that `fold` changes: one after the other they are replaced ten times as fast.
_MARKED: Final = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿœæøёй"
# A word is a form of another if it begins so and is little longer, or if both have the same long stem.
_LEAST_LETTERS: Final = 4
_MOST_ENDING: Final = 2
_OTHER_ENDING: Final = 3
_SHORTEST_START: Final = 3
# Of so many words the text is looked through: about as long as it takes to take it apart.
_FEW_LOOKS: Final = 128


class Meaning(NamedTuple):
    """What may stand for one term of a question: the words of the same language, and those of others."""

    term: str
    same: tuple[str, ...]
    others: tuple[str, ...]


class _Thesaurus(NamedTuple):
    """All lines, folded, and as two texts what stands before and behind `_OTHER_SCRIPTS` in each of them: Latin
    letters alone are looked through several times as fast."""

    lines: tuple[str, ...]
    latin: str
    others: str


class _Unspaced(NamedTuple):
    """The words without spaces, each with its place among them, and how long the longest is."""

    places: Mapping[str, int]
    longest: int


class _Found(NamedTuple):
    """A word of the file, and the number of its line."""

    word: str
    line: int


@lru_cache(maxsize=64)
def meanings(question: str, words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The other words for those terms of a question that the thesaurus knows."""
    text, wanted = fold(question), frozenset(words)
    found: list[Meaning] = []
    for _, token in tokens(text):
        if not is_gram(token):
            term = next(iter(token_terms(token)), "")
            found += _meanings_of(token, term) if term in wanted else ()
    if not text.isascii():
        for word in _unspaced_in(text):
            if (term := ordered_terms(word)[0]) in wanted:
                found += _meanings_of(word, term)
    return tuple(found)


def _unspaced_in(text: str) -> list[str]:
    """The words of the file that a text in a script without spaces holds, in the order of the file."""
    runs = _UNSPACED.findall(text)
    if not runs:
        return []
    known = _unspaced_words()
    found = {
        piece
        for run in runs
        for start in range(len(run))
        for end in range(start + 1, min(start + known.longest, len(run)) + 1)
        if (piece := run[start:end]) in known.places
    }
    return sorted(found, key=known.places.__getitem__)


@lru_cache(maxsize=1_024)
def as_terms(words: tuple[str, ...], but: str) -> tuple[tuple[str, ...], ...]:
    """Words as the index has them, each once, without a term that is known."""
    found = dict.fromkeys(tuple(ordered_terms(word)) for word in words)
    found.pop((but,), None)
    return tuple(found)


@lru_cache(maxsize=4_096)
def _meanings_of(token: str, term: str) -> tuple[Meaning, ...]:
    """What the lines say that hold a folded word; if none does, those that hold a form of it."""
    start = token[: max(_SHORTEST_START, len(token) - _OTHER_ENDING)]
    alike = list(_beginning(start))
    found = [one for one in alike if one.word == token] or [
        one for one in alike if stem(one.word) == term or _is_form(token, one.word)
    ]
    return tuple(dict.fromkeys(_meaning(one, term) for one in found))


_looks: Final = count()


def _beginning(start: str) -> Iterable[_Found]:
    """The words of the file that begin so, in its order."""
    if len(start) < _SHORTEST_START or next(_looks) < _FEW_LOOKS:
        return _looked_for(start)
    every = _by_start(start.isascii()).get(start[:_SHORTEST_START], ())
    return [one for one in every if one.word.startswith(start)]


def _looked_for(start: str) -> Iterator[_Found]:
    known = _thesaurus()
    text, sought = known.latin if start.isascii() else known.others, f" {start}"
    place = text.find(sought)
    while place >= 0:
        if text[place - 1] in _BEFORE_WORDS and (word := _WORD.match(text, place)):
            yield _Found(word[0].strip(), text.count("\n", 0, place))
        place = text.find(sought, place + 1)


@cache
def _by_start(latin: bool) -> Mapping[str, Sequence[_Found]]:
    """All words of one of the two texts by their first letters."""
    known = _thesaurus()
    found: dict[str, list[_Found]] = {}
    for number, line in enumerate((known.latin if latin else known.others).split("\n")):
        for language in line.split(_BETWEEN_LANGUAGES):
            for word in language.partition(": ")[2].split(_BETWEEN_WORDS):
                found.setdefault(word[:_SHORTEST_START], []).append(_Found(word, number))
    return found


def _is_form(token: str, word: str) -> bool:
    if len(word) < _LEAST_LETTERS or " " in word:
        return False
    if token.startswith(word):
        return len(token) - len(word) <= _MOST_ENDING
    root = word[: max(_LEAST_LETTERS + 1, len(word) - _MOST_ENDING)]
    return token.startswith(root) and abs(len(token) - len(word)) <= _OTHER_ENDING


def _meaning(found: _Found, term: str) -> Meaning:
    same: list[str] = []
    others: list[str] = []
    for language in _thesaurus().lines[found.line].split(_BETWEEN_LANGUAGES):
        words = language[_LANGUAGE:].split(_BETWEEN_WORDS)
        (same if found.word in words else others).extend(words)
    return Meaning(term, tuple(same), tuple(others))


@cache
def _thesaurus() -> _Thesaurus:
    text = Path(__file__).with_name("synonyms.txt").read_text("utf-8").casefold()
    for letter in _MARKED:
        text = text.replace(letter, fold(letter))
    lines = tuple(line for line in text.splitlines() if not line.startswith("#"))
    parts = [line.partition(_OTHER_SCRIPTS) for line in lines]
    latin = "\n".join([first for first, _, _ in parts])
    return _Thesaurus(lines, latin, "\n".join([f": {rest}" for _, _, rest in parts]))


@cache
def _unspaced_words() -> _Unspaced:
    words = dict.fromkeys(_UNSPACED.findall(_thesaurus().others))
    return _Unspaced({word: place for place, word in enumerate(words)}, max(map(len, words)))
