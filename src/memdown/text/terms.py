"""Text → terms: what the keyword index stores and looks up, for every script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from itertools import chain
from operator import add
from typing import Final

from memdown.text.scripts import EMOJI, FLAG_LETTERS, HAN_KANA, HANGUL, MARKS, UNSPACED, fold
from memdown.text.stemming import stem

TERMS_VERSION: Final = 1
TOKENCHARS: Final = "-_./@:+#"

_MAX_TERM: Final = 64
_PREFIX: Final = 5
_CACHED_PIECES: Final = 100_000
_CACHED_LENGTH: Final = 24

# Vulgar fractions and enclosed numbers would fold into other numbers.
_LETTER = f"[^\\W_¼-¾\u2150-\u215f\u2460-\u24ff{HAN_KANA}{HANGUL}{UNSPACED}]"
_WORD = f"{_LETTER}{{1,{_MAX_TERM}}}(?:[{MARKS}]{{1,8}}{_LETTER}{{0,{_MAX_TERM}}}){{0,32}}"
_JOINER = "(?:[-./@+#'’‐‑]|::?|__?)"
TOKEN: Final = re.compile(
    f"{_WORD}(?:{_JOINER}{_WORD}){{0,15}}(?:\\+\\+|#)?"
    f"|[{HAN_KANA}]+|[{HANGUL}]+|[{UNSPACED}]+|[{FLAG_LETTERS}]{{2}}|[{EMOJI}]"
)
_GRAM: Final = re.compile(f"[{HAN_KANA}{HANGUL}{UNSPACED}]")
_HANGUL: Final = re.compile(f"[{HANGUL}]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")

_EMOJI: Final = re.compile(f"[{EMOJI}{FLAG_LETTERS}]")

_ASCII_FORMS: Final = str.maketrans("’ʼ‐‑", "''--")
_FOREIGN: Final = re.compile(f"[^\\w{MARKS}{re.escape(TOKENCHARS)}]+")
_CONTRACTED: Final = frozenset({"ll", "re", "ve", "qu"})
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_VERSION: Final = re.compile(r"[vV]\d.*")
_LETTERS_THEN_DIGITS: Final = re.compile(r"([A-Za-z]{2,})(\d+)")
_SPLITTERS: Final = (
    re.compile(r"(?<=\d\d-\d\d)T(?=\d\d)|[/@:#]+"),
    re.compile(r"\.+"),
    re.compile(r"[-_+]+"),
    re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"),
)


class _Cache(dict[str, str]):
    """Piece of text → its terms, joined by spaces; computed once for the usual words."""

    def __missing__(self, piece: str) -> str:
        terms = " ".join(chain.from_iterable(map(token_terms, TOKEN.findall(piece))))
        if len(piece) <= _CACHED_LENGTH:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = terms
        return terms


_CACHE: Final = _Cache()


def index_terms(text: str) -> list[str]:
    """The terms of a text in order, with repetitions, as the keyword index stores them.

    At the end stand, once each, the single characters (and for Thai the pairs) of scripts
    without spaces, so that a query of one character finds them.
    """
    terms = ordered_terms(text)
    if not text.isascii() and _GRAM.search(text):
        terms += _short_grams(terms)
    return terms


def ordered_terms(text: str) -> list[str]:
    """The terms of a text in order: neighbours in the text are neighbours here, as in a phrase."""
    # White space ends every token, and splitting at it first is several times faster.
    return " ".join(map(_CACHE.__getitem__, text.split())).split()


def prefix_terms(terms: Iterable[str]) -> list[str]:
    """The beginnings of long words, once each: they stand in for stems in inflected languages."""
    return list(
        dict.fromkeys(
            term[:_PREFIX]
            for term in terms
            if len(term) > _PREFIX and term.isalpha() and not is_gram(term)
        )
    )


def is_gram(term: str) -> bool:
    """Whether the term is a piece of a run in a script that is searched by pieces."""
    return _GRAM.match(term) is not None


def token_terms(token: str) -> list[str]:
    """The terms of one match of TOKEN; a compound gives itself first, then its parts."""
    if token.isascii() and token.isalpha():
        return _compound_terms(token)
    if _EMOJI.match(token):
        return [token]
    if is_gram(token):
        return _gram_terms(token)
    token = token.translate(_ASCII_FORMS)
    if "'" not in token:
        return _compound_terms(token)
    # The letters around an apostrophe are grammar: Anna's, l'eau, don't, we'll.
    words = [w for w in token.split("'") if len(w) > 1 and w.lower() not in _CONTRACTED]
    return list(chain.from_iterable(map(_compound_terms, words)))


def _compound_terms(token: str, level: int = 0) -> list[str]:
    terms = [whole] if (whole := _normal(token)) else []
    for deeper, splitter in enumerate(_SPLITTERS[level:], level + 1):
        parts = [part for part in splitter.split(token) if part]
        if len(parts) > 1:
            for part in parts:
                terms += _compound_terms(part, deeper)
            return terms + _other_spellings(token, parts)
    if match := _LETTERS_THEN_DIGITS.fullmatch(token):
        terms += map(_normal, match.groups())
    return terms


def _other_spellings(token: str, parts: list[str]) -> list[str]:
    if _DATE.fullmatch(token):
        return [token[:7]]
    if _VERSION.fullmatch(token):
        return [_normal(token[1:])]
    if len(parts) == 2 and min(map(len, parts)) < 3 and all(map(str.isalpha, parts)):
        return [_normal("".join(parts))]
    return []


def _normal(token: str) -> str:
    """The one form of a word or compound that terms are compared in."""
    term = fold(token)
    if not token.isascii():
        term = _FOREIGN.sub("", term)
    if term.isascii() and term.isalpha():
        term = stem(term)
    if len(term) > _MAX_TERM:
        digest = blake2b(term.encode(), digest_size=8).hexdigest()
        term = f"{term[: _MAX_TERM - 17]}-{digest}"
    return term


def _gram_terms(run: str) -> list[str]:
    if _UNSPACED.match(run):
        run = run.replace("\u0e4d\u0e32", "\u0e33")
        return [run[i : i + 3] for i in range(len(run) - 2)] or [run]
    run = unicodedata.normalize("NFKC", run)
    if len(run) < 2:
        return [run]
    grams = list(map(add, run, run[1:]))
    if len(run) > 2 and _HANGUL.match(run):
        return [run[:_MAX_TERM], *grams]
    return grams


def _short_grams(terms: list[str]) -> list[str]:
    """What is shorter than the usual grams: single characters, and pairs where three are usual."""
    characters = "".join(dict.fromkeys("".join(terms)))
    short = dict.fromkeys(_GRAM.findall(characters))
    if unspaced := set(_UNSPACED.findall(characters)):
        triples = [term for term in terms if len(term) == 3 and term[0] in unspaced]
        short |= dict.fromkeys([term[:2] for term in triples])
        short |= dict.fromkeys([term[1:] for term in triples])
    return list(short)
