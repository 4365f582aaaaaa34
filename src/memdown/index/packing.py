"""How rows are numbered, and how stores keep a chunk as bytes.

A chunk has the number of its first passage, so the chunk of a passage is the one with the largest
number not above it, neighbours in a file are neighbours in number, and all rows of a file, or of a
source, form one range.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, repeat
from operator import add, itemgetter
from typing import TYPE_CHECKING, overload

from memdown.errors import IndexCorrupt
from memdown.types import FILE_SPAN, Chunk, Passage, Source, StoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = 5
# What `pack_closely` begins with: the letter, the line of the text on which the first passage begins, and
# how many headings there are.
_CLOSELY, _CLOSE_HEAD = b"L", struct.Struct("<cBB")
_LARGEST_BYTE = 255
# Of each byte the lower four bits, and one more than the upper four.
_GAPS = bytes(byte % 16 for byte in range(256))
_SIZES = bytes(byte // 16 + 1 for byte in range(256))
# In C throughout: a named tuple's own `__new__` takes three times as long.
_passage: Callable[[Iterable[object]], Passage] = partial(tuple.__new__, Passage)
_heading = itemgetter(4)
# Stands for each heading that a line has in common with the line before.
_SHARED, _BELOW = "\t", " > "


def pack_text(text: str) -> bytes:
    """As bytes, since the text of a database holds neither NUL nor half characters."""
    return text.encode("utf-8", "surrogatepass")


def as_text(text: str) -> str | bytes:
    """As a database takes it: half characters, which no text may hold, make it bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return pack_text(text)
    return text


def as_bytes(text: str | bytes) -> bytes:
    """What was stored as text or as bytes, as bytes."""
    return pack_text(text) if isinstance(text, str) else text


def pack_passages(chunk: Chunk) -> tuple[str, bytes]:
    """The headings above a chunk and its passages, each once on a line, the chunk's own first; and start,
    end, lines and heading of each passage, after a letter for two or four bytes each."""
    headings = {chunk.heading: 0}
    numbers: list[int] = []
    for start, end, first, last, heading in chunk.passages:
        numbers += (start, end, first, last, headings.setdefault(heading, len(headings)))
    kind = "H" if max(numbers, default=0) < 1 << 16 else "I"
    return "\n".join(headings), kind.encode() + array(kind, numbers).tobytes()


def pack_closely(chunk: Chunk, units: bytes | None) -> tuple[str, bytes]:
    """The same in a fifth of the bytes, where passages are whole lines, as they nearly always are: where a
    line begins, and its number, the text tells.

    `units` are those of `layout.units_of`; None where they do not fit. They come after the head and how many
    passages each heading has. Headings leave out what they share with the line before.
    """
    if units is None:
        return pack_passages(chunk)
    runs = [(one, len(list(some))) for one, some in groupby(map(_heading, chunk.passages))]
    if runs[0][0] != chunk.heading:
        runs.insert(0, (chunk.heading, 0))
    headings, counts = zip(*runs, strict=True)
    if max(len(counts), *counts) > _LARGEST_BYTE or any(
        one.startswith(_SHARED) or "\n" in one for one in headings
    ):
        return pack_passages(chunk)
    packed = _CLOSE_HEAD.pack(_CLOSELY, units[0], len(counts)) + bytes(counts) + units[1:]
    # The other ways of packing are told apart by an even length.
    return "\n".join(_shortened(headings)), packed if len(packed) % 2 else packed + b"\0"


def _line_starts(text: str) -> list[int]:
    """Where each line of a text begins, and where one after the last would."""
    return list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))


def _line_numbers(first: int, lines: Sequence[int] | None, begins: Sequence[int]) -> Sequence[int]:
    """The number of each line of a chunk."""
    return lines or range(first, first + len(begins) - 1)


def _shortened(headings: Sequence[str]) -> Sequence[str]:
    if len(headings) == 1:
        return headings
    found: list[str] = []
    above: list[str] = []
    for heading in headings:
        parts = heading.split(_BELOW)
        same = 0
        while same < min(len(above), len(parts) - 1) and above[same] == parts[same]:
            same += 1
        found.append(_SHARED * same + _BELOW.join(parts[same:]))
        above = parts
    return found


