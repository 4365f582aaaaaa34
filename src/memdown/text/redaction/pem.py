"""Private keys in PEM: from the first line to the last, or as far as a text that was cut has them."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text.redaction.patterns import compiled

HINT = "PRIVATE KEY"
_DASHES = r"-{4,5}[ ]?"
_BEGIN = compiled(rf"{_DASHES}BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-{{4,5}}")
# Lines may be indented, quoted, numbered as a diff does, or joined by written line breaks.
_BETWEEN = r"(?:[\s>|\"'#*,;]|\\+[nr])*"
_BODY = compiled(
    rf"(?:{_BETWEEN}(?:[A-Za-z0-9+/=]{{16,}}|[A-Z][A-Za-z-]+: [^\n\\]+))*(?:{_BETWEEN}[A-Za-z0-9+/]+={{1,2}})?"
    rf"(?:{_BETWEEN}=[A-Za-z0-9+/]{{4}})?"
)
_CLOSE = compiled(
    rf"{_BETWEEN}(?:[A-Za-z0-9+/=]+{_BETWEEN})?{_DASHES}END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-{{4,5}}"
)
_REST = compiled(
    rf"(?:[A-Za-z0-9+/=]{{16,}}{_BETWEEN})+(?:[A-Za-z0-9+/=]+{_BETWEEN})?"
    rf"{_DASHES}END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-{{4,5}}"
)


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Every private key, also one without its first or its last line."""
    at = 0
    while (begin := _BEGIN.search(data, at)) is not None:
        start, at = begin.span()
        body = _BODY.match(data, at)
        # Code that only names the first line holds no key.
        if body is not None and len(data[at : body.span()[1]].strip()) > 15:
            at = body.span()[1]
            end = _CLOSE.match(data, at)
            at = end.span()[1] if end else at
            yield start, at, "private key"
    for match in _REST.finditer(data):
        yield *match.span(), "private key"
