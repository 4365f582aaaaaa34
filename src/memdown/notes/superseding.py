"""Whether a newer fact replaces an older one: surely, perhaps, or not at all (pure functions).

It is learned, not worded: what two facts have in common and in what they differ, how the newer one speaks, and
whether both name a value of the same relation are features, and their weights were fitted to pairs of facts of
which it is known (`python -m bench facts`). In doubt nothing is replaced.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import IntEnum
from itertools import takewhile
from typing import Final, NamedTuple

from memdown.notes.details import (
    FactDetails,
    details_of,
    is_among,
    same_fact,
    says_otherwise,
)
from memdown.notes.exchanges import gives_up
from memdown.notes.placing import INBOX
from memdown.notes.relation_words import (
    ANY_AGENT,
    ARTICLES,
    COPULAS,
    DEFINITE,
    ENDED,
    KIN,
    LIGHT,
    MANY_SIGNS,
    MOVED_ELSE,
    NUMBER_WORDS,
    OFTEN,
    PREPOSITIONS,
    STATES,
    THAT_DAY,
    lexicon,
    many,
    nouns,
)
from memdown.notes.relations import clauses_of, relations_of, restated, tells_of_another
from memdown.notes.roots import date_of
from memdown.notes.statements import Fact
from memdown.text import fold, index_terms, is_stop
from memdown.text.dates.words import MONTHS, WEEKDAYS
from memdown.values import dataclass, pattern


class Replaced(IntEnum):
    """How sure it is that a newer fact takes the place of an older one."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


@dataclass(frozen=True, slots=True)
class PairWeights:
    """How much each feature of a pair says that the newer fact replaces the older; log-odds.

    Fitted by `python -m bench facts` to the pairs of five simulated lives, of the tests and of `bench/fact_pairs.py`
    (logistic regression, ridge 1); features were kept if leaving out each of these sets in turn went worse without.
    """

    base: float = -3.669
    # Both name a value of a relation that has one at a time; a state is over.
    restated: float = 3.383
    state_over: float = 1.85
    same_agent: float = 0.924
    no_relation: float = -0.801
    both_have: float = -1.208
    # How much of the older one the newer has, in all and in the clause that has most of it.
    taken_up: float = 4.87
    much_in_common: float = 0.684
    comes_to_the_point: float = 0.308
    # What differs: where it stands, how many spans, of which kind.
    same_first_word: float = -0.97
    first_missing: float = -1.102
    first_name_missing: float = 0.695
    both_begin_otherwise: float = -2.129
    other_kinds: float = -0.736
    ends_with_number: float = 1.184
    same_label: float = 2.418
    one_number_inside: float = 1.696
    years: float = -1.364
    one_number: float = 0.526
    behind_prepositions: float = 0.655
    one_behind_preposition: float = -0.544
    numbered_things: float = -1.414
    unspaced: float = 0.988
    unspaced_beginning: float = 0.606
    says_otherwise: float = 1.113
    # How it is told.
    ended: float = 2.3
    ended_before: float = -1.086
    many_clauses: float = -1.335
    little_ended: float = -1.587
    cued: float = 0.969
    is_now: float = 1.088
    is_called: float = 2.338
    definite: float = 0.404
    # What may be many, or about somebody else.
    another_event: float = -1.94
    same_event: float = -1.93
    many: float = -1.539
    kin: float = -0.724
    other_kin: float = -0.867
    owned: float = -1.172


