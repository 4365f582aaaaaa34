"""The best candidates judged by themselves: which words each holds, and how near its sentences are.

Passages that are lists of facts are taken apart here, so that a fact is judged, and later shown, alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memdown.index.similarity import cosines
from memdown.notes.facts import Unit, facts_in, heading_at
from memdown.search import rank as ranking
from memdown.search import snippets as windows
from memdown.search.coverage import Coverage
from memdown.search.rank import WHOLE, Legs, Place, Scored, Weights
from memdown.text import QueryTerms
from memdown.types import Embedder, Move, StoredChunk, Vector

# How many passages are read, and how many of them are also embedded; a fact is a third of one.
READ = 24
_COMPARED, _A_FACT = 8, 1 / 3
# What says nothing to an embedder but weighs as much as words: dates, times, paths, markup.
_UNSAID = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|`[^`\n]*[/\d][^`\n]*`|https?://\S+|[*_`|#\[\]]+|^\W*\d+[.)]\s"
)
_STRETCH_CHARS = 200
# Few enough that the bundled embedder need not prepare for many.
_A_BATCH = 60
# So few chunks and passages are all judged, whatever the legs say of them.
_FEW_CHUNKS, _FEW_PASSAGES = 64, 96
# What an unrelated text's similarity may be, and for how many texts it counts beside the notes' own:
# of a single one, the average says nothing.
_UNRELATED, _UNRELATED_COUNT = 0.2, 4
# So much nearer than an average text is near.
_NEAR, _NEAR_IN_FEW, _NEXT = 0.15, 0.3, 8


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and who can tell how near a text is, where that costs nothing."""

    terms: QueryTerms
    vector: Vector | None
    embedder: Embedder | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The candidates, best first, and the largest share of the words that one of them holds.

    From the similarity `near` on, a text resembles the question whatever its words.
    Where all was compared, `nearest` is the similarity of the nearest, and `closeness` how much nearer
    than others it is.
    """

    best: list[Scored]
    covered: float
    near: float
    closeness: float | None = None
    nearest: float | None = None


def average(similarity: float, count: int) -> float:
    """The similarity of an average text, as far as so many can tell."""
    if count > _FEW_CHUNKS:
        return similarity
    return (similarity * count + _UNRELATED * _UNRELATED_COUNT) / (count + _UNRELATED_COUNT)


def judge(
    found: Sequence[Scored],
    chunks: Mapping[int, StoredChunk],
    question: Question,
    legs: Legs,
    weights: Weights,
) -> Judged:
    """Judge the first candidates; where there are few notes, all that is in them."""
    few = is_few(legs) and sum(len(one.chunk.passages) for one in chunks.values()) <= _FEW_PASSAGES
    if few:
        found = _every_passage(found, chunks, legs)
    texts = _Texts(chunks)
    best = list(texts.taken_apart(found, math.inf if few else READ))
    coverage = Coverage(question.terms)
    covered = {
        one.place: texts.covered(coverage, one)
        for one in _first(best, chunks, math.inf if few else READ)
    }
    best = ranking.by_coverage(_by_fact(best, covered), covered, weights)
    most = max(covered.values(), default=0.0)
    near = min(legs.background + _NEAR, _NEAR_IN_FEW) if few else legs.background + _NEAR
    embedder = question.embedder
    if question.vector is None or not weights.vector or embedder is None:
        return Judged(best, most, near)
    if not embedder.instant:
        return Judged(best, most, near)
    compared = _first(best, chunks, math.inf if few else _COMPARED)
    said = {one.place: texts.said(one) for one in compared}
    similarity = _similarities(said, question.vector, embedder)
    if not few or not similarity:
        best = ranking.by_closeness(best, similarity, legs.background, weights)
        return Judged(best, most, near)
    background = average(sum(similarity.values()) / len(similarity), len(similarity))
    best = ranking.by_closeness(best, similarity, background, weights, alone=True)
    best = [one._replace(vector=similarity.get(one.place, one.vector)) for one in best]
    return Judged(
        best,
        most,
        background + _NEAR,
        closeness=_lead(similarity.values(), background),
        nearest=max(similarity.values()),
    )


def _lead(similarity: Iterable[float], background: float) -> float:
    """How far the nearest is ahead of an average text and of the next ones: all Chinese is alike."""
    first, *others = sorted(similarity, reverse=True)
    others = others[:_NEXT]
    return first - max([background, *([sum(others) / len(others)] if others else [])])


def _by_fact(best: Sequence[Scored], covered: Mapping[Place, float]) -> list[Scored]:
    """What a passage scored by its words goes to those of its facts that hold them."""
    most: dict[int, float] = {}
    for one in best:
        most[one.key] = max(most.get(one.key, 0.0), covered.get(one.place, 0.0))
    scored = []
    for one in best:
        if one.at != WHOLE and most[one.key]:
            part = covered.get(one.place, 0.0) / most[one.key]
            one = one._replace(text=part * one.text, by_text=part * one.by_text)
        scored.append(one)
    return scored


def is_few(legs: Legs) -> bool:
    """Whether there are so few chunks that all of them can be looked at."""
    return 0 < len(legs.vector) <= _FEW_CHUNKS


def _every_passage(
    found: Sequence[Scored], chunks: Mapping[int, StoredChunk], legs: Legs
) -> list[Scored]:
    """Also the passages that no leg has named: the vector leg names chunks only."""
    known = {one.key for one in found}
    near = ranking.closeness(legs.vector, legs.background)
    every = list(found)
    for key, stored in chunks.items():
        for passage in range(key, key + len(stored.chunk.passages)):
            if passage not in known:
                by_vector = near.get(key, 0.0)
                moves = (Move("fusion", len(every) + 1),)
                vector = legs.vector.get(key, 0.0)
                every.append(Scored(passage, key, 0.0, vector, 0.0, by_vector, moves=moves))
    return every


def _first(
    best: Sequence[Scored], chunks: Mapping[int, StoredChunk], count: float
) -> Iterator[Scored]:
    """The first candidates whose text is at hand, as many as so many passages are worth."""
    for one in best:
        if count <= 0:
            return
        if one.chunk_key in chunks:
            count -= 1 if one.at == WHOLE else _A_FACT
            yield one


class _Texts:
    """What the candidates of one search say."""

    def __init__(self, chunks: Mapping[int, StoredChunk]) -> None:
        self._chunks = chunks
        self._facts: dict[Place, Unit] = {}
        self._headings: dict[tuple[int, int], str] = {}

    def taken_apart(self, found: Sequence[Scored], count: float) -> Iterator[Scored]:
        """The first passages as facts, each with the scores of its passage, then the others whole."""
        for one in found:
            stored = self._chunks.get(one.chunk_key) if count > 0 else None
            facts = facts_in(stored.chunk, _number(one, stored)) if stored else []
            if not facts:
                count -= 1
                yield one
            for fact in facts:
                count -= _A_FACT
                named = one._replace(at=fact.start)
                self._facts[named.place] = fact
                yield named

    def covered(self, coverage: Coverage, one: Scored) -> float:
        """The share of the words that a candidate holds; those in the heading of a fact count half."""
        text = self._text(one)
        share = coverage.share(text)
        if one.at == WHOLE or share == 1.0:
            return share
        above = f"{self._heading(one)} {self._facts[one.place].above}"
        return (share + coverage.share(f"{above} {text}")) / 2

    def said(self, one: Scored) -> str:
        """What is compared by its meaning: a fact under its heading, without dates, paths and marks."""
        text = self._text(one)
        if one.at == WHOLE or len(text) > _STRETCH_CHARS:
            return text
        heading = self._heading(one).rpartition(" > ")[2]
        said = " ".join(_UNSAID.sub(" ", f"{heading}: {text}").split())
        return said if any(map(str.isalpha, said)) else text

    def _text(self, one: Scored) -> str:
        stored = self._chunks[one.chunk_key]
        if one.at == WHOLE:
            passage = stored.chunk.passages[_number(one, stored)]
            return stored.chunk.text[passage.start : passage.end]
        fact = self._facts[one.place]
        return stored.chunk.text[fact.start : fact.end]

    def _heading(self, one: Scored) -> str:
        place = one.chunk_key, self._facts[one.place].section
        if place not in self._headings:
            self._headings[place] = heading_at(self._chunks[one.chunk_key].chunk, one.at)
        return self._headings[place]


def _number(one: Scored, stored: StoredChunk) -> int:
    return min(one.key - stored.key, len(stored.chunk.passages) - 1)


def _similarities(
    texts: Mapping[Place, str], vector: Vector, embedder: Embedder
) -> dict[Place, float]:
    """How similar each text is.

    It is as close as its closest few sentences: an average over many blurs.
    """
    similarity: dict[Place, float] = {}
    stretches = [
        (place, stretch)
        for place, text in texts.items()
        for stretch in windows.stretches(text, _STRETCH_CHARS)
    ]
    for start in range(0, len(stretches), _A_BATCH):
        batch = stretches[start : start + _A_BATCH]
        rows = embedder.embed_batch([text for _, text in batch])
        for (place, _), score in zip(batch, cosines(rows, vector).tolist(), strict=True):
            similarity[place] = max(score, similarity.get(place, -1.0))
    return similarity
