"""The keyword leg: passages as lists of our own terms in FTS5, ranked by BM25.

FTS5 never sees raw text, neither when indexing nor in a query: terms are made by `memdown.text`
and quoted, so no text can be a syntax error or an operator.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from memdown.stores.passages import HEAD_WEIGHT, TEXT_WEIGHT, passage_terms
from memdown.stores.reach import reachable
from memdown.stores.sqlite.connection import one, run
from memdown.stores.sqlite.keys import source_keys
from memdown.text import without_stop_words
from memdown.types import Chunk, Match, TextMatches, TextQuery

_RANK = f"bm25({TEXT_WEIGHT}, {HEAD_WEIGHT})"


def insert(db: apsw.Connection, prefix: str, key: int, chunk: Chunk) -> None:
    """Index a chunk's passages, with file name and headings, under the numbers from `key` on."""
    for number, (text, head) in enumerate(passage_terms(chunk), start=key):
        run(
            db,
            f"INSERT INTO {prefix}chunks_fts(rowid, text, head) VALUES (?, ?, ?)",
            (number, " ".join(text), " ".join(head)),
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
    parts += [f"{{text}} : {_quoted(prefix)} *" for prefix in query.prefixes]
    phrases = [without_stop_words(phrase) for phrase in query.phrases]
    parts += [f"{{text}} : {_quoted(*phrase)}" for phrase in phrases if len(phrase) > 1]
    return " OR ".join(parts)


def _quoted(*terms: str) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'


def _reachable(db: apsw.Connection, query: TextQuery) -> float:
    total = int(one(db, "SELECT count(*) FROM chunks_fts_docsize"))
    return reachable(query, document_frequencies(db, query.words), total)


def document_frequencies(db: apsw.Connection, terms: Sequence[str]) -> list[int]:
    """In how many passages each term occurs."""
    run(
        db,
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row)",
    )
    sql = "SELECT doc FROM temp.vocabulary WHERE term = ?"
    return [int(one(db, sql, (term,)) or 0) for term in terms]
