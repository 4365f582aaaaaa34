"""Query → Answer: both legs, the ranking steps in order, and the reasons when little was found."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memdown import diversity, ranking, respelling, windows
from memdown.coverage import Coverage
from memdown.errors import EmbedderError, QueryError
from memdown.ranking import Legs, Scored, View, Weights
from memdown.similarity import cosines
from memdown.text import (
    QueryTerms,
    is_gram,
    prefix_terms,
    query_terms,
    without_stop_words,
)
from memdown.timing import NamedTime, dates_within, find_time
from memdown.types import (
    Embedder,
    Explanation,
    Hit,
    Reranker,
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
# How many places are kept, how many passages are read, and how many of them are also embedded.
_LEAST_SHOWN = 40
_READ = 24
_COMPARED = 8
_STRETCH_CHARS = 200
# What is left of a score if a word had to be spelled otherwise: it may have been meant as it was.
_GUESSED = 0.7
# Few enough that the bundled embedder need not prepare for many.
_A_BATCH = 60
_SPARE = 4
# How many places a reranker may choose from, and how many that missed the bar are told.
_RERANKED = 50
_SHOWN_BELOW = 3
# What a date in the name of a file scores, against one in the text: the name weighs less.
_DATE_REACH = 0.45
_GRAMS_A_WORD = 3
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


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first, the reasons where something is missing, and how it all came about."""

    hits: list[Hit]
    reasons: list[str]
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Asked:
    """One search: what is asked, how, on which day, and with whose help."""

    query: Query
    options: SearchOptions
    today: datetime.date
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    named: NamedTime | None = None
    respelled: Mapping[str, str] = field(default_factory=dict)


def gather(asked: Asked, snapshot: Snapshot) -> list[Hit]:
    """All that might be an answer, from every source.

    An embedder that costs nothing to ask also compares the best passages themselves.
    """
    asked = _timed(asked)
    return [hit for one in asked.options.sources for hit in _source_hits(asked, snapshot, one)]


def respell(
    asked: Asked, hits: Sequence[Hit], snapshot: Snapshot
) -> tuple[Asked, list[Hit]] | None:
    """The question with misspelled words put right, and what that finds; None if it does not help."""
    query, options = asked.query, asked.options
    if _good(hits, query, options):
        return None
    put_right = respelling.put_right(query.terms.words, snapshot, options.sources)
    if not put_right:
        return None
    words = tuple(dict.fromkeys(put_right.get(word, word) for word in query.terms.words))
    prefixes = tuple(prefix_terms(words)) if query.terms.prefixes else ()
    query = replace(query, terms=replace(query.terms, words=words, prefixes=prefixes))
    if asked.embedder and not asked.embedder.cacheable and query.vector is not None:
        query = replace(query, vector=asked.embedder.embed_query(" ".join(words)))
    again = replace(asked, query=query, respelled=put_right)
    found = [
        replace(hit, score=_GUESSED * hit.score, relevance=_GUESSED * hit.relevance)
        for hit in gather(again, snapshot)
    ]
    return (again, found) if _good(found, query, options) else None


def _good(hits: Iterable[Hit], query: Query, options: SearchOptions) -> list[Hit]:
    """The hits that may be shown."""
    return [hit for hit in hits if hit.relevance >= options.min_score or _is_exact(hit, query)]


def arrange(asked: Asked, hits: Sequence[Hit]) -> Found:
    """The answer: what is good enough, each thing once, best first."""
    asked = _timed(asked)
    query, options, reranker = asked.query, asked.options, asked.reranker
    reasons = [
        f"no note holds {word!r}: looked for {other!r}" for word, other in asked.respelled.items()
    ]
    kept = _good(hits, query, options)
    ranked = diversity.with_rank(diversity.without_repeats(kept), "repeats")
    if reranker is not None and len(ranked) > 1:
        ranked = _reranked(query.text, ranked, reranker, reasons)
    if options.mmr_lambda is not None:
        count = options.max_results if len(options.sources) == 1 else len(ranked)
        ranked = diversity.diversified(ranked, options.mmr_lambda, count)
        ranked = diversity.with_rank(ranked, "diversity")
    if len(options.sources) > 1:
        ranked = diversity.with_rank(ranking.with_lanes(ranked), "sources")
    chosen = [ranking.cited(hit) for hit in ranked[: options.max_results]]
    if not chosen:
        reasons += _why_nothing(query, hits, options)
    return Found(chosen, reasons, _explanation(asked, hits, kept))


