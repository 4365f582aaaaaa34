"""The keyword leg of a large table: LanceDB's own full-text index gives candidates, BM25 judges them.

The index is over our own terms, cut at white space and changed in no way. It ranks whole chunks; their
passages are scored here, by figures of the whole table: exact for rare terms, which the index can
count, and estimated from a sample for common ones, of which the weight hardly depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from lancedb.index import FTS, BTree, IvfPq
from lancedb.query import MatchQuery

from memdown.index.bm25 import dampening, gained, rarity, reachable
from memdown.index.lancedb.reading import by_key, read
from memdown.index.packing import source_keys
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postings import NewPassage
from memdown.types import Match, Source, TextMatches, TextQuery, Vector

# From so many rows on a process asks the index and holds no copy.
LARGE = 5_000
# From so many on vectors have an index of their own; comparing all takes too long then.
MANY = 100_000
_CANDIDATES = 300
_SAMPLE = 1_500
# A term that stands in so many chunks is common: the sample tells how common.
_MOST_COUNTED = 2_000
_FEW_IN_SAMPLE = 8
# Of more terms than this, as when spellings are tried, only the sample and the candidates tell.
_MOST_ASKED = 24
_EVERY = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Figures:
    """What a sample tells of a table: passages in all, their length, common terms, a mean vector.

    `share` is how much of the table the sample is; `held` counts the passages of it with a term.
    """

    passages: float
    average: float
    share: float
    held: Counter[str]
    middles: dict[Source, Vector]


def has_index(table: Any) -> bool:
    """Whether a table's terms can be searched by LanceDB itself."""
    return any(index.columns == ["terms"] for index in table.list_indices())


