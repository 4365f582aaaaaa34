"""Secrets that a word gives away: `password = …`, `**Token:** …`, `the PIN is …`, in any language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from memdown.text.redaction import labels, values
from memdown.text.redaction.patterns import compiled
from memdown.values import dataclass

_BLANK = r"[\s\x{a0}\x{202f}\x{3000}]"
_SPACE = r"[ \t\x{a0}\x{202f}\x{3000}]"
_QUOTED = r"\\*\"([^\"\n\\]+)|\\*'([^'\n\\]+)|`+([^`\n]+)|[“„«‹「『]([^“”„«»‹›「」『』\n]+)"
_BARE = r"([^\s\"'`“„«「『\x{3000}][^\s\x{3000}]*)"
_CLOSED = r"(?:[\\\"'`*_~\])}]|</[A-Za-z]+>|&quot;|[”“»」』】])*"
_OPENED = r"(?:\*\*?|__?|~~|[(\[{<]|<[A-Za-z]+>|[bruf@]{1,2}[\"'])*?"
_SIGN = r"(?:=>|:=|={1,3}|::|[:：＝→﹕]|—|–)"
# `password: str = "…"`, and a name and a value in two fields.
_TYPED = r"(?:\??:[ \t]*[A-Za-z_&|\[\]. ]+=)"
_TAG = r"(?:[ \t][\w:.-]+=[^<>\n]*)?>"
_FIELD = r"(?:[\"']?\s*\{\s*(?:[a-z_]+\s*=\s*\w+\s*){0,3}default\s*=|(?:[\"'],?|>|\n|/|[ \t])\s*[\"'<]*value[\"'>]*\s*[:=>]?)"
_NEXT_LINE = r"(?:[|>][+-]?[ \t]*)?\r?\n[ \t>*-]*(?:```\w*[ \t]*\r?\n[ \t]*)?"
_ADVERB = (
    "now|just|still|set|changed|to|simply|currently|always|jetzt|nun|ahora|maintenant|agora|adesso"
    "|nu|теперь"
)
_ASSIGNED = compiled(
    rf"(?i)((?:{_TAG}|{_CLOSED}(?:{_SPACE}*\([^()\n]*\)[*_]*)?{_BLANK}{{0,3}}(?:{_TYPED}|{_SIGN}"
    rf"|{_FIELD}|\|))[*_~]*{_SPACE}*(?:{_NEXT_LINE})?{_OPENED})(?:{_QUOTED}|{_BARE})"
)
_GIVEN = compiled(rf"(?i)({_CLOSED}\s*[(,]\s*)(?:{_QUOTED})")
_SAID = compiled(
    rf"(?i)((?:{_SPACE}+[^\s:=.?!|]+){{0,6}}?{_SPACE}+(?:{labels.VERB})"
    rf"(?:{_SPACE}+(?:{_ADVERB})){{0,2}}[:：]?{_BLANK}+[*_]*(?:```\w*[ \t]*\r?\n)?)(?:{_QUOTED}|{_BARE})"
)
# App passwords and the secrets of one-time passwords come in groups of four.
_GROUPS = compiled(r"[\s:=：*_`\"'（(「]([A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){3,7})(?:[^\w-]|$)")
_BEFORE_GROUPS = compiled(r"[^\n:=：]*[:=：]?[\s*_`\"'（(「]*")
# `Password for the wiki: …`
_OF = compiled(
    rf"(?i)((?:{_SPACE}+[^\s:=?!|]+){{1,5}}{_CLOSED}{_SPACE}*[:=：]{_SPACE}*[*_]*)(?:{_QUOTED}|{_BARE})"
)
_FOLLOWS = compiled(rf"(?i)({_SPACE}+)(?:{_QUOTED}|{_BARE})")
_BELOW = compiled(
    rf"({_CLOSED}[ \t]*\r?\n\s{{0,4}}(?:```\w*[ \t]*\r?\n)?[ \t>*-]*)(?:{_QUOTED}|{_BARE})"
)
_CODE = compiled(
    rf"(?i){_CLOSED}(?:{_SPACE}+[^\s:=.?!0-9]+){{0,5}}?{_SPACE}*"
    rf"(?:[^!-~\n]{{0,16}}|{_SIGN}|{labels.VERB}|#){_SPACE}*(?:{_SIGN}|\|)?[\s*_`\"'(:]*"
    r"([0-9]{3,10}|[0-9]{2,4}(?:[ -][0-9]{2,4}){1,2})(?:[^\w-]|$)"
)
# "Ana has changed her PIN (2026-11-19)": a day is no code.
_DAY = compiled(r"(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
# Signs that also stand between other things than a name and its value.
_UNSURE = compiled(r"\n|\||—|–")
_VARIABLE = compiled(r"[\"']?(?:=[^=]|: )")
_WORD = compiled(r"[!-~]+")
_ASCII_LETTER = compiled("[A-Za-z]")
_LONG = compiled("[A-Za-z]{14}|[!@#$%^&*]")
_SIGNS = (b":", b"=", b'"', b"'", b"|", b"\xef\xbc", b">", b"\xe2\x80")
_SUFFIX = compiled(r"(?i)[_-]?[a-z0-9]+(?:[_.-][a-z0-9]+)*")
# What follows the word in a name and makes it the name of something that is no secret.
_NO_SECRET = compiled(
    r"(?i).*(?:file|path|dir|polic|reset|field|length|len|url|uri|type|name|count|limit|expir|ttl"
    r"|regex|pattern|hint|label|placeholder|required|header|provider|store|manager|strength|changed"
    r"|ref|arn|endpoint|[_-]id|ids?$|size|at$|date|time|error|valid|prompt|title|format|version"
    r"|usage|budget|index|position|style|class|color|col$|column|map|list|set$|iz|rule|check|min"
    r"|max|enabled|input|group|kind|source|env|var|enc|algo|digest|hash).*"
)
# What stands behind or before the word in prose and makes it something about passwords: "the password manager is
# Bitwarden". There a plain word is no password, and neither is the name of a manager.
_ABOUT_BEHIND = compiled(
    r"(?i)s?(?:[ -](?:manager|polic(?:y|ies)|hash(?:er|ing|es)?|generator|strength|rules?|requirements?)\b"
    r"|管理|ポリシー|マネージャ|策略| ?관리| ?정책)|[ -]database is\b"
)
_PRODUCT = "1Password"
_ABOUT_BEFORE = compiled(
    r"(?i)(?:gestionnaire|gestor|gestore|gerenciador|administrador|générateur|generador|gerador|generatore|politique|política"
    r"|politica|base|менеджер|генератор|хранилище|политика|menedżer|yöneticisi)"
    r"[ -](?:d[eiou]s? |del |della |dei |di |da |des |d['’])?(?:las? |les |los |vos |tus )?$"
)
_NEXT = compiled(
    r"[,;&][\\\"']*[A-Za-z_][\w.-]*[\\\"']*\s*[:=]|\\?[\"'][,;})\]]|\\?[\"']$|</|\\n|&(?:quot|[lg]t);"
    r"|[。，、；！？）」』】]|@[\w-]+(?:\.[\w-]+)+[/:]"
)
# Keys that are no secrets.
_HARMLESS = compiled(
    r"(?i)(?:public|publishable|pub|cache|idempotency|primary|foreign|sort|partition|dedup\w*|routing"
    r"|message|row|group|unique|natural|composite|i18n|translation|object|map|dict)"
    r"[ _-]?key$"
)
_OPENING, _CLOSING = "(<[{\"'`*“„«「", ".,;:)]}>\"'`\\|*_。、，；！」』"
_OF_A_CHIP = compiled(
    r"(?i)gpio|pinout|connector|schematic|mcu|solder|breadboard|jumper|header|arduino|board|bowling"
    r"|\b[jux][0-9]{1,3},? pin"
)
_MARKS, _EDGES = (
    b" \r*_`\"'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-",
    b"|,;\t\n\\",
)
_LOOK_AHEAD, _LOOK_BACK, _JUDGED = 120, 60, 300
_REST, _REST_IN_QUOTES = compiled(r"[!-~]*"), compiled(r"[^\"'`\n]*")


@dataclass(frozen=True, slots=True)
class Value:
    """A value that may be a secret, and where it stands; `last` if nothing follows in its line."""

    start: int
    end: int
    text: str
    quoted: bool
    last: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    """A set of words, and what a value must be like behind one of them, by how it is told."""

    words: str
    kind: str
    whole: bool
    assigned: Callable[[Value], bool]
    said: Callable[[Value], bool]
    near: Callable[[str], bool]
    far: bool


def _password(value: Value) -> bool:
    return values.password(value.text, quoted=value.quoted, last=value.last)


def _said_password(value: Value) -> bool:
    return values.said(value.text, quoted=value.quoted, last=value.last)


def _striking(value: Value) -> bool:
    return values.striking(value.text)


def _like_a_password(value: Value) -> bool:
    return values.like_a_password(value.text)


def _like_a_password_beside(value: Value) -> bool:
    """Whether a value is a password though the word before it names a manager or a policy."""
    return values.like_a_password(value.text) and value.text != _PRODUCT


def _key(value: Value) -> bool:
    return values.keylike(value.text) or values.striking(value.text)


def _setting(value: Value) -> bool:
    """As the value of a variable such as `JWT_SECRET` it may be made of words."""
    return (
        _key(value)
        or (len(value.text) >= 8 and values.like_a_password(value.text))
        or _hyphenated(value)
    )


def _hyphenated(value: Value) -> bool:
    return (
        len(value.text) >= 12
        and values.real(value.text)
        and not values.is_code(value.text)
        and any(sign in value.text for sign in "-_!@#$%&*+")
        and not values.constant(value.text)
    )


def _long_key(value: Value) -> bool:
    return len(value.text) >= 16 and values.keylike(value.text)


def _near_key(text: str) -> bool:
    return len(text) >= 20 and values.keylike(text)


def _never(_: str) -> bool:
    return False


_RULES = (
    _Rule(labels.PASSWORD, "password", False, _password, _said_password, values.striking, True),
    _Rule(labels.SHORT, "password", True, _password, _striking, values.striking, False),
    _Rule(labels.KEY, "key", False, _key, _key, _near_key, True),
    _Rule(labels.LOOSE, "key", True, _long_key, _long_key, _never, False),
)
# The longest of the words that begin at a place: `pincode`, not only `pin`.
_ANY = compiled(labels.ANY, longest=True)


@lru_cache(maxsize=4096)
def _rules(word: bytes) -> tuple[tuple[_Rule, ...], bool]:
    """The rules that a word calls for, and whether it says that a code of digits follows."""
    rules = tuple(rule for rule in _RULES if compiled(f"(?i)(?:{rule.words})$").search(word))
    return rules, compiled(f"(?i)(?:{labels.PIN})$").search(word) is not None


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The secrets that a word gives away, as (start, end, kind), in any order."""
    found = 0
    in_table = False
    said: list[int] = []
    for match in _ANY.finditer(data):
        start, end = match.span()
        said.append(start)
        in_table = in_table or _alone_in_cell(data, start, end)
        if start < found:
            # It is a part of a secret.
            continue
        rules, is_code = _rules(data[start:end].lower())
        alone = _stands_alone(data, start, end)
        if is_code and alone:
            yield from _codes(data, start, end)
        for rule in rules:
            if rule.whole and not (alone and _may_follow(data, end, rule)):
                continue
            if rule.kind == "password" and _is_about(data, start, end):
                rule = replace(rule, assigned=_like_a_password_beside, said=_like_a_password_beside)
            value = _behind(data, end, rule) or (_before(data, start, rule) if rule.far else None)
            if value is None and not (rule.far and labels.may_ask(data, end)):
                continue
            if rule.kind == "key" and _HARMLESS.search(data[max(0, start - 20) : end]):
                continue
            if value is not None:
                found = _whole(value, data)
                yield value.start, found, _kind(rule, data[start:end])
            else:
                yield from labels.below(data, end)
    if in_table:
        yield from labels.find(data, said)


