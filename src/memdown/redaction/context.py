"""Secrets that can be told by the words before them: `password = …`, headers, addresses."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import re2

_STRONG = (
    r"pass(?:word|wd|phrase|code|wort)|pwd|kennwort|[_-]pass|mot de passe|contrase(?:ñ|n)a|senha"
    r"|parola|wachtwoord|lösenord|hasło|пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호"
    r"|รหัสผ่าน|mật khẩu|şifre|كلمة المرور|סיסמה|पासवर्ड"
)
_WEAK = (
    r"secret|token|(?:api|access|secret|private|auth|encryption|signing|master|account|license"
    r"|deploy|service|admin|session)[ _-]?key|credentials?|session[_-]?id|recovery code|backup code"
    r"|seed phrase|api hash"
)
_SUFFIX = r"(?:[_-][a-z0-9_-]*|value|base|s)?"
_SIGN = r"[\\\"'`\])]*\s*(?:=>|:=|==?|:|：|＝)\s*"
_QUOTED = r"\\?\"([^\"\n]+)\"?|\\?'([^'\n]+)'?|`([^`\n]+)`?"
_VALUE = rf"(?:{_QUOTED}|([^\s\"'`]\S*))"
_IS = r"is|was|to|ist|lautet|war|est|es|é|è|era|là|คือ|är|jest"

_ASSIGNED = re2.compile(rf"(?i)(({_STRONG})|{_WEAK}){_SUFFIX}({_SIGN}){_VALUE}")
_SAID = re2.compile(
    rf"(?i)(({_STRONG})|{_WEAK})s?(?:\s+[^\s:=]+){{0,4}}?"
    rf"\s+(?:{_IS})(?:\s+(?:now|just|still|set to|jetzt|nun))?:?\s+{_VALUE}"
)
_SAID_WITHOUT_SPACES = re2.compile(
    r"(?:密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน)[^!-~\n]{0,8}?"
    r"(?:是|为|為|は|는|은|คือ)[：: ]*([!-~]{4,})"
)
_FOLLOWS = re2.compile(r"(?i)(?:--?|\b)pass(?:word|wd|phrase)[ \t]+([^\s\"'`]\S*)")
_PIN = re2.compile(r"(?i)\bpin(?: code| number|-code)?\b[ \t]*(?:is|=|:|ist)[ \t]*([0-9]{4,10})\b")
_AUTHORIZATION = re2.compile(
    r"(?i)authorization[\\\"']*\s*[:=]\s*[\\\"']*(?:[a-z0-9-]+\s+)?([^\s\"'`\\,]{8,})"
)
_BEARER = re2.compile(r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{12,})")
_BASIC = re2.compile(r"(?i)\bbasic\s+([A-Za-z0-9+/_-]{8,}={0,2})")
_COOKIE = re2.compile(r"(?i)\b(?:set-)?cookie[\\\"']*:\s*([^\s=;]+=[^\n\"']+)")
_ADDRESS = re2.compile(r"(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@\"'<>]*:([^\s/\"'<>]+)@")
_SIGNED = re2.compile(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|key|code|auth)="
    r"([A-Za-z0-9%._~+/=-]{16,})"
)
_OTP = re2.compile(r"(?i)otpauth://[^\s?]*\?[^\s]*secret=([A-Z2-7]{8,})")

# Some literal of each pattern above, for the quick look at every message.
WORDS = (
    rf"{_STRONG}|{_WEAK}|pin(?:[ -]code| number)?\s*(?:is|=|:)|authorization|bearer|basic\s|cookie[\\\"']*:|://[^\s/:]*:[^\s/]*@|sig=|otpauth"
    r"|signature=|-token=|[?&](?:key|code|auth)="
)

_PLACEHOLDER = re.compile(
    r"(?i)(?:<.*|\$[({a-z_].*|\{\{.*|%[a-z_]+%.*|x{3,}|\*{3,}|\.{3,}|…+|_{3,}|-{2,}|your[_ -].*|my[_-].*"
    r"|example.*|placeholder|todo|none|null|nil|true|false|undefined|required|optional|string|str|text"
    r"|number|integer|int|bool|boolean|any|unknown|yes|no|empty|missing|invalid|expired|hidden|secret"
    r"|password|passwords|token|tokens|protected|reset|changed|correct|incorrect|wrong|strong|weak"
    r"|same|not|only|also|from|with|when|that|this|then|they|what|how|see|ask|used|using|stored|"
    r"[a-z]+\?|\[redacted.*|process\.env.*|os\.(?:environ|getenv).*|env[.(\[].*|import\.meta.*)"
)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*(?:\(|\[|\.\w+\()|(?:await|new|async|lambda)$"
)
_NAME = re.compile(
    r"[A-Za-z_$]+(?:(?:\.|::|->)[A-Za-z_$]+)+|[a-z]+(?:_[a-z]+)+|_+[A-Za-z_]+|(?:[A-Z]?[a-z]{2,}){2,}"
)
_CONSTANT = re.compile(r"[A-Z][A-Z_]*")
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]*")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WORDS_WITH_DASHES = re.compile(r"(?:[a-z]+[-_./])+[a-z]+")
_NEXT_PAIR = re.compile(r"[,;&](?=[\\\"']*[A-Za-z_][\w.-]*[\\\"']*\s*[:=])|\\?[\"'](?=[,;})\]]|$)")
_NOWHERE = (-1, -1)
_CLOSING = ".,;:)]}>\"'`\\"


def find(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The secrets that context gives away, as (start, end, kind), in any order."""
    for match in _ASSIGNED.finditer(data):
        strong = match.span(2) != _NOWHERE
        found = _quoted(match, data, 4) or _bare(match.span(7), data)
        if found and _assigned(found, strong, match.group(3), data):
            yield found.start, found.end, "password" if strong else _kind(match.group(1))
    for match in _SAID.finditer(data):
        strong = match.span(2) != _NOWHERE
        found = _quoted(match, data, 3) or _bare(match.span(6), data)
        if found and _random(found.text, strong or found.quoted):
            yield found.start, found.end, "password" if strong else _kind(match.group(1))
    lower = data.lower()
    for literal, pattern, kind, check in _SHAPES:
        if literal in lower:
            for match in pattern.finditer(data):
                found = _bare(match.span(1), data)
                if found and check(found.text):
                    yield found.start, found.end, kind


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that may be a secret, and where it stands."""

    start: int
    end: int
    text: str
    quoted: bool


def _quoted(match: re2._Match, data: bytes, first: int) -> _Value | None:
    """The value in quotes: double, single or backward, in three groups from `first` on."""
    for group in (first, first + 1, first + 2):
        start, end = match.span(group)
        if start >= 0:
            text = data[start:end].decode("utf-8", "replace").rstrip("\\")
            return _Value(start, start + len(text.encode()), text, True) if text.strip() else None
    return None


def _bare(span: tuple[int, int], data: bytes) -> _Value | None:
    """The value without quotes: it ends where the next pair of key and value begins."""
    if span == _NOWHERE:
        return None
    text = data[slice(*span)].decode("utf-8", "replace")
    cut = _NEXT_PAIR.search(text)
    text = (text[: cut.start()] if cut else text).rstrip(_CLOSING)
    return _Value(span[0], span[0] + len(text.encode()), text, False) if text else None


def _assigned(found: _Value, strong: bool, sign: bytes, data: bytes) -> bool:
    value = found.text
    if not _real(value) or (not found.quoted and _CODE.match(value)):
        return False
    if not strong or b"\n" in sign:
        return _random(value, strong)
    if found.quoted:
        return not (" " in value and _sentence(value))
    if _PLAIN.fullmatch(value):
        # A lone word may be a password or a sentence: only where nothing follows is it a value.
        rest = data[found.end : found.end + 200].partition(b"\n")[0]
        return len(value) >= 5 and not rest.strip(_CLOSING.encode() + b" \t\r")
    return len(value) >= 4 and not _NAME.fullmatch(value) and not _CONSTANT.fullmatch(value)


def _sentence(value: str) -> bool:
    return not any(character.isdigit() for character in value) and value.count(" ") > 5


def _random(value: str, strong: bool) -> bool:
    """Whether a value looks chosen to be guessed by nobody."""
    if not _real(value) or _CODE.match(value) or _DATE.match(value) or "://" in value:
        return False
    if len(value) < (5 if strong else 8) or " " in value:
        return False
    if _PLAIN.fullmatch(value):
        return strong and len(value) >= 20
    if _WORDS_WITH_DASHES.fullmatch(value) or _CONSTANT.fullmatch(value) or _NAME.fullmatch(value):
        return False
    return _mixed(value) or (strong and not value.isdigit() and not value.isalpha())


def _mixed(value: str) -> bool:
    """Digits among letters, or letters of both cases in no word's order, or long digits."""
    if not _real(value):
        return False
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    if digits and letters:
        return len(value) >= 5
    if digits == len(value):
        return digits >= 12
    inner = value[1:]
    return len(value) >= 16 and inner.lower() != inner and inner.upper() != inner


