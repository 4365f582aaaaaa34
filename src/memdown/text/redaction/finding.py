"""Finding secrets in many texts at once: one quick look at all, then only what it hinted at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate

from memdown.text.redaction import blocks, kinds, labelled, labels, patterns
from memdown.text.redaction.kinds import BEFORE, Kind
from memdown.text.redaction.patterns import Beginnings, Pattern, compiled
from memdown.values import dataclass

Span = tuple[int, int, str]
Finder = Callable[[bytes], Iterable[Span]]

# How much of a text a hint can take.
_HINT_BYTES = 160
KINDS: tuple[Kind, ...] = (*kinds.VENDORS, *kinds.PLACES)


@dataclass(frozen=True, slots=True)
class _Group:
    """What is looked for together: a pattern that some part of every secret matches, and how."""

    look: Pattern
    find: Finder


def find_all(texts: Sequence[bytes]) -> tuple[list[list[Span]], set[int]]:
    """The secrets of every text as (start, end, kind) in bytes, in order, none overlapping.

    Told with it: the numbers of the texts that hold a word for a password or key at all.
    """
    together = _Together.of(texts)
    if _nothing_hidden(together):
        found, worded = _find_all(together)
        return [merged(spans) if spans else spans for spans in found], worded
    owners, seen = [], []
    for number, text in enumerate(texts):
        for view in patterns.views(text):
            owners.append(number)
            seen.append(view)
    found, worded = _find_all(_Together.of([view.data for view in seen]))
    original: list[list[Span]] = [[] for _ in texts]
    for owner, view, spans in zip(owners, seen, found, strict=True):
        original[owner] += ((*view.original(start, end), kind) for start, end, kind in spans)
    return [merged(spans) for spans in original], {owners[number] for number in worded}


@dataclass(frozen=True, slots=True)
class _Together:
    """Texts, all of them as one, where each of them and one more would begin in it, and which of them are rare:
    they hold a hint at something of which most notes have none."""

    texts: Sequence[bytes]
    whole: bytes
    starts: Sequence[int]
    rare: Sequence[int]

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> _Together:
        whole = b"\n".join(texts)
        starts = [0, *accumulate(len(text) + 1 for text in texts)]
        return cls(texts, whole, starts, list(_holding(whole, starts, _rarities())))


def _nothing_hidden(together: _Together) -> bool:
    """Whether nothing in the texts hides from a reader."""
    written = [text for text in together.texts if b"\\" in text] if b"\\" in together.whole else []
    return patterns.nothing_hidden(
        [*(together.texts[number] for number in together.rare), *written]
    )


def _find_all(together: _Together) -> tuple[list[list[Span]], set[int]]:
    texts = together.texts
    found: list[list[Span]] = [[] for _ in texts]
    worded: set[int] = set()
    for group in _rare_groups():
        for number in together.rare:
            if group.look.search(texts[number]) is not None:
                found[number] += group.find(texts[number])
    for group in _usual_groups():
        for number in _holding(together.whole, together.starts, group.look):
            found[number] += group.find(texts[number])
            if group.find is labelled.find:
                worded.add(number)
    for number in _maybe_broken(texts):
        found[number] += _broken(texts[number])
    return found, worded


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


def _holding(together: bytes, starts: Sequence[int], pattern: Pattern) -> Iterator[int]:
    """The numbers of the texts that match, found in one go over all of them."""
    at = 0
    while at < len(together) and (match := pattern.search(together, at)) is not None:
        start = match.span()[0]
        number = bisect_right(starts, start) - 1
        # The break before a text may be what must stand before a word in it.
        number += start == starts[number + 1] - 1
        if number + 1 == len(starts):
            return
        yield number
        at = starts[number + 1] - 1


def places_in(texts: Sequence[bytes], pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Every place where a pattern without line breaks matches: the text's number and where in it."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for match in pattern.finditer(b"\n".join(texts)):
        number = bisect_right(starts, match.span()[0]) - 1
        yield number, match.span()[0] - starts[number]


def _maybe_broken(texts: Sequence[bytes]) -> Iterator[int]:
    """The numbers of the texts with the start of a key, also if a line break stands inside it."""
    together, between = patterns.squeezed(texts)
    at = number = 0
    while (match := _key_starts().search(together, at)) is not None:
        number += together.count(between, at, match.span()[0])
        if b"\n" in texts[number] or b"\\n" in texts[number]:
            yield number
        end = together.find(between, match.span()[0])
        at = end if end >= 0 else len(together)


def _phrases(data: bytes) -> Iterator[Span]:
    yield from blocks.find_phrases(data)
    yield from blocks.find_lines(data)


def _of_kinds(
    kinds: Sequence[Kind], look: Pattern, hints: Beginnings, data: bytes
) -> Iterator[Span]:
    """Only the patterns of the kinds that something hints at are tried."""
    hinted: set[int] = set()
    at = 0
    while at < len(data) and (match := look.search(data, at)) is not None:
        start = match.span()[0]
        hinted.update(hints.of(data[start : start + _HINT_BYTES]))
        at = start + 1
    for number in sorted(hinted):
        yield from _of_kind(kinds[number], data)


def _of_kind(kind: Kind, data: bytes) -> Iterator[Span]:
    for match in compiled(kind.pattern).finditer(data):
        start, end = match.span(1)
        if kind.check(data[start:end].decode("utf-8", "replace")):
            yield start, end, kind.name


def _broken(data: bytes) -> Iterator[Span]:
    for start, end, key in blocks.find_broken(data, _any_key()):
        for kind in _cuttable():
            whole = compiled(kind.body).fullmatch(key)
            if whole is not None and kind.check(key.decode("utf-8", "replace")):
                yield start, end, kind.name
                break


@cache
def _rare_groups() -> tuple[_Group, ...]:
    """Of what they look for most notes have none, so that one look is enough to know it of all together."""
    return (
        _group(kinds.VENDORS),
        _group(kinds.PLACES),
        _Group(compiled(blocks.PEM_HINT), blocks.find_pem),
        _Group(compiled(blocks.COOKIE_HINT), blocks.find_cookies),
    )


@cache
def _rarities() -> Pattern:
    rare = (
        _look(kinds.VENDORS),
        _look(kinds.PLACES),
        blocks.PEM_HINT,
        blocks.COOKIE_HINT,
        patterns.HIDING,
    )
    return compiled("|".join(f"(?:{one})" for one in rare))


@cache
def _usual_groups() -> tuple[_Group, ...]:
    return (
        _Group(compiled(labels.ANY), labelled.find),
        _Group(compiled(blocks.WORDS), _phrases),
    )


def _look(kinds: Sequence[Kind]) -> str:
    # Words share what stands before them, which is far quicker to look for.
    words = "|".join(f"(?:{kind.hint})" for kind in kinds if kind.word)
    others = [f"(?:{kind.hint})" for kind in kinds if not kind.word]
    return "|".join([f"{BEFORE}(?:{words})", *others] if words else others)


def _group(kinds: Sequence[Kind]) -> _Group:
    look = compiled(_look(kinds))
    hints = Beginnings([f"{BEFORE if kind.word else ''}(?:{kind.hint})" for kind in kinds])
    return _Group(look, partial(_of_kinds, kinds, look, hints))


@cache
def _cuttable() -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds.VENDORS if kind.cut)


@cache
def _key_starts() -> Pattern:
    return compiled("|".join(f"(?:{kind.cut})" for kind in _cuttable()))


@cache
def _any_key() -> Pattern:
    return compiled(f"{BEFORE}({'|'.join(kind.body for kind in _cuttable())})")
