"""Why a hit stands where it stands, in the parts that a person can check."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memdown.text import match_spans
from memdown.types import Hit, Move

_SHOWN_CHARS = 420


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the explanation: a value from 0 to 1, and how much it counts."""

    name: str
    about: str
    value: float
    weight: float | None = None

    @property
    def share(self) -> float:
        """The value as the length of a bar."""
        return min(1.0, max(0.0, self.value))


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything the page tells about the place of one hit."""

    rank: int
    score: Part
    parts: tuple[Part, ...]
    recency: Part
    words: tuple[str, ...]
    timely: bool | None
    moves: tuple[Move, ...]


def explain(hit: Hit, rank: int) -> Shown:
    """The parts of a hit's score, from what each leg said to what came out."""
    why = hit.why
    parts = [
        Part(
            "Meaning",
            f"how close the text is, compared with the closest (similarity {hit.vector_score:.2f})",
            why.by_vector if why else hit.vector_score,
            why.vector_weight if why else None,
        ),
        Part(
            "Words",
            "how well the words of the question fit, compared with the best "
            f"({hit.text_score:.2f} of what is possible)",
            why.by_text if why else hit.text_score,
            why.text_weight if why else None,
        ),
    ]
    if why:
        about = "how sure it is that the notes hold an answer at all"
        parts.append(Part("Confidence", about, why.confidence))
    parts.append(Part("Relevance", "all of this together, before age counts", hit.relevance))
    about = "older days count a little less; topics and MEMORY.md do not age"
    return Shown(
        rank=rank,
        score=Part("Score", "what decides the rank", hit.score),
        parts=tuple(parts),
        recency=Part("Recency", about, hit.recency),
        words=_as_written(hit),
        timely=why.timely if why else None,
        moves=why.moves if why else (),
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
