"""Finding secrets in many texts at once: one quick look at all, then only what it hinted at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, chain

import re2

from memdown.redaction import broken, columns, labelled, pem, phrases, places, vendors, views
from memdown.redaction.patterns import compiled, compiled_set
from memdown.redaction.table import BEFORE, Kind

Span = tuple[int, int, str]
Finder = Callable[[bytes], Iterable[Span]]

KINDS: tuple[Kind, ...] = (*vendors.VENDORS, *places.PLACES)


@dataclass(frozen=True, slots=True)
class _Group:
    """What is looked for together: a pattern that some part of every secret matches, and how."""

    look: re2._Regexp
    find: Finder


def find_all(texts: Sequence[bytes]) -> tuple[list[list[Span]], set[int]]:
    """The secrets of every text as (start, end, kind) in bytes, in order, none overlapping.

    Told with it: the numbers of the texts that hold a word for a password or key at all.
    """
    seen = list(chain.from_iterable(views.seen(texts)))
    found: list[list[Span]] = [[] for _ in texts]
    worded: set[int] = set()
    for group in _groups():
        for one in _holding([view.data for _, view in seen], group.look):
            number, view = seen[one]
            spans = ((*view.original(start, end), kind) for start, end, kind in group.find(view.data))
            found[number].extend(spans)
            if group.find is _labelled:
                worded.add(number)
    # A line break may stand inside what is looked for.
    for one in _holding([views.squeezed(view.data) for _, view in seen], _key_starts()):
        number, view = seen[one]
        spans = ((*view.original(start, end), kind) for start, end, kind in _broken(view.data))
        found[number].extend(spans)
    return [merged(spans) for spans in found], worded


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


def _holding(texts: Sequence[bytes], pattern: re2._Regexp) -> Iterator[int]:
    """The numbers of the texts that match, found in one go over all of them."""
    together = b"\n".join(texts)
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    at = 0
    while at < len(together) and (match := pattern.search(together, at)) is not None:
        start, end = match.span()
        number = bisect_right(starts, start) - 1
        if end < starts[number + 1]:
            yield number
            at = starts[number + 1]
        else:
            # It reaches into the next text: whether it is in this one is asked of this one alone.
            if pattern.search(texts[number]) is not None:
                yield number
            at = starts[number + 1]


def _labelled(data: bytes) -> Iterator[Span]:
    yield from labelled.find(data)
    yield from labelled.find_codes(data)
    yield from columns.find(data)


def _phrases(data: bytes) -> Iterator[Span]:
    yield from phrases.find(data)
    yield from phrases.find_lines(data)


def _of_kinds(kinds: Sequence[Kind], data: bytes) -> Iterator[Span]:
    for number in sorted(_hints(kinds).Match(data) or ()):
        yield from _of_kind(kinds[number], data)


def _of_kind(kind: Kind, data: bytes) -> Iterator[Span]:
    for match in compiled(kind.pattern).finditer(data):
        start, end = match.span(1)
        if kind.check(data[start:end].decode("utf-8", "replace")):
            yield start, end, kind.name


def _broken(data: bytes) -> Iterator[Span]:
    for start, end, key in broken.find(data, _any_key()):
        for kind in _cuttable():
            whole = compiled(kind.body).fullmatch(key)
            if whole is not None and kind.check(key.decode("utf-8", "replace")):
                yield start, end, kind.name
                break


@cache
def _groups() -> tuple[_Group, ...]:
    return (
        *(
            _Group(compiled("|".join(f"(?:{kind.hint})" for kind in kinds)), partial(_of_kinds, kinds))
            for kinds in (vendors.VENDORS, places.PLACES)
        ),
        _Group(compiled(pem.HINT), pem.find),
        _Group(compiled(labelled.WORDS), _labelled),
        _Group(compiled(phrases.WORDS), _phrases),
    )


@cache
def _hints(kinds: Sequence[Kind]) -> re2.Set:
    return compiled_set([kind.hint for kind in kinds])


@cache
def _cuttable() -> tuple[Kind, ...]:
    return tuple(kind for kind in vendors.VENDORS if kind.cuttable)


@cache
def _key_starts() -> re2._Regexp:
    return compiled("|".join(f"(?:{kind.hint})" for kind in _cuttable()))


@cache
def _any_key() -> re2._Regexp:
    return compiled(f"{BEFORE}({'|'.join(kind.body for kind in _cuttable())})")
