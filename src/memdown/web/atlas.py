"""A picture of the memory: every chunk as a point, near to what means the same."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memdown.memory import Memory
from memdown.types import StoredChunk, Vector, Vectors

MOST_POINTS = 20_000
SIDE = 10_000
_ROUNDS = 12
_EXTRA = 6

_Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Projection:
    """How vectors become places: two directions, and what maps them onto a square."""

    mean: Vector
    axes: _Plane
    low: NDArray[np.float32]
    span: NDArray[np.float32]

    def place(self, rows: Vectors) -> NDArray[np.int32]:
        """Places in a square of `SIDE`; what lies far out is drawn in, never cut off."""
        flat = ((rows - self.mean) @ self.axes - self.low) / self.span * 2 - 1
        inward = np.where(
            np.abs(flat) > 0.9,
            np.sign(flat) * (0.9 + 0.1 * np.tanh((np.abs(flat) - 0.9) * 2)),
            flat,
        )
        placed: NDArray[np.int32] = ((inward + 1) / 2 * SIDE).round().astype(np.int32)
        return placed


@dataclass(frozen=True, slots=True)
class Atlas:
    """The chunks and their places, of one state of the index."""

    state: str
    chunks: tuple[StoredChunk, ...]
    places: NDArray[np.int32]
    projection: Projection | None

    def as_json(self) -> dict[str, Any]:
        """Columns instead of records: 20,000 points stay small."""
        files: dict[str, int] = {}
        numbers = [files.setdefault(one.chunk.path, len(files)) for one in self.chunks]
        dates = {one.chunk.path: one.date for one in self.chunks}
        return {
            "state": self.state,
            "side": SIDE,
            "x": self.places[:, 0].tolist(),
            "y": self.places[:, 1].tolist(),
            "file": numbers,
            "line": [one.chunk.start_line for one in self.chunks],
            "end": [one.chunk.end_line for one in self.chunks],
            "files": [
                {"path": path, "date": day.isoformat() if (day := dates[path]) else None}
                for path in files
            ],
        }


class Atlases:
    """Keeps the last atlas until the index changes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._atlas: Atlas | None = None

    def current(self) -> Atlas:
        """The atlas of the index as it is now."""
        with self._lock:
            state = self._memory.revision()
            if self._atlas is None or self._atlas.state != state:
                self._atlas = draw(state, *self._memory.vectors(MOST_POINTS))
            return self._atlas


def draw(state: str, chunks: Sequence[StoredChunk], rows: Vectors) -> Atlas:
    """Place every chunk."""
    if not len(rows):
        return Atlas(state, (), np.empty((0, 2), np.int32), None)
    projection = fit(rows)
    return Atlas(state, tuple(chunks), projection.place(rows), projection)


def fit(rows: Vectors) -> Projection:
    """The two directions in which the vectors differ most (PCA by subspace iteration).

    A full decomposition of 20,000 vectors of 3,072 numbers takes many seconds, the two first
    directions take a few products of thin matrices.
    """
    mean = rows.mean(axis=0)
    centred = rows - mean
    width = min(2 + _EXTRA, rows.shape[1])
    basis = np.linalg.qr(_start(rows.shape[1], width))[0]
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(centred.T @ (centred @ basis))[0]
    small = centred @ basis
    turned = basis @ np.linalg.svd(small, full_matrices=False)[2].T
    axes = np.zeros((rows.shape[1], 2), np.float32)
    axes[:, : min(2, width)] = turned[:, :2]
    # A direction and its opposite are equally good; the picture must not flip between two runs.
    axes *= np.where(axes.sum(axis=0) < 0, -1, 1)
    flat = centred @ axes
    low, high = np.percentile(flat, [1, 99], axis=0)
    middle, span = (low + high) / 2, np.maximum((high - low) * 1.12, 1e-6)
    return Projection(
        mean.astype(np.float32),
        axes.astype(np.float32),
        (middle - span / 2).astype(np.float32),
        span.astype(np.float32),
    )


def _start(rows: int, columns: int) -> NDArray[np.float32]:
    return np.random.default_rng(7).standard_normal((rows, columns)).astype(np.float32)
