"""What is shown of a note: a window of whole lines that grows around the best passage.

Only of a line that is too long to be shown whole, some sentences are shown. Of talk the messages are
shown that fit the question, also across the borders of chunks; what is left out between them is marked.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from memdown.notes.facts import (
    BULLET,
    FactSpan,
    adjoin,
    front_end,
    is_heading,
    section_at,
    unit_after,
    unit_before,
    units_of,
)
from memdown.text import index_terms, match_spans
from memdown.text.cues import asks, label_of
from memdown.tuning import TUNING
from memdown.types import LEFT_OUT, Chunk, Passage, StoredChunk

_SHOWN = TUNING.shown

# A line without the white space around it.
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_KNOWN_CHARS = 48
_CACHED_CHUNKS = 256
_start = attrgetter("start")


class Shown(NamedTuple):
    """What is shown of a note, and on which lines it stands; `start` is its place in the chunk's text."""

    text: str
    start_line: int
    end_line: int
    start: int


class TalkPassage(NamedTuple):
    """A passage of talk: its key, its chunk, and its number there."""

    key: int
    stored: StoredChunk
    number: int

    @property
    def text(self) -> str:
        """Its lines."""
        passage = self.stored.chunk.passages[self.number]
        return self.stored.chunk.text[passage.start : passage.end]


class Piece(NamedTuple):
    """A line of a chunk, or a sentence of a long one: its offsets and the number of its line."""

    start: int
    end: int
    line: int


