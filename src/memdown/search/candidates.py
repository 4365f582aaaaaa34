"""Query → candidates: which passages of a reader are scored, and what the index says of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import simsimd
from numpy.typing import NDArray

from memdown.index.bm25 import idf, saturate
from memdown.index.passage_vectors import shorten
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.reader import Mask, Posting, Quantised, Reader, Rows, Unit, quantise, word
from memdown.search.tuning import Tuning
from memdown.text import Alternative, QueryTerms, prefix_terms, verb_beginnings
from memdown.types import SOURCES, Source, Vector
from memdown.values import dataclass

Floats = NDArray[np.float32]

# A prefix is found with its word and scores about half as much.
_PREFIX_REACH = 0.5
# Below one passage in so many, it pays to put those that are found in order.
_FEW_FOUND = 16


class UnitPosting(NamedTuple):
    """One unit of a query with its posting list; `number` is the place of its word, -1 for a phrase."""

    number: int
    unit: Unit
    posting: Posting
    idf: float
    # What it counts: below 1 for a word that only means about the same; `defined`: the notes say that it does.
    weight: float = 1.0
    defined: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is a word of the question itself."""
        return self.unit.kind == "word" and self.weight == 1.0


@dataclass(frozen=True, eq=False)
class Candidates:
    """The passages that are scored: `rows` int32 (n,), ascending.

    `text` float32 (P,) is BM25 of every passage of the index; `reachable` what a passage with every word
    once would score. `chunk_similarity` and `passage_similarity` float32 (n,) are cosines, None without
    vectors; `chunk_background` and `passage_background` those of an average text. `chunks` is how
    many chunks might be found. `passage_vectors` are those of the n candidates.
    """

    rows: Rows
    text: Floats
    reachable: float
    looked: Sequence[UnitPosting]
    chunk_similarity: Floats | None
    chunk_background: float
    passage_similarity: Floats | None
    passage_background: float
    chunks: int
    passage_vectors: Quantised | None = None


def look_up(terms: QueryTerms, reader: Reader) -> list[UnitPosting]:
    """The posting lists of all that a query looks for; what no passage holds is among them."""
    prefixes = set(terms.prefixes)
    found = []
    for number, term in enumerate(terms.words):
        found.append(_looked(number, word(term), reader))
        for prefix in (*prefix_terms([term]), *verb_beginnings(term)):
            if prefix in prefixes:
                prefixes.discard(prefix)
                found.append(_looked(number, Unit("prefix", (prefix,)), reader))
    places = {term: number for number, term in enumerate(terms.words)}
    found += [
        _instead(places[other.word], other, reader)._replace(weight=other.weight)
        for other in terms.alternatives
        if other.word in places and not places.keys() >= set(other.terms)
    ]
    phrases = (Unit("phrase", phrase) for phrase in terms.phrases if len(phrase) > 1)
    return [*found, *(_looked(-1, phrase, reader) for phrase in phrases)]


def _looked(number: int, unit: Unit, reader: Reader) -> UnitPosting:
    posting = reader.posting(unit)
    return UnitPosting(number, unit, posting, idf(reader.count, reader.document_frequency(unit)))


def _instead(number: int, other: Alternative, reader: Reader) -> UnitPosting:
    """What may stand for a word; a defined form only where the word does not, and where all of it does."""
    units = list(map(word, other.terms))
    if len(units) == 1 and not other.defined:
        return _looked(number, units[0], reader)
    rows = reader.posting(units[0]).rows
    for unit in units[1:]:
        rows = np.intersect1d(rows, reader.posting(unit).rows, assume_unique=True)
    if other.defined:
        rows = np.setdiff1d(rows, reader.posting(word(other.word)).rows, assume_unique=True)
    once = np.ones(len(rows), np.float32)
    frequency = min(map(reader.document_frequency, units))
    unit = units[0] if len(units) == 1 else Unit("phrase", other.terms)
    posting = Posting(rows, once, np.zeros(len(rows), np.float32))
    return UnitPosting(number, unit, posting, idf(reader.count, frequency), defined=other.defined)


def text_scores(looked: Sequence[UnitPosting], reader: Reader) -> Floats:
    """BM25 of every passage, float32 (P,).

    Rows of a posting list are distinct, so that adding by index counts each once.
    """
    scores = np.zeros(len(reader.passage_file), np.float32)
    for one in looked:
        rows, text, head = one.posting
        if len(rows):
            often = np.float32(TEXT_WEIGHT) * text + np.float32(HEAD_WEIGHT) * head
            norms = reader.length_norms.take(rows)
            scores[rows] += np.float32(one.idf * one.weight) * saturate(often, norms)
    return scores


def reachable(looked: Sequence[UnitPosting]) -> float:
    """What a passage of average length would score that holds every word once."""
    total = 0.0
    for one in looked:
        if one.is_word:
            total += one.idf
        elif one.unit.kind == "prefix" and len(one.posting.rows):
            total += _PREFIX_REACH * one.idf
    return total


def file_mask(
    reader: Reader, sources: Sequence[Source], numbers: frozenset[int] | None = None
) -> Mask | None:
    """The files of some sources, or those of them with these numbers, bool (F,); None if they are all."""
    if numbers is None and reader.sources.issubset(sources):
        return None
    mask: Mask = np.isin(reader.file_source, [SOURCES.index(source) for source in sources])
    if numbers is not None:
        mask = mask & np.isin(reader.file_number, np.fromiter(numbers, np.int64, len(numbers)))
    return None if mask.all() else mask


