"""The answer to a question for a password: it may hold no telling word itself."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text.redaction import labels, values
from memdown.text.redaction.patterns import compiled

# No words that longer ones hold: `compass?` asks for nothing.
_WHAT = rf"(?:{labels.PASSWORD}|{labels.KEY}|{labels.CODES}|{labels.PIN})"
_ASKED = compiled(rf"(?i){_WHAT}|(?:^|[^a-z])(?:{labels.SHORT}|key)(?:[^a-z]|$)", longest=True)
# A question mark that ends something, or a prompt: a line that ends with a colon.
_QUESTION = compiled(r"[^\n?]{0,120}?[?？؟](?:[\s*_\"'”»)]|$)|[^\n:：]{0,20}[:：][ \t]*\r?\n")
_REQUEST = compiled(
    r"(?i)(?:send|give|tell|share|paste|provide|enter|type|need|what(?:'s| is| was)|please|schick|gib"
    r"|nenn|brauche|wie lautet|was ist|envoie|donne|dis|quel|dame|dime|envía|cuál|qual|manda|stuur"
    r"|geef|podaj|jakie|wyślij|пришли|скажи|дай|какой|söyle|nedir|告诉|发|什么|教えて|何|알려|뭐|บอก|อะไร)"
)
_WORD = compiled(r"[^\s\"'`“”„«»「」<>()\[\]]+")
_ONLY = compiled(
    r"(?i)\s*(?:(?:sure|ok|okay|yes|yep|it'?s|it is|its|here|here it is|here you go|the|that'?s|this is|ja|klar|es ist|lautet|er lautet|oui|c['’]est|sí|es|sim|é|è|ecco|het is|to|это|вот|是|は|です|입니다|คือ)[\s,:.!-]*)*"
)
_STRIP = ".,;:)]}\"'`*_。，"
_FIRST = 200
_TAIL = 400


def asked_for(text: bytes) -> bool:
    """Whether a message ends by asking for a password, a key or a code."""
    tail = text[-_TAIL:]
    last = max((match.span() for match in _ASKED.finditer(tail)), default=None)
    if last is None:
        return False
    rest = tail[last[1] :]
    if _QUESTION.match(rest + b"\n") is not None:
        return True
    return (
        len(rest) < _TAIL // 8 and _REQUEST.search(tail[max(0, last[0] - 80) : last[0]]) is not None
    )


def below(data: bytes, at: int) -> Iterator[tuple[int, int, str]]:
    """The answer behind a question in which a word for a password ends at `at`, or below it."""
    match = _QUESTION.match(data, at, min(len(data), at + 160))
    if match is not None:
        end = match.span()[1]
        if data[end - 1 : end] != b"\n":
            yield from _in_line(data, end, _line_end(data, end), alone=False)
            end = _line_end(data, end) + 1
        yield from _in_line(data, end, _line_end(data, end), alone=False)


def _line_end(data: bytes, at: int) -> int:
    stop = data.find(b"\n", at, at + _FIRST)
    return stop if stop >= 0 else min(len(data), at + _FIRST)


def answer(data: bytes) -> Iterator[tuple[int, int, str]]:
    """What in the first line of an answer is the password: what looks like one, or all there is."""
    at = len(data) - len(data.lstrip())
    yield from _in_line(data, at, _line_end(data, at), alone=True)


def _in_line(data: bytes, at: int, stop: int, *, alone: bool) -> Iterator[tuple[int, int, str]]:
    """`alone` takes an ordinary word as well, if it is all that was said."""
    words = []
    for match in _WORD.finditer(data, at, stop):
        start, end = match.span()
        start += len(data[start:end]) - len(data[start:end].lstrip(b"*_"))
        text = data[start:end].decode("utf-8", "replace").rstrip(_STRIP)
        words.append((start, start + len(text.encode()), text))
    found = [word for word in words if any(map(str.isdigit, word[2])) and values.striking(word[2])]
    if not found and alone:
        lead = _ONLY.match(data, at, stop)
        begin = lead.span()[1] if lead else at
        left = [word for word in words if word[0] >= begin and word[2]]
        if left and (
            (left[0][2].isascii() and values.joined(left[0][2]))
            or (len(left) == 1 and _alone(left[0][2]))
        ):
            found = left
    for start, end, _ in found[:1]:
        yield start, end, "password"


def _alone(text: str) -> bool:
    if text.isdigit():
        return 4 <= len(text) <= 10
    # A sentence in a script without blanks is one word.
    blankless = any(character >= "\u0e00" for character in text)
    return len(text) >= 4 and not blankless and values.said(text, quoted=False, last=True)
