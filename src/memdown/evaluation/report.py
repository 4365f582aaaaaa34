"""From single outcomes to figures with confidence intervals, and how they are shown: a table, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from memdown.evaluation.metrics import FIGURES
from memdown.evaluation.questions import written
from memdown.evaluation.running import ABOUT, Evaluation, QuestionOutcome, Run
from memdown.types import Citation

_ROUNDS = 1000
_SEED = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """An average and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EvaluationSummary:
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


def summarise(evaluation: Evaluation) -> list[EvaluationSummary]:
    """The figures of every configuration."""
    first = _rows(evaluation.runs[0])
    return [_summary(run, first) for run in evaluation.runs]


def _summary(run: Run, first: np.ndarray) -> EvaluationSummary:
    rows = _rows(run)
    silent = [[float(not one.found)] for one in run.unanswerable]
    seconds = [one.seconds for one in run.outcomes]
    return EvaluationSummary(
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


NAMES: Mapping[str, str] = {
    "visible": "visible in 6 × 700",
    "recall_6": "evidence in first 6",
    "recall_10": "evidence in first 10",
    "recall_4k": "within 4,000 characters",
    "recall_8k": "within 8,000 characters",
    "first": "first hit right",
    "hit": "any of 6 right",
    "mrr": "MRR",
    "ndcg": "nDCG@10",
    "empty": "empty answers",
}
_PLOTTED = ("visible", "recall_8k", "first", "ndcg")
_BAR = 40
_SHOWN_OF_A_LINE = 80


def title(evaluation: Evaluation) -> str:
    """What was asked, in one line."""
    questions = len(evaluation.runs[0].outcomes)
    about = f"{evaluation.notes} notes"
    if evaluation.workspaces > 1:
        about += f" in {evaluation.workspaces} workspaces"
    return f"{evaluation.name}: {questions} questions about {about}"


def table(summaries: Sequence[EvaluationSummary]) -> str:
    """All figures, one column a configuration."""
    rows = _cells(summaries)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        shown = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *shown]).rstrip())
    return "\n".join(lines)


def markdown(results: Sequence[tuple[Evaluation, Sequence[EvaluationSummary]]]) -> str:
    """A report that can be kept or sent."""
    parts = [
        "# Retrieval quality\n\n"
        "Percent, with 95 % bootstrap confidence intervals over the questions. What counts most is "
        "the first row: how much of the evidence stands in the six snippets of 700 characters that "
        "an agent gets.\n"
    ]
    for evaluation, summaries in results:
        head, *rows = _cells(summaries)
        lines = [_row(head), _row(["---", *["---:"] * len(summaries)]), *map(_row, rows)]
        parts.append(f"## {title(evaluation)}\n\n" + "\n".join(lines) + "\n")
        parts.append(f"```text\n{plot(summaries)}\n```\n")
        if len(summaries) > 1:
            parts.append(_compared(summaries))
        if wrong := failures(evaluation):
            parts.append(f"{wrong}\n")
    used = dict.fromkeys(one.configuration for _, summaries in results for one in summaries)
    parts.append("\n".join(f"- `{name}`: {ABOUT[name]}" for name in used) + "\n")
    return "\n".join(parts)


def failures(evaluation: Evaluation, most: int | None = None) -> str:
    """The questions that went wrong in each configuration, and what came instead."""
    parts = []
    for run in evaluation.runs:
        if not run.failures:
            continue
        shown = run.failures[:most]
        lines = [f"Not answered ({run.configuration}), {len(run.failures)} of {len(run.outcomes)}:"]
        for one in shown:
            lines.append(f"- {one.question.text}")
            lines.append(f"  wanted {_wanted(one)}; came {_came(one)}")
        if len(shown) < len(run.failures):
            more = len(run.failures) - len(shown)
            lines.append(f"and {more} more: --report or --json names them all")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _wanted(one: QuestionOutcome) -> str:
    return ", ".join(map(written, one.question.evidence)) or "nothing"


