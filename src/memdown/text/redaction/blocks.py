"""Secrets of several words or lines: private keys, cookies, seed phrases, recovery codes, broken keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memdown.text.redaction import labels, patterns, values
from memdown.text.redaction.patterns import Pattern, compiled

PEM_HINT = "PRIVATE KEY"
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


def find_pem(data: bytes) -> Iterator[tuple[int, int, str]]:
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


COOKIE_HINT = r"(?i:cookie[\\\"']{0,4}\s{0,4}:)"
_HEADER = compiled(r"(?i)cookie[\\\"']*\s*:[ \t\\\"']*")
_PAIR = compiled(r"\s*([\w.$%!#&*+^`|~-]{1,80})=([^\s;,\"'\\]*)[\"'\\]*(;?)")
_ATTRIBUTES = frozenset(
    (b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority", b"lang", b"theme")
)


def find_cookies(data: bytes) -> Iterator[tuple[int, int, str]]:
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


# Words of such lists have three to eight letters; numbers, bullets and commas may stand between.
_SEED_WORD = compiled(
    r"[\s,;|>*\"'`_(-]*(?:```\w*\s)?(?:[0-9]{1,2}[.):]?[ \t]*)?([a-z]{3,8})(?:[^a-z]|$)"
)
_SAID = compiled(rf"(?i)(?:{labels.PHRASE})")
_STARTS = compiled("[:=：\n\"'`(]")
_LOOK_AHEAD, _FEWEST, _MOST = 100, 11, 24
_WRITTEN = compiled(
    r"[^\n]{0,40}?[:=：\n\"'`「は是为][\s\"'`*_(>-]*((?:[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,8}[ \x{3000}]+){11,23}[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,8})"
)
_LINE = compiled(r"(?:^|\n)[ \t>*\"'`-]*([a-z]{3,8}(?: [a-z]{3,8}){11,23})[\"'`. \t\r]*(?:\n|$)")
_LINE_HINT = r"(?:^|\n)[ \t>*\"'`-]*[a-z]{3,8}(?: [a-z]{3,8}){11}"
_LINE_OF_WORDS = compiled(r"^[\"'`. \t\r]*\n[ \t]*[a-z]+(?: [a-z]+){5}")
_LENGTHS = frozenset({12, 15, 18, 21, 24})
# No list of seed words holds these, but hardly a sentence of twelve words is without one.
_NEVER_A_SEED = frozenset(
    "the and for are was were has had have with from not but his her its our their would could"
    " which been being does did these those than into your how why who all can may must will"
    " about after also because before between both during each more most other over same some"
    " such through under until were what when while where".split()
)

_CODES = compiled(rf"(?i)(?:{labels.CODES})")
_CODE = compiled(
    r"[\s,;|>*\x{2022}\"'`()\[\]-]*(?:[0-9]{1,2}[.):][ \t]+)?[\"'`]?"
    r"([A-Za-z0-9]{4,12}(?:[-–][A-Za-z0-9]{3,10}){1,5}|[0-9]{4} [0-9]{4}|[0-9]{6,12}|[A-Za-z0-9]{8,16})(?:[\"'`]|[^\w]|$)"
)
_LEAD = compiled(
    r"(?i)[^\n]{0,80}?(?:[:=：\n]|\s(?:is|are|ist|sind|est|sont|son|são|sono|zijn)\s|は|是)\s*(?:```\w*\s)?"
)
_SINGLE = compiled(
    r"(?i)[^\n:=]{0,40}?[\s:=]([A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){1,5})(?:[^\w]|$)"
)
_DIGIT = compiled("[0-9]")
_MOST_CODES = 40

WORDS = f"(?i:{labels.PHRASE}|{labels.CODES})|{_LINE_HINT}"


def find_phrases(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Seed phrases and recovery codes behind a word that says so."""
    at = 0
    for match in _SAID.finditer(data):
        end = match.span()[1]
        if end < at:
            continue
        row = _row(data, end) or _written(data, end)
        if row is not None:
            at = row[1]
            yield *row, "seed phrase"
    for match in _CODES.finditer(data):
        yield from _codes(data, match.span()[1])


def find_lines(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Lines that are nothing but as many words as a seed phrase has."""
    for match in _LINE.finditer(data):
        words = data[slice(*match.span(1))].split()
        if len(words) in _LENGTHS and not _sentence(words) and len(set(words)) > 8:
            if _LINE_OF_WORDS.search(
                data, match.span(1)[1], min(len(data), match.span(1)[1] + 200)
            ):
                continue
            yield *match.span(1), "seed phrase"


def _row(data: bytes, at: int) -> tuple[int, int] | None:
    """As many words as a seed has, behind a sign that a list could begin with."""
    for sign in _STARTS.finditer(data, at, min(len(data), at + _LOOK_AHEAD)):
        words = list(_words(data, sign.span()[1]))
        if len(words) >= _FEWEST and not _sentence([data[slice(*word)] for word in words]):
            # A row may run on into the next sentence; seeds have 12 to 24 words.
            length = max((one for one in _LENGTHS if one <= len(words)), default=len(words))
            return words[0][0], words[length - 1][1]
    return None


def _words(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST):
        word = _SEED_WORD.match(data, at, min(len(data), at + 60))
        if word is None:
            return
        yield word.span(1)
        at = word.span(1)[1]


def _written(data: bytes, at: int) -> tuple[int, int] | None:
    """Seeds in scripts of other languages."""
    if data[at : at + 600].isascii():
        return None
    found = _WRITTEN.match(data, at, min(len(data), at + 600))
    return found.span(1) if found is not None else None


def _sentence(words: list[bytes]) -> bool:
    common = sum(word.decode("utf-8", "replace") in _NEVER_A_SEED for word in words)
    sure = any(
        word in (b"the", b"and", b"for", b"are", b"was", b"with", b"from", b"not") for word in words
    )
    return sure or common > 2


def _codes(data: bytes, at: int) -> Iterator[tuple[int, int, str]]:
    end = min(len(data), at + 2000)
    lead = _LEAD.match(data, at, end)
    if lead is None:
        if single := _SINGLE.match(data, at, end):
            yield *single.span(1), "recovery code"
        return
    at = lead.span()[1]
    for _ in range(_MOST_CODES):
        code = _CODE.match(data, at, end)
        if code is None:
            return
        start, at = code.span(1)
        code_ = data[start:at]
        if not _DIGIT.search(code_) and not (code_.isupper() and b"-" in code_):
            return
        yield start, at, "recovery code"


_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.:$%~-"
_HEAD = re.compile(rb"[A-Za-z0-9_+/=.:$%~-]+")
_MOST_LINES = 12
_LEAST_CHARS = 18


def find_broken(data: bytes, keys: Pattern) -> Iterator[tuple[int, int, bytes]]:
    """Keys that go on in the next line: start, end and the key without its breaks."""
    if b"\n" not in data and b"\\n" not in data:
        return
    lines = list(patterns.lines(data))
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
