"""How chunks are packed into rows and unpacked again.

The texts of some neighbouring chunks are compressed together, as one block: they overlap and use
the same words, so that a block takes little more than half of what single texts would. A chunk's
row says where in its block the text stands, and only that far is unpacked.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memdown.index.sqlite.failures import Damaged
from memdown.types import Chunk, Passage

# Larger blocks are smaller in sum, but take longer to unpack.
_BLOCK_BYTES = 8_000
_LEVEL, _RAW, _MOST_MEMORY = 6, -15, 9
_END_OF_HEADINGS = b"\n\n"
_SMALL, _LARGE = "H", "I"
_NUMBERS = 3


class Place(NamedTuple):
    """Where a chunk's text stands in its block, and its passages in the text."""

    start: int
    end: int
    passages: bytes


class Block(NamedTuple):
    """Neighbouring chunks of a file, packed together."""

    packed: bytes
    places: list[Place]


def pack(chunks: Sequence[Chunk]) -> Iterator[Block]:
    """The chunks of a file in order, in blocks."""
    some: list[tuple[Chunk, bytes]] = []
    size = 0
    for chunk in chunks:
        text = chunk.text.encode("utf-8", "surrogatepass")
        if some and size + len(text) > _BLOCK_BYTES:
            yield _block(some)
            some, size = [], 0
        some.append((chunk, text))
        size += len(text)
    if some:
        yield _block(some)


def _block(some: Sequence[tuple[Chunk, bytes]]) -> Block:
    headings = {"": 0}
    for chunk, _ in some:
        for heading in (chunk.heading, *(passage.heading for passage in chunk.passages)):
            headings.setdefault(heading, len(headings))
    above = "\n".join(list(headings)[1:]).encode("utf-8", "surrogatepass") + _END_OF_HEADINGS
    places, end = [], len(above)
    for chunk, text in some:
        start, end = end, end + len(text)
        places.append(Place(start, end, _pack_passages(chunk, headings)))
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, _MOST_MEMORY)
    packed = packing.compress(above + b"".join(text for _, text in some)) + packing.flush()
    return Block(packed, places)


def _pack_passages(chunk: Chunk, headings: dict[str, int]) -> bytes:
    """The number of the chunk's heading; then start, end and heading of each passage.

    Lines are not kept: they can be counted in the text.
    """
    numbers = [headings[chunk.heading]]
    for passage in chunk.passages:
        numbers += (passage.start, passage.end, headings[passage.heading])
    kind = _SMALL if max(numbers) < 1 << 16 else _LARGE
    return kind.encode() + array(kind, numbers).tobytes()


def unpack(
    packed: bytes,
    start: int,
    end: int,
    places: bytes,
    digest: bytes,
    start_line: int,
    lines: Sequence[int] | None,
) -> tuple[str, str, tuple[Passage, ...]]:
    """A chunk's text, checked against the digest it was stored with; its heading; its passages."""
    try:
        data = zlib.decompressobj(_RAW).decompress(packed, end)
        plain = data[start:end]
        if hashlib.sha256(plain).digest() != digest:
            raise Damaged("a chunk is not the text that was stored")
        text = plain.decode("utf-8", "surrogatepass")
        above = data[: data.index(_END_OF_HEADINGS)].decode("utf-8", "surrogatepass")
        headings = ("", *above.split("\n"))
        numbers = _unpack_numbers(places)
        passages = []
        line = place = 0
        for i in range(1, len(numbers), _NUMBERS):
            first, last, heading = numbers[i : i + _NUMBERS]
            above_it = line = line + text.count("\n", place, first)
            line += text.count("\n", first, last)
            place = last
            passages.append(
                Passage(
                    first,
                    last,
                    lines[above_it] if lines else start_line + above_it,
                    lines[line] if lines else start_line + line,
                    headings[heading],
                )
            )
        return text, headings[numbers[0]], tuple(passages)
    except (zlib.error, ValueError, IndexError) as error:
        raise Damaged(f"a chunk's text cannot be unpacked ({error})") from error


def is_stored(packed: bytes | None, start: int, end: int, places: bytes, digest: bytes) -> bool:
    """Whether a block holds the text that a chunk was made from."""
    try:
        unpack(packed or b"", start, end, places, digest, 1, None)
    except Damaged:
        return False
    return True


def _unpack_numbers(blob: bytes) -> array[int]:
    return array(_SMALL if blob[:1] == b"H" else _LARGE, blob[1:])


def count_passages(blob: bytes) -> int:
    """How many passages a chunk has."""
    return len(_unpack_numbers(blob)) // _NUMBERS


def pack_lines(lines: Sequence[int] | None) -> bytes | None:
    """The numbers of the lines, where they do not simply count up."""
    return array("I", lines).tobytes() if lines else None


def unpack_lines(blob: bytes | None) -> tuple[int, ...] | None:
    """The numbers of the lines, where they do not simply count up."""
    return tuple(array("I", blob)) if blob else None


def pack_tags(tags: Sequence[str]) -> str:
    """Tags as other programs can read them; nothing for none."""
    return json.dumps(list(tags), ensure_ascii=False) if tags else ""


def unpack_tags(packed: str) -> tuple[str, ...]:
    """The tags back."""
    try:
        return tuple(map(str, json.loads(packed))) if packed else ()
    except (ValueError, TypeError) as error:
        raise Damaged(f"the tags of a file cannot be read: {error}") from error
