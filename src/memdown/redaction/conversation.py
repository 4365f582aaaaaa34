"""Secrets out of a conversation: what was one in one message is one in every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from memdown.redaction import answers, finding, values
from memdown.redaction.finding import Span, merged
from memdown.redaction.patterns import beginnings

# How many secrets are kept in mind, and how much of each the search for them begins with.
_KEPT = 1000
_KEY_BYTES = 24
_SHORTEST, _LONGEST = 6, 4096


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what it is."""

    start: int
    end: int
    kind: str


def redact(text: str) -> str:
    """The text with every secret replaced by its kind: `[redacted: GitHub token]`."""
    return Redactor().redact_all([text])[0]


def find_secrets(text: str) -> list[Secret]:
    """Every secret in a text, in order, none overlapping."""
    data = text.encode("utf-8", "replace")
    found = []
    last = offset = 0
    for start, end, kind in Redactor().find_all([data])[0]:
        first = offset + len(data[last:start].decode("utf-8", "replace"))
        offset = first + len(data[start:end].decode("utf-8", "replace"))
        last = end
        found.append(Secret(first, offset, kind))
    return found


class Redactor:
    """Redacts one conversation, message by message, and keeps in mind what was a secret in it."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._by_beginning: dict[bytes, list[bytes]] = {}
        self._again: re2._Regexp | None = None
        self._asked = False

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """The next messages, with every secret replaced by its kind."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        every = self.find_all(encoded)
        return [
            _replaced(data, found) if found else text
            for text, data, found in zip(texts, encoded, every, strict=True)
        ]

    def find_all(self, texts: Sequence[bytes]) -> list[list[Span]]:
        """Where the secrets of the next messages stand, in bytes."""
        every, worded = finding.find_all(texts)
        for number, data in enumerate(texts):
            if self._asked:
                every[number] = merged([*every[number], *answers.answer(data)])
            self._asked = number in worded and answers.asked_for(data)
        # All before any: a secret may be told as one only after it was used.
        if any([self._learn(data, found) for data, found in zip(texts, every, strict=True)]):
            self._prepare()
        if self._again is None:
            return every
        return [
            merged([*found, *repeats]) if (repeats := list(self._repeats(data))) else found
            for data, found in zip(texts, every, strict=True)
        ]

    def _learn(self, data: bytes, found: list[Span]) -> bool:
        """Keep the secrets of a text in mind; whether any is new."""
        new = False
        for start, end, kind in found:
            value = data[start:end]
            if _SHORTEST <= len(value) <= _LONGEST and value not in self._known:
                if values.unlike_words(value.decode("utf-8", "replace")):
                    self._known[value] = kind
                    new = True
        return new

    def _prepare(self) -> None:
        """Make the pattern that finds the beginnings of all known secrets in one go."""
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        self._by_beginning = {}
        for value in sorted(self._known, key=len, reverse=True):
            self._by_beginning.setdefault(value[:_KEY_BYTES], []).append(value)
        # The longer ones first, so that none is cut short by another that it starts with.
        ordered = sorted(self._by_beginning, key=len, reverse=True)
        self._again = beginnings(ordered)

    def _repeats(self, data: bytes) -> Iterator[Span]:
        if self._again is None:
            return
        for match in self._again.finditer(data):
            start, end = match.span()
            for value in self._by_beginning[data[start:end]]:
                if data.startswith(value, start):
                    yield start, start + len(value), self._known[value]
                    break


def _replaced(data: bytes, found: Sequence[Span]) -> str:
    parts: list[bytes] = []
    last = 0
    for start, end, kind in found:
        parts += (data[last:start], f"[redacted: {kind}]".encode())
        last = end
    return b"".join((*parts, data[last:])).decode("utf-8", "replace")
