"""How rows are numbered, and how stores keep a chunk as bytes.

A chunk has the number of its first passage, so the chunk of a passage is the one with the largest
number not above it, neighbours in a file are neighbours in number, and all rows of a file, or of a
source, form one range.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memdown.errors import IndexCorrupt
from memdown.types import FILE_SPAN, Chunk, Passage, Source, StoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = 5


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


def count_passages(blob: bytes) -> int:
    """How many passages a chunk has."""
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
        numbers = _numbers(bytes(passages))
        chunk = Chunk(
            chunk_id,
            path,
            source,
            start_line,
            end_line,
            above[0],
            bytes(text).decode("utf-8", "surrogatepass"),
            digest,
            # By columns: a search unpacks some hundred passages.
            tuple(
                map(
                    Passage,
                    *(numbers[place::_NUMBERS] for place in range(_NUMBERS - 1)),
                    map(above.__getitem__, numbers[_NUMBERS - 1 :: _NUMBERS]),
                )
            ),
            tuple(array("I", bytes(lines))) if lines else None,
            names,
        )
    except (ValueError, IndexError, TypeError) as error:
        raise _damaged(f"A chunk of {path} cannot be unpacked ({error})") from error
    return StoredChunk(key, chunk, date)


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
