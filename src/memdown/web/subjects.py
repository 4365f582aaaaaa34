"""What the memory knows about a name: its facts, when it was mentioned, and what it is named with.

No model is asked: `names` finds what is a name, and the facts are the notes' own.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from memdown.errors import NoteNotFound
from memdown.notes.changes import Change
from memdown.notes.document import read_front_matter
from memdown.notes.statements import Fact, facts_of
from memdown.transcripts.sessions import recall
from memdown.web import sessions
from memdown.web.changes import who
from memdown.web.library import Library, Names, bare, folded
from memdown.web.rendering import note_url, render_snippet
from memdown.web.site import Site, page

MOST_NEIGHBOURS = 30
_MOST_FACTS = 200
_MOST_SAID = 60
_MONTHS = 12
_OPENING = 4_000
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def known_name(site: Site, query: str) -> str | None:
    """The name that a question is, for the card above the results; nothing is read for it."""
    if len(query) < 2:
        return None
    names = site.names.last() if site.is_following else site.names.now()
    return names.of(query) if names else None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about a name."""

    name: str
    current: tuple[Fact, ...]
    past: tuple[Fact, ...]
    note: str | None
    neighbours: tuple[tuple[str, int], ...]
    months: tuple[tuple[str, int], ...]


def about(library: Library, names: Names, name: str, today: datetime.date) -> Known:
    """Every fact that names it, in its own note or elsewhere; the newest first."""
    note = library.named(name)
    if note is not None and library.files[note].date is not None:
        note = None
    called = {folded(name), *_aliases(library, note)}
    pattern = re.compile(
        r"(?<!\w)(?:"
        + "|".join(re.escape(one).replace(r"\ ", r"[\s_-]+") for one in called)
        + r")(?!\w)"
    )
    found: list[Fact] = []
    months: Counter[str] = Counter()
    for path, text in library.texts.items():
        if path != note and not pattern.search(text.casefold()):
            continue
        for fact in facts_of(text, path):
            if path == note or pattern.search(f"{fact.heading}\n{fact.text}".casefold()):
                found.append(fact)
                if fact.day:
                    months[fact.day.strftime("%Y-%m")] += 1
    # Its own note first, then what lasts, then the newest.
    order = sorted(
        found,
        key=lambda fact: (
            fact.path == note,
            fact.path.lower() == "memory.md",
            fact.day or datetime.date.min,
        ),
        reverse=True,
    )
    current = [fact for fact in order if fact.is_current(today)]
    past = [fact for fact in order if not fact.is_current(today)]
    return Known(
        name,
        tuple(current[:_MOST_FACTS]),
        tuple(past[:_MOST_FACTS]),
        note,
        tuple(_neighbours(current, names, called)),
        tuple(_last_months(months, today)),
    )


def _aliases(library: Library, note: str | None) -> Iterable[str]:
    """The other names of a note; of a person's full name, the first word is one."""
    if note is None:
        return ()
    front = read_front_matter(library.texts.get(note, "")[:_OPENING].split("\n"))
    title = library.title(note)
    return [folded(one) for one in (title, *front.aliases) if one.strip()]


def _neighbours(facts: Sequence[Fact], names: Names, called: set[str]) -> list[tuple[str, int]]:
    """The names that stand in the same facts most often."""
    own = {word for one in called for word in one.split()} | called
    counts: Counter[str] = Counter()
    for fact in facts:
        words = [bare(match[0]) for match in _WORD.finditer(fact.text)]
        seen: set[str] = set()
        at = 0
        while at < len(words):
            for length in (3, 2, 1):
                key = folded(" ".join(words[at : at + length]))
                if key in names.written and key not in own and words[at][:1].isupper():
                    seen.add(key)
                    at += length - 1
                    break
            at += 1
        counts.update(seen)
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(names.written[key], count) for key, count in best[:MOST_NEIGHBOURS]]


def _last_months(months: Mapping[str, int], today: datetime.date) -> list[tuple[str, int]]:
    """The last twelve months, oldest first."""
    number = today.year * 12 + today.month - 1
    keys = [f"{one // 12}-{one % 12 + 1:02}" for one in range(number - _MONTHS + 1, number + 1)]
    return [(key, months.get(key, 0)) for key in keys]


def show(site: Site, request: Request) -> Response:
    """The page of a name."""
    asked = " ".join(str(request.path_params["name"]).split())[:80]
    library = site.current_library()
    names = site.names.now()
    known = about(library, names, names.of(asked) or asked, site.today())
    said = _said(site, known.name)
    if not known.current and not known.past and not said:
        raise NoteNotFound(f"No note and no conversation names {asked!r}; search for it instead.")
    changes = site.memory.pen().journal.changes(limit=500)
    is_note = library.files.__contains__
    shown = [_shown(fact, changes, is_note, library) for fact in known.current]
    values = {
        "section": "search",
        "known": known,
        "facts": shown,
        "past": [_shown(fact, changes, is_note, library) for fact in known.past],
        "said": said,
        "graph": _graph(known.neighbours),
        "most": max((count for _, count in known.months), default=0),
        "context": _as_context(known),
    }
    return page(site, request, "about.html", values)


def _shown(fact: Fact, changes: Sequence[Change], is_note: Any, library: Library) -> dict[str, Any]:
    author = next(
        (who(one.actor) for one in changes if fact.text and fact.text in one.added_text), ""
    )
    return {
        "fact": fact,
        "html": render_snippet(fact.text, (), fact.path, is_note, library.named),
        "url": note_url(fact.path, fact.line, fact.end_line),
        "author": author,
    }


def _said(site: Site, name: str) -> list[dict[str, Any]]:
    """The conversations in which it was said, the newest first, each once."""
    titles = sessions.titles(site)
    found: dict[str, dict[str, Any]] = {}
    for one in recall(sessions.folder(site), name, context=0, limit=_MOST_SAID):
        session = one.path.removeprefix("sessions/").removesuffix(".jsonl")
        if session not in found:
            url = f"/sessions/{quote(session)}#L{one.turn.line}"
            found[session] = {"url": url, "title": titles.get(one.path) or session, "count": 0}
        found[session]["count"] += 1
    return list(found.values())


def _as_context(known: Known) -> str:
    """The facts as text that can be given to any model."""
    lines = [f"What is known about {known.name}:"]
    lines += [f"- {fact.text} (Source: {fact.reference})" for fact in known.current]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Node:
    """A name in the small graph: its place, and the side on which its label stands."""

    name: str
    count: int
    x: float
    y: float
    anchor: str
    weight: float


def _graph(neighbours: Sequence[tuple[str, int]]) -> list[Node]:
    """The neighbours in a ring, the commonest first from the top; their labels never overlap."""
    total = len(neighbours)
    most = max((count for _, count in neighbours), default=1)
    nodes = []
    for index, (name, count) in enumerate(neighbours):
        angle = 2 * math.pi * index / max(total, 3) - math.pi / 2
        x, y = 300 + 150 * math.cos(angle), 190 + 150 * math.sin(angle)
        side = "middle" if abs(x - 300) < 30 else "start" if x > 300 else "end"
        nodes.append(Node(name, count, round(x, 1), round(y, 1), side, 0.25 + 0.75 * count / most))
    return nodes
