"""How the stores on a server and in tables keep a chunk's text, headings and passages as bytes."""

from __future__ import annotations

import datetime
import hashlib
from array import array

from memdown.errors import IndexCorrupt
from memdown.types import Chunk, Passage, Source, StoredChunk

_NUMBERS = 5


def pack_text(text: str) -> bytes:
    """As bytes, since the text of a database holds neither NUL nor half characters."""
    return text.encode("utf-8", "surrogatepass")


def pack_headings(chunk: Chunk) -> bytes:
    """The headings above a chunk and its passages, each once, the chunk's own first."""
    return pack_text("\n".join(_headings(chunk)))


def pack_passages(chunk: Chunk) -> bytes:
    """Start, end, lines and heading of each passage."""
    headings = _headings(chunk)
    numbers = array("I")
    for passage in chunk.passages:
        numbers.extend((passage.start, passage.end, passage.start_line, passage.end_line))
        numbers.append(headings[passage.heading])
    return numbers.tobytes()


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
) -> StoredChunk:
    """A chunk back from its row, checked against the digest it was stored with."""
    if not is_stored_text(text, digest):
        raise _damaged(f"A chunk of {path} is not the text that was stored")
    try:
        above = bytes(headings).decode("utf-8", "surrogatepass").split("\n")
        numbers = array("I", bytes(passages))
        chunk = Chunk(
            chunk_id,
            path,
            source,
            start_line,
            end_line,
            above[0],
            bytes(text).decode("utf-8", "surrogatepass"),
            digest,
            tuple(
                Passage(
                    numbers[i],
                    numbers[i + 1],
                    numbers[i + 2],
                    numbers[i + 3],
                    above[numbers[i + 4]],
                )
                for i in range(0, len(numbers), _NUMBERS)
            ),
            tuple(array("I", bytes(lines))) if lines else None,
        )
    except (ValueError, IndexError, TypeError) as error:
        raise _damaged(f"A chunk of {path} cannot be unpacked ({error})") from error
    return StoredChunk(key, chunk, date)


def _headings(chunk: Chunk) -> dict[str, int]:
    each = dict.fromkeys((chunk.heading, *(passage.heading for passage in chunk.passages)))
    return {heading: number for number, heading in enumerate(each)}


def _damaged(what: str) -> IndexCorrupt:
    return IndexCorrupt(f"{what}; rebuild the index with `memdown index --force`.")
