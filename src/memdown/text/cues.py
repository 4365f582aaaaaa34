"""What a passage tells besides its words: who speaks, whether it asks, which kinds of answer it holds, and
whether something is gone.

And the same of a question: who is meant, and which kind of answer is asked for. The word lists are of
many languages; where a language is in none of them, nothing is told and nothing changes.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from memdown.text import changes
from memdown.text.acronyms import may_define
from memdown.text.scripts import fold
from memdown.text.stopwords import first_person_of, looks_english, plain, stop_words_of
from memdown.values import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["number", "time", "name"]
# One piece's cues, or those of many pieces.
Cues = TypeVar("Cues", int, "NDArray[Any]")

# A name or role and a colon at the start of a line, also in bold, quoted or behind a time in brackets.
_LABEL: Final = pattern(
    r"[ \t]{0,3}(?:[-*+>][ \t]+)?(?:[\[(][^\])\n]{1,40}[\])][ \t]*)?[*_]{0,2}"
    r"(?P<name>[^\W\d_][\w.'’&-]{0,30}(?: [\w.'’&-]{1,30}){0,2})(?: ?\([^)\n]{1,40}\))?"
    r"[*_]{0,2}[:：][*_]{0,2}(?=\s|$)"
)
_ASKING: Final = ("?", "？", "\u037e", "؟")
# The Greek question mark is mostly written as a semicolon, which elsewhere asks nothing.
_ASKING_GREEK: Final = pattern(r"[\u0370-\u037d\u037f-\u03ff\u1f00-\u1fff]\s*;\Z")
_BEHIND_ASKING: Final = "\"'”’)]*_ \t"
# Any other last character of a text says that it does not ask.
MAY_END_ASKING: Final = frozenset((*_ASKING, ";", *_BEHIND_ASKING))
_NUMBER_WORDS: Final = frozenset(
    "two three four five six seven eight nine ten eleven twelve dozen hundred thousand million twice half "
    "couple once".split()
)
_TIME_NUMBERS: Final = pattern(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.]\d\d\b|\b\d{1,2}(?:am|pm|uhr)\b|\b\d{1,2}\.\d{1,2}\."
)
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME_WORDS: Final = frozenset(
    (
        *_DAYS,
        *(f"{day}s" for day in _DAYS),
        *"january february march april june july august september october november december".split(),
        *"yesterday today tomorrow tonight morning afternoon evening night weekend ago".split(),
        *"montag dienstag mittwoch donnerstag freitag samstag sonntag".split(),
        *"januar februar märz juni juli oktober dezember gestern heute morgen".split(),
        *"lunes martes jueves viernes sábado domingo enero febrero marzo ayer hoy mañana".split(),
        *"lundi mardi mercredi jeudi vendredi samedi dimanche hier demain".split(),
        *"вчера сегодня завтра понедельник вторник среда среду четверг пятница пятницу".split(),
        *"суббота субботу воскресенье год году".split(),
    )
)
_BEFORE_SPANS: Final = frozenset("last next this every past few two three".split())
_SPANS: Final = frozenset("day days week weeks month months year years".split())
_CLOCK_WORDS: Final = frozenset(("am", "pm", "uhr"))
_NUMBER_SIGNS: Final = pattern("[二三四五六七八九十百千万两]")
_TIME_SIGNS: Final = pattern("[年月日時时]")
_ORDINAL_END: Final = pattern(r"\b\d{1,2}\.$")
_ORDINAL: Final = pattern(r"\d{1,2}\.")
_CAPITAL: Final = pattern(r"[A-ZÀ-Þ][\w’'-]|[А-Я]\w")
_BEFORE_NAMES: Final = frozenset(
    ",;)" + "".join(chr(n) for a, z in ("az", "àÿ", "ая") for n in range(ord(a), ord(z) + 1))
)
_TOKEN: Final = pattern(r"\w+")
# The cues of one piece of text: what it holds alone, and what it may be the first or second half of.
# A first half is `_SECOND` bits below its second half, so that one shift compares all of them.
NUMBER: Final = 1
TIME: Final = 2
SHORT_FORM: Final = 4
CHANGE: Final = 8
# What one piece tells by itself.
ALONE: Final = NUMBER | TIME | CHANGE
_CLOCK, _DATE, _SPAN, _NAME = (1 << place for place in range(4, 8))
_SECOND: Final = 4
_HALVES: Final = (_CLOCK | _DATE | _SPAN | _NAME) << _SECOND
PAIRED_TIME: Final = (_CLOCK | _DATE | _SPAN) << _SECOND
PAIRED_NAME: Final = _NAME << _SECOND
# A piece with which saying one's name may begin.
MAY_INTRODUCE: Final = 1 << 12
# What every feature term begins with, and no word.
FEATURE: Final = "\x02"
SPEAKER: Final = f"{FEATURE}speaker:"
_KIND: Final = f"{FEATURE}kind:"
ASKS: Final = f"{FEATURE}asks"
CHANGES: Final = f"{FEATURE}changes"
INTRODUCES: Final = f"{FEATURE}introduces"

_FIRST_PERSON: Final = pattern(
    r"\b(?:I|me|my|mine|myself|I'm|I've|I'd)\b|\b(?:we|us|our|ours)\b"
    r"|\b(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})\b|\b(?:je|moi|mon|mes|nous|notre|nos)\b"
    r"|\b(?:yo|mi|mis|nosotros|nuestr[oa]s?)\b|\b(?:я|мне|меня|мой|моя|мои|моего|моей|мы|нас|наш\w*)\b"
    r"|我|私|僕|俺|내가|나는|제가|나의|저는|ฉัน|ผม",
)
_WORD: Final = pattern(r"\w{2,}")
_POSSESSIVE: Final = pattern(r"['’]s\b")
_MOST_CHARACTERS: Final = 500
_WRITTEN_AS_NAME: Final = pattern(r"(?<=[a-z,;)] )[A-Z][a-z]{2,}\b")
# What people say before their names, in many languages.
_INTRODUCTIONS: Final = (
    *(
        "i['’]m",
        "im",
        "i am",
        "my name['’]?s",
        "my name is",
        "call me",
        "ich bin",
        "ich hei(?:ß|ss)e",
    ),
    *(
        "mein name ist",
        "me llamo",
        "mi nombre es",
        "soy",
        "je m['’]appelle",
        "je suis",
        "mon nom est",
    ),
    *("mi chiamo", "meu nome é", "me chamo", "ik ben", "ik heet", "mijn naam is", "меня зовут"),
    *("моё имя", "мое имя"),
)
_INTRODUCING: Final = pattern(rf"\b(?:{'|'.join(_INTRODUCTIONS)})\s+", re.IGNORECASE)
# What the piece ends with that each of them begins with: to look for it first spares looking at most lines.
_INTRODUCES_FIRST: Final = frozenset(
    re.findall(r"\w+", said.split()[0])[-1] for said in _INTRODUCTIONS
)
_VOWELS: Final = pattern(r"(?<=.)[aeiouyà-åè-ïò-öù-ý'’-]+")
# What makes a longer name of a name, or says whose something is.
_GOES_ON: Final = pattern(r"['’]s\b|[^\W_]")
_DOUBLED: Final = pattern(r"(.)\1+")
_LEAST_SOUNDS: Final = 3
_USERS: Final = ("user", "human", "me", "i")
_ASKED_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "time",
        pattern(
            r"\b(?:when|what (?:time|day|date|year|month)|which (?:day|date|year|month)|how long|since when|"
            r"wann|wie lange|welche[mrs]? (?:tag|jahr|datum|monat)|cuándo|cuando|en qué (?:año|fecha|día)|"
            r"quand|quelle (?:date|année)|когда|в каком году|сколько времени)\b"
            r"|什么时候|何时|哪一年|哪年|几点|いつ|何年|何時|언제|몇 년|เมื่อไร|เมื่อใด|ปีใด|ปีไหน",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        pattern(
            r"\b(?:how (?:many|much|old|often|far|big|tall|high|large)|what (?:number|percentage|price)|"
            r"wie ?(?:viele?|oft|alt|hoch|groß|weit|teuer)|cuánt[oa]s?|combien|quantos?|quante?|сколько)\b"
            r"|多少|几个|几次|いくつ|いくら|何人|何個|몇|얼마|กี่|เท่าไร|เท่าใด",
            re.IGNORECASE,
        ),
    ),
    (
        "name",
        pattern(
            r"\b(?:who|whom|whose|where|which (?:city|country|place|person|company)|wer|wen|wem|wo|woher|"
            r"quién|quien|dónde|donde|qui|où|кто|кого|где)\b|谁|哪里|哪儿|誰|どこ|누구|어디|ใคร|ที่ไหน",
            re.IGNORECASE,
        ),
    ),
)


def label_of(line: str) -> str | None:
    """The name or role that a line begins with, such as Nora in "Nora: hello"; None if there is none."""
    found = _LABEL.match(line) if ":" in line or "：" in line else None
    return found["name"] if found else None


@lru_cache(maxsize=1_024)
def speaker_terms(name: str) -> tuple[str, ...]:
    """The feature terms of a speaker: one for each word of the name."""
    return tuple(SPEAKER + word for word in fold(name).split() if word.isalnum())


def cues_of(text: str) -> tuple[str, ...]:
    """The feature terms of a text: whether it ends by asking, the kinds of answer that it holds, and whether
    something is gone."""
    cues = 0
    for line in text.split("\n"):
        before = 0
        for piece in line.split():
            now = piece_cues(piece)
            cues |= now & ALONE | paired(before, now)
            before = now
    found = [ASKS] if asks(text) else []
    return (*found, *kinds_of(cues))


def asks(text: str) -> bool:
    """Whether a text ends with a question mark."""
    said = text.rstrip(_BEHIND_ASKING)
    if said.endswith(_ASKING):
        return True
    return said.endswith(";") and _ASKING_GREEK.search(said, len(said) - 4) is not None


@cache
def kinds_of(cues: int) -> tuple[str, ...]:
    """The feature terms for the cues of a passage's pieces and of its pairs of pieces, all together."""
    found: list[Kind] = ["number"] if cues & NUMBER else []
    if cues & (TIME | PAIRED_TIME):
        found.append("time")
    if cues & PAIRED_NAME:
        found.append("name")
    return (*(_KIND + kind for kind in found), *((CHANGES,) if cues & CHANGE else ()))


