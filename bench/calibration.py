"""A fixed piece of work, so that figures from different machines or hours can be compared.

A figure divided by the calibration's CPU time says how many such pieces of work it is worth.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bench.measure import Timing, middle, milliseconds, table, timed

_ROUNDS = 5


def calibrate() -> Timing:
    """The median time of the fixed work, half of it plain Python, half numpy."""
    return middle(timed(_work)[1] for _ in range(_ROUNDS))


def describe(before: Timing, after: Timing) -> dict[str, Any]:
    """Both calibrations of a benchmark: if they differ much, the machine was not at rest."""
    print(
        table(
            "calibration (fixed work, ms)",
            ("", "wall", "CPU"),
            [
                ("before", milliseconds(before.wall), milliseconds(before.cpu)),
                ("after", milliseconds(after.wall), milliseconds(after.cpu)),
            ],
        )
    )
    return {"before": asdict(before), "after": asdict(after)}


def unit(before: Timing, after: Timing) -> float:
    """The CPU seconds that count as one."""
    return (before.cpu + after.cpu) / 2


def _work() -> float:
    import numpy as np

    counts: dict[str, int] = {}
    for number in range(120_000):
        word = f"w{number * 7919 % 5003}"
        counts[word] = counts.get(word, 0) + len(word)
    rows = np.arange(20_000 * 256, dtype=np.float32).reshape(20_000, 256) % 97
    query = np.linspace(-1, 1, 256, dtype=np.float32)
    scores = np.zeros(20_000, dtype=np.float32)
    for _ in range(10):
        # Not a matrix product: its threads would count as CPU time of varying length.
        scores += (rows * query).sum(axis=1)
        np.argpartition(scores, -20)
    return float(scores.sum()) + len(counts)