def _is_about(data: bytes, start: int, end: int) -> bool:
    """Whether a word for passwords is part of the name of something else: a manager, a policy."""
    behind = _ABOUT_BEHIND.match(data, end, _limit(data, end + 40))
    return behind is not None or _ABOUT_BEFORE.search(data[max(0, start - 40) : start]) is not None


def _alone_in_cell(data: bytes, start: int, end: int) -> bool:
    """Whether a word could be the heading of a column: nothing but separators around it."""
    after = data[end : end + 40].lstrip(_MARKS)
    before = data[max(0, start - 40) : start].rstrip(_MARKS)
    return (not after or after[0] in _EDGES or b"(" in after[:1]) and (
        not before or before[-1] in _EDGES
    )


def _codes(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """PINs, card codes and one-time codes: a few digits behind a word that says so."""
    code = _CODE.match(data, end, _limit(data, end + _LOOK_AHEAD))
    if code is None or _DAY.fullmatch(code[1]):
        return
    if not _OF_A_CHIP.search(data[max(0, start - 100) : end + 100]):
        yield *code.span(1), "PIN"


def _may_follow(data: bytes, end: int, rule: _Rule) -> bool:
    """A glance that spares most of the many times a short word stands for something else."""
    signed = any(sign in data[end : end + 30] for sign in _SIGNS)
    if rule.kind == "key":
        return signed and _has_digit(data[end : end + 100])
    return signed or _has_digit(data[end : end + 30])


def _has_digit(data: bytes) -> bool:
    return len(data.translate(None, b"0123456789")) < len(data)


def _kind(rule: _Rule, word: bytes) -> str:
    text = word.decode("utf-8", "replace").lower()
    return text if rule.kind == "key" and text in ("secret", "token") else rule.kind


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Whether a short word is one of its own, or a part of a name: `dbPass`, `DB_PASS`."""
    after = data[end : end + 1]
    if after.isalpha() and not (after.isupper() and data[end - 1 : end].islower()):
        return False
    before = data[start - 1 : start] if start else b""
    return not before.isalpha() or (before.islower() and data[start : start + 1].isupper())


def _behind(data: bytes, end: int, rule: _Rule) -> Value | None:
    ahead = data[end : end + _LOOK_AHEAD]
    if rule.kind == "key" and not _has_digit(ahead) and not _LONG.search(ahead):
        return None
    suffix = _SUFFIX.match(data, end, _limit(data, end + 60))
    named = suffix.span()[1] if suffix else end
    if named > end and _NO_SECRET.fullmatch(data[end:named]):
        return None
    if named > end and rule.whole:
        rule = replace(rule, assigned=rule.said)
    if rule.assigned is _key and _is_setting(data, end, named):
        rule = replace(rule, assigned=_setting)
    if groups := _groups(data, named):
        return groups
    loosely = (
        rule.said
        if rule.kind == "key" or rule.said is _like_a_password_beside
        else _like_a_password
    )
    for pattern, check in (
        (_ASSIGNED, rule.assigned),
        (_SAID, rule.said),
        (_GIVEN, loosely),
        (_OF, loosely),
    ):
        match = pattern.match(data, named, _limit(data, named + 400))
        value = _value(match, data) if match else None
        if match and value:
            if (rule.said if _UNSURE.search(match.group(1)) else check)(value):
                return value
            if rule.kind == "password" and pattern is _ASSIGNED and (row := _row(value, data)):
                return row
    for pattern in (_FOLLOWS, _BELOW):
        match = pattern.match(data, named, _limit(data, named + 300))
        value = _value(match, data) if match else None
        if value and pattern is _FOLLOWS and rule.assigned is _password and _like_a_password(value):
            return value
        if value and rule.near(value.text) and (value.last or pattern is _FOLLOWS):
            return value
    return _further(data, named, rule) if rule.far else None


def _groups(data: bytes, at: int) -> Value | None:
    """A value in groups of four, with nothing but words and one sign before it."""
    ahead = data[at : at + _LOOK_AHEAD]
    match = _GROUPS.search(ahead)
    if match is None or not _BEFORE_GROUPS.fullmatch(ahead[: match.span(1)[0]]):
        return None
    text = match.group(1).decode()
    start, end = match.span(1)
    return Value(at + start, at + end, text, False, False) if values.grouped(text) else None


def _is_setting(data: bytes, end: int, named: int) -> bool:
    """Whether a word names a variable or says `secret`: then its value may be less random."""
    word = data[max(0, end - 6) : end]
    return (word[-3:].isupper() or word.lower() == b"secret") and bool(_VARIABLE.match(data, named))


def _row(value: Value, data: bytes) -> Value | None:
    """The passphrase of several words that a value begins, if it does."""
    rest = data[value.start : value.start + 200].partition(b"\n")[0].rstrip()
    text = rest.decode("utf-8", "replace")
    if not values.passphrase(text):
        return None
    return Value(value.start, value.start + len(rest), text, False, True)


def _further(data: bytes, place: int, rule: _Rule) -> Value | None:
    """A word further on in the line that looks like a password or key by itself."""
    stop = data.find(b"\n", place, place + _LOOK_AHEAD)
    stop = stop if stop >= 0 else _limit(data, place + _LOOK_AHEAD)
    if not _has_digit(data[place:stop]) and rule.kind == "password":
        return None
    shortest = 6 if rule.kind == "password" else 20
    for number, match in enumerate(_WORD.finditer(data, place, stop)):
        start, end = match.span()
        if number and (end - start < shortest or not _has_digit(data[start:end])):
            continue
        value = _bare((start, end), data)
        if value is not None and (
            rule.near(value.text)
            or (not number and _joined(data[place : value.start], value, rule))
        ):
            return value
    return None


def _joined(gap: bytes, value: Value, rule: _Rule) -> bool:
    """Whether only letters of a script without blanks stand between a word and its value."""
    if value.text.isdigit() and not gap.isascii() and len(gap) <= 12:
        return rule.kind == "password" and 4 <= len(value.text) <= 12
    if gap.isascii() or len(gap) > 60 or _ASCII_LETTER.search(gap) or not values.mixed(value.text):
        return rule.kind == "password" and not gap.isascii() and values.joined(value.text)
    return rule.kind == "password" or values.keylike(value.text)


def _before(data: bytes, start: int, rule: _Rule) -> Value | None:
    """A word shortly before: `… is the password`."""
    begin = max(0, start - _LOOK_BACK)
    begin = max(begin, data.rfind(b"\n", begin, start) + 1)
    if not _has_digit(data[begin:start]):
        return None
    if begin and not data[begin - 1 : begin].isspace():
        # The look back began inside a word, which cannot be judged.
        begin = data.find(b" ", begin, start) + 1 or start
    for match in list(_WORD.finditer(data, begin, start))[-5:]:
        if _has_digit(data[slice(*match.span())]):
            value = _bare(match.span(), data)
            if value and value.end < start and rule.near(value.text):
                return value
    return None


def _value(match: Any, data: bytes) -> Value | None:
    """The value that a pattern found: quoted, or bare and cut where something else begins."""
    for group in range(2, 1 + len(match.groups())):
        start, end = match.span(group)
        if start < 0:
            continue
        if group == 6:
            return _bare((start, end), data)
        text = data[start:end].decode("utf-8", "replace")
        return Value(start, end, text, True, True) if text.strip() else None
    return None


def _bare(span: tuple[int, int], data: bytes) -> Value | None:
    start, end = span
    text = data[start : min(end, start + _JUDGED)]
    cut = _NEXT.search(text)
    whole = (text[: cut.span()[0]] if cut else text).decode("utf-8", "replace")
    if whole.startswith("<") and ">" in whole:
        start += len(whole[: whole.index(">") + 1].encode())
        whole = whole[whole.index(">") + 1 :]
    shown = whole.rstrip(_CLOSING)
    inner = shown.lstrip(_OPENING)
    if not inner:
        return None
    start += len(shown[: len(shown) - len(inner)].encode())
    end = start + len(inner.encode())
    rest = data[end : end + 200].partition(b"\n")[0].decode("utf-8", "replace")
    ends = data[end : end + 2] == b"</"
    return Value(start, end, inner, False, ends or not rest.strip(_CLOSING + " \t\r\ufffd"))


def _whole(value: Value, data: bytes) -> int:
    """Where a value ends that may be longer than what was judged."""
    if value.end - value.start < _JUDGED // 2:
        return value.end
    rest = (_REST_IN_QUOTES if value.quoted else _REST).match(data, value.end)
    return rest.span()[1] if rest else value.end


def _limit(data: bytes, end: int) -> int:
    """A place no later than `end` at which no letter is cut in two."""
    end = min(len(data), end)
    while 0 < end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end