WEIGHTS: Final = PairWeights()
# What is marked in a search, struck by a review, and asked about when it is remembered.
_SURE, _STRUCK, _STRUCK_IN_LOG, _PERHAPS = 0.68, 0.7, 0.8, 0.12
# Among the answers to a question, what says that something changed mostly speaks of what was asked.
_SURE_IF_TOLD: Final = 0.52
# Longer texts say more than one thing; a newer one may say first why.
_LONGEST_OLD, _LONGEST_NEW = 140, 240
_LONGEST_TITLE: Final = 24
# Not behind a title, an initial or the number of a day.
_NEXT_SENTENCE: Final = pattern(
    r"(?<!\d)(?<!\b[A-Z])(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bSr)(?<!\bno)(?<!\bNo)(?<!\bNr)(?<!\bMrs)(?<!\bSra)(?<!\bDra)(?<!\bProf)"
    r"[.!?]\s+\w"
)
_TOKEN: Final = pattern(r"[€$£%]|-?\d[\w.,:/-]*|[^\W_][\w'’./:,@+-]*")
_SIGN: Final = pattern(r"\d[\d.,:]*|[A-Za-z]+|\w")
_ELIDED: Final = pattern(r"(?:l|d|n|s|c|qu|dell|nell|all|un)['’](?=\w)")
_CLOCK: Final = pattern(r"\d{1,2}[:h]\d*")
_LABEL: Final = pattern(r"([^:：=.]{2,40}?)\s?(?:[:：=](?!\d)|->|→| [-–] )")
_MEASURES: Final = frozenset(("number", "clock", "day"))
_YEAR: Final = pattern(r"(?:19|20)\d\d")
_LEADING_DAY: Final = pattern(r"(?:\*\*)?\d{4}-\d\d-\d\d\b")
_POSSESSIVE: Final = pattern(r"\w['’]s?$")
_OWNER: Final = pattern(r"(\w+)['’]s? \w")
_UNSPACED: Final = "\u0e00"
_CJK: Final = "\u2e80"
_PAIR, _THAI = 2, 4
_NUMBER_SIGNS: Final = frozenset("一二三四五六七八九十百千万两〇零")
_KANA: Final = ("\u3040", "\u309f")
_SUBJECT: Final = 3
_MOST_VALUE, _MOST_SIGNS = 2, 6
_MUCH: Final = 3
_MANY_CLAUSES: Final = 5
_STATE_WORDS: Final = 2
_AUXILIARIES: Final = frozenset(
    term
    for word in (
        "has have had hat haben bin bist wurde wurden worden ont ete ai as avons ha han he hemos foi foram sido "
        "stato stata stati hanno ho heeft hebben werd zum zur get gets got"
    ).split()
    for term in index_terms(word)
)


@functools.lru_cache(maxsize=32_768)
def likelihood(old: str, new: str) -> float:
    """How likely it is that a newer fact replaces an older one, 0 to 1."""
    if not are_comparable(old, new):
        return 0.0
    found = pair_features(old, new)
    score = _used["base"] + sum(_used[name] * value for name, value in found.items() if value)
    return 1 / (1 + math.exp(-score))


@functools.lru_cache(maxsize=8192)
def _gives_up(old: str, new: str, asked: frozenset[str]) -> bool:
    """Whether a newer fact says that what the older one answers is gone."""
    short = max(len(old), len(new)) <= _LONGEST_OLD
    return short and not details_of(new).change.besides and gives_up(new, old, asked)


def are_comparable(old: str, new: str) -> bool:
    """Whether one may replace the other at all: both say one thing, not the same, and neither "also"."""
    if len(old) > _LONGEST_OLD or len(new) > _LONGEST_NEW or same_fact(old, new):
        return False
    if _NEXT_SENTENCE.search(old):
        return False
    if details_of(new).change.besides or _LEADING_DAY.match(old) or _LEADING_DAY.match(new):
        return False
    return any(_is_in(word.text, _told(new).terms) for word in _told(old).words)


_used: Final = asdict(WEIGHTS)


@contextmanager
def weighed_by(weights: PairWeights) -> Iterator[None]:
    """Judge by other weights for a while, such as those that were fitted without what they are tried on."""
    kept = dict(_used)
    try:
        _used.update(asdict(weights))
        likelihood.cache_clear()
        yield
    finally:
        _used.update(kept)
        likelihood.cache_clear()


def replaced(old: str, new: str, asked: frozenset[str] = frozenset()) -> Replaced:
    """How sure it is that a fact is replaced by a newer one; `asked` are the words of a question."""
    if asked and _gives_up(old, new, asked):
        return Replaced.SURELY
    chance = likelihood(old, new)
    if chance >= (_SURE_IF_TOLD if asked and (details_of(new).cued or tells_end(new)) else _SURE):
        return Replaced.SURELY
    perhaps = chance >= _PERHAPS or (not asked and _gives_up(old, new, asked))
    return Replaced.PERHAPS if perhaps else Replaced.NO


