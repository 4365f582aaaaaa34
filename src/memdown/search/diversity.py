"""Hits beside one another: repetitions step back, and on request whatever is alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memdown.text import distinct_terms
from memdown.tuning import TUNING
from memdown.types import Hit, Move, Why

_SHOWN = TUNING.shown

_UNDATED = 10_000_000


class Moves:
    """The rank that each hit had after each step. Whatever else is changed of a hit, it keeps its reasons: by those
    its ranks are known, and only hits that are shown are made anew to tell them."""

    def __init__(self) -> None:
        self._of: dict[int, list[Move]] = {}

    def add(self, step: str, hits: Sequence[Hit]) -> None:
        """Note the ranks after a step."""
        for rank, hit in enumerate(hits, start=1):
            self._of.setdefault(id(hit.why), []).append(Move(step, rank))

    def why(self, hit: Hit) -> Why | None:
        """The reasons of a hit, with its ranks."""
        why = hit.why
        return why and replace(why, moves=(*why.moves, *self._of.get(id(why), ())))


def without_repeats(hits: Sequence[Hit]) -> list[Hit]:
    """Each text once: what says the very same as a better hit is left out, what nearly does steps back."""
    kept: list[Hit] = []
    before: list[Hit] = []
    for hit in sorted(hits, key=lambda one: -one.score):
        if any(hit.snippet == one.snippet for one in before):
            continue
        stepped_back = repeats(hit, before)
        before.append(hit)
        kept.append(replace(hit, score=_SHOWN.repeated * hit.score) if stepped_back else hit)
    return sorted(kept, key=_by_score)


def _by_score(hit: Hit) -> tuple[float, int]:
    """Best first; of those whose scores are shown as equal, undated ones and then the newer first."""
    return -round(hit.score, 2), -hit.date.toordinal() if hit.date else -_UNDATED


def repeats(hit: Hit, others: Iterable[Hit]) -> bool:
    """Whether a hit says the same as one of the others, or nearly the same."""
    words = distinct_terms(hit.snippet)
    # Texts of very different length share too little, whatever their words.
    least = _SHOWN.same_words * len(words) if len(words) >= _SHOWN.least_words else math.inf
    most = len(words) / _SHOWN.same_words
    for one in others:
        if hit.snippet == one.snippet:
            return True
        theirs = distinct_terms(one.snippet)
        if least <= len(theirs) <= most and _jaccard(words, theirs) >= _SHOWN.same_words:
            return True
    return False


def diversified(hits: Sequence[Hit], weight: float) -> list[Hit]:
    """Maximal marginal relevance: good hits first, yet unlike those already chosen."""
    words = [distinct_terms(hit.snippet) for hit in hits]
    nearest = [0.0] * len(hits)
    rest = list(range(len(hits)))
    chosen: list[int] = []
    while rest:
        best = max(rest, key=lambda n: weight * hits[n].score - (1 - weight) * nearest[n])
        rest.remove(best)
        chosen.append(best)
        for n in rest:
            nearest[n] = max(nearest[n], _jaccard(words[n], words[best]))
    return [hits[n] for n in chosen]


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    shared = len(a & b)
    together = len(a) + len(b) - shared
    return shared / together if together else 0.0