def paired(before: Cues, now: Cues) -> Cues:
    """The cues of two neighbours on a line that neither holds alone: "5 pm", "last week", "met Anna"."""
    found: Cues = before << _SECOND & now & _HALVES
    return found


@lru_cache(maxsize=16_384)
def piece_cues(piece: str) -> int:
    """The cues of what stands between two white spaces, as bits; see `paired` for its neighbours."""
    return found_cues(piece)


def found_cues(piece: str) -> int:
    """The same, for pieces of which each is looked at once."""
    small = piece.lower()
    if small.isalpha():
        # Of these are most.
        cues = _TOKEN_CUES.get(small, 0) | (CHANGE if _says_gone(small) else 0)
        return cues | _letter_cues(piece, is_word=piece[1:].islower())
    tokens = _TOKEN.findall(small)
    cues = _letter_cues(piece, is_word=False)
    if tokens:
        cues |= _word_cues(small, tokens)
    if any(map(str.isdigit, piece)):
        cues |= _digit_cues(small)
    return cues


def _letter_cues(piece: str, *, is_word: bool) -> int:
    """`is_word` if a piece is letters and none behind the first is a capital."""
    cues = _NAME if piece[-1:] in _BEFORE_NAMES else 0
    if not is_word and may_define(piece):
        cues |= SHORT_FORM
    if not "a" <= piece[:1] <= "z" and _CAPITAL.match(piece):
        cues |= PAIRED_NAME
    if not piece.isascii():
        cues |= NUMBER if _NUMBER_SIGNS.search(piece) else 0
        cues |= TIME if _TIME_SIGNS.search(piece) else 0
        cues |= CHANGE if changes.SIGNS.search(piece) else 0
    return cues