def _real(value: str) -> bool:
    return len(value) >= 3 and not _PLACEHOLDER.fullmatch(value)


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value) and _real(value)


def _is_basic(value: str) -> bool:
    """Whether it is a name and a password in Base64, as the header has it."""
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def _always(_: str) -> bool:
    return True


def _kind(name: bytes) -> str:
    text = name.decode("utf-8", "replace").lower().replace("_", " ").replace("-", " ")
    return "key" if text.endswith("key") else text


# Looking for a literal first costs next to nothing.
_SHAPES: tuple[tuple[bytes, re2._Regexp, str, Callable[[str], bool]], ...] = (
    ("密".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("口令".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("パスワード".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("暗証番号".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("비밀번호".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("암호".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    ("รหัสผ่าน".encode(), _SAID_WITHOUT_SPACES, "password", _mixed),
    (b"pass", _FOLLOWS, "password", _mixed),
    (b"pin", _PIN, "PIN", _always),
    (b"authorization", _AUTHORIZATION, "authorization", _mixed),
    (b"bearer", _BEARER, "bearer token", _has_digit),
    (b"basic", _BASIC, "basic credentials", _is_basic),
    (b"cookie", _COOKIE, "cookie", _always),
    (b"://", _ADDRESS, "password in an address", _real),
    (b"=", _SIGNED, "signature", _mixed),
    (b"otpauth", _OTP, "one-time password secret", _always),
)
