"""A Markdown note as a document: its title, its day, its tags, and the headings above its lines.

Of the YAML between two rulers at its top only what people write there is understood: keys with one value,
with a list in brackets or with a list of lines. All else is passed over, and nothing in it is an error.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import TypeAlias

from memdown.text.dates import written_day
from memdown.types import Document, FileState, Table
from memdown.values import dataclass, pattern

# A line with its number from 0; None where code begins. And a heading: the number of its line from 1, its
# level, and its title.
_Line: TypeAlias = tuple[int, str | None]
_Heading: TypeAlias = tuple[int, int, str]

MAX_TAG = 100
_RULER, _ENDS = "---", ("---", "...")
# A block that does not end soon is prose under a ruler, and no value needs to be longer than this.
_MOST_LINES, _MOST_OF_FRONT_MATTER, _MOST_VALUES = 400, 2_000, 100
_KEY = pattern(r"(?P<key>[^\W\d][\w .-]{0,80}?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM = pattern(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")
_BLOCK = pattern(r"[|>][0-9+-]*$")
_COMMENT = pattern(r"(?:^|[ \t])#(?=[ \t]|$)")
_QUOTES = "\"'"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a block says; `lines` is how many lines it takes, its two rulers included.

    `values` holds the values of every key that was understood, by its name in lower case.
    """

    lines: int = 0
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The note's title; empty without one."""
        return " ".join(self._first("title").split())

    @property
    def date(self) -> datetime.date | None:
        """The day of the note, if it is a whole date."""
        return written_day(self._first("date"))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, without the number sign that some writers put before them."""
        listed = [*self._all("tags"), *self._all("tag")]
        # A single value may hold several: `tags: work, travel` or `tags: work travel`.
        single = [part for value in listed for part in re.split(r"[,\s]+", value)]
        clean = (tag.strip("#/")[:MAX_TAG] for tag in (single if len(listed) == 1 else listed))
        return tuple(dict.fromkeys(tag for tag in clean if tag))

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of what the note is about."""
        listed = [*self._all("aliases"), *self._all("alias")]
        return tuple(dict.fromkeys(name for name in listed if name))

    def _first(self, key: str) -> str:
        return next((value for value in self._all(key) if value), "")

    def _all(self, key: str) -> tuple[str, ...]:
        return self.values.get(key, ())


NONE = FrontMatter()


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The block that a note begins with; one without lines if it has none."""
    end = _end(lines)
    if not end:
        return NONE
    values: dict[str, tuple[str, ...]] = {}
    for key, found in _fields(
        [line.rstrip()[:_MOST_OF_FRONT_MATTER] for line in lines[1 : end - 1]]
    ):
        # Of a key that is there twice the first counts, as in a list of headers.
        values.setdefault(key, tuple(found[:_MOST_VALUES]))
    return FrontMatter(end, values)


def _end(lines: Sequence[str]) -> int:
    """How many lines the block takes; 0 if what stands under the ruler is no list of keys."""
    if not lines or lines[0].rstrip() != _RULER:
        return 0
    has_key = False
    for number in range(1, min(len(lines), _MOST_LINES)):
        line = lines[number].rstrip()
        if line in _ENDS:
            return number + 1
        if line and not line.startswith("#") and not has_key:
            has_key = _KEY.match(line[:_MOST_OF_FRONT_MATTER]) is not None
            if not has_key:
                return 0
    return 0


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each key at the left margin with its values, wherever they stand."""
    number = 0
    while number < len(lines):
        match = _KEY.match(lines[number])
        number += 1
        if match is None:
            continue
        below = number
        while below < len(lines) and _belongs(lines[below]):
            below += 1
        given = _without_comment(match["value"] or "")
        yield match["key"].lower(), _values(given, lines[number:below])
        number = below


def _belongs(line: str) -> bool:
    """Whether a line continues the value above it."""
    return not line or line[0] in " \t]" or _ITEM.match(line) is not None


def _values(given: str, below: Sequence[str]) -> list[str]:
    if given.startswith("["):
        whole = " ".join([given, *(_without_comment(line.strip()) for line in below)])
        return [_unquoted(part) for part in _split(whole.strip()[1:])]
    if _BLOCK.match(given):
        return [" ".join(line.strip() for line in below if line.strip())]
    if given:
        return [_unquoted(given)]
    items = [match["value"] or "" for line in below if (match := _ITEM.match(line))]
    return [_unquoted(_without_comment(item)) for item in items]


def _split(text: str) -> list[str]:
    """The parts of a list in brackets; commas in quotes and what follows the bracket do not count."""
    parts, part, quote = [], "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and not part.strip():
            quote = character
        elif character == "]":
            break
        elif character == ",":
            parts.append(part)
            part = ""
            continue
        part += character
    return [one for one in (*parts, part) if one.strip()]


