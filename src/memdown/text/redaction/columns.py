"""Columns of Markdown tables and of CSV whose heading says that they hold secrets."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text.redaction import labels, values
from memdown.text.redaction.patterns import Pattern, compiled

_HEADING = compiled(
    rf"(?i)[*_`\"' ]*(?:\w+[ _-])?(?:{labels.PASSWORD}|{labels.SHORT}|{labels.KEY}|key|{labels.PIN}|{labels.CODES}|{labels.PHRASE})s?(?:[ _-]\w+)?(?: \([^)]*\))?[*_`\"' ]*"
)
_PASSWORD = compiled(rf"(?i).*(?:{labels.PASSWORD}|{labels.SHORT}|{labels.PIN}|{labels.CODES}).*")
_SAID = compiled(labels.ANY)
_RULE = compiled(r"[ \t]*\|?[ \t:|+-]*-[ \t:|+-]*\r?")
# Code has lists of quoted words that look like rows, but are indented or end with a comma.
_NAME = compiled(
    r"[^\s\"'(){}=:][^\"'(){}=]{0,59}|[ \t]*[*_`]*[\pL\pN][^\"(){}=]{0,59}[ \t]*|\"[\w ./-]{1,59}\""
)
# A line of a Markdown table, or names with nothing but a comma, semicolon or tab between them.
_TABLE_HEAD = compiled(
    r"(?:^|\n)([ \t>]*\|[^\n]+|[^\n|]+\|[^\n]+\n[ \t]*\|?[ \t:]*-{2,}[^\n]*)\r?\n"
)
_CSV_HEAD = compiled(r"(?:^|\n)(\"?[\w.-]+\"?(?:[,;\t]\"?[\w.-][\w ./()-]*\"?)+)\r?\n")
_SEPARATORS = (b"|", b"\t", b";", b",")
_AROUND = b" \t\r*_`\"'"


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The cells below a heading such as `password` or `API key`."""
    # A break that is written as an escape is as long as what takes its place.
    data = data.replace(b"\\n", b" \n")
    if b"|" in data:
        yield from _below(data, _TABLE_HEAD)
    yield from _below(data, _CSV_HEAD)


def _below(data: bytes, head: Pattern) -> Iterator[tuple[int, int, str]]:
    at = 0
    for match in head.finditer(data):
        start, end = match.span(1)
        if start < at:
            continue
        columns, separator = _heading(data[start:end])
        if columns and separator is not None:
            width = data[start:end].strip().count(separator)
            at = end + 1
            while at < len(data) and _belongs(line := _line(data, at), separator, width):
                if not _RULE.fullmatch(line):
                    yield from _cells(line, at, separator, columns)
                at += len(line) + 1


def _line(data: bytes, at: int) -> bytes:
    end = data.find(b"\n", at)
    return data[at : end if end >= 0 else len(data)]


def _heading(line: bytes) -> tuple[dict[int, bool], bytes | None]:
    """Which columns hold secrets (True for passwords), and what stands between columns."""
    if _SAID.search(line) is None:
        return {}, None
    for separator in _SEPARATORS:
        if separator in line:
            cells = (
                line.strip(b" \t\r|").split(separator)
                if separator == b"|"
                else line.split(separator)
            )
            if len(line) > 2000 or len(cells) < 2 or not all(map(_NAME.fullmatch, cells)):
                return {}, None
            return {
                number: _PASSWORD.fullmatch(cell) is not None
                for number, cell in enumerate(line.split(separator))
                if _HEADING.fullmatch(cell.strip())
            }, separator
    return {}, None


def _belongs(line: bytes, separator: bytes, width: int) -> bool:
    return bool(line.strip()) and (
        line.strip().count(separator) == width or _RULE.fullmatch(line) is not None
    )


def _cells(
    line: bytes, start: int, separator: bytes, columns: dict[int, bool]
) -> Iterator[tuple[int, int, str]]:
    at = start
    for number, cell in enumerate(line.split(separator)):
        if number in columns:
            bare = cell.strip(_AROUND)
            text = bare.decode("utf-8", "replace")
            if _likely(text) if columns[number] else values.keylike(text):
                first = at + len(cell) - len(cell.lstrip(_AROUND))
                yield first, first + len(bare), "password" if columns[number] else "key"
        at += len(cell) + len(separator)


def _likely(text: str) -> bool:
    if " " in text and not values.passphrase(text):
        return False
    return values.said(text, quoted=False, last=False) or (text.isdigit() and 4 <= len(text) <= 10)
