"""The keyword leg: passages as lists of our own terms in FTS5, ranked by BM25.

FTS5 never sees raw text, neither when indexing nor in a query: terms are made by `memdown.text`
and quoted, so no text can be a syntax error or an operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import FEW
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT, joined_terms
from memdown.index.postings import Holders
from memdown.index.reach import reachable
from memdown.index.reader import Unit
from memdown.index.sqlite.connection import one, run
from memdown.index.sqlite.keys import as_numbers, numbers_in, source_keys
from memdown.types import FILE_SPAN, Chunk, Match, TextMatches, TextQuery

_MARK = 0x80
_COLUMNS = 2
_LAST_CHARACTER = "\U0010ffff"
_RANK = f"bm25({TEXT_WEIGHT}, {HEAD_WEIGHT})"


def insert(db: apsw.Connection, prefix: str, chunks: Iterable[tuple[int, Chunk]]) -> None:
    """Index the passages of chunks, with file name and headings, from each one's number on."""
    db.executemany(
        f"INSERT INTO {prefix}chunks_fts(rowid, text, head) VALUES (?, ?, ?)",
        (
            (number, text, head)
            for key, chunk in chunks
            for number, (text, head) in enumerate(joined_terms(chunk), start=key)
        ),
    ).fetchall()


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
    some = "" if query.files is None else f"AND rowid / {FILE_SPAN} IN {numbers_in('?6')} "
    files = () if query.files is None else (as_numbers(query.files),)
    for keys in _ranges(query):
        rows += run(
            db,
            "SELECT rowid, rank FROM chunks_fts WHERE chunks_fts MATCH ?1 AND rank MATCH ?2 "
            f"AND rowid >= ?3 AND rowid < ?4 {some}ORDER BY rank LIMIT ?5",
            (expression, _RANK, keys.start, keys.stop, query.limit, *files),
        )
    rows.sort(key=lambda row: row[1])
    matches = tuple(Match(key, -rank) for key, rank in rows[: query.limit])
    return TextMatches(matches, _reachable(db, query))


def _ranges(query: TextQuery) -> list[range]:
    return [source_keys(source) for source in query.sources]


def _expression(query: TextQuery) -> str:
    parts = [f"{{text head}} : {_quoted(word)}" for word in query.words]
    parts += [f"{{text}} : {_quoted(prefix)} *" for prefix in query.prefixes]
    parts += [f"{{text}} : {_quoted(*phrase)}" for phrase in query.phrases if len(phrase) > 1]
    return " OR ".join(parts)


def _quoted(*terms: str) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'


def _reachable(db: apsw.Connection, query: TextQuery) -> float:
    total = int(one(db, "SELECT count(*) FROM chunks_fts_docsize"))
    return reachable(query, document_frequencies(db, query.words), total)


def are_few(db: apsw.Connection) -> bool:
    """Whether there are so few passages that FTS5 cannot tell which words are rare."""
    sql = "SELECT 1 FROM chunks_fts_docsize LIMIT 1 OFFSET ?"
    return not run(db, sql, (FEW - 1,))


def read_lengths(db: apsw.Connection) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The numbers of all passages in order, and how many terms each has."""
    ((numbers, packed),) = run(
        db,
        "SELECT group_concat(id), group_concat(hex(sz), '') "
        "FROM (SELECT id, sz FROM chunks_fts_docsize ORDER BY id)",
    )
    keys = _numbers(numbers)
    sizes = _varints(bytes.fromhex(packed or "")).reshape(len(keys), _COLUMNS)
    return keys, sizes.sum(axis=1, dtype=np.int32)


def _numbers(text: str | None) -> NDArray[np.int64]:
    """Numbers that SQLite joined by commas: reading a row for each would take three times as long."""
    return np.fromstring(text or "", np.int64, sep=",")


def _varints(data: bytes) -> NDArray[np.int64]:
    """Numbers as SQLite packs them: seven bits a byte, the highest first, the last without a mark."""
    parts = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(parts < _MARK)
    number_of = np.zeros(len(parts), np.int64)
    number_of[ends[:-1] + 1] = 1
    number_of = np.cumsum(number_of)
    shifts = 7 * (ends[number_of] - np.arange(len(parts)))
    values = (parts & (_MARK - 1)).astype(np.int64) << shifts
    return np.bincount(number_of, weights=values, minlength=len(ends)).astype(np.int64)


def holders(db: apsw.Connection, unit: Unit) -> Holders:
    """The passages that hold a word, a prefix or a phrase."""
    run(
        db,
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances "
        "USING fts5vocab(main, chunks_fts, instance)",
    )
    if unit.kind == "word":
        sql = "SELECT group_concat(iif(col = 'head', -doc, doc)) FROM temp.instances WHERE term = ?"
        return _counted(_numbers(one(db, sql, unit.terms)))
    if unit.kind == "prefix":
        sql = (
            "SELECT group_concat(doc) FROM temp.instances "
            "WHERE term >= ? AND term < ? AND col = 'text'"
        )
        bounds = (unit.terms[0], unit.terms[0] + _LAST_CHARACTER)
        return _counted(_numbers(one(db, sql, bounds)))
    places = _phrase_places(db, unit.terms)
    return _counted(np.array([key for key, _ in places], np.int64))


def _phrase_places(db: apsw.Connection, terms: Sequence[str]) -> set[tuple[int, int]]:
    """Where a phrase begins: passages and places in them."""
    # FTS5 finds the few passages; only how often they hold the phrase must be counted.
    expression = f"{{text}} : {_quoted(*terms)}"
    sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?"
    within = np.array([key for (key,) in run(db, sql, (expression,))], np.int64)
    places: set[tuple[int, int]] = set()
    for number, term in enumerate(terms if len(within) else ()):
        begins = _begins(db, term, number, within)
        places = begins if number == 0 else places & begins
    return places


def _begins(
    db: apsw.Connection, term: str, number: int, within: NDArray[np.int64]
) -> set[tuple[int, int]]:
    """Where a phrase would begin whose word with this number is the term, in some passages."""
    sql = (
        "SELECT group_concat(doc), group_concat(offset) FROM temp.instances "
        "WHERE term = ? AND col = 'text'"
    )
    ((keys, offsets),) = run(db, sql, (term,))
    docs = _numbers(keys)
    inside = np.isin(docs, within)
    begins = _numbers(offsets)[inside] - number
    return set(zip(docs[inside].tolist(), begins.tolist(), strict=True))


def _counted(places: NDArray[np.int64]) -> Holders:
    """Each passage once, with the weight of all its places; those in a head are negative."""
    if not len(places):
        return Holders(places, np.empty(0, np.float32))
    keys, numbers = np.unique(np.abs(places), return_inverse=True)
    weights = np.where(places < 0, HEAD_WEIGHT, TEXT_WEIGHT)
    often = np.bincount(numbers, weights=weights, minlength=len(keys))
    return Holders(keys, often.astype(np.float32))


def document_frequencies(db: apsw.Connection, terms: Sequence[str]) -> list[int]:
    """In how many passages each term occurs."""
    run(
        db,
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row)",
    )
    sql = "SELECT doc FROM temp.vocabulary WHERE term = ?"
    return [int(one(db, sql, (term,)) or 0) for term in terms]
