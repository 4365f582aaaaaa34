"""What two facts are compared by, and in which details they differ (pure functions).

The words, numbers and names of a fact, whether it denies something, and how it tells that something changed,
in the words of ten languages.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from memdown.text import distinct_terms, fold, index_terms, is_stop, without_stop_words
from memdown.text.wording import WordPattern, bits_of, may_match
from memdown.values import dataclass, pattern

# By language: en, de, fr, es, pt, it, nl.
_CUES: Final = WordPattern(
    r"\b(?:now|moved|moves|renamed|no longer|not any ?more|anymore|instead|correction|corrected|actually"
    r"|changed|switched|replaced|replaces|became|new|updated|from now on|has left|quit|cancelled|canceled"
    r"|rescheduled|postponed|used to|stopped|gave up|since|seit|depuis|desde|sinds|these days|lately|by now|went up|went down|rose|fell to|raised to|lowered to"
    r"|jetzt|nun|ab sofort|umgezogen|zieht um|umbenannt|nicht mehr|kein\w* .{0,20}mehr|stattdessen|korrektur"
    r"|geandert|gewechselt|neu|neue|neuer|neues|neuen|doch nicht|verschoben|abgesagt|statt|inzwischen|mittlerweile|nur noch"
    r"|maintenant|desormais|demenage|renomme|ne .{1,25} plus|plus jamais|au lieu|correction|change|nouveau|entre-temps"
    r"|nouvelle|remplace|reporte|annule"
    r"|ahora|se mudo|mudado|ya no|en lugar|en vez|correccion|cambio|cambiado|nuevo|nueva|renombrado|aplazad\w+"
    r"|agora|mudou|ja nao|nao .{1,25} mais|em vez|correcao|nov[oa]|adiad\w+|passou a"
    r"|adesso|ora|trasferit\w+|non .{1,25} piu|invece|correzione|cambiat\w+|nuov[oa]|rinviat\w+|ormai|al posto"
    r"|nu|verhuisd|hernoemd|niet meer|geen .{0,20}meer|in plaats|correctie|gewijzigd|nieuwe?|uitgesteld|inmiddels)\b"
    # zh, ja, th
    r"|现在|現在|搬到|搬家|改为|改成|改名|不再|更正|而不是|新|换成|已经换|取消|推迟|调到|换到|转到|涨到|降到"
    r"|今は|今では|引っ越|改名|もう.{0,12}ない|ではなく|代わりに|訂正|変更|新しい|になりました"
    + "".join(
        f"|{fold(word)}" for word in "ตอนนี้ ย้าย เปลี่ยน ไม่อีกต่อไป แทน แก้ไข ใหม่ เลิก ยกเลิก เลื่อน".split()
    )
)
# What holds besides: it replaces nothing.
_BESIDES: Final = WordPattern(
    r"\b(?:too(?! \w)|also|as well|another|additionally|in addition|besides|auch|ausserdem|zusatzlich|noch eine?n?"
    r"|weitere[rns]?|aussi|egalement|en plus|une? autre|tambien|ademas|otr[oa]s?|tambem|alem disso|outr[oa]s?"
    r"|anche|inoltre|un altr[oa]|ook|bovendien|nog een)\b|也|还有|另外|另一|還有|また|さらに|ほかに"
    + "".join(f"|{fold(word)}" for word in "ด้วย นอกจากนี้".split())
)
# "new" is a cue only about something that the older fact names, too.
_NEW: Final = WordPattern(
    r"\b(?:new|neue?[rsnm]?|nouve(?:au|lle)|nuev[oa]s?|nov[oa]s?|nuov[oa]|nieuwe?)\b|新|新しい|ใหม่"
)
_BEFORE_ITS_NOUN: Final = ("new", "neu", "nieuw")
# Cues that only say when: what is said with them may hold beside the old.
_ONLY_WHEN: Final = WordPattern(
    r"\b(?:now|these days|lately|by now|jetzt|nun|inzwischen|mittlerweile|maintenant|desormais|ahora|agora|adesso"
    r"|ora|ormai|nu|inmiddels)\b|现在|現在|今は|今では|ตอนนี้"
)
_SINCE: Final = WordPattern(r"\b(?:since|seit|depuis|desde|sinds)\b")
# Somebody or something that is a new one, or that there is, comes besides: "is a new customer".
_ONE_MORE: Final = WordPattern(
    r"\b(?:is|are|ist|sind|est|sont|es|son|e|sao|sono|zijn|there is|there are|es gibt|il y a|hay|ha(?= uma? )|c'e|er is)\s+"
    r"(?:an?|eine?[nmrs]?|une?|un[oa]?|uma?|een)\s+(?:new|neue?[rsnm]?|nouve(?:au|lle)|nuev[oa]|nov[oa]|nuov[oa]|nieuwe?)\b"
)
_HAS: Final = WordPattern(
    r"\b(?:ha[sd]|have|got|hat|haben|a (?:une?|maintenant)|ont|tiene[ns]?|tem|hanno|ha|heeft|hebben)\b"
)
_INDEFINITE: Final = WordPattern(
    r"\b(?:an?|eine?[nmrs]?|une?|un[oa]?|uma?|een)\s+(?P<what>\w+(?:\s+\w+){0,2})"
)
_NEGATION: Final = WordPattern(
    r"\b(?:not?|never|no longer|isn't|doesn't|don't|nicht|kein\w*|nie|ne|pas|jamais|nunca|nao|non|mai|niet|geen"
    rf"|nooit|without|ohne|sans|sin|sem|senza|zonder)\b|不|没|沒|無|ない|ません|{fold('ไม่')}"
)
_NUMBER: Final = pattern(r"\d(?:[\d.,:/\-]*\d)?")
_NAME: Final = pattern(r"(?<![.!?:]\s)(?<!^)\b[^\W\d_a-zà-öø-ÿ][\w'’-]*[a-zà-öø-ÿ][\w'’-]*")
_NAMES: Final = pattern(rf"{_NAME.pattern}(?:\s+[^\W\d_a-zà-öø-ÿ][\w'’-]*)*")
_SELDOM: Final = 3
# What is meant by words of different stems: where someone lives, how something is called, what is used.
_CONCEPTS: Final = {
    "@home": WordPattern(
        r"\b(?:lives?|living|moves?|resides?|wohnt|wohnen|lebt|leben|umgezogen|gezogen|umziehen|zieht|habiter?|demenager?"
        r"|vive[nrs]?|vivo|vivir|mudo|mudou|mora[rm]?|abita(?:re)?|vivere|trasferit\w+|woont|wonen|verhuisd"
        r"|moved(?! (?:the|a|an|his|her|its|our|my|their)\b))\b|住|搬|引っ越"
        rf"|{fold('อาศัย')}|{fold('ย้าย')}"
    ),
    "@name": WordPattern(
        r"\b(?:called|named|name|renamed|heisst|umbenannt|genannt|s'appelle|renomme|llama|llamaba|renombrad\w+"
        rf"|chama|chiama|heet|hernoemd)\b|叫|改名|名字|名前|{fold('ชื่อ')}"
    ),
    "@time": WordPattern(
        r"\b(?:starts?|begins?|beginnt|commence|empieza|comienza|comeca|comincia|begint"
        r"|verschoben|postponed|rescheduled|collected)\b|开始|几点|始ま"
    ),
}


_CONCEPT_BITS: Final = bits_of(_CONCEPTS.values())


def _concepts(folded: str) -> tuple[str, ...]:
    if not may_match(folded, _CONCEPT_BITS):
        return ()
    return tuple(name for name, words in _CONCEPTS.items() if words.matches(folded))


# Words without which a fact says the same: articles, "to be", forms of address of a note.
_FILLERS: Final = frozenset(
    term
    for word in (
        "the a an is are was be that this der die das den dem ein eine einen ist sind le la les un une est "
        "sont el los las una es son o os as um uma e il lo gli uno sono het de een zijn our my unser mein"
    ).split()
    for term in index_terms(word)
)


@dataclass(frozen=True, slots=True)
class ChangeCues:
    """How a fact tells that something changed; all of it is found once.

    `at_all`: by any cue; `but_since` and `but_new`: also without counting "since", or "new"; `itself`: by a
    cue such as "moved" or "no longer", not only by when. `besides` says that it holds beside others.
    """

    at_all: bool
    but_since: bool
    but_new: bool
    itself: bool
    besides: bool


class FactDetails:
    """What a fact is compared by: its content words, its numbers, its names.

    Each is found when it is first asked for: most facts differ in the first of them already.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = fold(text)

    @functools.cached_property
    def _terms(self) -> list[str]:
        return index_terms(self._text)

    @functools.cached_property
    def _concepts(self) -> tuple[str, ...]:
        return _concepts(self._folded)

    @functools.cached_property
    def words(self) -> tuple[str, ...]:
        """The words that say something, and the concepts that they stand for."""
        words = tuple(term for term in self._terms if not is_stop(term))
        return (words or tuple(self._terms)) + self._concepts

    @functools.cached_property
    def said(self) -> tuple[str, ...]:
        """All words in order but articles and "to be"."""
        return tuple(term for term in self._terms if term not in _FILLERS)

    @functools.cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers as they are written."""
        return frozenset(match.strip(".,:/-") for match in _NUMBER.findall(self._folded))

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """The words of its names."""
        found = (term for name in _NAME.findall(self._text) for term in index_terms(name))
        return frozenset(term for term in found if not is_stop(term))

    @functools.cached_property
    def named(self) -> frozenset[str]:
        """Its names, of one word or more."""
        return frozenset(_NAMES.findall(self._text))

    @functools.cached_property
    def negated(self) -> bool:
        """Whether it says what is not."""
        return _NEGATION.matches(self._folded)

    @functools.cached_property
    def change(self) -> ChangeCues:
        """How it tells that something changed."""
        return _change(self._folded, cued=self.cued)

    @functools.cached_property
    def cued(self) -> bool:
        """Whether anything tells of a change."""
        return _CUES.matches(self._folded)

    @functools.cached_property
    def mere(self) -> Mapping[str, frozenset[str]]:
        """The words that only say that something changed, by concept those that only say it (`""`: cues)."""
        patterns = {"": _CUES, **{name: _CONCEPTS[name] for name in self._concepts}}
        return {name: _terms_matched(one, self._folded) for name, one in patterns.items()}

    @functools.cached_property
    def renewed(self) -> tuple[str, ...]:
        """The words beside "new"."""
        return tuple(_beside_new(self._folded))

    @functools.cached_property
    def several(self) -> tuple[str, ...]:
        """The words behind an indefinite article."""
        found = (one["what"] for one in _INDEFINITE.finditer(self._folded))
        return tuple(term for what in found for term in index_terms(what))


@functools.lru_cache(maxsize=65_536)
def content_words(text: str) -> frozenset[str]:
    """The words of a text that say something, with what some of them mean alike; quick to ask again."""
    terms = distinct_terms(text)
    words = frozenset(without_stop_words(terms)) or terms
    return words.union(_concepts(fold(text)))


@functools.lru_cache(maxsize=8192)
def details_of(text: str) -> FactDetails:
    """The words, numbers and names of a fact; kept, as the same facts are compared again and again."""
    return FactDetails(text)


def _change(folded: str, *, cued: bool) -> ChangeCues:
    if not cued:
        return ChangeCues(False, False, False, False, _BESIDES.matches(folded))
    bare = _NEW.sub(" ", folded)
    return ChangeCues(
        at_all=True,
        but_since=_CUES.matches(_SINCE.sub(" ", folded)),
        but_new=_CUES.matches(bare),
        itself=_CUES.matches(_ONLY_WHEN.sub(" ", bare)),
        besides=_BESIDES.matches(folded) or _ONE_MORE.matches(folded),
    )


def _terms_matched(cues: WordPattern, folded: str) -> frozenset[str]:
    return frozenset(term for one in cues.finditer(folded) for term in index_terms(one[0]))


def _beside_new(folded: str) -> list[str]:
    """The words before and after "new"; in languages without spaces, those after it."""
    found: list[str] = []
    for match in _NEW.finditer(folded):
        ahead, behind = folded[: match.start()].split(), folded[match.end() :].split()
        if match[0] >= _UNSPACED or match[0].startswith(_BEFORE_ITS_NOUN):
            # What stands before it is the whole sentence, or a verb: "needs new wipers".
            ahead = []
        found += index_terms(" ".join([*ahead[-1:], *(word[:12] for word in behind[:1])]))
    return found


def same_fact(one: str, other: str) -> bool:
    """Whether two texts say the same: the same words in the same order, no other detail."""
    if content_words(one) != content_words(other):
        return False
    a, b = details_of(one), details_of(other)
    return a.said == b.said and a.numbers == b.numbers and a.negated == b.negated


def overlap(one: str, other: str) -> float:
    """The share of content words that two facts have in common, 0 to 1."""
    a, b = content_words(one), content_words(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def looks_superseded(new: str, old: str, nearness: float) -> bool:
    """Whether a new fact that is near an old one in meaning (0 to 1) seems to replace it.

    It has a cue such as "now" or "no longer", or says the same with another number or name.
    """
    shared = overlap(new, old)
    # Most texts are far from each other: then their details need not be found.
    if max(shared, nearness) < _MOST_CUED or same_fact(new, old):
        return False
    fresh, known = details_of(new), details_of(old)
    if fresh.change.besides:
        return False
    if fresh.cued and (shared >= _MOST_CUED or nearness >= _NEAR_CUED):
        return True
    if fresh.negated != known.negated and shared >= _SAME_SUBJECT:
        return True
    return _slot_changed(fresh, known) and shared >= _SAME_SUBJECT


def _slot_changed(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether few words differ on both sides, and the ones that do are numbers or names."""
    ours, theirs = set(fresh.words), set(known.words)
    gone, come = theirs - ours, ours - theirs
    if not gone or not come or max(len(gone), len(come)) > _SELDOM:
        return False
    if fresh.numbers and known.numbers and fresh.numbers != known.numbers:
        return True
    return bool(fresh.names - known.names) and bool(known.names - fresh.names)


