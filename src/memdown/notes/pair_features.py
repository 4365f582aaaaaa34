"""What an older and a newer fact have in common, what differs, and how a question meets both (pure functions).

A fact is cut once into its words; of each it is known what kind of value it may be, in which clause it stands and
behind which word. Two facts are then laid side by side: what both say, the words of the older that are gone, and
those that came in the clause of the newer that speaks of the same.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from memdown.notes.details import details_of
from memdown.notes.relation_words import (
    ARTICLES,
    COPULAS,
    INDEFINITE,
    KIN,
    LIGHT,
    MANY_SIGNS,
    NUMBER_WORDS,
    OFTEN,
    PREPOSITIONS,
    THAT_DAY,
    lexicon,
    many,
    nouns,
    tells_end,
)
from memdown.text import fold, index_terms, is_stop
from memdown.text.dates.words import MONTHS, WEEKDAYS
from memdown.values import dataclass, pattern

# In brackets, so that splitting a text gives what stands between the words, too.
_TOKEN: Final = pattern(r"([€$£%°#]|-?\d[\w.,:/%-]*|[^\W_][\w'’./:,@+-]*|_\w+)")
_SIGN: Final = pattern(r"\d[\d.,:/]*|[A-Za-z][\w.+-]*|\w|[。，、；！？：\s]")
# "feature-flag" is two words, "db-prod-02" and "e-mail" are one.
_HYPHENATED: Final = pattern(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,})+")
_ELIDED: Final = pattern(r"(?:l|d|n|s|c|qu|dell|nell|all|un)['’](?=\w)")
_CLAUSE_END: Final = pattern(r"[,;:.!?](?:\s|$)|\s[–—-]\s|\s->\s|→")
_LABEL: Final = pattern(r"([^:：=.]{2,40}?)\s?(?:[:：=](?!\d)|->|→| [-–] )")
_CLOCK: Final = pattern(r"\d{1,2}(?:[:h]\d\d|h)")
_NUMBER: Final = pattern(r"-?[\d.,/-]+%?")
_CODE: Final = pattern(r"[@_/]|\.\w")
_UNSPACED, _CJK = "\u0e00", "\u2e80"
_KANA: Final = ("\u3040", "\u309f")
_NUMBER_SIGNS: Final = frozenset("一二三四五六七八九十百千万两〇零")
_PAUSES: Final = frozenset("。，、；！？：")
# Words are alike if they begin alike.
_STEM: Final = 6
# A longer word that says little is a name if it has a capital letter inside a sentence.
_LIGHT_NAME: Final = 3
_NONE: Final = frozenset[str]()
_SAYING_LITTLE: Final = frozenset[str]().union(LIGHT, COPULAS, PREPOSITIONS, ARTICLES)
_YEAR: Final = pattern(r"(?:19|20)\d\d")
_DIGITS: Final = pattern(r"\d+")
_LETTERS: Final = pattern(r"[a-z]+")
_VALUES: Final = frozenset(("number", "clock", "day", "code"))
# From so many words on, more make no difference; a text of so many tells of more than one thing.
_MOST: Final = 6
_LONG: Final = 20
# So many signs may be a name.
_NAME_SIGNS: Final = 4


class _Word(NamedTuple):
    """A word by itself: how it is compared, as it is written, its kind, whether it says little.

    `named` is what it is where a capital letter may make a name of it.
    """

    key: str
    word: str
    kind: str
    light: bool = False
    relations: frozenset[str] = _NONE
    named: _Word | None = None


class _Token(NamedTuple):
    """What stands between two spaces: its words, mostly one, and the punctuation that it ends with."""

    words: tuple[_Word, ...]
    tail: str


class _Cut(NamedTuple):
    """The words of a text, each with the number of its clause."""

    words: Sequence[_Word]
    clauses: Sequence[int]


class FactWords:
    """A text word by word: how each is compared, as it is written, its kind, its clause, the word before it.

    `content` are the places of the words that say something; in texts without spaces words are signs, and
    `pairs` are neighbouring ones.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        first = next((one for one in text if one.isalpha()), "")
        self.unspaced = first >= _UNSPACED
        cut = _signs(text, is_thai=first < _CJK) if self.unspaced else _spaced(text)
        self.keys: tuple[str, ...] = tuple([one.key for one in cut.words])
        self.words: tuple[str, ...] = tuple([one.word for one in cut.words])
        self.kinds: tuple[str, ...] = tuple([one.kind for one in cut.words])
        self.clauses = tuple(cut.clauses)
        self.ahead = ("", *self.words[:-1])
        self.relations = _NONE.union(*[one.relations for one in cut.words])
        said = tuple([place for place, one in enumerate(cut.words) if not one.light])
        self.content = said or tuple(range(len(cut.words)))
        self.kept = frozenset(self.keys)
        self.pairs = frozenset(map("".join, pairwise(self.keys))) if self.unspaced else _NONE

    @functools.cached_property
    def about(self) -> About:
        """What it tells besides its words; found when it is first asked for."""
        text, folded = self._text, fold(self._text)
        label, details = _LABEL.match(text), details_of(text)
        is_many = (
            any(sign in text for sign in MANY_SIGNS)
            if self.unspaced
            else not many().isdisjoint(self.keys)
        )
        return About(
            folded=folded,
            label=fold(label[1]).strip() if label else "",
            kin=frozenset(one[0] for one in KIN.finditer(folded)),
            ended=tells_end(text),
            cued=details.cued,
            changed=details.change.itself,
            besides=details.change.besides,
            negated=details.negated,
            is_known_of=not COPULAS.isdisjoint(self.words),
            that_day=THAT_DAY.matches(folded),
            is_many=is_many,
        )


