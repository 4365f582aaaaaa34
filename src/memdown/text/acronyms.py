"""Short forms that a text defines: "CI (continuous integration)", "SLO: service level objective", k8s.

A definition is believed if the letters of the short form are those that the words of the long one begin
with, or stand inside of them as in BIP, Bruttoinlandsprodukt. No word list says which language it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from memdown.text.scripts import FIRST_UNSPACED, HAN_KANA, fold
from memdown.text.stemming import stem
from memdown.text.stopwords import is_stop
from memdown.text.terms import ordered_terms
from memdown.values import pattern

DEFINES: Final = "\x02defines"
"""The feature term of every text that defines a short form."""

_LEAST, _MOST = 2, 10
_LONGEST: Final = 100
_MOST_WORDS: Final = 12
# Words of so few letters may lend none: of, and, de, sur, mit, over.
_UNNAMED: Final = 4
# A single word is a long form if it has so many times the letters.
_LONGER: Final = 3
_ALIKE: Final = 6
_CAPITAL: Final = "[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]"
_LETTER: Final = "[A-Za-zÀ-ÖØ-öø-ÿĀ-ſΑ-ώЀ-ѿ0-9]"
# Most words of a text begin with no capital, and most of the others have one only.
_SHORT: Final = pattern(
    rf"{_CAPITAL}(?<!{_LETTER}.)(?={_LETTER}{{0,5}}{_CAPITAL}){_LETTER}{{1,9}}(?!{_LETTER})"
)
# Of k8s what stands behind the first letter: to look for a digit first is several times faster.
_BEHIND_FIRST: Final = pattern(rf"[0-9](?<=[a-z].)(?<!{_LETTER}..)[0-9]?[a-z](?!{_LETTER})")
_WORD: Final = pattern(r"[^\W_]+")
_NUMERONYM: Final = pattern(r"([a-z])(\d{1,2})([a-z])")
_SHORT_LIKE: Final = pattern(rf"{_CAPITAL}{_LETTER}*?{_CAPITAL}|\b[a-z]\d{{1,2}}[a-z]\b")
# What stands around a short form. CI (continuous integration)
_LONG_BEHIND: Final = pattern(rf"[*_`\"”]{{0,3}} ?[(（]([^()（）\n]{{3,{_LONGEST}}})[)）]")
# continuous integration (CI), also "(short: CI)"; "continuous integration, or CI"
_OPENING: Final = pattern(r"([(（,，]) ?((?:[^\W\d_]{1,12}[.:]? ){0,2})[*_`\"“„«]{0,3}")
_CLOSING: Final = pattern(r"[*_`\"”“»]{0,3}\.?[)）]")
# SLO: service level objective, at the beginning of a line; SLO stands for ..., anywhere
_BEGINNING: Final = pattern(r"[ \t>|*+-]{0,8}[*_`]{0,3}")
_SIGN: Final = pattern(r"[*_`]{0,3}[ \t]{0,4}(?:[:：=|→–—]|-(?= ))[*_`]{0,3}[ \t]{0,4}")
_MEANS: Final = pattern(
    r"[*_`\"”]{0,3} (?:stands for|means|is short for|steht für|bedeutet|signifie|veut dire|significa"
    r"|quer dizer|staat voor|betekent|означает|расшифровывается как) (?:the )?"
)
_BEFORE: Final = 32
_QUOTES: Final = " ,\"'“”„«»*_`"
_END: Final = pattern(r"[.;:!?|()\n（）。；]")


# The patterns of Chinese are large: they are made when they are needed.
@cache
def _han() -> re.Pattern[str]:
    return pattern(f"[{HAN_KANA}]{{2,12}}")


@cache
def _han_before() -> re.Pattern[str]:
    return pattern(rf"(?:^|[^\w])(?P<long>[{HAN_KANA}]{{2,8}})$")


@cache
def _is_short_for() -> re.Pattern[str]:
    return pattern(rf" ?(?:是|即|是指) ?([{HAN_KANA}]{{2,12}}?)的(?:缩写|简称|縮寫|簡稱)")


class Definition(NamedTuple):
    """A short form and what it stands for, as a text has them."""

    short: str
    long: str


def may_define(text: str) -> bool:
    """Whether a text holds what looks like a short form."""
    return _SHORT_LIKE.search(text) is not None


@lru_cache(maxsize=256)
def definitions_in(text: str) -> tuple[Definition, ...]:
    """The short forms that a text defines, each as often as it does so differently."""
    return tuple(dict.fromkeys(_found(text)))


def defining_terms(text: str) -> tuple[str, ...]:
    """The feature terms of a text that defines short forms: that it does, each short form, and the first
    word of each long form."""
    firsts = (form[0] for one in definitions_in(text) for form in forms_of(one) if form)
    found = dict.fromkeys(_defining(alike(term)) for term in firsts)
    return (DEFINES, *found) if found else ()


def _defining(term: str) -> str:
    return f"{DEFINES}:{term}"


def defined_by(terms: Iterable[str]) -> list[str]:
    """The feature terms of texts that may define a term of a question, or a long form that begins with it."""
    return list(map(_defining, dict.fromkeys(map(alike, terms))))


def alike(term: str) -> str:
    """What a term is compared by: its beginning, since endings are grammar."""
    return term[:_ALIKE]


@lru_cache(maxsize=256)
def forms_of(one: Definition) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms of a short form, which is one or none, and those of a long form without stop words."""
    long = tuple(term for term in ordered_terms(one.long) if not is_stop(term))
    return tuple(ordered_terms(one.short)[:1]), long