def allowed_rows(reader: Reader, files: Mask | None) -> Mask | None:
    """Which passages may be found, bool (P,); None if all of them."""
    if files is None:
        return None if reader.is_unstruck else reader.alive
    return files[reader.passage_file] & reader.alive


def similarities(reader: Reader, vector: Vector) -> Floats:
    """The cosine of every chunk, float32 (C,); 0 for one without a vector."""
    vectors = reader.chunk_vectors
    if vectors is None or not len(vectors.scale):
        return np.zeros(len(reader.chunk_key), np.float32)
    return products(vectors, vector)


def products(vectors: Quantised, vector: Vector) -> Floats:
    """The dot products of n vectors with one, float32 (n,)."""
    asked = quantise(vector[None, :])
    dots = np.asarray(simsimd.cdist(asked.numbers, vectors.numbers, "dot"), np.float32)[0]
    found: Floats = dots * (vectors.scale * asked.scale[0])
    return found


def find(
    terms: QueryTerms,
    vector: Vector | None,
    reader: Reader,
    files: Mask | None,
    tuning: Tuning,
    extra: Rows | None = None,
) -> Candidates:
    """The candidates among the passages of some `files`, bool (F,), or of all; `extra` are always in."""
    looked = look_up(terms, reader)
    text = text_scores(looked, reader)
    within = allowed_rows(reader, files)
    if within is not None:
        text *= within
    by_chunk = background = None
    chunk_count = reader.chunk_count(files)
    if vector is not None and reader.chunk_vectors is not None and chunk_count:
        by_chunk = similarities(reader, vector)
        there = reader.embedded_within(files)
        if there is None:
            background = reader.chunk_background(by_chunk, vector, files)
        elif there.any():
            background = reader.chunk_background(by_chunk, vector, files)
            by_chunk = np.where(there, by_chunk, np.float32(-1))
        else:
            by_chunk = None
    rows = _pool(reader, looked, text, by_chunk, within, tuning)
    if extra is not None and len(extra):
        rows = np.union1d(rows, extra).astype(np.int32)
    passages = _passages(reader, rows, vector if by_chunk is not None else None)
    return Candidates(
        rows=rows,
        text=text,
        reachable=reachable(looked),
        looked=looked,
        chunk_similarity=None if by_chunk is None else by_chunk[reader.passage_chunk[rows]],
        chunk_background=background or 0.0,
        passage_similarity=passages.similarity,
        passage_background=passages.background,
        chunks=chunk_count,
        passage_vectors=passages.vectors,
    )


def _pool(
    reader: Reader,
    looked: Sequence[UnitPosting],
    text: Floats,
    by_chunk: Floats | None,
    within: Mask | None,
    tuning: Tuning,
) -> Rows:
    """The rows that are scored: all of few, else the best of each leg; ascending."""
    if len(text) <= tuning.pool_all:
        if within is None:
            return np.arange(len(text), dtype=np.int32)
        return np.flatnonzero(within).astype(np.int32)
    parts = [_highest(_found_rows(looked, text), text, tuning.pool_text)]
    if by_chunk is not None:
        near = _highest(np.flatnonzero(by_chunk > -1), by_chunk, tuning.pool_chunks)
        parts.append(_passages_of(reader, near))
    rows = _distinct(np.concatenate(parts)).astype(np.int32)
    return rows if within is None else rows[within[rows]]


def _found_rows(looked: Sequence[UnitPosting], text: Floats) -> NDArray[np.int64]:
    """The rows that score by their words; of few, without looking at all passages of the index."""
    lists = [one.posting.rows for one in looked if len(one.posting.rows)]
    if _FEW_FOUND * sum(map(len, lists)) > len(text):
        return np.flatnonzero(text > 0)
    rows = _distinct(np.concatenate(lists)).astype(np.int64) if lists else np.empty(0, np.int64)
    return rows[text[rows] > 0]


def _distinct(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row once, ascending; for so few, numpy's own way by hashing takes longer."""
    rows = np.sort(rows)
    keep = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=keep[1:])
    return rows[keep]


def _highest(rows: NDArray[np.int64], values: Floats, count: int) -> NDArray[np.int64]:
    if len(rows) <= count:
        return rows
    return rows[np.argpartition(-values[rows], count)[:count]]


def _passages_of(reader: Reader, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of the passages of some chunks."""
    begins, counts = reader.chunk_first[chunks], reader.chunk_passages[chunks]
    there = begins >= 0
    begins, counts = begins[there].astype(np.int64), counts[there].astype(np.int64)
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - ends + counts, counts)


class _Compared(NamedTuple):
    similarity: Floats | None
    background: float
    vectors: Quantised | None


def _passages(reader: Reader, rows: Rows, vector: Vector | None) -> _Compared:
    """The cosines of passages, and that of an average one."""
    vectors = reader.passage_vectors_of(rows) if vector is not None and len(rows) else None
    if vectors is None or vector is None:
        return _Compared(None, 0.0, None)
    short = shorten(vector[None, :], vectors.numbers.shape[1])[0]
    mean = reader.passage_mean
    background = 0.0 if mean is None else float(mean @ short)
    return _Compared(products(vectors, short), background, vectors)
