"""Finding secrets in a text and putting their kind in their place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import re2

from memdown.redaction import broken, context, views
from memdown.redaction.kinds import (
    NEED_DIGIT,
    PEM_BEGIN,
    PEM_BODY,
    PEM_END,
    PEM_REST,
    PREFIXES,
    VENDORS,
)

_QUICK_LOOK = re2.compile(f"{PREFIXES}|(?i:{context.WORDS})")
_PREFIX = re2.compile(PREFIXES)
_VENDOR = re2.compile("|".join(f"(?:{pattern})" for _, pattern in VENDORS))
_PEM_BEGIN, _PEM_END = re2.compile(PEM_BEGIN), re2.compile(PEM_END)
_PEM_BODY, _PEM_REST = re2.compile(PEM_BODY), re2.compile(PEM_REST)
_DIGIT = re2.compile("[0-9]")


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what it is."""

    start: int
    end: int
    kind: str


def redact(text: str) -> str:
    """The text with every secret replaced by its kind: `[redacted: GitHub token]`."""
    return redact_all([text])[0]


def redact_all(texts: Sequence[str]) -> list[str]:
    """Many texts at once, which takes less time: those without a secret share one quick look."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    redacted = list(texts)
    for number in sorted(_suspects(encoded)):
        spans = _spans(encoded[number])
        if spans:
            redacted[number] = _replaced(encoded[number], spans)
    return redacted


def _suspects(texts: Sequence[bytes]) -> set[int]:
    """The numbers of the texts that hold a word or a prefix that a secret would come with."""
    together = b"\n".join(texts)
    if views.has_invisible(together):
        texts = [views.without_invisible(text).data for text in texts]
        together = b"\n".join(texts)
    found = _holding(together, texts, _QUICK_LOOK)
    # A line break may stand inside a prefix; words are not looked for across it.
    squeezed = [views.squeezed(text) for text in texts]
    return found | _holding(b"\n".join(squeezed), squeezed, _PREFIX)


def _holding(together: bytes, texts: Sequence[bytes], pattern: re2._Regexp) -> set[int]:
    """The numbers of the texts that match, found in one go over all of them."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    found: set[int] = set()
    at = 0
    while at < len(together) and (match := pattern.search(together, at)) is not None:
        number = bisect_right(starts, match.span()[0]) - 1
        found.add(number)
        at = starts[number + 1]
    return found


def _replaced(data: bytes, spans: Sequence[tuple[int, int, str]]) -> str:
    parts: list[bytes] = []
    last = 0
    for start, end, kind in spans:
        parts += (data[last:start], f"[redacted: {kind}]".encode())
        last = end
    return b"".join((*parts, data[last:])).decode("utf-8", "replace")


def find_secrets(text: str) -> list[Secret]:
    """Every secret in a text, in order, none overlapping."""
    data = text.encode("utf-8", "replace")
    found = []
    last = offset = 0
    for start, end, kind in _spans(data) if _suspects([data]) else ():
        first = offset + len(data[last:start].decode("utf-8", "replace"))
        offset = first + len(data[start:end].decode("utf-8", "replace"))
        last = end
        found.append(Secret(first, offset, kind))
    return found


def _spans(data: bytes) -> list[tuple[int, int, str]]:
    visible = views.without_invisible(data)
    found = list(_private_keys(visible.data))
    if _PREFIX.search(visible.data + b"\n" + views.squeezed(visible.data)) is not None:
        found += _vendor_keys(visible.data)
        found += _broken_keys(visible.data)
    found += context.find(visible.data)
    return _merged((*visible.original(start, end), kind) for start, end, kind in found)


def _vendor_keys(data: bytes) -> Iterator[tuple[int, int, str]]:
    for match in _VENDOR.finditer(data):
        start, end = match.span()
        kind = _kind(data[start:end])
        if kind is not None:
            yield start, end, kind


def _kind(secret: bytes) -> str | None:
    for name, pattern in _kinds():
        if pattern.fullmatch(secret):
            return None if name in NEED_DIGIT and not _DIGIT.search(secret) else name
    return "key"


def _broken_keys(data: bytes) -> Iterator[tuple[int, int, str]]:
    for start, end, secret in broken.find(data, _VENDOR):
        kind = _kind(secret)
        if kind is not None:
            yield start, end, kind


@cache
def _kinds() -> tuple[tuple[str, re2._Regexp], ...]:
    return tuple((name, re2.compile(pattern)) for name, pattern in VENDORS)


def _private_keys(data: bytes) -> Iterator[tuple[int, int, str]]:
    if b"PRIVATE KEY" not in data:
        return
    at = 0
    last_end = -1
    while (begin := _PEM_BEGIN.search(data, at)) is not None:
        start, at = begin.span()
        if last_end <= at and last_end != len(data):
            end = _PEM_END.search(data, at)
            last_end = end.span()[1] if end else len(data)
            closed = end is not None
        if closed and last_end > at:
            at = last_end
        else:
            body = _PEM_BODY.match(data, at)
            at = body.span()[1] if body else at
        yield start, at, "private key"
    for match in _PEM_REST.finditer(data):
        yield *match.span(), "private key"


def _merged(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """In order, and those that overlap as one, under the kind of the first."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), known)
        elif end > start:
            merged.append((start, end, kind))
    return merged
