"""The pages of past conversations: the list, one of them, and what was said word for word."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from memdown.transcripts import TranscriptTurn
from memdown.transcripts.reading import sessions_folder
from memdown.transcripts.sessions import recall
from memdown.transcripts.sessions.browsing import (
    Conversation,
    as_markdown,
    conversations,
    find,
    turns_of,
)
from memdown.transcripts.sessions.store import bring_over
from memdown.web.rendering import render_snippet
from memdown.web.site import Site, page

_MOST_TURNS = 2000
_SIGNS = re.compile(r"\*\*|__|`+\w*|^#+ ")
_FOUND = 40
_MOST_FOUND = 1_000


def folder(site: Site) -> Path:
    """Where the agent's conversations are."""
    settings = site.memory.settings
    bring_over(settings.state_dir, settings.agent)
    return sessions_folder(settings.state_dir, settings.agent)


def titles(site: Site) -> dict[str, str]:
    """How each conversation began, by its path."""
    return {one.path: _bare(one.title) for one in conversations(folder(site))[0]}


def listing(site: Site, request: Request) -> Response:
    """All conversations, or those in which something was said."""
    query = request.query_params.get("q", "").strip()[:2000]
    found, problems = conversations(folder(site)) if not query else ([], [])
    values = {
        "section": "sessions",
        "said": query,
        "conversations": [_row(one) for one in found],
        "problems": problems,
        **(_recalled(site, query, _count(request)) if query else {"found": [], "places": 0}),
        "indexed": "sessions" in site.memory.settings.sources,
        "place": folder(site),
    }
    return page(site, request, "sessions.html", values)


def conversation(site: Site, request: Request) -> Response:
    """One conversation, turn by turn."""
    one = find(folder(site), request.path_params["session"])
    turns = turns_of(folder(site), one.id)
    known = site.known()
    values = {
        "section": "sessions",
        "one": _row(one),
        "turns": [_turn(turn, known) for turn in turns[:_MOST_TURNS]],
        "more": max(0, len(turns) - _MOST_TURNS),
    }
    return page(site, request, "session.html", values)


def export(site: Site, request: Request) -> Response:
    """A conversation as a Markdown file, secrets redacted."""
    one = find(folder(site), request.path_params["session"])
    text = as_markdown(one.title or one.id, turns_of(folder(site), one.id))
    name = quote(f"{one.id.rpartition('/')[2]}.md", safe="")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(text, media_type="text/markdown; charset=utf-8", headers=headers)


def as_json(one: Conversation) -> dict[str, Any]:
    """A conversation for programs."""
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.title,
        "messages": one.messages,
        "updated": one.updated,
        "bytes": one.size,
        "skippedLines": one.skipped,
    }


def turn_json(turn: TranscriptTurn) -> dict[str, Any]:
    """What one side said, for programs."""
    return {"line": turn.line, "role": turn.role, "text": turn.text, "time": turn.time}


def _row(one: Conversation) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "title": _bare(one.title) or one.id,
        "messages": one.messages,
        "updated": _moment(one.updated),
        "size": one.size,
        "skipped": one.skipped,
    }


def _bare(title: str) -> str:
    """A title without the signs of Markdown, which say nothing in one line."""
    return " ".join(_SIGNS.sub("", title).split())


def _count(request: Request) -> int:
    given = request.query_params.get("count", "")
    return min(_MOST_FOUND, int(given)) if given.isdecimal() and len(given) < 6 else _FOUND


def _recalled(site: Site, query: str, count: int) -> dict[str, Any]:
    """Every place where it was said, the newest first; the first `count` of them, and how many."""
    every = recall(folder(site), query, context=0, limit=_MOST_FOUND)
    every.sort(key=lambda one: one.turn.time or 0, reverse=True)
    named = titles(site)
    found = [
        {
            "id": one.path.removeprefix("sessions/").removesuffix(".jsonl"),
            "title": named.get(one.path, ""),
            "line": one.turn.line,
            "who": "You" if one.turn.role == "user" else "Agent",
            "time": _moment(one.turn.time),
            "text": _around(one.turn.text, query),
        }
        for one in every[:count]
    ]
    more = min(_MOST_FOUND, 5 * count) if len(every) > count else 0
    return {"found": found, "places": len(every), "more": more}


def _around(text: str, query: str) -> Markup:
    """The place where it was said, marked."""
    at = text.casefold().find(query.casefold())
    if at < 0:
        return Markup("{}").format(text[:300])
    start, end = max(0, at - 120), at + len(query)
    return Markup("{}{}<mark>{}</mark>{}{}").format(
        "…" if start else "",
        text[start:at],
        text[at:end],
        text[end : end + 180],
        "…" if len(text) > end + 180 else "",
    )


def _turn(turn: TranscriptTurn, known: Any) -> dict[str, Any]:
    return {
        "line": turn.line,
        "role": turn.role,
        "time": _moment(turn.time),
        "html": render_snippet(turn.text, (), "MEMORY.md", known, copies=True),
    }


def _moment(milliseconds: int | None) -> datetime.datetime | None:
    """A time in the zone of whoever looks at it."""
    if not milliseconds:
        return None
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return None