def _word_cues(small: str, tokens: list[str]) -> int:
    cues = 0
    for token in tokens:
        cues |= _TOKEN_CUES.get(token, 0) & ALONE
        if _says_gone(token):
            cues |= CHANGE
    first, last = tokens[0], tokens[-1]
    if small.endswith(last):
        cues |= _TOKEN_CUES.get(last, 0) & _ENDS
        if len(last) <= 2 and last.isdecimal():
            cues |= _CLOCK
    if small.startswith(first):
        cues |= _TOKEN_CUES.get(first, 0) & _HALVES
    return cues


def _says_gone(small: str) -> bool:
    """Whether a word in small letters says that something is gone."""
    return changes.how_gone(small if small.isascii() else fold(small)) is not None


def _token_cues() -> dict[str, int]:
    """The cues of words that are in one of the lists."""
    found: dict[str, int] = {}
    for words, cue in (
        (_NUMBER_WORDS, NUMBER),
        (_TIME_WORDS, TIME),
        (_BEFORE_SPANS, _SPAN),
        (_SPANS, _SPAN << _SECOND),
        (_CLOCK_WORDS, _CLOCK << _SECOND),
        (_INTRODUCES_FIRST, MAY_INTRODUCE),
    ):
        for word in words:
            found[word] = found.get(word, 0) | cue
    return found


