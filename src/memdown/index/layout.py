"""The texts of some chunks as one array of characters, for what is asked of all their passages at once.

Most lines say nothing of who speaks, and most passages ask nothing: the few that may are found here in
numpy, and only those are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.text import cues
from memdown.types import Chunk
from memdown.values import dataclass

Numbers = NDArray[np.int64]

_passages_of = attrgetter("passages")
_LINE_END, _COLONS, _NUMBER_SIGN = ord("\n"), (ord(":"), ord("：")), ord("#")
_LAST = np.array(sorted(map(ord, cues.MAY_END_ASKING)), np.uint32)
_FIRST_SIGN, _LAST_ASCII, _MARKS = ord("!"), ord("~"), (ord("*"), ord("_"))
# What fits into half a byte, and into one.
_FEW_LINES, _LARGEST_BYTE = 16, 255
_NOWHERE = -2
_STOPS, _DIGITS = (ord("."), ord(")")), (ord("0"), ord("9"))


class Outline(NamedTuple):
    """C chunks with P passages, as what another process can be sent.

    `text` is all texts, each with a line end behind it, and `sizes` int32 (C,) how long each of them is with that.
    `names` are those of their documents, `above` the headings of chunks, `first_lines` and `lines` what `Chunk` has.
    `counts` int32 (C,) says how many passages each chunk has, and `passages` int32 (P, 4) where each of them starts and
    ends in the chunk's text, and its first and last line in the file; `headings` are those of passages.
    """

    text: str
    names: list[str]
    above: list[str]
    first_lines: list[int]
    lines: list[tuple[int, ...] | None]
    headings: list[str]
    sizes: NDArray[np.int32]
    counts: NDArray[np.int32]
    passages: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """C chunks with P passages, each of which is whole lines, and L lines.

    `text` is all texts, each with a line end behind it, and `codes` uint32 (n,) its characters. `begins`
    int64 (C + 1,) says where each chunk's text begins, `counts` int64 (C,) how many passages it has;
    `starts` and `ends` int64 (P,) where passages stand; `lines` int32 (P, 2) are the numbers of their first and last
    lines in the file; `line_ends` int64 (L,) where lines end.
    """

    outline: Outline
    text: str
    codes: NDArray[np.uint32]
    begins: Numbers
    counts: Numbers
    starts: Numbers
    ends: Numbers
    headings: Sequence[str]
    lines: NDArray[np.int32]
    line_ends: Numbers

    def texts(self) -> Iterator[str]:
        """The text of each chunk."""
        begin = 0
        for end in self.begins[1:].tolist():
            yield self.text[begin : end - 1]
            begin = end

    def passage(self, row: int) -> str:
        """The text of a passage."""
        return self.text[self.starts[row] : self.ends[row]]

    def chunk_of(self, places: Numbers) -> Numbers:
        """The chunks whose texts hold some places."""
        return np.searchsorted(self.begins, places, side="right") - 1

    def first_lines(self) -> tuple[Numbers, Numbers]:
        """The lines with which chunks and passages begin, int64 (C,) and (P,)."""
        lines = self.line_ends
        return np.searchsorted(lines, self.begins[:-1]), np.searchsorted(lines, self.starts)

    def may_ask(self) -> list[int]:
        """The passages that may end with a question mark."""
        lasts = self.codes[self.ends - 1]
        rows: list[int] = np.flatnonzero((lasts[:, None] == _LAST).any(axis=1)).tolist()
        return rows

    def passages_with(self, sign: str) -> Numbers:
        """The passages that hold a sign."""
        return self._holding(np.flatnonzero(self.codes == ord(sign)))

    def may_be_numbered(self) -> list[int]:
        """The passages with a digit, a full stop or bracket, and white space."""
        codes = self.codes
        stops = np.flatnonzero((codes == _STOPS[0]) | (codes == _STOPS[1]))
        before, behind = codes[stops - 1], codes[stops + 1]
        is_digit = (before >= _DIGITS[0]) & ((before <= _DIGITS[1]) | (before > _LAST_ASCII))
        is_blank = (behind < _FIRST_SIGN) | (behind > _LAST_ASCII)
        rows: list[int] = self._holding(stops[is_digit & is_blank]).tolist()
        return rows

    def _holding(self, places: Numbers) -> Numbers:
        rows = distinct(np.searchsorted(self.ends, places, side="right"))
        # What stands behind the last passage, or before the first of a chunk, is in none.
        rows = rows[rows < len(self.ends)]
        upto = np.searchsorted(places, self.ends[rows])
        return rows[np.searchsorted(places, self.starts[rows]) < upto]

    def may_be_labelled(self) -> Numbers:
        """The lines that are headings or may begin with a label, which ends with a colon and white space."""
        codes = self.codes
        colons = np.flatnonzero((codes == _COLONS[0]) | (codes == _COLONS[1]))
        behind = codes[colons + 1]
        colons = colons[
            (behind < _FIRST_SIGN)
            | (behind > _LAST_ASCII)
            | (behind == _MARKS[0])
            | (behind == _MARKS[1])
        ]
        begins = np.concatenate([[0], self.line_ends[:-1] + 1])[: len(self.line_ends)]
        headings = np.flatnonzero(codes[begins] == _NUMBER_SIGN)
        found = np.zeros(len(self.line_ends), bool)
        found[np.searchsorted(self.line_ends, colons)] = True
        found[headings] = True
        return np.flatnonzero(found)


def distinct(ascending: Numbers) -> Numbers:
    """Each number once; `np.unique` would import a package that takes longer than a small portion."""
    once: Numbers = ascending[np.diff(ascending, prepend=-1) != 0]
    return once


def outline(chunks: Sequence[Chunk]) -> Outline:
    """The texts of some chunks, one after the other, and what else is to be known of them."""
    columns = list(zip(*chain.from_iterable(map(_passages_of, chunks)), strict=True))
    *places, headings = columns or ((), (), (), (), ())
    return Outline(
        "".join([f"{chunk.text}\n" for chunk in chunks]),
        list(map(document_name, chunks)),
        [chunk.heading for chunk in chunks],
        [chunk.start_line for chunk in chunks],
        [chunk.lines for chunk in chunks],
        list(headings),
        np.array([len(chunk.text) + 1 for chunk in chunks], np.int32),
        np.array([len(chunk.passages) for chunk in chunks], np.int32),
        np.array(places, np.int32).T,
    )


def document_name(chunk: Chunk) -> str:
    """What stands above all passages of a document: the name of its file, and its names."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    return f"{name} {chunk.names}" if chunk.names else name


