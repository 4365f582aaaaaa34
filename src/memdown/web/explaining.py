"""Why a hit stands where it stands, in the parts that a person can check."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memdown.text import match_spans
from memdown.types import Hit

_SHOWN_CHARS = 420


@dataclass(frozen=True, slots=True)
class Part:
    """One leg of a score: how well it fits, and how much that counts."""

    name: str
    about: str
    score: float
    weight: float | None

    @property
    def share(self) -> float:
        """The score as the length of a bar."""
        return _length(self.score)


@dataclass(frozen=True, slots=True)
class Why:
    """The parts of one hit's score."""

    rank: int
    score: float
    relevance: float
    recency: float
    parts: tuple[Part, ...]
    words: tuple[str, ...]

    @property
    def share(self) -> float:
        """The score as the length of a bar."""
        return _length(self.score)

    @property
    def relevance_share(self) -> float:
        """The relevance as the length of a bar."""
        return _length(self.relevance)


def _length(score: float) -> float:
    return min(1.0, max(0.0, score))


def explain(hit: Hit, rank: int) -> Why:
    """The parts of a hit's score."""
    return Why(
        rank=rank,
        score=hit.score,
        relevance=hit.relevance,
        recency=hit.recency,
        parts=(
            Part("Meaning", "how close the text is to the question", hit.vector_score, None),
            Part("Words", "how many of its words stand there", hit.text_score, None),
        ),
        words=_as_written(hit),
    )


def _as_written(hit: Hit) -> tuple[str, ...]:
    """The words that matched as they stand in the text; the index knows only their stems."""
    spans = match_spans(hit.snippet, hit.matched)
    return tuple(dict.fromkeys(hit.snippet[start:end].lower() for start, end in spans))


def shown_text(hit: Hit, title: str) -> str:
    """What the list shows of a hit: the lines around its matches, without its title once more."""
    text = focus(hit.snippet, hit.matched)
    first, _, rest = text.partition("\n")
    if first.startswith("#") and first.lstrip("# ").rstrip() == title and rest.strip():
        return rest
    return text


def focus(snippet: str, matched: Collection[str], size: int = _SHOWN_CHARS) -> str:
    """The lines of a long snippet that hold the most matches, for a list that can be skimmed."""
    if len(snippet) <= size:
        return snippet
    lines = snippet.split("\n")
    found = [len(match_spans(line, matched)) for line in lines]
    best, chosen = -1, (0, 1)
    for first in range(len(lines)):
        last, length = first, 0
        while last < len(lines) and (last == first or length + len(lines[last]) <= size):
            length += len(lines[last]) + 1
            last += 1
        # The heading above a match is worth as much as half a match.
        score = 2 * sum(found[first:last]) + lines[first].startswith("#")
        if score > best:
            best, chosen = score, (first, last)
    return "\n".join(lines[chosen[0] : chosen[1]])