class About(NamedTuple):
    """What a text tells besides its words: what stands before a colon, whose relatives and friends it names, whether
    it tells of an end, of a change, by more than when it was, of something besides, denies, says "is" or "today", or
    tells what somebody can do with many things."""

    folded: str
    label: str
    kin: frozenset[str]
    ended: bool
    cued: bool
    changed: bool
    besides: bool
    negated: bool
    is_known_of: bool
    that_day: bool
    is_many: bool


@functools.lru_cache(maxsize=8192)
def words_of(text: str) -> FactWords:
    """A text as it is compared; kept, as the same facts are compared again and again."""
    return FactWords(text)


def _signs(text: str, *, is_thai: bool) -> _Cut:
    words: list[_Word] = []
    clauses: list[int] = []
    clause = 0
    for sign in _SIGN.findall(text):
        if sign in _PAUSES or sign.isspace():
            clause += is_thai or not sign.isspace()
            continue
        words.append(_sign(sign))
        clauses.append(clause)
    return _Cut(words, clauses)


@functools.lru_cache(maxsize=16_384)
def _sign(sign: str) -> _Word:
    is_number = sign[0].isdigit() or sign[0] in _NUMBER_SIGNS
    kind = "number" if is_number else "name" if sign[0].isascii() else "word"
    word = fold(sign)
    light = _KANA[0] <= sign[0] <= _KANA[1]
    return _Word(word, word, kind, light, _relations_of(word))


def _spaced(text: str) -> _Cut:
    words: list[_Word] = []
    clauses: list[int] = []
    clause, begins, tail = 0, True, ""
    parts = _TOKEN.split(text)
    for ahead, found in zip(parts[::2], parts[1::2], strict=False):
        between = tail + ahead
        if between != " " and words and _CLAUSE_END.search(between):
            clause, begins = clause + 1, True
        token = _token(found)
        tail = token.tail
        for one in token.words:
            words.append(one if one.named is None or (begins and one.light) else one.named)
            clauses.append(clause)
            begins = False
    return _Cut(words, clauses)


@functools.lru_cache(maxsize=16_384)
def _token(found: str) -> _Token:
    token = found.rstrip(".,:/-'’") or found
    tail = found[len(token) :]
    word = fold(token)
    if elided := _ELIDED.match(word):
        word, token = word[elided.end() :], token[elided.end() :]
    word = word.removesuffix("'s").removesuffix("’s")
    if "-" in word and _HYPHENATED.fullmatch(word):
        # Of "feature-flag" there are two.
        return _Token(tuple(map(_word, word.split("-"), token.split("-"))), tail)
    return _Token((_word(word, token),), tail)


