"""Columns of Markdown tables and of CSV whose heading says that they hold secrets."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.redaction.patterns import compiled

from memdown.redaction import labels, values

_HEADING = compiled(rf"(?i)[*_`\"' ]*(?:\w+[ _-])?(?:{labels.PASSWORD}|{labels.SHORT}|{labels.KEY}|key|{labels.PIN}|{labels.CODES}|{labels.PHRASE})s?(?:[ _-]\w+)?(?: \([^)]*\))?[*_`\"' ]*")
_PASSWORD = compiled(rf"(?i).*(?:{labels.PASSWORD}|{labels.SHORT}|{labels.PIN}|{labels.CODES}).*")
_RULE = compiled(r"[ \t]*\|?[ \t:|+-]*-[ \t:|+-]*\r?")
_HEAD = compiled(rf"(?i)(?:{labels.PASSWORD}|{labels.SHORT}|{labels.KEY}|key|{labels.PIN}|{labels.CODES})[^\n]*\n")
# Code has lists of quoted words that look like rows, but are indented or end with a comma.
_NAME = compiled(r"[^\s\"'(){}=:][^\"'(){}=]{0,59}|[ \t]*[*_`]*[\pL\pN][^\"(){}=]{0,59}[ \t]*|\"[\w ./-]{1,59}\"")
_SEPARATORS = (b"|", b"\t", b";", b",")
_AROUND = b" \t\r*_`\"'"


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The cells below a heading such as `password` or `API key`."""
    if not any(separator in data for separator in _SEPARATORS):
        return
    lines = data.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    number = 0
    while number < len(lines) - 1:
        columns, separator = _heading(lines[number])
        first = number + 1
        number += 1
        if not columns or separator is None:
            continue
        width = lines[number - 1].strip().count(separator)
        while number < len(lines) and _belongs(lines[number], separator, width):
            if not _RULE.fullmatch(lines[number]):
                yield from _cells(lines[number], starts[number], separator, columns)
            number += 1
        if number == first:
            continue


def _heading(line: bytes) -> tuple[dict[int, bool], bytes | None]:
    """Which columns hold secrets (True for passwords), and what stands between columns."""
    for separator in _SEPARATORS:
        if separator in line:
            cells = line.strip(b" \t\r|").split(separator) if separator == b"|" else line.split(separator)
            if len(line) > 2000 or len(cells) < 2 or not all(map(_NAME.fullmatch, cells)):
                return {}, None
            return {
                number: _PASSWORD.fullmatch(cell) is not None
                for number, cell in enumerate(line.split(separator))
                if _HEADING.fullmatch(cell.strip())
            }, separator
    return {}, None


def _belongs(line: bytes, separator: bytes, width: int) -> bool:
    return bool(line.strip()) and (line.strip().count(separator) == width or _RULE.fullmatch(line) is not None)


def _cells(
    line: bytes, start: int, separator: bytes, columns: dict[int, bool]
) -> Iterator[tuple[int, int, str]]:
    at = start
    for number, cell in enumerate(line.split(separator)):
        if number in columns:
            bare = cell.strip(_AROUND)
            text = bare.decode("utf-8", "replace")
            if (_likely(text) if columns[number] else values.keylike(text)):
                first = at + len(cell) - len(cell.lstrip(_AROUND))
                yield first, first + len(bare), "password" if columns[number] else "key"
        at += len(cell) + len(separator)


def _likely(text: str) -> bool:
    return values.said(text, quoted=False, last=False) or (text.isdigit() and 4 <= len(text) <= 10)
