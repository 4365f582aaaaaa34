"""Secrets out of a conversation: what was one in one message is one in every other; and out of new notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memdown.errors import SecretFound
from memdown.text.redaction import finding, labels, values
from memdown.text.redaction.finding import Span, merged, places_in
from memdown.text.redaction.patterns import Pattern, any_of
from memdown.values import dataclass

# Secrets are looked for so many at once, and the latest of them so many times.
_AT_ONCE, _MOST = 100, 10
_SHORTEST, _LONGEST = 6, 4096


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """Where a secret stands in a text, and what it is."""

    start: int
    end: int
    kind: str


def redact(text: str) -> str:
    """The text with every secret replaced by its kind: `[redacted: GitHub token]`."""
    return Redactor().redact_all([text])[0]


def find_secrets(text: str) -> list[FoundSecret]:
    """Every secret in a text, in order, none overlapping."""
    data = text.encode("utf-8", "replace")
    found = []
    last = offset = 0
    for start, end, kind in Redactor().find_all([data])[0]:
        first = offset + len(data[last:start].decode("utf-8", "replace"))
        offset = first + len(data[start:end].decode("utf-8", "replace"))
        last = end
        found.append(FoundSecret(first, offset, kind))
    return found


class Redactor:
    """Redacts one conversation, message by message, and keeps in mind what was a secret in it."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._searches: list[_Search] = []
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
                every[number] = merged([*every[number], *labels.answer(data)])
            self._asked = number in worded and labels.asked_for(data)
        # All before any: a secret may be told as one only after it was used.
        for data, found in zip(texts, every, strict=True):
            self._learn(data, found)
        for search in self._searches:
            for number, span in search.repeats(texts):
                every[number].append(span)
        return [merged(found) if len(found) > 1 else found for found in every]

    def _learn(self, data: bytes, found: list[Span]) -> None:
        for start, end, kind in found:
            value = data[start:end]
            if (
                _SHORTEST <= len(value) <= _LONGEST
                and value not in self._known
                and values.unlike_words(value.decode("utf-8", "replace"))
            ):
                if not self._searches or len(self._searches[-1].known) >= _AT_ONCE:
                    self._searches.append(_Search())
                self._searches[-1].add(value, kind)
                self._known[value] = kind
        while len(self._searches) > _MOST:
            for value in self._searches.pop(0).known:
                del self._known[value]


class _Search:
    """Looks for some known secrets at once: for their beginnings, then for all of them."""

    def __init__(self) -> None:
        self.known: dict[bytes, str] = {}
        self._by_beginning: dict[bytes, list[bytes]] = {}
        self._pattern: Pattern | None = None

    def add(self, value: bytes, kind: str) -> None:
        self.known[value] = kind
        same = self._by_beginning.setdefault(value[:_SHORTEST], [])
        same.append(value)
        same.sort(key=len, reverse=True)
        self._pattern = None

    def repeats(self, texts: Sequence[bytes]) -> Iterator[tuple[int, Span]]:
        """Where the secrets stand in some texts: the text's number and the place."""
        if self._pattern is None:
            self._pattern = any_of(list(self._by_beginning))
        for number, at in places_in(texts, self._pattern):
            data = texts[number]
            for value in self._by_beginning.get(data[at : at + _SHORTEST], ()):
                if data.startswith(value, at):
                    yield number, (at, at + len(value), self.known[value])
                    break


def _replaced(data: bytes, found: Sequence[Span]) -> str:
    parts: list[bytes] = []
    last = 0
    for start, end, kind in found:
        parts += (data[last:start], f"[redacted: {kind}]".encode())
        last = end
    return b"".join((*parts, data[last:])).decode("utf-8", "replace")


_NAMED = 3


def refuse_secrets(text: str, advice: str, *, before: str = "") -> None:
    """Raise `SecretFound` if a text holds a secret that did not stand there `before`."""
    found = [
        f"{_article(one.kind)} (line {text.count(chr(10), 0, one.start) + 1})"
        for one in find_secrets(text)
        if text[one.start : one.end] not in before
    ]
    if found:
        more = [f"{len(found) - _NAMED} more"] if len(found) > _NAMED else []
        raise SecretFound(" and ".join([*found[:_NAMED], *more]), advice)


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"
