"""Posting lists, packed: one row for a term and a block of neighbouring passages.

A block holds whole files, about 4,096 passages; a longer file has further parts. A posting is 8
bytes: the passage's number in its block (4), its length (2), how often the term stands in its text
(1) and in what stands above it (1); a row has all numbers first, then all lengths, and so on.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memdown.index.postgres.connection import run
from memdown.index.postgres.place import Place
from memdown.types import FILE_SPAN

BLOCK_PASSAGES = 4_096
_PART_BITS = 12
_PART = 1 << _PART_BITS
_BYTES = 8
_LAST = "\U0010ffff"
_MOST_OFTEN, _MOST_LENGTH = 255, 65_535
# How many terms a prefix may stand for.
_MOST_TERMS = 2_000

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Posting:
    """The passages that hold a term: int64 keys, how often in text and head, lengths; row by row."""

    keys: Keys
    text: NDArray[np.float32]
    head: NDArray[np.float32]
    lengths: NDArray[np.int32]

    @staticmethod
    def joined(parts: Sequence[Posting]) -> Posting:
        """Several one after the other."""
        if not parts:
            return NOTHING
        return Posting(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.text for part in parts]),
            np.concatenate([part.head for part in parts]),
            np.concatenate([part.lengths for part in parts]),
        )


NOTHING = Posting(
    np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32), np.empty(0, np.int32)
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one passage: of its text in order, and of what stands above it."""

    key: int
    text: Sequence[str]
    head: Sequence[str]


def pack_terms(passages: Iterable[Terms]) -> bytes:
    """The terms of a chunk's passages, in order, as they are stored with it."""
    lines = (f"{' '.join(one.text)}\t{' '.join(one.head)}" for one in passages)
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 1)


def unpack_terms(key: int, packed: bytes) -> list[Terms]:
    """The terms of the passages of the chunk with this key."""
    text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
    halves = (line.partition("\t") for line in text.split("\n")) if text else ()
    return [
        Terms(number, inside.split(), above.split())
        for number, (inside, _, above) in enumerate(halves, start=key)
    ]


def block_of(first_file: int, key: int) -> int:
    """The number of the block that holds a passage; `first_file` is the first of its file's block."""
    return (first_file << _PART_BITS) | ((key % FILE_SPAN) >> _PART_BITS)


def change(
    place: Place, gone: Mapping[int, Sequence[Terms]], new: Mapping[int, Sequence[Terms]]
) -> None:
    """Take passages out of the posting lists and put others in; both by the first file of the block."""
    by_block: dict[int, tuple[list[Terms], list[Terms]]] = defaultdict(lambda: ([], []))
    for side, files in enumerate((gone, new)):
        for first, passages in files.items():
            for one in passages:
                by_block[block_of(first, one.key)][side].append(one)
    for block in sorted(by_block):
        _change_block(place, block, *by_block[block])


def _change_block(place: Place, block: int, gone: Sequence[Terms], new: Sequence[Terms]) -> None:
    added = _packed(block, new)
    left = sorted({term for one in gone for term in (*one.text, *one.head)} | added.keys())
    left = [term for term in left if _can_store(term)]
    stored = {
        term: bytes(data)
        for term, data in run(
            place.db,
            place.sql(
                "SELECT term, data FROM {postings} "
                "WHERE generation = %s AND block = %s AND term = ANY(%s)"
            ),
            (place.generation, block, left),
            binary=True,
        )
    }
    locals_gone = np.array([_local(block, one.key) for one in gone], np.uint32)
    changed: dict[str, NDArray[np.void]] = {}
    emptied: list[str] = []
    for term in left:
        rows = added.get(term)
        if term in stored:
            old = _rows(stored[term])
            if len(locals_gone):
                old = old[~np.isin(old["local"], locals_gone)]
            rows = old if rows is None else np.concatenate([old, rows])
        if rows is None:
            continue
        if len(rows):
            changed[term] = rows[np.argsort(rows["local"], kind="stable")]
        elif term in stored:
            emptied.append(term)
    if changed:
        run(
            place.db,
            place.sql(
                "INSERT INTO {postings} (generation, block, term, count, data) SELECT %s, %s, * "
                "FROM unnest(%b::text[], %b::int[], %b::bytea[]) "
                "ON CONFLICT (generation, term, block) "
                "DO UPDATE SET count = excluded.count, data = excluded.data"
            ),
            (
                place.generation,
                block,
                list(changed),
                [len(rows) for rows in changed.values()],
                [_bytes(rows) for rows in changed.values()],
            ),
        )
    if emptied:
        run(
            place.db,
            place.sql(
                "DELETE FROM {postings} WHERE generation = %s AND block = %s AND term = ANY(%s)"
            ),
            (place.generation, block, emptied),
        )