def contradicts(older: Fact, newer: Fact) -> bool:
    """Whether a newer fact of the notes surely says something else about the same thing."""
    places = ((older.path, older.heading), (newer.path, newer.heading))
    if stand_apart(*places, older.text, newer.text):
        return False
    if date_of(older.path) is not None and THAT_DAY.search(fold(older.text)):
        return False
    # Much of what a log says happened on that day only.
    least = _STRUCK if date_of(older.path) is None else _STRUCK_IN_LOG
    return likelihood(*_with_subject(older, newer)) >= least


def _with_subject(older: Fact, newer: Fact) -> tuple[str, str]:
    """Both texts; below the same heading with that before them, without which "Lives in Porto" says little."""
    above, _, title = older.heading.rpartition(" > ")
    if not above or older.heading != newer.heading or title == INBOX or len(title) > _LONGEST_TITLE:
        return older.text, newer.text
    if date_of(older.path) is not None or date_of(newer.path) is not None:
        return older.text, newer.text
    return f"{title} {older.text}", f"{title} {newer.text}"


def stand_apart(one: tuple[str, str], other: tuple[str, str], first: str, second: str) -> bool:
    """Whether two facts stand below different headings of lasting notes, and name nobody in common.

    "Lives in Porto" below Nora and "moved to Braga" below Teo are about two people. Each place is a path
    and the headings above the fact.
    """
    sections = [heading.rpartition(" > ") for _, heading in (one, other)]
    if any(date_of(path) is not None for path, _ in (one, other)):
        return False
    if any(not above or title == INBOX for above, _, title in sections):
        return False
    if sections[0] == sections[1]:
        return False
    return details_of(first).names.isdisjoint(details_of(second).names)


@functools.lru_cache(maxsize=8192)
def tells_end(text: str) -> bool:
    """Whether a text says that something ended or took another's place."""
    return bool(ENDED.search(MOVED_ELSE.sub(" ", fold(text))))