_MOST_CUED: Final = 0.3
_NEAR_CUED: Final = 0.45
_SAME_SUBJECT: Final = 0.5
_STEM: Final = 5
_UNSPACED: Final = "\u0e00"


@functools.lru_cache(maxsize=8192)
def says_otherwise(new: str, old: str) -> bool:
    """Whether one detail differs: a number, a name or another word, and not two of them at once.

    "The new server Osprey runs the builds" takes nothing back of "The server Falcon runs the wiki".
    """
    fresh, known = details_of(new), details_of(old)
    if fresh.change.besides:
        return False
    come = _without(_distinguishing(fresh, known), known.words)
    gone = _without(_distinguishing(known, fresh), fresh.words)
    kinds = (
        bool(fresh.numbers - known.numbers) and bool(known.numbers - fresh.numbers),
        bool(fresh.names - known.names) and bool(known.names - fresh.names),
        _plain(come, fresh) and _plain(gone, known),
    )
    if sum(kinds) > 1 or _other_names(fresh, known):
        return False
    several = _any_among(fresh.several, come) and _any_among(known.several, gone)
    if several and not fresh.change.itself and not kinds[1] and _HAS.matches(fold(new)):
        # "Now has an aquarium" takes no hamster away; with names it may: a Seat, a Dacia.
        return False
    if not fresh.change.but_since:
        # "Reads a book on whales", "reads a book on bridges": one of several, unless it says "now".
        return not several
    if not any(kinds[:2]) and min(_spaced(come), _spaced(gone)) > 1:
        # Much else is said: only what tells of a change itself is enough.
        return fresh.change.itself
    # If all that tells of a change is "new", then of something that the older one names.
    return fresh.change.but_new or is_renewed(fresh, known)


