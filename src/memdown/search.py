"""Query → Answer: both legs, the ranking steps in order, and the reasons when little was found."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memdown import ranking
from memdown.errors import EmbedderError, QueryError
from memdown.ranking import Legs, Scored, View, Weights
from memdown.text import QueryTerms, query_terms
from memdown.types import (
    Embedder,
    Hit,
    Snapshot,
    Source,
    StoredChunk,
    TextQuery,
    Vector,
)

SNIPPET_CHARS = 700
_MOST_QUERY_CHARS = 10_000
# The pool each leg gives: the first results must not depend on how many are asked for.
_LEAST_CANDIDATES, _MOST_CANDIDATES = 100, 400
_DEFAULT_TEXT_WEIGHT = 0.3
# How many places are looked at closely, and how many passages are compared themselves.
_LEAST_SHOWN = 40
_REFINED = 24
_SPARE = 4
_NO_TERMS = QueryTerms((), (), (), frozenset())


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search is done; the defaults are the documented ones."""

    max_results: int = 6
    min_score: float = 0.35
    sources: tuple[Source, ...] = ("memory",)
    hybrid: bool = True
    vector_weight: float | None = None
    text_weight: float | None = None
    candidate_multiplier: int = 4
    mmr_lambda: float | None = None
    half_life_days: float | None = 30.0
    snippet_chars: int = SNIPPET_CHARS


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the two legs understand it."""

    text: str
    terms: QueryTerms
    vector: Vector | None


def clean(text: str) -> str:
    """The query without what no index can hold: lone surrogates, NULs, endless length."""
    text = text[:_MOST_QUERY_CHARS].encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.replace("\0", " ").split())


def prepare(text: str, embedder: Embedder | None, reasons: list[str]) -> Query:
    """Split the question into terms and embed it; without a vector, keywords must do."""
    cleaned = clean(text)
    if not cleaned:
        raise QueryError("The query is empty: ask for something, such as a name or a question.")
    return Query(cleaned, query_terms(cleaned), _embed(cleaned, embedder, reasons))


def _embed(text: str, embedder: Embedder | None, reasons: list[str]) -> Vector | None:
    if embedder is None:
        return None
    try:
        vector = embedder.embed_query(text)
    except EmbedderError as error:
        reasons.append(f"keywords only: {error}")
        return None
    if not np.any(vector):
        reasons.append("keywords only: the query has no meaning to the embedder")
        return None
    return vector


def answer(
    query: Query,
    snapshot: Snapshot,
    options: SearchOptions,
    today: datetime.date,
    embedder: Embedder | None = None,
) -> tuple[list[Hit], list[str]]:
    """The hits, best first, and the reasons if there are none.

    An `embedder` that costs nothing to ask also compares the best passages themselves.
    """
    hits = [
        hit
        for source in options.sources
        for hit in _source_hits(query, snapshot, source, options, today, embedder)
    ]
    kept = [hit for hit in hits if hit.relevance >= options.min_score or _is_exact(hit, query)]
    ranked = ranking.without_repeats(sorted(kept, key=lambda hit: -hit.score))
    if options.mmr_lambda is not None:
        count = options.max_results if len(options.sources) == 1 else len(ranked)
        ranked = ranking.diversified(ranked, options.mmr_lambda, count)
    ranked = ranking.with_lanes(ranked)
    chosen = [ranking.cited(hit) for hit in ranked[: options.max_results]]
    return chosen, [] if chosen else _why_nothing(query, hits, options)


def candidate_count(options: SearchOptions) -> int:
    """How many candidates each leg gives."""
    wanted = options.max_results * options.candidate_multiplier
    return min(_MOST_CANDIDATES, max(_LEAST_CANDIDATES, wanted))


def _source_hits(
    query: Query,
    snapshot: Snapshot,
    source: Source,
    options: SearchOptions,
    today: datetime.date,
    embedder: Embedder | None,
) -> list[Hit]:
    """The best of one source; each source is asked alone, so that a large one hides no small one."""
    legs = _legs(query, snapshot, source, options)
    weights = _weights(options, bool(legs.text), bool(legs.vector))
    best = ranking.fuse(legs, weights, max(_LEAST_SHOWN, 4 * options.max_results))
    chunks = snapshot.load(list({one.chunk_key for one in best}))
    if query.vector is not None and weights.vector and embedder and not embedder.cacheable:
        best = _refined(
            best, chunks, query.vector, legs.background, weights, embedder, 2 * options.max_results
        )
    view = View(
        # Some may be left out, because they repeat others.
        count=options.max_results + _SPARE,
        size=options.snippet_chars,
        sure=ranking.confidence(legs, weights),
        today=today,
        half_life_days=options.half_life_days,
    )
    return ranking.make_hits(best, chunks, query.terms.words, view)


def _legs(query: Query, snapshot: Snapshot, source: Source, options: SearchOptions) -> Legs:
    limit = candidate_count(options)
    terms = query.terms if options.hybrid or query.vector is None else _NO_TERMS
    found = snapshot.match_text(
        TextQuery(terms.words, terms.prefixes, terms.phrases, (source,), limit)
    )
    text = {match.key: match.score for match in found.matches}
    chunk_of = snapshot.chunk_keys(list(text))
    vector: dict[int, float] = {}
    background = 0.0
    if query.vector is not None:
        vector = {
            one.key: one.score for one in snapshot.match_vector(query.vector, [source], limit)
        }
        unknown = [key for key in set(chunk_of.values()) if key not in vector]
        vector |= snapshot.similarities(query.vector, unknown)
        background = snapshot.background(query.vector, source)
    return Legs(text, found.reachable, vector, background, chunk_of)


def _refined(
    scored: Sequence[Scored],
    chunks: Mapping[int, StoredChunk],
    vector: Vector,
    background: float,
    weights: Weights,
    embedder: Embedder,
    count: int,
) -> list[Scored]:
    """Compare the first passages themselves with the query, where that costs next to nothing."""
    first = [one for one in scored[: max(_REFINED, count)] if one.chunk_key in chunks]
    if not first:
        return []
    rows = embedder.embed_batch([_passage_text(chunks[one.chunk_key], one.key) for one in first])
    similarity = {one.key: float(row @ vector) for one, row in zip(first, rows, strict=True)}
    return ranking.refine(first, similarity, background, weights)


def _passage_text(stored: StoredChunk, key: int) -> str:
    passage = stored.chunk.passages[min(key - stored.key, len(stored.chunk.passages) - 1)]
    return stored.chunk.text[passage.start : passage.end]


def _weights(options: SearchOptions, has_text: bool, has_vector: bool) -> Weights:
    """The legs' weights; a leg that found nothing leaves all to the other."""
    if not has_vector:
        return Weights(vector=0.0, text=1.0)
    if not has_text:
        return Weights(vector=1.0, text=0.0)
    text = _DEFAULT_TEXT_WEIGHT if options.text_weight is None else options.text_weight
    return Weights(vector=1.0 - text, text=text)


def _is_exact(hit: Hit, query: Query) -> bool:
    """Whether the hit holds an identifier or a quoted phrase of the query."""
    return not query.terms.exact.isdisjoint(hit.matched)


def _why_nothing(query: Query, hits: Sequence[Hit], options: SearchOptions) -> list[str]:
    if hits:
        best = max(hits, key=lambda hit: hit.relevance)
        return [
            f"the best of {len(hits)} candidates, {best.path}#L{best.start_line}, scored "
            f"{best.relevance:.2f}, below the minimum score of {options.min_score:.2f}: "
            "lower it with --min-score, or use words that the note would use"
        ]
    if not query.terms.words and query.vector is None:
        return ["the query holds no word to look for"]
    return ["nothing in the notes resembles the query"]
