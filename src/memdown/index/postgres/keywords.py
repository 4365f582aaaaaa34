"""The keyword leg: the posting lists of what is asked for, scored by BM25.

What is asked of a large index is read from the rarest word on, as far as a budget allows: the words
that are left out then stand in so many passages that they tell little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import dampening, gained, rarity, reachable
from memdown.index.packing import source_keys
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postgres import postings
from memdown.index.postgres.connection import Place, run
from memdown.index.postgres.postings import NOTHING, Posting, unpack_terms
from memdown.index.similarity import highest, in_files
from memdown.types import FILE_SPAN, Match, TextMatches, TextQuery

# How many postings one search may read, 8 bytes each.
BUDGET = 1_500_000
# From so many passages on it is worth asking first how long the lists are.
_MANY_PASSAGES = 300_000
# A phrase is looked for in so many passages that hold all of its words.
_MOST_PHRASES = 400


@dataclass(frozen=True, slots=True)
class Totals:
    """What an index holds: passages, and terms in all of them."""

    passages: int
    tokens: int

    @property
    def average(self) -> float:
        """How many terms a passage has."""
        return self.tokens / self.passages if self.passages else 1.0


@dataclass(frozen=True, slots=True)
class _Held:
    """The passages that hold one thing, how often by weight, and in how many of all it stands."""

    keys: NDArray[np.int64]
    often: NDArray[np.float32]
    lengths: NDArray[np.int32]
    found: float


def match(place: Place, query: TextQuery, totals: Totals) -> TextMatches:
    """The best passages that hold any of the query's words, prefixes or phrases."""
    if not totals.passages:
        return TextMatches((), 0.0)
    phrases = [phrase for phrase in query.phrases if len(phrase) > 1]
    words = list(dict.fromkeys([*query.words, *(term for one in phrases for term in one)]))
    prefixes: Sequence[str] = query.prefixes
    known: dict[str, int] | None = None
    blocks = None
    if query.files is not None or totals.passages > _MANY_PASSAGES:
        known = postings.counts(place, words, prefixes)
        if query.files is not None:
            blocks = _blocks(place, query.files)
        else:
            words, prefixes = _affordable(words, prefixes, known)
    read = postings.read(place, words, prefixes, blocks)
    lists = {word: read[word][0][1] if read.get(word) else NOTHING for word in words}
    frequencies = known or {word: len(one.keys) for word, one in lists.items()}
    most = reachable(query, [frequencies.get(word, 0) for word in query.words], totals.passages)
    held = [
        _Held(one.keys, TEXT_WEIGHT * one.text + HEAD_WEIGHT * one.head, one.lengths, found)
        for word in query.words
        if (one := lists.get(word)) is not None and (found := frequencies.get(word, 0))
    ]
    held += [_prefix(read.get(f"{prefix}*", []), prefix, known) for prefix in prefixes]
    held += [_phrase(place, phrase, lists) for phrase in phrases]
    return TextMatches(_best(held, query, totals), most)


def _affordable(
    words: Sequence[str], prefixes: Sequence[str], known: dict[str, int]
) -> tuple[list[str], list[str]]:
    """The words and prefixes with the shortest lists, up to the budget; the shortest in any case."""
    cost = {**{word: known.get(word, 0) for word in words}}
    cost |= {f"{prefix}*": known.get(f"{prefix}*", 0) for prefix in prefixes}
    chosen: set[str] = set()
    spent = 0
    for name in sorted(cost, key=lambda name: cost[name]):
        if spent and spent + cost[name] > BUDGET:
            break
        spent += cost[name]
        chosen.add(name)
    return (
        [word for word in words if word in chosen],
        [prefix for prefix in prefixes if f"{prefix}*" in chosen],
    )


def _prefix(
    lists: Sequence[tuple[str, Posting]], prefix: str, known: dict[str, int] | None
) -> _Held:
    """The passages whose text holds a term with a prefix, each once."""
    every = Posting.joined([one for _, one in lists])
    inside = every.text > 0
    keys, places = np.unique(every.keys[inside], return_inverse=True)
    often = np.bincount(places, every.text[inside], minlength=len(keys)).astype(np.float32)
    lengths = np.zeros(len(keys), np.int32)
    lengths[places] = every.lengths[inside]
    found = float(len(keys)) if known is None else float(max(len(keys), known.get(f"{prefix}*", 0)))
    return _Held(keys, TEXT_WEIGHT * often, lengths, found)


def _phrase(place: Place, phrase: tuple[str, ...], lists: dict[str, Posting]) -> _Held:
    """The passages whose text holds terms in order; verified by the terms stored with their chunks."""
    each = [lists.get(term, NOTHING) for term in phrase]
    rarest = min(each, key=lambda one: len(one.keys))
    keys = rarest.keys
    for one in each:
        keys = keys[np.isin(keys, one.keys[one.text > 0])]
    keys = keys[:_MOST_PHRASES]
    counts = _occurrences(place, phrase, keys.tolist())
    often = np.array([counts.get(key, 0) for key in keys.tolist()], np.float32)
    lengths = rarest.lengths[np.searchsorted(rarest.keys, keys)]
    some = often > 0
    return _Held(
        keys[some], TEXT_WEIGHT * often[some], lengths[some], float(np.count_nonzero(some))
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
        (list(keys), place.generation),
        binary=True,
    )
    wanted, size, found = set(keys), len(phrase), {}
    for key, packed in rows:
        for one in unpack_terms(key, packed):
            if one.key in wanted:
                starts = range(len(one.text) - size + 1)
                found[one.key] = sum(tuple(one.text[n : n + size]) == phrase for n in starts)
    return found


def _best(held: Sequence[_Held], query: TextQuery, totals: Totals) -> tuple[Match, ...]:
    held = [one for one in held if len(one.keys)]
    if not held:
        return ()
    keys, places = np.unique(np.concatenate([one.keys for one in held]), return_inverse=True)
    gains = [
        gained(one.often, dampening(one.lengths, totals.average))
        * rarity(totals.passages, min(one.found, totals.passages))
        for one in held
    ]
    scores: NDArray[np.float64] = np.bincount(
        places, weights=np.concatenate(gains), minlength=len(keys)
    ).astype(np.float64, copy=False)
    within = np.zeros(len(keys), bool)
    for source in query.sources:
        bounds = source_keys(source)
        within |= (keys >= bounds.start) & (keys < bounds.stop)
    if query.files is not None:
        within &= in_files(keys, query.files)
    # All sources count in what is rare, so they are left out only now.
    scores *= within
    best = highest(scores, query.limit, above=0.0)
    order = sorted(zip((-scores[best]).tolist(), keys[best].tolist(), strict=True))
    return tuple(Match(key, -score) for score, key in order[: query.limit])


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


def chunk_keys(place: Place, passages: Sequence[int]) -> dict[int, int]:
    """The chunk of each passage: the one with the largest number not above it."""
    return dict(
        run(
            place.db,
            place.sql(
                "SELECT p, (SELECT key FROM {chunks} WHERE generation = %s AND key <= p "
                "ORDER BY key DESC LIMIT 1) FROM unnest(%s::bigint[]) AS p"
            ),
            (place.generation, list(passages)),
        )
    )


def file_of(key: int) -> int:
    """The number of the file of a passage or chunk."""
    return key // FILE_SPAN
