"""A fact turned into a question about it, without a language model.

The answer is left out and the subject is asked for in the language of the fact: `The router is an
ER605.` becomes `what is the router?`. What fits no pattern is asked for by two of its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_MOST_SUBJECT_WORDS = 4
_TIME = re.compile(
    r"\d{1,2}[:.]\d\d|\d{4}-\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bnoon\b|\bmidnight\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:morning|evening|afternoon|week|month|year|night)s?\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:boss|manager|doctor|dentist|teacher|neighbou?r|sister|brother|mother|father|daughter|son|"
    r"partner|wife|husband|friend|colleague|accountant|plumber|chef(?:in)?|ärztin|arzt|nachbar(?:in)?|"
    r"schwester|bruder|mutter|vater|tochter|sohn|lehrer(?:in)?|freund(?:in)?|jefe|jefa|hermana|hermano|"
    r"madre|padre|hija|hijo|médic[oa]|vecin[oa])\b",
    re.IGNORECASE,
)
_NAMES_ONLY = re.compile(
    r"(?:[A-ZÀ-ÖØ-ÞА-Я][\w'’-]*)(?: (?:von |van |de )?[A-ZÀ-ÖØ-ÞА-Я][\w'’-]*){0,2}"
)
_ARTICLE = re.compile(
    r"^(?:the|a|an|der|die|das|ein|eine|le|la|les|el|los|las|il|lo|i|gli|o|a|os|as|de|het)\s+",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    _ARTICLE.pattern[:-4]
    + r"|my|our|his|her|their|your|mein|meine|unser|unsere|sein|seine|ihr|ihre"
    r"|mon|ma|mes|notre|nos|son|sa|mi|mis|nuestro|nuestra|su|sus|mio|mia|meu|minha|mijn|onze"
    r"|\w+[’']s?)\s+",
    re.IGNORECASE,
)
# Who is meant stands in another sentence.
_POINTS_ELSEWHERE = frozenset(
    """
    it its he she they this that these those there here i we you who which what and but or so then if
    when er sie es wir ich du das dies dieser diese hier da dort und aber oder il elle ils elles on
    je nous vous ce cela c'est et mais él ella ellos esto eso esta este y pero yo lui lei loro questo
    e ma ele ela isto isso mas hij zij ze wij dit dat deze en maar он она оно они это мы я
    """.split()
)
_LABEL = re.compile(r"^(?P<x>[^:：。.!?]{2,50}?)(?:\s*\([^)]*\))?\s*[:：]\s+?(?P<y>\S.*)$")
_DATE_LABEL = re.compile(r"^\W*\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?\W*$|^\W*\d{1,2}[:.]\d\d\W*$")


@dataclass(frozen=True, slots=True)
class _Pattern:
    shape: re.Pattern[str]
    ask: Callable[[str, str], str]


def _pattern(verbs: str, ask: str | Callable[[str, str], str]) -> _Pattern:
    """`X verb Y`: what to ask about X; a text holds X as {}."""
    shape = re.compile(rf"^(?P<x>[^,;:()]{{2,60}}?) (?:{verbs}) (?P<y>\S.*)$", re.IGNORECASE)
    return _Pattern(shape, ask if callable(ask) else lambda x, _: ask.format(x))


def _is_a_person(x: str) -> bool:
    return bool(_PERSON.search(x) or _NAMES_ONLY.fullmatch(x))


def _english(x: str, y: str) -> str:
    timed = _TIME.search(y) and re.match(r"(?:on|at|in|every|from|until)\b", y)
    if timed or re.match(r"(?:due|booked|scheduled)\b", y):
        return f"when is {x}?"
    if re.match(r"(?:at|in|on|behind|under|near|next|between|above|inside)\b", y):
        return f"where is {x}?"
    return f"who is {x}?" if _is_a_person(x) else f"what is {x}?"


def _either(who: str, what: str) -> Callable[[str, str], str]:
    return lambda x, _: (who if _is_a_person(x) else what).format(x)


# The words of a language that give it away, what it asks by, and how it asks about two words.
_LANGUAGES: dict[str, tuple[frozenset[str], tuple[_Pattern, ...], str]] = {
    "en": (
        frozenset("the is are was of and to with has for not our my on at her his from".split()),
        (
            _pattern("(?:is|are|was) (?:called|named)", "what is the name of {}?"),
            _pattern("lives?|works?|stands?|hangs?|stays?", "where is {} to be found?"),
            _pattern("costs?|cost", "how expensive is {}?"),
            _pattern("prefers?|likes|loves?|enjoys?", "what is the taste of {}?"),
            _pattern(
                "starts?|begins?|ends?|opens?|closes?|leaves?|arrives?", "what time goes for {}?"
            ),
            _pattern("needs?|requires?|wants?", "what must {} have?"),
            _pattern("plays|speaks|eats|drinks|uses|has|owns|takes|writes", "what about {}?"),
            _pattern("is|are|was|were", _english),
        ),
        "what do the notes say about {} and {}?",
    ),
    "de": (
        frozenset(
            "der die das ist sind und nicht mit für von im am zu ein eine auf bei hat".split()
        ),
        (
            _pattern("heißt|heißen", "wie ist der Name von {}?"),
            _pattern("kostet|kosten|kostete", "wie teuer ist {}?"),
            _pattern("wohnt|liegt|steht|hängt|arbeitet", "wo findet man {}?"),
            _pattern("beginnt|endet|öffnet|schließt|startet", "welche Zeit gilt für {}?"),
            _pattern("mag|liebt|bevorzugt", "was ist der Geschmack von {}?"),
            _pattern("hat|braucht|spielt|trinkt|isst|spricht", "was weiß man von {}?"),
            _pattern("ist|sind|war|waren", _either("wer oder was ist {}?", "was ist {}?")),
        ),
        "was steht in den Notizen über {} und {}?",
    ),
    "fr": (
        frozenset("le la les est et des une un du pour avec dans pas sur aux qui".split()),
        (
            _pattern("s'appelle", "quel est le nom de {} ?"),
            _pattern("coûte|coûtent", "quel est le prix de {} ?"),
            _pattern("habite|se trouve", "où trouver {} ?"),
            _pattern("est|sont|était", _either("qui est {} ?", "qu'est-ce que {} ?")),
        ),
        "que disent les notes de {} et {} ?",
    ),
    "es": (
        frozenset("el la los las es y del una un para con en no se por que está".split()),
        (
            _pattern("se llama", "¿qué nombre tiene {}?"),
            _pattern("cuesta|costó", "¿qué precio tiene {}?"),
            _pattern("vive|está", "¿dónde se encuentra {}?"),
            _pattern("es|son|era", _either("¿quién es {}?", "¿qué es {}?")),
        ),
        "¿qué dicen las notas de {} y {}?",
    ),
    "it": (
        frozenset("il lo gli è e di che per con una un della nel non sono".split()),
        (_pattern("è|sono", _either("chi è {}?", "che cosa è {}?")),),
        "cosa dicono le note di {} e {}?",
    ),
    "pt": (
        frozenset("o os é e do da uma um para com não em no na são".split()),
        (_pattern("é|são", _either("quem é {}?", "o que é {}?")),),
        "o que dizem as notas sobre {} e {}?",
    ),
    "nl": (
        frozenset("de het een en van is niet met voor op zijn bij naar".split()),
        (_pattern("is|zijn|was", _either("wie is {}?", "wat is {}?")),),
        "wat staat er over {} en {}?",
    ),
    "ru": (
        frozenset("и в не на с что по это для у от она он".split()),
        (_pattern("—|–|это", "что известно о {}?"),),
        "что записано про {} и {}?",
    ),
}
_HAN = re.compile(r"[\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_CHINESE = (
    (re.compile(r"^(?P<x>[^，。：；]{2,12}?)(?:在|位于)(?P<y>.+)$"), "{}的位置或时间？"),
    (re.compile(r"^(?P<x>[^，。：；]{2,12}?)(?:是|叫|为)(?P<y>.+)$"), "请问{}？"),
)
_JAPANESE = re.compile(r"^(?P<x>[^、。：]{2,14}?)は(?P<y>.+)$")


def ask_about(sentence: str) -> str | None:
    """A question that the sentence answers; None if it fits no pattern."""
    sentence = sentence.strip().rstrip(".!。！…")
    if _KANA.search(sentence):
        match = _JAPANESE.match(sentence)
        return f"{match['x']}について教えて？" if match else None
    if _HAN.search(sentence):
        for shape, text in _CHINESE:
            if match := shape.match(sentence):
                return text.format(match["x"])
        return None
    return _by_label(sentence) or _by_pattern(sentence)


def ask_by_words(sentence: str, rare: Sequence[str]) -> str | None:
    """A question by two telling words that do not stand side by side, the later one first."""
    words = re.findall(r"[^\W\d_][\w'’-]+", sentence)
    places = [words.index(word) for word in rare if word in words]
    for first in places:
        for second in places:
            if second - first > 1:
                _, _, text = _LANGUAGES[_language(sentence)]
                return text.format(words[second], words[first])
    return None


def _by_label(sentence: str) -> str | None:
    match = _LABEL.match(sentence)
    if not match:
        return None
    subject = match["x"].strip(" -–")
    if _DATE_LABEL.match(subject):
        return ask_about(match["y"])
    if not _usable(subject):
        return None
    if _NAMES_ONLY.fullmatch(subject) and not match["y"][0].isdigit():
        return f"who or what is {subject}?"
    subject = _ARTICLE.sub("", subject)
    if _language(sentence) == "en" and subject.isascii():
        return f"what is the {subject[:1].lower()}{subject[1:]}?"
    return f"{subject}?"


def _by_pattern(sentence: str) -> str | None:
    _, patterns, _ = _LANGUAGES[_language(sentence)]
    for pattern in patterns:
        match = pattern.shape.match(sentence)
        if match and _usable(match["x"]) and _names_one_thing(match["x"]):
            return pattern.ask(_lowered(match["x"]), match["y"])
    return None


def _names_one_thing(subject: str) -> bool:
    """Whether it is a name or begins with an article, and so is no half sentence."""
    return bool(_NAMES_ONLY.fullmatch(subject) or _DETERMINER.match(subject))


def _usable(subject: str) -> bool:
    """Whether a subject names something by itself, in a few words."""
    words = re.findall(r"[\w'’-]+", subject)
    return (
        1 <= len(words) <= _MOST_SUBJECT_WORDS
        and words[0].lower() not in _POINTS_ELSEWHERE
        and any(len(word) > 2 and not word[0].isdigit() for word in words)
    )


def _lowered(subject: str) -> str:
    """The article or `their` inside a question is written small."""
    begins = _DETERMINER.match(subject)
    return subject[:1].lower() + subject[1:] if begins and "'" not in begins[0] else subject


def _language(sentence: str) -> str:
    """The language whose small words the sentence holds most of; English if none."""
    words = set(re.findall(r"[^\W\d_]+", sentence.lower()))
    if not words & _LANGUAGES["en"][0] and re.search("[а-яё]", sentence.lower()):
        return "ru"
    return max(_LANGUAGES, key=lambda name: len(words & _LANGUAGES[name][0]))
