"""Query → candidates: which passages of a reader are scored, and what the index says of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import simsimd

from memdown.index.bm25 import (
    Floats,
    Frequencies,
    Places,
    PostingLists,
    UnitPosting,
    best_by_words,
    bm25,
    distinct,
    frequencies,
    highest,
    idf,
    lists_of,
)
from memdown.index.passage_vectors import shorten
from memdown.index.reader import (
    Mask,
    Posting,
    Quantised,
    Reader,
    Rows,
    Unit,
    common_rows,
    quantise_one,
    word,
)
from memdown.text import Alternative, QueryTerms, prefix_terms, verb_beginnings
from memdown.tuning import TUNING, Tuning
from memdown.types import SOURCES, Source, Vector

_WORDS = TUNING.words

_BESIDE = 2


class Runs(NamedTuple):
    """Equal values that stand side by side: where each run begins, int64 (r,), and each value's run, int64 (n,)."""

    begins: Places
    places: Places


def runs_of(values: Rows) -> Runs:
    """The runs of n values."""
    is_first = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    places = is_first.cumsum()
    places -= 1
    return Runs(is_first.nonzero()[0], places)


class Candidates(NamedTuple):
    """The passages that are scored: `rows` int32 (n,), ascending.

    `near` int32 (m,), ascending, are they and up to two passages on each side; `places` int64 (n,) says where
    among these they stand. `text` float32 (m,) is BM25; `reachable` what a passage with every word once would
    score; `frequencies` says how often each of the n candidates holds what is looked for.
    `chunk_similarity` and `passage_similarity` float32 (n,) are cosines, None without
    vectors; `chunk_background` and `passage_background` those of an average text. `chunks` is how
    many chunks might be found. `passage_vectors` are those of the n candidates. `chunk` int32 (n,) are the rows of
    their chunks; all candidates of a chunk stand in one of `chunk_runs`.
    """

    rows: Rows
    chunk: Rows
    chunk_runs: Runs
    near: Rows
    places: Places
    text: Floats
    reachable: float
    looked: Sequence[UnitPosting]
    frequencies: Frequencies
    chunk_similarity: Floats | None
    chunk_background: float
    passage_similarity: Floats | None
    passage_background: float
    chunks: int
    passage_vectors: Quantised | None = None

    @property
    def own_text(self) -> Floats:
        """BM25 of the candidates themselves, float32 (n,)."""
        return self.text.take(self.places)


def look_up(terms: QueryTerms, reader: Reader) -> list[UnitPosting]:
    """The posting lists of all that a query looks for; what no passage holds is among them."""
    prefixes = set(terms.prefixes)
    found = []
    for number, term in enumerate(terms.words):
        found.append(_looked(number, word(term), reader, is_word=True))
        for prefix in (*prefix_terms([term]), *verb_beginnings(term)) if prefixes else ():
            if prefix in prefixes:
                prefixes.discard(prefix)
                found.append(_looked(number, Unit("prefix", (prefix,)), reader))
    places = {term: number for number, term in enumerate(terms.words)}
    found += [
        _instead(places[other.word], other, reader)
        for other in terms.alternatives
        if other.word in places and not places.keys() >= set(other.terms)
    ]
    phrases = (Unit("phrase", phrase) for phrase in terms.phrases if len(phrase) > 1)
    return [*found, *(_looked(-1, phrase, reader) for phrase in phrases)]


def _looked(
    number: int, unit: Unit, reader: Reader, weight: float = 1.0, *, is_word: bool = False
) -> UnitPosting:
    posting = reader.posting(unit)
    rarity = idf(reader.count, reader.frequency_of(unit, posting))
    return UnitPosting(number, unit, posting, rarity, is_word, weight)


def _instead(number: int, other: Alternative, reader: Reader) -> UnitPosting:
    """What may stand for a word; a defined form only where the word does not, and where all of it does."""
    units = list(map(word, other.terms))
    if len(units) == 1 and not other.defined:
        return _looked(number, units[0], reader, other.weight)
    rows = reader.posting(units[0]).rows
    for unit in units[1:]:
        rows = common_rows(rows, reader.posting(unit).rows)
    if other.defined:
        rows = np.setdiff1d(rows, reader.posting(word(other.word)).rows, assume_unique=True)
    once = np.ones(len(rows), np.float32)
    frequency = min(map(reader.document_frequency, units))
    unit = units[0] if len(units) == 1 else Unit("phrase", other.terms)
    posting = Posting(rows, once, np.zeros(len(rows), np.float32))
    rarity = idf(reader.count, frequency)
    return UnitPosting(number, unit, posting, rarity, weight=other.weight, defined=other.defined)


