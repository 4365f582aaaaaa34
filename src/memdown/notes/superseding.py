"""Whether a newer fact replaces an older one: surely, perhaps, or not at all (pure functions).

It is learned, not worded: what two facts have in common and in what they differ (`notes/pair_features.py`), how the
newer one speaks, whether both name a value of the same relation, and, where there is a question, how both meet it.
The weights were fitted to facts of which it is known (`python -m bench facts`). In doubt nothing is replaced.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Final, Literal, NamedTuple

from memdown.notes.details import (
    FactDetails,
    content_words,
    details_of,
    is_among,
    same_fact,
    says_otherwise,
)
from memdown.notes.exchanges import gives_up
from memdown.notes.pair_features import (
    Beside,
    alone_features,
    asked_features,
    lay_beside,
    pair_features,
    question_words,
    signs_asked,
    words_of,
)
from memdown.notes.placing import INBOX
from memdown.notes.relation_words import ENDED, STATES, THAT_DAY, tells_end
from memdown.notes.relations import clauses_of, may_restate, restated, tells_of_another
from memdown.notes.roots import date_of
from memdown.notes.statements import Fact
from memdown.text import fold, index_terms, is_stop
from memdown.text.wording import bits_of, may_match
from memdown.values import pattern


class Replaced(IntEnum):
    """How sure it is that a newer fact takes the place of an older one."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


# What is sure without a question, what a review strikes, and what may be.
_SURE, _STRUCK, _STRUCK_IN_LOG, _PERHAPS = 0.6, 0.65, 0.8, 0.1
# What is asked about when something is remembered, in log-odds: what counts for a fact that is near in meaning, and
# against one that is not the nearest.
_ASKED, _FOR_NEARNESS, _AGAINST_OTHERS = -2.8, 4.0, 1.5
# Of answers to a question, as log-odds: what is marked, and what is only shown below the newer one.
_BARS: Final = tuple(math.log(chance / (1 - chance)) for chance in (0.5, 0.08))
# The same if the newer does not have most of the words in which the older meets the question.
_BARS_OF_OTHER: Final = tuple(math.log(chance / (1 - chance)) for chance in (0.6, 0.4))
# Longer texts say more than one thing; a newer one may say first why.
LONGEST_OLD, LONGEST_NEW = 140, 240
_LONGEST_TITLE: Final = 24
# Not behind a title, an initial or the number of a day; told behind the mark, as few signs are one.
_NEXT_SENTENCE: Final = pattern(
    r"[.!?](?<!\d.)(?<!\b[A-Z].)"
    + "".join(rf"(?<!\b{title}.)" for title in "Dr Mr Ms St Sr no No Nr Mrs Sra Dra Prof".split())
    + r"\s+\w"
)
# "Bus 42", "the room 4": a number behind a word names one of several; "at 9:30" and "version 2.5" do not.
_NAMED: Final = r"\b(?P<kind>[^\W\d_]{3,})[ -]#?(?P<number>\d{1,6})\b(?![.,:/%-]\d|%)"
_NUMBERED: Final = pattern(_NAMED)
_BEGINS_NUMBERED: Final = pattern(rf"(?:[^\W\d_]{{1,3}} )?{_NAMED}")
# "a828e60", "R-2031", "nas1", "#812", but neither "8h12" nor "5km".
_CODE: Final = pattern(
    r"(?<![a-z0-9._-])(?=[a-z0-9._-]*\d)(?:[a-z][a-z0-9]*|[0-9a-f]{7,})(?:[._-][a-z0-9]+)*|#\d+"
)
_LEADING_DAY: Final = pattern(r"(?:\*\*)?\d{4}-\d\d-\d\d\b")
_OWNER: Final = pattern(r"(\w+)['’]s? \w")
_UNSPACED: Final = "\u0e00"
_STATE_WORDS: Final = 2
_STATE_BITS: Final = bits_of(one for pair in STATES for one in pair)
# What is far from likely without the rules, and before a question counts, needs no closer look.
_MOST_BY_QUESTION: Final = 2.0
_HARDLY: Final = 0.02
_AUXILIARIES: Final = frozenset(
    term
    for word in (
        "has have had hat haben bin bist wurde wurden worden ont ete ai as avons ha han he hemos foi foram sido "
        "stato stata stati hanno ho heeft hebben werd zum zur get gets got"
    ).split()
    for term in index_terms(word)
)