class Taken:
    """The pieces that are shown already: chunks overlap, and windows should not."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, int, str]] = set()
        self._paths: set[str] = set()
        # The keys of the messages that are shown.
        self.messages: set[int] = set()

    def has(self, chunk: Chunk, piece: Piece) -> bool:
        """Whether a piece is shown, in whichever chunk."""
        return chunk.path in self._paths and self._name(chunk, piece) in self._seen

    def has_line(self, chunk: Chunk, start: int) -> bool:
        """Whether the line is shown that begins at a place of a chunk."""
        if chunk.path not in self._paths:
            return False
        text = chunk.text
        end = text.find("\n", start)
        said = text[start : end if end >= 0 else len(text)].rstrip()
        return self.has(chunk, Piece(start, start + len(said), text.count("\n", 0, start)))

    def add(self, chunk: Chunk, piece: Piece) -> None:
        """Note that a piece of a chunk is shown."""
        self._seen.add(self._name(chunk, piece))
        self._paths.add(chunk.path)

    def add_all(self, message: TalkPassage) -> None:
        """Note that a message is shown."""
        self.messages.add(message.key)
        chunk = message.stored.chunk
        passage = chunk.passages[message.number]
        for piece in _pieces_in(chunk.text, passage.start, passage.end):
            self.add(chunk, piece)

    def _name(self, chunk: Chunk, piece: Piece) -> tuple[str, int, str]:
        start, end, line = piece
        number = chunk.lines[line] if chunk.lines else chunk.start_line + line
        return chunk.path, number, chunk.text[start : min(end, start + _KNOWN_CHARS)]


class _Labelled(NamedTuple):
    """A line that begins with a name or role, and that."""

    line: str
    name: str


@lru_cache(maxsize=_CACHED_CHUNKS)
def _is_talk(text: str, passages: int) -> bool:
    lines = text.split("\n")
    # Few texts have as many labels as there would have to be if no line but the first of each passage counted.
    labelled = _labelled([line for line in lines if ":" in line or "：" in line], passages)
    if not labelled:
        return False
    said = [line for line in lines if line and not line.isspace()]
    names = Counter([one.name for one in labelled])
    if len(labelled) < _least_said(len(said)) or max(names.values()) < _SHOWN.labels:
        return False
    if not all(BULLET.match(one.line) for one in labelled):
        return True
    return len(names) > 1 and len(labelled) >= _SHOWN.labels_in_bullets * len(names)


def _labelled(lines: Sequence[str], passages: int) -> list[_Labelled]:
    """Those of some lines that begin with a label; none once too few can, of a text with so many passages."""
    spare = len(lines) - _least_said(passages)
    found: list[_Labelled] = []
    for line in lines:
        if spare < 0:
            return []
        if (name := label_of(line)) is None:
            spare -= 1
        else:
            found.append(_Labelled(line, name))
    return found if spare >= 0 else []


def _least_said(lines: int) -> float:
    """How many of so many lines must have a label; a list of facts may have two that begin with "Correction:"."""
    return max(_SHOWN.labels, _SHOWN.label_share * lines)


def is_talk(chunk: Chunk) -> bool:
    """Whether people speak in a chunk: a name or role stands before several of its lines."""
    return ":" in chunk.text and _is_talk(chunk.text, len(chunk.passages))


def beside(key: int, stored: StoredChunk, best: Collection[int]) -> list[int]:
    """The keys of messages in other chunks that may be shown with this one: some of the best, and its neighbours."""
    first, end = stored.key, stored.key + len(stored.chunk.passages)
    found = [one for one in best if abs(one - key) <= _SHOWN.reach]
    return [one for one in (*found, key - 1, key + 1) if not first <= one < end]


def messages_around(key: int, chunks: Mapping[int, StoredChunk]) -> dict[int, TalkPassage]:
    """The messages within reach of one, by key; `chunks` are by the keys of their passages."""
    path = chunks[key].chunk.path
    return {
        number: TalkPassage(number, stored, number - stored.key)
        for number in range(key - _SHOWN.reach, key + _SHOWN.reach + 1)
        if (stored := chunks.get(number)) is not None and stored.chunk.path == path
    }


def show_talk(
    key: int,
    chunks: Mapping[int, StoredChunk],
    wanted: Mapping[int, float],
    size: int,
    taken: Taken,
    least: float,
) -> Shown | None:
    """A message with what belongs to it and those around it that are `wanted` at `least` so much.

    At most `size` characters; None if it is taken, or too long to be shown whole.
    """
    near = messages_around(key, chunks)
    room = size - len(near[key].text)
    if key in taken.messages or room < 0:
        return None
    chosen = {key}
    free = near.keys() - chosen - taken.messages
    # The nearer of two that are wanted as much.
    good = [number for number in free if number in wanted and wanted[number] >= least]
    good.sort(key=lambda number: (-wanted[number], abs(number - key), number))
    for number in [*good, *(one for one in _belonging(key, near) if one in free.difference(good))]:
        cost = len(near[number].text) + len(LEFT_OUT) + 2
        if cost <= room:
            chosen.add(number)
            room -= cost
    shown = [near[number] for number in sorted(chosen)]
    for one in shown:
        taken.add_all(one)
    lines: list[str] = []
    for before, one in zip([None, *shown], shown, strict=False):
        if before is not None and one.key != before.key + 1:
            lines.append(LEFT_OUT)
        lines.append(one.text)
    first, last = shown[0], shown[-1]
    return Shown(
        "\n".join(lines),
        first.stored.chunk.passages[first.number].start_line,
        last.stored.chunk.passages[last.number].end_line,
        near[key].stored.chunk.passages[near[key].number].start,
    )


def _belonging(key: int, near: Mapping[int, TalkPassage]) -> list[int]:
    """Of a short message: what is said in answer if it asks, and the short question that it answers."""
    if len(near[key].text) > _SHOWN.short_message:
        return []
    found = [key + 1] if key + 1 in near and asks(near[key].text) else []
    before = near.get(key - 1)
    if before is not None and len(before.text) <= _SHOWN.short_question and asks(before.text):
        found.append(key - 1)
    return found


def grow(
    chunk: Chunk,
    number: int,
    wanted: Sequence[float],
    words: Collection[str],
    size: int,
    taken: Taken,
) -> tuple[int, int] | None:
    """The window around a chunk's passage, at most `size` characters; None if all of it is taken.

    It starts with the passage, or in a passage that is too long with the sentence that holds most
    of the words; it grows piece by piece, first to the side of the passage that is `wanted` more,
    and stops at what is shown elsewhere and at the next heading.
    """
    passage = chunk.passages[number]
    pieces = _reachable(chunk, passage, size)
    free = [
        n
        for n, (start, end, _) in enumerate(pieces)
        if start < passage.end and end > passage.start and not taken.has(chunk, pieces[n])
    ]
    if not free:
        return None
    first, last = _beginning(chunk, pieces, free, words, size)
    while True:
        options = []
        if last + 1 < len(pieces) and pieces[last + 1].end - pieces[first].start <= size:
            options.append((_value(chunk, wanted, pieces[last + 1]), 1, last + 1))
        if first > 0 and pieces[last].end - pieces[first - 1].start <= size:
            options.append((_value(chunk, wanted, pieces[first - 1]), 0, first - 1))
        options = [one for one in options if not taken.has(chunk, pieces[one[2]])]
        if not options:
            break
        chosen = max(options)[2]
        first, last = min(first, chosen), max(last, chosen)
    for piece in pieces[first : last + 1]:
        taken.add(chunk, piece)
    start, end = pieces[first].start, pieces[last].end
    if end - start > size:
        start = _around_words(chunk.text, start, end, words, size)
        return start, end if end - start <= size else _cut(chunk.text, start, start + size)
    return _filled(chunk, pieces, (first, last), size, taken)


def _reachable(chunk: Chunk, passage: Passage, size: int) -> list[Piece]:
    """The pieces of a passage's section that a window of a size around it may reach."""
    begin, stop = section_at(chunk, passage.start)
    text = chunk.text
    begin = max(begin, text.rfind("\n", 0, max(0, passage.start - size)) + 1)
    end = text.find("\n", passage.end + size)
    return _pieces_in(text, begin, stop if end < 0 else min(stop, end), size)


