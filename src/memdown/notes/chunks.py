"""Document → chunks: runs of lines to be embedded, and in them the passages to be matched."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, TypeAlias

from memdown.text import cuts, weight
from memdown.text.cues import label_of
from memdown.types import Chunk, Document, Passage, Table
from memdown.values import dataclass, pattern

_SMALLEST_CAP: Final = 32
_PASSAGE_CAP: Final = 400
_BULLET: Final = pattern(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+\S")
# What a bullet begins with: most other lines begin with a letter, and need not be matched.
_BULLETS: Final = "-*+•0123456789"
_RULER: Final = pattern(r"[-:|=+_* \t]+$")


# A line, or a part of a line that is longer than a chunk may be: the line's number, the text, its weight,
# whether it is a whole line, and whether it is the first part of one. There are hundreds of thousands of
# them, and plain tuples are made several times faster than named ones.
_Piece: TypeAlias = tuple[int, str, int, bool, bool]


@dataclass(frozen=True, slots=True)
class _Draft:
    """The pieces of one chunk; the first `repeated` of them end the chunk before."""

    pieces: list[_Piece]
    repeated: int


_first_line: Final = attrgetter("first")


class _Places:
    """What belongs to a line: its number in the original file, the headings above it, and the columns of its table."""

    def __init__(
        self,
        line_map: tuple[int, ...] | None,
        headings: Sequence[tuple[int, str]],
        tables: Sequence[Table],
    ) -> None:
        self._line_map = line_map
        self._tables = tables
        self._changes = [line for line, _ in headings]
        self._paths = ["", *(path for _, path in headings)]
        self.heading_lines = frozenset(self._changes)

    def original(self, line: int) -> int:
        return self._line_map[line - 1] if self._line_map else line

    def listed(self, pieces: list[_Piece]) -> tuple[int, ...] | None:
        """The original line of each piece, unless they simply count up."""
        if self._line_map is None:
            return None
        lines = tuple(self.original(line) for line, *_ in pieces)
        return None if lines == tuple(range(lines[0], lines[0] + len(lines))) else lines

    def passage(self, start: int, end: int, first: int, last: int) -> Passage:
        """The passage from one place in a chunk's text to another, on these lines."""
        heading = self._paths[bisect_right(self._changes, first)]
        if self._tables and (columns := self._columns(first)):
            heading = f"{heading} > {columns}" if heading else columns
        if self._line_map:
            first, last = self.original(first), self.original(last)
        return Passage(start, end, first, last, heading)

    def _columns(self, line: int) -> str:
        """What the columns of the table are called that a line is a row of; empty if it is none."""
        place = bisect_right(self._tables, line, key=_first_line) - 1
        table = self._tables[place] if place >= 0 else None
        return table.columns if table is not None and line <= table.last else ""


