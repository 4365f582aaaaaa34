"""Posting lists, packed: one row for a term and a block of neighbouring passages.

A block holds whole files, about 2,048 passages, or 8,192 once the index is large; a longer file has
further parts. A posting is 8 bytes: the passage's number in its block (4), its length (2), how often the
term stands in its text (1) and in what stands above it (1); a row has all numbers first, then all
lengths, and so on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.index.postgres.connection import Place, run
from memdown.index.postgres.generations import PackedLists
from memdown.index.shortlist import PassageTerms
from memdown.types import FILE_SPAN

# A changed note writes the rows of its block anew, so blocks are small; but in a large index the rows
# of one list lie all over the disk, and a search reads thousands, so there they are larger.
_SMALL_BLOCK, _LARGE_BLOCK, _LARGE_INDEX = 2_048, 8_192, 300_000
_PART_BITS = 12
_PART = 1 << _PART_BITS
_BYTES = 8
_LAST = "\U0010ffff"
_MOST_OFTEN, _MOST_LENGTH = 255, 65_535
# How many rows a list may have: a prefix may stand for very many terms.
_MOST_ROWS = 2_000_000
# Each longer word is also kept backwards, in a row without postings: a range of those ends alike. How long
# such a word is, and how many are read.
_BACKWARDS, _NO_BLOCK = "\x04", -1
_LEAST_LETTERS, _MOST_LETTERS = 7, 60
_MOST_ENDING = 500

Keys = NDArray[np.int64]
# Of a list of a million postings each byte counts: they stay as small as they are stored.
Often = NDArray[np.uint8] | NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PackedPosting:
    """The passages that hold a term: keys, ascending; how often in text and head; their lengths."""

    keys: Keys
    text: Often
    head: Often
    lengths: NDArray[np.uint16]

    def in_order(self) -> PackedPosting:
        """The same by ascending keys."""
        order = np.argsort(self.keys, kind="stable")
        return PackedPosting(
            self.keys[order], self.text[order], self.head[order], self.lengths[order]
        )


NOTHING = PackedPosting(
    np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.uint8), np.empty(0, np.uint16)
)


@dataclass(frozen=True, slots=True)
class KeyedTerms:
    """The terms of the passage with this key."""

    key: int
    terms: PassageTerms


def is_full(passages: int, of_index: int) -> bool:
    """Whether a block of so many passages takes no further file, in an index of so many."""
    return passages >= (_LARGE_BLOCK if of_index > _LARGE_INDEX else _SMALL_BLOCK)


def block_of(first_file: int, key: int) -> int:
    """The number of the block that holds a passage; `first_file` is the first of its file's block."""
    return (first_file << _PART_BITS) | ((key % FILE_SPAN) >> _PART_BITS)


def change(
    place: Place, gone: Mapping[int, Sequence[KeyedTerms]], new: Mapping[int, Sequence[KeyedTerms]]
) -> list[int]:
    """Take passages out of the posting lists and put others in; both by the first file of the block.

    Returns the blocks that changed.
    """
    by_block: dict[int, tuple[list[KeyedTerms], list[KeyedTerms]]] = defaultdict(lambda: ([], []))
    for side, files in enumerate((gone, new)):
        for first, passages in files.items():
            for one in passages:
                by_block[block_of(first, one.key)][side].append(one)
    for block in sorted(by_block):
        _change_block(place, block, *by_block[block])
    return sorted(by_block)


