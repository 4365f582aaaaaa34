"""What a process reads of a table to hold it in memory, and what changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from memdown.index.inverted import Column, Inverted
from memdown.index.mirror import MOST_BYTES, Changes, State
from memdown.index.packing import source_keys
from memdown.index.postings import NewPassage
from memdown.types import FILE_SPAN, Source, Vectors

Keys = NDArray[np.int64]
_ALL = (1 << 31) - 1
_SAMPLE = 64
_KEYS_A_READ = 2_000
_FILES_A_READ = 200


def read(table: Any, where: str, columns: list[str]) -> Any:
    """Rows of a table as Arrow columns."""
    query = table.search().select(columns).limit(_ALL)
    return (query.where(where) if where else query).to_arrow()


def by_key(table: Any, keys: Sequence[int], columns: list[str]) -> list[dict[str, Any]]:
    """Rows by their numbers."""
    found: list[dict[str, Any]] = []
    for start in range(0, len(keys), _KEYS_A_READ):
        some = ", ".join(map(str, keys[start : start + _KEYS_A_READ]))
        found += read(table, f"key IN ({some})", columns).to_pylist()
    return found


@dataclass(frozen=True, slots=True)
class LanceOrigin:
    """One version of a table; `stamps` tell which write each file is of, at this version."""

    table: Any
    state: State
    stamps: dict[int, dict[int, int]]

    def size(self) -> tuple[int, int]:
        """Not asked for: a table cannot be searched in another way."""
        return 0, 0

    def words(self) -> Inverted:
        """The terms of all passages."""
        self._stamped()
        found = read(self.table, "key >= 0", ["key", "terms"])
        # A chunk without passages has no terms, not even an empty line of them.
        found = found.filter(pc.not_equal(found["terms"], "")).sort_by("key")
        return _inverted(found["key"].to_numpy(), found["terms"])

    def chunks(self) -> Keys:
        """The keys of all chunks, in order."""
        keys: Keys = np.sort(read(self.table, "key >= 0", ["key"])["key"].to_numpy())
        return keys

    def all_rows(self, dims: int) -> Iterator[tuple[Keys, Vectors]]:
        """All vectors."""
        if "embedding" in self.table.schema.names:
            yield _vectors(read(self.table, "embedding IS NOT NULL", ["key", "embedding"]), dims)

    def changes(self, revision: int) -> Changes | None:
        """What changed between a version and this one; None if too little is known of it."""
        before = self.stamps.get(revision)
        if before is None:
            return None
        now = self._stamped()
        kept = np.array(
            [file for file, stamp in now.items() if before.get(file) == stamp], np.int64
        )
        new = sorted(set(now) - set(kept.tolist()))
        passages: list[NewPassage] = []
        chunks: list[int] = []
        dims = self.state.dims
        keys, rows = [np.empty(0, np.int64)], [np.empty((0, dims or 1), np.float32)]
        columns = ["key", "terms", *(["embedding"] if dims else [])]
        for start in range(0, len(new), _FILES_A_READ):
            files = ", ".join(map(str, new[start : start + _FILES_A_READ]))
            found = read(self.table, f"file IN ({files}) AND key >= 0", columns)
            for key, terms in zip(
                found["key"].to_pylist(), found["terms"].to_pylist(), strict=True
            ):
                chunks.append(key)
                passages += _passages(key, terms)
            if dims:
                some, vectors = _vectors(found.filter(found["embedding"].is_valid()), dims)
                keys.append(some)
                rows.append(vectors)
        return Changes(
            lambda those: ~np.isin(those // FILE_SPAN, kept),
            passages,
            np.array(chunks, np.int64),
            (np.concatenate(keys), np.concatenate(rows)),
        )

    def sample(self, source: Source) -> list[int]:
        """The first chunks of some files, evenly drawn."""
        bounds = source_keys(source)
        files = [file for file in sorted(self._stamped()) if file * FILE_SPAN in bounds]
        return [file * FILE_SPAN for file in files[:: max(1, len(files) // _SAMPLE)]]

    def _stamped(self) -> dict[int, int]:
        known = self.stamps.get(self.state.revision)
        if known is None:
            found = read(self.table, "key < 0", ["file", "stamp"])
            pairs = zip(found["file"].to_pylist(), found["stamp"].to_pylist(), strict=True)
            known = self.stamps[self.state.revision] = dict(pairs)
            # Only the version that memory is at and the newest one are compared.
            for old in sorted(self.stamps)[:-2]:
                del self.stamps[old]
        return known


def fits_in_memory(chunks: int, dims: int) -> bool:
    """Whether vectors are held in memory; those of larger tables LanceDB looks through itself."""
    return chunks * dims * 2 <= MOST_BYTES


def _vectors(found: Any, dims: int) -> tuple[Keys, Vectors]:
    keys = found["key"].to_numpy()
    if not len(keys):
        return keys.astype(np.int64), np.empty((0, dims), np.float32)
    flat = found["embedding"].combine_chunks().flatten().to_numpy()
    return keys, flat.reshape(len(keys), dims)


def _passages(key: int, terms: str) -> list[NewPassage]:
    lines = terms.split("\n") if terms else []
    halves = [line.partition("\t") for line in lines]
    return [
        NewPassage(number, _terms(text), _terms(head))
        for number, (text, _, head) in enumerate(halves, start=key)
    ]


def _inverted(firsts: Keys, stored: Any) -> Inverted:
    """All passages, from what each chunk's row holds: a line a passage, a tab before the head."""
    lines = _split(stored, "\n")
    counts = np.diff(lines.offsets.to_numpy())
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    halves = _split(lines.values, "\t").values
    text, head = (
        _split(halves.take(pa.array(np.arange(side, len(halves), 2))), " ") for side in (0, 1)
    )
    every = pa.concat_arrays([text.values, head.values]).dictionary_encode()
    names, terms = every.dictionary.to_pylist(), every.indices.to_numpy()
    order = sorted((name, number) for number, name in enumerate(names) if name)
    return Inverted(
        np.repeat(firsts, counts) + within,
        _column(terms[: len(text.values)], text.offsets, names),
        _column(terms[len(text.values) :], head.offsets, names),
        [name for name, _ in order],
        np.array([number for _, number in order], np.int32),
    )


def _split(texts: Any, mark: str) -> Any:
    """Texts as lists of their parts; the list of an empty one holds an empty text."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    return pc.split_pattern(texts, mark)


def _column(terms: NDArray[np.int32], offsets: Any, names: Sequence[str]) -> Column:
    """Terms by passage; an empty text, which stands for none at all, is left out."""
    ends = offsets.to_numpy()[1:].astype(np.int64)
    if "" in names:
        is_term = terms != names.index("")
        ends = np.concatenate([[0], np.cumsum(is_term)])[ends]
        terms = terms[is_term]
    return Column(terms, ends)


def _terms(text: str) -> list[str]:
    return text.split(" ") if text else []