def _explanation(asked: Asked, hits: Sequence[Hit], kept: Sequence[Hit]) -> Explanation:
    terms, named = asked.query.terms, asked.named
    good = set(map(id, kept))
    below = sorted((hit for hit in hits if id(hit) not in good), key=lambda hit: -hit.relevance)
    return Explanation(
        words=terms.words,
        phrases=terms.phrases,
        exact=tuple(sorted(terms.exact)),
        period=(named.first, named.last) if named else None,
        min_score=asked.options.min_score,
        candidates=len(hits),
        below=tuple(map(ranking.cited, below[:_SHOWN_BELOW])),
    )


def _timed(asked: Asked) -> Asked:
    """With the time that the query names; "last week" is no word to look for, "in March" is.

    One word alone is looked for as well: "today" may stand in a note.
    """
    query = asked.query
    named = find_time(query.text, asked.today)
    if named is None:
        return asked
    if named.relative and named.start < named.end and " " in query.text:
        terms = query_terms(f"{query.text[: named.start]} {query.text[named.end :]}")
        told = without_stop_words(terms.words)
        query = replace(query, terms=terms if told else _NO_TERMS)
    return replace(asked, query=query, named=named)


def _reranked(text: str, hits: list[Hit], reranker: Reranker, reasons: list[str]) -> list[Hit]:
    """The first hits in the order of a reranker; the scores stay where they are."""
    first = hits[: reranker.count]
    try:
        scores = reranker.rerank(text, [hit.snippet for hit in first])
    except EmbedderError as error:
        reasons.append(f"not reranked: {error}")
        return hits
    order = sorted(range(len(first)), key=lambda number: -scores[number])
    moved = [
        replace(first[number], score=hit.score) for number, hit in zip(order, first, strict=True)
    ]
    return diversity.with_rank([*moved, *hits[len(first) :]], "reranking")


def candidate_count(options: SearchOptions) -> int:
    """How many candidates each leg gives."""
    wanted = options.max_results * options.candidate_multiplier
    return min(_MOST_CANDIDATES, max(_LEAST_CANDIDATES, wanted))


def _source_hits(asked: Asked, snapshot: Snapshot, source: Source) -> list[Hit]:
    """The best of one source; each source is asked alone, so that a large one hides no small one."""
    query, options, embedder = asked.query, asked.options, asked.embedder
    legs = _legs(query, snapshot, source, options)
    if asked.named is not None:
        legs = _with_dates(legs, asked.named, snapshot, source, candidate_count(options))
    weights = _weights(options, bool(legs.text), bool(legs.vector))
    best = ranking.fuse(legs, weights, max(_LEAST_SHOWN, 4 * options.max_results))
    # Those further behind are hardly ever needed; only of another time than others they may win.
    first = len(best) if asked.named else max(_READ, 2 * options.max_results)
    chunks = snapshot.load(list({one.chunk_key for one in best[:first]}))
    coverage = Coverage(query.terms)
    texts = _passage_texts(best, chunks, _READ)
    covered = {key: coverage.share(text) for key, text in texts.items()}
    best = ranking.by_coverage(best, covered, weights)
    if query.vector is not None and weights.vector and embedder and not embedder.cacheable:
        texts = _passage_texts(best, chunks, _COMPARED)
        similarity = _similarities(texts, query.vector, embedder)
        best = ranking.by_closeness(best, similarity, legs.background, weights)
    view = View(
        size=options.snippet_chars,
        sure=ranking.confidence(legs, weights, max(covered.values(), default=0.0)),
        weights=weights,
        today=asked.today,
        half_life_days=options.half_life_days,
        period=(asked.named.first, asked.named.last) if asked.named else None,
    )
    hits, is_enough = _take(ranking.make_hits(best, chunks, query.terms.words, view), asked)
    missing = {one.chunk_key for one in best} - chunks.keys()
    if not is_enough and missing:
        chunks |= snapshot.load(list(missing))
        hits, _ = _take(ranking.make_hits(best, chunks, query.terms.words, view), asked)
    return hits


