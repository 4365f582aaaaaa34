"""Which passages of an index may answer by their words: posting lists, scored by BM25.

The lists of what is asked for are read from the rarest on as far as a budget allows: the words left out
then stand in so many passages that they tell little. Long lists are merged only if they can change
what is best (MaxScore).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import idf, length_norms, saturate
from memdown.index.packing import source_keys
from memdown.index.postgres import postings
from memdown.index.postgres.connection import Place, numbers, run
from memdown.index.postgres.generations import Live
from memdown.index.postgres.postings import NOTHING, PackedPosting
from memdown.index.reader import Sought, Unit, word
from memdown.index.shortlist import KeyedPosting, places_of
from memdown.index.similarity import Scores, highest, in_files
from memdown.tuning import TUNING
from memdown.types import FILE_SPAN

_WORDS = TUNING.words

# How many postings one search may read, 8 bytes each. With 1,500,000 the first result of a million
# chunks was another for 1 of the 50 questions it was chosen on, and the server worked half as much again.
BUDGET = 900_000
# From so many passages on it is worth asking first how long the lists are.
MANY_PASSAGES = 300_000
# A list that is longer is merged with others only if it must be.
_LONG_LIST = 50_000
# A phrase is looked for in so many passages that hold all of its words.
_MOST_PHRASES = 400
# The passages that stand for each unit at least.
_EACH_UNIT = 4
# Of the best passages so many are shown with what is around them: chunks so many passages away are in.
_AROUND, _REACH = 60, 8

# Larger than any key.
_NO_KEY = np.iinfo(np.int64).max

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Scored:
    """A posting list as far as it was read, and in how many passages of all its unit stands."""

    posting: PackedPosting
    count: int


@dataclass(frozen=True, slots=True)
class AskedLists:
    """What was read for a question; `known` are the counts that were asked for first."""

    found: dict[Unit, _Scored]
    known: dict[str, int]

    def of_chunks(self, keys: Sequence[int]) -> dict[Unit, KeyedPosting]:
        """What is left of them for some chunks, by ascending keys; phrases are counted in the chunks."""
        first = np.array(keys, np.int64)
        # A chunk ends before the next one, or with its file.
        after = np.minimum(np.append(first[1:], _NO_KEY), (first // FILE_SPAN + 1) * FILE_SPAN)
        return {
            unit: _within(one.posting, first, after)
            for unit, one in self.found.items()
            if unit.kind != "phrase" and postings.can_store(unit.terms[0])
        }

    def frequencies(self) -> UnitCounts:
        """What is left of them when the best passages are found."""
        return UnitCounts({unit: one.count for unit, one in self.found.items()}, self.known)


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """How many passages hold each unit that was read for, and each term that was counted."""

    read: dict[Unit, int]
    known: dict[str, int]
    every: int | None = None

    def of(self, unit: Unit, live: Live) -> int:
        """In how many passages of the index a unit stands; `every`, if they cannot be asked for."""
        if self.every is not None:
            return self.every
        place, packed = live.place, live.lists
        if unit in self.read:
            return self.read[unit]
        name = f"{unit.terms[0]}*" if unit.kind == "prefix" else unit.terms[0]
        if name not in self.known:
            if unit.kind == "prefix":
                self.known.update({name: 0, **postings.counts(place, [], unit.terms, packed)})
            else:
                self.known.update(dict.fromkeys(unit.terms, 0))
                self.known.update(postings.counts(place, unit.terms, [], packed))
        if unit.kind == "phrase":
            return min(self.known.get(term, 0) for term in unit.terms)
        return self.known.get(name, 0)


def read_lists(live: Live, sought: Sought, budget: int = BUDGET) -> AskedLists:
    """The posting lists of all that is looked for, as far as they may be read: so many postings."""
    place = live.place
    phrases = [phrase for phrase in sought.phrases if len(phrase) > 1]
    words = list(dict.fromkeys([*sought.words, *(term for one in phrases for term in one)]))
    prefixes: Sequence[str] = sought.prefixes
    known: dict[str, int] | None = None
    if sought.files is not None:
        known = postings.counts(place, words, prefixes, live.lists)
        read = postings.read(place, words, prefixes, _blocks(place, sought.files))
    elif live.passages <= MANY_PASSAGES:
        read = postings.read(place, words, prefixes)
    elif live.lists is None:
        known = postings.counts(place, words, prefixes)
        words, prefixes = _affordable(words, prefixes, known, budget)
        read = postings.read(place, words, prefixes)
    else:
        some = postings.read_affordable(place, words, prefixes, live.lists, budget)
        known, read = some.counts, some.lists
        words = [one for one in words if one in read or not known.get(one)]
        prefixes = [one for one in prefixes if f"{one}*" in read or not known.get(f"{one}*")]
    found: dict[Unit, _Scored] = {}
    for term in words:
        one = read.get(term, NOTHING)
        count = len(one.keys) if known is None else known.get(term, 0)
        found[word(term)] = _Scored(one, count)
    for prefix in prefixes:
        one = _prefix(read.get(f"{prefix}*", NOTHING))
        count = len(one.keys) if known is None else max(len(one.keys), known.get(f"{prefix}*", 0))
        found[Unit("prefix", (prefix,))] = _Scored(one, count)
    for phrase in phrases:
        one = _phrase(place, phrase, {term: found.get(word(term)) for term in phrase})
        found[Unit("phrase", phrase)] = _Scored(one, len(one.keys))
    return AskedLists(found, known or {})


def _within(posting: PackedPosting, first: Keys, after: Keys) -> KeyedPosting:
    """The part of a posting list between some keys and those after them."""
    begins, ends = np.searchsorted(posting.keys, first), np.searchsorted(posting.keys, after)
    counts = ends - begins
    places = np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts)
    text, head = (one[places].astype(np.float32) for one in (posting.text, posting.head))
    return KeyedPosting(posting.keys[places], text, head)


def _affordable(
    words: Sequence[str], prefixes: Sequence[str], known: dict[str, int], budget: int
) -> tuple[list[str], list[str]]:
    """The words and prefixes with the shortest lists, up to the budget; the shortest in any case."""
    cost = {word: known.get(word, 0) for word in words}
    cost |= {f"{prefix}*": known.get(f"{prefix}*", 0) for prefix in prefixes}
    chosen: set[str] = set()
    spent = 0
    for name in sorted(cost, key=lambda name: cost[name]):
        if spent and spent + cost[name] > budget:
            break
        spent += cost[name]
        chosen.add(name)
    return (
        [word for word in words if word in chosen],
        [prefix for prefix in prefixes if f"{prefix}*" in chosen],
    )


def _prefix(every: PackedPosting) -> PackedPosting:
    """The passages whose text holds a term with a prefix, each once."""
    inside = every.text > 0
    keys, places = np.unique(every.keys[inside], return_inverse=True)
    often = np.bincount(places, every.text[inside], minlength=len(keys)).astype(np.float32)
    lengths = np.zeros(len(keys), np.uint16)
    lengths[places] = every.lengths[inside]
    return PackedPosting(keys, often, np.zeros(len(keys), np.float32), lengths)


def _phrase(
    place: Place, phrase: tuple[str, ...], lists: Mapping[str, _Scored | None]
) -> PackedPosting:
    """The passages whose text holds terms in order; verified by the terms stored with their chunks."""
    known = (lists.get(term) for term in phrase)
    each = [NOTHING if one is None else one.posting for one in known]
    rarest = min(each, key=lambda one: len(one.keys))
    keys = rarest.keys
    for one in each:
        keys = keys[np.isin(keys, one.keys[one.text > 0])]
    keys = keys[:_MOST_PHRASES]
    counts = _occurrences(place, phrase, keys.tolist())
    often = np.array([counts.get(key, 0) for key in keys.tolist()], np.float32)
    lengths = rarest.lengths[np.searchsorted(rarest.keys, keys)]
    some = often > 0
    return PackedPosting(
        keys[some], often[some], np.zeros(int(some.sum()), np.float32), lengths[some]
    )


def _occurrences(place: Place, phrase: tuple[str, ...], keys: Sequence[int]) -> dict[int, int]:
    if not keys:
        return {}
    rows = run(
        place.db,
        place.sql(
            "SELECT DISTINCT ON (c.key) c.key, c.terms FROM unnest(%s::bigint[]) AS p, "
            "LATERAL (SELECT key, terms FROM {chunks} WHERE generation = %s AND key <= p "
            "ORDER BY key DESC LIMIT 1) AS c"
        ),
        (numbers(keys), place.generation),
        binary=True,
    )
    wanted, found = set(keys), {}
    sought = f" {' '.join(phrase)} ".encode("utf-8", "surrogatepass")
    for first, packed in rows:
        lines = zlib.decompress(packed).partition(b"\t")[0].split(b"\n")
        for key, line in enumerate(lines, start=first):
            if key in wanted:
                found[key] = len(places_of(b" " + line + b" ", sought))
    return found


def best_passages(lists: AskedLists, sought: Sought, live: Live) -> Keys:
    """The best passages of each source by BM25, and some for each unit."""
    held = [(unit, one) for unit, one in lists.found.items() if len(one.posting.keys)]
    if not held:
        return np.empty(0, np.int64)
    each = [(one.posting.keys, _gains(one, live)) for _, one in held]
    best: list[Keys] = []
    for source in sought.sources:
        mine = [_between(*one, source_keys(source)) for one in each]
        if sought.files is not None:
            mine = [_only(*one, sought.files) for one in mine]
        best.append(best_sums(mine, sought.passages))
        if sought.preferred:
            then = [_only(*one, sought.preferred) for one in mine]
            best.append(best_sums(then, sought.passages))
    best += [keys[highest(gains, _EACH_UNIT, above=0.0)] for keys, gains in each]
    found = np.unique(np.concatenate(best))
    if sought.files is not None:
        found = found[in_files(found, sought.files)]
    scores = np.zeros(len(found))
    for one in each:
        scores += _looked_up(found, *one)
    # The best first, since only so many chunks are read.
    best_first = found[np.argsort(-scores, kind="stable")]
    return np.concatenate(
        [best_first[:_AROUND], _beside(best_first[:_AROUND]), best_first[_AROUND:]]
    )


def best_sums(lists: Sequence[tuple[Keys, Scores]], count: int) -> Keys:
    """The keys with the `count` highest sums of their gains in ascending lists, and those equal to one.

    Long lists come last. Once what they could add at most is less than what the best have, no key wins
    that stands in them alone: then they are looked into for the best, and no longer merged (MaxScore).
    """
    short = [one for one in lists if len(one[0]) <= _LONG_LIST]
    long = [one for one in lists if len(one[0]) > _LONG_LIST]
    long.sort(key=lambda one: -float(one[1].max()))
    keys, scores = _summed(short)
    for number, one in enumerate(long):
        left = sum(float(gains.max()) for _, gains in long[number:])
        least = np.partition(scores, -count)[-count] if len(scores) >= count else 0.0
        if least > left:
            kept = scores + left >= least
            keys, scores = keys[kept], scores[kept]
            scores = scores + _looked_up(keys, *one)
        else:
            keys, scores = _summed([(keys, scores), one])
    best: Keys = keys[highest(scores, count, above=0.0)]
    return best


def _looked_up(keys: Keys, listed: Keys, gains: Scores) -> Scores:
    """The gains of keys in an ascending list; 0 for those that it does not hold."""
    if not len(listed):
        return np.zeros(len(keys))
    places = np.minimum(np.searchsorted(listed, keys), len(listed) - 1)
    return np.where(listed[places] == keys, gains[places], 0.0)


def _between(keys: Keys, gains: Scores, bounds: range) -> tuple[Keys, Scores]:
    first, last = np.searchsorted(keys, [bounds.start, bounds.stop])
    return keys[first:last], gains[first:last]


def _only(keys: Keys, gains: Scores, files: frozenset[int]) -> tuple[Keys, Scores]:
    inside = in_files(keys, files)
    return keys[inside], gains[inside]


def _summed(lists: Sequence[tuple[Keys, Scores]]) -> tuple[Keys, Scores]:
    """Each key of several ascending lists once, with the sum of its gains."""
    some = [one for one in lists if len(one[0])]
    if not some:
        return np.empty(0, np.int64), np.empty(0)
    if len(some) == 1:
        return some[0]
    every = np.concatenate([keys for keys, _ in some])
    # A sort that makes use of what is in order already.
    order = np.argsort(every, kind="stable")
    every = every[order]
    firsts = np.flatnonzero(np.diff(every, prepend=every[0] - 1))
    gains = np.concatenate([gains for _, gains in some])
    return every[firsts], np.add.reduceat(gains[order], firsts)


def _beside(keys: Keys) -> Keys:
    """Passages some places before and behind others, in the same file: their chunks are neighbours."""
    every = (keys[:, None] + np.array([-_REACH, _REACH])).ravel()
    of_file: Keys = every[every // FILE_SPAN == np.repeat(keys // FILE_SPAN, 2)]
    return of_file


def _gains(one: _Scored, live: Live) -> Scores:
    posting = one.posting
    often = posting.text * np.float32(_WORDS.in_text)
    if posting.head.any():
        often += posting.head * np.float32(_WORDS.in_head)
    gains = saturate(often, length_norms(posting.lengths, live.average_length))
    gains *= np.float32(idf(live.passages, min(one.count, live.passages)))
    return gains


def _blocks(place: Place, files: frozenset[int]) -> list[int]:
    """The first files of the blocks that hold these files."""
    return [
        block
        for (block,) in run(
            place.db,
            place.sql("SELECT DISTINCT block FROM {files} WHERE generation = %s AND id = ANY(%s)"),
            (place.generation, sorted(files)),
        )
    ]
