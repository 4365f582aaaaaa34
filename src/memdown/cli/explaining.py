"""`memdown search --explain`: why the results stand where they stand, and what was left out."""

from __future__ import annotations

from typing import Any

import click

from memdown.types import Answer, Explanation, Hit, Why

_ABOUT = {
    "fusion": "words and meaning",
    "coverage": "how many of the words",
    "closeness": "the meaning of the passage itself",
    "time": "time",
    "repeats": "repeats stepped back",
    "reranking": "reranker",
    "diversity": "variety",
    "sources": "notes and transcripts in turn",
}


def explain_json(answer: Answer) -> dict[str, Any] | None:
    """How an answer came about, for programs; the hits in the order of the results."""
    told = answer.explanation
    if told is None:
        return None
    return {
        "words": list(told.words),
        "phrases": [list(phrase) for phrase in told.phrases],
        "exact": list(told.exact),
        "period": [day.isoformat() for day in told.period] if told.period else None,
        "minScore": told.min_score,
        "candidates": told.candidates,
        "hits": [_hit_json(hit) for hit in answer.hits],
        "below": [
            {
                "path": hit.path,
                "startLine": hit.start_line,
                "endLine": hit.end_line,
                "score": round(hit.relevance, 4),
            }
            for hit in told.below
        ],
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "strength": hit.strength,
        "matched": list(hit.matched),
        "textScore": round(hit.text_score, 4),
        "vectorScore": round(hit.vector_score, 4),
        "relevance": round(hit.relevance, 4),
        "recency": round(hit.recency, 4),
        "date": hit.date.isoformat() if hit.date else None,
    }
    if hit.why:
        data |= {
            "weights": {"text": hit.why.text_weight, "vector": hit.why.vector_weight},
            "byText": round(hit.why.by_text, 4),
            "byVector": round(hit.why.by_vector, 4),
            "confidence": round(hit.why.confidence, 4),
            "timely": hit.why.timely,
            "ranks": [{"step": move.step, "rank": move.rank} for move in hit.why.moves],
        }
    return data


def print_explanation(answer: Answer) -> None:
    """What was looked for, how each hit got its place, and what was just below the bar."""
    told = answer.explanation
    if told is None:
        return
    click.echo("\nWhy:")
    for line in _asked(told):
        click.echo(f"  {line}")
    for number, hit in enumerate(answer.hits, start=1):
        click.echo(f"\n  {number}. {hit.citation or hit.path}")
        for line in _reasons(hit):
            click.echo(f"     {line}")
    if told.below:
        click.echo("\n  Left out:")
        for hit in told.below:
            click.echo(f"     {hit.relevance:.2f}  {hit.citation}")


def _asked(told: Explanation) -> list[str]:
    lines = [f"words: {', '.join(told.words) or 'none'}"]
    if told.phrases:
        lines.append(f"phrases: {', '.join(' '.join(phrase) for phrase in told.phrases)}")
    if told.exact:
        lines.append(f"identifiers, found whatever the score: {', '.join(told.exact)}")
    if told.period:
        first, last = told.period
        lines.append(f"time: {first}" if first == last else f"time: {first} to {last}")
    lines.append(f"places looked at closely: {told.candidates}")
    return lines


def _reasons(hit: Hit) -> list[str]:
    lines = [f"matched: {', '.join(hit.matched) or 'no word'}"]
    if hit.why is None:
        return lines
    why = hit.why
    words = (
        f"words {hit.text_score:.2f}, {why.by_text:.0%} of the best, weight {why.text_weight:.2f}"
    )
    meaning = (
        f"meaning {hit.vector_score:.2f}, {why.by_vector:.0%} of the best, "
        f"weight {why.vector_weight:.2f}"
    )
    lines += [words, meaning, f"sure that the notes answer this: {why.confidence:.2f}"]
    lines.append(_time(hit, why))
    steps = [f"{_ABOUT.get(move.step, move.step)} {move.rank}" for move in why.moves]
    lines.append(f"rank after each step: {', '.join(steps)}")
    return lines


def _time(hit: Hit, why: Why) -> str:
    if why.timely is not None:
        fits = "of the time asked for" if why.timely else "not of the time asked for"
        return f"{fits}: × {hit.recency:.2f}"
    day = f"from {hit.date}" if hit.date else "undated"
    return f"{day}: × {hit.recency:.2f}"
