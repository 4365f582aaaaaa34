"""The pages: what each shows, gathered from the library and handed to its template."""

from __future__ import annotations

import calendar
import contextlib
import datetime
import functools
import json
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memdown.agent.client_files import value_at
from memdown.config import Settings
from memdown.config.document import read_document
from memdown.config.keys import as_json, walk
from memdown.config.places import CONFIG_NAMES
from memdown.config.reference import SECTIONS
from memdown.config.search_settings import MemorySearch
from memdown.errors import MemdownError, NoteNotFound
from memdown.notes import Note, daily_note, is_memory
from memdown.notes.descriptors import NOTE, opened_folder
from memdown.notes.document import heading_paths, read_front_matter, title_of
from memdown.types import Failure, FileState, ProviderUsage, Status
from memdown.web import changes, review, searching, sessions, subjects
from memdown.web.library import around, by_day, latest, month, months, months_of, tree, year
from memdown.web.rendering import PICTURES, note_url, render_note, render_snippet
from memdown.web.site import Site, page

View = Callable[[Site, Request], Response]

_LATEST = 6
_FIRST_FACTS = 3
_OPENING = 4_000
_MOST_PICTURE_BYTES = 32_000_000
_DAY_WORDS = frozenset(
    word.casefold()
    for words in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for word in words
    if word
) | frozenset(
    "st nd rd th of januar februar märz mai juni juli oktober dezember mär okt dez montag dienstag "
    "mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so".split()
)
_OUTLINE_LEAST, _OUTLINE_DEPTH = 3, 2
_VIEWS = ("read", "source", "chunks", "history", "edit")


def search(site: Site, request: Request) -> Response:
    """The search page: the field, and what was found or what is new."""
    asked = searching.asked_in(request)
    values = searching.results(site, asked)
    values["subject"] = subjects.known_name(site, asked.text)
    if values["answer"] is None:
        values |= _home(site)
    else:
        review.log_question(site, asked.text, values["answer"])
    return page(site, request, "search.html", {"section": "search", **values})


def hits(site: Site, request: Request) -> Response:
    """Only the results, for a search as you type; an unfinished word that finds nothing is no answer."""
    asked = searching.asked_in(request)
    values = searching.results(site, asked)
    if asked.typing and (values["problem"] or (values["answer"] and not values["answer"].hits)):
        return Response(status_code=204)
    values["subject"] = subjects.known_name(site, asked.text)
    if values["answer"] is None:
        values |= _home(site)
    elif request.query_params.get("asked") == "1":
        review.log_question(site, asked.text, values["answer"])
    return page(site, request, "hits.html", values)


def _home(site: Site) -> dict[str, Any]:
    files = site.current_library().files
    return {
        **changes.page_values(site),
        "total": len(files),
        "curated": next(
            (_lasting(site, one) for path, one in files.items() if path.lower() == "memory.md"),
            None,
        ),
        "latest": [_glimpse(site, state) for state in latest(files, _LATEST)],
    }


def _glimpse(site: Site, state: FileState) -> dict[str, Any]:
    """A note's title and its first lines."""
    text = site.library.texts.get(state.path)
    if text is None:
        with contextlib.suppress(MemdownError):
            text = site.memory.get(state.path, lines=40).text
    title, html = _opening(state.path, (text or "")[:_OPENING])
    if state.date and _says_only_the_day(title):
        # The day stands beside it already.
        title = state.date.strftime("%A")
    return {"path": state.path, "date": state.date, "title": title, "html": html}


def _lasting(site: Site, state: FileState) -> dict[str, Any]:
    """What lasts: the first facts, rather than the words that lead up to them."""
    lines = site.library.texts.get(state.path, "").split("\n")
    facts = [line for line in lines if line.startswith(("- ", "* ")) and "~~" not in line]
    shown = _glimpse(site, state)
    if facts:
        first = "\n".join(facts[:_FIRST_FACTS])
        shown["html"] = render_snippet(first[:600], (), state.path, site.known())
    return shown


