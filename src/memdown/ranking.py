"""From raw matches to an order: small pure steps, each a function.

A passage's text score is spread over its neighbours, the vector score of its chunk is added, and
the best places are shown as windows of whole sentences around the best passage.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memdown.text import index_terms
from memdown.types import FILE_SPAN, Chunk, Hit, Passage, StoredChunk

# How much of a neighbour's text score a passage borrows: next to it, one further, best of its file.
_NEXT, _SECOND, _FILE = 0.3, 0.15, 0.1
# The share of a score that age can take away: an old note that alone answers must stay on top.
_MOST_DECAY = 0.3
_SENTENCE_END = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its two scores in 0..1 and what they make together."""

    key: int
    chunk_key: int
    text: float
    vector: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What the two legs count; they add up to 1."""

    vector: float
    text: float


def spread(scores: Mapping[int, float]) -> dict[int, float]:
    """Let a passage gain from matches beside it and elsewhere in its file."""
    best: dict[int, float] = {}
    for key, score in scores.items():
        file = key // FILE_SPAN
        best[file] = max(best.get(file, 0.0), score)
    get = scores.get
    return {
        key: score
        + _NEXT * max(get(key - 1, 0.0), get(key + 1, 0.0))
        + _SECOND * max(get(key - 2, 0.0), get(key + 2, 0.0))
        + _FILE * best[key // FILE_SPAN]
        for key, score in scores.items()
    }


def text_scores(raw: Mapping[int, float], reachable: float) -> dict[int, float]:
    """BM25 as a share of what a passage with every word of the query would get."""
    if reachable <= 0:
        return dict.fromkeys(raw, 0.0)
    full = reachable * (1 + _FILE)
    return {key: min(1.0, score / full) for key, score in spread(raw).items()}


def vector_score(cosine: float) -> float:
    """Cosine similarity as a score: unrelated texts are not alike at all."""
    return min(1.0, max(0.0, cosine))


def fuse(
    text: Mapping[int, float],
    vector: Mapping[int, float],
    chunk_of: Mapping[int, int],
    weights: Weights | None,
) -> list[Scored]:
    """Add the legs up, best first. Without weights only one leg is there and counts in full."""
    keys = {**dict.fromkeys(text), **dict.fromkeys(_unmatched(vector, chunk_of))}
    scored = []
    for key in keys:
        chunk_key = chunk_of.get(key, key)
        text_score, closeness = text.get(key, 0.0), vector.get(chunk_key, 0.0)
        relevance = (
            max(text_score, closeness)
            if weights is None
            else weights.text * text_score + weights.vector * closeness
        )
        scored.append(Scored(key, chunk_key, text_score, closeness, relevance))
    return sorted(scored, key=lambda one: (-one.relevance, one.key))


def _unmatched(vector: Mapping[int, float], chunk_of: Mapping[int, int]) -> Iterable[int]:
    """The chunks that only the vector leg found, shown from their first passage."""
    matched = set(chunk_of.values())
    return (key for key in vector if key not in matched)


def recency(date: datetime.date | None, today: datetime.date, half_life_days: float | None) -> float:
    """The factor that age leaves of a score: 1 for undated or new notes, never far below that."""
    if date is None or half_life_days is None:
        return 1.0
    age = max(0, (today - date).days)
    return 1.0 - _MOST_DECAY + _MOST_DECAY * math.exp(-math.log(2) / half_life_days * age)


def window(chunk: Chunk, passage: Passage, size: int) -> tuple[int, int]:
    """The offsets of whole sentences around a passage, at most `size` characters."""
    start, end = _trim(chunk.text, passage.start, passage.end)
    if end - start > size:
        return start, _cut(chunk.text, start, start + size)
    before, after = _sentences(chunk.text, start, end)
    while before or after:
        grown = False
        if after and after[0][1] - start <= size:
            end = after.pop(0)[1]
            grown = True
        if before and end - before[-1][0] <= size:
            start = before.pop()[0]
            grown = True
        if not grown:
            break
    return start, end


def _sentences(
    text: str, start: int, end: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The pieces of the text before and after a place."""
    before = _pieces(text, 0, start)
    after = _pieces(text, end, len(text))
    return before, after


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    pieces = []
    for match in _SENTENCE_END.finditer(text, start, end):
        pieces.append(_trim(text, start, match.start()))
        start = match.end()
    pieces.append(_trim(text, start, end))
    return [(first, last) for first, last in pieces if last > first]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _cut(text: str, start: int, end: int) -> int:
    """A place to end a text that is too long: the last space, if one is near."""
    space = text.rfind(" ", start + (end - start) // 2, end)
    return space if space > start else end


def make_hit(
    stored: StoredChunk,
    scored: Scored,
    words: Collection[str],
    *,
    today: datetime.date,
    half_life_days: float | None,
    size: int,
) -> Hit:
    """What a person sees of a scored passage."""
    chunk = stored.chunk
    passage = chunk.passages[min(scored.key - stored.key, len(chunk.passages) - 1)]
    start, end = window(chunk, passage, size)
    snippet = chunk.text[start:end]
    factor = recency(stored.date, today, half_life_days)
    found = set(index_terms(snippet))
    return Hit(
        path=chunk.path,
        source=chunk.source,
        start_line=chunk.line_at(start),
        end_line=chunk.line_at(max(start, end - 1)),
        score=scored.relevance * factor,
        snippet=snippet,
        vector_score=scored.vector,
        text_score=scored.text,
        recency=factor,
        heading=chunk.heading,
        date=stored.date,
        matched=tuple(word for word in words if word in found),
    )


def without_overlaps(hits: Iterable[Hit]) -> list[Hit]:
    """Each place once: a hit that mostly repeats lines of a better one is left out."""
    kept: list[Hit] = []
    for hit in hits:
        if not any(_repeats(hit, other) for other in kept):
            kept.append(hit)
    return kept


def _repeats(hit: Hit, other: Hit) -> bool:
    if hit.snippet == other.snippet:
        return True
    if hit.path != other.path:
        return False
    shared = min(hit.end_line, other.end_line) - max(hit.start_line, other.start_line) + 1
    lines = hit.end_line - hit.start_line + 1
    return shared > 0 and 2 * shared >= lines and not _same_long_line(hit, other)


def _same_long_line(hit: Hit, other: Hit) -> bool:
    """Two different parts of one very long line do not repeat each other."""
    one_line = hit.start_line == hit.end_line == other.start_line == other.end_line
    return one_line and hit.snippet[:80] not in other.snippet and hit.snippet[-80:] not in other.snippet


def diversified(hits: Sequence[Hit], weight: float, count: int) -> list[Hit]:
    """Maximal marginal relevance: good hits first, yet unlike those already chosen."""
    rest = [(hit, frozenset(index_terms(hit.snippet))) for hit in hits]
    chosen: list[tuple[Hit, frozenset[str]]] = []
    while rest and len(chosen) < count:
        best = max(
            rest,
            key=lambda one: weight * one[0].score
            - (1 - weight) * max((_jaccard(one[1], other[1]) for other in chosen), default=0.0),
        )
        rest.remove(best)
        chosen.append(best)
    return [hit for hit, _ in chosen]


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    together = len(a | b)
    return len(a & b) / together if together else 0.0


def cited(hit: Hit) -> Hit:
    """The hit with its citation."""
    return replace(hit, citation=f"{hit.path}#L{hit.start_line}-L{hit.end_line}")
