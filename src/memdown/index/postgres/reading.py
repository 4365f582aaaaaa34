"""What a process reads of an agent's index to hold it in memory, and what changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import Composed

from memdown.index.inverted import Column, Inverted
from memdown.index.mirror import Changes, State
from memdown.index.postgres import tables, vectors
from memdown.index.postgres.connection import one, run
from memdown.index.postgres.packed import Flat, read_passages
from memdown.index.postgres.place import Place
from memdown.index.postings import NewPassage
from memdown.types import FILE_SPAN, Source, Vectors

Keys = NDArray[np.int64]
_MINE = "agent_id = %s AND generation = %s"
# Less than the largest value that PostgreSQL hands over as one.
_PASSAGES_AT_ONCE = 50_000
_VECTORS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class PostgresOrigin:
    """The live generation inside a read transaction."""

    place: Place
    state: State

    def size(self) -> tuple[int, int]:
        """How many terms and how many chunks there are."""
        terms = one(self.place.db, self._sql("SELECT tokens FROM {s}.generations"), self._mine)
        return int(terms or 0), len(self.chunks())

    def words(self) -> Inverted:
        """The terms of all passages."""
        every = self._keys("passages")
        parts = []
        for start in range(0, len(every), _PASSAGES_AT_ONCE):
            some = every[start : start + _PASSAGES_AT_ONCE]
            bounds = (*self._mine, int(some[0]), int(some[-1]))
            parts.append(read_passages(self.place, f"{_MINE} AND key BETWEEN %s AND %s", bounds))
        names = run(
            self.place.db,
            self._sql("SELECT term, id FROM {s}.terms", " AND passages > 0 ORDER BY term"),
            self._mine,
        )
        return Inverted(
            every,
            _column([part.text for part in parts]),
            _column([part.head for part in parts]),
            [name for name, _ in names],
            np.array([number for _, number in names], np.int32),
        )

    def chunks(self) -> Keys:
        """The keys of all chunks, in order."""
        return self._keys("chunks")

    def all_rows(self, dims: int) -> Iterator[tuple[Keys, Vectors]]:
        """All vectors."""
        every = self.chunks()
        for start in range(0, len(every), _VECTORS_AT_ONCE):
            some = every[start : start + _VECTORS_AT_ONCE]
            between = "key BETWEEN %s AND %s"
            yield vectors.read(self.place, dims, between, (int(some[0]), int(some[-1])))

    def changes(self, revision: int) -> Changes:
        """What changed after a revision."""
        db = self.place.db
        there = _numbers(one(db, self._sql("SELECT array_agg(id) FROM {s}.files"), self._mine))
        newer = self._sql("SELECT array_agg(id) FROM {s}.files", " AND revision > %s")
        changed = _numbers(one(db, newer, (*self._mine, revision)))
        kept = np.setdiff1d(there, changed)
        chunks = [
            key
            for file in changed.tolist()
            for key in self._keys("chunks", file * FILE_SPAN, (file + 1) * FILE_SPAN).tolist()
        ]
        passages = [new for file in changed.tolist() for new in self._passages(file)]
        dims = self.state.dims
        rows = (np.empty(0, np.int64), np.empty((0, dims or 1), np.float32))
        if dims and chunks:
            rows = vectors.read(self.place, dims, "key = ANY(%s)", (chunks,))
        return Changes(
            lambda keys: ~np.isin(keys // FILE_SPAN, kept),
            passages,
            np.array(chunks, np.int64),
            rows,
        )

    def sample(self, source: Source) -> list[int]:
        """The keys of some chunks, evenly drawn."""
        return tables.sample_keys(self.place, source)

    def _passages(self, file: int) -> list[NewPassage]:
        found = read_passages(
            self.place,
            f"{_MINE} AND key >= %s AND key < %s",
            (*self._mine, file * FILE_SPAN, (file + 1) * FILE_SPAN),
        )
        numbers = np.unique(np.concatenate([found.text.terms, found.head.terms])).tolist()
        names = dict(
            run(
                self.place.db,
                self._sql("SELECT id, term FROM {s}.terms", " AND id = ANY(%s)"),
                (*self._mine, numbers),
            )
        )
        text, head = _lists(found.text, names), _lists(found.head, names)
        return list(map(NewPassage, found.keys.tolist(), text, head))

    def _keys(self, table: str, first: int = 0, end: int = 1 << 62) -> Keys:
        packed = one(
            self.place.db,
            self.place.sql(
                f"SELECT string_agg(int8send(key), '') FROM (SELECT key FROM {{s}}.{table} "
                f"WHERE {_MINE} AND key >= %s AND key < %s ORDER BY key) AS k"
            ),
            (*self._mine, first, end),
        )
        return np.frombuffer(packed or b"", ">i8").astype(np.int64)

    def _sql(self, start: str, end: str = "") -> Composed:
        return self.place.sql(f"{start} WHERE {_MINE}{end}")

    @property
    def _mine(self) -> tuple[str, int]:
        return self.place.owner


def _numbers(found: Sequence[int] | None) -> Keys:
    return np.array(found or [], np.int64)


def _column(parts: Sequence[Flat]) -> Column:
    none = Flat(np.empty(0, np.int32), np.empty(0, np.int64))
    terms = np.concatenate([part.terms for part in (*parts, none)])
    return Column(terms, np.cumsum(np.concatenate([part.sizes for part in (*parts, none)])))


def _lists(flat: Flat, names: dict[int, str]) -> list[list[str]]:
    ends = np.cumsum(flat.sizes).tolist()
    terms = [names[number] for number in flat.terms.tolist()]
    return [terms[end - size : end] for size, end in zip(flat.sizes.tolist(), ends, strict=True)]
