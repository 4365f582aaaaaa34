"""Hits → answer: what is good enough, each thing once, what holds today first, and why nothing was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from memdown.errors import EmbedderError
from memdown.search import diversity
from memdown.search import rank as ranking
from memdown.search.currency import Times, order_by_currency
from memdown.search.gathering import (
    SETTLED,
    SHOWN_BELOW,
    VARIED,
    is_strong,
    may_be_shown,
    near_the_best,
)
from memdown.search.query import Asked, is_absent, is_of_no_note
from memdown.types import Explanation, Hit, Reranker, Strength
from memdown.values import dataclass

# How many identifiers that no note holds are named.
_MOST_ABSENT = 3


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first, the reasons where something is missing, and how it all came about."""

    hits: list[Hit]
    reasons: list[str]
    explanation: Explanation


def arrange(asked: Asked, hits: Sequence[Hit]) -> SearchResult:
    """The answer: what is good enough, each thing once, best first."""
    query, options, reranker = asked.query, asked.options, asked.reranker
    reasons = [
        f"no note holds {word!r}: looked for {other!r}" for word, other in asked.respelled.items()
    ]
    reasons += [f"no note holds {text!r}" for text in asked.absent[:_MOST_ABSENT]]
    kept = near_the_best([hit for hit in hits if may_be_shown(hit, asked)], asked)
    ranked = diversity.without_repeats(kept)
    moves = diversity.Moves()
    moves.add("repeats", ranked)
    if reranker is not None and len(ranked) > 1:
        ranked = _reranked(query.text, ranked, reranker, reasons, moves)
    if options.mmr_lambda is not None:
        varied = diversity.diversified(ranked[:VARIED], options.mmr_lambda)
        ranked = [*varied, *ranked[VARIED:]]
        moves.add("diversity", ranked)
    if len(options.sources) > 1:
        ranked = ranking.with_lanes(ranked)
        moves.add("sources", ranked)
    named = (asked.named.first, asked.named.last) if asked.named and asked.timely else None
    times = Times(asked.today, options.as_of, options.history, asked.arrivals, named)
    current = (
        hit
        for first in range(0, len(ranked), SETTLED)
        for hit in _current_first(ranked[first : first + SETTLED], times, query.text)
    )
    strong = _with_strength(islice(current, options.max_results), asked)
    chosen = [ranking.cited(hit, moves.why(hit)) for hit in strong]
    if not chosen:
        reasons += _why_nothing(asked, hits)
    return SearchResult(chosen, reasons, _explanation(asked, hits, kept))


def _with_strength(hits: Iterable[Hit], asked: Asked) -> list[Hit]:
    """The hits with how likely each answers: what stands above one that answers today is no weaker."""
    sure = False
    found = []
    for hit in reversed(list(hits)):
        strong = is_strong(hit, asked)
        strength: Strength = "strong" if strong or sure else "weak"
        found.append(hit if hit.strength == strength else replace(hit, strength=strength))
        sure = sure or (strong and not hit.was)
    return found[::-1]


def _current_first(hits: Sequence[Hit], times: Times, question: str) -> list[Hit]:
    """What holds before what was, with scores that fall from the first to the last.

    What was put above a better one, as it is newer, has the score of that one; nothing else gains by it.
    """
    ordered = order_by_currency(hits, times, question)
    holding = [hit.score for hit in ordered if not hit.was]
    best = list(accumulate(reversed(holding), max))
    if best:
        best[-1] = max(hit.score for hit in ordered)
    last = 1.0
    found = []
    for hit in ordered:
        last = min(hit.score if hit.was else best.pop(), last)
        found.append(hit if hit.score == last else replace(hit, score=last))
    return found


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
        below=tuple(map(ranking.cited, below[:SHOWN_BELOW])),
    )


def _reranked(
    text: str,
    hits: list[Hit],
    reranker: Reranker,
    reasons: list[str],
    moves: diversity.Moves,
) -> list[Hit]:
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
    ranked = [*moved, *hits[len(first) :]]
    moves.add("reranking", ranked)
    return ranked


def _why_nothing(asked: Asked, hits: Sequence[Hit]) -> list[str]:
    query, bar = asked.query, asked.options.min_score
    if is_absent(asked):
        return ["look for a part of it, or for words that would stand beside it"]
    if asked.named is not None and is_of_no_note(asked):
        first, last = asked.named.first, asked.named.last
        days = f"{first}" if first == last else f"{first} to {last}"
        return [f"no note is dated {days}: ask for another time, or for what the note would say"]
    if hits and asked.options.strict:
        best = max(hits, key=lambda hit: hit.relevance)
        return [
            f"the best candidate, {best.path}#L{best.start_line}, scored "
            f"{best.relevance:.2f}, below the minimum score of {bar:.2f}: "
            "allow a lower score, or use words that the note would use"
        ]
    if not query.terms.words and query.vector is None:
        return ["the query holds no word to look for: name something that a note would name"]
    return [
        "nothing in the notes resembles the query: use words that a note would use, or check that the "
        "note is in this workspace"
    ]
