"""Seed phrases of wallets and lists of recovery codes."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text.redaction import labels
from memdown.text.redaction.patterns import compiled

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


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
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
