"""Segments: posting lists, lines and vectors of some passages, as blobs that any engine can store.

A segment is written once and never changed. Its rows are passages in the order in which they were
written, at most `MOST_PASSAGES` of them. `strikes` are keys: every row of the same file in an earlier
segment, from that key on, is out of date. Small segments are merged into larger ones, without the
rows that were struck. A segment has these parts, each cut into numbered blocks:

`rows`            keys and passages of chunks, lines and lengths of passages, strikes
`terms`           the dictionary: terms in order of their bytes, and where each one's list stands
`postings`        the posting lists, one after the other, the long ones deflated
`positions`       where in each passage a term of its text stands, for phrases; deflated like them
`chunk_vectors`   see `vector_blocks`
`passage_vectors` the same for passages
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from memdown.errors import IndexCorrupt
from memdown.index.passages import HEAD, Occurrences
from memdown.values import dataclass

Numbers = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]
Bytes = NDArray[np.uint8]
_T = TypeVar("_T", bound=np.integer[Any])

MOST_PASSAGES = 1 << 16
# As many bytes as fill four pages of SQLite, with the eighth of a page that stands in the row itself: what is left
# of a last page stays empty.
STREAM_BLOCK = 67_480

# A gap of more than this takes a further byte.
_STEP = 255
# Lists of so few entries, or of less than a passage in so many, are not packed: it would not pay. A gap of
# several bytes takes less than two once it is deflated.
_FEW, _SPARSE = 8, 768
_MOST_TF = 254
# Lists of so many bytes are deflated; of shorter ones little would be gained. Gaps hardly ever repeat in the
# same order, so only runs of one gap are looked for: that is smaller than with all repetitions, and quicker.
_LONG = 96
_ENTRIES_AT_ONCE = 1 << 17
_ROWS_HEAD = struct.Struct("<5I")
# Lines between passages, and in them, that share a byte.
_FEW_STEPS = 16
_TERMS_HEAD = struct.Struct("<III")
_COUNT = struct.Struct("<I")
# Of so many terms one is kept as it is, so that half as many have to be cut out to find the place of a term.
_BETWEEN_SIGNPOSTS = 512
# Stands for a number that does not fit into a byte, and for a width that is a byte with such numbers.
_LARGE, _MIXED = 255, 0
_FIRST_TEXT = b"\x03"

Part = tuple[str, int]
Parts = Mapping[Part, bytes]


class PostingList(NamedTuple):
    """Rows int32 (n,), ascending, and how often each holds the term, uint8 (n,)."""

    rows: NDArray[np.int32]
    tf: Bytes


NOTHING = PostingList(np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The C chunks and P passages of a segment.

    `key` int64 (C,), `passages` int64 (C,) how many of the rows are of each chunk; `lines` int32 (P, 2),
    first and last from 1; `length` int32 (P,) in terms; `strikes` int64 (S,).
    """

    key: Numbers
    passages: Numbers
    lines: NDArray[np.int32]
    length: NDArray[np.int32]
    strikes: Numbers

    @property
    def count(self) -> int:
        """How many passages there are."""
        return len(self.length)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Posting lists as arrays: T terms, E entries by term and row.

    `starts` int64 (T + 1,) are places among the entries; `rows` and `tf`, integers (E,). `positions`, integers,
    holds for each entry of a text's term its `tf` positions; the other terms have none.
    """

    names: list[bytes]
    starts: Numbers
    rows: Integers
    tf: Integers
    positions: Integers

    @property
    def in_text(self) -> NDArray[np.bool_]:
        """Which terms are of texts, bool (T,): heads and features stand first."""
        first = bisect_left(self.names, _FIRST_TEXT)
        return np.arange(len(self.names)) >= first


def lists_of(found: Occurrences) -> Lists:
    """The posting lists of all that was found in some passages."""
    return _sorted(found.names, found.term, found.row, found.position)


def _sorted(names: list[bytes], term: Integers, row: Integers, position: Integers) -> Lists:
    """Entries from occurrences whose rows ascend for every term."""
    order = _stable_order(term, len(names))
    term, row, position = term[order], row[order], position[order]
    differs = np.ones(len(row), bool)
    differs[1:] = (term[1:] != term[:-1]) | (row[1:] != row[:-1])
    new = np.flatnonzero(differs)
    tf = np.diff(new, append=len(row)).astype(np.int32)
    if len(tf) and tf.max() > _MOST_TF:
        within = np.arange(len(row)) - np.repeat(new, tf)
        keep = within < _MOST_TF
        return _sorted(names, term[keep], row[keep], position[keep])
    starts = np.searchsorted(term[new], np.arange(len(names) + 1))
    first = bisect_left(names, _FIRST_TEXT)
    return Lists(names, starts, row[new], tf, position[np.searchsorted(term, first) :])


def _stable_order(term: Integers, count: int) -> Numbers:
    """The order that sorts by term; numpy sorts two bytes at a time by radix, in linear time."""
    if count <= MOST_PASSAGES:
        return np.argsort(term.astype(np.uint16), kind="stable")
    low = np.argsort((term & 0xFFFF).astype(np.uint16), kind="stable")
    high = np.argsort((term[low] >> 16).astype(np.uint16), kind="stable")
    return low[high]


def encode(rows: Rows, lists: Lists) -> dict[Part, bytes]:
    """The parts of a segment but for its vectors."""
    parts = list(_parts(lists))
    postings = _deflated(*_joined([_packed_lists(some, rows.count) for some in parts]))
    positions = _deflated(*_joined([_packed_positions(some) for some in parts]))
    names = b"".join(lists.names)
    terms = b"".join(
        (
            _TERMS_HEAD.pack(len(lists.names), rows.count, len(names)),
            _shrunk(np.fromiter(map(len, lists.names), np.int64, len(lists.names))),
            _shrunk(np.diff(postings.ends, prepend=0)),
            _shrunk(np.diff(positions.ends, prepend=0)),
            _shrunk(np.diff(lists.starts) - 1),
            np.packbits(postings.deflated, bitorder="little").tobytes(),
            np.packbits(positions.deflated, bitorder="little").tobytes(),
            names,
        )
    )
    return {
        ("rows", 0): _packed_rows(rows),
        ("terms", 0): terms,
        **_blocks("postings", postings.data),
        **_blocks("positions", positions.data),
    }


def _packed_rows(rows: Rows) -> bytes:
    """What is known of chunks and passages, as bytes.

    The number of a chunk follows from the one before, but for the first of a file. How many lines lie between
    the beginnings of two passages, and how many more than one a passage has, share a byte if they are few.
    """
    first, last = rows.lines[:, 0].astype(np.int64), rows.lines[:, 1]
    steps, more = _folded(np.diff(first, prepend=0)), _folded(last - first)
    many = (steps >= _FEW_STEPS) | (more >= _FEW_STEPS - 1)
    together = np.where(many, _LARGE, steps + _FEW_STEPS * more).astype(np.uint8)
    jumps = np.flatnonzero(np.diff(rows.key - _before(rows.passages), prepend=-1))
    return b"".join(
        (
            _ROWS_HEAD.pack(len(rows.key), rows.count, len(rows.strikes), len(jumps), many.sum()),
            rows.key[jumps].astype("<i8").tobytes(),
            rows.strikes.astype("<i8").tobytes(),
            together.tobytes(),
            _shrunk(steps[many]),
            _shrunk(more[many]),
            _shrunk(rows.length),
            _shrunk(rows.passages),
            _shrunk(np.diff(jumps, prepend=0)),
        )
    )


def _before(sizes: Numbers) -> Numbers:
    """The sum of all sizes before each."""
    before: Numbers = np.cumsum(sizes) - sizes
    return before


def _joined(each: Sequence[tuple[Bytes, Numbers]]) -> tuple[bytes, Numbers]:
    """Packed parts as one, and where each thing in them ends."""
    begins = np.cumsum([0, *(len(packed) for packed, _ in each)])
    ends = [end + begin for (_, end), begin in zip(each, begins.tolist(), strict=False)]
    return b"".join(packed.tobytes() for packed, _ in each), np.concatenate([begins[:0], *ends])


class _Stream(NamedTuple):
    """Lists one after the other: where each one ends, int64 (T,), and whether it is deflated, bool (T,)."""

    data: bytes
    ends: Numbers
    deflated: NDArray[np.bool_]


def _deflated(packed: bytes, ends: Numbers) -> _Stream:
    """Lists of which the long ones are deflated, if that makes them smaller."""
    begins = np.concatenate([[0], ends])[: len(ends)]
    sizes = ends - begins
    deflated = np.zeros(len(ends), bool)
    made: list[bytes] = []
    done = 0
    for number in np.flatnonzero(sizes >= _LONG).tolist():
        begin, end = int(begins[number]), int(ends[number])
        deflate = zlib.compressobj(1, wbits=-zlib.MAX_WBITS, strategy=zlib.Z_RLE)
        small = deflate.compress(packed[begin:end]) + deflate.flush()
        if len(small) < end - begin:
            made += (packed[done:begin], small)
            sizes[number], deflated[number], done = len(small), True, end
    made.append(packed[done:])
    return _Stream(b"".join(made), np.cumsum(sizes), deflated)


def inflated(data: bytes) -> bytes:
    """A list as it was before it was deflated."""
    try:
        return zlib.decompress(data, wbits=-zlib.MAX_WBITS)
    except zlib.error as error:
        raise _damaged() from error


def inflated_lists(stream: _Stream) -> tuple[bytes, Numbers]:
    """Lists one after the other, all as they were before, and where each one ends."""
    data, ends, deflated = stream
    begins = np.concatenate([[0], ends])[: len(ends)]
    sizes = ends - begins
    made: list[bytes] = []
    done = 0
    for number in np.flatnonzero(deflated).tolist():
        begin, end = int(begins[number]), int(ends[number])
        whole = inflated(data[begin:end])
        made += (data[done:begin], whole)
        sizes[number], done = len(whole), end
    made.append(data[done:])
    return b"".join(made), np.cumsum(sizes)


def _shrunk(numbers: Integers) -> bytes:
    """Numbers from 0 on in as few bytes as they need, after how many each takes.

    Where most fit into a byte, the others follow in four, after how many they are.
    """
    largest = int(numbers.max(initial=0))
    width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    if width > 1:
        large = numbers >= _LARGE
        count = int(np.count_nonzero(large))
        if 4 * (count + 1) < (width - 1) * len(numbers):
            small = np.where(large, _LARGE, numbers).astype(np.uint8)
            others = numbers[large].astype("<u4")
            return bytes([_MIXED]) + small.tobytes() + _COUNT.pack(count) + others.tobytes()
    return bytes([width]) + numbers.astype(f"<u{width}").tobytes()


def _folded(numbers: Numbers) -> Numbers:
    """Numbers of either sign as numbers from 0 on: those below 0 are odd."""
    return np.where(numbers < 0, -2 * numbers - 1, 2 * numbers)


def _unfolded(numbers: Integers) -> Numbers:
    half = (numbers >> 1).astype(np.int64)
    return np.where(numbers & 1, -half - 1, half)


def _grown(data: bytes, at: int, count: int) -> tuple[NDArray[np.integer[Any]], int]:
    """Such numbers back from where they stand, and where they end."""
    width = data[at] if at < len(data) else 1
    end = at + 1 + count * (width or 1)
    if width not in (_MIXED, 1, 2, 4) or end + (4 if width == _MIXED else 0) > len(data):
        raise _cut_off()
    if width != _MIXED:
        return np.frombuffer(data, f"<u{width}", count, at + 1), end
    numbers = np.frombuffer(data, np.uint8, count, at + 1).astype(np.uint32)
    (others,) = _COUNT.unpack_from(data, end)
    large = np.flatnonzero(numbers == _LARGE)
    begin, end = end + _COUNT.size, end + _COUNT.size + 4 * others
    if len(large) != others or end > len(data):
        raise _cut_off()
    numbers[large] = np.frombuffer(data, "<u4", others, begin)
    return numbers, end


def _cut_off() -> IndexCorrupt:
    return IndexCorrupt("The numbers of a segment are cut off; run `memdown index --force`.")


def _blocks(name: str, stream: bytes) -> dict[Part, bytes]:
    cuts = range(0, len(stream), STREAM_BLOCK)
    return {(name, n): stream[at : at + STREAM_BLOCK] for n, at in enumerate(cuts)}


def is_sparse(count: int, passages: int) -> bool:
    """Whether a list of so many entries, in a segment of so many passages, is not packed."""
    return count < _FEW or count * _SPARSE < passages


def _are_sparse(counts: Numbers, passages: int) -> NDArray[np.bool_]:
    return (counts < _FEW) | (counts * _SPARSE < passages)


def _parts(lists: Lists) -> Iterator[Lists]:
    """The lists, some at a time: packing takes several times the memory of what is packed."""
    starts = lists.starts
    upto = np.concatenate([[0], np.cumsum(np.where(lists.in_text, _sums(lists.tf, starts), 0))])
    first = 0
    while first < len(lists.names):
        enough = int(starts[first]) + _ENTRIES_AT_ONCE
        last = max(first + 1, int(np.searchsorted(starts, enough, side="right")) - 1)
        begin, end = int(starts[first]), int(starts[last])
        yield Lists(
            lists.names[first:last],
            starts[first : last + 1] - begin,
            lists.rows[begin:end],
            lists.tf[begin:end],
            lists.positions[int(upto[first]) : int(upto[last])],
        )
        first = last


def _sums(numbers: Integers, starts: Numbers) -> Numbers:
    """The sums of the numbers from one start to the next, none of which are alike."""
    return np.add.reduceat(numbers, starts[:-1], dtype=np.int64) if len(starts) > 1 else starts[:0]


def _packed_lists(lists: Lists, passages: int) -> tuple[Bytes, Numbers]:
    """Lists as bytes, and where each one ends.

    A dense list is the gaps between its rows, twice each and one more if the term stands there more
    than once, then how often it does. A sparse one is its rows in two bytes, and their counts in one
    unless all are 1.
    """
    starts, rows, tf = lists.starts, lists.rows, lists.tf
    counts = np.diff(starts)
    if not len(counts):
        return np.empty(0, np.uint8), counts
    is_sparse = _are_sparse(counts, passages)
    sparse = np.repeat(is_sparse, counts)
    within = np.arange(len(rows)) - np.repeat(starts[:-1], counts)
    gaps = np.diff(rows, prepend=0)
    gaps[starts[:-1]] = rows[starts[:-1]]
    often = (tf > 1).astype(np.int64)
    values = 2 * gaps + often
    sizes = np.where(sparse, 0, values // _STEP + 1)
    gap_sizes = np.add.reduceat(sizes, starts[:-1])
    often_counts = np.add.reduceat(often, starts[:-1])
    counted = is_sparse & (often_counts > 0)
    sparse_sizes = 2 * counts + np.where(counted, counts, 0)
    ends = np.cumsum(np.where(is_sparse, sparse_sizes, gap_sizes + often_counts))
    begins = np.concatenate([[0], ends[:-1]])
    out = np.full(int(ends[-1]), _STEP, np.uint8)
    begin = np.repeat(begins, counts)
    dense = ~sparse
    last = np.cumsum(sizes)
    last -= np.repeat(last[starts[:-1]] - sizes[starts[:-1]], counts)
    out[(begin + last - 1)[dense]] = (values % _STEP)[dense]
    rank = np.cumsum(often)
    rank -= np.repeat(rank[starts[:-1]] - often[starts[:-1]], counts)
    many = dense & (often > 0)
    out[(begin + np.repeat(gap_sizes, counts) + rank - 1)[many]] = tf[many]
    at = (begin + 2 * within)[sparse]
    out[at], out[at + 1] = rows[sparse] & 0xFF, rows[sparse] >> 8
    each = np.repeat(counted, counts)
    out[(begin + 2 * np.repeat(counts, counts) + within)[each]] = tf[each]
    return out, ends


def _packed_positions(lists: Lists) -> tuple[Bytes, Numbers]:
    """The gaps between the positions of each entry as bytes, and where those of each term end."""
    texts = np.repeat(lists.in_text, np.diff(lists.starts))
    tf = np.where(texts, lists.tf, 0)
    positions = lists.positions
    firsts = (np.cumsum(tf) - tf)[texts]
    gaps = np.diff(positions, prepend=0)
    gaps[firsts] = positions[firsts]
    ends = np.cumsum(gaps // _STEP + 1)
    out = np.full(int(ends[-1]) if len(ends) else 0, _STEP, np.uint8)
    out[ends - 1] = gaps % _STEP
    upto = np.concatenate([[0], np.cumsum(tf)])[lists.starts[1:]]
    return out, np.concatenate([[0], ends])[upto]


def read_rows(data: bytes) -> Rows:
    """What is known of the chunks and passages of a segment."""
    chunks, count, strikes, jumps, many = _ROWS_HEAD.unpack_from(data)
    at = _ROWS_HEAD.size
    if len(data) < at + 8 * (jumps + strikes) + count:
        raise IndexCorrupt("The rows of a segment are cut off; run `memdown index --force`.")
    keys = np.frombuffer(data, "<i8", jumps, at)
    struck = np.frombuffer(data, "<i8", strikes, at + 8 * jumps)
    at += 8 * (jumps + strikes)
    together = np.frombuffer(data, np.uint8, count, at)
    at += count
    parts = []
    for size in (many, many, count, chunks, jumps):
        part, at = _grown(data, at, size)
        parts.append(part)
    long_steps, much_more, length, passages, places = parts
    apart = np.flatnonzero(together == _LARGE)
    if at != len(data) or len(apart) != many:
        raise IndexCorrupt("The rows of a segment are damaged; run `memdown index --force`.")
    steps, more = (
        (together % _FEW_STEPS).astype(np.int64),
        (together // _FEW_STEPS).astype(np.int64),
    )
    steps[apart], more[apart] = long_steps, much_more
    first = np.cumsum(_unfolded(steps))
    sizes = passages.astype(np.int64)
    return Rows(
        _all_keys(keys, np.cumsum(places, dtype=np.int64), sizes),
        sizes,
        np.stack([first, first + _unfolded(more)], axis=1).astype(np.int32),
        length.astype(np.int32),
        struck.astype(np.int64, copy=False),
    )


def _all_keys(keys: Numbers, places: Numbers, sizes: Numbers) -> Numbers:
    """The number of each chunk, of those that do not follow from the one before, and where these stand."""
    if len(sizes) and (not len(places) or places[0] or places[-1] >= len(sizes)):
        raise IndexCorrupt("The keys of a segment are damaged; run `memdown index --force`.")
    before = _before(sizes)
    runs = np.diff(places, append=len(sizes))
    found: Numbers = np.repeat(keys - before[places], runs) + before
    return found


class Dictionary:
    """The terms of a segment and where their lists stand, read without unpacking."""

    def __init__(self, data: bytes) -> None:
        self.count, self.passages, size = _TERMS_HEAD.unpack_from(data)
        ends = []
        at = _TERMS_HEAD.size
        for _ in range(3):
            sizes, at = _grown(data, at, self.count)
            # A view of memory gives a number several times faster than an array does.
            ends.append(np.cumsum(sizes, dtype=np.uint32).data)
        self.name_ends, self.posting_ends, self.position_ends = ends
        fewer, at = _grown(data, at, self.count)
        marks = (self.count + 7) // 8
        self._marks = (data[at : at + marks], data[at + marks : at + 2 * marks])
        at += 2 * marks
        if len(data) != at + size:
            raise IndexCorrupt(
                "The dictionary of a segment is cut off; run `memdown index --force`."
            )
        # Copied: a view of numbers of two bytes cannot be read where they begin at an odd place.
        self.counts = fewer.astype(np.uint32).data
        self._names = memoryview(data)[at:]
        self._starting: dict[bytes, frozenset[bytes]] = {}
        self._signposts: list[bytes] = []

    def name(self, number: int) -> bytes:
        """The bytes of a term."""
        begin = self.name_ends[number - 1] if number else 0
        return bytes(self._names[begin : self.name_ends[number]])

    def names(self) -> list[bytes]:
        """All terms in order."""
        whole, begin, found = bytes(self._names), 0, []
        for end in self.name_ends.tolist():
            found.append(whole[begin:end])
            begin = end
        return found

    def starting_with(self, prefix: bytes) -> frozenset[bytes]:
        """All terms that begin like this; kept, for looking many words up at once."""
        found = self._starting.get(prefix)
        if found is None:
            found = self._starting[prefix] = frozenset(map(self.name, self.beginning(prefix)))
        return found

    def ending_with(self, end: bytes) -> Iterator[bytes]:
        """All terms that end like this."""
        names = bytes(self._names)
        at = names.find(end)
        while at >= 0:
            number = bisect_left(self.name_ends, at + len(end))
            # It may also stand inside of a term, or where one ends and the next begins.
            if self.name(number).endswith(end) and self.name_ends[number] == at + len(end):
                yield self.name(number)
            at = names.find(end, at + 1)

    def place(self, term: bytes) -> int:
        """Where a term stands or would stand."""
        if not self._signposts:
            self._signposts = list(map(self.name, range(0, self.count, _BETWEEN_SIGNPOSTS)))
        behind = bisect_left(self._signposts, term) * _BETWEEN_SIGNPOSTS
        before = max(0, behind - _BETWEEN_SIGNPOSTS)
        return bisect_left(range(min(behind, self.count)), term, before, key=self.name)

    def beginning(self, prefix: bytes) -> range:
        """The numbers of all terms that begin like this."""
        first = self.place(prefix)
        # Mostly they are few, and to look for the end among all takes twenty names.
        few = min(first + _FEW, self.count)
        end = self.count if few < self.count and self.name(few).startswith(prefix) else few
        return range(first, bisect_left(range(end), prefix + b"\xff", first, key=self.name))

    def find(self, term: bytes) -> int | None:
        """The number of a term."""
        number = self.place(term)
        return number if number < self.count and self.name(number) == term else None

    def has(self, term: bytes, beginning: bytes) -> bool:
        """Whether there is a term; many that have the same `beginning` cost one look-up."""
        return term in self.starting_with(beginning)

    def entries(self, number: int) -> int:
        """How many rows hold a term."""
        return self.counts[number] + 1

    def posting(self, number: int, data: bytes) -> bytes:
        """The posting list of a term, of what stands in its place."""
        return self._whole(0, number, data)

    def positions(self, number: int, data: bytes) -> bytes:
        """The positions of a term, of what stands in their place."""
        return self._whole(1, number, data)

    def _whole(self, kind: int, number: int, data: bytes) -> bytes:
        return inflated(data) if self._marks[kind][number >> 3] >> (number & 7) & 1 else data

    def postings(self, first: int, last: int, data: bytes) -> _Stream:
        """The posting lists of the terms from one number to another, of all that stands in their place."""
        return self._stream(0, self.posting_ends, first, last, data)

    def all_positions(self, data: bytes) -> _Stream:
        """The positions of all terms."""
        return self._stream(1, self.position_ends, 0, self.count, data)

    def _stream(
        self, kind: int, ends: memoryview[int], first: int, last: int, data: bytes
    ) -> _Stream:
        marks = np.frombuffer(self._marks[kind], np.uint8)
        deflated = np.unpackbits(marks, bitorder="little")[first:last].astype(bool)
        begin = ends[first - 1] if first else 0
        return _Stream(data, np.array(ends[first:last], np.int64) - begin, deflated)


class FoundTerm(NamedTuple):
    """A term, by its place among those that are looked for, in a segment, and its number there."""

    place: int
    segment: int
    number: int


class Vocabulary:
    """The terms of several segments, by number, each found in all of them by one look at its hash."""

    def __init__(self, dictionaries: Mapping[int, Dictionary]) -> None:
        self.dictionaries = dictionaries
        each = list(dictionaries.values())
        self.count = sum(one.count for one in each)
        hashes = np.fromiter((hash(name) for one in each for name in one.names()), np.int64)
        order = np.argsort(hashes, kind="stable")
        counts = [one.count for one in each]
        segment = np.repeat(np.array(list(dictionaries), np.int32), counts)
        number = np.concatenate([np.arange(count, dtype=np.int32) for count in counts])
        self._hashes = hashes[order]
        self._segments: memoryview[int] = segment[order].data
        self._numbers: memoryview[int] = number[order].data

    def find(self, terms: Sequence[bytes]) -> Iterator[FoundTerm]:
        """Where some terms stand: the segments that have each of them."""
        wanted = list(map(hash, terms))
        # A view of memory gives a number several times faster than an array does.
        hashes: memoryview[int] = self._hashes.data
        for place, at in enumerate(self._hashes.searchsorted(wanted).tolist()):
            while at < self.count and hashes[at] == wanted[place]:
                segment, number = self._segments[at], self._numbers[at]
                if self.dictionaries[segment].name(number) == terms[place]:
                    yield FoundTerm(place, segment, number)
                at += 1


def unpack_list(data: bytes, count: int, passages: int) -> PostingList:
    """A posting list of so many entries, in a segment of so many passages."""
    return (unpack_sparse if is_sparse(count, passages) else unpack_dense)([data], [count])


def unpack_positions(data: bytes, tf: Bytes) -> Numbers:
    """The positions of all entries of a term, one entry after the other."""
    packed = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(packed != _STEP)
    if len(places) != int(tf.sum()):
        raise _damaged()
    totals = np.cumsum(packed, dtype=np.int64)[places]
    firsts = np.cumsum(tf, dtype=np.int64) - tf
    before = np.concatenate([[0], totals])[firsts]
    found: Numbers = totals - np.repeat(before, tf)
    return found


def _damaged() -> IndexCorrupt:
    return IndexCorrupt("A posting list of a segment is damaged; run `memdown index --force`.")


def decode_lists(terms: bytes, postings: bytes, positions: bytes) -> Lists:
    """All posting lists of a segment."""
    dictionary = Dictionary(terms)
    counts = np.array(dictionary.counts, np.int64) + 1
    if len(postings) != (dictionary.posting_ends[-1] if dictionary.count else 0):
        raise _damaged()
    data, ends = inflated_lists(dictionary.postings(0, dictionary.count, postings))
    each = [data[begin:end] for begin, end in pairwise([0, *ends.tolist()])]
    found = _unpack_lists(each, counts, dictionary.passages)
    names = dictionary.names()
    starts = np.concatenate([[0], np.cumsum(counts)])
    first = int(starts[bisect_left(names, _FIRST_TEXT)])
    places, _ = inflated_lists(dictionary.all_positions(positions))
    rows, tf = (one.astype(np.int64) for one in found)
    return Lists(names, starts, rows, tf, unpack_positions(places, found.tf[first:]))


def _unpack_lists(lists: Sequence[bytes], counts: Numbers, passages: int) -> PostingList:
    """All lists of a segment of so many passages, one after the other."""
    sparse = _are_sparse(counts, passages)
    of_sparse = np.repeat(sparse, counts)
    rows, tf = np.empty(len(of_sparse), np.int32), np.empty(len(of_sparse), np.uint8)
    for kind, unpack in ((True, unpack_sparse), (False, unpack_dense)):
        numbers = np.flatnonzero(sparse == kind).tolist()
        if numbers:
            mine = of_sparse == kind
            rows[mine], tf[mine] = unpack([lists[n] for n in numbers], counts[numbers].tolist())
    return PostingList(rows, tf)


def unpack_sparse(lists: Sequence[bytes], counts: Sequence[int]) -> PostingList:
    """Lists of so many entries that are not packed, one after the other: the rows, then how often if more than once
    anywhere."""
    each = list(zip(lists, counts, strict=True))
    if any(len(data) != 2 * count and len(data) != 3 * count for data, count in each):
        raise _damaged()
    rows = b"".join([data[: 2 * count] for data, count in each])
    tf = b"".join([data[2 * count :] or b"\1" * count for data, count in each])
    return PostingList(np.frombuffer(rows, "<u2").astype(np.int32), np.frombuffer(tf, np.uint8))


def unpack_dense(lists: Sequence[bytes], counts: Sequence[int]) -> PostingList:
    """Packed lists of so many entries, one after the other; see `_packed_lists`."""
    packed = np.frombuffer(b"".join(lists), np.uint8)
    ends, gaps = np.cumsum([len(data) for data in lists]), np.array(counts, np.int64)
    places = (packed != _STEP).nonzero()[0]
    upto = places.searchsorted(ends)
    # In each list gaps come first, then how often.
    sizes = np.empty((len(lists), 2), np.int64)
    sizes[:, 0] = gaps
    sizes[:, 1] = _steps(upto) - gaps
    if (sizes[:, 1] < 0).any() or (places[upto - 1] + 1 != ends).any():
        raise _damaged()
    is_gap = np.array([True, False] * len(lists)).repeat(sizes.ravel())
    # Sums may run over; their differences are right all the same.
    values = _steps(packed.cumsum(dtype=np.uint32).take(places))[is_gap]
    often = (values & 1).astype(bool)
    counted = packed.take(places[~is_gap])
    if len(counted) != np.count_nonzero(often):
        raise _damaged()
    tf = np.ones(len(values), np.uint8)
    tf[often] = counted
    values >>= 1
    rows = values.cumsum(dtype=np.uint32)
    starts = gaps.cumsum() - gaps
    rows -= (rows[starts] - values[starts]).repeat(gaps)
    return PostingList(rows.view(np.int32), tf)


def _steps(totals: NDArray[_T]) -> NDArray[_T]:
    """From each total to the next, the first from 0: what they are the sums of."""
    steps = totals.copy()
    steps[1:] -= totals[:-1]
    return steps


def merge_lists(each: Sequence[Lists], new_rows: Sequence[Numbers]) -> Lists:
    """The lists of several segments in one; `new_rows` numbers each one's rows anew, -1 drops one."""
    names = sorted(set().union(*(one.names for one in each)))
    number = {name: place for place, name in enumerate(names)}
    terms, rows, positions = [], [], []
    for one, renumbered in zip(each, new_rows, strict=True):
        places = np.array([number[name] for name in one.names], np.int64)
        counts = np.diff(one.starts)
        tf = one.tf
        row = np.repeat(renumbered[one.rows], tf)
        position = np.zeros(len(row), np.int64)
        position[len(row) - len(one.positions) :] = one.positions
        keep = row >= 0
        terms.append(np.repeat(np.repeat(places, counts), tf)[keep])
        rows.append(row[keep])
        positions.append(position[keep])
    term = np.concatenate([np.empty(0, np.int64), *terms])
    used = np.flatnonzero(np.bincount(term, minlength=len(names)))
    rank = np.zeros(len(names), np.int64)
    rank[used] = np.arange(len(used))
    return _sorted(
        [names[place] for place in used.tolist()],
        rank[term],
        np.concatenate([np.empty(0, np.int64), *rows]),
        np.concatenate([np.empty(0, np.int64), *positions]),
    )


def key_of_term(term: str, *, head: bool = False) -> bytes:
    """A term as it stands in dictionaries."""
    return ((HEAD if head else "") + term).encode("utf-8", "surrogatepass")