def _word(word: str, token: str) -> _Word:
    day = word.removesuffix("s")
    relations = _relations_of(word)
    if any(map(str.isdigit, word)):
        is_clock = _CLOCK.fullmatch(word)
        kind = "clock" if is_clock else "number" if _NUMBER.fullmatch(word) else "code"
        return _Word(word, word, kind, relations=relations)
    if day in WEEKDAYS or word in MONTHS or word in OFTEN:
        return _Word(day, word, "day", relations=relations)
    if word in NUMBER_WORDS:
        return _Word(word, word, "number", relations=relations)
    terms = index_terms(word)
    key = terms[0] if terms else word
    light = word in _SAYING_LITTLE or is_stop(word)
    kind = "code" if _CODE.search(token) else "word"
    key = key[:_STEM] if key.isalpha() else key
    named = None
    if token[:1].isupper():
        says_little = light and len(word) <= _LIGHT_NAME
        named = _Word(key, word, "name" if kind == "word" else kind, says_little, relations)
    return _Word(key, word, kind, light, relations, named)


def _relations_of(word: str) -> frozenset[str]:
    """The relations that a word tells of."""
    return lexicon().get(word, _NONE) | nouns().get(word, _NONE)


@dataclass(frozen=True, slots=True)
class Beside:
    """Two facts side by side: the places of what both say, of what is gone, and of what came.

    `clause` are the telling words of the clause of the newer one that has most of the older, and `come` those
    of them that are new; `all_new` are new in the whole.
    """

    old: FactWords
    new: FactWords
    shared: tuple[int, ...]
    gone: tuple[int, ...]
    clause: tuple[int, ...]
    come: tuple[int, ...]
    all_new: tuple[int, ...]
    best: int
    kept: int


def lay_beside(old: FactWords, new: FactWords) -> Beside | None:
    """Two facts side by side; None if they have no word in common that says something."""
    in_old = _common(old, new)
    shared = tuple(one for one in old.content if one in in_old)
    if not shared:
        return None
    in_new = _common(new, old)
    counts: dict[int, int] = {}
    for one in new.content:
        if one in in_new:
            counts[new.clauses[one]] = counts.get(new.clauses[one], 0) + 1
    best = max(counts, key=lambda one: (counts[one], one)) if counts else new.clauses[-1]
    clause = tuple(one for one in new.content if new.clauses[one] == best) or new.content
    if all(one in in_new for one in clause):
        # Of "dentist: Friday" the first clause alone says nothing new.
        clause = tuple(one for one in new.content if best <= new.clauses[one] <= best + 1)
    return Beside(
        old,
        new,
        shared,
        tuple(one for one in old.content if one not in in_old),
        clause,
        tuple(one for one in clause if one not in in_new),
        tuple(one for one in new.content if one not in in_new),
        best,
        counts.get(best, 0),
    )


def _common(one: FactWords, other: FactWords) -> set[int]:
    """The places of telling words that another text has, too; single signs stand in everything."""
    if not one.unspaced:
        there, keys = other.kept, one.keys
        return {place for place in one.content if keys[place] in there}
    # The first one may be whom it is about.
    found = {0} if one.keys[:1] == other.keys[:1] else set()
    for place in range(len(one.keys) - 1):
        if one.keys[place] + one.keys[place + 1] in other.pairs:
            found |= {place, place + 1}
    numbers = (n for n, kind in enumerate(one.kinds) if kind != "word")
    return found | {place for place in numbers if one.keys[place] in other.kept}


def alone_features(words: FactWords, role: Literal["old", "new"]) -> dict[str, float]:
    """What the older or the newer fact tells by itself."""
    about = words.about
    is_so = {
        "ended": about.ended,
        "cued": about.cued,
        "changed": about.changed,
        "besides": about.besides,
        "negated": about.negated,
        "is": about.is_known_of,
        "label": bool(about.label),
        "that_day": about.that_day,
        "no_relation": not words.relations,
        "kin": bool(about.kin),
        "many": about.is_many,
    }
    return {f"{role}_{name}": 1.0 for name, holds in is_so.items() if holds}


