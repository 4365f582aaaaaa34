"""A question → the terms that are looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memdown.text.stopwords import stop_terms
from memdown.text.terms import TOKEN, is_gram, ordered_terms, prefix_terms, token_terms

_MAX_CHARACTERS: Final = 20_000
_MAX_WORDS: Final = 64
_MAX_GRAMS: Final = 192
_MAX_PHRASES: Final = 8
_QUOTED: Final = re.compile(
    r'"([^"]{1,400})"|[“„]([^“”„]{1,400})[”“]|[«»]([^«»]{1,400})[«»]'
    r"|「([^「」]{1,400})」|『([^『』]{1,400})』"
)
_SHORT_NUMBER: Final = re.compile(r"\d{1,2}")
_PLAIN: Final = re.compile(r"[^\W\d_]+|\d{1,4}|[^\W\d_](?:\.[^\W\d_])+")


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a question asks the keyword index for.

    `exact` are those of the words that are whole identifiers: a hit on one is never by chance.
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
    by_token = [_looked_up(token_terms(token)) for token in TOKEN.findall(asked)]
    every = dict.fromkeys(term for terms in by_token for term in terms)
    stop = stop_terms()
    telling = dict.fromkeys(term for terms in by_token for term in _telling(terms, stop)) or every
    words = tuple(_capped(telling))
    exact = {terms[0] for terms in by_token if terms and not _is_plain(terms[0])}
    return QueryTerms(
        words=words,
        prefixes=tuple(prefix_terms(words)),
        phrases=tuple(_phrases(asked)),
        exact=frozenset(exact.intersection(words)),
        truncated=len(words) < len(telling) or len(asked) < len(text),
    )


def _looked_up(terms: list[str]) -> list[str]:
    """The terms of a token without the short numbers in it: 03 of a date says nothing."""
    return [t for i, t in enumerate(terms) if i == 0 or not _SHORT_NUMBER.fullmatch(t)]


def _telling(terms: list[str], stop: frozenset[str]) -> list[str]:
    """The terms of a token without stop words; "and/or" is one because its parts are."""
    kept = [term for term in terms if term not in stop]
    return [] if len(terms) > 1 and kept == terms[:1] else kept


def _is_plain(term: str) -> bool:
    return is_gram(term) or _PLAIN.fullmatch(term) is not None


def _capped(terms: Iterable[str]) -> Iterator[str]:
    words = grams = 0
    for term in terms:
        if is_gram(term):
            grams += 1
            if grams <= _MAX_GRAMS:
                yield term
        else:
            words += 1
            if words <= _MAX_WORDS:
                yield term


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    found = (ordered_terms(match[match.lastindex or 0]) for match in _QUOTED.finditer(text))
    yield from list(dict.fromkeys(tuple(terms) for terms in found if terms))[:_MAX_PHRASES]