def reachable(looked: Sequence[UnitPosting]) -> float:
    """What a passage of average length would score that holds every word once."""
    total = 0.0
    for one in looked:
        if one.is_word:
            total += one.idf
        elif one.unit.kind == "prefix" and len(one.posting.rows):
            total += _WORDS.prefix * one.idf
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


def _allowed_rows(reader: Reader, files: Mask | None) -> Mask | None:
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
    numbers, scale = quantise_one(vector)
    dots = simsimd.cdist(numbers[None, :], vectors.numbers, "dot", out_dtype="float32")
    found: Floats = np.asarray(dots)[0]
    found *= vectors.scale * scale
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
    lists = lists_of(looked)
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
    rows = _pool(reader, lists, by_chunk, files, tuning)
    if extra is not None and len(extra):
        rows = np.union1d(rows, extra).astype(np.int32)
    near, places = _with_neighbours(rows, reader)
    often = frequencies(lists, near, reader)
    text = bm25(often, lists, reader.length_norms.take(near))
    if files is not None:
        text *= files[reader.passage_file[near]]
    passages = _passages(reader, rows, vector if by_chunk is not None else None)
    chunk = reader.passage_chunk.take(rows)
    return Candidates(
        rows=rows,
        chunk=chunk,
        chunk_runs=runs_of(chunk),
        near=near,
        places=places,
        text=text,
        reachable=reachable(looked),
        looked=looked,
        frequencies=often.at(places),
        chunk_similarity=None if by_chunk is None else by_chunk.take(chunk),
        chunk_background=background or 0.0,
        passage_similarity=passages.similarity,
        passage_background=passages.background,
        chunks=chunk_count,
        passage_vectors=passages.vectors,
    )


def _pool(
    reader: Reader,
    lists: PostingLists,
    by_chunk: Floats | None,
    files: Mask | None,
    tuning: Tuning,
) -> Rows:
    """The rows that are scored: all of few, else the best of each leg; ascending."""
    count = len(reader.passage_file)
    if count <= tuning.pool_all:
        within = _allowed_rows(reader, files)
        if within is None:
            return np.arange(count, dtype=np.int32)
        return np.flatnonzero(within).astype(np.int32)
    # Posting lists, and chunks that are found by their vectors, are of living passages anyway.
    within = None if files is None else _allowed_rows(reader, files)
    best = best_by_words(lists, reader, within, tuning.pool_text)
    if by_chunk is None:
        return best
    nearest = highest(by_chunk, tuning.pool_chunks)
    rows = _passages_of(reader, nearest[by_chunk[nearest] > -1])
    found: Rows = distinct(np.concatenate([best, rows if within is None else rows[within[rows]]]))
    return found


class _Near(NamedTuple):
    """Rows, and where among them those stand whose neighbours they are."""

    rows: Rows
    places: Places


def _with_neighbours(rows: Rows, reader: Reader) -> _Near:
    """Some rows, ascending, and up to `_BESIDE` on each side of each."""
    if not len(rows) or len(rows) == len(reader.passage_file):
        return _Near(rows, np.arange(len(rows)))
    # Each brings those that the one before it has not brought.
    begins, ends = rows - _BESIDE, rows + (_BESIDE + 1)
    np.minimum(ends, len(reader.passage_file), out=ends)
    np.maximum(begins[1:], ends[:-1], out=begins[1:])
    begins[0] = max(begins[0], 0)
    counts = ends - begins
    upto = counts.cumsum(dtype=np.int32)
    shift = ends - upto
    near = np.arange(upto[-1], dtype=np.int32)
    near += shift.repeat(counts)
    return _Near(near, rows - shift)


def _passages_of(reader: Reader, chunks: Places) -> Rows:
    """The rows of the passages of some chunks, ascending."""
    begins, counts = reader.chunk_first[chunks], reader.chunk_passages[chunks]
    there = begins >= 0
    begins, counts = begins[there], counts[there]
    ends = counts.cumsum()
    rows = np.arange(ends[-1] if len(ends) else 0) + (begins - ends + counts).repeat(counts)
    found: Rows = rows.astype(np.int32)
    return found


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
