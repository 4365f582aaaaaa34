"""Document → chunks: runs of lines to be embedded, and in them the passages to be matched.

A longer line is cut where a reader would, and never inside what is seen as one character.
"""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from operator import attrgetter
from typing import Final

from memdown.text import weight
from memdown.text.cues import label_of
from memdown.text.scripts import fitting
from memdown.types import Chunk, Document, Passage, Table
from memdown.values import dataclass, pattern

_SMALLEST_CAP: Final = 32
_PASSAGE_CAP: Final = 400
_BULLET: Final = pattern(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+\S")
# What a bullet begins with: most other lines begin with a letter, and need not be matched.
_BULLETS: Final = "-*+•0123456789"
_RULER: Final = pattern(r"[-:|=+_* \t]+$")
# Where a reader would cut a long line.
_SENTENCE_END: Final = pattern(r"(?<=[.!?…])[\"'”’)\]]{0,2}\s+|(?<=[。！？])[」』”）]{0,2}")
_PAUSE: Final = pattern(r"\s+|(?<=[，、；：])")
_JOINER: Final = "\u200d"
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
# Not marks by their Unicode category, yet drawn into the character before: joiners, Thai and Lao
# am, half-width voice marks, Hangul vowels and finals, skin tones, the tags of regional flags.
_ATTACHED: Final = pattern(
    "[\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7fb"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_VIRAMA: Final = 9


# In C throughout: a named tuple's own `__new__` takes three times as long.
_passage: Final[Callable[[Iterable[object]], Passage]] = partial(tuple.__new__, Passage)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What a text is cut into chunks between: its lines, and the parts of those longer than a chunk may be.

    Each has its text, the number of its line from 1, and its weight. `parts` are the places of those that are parts
    of lines, `later_parts` of those that are not the first of their line. `starts` and `weighed` say where each
    begins, in characters and by weight, with a line end behind each piece, and where one more would.
    """

    texts: list[str]
    lines: Sequence[int]
    weights: list[int]
    starts: list[int]
    weighed: list[int]
    parts: list[int]
    later_parts: list[int]


@dataclass(frozen=True, slots=True)
class _Draft:
    """The pieces of one chunk, from `begin` to `end`; those before `fresh` end the chunk before."""

    begin: int
    fresh: int
    end: int


@dataclass(frozen=True, slots=True)
class _Units:
    """The passages of a chunk: the first and the last piece of each."""

    firsts: list[int]
    lasts: list[int]


_last_line: Final = attrgetter("last")


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

    def listed(self, lines: Sequence[int]) -> tuple[int, ...] | None:
        """The original numbers of some lines, unless they simply count up."""
        if self._line_map is None:
            return None
        found = tuple(map(self.original, lines))
        return None if found == tuple(range(found[0], found[0] + len(found))) else found

    def headings(self, lines: Sequence[int]) -> list[str]:
        """What stands above passages that begin on these lines, which ascend."""
        changes = self._changes
        first, last = bisect_right(changes, lines[0]), bisect_right(changes, lines[-1])
        if first == last:
            above = [self._paths[first]] * len(lines)
        else:
            above = [self._paths[bisect_right(changes, line)] for line in lines]
        for table in self._tables[bisect_left(self._tables, lines[0], key=_last_line) :]:
            if table.first > lines[-1]:
                break
            rows = slice(bisect_left(lines, table.first), bisect_right(lines, table.last))
            above[rows] = _with_columns(above[rows], table.columns)
        return above

    def originals(self, lines: list[int]) -> list[int]:
        """The numbers of some lines in the original file."""
        return lines if self._line_map is None else list(map(self.original, lines))


def _with_columns(headings: Sequence[str], columns: str) -> list[str]:
    """Headings with what the columns of a table below them are called; one value for all that are alike."""
    found = {heading: f"{heading} > {columns}" if heading else columns for heading in headings}
    return list(map(found.__getitem__, headings))


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
    pieces = _pieces(document.text, cap)
    seen: dict[str, int] = {}
    chunks = []
    for draft in _drafts(pieces, cap, overlap * 4):
        passages = _passages(pieces, draft, places)
        if not passages:
            continue
        text = "\n".join(pieces.texts[draft.begin : draft.end])
        digest = text_digest(text)
        start = places.original(pieces.lines[draft.begin])
        end = places.original(pieces.lines[draft.end - 1])
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
                lines=places.listed(pieces.lines[draft.begin : draft.end]),
                names=document.names,
            )
        )
    return chunks


def _pieces(text: str, cap: int) -> _Pieces:
    texts = split_lines(text)
    lines: Sequence[int] = range(1, len(texts) + 1)
    weights = _weights(texts)
    parts: list[int] = []
    later: list[int] = []
    if max(weights, default=0) > cap:
        whole, lines = texts, []
        texts = []
        for number, line in enumerate(whole, start=1):
            spans = [(0, len(line))] if weights[number - 1] <= cap else list(cuts(line, cap))
            if len(spans) > 1 or weights[number - 1] > cap:
                parts += range(len(texts), len(texts) + len(spans))
                later += range(len(texts) + 1, len(texts) + len(spans))
            texts += [line[start:end] for start, end in spans]
            lines += [number] * len(spans)
        weights = _weights(texts)
    starts = _starts(map(len, texts))
    weighed = starts if text.isascii() else _starts(weights)
    return _Pieces(texts, lines, weights, starts, weighed, parts, later)


def _weights(texts: Sequence[str]) -> list[int]:
    return [len(text) if text.isascii() else weight(text) for text in texts]


def _starts(sizes: Iterable[int]) -> list[int]:
    """Where pieces of some sizes begin, each with a line end behind it, and where one more would."""
    return list(accumulate([size + 1 for size in sizes], initial=0))


def _drafts(pieces: _Pieces, cap: int, overlap: int) -> Iterator[_Draft]:
    """As many pieces as weigh no more than the cap, again and again, each time after the last ones of before."""
    weighed, later = pieces.weighed, frozenset(pieces.later_parts)
    begin = fresh = 0
    while fresh < len(pieces.texts):
        end = bisect_right(weighed, weighed[begin] + cap + 1, fresh + 1) - 1
        if later:
            # What goes on with a line begins a chunk of its own.
            end = next((place for place in range(fresh + 1, end) if place in later), end)
        end = max(end, fresh + 1)
        yield _Draft(begin, fresh, end)
        fresh = end
        if end < len(pieces.texts):
            room = -1 if end in later else min(overlap, cap - 1 - pieces.weights[end])
            begin = _tail(pieces, begin, end, room)


def _tail(pieces: _Pieces, begin: int, end: int, room: int) -> int:
    """From which piece on the last whole lines before `end` fit into the room, line ends included."""
    first = bisect_left(pieces.weighed, pieces.weighed[end] - 1 - room, begin, end)
    place = bisect_left(pieces.parts, end)
    return max(first, pieces.parts[place - 1] + 1) if place else first


def _passages(pieces: _Pieces, draft: _Draft, places: _Places) -> tuple[Passage, ...]:
    """What a chunk adds to the one before, by unit; a unit anew where it would be longer than the cap.

    A line is never split: a paragraph is matched best as a whole, and what is shown of it is
    chosen later.
    """
    units = _units(pieces, draft, places.heading_lines)
    if not units.firsts:
        return ()
    lines, starts = pieces.lines, pieces.starts
    before = starts[draft.begin]
    firsts = [lines[first] for first in units.firsts]
    columns = (
        [starts[first] - before for first in units.firsts],
        [starts[last + 1] - 1 - before for last in units.lasts],
        places.originals(firsts),
        places.originals([lines[last] for last in units.lasts]),
        places.headings(firsts),
    )
    return tuple(map(_passage, zip(*columns, strict=True)))


def _units(pieces: _Pieces, draft: _Draft, headings: frozenset[int]) -> _Units:
    """A bullet with what is nested in it, a message, a table row, a paragraph; each is cut at the cap.

    All of it stands in one loop, since every line of all notes goes through it.
    """
    texts, lines, weights, starts = pieces.texts, pieces.lines, pieces.weights, pieces.starts
    firsts: list[int] = []
    lasts: list[int] = []
    last = -1
    size = 0
    # How far the open bullet is indented, and whether the line before was blank or a heading.
    open_at: int | None = None
    was_blank = was_heading = False
    for place in range(draft.fresh, draft.end):
        text = texts[place]
        bare = text.lstrip()
        if not bare:
            was_blank = True
            continue
        blank, headed = was_blank, was_heading
        was_blank, was_heading = False, lines[place] in headings
        if was_heading:
            open_at = None
            begins = True
        else:
            indent = len(text) - len(bare)
            bullet = bare[0] in _BULLETS and _BULLET.match(bare)
            if open_at is not None and indent > open_at and (bullet or not blank):
                begins = False
            elif bullet:
                open_at = indent
                # The heading's line goes with the first unit below it.
                begins = not headed
            elif open_at is not None and not blank and not label_of(bare):
                begins = False
            else:
                open_at = None
                begins = not headed and (blank or _begins_unit(bare))
        if last >= 0:
            size += starts[place] - starts[last + 1] + 1 + weights[place]
        if last < 0 or begins or size > _PASSAGE_CAP:
            if last >= 0:
                lasts.append(last)
            firsts.append(place)
            size = weights[place]
        last = place
    if last >= 0:
        lasts.append(last)
    return _Units(firsts, lasts)


def _begins_unit(bare: str) -> bool:
    """Whether a line that is no bullet begins a unit although none ended before it: a table's row, a message."""
    return (bare[0] == "|" and not _RULER.match(bare)) or label_of(bare) is not None


def cuts(text: str, cap: int) -> Iterator[tuple[int, int]]:
    """The parts of a text, each at most `cap` in weight, as offsets; together they are the text.

    A cut falls behind the last sentence end in the second half of what fits, else behind the last
    space or pause there, else between two characters. Only a character that alone outweighs the cap, such
    as a letter under a thousand accents, is taken apart.
    """
    start = 0
    while start < len(text):
        end = max(start + 1, fitting(text, start, cap))
        if end < len(text):
            end = _best_cut(text, start, end)
        yield start, end
        start = end


def _best_cut(text: str, start: int, end: int) -> int:
    middle = start + (end - start) // 2
    for end_of in (_SENTENCE_END, _PAUSE):
        for match in reversed(list(end_of.finditer(text, middle, end))):
            if start < match.end() and not _splits(text, start, match.end()):
                return match.end()
    return next((at for at in range(end, start, -1) if not _splits(text, start, at)), end)


def _splits(text: str, start: int, at: int) -> bool:
    """Whether a cut at this place would split what is seen as one character."""
    before, after = text[at - 1], text[at]
    if before == _JOINER or unicodedata.category(after)[0] == "M" or _ATTACHED.match(after):
        return True
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after) == "Lo"
    if after in _FLAG_LETTERS:
        flags = text[start:at]
        return (len(flags) - len(flags.rstrip(_FLAG_LETTERS))) % 2 == 1
    return False


def text_digest(text: str) -> str:
    """What a text is known by, such as in the cache of vectors."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
