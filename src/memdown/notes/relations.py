"""What a fact says of what: who lives where, what costs how much, who leads what (pure functions).

Of such a relation there is one value at a time. If a newer fact names the same thing and the same relation, and
all that differs is one value of the same kind, it takes the older one's place, however it is worded. In ten
languages; facts that tell of no such relation, or of two differences at once, are never taken for replaced here.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from memdown.notes.details import content_words, is_among
from memdown.notes.relation_words import (
    ANY_AGENT,
    ARTICLES,
    ASIDE,
    ASIDE_FOR,
    AT_HOUR,
    COPULAS,
    DEFINITE_ONLY,
    DOES,
    ENGLISH,
    FIXED,
    FLOOR,
    INDEFINITE,
    INSTEAD,
    LIEU,
    LIGHT,
    MINE,
    MONEY,
    NAMED_PLACES,
    NOT,
    NUMBER_WORDS,
    OCLOCK,
    OFTEN,
    ON,
    PLACED,
    PREPOSITIONS,
    RELATIONS,
    RENEWED,
    TELLING,
    THERE,
    THINGS_TOO,
    TITLES,
    UNITS,
    WEIGHT,
    WHEN,
    Kind,
    attributes,
    lexicon,
    nouns,
    states,
)
from memdown.text import fold, index_terms, is_stop
from memdown.text.dates.words import MONTHS, WEEKDAYS
from memdown.values import pattern

_MOST_ASIDE: Final = 3
# Marks the verb of who brings a change about.
_DOING: Final = "does"
_HOURS: Final = 24
_CLEFT: Final = pattern(
    r"\bc'est .{2,30} qui\b|\b(?:e|foi) [ao] \w+ que\b|\bes (?:la |el )?\w+ (?:quien|la que|el que)\b"
    r"|\bit(?:'s| is) \w+ who\b|\be \w+ (?:che|a)\b|\bes ist \w+, (?:der|die)\b"
)
_BREAK: Final = pattern(
    r"[,;:](?=\s)|\s[–—-]\s|[.!?]\s|\s(?:so|because|since|weil|denn|car|omdat|perche)\s"
)
_AND: Final = pattern(r"\s(?:and|und|et|y|e|en)\s")
_PAIR: Final = 2
_TOKEN: Final = pattern(r"[€$£%]|[^\W_][\w'’./:,@-]*")
_CLOCK_TOKEN: Final = pattern(r"\d{1,2}(?:[:h]\d\d|h)")
_MEASURE: Final = pattern(r"(\d[\d.,]*)([a-z%€$£]+)")
_NUMBER: Final = pattern(r"\d[\d.,:/-]*")
_UNSPACED: Final = "\u0e00"
# A word with one of these is a file, an address, an identifier.
_PLAIN: Final = frozenset("./@_")
_MOST_SPAN: Final = 3
# A value, a relation and something aside: if more of an older fact is missing, it is not said otherwise.
_MOST_MISSING: Final = 6
_FEWEST_SHARED: Final = 2
# Longer texts say more than one thing.
_MOST_PIECES: Final = 16
_START: Final = 3
_ELIDED: Final = ("l'", "d'", "l’", "d’", "n'", "s'", "c'", "qu'")


class _Piece(NamedTuple):
    """A word, value or relation of a clause; `ahead` is the kind of preposition before it.

    `vague`: it has an indefinite article, so that there may be more than one.
    """

    text: str
    kind: Kind
    ahead: str = ""
    vague: bool = False


class _Clause(NamedTuple):
    """What a clause says, in order; `words` is all of it but relations, `starts` how each piece begins.

    `there` and `cleft`: it says "there", or "it is Ann who"; `denied` is what stands behind "instead of".
    `owned`: it begins with "our", "my" or "we", of which there is one; `renewed`: it says "new", "different", "hired".
    """

    pieces: tuple[_Piece, ...]
    words: tuple[str, ...]
    starts: frozenset[str]
    relations: frozenset[str]
    there: bool
    cleft: bool
    denied: tuple[str, ...]
    owned: bool
    renewed: bool


def restated(old: str, new: str, ended: Collection[str] = ()) -> bool:
    """Whether a newer fact names another value of the same relation of the same thing.

    `ended` are the words by which the newer one tells of a change: with them it need not name the relation.
    """
    if old[:1] >= _UNSPACED:
        return _restated_unspaced(old, new)
    theirs = _first(old) if may_restate(old, new) else None
    if theirs is None or not _begin_alike(old, new):
        return False
    ours = _clauses(new)
    return any(_same_slot(theirs, one, ours, ended) for one in ours)


def may_restate(old: str, new: str) -> bool:
    """Whether a newer fact may name another value of the same relation: quick to tell, and false of most pairs.

    It does not if so many words of the older stand nowhere in it, or so far apart, that they are no single value.
    """
    if old[:1] >= _UNSPACED:
        return True
    if len(content_words(old) - content_words(new)) > _MOST_MISSING:
        return False
    if (theirs := _first(old)) is None:
        return False
    words = _every_word(new)
    gone = [
        n
        for n, one in enumerate(theirs.pieces)
        if one.kind in ("word", "name") and not _is_in(one.text, words)
    ]
    return not gone or gone[-1] - gone[0] < _MOST_SPAN


@functools.lru_cache(maxsize=8192)
def _every_word(text: str) -> frozenset[str]:
    """All words of a text, whichever of its clauses they stand in and whatever they are there."""
    return frozenset[str]().union(*map(_spellings, _TOKEN.findall(text)))


@functools.lru_cache(maxsize=16_384)
def _spellings(found: str) -> tuple[str, ...]:
    """How a word may stand in a piece of a clause."""
    word = _token(found).word
    return word, word.removesuffix("s"), _stem(word)


@functools.lru_cache(maxsize=8192)
def clauses_of(text: str) -> tuple[str, ...]:
    """The clauses of a text."""
    return tuple(part for part in _BREAK.split(text) if part.strip())


def tells_of_another(old: str, new: str, ended: Collection[str] = ()) -> bool:
    """Whether a fact is about something else in spite of common words: in the same place, or on another day.

    "The chat runs on the server" takes nothing away from "The wiki runs on the server", nor "Ben's key is here"
    from "Ben is here".
    """
    if old[:1] >= _UNSPACED:
        return _is_part(old, new)
    if ended or not _begin_alike(old, new):
        return False
    theirs, ours = _first(old), _first(new)
    if theirs is None or ours is None:
        return False
    gone, come = _missing(theirs, ours.words), _missing(ours, theirs.words)
    if not gone or not come:
        return False
    lost, found = (
        [clause.pieces[n] for n in some] for clause, some in ((theirs, gone), (ours, come))
    )
    kinds = [{one.kind for one in some} for some in (lost, found)]
    if all("day" in some and some - {"day", "clock", "number"} for some in kinds):
        return True
    placed = theirs.relations & ours.relations & PLACED
    if not placed or theirs.pieces[-1].text not in ours.words:
        return False
    # The place is the same and what is there is not.
    return gone[0] == 0 and theirs.pieces[-1].ahead == "at"


def _same_slot(
    theirs: _Clause, ours: _Clause, every: Sequence[_Clause], ended: Collection[str]
) -> bool:
    if not theirs.pieces or not ours.pieces or theirs.pieces[0].vague:
        # "A train leaves at 8": there may be others.
        return False
    gone = _missing(theirs, ours.words)
    if not _is_span(gone):
        return False
    come = [n for n in _missing(ours, theirs.words) if ours.pieces[n].text not in ended]
    if ours.there:
        come = [n for n in come if ours.pieces[n].ahead == "at" and ours.pieces[n].kind == "name"]
    if not _is_span(come):
        come = _behind_lead(ours, come, ended)
    if not _is_span(come):
        return False
    shared = [one for one in theirs.words if one not in UNITS and _is_in(one, ours.words)]
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    alike = shared or theirs.relations & ours.relations
    if (
        alike
        and ours.denied
        and all(_is_in(one, [two.text for two in lost]) for one in ours.denied)
    ):
        return True
    if _kind(lost) != _kind(found) or not (shared or (theirs.owned and ours.owned)):
        return False
    if _gives_reason(theirs, ours, every, lost, shared):
        return True
    if ours.cleft and gone[0] == 0 and _kind(lost) == "name" and len(shared) >= _FEWEST_SHARED:
        return True
    passive = found[0].ahead == "by" and _kind(found) == "name" and "is" in ours.relations
    if passive and gone[0] == 0 and len(shared) >= _FEWEST_SHARED:
        # "Ben reviews it", "It is reviewed by Ida".
        return True
    if ended and _is_all_else_alike(theirs, ours, lost, shared):
        return True
    relations = _common_relations(theirs, ours, found, bool(ended))
    return any(_fits(name, theirs, ours, gone, come, shared, bool(ended)) for name in relations)


def _gives_reason(
    theirs: _Clause,
    ours: _Clause,
    every: Sequence[_Clause],
    lost: Sequence[_Piece],
    shared: Sequence[str],
) -> bool:
    """Whether another clause tells of the old value, and this one names another: "Ben is ill, Ida comes"."""
    if ours is every[0] or len(shared) < _FEWEST_SHARED or _kind(lost) != "name":
        return False
    others = [word for one in every[1:] if one is not ours for word in one.words]
    names = [one.text for one in lost if one.kind == "name"]
    return all(_is_in(name, others) for name in names) and theirs.words != ours.words


def _is_all_else_alike(
    theirs: _Clause, ours: _Clause, lost: Sequence[_Piece], shared: Sequence[str]
) -> bool:
    """Whether a clause that tells of a change says the same but for one value."""
    if len(shared) < _FEWEST_SHARED:
        return False
    if _kind(lost) in TELLING:
        return True
    verbs = [
        {one.text for one in clause.pieces if one.kind == "relation"} for clause in (theirs, ours)
    ]
    return bool(verbs[0]) and verbs[0] == verbs[1]


def _common_relations(
    theirs: _Clause, ours: _Clause, found: Sequence[_Piece], changed: bool
) -> frozenset[str]:
    both = theirs.relations & ours.relations
    agents = theirs.relations & ANY_AGENT
    if agents and "charge" in (theirs.relations | ours.relations) and ours.relations & ANY_AGENT:
        both |= agents
    if {"is", "kept"} <= theirs.relations | ours.relations and all(
        one.relations & {"is", "kept"} for one in (theirs, ours)
    ):
        both |= {"is"}
    # "Moved to Friday" tells by itself which relation it is about, if it names nothing but a value.
    mere = len({one.kind for one in found}) == 1 and (found[0].kind != "word" or len(found) == 1)
    if all(one.relations & {"is", "name"} for one in (theirs, ours)) and "name" in (
        theirs.relations | ours.relations
    ):
        both |= {"name"}
    if changed and mere and not ours.relations - {"has", "is"}:
        kept = {"has", "use"} if found[0].ahead else {"has", "use", "is"}
        both |= theirs.relations - kept
    return both


def _fits(
    name: str,
    theirs: _Clause,
    ours: _Clause,
    gone: Sequence[int],
    come: Sequence[int],
    shared: Sequence[str],
    changed: bool,
) -> bool:
    """Whether the differing words are values of a relation."""
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    kind = _kind(lost)
    if name == "is":
        return _is_elsewhere(theirs, ours, gone, come)
    relation = RELATIONS[name]
    if kind not in relation.kinds:
        return False
    places = _places_of_relations(theirs)
    if relation.place == "behind":
        if not places or gone[0] < places[0]:
            return False
        if name in PLACED and not lost[0].ahead and not (name in NAMED_PLACES and kind == "name"):
            return False
        if name == "name" and (lost[0].ahead or found[0].ahead):
            return False
        if name == "fly" and lost[0].ahead != "from":
            return False
        if name in DEFINITE_ONLY and lost[0].vague and found[0].vague:
            return False
        alike = changed or _same_preposition(lost[0].ahead, found[0].ahead)
        return alike and (
            name != "use" or len(shared) >= _FEWEST_SHARED or _has_purpose(theirs, shared)
        )
    if relation.place == "agent":
        return _is_agent(theirs, gone) and (_is_agent(ours, come) or _is_last(ours, come))
    if name == "comes":
        # Somebody may come on 3 and on 9 July.
        return lost[0].text in WEEKDAYS and found[0].text in WEEKDAYS
    if name == "attribute":
        # Of a vet much can be told; "the vet is" tells who, and so does "Ben's vet".
        told = len(shared) >= _FEWEST_SHARED or "is" in theirs.relations & ours.relations
        told = told or (theirs.owned and ours.renewed)
        places = [n for n, one in enumerate(theirs.pieces) if one.kind == "is"]
        if kind in ("number", "code") and places and gone[0] < places[0]:
            return False
        return told and any(one in attributes() for one in shared)
    return True


def _has_purpose(clause: _Clause, shared: Sequence[str]) -> bool:
    """Whether what both name is what something is for: for tickets one thing is used."""
    return any(one.ahead == "for" and one.text in shared for one in clause.pieces)


def _same_preposition(one: str, other: str) -> bool:
    return one == other or {one, other} <= {"at", "for"}


def _is_elsewhere(theirs: _Clause, ours: _Clause, gone: Sequence[int], come: Sequence[int]) -> bool:
    """Whether both say by "is" when, how much or where something is."""
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    kind = _kind(lost)
    if kind in ("number", "code") and gone[0] < _places_of_relations(theirs)[0]:
        # Ticket 88, room 12: it says which, not how many.
        return False
    if kind in ("clock", "day", "number", "often"):
        # A shop may be closed on more than one day.
        return not any(one.text in states() for one in theirs.pieces)
    if kind == "code" or (kind == "name" and lost[0].ahead == "with"):
        # In class 3a, with a bank: of these there is one.
        return lost[0].ahead == found[0].ahead
    if kind not in ("word", "name") or lost[0].ahead != "at" or found[0].ahead != "at":
        return False
    if gone[0] == 0 or any(one.text in FIXED for one in theirs.pieces) or not _is_thing(theirs):
        return False
    return not any(one.text in FLOOR for one in (*lost, *found))


def _is_thing(clause: _Clause) -> bool:
    """Whether it is about a thing and not somebody: its first word is no name, or is whose it is."""
    first = clause.pieces[:2]
    return first[0].kind == "word" or all(one.kind in ("word", "name") for one in first)


def _is_agent(clause: _Clause, span: Sequence[int]) -> bool:
    """Whether a span is who does it: first of all, behind "is", or "by" somebody."""
    relations = _places_of_relations(clause)
    if not relations or span[-1] < relations[0]:
        return True
    before = clause.pieces[span[0] - 1]
    return clause.pieces[span[0]].ahead in ("by", "at", "from") or before.kind == "is"


def _is_last(clause: _Clause, span: Sequence[int]) -> bool:
    """Whether who does it comes last: "Um das Kind kümmert sich Falk"."""
    words = [
        n for n, one in enumerate(clause.pieces) if one.kind in ("word", "name") and n not in span
    ]
    return bool(words) and max(words) < _places_of_relations(clause)[-1] < span[0]


def _places_of_relations(clause: _Clause) -> list[int]:
    return [n for n, one in enumerate(clause.pieces) if one.kind in ("relation", "is")]


def _behind_lead(clause: _Clause, come: Sequence[int], ended: Collection[str]) -> list[int]:
    """What is new without who brought it about: "the caretaker set", "the bank cut"."""
    new = frozenset(come)
    verb = -1
    for n, one in enumerate(clause.pieces):
        if one.ahead == _DOING or one.text in ended:
            verb = n
        elif n not in new:
            break
    return [n for n in come if n > verb]


def _missing(clause: _Clause, words: Collection[str]) -> list[int]:
    """The places of what a clause says and others do not."""
    return [
        n
        for n, one in enumerate(clause.pieces)
        if one.kind not in ("relation", "is") and not _is_in(one.text, words)
    ]


def _is_in(word: str, words: Collection[str]) -> bool:
    if word in words or is_among(word, words):
        return True
    # "Leons Lehrerin", "Leon hat".
    return f"{word}s" in words or (word.endswith("s") and len(word) > 3 and word[:-1] in words)


def _is_span(places: Sequence[int]) -> bool:
    return 0 < len(places) <= _MOST_SPAN and places[-1] - places[0] == len(places) - 1


def _kind(span: Sequence[_Piece]) -> Kind:
    kinds = {one.kind for one in span}
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds <= {"number", "clock", "day"} and "day" in kinds:
        # On Mondays at 18:00, from the 3rd to 10 August.
        return "day"
    return "name" if kinds <= {"name", "word", "code", "number"} and "name" in kinds else "relation"


@functools.lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[_Clause, ...]:
    """A text as a whole, and if it has several clauses, each of them."""
    parts = clauses_of(text)
    found = [_clause(one) for one in ([text, *parts] if len(parts) > 1 else [text])]
    joined = _AND.split(text)
    if len(joined) == _PAIR:
        first, second = map(_clause, joined)
        if first.pieces and second.pieces and second.pieces[0].kind == "relation":
            # "He sold it and drives another": who does it is only named before.
            pieces = (first.pieces[0], *second.pieces)
            second = second._replace(pieces=pieces, words=_words(pieces), starts=_starts(pieces))
        found += [first, second]
    return tuple(one for one in found if len(one.pieces) <= _MOST_PIECES)


def _first(text: str) -> _Clause | None:
    """The first clause of a text: mostly the whole, so that the others need not be read."""
    whole = _clause(text)
    return whole if len(whole.pieces) <= _MOST_PIECES else next(iter(_clauses(text)), None)


def _begin_alike(old: str, new: str) -> bool:
    """Whether words of two texts begin alike: most pairs of texts have none such, and need no closer look."""
    return any(
        not theirs.starts.isdisjoint(ours.starts) for theirs in _each(old) for ours in _each(new)
    )


def _each(text: str) -> Iterator[_Clause]:
    """The clauses of a text, the first before the others are read."""
    if (first := _first(text)) is not None:
        yield first
        yield from _clauses(text)


def _is_plain(word: str) -> bool:
    """Whether a word is in no list: it is told by itself, whatever stands around it."""
    return (
        word.isalpha()
        and word not in _listed()
        and not is_stop(word)
        and word.removesuffix("s") not in WEEKDAYS
    )


@functools.cache
def _listed() -> frozenset[str]:
    """All words that are told by a list, and the first halves of verbs such as "looks after"."""
    halves = (verb.partition("-")[0] for verb in lexicon() if "-" in verb)
    return frozenset(halves).union(
        *(ARTICLES, ASIDE, ASIDE_FOR, COPULAS, DOES, INSTEAD, LIEU, LIGHT, MONTHS, NOT),
        *(NUMBER_WORDS, OCLOCK, OFTEN, PREPOSITIONS, THERE, TITLES, WEEKDAYS, lexicon(), nouns()),
    )


def _words(pieces: Sequence[_Piece]) -> tuple[str, ...]:
    """What pieces say, without relations."""
    return tuple(one.text for one in pieces if one.kind not in ("relation", "is"))


def _starts(pieces: Sequence[_Piece]) -> frozenset[str]:
    """How pieces begin."""
    return frozenset(one.text[:_START] for one in pieces)


class _Token(NamedTuple):
    """A word of a text as it is written, folded, and without what stands before and behind an apostrophe.

    `plain`: it is in no list, so that it is told by itself, whatever stands around it.
    """

    token: str
    folded: str
    word: str
    plain: bool


@functools.lru_cache(maxsize=16_384)
def _token(found: str) -> _Token:
    token = found.rstrip(".,:/-'’") or found
    folded = fold(token)
    word = folded.removesuffix("'s").removesuffix("’s")
    if word.startswith(_ELIDED):
        word = word.split(word[1] if word[1] in "'’" else "'", 1)[1]
        token = token.split(token[1], 1)[-1]
    return _Token(token, folded, word, _is_plain(word))


@functools.lru_cache(maxsize=8192)
def _clause(text: str) -> _Clause:
    raw = _TOKEN.findall(text)
    tokens = list(map(_token, raw))
    folded = [one.folded for one in tokens]
    pieces: list[_Piece] = []
    relations: set[str] = set()
    denied: list[str] = []
    placed = -2
    ahead, skipping, titled, there, instead = "", 0, False, False, False
    joined = ""
    for n, (token, _, word, plain) in enumerate(tokens):
        if joined:
            # The second half of "looks after".
            word, plain, joined = joined, False, ""
        one_of = n > 0 and (folded[n - 1] in INDEFINITE or folded[n - 1] == "another")
        if one_of and n == 1 and folded[0] == "a" and ENGLISH.isdisjoint(folded):
            # In Portuguese, "a" is "the".
            one_of = False
        if skipping or not plain:
            following = folded[n + 1] if n + 1 < len(folded) else ""
            if f"{word}-{following}" in lexicon():
                joined = folded[n + 1] = f"{word}-{following}"
                continue
            # "From trunk, not develop" names what was; "does not eat" denies something else.
            contrast = word in NOT and n > 0 and raw[n - 1].endswith(",")
            if contrast or word in INSTEAD or (word in LIEU and following in LIEU):
                instead = True
                continue
            if word in ASIDE or (word in ASIDE_FOR and pieces and pieces[-1].kind in WHEN):
                skipping = _MOST_ASIDE
                continue
            kind, value = _value(word, folded[n - 1] if n else "", following, pieces)
            if skipping and word not in COPULAS and word not in lexicon() and kind != "clock":
                skipping = _still_aside(word, kind, skipping)
                if skipping or word not in PREPOSITIONS:
                    continue
            skipping = 0
            if kind is not None:
                if value:
                    pieces.append(_Piece(value, kind, ahead))
                ahead = ""
                continue
            if word in THERE and n and not following:
                there = True
            if word in PREPOSITIONS:
                ahead = PREPOSITIONS[word]
                continue
            if word in COPULAS:
                pieces.append(_Piece(word, "is"))
                relations.add("is")
                ahead = ""
                continue
            names = _relations_of(word, following)
            if n > 0 and folded[n - 1] == "the" and names <= THINGS_TOO:
                names = frozenset()
            if names and not (one_of and names <= ANY_AGENT):
                pieces.append(_Piece(_stem(word), "relation", ahead))
                relations |= names
                ahead = ""
                continue
            if word in DOES:
                pieces.append(_Piece(_stem(word), "relation", _DOING))
                ahead = ""
                continue
            relations |= nouns().get(word, frozenset())
            if word in TITLES:
                titled = True
                continue
            called = token[:1].isupper() and (following in COPULAS or following in lexicon())
            if (word in LIGHT or is_stop(word)) and not (called and word == "mia"):
                # "Mia" is a name before a verb.
                continue
        if instead:
            denied.append(_stem(word))
            continue
        if pieces and placed == n - 1 and not ahead:
            # "In via Roma" is one phrase.
            ahead = pieces[-1].ahead
        placed = n
        name = titled or (token[:1].isupper() and (n > 0 or not is_stop(word)))
        pieces.append(_Piece(_stem(word), "name" if name else "word", ahead, one_of))
        ahead, titled = "", False
    words = {one.text for one in pieces}
    if "is" in relations and words & MONEY:
        relations.add("price")
    if words & WEIGHT:
        relations.add("weigh")
    cleft = bool(_CLEFT.search(fold(text)))
    owned = not MINE.isdisjoint(folded[:2])
    renewed = not RENEWED.isdisjoint(folded)
    return _Clause(
        tuple(pieces),
        _words(pieces),
        _starts(pieces),
        frozenset(relations),
        there,
        cleft,
        tuple(denied),
        owned,
        renewed,
    )


def _still_aside(word: str, kind: Kind | None, left: int) -> int:
    """How many words more belong to "since the rebuild": up to a day, the next article or preposition."""
    if kind is not None:
        return 0
    if word in PREPOSITIONS or word in ARTICLES:
        return left if left == _MOST_ASIDE else 0
    return left if word in LIGHT else left - 1


def _relations_of(word: str, following: str) -> frozenset[str]:
    """What a word tells of, with the word behind it: whoever works on something may work on more."""
    names = lexicon().get(word, frozenset())
    return names - {"work"} if following in ON else names


def _value(word: str, ahead: str, following: str, pieces: list[_Piece]) -> tuple[Kind | None, str]:
    """The kind of a value and how it is compared; an empty one belongs to the value before."""
    last = pieces[-1] if pieces else None
    if word in MONTHS or word in WEEKDAYS or word.removesuffix("s") in WEEKDAYS:
        if word in MONTHS and last is not None and last.kind == "number":
            pieces[-1] = _Piece(f"{last.text} {word}", "day", last.ahead)
            return "day", ""
        return "day", word.removesuffix("s")
    letters = word.isalpha()
    if not letters and _is_clock(word, ahead, following):
        return "clock", word
    if word in OCLOCK and last is not None and last.kind == "clock":
        return "clock", ""
    if word in OFTEN:
        return "often", word
    if word in NUMBER_WORDS and following:
        return "number", word
    if letters:
        return None, ""
    if measure := _MEASURE.fullmatch(word):
        if measure[2] in UNITS:
            pieces.append(_Piece(measure[1], "number"))
            return "number", ""
        return "code", word
    if _NUMBER.fullmatch(word):
        if last is not None and last.kind in ("number", "day") and last.text[-1:].isalnum():
            pieces[-1] = last._replace(text=f"{last.text} {word}")
            return last.kind, ""
        return "number", word
    if any(map(str.isdigit, word)) or not _PLAIN.isdisjoint(word):
        return "code", word
    return None, ""


def _is_clock(word: str, ahead: str, following: str) -> bool:
    if _CLOCK_TOKEN.fullmatch(word) or (word.isdigit() and following in OCLOCK):
        return True
    return word.isdigit() and int(word) <= _HOURS and ahead in AT_HOUR and not following


@functools.lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    terms = index_terms(word.replace("woman", "man"))
    return terms[0] if terms else word


# Without spaces between words a relation is found by its signs: the thing, then the value, or the other way round.
_NOW_SIGNS: Final = pattern(
    r"现在|目前|已经|最近|如今|现|今は|今では|現在|最近は|แล้ว|ตอนนี้|[。.!！?？、,，\s]|了$|了(?=[。,，])"
)
_NOW_FIRST: Final = frozenset("现目已今")
_DIGITS: Final = r"[\d.:：一二三四五六七八九十百千万两零〇半]"
_VALUE_SIGNS: Final = pattern(
    rf"{_DIGITS}+|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?"
)
# "Is", "rose to", "was put off to": all say which value it is.
_IS_SIGNS: Final = pattern(
    r"是|为|改成|改为|改到|改在|变成|换成|换到|调到|涨到|升到|降到|推迟到|延期到|提前到|定在|定为|到"
    r"|に(?:なりました|なった|変わりました|変更(?:になり|し|され)ました|延期(?:になり|し|され)ました|決まりました)|です|だ$|でした$"
    r"|ขึ้นเป็น|เพิ่มเป็น|ลดเหลือ|เลื่อนเป็น|เปลี่ยนเป็น|เป็น|คือ|号码|番号"
)
# What happened on a day, or is planned for one, may happen on another, too.
_EVENT_SIGNS: Final = pattern(
    rf"了{_DIGITS}|过{_DIGITS}|去|来|買|走り|行き|行った|食べ|ซื้อ|ไป(?!อยู่|ทำงาน)"
)
_FRAMES: Final = tuple(
    pattern(source)
    for source in (
        r"新?(?P<of>.+?)(?:新?的?名字)?(?P<name>改名叫|改叫|名叫|姓|叫)(?P<value>.+?)$",
        r"(?P<of>.+?)(?P<home>住在?|搬(?:到|去|进)|定居在?)(?P<value>.+?)住?$",
        r"(?P<of>.+?)(?P<home>は)(?P<value>.+?)に(?:住|引っ越)",
        r"(?P<of>.+?)(?P<home>อาศัยอยู่ที่|อยู่ที่|ย้ายไปอยู่ที่|ย้ายไปอยู่)(?P<value>.+)$",
        r"(?P<of>.+?)(?:在|去|到|跳槽(?:到|去)?|入职)(?P<value>.+?)(?P<work>上班|工作|任职)$",
        r"(?P<of>.+?)(?P<work>跳槽到|跳槽去|入职|加入)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<work>で働|に勤め|に転職|に就職)",
        r"(?P<of>.+?)(?:ย้ายไป)?(?P<work>ทำงานที่)(?P<value>.+)$",
        r"(?P<of>.+?)(?P<kept>[停放存挂摆收藏装]在)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<kept>にあり|に置い|に止め)",
        r"(?P<of>.+?)(?:改?由|归|交给)(?P<value>.+?)(?P<lead>负责|管|主持|带|照顾|接送|教)$",
        r"(?P<value>.+?)(?P<lead>负责|主持|照顾|接送)(?P<of>.+?)$",
        r"(?P<of>.*?(?:老师|主任|经理|医生|大夫|教练|负责人|校长|房东|电话|地址|邮箱|名字|品牌|系统|语言|数据库|框架"
        r"|版本|银行|座位|房间|教室|酒店|司机|保姆|组长|队长|班长|老板|律师|会计|供应商|密码|口令|生日|颜色))"
        r"(?P<is>是|叫|为|换成|改成|变成|换)了?(?P<value>.+?)$",
        r"(?P<of>.*?(?:担当者?|先生|医者|医師|コーチ|店長|部長|課長|社長|大家さん?|電話|番号|住所|名前|場所|会議室|部屋"
        r"|席|教室|主治医|リーダー|監督|責任者|ホテル|言語|締め切り|パスワード))(?P<is>は)"
        r"(?P<value>.+?)(?:さん|先生)?(?:です|に(?:なり|交代|変わ|変え|変更|決ま).*)$",
    )
)
# What stands behind a thing's name, and what makes another thing of it: "the warehouse is", "of the warehouse".
_PARTICLES: Final = frozenset("はがをにの的是在有")
_OF_SIGNS: Final = frozenset("的の")


def _is_part(old: str, new: str) -> bool:
    """Whether one is about a part of what the other is about, or about another of the same name: room A, the room."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if not common or common in (len(old), len(new)):
        return False
    for one, other in ((old[common], new[common]), (new[common], old[common])):
        if one in _OF_SIGNS and other not in _OF_SIGNS and other in _PARTICLES | _NOW_FIRST:
            return True
        if one.isascii() and one.isalnum() and other in _PARTICLES:
            return True
    return False


class _Slot(NamedTuple):
    relation: str
    of: str
    value: str


@functools.lru_cache(maxsize=8192)
def _slots(text: str) -> tuple[str, tuple[str, ...], tuple[_Slot, ...]]:
    """A text with its values left open, these values, and what it says of what."""
    plain = _NOW_SIGNS.sub("", text)
    template = _IS_SIGNS.sub("", _VALUE_SIGNS.sub("#", plain))
    found = []
    for frame in _FRAMES:
        if match := frame.match(plain):
            relation = next(
                name
                for name in ("name", "home", "work", "kept", "lead", "is")
                if match.groupdict().get(name)
            )
            found.append(_Slot(relation, match["of"].rstrip("的の"), match["value"]))
    return template, tuple(_VALUE_SIGNS.findall(plain)), tuple(found)


def _restated_unspaced(old: str, new: str) -> bool:
    """The same for languages that write no spaces."""
    (template, values, slots), (other, ours, fresh) = _slots(old), _slots(new)
    if template == other and len(values) == len(ours) == 1 and values != ours:
        return not _EVENT_SIGNS.search(old)
    return any(
        one.relation == two.relation and one.of == two.of and one.value != two.value
        for one in slots
        for two in fresh
    )
