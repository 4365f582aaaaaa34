"""A Markdown note as a document: its title, its day, its tags, and the headings above its lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from memdown.notes.front_matter import MAX_TAG, FrontMatter, read_front_matter
from memdown.types import Document, FileState

_MAX_TITLE = 200
_MOST_TAGS = 500
_MAX_NAMES = 1_000
# A longer line is no prose, and looking for tags in it could take long.
_MOST_CHARACTERS = 20_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
# Lines that belong to something else than a paragraph, so a line of dashes below is no underline.
_NO_PARAGRAPH = re.compile(r"[ \t>|<]|[-*_=]{3}|[-*+](?:[ \t]|$)|[0-9]{1,9}[.)][ \t]")
# A word that begins with a number sign; behind a bracket it is a place in a page, not a tag.
_TAG = re.compile(r"(?:(?<![^\s(])|(?<=[^\]]\())#(?P<tag>[\w/-]*[^\W\d_][\w/-]*)")
_LINK_TARGET = re.compile(r"\]\([^)\s]*")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
# Colours have digits, or are long, or repeat one letter (#fff); #cafe and #bad are words.
_COLOUR = re.compile(
    r"(?=[a-f]*[0-9])(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-f]{6}|[a-f]{8}|([a-f])\1{2,3}",
    re.IGNORECASE,
)


def read_document(file: FileState, text: str) -> Document:
    """The document that a note's text makes; path and source come with the file, and so does the
    day unless the note's front matter names another."""
    lines = text.split("\n")
    front = read_front_matter(lines)
    return Document(
        file.path,
        file.source,
        text,
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        title=title_of(file.path, lines, front),
        date=front.date or file.date,
        headings=tuple(_under_title(front, heading_paths(lines, front))),
        tags=tuple(_tags(front, lines)),
        names=_trimmed_names((*front.aliases, *front.tags)),
    )


def title_of(path: str, lines: Sequence[str], front: FrontMatter | None = None) -> str:
    """The title in the front matter, else the first heading, else the words of the file name."""
    front = front or read_front_matter(lines)
    if title := _trimmed(front.title):
        return title
    for _, _, title in _headings(lines, front.lines):
        if title:
            return title
    return _words(path)


def heading_paths(lines: Sequence[str], front: FrontMatter | None = None) -> list[tuple[int, str]]:
    """Where the path of headings changes: 1-based line numbers with, say, "Home > Network".

    It holds from that line to the one before the next; lines above the first have no heading.
    """
    changes = []
    above: list[tuple[int, str]] = []
    for number, level, title in _headings(lines, (front or read_front_matter(lines)).lines):
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


def _tags(front: FrontMatter, lines: Sequence[str]) -> list[str]:
    """The tags of a note, each once in lower case: those in front and those in its text."""
    found = dict.fromkeys(tag.lower() for tag in front.tags)
    for _, line in outside_code(lines, front.lines):
        if line is None or "#" not in line or len(found) >= _MOST_TAGS:
            continue
        line = line[:_MOST_CHARACTERS]
        prose = _LINK_TARGET.sub(" ", _INLINE_CODE.sub(" ", line) if "`" in line else line)
        for match in _TAG.finditer(prose):
            tag = match["tag"].strip("/")[:MAX_TAG]
            if tag and not _COLOUR.fullmatch(tag):
                found.setdefault(tag.lower())
    return list(found)[:_MOST_TAGS]


def _trimmed_names(names: Sequence[str]) -> str:
    """The names on one line, and not too many: they are kept with every passage of the note."""
    return " ".join(" ".join(names).split())[:_MAX_NAMES]


def outside_code(lines: Sequence[str], start: int) -> Iterator[tuple[int, str | None]]:
    """The lines that are no code, with their numbers from 0; None where code begins."""
    fence = ""
    for index in range(start, len(lines)):
        line = lines[index].rstrip("\r")
        if fence:
            if _closes(line, fence):
                fence = ""
            continue
        opening = _FENCE.match(line)
        if opening and not (opening[1][0] == "`" and "`" in line[opening.end() :]):
            fence = opening[1]
            yield index, None
        else:
            yield index, line


def _headings(lines: Sequence[str], start: int) -> Iterator[tuple[int, int, str]]:
    """Each heading outside of code, as line number, level and title; from line `start` on."""
    paragraph = 0
    for index, line in outside_code(lines, start):
        if line is None:
            paragraph = 0
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
