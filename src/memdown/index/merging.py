"""Making segments from files that changed, and merging small ones into larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from memdown.errors import IndexCorrupt
from memdown.index import segments, vector_blocks
from memdown.index.passages import Terms, occurrences, tokenise
from memdown.index.reader import quantise, quantise_passages
from memdown.index.segments import MOST_PASSAGES, Lists, Part, Rows
from memdown.index.vector_blocks import PackedVectors
from memdown.types import FILE_SPAN, Chunk, Vectors
from memdown.values import dataclass

Numbers = NDArray[np.int64]
ReadBlock = Callable[[int, str, int], bytes]

# Segments below each of these sizes are merged when there are so many of them at the end; larger ones
# stay as they are. A bulk of files is written in segments so large that they need no merging.
_TIERS, _MANY = (1 << 10, 1 << 14), 16
# When more rows than this share are struck, all is merged, so that they are gone.
_MOST_STRUCK, _FEW_STRUCK = 0.3, 4_096


_PASSAGES = "passage_vectors"


@dataclass(frozen=True, slots=True)
class Segment:
    """One entry of a manifest: a segment's number, and how many passages it holds."""

    number: int
    passages: int


@dataclass(frozen=True, slots=True, eq=False)
class NewRows:
    """Chunks of one file, from key `key` on; with `strikes` they replace all it had from there on.

    `vectors`, float32 (n, D), are of the chunks, `passage_vectors`, float32 (m, D), of their passages.
    """

    key: int
    chunks: Sequence[Chunk]
    vectors: Vectors | None
    passage_vectors: Vectors | None = None
    strikes: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A new segment: its parts, and how many passages it holds."""

    parts: dict[Part, bytes]
    passages: int


def make(files: Sequence[NewRows], tokens: Terms | None = None) -> list[Made]:
    """Segments of files; several where there are too many passages for one.

    `tokens` are those of all their chunks, where they are known already.
    """
    made = []
    done = 0
    for some in _portions(files):
        upto = done + sum(len(file.chunks) for file in some)
        made.append(_made(some, tokens.of(done, upto) if tokens else None))
        done = upto
    return made


def _portions(files: Sequence[NewRows]) -> Iterator[list[NewRows]]:
    some: list[NewRows] = []
    total = 0
    for file in files:
        for part in _cut(file):
            size = sum(len(chunk.passages) for chunk in part.chunks)
            if some and total + size > MOST_PASSAGES:
                yield some
                some, total = [], 0
            some.append(part)
            total += size
    if some:
        yield some


def _cut(file: NewRows) -> Iterator[NewRows]:
    """A file in parts that fit a segment; nearly always it is one."""
    sizes = np.array([len(chunk.passages) for chunk in file.chunks], np.int64)
    if sizes.sum() <= MOST_PASSAGES:
        yield file
        return
    ends = np.cumsum(sizes)
    begin, done = 0, 0
    while begin < len(sizes):
        end = max(begin + 1, int(np.searchsorted(ends, done + MOST_PASSAGES, side="right")))
        upto = int(ends[end - 1])
        yield NewRows(
            file.key + done,
            file.chunks[begin:end],
            None if file.vectors is None else file.vectors[begin:end],
            None if file.passage_vectors is None else file.passage_vectors[done:upto],
            file.strikes and begin == 0,
        )
        begin, done = end, upto


def _made(files: Sequence[NewRows], tokens: Terms | None) -> Made:
    chunks = [chunk for file in files for chunk in file.chunks]
    tokens = tokens or tokenise(chunks)
    found = occurrences(tokens)
    lists = segments.lists_of(found)
    lengths = found.lengths
    del found
    sizes = np.array([len(chunk.passages) for chunk in chunks], np.int64)
    keys = []
    for file in files:
        key = file.key
        for chunk in file.chunks:
            keys.append(key)
            key += len(chunk.passages)
    rows = Rows(
        np.array(keys, np.int64),
        sizes,
        tokens.lines,
        lengths.clip(max=MOST_PASSAGES - 1).astype(np.int32),
        np.array([file.key for file in files if file.strikes], np.int64),
    )
    parts = segments.encode(rows, lists)
    parts |= _chunk_vectors(files) | _passage_vectors(files)
    return Made(parts, rows.count)


def _chunk_vectors(files: Sequence[NewRows]) -> dict[Part, bytes]:
    each = [(file.vectors, len(file.chunks)) for file in files]
    return _packed("chunk_vectors", each)


def _passage_vectors(files: Sequence[NewRows]) -> dict[Part, bytes]:
    sizes = [sum(len(chunk.passages) for chunk in file.chunks) for file in files]
    return _packed(
        "passage_vectors",
        [(file.passage_vectors, size) for file, size in zip(files, sizes, strict=True)],
    )


def _packed(part: str, each: Sequence[tuple[Vectors | None, int]]) -> dict[Part, bytes]:
    """Blocks of vectors, with zeros where there are none; nothing if there are none at all."""
    dims = next((rows.shape[1] for rows, _ in each if rows is not None and rows.size), 0)
    if not dims:
        return {}
    vectors = np.concatenate([_or_zeros(rows, count, dims) for rows, count in each])
    as_numbers = quantise_passages if part == _PASSAGES else quantise
    numbers, scale = as_numbers(vectors)
    scale[~vectors.any(axis=1)] = 0
    return _in_blocks(part, PackedVectors(numbers, scale))


def _in_blocks(part: str, vectors: PackedVectors) -> dict[Part, bytes]:
    half = part == _PASSAGES
    step = vector_blocks.PASSAGES_A_BLOCK if half else vector_blocks.CHUNKS_A_BLOCK
    cuts = (slice(at, at + step) for at in range(0, len(vectors.scale), step))
    numbers, scale = vectors
    return {
        (part, place): vector_blocks.pack_vectors(numbers[cut], scale[cut], half=half, bare=half)
        for place, cut in enumerate(cuts)
    }


def _or_zeros(vectors: Vectors | None, count: int, dims: int) -> Vectors:
    # An empty note has no rows, and then the length of a row is not known.
    if vectors is None or not vectors.size:
        return np.zeros((count, dims), np.float32)
    return vectors


def due(manifest: Sequence[Segment], struck: int) -> range:
    """Which segments are to be merged now, as places in the manifest; an empty range if none are."""
    total = sum(one.passages for one in manifest)
    if struck > max(_FEW_STRUCK, _MOST_STRUCK * total):
        return range(len(manifest))
    for most in _TIERS:
        first = len(manifest)
        while first and manifest[first - 1].passages < most:
            first -= 1
        if len(manifest) - first >= _MANY:
            return range(first, len(manifest))
    return range(0)


def merge(manifest: Sequence[Segment], places: range, read: ReadBlock) -> list[Made]:
    """The segments at these places as one, or a few where they are too large for one.

    Rows that were struck are left out. Strikes stay, unless nothing is before them.
    """
    heads = [segments.read_rows(read(one.number, "rows", 0)) for one in manifest[places.start :]]
    alive = _alive(heads)
    inside = heads[: len(places)]
    keep = [np.repeat(mine, rows.passages) for mine, rows in zip(alive, inside, strict=False)]
    strikes = np.unique(np.concatenate([rows.strikes for rows in inside]))
    if places.start == 0:
        strikes = strikes[:0]
    made = []
    for group in _groups([int(mine.sum()) for mine in keep]):
        numbers = [manifest[places.start + one].number for one in group]
        some = [inside[one] for one in group]
        mine = [keep[one] for one in group]
        chunks = [alive[one] for one in group]
        made.append(_merged(numbers, some, chunks, mine, strikes, read))
        strikes = strikes[:0]
    return made


def _groups(sizes: Sequence[int]) -> Iterator[list[int]]:
    some: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if some and total + size > MOST_PASSAGES:
            yield some
            some, total = [], 0
        some.append(place)
        total += size
    if some:
        yield some


def _alive(heads: Sequence[Rows]) -> list[NDArray[np.bool_]]:
    """Which chunks of each segment no later one replaced."""
    alive = [np.ones(len(rows.key), bool) for rows in heads]
    for later, rows in enumerate(heads):
        if len(rows.strikes):
            for mine, earlier in zip(alive[:later], heads[:later], strict=True):
                strike(mine, earlier.key, rows.strikes)
    return alive


def strike(alive: NDArray[np.bool_], keys: Numbers, strikes: Numbers) -> None:
    """Mark as dead, in `alive`, what strikes say was replaced: all of a file from a key on."""
    if not len(strikes) or not len(keys):
        return
    strikes = np.sort(strikes)
    files = strikes // FILE_SPAN
    place = np.searchsorted(files, keys // FILE_SPAN).clip(max=len(files) - 1)
    alive &= ~((files[place] == keys // FILE_SPAN) & (keys >= strikes[place]))


def _merged(
    numbers: Sequence[int],
    heads: Sequence[Rows],
    chunks: Sequence[NDArray[np.bool_]],
    passages: Sequence[NDArray[np.bool_]],
    strikes: Numbers,
    read: ReadBlock,
) -> Made:
    kept = np.concatenate(passages)
    places = np.where(kept, np.cumsum(kept) - 1, -1)
    ends = np.cumsum([len(mine) for mine in passages])
    new_rows = np.split(places, ends[:-1])
    lists: list[Lists] = [read_lists(number, read) for number in numbers]
    rows = Rows(
        np.concatenate([one.key[mine] for one, mine in zip(heads, chunks, strict=True)]),
        np.concatenate([one.passages[mine] for one, mine in zip(heads, chunks, strict=True)]),
        np.concatenate([one.lines[mine] for one, mine in zip(heads, passages, strict=True)]),
        np.concatenate([one.length[mine] for one, mine in zip(heads, passages, strict=True)]),
        strikes,
    )
    parts = segments.encode(rows, segments.merge_lists(lists, new_rows))
    parts |= _merged_vectors("chunk_vectors", numbers, chunks, read)
    parts |= _merged_vectors("passage_vectors", numbers, passages, read)
    return Made(parts, rows.count)


def check(manifest: Sequence[Segment], read: ReadBlock) -> list[int]:
    """The keys of all chunks that are not struck; raises IndexCorrupt if any part is damaged."""
    heads = [segments.read_rows(read(one.number, "rows", 0)) for one in manifest]
    for one, rows in zip(manifest, heads, strict=True):
        lists = read_lists(one.number, read)
        counted = np.bincount(np.repeat(lists.rows, lists.tf), minlength=rows.count)
        if len(counted) > rows.count or rows.count != one.passages:
            raise IndexCorrupt("A segment holds other rows than it says")
        for part in ("chunk_vectors", "passage_vectors"):
            for data in blocks(one.number, part, read):
                vector_blocks.unpack_vectors(data)
    each = zip(_alive(heads), heads, strict=True)
    return sorted(int(key) for alive, rows in each for key in rows.key[alive])


def read_lists(number: int, read: ReadBlock) -> Lists:
    """All posting lists of a segment."""
    postings, positions = stream(number, "postings", read), stream(number, "positions", read)
    return segments.decode_lists(read(number, "terms", 0), postings, positions)


def stream(segment: int, part: str, read: ReadBlock) -> bytes:
    """All blocks of a part, one after the other."""
    return b"".join(blocks(segment, part, read))


def blocks(segment: int, part: str, read: ReadBlock) -> Iterator[bytes]:
    """The blocks of a part in order."""
    for number in count():
        data = read(segment, part, number)
        if not data:
            return
        yield data


def _merged_vectors(
    part: str, numbers: Sequence[int], keep: Sequence[NDArray[np.bool_]], read: ReadBlock
) -> dict[Part, bytes]:
    """The vectors that are kept; zeros where a segment has none."""
    each = [
        [vector_blocks.unpack_vectors(data) for data in blocks(number, part, read)]
        for number in numbers
    ]
    # An index that was emptied may have taken vectors of another length since.
    dims = next((some[0].numbers.shape[1] for some in reversed(each) if some), 0)
    if not dims:
        return {}
    found = []
    for some, mine in zip(each, keep, strict=True):
        if not some or some[0].numbers.shape[1] != dims:
            count = int(mine.sum())
            found.append(
                PackedVectors(np.zeros((count, dims), np.int8), np.zeros(count, np.float32))
            )
            continue
        rows = np.concatenate([one.numbers for one in some])[mine]
        found.append(PackedVectors(rows, np.concatenate([one.scale for one in some])[mine]))
    rows = np.concatenate([one.numbers for one in found])
    return _in_blocks(part, PackedVectors(rows, np.concatenate([one.scale for one in found])))
