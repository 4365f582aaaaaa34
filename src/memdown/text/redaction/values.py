"""Whether a value can be a secret: no placeholder, no code, no ordinary word."""

from __future__ import annotations

import base64
import binascii
from itertools import pairwise

from memdown.text.redaction.patterns import compiled

_PLACEHOLDER = compiled(
    r"(?i)(?:<.*|\$[({a-z_].*|\{\{.*|\{[a-z_.]*\}|%[a-z_]+%.*|.*%[sdr(].*|@[a-z_.]+@?|[x*.…_•●#?-]{2,}|x{2,}[-_x]*"
    r"|(?:your|my|the|our|some|any|new|old|this|a)[-_ ].*|.*(?:example|placeholder|redacted|x{6}|\*{4}|•{3}|\.{3}|…).*"
    r"|(?:insert|enter|replace|put|paste|type|fill|add)[-_ ].*|.*[-_](?:here|goes)|dummy.*|sample.*|fake.*"
    r"|change[-_ ]?(?:me|this|it)|to[-_ ]?do|tbd|n/?a|none|null|nil|nul|true|false|undefined|required|optional"
    r"|string|str|text|float|double|list|dict|tuple|array|map|date|datetime|uuid|number|integer|int|bool|boolean|bytes|char|varchar|any|object|unknown|yes|no|empty|missing|invalid"
    r"|expired|hidden|masked|secrets?|passw(?:or)?ds?|passphrase|pass|pwd|passwort|tokens?|keys?|api[-_ ]?keys?"
    r"|protected|reset|changed|correct|incorrect|wrong|strong|weak|default|same|not|only|also|from|with|when|that"
    r"|this|then|they|what|how|see|ask|used|using|stored|set|unset|off|on|ok|okay|prompt|password\d?|secret\d?"
    r"|[a-z]+\?|\[redacted.*|process\.env.*|os\.(?:environ|getenv).*|env[.(\[:].*|import\.meta.*|ENV\[.*"
    r"|vault:.*|op://.*|ref\+.*|!(?:vault|secret|ref|sub|getatt)\b.*|secretref:.*|arn:aws:.*|file:.*|keychain:.*)"
)
_CODE = compiled(
    r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*(?:\(|\[|<\w).*|(?:await|new|async|lambda|function|return|const|let|var)\b.*"
    r"|[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+[;,)]*|&?\*?(?:self|this|cls|args|opts|options|config|settings|params|req|request|res|ctx|input|props|state|user|data|env)\b[.\[(].*"
    r"|[({\[].*|.*\)[;,]*|.*=>.*|.*\{\}?|.*[;{]$|\\.*|@.*|&[a-z]+;.*|.+`.*"
)
_NAME = compiled(r"[a-z]+(?:_[a-z]+)+|_+[A-Za-z_]+|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}")
_CONSTANT = compiled(r"[A-Z][A-Z_]*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PLAIN = compiled(r"\pL\pM*(?:[\pL\pM])*")
_ASCII_PLAIN = compiled(r"[a-z]+|[A-Z][a-z]*")
_PATH = compiled(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@%+-]+[/\\]?)+|[\w.-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:[a-z]{2,4}|json5?|yaml|toml|conf|html|lock|py|md|txt|pem|key)"
)
_SURE_PATH = compiled(r"(?:~|\.{1,2}|[A-Za-z]:)?/(?:[\w.@%-]+/)+[\w.@%-]*|[\w./-]+\.[a-z]{2,5}")
_ADDRESS = compiled(
    r"(?i)[a-z][a-z0-9+.-]*://.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+(?:com|org|net|io|dev|local|internal|de|uk|app|ai)(?:[:/].*)?"
)
_TIME = compiled(
    r"v?[0-9]+(?:[.:][0-9]+)+(?:[-+.]?(?:[a-z]+\.?)?[0-9]*)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}:[0-9]{2}.*|[0-9.,]+(?:[kKmMgGtT]?i?[bB]?|ms|s|min|h|d|px|em|rem|%|x|st|nd|rd|th)"
)
_UUID = compiled(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_DIGIT = compiled("[0-9]")
_TECHNICAL = compiled(
    r"(?i).*(?:sha-?[0-9]|md[45]|base-?(?:32|58|64)|argon2|pbkdf2|utf-?(?:8|16)|oauth-?[12]|aes-?[0-9]|ipv[46]|ed25519|rfc-?[0-9]"
    r"|x509|pkcs|http/?[0-9]|tls|e2e|i18n|python|node|64|32|128|256|512)[a-z0-9]*"
)
_HOST_BEHIND = compiled(r"@[\w-]+(?:\.|:)")
# A machine, a version or a size, such as `db2`, `v12` and `16gb`.
_NUMBERED = compiled(
    r"(?i)[a-z]{1,4}-?[0-9]{1,2}|v[0-9.]+|[0-9.]+[a-z]{1,3}|[a-z]+[.-]?[0-9]+(?:\.[0-9a-z]+)+"
)
# A part of a name: a word, an abbreviation, a number, or a word with a number at its end.
_WORDLIKE = compiled(
    r"(?:[A-Z]*[a-z]{3,}[0-9]{0,5}|[A-Z]{2,6}[0-9]{0,5})(?:[A-Z]+[a-z]{2,}[0-9]{0,5})*|[A-Za-z]?[a-z]*[0-9]{0,6}|[A-Z]+s?[0-9]{0,3}|[0-9]+|[vV]?[0-9]+[a-z]{0,2}|[a-z]+(?:[A-Z][a-z]+)+[0-9]{0,2}|(?:[A-Z][a-z]+)+[0-9]{0,2}|[A-Z]+[a-z]+[0-9]{0,2}|[a-z]+[0-9]{1,2}[a-z]+|sha[0-9]+\w*|[0-9]+x[0-9]+|x[0-9]{2}_?[0-9]{2}|[a-z]{1,2}[0-9]{1,2}[a-z]{1,2}"
)
_PARTS = compiled(r"[A-Za-z0-9]+")
_SIGNS = frozenset("!@#$%^&*?+=~§€£")
_KEY = compiled(r"[A-Za-z0-9+/_=.~:%|$-]+")
_FUNCTION_WORDS = frozenset(
    "the a an is are was be been to of and or for in on at by it its as if not no you your we our they"
    " must should can may will has have with from that this when where which who how use used using"
    " all any but only than then there these those into over per via must some more make like just know take people very them text says keep here".split()
)
_NOT_A_PASSWORD = compiled(
    r"(?i).*(?:ed|ing|ly|able|ible|less|ful|ous|tion)|here|there|now|below|above|easy|hard|good|bad|long|short|safe|secure|public"
    r"|private|plain|clear|random|unique|different|needed|fine|okay|sent|shown|given|kept|left|lost|known|written|read|right|more|less"
    r"|just|still|already|always|never|actually|probably|your|their|his|her|its|some|another|something|anything|nothing|everything"
    r"|case|part|one|two|a|an|the|in|on|at|by|for|to|of|as|or|and|if|so|too|very|up|down|out|it|being|about|between|under|over|after|before"
    r"|sensitive|important|available|unavailable|valid|mandatory|necessary|compromised|hashed|encrypted|credentials?|admin|root|user|username|email|login|server|field|value|type"
    r"|forgotten|broken|stolen|chosen|taken|gone|done|new|old|too|like|unlike|because|until|unless|while|since|longer|shorter|stronger|weaker|better|worse"
    r"|clear|plaintext|cleartext|visible|invisible|present|absent|active|inactive|blank|obrigat[óo]ri[ao]|expir(?:ou|ada|ado|é|ée)|incorret[ao]|inv[áa]lid[ao]|vazi[ao]|fort[ea]|frac[ao]|segur[ao]|necess[áa]ri[ao]"
    r"|verlopen|onjuist|verplicht|ongeldig|leeg|sterk|zwak|vergeten|gewijzigd|nodig|abgelaufen|ungültig|erforderlich|notwendig|vergessen|schwach"
    r"|korrekt|geändert|gesetzt|unbekannt|bekannt|dasselbe|derselbe|gleich|obligatoire|invalide|oublié|faible|requis|nécessaire|obligatori[ao]"
    r"|caducad[ao]|débil|fuerte|vac[íi][ao]|necesari[ao]|requerid[ao]|obbligatori[ao]|scadut[ao]|debole|vuot[ao]|richiest[ao]|wymagan[ea]"
    r"|nieprawidłowe|wygasło|puste|обязателен|неверный|неверен|истёк|слабый|пустой|нужен|изменён|gerekli|yanlış|geçersiz|kein|nicht|falsch|richtig|sicher|geheim|leer|incorrecta|correcta|segura|faux|vide|falsa|sbagliata|errata"
)


def anything(_: str) -> bool:
    """No check: the shape says enough."""
    return True


def has_digit(value: str) -> bool:
    """Whether a key holds a digit and some variety, which words and rows of x do not."""
    return (
        _DIGIT.search(value) is not None and len(set(value)) > 7 and "xxxxxx" not in value.lower()
    )


def varied(value: str) -> bool:
    """Whether a key is no row of the same few letters."""
    return len(set(value)) > 7


def option(value: str) -> bool:
    """Whether it can be the value of an option, and is no word of a sentence about the option."""
    return real(value) and not is_code(value) and not _ASCII_PLAIN.fullmatch(value)


def grouped(value: str) -> bool:
    """Whether groups of four letters are no words of a sentence."""
    return not _FUNCTION_WORDS & set(value.lower().split()) and len(set(value)) > 6


def both_cases(value: str) -> bool:
    """Whether a key has digits, small and capital letters, which hex digits and counters do not."""
    return has_digit(value) and value.lower() != value != value.upper()


def is_session(value: str) -> bool:
    """Whether it is a session's secret; a UUID is only its name."""
    return keylike(value) and _UUID.fullmatch(value) is None


def has_mark(value: str) -> bool:
    """Whether it holds a digit, or is longer than a word."""
    return _DIGIT.search(value) is not None or len(value) >= 24


def real(value: str) -> bool:
    """Whether a value is none that only stands for one."""
    return len(value) >= 3 and not _PLACEHOLDER.fullmatch(value) and len(set(value)) > 1


def is_basic(value: str) -> bool:
    """Whether it is a name and a password in Base64, as the header has it."""
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def is_card(value: str) -> bool:
    """Whether the digits are those of a payment card: a known start, a known length, Luhn's sum."""
    digits = [int(character) for character in value if character.isdigit()]
    text = "".join(map(str, digits))
    known = (
        (text[0] == "4" and len(text) in (13, 16, 19))
        or (51 <= int(text[:2]) <= 55 and len(text) == 16)
        or (2221 <= int(text[:4]) <= 2720 and len(text) == 16)
        or (text[:2] in ("34", "37") and len(text) == 15)
        or (text[:2] in ("60", "62", "64", "65", "35", "81") and len(text) in (16, 19))
        or (text[:2] in ("30", "36", "38", "39") and len(text) in (14, 16))
        or (text[:2] in ("50", "56", "57", "58", "63", "67") and 16 <= len(text) <= 19)
    )
    doubled = (d if n % 2 == 0 else d * 2 - 9 * (d > 4) for n, d in enumerate(reversed(digits)))
    return known and len(set(digits)) > 1 and sum(doubled) % 10 == 0


def is_code(value: str) -> bool:
    """Whether it is an expression, a path or an address instead of a literal."""
    return bool(_CODE.fullmatch(value) or _PATH.fullmatch(value) or _ADDRESS.fullmatch(value))


def constant(value: str) -> bool:
    """Whether it is the name of a constant."""
    return _CONSTANT.fullmatch(value) is not None


def like_a_password(value: str) -> bool:
    """Whether it can be a password beside a name, as in `ann / …`."""
    if not 5 <= len(value) <= 100 or not real(value) or is_code(value) or _TIME.fullmatch(value):
        return False
    if not any(c.isalpha() for c in value) or any(c in "=([{/]" for c in value):
        return False
    if _HOST_BEHIND.search(value) is not None:
        return False
    if _NUMBERED.fullmatch(value) or _TECHNICAL.fullmatch(value) or _CONSTANT.fullmatch(value):
        return False
    return _DIGIT.search(value) is not None or any(c in "!#$%^*" for c in value[1:])


def wordlike(value: str) -> bool:
    """Whether every part of it is a word or a number, as in `size-42` and `db_host2`."""
    return all(_WORDLIKE.fullmatch(part) for part in _PARTS.findall(value))


def keylike(value: str) -> bool:
    """Whether a machine may have made it, such as the value of an API key."""
    if len(value) < 8 or not real(value) or not _KEY.fullmatch(value):
        return False
    if _TIME.fullmatch(value) or _CONSTANT.fullmatch(value) or _CODE.fullmatch(value):
        return False
    # Base64 holds slashes as well; a path begins or ends like one, or consists of names.
    if _ADDRESS.fullmatch(value) or _SURE_PATH.fullmatch(value):
        return False
    if value.isdigit():
        return len(value) >= 12
    return mixed(value)


def mixed(value: str) -> bool:
    """Whether letters and digits, or letters of both cases, stand in no word's order."""
    return (_DIGIT.search(value) is not None and not wordlike(value)) or _zigzag(value)


def joined(value: str) -> bool:
    """Whether it can be a password that follows its word without a blank, as in Chinese."""
    return (
        len(value) >= 5
        and real(value)
        and _DIGIT.search(value) is not None
        and not value.isdigit()
        and not _TIME.fullmatch(value)
    )


def _zigzag(value: str) -> bool:
    letters = [c.isupper() for c in max(_PARTS.findall(value), key=len, default="") if c.isalpha()]
    turns = sum(a != b for a, b in pairwise(letters))
    return len(letters) >= 14 and turns >= len(letters) * 0.4


def striking(value: str) -> bool:
    """Whether it looks like a password even without anything that says so."""
    if not 6 <= len(value) <= 200 or " " in value or not real(value):
        return False
    if is_code(value) or _TIME.fullmatch(value):
        return False
    if not any(c.isalpha() for c in value) or _UUID.fullmatch(value):
        return False
    digit = _DIGIT.search(value) is not None
    if digit and value[0] not in "-+=~#&?@*" and any(c in _SIGNS for c in value[:-1]):
        # Arithmetic and pairs of name and value hold such signs as well.
        return _TERM.fullmatch(value) is None or not wordlike(value)
    return digit and not wordlike(value) and not _named(value) and _KEY.fullmatch(value) is not None


def _named(value: str) -> bool:
    """Whether a name was given a number or two, as in `IPv4Network` and `RFC2231Header`."""
    kinds = [character.isdigit() for character in value]
    turns = sum(a != b for a, b in pairwise(kinds))
    return turns < 3 and (
        _WORD_OF_FOUR.search(value) is not None or (turns < 2 and len(value) < 10)
    )


_WORD_OF_FOUR = compiled("[a-z]{4}")


_TERM = compiled(r"[\w.()\[\]:,-]+(?:[+*/=&%@?^~<>|$#-]+[\w.()\[\]:,-]+)*[+*?]?")


def password(value: str, *, quoted: bool, last: bool) -> bool:
    """Whether it can be a password where something says that it is one.

    `last` means that nothing follows it in its line.
    """
    if not real(value) or (_TIME.fullmatch(value) and not value.isdigit()):
        return False
    if quoted:
        if " " in value.strip():
            return passphrase(value) or (_DIGIT.search(value) is not None and value.count(" ") < 3)
        return not (
            "{" in value
            or _ADDRESS.fullmatch(value)
            or _PATH.fullmatch(value)
            or (_CONSTANT.fullmatch(value) and "_" in value)
        )
    if is_code(value):
        return False
    if _NAME.fullmatch(value):
        return False
    if _PLAIN.fullmatch(value):
        return (
            last
            and len(value) >= 5
            and not value.isupper()
            and not _NOT_A_PASSWORD.fullmatch(value)
        )
    if value.isdigit():
        return len(value) >= 4
    return len(value) >= 4 and not _CONSTANT.fullmatch(value)


def said(value: str, *, quoted: bool, last: bool) -> bool:
    """Whether it can be a password in a sentence such as `the password is …`."""
    if not real(value) or is_code(value) or _TIME.fullmatch(value) or _CONSTANT.fullmatch(value):
        return False
    if quoted:
        return passphrase(value) if " " in value else not _NOT_A_PASSWORD.fullmatch(value)
    if _NAME.fullmatch(value):
        return False
    if _PLAIN.fullmatch(value):
        return last and len(value) >= 6 and not _NOT_A_PASSWORD.fullmatch(value)
    if value.isdigit():
        return len(value) >= 6
    return len(value) >= 5 and not _words_with_dashes(value)


def _words_with_dashes(value: str) -> bool:
    return (
        all(_ASCII_PLAIN.fullmatch(part) for part in _PARTS.findall(value))
        and value.isascii()
        and any(c in "-_./'" for c in value)
    )


def passphrase(value: str) -> bool:
    """Whether it is a row of words that make no sentence: `correct horse battery staple`."""
    words = value.split()
    return (
        4 <= len(words) <= 10
        and all(word.isalpha() and len(word) > 2 for word in words)
        and value.islower()
        and not _FUNCTION_WORDS & set(words)
    )


def unlike_words(value: str) -> bool:
    """Whether it can be looked for elsewhere without taking ordinary words for it."""
    if " " in value:
        return len(value) >= 16
    if value.isdigit():
        return len(value) >= 12
    digit = _DIGIT.search(value) is not None
    return (
        len(value) >= 16
        or not wordlike(value)
        or (digit and len(value) >= 8)
        or any(c in _SIGNS for c in value)
    )
