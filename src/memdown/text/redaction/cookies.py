"""Cookies: of every pair in such a header the value, if it can be a secret."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text.redaction import values
from memdown.text.redaction.patterns import compiled

HINT = r"(?i:cookie[\\\"']{0,4}\s{0,4}:)"
_HEADER = compiled(r"(?i)cookie[\\\"']*\s*:[ \t\\\"']*")
_PAIR = compiled(r"\s*([\w.$%!#&*+^`|~-]{1,80})=([^\s;,\"'\\]*)[\"'\\]*(;?)")
_ATTRIBUTES = frozenset(
    (b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority", b"lang", b"theme")
)


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Every value of a cookie that is long or random; what is only a setting stays."""
    for header in _HEADER.finditer(data):
        at = header.span()[1]
        while (pair := _PAIR.match(data, at)) is not None:
            start, end = pair.span(2)
            if data[slice(*pair.span(1))].lower() not in _ATTRIBUTES and _secret(data[start:end]):
                yield start, end, "cookie"
            at = pair.span()[1]
            if not pair.span(3)[1] > pair.span(3)[0]:
                break


def _secret(value: bytes) -> bool:
    text = value.decode("utf-8", "replace")
    return values.real(text) and len(text) >= 6 and values.has_mark(text)