def _says_only_the_day(title: str) -> bool:
    """Whether a title is a date and nothing else: `2026-11-14`, `14 November, Saturday`."""
    words = re.findall(r"[^\W\d_]+", title.casefold())
    return any(map(str.isdigit, title)) and all(word in _DAY_WORDS for word in words)


@functools.lru_cache(maxsize=500)
def _opening(path: str, text: str) -> tuple[str, Markup]:
    """The title and the first lines of a note; the same notes are shown again and again."""
    lines = text.split("\n")
    title = title_of(path, lines) if text else path
    body = lines[read_front_matter(lines).lines :]
    said = [line.strip() for line in body if line.strip() and not line.startswith(("#", "---"))]
    first = "\n".join(said[:2])
    return title, render_snippet(first[:400], (), path, lambda _: False)


def notes(site: Site, request: Request) -> Response:
    """All notes: the year as a heat map, and the tree."""
    files = site.current_library().files
    days = by_day(files)
    years = sorted({day.year for day in days}, reverse=True)
    newest = years[0] if years else site.today().year
    number = _integer(request.query_params.get("year"), newest, 1, 9998)
    squares = year(days, number)
    return page(
        site,
        request,
        "notes.html",
        {
            "section": "notes",
            "tree": tree(files, ""),
            "total": len(files),
            "year": number,
            "years": years,
            "days": squares,
            "months": months_of(squares),
            "written": sum(1 for one in squares if one.paths),
            "latest": [_glimpse(site, state) for state in _of_year(files, number)],
            "topics": _topics(site, files),
            "current": "",
        },
    )


def _of_year(files: Mapping[str, FileState], number: int) -> list[FileState]:
    inside = {path: one for path, one in files.items() if one.date and one.date.year == number}
    return latest(inside, 8)


def _topics(site: Site, files: Mapping[str, FileState]) -> list[dict[str, str]]:
    """The notes without a day by their titles, as they are written there."""
    library = site.current_library()
    undated = sorted((one.path for one in files.values() if one.date is None), key=str.lower)[:60]
    return [{"path": path, "title": library.title(path)} for path in undated]


def branch(site: Site, request: Request) -> Response:
    """A part of the tree, when it is opened."""
    files = site.current_library().files
    under = request.query_params.get("under", "")
    opened = {"month": month, "year": months}.get(request.query_params.get("kind", ""), tree)
    inner = opened(files, under)
    return page(site, request, "branch.html", {"branches": inner, "current": ""})