def show_fact(
    chunk: Chunk,
    fact: FactSpan,
    shares: Mapping[FactSpan, float],
    size: int,
    taken: Taken,
    context: int = 0,
) -> tuple[int, int] | None:
    """A fact, with those beside it that fit as well; None if it is taken.

    `shares` tells how well each fact fits. Up to `context` lines are shown of what is around, fitting or
    not, where a fact alone may not be what was meant.
    """
    if taken.has_line(chunk, fact.start):
        return None
    first = last = fact
    mine = shares.get(fact, 0.0)
    least = _SHOWN.as_good * mine if mine > 0 else math.inf
    while True:
        fitting = []
        for one in _beside(chunk, first, last, shares, context):
            if taken.has_line(chunk, one.start):
                continue
            low, high = min(first.start, one.start), max(last.end, one.end)
            share = shares.get(one, 0.0)
            most = _SHOWN.fact_lines if share >= least else context
            if high - low <= size and chunk.text.count("\n", low, high) < most:
                fitting.append((share, one))
        if not fitting:
            break
        _, chosen = max(fitting)
        first, last = min(first, chosen), max(last, chosen)
    low, high = first.start, last.end
    for piece in _pieces_in(chunk.text, low, high):
        taken.add(chunk, piece)
    return low, high if high - low <= size else _cut(chunk.text, low, low + size)


def _beside(
    chunk: Chunk, first: FactSpan, last: FactSpan, shares: Mapping[FactSpan, float], context: int
) -> list[FactSpan]:
    """What may be shown beside some facts: the nearest before and behind, without context only those that fit."""
    if context:
        return [
            one for one in (unit_before(chunk, first), unit_after(chunk, last)) if one is not None
        ]
    if len(shares) == 1:
        return []
    before = max((one for one in shares if one < first), default=None)
    after = min((one for one in shares if one > last), default=None)
    found = []
    if before is not None and adjoin(chunk, before, first):
        found.append(before)
    if after is not None and adjoin(chunk, last, after):
        found.append(after)
    return found


class Below(NamedTuple):
    """What stands below a heading: the chunk, where what is shown starts in it, and the first unit."""

    chunk: Chunk
    start: int
    unit: FactSpan


def below_heading(
    stored: StoredChunk, passage: Passage, chunks: Mapping[int, StoredChunk]
) -> Below | None:
    """What stands below a passage that is a heading, in its chunk or the next; None if nothing does, or it
    is none."""
    chunk = stored.chunk
    if not is_heading(chunk, passage):
        return None
    if unit := _unit_from(chunk, passage.end):
        # Front matter itself is shown to nobody.
        is_front = passage.start < front_end(chunk)
        return Below(chunk, unit.start if is_front else passage.start, unit)
    following = chunks.get(stored.key + len(chunk.passages))
    if following is None or following.chunk.path != chunk.path:
        return None
    title = chunk.text[passage.start : passage.end]
    chunk = following.chunk
    first = chunk.passages[0].start
    # Chunks overlap: the next one mostly begins with the heading once more.
    again = chunk.text.rfind(title, 0, first)
    start = first if chunk.text[again + len(title) : first].strip() or again < 0 else again
    unit = _unit_from(chunk, first)
    return Below(chunk, start, unit) if unit else None


def _unit_from(chunk: Chunk, place: int) -> FactSpan | None:
    """The first unit that begins at a place of a chunk or behind it."""
    return next((one for one in units_of(chunk, place) if one.start >= place), None)


def show_below(below: Below, size: int, taken: Taken) -> tuple[int, int] | None:
    """A heading with the first lines below it; None if the first of them is shown already."""
    chunk, low, first = below
    if _is_shown(first, chunk, taken):
        return None
    high = first.end
    one = unit_after(chunk, first)
    while one is not None and one.end - low <= size:
        lines = chunk.text.count("\n", first.start, one.end)
        if lines >= _SHOWN.fact_lines or _is_shown(one, chunk, taken):
            break
        high, one = one.end, unit_after(chunk, one)
    if high - low > size:
        high = _cut(chunk.text, low, low + size)
    for piece in _pieces_in(chunk.text, low, high):
        taken.add(chunk, piece)
    return low, high


