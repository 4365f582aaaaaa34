"""A question → the terms that are looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memdown.text.stopwords import is_stop, looks_english
from memdown.text.terms import (
    TOKENCHARS,
    is_gram,
    ordered_terms,
    prefix_terms,
    token_terms,
    tokens,
)

_MAX_CHARACTERS: Final = 20_000
_MAX_WORDS: Final = 64
_MAX_GRAMS: Final = 192
_MAX_PHRASES: Final = 8

_QUOTED: Final = re.compile(
    r'"([^"]{1,400})"|[“„]([^“”„]{1,400})[”“]|[«»]([^«»]{1,400})[«»]'
    r"|「([^「」]{1,400})」|『([^『』]{1,400})』"
)
_JOINERS: Final = re.compile(f"[{re.escape(TOKENCHARS)}]")
_KOREAN_PARTICLES: Final = frozenset("은는이가을를의에와과도")
_SHORT_NUMBER: Final = re.compile(r"\d{1,2}")
# What looks like an identifier but stands in any prose.
_PLAIN: Final = re.compile(
    r"""[^\W\d_]+(?:-[^\W\d_]+)*     # word, state-of-the-art
    | [^\W\d_]+/[^\W\d_]+            # input/output
    | [^\W\d_](?:\.[^\W\d_])+        # e.g
    | \d{1,4}[^\W\d_]{0,2}           # 2026, 1st, 10am, 1990s
    | \d{1,2}[-./:]\d{1,2}           # 3.5, 24/7
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a question asks the keyword index for.

    `exact` are those of the words that are whole identifiers: a hit on one is not by chance.
    `truncated` tells that the question had more words than are looked up.
    """

    words: tuple[str, ...]
    prefixes: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    exact: frozenset[str]
    truncated: bool = False


def query_terms(text: str) -> QueryTerms:
    """The terms of a question; any text is a legal one."""
    asked = text[:_MAX_CHARACTERS]
    by_token = {token: _looked_up(token) for _, token in tokens(asked)}
    telling = dict.fromkeys(term for item in by_token.items() for term in _telling(*item))
    if not telling:
        telling = dict.fromkeys(term for terms in by_token.values() for term in terms)
    words = tuple(_capped(telling))
    asked_in_english = looks_english(term for terms in by_token.values() for term in terms)
    exact = {terms[0] for terms in by_token.values() if terms and not _is_plain(terms[0])}
    return QueryTerms(
        words=words,
        # English is stemmed; in other languages prefixes stand in for that.
        prefixes=() if asked_in_english else tuple(prefix_terms(words)),
        phrases=tuple(_phrases(asked)),
        exact=frozenset(exact.intersection(words)),
        truncated=len(words) < len(telling) or len(asked) < len(text),
    )


def _looked_up(token: str) -> list[str]:
    terms = token_terms(token)
    if len(token) == 2 and token[1] in _KOREAN_PARTICLES:
        # A pair is all there is of a noun of one syllable, and the particle changes.
        return [*terms, token[0]]
    if 2 * sum(map(str.isdigit, token)) > len(token):
        # The 03 of a date says nothing.
        return [*terms[:1], *(term for term in terms[1:] if not _SHORT_NUMBER.fullmatch(term))]
    return terms


def _telling(token: str, terms: list[str]) -> list[str]:
    """The terms of a token without stop words; "and/or" is one because its parts are."""
    if all(map(is_stop, ordered_terms(_JOINERS.sub(" ", token)))):
        return []
    return [term for term in terms if not is_stop(term)]


def _is_plain(term: str) -> bool:
    return is_gram(term) or not term[0].isalnum() or _PLAIN.fullmatch(term) is not None


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
