"""The JSON interface: what each call does. `operations` lists and documents them."""

from __future__ import annotations

from typing import Any

import numpy as np

from memdown import doctor
from memdown.errors import NoteNotFound
from memdown.shapes import status_json
from memdown.transcripts.sessions import recall
from memdown.transcripts.sessions.browsing import conversations, turns_of
from memdown.web import history, shapes, shelves, talks
from memdown.web.rendering import render_note
from memdown.web.site import Site

Values = dict[str, Any]


def search(site: Site, given: Values) -> Any:
    """Find notes."""
    found = site.memory.search(
        given["q"],
        max_results=given["limit"],
        min_score=given["minScore"],
        sources=given["source"],
        since=given["since"],
        until=given["until"],
        folder=given["folder"],
        tags=given["tag"],
    )
    return shapes.answer(found)


def list_notes(site: Site, given: Values) -> Any:
    """List notes by path."""
    files = list(site.memory.notes().files.values())
    chosen = [one for one in files if one.path.startswith(given["under"])]
    start = given["offset"]
    return {
        "total": len(chosen),
        "notes": [shapes.listed(one) for one in chosen[start : start + given["limit"]]],
    }


def read_note(site: Site, given: Values) -> Any:
    """Read a note."""
    return shapes.note(site.memory.read(given["path"]))


def save_note(site: Site, given: Values) -> Any:
    """Give a note new text."""
    site.check_writable()
    return shapes.note(
        site.memory.edit(
            given["path"], given["text"], base=given["base"], allow_secrets=given["allowSecrets"]
        )
    )


def read_chunks(site: Site, given: Values) -> Any:
    """Tell how a note is cut for the index."""
    return {"chunks": [shapes.chunk(one) for one in site.memory.chunks(given["path"])]}


def read_history(site: Site, given: Values) -> Any:
    """List the commits that changed a note."""
    path = site.memory.read(given["path"]).path
    return {
        "versioned": history.is_versioned(site.folder),
        "changes": [shapes.change(one) for one in history.changes(site.folder, path)],
    }


def read_difference(site: Site, given: Values) -> Any:
    """Tell what one commit changed in a note."""
    path = site.memory.read(given["path"]).path
    lines = history.difference(site.folder, path, given["commit"])
    return {"lines": [shapes.line(one) for one in lines]}


def add_entry(site: Site, given: Values) -> Any:
    """Write something down."""
    site.check_writable()
    citation = site.memory.remember(
        given["text"], durable=given["durable"], allow_secrets=given["allowSecrets"]
    )
    return {
        "path": citation.path,
        "startLine": citation.start_line,
        "endLine": citation.end_line,
        "citation": str(citation),
    }


def preview(site: Site, given: Values) -> Any:
    """Show Markdown as the page would."""
    return {"html": render_note(given["text"], given["path"], site.known())}


def read_calendar(site: Site, given: Values) -> Any:
    """Tell on which days of a year something was written."""
    number = given["year"] or site.today().year
    days = shelves.year(shelves.by_day(site.memory.notes().files), number)
    return {
        "year": number,
        "days": [
            {"date": one.date.isoformat(), "level": one.level, "paths": list(one.paths)}
            for one in days
            if one.paths
        ],
    }


def read_map(site: Site, given: Values) -> Any:  # noqa: ARG001
    """Place all chunks on a plane."""
    return site.atlases.current().as_json()


def read_point(site: Site, given: Values) -> Any:
    """Read the chunk behind a point of the map."""
    atlas = site.atlases.current()
    if given["point"] >= len(atlas.chunks):
        raise NoteNotFound("There is no such point on the map any more; reload it.")
    chunk = atlas.chunks[given["point"]].chunk
    return {**shapes.chunk(chunk), "path": chunk.path, "text": chunk.text[:400]}


def place_query(site: Site, given: Values) -> Any:
    """Place a question on the map."""
    projection = site.atlases.current().projection
    vector = site.memory.vector_of(given["q"])
    if projection is None or vector is None or len(vector) != len(projection.mean):
        return {"x": None, "y": None}
    x, y = projection.place(np.asarray(vector).reshape(1, -1))[0].tolist()
    return {"x": x, "y": y}


def status(site: Site, given: Values) -> Any:
    """Tell what is indexed and how."""
    return status_json(site.memory.status(deep=given["deep"]))


def sent(site: Site, given: Values) -> Any:  # noqa: ARG001
    """Tell what left this machine, by day and provider."""
    return {
        "days": [
            {
                "day": one.day,
                "provider": one.provider,
                "host": one.host,
                "requests": one.requests,
                "texts": one.texts,
                "characters": one.characters,
                "tokens": one.tokens,
                "cacheLookups": one.looked_up,
                "cacheHits": one.found,
            }
            for one in site.memory.status().usage
        ]
    }


def examine(site: Site, given: Values) -> Any:  # noqa: ARG001
    """Look at everything that can be wrong, as `memdown doctor` does."""
    found = doctor.examine(doctor.Subject(site.memory.settings, site.memory))
    return {
        "checks": [
            {
                "name": one.name,
                "verdict": one.verdict,
                "finding": one.finding,
                "advice": one.advice,
            }
            for one in found
        ]
    }


def start_sync(site: Site, given: Values) -> Any:
    """Bring the index up to date in the background."""
    site.check_writable()
    started = site.job.start(force=given["force"])
    return {**site.job.state(), "started": started}


def read_sync(site: Site, given: Values) -> Any:  # noqa: ARG001
    """Tell how far the sync is."""
    return site.job.state()


def list_sessions(site: Site, given: Values) -> Any:  # noqa: ARG001
    """List the agent's conversations."""
    found, problems = conversations(talks.folder(site))
    return {
        "sessions": [talks.as_json(one) for one in found],
        "problems": [{"path": one.path, "reason": one.reason} for one in problems],
    }


def read_session(site: Site, given: Values) -> Any:
    """Read a conversation; secrets are redacted."""
    return {
        "turns": [talks.turn_json(one) for one in turns_of(talks.folder(site), given["session"])]
    }


def find_said(site: Site, given: Values) -> Any:
    """Find what was said, word for word."""
    found = recall(talks.folder(site), given["q"], limit=given["limit"])
    return {
        "found": [
            {
                "session": one.path.removeprefix("sessions/").removesuffix(".jsonl"),
                "turn": talks.turn_json(one.turn),
                "before": [talks.turn_json(turn) for turn in one.before],
                "after": [talks.turn_json(turn) for turn in one.after],
            }
            for one in found
        ]
    }