def _without_comment(value: str) -> str:
    value = value.strip()
    if value[:1] in ('"', "'"):
        return value
    comment = _COMMENT.search(value)
    return value[: comment.start()].rstrip() if comment else value


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] in ('"', "'"):
        end = value.find(value[0], 1)
        if end > 0:
            return value[1:end].strip()
    return value.strip(_QUOTES).strip()


_MAX_TITLE = 200
_MOST_TAGS = 500
_MAX_NAMES = 1_000
# A longer line is no prose, and looking for tags in it could take long.
_MOST_CHARACTERS = 20_000
_FENCE = pattern(r" {0,3}(`{3,}|~{3,})")
_ATX = pattern(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = pattern(r" {0,3}(?:(=+)|-+)[ \t]*$")
# Lines that belong to something else than a paragraph, so a line of dashes below is no underline.
_NO_PARAGRAPH = pattern(r"[ \t>|<]|[-*_=]{3}|[-*+](?:[ \t]|$)|[0-9]{1,9}[.)][ \t]")
# What stands between the first row of a table and the others.
_TABLE_RULER = pattern(r"[ \t]*\|[ \t]*:?-[-:| \t\r]*$")
# A word that begins with a number sign; behind a bracket it is a place in a page, not a tag.
_TAG = pattern(r"(?:(?<![^\s(])|(?<=[^\]]\())#(?P<tag>[\w/-]*[^\W\d_][\w/-]*)")
_LINK_TARGET = pattern(r"\]\([^)\s]*")
_INLINE_CODE = pattern(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
# Colours have digits, or are long, or repeat one letter (#fff); #cafe and #bad are words.
_COLOUR = pattern(
    r"(?=[a-f]*[0-9])(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-f]{6}|[a-f]{8}|([a-f])\1{2,3}",
    re.IGNORECASE,
)


def read_document(file: FileState, text: str) -> Document:
    """The document that a note's text makes; path and source come with the file, and so does the
    day unless the note's front matter names another."""
    lines = text.split("\n")
    front = read_front_matter(lines)
    prose = _prose(text, lines, front.lines)
    headings = list(_headings(lines, prose))
    return Document(
        file.path,
        file.source,
        text,
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        title=_title(file.path, front, headings),
        date=front.date or file.date,
        headings=tuple(_under_title(front, _paths(headings))),
        tables=tuple(_tables(lines, prose)) if "|" in text else (),
        tags=tuple(_tags(front, lines, prose)),
        names=_trimmed_names((*front.aliases, *front.tags)),
    )


def title_of(path: str, lines: Sequence[str], front: FrontMatter | None = None) -> str:
    """The title in the front matter, else the first heading, else the words of the file name."""
    front = front or read_front_matter(lines)
    return _title(path, front, _headings(lines, outside_code(lines, front.lines)))


def _title(path: str, front: FrontMatter, headings: Iterable[_Heading]) -> str:
    named = (title for _, _, title in headings if title)
    return _trimmed(front.title) or next(named, "") or _words(path)


def heading_paths(lines: Sequence[str], front: FrontMatter | None = None) -> list[tuple[int, str]]:
    """Where the path of headings changes: 1-based line numbers with, say, "Home > Network".

    It holds from that line to the one before the next; lines above the first have no heading.
    """
    front = front or read_front_matter(lines)
    return _paths(_headings(lines, outside_code(lines, front.lines)))


def _paths(headings: Iterable[_Heading]) -> list[tuple[int, str]]:
    changes = []
    above: list[tuple[int, str]] = []
    for number, level, title in headings:
        while above and above[-1][0] >= level:
            above.pop()
        if title:
            above.append((level, title))
        changes.append((number, " > ".join(title for _, title in above)))
    return changes


def _under_title(front: FrontMatter, paths: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The paths below the title that stands in front, unless a note repeats it as a heading.

    What follows the front matter begins anew, so that it is found and shown without it.
    """
    title = _trimmed(front.title)
    if title:
        yield 1, title
    first = paths[0][0] if paths else 0
    if front.lines and first != front.lines + 1:
        yield front.lines + 1, title
    for number, path in paths:
        repeats = not title or path.split(" > ")[0].casefold() == title.casefold()
        yield number, path if repeats else f"{title} > {path}" if path else title


def _tags(front: FrontMatter, lines: Sequence[str], prose: Iterable[_Line]) -> list[str]:
    """The tags of a note, each once in lower case: those in front and those in its text."""
    found = dict.fromkeys(tag.lower() for tag in front.tags)
    if not any(_may_have_tags(line) for line in lines if "#" in line):
        return list(found)[:_MOST_TAGS]
    for _, line in prose:
        if line is None or "#" not in line or len(found) >= _MOST_TAGS:
            continue
        line = line[:_MOST_CHARACTERS]
        said = _LINK_TARGET.sub(" ", _INLINE_CODE.sub(" ", line) if "`" in line else line)
        for match in _TAG.finditer(said):
            tag = match["tag"].strip("/")[:MAX_TAG]
            if tag and not _COLOUR.fullmatch(tag):
                found.setdefault(tag.lower())
    return list(found)[:_MOST_TAGS]


def _may_have_tags(line: str) -> bool:
    """Whether a line with a number sign has one beyond those of a heading."""
    return "#" in line.lstrip("#") or line[1:2] not in ("#", " ")


def _trimmed_names(names: Sequence[str]) -> str:
    """The names on one line, and not too many: they are kept with every passage of the note."""
    return " ".join(" ".join(names).split())[:_MAX_NAMES]


def _prose(text: str, lines: Sequence[str], start: int) -> Sequence[_Line]:
    """The same as `outside_code`, at once: most notes have no code, and then it is all lines."""
    if "```" in text or "~~~" in text or "\r" in text:
        return list(outside_code(lines, start))
    return list(enumerate(lines[start:], start))


def outside_code(lines: Sequence[str], start: int) -> Iterator[_Line]:
    """The lines that are no code, with their numbers from 0; None where code begins."""
    fence = ""
    for index in range(start, len(lines)):
        line = lines[index].rstrip("\r")
        if fence:
            if _closes(line, fence):
                fence = ""
            continue
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening and not (opening[1][0] == "`" and "`" in line[opening.end() :]):
            fence = opening[1]
            yield index, None
        else:
            yield index, line


def _headings(lines: Sequence[str], prose: Iterable[_Line]) -> Iterator[_Heading]:
    """Each heading among the lines that are no code."""
    paragraph = 0
    for index, line in prose:
        if not line:
            paragraph = 0
            continue
        # Nearly all lines begin with a letter, are bullets or rows: no pattern need be tried on them.
        if line[0].isalpha():
            paragraph += 1
            continue
        if line[0] == "|" or (line[:2] == "- " and line[2:3].isalnum()):
            paragraph = 2
            continue
        marks = _ATX.match(line)
        if marks:
            yield index + 1, len(marks[1]), _trimmed(_without_closing(line[marks.end() :]))
            paragraph = 0
            continue
        underline = _UNDERLINE.match(line) if paragraph else None
        if underline:
            # A longer paragraph above is prose with a ruler under it, whatever the standard says.
            if paragraph == 1:
                yield index, 1 if underline[1] else 2, _trimmed(lines[index - 1])
            paragraph = 0
        elif not line.strip():
            paragraph = 0
        elif _NO_PARAGRAPH.match(line):
            paragraph = 2
        else:
            paragraph += 1


def _tables(lines: Sequence[str], prose: Iterable[_Line]) -> Iterator[Table]:
    """The tables outside of code that say how their columns are called."""
    rows: list[int] = []
    for index, line in chain(prose, [(len(lines), None)]):
        if line and "|" in line and line.lstrip()[0] == "|":
            rows.append(index)
            continue
        if len(rows) > 2 and _TABLE_RULER.match(lines[rows[1]]):
            columns = _columns(lines[rows[0]])
            if columns:
                yield Table(rows[2] + 1, rows[-1] + 1, columns)
        if rows:
            rows = []


def _columns(row: str) -> str:
    """What the first row of a table says: "service | owner | port"; nothing if it is empty."""
    names = (_trimmed(cell) for cell in row.strip().strip("|").split("|"))
    return " | ".join(filter(None, names))[:_MAX_TITLE]


def _closes(line: str, fence: str) -> bool:
    mark = _FENCE.match(line)
    return bool(mark and mark[1].startswith(fence) and not line[mark.end() :].strip())


def _without_closing(title: str) -> str:
    """A heading's text without the closing number signs that some writers add."""
    text = title.strip()
    bare = text.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else text


def _trimmed(title: str) -> str:
    """Short and on one line, because a heading is kept with every passage below it."""
    return " ".join(title.strip()[:_MAX_TITLE].split())


def _words(path: str) -> str:
    stem = re.sub(r"\.md$", "", path.rpartition("/")[2], flags=re.IGNORECASE)
    dated = re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])", stem)
    day = dated[0] if dated else ""
    return " ".join([day, *re.sub(r"[-_]", " ", stem[len(day) :]).split()]).strip()