def _found(text: str) -> Iterator[Definition]:
    places = [match.span() for match in _SHORT.finditer(text)]
    places += ((match.start() - 1, match.end()) for match in _BEHIND_FIRST.finditer(text))
    for start, end in places:
        short = text[start:end]
        if _is_short(short):
            for long in (
                *_defined_behind(text, short, start, end),
                _defined_before(text, short, start, end),
            ):
                if long:
                    yield Definition(short, long)


def _defined_behind(text: str, short: str, start: int, end: int) -> Iterator[str]:
    """What a short form stands for by what follows it."""
    behind = _LONG_BEHIND.match(text, end)
    if behind and _is_meant(short, behind[1]):
        yield behind[1].strip()
    if not text.isascii() and (han := _is_short_for().match(text, end)):
        yield han[1]
    line = text.rfind("\n", 0, start) + 1
    sign = _SIGN.match(text, end) if _BEGINNING.fullmatch(text, line, start) else None
    if linked := sign or _MEANS.match(text, end):
        yield _beginning(short, text[linked.end() : linked.end() + _LONGEST])


def _defined_before(text: str, short: str, start: int, end: int) -> str:
    """What a short form stands for by what stands before it; "" if nothing does."""
    at = max(text.rfind(sign, max(0, start - _BEFORE), start) for sign in "(（,，")
    opening = _OPENING.fullmatch(text, at, start) if at >= 0 else None
    if opening is None:
        return ""
    sign, marker = opening.groups()
    before = text[max(0, opening.start() - _LONGEST) : opening.start()].rsplit("\n", 1)[-1]
    if sign in "(（":
        return _ending(short, before) if _CLOSING.match(text, end) else ""
    # Behind a comma without "or" or "short" stands the next thing of a list.
    return _ending(short, before.rsplit(",", 1)[-1]) if marker else ""


def _is_short(word: str) -> bool:
    """Whether a word looks like a short form: about half of it are capitals, or it is one like k8s."""
    capitals = sum(map(str.isupper, word))
    return 2 * capitals >= max(len(word), 2 * _LEAST) or _NUMERONYM.fullmatch(word) is not None


def _is_meant(short: str, long: str) -> bool:
    """Whether all of a text may be what a short form stands for."""
    if not long.isascii() and _han().fullmatch(long.strip()):
        return True
    return _WORD.search(long) is not None and _spells(short, _words(long))


def _ending(short: str, before: str) -> str:
    """What a short form stands for at the end of the text before it; "" if nothing does."""
    before = before.rstrip()
    if before[-1:] >= FIRST_UNSPACED and (han := _han_before().search(before)):
        return han["long"]
    words = _words(before)[-_MOST_WORDS:]
    for number in reversed(range(len(words))):
        long = before[words[number].start :].rstrip(_QUOTES)
        if _spells(short, words[number:]):
            return "" if _END.search(long) else long
    return ""


def _beginning(short: str, rest: str) -> str:
    """What a short form stands for at the beginning of the text behind it; "" if nothing does."""
    rest = _END.split(rest, maxsplit=1)[0].lstrip(_QUOTES)
    if rest[:1] >= FIRST_UNSPACED and (han := _han().match(rest)):
        return han[0]
    words = _words(rest)[:_MOST_WORDS]
    # Of "comité d'entreprise" the first word alone has the letters of CE, too.
    for inside in (False, True):
        for count in range(1, len(words) + 1):
            if _spells(short, words[:count], inside=inside):
                return rest[: words[count - 1].end]
    return ""


class _Letters(NamedTuple):
    """A word of a long form, whether a short form must name it, and where it stands."""

    text: str
    needed: bool
    start: int
    end: int


def _words(long: str) -> list[_Letters]:
    """The words of a long form, folded; one behind a hyphen need not be named."""
    found, end = [], -1
    for match in _WORD.finditer(long):
        joined = match.start() == end + 1 and long[end] in "-‐‑"
        end = match.end()
        word = fold(match[0])
        found.append(_Letters(word, not joined and _is_named(word), match.start(), end))
    return found


@lru_cache(maxsize=1_024)
def _is_named(word: str) -> bool:
    return len(word) > _UNNAMED and not is_stop(stem(word))


def _spells(short: str, words: Sequence[_Letters], *, inside: bool = True) -> bool:
    """Whether a short form is made of the first letters of some words, or also of letters `inside` them."""
    if number := _NUMERONYM.fullmatch(short):
        first, count, last = number.groups()
        return len(words) == 1 and _is_shortened(words[0].text, first, int(count), last)
    letters = fold(short)
    if not words or len(words) > _MOST_WORDS or words[0].text[:1] != letters[:1]:
        return False
    if len(words) == 1 and len(words[0].text) < _LONGER * len(letters):
        return False
    # A word that is the short form itself is none that it stands for.
    return all(word.text != letters for word in words) and _matches(letters, words, inside)


def _is_shortened(word: str, first: str, count: int, last: str) -> bool:
    return word[:1] == first and word[-1:] == last and len(word) == count + 2


def _matches(letters: str, words: Sequence[_Letters], inside: bool) -> bool:
    # How many letters may be spelled by the words so far.
    spelled = {0}
    for word, needed, _, _ in words:
        before, spelled = spelled, set() if needed else spelled.copy()
        for count in before:
            place = 0
            for taken, letter in enumerate(letters[count:] if inside else letters[count:][:1], 1):
                place = word.find(letter, place) + 1
                if not place or (taken == 1 and place > 1):
                    break
                spelled.add(count + taken)
    return len(letters) in spelled