def pair_features(pair: Beside) -> dict[str, float]:
    """What two facts side by side tell of whether the newer replaces the older."""
    old, new, shared, gone, come = pair.old, pair.new, pair.shared, pair.gone, pair.come
    count = len(old.content)
    gone_kinds = {old.kinds[one] for one in gone}
    come_kinds = {new.kinds[one] for one in come}
    new_kinds = {new.kinds[one] for one in pair.all_new}
    shared_kinds = [old.kinds[one] for one in shared]
    gone_spans, come_spans = _spans(old.content, gone), _spans(pair.clause, come)
    first = old.content[0]
    first_gone = first in gone
    taken = len(shared) / count
    related = old.relations & new.relations
    earlier, later = old.about, new.about
    found: dict[str, float] = {
        "taken_up": taken,
        "taken_up_by_clause": min(1.0, pair.kept / count),
        "one_shared": len(shared) == 1,
        "many_shared": len(shared) >= 3,
        "none_gone": not gone,
        "one_gone": len(gone) == 1,
        "gone": min(len(gone), _MOST) / _MOST,
        "come": min(len(come), _MOST) / _MOST,
        "long_and_little_shared": len(new.keys) > _LONG and taken < 0.5,
        "one_gone_span": gone_spans == 1,
        "more_gone_spans": gone_spans > 1,
        "one_come_span": come_spans == 1,
        "more_come_spans": come_spans > 1,
        "one_span_each": gone_spans == come_spans == 1,
        "more_spans_each": gone_spans > 1 and come_spans > 1,
        "names_only": gone_kinds == come_kinds == {"name"},
        "values_only": bool(gone_kinds) and gone_kinds <= _VALUES and bool(come_kinds & _VALUES),
        "one_kind_each": len(gone_kinds) == 1 and gone_kinds == come_kinds,
        "other_kinds": bool(gone_kinds and come_kinds) and gone_kinds.isdisjoint(come_kinds),
        "shared_value": any(kind in _VALUES for kind in shared_kinds),
        "shared_words": min(3, shared_kinds.count("word")) / 3,
        "shared_names": min(3, shared_kinds.count("name")) / 3,
        "first_gone": first_gone,
        "first_name_gone": first_gone and old.kinds[first] == "name",
        "first_value_gone": first_gone and old.kinds[first] in _VALUES,
        "last_gone": old.content[-1] in gone,
        "both_begin_otherwise": first_gone and pair.clause[0] in come,
        "another_agent": first_gone and gone_spans == 1 and taken >= 0.5 and "name" in gone_kinds,
        "clause_begins_alike": old.keys[first] == new.keys[pair.clause[0]],
        "begins_alike": old.keys[first] == new.keys[new.content[0]],
        "comes_to_the_point": new.clauses[-1] == pair.best > 0,
        "in_first_clause": pair.best == 0,
        "unspaced": old.unspaced,
        "both_is": earlier.is_known_of and later.is_known_of,
        "both_ended": earlier.ended and later.ended,
        "little_ended": later.ended and len(shared) == 1,
        "ended_taken_up": taken if later.ended else 0,
        "ended_same_begin": later.ended and not first_gone,
        "ended_same_values": later.ended and bool(gone_kinds & new_kinds & _VALUES),
        "cued_one_span": later.cued and gone_spans == 1 and not first_gone,
        "label_one_span": bool(earlier.label) and gone_spans == come_spans == 1 and not first_gone,
        "newly_negated": later.negated and not earlier.negated,
        "other_kin": bool(later.kin) and later.kin != earlier.kin,
        "both_many": earlier.is_many and later.is_many,
        "other_relations": bool(old.relations and new.relations) and not related,
        "relation_gone": bool(old.relations) and not related,
    }
    if _only_named(old, shared, shared_kinds):
        # Of the same one, but is it about the same thing?
        found["only_names"] = 1
        found["only_names_ended"] = later.ended
        found["only_names_cued"] = later.cued
        found["only_names_relation"] = bool(related)
    for kind in gone_kinds:
        found[f"gone_{kind}"] = 1
        found[f"both_{kind}"] = kind in come_kinds
    for kind in new_kinds:
        found[f"come_{kind}"] = 1
    for name in related:
        found[f"both_{name}"] = 1
    found |= _of_runs(old, new)
    found |= _of_values(pair, gone_spans)
    found |= _of_places(pair)
    return found


def _only_named(old: FactWords, shared: Sequence[int], kinds: Sequence[str]) -> bool:
    """Whether all that two facts share is whom they are about: names, or a few signs at the beginning."""
    if not old.unspaced:
        return all(kind == "name" for kind in kinds)
    return len(shared) <= _NAME_SIGNS and shared[-1] == len(shared) - 1


