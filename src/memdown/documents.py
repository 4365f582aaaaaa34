"""A Markdown note as a document: its title, its day, and the headings its lines stand under."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from memdown.types import Document, FileState

_MAX_TITLE = 200
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
# Lines that belong to something else than a paragraph, so a line of dashes below is no underline.
_NO_PARAGRAPH = re.compile(r"[ \t>|<]|[-*_=]{3}|[-*+](?:[ \t]|$)|[0-9]{1,9}[.)][ \t]")


def read_document(file: FileState, text: str) -> Document:
    """The document that a note's text makes; path, source and day come with the file."""
    lines = text.split("\n")
    return Document(
        file.path,
        file.source,
        text,
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        title=title_of(file.path, lines),
        date=file.date,
        headings=tuple(heading_paths(lines)),
    )


def title_of(path: str, lines: Sequence[str]) -> str:
    """The title in the front matter, else the first heading, else the words of the file name."""
    for line in lines[1 : max(_front_matter(lines) - 1, 1)]:
        key, colon, value = line.partition(":")
        if colon and key.strip().lower() == "title":
            title = _trimmed(value.strip().strip("\"'"))
            if title and title[0] not in "|>":
                return title
    for _, _, title in _headings(lines):
        if title:
            return title
    return _words(path)


def heading_paths(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Where the path of headings changes: 1-based line numbers with, say, "Home > Network".

    It holds from that line to the one before the next; lines above the first have no heading.
    """
    changes = []
    above: list[tuple[int, str]] = []
    for number, level, title in _headings(lines):
        while above and above[-1][0] >= level:
            above.pop()
        if title:
            above.append((level, title))
        changes.append((number, " > ".join(title for _, title in above)))
    return changes


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Each heading outside of code, as line number, level and title."""
    fence = ""
    paragraph = 0
    start = _front_matter(lines)
    for index in range(start, len(lines)):
        line = lines[index].rstrip("\r")
        if fence:
            if _closes(line, fence):
                fence = ""
            continue
        opening = _FENCE.match(line)
        if opening and not (opening[1][0] == "`" and "`" in line[opening.end() :]):
            fence = opening[1]
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


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes, its two rulers included; 0 without one."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for index in range(1, len(lines)):
        if lines[index].rstrip() in ("---", "..."):
            return index + 1
    return 0


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