def make_indexes(table: Any) -> None:
    """Make the indexes that a large table lacks: by key, by term, and over very many vectors."""
    rows = table.count_rows()
    if rows <= LARGE:
        return
    there = {tuple(index.columns) for index in table.list_indices()}
    if ("key",) not in there:
        table.create_index("key", config=BTree(), replace=False)
    if ("terms",) not in there:
        words = FTS(
            base_tokenizer="whitespace",
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        table.create_index("terms", config=words, replace=False)
    if rows > MANY and "embedding" in table.schema.names and ("embedding",) not in there:
        table.create_index("embedding", config=IvfPq(distance_type="cosine"), replace=False)


def look(table: Any, dims: int | None) -> Figures:
    """What a sample of evenly drawn chunks tells of a table."""
    keys = np.sort(read(table, "key >= 0", ["key"])["key"].to_numpy())
    drawn = keys[:: max(1, len(keys) // _SAMPLE)]
    columns = ["key", "terms", *(["embedding"] if dims else [])]
    rows = by_key(table, drawn.tolist(), columns)
    held: Counter[str] = Counter()
    passages = tokens = 0
    for row in rows:
        for one in _passages(row["key"], row["terms"]):
            held.update({*one.text, *one.head})
            passages += 1
            tokens += len(one.text) + len(one.head)
    share = max(1, len(rows)) / max(1, len(keys))
    return Figures(
        max(1.0, passages / share),
        tokens / max(1, passages),
        share,
        held,
        {source: _middle(rows, source, dims) for source in ("memory", "sessions")} if dims else {},
    )


def match(table: Any, query: TextQuery, figures: Figures) -> tuple[TextMatches, dict[int, int]]:
    """The best passages among the candidates, and the chunk of each."""
    terms = list(dict.fromkeys([*query.words, *(t for phrase in query.phrases for t in phrase)]))
    if not terms:
        return TextMatches((), 0.0), {}
    rows = _candidates(table, terms, query)
    passages: list[NewPassage] = []
    chunk_of: dict[int, int] = {}
    for row in rows:
        some = _passages(row["key"], row["terms"])
        passages += some
        chunk_of |= dict.fromkeys((one.key for one in some), row["key"])
    places = _places(passages, frozenset(terms))
    frequencies = {
        term: _frequency(table, term, figures, len(places.get(term, ())), len(terms))
        for term in terms
    }
    total = round(figures.passages)
    most = reachable(query, [round(frequencies[word]) for word in query.words], total)
    lengths = np.array([len(one.text) + len(one.head) for one in passages], np.int32)
    damp = dampening(lengths, figures.average)
    scores = np.zeros(len(passages))
    for held, found in _units(query, passages, places, frequencies):
        if held:
            at = np.fromiter(held.keys(), np.int64, len(held))
            often = np.fromiter(held.values(), np.float64, len(held))
            weight = rarity(figures.passages, min(found, figures.passages))
            scores[at] += weight * gained(often, damp[at])
    order = sorted((-score, one.key) for score, one in zip(scores, passages, strict=True) if score)
    best = tuple(Match(key, -score) for score, key in order[: query.limit])
    return TextMatches(best, most), chunk_of


def _candidates(table: Any, terms: Sequence[str], query: TextQuery) -> list[dict[str, Any]]:
    if query.files is not None and not query.files:
        return []
    found: list[dict[str, Any]] = []
    for source in query.sources:
        bounds = source_keys(source)
        where = f"key >= {bounds.start} AND key < {bounds.stop}"
        if query.files is not None:
            where += f" AND file IN ({', '.join(map(str, sorted(query.files)))})"
        found += (
            _asked(table, terms)
            .where(where, prefilter=True)
            .limit(max(_CANDIDATES, query.limit))
            .select(["key", "terms", "_score"])
            .to_arrow()
            .to_pylist()
        )
    return found


def _asked(table: Any, terms: Sequence[str]) -> Any:
    query = MatchQuery(" ".join(terms), "terms")  # type: ignore[call-arg]
    return table.search(query, query_type="fts")


def _places(passages: Sequence[NewPassage], wanted: frozenset[str]) -> dict[str, dict[int, float]]:
    """Of the terms asked for the passages that hold them, by their place, and how often, by weight."""
    places: dict[str, dict[int, float]] = {}
    for number, one in enumerate(passages):
        for terms, weight in ((one.text, TEXT_WEIGHT), (one.head, HEAD_WEIGHT)):
            for term in wanted.intersection(terms):
                held = places.setdefault(term, {})
                held[number] = held.get(number, 0.0) + weight * terms.count(term)
    return places


def _frequency(table: Any, term: str, figures: Figures, here: int, asked: int) -> float:
    """In about how many passages a term stands; counted where it is rare."""
    drawn = figures.held.get(term, 0)
    if drawn >= _FEW_IN_SAMPLE:
        return max(drawn / figures.share, here)
    if asked > _MOST_ASKED or here < _CANDIDATES:
        # All chunks that hold so rare a term are among the candidates.
        return float(here)
    counted = _asked(table, [term]).limit(_MOST_COUNTED).select(["key", "_score"]).to_arrow()
    return float(max(here, len(counted)))


def _units(
    query: TextQuery,
    passages: Sequence[NewPassage],
    places: dict[str, dict[int, float]],
    frequencies: dict[str, float],
) -> list[tuple[dict[int, float], float]]:
    """For everything that is asked for, which passages hold it how often, and how common it is."""
    units = [(places.get(word, {}), frequencies[word]) for word in query.words]
    for prefix in query.prefixes:
        held = _counted(passages, lambda text, p=prefix: sum(t.startswith(p) for t in text))  # type: ignore[misc]
        known = (frequencies[word] for word in query.words if word.startswith(prefix))
        units.append((held, max(float(len(held)), max(known, default=0.0))))
    for phrase in query.phrases:
        if len(phrase) > 1:
            held = _counted(passages, lambda text, p=phrase: _occurrences(text, p))  # type: ignore[misc]
            units.append((held, float(len(held))))
    return units


def _counted(
    passages: Sequence[NewPassage], count: Callable[[Sequence[str]], int]
) -> dict[int, float]:
    each = ((number, count(one.text)) for number, one in enumerate(passages))
    return {number: TEXT_WEIGHT * often for number, often in each if often}


def _occurrences(text: Sequence[str], phrase: tuple[str, ...]) -> int:
    size = len(phrase)
    return sum(
        text[n] == phrase[0] and tuple(text[n : n + size]) == phrase
        for n in range(len(text) - size + 1)
    )


def _passages(key: int, terms: str) -> list[NewPassage]:
    halves = (line.partition("\t") for line in terms.split("\n")) if terms else ()
    return [
        NewPassage(number, text.split(), head.split())
        for number, (text, _, head) in enumerate(halves, start=key)
    ]


def _middle(rows: Sequence[dict[str, Any]], source: Source, dims: int | None) -> Vector:
    bounds = source_keys(source)
    mine = [row["embedding"] for row in rows if row["key"] in bounds and row["embedding"]]
    if not mine:
        return np.zeros(dims or 1, np.float32)
    mean: Vector = np.array(mine, np.float32).mean(axis=0, dtype=np.float32)
    return mean