def _take(made: Iterable[Hit], asked: Asked) -> tuple[list[Hit], bool]:
    """As many hits as may be needed, and whether there were so many.

    Some may be left out later, because they repeat others. Once enough of them are good and none
    repeats another, nothing that follows can come before them.
    """
    options = asked.options
    most = max(options.max_results + _SPARE, _RERANKED if asked.reranker else 0)
    in_order = not asked.reranker and options.mmr_lambda is None and len(options.sources) == 1
    hits: list[Hit] = []
    good: list[Hit] = []
    distinct = 0
    for hit in made:
        hits.append(hit)
        if in_order and _good([hit], asked.query, options):
            distinct += not diversity.repeats(hit, good)
            good.append(hit)
        if len(hits) >= most or distinct >= options.max_results:
            return hits, True
    return hits, False


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
    grams = sum(map(is_gram, terms.words))
    words = len(terms.words) - grams + grams / _GRAMS_A_WORD
    return Legs(text, found.reachable, vector, background, chunk_of, words)


def _with_dates(
    legs: Legs, named: NamedTime, snapshot: Snapshot, source: Source, limit: int
) -> Legs:
    """What stands under one of the days that a query names counts as if it held one more word."""
    dates = dates_within(named.first, named.last)
    if not dates:
        return legs
    found = snapshot.match_text(TextQuery(tuple(dates), (), (), (source,), limit))
    text = dict(legs.text)
    # A note that is named by its day is at least as good as one that mentions the day.
    most = _DATE_REACH * found.reachable / len(dates)
    for match in found.matches:
        text[match.key] = text.get(match.key, 0.0) + min(match.score, most)
    new = [match.key for match in found.matches if match.key not in legs.chunk_of]
    return replace(
        legs,
        text=text,
        reachable=legs.reachable + most,
        dated=bool(found.matches),
        chunk_of={**legs.chunk_of, **snapshot.chunk_keys(new)},
    )


def _passage_texts(
    scored: Iterable[Scored], chunks: Mapping[int, StoredChunk], count: int
) -> dict[int, str]:
    """The texts of the first passages, which are judged by themselves."""
    texts: dict[int, str] = {}
    for one in scored:
        if len(texts) == count:
            break
        if stored := chunks.get(one.chunk_key):
            number = min(one.key - stored.key, len(stored.chunk.passages) - 1)
            passage = stored.chunk.passages[number]
            texts[one.key] = stored.chunk.text[passage.start : passage.end]
    return texts


def _similarities(texts: Mapping[int, str], vector: Vector, embedder: Embedder) -> dict[int, float]:
    """How similar each passage is.

    It is as close as its closest few sentences: an average over many blurs.
    """
    similarity: dict[int, float] = {}
    stretches = [
        (key, stretch)
        for key, text in texts.items()
        for stretch in windows.stretches(text, _STRETCH_CHARS)
    ]
    for start in range(0, len(stretches), _A_BATCH):
        batch = stretches[start : start + _A_BATCH]
        rows = embedder.embed_batch([text for _, text in batch])
        for (key, _), score in zip(batch, cosines(rows, vector).tolist(), strict=True):
            similarity[key] = max(score, similarity.get(key, -1.0))
    return similarity


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
            "allow a lower score, or use words that the note would use"
        ]
    if not query.terms.words and query.vector is None:
        return ["the query holds no word to look for"]
    return ["nothing in the notes resembles the query"]