def pair_features(old: str, new: str) -> dict[str, float]:
    """What is told by a pair of facts, by the names of their weights; those that are 0 may be missing."""
    known, fresh = _told(old), _told(new)
    gone = _missing(known.words, fresh.terms)
    clause = _best_clause(known, new, fresh)
    lost, come = _missing(known.words, clause.terms), _missing(clause.words, known.terms)
    shared = len(known.words) - len(gone)
    kinds = [{known.words[n].group for n in gone}, {clause.words[n].group for n in come}]
    both = kinds[0] & kinds[1]
    most = _MOST_SIGNS if known.unspaced else _MOST_VALUE
    value = _is_span(lost) and len(lost) <= most
    frame = value and len(known.words) - len(lost) > 1
    first_missing = bool(gone) and gone[0] == 0
    first_is_new = bool(come) and come[0] == 0
    placed = all(
        any(told.words[n].ahead in PREPOSITIONS for n in some)
        for told, some in ((known, gone), (clause, come))
    )
    numbered = _is_numbered(known, fresh) and _is_numbered(fresh, known)
    ended, ended_before = tells_end(new), tells_end(old)
    relations, relations_now = relations_of(old), relations_of(new)
    kin = [frozenset(match[0] for match in KIN.finditer(fold(text))) for text in (old, new)]
    other_kin = bool(kin[1] - kin[0]) or bool(kin[1] and kin[0] - kin[1])
    is_restated = not numbered and not other_kin and _is_restated(old, new)
    both_are = value and lost[0] > 0 and "is" in relations and "is" in relations_now
    cued = details_of(new).cued
    one_number = frame and not numbered and not both.isdisjoint(_MEASURES)
    definite = not known.unspaced and (known.definite or fresh.definite)
    shared_terms = known.terms & fresh.terms
    return {
        "restated": is_restated,
        "state_over": _state_is_over(old, new),
        "same_agent": "name" in both and _same_agent(known, fresh),
        "no_relation": not relations,
        "both_have": "has" in relations and "has" in relations_now,
        "taken_up": shared / len(known.words),
        "much_in_common": shared >= _MUCH,
        "comes_to_the_point": len(clause.words) < len(fresh.words),
        "same_first_word": known.words[0].text == clause.words[0].text,
        "first_missing": first_missing,
        "first_name_missing": first_missing and known.words[0].group == "name",
        "both_begin_otherwise": first_missing and first_is_new,
        "other_kinds": bool(kinds[0] and kinds[1]) and not both,
        "one_number": one_number,
        "ends_with_number": _ends_otherwise(known, lost, value)
        and not numbered
        and not both.isdisjoint(_MEASURES),
        "same_label": _label(old) != "" and _label(old) == _label(new),
        "one_number_inside": one_number and lost[-1] < len(known.words) - 1,
        "years": _are_years(known, gone) and _are_years(clause, come),
        "behind_prepositions": placed,
        "one_behind_preposition": frame and placed,
        "numbered_things": numbered,
        "unspaced": known.unspaced,
        "unspaced_beginning": _beginning(known, fresh) if known.unspaced else 0,
        "says_otherwise": says_otherwise(new, old),
        "ended": ended,
        "ended_before": ended_before,
        "many_clauses": len(clauses_of(new)) >= _MANY_CLAUSES,
        "little_ended": ended and shared <= 1,
        "cued": cued,
        "is_now": both_are and cued,
        "definite": definite,
        "is_called": both_are and definite and kinds[0] == kinds[1] == {"name"},
        "another_event": _another_event(old, new, is_restated),
        "same_event": ended and ended_before and _same_event(old, new),
        "many": _are_many(old, new, shared_terms),
        "kin": bool(kin[0]),
        "other_kin": other_kin,
        "owned": _is_anothers(shared_terms, old, new),
    }


class _Word(NamedTuple):
    """A word of a fact; `group` is what kind of value it may be, `ahead` the word before it."""

    text: str
    group: str
    ahead: str
    light: bool


_NO_WORD: Final = _Word("", "word", "", light=False)


@dataclass(frozen=True, slots=True)
class _Told:
    """The words of a text that say something, all of its words, and its terms."""

    words: tuple[_Word, ...]
    every: tuple[_Word, ...]
    terms: frozenset[str]
    raw: frozenset[str]
    unspaced: bool
    definite: bool


@functools.lru_cache(maxsize=8192)
def _told(text: str) -> _Told:
    first = next((one for one in text if one.isalpha()), "")
    unspaced = first >= _UNSPACED
    every, raw = _signs(text) if unspaced else _spaced(text)
    counted = _grams(every, _THAI if first < _CJK else _PAIR) if unspaced else every
    words = tuple(one for one in counted if not one.light) or counted or (_NO_WORD,)
    definite = bool(raw) and (raw[0] in DEFINITE or any(map(_POSSESSIVE.search, raw[:2])))
    terms = frozenset(one.text for one in words)
    return _Told(words, every, terms, frozenset(raw), unspaced, definite)


def _signs(text: str) -> tuple[tuple[_Word, ...], list[str]]:
    """The signs of a text without spaces; those of Japanese grammar are light."""
    found = []
    for match in _SIGN.finditer(text):
        sign = match[0]
        is_number = sign[0].isdigit() or sign[0] in _NUMBER_SIGNS
        light = _KANA[0] <= sign[0] <= _KANA[1]
        found.append(_Word(fold(sign), "number" if is_number else "word", "", light))
    return tuple(found), []


def _grams(signs: Sequence[_Word], length: int) -> tuple[_Word, ...]:
    """Neighbouring signs: by themselves, signs stand in everything."""
    found = []
    for place in range(max(1, len(signs) - length + 1)):
        some = signs[place : place + length]
        group = "number" if any(one.group == "number" for one in some) else "word"
        text = "".join(one.text for one in some)
        found.append(_Word(text, group, "", all(one.light for one in some)))
    return tuple(found)


