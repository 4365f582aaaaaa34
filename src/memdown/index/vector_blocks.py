"""Blocks of vectors: the parts `chunk_vectors` and `passage_vectors` of a segment, as bytes.

Vectors of chunks have one byte a number, and a scale per chunk (0: the chunk has no vector). Those of passages
have half a byte, and no scales, since they are of length one; of fewer numbers from the bundled embedder, of as
many from others on this machine that embed passages.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.errors import IndexCorrupt

Bytes = NDArray[np.uint8]

# How many vectors a block has. Of passages so many that, at 32 bytes each, they fill two pages of SQLite with the
# eighth of a page that stands in the row itself: what is left of a last page stays empty.
CHUNKS_A_BLOCK = 4_096
PASSAGES_A_BLOCK = 1_084
_VECTORS_HEAD = struct.Struct("<II")
# Stand beside the length of vectors that have half a byte a number, and of those of length one, whose scale
# follows from their numbers.
_HALF, _OF_LENGTH_ONE = 1 << 31, 1 << 30
_NEARLY = 1e-3


class PackedVectors(NamedTuple):
    """Vectors at a byte a number: numbers int8 (n, D), each times the scale, float32 (n,), of its row."""

    numbers: NDArray[np.int8]
    scale: NDArray[np.float32]


class StoredVectors(NamedTuple):
    """Vectors as they are stored: `rows` uint8 (n, W), scales float32 (n,), how long each vector is, and
    whether a byte has two numbers."""

    rows: Bytes
    scale: NDArray[np.float32]
    dims: int
    half: bool

    def numbers(self, rows: Bytes) -> NDArray[np.int8]:
        """Some of the rows as numbers, int8 (m, dims)."""
        return _halves(rows)[:, : self.dims] if self.half else rows.view(np.int8)


def pack_vectors(
    numbers: NDArray[np.int8],
    scale: NDArray[np.float32],
    *,
    half: bool = False,
    bare: bool = False,
) -> bytes:
    """A block of vectors: count and length, scales float32 (n,), then numbers int8 (n, D).

    With `half`, for numbers from -7 to 7: scales float16 (n,), then two numbers a byte, the first below. With
    `bare`, too, no scales where all vectors are of length one, or zero.
    """
    if not half:
        head = _VECTORS_HEAD.pack(*numbers.shape)
        return head + scale.astype("<f4").tobytes() + numbers.tobytes()
    count, dims = numbers.shape
    each = np.zeros((count, dims + dims % 2), np.uint8)
    each[:, :dims] = numbers + np.int8(8)
    packed: Bytes = each[:, ::2] | (each[:, 1::2] << 4)
    if bare and dims % 2 == 0 and np.allclose(scale, _scales(packed), rtol=_NEARLY, atol=0):
        return _VECTORS_HEAD.pack(count, dims | _HALF | _OF_LENGTH_ONE) + packed.tobytes()
    head = _VECTORS_HEAD.pack(count, dims | _HALF)
    return head + scale.astype("<f2").tobytes() + packed.tobytes()


def join_vectors(blocks: Sequence[bytes]) -> bytes:
    """Several blocks of vectors, of one length and kind, as one."""
    heads = [_VECTORS_HEAD.unpack_from(block) for block in blocks]
    kind = heads[0][1]
    width = 2 if kind & _HALF else 4
    ends = [_VECTORS_HEAD.size + width * count for count, _ in heads]
    scales = (block[_VECTORS_HEAD.size : end] for block, end in zip(blocks, ends, strict=True))
    numbers = (block[end:] for block, end in zip(blocks, ends, strict=True))
    return b"".join((_VECTORS_HEAD.pack(sum(count for count, _ in heads), kind), *scales, *numbers))


def vectors_shape(data: bytes) -> tuple[int, int]:
    """How many vectors a block has, and a number that tells their length and kind."""
    count, kind = _VECTORS_HEAD.unpack_from(data)
    return count, kind


def unpack_vectors(data: bytes) -> PackedVectors:
    """The vectors of a block; none of nothing."""
    stored = read_vectors(data)
    return PackedVectors(stored.numbers(stored.rows), stored.scale)


def read_vectors(data: bytes) -> StoredVectors:
    """The vectors of a block as they are stored; none of nothing."""
    if not data:
        return StoredVectors(np.empty((0, 0), np.uint8), np.empty(0, np.float32), 0, half=False)
    count, dims = _VECTORS_HEAD.unpack_from(data)
    half, bare = bool(dims & _HALF), bool(dims & _OF_LENGTH_ONE)
    dims &= ~(_HALF | _OF_LENGTH_ONE)
    width, kind = ((dims + 1) // 2, np.dtype("<f2")) if half else (dims, np.dtype("<f4"))
    begin = _VECTORS_HEAD.size + (0 if bare else count * kind.itemsize)
    if len(data) != begin + count * width or (bare and not half):
        raise IndexCorrupt("The vectors of a segment are cut off; run `memdown index --force`.")
    rows = np.frombuffer(data, np.uint8, offset=begin).reshape(count, width)
    if bare:
        return StoredVectors(rows, _scales(rows), dims, half)
    scale = np.frombuffer(data, kind, count, _VECTORS_HEAD.size).astype(np.float32, copy=False)
    return StoredVectors(rows, scale, dims, half)


def _scales(packed: Bytes) -> NDArray[np.float32]:
    """What makes vectors of half a byte a number as long as one, rounded as it would be stored; 0 for zeros."""
    # By halves: to unpack all numbers would take twice as long, to look up their squares eight times.
    first, second = (packed & 15).view(np.int8) - 8, (packed >> 4).view(np.int8) - 8
    first *= first
    second *= second
    first += second
    squares = first.view(np.uint8).astype(np.float32) @ np.ones(packed.shape[1], np.float32)
    squares[squares == 0] = np.inf
    scales: NDArray[np.float32] = (1 / np.sqrt(squares)).astype(np.float16).astype(np.float32)
    return scales


def _halves(packed: Bytes) -> NDArray[np.int8]:
    """Two numbers of each byte, int8 (n, 2 W)."""
    # Two bytes at a time: the first number stays below, the second goes above it.
    both = packed.astype("<u2")
    both |= both << 4
    both &= 0x0F0F
    each = both.view(np.uint8)
    # What falls below 0 is the same byte, read with a sign.
    each -= np.uint8(8)
    return each.view(np.int8)
