"""The vector leg in memory: exact nearest neighbours from vectors of two bytes a number.

The first byte alone finds the candidates, fast; both together are as good as the stored number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import simsimd
from numpy.typing import NDArray

from memdown.index.similarity import cosines, highest, in_files
from memdown.types import Match, Vector, Vectors

Keys = NDArray[np.int64]
Mask = NDArray[np.bool_]
_Bytes = NDArray[np.int8]

_FIRST, _SECOND = 127.0, 254.0
# The first byte orders the very best a little differently, so more than enough are looked at twice.
_MORE = 64
# Room for vectors to come, so that one more does not copy all.
_SPARE, _LEAST_SPARE = 8, 256
_ROWS_A_STEP = 4096


@dataclass(frozen=True, slots=True)
class Packed:
    """Vectors as bytes: each number is (first + second / 254) times the scale of its vector."""

    first: _Bytes
    second: _Bytes
    scale: NDArray[np.float32]

    def restored(self, rows: NDArray[np.int64]) -> Vectors:
        """Some of the vectors as they were."""
        numbers = self.first[rows].astype(np.float32)
        numbers += self.second[rows] / np.float32(_SECOND)
        numbers *= self.scale[rows, None]
        return numbers


def pack(vectors: Vectors) -> Packed:
    """Vectors as bytes."""
    scale = np.abs(vectors).max(axis=1, initial=1e-9) / _FIRST
    numbers = vectors / scale[:, None]
    first = np.rint(numbers)
    second = np.rint((numbers - first) * _SECOND)
    return Packed(first.astype(np.int8), second.astype(np.int8), scale.astype(np.float32))


@dataclass(frozen=True, slots=True)
class Nearest:
    """The vectors of one moment; what is appended later does not touch it.

    `order` numbers those that are not struck out by rising key, `sorted_keys` are these keys.
    """

    keys: Keys
    packed: Packed
    order: NDArray[np.int64]
    sorted_keys: Keys

    def match(self, vector: Vector, limit: int, files: frozenset[int] | None = None) -> list[Match]:
        """The nearest chunks, nearest first; with `files`, of these files only."""
        if files is not None:
            return self._match_some(vector, limit, files)
        if not len(self.order):
            return []
        asked = pack(vector[None, :])
        scores = np.asarray(simsimd.cdist(asked.first, self.packed.first, "dot"))[0]
        scores = scores * self.packed.scale
        if len(self.order) < len(self.keys):
            scores = scores[self.order]
        best = highest(scores, limit + _MORE)
        rows = self.order[best] if len(self.order) < len(self.keys) else best
        exact = cosines(self.packed.restored(rows), vector)
        first = np.lexsort((self.keys[rows], -exact))[:limit]
        keys, values = self.keys[rows[first]].tolist(), exact[first].tolist()
        return list(map(Match, keys, values))

    def _match_some(self, vector: Vector, limit: int, files: frozenset[int]) -> list[Match]:
        """The nearest chunks of some files, by all their numbers, a step at a time."""
        rows = self.order[in_files(self.sorted_keys, files)]
        steps = range(0, len(rows), _ROWS_A_STEP)
        exact = np.concatenate(
            [
                np.empty(0, np.float32),
                *(cosines(self.packed.restored(rows[n : n + _ROWS_A_STEP]), vector) for n in steps),
            ]
        )
        first = np.lexsort((self.keys[rows], -exact))[:limit]
        return list(map(Match, self.keys[rows[first]].tolist(), exact[first].tolist()))

    def similarities(self, vector: Vector, keys: Sequence[int]) -> dict[int, float]:
        """How close the chunks with these keys are, as far as there are any."""
        rows = self._rows(keys)
        scores = cosines(self.packed.restored(rows), vector).tolist()
        return dict(zip(self.keys[rows].tolist(), scores, strict=True))

    def middle(self, keys: Sequence[int]) -> Vector:
        """The mean of the vectors with these keys; nothing if there are none."""
        rows = self._rows(keys)
        total: Vector = self.packed.restored(rows).sum(axis=0)
        return total / np.float32(max(1, len(rows)))

    def _rows(self, keys: Sequence[int]) -> NDArray[np.int64]:
        """The numbers of the vectors with these keys, as far as there are any."""
        wanted = np.array(keys, np.int64)
        if not len(self.order):
            return np.empty(0, np.int64)
        places = np.searchsorted(self.sorted_keys, wanted)
        rows = self.order[places.clip(max=len(self.order) - 1)]
        known: NDArray[np.int64] = rows[self.keys[rows] == wanted]
        return known


class Gathered:
    """The vectors of an index, which can be struck out and appended.

    Not safe for several threads; what `now` returns is.
    """

    def __init__(self, dims: int, count: int = 0) -> None:
        room = _room(count)
        self._count = 0
        self._keys: Keys = np.empty(room, np.int64)
        self._struck: Mask = np.zeros(room, bool)
        self._first: _Bytes = np.empty((room, dims), np.int8)
        self._second: _Bytes = np.empty((room, dims), np.int8)
        self._scale: NDArray[np.float32] = np.empty(room, np.float32)
        self._now: Nearest | None = None

    def __len__(self) -> int:
        return self._count

    def append(self, keys: Keys, vectors: Vectors) -> None:
        """Add vectors under keys that are not there, or are struck out."""
        start, end = self._count, self._count + len(keys)
        if end > len(self._keys):
            self._grow(_room(end))
        self._keys[start:end] = keys
        for step in range(0, len(keys), _ROWS_A_STEP):
            packed = pack(vectors[step : step + _ROWS_A_STEP])
            rows = slice(start + step, start + step + len(packed.scale))
            self._first[rows], self._second[rows] = packed.first, packed.second
            self._scale[rows] = packed.scale
        self._count = end
        self._now = None

    def strike(self, stale: Callable[[Keys], Mask]) -> None:
        """Leave out the vectors whose keys are `stale`."""
        self._struck[: self._count] |= stale(self._keys[: self._count])
        self._now = None

    def now(self) -> Nearest:
        """The vectors as they are now."""
        if self._now is None:
            count = self._count
            alive = np.flatnonzero(~self._struck[:count])
            order = alive[np.argsort(self._keys[alive], kind="stable")]
            packed = Packed(self._first[:count], self._second[:count], self._scale[:count])
            self._now = Nearest(self._keys[:count], packed, order, self._keys[order])
        return self._now

    def _grow(self, room: int) -> None:
        self._keys = _longer(self._keys, room)
        self._struck = _longer(self._struck, room)
        self._first = _longer(self._first, room)
        self._second = _longer(self._second, room)
        self._scale = _longer(self._scale, room)


def _room(count: int) -> int:
    return count + max(_LEAST_SPARE, count // _SPARE)


def _longer(array: NDArray, room: int) -> NDArray:  # type: ignore[type-arg]
    longer = np.zeros((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
