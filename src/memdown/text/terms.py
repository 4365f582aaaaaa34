"""Text → terms: what the keyword index stores and looks up, for every script, and where it stands in a text."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from operator import add
from typing import Final

from memdown.text.scripts import EMOJI, FIRST_UNSPACED, FLAG_LETTERS, MARKS, fold, in_latin, runs
from memdown.text.stemming import stem
from memdown.values import pattern

TERMS_VERSION: Final = 14
"""To be raised with every change of what `index_terms` or `prefix_terms` return, or of feature terms."""

TOKENCHARS: Final = "-_./@:+#"
"""The ASCII punctuation that occurs in terms."""

_MAX_TERM: Final = 64
_PREFIX: Final = 5
_LONGEST_GRAM: Final = 3
_CACHED_PIECES: Final = 100_000
_CACHED_LENGTH: Final = 24
_CACHED_TOKENS: Final = 1_024
_CACHED_TEXTS: Final = 512

_LETTER = r"[^\W_]"
_JOINER = "(?:[-./@+#'’‐‑]|::?|__?)"
_TOKEN: Final = pattern(
    f"{_LETTER}(?:{_LETTER}++|[{MARKS}]++|{_JOINER}(?={_LETTER}))*+(?:\\+\\+|#)?"
    f"|[{FLAG_LETTERS}]{{2}}|[{EMOJI}]"
)
_FIRST_LETTER: Final = pattern(_LETTER)
_EDGES: Final = f"{TOKENCHARS}'’‐‑"
_AROUND_WORDS: Final = ".,;:!?()[]{}<>*\"'`|=~/\\-–—“”„«»"
# Vulgar fractions would fold into the digits before them.
_ASCII_FORMS: Final = str.maketrans("’ʼ‐‑", "''--", "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
_FOREIGN: Final = pattern(rf"(?=[\x00-\u02ff\s])[^\w{re.escape(TOKENCHARS)}]")
_CONTRACTED: Final = frozenset({"ll", "re", "ve", "qu"})

_DATE: Final = r"\d{4}-\d\d-\d\d"
_WHOLE_DATE: Final = pattern(_DATE)
_VERSION: Final = pattern(r"[vV]\d.*")
_HYPHENATED: Final = pattern(r"[A-Za-z]{1,2}-[A-Za-z]+|[A-Za-z]+-[A-Za-z]{1,2}")
_LETTERS_AND_NUMBER: Final = pattern(r"([A-Za-z]{2,})(\d+)")
_JOINED_NUMBER: Final = pattern(r"[A-Za-z]{2,}[-_]\d+")
_PARTICIPLE: Final = pattern(
    r"(ab|an|auf|aus|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zuruck|zusammen|af|op|uit)?ge([a-z]{4,}?)(?:e?[td]|en)"
)
_VERB: Final = pattern(r"(?!ge)([a-z]{3})[a-z]*?(?:e?te?n?|en|de)")
_MARKED_WORD: Final = pattern(rf"[^\W\d_][^\d{re.escape(TOKENCHARS)}]+")
# From the weakest joint to the strongest; inside a word it is a capital.
_SPLITTERS: Final = (
    pattern(rf"(?<={_DATE})[-_T](?=\w)|[-_](?={_DATE}(?!\d))|[/@:#]+"),
    pattern(r"\.+"),
    pattern(r"[-_+]+"),
    pattern(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"),
)


class Cache(dict[str, str]):
    """Piece of text → its terms, joined by spaces; computed once for the usual words."""

    def __init__(self, terms_of: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self._terms_of = terms_of

    def __missing__(self, piece: str) -> str:
        terms = " ".join(self._terms_of(piece))
        if len(piece) <= _CACHED_LENGTH:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = terms
        return terms


def piece_terms(piece: str) -> Sequence[str]:
    """The terms of what stands between two white spaces."""
    word = piece.strip(_AROUND_WORDS)
    if word.isascii():
        if word.isalpha() and word[1:].islower():
            return (_normal(word),)
        if word.isdigit() and len(word) <= _MAX_TERM:
            return (word,)
    terms: list[str] = []
    found = _TOKEN.findall(piece) if piece.isascii() else [token for _, token in tokens(piece)]
    for token in found:
        terms += _token_terms(token)
    return terms


_CACHE: Final = Cache(piece_terms)


class _Pieces(dict[str, tuple[str, ...]]):
    """Piece of text → its terms, each of them one object: what they hash to is computed once."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        terms = tuple(map(sys.intern, _CACHE[piece].split()))
        if len(piece) <= _CACHED_LENGTH:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = terms
        return terms


_PIECES: Final = _Pieces()