def _spaced(text: str) -> tuple[tuple[_Word, ...], list[str]]:
    found, raw = [], []
    ahead = ""
    for place, token in enumerate(_TOKEN.findall(text)):
        token = token.rstrip(".,:/-'’") or token
        word = fold(token)
        raw.append(word)
        if elided := _ELIDED.match(word):
            word, token = word[elided.end() :], token[elided.end() :]
        word = word.removesuffix("'s").removesuffix("’s")
        found.append(_word(word, token, ahead, is_first=place == 0))
        ahead = word
    return tuple(found), raw


def _word(word: str, token: str, ahead: str, *, is_first: bool) -> _Word:
    if any(map(str.isdigit, word)):
        return _Word(word, "clock" if _CLOCK.fullmatch(word) else "number", ahead, light=False)
    day = word.removesuffix("s")
    if day in WEEKDAYS or word in MONTHS or word in OFTEN:
        return _Word(day, "day", ahead, light=False)
    if word in NUMBER_WORDS:
        return _Word(word, "number", ahead, light=False)
    light = (
        is_stop(word)
        or word in LIGHT
        or word in COPULAS
        or word in PREPOSITIONS
        or word in ARTICLES
    )
    is_name = token[:1].isupper() and not (is_first and light)
    if is_name and len(word) > 3:
        light = False
    terms = index_terms(word)
    return _Word(terms[0] if terms else word, "name" if is_name else "word", ahead, light)


def _best_clause(known: _Told, new: str, fresh: _Told) -> _Told:
    """What a newer fact says of the older one: the clause that has most of its words, and something new.

    Before it comes what happened. In "dentist: Friday" the first clause alone says nothing new.
    """
    parts = () if known.unspaced else clauses_of(new)
    if len(parts) < 2:
        return fresh
    told = [fresh, *map(_told, parts)]
    return max(
        told,
        key=lambda one: (
            sum(_is_in(word.text, one.terms) for word in known.words),
            any(not _is_in(word.text, known.terms) for word in one.words),
            -len(one.words),
        ),
    )


def _missing(words: Sequence[_Word], terms: frozenset[str]) -> list[int]:
    return [place for place, word in enumerate(words) if not _is_in(word.text, terms)]


@functools.lru_cache(maxsize=65_536)
def _is_in(word: str, terms: frozenset[str]) -> bool:
    if word in terms or (len(word) > 4 and is_among(word, terms)):
        return True
    # "Leons Lehrerin", "Leon hat".
    return f"{word}s" in terms or (word.endswith("s") and len(word) > 3 and word[:-1] in terms)


def _is_span(places: Sequence[int]) -> bool:
    return bool(places) and places[-1] - places[0] == len(places) - 1


def _is_numbered(one: _Told, other: _Told) -> bool:
    """Whether it begins with a numbered thing that the other does not begin with: "Buoy 3 was serviced"."""
    there = {word.text for word in other.every[:_SUBJECT]}
    for place, word in enumerate(one.every[:_SUBJECT]):
        behind_noun = one.unspaced or (place > 0 and not one.every[place - 1].light)
        is_last = place == len(one.every) - 1
        if word.group == "number" and behind_noun and not is_last and word.text not in there:
            return True
    return False


def _ends_otherwise(told: _Told, lost: Sequence[int], is_value: bool) -> bool:
    """Whether all that is missing is how a fact ends: "rent 880"."""
    return is_value and lost[0] > 0 and lost[-1] == len(told.words) - 1


@functools.lru_cache(maxsize=8192)
def _label(text: str) -> str:
    """What stands before a colon or an arrow: of "dentist: Friday" the first word."""
    match = _LABEL.match(text)
    return fold(match[1]).strip() if match else ""


def _are_years(told: _Told, places: Sequence[int]) -> bool:
    return any(_YEAR.fullmatch(told.words[place].text) for place in places)


def _beginning(one: _Told, other: _Told) -> float:
    """How much of a text another begins with."""
    pairs = zip(one.every, other.every, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, pairs)) / max(
        1, len(one.every)
    )