def day(site: Site, request: Request) -> Response:
    """A day of the calendar: its note, or a list if it has several."""
    date = _date(request.path_params["date"])
    files = site.current_library().files
    found = by_day(files).get(date, [])
    if len(found) == 1:
        return RedirectResponse(note_url(found[0].path), 303)
    return page(
        site,
        request,
        "day.html",
        {
            "section": "notes",
            "date": date,
            "tree": tree(files, "", daily_note(date)),
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
    files = site.current_library().files
    log = daily_note(site.today())
    if path == log and path not in files:
        return _no_log_yet(site, request, log, files)
    one = _opened(site, path, view)
    lines = one.text.removesuffix("\n").split("\n")
    values: dict[str, Any] = {
        "section": "notes",
        "note": one,
        "view": view,
        "title": title_of(one.path, lines),
        "titled": any(line.startswith("# ") for line in lines),
        "lines": lines,
        "file": files.get(one.path),
        "days": around(files, one.path),
        "folders": one.path.split("/")[:-1],
        "name": one.path.rpartition("/")[2],
        "tree": tree(files, "", one.path),
        "current": one.path,
        "editable": one.editable and not site.read_only,
        **_view(site, request, one, view, files),
    }
    return page(site, request, "note.html", values)


def _opened(site: Site, path: str, view: str) -> Note:
    """The note; in the editor also one that does not exist yet, if it may."""
    try:
        return site.memory.notebook.read(path)
    except NoteNotFound:
        if view != "edit" or site.read_only or not is_memory(path):
            raise
        return Note(path, "", "", editable=True)


def _view(
    site: Site, request: Request, one: Note, view: str, files: Mapping[str, FileState]
) -> dict[str, Any]:
    """What only one of the views needs."""
    if view in ("read", "edit"):
        named = site.current_library().named
        ticks = view == "read" and one.editable and not site.read_only
        html = render_note(one.text, one.path, files.__contains__, named, ticks=ticks)
        return {"html": html, **(_beside(site, one) if view == "read" else {})}
    if view == "chunks":
        return {"bands": _bands(site, one)}
    if view == "history":
        commit = request.query_params.get("commit", "")
        return {
            "versioned": changes.is_versioned(site.folder),
            "versions": changes.versions(site, one.path),
            "changes": changes.commits(site.folder, one.path),
            "commit": commit,
            "difference": changes.difference(site.folder, one.path, commit) if commit else [],
        }
    return {}


def _beside(site: Site, one: Note) -> dict[str, Any]:
    """What stands beside a note: its headings if it has some, and the notes that link to it."""
    paths = [
        (line, path.split(" > ")) for line, path in heading_paths(one.text.split("\n")) if path
    ]
    # The title of the whole note is no part of it.
    first = paths[0][1][0] if paths and all(path[0] == paths[0][1][0] for _, path in paths) else ""
    inner = [(line, path[bool(first) :]) for line, path in paths]
    outline = [
        {"line": line, "depth": len(path), "title": path[-1]}
        for line, path in inner
        if 0 < len(path) <= _OUTLINE_DEPTH
    ]
    library = site.current_library()
    links = [
        {"url": note_url(path, line), "title": library.title(path), "path": path}
        for path, line in library.linking(one.path)
    ]
    return {"outline": outline if len(outline) >= _OUTLINE_LEAST else [], "links": links}


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


def _no_log_yet(
    site: Site, request: Request, path: str, files: Mapping[str, FileState]
) -> Response:
    values = {"section": "notes", "path": path, "tree": tree(files, ""), "current": ""}
    return page(site, request, "today.html", values)


def index(site: Site, request: Request) -> Response:
    """The index and its health."""
    return page(site, request, "health.html", {"section": "health", **_health(site)})


def settings(site: Site, request: Request) -> Response:
    """Every setting with the value in force; what the configuration file says comes first."""
    chosen = site.memory.settings
    rows = list(_setting_rows(chosen))
    values = {
        "section": "health",
        "file": chosen.config_path or chosen.state_dir / CONFIG_NAMES[0],
        "own": [one for one in rows if one["own"]],
        "others": [one for one in rows if not one["own"]],
        "remarks": chosen.notes,
    }
    return page(site, request, "settings.html", values)


def _setting_rows(chosen: Settings) -> Iterator[dict[str, Any]]:
    """Every setting: its name, its value, what it is about, and whether the user's own file sets it."""
    in_force = as_json(chosen)
    written: Any = read_document(chosen.config_path) if chosen.config_path else {}
    agents = value_at(written, ["agents", "list"])
    mine = [one for one in agents or () if value_at(one, ["id"]) == chosen.agent]
    for title, section in SECTIONS:
        for key in walk(section):
            names = [*title.split("."), *key.path.split(".")]
            if key.branch or any(mark in "".join(names) for mark in "[<"):
                continue
            value = value_at(in_force, names)
            own = [value_at(written, names), *(value_at(one, names[2:]) for one in mine)]
            about = key.field.metadata["description"]
            yield {
                "name": key.path if section is MemorySearch else ".".join(names),
                "value": "not set" if value is None else json.dumps(value, ensure_ascii=False),
                "about": render_snippet(about, (), "MEMORY.md", lambda _: False),
                "own": any(one is not None for one in own),
            }


def picture(site: Site, request: Request) -> Response:
    """A picture of the workspace; no link is followed, and nothing else is a picture."""
    path = str(request.path_params["path"])
    parts = path.split("/")
    kind = PICTURES.get(posixpath.splitext(path)[1].lower())
    if kind is None or any(part.startswith(".") or not part for part in parts):
        raise HTTPException(404)
    try:
        with opened_folder(str(site.folder), parts[:-1]) as folder:
            descriptor = os.open(parts[-1], os.O_RDONLY | NOTE, dir_fd=folder)
    except (OSError, ValueError):
        raise HTTPException(404) from None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST_PICTURE_BYTES:
            raise HTTPException(404)
        return Response(file.read(), media_type=kind)


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
    ("/why", searching.why),
    ("/about/{name:path}", subjects.show),
    ("/review", review.show),
    ("/asked", review.asked),
    ("/notes", notes),
    ("/notes/{path:path}", note),
    ("/branch", branch),
    ("/files/{path:path}", picture),
    ("/days/{date}", day),
    ("/sessions", sessions.listing),
    ("/sessions/{session:path}", sessions.conversation),
    ("/export/{session:path}", sessions.export),
    ("/health", index),
    ("/index", index),
    ("/settings", settings),
)


@dataclass(frozen=True, slots=True)
class SentTotal:
    """What one provider got, all days together."""

    provider: str
    host: str
    requests: int
    texts: int
    characters: int
    first: str
    last: str


def _health(site: Site) -> dict[str, Any]:
    """What is indexed and how, what left the machine, what is wrong."""
    status = site.memory.status()
    days = status.usage
    failed = site.job.report.failed if site.job.report else ()
    looked_up = sum(one.looked_up for one in days)
    return {
        "status": status,
        "state": _state(status, failed),
        "files": sum(status.store.files.values()),
        "chunks": sum(status.store.chunks.values()),
        "hit_rate": sum(one.found for one in days) / looked_up if looked_up else None,
        "sent": _sent(days),
        "job": site.job.state(),
        "failed": failed,
        "browsers": site.access.pairings.all() if site.access.pairings else [],
        "chunking": site.memory.settings.chunking,
    }


def _state(status: Status, failed: Sequence[Failure]) -> tuple[str, str]:
    """The health in one word for the colour and one sentence for people."""
    notes = status.store.files.get("memory", 0)
    unread = len({one.path for one in (*status.problems, *failed)})
    waiting = max(0, status.changed - unread)
    if not status.store.files and not status.changed:
        return "empty", "There are no notes yet."
    if not status.store.files:
        return "stale", "Not indexed yet: the first search does it."
    said = [f"{notes:,} {'note' if notes == 1 else 'notes'}"]
    if waiting:
        said.append(f"{waiting} not indexed yet")
    elif status.dirty and not unread:
        said.append("to be indexed anew, because the settings changed")
    else:
        said.append("all up to date" if not unread else "the rest up to date")
    if unread:
        said.append(f"{unread} that could not be read")
    said.append(
        "nothing left this machine" if not _sent(status.usage) else "some text was sent away"
    )
    return "bad" if unread else "stale" if waiting or status.dirty else "fresh", ", ".join(
        said
    ) + "."


def _sent(days: tuple[ProviderUsage, ...]) -> list[SentTotal]:
    """The days added up by provider and host, where something was sent at all."""
    sums: dict[tuple[str, str], SentTotal] = {}
    for one in days:
        if not one.requests:
            continue
        key = (one.provider, one.host)
        before = sums.get(key) or SentTotal(one.provider, one.host, 0, 0, 0, one.day, one.day)
        sums[key] = SentTotal(
            one.provider,
            one.host,
            before.requests + one.requests,
            before.texts + one.texts,
            before.characters + one.characters,
            min(before.first, one.day),
            max(before.last, one.day),
        )
    return list(sums.values())
