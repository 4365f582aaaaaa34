"""Which facts of the notes are near a text, and whether one looks as if it supersedes another."""

from __future__ import annotations

import datetime
import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from memdown.errors import MemdownError, NoteNotFound
from memdown.notes.discovery import scan
from memdown.notes.reading import decode, read_note
from memdown.notes.roots import Workspace, date_of, locate
from memdown.notes.statements import Fact, facts_of
from memdown.notes.writing import curated
from memdown.text import fold, index_terms, is_stop

# By language: en, de, fr, es, pt, it, nl.
_CUES: Final = re.compile(
    r"\b(?:now|moved|moves|renamed|no longer|not any ?more|anymore|instead|correction|corrected|actually"
    r"|changed|switched|replaced|replaces|became|new|updated|from now on|has left|quit|cancelled|canceled"
    r"|rescheduled|postponed|used to|stopped|gave up|since|seit|depuis|desde|sinds|these days|lately"
    r"|jetzt|nun|ab sofort|umgezogen|zieht um|umbenannt|nicht mehr|kein\w* .{0,20}mehr|stattdessen|korrektur"
    r"|geandert|gewechselt|neu|neue|neuer|neues|neuen|doch nicht|verschoben|abgesagt|statt"
    r"|maintenant|desormais|demenage|renomme|ne .{1,25} plus|plus jamais|au lieu|correction|change|nouveau"
    r"|nouvelle|remplace|reporte|annule"
    r"|ahora|se mudo|mudado|ya no|en lugar|en vez|correccion|cambio|cambiado|nuevo|nueva|renombrado|aplazad\w+"
    r"|agora|mudou|ja nao|nao .{1,25} mais|em vez|correcao|nov[oa]|adiad\w+|passou a"
    r"|adesso|ora|trasferit\w+|non .{1,25} piu|invece|correzione|cambiat\w+|nuov[oa]|rinviat\w+"
    r"|nu|verhuisd|hernoemd|niet meer|geen .{0,20}meer|in plaats|correctie|gewijzigd|nieuwe?|uitgesteld)\b"
    # zh, ja, th
    r"|现在|現在|搬到|搬家|改为|改成|改名|不再|更正|而不是|新|换成|已经换|取消|推迟"
    r"|今は|今では|引っ越|改名|もう.{0,12}ない|ではなく|代わりに|訂正|変更|新しい|になりました"
    + "".join(
        f"|{fold(word)}" for word in "ตอนนี้ ย้าย เปลี่ยน ไม่อีกต่อไป แทน แก้ไข ใหม่ เลิก ยกเลิก เลื่อน".split()
    )
)
_NEGATION: Final = re.compile(
    r"\b(?:not?|never|no longer|isn't|doesn't|don't|nicht|kein\w*|nie|ne|pas|jamais|nunca|nao|non|mai|niet|geen"
    rf"|nooit|without|ohne|sans|sin|sem|senza|zonder)\b|不|没|沒|無|ない|ません|{fold('ไม่')}"
)
_NUMBER: Final = re.compile(r"\d(?:[\d.,:/\-]*\d)?")
_NAME: Final = re.compile(r"(?<![.!?:]\s)(?<!^)\b[^\W\d_a-zà-öø-ÿ][\w'’-]*[a-zà-öø-ÿ][\w'’-]*")
_SELDOM: Final = 3


# What is meant by words of different stems: where someone lives, how something is called, what is used.
_CONCEPTS: Final = {
    "@home": re.compile(
        r"\b(?:lives?|living|moved|moves|resides?|wohnt|wohnen|lebt|umgezogen|zieht|habite|demenage|vive[ns]?"
        r"|vivo|mudo|mudou|mora|abita|trasferit\w+|woont|verhuisd)\b|住|搬|引っ越"
        rf"|{fold('อาศัย')}|{fold('ย้าย')}"
    ),
    "@name": re.compile(
        r"\b(?:called|named|name|renamed|heisst|umbenannt|genannt|s'appelle|renomme|llama|llamaba|renombrad\w+"
        rf"|chama|chiama|heet|hernoemd)\b|叫|改名|名字|名前|{fold('ชื่อ')}"
    ),
    "@time": re.compile(
        r"\b(?:starts?|begins?|beginnt|commence|empieza|comienza|comeca|comincia|begint"
        r"|verschoben|postponed|rescheduled|collected)\b|开始|几点|始ま"
    ),
}


def _concepts(folded: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _CONCEPTS.items() if pattern.search(folded))


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
class Details:
    """What a fact is compared by: its content words, its numbers, its names.

    `said` are all words in order but articles and "to be".
    """

    words: tuple[str, ...]
    said: tuple[str, ...]
    numbers: frozenset[str]
    names: frozenset[str]
    negated: bool
    cued: bool


@functools.lru_cache(maxsize=65_536)
def content_words(text: str) -> frozenset[str]:
    """The words of a text that say something, with what some of them mean alike; quick to ask again."""
    terms = index_terms(text)
    words = [term for term in terms if not is_stop(term)]
    return frozenset((*(words or terms), *_concepts(fold(text))))


