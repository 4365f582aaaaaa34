"""What is shown of a note: a window of whole lines that grows around the best passage.

Only of a line that is too long to be shown whole, some sentences are shown. Of talk the messages are
shown that fit the question, also across the borders of chunks; what is left out between them is marked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from memdown.notes.facts import BULLET, FactSpan, front_end, section_at, units_of
from memdown.text import index_terms, match_spans
from memdown.text.cues import asks, label_of
from memdown.types import LEFT_OUT, Chunk, StoredChunk

# A line without the white space around it.
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_KNOWN_CHARS = 48
# Facts beside a fact are shown with it if they fit nearly as well, up to so many lines.
_AS_GOOD, _FEW_LINES = 0.7, 5
# A name or role before so many messages of a chunk is a speaker, and the chunk is talk.
_LEAST_SAID = 2
_LEAST_SAID_SHARE = 0.25
# Bullets with labels are mostly facts by topic ("- Car: …", "- Dentist: …"), unless few say much.
_LEAST_SAID_IN_BULLETS = 3
# Messages so far from the one that was found may be shown with it. A short one says little without what it
# asks or answers: the answer comes with it, and the question, if that is short. Measured on chats
# (docs/evaluation.md).
REACH = 12
_SHORT_MESSAGE, _SHORT_QUESTION = 80, 120
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

    def some_of(self, chunk: Chunk) -> bool:
        """Whether anything is shown of the note of a chunk."""
        return chunk.path in self._paths

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


@lru_cache(maxsize=_CACHED_CHUNKS)
def _is_talk(text: str) -> bool:
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    # A list of facts may have two that begin with "Correction:".
    least = max(_LEAST_SAID, _LEAST_SAID_SHARE * len(lines))
    labelled = [line for line in lines if ":" in line or "：" in line]
    if len(labelled) < least:
        return False
    labelled = [line for line in labelled if label_of(line) is not None]
    names = Counter(map(label_of, labelled))
    if len(labelled) < least or max(names.values()) < _LEAST_SAID:
        return False
    if not all(BULLET.match(line) for line in labelled):
        return True
    return len(names) > 1 and len(labelled) >= _LEAST_SAID_IN_BULLETS * len(names)


def is_talk(chunk: Chunk) -> bool:
    """Whether people speak in a chunk: a name or role stands before several of its lines."""
    return ":" in chunk.text and _is_talk(chunk.text)


def beside(key: int, stored: StoredChunk, best: Collection[int]) -> list[int]:
    """The keys of messages in other chunks that may be shown with this one: some of the best, and its neighbours."""
    first, end = stored.key, stored.key + len(stored.chunk.passages)
    found = [one for one in best if abs(one - key) <= REACH]
    return [one for one in (*found, key - 1, key + 1) if not first <= one < end]


def messages_around(key: int, chunks: Mapping[int, StoredChunk]) -> dict[int, TalkPassage]:
    """The messages within reach of one, by key; `chunks` are by the keys of their passages."""
    path = chunks[key].chunk.path
    return {
        number: TalkPassage(number, stored, number - stored.key)
        for number in range(key - REACH, key + REACH + 1)
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
    if len(near[key].text) > _SHORT_MESSAGE:
        return []
    found = [key + 1] if key + 1 in near and asks(near[key].text) else []
    before = near.get(key - 1)
    if before is not None and len(before.text) <= _SHORT_QUESTION and asks(before.text):
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
    begin, stop = section_at(chunk, passage.start)
    pieces = [one for one in pieces_of(chunk.text, size) if begin <= one.start < stop]
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


def show_fact(
    chunk: Chunk, start: int, shares: Mapping[int, float], size: int, taken: Taken, context: int = 0
) -> tuple[int, int] | None:
    """The fact that starts there, with those beside it that fit as well; None if it is taken.

    `shares` tells how well each fact fits, by where it starts. Up to `context` lines are shown of
    what is around, fitting or not, where a fact alone may not be what was meant.
    """
    units = units_of(chunk)
    pieces = pieces_of(chunk.text, len(chunk.text)) if taken.some_of(chunk) else ()
    shown = {piece.start for piece in pieces if taken.has(chunk, piece)}
    first = last = bisect_left(units, start, key=_start)
    if start in shown:
        return None
    mine, section = shares.get(start, 0.0), units[first].section
    while True:
        fitting = []
        for n in (last + 1, first - 1):
            if not 0 <= n < len(units) or units[n].start in shown or units[n].section != section:
                continue
            low, high = units[min(first, n)].start, units[max(last, n)].end
            share = shares.get(units[n].start, 0.0)
            most = _FEW_LINES if mine > 0 and share >= _AS_GOOD * mine else context
            if high - low <= size and chunk.text.count("\n", low, high) < most:
                fitting.append((share, n))
        if not fitting:
            break
        chosen = max(fitting)[1]
        first, last = min(first, chosen), max(last, chosen)
    low, high = units[first].start, units[last].end
    for piece in _pieces_in(chunk.text, low, high):
        taken.add(chunk, piece)
    return low, high if high - low <= size else _cut(chunk.text, low, low + size)


def is_heading(chunk: Chunk, number: int) -> bool:
    """Whether a passage only says what stands below it: a heading, the first row of a table, front matter."""
    passage, units = chunk.passages[number], units_of(chunk)
    # Units do not overlap: the last that begins before the passage ends is the last of all that ends.
    last = bisect_left(units, passage.end, key=_start) - 1
    return last < 0 or units[last].end <= passage.start


class Below(NamedTuple):
    """What stands below a heading: the chunk, where what is shown starts in it, and the units."""

    chunk: Chunk
    start: int
    units: list[FactSpan]


def below_heading(
    stored: StoredChunk, number: int, chunks: Mapping[int, StoredChunk]
) -> Below | None:
    """What stands below a passage that is a heading, in its chunk or the next; None if nothing does, or it
    is none."""
    chunk, passage = stored.chunk, stored.chunk.passages[number]
    if not is_heading(chunk, number):
        return None
    if units := [one for one in units_of(chunk) if one.start >= passage.end]:
        # Front matter itself is shown to nobody.
        is_front = passage.start < front_end(chunk)
        return Below(chunk, units[0].start if is_front else passage.start, units)
    following = chunks.get(stored.key + len(chunk.passages))
    if following is None or following.chunk.path != chunk.path:
        return None
    title = chunk.text[passage.start : passage.end]
    chunk = following.chunk
    first = chunk.passages[0].start
    # Chunks overlap: the next one mostly begins with the heading once more.
    again = chunk.text.rfind(title, 0, first)
    start = first if chunk.text[again + len(title) : first].strip() or again < 0 else again
    units = [one for one in units_of(chunk) if one.start >= first]
    return Below(chunk, start, units) if units else None


def show_below(below: Below, size: int, taken: Taken) -> tuple[int, int] | None:
    """A heading with the first lines below it; None if the first of them is shown already."""
    chunk, low, units = below
    first = units[0]
    if _is_shown(first, chunk, taken):
        return None
    high = first.end
    for one in units[1:]:
        lines = chunk.text.count("\n", first.start, one.end)
        if one.section != first.section or one.end - low > size or lines >= _FEW_LINES:
            break
        if _is_shown(one, chunk, taken):
            break
        high = one.end
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
    for passage, value in zip(chunk.passages, wanted, strict=True):
        if piece.start < passage.end and piece.end > passage.start:
            return value
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


def _pieces_in(text: str, first: int, last: int) -> list[Piece]:
    """The lines between two places that are not inside a line."""
    before = text.count("\n", 0, first)
    said = text[first:last]
    if "\n" not in said and said == said.strip():
        return [Piece(first, last, before)] if said else []
    return [
        Piece(first + start, first + end, before + line)
        for start, end, line in pieces_of(said, last - first)
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
