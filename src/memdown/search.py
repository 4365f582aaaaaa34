"""Query → Answer: both legs, the ranking steps in order, and the reasons when little was found."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memdown import ranking
from memdown.errors import EmbedderError, QueryError
from memdown.ranking import Scored, Weights
from memdown.text import QueryTerms, query_terms
from memdown.types import Answer, Embedder, Hit, Match, Snapshot, Source, TextQuery, Vector

SNIPPET_CHARS = 700
_MOST_QUERY_CHARS = 10_000
# The pool each leg gives: the first results must not depend on how many are asked for.
_LEAST_CANDIDATES, _MOST_CANDIDATES = 100, 400
_DEFAULT_TEXT_WEIGHT = 0.3


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
    query: Query, snapshot: Snapshot, options: SearchOptions, today: datetime.date
) -> tuple[list[Hit], list[str]]:
    """The hits, best first, and the reasons if there are none."""
    limit = candidate_count(options)
    scored = _score(query, snapshot, options, limit)
    hits = _show(scored, query, snapshot, options, today)
    kept = [hit for hit in hits if _relevance(hit) >= options.min_score or _is_exact(hit, query)]
    ordered = ranking.without_overlaps(sorted(kept, key=lambda hit: -hit.score))
    if options.mmr_lambda is not None:
        ordered = ranking.diversified(ordered, options.mmr_lambda, options.max_results)
    chosen = [ranking.cited(hit) for hit in ordered[: options.max_results]]
    return chosen, [] if chosen else _why_nothing(query, hits, options)


def candidate_count(options: SearchOptions) -> int:
    """How many candidates each leg gives."""
    wanted = options.max_results * options.candidate_multiplier
    return min(_MOST_CANDIDATES, max(_LEAST_CANDIDATES, wanted))


def _score(query: Query, snapshot: Snapshot, options: SearchOptions, limit: int) -> list[Scored]:
    """Both legs, brought together by passage."""
    use_text = options.hybrid or query.vector is None
    found = snapshot.match_text(
        TextQuery(
            query.terms.words if use_text else (),
            query.terms.prefixes if use_text else (),
            query.terms.phrases if use_text else (),
            options.sources,
            limit,
        )
    )
    text = ranking.text_scores({match.key: match.score for match in found.matches}, found.reachable)
    chunk_of = snapshot.chunk_keys(list(text))
    vector = _vector_scores(query.vector, snapshot, options, limit, set(chunk_of.values()))
    return ranking.fuse(text, vector, chunk_of, _weights(options, bool(text), bool(vector)))


def _vector_scores(
    vector: Vector | None,
    snapshot: Snapshot,
    options: SearchOptions,
    limit: int,
    also: set[int],
) -> dict[int, float]:
    """The nearest chunks' scores, and those of the chunks that the keyword leg found."""
    if vector is None:
        return {}
    nearest: Sequence[Match] = snapshot.match_vector(vector, options.sources, limit)
    cosines = {match.key: match.score for match in nearest}
    cosines |= snapshot.similarities(vector, [key for key in also if key not in cosines])
    return {key: ranking.vector_score(cosine) for key, cosine in cosines.items()}


def _weights(options: SearchOptions, has_text: bool, has_vector: bool) -> Weights | None:
    if not (has_text and has_vector):
        return None
    text = _DEFAULT_TEXT_WEIGHT if options.text_weight is None else options.text_weight
    return Weights(vector=1.0 - text, text=text)


def _show(
    scored: Sequence[Scored],
    query: Query,
    snapshot: Snapshot,
    options: SearchOptions,
    today: datetime.date,
) -> list[Hit]:
    """The best candidates with their text: more than asked for, since some will be left out."""
    wanted = scored[: max(40, 4 * options.max_results)]
    chunks = snapshot.load(list({one.chunk_key for one in wanted}))
    return [
        ranking.make_hit(
            chunks[one.chunk_key],
            one,
            query.terms.words,
            today=today,
            half_life_days=options.half_life_days,
            size=options.snippet_chars,
        )
        for one in wanted
        if one.chunk_key in chunks
    ]


def _relevance(hit: Hit) -> float:
    return hit.score / hit.recency


def _is_exact(hit: Hit, query: Query) -> bool:
    """Whether the hit holds an identifier or a quoted phrase of the query."""
    return not query.terms.exact.isdisjoint(hit.matched)


def _why_nothing(query: Query, hits: Sequence[Hit], options: SearchOptions) -> list[str]:
    if hits:
        best = max(hits, key=_relevance)
        return [
            f"the best of {len(hits)} candidates, {best.path}#L{best.start_line}, scored "
            f"{_relevance(best):.2f}, below the minimum score of {options.min_score:.2f}: "
            "lower it with --min-score, or use words that the note would use"
        ]
    if not query.terms.words and query.vector is None:
        return ["the query holds no word to look for"]
    return ["nothing in the notes resembles the query"]