def _change_block(
    place: Place, block: int, gone: Sequence[KeyedTerms], new: Sequence[KeyedTerms]
) -> None:
    added = _packed(block, new)
    left = sorted({term for one in gone for term in one.terms.every()} | added.keys())
    left = [term for term in left if can_store(term)]
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
    changed: dict[str, bytes] = {}
    emptied: list[str] = []
    for term in left:
        old, rows = stored.get(term), added.get(term, b"")
        if old is None:
            data = rows
        elif len(locals_gone):
            data = _joined(_without(old, locals_gone), rows)
        else:
            data = _joined(old, rows)
        if data:
            changed[term] = data
        elif old is not None:
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
                [len(data) // _BYTES for data in changed.values()],
                list(changed.values()),
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
    _note_ends(place, [term for term in changed if term not in stored], emptied)


def _note_ends(place: Place, new: Sequence[str], gone: Sequence[str]) -> None:
    """Keep words backwards that a block has got, and no longer those that no block has."""
    new, gone = [term for term in new if _may_end(term)], [term for term in gone if _may_end(term)]
    if new:
        run(
            place.db,
            place.sql(
                "INSERT INTO {postings} (generation, block, term, count, data) "
                "SELECT %s, %s, word, 0, '' FROM unnest(%b::text[]) AS word ON CONFLICT DO NOTHING"
            ),
            (place.generation, _NO_BLOCK, [_backwards(term) for term in new]),
        )
    if gone:
        run(
            place.db,
            place.sql(
                "DELETE FROM {postings} AS p USING unnest(%b::text[], %b::text[]) AS w (term, word) "
                "WHERE p.generation = %s AND p.block = %s AND p.term = w.word AND NOT EXISTS "
                "(SELECT 1 FROM {postings} o WHERE o.generation = %s AND o.term = w.term)"
            ),
            (gone, [_backwards(term) for term in gone], place.generation, _NO_BLOCK,
             place.generation),
        )  # fmt: skip


def _may_end(term: str) -> bool:
    return _LEAST_LETTERS <= len(term) <= _MOST_LETTERS and term[0].isalnum()


def _backwards(term: str) -> str:
    return _BACKWARDS + term[::-1]


def ending(place: Place, end: str) -> set[str]:
    """The longer words that end like this."""
    if not can_store(end):
        return set()
    first = _backwards(end)
    rows = run(
        place.db,
        place.sql(
            "SELECT term FROM {postings} WHERE generation = %s AND term > %s AND term < %s "
            f"ORDER BY term LIMIT {_MOST_ENDING}"
        ),
        (place.generation, first, first + _LAST),
    )
    return {word for (term,) in rows if _may_end(word := term[:0:-1])}


def knows_ends(place: Place) -> bool:
    """Whether words are kept backwards; earlier versions did not."""
    rows = run(
        place.db,
        place.sql(
            "SELECT 1 FROM {postings} WHERE generation = %s AND term >= %s AND term < %s LIMIT 1"
        ),
        (place.generation, _BACKWARDS, _BACKWARDS + _LAST),
    )
    return bool(rows)


def fill_ends(place: Place, lists: PackedLists | None) -> None:
    """Keep all words backwards that there are; one row without a word tells that this was done."""
    rows, number = "{postings} WHERE generation = %s", place.generation
    if lists is not None:
        rows, number = "{lists} WHERE version = %s", lists.version
    run(
        place.db,
        place.sql(
            "INSERT INTO {postings} (generation, block, term, count, data) "
            "SELECT %s, %s, %s || word, 0, '' FROM (SELECT '' AS word UNION "
            f"SELECT reverse(term) FROM {rows} AND term >= ' ' "
            f"AND length(term) BETWEEN {_LEAST_LETTERS} AND {_MOST_LETTERS}) AS w "
            "ON CONFLICT DO NOTHING"
        ),
        (place.generation, _NO_BLOCK, _BACKWARDS, number),
    )


def read(
    place: Place,
    words: Sequence[str],
    prefixes: Sequence[str],
    first_files: Sequence[int] | None = None,
) -> dict[str, PackedPosting]:
    """The posting lists of words, and those of all terms with a prefix (`"pre*"`) as one.

    With `first_files` only those of the blocks that begin with one of these files.
    """
    mine = _Table("{postings} WHERE generation = %s", (place.generation,))
    if first_files is not None:
        mine = mine.where(f"block >> {_PART_BITS} = ANY(%s)", list(first_files))
    return {name: _posting([rows]) for name, rows in _read(place, mine, words, prefixes).items()}


@dataclass(frozen=True, slots=True)
class Affordable:
    """The posting lists that could be read, and in how many passages all stand that was asked for."""

    lists: dict[str, PackedPosting]
    counts: dict[str, int]


def read_affordable(
    place: Place, words: Sequence[str], prefixes: Sequence[str], lists: PackedLists, budget: int
) -> Affordable:
    """The shortest of the lists of words and prefixes, which were put together: as many as have so many
    postings in all, one in any case.

    Of blocks that changed since, the rows are read where they are written; a list counts what it held
    before, unless it is new.
    """
    whole = _Table("{lists} WHERE version = %s", (lists.version,))
    asked = whole.asked("part, count, blocks, counts, data", words, prefixes)
    counts: dict[str, int] = {}
    parts: dict[str, list[_Part]] = defaultdict(list)
    for name, count, is_read, *part in asked.run(place, _AFFORDABLE, budget):
        counts[name] = count
        if is_read:
            parts[name].append(_Part(*part))
    found = {name: [_put_together(each).without(lists.changed)] for name, each in parts.items()}
    if lists.changed:
        mine = _Table("{postings} WHERE generation = %s", (place.generation,))
        mine = mine.where("block = ANY(%s)", list(lists.changed))
        open_words = [word for word in words if word in found or word not in counts]
        open_prefixes = [
            prefix for prefix in prefixes if f"{prefix}*" in found or f"{prefix}*" not in counts
        ]
        for name, rows in _read(place, mine, open_words, open_prefixes).items():
            found.setdefault(name, []).append(rows)
            counts.setdefault(name, len(rows.columns[0]))
    return Affordable({name: _posting(rows) for name, rows in found.items()}, counts)


# The rows of the names with the fewest postings, as far as they may be read; of the others one each, to be counted.
_AFFORDABLE = """
WITH asked AS MATERIALIZED ({asked}), spent AS (
  SELECT name, sum(count) AS total, sum(sum(count)) OVER (ORDER BY sum(count), name) AS so_far
  FROM asked GROUP BY name)
SELECT name, total::bigint, is_read, CASE WHEN is_read THEN blocks END,
  CASE WHEN is_read THEN counts END, CASE WHEN is_read THEN data END
FROM (
  SELECT asked.*, total, so_far <= %s OR so_far = total AS is_read,
    row_number() OVER (PARTITION BY name) AS number
  FROM asked JOIN spent USING (name)) AS listed
WHERE is_read OR number = 1 ORDER BY name, term, part
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A part of a statement, with its values: the rows of what is asked for, each with a name."""

    rows: str
    values: tuple[object, ...]

    def run(self, place: Place, statement: str, *values: object) -> list[Any]:
        """The rows of a statement in which `{asked}` stands for this one; of nothing, if nothing is asked."""
        if not self.rows:
            return []
        # The names of tables are still to be written into it.
        whole = place.sql(statement.replace("{asked}", self.rows))
        return run(place.db, whole, (*self.values, *values), binary=True)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of posting lists, and which of its rows count."""

    rows: str
    values: tuple[object, ...]

    def where(self, condition: str, value: object) -> _Table:
        """Fewer of its rows."""
        return _Table(f"{self.rows} AND {condition}", (*self.values, value))

    def asked(self, columns: str, words: Sequence[str], prefixes: Sequence[str]) -> _Asked:
        """The rows of words, each named like its word, and those of terms with a prefix, named `"pre*"`."""
        each: list[str] = []
        values: list[object] = []
        if some := [one for one in dict.fromkeys(words) if can_store(one)]:
            each.append(f"SELECT term AS name, term, {columns} FROM {self.rows} AND term = ANY(%s)")
            values += [*self.values, some]
        for prefix in dict.fromkeys(filter(can_store, prefixes)):
            each.append(
                f"(SELECT %s::text AS name, term, {columns} FROM {self.rows} "
                f"AND term >= %s AND term < %s LIMIT {_MOST_ROWS})"
            )
            values += [f"{prefix}*", *self.values, prefix, prefix + _LAST]
        return _Asked(" UNION ALL ".join(each), tuple(values))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows one after the other: the numbers of their blocks, int64; their sizes, int32; the four columns
    of all their postings."""

    blocks: Keys
    sizes: NDArray[np.int32]
    columns: Sequence[NDArray[np.integer]]

    def without(self, blocks: Sequence[int]) -> _Rows:
        """The rows of other blocks."""
        gone = np.isin(self.blocks, np.array(blocks, np.int64))
        if not gone.any():
            return self
        kept = np.repeat(~gone, self.sizes)
        columns = [column[kept] for column in self.columns]
        return _Rows(self.blocks[~gone], self.sizes[~gone], columns)


class _Part(NamedTuple):
    """A row of lists that were put together: its blocks, the sizes of their rows, their postings."""

    blocks: bytes
    counts: bytes
    data: bytes


def _put_together(each: Sequence[_Part]) -> _Rows:
    """Rows of lists that are called alike as one."""
    blocks, counts, data = (b"".join(parts) for parts in zip(*each, strict=True))
    if len(each) > 1:
        data = _in_columns([one.data for one in each])
    return _Rows(_blocks(blocks), _sizes(counts), _columns(data))


def _in_columns(each: Sequence[bytes]) -> bytes:
    """Several lists as one: its columns, each through all of them."""
    sizes = [len(data) // _BYTES for data in each]
    return b"".join(
        data[start * size : end * size]
        for start, end in pairwise(EDGES)
        for data, size in zip(each, sizes, strict=True)
    )


def _blocks(packed: bytes) -> Keys:
    return np.frombuffer(packed, ">i8").astype(np.int64)


def _sizes(packed: bytes) -> NDArray[np.int32]:
    return np.frombuffer(packed, ">i4").astype(np.int32)


def _read(
    place: Place, table: _Table, words: Sequence[str], prefixes: Sequence[str]
) -> dict[str, _Rows]:
    """The rows of each name, put together by the server: there are thousands of them."""
    rows = table.asked("block, count, data", words, prefixes).run(
        place,
        "SELECT name, string_agg(int8send(block), ''), string_agg(int4send(count), ''), "
        "string_agg(data, '') FROM (SELECT * FROM ({asked}) AS asked ORDER BY term, block) AS listed "
        "GROUP BY name",
    )
    return {name: _unpacked(blocks, counts, data) for name, blocks, counts, data in rows}


def counts(
    place: Place, words: Sequence[str], prefixes: Sequence[str], lists: PackedLists | None = None
) -> dict[str, int]:
    """In how many passages words, and all terms with a prefix (`"pre*"`) together, stand.

    Of `lists` that were put together it is what they held then, for terms that they have.
    """
    mine = _Table("{postings} WHERE generation = %s", (place.generation,))
    if lists is None:
        return _counts(place, mine, words, prefixes)
    found = _counts(place, _Table("{lists} WHERE version = %s", (lists.version,)), words, prefixes)
    words = [word for word in words if word not in found]
    prefixes = [prefix for prefix in prefixes if f"{prefix}*" not in found]
    if lists.changed:
        mine = mine.where("block = ANY(%s)", list(lists.changed))
        found |= _counts(place, mine, words, prefixes)
    return found


def _counts(
    place: Place, table: _Table, words: Sequence[str], prefixes: Sequence[str]
) -> dict[str, int]:
    asked = table.asked("count", words, prefixes)
    return dict(
        asked.run(place, "SELECT name, sum(count)::bigint FROM ({asked}) AS a GROUP BY name")
    )


def _packed(block: int, passages: Sequence[KeyedTerms]) -> dict[str, bytes]:
    """The new postings of each term, packed."""
    numbers: dict[str, int] = {}
    owners: list[int] = []
    rows: list[tuple[int, int, int, int]] = []
    for one in sorted(passages, key=lambda one: one.key):
        local = _local(block, one.key)
        length = min(_MOST_LENGTH, one.terms.length)
        for term, (text, head) in one.terms.every().items():
            owners.append(numbers.setdefault(term, len(numbers)))
            rows.append((local, length, min(_MOST_OFTEN, text), min(_MOST_OFTEN, head)))
    if not rows:
        return {}
    order = np.argsort(np.array(owners), kind="stable")
    columns = np.array(rows, np.int64)[order]
    ends = np.cumsum(np.bincount(owners, minlength=len(numbers))).tolist()
    each = [columns[:, place].astype(kind) for place, kind in enumerate(_KINDS)]
    return {
        term: b"".join(column[start:end].tobytes() for column in each)
        for term, start, end in zip(numbers, [0, *ends[:-1]], ends, strict=True)
    }


_KINDS = ("<u4", "<u2", "u1", "u1")
# Where each column begins, in bytes for one posting, and where the last one ends.
EDGES = (0, 4, 6, 7, 8)


def _columns(data: bytes) -> list[NDArray[np.integer]]:
    count = len(data) // _BYTES
    return [
        np.frombuffer(data, kind, count, edge * count)
        for kind, edge in zip(_KINDS, EDGES[:-1], strict=True)
    ]


def _without(data: bytes, gone: NDArray[np.uint32]) -> bytes:
    """Postings but those of passages that are gone."""
    columns = _columns(data)
    kept = ~np.isin(columns[0], gone)
    return b"".join(column[kept].tobytes() for column in columns)


def _joined(old: bytes, new: bytes) -> bytes:
    """Both in the order of passages; what is new mostly comes after what is there."""
    if not old or not new:
        return old or new
    before, after = _columns(old), _columns(new)
    if before[0][-1] < after[0][0]:
        return _in_columns([old, new])
    columns = [np.concatenate(pair) for pair in zip(before, after, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return b"".join(column[order].tobytes() for column in columns)


def _local(block: int, key: int) -> int:
    """A passage's number in its block."""
    return ((key // FILE_SPAN - (block >> _PART_BITS)) << _PART_BITS) | (key % _PART)


def _unpacked(blocks: bytes, counts: bytes, data: bytes) -> _Rows:
    """Rows of the table one after the other, each with columns of its own."""
    sizes = _sizes(counts)
    starts = np.cumsum(sizes, dtype=np.int32) - sizes
    # Where the row of each posting begins and how long it is, and the posting's place in the row.
    begin, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    place = np.arange(len(begin), dtype=np.int32) - begin
    columns = [
        np.frombuffer(data, kind)[(begin * _BYTES + size * edge) // np.dtype(kind).itemsize + place]
        for kind, edge in zip(_KINDS, EDGES[:-1], strict=True)
    ]
    return _Rows(_blocks(blocks), sizes, columns)


def _posting(each: Sequence[_Rows]) -> PackedPosting:
    """One posting list, its passages in order."""
    number = np.concatenate([rows.blocks for rows in each])
    sizes = np.concatenate([rows.sizes for rows in each])
    local, lengths, text, head = (
        np.concatenate(parts) if len(parts) > 1 else parts[0]
        for parts in zip(*(rows.columns for rows in each), strict=True)
    )
    keys = np.repeat((number >> _PART_BITS) * FILE_SPAN + ((number % _PART) << _PART_BITS), sizes)
    # A number in a block is that of a file, which counts in spans, and below it that of a passage.
    within = local.astype(np.int64)
    keys += within
    within >>= _PART_BITS
    within *= FILE_SPAN - _PART
    keys += within
    found = PackedPosting(keys, text, head, lengths)
    # Blocks of very long files, and of several terms, overlap.
    return found if bool((keys[1:] > keys[:-1]).all()) else found.in_order()


def can_store(term: str) -> bool:
    """PostgreSQL's text holds neither NUL nor half characters, so no stored term does either."""
    if "\0" in term:
        return False
    try:
        term.encode()
    except UnicodeEncodeError:
        return False
    return True
