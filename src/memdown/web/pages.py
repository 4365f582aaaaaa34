"""The pages: what each shows, gathered from the library and handed to its template."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memdown.errors import MemdownError, NoteNotFound, QueryError
from memdown.notes import Note, daily_note
from memdown.notes.document import title_of
from memdown.notes.front_matter import read_front_matter
from memdown.types import FileState, Hit
from memdown.web import explaining, health, history, shelves, talks
from memdown.web.rendering import Known, note_url, render_note, render_snippet
from memdown.web.site import Site
from memdown.web.templating import page

View = Callable[[Site, Request], Response]

_LATEST = 6
_FILTERS = ("since", "until", "folder", "tag")
_VIEWS = ("read", "source", "chunks", "history", "edit")


def search(site: Site, request: Request) -> Response:
    """The start page: the search field, and what was found or what is new."""
    return page(site, request, "search.html", {"section": "search", **_results(site, request)})


def hits(site: Site, request: Request) -> Response:
    """Only the results, for a search as you type."""
    return page(site, request, "hits.html", _results(site, request))


def _results(site: Site, request: Request) -> dict[str, Any]:
    query = request.query_params.get("q", "").strip()
    source = request.query_params.get("source", "")
    only = {name: request.query_params.get(name, "").strip() for name in _FILTERS}
    base = {
        "only": only,
        "query": query,
        "source": source,
        "sources": site.memory.settings.sources,
        "answer": None,
        "problem": "",
    }
    if not query:
        return {**base, **_home(site)}
    start = time.perf_counter()
    sources: Any = (source,) if source in site.memory.settings.sources else None
    try:
        answer = site.memory.search(
            query,
            sources=sources,
            since=only["since"] or None,
            until=only["until"] or None,
            folder=only["folder"],
            tags=only["tag"] or None,
        )
    except QueryError as error:
        return {**base, "problem": str(error), **_home(site)}
    took = (time.perf_counter() - start) * 1000
    below = answer.explanation.below if answer.explanation else ()
    return {
        **base,
        "answer": answer,
        "took": took,
        "hits": _shown_hits(site, answer.hits),
        "below": _shown_hits(site, below[:5]),
    }


def _shown_hits(site: Site, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    known = site.known()
    return [_shown(hit, rank, known) for rank, hit in enumerate(hits, start=1)]


def _shown(hit: Hit, rank: int, known: Known) -> dict[str, Any]:
    title = hit.heading.rpartition(" > ")[2] or hit.path.rpartition("/")[2]
    text = explaining.shown_text(hit, title)
    return {
        "hit": hit,
        "url": _place(hit.path, hit.source, hit.start_line, hit.end_line),
        "title": title,
        "html": render_snippet(text, hit.matched, hit.path, known),
        "why": explaining.explain(hit, rank),
    }


def _place(path: str, source: str, start: int, end: int) -> str:
    if source == "sessions":
        return f"/{path.removesuffix('.jsonl')}#L{start}" + (f"-L{end}" if end != start else "")
    return note_url(path, start, end)


def _home(site: Site) -> dict[str, Any]:
    files = site.memory.notes().files
    return {
        "total": len(files),
        "curated": next((path for path in files if path.lower() == "memory.md"), None),
        "latest": [_glimpse(site, state) for state in shelves.latest(files, _LATEST)],
    }


def _glimpse(site: Site, state: FileState) -> dict[str, Any]:
    """A note's title and its first lines."""
    try:
        lines = site.memory.get(state.path, lines=40).text.split("\n")
    except MemdownError:
        lines = []
    title = title_of(state.path, lines) if lines else state.path
    body = lines[read_front_matter(lines).lines :]
    text = [line.strip() for line in body if line.strip() and not line.startswith(("#", "---"))]
    first = "\n".join(text[:2])
    html = render_snippet(first[:400], (), state.path, lambda _: False)
    return {"path": state.path, "date": state.date, "title": title, "html": html}


def notes(site: Site, request: Request) -> Response:
    """All notes: the year as a heat map, and the tree."""
    files = site.memory.notes().files
    days = shelves.by_day(files)
    years = sorted({day.year for day in days}, reverse=True)
    newest = years[0] if years else site.today().year
    number = _integer(request.query_params.get("year"), newest, 1, 9998)
    squares = shelves.year(days, number)
    return page(
        site,
        request,
        "notes.html",
        {
            "section": "notes",
            "tree": shelves.tree(files, ""),
            "total": len(files),
            "year": number,
            "years": years,
            "days": squares,
            "months": shelves.months_of(squares),
            "written": sum(1 for one in squares if one.paths),
            "latest": [_glimpse(site, state) for state in _of_year(files, number)],
            "topics": _topics(files),
            "current": "",
        },
    )