def _came(one: QuestionOutcome) -> str:
    if one.came is None:
        return "nothing"
    text = next((line.strip() for line in one.came.shown.splitlines() if _has_text(line)), "")
    shown = text if len(text) <= _SHOWN_OF_A_LINE else text[:_SHOWN_OF_A_LINE].rstrip() + "…"
    return f"{_place(one)} “{shown}”"


def _has_text(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _place(one: QuestionOutcome) -> str:
    found = one.came
    return "" if found is None else str(Citation(found.path, found.start_line, found.end_line))


def plot(summaries: Sequence[EvaluationSummary]) -> str:
    """Bars of the main figures; the dots span the confidence interval."""
    width = max(len(one.configuration) for one in summaries)
    lines = []
    for name in _PLOTTED:
        lines.append(NAMES[name])
        for one in summaries:
            figure = one.figures[name]
            lines.append(f"  {one.configuration:<{width}} {_bar(figure)} {100 * figure.mean:5.1f}")
    return "\n".join(lines)


def as_json(evaluation: Evaluation, summaries: Sequence[EvaluationSummary]) -> dict[str, Any]:
    """An evaluation for programs: shares from 0 to 1, times in milliseconds."""
    return {
        "name": evaluation.name,
        "workspaces": evaluation.workspaces,
        "notes": evaluation.notes,
        "questions": len(evaluation.runs[0].outcomes),
        "configurations": [
            {
                "name": one.configuration,
                "answerable": one.questions,
                "figures": {name: _figure(figure) for name, figure in one.figures.items()},
                "gained": {name: _figure(figure) for name, figure in one.gained.items()},
                "silent": _figure(one.silent) if one.silent else None,
                "latencyMs": {"median": round(one.median_ms, 2), "p95": round(one.p95_ms, 2)},
                "failures": _failures(run),
            }
            for one, run in zip(summaries, evaluation.runs, strict=True)
        ],
    }


def _failures(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "question": one.question.text,
            "where": one.question.where,
            "wanted": [written(evidence) for evidence in one.question.evidence],
            "came": _place(one) or None,
            "shown": one.came.shown if one.came else None,
        }
        for one in run.failures
    ]


def _figure(figure: Figure) -> dict[str, float]:
    return {
        "mean": round(figure.mean, 4),
        "low": round(figure.low, 4),
        "high": round(figure.high, 4),
    }


def _cells(summaries: Sequence[EvaluationSummary]) -> list[list[str]]:
    rows = [["", *(one.configuration for one in summaries)]]
    rows += [[NAMES[name], *(_shown(one.figures[name]) for one in summaries)] for name in NAMES]
    if any(one.silent for one in summaries):
        shown = [_shown(one.silent) if one.silent else "" for one in summaries]
        rows.append(["rightly nothing", *shown])
    rows.append(["median ms", *(f"{one.median_ms:.1f}" for one in summaries)])
    rows.append(["95 % within ms", *(f"{one.p95_ms:.1f}" for one in summaries)])
    return rows


def _shown(figure: Figure) -> str:
    return f"{100 * figure.mean:.1f} [{100 * figure.low:.1f}–{100 * figure.high:.1f}]"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bar(figure: Figure) -> str:
    low, high = round(_BAR * figure.low), round(_BAR * figure.high)
    return ("█" * low + "·" * max(1, high - low)).ljust(_BAR + 1)


def _compared(summaries: Sequence[EvaluationSummary]) -> str:
    first, *others = summaries
    lines = [
        f"- `{one.configuration}` against `{first.configuration}`: "
        + ", ".join(f"{NAMES[name]} {_signed(one.gained[name])}" for name in _PLOTTED)
        for one in others
    ]
    return "Question by question:\n\n" + "\n".join(lines) + "\n"


def _signed(figure: Figure) -> str:
    return f"{100 * figure.mean:+.1f} [{100 * figure.low:+.1f}, {100 * figure.high:+.1f}]"