class _Rule(NamedTuple):
    """A rule with its weight, and the least and the most that it and those behind it add."""

    holds: Callable[[str, str], bool]
    weight: float
    least: float
    most: float


class _Judge:
    """The weights in use, and the rules in two orders: what speaks for it first, and what speaks against it."""

    def __init__(self) -> None:
        self.weights: Mapping[str, float] = {}
        self.rising: list[_Rule] = []
        self.falling: list[_Rule] = []
        self.most_by_rules = 0.0

    def use(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.rising = self._in_order(sorted(_RULES, key=lambda name: weights.get(name, 0.0) < 0))
        self.falling = self._in_order(sorted(_RULES, key=lambda name: weights.get(name, 0.0) > 0))
        self.most_by_rules = self.rising[0].most
        for kept in (likelihood, is_replaced, _score, _plain, _alone, _asks_for_one):
            kept.cache_clear()

    def _in_order(self, names: Sequence[str]) -> list[_Rule]:
        least = most = 0.0
        found = []
        for name in reversed(names):
            weight = self.weights.get(name, 0.0)
            least, most = least + min(0.0, weight), most + max(0.0, weight)
            found.append(_Rule(_RULES[name], weight, least, most))
        return found[::-1]


@functools.cache
def _judge() -> _Judge:
    """The judge with the fitted weights; read at the first use."""
    judge = _Judge()
    # Not by `importlib.resources`, which takes longer to import than the rest of this module.
    text = Path(__file__).with_name("superseding.json").read_text(encoding="utf-8")
    judge.use(json.loads(text))
    return judge


@contextmanager
def weighed_by(weights: Mapping[str, float]) -> Iterator[None]:
    """Judge by other weights for a while, such as those that were fitted without what they are tried on."""
    judge = _judge()
    kept = judge.weights
    try:
        judge.use(weights)
        yield
    finally:
        judge.use(kept)


@functools.lru_cache(maxsize=32_768)
def likelihood(old: str, new: str, question: str = "") -> float:
    """How likely it is that a newer fact replaces an older one, 0 to 1; as answers to a question, if there is one."""
    score = _plain(old, new)
    if score is None or _names_another(old, new, question):
        return 0.0
    if _share(score + _judge().most_by_rules + _MOST_BY_QUESTION) > _HARDLY:
        score += _sum(_judge().weights, rule_features(old, new))
    return _share(score + _asked(old, new, question))


def _reaches(score: float, bar: float, old: str, new: str) -> bool:
    """Whether log-odds reach a bar with what rules add; those cost most, and are asked only so far as it matters."""
    for rule in _judge().rising if score < bar else _judge().falling:
        if score + rule.most < bar or score + rule.least >= bar:
            break
        score += rule.weight * rule.holds(old, new)
    return score >= bar


@functools.lru_cache(maxsize=32_768)
def _score(old: str, new: str, question: str) -> float | None:
    """The log-odds as answers to a question, without rules; None if the two are not to be compared."""
    if _names_another(old, new, question):
        return None
    score = _plain(old, new)
    return None if score is None else score + _asked(old, new, question)


def _asked(old: str, new: str, question: str) -> float:
    """What a question adds to the log-odds."""
    if not question:
        return 0.0
    asked = _sum(_judge().weights, asked_features(words_of(old), words_of(new), question))
    return asked + _asks_for_one(question)


@functools.lru_cache(maxsize=32_768)
def _plain(old: str, new: str) -> float | None:
    """The log-odds without a question and without rules; None if the two are not to be compared."""
    pair = compared(old, new)
    if pair is None:
        return None
    weights = _judge().weights
    alone = _alone(old, "old") + _alone(new, "new")
    return weights["base"] + alone + _sum(weights, pair_features(pair))


@functools.lru_cache(maxsize=8192)
def _alone(text: str, role: Literal["old", "new"]) -> float:
    """What the older or the newer fact by itself adds to the log-odds."""
    return _sum(_judge().weights, alone_features(words_of(text), role))


def _sum(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    return sum([weights.get(name, 0.0) * value for name, value in found.items() if value])


def _share(score: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@functools.lru_cache(maxsize=256)
def _asks_for_one(question: str) -> float:
    """How a question asks, as a part of a score: for one thing, or for all of a kind."""
    weights = _judge().weights
    return sum(weights.get(word, 0.0) for word in question_words(question))


def features_of(old: str, new: str, question: str = "") -> dict[str, float] | None:
    """All that a pair is judged by, as `python -m bench facts` learns it; None if it is not to be compared."""
    pair = compared(old, new)
    if pair is None:
        return None
    found = pair_features(pair) | rule_features(old, new)
    found |= alone_features(pair.old, "old") | alone_features(pair.new, "new")
    if question:
        found |= asked_features(pair.old, pair.new, question) | dict.fromkeys(
            question_words(question), 1.0
        )
    return {name: float(value) for name, value in found.items() if value}


@functools.lru_cache(maxsize=8192)
def _says_one_thing(text: str) -> bool:
    """Whether an older text may be replaced as a whole."""
    if len(text) > LONGEST_OLD or _LEADING_DAY.match(text):
        return False
    return not _NEXT_SENTENCE.search(text)


def compared(old: str, new: str) -> Beside | None:
    """Both side by side; None if one cannot replace the other: nothing in common, the same, or one says "also"."""
    if len(new) > LONGEST_NEW or not _says_one_thing(old) or _LEADING_DAY.match(new):
        return None
    pair = lay_beside(words_of(old), words_of(new))
    if (
        pair is None
        or same_fact(old, new)
        or (details_of(new).change.besides and _is_besides(pair, new))
    ):
        return None
    return pair


def _is_besides(pair: Beside, new: str) -> bool:
    """Whether "also" is said where the same is spoken of, not in another clause."""
    parts = clauses_of(new)
    if pair.new.unspaced or len(parts) < 2:
        return True
    kept = {pair.new.keys[one] for one in pair.clause}
    best = max(parts, key=lambda one: len(kept & words_of(one).kept))
    return details_of(best).change.besides


def rule_features(old: str, new: str) -> dict[str, float]:
    """What rules find: a relation with one value at a time, a state that is over, two events, another's."""
    return {name: rule(old, new) for name, rule in _RULES.items()}


@functools.lru_cache(maxsize=8192)
def _gives_up(old: str, new: str, asked: frozenset[str]) -> bool:
    """Whether a newer fact says that what the older one answers is gone."""
    short = max(len(old), len(new)) <= LONGEST_OLD
    return short and gives_up(new, old, asked) and not details_of(new).change.besides


def _speaks_of_it(old: str, new: str, question: str) -> bool:
    """Whether a newer fact tells of what is asked as well, by most of the words in which the older one meets the
    question: that Nora now drinks tea says nothing of where she lives."""
    if words_of(question).unspaced:
        _, signs = signs_asked(words_of(question), words_of(old), words_of(new))
        if signs and signs.isdisjoint(words_of(new).kept):
            return False
    asked = content_words(question) & content_words(old)
    words = content_words(new)
    kept = sum(word in words or is_among(word, words) for word in asked)
    return len(asked) <= 1 or 2 * kept > len(asked)


def _names_another(old: str, new: str, question: str) -> bool:
    """Whether a question names one of several by its number or code, of which the older fact tells, and the newer
    one of another: when bus 43 leaves says nothing of bus 42, and what commit b919f71 fixes nothing of a828e60."""
    codes, asked = _codes(question), _numbered(question)
    if not (codes or asked) or details_of(new).cued or tells_end(new):
        return False
    if codes & _codes(old) - _codes(new):
        return True
    kept, other = (_BEGINS_NUMBERED.match(fold(text)) for text in (old, new))
    if kept is None or other is None or kept["number"] == other["number"]:
        return False
    kind = index_terms(kept["kind"])
    return index_terms(other["kind"]) == kind and (*kind, kept["number"]) in asked


@functools.lru_cache(maxsize=8192)
def _codes(text: str) -> frozenset[str]:
    """The codes in a text: words with a digit in them that are no quantity."""
    return frozenset(found[0] for found in _CODE.finditer(fold(text)))


@functools.lru_cache(maxsize=256)
def _numbered(question: str) -> frozenset[tuple[str, ...]]:
    """What a question names by numbers: the terms of the word before each, and the number."""
    return frozenset(
        (*index_terms(found["kind"]), found["number"])
        for found in _NUMBERED.finditer(fold(question))
    )


def replaced(old: str, new: str, question: str = "") -> Replaced:
    """How sure it is that a fact is replaced by a newer one, as answers to a question, if there is one."""
    levels = (Replaced.SURELY, Replaced.PERHAPS)
    return next((one for one in levels if is_replaced(old, new, question, one)), Replaced.NO)


@functools.lru_cache(maxsize=32_768)
def is_replaced(old: str, new: str, question: str, at_least: Replaced) -> bool:
    """Whether it is so sure at least that a fact is replaced by a newer one; quicker to tell than how sure it is."""
    asked = content_words(question) if question else frozenset()
    if (asked or at_least is Replaced.PERHAPS) and _gives_up(old, new, asked):
        return True
    if not question:
        return likelihood(old, new) >= (_SURE if at_least is Replaced.SURELY else _PERHAPS)
    score = _score(old, new, question)
    if score is None:
        return False
    sure, perhaps = _BARS if _speaks_of_it(old, new, question) else _BARS_OF_OTHER
    return _reaches(score, sure if at_least is Replaced.SURELY else perhaps, old, new)


def is_worth_asking(old: str, new: str, nearness: float, *, nearest: bool) -> bool:
    """Whether who remembers something is asked if it replaces a fact; of all, the nearest (0 to 1) is the likeliest."""
    chance = likelihood(old, new)
    if chance:
        score = math.log(chance / (1 - chance)) + _FOR_NEARNESS * (nearness - 0.5)
        if score >= (_ASKED if nearest else _ASKED + _AGAINST_OTHERS):
            return True
    return _gives_up(old, new, frozenset())


def contradicts(older: Fact, newer: Fact) -> bool:
    """Whether a newer fact of the notes surely says something else about the same thing."""
    places = ((older.path, older.heading), (newer.path, newer.heading))
    if stand_apart(*places, older.text, newer.text):
        return False
    if date_of(older.path) is not None and THAT_DAY.matches(fold(older.text)):
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
def _is_restated(old: str, new: str) -> bool:
    """Whether both name a value of the same relation, which has one at a time."""
    may_be = may_restate(old, new) and not _same_event(old, new)
    return may_be and restated(old, new, _end_words(new))


def _end_words(text: str) -> frozenset[str]:
    """The words by which a text tells that something ended or changed."""
    return _ended_terms(text) if tells_end(text) else frozenset()


@functools.lru_cache(maxsize=8192)
def _ended_terms(text: str) -> frozenset[str]:
    return frozenset(term for one in ENDED.finditer(fold(text)) for term in index_terms(one[0]))


def _both_ended(old: str, new: str) -> bool:
    return tells_end(old) and tells_end(new) and _same_event(old, new)


def _another_event(old: str, new: str) -> bool:
    if _same_event(old, new) or tells_of_another(old, new, _end_words(new)):
        return True
    return not _is_restated(old, new) and _two_numbers(details_of(new), details_of(old))


def _same_event(old: str, new: str) -> bool:
    """Whether both tell of the same kind of event: two repairs are two, and two moves only of a home."""
    ended = _ended_terms(old)
    both = ended and {term for term in ended & _ended_terms(new) if not is_stop(term)}
    return bool(both) and not {"@home", "@name", "@time"} & set(details_of(old).words)


def _two_numbers(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether two numbers differ or more: 5 km in 28 minutes, 10 km in 61 minutes."""
    return len(fresh.numbers - known.numbers) > 1 and len(known.numbers - fresh.numbers) > 1


@functools.lru_cache(maxsize=8192)
def _state_words(text: str) -> tuple[tuple[int, frozenset[str], frozenset[str]], ...]:
    """The states that a text tells of, by number, with a minus if over; its words before it, and all others."""
    folded = fold(text)
    if not may_match(folded, _STATE_BITS):
        return ()
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


def _is_anothers(old: str, new: str) -> bool:
    """Whether the newer fact is about what belongs to whom the older is about: "Pia", "Pia's brother"."""
    owners = _owners(new)
    if not owners:
        return False
    before = _owners(old)
    shared = words_of(old).kept & words_of(new).kept
    return any(is_among(word, owners) and not is_among(word, before) for word in shared)


@functools.lru_cache(maxsize=8192)
def _owners(text: str) -> frozenset[str]:
    if "'" not in text and "’" not in text:
        return frozenset()
    return frozenset(term for one in _OWNER.findall(fold(text)) for term in index_terms(one))


# What costs least comes first: where a question is asked, the others are often not needed.
_RULES: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "same_event": _both_ended,
    "state_over": _state_is_over,
    "owned": _is_anothers,
    "restated": _is_restated,
    "another_event": _another_event,
    "says_otherwise": lambda old, new: says_otherwise(new, old),
}
