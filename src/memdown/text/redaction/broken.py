"""Keys that a line break cut in two or more, as terminals and mail programs do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memdown.text.redaction import views
from memdown.text.redaction.patterns import Pattern

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.:$%~-"
_HEAD = re.compile(rb"[A-Za-z0-9_+/=.:$%~-]+")
_MOST_LINES = 12
_LEAST_CHARS = 18


def find(data: bytes, keys: Pattern) -> Iterator[tuple[int, int, bytes]]:
    """Keys that go on in the next line: start, end and the key without its breaks."""
    if b"\n" not in data and b"\\n" not in data:
        return
    lines = list(views.lines(data))
    for number, (place, line) in enumerate(lines):
        tail = line[len(line.rstrip(_LETTERS)) :]
        if tail:
            found = _follow(
                tail, place + len(line) - len(tail), lines[number + 1 :][:_MOST_LINES], keys
            )
            if found is not None:
                yield found


def _follow(
    text: bytes, start: int, lines: list[tuple[int, bytes]], keys: Pattern
) -> tuple[int, int, bytes] | None:
    """The key that begins in `text` and ends in one of the next lines, if there is one."""
    found: tuple[int, int, bytes] | None = None
    for place, line in lines:
        head = _HEAD.match(line)
        if head is None:
            break
        piece, before = head.group(), len(text)
        whole = _ends_with_key(text, keys)
        text += piece
        # The next line may be ordinary text, or another key: behind a whole key it must look like
        # more of this one.
        if whole and (not _keylike(piece) or keys.match(piece) is not None):
            break
        match = _across(text, before, keys) if len(text) >= _LEAST_CHARS else None
        if match is not None:
            first, last = match
            found = (start + first, place + last - before, text[first:last])
        if len(piece) < len(line):
            break
    return found


def _across(text: bytes, junction: int, keys: Pattern) -> tuple[int, int] | None:
    for match in keys.finditer(text):
        first, last = match.span(1)
        if first < junction < last:
            return first, last
    return None


def _ends_with_key(text: bytes, keys: Pattern) -> bool:
    return any(match.span(1)[1] == len(text) for match in keys.finditer(text))


def _keylike(piece: bytes) -> bool:
    """Whether a run of letters is no word: digits among it, or capitals in the middle."""
    letters = piece.strip(b"-_=.").decode("ascii", "replace")
    if any(character.isdigit() for character in letters):
        return True
    return len(letters) > 3 and letters[1:] != letters[1:].lower() and not letters.isupper()