def read(
    place: Place,
    words: Sequence[str],
    prefixes: Sequence[str],
    first_files: Sequence[int] | None = None,
) -> dict[str, list[tuple[str, Posting]]]:
    """The posting lists of words, and of the terms that begin with a prefix, by what was asked.

    With `first_files` only those of the blocks that begin with one of these files.
    """
    asked = [word for word in dict.fromkeys(words) if _can_store(word)]
    where = "generation = %s"
    values: list[object] = [place.generation]
    if first_files is not None:
        where, values = f"{where} AND block >> {_PART_BITS} = ANY(%s)", [*values, list(first_files)]
    found: dict[str, list[tuple[str, Posting]]] = defaultdict(list)
    if asked:
        for term, posting in _read(place, f"{where} AND term = ANY(%s)", (*values, asked)):
            found[term].append((term, posting))
    for prefix in dict.fromkeys(prefixes):
        if _can_store(prefix):
            bounds = (*values, prefix, prefix + _LAST)
            found[f"{prefix}*"] = _read(place, f"{where} AND term >= %s AND term < %s", bounds)
    return found


def _read(place: Place, where: str, values: Sequence[object]) -> list[tuple[str, Posting]]:
    parts: dict[str, list[Posting]] = defaultdict(list)
    for term, block, data in run(
        place.db,
        place.sql(
            f"SELECT term, block, data FROM {{postings}} WHERE {where} ORDER BY term, block "
            f"LIMIT {_MOST_TERMS * 1_000}"
        ),
        values,
        binary=True,
    ):
        parts[term].append(_unpacked(block, data))
    return [(term, Posting.joined(some)) for term, some in parts.items()]


def counts(place: Place, words: Sequence[str], prefixes: Sequence[str]) -> dict[str, int]:
    """In how many passages words, and all terms with a prefix (`"pre*"`) together, stand."""
    asked = [word for word in dict.fromkeys(words) if _can_store(word)]
    found: dict[str, int] = dict(
        run(
            place.db,
            place.sql(
                "SELECT term, sum(count)::bigint FROM {postings} WHERE generation = %s "
                "AND term = ANY(%s) GROUP BY term"
            ),
            (place.generation, asked),
        )
    )
    for prefix in dict.fromkeys(prefixes):
        if _can_store(prefix):
            ((number,),) = run(
                place.db,
                place.sql(
                    "SELECT coalesce(sum(count), 0)::bigint FROM {postings} "
                    "WHERE generation = %s AND term >= %s AND term < %s"
                ),
                (place.generation, prefix, prefix + _LAST),
            )
            found[f"{prefix}*"] = number
    return found


_ROW = np.dtype([("local", "<u4"), ("length", "<u2"), ("text", "u1"), ("head", "u1")])


def _packed(block: int, passages: Sequence[Terms]) -> dict[str, NDArray[np.void]]:
    """The new rows of each term."""
    rows: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for one in passages:
        local = _local(block, one.key)
        length = min(_MOST_LENGTH, len(one.text) + len(one.head))
        often: dict[str, list[int]] = {}
        for column, terms in enumerate((one.text, one.head)):
            for term in terms:
                often.setdefault(term, [0, 0])[column] += 1
        for term, (text, head) in often.items():
            rows[term].append((local, length, min(_MOST_OFTEN, text), min(_MOST_OFTEN, head)))
    return {term: np.array(some, _ROW) for term, some in rows.items()}


def _local(block: int, key: int) -> int:
    """A passage's number in its block."""
    return ((key // FILE_SPAN - (block >> _PART_BITS)) << _PART_BITS) | (key % _PART)


def _bytes(rows: NDArray[np.void]) -> bytes:
    return b"".join(np.ascontiguousarray(rows[name]).tobytes() for name in _ROW.names or ())


def _rows(data: bytes) -> NDArray[np.void]:
    count = len(data) // _BYTES
    rows = np.empty(count, _ROW)
    rows["local"] = np.frombuffer(data, "<u4", count)
    rows["length"] = np.frombuffer(data, "<u2", count, 4 * count)
    rows["text"] = np.frombuffer(data, "u1", count, 6 * count)
    rows["head"] = np.frombuffer(data, "u1", count, 7 * count)
    return rows


def _unpacked(block: int, data: bytes) -> Posting:
    count = len(data) // _BYTES
    local = np.frombuffer(data, "<u4", count).astype(np.int64)
    first, part = (block >> _PART_BITS) * FILE_SPAN, (block % _PART) << _PART_BITS
    return Posting(
        first + (local >> _PART_BITS) * FILE_SPAN + part + (local & (_PART - 1)),
        np.frombuffer(data, "u1", count, 6 * count).astype(np.float32),
        np.frombuffer(data, "u1", count, 7 * count).astype(np.float32),
        np.frombuffer(data, "<u2", count, 4 * count).astype(np.int32),
    )


def _can_store(term: str) -> bool:
    """PostgreSQL's text holds neither NUL nor half characters, so no stored term does either."""
    if "\0" in term:
        return False
    try:
        term.encode()
    except UnicodeEncodeError:
        return False
    return True
