"""Words that answer the same question: salary and wage, Handy and Mobiltelefon, and birthday in ten languages.

`synonyms.txt` has a line for each concept: `en: salary, wage | de: Gehalt, Lohn | …`. It is looked through as
one text: to take all of it apart would cost a command more than its search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from memdown.text.scripts import HAN_KANA, fold
from memdown.text.stemming import stem
from memdown.text.terms import is_gram, ordered_terms, tokens
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
            term = next(iter(ordered_terms(token)), "")
            found += _meanings_of(token, term) if term in wanted else ()
    if not text.isascii():
        for word in _unspaced_words():
            if word in text and (term := ordered_terms(word)[0]) in wanted:
                found += _meanings_of(word, term)
    return tuple(found)


def as_terms(words: Iterable[str], but: str) -> list[tuple[str, ...]]:
    """Words as the index has them, each once, without a term that is known."""
    found = dict.fromkeys(tuple(ordered_terms(word)) for word in words)
    found.pop((but,), None)
    return list(found)


@lru_cache(maxsize=4_096)
def _meanings_of(token: str, term: str) -> tuple[Meaning, ...]:
    """What the lines say that hold a folded word; if none does, those that hold a form of it."""
    exact = _find(token, lambda word: word == token)
    found = exact or _find(
        token[: max(_SHORTEST_START, len(token) - _OTHER_ENDING)],
        lambda word: stem(word) == term or _is_form(token, word),
    )
    return tuple(dict.fromkeys(_meaning(one, term) for one in found))


def _find(start: str, fits: Callable[[str], bool]) -> list[_Found]:
    """The words that begin so and fit."""
    known = _thesaurus()
    text, sought = known.latin if start.isascii() else known.others, f" {start}"
    found = []
    place = text.find(sought)
    while place >= 0:
        if text[place - 1] in _BEFORE_WORDS and (word := _WORD.match(text, place)):
            one = word[0].strip()
            if fits(one):
                found.append(_Found(one, text.count("\n", 0, place)))
        place = text.find(sought, place + 1)
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
def _unspaced_words() -> tuple[str, ...]:
    return tuple(dict.fromkeys(_UNSPACED.findall(_thesaurus().others)))
