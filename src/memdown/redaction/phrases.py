"""Seed phrases of wallets and lists of recovery codes."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.redaction import labels
from memdown.redaction.patterns import compiled

# Words of such lists have three to eight letters; numbers, bullets and commas may stand between.
_ROW = r"(?:\b[0-9]{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?:[\s,;|>*-]*(?:\b[0-9]{1,2}[.):]?[ \t]*)?\b[a-z]{3,8}){10,24}\b"
_SAID = compiled(rf"(?i)(?:{labels.PHRASE})")
_LABELLED = compiled(rf"[^\n]{{0,80}}?[:=：\n\"'`(][\s\"'`*_(>-]*(?:```\w*\s)?({_ROW})")
_WRITTEN = compiled(
    r"[^\n]{0,40}?[:=：\n\"'`「は是为][\s\"'`*_(>-]*((?:[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,8}[ \x{3000}]+){11,23}[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,8})"
)
_LINE = compiled(r"(?:^|\n)[ \t>*\"'`-]*([a-z]{3,8}(?: [a-z]{3,8}){11,23})[\"'`. \t\r]*(?:\n|$)")
_LINE_HINT = r"(?:^|\n)[ \t>*\"'`-]*[a-z]{3,8}(?: [a-z]{3,8}){11}"
_LINE_OF_WORDS = compiled(r"^[\"'`. \t\r]*\n[ \t]*[a-z]+(?: [a-z]+){5}")
_A_WORD = compiled(r"[\pL]{2,}")
_LENGTHS = frozenset({12, 15, 18, 21, 24})
# No list of seed words holds these, but hardly a sentence of twelve words is without one.
_NEVER_A_SEED = frozenset(
    "the and for are was were has had have with from not but his her its our their would could"
    " which been being does did these those than into your how why who all can may must will"
    " about after also because before between both during each more most other over same some"
    " such through under until were what when while where".split()
)
_COMMON_IN_BOTH = frozenset(
    "about all after also can more most other over such that this under what when will you they then there".split()
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
        for pattern in (_LABELLED, _WRITTEN):
            found = pattern.match(data, end, min(len(data), end + 600))
            if found is not None and _is_row(data[slice(*found.span(1))]):
                start, at = found.span(1)
                at = start + _as_long_as_a_seed(data[start:at])
                yield start, at, "seed phrase"
                break
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


def _is_row(row: bytes) -> bool:
    words = [word for word in row.replace(b",", b" ").split() if word.isalpha()]
    return not _sentence(words)


def _as_long_as_a_seed(row: bytes) -> int:
    """Where a row ends that runs on into the next sentence: seeds have 12 to 24 words."""
    words = [match.span()[1] for match in _A_WORD.finditer(row)]
    length = max((length for length in _LENGTHS if length <= len(words)), default=len(words))
    return words[length - 1] if words else len(row)


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