def _spaced(words: Sequence[str]) -> int:
    """How many words are of a script with spaces; pairs of signs differ at every turn of phrase."""
    return sum(word[0] < _UNSPACED for word in words)


def _other_names(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether two names differ or more: another person in another place takes nothing back."""
    return len(fresh.named - known.named) > 1 and len(known.named - fresh.named) > 1


def _any_among(some: Sequence[str], words: Sequence[str]) -> bool:
    return any(is_among(word, words) for word in some)


def is_renewed(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether a fact tells of a new one of what another names: "the new landlord", "neue Nummer"."""
    return _any_among(fresh.renewed, known.words)


def is_among(word: str, words: Collection[str]) -> bool:
    """Whether a word is among others, or begins like one of them."""
    if word in words:
        return True
    # Hundreds of words are compared in a search: most of them differ in their first letters.
    start = word[:_STEM]
    alike = [one for one in words if one.startswith(start)]
    return any(_alike(one, word) for one in alike)


def _distinguishing(details: FactDetails, other: FactDetails) -> list[str]:
    """The words of a fact without cues, and without those that only say a concept both have."""
    both = details.mere.keys() & other.mere.keys()
    mere = frozenset[str]().union(*(details.mere[name] for name in both))
    return [word for word in details.words if word not in mere]


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    starts = {other[:_STEM] for other in others}
    return [word for word in words if word[:_STEM] not in starts or not is_among(word, others)]


def _alike(one: str, other: str) -> bool:
    length = min(len(one), len(other))
    same = max(_STEM, round(0.7 * length))
    return length >= same and one[:same] == other[:same] and one.isalpha() and other.isalpha()


def _plain(words: Sequence[str], details: FactDetails) -> bool:
    """Whether some words, spaced ones, are neither names nor numbers nor what a concept stands for."""
    words = [word for word in words if word[0] < _UNSPACED]
    return any(
        not word.startswith("@") and word not in details.names and not any(map(str.isdigit, word))
        for word in words
    )