_TOKEN_CUES: Final = _token_cues()
# What counts of the last word of a piece only.
_ENDS: Final = _SPAN | MAY_INTRODUCE


def _digit_cues(small: str) -> int:
    cues = NUMBER
    if _TIME_NUMBERS.search(small):
        cues |= TIME
    if _ORDINAL_END.search(small):
        cues |= _DATE
    if _ORDINAL.match(small):
        cues |= _DATE << _SECOND
    return cues


def asked_kind(question: str) -> str | None:
    """The feature term of the kind of answer that a question asks for; None if it names none."""
    return next((_KIND + kind for kind, asks in _ASKED_KINDS if asks.search(question)), None)


def asks_of_oneself(question: str) -> bool:
    """Whether a question is in the first person: "What did I say about my garden?"."""
    return _FIRST_PERSON.search(question) is not None


def named_speakers(question: str) -> tuple[str, ...]:
    """The feature terms of everyone that a question may name: each of its words could be a speaker."""
    words = _POSSESSIVE.sub("", fold(question[:_MOST_CHARACTERS]))
    found = list(dict.fromkeys(_WORD.findall(words)))
    unsaid = stop_words_of(found)
    return tuple(SPEAKER + one for one in found if one not in unsaid)


def may_introduce(line: str) -> bool:
    """Whether someone may say their name in a line: what stands before a name is there."""
    return _INTRODUCING.search(line) is not None


def introduces(line: str, name: str) -> bool:
    """Whether someone says to have a name: "I'm Kate", and neither "I'm Kate's sister" nor, for Open, "I'm open"."""
    if name not in line:
        return False
    for found in _INTRODUCING.finditer(line):
        behind = line[found.end() :]
        if behind.startswith(name) and not _GOES_ON.match(behind, len(name)):
            return True
    return False


def sounds_like(name: str, other: str) -> bool:
    """Whether two names differ only in their vowels and double letters: Mohammed and Muhamad."""
    first, second = _sounds(name), _sounds(other)
    return first == second and len(first) >= _LEAST_SOUNDS


@lru_cache(maxsize=1_024)
def _sounds(name: str) -> str:
    return _DOUBLED.sub(r"\1", _VOWELS.sub("", fold(name)))


def own_words(question: str) -> frozenset[str]:
    """The terms by which people speak of themselves in the language of a question: I, my, we."""
    return first_person_of([plain(one) for one in _WORD.findall(question[:_MOST_CHARACTERS])])


def names_in(question: str) -> tuple[str, ...]:
    """The words that a question in English writes as names, but for its first word."""
    text = question[:_MOST_CHARACTERS]
    found = tuple(dict.fromkeys(_WRITTEN_AS_NAME.findall(text)))
    return found if found and looks_english(text.lower().split()) else ()


USER_TERMS: Final = tuple(SPEAKER + name for name in _USERS)
