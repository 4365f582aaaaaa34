"""Finding secrets in one text: a look that passes over most texts, then only what it hinted at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import re2

from memdown.redaction import (
    answers,
    broken,
    columns,
    labelled,
    pem,
    phrases,
    places,
    vendors,
    views,
)
from memdown.redaction.patterns import compiled, compiled_set
from memdown.redaction.table import BEFORE, Kind

Span = tuple[int, int, str]
_Finder = Callable[[bytes], Iterable[Span]]

KINDS: tuple[Kind, ...] = (
    *vendors.VENDORS,
    *places.COMMANDS,
    *places.HEADERS,
    *places.ADDRESSES,
    *places.FILES,
)
# What takes more than a pattern to find, each with what every text that has it holds.
_FINDERS: tuple[tuple[str, _Finder], ...] = (
    (pem.HINT, pem.find),
    (labelled.WORDS, labelled.find),
    (labelled.CODE_WORDS, labelled.find_codes),
    (labelled.ALL_WORDS, columns.find),
    (labelled.ALL_WORDS, answers.find),
    (phrases.WORDS, phrases.find),
    (phrases.LINE_HINT, phrases.find_lines),
)


def spans(data: bytes) -> list[Span]:
    """Every secret of a text as (start, end, kind) in bytes, in order, none overlapping."""
    found: list[Span] = []
    for view in views.views(data):
        for start, end, kind in _found(view.data):
            found.append((*view.original(start, end), kind))
    return merged(found)


def merged(found: Iterable[Span]) -> list[Span]:
    """In order, and those that overlap as one, under the kind that was found first."""
    kept: list[Span] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if kept and start < kept[-1][1]:
            first, last, known = kept[-1]
            kept[-1] = (first, max(last, end), known)
        elif end > start:
            kept.append((start, end, kind))
    return kept


def _found(data: bytes) -> Iterator[Span]:
    for number in sorted(_hints().Match(data) or ()):
        yield from _finders()[number](data)
    squeezed = views.squeezed(data)
    if squeezed and _starts().Match(squeezed):
        yield from _broken(data)


def _of_kind(number: int, data: bytes) -> Iterator[Span]:
    kind = KINDS[number]
    for match in _pattern(number).finditer(data):
        start, end = match.span(1)
        if kind.check(data[start:end].decode("utf-8", "replace")):
            yield start, end, kind.name


def _broken(data: bytes) -> Iterator[Span]:
    for start, end, key in broken.find(data, _any_key()):
        for number in _starts().Match(key) or ():
            whole = _pattern(number).match(key)
            if whole is not None and KINDS[number].check(key.decode("utf-8", "replace")):
                yield start, end, KINDS[number].name
                break


@cache
def _finders() -> tuple[_Finder, ...]:
    return (*(partial(_of_kind, n) for n in range(len(KINDS))), *(find for _, find in _FINDERS))


@cache
def _pattern(number: int) -> re2._Regexp:
    return compiled(KINDS[number].pattern)


@cache
def _hints() -> re2.Set:
    own = len(vendors.VENDORS)
    hints = [kind.hint if n < own else f"(?i){kind.hint}" for n, kind in enumerate(KINDS)]
    return compiled_set([*hints, *(hint for hint, _ in _FINDERS)])


@cache
def _starts() -> re2.Set:
    return compiled_set([kind.hint for kind in vendors.VENDORS])


@cache
def _any_key() -> re2._Regexp:
    keys = "|".join(kind.body for kind in vendors.VENDORS)
    return compiled(f"{BEFORE}({keys})")
