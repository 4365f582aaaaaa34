"""What a passage tells besides its words: who speaks, whether it asks, and which kinds of answer it holds.

And the same of a question: who is meant, and which kind of answer is asked for. The word lists are of
many languages; where a language is in none of them, nothing is told and nothing changes.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from memdown.text.scripts import fold
from memdown.text.stopwords import stop_words_of

Kind = Literal["number", "time", "name"]

# A name or role and a colon at the start of a line, also in bold, quoted or behind a time in brackets.
_LABEL: Final = re.compile(
    r"[ \t]{0,3}(?:[-*+>][ \t]+)?(?:[\[(][^\])\n]{1,40}[\])][ \t]*)?[*_]{0,2}"
    r"(?P<name>[^\W\d_][\w.'’&-]{0,30}(?: [\w.'’&-]{1,30}){0,2})(?: ?\([^)\n]{1,40}\))?"
    r"[*_]{0,2}[:：][*_]{0,2}(?=\s|$)"
)
_ASKS: Final = re.compile(r"[?？;؟][\"'”’)\]*_ \t]*$")
_NUMBER: Final = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|"
    r"twice|half|couple|once)\b|[二三四五六七八九十百千万两]",
    re.IGNORECASE,
)
# Looking a word up is ten times faster than trying some sixty of them at every place of a text.
_TIME_NUMBERS: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|uhr)\b|\b\d{1,2}\.\s?\d{1,2}\."
)
_TIME_SPANS: Final = re.compile(
    r"\b(?:last|next|this|every|past|a few|two|three)\s(?:day|week|month|year)s?\b"
)
_SPANS: Final = frozenset("day days week weeks month months year years".split())
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
_TIME_SIGNS: Final = re.compile("[年月日時时]")
_TOKEN: Final = re.compile(r"\w+")
_NAME: Final = re.compile(r"(?<=[a-zà-ÿ,;)] )[A-ZÀ-Þ][\w’'-]+|(?<=[а-я,;)] )[А-Я]\w+")
_SPEAKER: Final = "\x02speaker:"
_KIND: Final = "\x02kind:"
ASKS: Final = "\x02asks"

_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|me|my|mine|myself|I'm|I've|I'd)\b|\b(?:we|us|our|ours)\b"
    r"|\b(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})\b|\b(?:je|moi|mon|mes|nous|notre|nos)\b"
    r"|\b(?:yo|mi|mis|nosotros|nuestr[oa]s?)\b|\b(?:я|мне|меня|мой|моя|мои|моего|моей|мы|нас|наш\w*)\b"
    r"|我|私|僕|俺|내가|나는|제가|나의|저는|ฉัน|ผม",
)
_WORD: Final = re.compile(r"\w{2,}")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_MOST_CHARACTERS: Final = 500
_USERS: Final = ("user", "human", "me", "i")
_ASKED_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "time",
        re.compile(
            r"\b(?:when|what (?:time|day|date|year|month)|which (?:day|date|year|month)|how long|since when|"
            r"wann|wie lange|welche[mrs]? (?:tag|jahr|datum|monat)|cuándo|cuando|en qué (?:año|fecha|día)|"
            r"quand|quelle (?:date|année)|когда|в каком году|сколько времени)\b"
            r"|什么时候|何时|哪一年|哪年|几点|いつ|何年|何時|언제|몇 년|เมื่อไร|เมื่อใด|ปีใด|ปีไหน",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        re.compile(
            r"\b(?:how (?:many|much|old|often|far|big|tall|high|large)|what (?:number|percentage|price)|"
            r"wie ?(?:viele?|oft|alt|hoch|groß|weit|teuer)|cuánt[oa]s?|combien|quantos?|quante?|сколько)\b"
            r"|多少|几个|几次|いくつ|いくら|何人|何個|몇|얼마|กี่|เท่าไร|เท่าใด",
            re.IGNORECASE,
        ),
    ),
    (
        "name",
        re.compile(
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


def speaker_terms(name: str) -> tuple[str, ...]:
    """The feature terms of a speaker: one for each word of the name."""
    return tuple(_SPEAKER + word for word in fold(name).split() if word.isalnum())


def cues_of(text: str) -> tuple[str, ...]:
    """The feature terms of a text: whether it ends by asking, and the kinds of answer that it holds."""
    found = [ASKS] if _ASKS.search(text) else []
    if _NUMBER.search(text):
        found.append(_KIND + "number")
    if _names_a_time(text.lower()):
        found.append(_KIND + "time")
    if _NAME.search(text):
        found.append(_KIND + "name")
    return tuple(found)


def _names_a_time(text: str) -> bool:
    """Whether a text in small letters names a date, a time of day or a span of time."""
    words = set(_TOKEN.findall(text))
    return bool(
        not _TIME_WORDS.isdisjoint(words)
        or _TIME_NUMBERS.search(text)
        or (not text.isascii() and _TIME_SIGNS.search(text))
        or (not _SPANS.isdisjoint(words) and _TIME_SPANS.search(text))
    )


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
    return tuple(_SPEAKER + one for one in found if one not in unsaid)


USER_TERMS: Final = tuple(_SPEAKER + name for name in _USERS)