def _of_year(files: dict[str, FileState], number: int) -> list[FileState]:
    inside = {path: one for path, one in files.items() if one.date and one.date.year == number}
    return shelves.latest(inside, 8)


def _topics(files: dict[str, FileState]) -> list[FileState]:
    undated = [one for one in files.values() if one.date is None]
    return sorted(undated, key=lambda one: one.path.lower())[:60]


def branch(site: Site, request: Request) -> Response:
    """A part of the tree, when it is opened."""
    files = site.memory.notes().files
    under = request.query_params.get("under", "")
    opened = {"month": shelves.month, "year": shelves.months}.get(
        request.query_params.get("kind", ""), shelves.tree
    )
    inner = opened(files, under)
    return page(site, request, "branch.html", {"branches": inner, "current": ""})


def day(site: Site, request: Request) -> Response:
    """A day of the calendar: its note, or a list if it has several."""
    date = _date(request.path_params["date"])
    files = site.memory.notes().files
    found = shelves.by_day(files).get(date, [])
    if len(found) == 1:
        return RedirectResponse(note_url(found[0].path), 303)
    return page(
        site,
        request,
        "day.html",
        {
            "section": "notes",
            "date": date,
            "tree": shelves.tree(files, "", daily_note(date)),
            "current": "",
            "notes": [_glimpse(site, one) for one in found],
        },
    )


def note(site: Site, request: Request) -> Response:
    """One note: to read, as source, with its chunks, its history, or to edit."""
    path = request.path_params["path"]
    view = request.query_params.get("view", "read")
    if view not in _VIEWS:
        raise HTTPException(404)
    files = site.memory.notes().files
    today = daily_note(site.today())
    if path == today and path not in files:
        return _no_log_yet(site, request, today, files)
    one = site.memory.notebook.read(path)
    lines = one.text.removesuffix("\n").split("\n")
    values: dict[str, Any] = {
        "section": "notes",
        "note": one,
        "view": view,
        "title": title_of(one.path, lines),
        "lines": lines,
        "file": files.get(one.path),
        "folders": one.path.split("/")[:-1],
        "name": one.path.rpartition("/")[2],
        "tree": shelves.tree(files, "", one.path),
        "current": one.path,
        "versioned": history.is_versioned(site.folder),
        "editable": one.editable and not site.read_only,
        **_view(site, request, one, view, files),
    }
    return page(site, request, "note.html", values)


def _view(
    site: Site, request: Request, one: Note, view: str, files: dict[str, FileState]
) -> dict[str, Any]:
    """What only one of the views needs."""
    if view in ("read", "edit"):
        html = render_note(one.text, one.path, files.__contains__)
        return {"html": html}
    if view == "chunks":
        return {"bands": _bands(site, one)}
    if view == "history":
        commit = request.query_params.get("commit", "")
        return {
            "changes": history.changes(site.folder, one.path),
            "commit": commit,
            "difference": history.difference(site.folder, one.path, commit) if commit else [],
        }
    return {}


def _bands(site: Site, one: Note) -> list[dict[str, Any]]:
    """Every line with the chunks that hold it, in two columns because neighbours overlap."""
    chunks = list(enumerate(site.memory.index.chunks(one.path)))
    bands = []
    for number, text in enumerate(one.text.removesuffix("\n").split("\n"), start=1):
        columns: list[str] = ["", ""]
        starts = []
        for index, chunk in chunks:
            if chunk.start_line <= number <= chunk.end_line:
                first = " first" if chunk.start_line == number else ""
                last = " last" if chunk.end_line == number else ""
                columns[index % 2] = f"c{index % 2}{first}{last}"
            if chunk.start_line == number:
                starts.append({"number": index + 1, "size": len(chunk.text)})
        bands.append({"number": number, "text": text, "columns": columns, "starts": starts})
    return bands


def _no_log_yet(site: Site, request: Request, path: str, files: dict[str, FileState]) -> Response:
    values = {"section": "notes", "path": path, "tree": shelves.tree(files, ""), "current": ""}
    return page(site, request, "today.html", values)


def index(site: Site, request: Request) -> Response:
    """The index and its health."""
    return page(site, request, "index.html", {"section": "index", **health.facts(site)})


def _integer(text: str | None, default: int, low: int, high: int) -> int:
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 6:
        return default
    return min(high, max(low, int(text)))


def _date(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise NoteNotFound(f"{text[:20]!r} is no day; use one such as 2026-03-01.") from None


PAGES: tuple[tuple[str, View], ...] = (
    ("/", search),
    ("/hits", hits),
    ("/notes", notes),
    ("/notes/{path:path}", note),
    ("/branch", branch),
    ("/days/{date}", day),
    ("/sessions", talks.listing),
    ("/sessions/{session:path}", talks.conversation),
    ("/index", index),
)
