"""Which facts of the notes are near a text, by meaning and by words."""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from memdown.errors import MemdownError, NoteNotFound
from memdown.notes.details import content_words
from memdown.notes.discovery import scan
from memdown.notes.reading import decode, read_note
from memdown.notes.roots import Workspace, date_of, locate
from memdown.notes.statements import Fact, facts_of
from memdown.values import dataclass, pattern

# So many notes are looked through for related facts, up to so many characters. Where there are more, the
# index names those that may hold them, and only a few of the newest, which it may not know yet, are added.
_MOST_NOTES: Final = 400
_NEWEST_NOTES: Final = 40
_MOST_CHARACTERS: Final = 1_500_000
# By words alone, so few are worth a look.
_MOST_BY_WORDS: Final = 50
REFERENCE: Final = pattern(r"(?P<path>.+?\.md)(?:#L|:)(?P<line>\d+)(?:-L?\d+)?", re.IGNORECASE)
# How near a text is to each of others by meaning, -1 to 1; None if that cannot be told now.
Nearness = Callable[[str, Sequence[str]], "Sequence[float] | None"]
# The notes, best first, that may hold facts near a text, as far as the index knows.
Finding = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Comparing:
    """How texts are compared by meaning, and how many at most; without it, by words only."""

    nearness: Nearness
    most: int = 2_000


def gather(
    workspace: Workspace,
    paths: Sequence[str] | None = None,
    *,
    near: Sequence[str] = (),
    finding: Finding | None = None,
) -> list[Fact]:
    """The facts of the notes: MEMORY.md first, then the newest others, up to a limit.

    Of very many notes, those that `finding` names for the texts `near`, and the newest.
    """
    if paths is None:
        files = scan(workspace).files
        order = sorted(
            files.values(),
            key=lambda file: (date_of(file.path) or datetime.date.min, file.mtime_ns),
            reverse=True,
        )
        from memdown.notes.writing import curated

        lasting = curated(workspace)
        newest = [file.path for file in order]
        if finding is not None and len(newest) > _MOST_NOTES:
            found_by = [path for text in near for path in finding(text)]
            newest = [*newest[:_NEWEST_NOTES], *found_by] if found_by else newest
        chosen = dict.fromkeys([lasting, *newest])
        paths = [path for path in chosen if path in files][:_MOST_NOTES]
    found: list[Fact] = []
    left = _MOST_CHARACTERS
    for path in paths:
        try:
            text = note_text(workspace, path)
        except MemdownError:
            continue
        left -= len(text)
        if left < 0:
            break
        found += facts_of(text, path)
    return found


def note_text(workspace: Workspace, path: str) -> str:
    """The text of a note with line feeds only."""
    data, state = read_note(workspace, path)
    return decode(data, state.path).replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A fact and how near it is to a text, 0 to 1: by meaning and by words together."""

    fact: Fact
    score: float


def rank_related(
    text: str, facts: Sequence[Fact], comparing: Comparing | None = None
) -> list[RankedFact]:
    """Facts by nearness to a text, the nearest first."""
    if not facts:
        return []
    shared = _by_words(text, facts)
    order = sorted(range(len(facts)), key=lambda number: -shared[number])
    order = order[: comparing.most if comparing else _MOST_BY_WORDS]
    meant = None
    if comparing is not None:
        meant = comparing.nearness(text, [in_context(facts[number]) for number in order])
    if meant is None:
        return [RankedFact(facts[number], shared[number]) for number in order[:_MOST_BY_WORDS]]
    scored = [
        RankedFact(facts[number], 0.6 * max(0.0, near) + 0.4 * shared[number])
        for number, near in zip(order, meant, strict=True)
    ]
    return sorted(scored, key=lambda one: -one.score)


def find_fact(workspace: Workspace, reference: str) -> Fact | None:
    """The fact at a reference such as `MEMORY.md#L7`; None if none stands there."""
    match = REFERENCE.fullmatch(reference.strip())
    if match is None:
        return None
    path, line = match["path"], int(match["line"])
    try:
        place = locate(workspace, path)
        text = note_text(workspace, place.path)
    except NoteNotFound:
        return None
    return next(
        (one for one in facts_of(text, place.path) if one.line <= line <= one.end_line), None
    )


def in_context(fact: Fact) -> str:
    """A fact with the last heading above it, without which "Lives in Porto" says little."""
    heading = fact.heading.rpartition(" > ")[2]
    return f"{heading}: {fact.text}" if heading else fact.text


def _by_words(text: str, facts: Sequence[Fact]) -> list[float]:
    """How many of the words, weighted by how rare they are, each fact shares with a text."""
    bags = [
        content_words(fact.text) | content_words(fact.heading.rpartition(" > ")[2])
        for fact in facts
    ]
    asked = content_words(text)
    frequency = Counter(word for bag in bags for word in bag)
    squared = {
        word: math.log(1 + (len(facts) + 1) / (1 + count)) ** 2 for word, count in frequency.items()
    }
    unknown = math.log(2 + len(facts)) ** 2
    size = math.sqrt(sum(squared.get(word, unknown) for word in asked)) or 1.0
    found = []
    for bag in bags:
        both = asked & bag
        shared = sum(map(squared.__getitem__, both))
        norm = math.sqrt(sum(map(squared.__getitem__, bag))) if both else 1.0
        found.append(shared / (size * (norm or 1.0)))
    return found
