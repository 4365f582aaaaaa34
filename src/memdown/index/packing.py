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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, repeat
from operator import add, sub
from typing import TYPE_CHECKING

from memdown.errors import IndexCorrupt
from memdown.types import FILE_SPAN, Chunk, Passage, Source, StoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = 5
# What `pack_closely` begins with: the letter, how many passages, where the first one starts, and its line.
_CLOSELY, _CLOSE_HEAD = b"C", struct.Struct("<cHHI")
# Of each byte the lower four bits and one more, and the upper four.
_GAPS = bytes(byte % 16 + 1 for byte in range(256))
_MORE = bytes(byte // 16 for byte in range(256))
_LONG = 255
# In C throughout: a named tuple's own `__new__` takes three times as long.
_passage: Callable[[Iterable[object]], Passage] = partial(tuple.__new__, Passage)
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


def pack_closely(chunk: Chunk) -> tuple[str, bytes]:
    """The same in a third of the bytes, where passages follow one another closely, as they nearly always do.

    After the head come a byte a passage, the lines from the one before to it less one, and 16 times how
    many lines more than one it has; its length, 255 for a longer one; the longer lengths in two bytes each;
    and how many passages each heading has. Headings leave out what they share with the line before.
    """
    if not chunk.passages:
        return pack_passages(chunk)
    # By columns: every chunk of an index comes here.
    starts, ends, firsts, lasts, above = zip(*chunk.passages, strict=True)
    gaps, more = list(map(sub, starts[1:], ends)), list(map(sub, lasts, firsts))
    lengths = list(map(sub, ends, starts))
    runs = [(heading, len(list(some))) for heading, some in groupby(above)]
    if runs[0][0] != chunk.heading:
        runs.insert(0, (chunk.heading, 0))
    headings = [heading for heading, _ in runs]
    long = [length for length in lengths if length >= _LONG]
    if (
        gaps != list(map(sub, firsts[1:], lasts))
        or not (min(gaps, default=1) > 0 and max(gaps, default=1) <= 16)
        or not (min(more) >= 0 and max(more) < 16 and min(lengths) >= 0)
        or max(len(starts), starts[0], *long) >> 16
        or max(count for _, count in runs) > _LONG
        or any(heading.startswith(_SHARED) or "\n" in heading for heading in headings)
    ):
        return pack_passages(chunk)
    packed = b"".join(
        (
            _CLOSE_HEAD.pack(_CLOSELY, len(starts), starts[0], firsts[0]),
            bytes([gap - 1 + 16 * lines for gap, lines in zip([1, *gaps], more, strict=True)]),
            bytes([min(length, _LONG) for length in lengths]),
            struct.pack(f"<{len(long)}H", *long),
            bytes([count for _, count in runs]),
        )
    )
    # The other ways of packing are told apart by an even length.
    return "\n".join(_shortened(headings)), packed if len(packed) % 2 else packed + b"\0"


def _shortened(headings: list[str]) -> list[str]:
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


def _close_passages(blob: bytes, headings: Sequence[str]) -> tuple[Passage, ...]:
    """What `pack_closely` packed."""
    _, count, start, line = _CLOSE_HEAD.unpack_from(blob)
    at = _CLOSE_HEAD.size
    places, lengths = blob[at : at + count], list(blob[at + count : at + 2 * count])
    at += 2 * count
    if many := lengths.count(_LONG):
        longer = iter(struct.unpack_from(f"<{many}H", blob, at))
        lengths = [next(longer) if length == _LONG else length for length in lengths]
        at += 2 * many
    gaps, more = places.translate(_GAPS), places.translate(_MORE)
    if not len(gaps) == len(lengths) == sum(blob[at:]) == count:
        raise ValueError("its passages are cut off")
    # Where each one begins, and on which line: after the one before, and what lies between them.
    starts = list(accumulate(map(add, lengths, gaps[1:]), initial=start))
    firsts = list(accumulate(map(add, more, gaps[1:]), initial=line))
    above = chain.from_iterable(map(repeat, headings, blob[at:]))
    ends, lasts = map(add, starts, lengths), map(add, firsts, more)
    return tuple(map(_passage, zip(starts, ends, firsts, lasts, above, strict=True)))


def count_passages(blob: bytes) -> int:
    """How many passages a chunk has."""
    if blob[:1] == _CLOSELY and len(blob) % 2:
        return int.from_bytes(blob[1:3], "little")
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
    text: bytes,
    digest: str,
    passages: bytes,
    lines: bytes | None,
    date: datetime.date | None,
    names: str = "",
) -> StoredChunk:
    """A chunk back from its row, checked against the digest it was stored with."""
    if not is_stored_text(text, digest):
        raise _damaged(f"A chunk of {path} is not the text that was stored")
    try:
        above = bytes(headings).decode("utf-8", "surrogatepass").split("\n")
        units, above = _passages(bytes(passages), above)
        chunk = Chunk(
            chunk_id,
            path,
            source,
            start_line,
            end_line,
            above[0],
            bytes(text).decode("utf-8", "surrogatepass"),
            digest,
            units,
            tuple(array("I", bytes(lines))) if lines else None,
            names,
        )
    except (ValueError, IndexError, TypeError, struct.error) as error:
        raise _damaged(f"A chunk of {path} cannot be unpacked ({error})") from error
    return StoredChunk(key, chunk, date)


def _passages(packed: bytes, headings: list[str]) -> tuple[tuple[Passage, ...], list[str]]:
    """The passages of a chunk and its headings, of what either way of packing made."""
    if packed[:1] == _CLOSELY and len(packed) % 2:
        headings = _lengthened(headings)
        return _close_passages(packed, headings), headings
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