def lay_out(given: Outline) -> Layout:
    """What numpy finds in the texts of some chunks."""
    codes = np.frombuffer(given.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    begins = np.concatenate([[0], np.cumsum(given.sizes, dtype=np.int64)])
    counts = given.counts.astype(np.int64)
    before = np.repeat(begins[:-1], counts)
    return Layout(
        given,
        given.text,
        codes,
        begins,
        counts,
        given.passages[:, 0] + before,
        given.passages[:, 1] + before,
        given.headings,
        given.passages[:, 2:],
        np.flatnonzero(codes == _LINE_END),
    )


def units_of(layout: Layout) -> list[bytes | None]:
    """Where the passages of each chunk lie, as `packing.pack_closely` keeps it; None where that does not fit.

    A byte for the line of the text on which the first passage begins, and then one for each: how many lines lie
    between the one before and it, and 16 times how many lines more than one it has.
    """
    of_chunks, own = layout.first_lines()
    # Behind the last line nothing fits.
    counts, line_ends = layout.counts, np.concatenate([layout.line_ends, [_NOWHERE]])
    last = np.searchsorted(layout.line_ends, layout.ends)
    firsts = np.cumsum(counts) - counts
    has_some = np.flatnonzero(counts)
    opening = firsts[has_some]
    before = np.concatenate([[0], last[:-1] + 1])[: len(own)]
    before[opening] = own[opening]
    gaps, more = own - before, last - own
    begun = np.repeat(of_chunks, counts)
    places = np.stack([own, last], axis=1) - begun[:, None]
    fits = (gaps >= 0) & (gaps < _FEW_LINES) & (more >= 0) & (more < _FEW_LINES)
    fits &= (_numbers_of(layout.outline, places, counts) == layout.lines).all(axis=1)
    fits &= np.concatenate([[-1], line_ends])[own] + 1 == layout.starts
    fits &= (line_ends[last] == layout.ends) & (layout.ends < np.repeat(layout.begins[1:], counts))
    fits[opening] &= places[opening, 0] <= _LARGEST_BYTE
    packed = (gaps + _FEW_LINES * more).astype(np.uint8).tobytes()
    found: list[bytes | None] = [None] * len(counts)
    each = zip(
        has_some.tolist(),
        opening.tolist(),
        (opening + counts[has_some]).tolist(),
        places[opening, 0].tolist(),
        np.logical_and.reduceat(fits, opening).tolist() if len(opening) else [],
        strict=True,
    )
    for chunk, first, end, begins, is_close in each:
        if is_close:
            found[chunk] = bytes([begins]) + packed[first:end]
    return found


def _numbers_of(given: Outline, places: Numbers, counts: Numbers) -> Numbers:
    """The numbers in the file of some lines of chunks, int64 (P, 2); -1 where there is none."""
    numbers: Numbers = places + np.repeat(given.first_lines, counts)[:, None]
    ends = np.cumsum(counts)
    for lines, end, count in zip(given.lines, ends.tolist(), counts.tolist(), strict=True):
        if lines:
            listed = np.array([*lines, -1])
            rows = slice(end - count, end)
            numbers[rows] = listed[places[rows].clip(max=len(lines))]
    return numbers


class Said(NamedTuple):
    """A feature term of the passages from one row to before another."""

    first: int
    end: int
    term: str


def said_by(layout: Layout, introducing: Numbers) -> list[Said]:
    """Who speaks in which passages and whether they may say their name there.

    The same as `passages.feature_terms`, of the few lines that may be labels; `introducing` are lines with a word that such a
    sentence begins with.
    """
    lines = layout.may_be_labelled()
    may_introduce = np.zeros(len(layout.line_ends), bool)
    may_introduce[introducing] = True
    begins = np.concatenate([[0], layout.line_ends + 1])[lines]
    columns = (
        begins,
        layout.line_ends[lines],
        layout.chunk_of(begins),
        np.searchsorted(layout.ends, begins, side="right"),
        may_introduce[lines],
    )
    upto = np.cumsum(layout.counts).tolist()
    text = layout.text
    said: list[Said] = []
    speaks: tuple[str, ...] = ()
    known, first, introduced = 0, 0, -1
    for begin, end, chunk, row, is_hinted in zip(*(one.tolist() for one in columns), strict=True):
        line = text[begin:end]
        name = "" if line[0] == "#" else cues.label_of(line)
        if name is None:
            continue
        if speaks:
            last = row if chunk == known else upto[known]
            said += [Said(first, last, term) for term in speaks]
        known, first, speaks = chunk, row, cues.speaker_terms(name) if name else ()
        if is_hinted and name and row != introduced and cues.may_introduce(line):
            introduced = row
            said.append(Said(row, row + 1, cues.INTRODUCES))
    return said + [Said(first, upto[known], term) for term in speaks]