def _is_shown(unit: FactSpan, chunk: Chunk, taken: Taken) -> bool:
    """Whether a line of a unit is shown already."""
    return any(taken.has(chunk, one) for one in _pieces_in(chunk.text, unit.start, unit.end))


def _filled(
    chunk: Chunk, pieces: Sequence[Piece], shown: tuple[int, int], size: int, taken: Taken
) -> tuple[int, int]:
    """The window, with as many words of a long line around it as there is room for."""
    first, last = shown
    start, end = pieces[first].start, pieces[last].end
    after = pieces[last + 1] if last + 1 < len(pieces) else None
    if after and after.line == pieces[last].line and not taken.has(chunk, after):
        end = max(end, chunk.text.rfind(" ", end, start + size + 1))
    before = pieces[first - 1] if first > 0 else None
    if before and before.line == pieces[first].line and not taken.has(chunk, before):
        space = chunk.text.find(" ", max(0, end - size - 1), start)
        start = space + 1 if 0 <= space < start - 1 else start
    return start, end


def _beginning(
    chunk: Chunk, pieces: Sequence[Piece], free: Sequence[int], words: Collection[str], size: int
) -> tuple[int, int]:
    """The first and last piece that a window starts with."""
    together = free[-1] - free[0] == len(free) - 1
    if together and pieces[free[-1]].end - pieces[free[0]].start <= size:
        return free[0], free[-1]
    asked = set(words)
    counts = [len(asked.intersection(index_terms(_text(chunk, pieces[n])))) for n in free]
    best = free[counts.index(max(counts))]
    return best, best


def _text(chunk: Chunk, piece: Piece) -> str:
    return chunk.text[piece.start : piece.end]


def _value(chunk: Chunk, wanted: Sequence[float], piece: Piece) -> float:
    """How much the passage of a piece is wanted; repeated lines before the first are not."""
    number = bisect_left(chunk.passages, piece.end, key=_start) - 1
    if number >= 0 and piece.start < chunk.passages[number].end:
        return wanted[number]
    return 0.0


@lru_cache(maxsize=_CACHED_CHUNKS)
def pieces_of(text: str, size: int) -> tuple[Piece, ...]:
    """The lines of a text that are not blank; lines that are too long to show, by sentence."""
    pieces: list[Piece] = []
    line = place = 0
    for match in _LINE.finditer(text):
        start, end = match.span()
        line += text.count("\n", place, start)
        place = end
        if end - start > size:
            pieces += _sentences(text, start, end, line)
        else:
            pieces.append(Piece(start, end, line))
    return tuple(pieces)


def _pieces_in(text: str, first: int, last: int, size: int = 0) -> list[Piece]:
    """The lines between two places that are not inside a line; with a size, longer ones by sentence."""
    before = text.count("\n", 0, first)
    said = text[first:last]
    size = size or len(said)
    if len(said) <= size and "\n" not in said and said == said.strip():
        return [Piece(first, last, before)] if said else []
    return [
        Piece(first + start, first + end, before + line)
        for start, end, line in pieces_of(said, size)
    ]


def _sentences(text: str, start: int, end: int, line: int) -> list[Piece]:
    pieces = []
    for match in _SENTENCE_END.finditer(text, start, end):
        pieces.append(_trimmed(text, start, match.start(), line))
        start = match.end()
    pieces.append(_trimmed(text, start, end, line))
    return [piece for piece in pieces if piece.end > piece.start]


def _trimmed(text: str, start: int, end: int, line: int) -> Piece:
    piece = text[start:end]
    return Piece(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()), line)


def _around_words(text: str, start: int, end: int, words: Collection[str], size: int) -> int:
    """Where to begin in a piece that is too long to show: a little before most of the words."""
    spans = [first for first, _ in match_spans(text[start:end], words)]
    if not spans:
        return start
    best = max(spans, key=lambda first: sum(first <= one < first + size // 2 for one in spans))
    begin = start + max(0, min(best - size // 4, end - start - size))
    space = text.find(" ", begin, start + best) if begin > start else -1
    return space + 1 if space >= 0 else begin


def _cut(text: str, start: int, end: int) -> int:
    """A place to end a text that is too long: the last space, if one is near."""
    space = text.rfind(" ", start + (end - start) // 2, end)
    return space if space > start else end