def index_terms(text: str) -> list[str]:
    """The terms of a text in order, with repetitions, as the keyword index stores them.

    At the end stand, once each, the single characters (and for Thai the pairs) of scripts that
    are searched by pieces, so that a query of one character finds them.
    """
    terms = ordered_terms(text)
    return terms if text.isascii() else terms + short_grams(terms)


def joined_terms(text: str) -> str:
    """The same as `index_terms`, joined by spaces."""
    terms = " ".join(map(_CACHE.__getitem__, text.split()))
    return terms if text.isascii() else " ".join([terms, *short_grams(terms.split())])


@lru_cache(maxsize=_CACHED_TEXTS)
def distinct_terms(text: str) -> frozenset[str]:
    """The terms of a short text, each once; the same few texts are compared again and again."""
    if text[:2] == "- " and text[2:3].isalnum():
        # A bullet has the terms of what it says, which are asked for as well.
        return distinct_terms(text[2:])
    found: set[str] = set()
    found.update(*map(_PIECES.__getitem__, text.split()))
    if not text.isascii():
        found.update(short_grams(found))
    return frozenset(found)


def ordered_terms(text: str) -> list[str]:
    """The terms of a text in order: neighbours in the text are neighbours here, as in a phrase."""
    # White space ends every token, and splitting at it first is several times faster.
    return " ".join(map(_CACHE.__getitem__, text.split())).split()


def spaced_terms(text: str) -> str:
    """The terms of a text in order, with at least one space before and after each."""
    return f" {' '.join(map(_CACHE.__getitem__, text.split()))} "


def prefix_terms(terms: Iterable[str]) -> list[str]:
    """The beginnings of words, once each: they stand in for stems in inflected languages."""
    return list(
        dict.fromkeys(
            term[:_PREFIX]
            for term in terms
            if len(term) >= _PREFIX
            and (term.isalpha() or (not term.isascii() and _MARKED_WORD.fullmatch(term)))
            and not is_gram(term)
        )
    )


def verb_beginnings(term: str) -> list[str]:
    """How other forms of a German or Dutch verb begin: of *gespeichert* as *speichern*, and the other way round."""
    if participle := _PARTICIPLE.fullmatch(term):
        particle, root = participle.groups(default="")
        return [(particle + root)[:_PREFIX]]
    if verb := _VERB.fullmatch(term):
        return [f"ge{verb[1]}"[:_PREFIX]]
    return []


def tokens(text: str) -> Iterator[tuple[int, str]]:
    """Each word, compound, emoji or run of a script searched by pieces, after where it starts."""
    for match in _TOKEN.finditer(text):
        start, token = match.start(), match[0]
        if token.isascii() or max(token) < FIRST_UNSPACED or not token[0].isalnum():
            yield start, token
            continue
        end = 0
        for run in runs().finditer(token):
            first, last = run.span()
            if end < first and (word := _word(token[end:first])):
                yield start + first - len(word), word.rstrip(_EDGES)
            yield start + first, run[0]
            end = last
        if word := _word(token[end:]):
            yield start + len(token) - len(word), word


def _word(text: str) -> str:
    """What stands between two runs, from its first letter on."""
    first = _FIRST_LETTER.search(text)
    return text[first.start() :] if first else ""


def is_gram(term: str) -> bool:
    """Whether the term or token belongs to a script that is searched by pieces."""
    return term >= FIRST_UNSPACED and runs().match(term) is not None


@lru_cache(maxsize=_CACHED_TOKENS)
def token_terms(token: str) -> tuple[str, ...]:
    """The terms of one token of a question, for which each step of a search asks."""
    return tuple(_token_terms(token))


def _token_terms(token: str) -> Iterable[str]:
    """The terms of one token; a compound gives itself first, then its parts."""
    if token.isascii() and token.isalpha() and token[1:].islower():
        return (_normal(token),)
    if is_gram(token):
        return _gram_terms(token)
    if not token[0].isalnum():
        return (token,)
    if not token.isascii():
        token = token.translate(_ASCII_FORMS)
    token = token.strip("-_./@:")
    if "'" not in token:
        return _compound_terms(token)
    # The letters around an apostrophe are grammar: Anna's, l'eau, don't, we'll.
    words = [w for w in token.split("'") if len(w) > 1 and w.lower() not in _CONTRACTED]
    return chain.from_iterable(map(_compound_terms, words))