def _are_many(old: str, new: str, shared: frozenset[str]) -> bool:
    """Whether both say what can be said of many things: what somebody likes, or bought."""
    if not many().isdisjoint(shared):
        return True
    return old[:1] >= _UNSPACED and any(sign in old and sign in new for sign in MANY_SIGNS)


def _same_agent(known: _Told, fresh: _Told) -> bool:
    """Whether both say who leads, teaches or looks after something."""
    return all(
        any(ANY_AGENT & (lexicon().get(word, _NONE) | nouns().get(word, _NONE)) for word in one.raw)
        for one in (known, fresh)
    )


_NONE: Final = frozenset[str]()


@functools.lru_cache(maxsize=8192)
def _is_restated(old: str, new: str) -> bool:
    """Whether both name a value of the same relation, which has one at a time."""
    return not _same_event(old, new) and restated(old, new, _told_end(new))


def _another_event(old: str, new: str, is_restated: bool) -> bool:
    """Whether two texts tell of two events or things: two repairs, two runs of so many km in so many minutes."""
    if _same_event(old, new) or tells_of_another(old, new, _told_end(new)):
        return True
    return not is_restated and _two_numbers(details_of(new), details_of(old))


def _told_end(text: str) -> frozenset[str]:
    """The words by which a text tells that something ended or changed."""
    return _ended_terms(text) if tells_end(text) else _NONE


@functools.lru_cache(maxsize=8192)
def _ended_terms(text: str) -> frozenset[str]:
    return frozenset(term for one in ENDED.finditer(fold(text)) for term in index_terms(one[0]))


def _same_event(old: str, new: str) -> bool:
    """Whether both tell of the same kind of event: two repairs are two, and two moves only of a home."""
    both = {term for term in _ended_terms(old) & _ended_terms(new) if not is_stop(term)}
    return bool(both) and not {"@home", "@name", "@time"} & set(details_of(old).words)


def _two_numbers(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether two numbers differ or more: 5 km in 28 minutes, 10 km in 61 minutes."""
    return len(fresh.numbers - known.numbers) > 1 and len(known.numbers - fresh.numbers) > 1


@functools.lru_cache(maxsize=8192)
def _state_words(text: str) -> tuple[tuple[int, frozenset[str], frozenset[str]], ...]:
    """The states that a text tells of, by number, with a minus if over; its words before it, and all others."""
    folded = fold(text)
    found = []
    for number, (state, over) in enumerate(STATES, start=1):
        ended = over.search(folded)
        match = ended or state.search(folded)
        if match:
            ahead, behind = folded[: match.start()], folded[match.end() :]
            if text[:1] >= _UNSPACED:
                # Without spaces all that stands before is whom it is about.
                who = frozenset((ahead.rstrip("在正はがも"),))
                found.append((-number if ended else number, who, who))
                continue
            before, every = (
                frozenset(
                    one for one in index_terms(part) if not is_stop(one) and one not in _AUXILIARIES
                )
                for part in (ahead, f"{ahead} {behind}")
            )
            found.append((-number if ended else number, before, every))
    return tuple(found)


def _state_is_over(old: str, new: str) -> bool:
    """Whether one says in which state something is, and the other of the same that this is over."""
    return any(
        number == -over
        and 0 < len(of) <= _STATE_WORDS
        and all(is_among(one, by) for one in of)
        and all(is_among(one, of) for one in subject)
        and len(by) - len(of) <= _STATE_WORDS
        for number, _, of in _state_words(old)
        if number > 0
        for over, subject, by in _state_words(new)
    )


def _is_anothers(shared: Collection[str], old: str, new: str) -> bool:
    """Whether the newer fact is about what belongs to whom the older is about: "Pia", "Pia's brother"."""
    before = _owners(old)
    return any(is_among(word, _owners(new)) and not is_among(word, before) for word in shared)


@functools.lru_cache(maxsize=8192)
def _owners(text: str) -> frozenset[str]:
    return frozenset(term for one in _OWNER.findall(fold(text)) for term in index_terms(one))
