"""From single outcomes to figures with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from memdown.evaluation.metrics import FIGURES
from memdown.evaluation.running import Evaluation, Run

_ROUNDS = 1000
_SEED = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """An average and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What one configuration reached.

    `figures` are those of the questions with an answer; `silent` is how many of the questions that
    nothing answers rightly got nothing, None if there are none. `gained` is by how much each figure
    is better than in the first configuration, question by question.
    """

    configuration: str
    questions: int
    figures: Mapping[str, Figure]
    gained: Mapping[str, Figure]
    silent: Figure | None
    median_ms: float
    p95_ms: float


def summarise(evaluation: Evaluation) -> list[Summary]:
    """The figures of every configuration."""
    first = _rows(evaluation.runs[0])
    return [_summary(run, first) for run in evaluation.runs]


def _summary(run: Run, first: np.ndarray) -> Summary:
    rows = _rows(run)
    silent = [[float(not one.found)] for one in run.unanswerable]
    seconds = [one.seconds for one in run.outcomes]
    return Summary(
        configuration=run.configuration,
        questions=len(rows),
        figures=dict(zip(FIGURES, averages(rows), strict=True)),
        gained=dict(zip(FIGURES, averages(rows - first), strict=True)),
        silent=averages(np.array(silent))[0] if silent else None,
        median_ms=1000 * float(np.median(seconds)),
        p95_ms=1000 * float(np.quantile(seconds, 0.95)),
    )


def _rows(run: Run) -> np.ndarray:
    return np.array([astuple(one) for one in run.scores], dtype=float).reshape(-1, len(FIGURES))


def averages(rows: np.ndarray | Sequence[Sequence[float]]) -> list[Figure]:
    """The average of each column, with a bootstrap interval over the rows."""
    values = np.asarray(rows, dtype=float)
    count, width = values.shape
    if not count:
        return [Figure(0.0, 0.0, 0.0)] * width
    # How often each row is drawn says as much as which rows are drawn, and adds up much faster.
    draws = np.random.default_rng(_SEED).multinomial(count, np.full(count, 1 / count), _ROUNDS)
    low, high = np.quantile(draws @ values / count, (0.025, 0.975), axis=0)
    means = values.mean(axis=0)
    return [Figure(*map(float, one)) for one in zip(means, low, high, strict=True)]