def _of_runs(old: FactWords, new: FactWords) -> dict[str, float]:
    """The longest run of words that both have, where it stands, and what follows it."""
    length, at_old, at_new = _longest_run(old, new)
    size = len(old.keys)
    found: dict[str, float] = {
        "run": min(length, 8) / 8,
        "run_of_all": length / size,
        "long_run": length >= 3,
        "begins_with_run": length / size if at_old == 0 else 0,
    }
    end, end_new = at_old + length, at_new + length
    if length > 1:
        found["run_to_preposition"] = old.words[end - 1] in PREPOSITIONS
        found["run_to_is"] = old.words[end - 1] in COPULAS
        found["ends_with_run"] = end >= size
    if end < size and end_new < len(new.keys):
        kinds = (old.kinds[end], new.kinds[end_new])
        found["run_then_both"] = length > 1
        found["run_then_same_kind"] = length > 1 and kinds[0] == kinds[1]
        found["run_then_values"] = kinds[0] in _VALUES and kinds[1] in _VALUES
        found["run_then_names"] = kinds == ("name", "name")
    if old.unspaced:
        found["unspaced_begin"] = _alike(old.keys, new.keys) / size
        found["unspaced_end"] = _alike(old.keys[::-1], new.keys[::-1]) / size
    return found


def _longest_run(old: FactWords, new: FactWords) -> tuple[int, int, int]:
    """How long it is, and where it begins in either."""
    places: dict[str, list[int]] = {}
    for place, key in enumerate(new.keys):
        if key in old.kept:
            places.setdefault(key, []).append(place)
    best = (0, 0, 0)
    ends: dict[int, int] = {}
    for place, key in enumerate(old.keys):
        ends = {one: ends.get(one - 1, 0) + 1 for one in places.get(key, ())}
        for one, length in ends.items():
            if length > best[0]:
                best = (length, place - length + 1, one - length + 1)
    return best


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two texts begin with together."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _of_values(pair: Beside, gone_spans: int) -> dict[str, float]:
    """Numbers, times, days and codes that differ: whether one is in the place of another."""
    old, new = pair.old, pair.new
    lost = [one for one in pair.gone if old.kinds[one] in _VALUES]
    won = [one for one in pair.all_new if new.kinds[one] in _VALUES]
    if not lost:
        return {}
    found: dict[str, float] = {
        "value_early": lost[0] < 3 and lost[0] + 1 < len(old.keys),
        "value_last": lost[-1] == old.content[-1],
    }
    if won:
        found["same_unit"] = not _units(old, lost).isdisjoint(_units(new, won))
        found["one_value_each"] = len(lost) == len(won) == 1
        found["more_values_each"] = len(lost) > 1 and len(won) > 1
        found["same_shape"] = not _shapes(old, lost).isdisjoint(_shapes(new, won))
        found["numbered"] = gone_spans > 1 and len(pair.gone) > len(lost)
        found["years"] = all(
            any(_YEAR.fullmatch(told.words[one]) for one in some)
            for told, some in ((old, lost), (new, won))
        )
    return found


def _units(text: FactWords, places: Iterable[int]) -> set[str]:
    """The words beside some values."""
    size = len(text.keys)
    return {text.keys[one] for place in places for one in (place - 1, place + 1) if 0 <= one < size}


def _shapes(text: FactWords, places: Iterable[int]) -> set[str]:
    """How values are written: 14:30 as 9:9, eu-west-1 as a-a-9; short ones all look alike."""
    words = (text.words[one] for one in places)
    return {_LETTERS.sub("a", _DIGITS.sub("9", word)) for word in words if len(word) > 2}


def _of_places(pair: Beside) -> dict[str, float]:
    """Behind which words the differing ones stand, and what stands before a colon."""
    old, new = pair.old, pair.new
    before = [old.ahead[one] for one in pair.gone]
    behind = [new.ahead[one] for one in pair.come]
    prepositions = [
        {PREPOSITIONS[word] for word in some if word in PREPOSITIONS} for some in (before, behind)
    ]
    one_of = [any(word in INDEFINITE for word in some) for some in (before, behind)]
    found: dict[str, float] = {
        "both_behind_prepositions": bool(prepositions[0] and prepositions[1]),
        "same_preposition": not prepositions[0].isdisjoint(prepositions[1]),
        "one_of_several": one_of[0],
        "both_one_of_several": one_of[0] and one_of[1],
    }
    if label := old.about.label:
        found["same_label"] = label == new.about.label
        found["other_label"] = bool(new.about.label) and label != new.about.label
        found["label_inside"] = label != new.about.label and label in new.about.folded
        found["label_gone"] = label not in new.about.folded
    return found


