"""The keyword leg: passages as lists of our own terms in FTS5, ranked by BM25.

FTS5 never sees raw text, neither when indexing nor in a query: terms are made by `memdown.text`
and quoted, so no text can be a syntax error or an operator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import apsw

from memdown.stores.sqlite.connection import one, run
from memdown.stores.sqlite.keys import source_keys
from memdown.text import index_terms, prefix_terms
from memdown.types import Chunk, Match, TextMatches, TextQuery

TEXT_WEIGHT, HEAD_WEIGHT, PREFIX_WEIGHT = 1.0, 0.3, 0.3
_RANK = f"bm25({TEXT_WEIGHT}, {HEAD_WEIGHT}, {PREFIX_WEIGHT})"
_K1 = 1.2


def insert(db: apsw.Connection, prefix: str, key: int, chunk: Chunk) -> None:
    """Index a chunk's passages under the numbers from `key` on."""
    name = chunk.path.removesuffix(".md").removesuffix(".jsonl")
    for number, passage in enumerate(chunk.passages, start=key):
        terms = index_terms(chunk.text[passage.start : passage.end])
        run(
            db,
            f"INSERT INTO {prefix}chunks_fts(rowid, text, head, prefix) VALUES (?, ?, ?, ?)",
            (
                number,
                " ".join(terms),
                " ".join(index_terms(f"{name} {passage.heading}")),
                " ".join(prefix_terms(terms)),
            ),
        )


def delete(db: apsw.Connection, prefix: str, keys: range) -> None:
    """Forget passages."""
    # The shadow table tells which rows exist; the contentless index itself cannot be listed fast.
    run(
        db,
        f"DELETE FROM {prefix}chunks_fts WHERE rowid IN "
        f"(SELECT id FROM {prefix}chunks_fts_docsize WHERE id >= ? AND id < ?)",
        (keys.start, keys.stop),
    )


def match(db: apsw.Connection, query: TextQuery) -> TextMatches:
    """The best passages that hold any of the query's words, prefixes or phrases."""
    expression = _expression(query)
    if not expression:
        return TextMatches((), 0.0)
    rows: list[tuple[int, float]] = []
    for keys in _ranges(query):
        rows += run(
            db,
            "SELECT rowid, rank FROM chunks_fts WHERE chunks_fts MATCH ? AND rank MATCH ? "
            "AND rowid >= ? AND rowid < ? ORDER BY rank LIMIT ?",
            (expression, _RANK, keys.start, keys.stop, query.limit),
        )
    rows.sort(key=lambda row: row[1])
    matches = tuple(Match(key, -rank) for key, rank in rows[: query.limit])
    return TextMatches(matches, _reachable(db, query))


def _ranges(query: TextQuery) -> list[range]:
    return [source_keys(source) for source in query.sources]


def _expression(query: TextQuery) -> str:
    parts = [f"{{text head}} : {_quoted(word)}" for word in query.words]
    parts += [f"{{prefix}} : {_quoted(prefix)}" for prefix in query.prefixes]
    parts += [f"{{text}} : {_quoted(*phrase)}" for phrase in query.phrases if len(phrase) > 1]
    return " OR ".join(parts)


def _quoted(*terms: str) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'


def _reachable(db: apsw.Connection, query: TextQuery) -> float:
    """What a passage of average length would score that holds every word and prefix once."""
    total = int(one(db, "SELECT count(*) FROM chunks_fts_docsize"))
    words = _rarity(db, total, query.words)
    prefixes = _rarity(db, total, query.prefixes)
    return words * _share(TEXT_WEIGHT) + prefixes * _share(PREFIX_WEIGHT)


def _share(weight: float) -> float:
    return weight * (_K1 + 1) / (weight + _K1)


def _rarity(db: apsw.Connection, total: int, terms: Iterable[str]) -> float:
    """The sum of the terms' inverse document frequencies, as FTS5 computes them."""
    return sum(
        max(1e-6, math.log((total - found + 0.5) / (found + 0.5)))
        for found in document_frequencies(db, list(terms))
    )


def document_frequencies(db: apsw.Connection, terms: Sequence[str]) -> list[int]:
    """In how many passages each term occurs."""
    run(
        db,
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row)",
    )
    sql = "SELECT doc FROM temp.vocabulary WHERE term = ?"
    return [int(one(db, sql, (term,)) or 0) for term in terms]
