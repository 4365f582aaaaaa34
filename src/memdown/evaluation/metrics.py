"""How good an answer is: what of the evidence it shows, and how soon. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memdown.evaluation.questions import Evidence, Question
from memdown.types import LEFT_OUT

# What an agent really gets to see.
SHOWN_RESULTS, SHOWN_CHARS = 6, 700


@dataclass(frozen=True, slots=True)
class ShownResult:
    """One result: where it stands, what it shows, and whether it claims to answer."""

    path: str
    start_line: int
    end_line: int
    shown: str
    strong: bool = True


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures for one question, each from 0 to 1."""

    visible: float
    recall_6: float
    recall_10: float
    recall_4k: float
    recall_8k: float
    first: float
    hit: float
    mrr: float
    ndcg: float
    empty: float


Lines = Mapping[str, Sequence[str]]
FIGURES = tuple(Scores.__dataclass_fields__)


def score(question: Question, results: Sequence[ShownResult], notes: Lines) -> Scores:
    """Judge the results for a question; `notes` are the lines of every note that is evidence."""
    wanted = evidence_lines(question.evidence, notes)
    relevant = [_touches(found, question.evidence, wanted) for found in results]
    return Scores(
        visible=_shown(wanted, _snippets(results), SHOWN_RESULTS * SHOWN_CHARS),
        recall_6=_covered(wanted, results[:6]),
        recall_10=_covered(wanted, results[:10]),
        recall_4k=_shown(wanted, results, 4_000),
        recall_8k=_shown(wanted, results, 8_000),
        first=float(bool(relevant[:1]) and relevant[0]),
        hit=float(any(relevant[:6])),
        mrr=next((1 / rank for rank, good in enumerate(relevant, start=1) if good), 0.0),
        ndcg=_ndcg(results, question.evidence),
        empty=float(not results),
    )


def evidence_lines(evidence: Sequence[Evidence], notes: Lines) -> dict[tuple[str, int], str]:
    """The lines that hold the answer, blank ones left out."""
    wanted = {}
    for one in evidence:
        lines = notes.get(one.path, ())
        for number in range(one.first, min(one.last or len(lines), len(lines)) + 1):
            if lines[number - 1].strip():
                wanted[one.path, number] = lines[number - 1].strip()
    return wanted


def _snippets(results: Sequence[ShownResult]) -> list[ShownResult]:
    """What is handed to an agent, who gets no more than the beginning of a long result."""
    return [replace(one, shown=one.shown[:SHOWN_CHARS]) for one in results[:SHOWN_RESULTS]]


def _has(found: ShownResult, path: str, line: int, text: str) -> bool:
    """Whether a result is of this line; where it leaves lines out, it must show it."""
    within = found.path == path and found.start_line <= line <= found.end_line
    return within and (not _has_gaps(found) or text in found.shown)


def _has_gaps(found: ShownResult) -> bool:
    return f"\n{LEFT_OUT}\n" in found.shown


def _covered(wanted: Mapping[tuple[str, int], str], results: Sequence[ShownResult]) -> float:
    found = sum(
        any(_has(one, path, line, text) for one in results) for (path, line), text in wanted.items()
    )
    return found / len(wanted) if wanted else 0.0


def _shown(
    wanted: Mapping[tuple[str, int], str], results: Sequence[ShownResult], budget: int
) -> float:
    """The share of the evidence that can be read within so many characters.

    Of a line too long for any snippet, the part that is shown counts.
    """
    total = 0.0
    texts: list[ShownResult] = []
    for one in results:
        if budget <= 0:
            break
        texts.append(ShownResult(one.path, one.start_line, one.end_line, one.shown[:budget]))
        budget -= len(one.shown)
    for (path, line), text in wanted.items():
        here = [one for one in texts if one.path == path and one.start_line <= line <= one.end_line]
        if any(text in one.shown for one in here):
            total += 1
        elif len(text) > SHOWN_CHARS:
            total += min(1.0, sum(len(one.shown) for one in here) / len(text))
    return total / len(wanted) if wanted else 0.0


def _touches(
    found: ShownResult, evidence: Sequence[Evidence], wanted: Mapping[tuple[str, int], str]
) -> bool:
    if _has_gaps(found):
        return any(_has(found, path, line, text) for (path, line), text in wanted.items())
    return any(
        found.path == one.path
        and found.start_line <= (one.last or found.end_line)
        and found.end_line >= one.first
        for one in evidence
    )


def _ndcg(results: Sequence[ShownResult], evidence: Sequence[Evidence]) -> float:
    """Normalised discounted gain of the first ten notes, each note counted once."""
    relevant = {one.path for one in evidence}
    ranked = list(dict.fromkeys(found.path for found in results))[:10]
    gain = sum(1 / math.log2(rank + 1) for rank, path in enumerate(ranked, 1) if path in relevant)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(relevant)) + 1))
    return gain / best if best else 0.0


def mean(values: Sequence[float]) -> float:
    """The average; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