def _spans(every: Sequence[int], some: Sequence[int]) -> int:
    """How many runs of neighbours some places make among all."""
    if len(some) < 2 or len(some) == len(every):
        return min(1, len(some))
    wanted = set(some)
    runs, inside = 0, False
    for one in every:
        if one in wanted and not inside:
            runs += 1
        inside = one in wanted
    return runs


def asked_features(old: FactWords, new: FactWords, question: str) -> dict[str, float]:
    """How two facts meet a question: what of it both have, and what only one."""
    asked = words_of(question)
    found: dict[str, float] = {"asked": 1}
    if asked.unspaced:
        size = max(1, len(asked.pairs))
        shares = [len(asked.pairs & one.pairs) / size for one in (old, new)]
        begin, signs = signs_asked(asked, old, new)
        named = frozenset(map("".join, pairwise(begin)))
        again = len(signs & new.kept)
        found["asked_words_of_both"] = len((asked.pairs - named) & old.pairs & new.pairs) / size
        found["asked_words_gone"] = bool(signs) and not again
        found["asked_words_share"] = again / len(signs) if signs else 0
    else:
        keys = [asked.keys[one] for one in asked.content]
        size = max(1, len(keys))
        in_old = [key in old.kept for key in keys]
        in_new = [key in new.kept for key in keys]
        both = [a and b for a, b in zip(in_old, in_new, strict=True)]
        shares = [sum(in_old) / size, sum(in_new) / size]
        names = [asked.kinds[one] == "name" and one > 0 for one in asked.content]
        found["asked_of_both"] = sum(both) / size
        found["one_asked_of_both"] = sum(both) == 1
        found["asked_of_old_only"] = (sum(in_old) - sum(both)) / size
        found["asked_of_new_only"] = (sum(in_new) - sum(both)) / size
        found["asked_name_of_both"] = any(a and b for a, b in zip(names, both, strict=True))
        found["asked_name_missing"] = any(a and not b for a, b in zip(names, in_new, strict=True))
        said = sum(a and not name for a, name in zip(in_old, names, strict=True))
        again = sum(a and not name for a, name in zip(both, names, strict=True))
        found["asked_words_of_old"] = said / size
        found["asked_words_of_both"] = again / size
        found["asked_words_gone"] = said > 0 and not again
        found["asked_words_share"] = again / said if said else 0
    if answered := asked.relations & old.relations:
        found["asked_relation_of_both"] = not answered.isdisjoint(new.relations)
        found["asked_relation_gone"] = answered.isdisjoint(new.relations)
    found["asked_of_old"], found["asked_of_new"] = shares
    found["asked_least"] = min(shares)
    found["asked_all"] = min(shares) > 0.99
    found["new_has_more_asked"] = shares[1] >= shares[0]
    found["asked_length"] = min(size, 8) / 8
    return found


def signs_asked(
    asked: FactWords, old: FactWords, new: FactWords
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Without spaces: the signs with which a question and two facts begin, which name somebody, and the others of
    the question that the older fact has."""
    begin = asked.keys[: min(_alike(asked.keys, old.keys), _alike(asked.keys, new.keys))]
    return begin, frozenset(asked.keys).difference(begin) & old.kept


@functools.lru_cache(maxsize=256)
def question_words(question: str) -> tuple[str, ...]:
    """How a question asks: its words and endings; "which port" asks for one, "which ports" for several."""
    asked = words_of(question)
    content = frozenset(asked.content)
    found: dict[str, None] = {}
    for place, word in enumerate(asked.words):
        if place > 1 and asked.kinds[place] in ("name", "number"):
            continue
        if place < 5 or place not in content:
            found[f"ask:{word}"] = None
        if place < 2:
            found[f"ask{place}:{word}"] = None
        if asked.unspaced:
            found[f"ask:{''.join(asked.words[place : place + 2])}"] = None
        elif place and place in content:
            found[f"ask:-{word[-2:]}"] = None
            if place == 1:
                found[f"ask1:-{word[-1:]}"] = None
    return tuple(found)
