"""The values of the library as the page and the JSON interface show them."""

from __future__ import annotations

import datetime
from typing import Any

from memdown.notes import Note
from memdown.types import Answer, Chunk, FileState, Hit, Why
from memdown.web.history import Change, Line


def answer(found: Answer) -> dict[str, Any]:
    """What a search found, and why."""
    return {
        "results": [hit(one, rank) for rank, one in enumerate(found.hits, start=1)],
        "strength": found.strength,
        "provider": found.provider,
        "model": found.model,
        "fallback": found.fallback,
        "partial": found.partial,
        "reasons": list(found.reasons),
        "below": [
            hit(one, rank)
            for rank, one in enumerate(found.explanation.below if found.explanation else (), 1)
        ],
    }


def hit(one: Hit, rank: int) -> dict[str, Any]:
    """One result with the parts of its score."""
    return {
        "path": one.path,
        "source": one.source,
        "startLine": one.start_line,
        "endLine": one.end_line,
        "score": round(one.score, 4),
        "strength": one.strength,
        "snippet": one.snippet,
        "citation": one.citation,
        "heading": one.heading,
        "date": day(one.date),
        "why": {
            "rank": rank,
            "vectorScore": round(one.vector_score, 4),
            "textScore": round(one.text_score, 4),
            "relevance": round(one.relevance, 4),
            "recency": round(one.recency, 4),
            "matched": list(one.matched),
            **(_why(one.why) if one.why else {}),
        },
    }


def _why(why: Why) -> dict[str, Any]:
    return {
        "vectorWeight": round(why.vector_weight, 4),
        "textWeight": round(why.text_weight, 4),
        "byVector": round(why.by_vector, 4),
        "byText": round(why.by_text, 4),
        "confidence": round(why.confidence, 4),
        "timely": why.timely,
        "moves": [{"step": move.step, "rank": move.rank} for move in why.moves],
    }


def listed(state: FileState) -> dict[str, Any]:
    """A note in a list."""
    return {
        "path": state.path,
        "bytes": state.size,
        "modified": round(state.mtime_ns / 1e9, 3),
        "date": day(state.date),
    }


def note(one: Note) -> dict[str, Any]:
    """A whole note."""
    return {
        "path": one.path,
        "text": one.text,
        "version": one.version,
        "editable": one.editable,
    }


def chunk(one: Chunk) -> dict[str, Any]:
    """Where a note is cut."""
    return {
        "startLine": one.start_line,
        "endLine": one.end_line,
        "heading": one.heading,
        "characters": len(one.text),
    }


def change(one: Change) -> dict[str, Any]:
    """A commit that changed a note."""
    return {
        "commit": one.commit,
        "date": one.date.isoformat(),
        "author": one.author,
        "subject": one.subject,
        "added": one.added,
        "removed": one.removed,
    }


def line(one: Line) -> dict[str, Any]:
    """A line of a difference."""
    return {"kind": one.kind, "text": one.text}


def day(date: datetime.date | None) -> str | None:
    """A date as it stands in file names."""
    return date.isoformat() if date else None