def _lengthened(headings: list[str]) -> list[str]:
    if len(headings) == 1:
        return headings
    found: list[str] = []
    above: list[str] = []
    for heading in headings:
        own = heading.lstrip(_SHARED)
        above = [*above[: len(heading) - len(own)], *own.split(_BELOW)]
        found.append(_BELOW.join(above))
    return found


class _ClosePassages(Sequence[Passage]):
    """What `pack_closely` packed, by the text of the chunk, its first line and the numbers of its lines.

    A passage is made when it is asked for: of the passages of a chunk that is found, few are.
    """

    __slots__ = ("_begins", "_counts", "_headings", "_numbers", "_own", "_sizes", "_upto")

    def __init__(
        self,
        blob: bytes,
        headings: Sequence[str],
        text: str,
        first: int,
        lines: Sequence[int] | None,
    ) -> None:
        _, begin, runs = _CLOSE_HEAD.unpack_from(blob)
        at = _CLOSE_HEAD.size + runs
        self._headings, self._counts = headings, blob[_CLOSE_HEAD.size : at]
        count = sum(self._counts)
        places = blob[at : at + count]
        if len(self._counts) != runs or len(places) != count or len(blob) - at - count > 1:
            raise ValueError("its passages are cut off")
        self._begins = _line_starts(text)
        self._numbers = _line_numbers(first, lines, self._begins)
        self._sizes = places.translate(_SIZES)
        # On which line each one begins: after the one before, and what lies between them.
        gaps = places.translate(_GAPS)
        self._own = list(accumulate(map(add, self._sizes, gaps[1:]), initial=begin))
        end = self._own[-1] + self._sizes[-1]
        # Up to which passage each heading goes.
        self._upto = list(accumulate(self._counts))
        if end > len(self._numbers) or end >= len(self._begins) or len(headings) != runs:
            raise ValueError("its passages do not fit its text")

    def __len__(self) -> int:
        return len(self._own)

    @overload
    def __getitem__(self, place: int) -> Passage: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Passage]: ...

    def __getitem__(self, place: int | slice) -> Passage | Sequence[Passage]:
        if isinstance(place, slice):
            return tuple(self)[place]
        line = self._own[place]
        last = line + self._sizes[place] - 1
        begins, numbers = self._begins, self._numbers
        above = self._headings[bisect_right(self._upto, place % len(self._own))]
        return _passage((begins[line], begins[last + 1] - 1, numbers[line], numbers[last], above))

    def __iter__(self) -> Iterator[Passage]:
        begins, numbers = self._begins, self._numbers
        own, after = self._own, list(map(add, self._own, self._sizes))
        starts = [begins[line] for line in own]
        ends = [begins[line] - 1 for line in after]
        firsts = [numbers[line] for line in own]
        lasts = [numbers[line - 1] for line in after]
        above = chain.from_iterable(map(repeat, self._headings, self._counts))
        return map(_passage, zip(starts, ends, firsts, lasts, above, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def count_passages(blob: bytes) -> int:
    """How many passages a chunk has."""
    if blob[:1] == _CLOSELY and len(blob) % 2:
        return sum(blob[_CLOSE_HEAD.size : _CLOSE_HEAD.size + blob[2]])
    return len(_numbers(blob)) // _NUMBERS


def passage_lines(blob: bytes) -> NDArray[np.int32]:
    """The first and last line of each passage of a chunk, int32 (n, 2)."""
    import numpy as np

    # Searches read hundreds of them.
    kind, offset = ("<u2", 1) if blob[:1] == b"H" and len(blob) % 2 else ("<u4", len(blob) % 2)
    lines: NDArray[np.int32] = (
        np.frombuffer(blob, kind, offset=offset).reshape(-1, _NUMBERS)[:, 2:4].astype(np.int32)
    )
    return lines


def lines_of_all(
    blobs: Sequence[bytes],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """How many passages each of many chunks has, int64 (chunks,), and the lines of all, int32 (n, 2)."""
    import numpy as np

    if all(blob[:1] == b"H" and len(blob) % 2 for blob in blobs):
        sizes = np.fromiter(map(len, blobs), np.int64, len(blobs))
        every = np.frombuffer(b"".join([blob[1:] for blob in blobs]), "<u2")
        lines = every.reshape(-1, _NUMBERS)[:, 2:4].astype(np.int32)
        return sizes // (2 * _NUMBERS), lines
    each = [passage_lines(blob) for blob in blobs]
    return np.array([len(one) for one in each], np.int64), np.concatenate(each)


def _numbers(blob: bytes) -> array[int]:
    if len(blob) % 2 == 0:
        # As it was written before the letter came.
        return array("I", blob)
    return array("H" if blob[:1] == b"H" else "I", blob[1:])


def pack_tags(tags: Sequence[str]) -> str:
    """Tags as other programs can read them; nothing for none."""
    return json.dumps(list(tags), ensure_ascii=False) if tags else ""


def unpack_tags(packed: str) -> tuple[str, ...]:
    """The tags back."""
    try:
        return tuple(map(str, json.loads(packed))) if packed else ()
    except (ValueError, TypeError) as error:
        raise _damaged(f"The tags of a file cannot be read ({error})") from error


def pack_lines(chunk: Chunk) -> bytes | None:
    """The numbers of the lines, where they do not simply count up."""
    return array("I", chunk.lines).tobytes() if chunk.lines else None


def is_stored_text(packed: bytes, digest: str) -> bool:
    """Whether a stored text is the one it was made from."""
    return hashlib.sha256(packed).hexdigest() == digest


def unpack_chunk(
    key: int,
    chunk_id: str,
    path: str,
    source: Source,
    start_line: int,
    end_line: int,
    headings: bytes,
    text: str | bytes,
    digest: str,
    passages: bytes,
    lines: bytes | None,
    date: datetime.date | None,
    names: str = "",
) -> StoredChunk:
    """A chunk back from its row, checked against the digest it was stored with."""
    packed = as_bytes(text)
    if not is_stored_text(packed, digest):
        raise _damaged(f"A chunk of {path} is not the text that was stored")
    try:
        above = bytes(headings).decode("utf-8", "surrogatepass").split("\n")
        content = text if isinstance(text, str) else bytes(packed).decode("utf-8", "surrogatepass")
        numbers = tuple(array("I", bytes(lines))) if lines else None
        units, above = _passages(bytes(passages), above, content, start_line, numbers)
        chunk = Chunk(
            chunk_id,
            path,
            source,
            start_line,
            end_line,
            above[0],
            content,
            digest,
            units,
            numbers,
            names,
        )
    except (ValueError, IndexError, TypeError, struct.error) as error:
        raise _damaged(f"A chunk of {path} cannot be unpacked ({error})") from error
    return StoredChunk(key, chunk, date)


def _passages(
    packed: bytes, headings: list[str], text: str, first: int, lines: Sequence[int] | None
) -> tuple[Sequence[Passage], list[str]]:
    """The passages of a chunk and its headings, of what either way of packing made."""
    if packed[:1] == _CLOSELY and len(packed) % 2:
        headings = _lengthened(headings)
        return _ClosePassages(packed, headings, text, first, lines), headings
    numbers = _numbers(packed)
    # By columns: a search unpacks some hundred passages.
    columns = (numbers[place::_NUMBERS] for place in range(_NUMBERS - 1))
    above = map(headings.__getitem__, numbers[_NUMBERS - 1 :: _NUMBERS])
    return tuple(map(_passage, zip(*columns, above, strict=True))), headings


def _damaged(what: str) -> IndexCorrupt:
    return IndexCorrupt(f"{what}; rebuild the index with `memdown index --force`.")


_FIRST_FILE: dict[Source, int] = {"memory": 1, "sessions": 1 << 36}
_END_FILE: dict[Source, int] = {"memory": 1 << 36, "sessions": 1 << 38}


def file_ids(source: Source) -> range:
    """The numbers that files of a source may have."""
    return range(_FIRST_FILE[source], _END_FILE[source])


def file_keys(file_id: int) -> range:
    """The numbers of a file's passages."""
    return range(file_id * FILE_SPAN, (file_id + 1) * FILE_SPAN)


def source_keys(source: Source) -> range:
    """The numbers of all passages of a source."""
    ids = file_ids(source)
    return range(ids.start * FILE_SPAN, ids.stop * FILE_SPAN)


def as_numbers(files: Iterable[int]) -> str:
    """Numbers as one value that SQL can look through."""
    return json.dumps(sorted(files))
