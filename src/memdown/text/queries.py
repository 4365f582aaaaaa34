"""A question → the terms that are looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from memdown.text.stemming import stem
from memdown.text.stopwords import (
    bends_verbs,
    is_stop,
    looks_english,
    personal_words_of,
    plain,
    stop_words_of,
)
from memdown.text.terms import (
    TOKENCHARS,
    is_gram,
    ordered_terms,
    other_spellings,
    prefix_terms,
    token_terms,
    tokens,
    verb_beginnings,
)
from memdown.values import dataclass, pattern

_MAX_CHARACTERS: Final = 20_000
_MAX_WORDS: Final = 64
_MAX_GRAMS: Final = 192
_MAX_PHRASES: Final = 8

_QUOTED: Final = pattern(
    r'"([^"]{1,400})"|[“„]([^“”„]{1,400})[”“]|[«»]([^«»]{1,400})[«»]'
    r"|「([^「」]{1,400})」|『([^『』]{1,400})』"
)
# What stands between the words of a compound, and the letter of grammar beside an apostrophe.
_BETWEEN: Final = pattern(rf"[{re.escape(TOKENCHARS)}‐‑]+|\b\w['’ʼ]|['’ʼ]\w\b|['’ʼ]")
_KOREAN_PARTICLES: Final = frozenset("은는이가을를의에와과도")
# What asks in scripts without spaces. It is cut out of a question before the question is taken apart, so that no piece reaches from what asks into the
# words beside it: such a piece stands in a note only by chance.
_ASKERS: Final = pattern(
    "为什么|為什麼|[是在]?什么时候|[是在]?什麼時候|是什么|叫什么|什么|什麼|甚麼|哪些|哪一个|哪个|哪個|哪里|哪裡|哪一|哪(?!吒)|谁|誰|多少"
    "|怎么样|怎么|怎麼|何时|何時|何处|何種|何种|为何|如何|[吗嗎](?!啡)|呢"
    "|何(?=[がをとにのでか年人時月日回個歳]|$)|どのような|どのように|どこ|(?<![なほ])どの|なぜ|いくつ|いくら|でしょうか$|ですか$|ましたか$|ますか$|たか$|るか$"
    "|무엇\\w*|누구\\w*|어디\\w*|언제\\w*|얼마\\w*|어느|어떤|몇"
    "|อะไรบ้าง|คืออะไร|อะไร|คือใคร|ใคร(?!่)|ที่ไหน|ที่ใด|เมื่อไหร่|เมื่อไร|เมื่อใด|อย่างไร|ทำไม|เท่าไหร่|เท่าไร|เท่าใด"
    "|เพราะเหตุใด|เหตุใด|สิ่งใด|ใด|ไหน|กี่|หรือไม่"
)
# So many tokens are kept: most of a question are those of any other.
_CACHED: Final = 1_024
# Shorter parts say too little beside others.
_LEAST_BESIDE: Final = 2
_SHORT_NUMBER: Final = pattern(r"\d{1,2}")
# What looks like an identifier but stands in any prose.
_PLAIN: Final = pattern(
    r"""[^\W\d_]+(?:-[^\W\d_]+)*     # word, state-of-the-art
    | [^\W\d_]+/[^\W\d_]+            # input/output
    | [^\W\d_](?:\.[^\W\d_])+        # e.g
    | \d{1,4}[^\W\d_]{0,2}           # 2026, 1st, 10am, 1990s
    | \d{1,2}[-./:]\d{1,2}           # 3.5, 24/7
    """,
    re.VERBOSE,
)


# A number with a word is prose as well: 24-inch, 3-year-old. Dates are times, paths are words.
_NUMBERED: Final = pattern(r"\d+(?:-[a-z]+)+|.*(?:\d{4}-\d\d|/).*", re.DOTALL)


class Identifier(NamedTuple):
    """A number or code of a question, such as PB-1500: its spellings and its parts, as terms."""

    text: str
    spellings: tuple[str, ...]
    parts: tuple[str, ...]


class Alternative(NamedTuple):
    """Terms that together mean about the same as a word of a question, and what they count, below 1.

    `defined` is whether the notes say so, and of no other word.
    """

    word: str
    terms: tuple[str, ...]
    weight: float
    defined: bool = False


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a question asks the keyword index for.

    `exact` are those of the words that are whole identifiers: a hit on one is not by chance.
    Of `identifiers` the whole is meant, and not a note that only shares a number with it.
    """

    words: tuple[str, ...]
    prefixes: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    exact: frozenset[str]
    identifiers: tuple[Identifier, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


def query_terms(text: str) -> QueryTerms:
    """The terms of a question; any text is a legal one.

    Stop words are left out if there is something else to look for, but not what is written in
    capitals among small letters (IT, US) and what stands alone in quotes.
    """
    asked = text[:_MAX_CHARACTERS]
    read = list(map(_read, dict.fromkeys(token for _, token in tokens(asked))))
    if not any(one.terms for one in read):
        # Nothing but what asks: then that is looked for.
        read = [one._replace(terms=token_terms(one.text)) for one in read]
    every = [word for one in read for word in one.words]
    phrases = _phrases(asked)
    named = {phrase[0] for phrase in phrases if len(phrase) == 1}
    if not asked.isupper():
        named.update(one.terms[0] for one in read if one.is_acronym)
    unsaid = stop_words_of(every)
    personal = personal_words_of(every)
    if personal:
        names = {word for one in read if one.text[:1].isupper() for word in one.words}
        unsaid |= personal - names.difference(every[:1])
    telling = dict.fromkeys(term for one in read for term in _content_terms(one, unsaid, named))
    if not telling:
        telling = dict.fromkeys(term for one in read for term in one.terms)
    found = tuple(_capped(telling))
    return QueryTerms(
        words=found,
        # English is stemmed; in other languages the beginnings of words stand in for that.
        prefixes=()
        if looks_english(every)
        else (*prefix_terms(found), *_verbs(found, read, every)),
        phrases=tuple(phrases),
        exact=frozenset(one.terms[0] for one in read if one.is_exact).intersection(found),
        identifiers=tuple(one.identifier for one in read if one.identifier),
    )


class _Read(NamedTuple):
    """A token of a question: its terms, what stop words are told by, and what kind it is of."""

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    is_acronym: bool
    is_exact: bool
    identifier: Identifier | None


@lru_cache(maxsize=_CACHED)
def _read(token: str) -> _Read:
    terms = tuple(_looked_up(token))
    is_exact = bool(terms) and not _is_plain(terms[0])
    identifier = _identifier(token, terms) if is_exact else None
    return _Read(token, terms, tuple(_words(token)), _is_acronym(token), is_exact, identifier)


def _verbs(found: Sequence[str], read: Iterable[_Read], every: Sequence[str]) -> list[str]:
    """How other forms of a question's verbs begin; in German a word with a capital is none."""
    if not bends_verbs(every):
        return []
    small = {term for one in read if one.text.islower() for term in one.terms[:1]}
    return [one for term in found if term in small for one in verb_beginnings(term)]


def _identifier(token: str, terms: tuple[str, ...]) -> Identifier | None:
    """A token with a number in it that is no prose, and of which there are parts to look for."""
    if not any(map(str.isdigit, token)) or _NUMBERED.fullmatch(token):
        return None
    spellings = dict.fromkeys([terms[0], *other_spellings(token)])
    parts = [term for term in terms if term not in spellings]
    return Identifier(token, tuple(spellings), tuple(parts))


def _words(token: str) -> list[str]:
    """What stop words are told by: the words of a token as they are written, without grammar."""
    if is_gram(token) or not token[0].isalnum():
        return []
    if token.isascii() and token.isalpha():
        return [plain(token)]
    return [plain(word) for word in _BETWEEN.sub(" ", token).split()]


def _is_acronym(token: str) -> bool:
    return len(token) > 1 and token.isalpha() and token.isupper()


def _without_askers(run: str) -> list[str] | None:
    """The parts of a run beside what asks in it; None if nothing does."""
    parts = _ASKERS.split(run)
    return [part for part in parts if len(part) >= _LEAST_BESIDE] if len(parts) > 1 else None


def _looked_up(token: str) -> Sequence[str]:
    if is_gram(token) and (parts := _without_askers(token)) is not None:
        return [term for part in parts for term in token_terms(part)]
    terms = token_terms(token)
    if len(token) == 2 and token[1] in _KOREAN_PARTICLES:
        # A pair is all there is of a noun of one syllable, and the particle changes.
        return [*terms, token[0]]
    if not token.isalpha() and 2 * sum(map(str.isdigit, token)) > len(token):
        # The 03 of a date says nothing.
        return [*terms[:1], *(term for term in terms[1:] if not _SHORT_NUMBER.fullmatch(term))]
    return terms


def _content_terms(one: _Read, unsaid: frozenset[str], named: set[str]) -> Iterable[str]:
    """The terms of a token without stop words; "and/or" is one because its parts are."""
    if one.words and unsaid.issuperset(one.words):
        return [term for term in one.terms if term in named]
    left_out = _stems(unsaid) if len(one.terms) > 1 else frozenset()
    return [
        term
        for term in one.terms
        if term in named or not (is_stop(term) if is_gram(term) else term in left_out)
    ]


@lru_cache(maxsize=32)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _is_plain(term: str) -> bool:
    if term.isalpha() or not term[0].isalnum():
        return True
    return is_gram(term) or _PLAIN.fullmatch(term) is not None


def _capped(terms: Iterable[str]) -> Iterator[str]:
    room = {False: _MAX_WORDS, True: _MAX_GRAMS}
    for term in terms:
        gram = is_gram(term)
        if room[gram]:
            room[gram] -= 1
            yield term


def _phrases(text: str) -> list[tuple[str, ...]]:
    found = (ordered_terms(match[match.lastindex or 0]) for match in _QUOTED.finditer(text))
    return list(dict.fromkeys(tuple(terms) for terms in found if terms))[:_MAX_PHRASES]