@functools.lru_cache(maxsize=8192)
def details_of(text: str) -> Details:
    """The words, numbers and names of a fact."""
    folded = fold(text)
    numbers = frozenset(match.strip(".,:/-") for match in _NUMBER.findall(folded))
    names = frozenset(
        term for name in _NAME.findall(text) for term in index_terms(name) if not is_stop(term)
    )
    terms = index_terms(text)
    words = tuple(term for term in terms if not is_stop(term))
    return Details(
        (words or tuple(terms)) + _concepts(folded),
        tuple(term for term in terms if term not in _FILLERS),
        numbers,
        names,
        bool(_NEGATION.search(folded)),
        bool(_CUES.search(folded)),
    )


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
    fresh, known = details_of(new), details_of(old)
    if same_fact(new, old):
        return False
    shared = overlap(new, old)
    if fresh.cued and (shared >= _MOST_CUED or nearness >= _NEAR_CUED):
        return True
    if fresh.negated != known.negated and shared >= _SAME_SUBJECT:
        return True
    return _slot_changed(fresh, known) and shared >= _SAME_SUBJECT


def _slot_changed(fresh: Details, known: Details) -> bool:
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


def shared_names(texts: Sequence[str]) -> frozenset[str]:
    """The names that all texts have in common."""
    sets = [details_of(text).names for text in texts]
    return frozenset.intersection(*sets) if sets else frozenset()


# So many notes, the newest first, are looked through for related facts, up to so many characters.
_MOST_NOTES: Final = 400
_MOST_CHARACTERS: Final = 1_500_000
# By words alone, so few are worth a look.
_MOST_BY_WORDS: Final = 50
REFERENCE: Final = re.compile(r"(?P<path>.+?\.md)(?:#L|:)(?P<line>\d+)(?:-L?\d+)?", re.IGNORECASE)

# How near a text is to each of others by meaning, -1 to 1; None if that cannot be told now.
Nearness = Callable[[str, Sequence[str]], "Sequence[float] | None"]


@dataclass(frozen=True, slots=True)
class Comparing:
    """How texts are compared by meaning, and how many at most; without it, by words only."""

    nearness: Nearness
    most: int = 2_000


def gather(workspace: Workspace, paths: Sequence[str] | None = None) -> list[Fact]:
    """The facts of the notes: MEMORY.md first, then the newest others, up to a limit."""
    if paths is None:
        files = scan(workspace).files
        order = sorted(
            files.values(),
            key=lambda file: (date_of(file.path) or datetime.date.min, file.mtime_ns),
            reverse=True,
        )
        lasting = curated(workspace)
        paths = [
            *(path for path in (lasting,) if path in files),
            *(file.path for file in order if file.path != lasting),
        ][:_MOST_NOTES]
    found: list[Fact] = []
    left = _MOST_CHARACTERS
    for path in paths:
        try:
            text = note_text(workspace, path)
        except MemdownError:
            continue
        left -= len(text)
        if left < 0:
            break
        found += facts_of(text, path)
    return found


def note_text(workspace: Workspace, path: str) -> str:
    """The text of a note with line feeds only."""
    data, state = read_note(workspace, path)
    return decode(data, state.path).replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A fact and how near it is to a text, 0 to 1: by meaning and by words together."""

    fact: Fact
    score: float


def rank_related(
    text: str, facts: Sequence[Fact], comparing: Comparing | None = None
) -> list[Ranked]:
    """Facts by nearness to a text, the nearest first."""
    if not facts:
        return []
    shared = _by_words(text, facts)
    order = sorted(range(len(facts)), key=lambda number: -shared[number])
    order = order[: comparing.most if comparing else _MOST_BY_WORDS]
    meant = None
    if comparing is not None:
        meant = comparing.nearness(text, [in_context(facts[number]) for number in order])
    if meant is None:
        return [Ranked(facts[number], shared[number]) for number in order[:_MOST_BY_WORDS]]
    scored = [
        Ranked(facts[number], 0.6 * max(0.0, near) + 0.4 * shared[number])
        for number, near in zip(order, meant, strict=True)
    ]
    return sorted(scored, key=lambda one: -one.score)


def find_fact(workspace: Workspace, reference: str) -> Fact | None:
    """The fact at a reference such as `MEMORY.md#L7`; None if none stands there."""
    match = REFERENCE.fullmatch(reference.strip())
    if match is None:
        return None
    path, line = match["path"], int(match["line"])
    try:
        place = locate(workspace, path)
        text = note_text(workspace, place.path)
    except NoteNotFound:
        return None
    return next(
        (one for one in facts_of(text, place.path) if one.line <= line <= one.end_line), None
    )


def in_context(fact: Fact) -> str:
    """A fact with the last heading above it, without which "Lives in Porto" says little."""
    heading = fact.heading.rpartition(" > ")[2]
    return f"{heading}: {fact.text}" if heading else fact.text


def _by_words(text: str, facts: Sequence[Fact]) -> list[float]:
    """How many of the words, weighted by how rare they are, each fact shares with a text."""
    bags = [
        content_words(fact.text) | content_words(fact.heading.rpartition(" > ")[2])
        for fact in facts
    ]
    asked = content_words(text)
    frequency = Counter(word for bag in bags for word in bag)
    squared = {
        word: math.log(1 + (len(facts) + 1) / (1 + count)) ** 2 for word, count in frequency.items()
    }
    unknown = math.log(2 + len(facts)) ** 2
    size = math.sqrt(sum(squared.get(word, unknown) for word in asked)) or 1.0
    found = []
    for bag in bags:
        both = asked & bag
        shared = sum(map(squared.__getitem__, both))
        norm = math.sqrt(sum(map(squared.__getitem__, bag))) if both else 1.0
        found.append(shared / (size * (norm or 1.0)))
    return found