def split_lines(text: str) -> list[str]:
    """The lines as editors count them: ended by LF or CRLF, and none after a final line end."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def chunk_document(
    document: Document,
    *,
    tokens: int,
    overlap: int,
    model: str,
    headings: Sequence[tuple[int, str]] = (),
) -> list[Chunk]:
    """Cut a document into chunks of about `tokens` tokens that overlap by about `overlap`.

    `headings` are the lines at which the path of headings changes, with the path from there on.
    A chunk's id is the digest of `source:path:start:end:hash:model`; where several chunks would
    get the same one (equal pieces of one long line), the later ones append `:1`, `:2` and so on.
    """
    cap = max(_SMALLEST_CAP, tokens * 4)
    places = _Places(document.line_map, headings, document.tables)
    seen: dict[str, int] = {}
    chunks = []
    for draft in _drafts(_pieces(split_lines(document.text), cap), cap, overlap * 4):
        passages = tuple(_passages(draft, places))
        if not passages:
            continue
        text = "\n".join([text for _, text, *_ in draft.pieces])
        digest = text_digest(text)
        start = places.original(draft.pieces[0][0])
        end = places.original(draft.pieces[-1][0])
        name = f"{document.source}:{document.path}:{start}:{end}:{digest}:{model}"
        repetition = seen[name] = seen.get(name, -1) + 1
        chunks.append(
            Chunk(
                id=text_digest(f"{name}:{repetition}" if repetition else name),
                path=document.path,
                source=document.source,
                start_line=start,
                end_line=end,
                heading=passages[0].heading,
                text=text,
                digest=digest,
                passages=passages,
                lines=places.listed(draft.pieces),
                names=document.names,
            )
        )
    return chunks


def _pieces(lines: list[str], cap: int) -> Iterator[_Piece]:
    for number, line in enumerate(lines, start=1):
        size = len(line) if line.isascii() else weight(line)
        if size <= cap:
            yield number, line, size, True, True
            continue
        for start, end in cuts(line, cap):
            part = line[start:end]
            yield number, part, weight(part), False, start == 0


def _drafts(pieces: Iterable[_Piece], cap: int, overlap: int) -> Iterator[_Draft]:
    current: list[_Piece] = []
    size = repeated = 0
    for piece in pieces:
        _, _, weight_of_piece, _, is_first = piece
        if current and (size + 1 + weight_of_piece > cap or not is_first):
            yield _Draft(current, repeated)
            current = _tail(current, min(overlap, cap - 1 - weight_of_piece)) if is_first else []
            repeated = len(current)
            size = sum(old for _, _, old, _, _ in current) + max(0, repeated - 1)
        size += weight_of_piece + (1 if current else 0)
        current.append(piece)
    if current:
        yield _Draft(current, repeated)


def _tail(pieces: list[_Piece], room: int) -> list[_Piece]:
    """The last whole lines that fit into the room, line ends included."""
    kept = 0
    for _, _, weight_of_piece, is_whole, _ in reversed(pieces):
        room -= weight_of_piece + (1 if kept else 0)
        if room < 0 or not is_whole:
            break
        kept += 1
    return pieces[len(pieces) - kept :]


def _passages(draft: _Draft, places: _Places) -> Iterator[Passage]:
    """What a chunk adds to the one before, by unit: a bullet with what is nested in it, a message, a
    table row, a paragraph; each anew where it would be longer than the cap.

    A line is never split: a paragraph is matched best as a whole, and what is shown of it is
    chosen later.
    """
    offset = sum(len(text) + 1 for _, text, *_ in draft.pieces[: draft.repeated])
    start = end = first = last = size = 0
    begins = _Beginnings()
    for line, text, size_of_line, _, _ in draft.pieces[draft.repeated :]:
        if begins.unit(text, is_heading=line in places.heading_lines) and first:
            yield places.passage(start, end, first, last)
            first = 0
        if text and not text.isspace():
            if first:
                size += offset - end + size_of_line
                if size > _PASSAGE_CAP:
                    yield places.passage(start, end, first, last)
                    first = 0
            if not first:
                start, first, size = offset, line, size_of_line
            end, last = offset + len(text), line
        offset += len(text) + 1
    if first:
        yield places.passage(start, end, first, last)


class _Beginnings:
    """Finds the lines at which a unit begins, one line after the other."""

    def __init__(self) -> None:
        # How far the open bullet is indented, and the heading's line that the first unit goes with.
        self._indent: int | None = None
        self._blank = self._heading = False

    def unit(self, line: str, *, is_heading: bool) -> bool:
        """Whether this line begins a unit."""
        bare = line.lstrip()
        if not bare:
            self._blank = True
            return False
        indent = len(line) - len(bare)
        blank, self._blank = self._blank, False
        headed, self._heading = self._heading, is_heading
        if is_heading:
            self._indent = None
            return True
        bullet = bare[0] in _BULLETS and _BULLET.match(bare)
        if self._indent is not None and indent > self._indent and not (blank and not bullet):
            return False
        if bullet:
            self._indent = indent
            return not headed
        if self._indent is not None and not blank and not label_of(bare):
            return False
        self._indent = None
        if headed:
            return False
        return blank or (bare[0] == "|" and not _RULER.match(bare)) or label_of(bare) is not None


def text_digest(text: str) -> str:
    """What a text is known by, such as in the cache of vectors."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