def _compound_parts(token: str) -> list[tuple[int, str]]:
    """What a compound falls into at its weakest joints, after where it starts; none for a word."""
    # Inside a word only a capital beside a small letter is a joint.
    if token.isalnum() and (token[1:] == token[1:].lower() or token.isupper()):
        return []
    last = None if len(token) <= _MAX_TERM else -1
    # Letters and digits have only the strongest joint between them.
    for splitter in _SPLITTERS[-1 if token.isalnum() else 0 : last]:
        if splitter.search(token) is None:
            continue
        joints = [match.span() for match in splitter.finditer(token)]
        starts = [0, *(end for _, end in joints)]
        ends = [*(start for start, _ in joints), len(token)]
        parts = [(s, token[s:e]) for s, e in zip(starts, ends, strict=True) if s < e]
        if len(parts) > 1:
            return parts
    return []


def _compound_terms(token: str) -> list[str]:
    terms = [whole] if (whole := _normal(token)) else []
    if parts := _compound_parts(token):
        terms += chain.from_iterable(_compound_terms(part) for _, part in parts)
        return terms + other_spellings(token)
    if match := _LETTERS_AND_NUMBER.fullmatch(token):
        terms += map(_normal, match.groups())
    elif not token.isascii() and any(map(str.isdigit, token)):
        terms += other_spellings(token)
    return terms


def other_spellings(token: str) -> list[str]:
    """What else a compound may be written as."""
    if _WHOLE_DATE.fullmatch(token):
        return [token[:7]]
    if _VERSION.fullmatch(token):
        return [_normal(token[1:])]
    if _JOINED_NUMBER.fullmatch(token):
        return [_normal(token.replace("-", "").replace("_", ""))]
    if _HYPHENATED.fullmatch(token):
        return [_normal(token.replace("-", ""))]
    latin = "" if token.isascii() else in_latin(fold(token))
    return [_normal(latin)] if latin.isalnum() else []


def _normal(token: str) -> str:
    """The one form of a word or compound that terms are compared in."""
    term = token.lower() if token.isascii() else _FOREIGN.sub("", fold(token))
    if len(term) <= _MAX_TERM:
        return stem(term)
    digest = blake2b(term.encode(), digest_size=8).hexdigest()
    return f"{term[: _MAX_TERM - 17]}-{digest}"


def _gram_terms(run: str) -> list[str]:
    run = _normal_run(run)
    if _is_unspaced(run[0]):
        return [run[i : i + 3] for i in range(len(run) - 2)] or [run]
    return list(map(add, run, run[1:])) or [run]


def _normal_run(run: str) -> str:
    """The one form of a run that its pieces are taken from."""
    if _is_unspaced(run[0]):
        return run.replace("\u0e4d\u0e32", "\u0e33")
    return unicodedata.normalize("NFKC", run)


def _is_unspaced(char: str) -> bool:
    return "\u0e01" <= char < "\u1100" or "\u1780" <= char < "\u1800" or "\ua9e0" <= char < "\uaa80"


def short_grams(terms: Collection[str]) -> list[str]:
    """What is shorter than the usual grams: single characters, and pairs where three are usual."""
    every = set("".join(terms))
    if not every or max(every) < FIRST_UNSPACED:
        return []
    characters = set("".join(runs().findall("".join(every))))
    short = sorted(filter(str.isalnum, characters))
    if unspaced := set(filter(_is_unspaced, short)):
        # Nothing is asked for that starts with a vowel sign.
        triples = {term for term in terms if len(term) == 3 and term[0] in characters}
        pairs = {pair for term in triples for pair in (term[:2], term[1:])}
        short += sorted(pair for pair in pairs if pair[0] in unspaced)
    return short


def match_spans(text: str, words: Collection[str]) -> list[tuple[int, int]]:
    """The spans of the text whose terms are among `words`, merged and in order."""
    wanted = frozenset(words)
    merged: list[tuple[int, int]] = []
    for start, end in _spans(text, wanted):
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _spans(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    for start, token in tokens(text):
        spans = _gram_spans if is_gram(token) else _word_spans
        for first, last in spans(token, wanted):
            yield start + first, start + last


def _word_spans(token: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """The whole token if it is wanted whole, else the parts of it that are."""
    terms = ordered_terms(token)
    if wanted.isdisjoint(terms):
        return []
    found = []
    if terms[0] not in wanted:
        for start, part in _compound_parts(token):
            found += [(start + first, start + last) for first, last in _word_spans(part, wanted)]
    return found or [(0, len(token))]


def _gram_spans(run: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    normal = _normal_run(run)
    if len(normal) != len(run):
        return [] if wanted.isdisjoint(ordered_terms(run)) else [(0, len(run))]
    return [
        (start, end)
        for start in range(len(run))
        for end in range(start + 1, min(start + _LONGEST_GRAM, len(run)) + 1)
        if normal[start:end] in wanted
    ]
