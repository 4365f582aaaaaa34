"""The JSON interface: what each call does. `operations` lists and documents them."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memdown import doctor
from memdown.agent.toolset import asker_of, check_reading, cites
from memdown.errors import MemdownError, NoteNotFound
from memdown.facts import forgetting, reviewing, use
from memdown.notes import Note, undoing
from memdown.shapes import citation_json, status_json
from memdown.transcripts.sessions import recall
from memdown.transcripts.sessions.browsing import conversations, delete, find, turns_of
from memdown.types import Answer, Chunk, FileState, Hit, Why
from memdown.web import changes, review, sessions, uploads
from memdown.web.changes import Commit, Line
from memdown.web.library import by_day, year
from memdown.web.rendering import render_note
from memdown.web.site import Site

Values = dict[str, Any]


def search(site: Site, given: Values) -> Any:
    """Find notes."""
    asker = asker_of(site.memory.settings, given["chat"], given["sessionKey"])
    found = site.memory.search(
        given["q"],
        max_results=given["limit"],
        min_score=given["minScore"],
        sources=given["source"],
        since=given["since"],
        until=given["until"],
        folder=given["folder"],
        tags=given["tag"],
        chat=asker.chat,
        session_key=asker.session_key,
        explain=True,
    )
    review.log_question(site, given["q"], found, actor="client:web")
    return answer_json(found, citations=cites(site.memory.settings, asker))


def list_notes(site: Site, given: Values) -> Any:
    """List notes by path."""
    files = list(site.memory.notes().files.values())
    chosen = [one for one in files if one.path.startswith(given["under"])]
    start = given["offset"]
    return {
        "total": len(chosen),
        "notes": [listed_json(one) for one in chosen[start : start + given["limit"]]],
    }


def read_note(site: Site, given: Values) -> Any:
    """Read a note."""
    settings = site.memory.settings
    check_reading(settings, asker_of(settings, given["chat"], given["sessionKey"]))
    return note_json(site.memory.notebook.read(given["path"]))


def save_note(site: Site, given: Values) -> Any:
    """Give a note new text."""
    site.check_writable()
    return note_json(
        site.memory.notebook.edit(
            given["path"], given["text"], base=given["base"], allow_secrets=given["allowSecrets"]
        )
    )


def read_chunks(site: Site, given: Values) -> Any:
    """Tell how a note is cut for the index."""
    return {"chunks": [chunk_json(one) for one in site.memory.index.chunks(given["path"])]}


def read_history(site: Site, given: Values) -> Any:
    """List the commits that changed a note."""
    path = site.memory.notebook.read(given["path"]).path
    return {
        "versioned": changes.is_versioned(site.folder),
        "changes": [commit_json(one) for one in changes.commits(site.folder, path)],
    }


def read_difference(site: Site, given: Values) -> Any:
    """Tell what one commit changed in a note."""
    path = site.memory.notebook.read(given["path"]).path
    lines = changes.difference(site.folder, path, given["commit"])
    return {"lines": [line_json(one) for one in lines]}


def add_entry(site: Site, given: Values) -> Any:
    """Write something down."""
    site.check_writable()
    citation = site.memory.remember(
        given["text"], durable=given["durable"], allow_secrets=given["allowSecrets"]
    )
    return citation_json(citation)


def list_changes(site: Site, given: Values) -> Any:
    """List what was changed in the notes, newest first."""
    journal = site.memory.pen().journal
    found = journal.changes(path=given["path"] or None, limit=given["limit"])
    undone = journal.undone()
    return {
        "changes": [
            {
                "id": one.id,
                "time": one.time.isoformat(),
                "actor": one.actor,
                "session": one.session,
                "path": one.path,
                "kind": one.kind,
                "diff": undoing.diff(one),
                "undoes": one.undoes,
                "undone": one.id in undone,
            }
            for one in found
        ]
    }


def undo_change(site: Site, given: Values) -> Any:
    """Take a change back; its note is as it was before, but for later changes elsewhere in it."""
    site.check_writable()
    return {"path": changes.undo(site, given["id"])}


def mark_read(site: Site, given: Values) -> Any:
    """Note that a change was looked at, or all of them up to it."""
    site.check_writable()
    looked = changes.looked(site)
    looked.mark([] if given["all"] else [given["id"]], upto=given["id"] if given["all"] else 0)
    return {"unread": changes.unread(site)}


def strike_fact(site: Site, given: Values) -> Any:
    """Mark the fact in a line as no longer true."""
    site.check_writable()
    return {"change": changes.strike(site, given["path"], given["line"])}


def find_traces(site: Site, given: Values) -> Any:
    """List every place that holds some words, or those of a fact; nothing is changed."""
    found = forgetting.find(site.memory, given["words"])
    return {"words": found.words, "places": [_trace(site, one) for one in found.traces]}


def erase_words(site: Site, given: Values) -> Any:
    """Remove words from notes, versions, index and transcripts, and prove it by a search."""
    site.check_writable()
    with site.alone():
        receipt = forgetting.erase(site.memory, forgetting.find(site.memory, given["words"]))
    return {
        "erased": receipt.erased,
        "left": [_trace(site, one) for one in receipt.left],
        "complete": receipt.complete,
        "tombstone": receipt.tombstone,
        "scannedFiles": receipt.scanned_files,
        "scannedBytes": receipt.scanned_bytes,
        "time": receipt.time.isoformat(),
    }


def _trace(site: Site, one: forgetting.Trace) -> dict[str, Any]:
    state = str(site.memory.settings.state_dir)
    place = one.place.removeprefix(state).lstrip("/")
    return {"kind": one.kind, "place": place, "line": one.line, "text": one.text}


def keep_change(site: Site, given: Values) -> Any:
    """Move what a change added to MEMORY.md; undo `changes` from the last to the first to go back."""
    site.check_writable()
    kept = changes.keep_for_good(site, given["id"])
    return {"citation": kept.citation, "changes": list(kept.changes), "left": kept.left}


def list_proposals(site: Site, given: Values) -> Any:  # noqa: ARG001
    """List what wants a look in the notes, as `memdown review` does."""
    site.library.refresh()
    return {"proposals": [reviewing.proposal_json(one) for one in site.proposals.now()]}


def decide(site: Site, given: Values) -> Any:
    """Do what a person says to a proposal: which fact holds, that all is fine, or that it can wait."""
    site.check_writable()
    known = site.proposals.last() or ()
    done = reviewing.decide(site.memory, given["key"], given["verdict"], known=known)
    site.decided |= {one.key: one for one in known if one.key == given["key"]}
    site.proposals.put(tuple(one for one in known if one.key != given["key"]))
    return {"changes": list(done.changes)}


def show_again(site: Site, given: Values) -> Any:
    """Show a proposal again that was put aside, or whose changes were taken back."""
    site.check_writable()
    reviewing.decisions(site.memory.pen()).show(given["key"])
    # All notes are looked through again meanwhile, which takes a while where there are many.
    if again := site.decided.pop(given["key"], None):
        others = tuple(one for one in site.proposals.last() or () if one.key != again.key)
        site.proposals.put((again, *others))
    return {"key": given["key"]}


def restore_note(site: Site, given: Values) -> Any:
    """Give a note the text that it had after a change."""
    site.check_writable()
    return {"change": changes.restore(site, given["path"], given["id"])}


def trash_note(site: Site, given: Values) -> Any:
    """Delete a note; taking the change back brings it back."""
    site.check_writable()
    return {"change": changes.remove_note(site, given["path"], given["base"])}


def rename_note(site: Site, given: Values) -> Any:
    """Give a note another path."""
    site.check_writable()
    return {"path": changes.rename_note(site, given["path"], given["to"], given["base"])}


def read_use(site: Site, given: Values) -> Any:
    """Tell what was asked and used, where the log is on."""
    return use.use_json(use.report(site.memory), given["limit"])


def note_opening(site: Site, given: Values) -> Any:
    """Note that a result was opened, where the log is on."""
    line = given["line"]
    review.log_opening(site, given["question"], given["path"], line, max(line, given["end"]))
    return {"logged": use.is_on(site.memory)}


def note_miss(site: Site, given: Values) -> Any:
    """Note that a result is not what a question meant, where the log is on."""
    use.record_miss(site.memory, given["question"], given["path"])
    return {"logged": use.is_on(site.memory)}


def write_answer(site: Site, given: Values) -> Any:
    """Write down what a question asked for; tells how well it finds something now."""
    site.check_writable()
    written = review.answer_question(
        site,
        given["question"],
        given["text"],
        durable=given["durable"],
        allow=given["allowSecrets"],
    )
    done = written.done
    return {
        "path": done.path,
        "startLine": done.start_line,
        "endLine": done.end_line,
        "changes": [done.change] if done.change else [],
        "found": written.found,
    }


def look_into(site: Site, given: Values) -> Any:
    """Send a file to be imported: tells what it would bring in, and changes nothing yet."""
    return uploads.look(site, given["file"])


def bring_in(site: Site, given: Values) -> Any:
    """Import a file that was sent; what is there already stays as it is."""
    return uploads.bring_in(site, given["upload"])


def give_up(site: Site, given: Values) -> Any:
    """Drop a file that was sent, without importing it."""
    return uploads.give_up(site, given["upload"])


def preview(site: Site, given: Values) -> Any:
    """Show Markdown as the page would."""
    return {"html": render_note(given["text"], given["path"], site.known(), site.library.named)}


def read_calendar(site: Site, given: Values) -> Any:
    """Tell on which days of a year something was written."""
    number = given["year"] or site.today().year
    days = year(by_day(site.memory.notes().files), number)
    return {
        "year": number,
        "days": [
            {"date": one.date.isoformat(), "level": one.level, "paths": list(one.paths)}
            for one in days
            if one.paths
        ],
    }


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


def throw_out(site: Site, given: Values) -> Any:
    """Throw a browser out that was let in for good."""
    if site.access.pairings is None or not site.access.pairings.remove(given["id"]):
        raise NoteNotFound("There is no such browser any more; reload the page.")
    return {"browsers": len(site.access.pairings.all())}


def session(site: Site, given: Values) -> Any:  # noqa: ARG001
    """Tell a page that is older than the server what it must send with its next change."""
    return {"csrf": site.access.csrf}


def pulse(site: Site, given: Values) -> Any:
    """Tell cheaply whether anything changed; pages ask this every second."""
    job, news = site.job.state(), changes.news(site)
    version = None
    if given["path"]:
        with contextlib.suppress(MemdownError):
            version = site.memory.notebook.read(given["path"]).version
    return {
        "revision": site.revision,
        "note": version,
        "sync": {name: job[name] for name in ("state", "completed", "total")},
        "change": news.newest,
        "unread": news.unread,
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
    found, problems = conversations(sessions.folder(site))
    return {
        "sessions": [sessions.as_json(one) for one in found],
        "problems": [{"path": one.path, "reason": one.reason} for one in problems],
    }


def read_session(site: Site, given: Values) -> Any:
    """Read a conversation; secrets are redacted."""
    return {
        "turns": [
            sessions.turn_json(one) for one in turns_of(sessions.folder(site), given["session"])
        ]
    }


def delete_session(site: Site, given: Values) -> Any:
    """Delete a conversation for good: its transcript and its history."""
    site.check_writable()
    one = find(sessions.folder(site), given["session"])
    delete(sessions.folder(site), one)
    if "sessions" in site.memory.settings.sources:
        site.job.start(force=False)
    return {"deleted": one.id}


def find_said(site: Site, given: Values) -> Any:
    """Find what was said, word for word."""
    found = recall(sessions.folder(site), given["q"], limit=given["limit"])
    return {
        "found": [
            {
                "session": one.path.removeprefix("sessions/").removesuffix(".jsonl"),
                "turn": sessions.turn_json(one.turn),
                "before": [sessions.turn_json(turn) for turn in one.before],
                "after": [sessions.turn_json(turn) for turn in one.after],
            }
            for one in found
        ]
    }


def answer_json(found: Answer, *, citations: bool = True) -> dict[str, Any]:
    """What a search found, and why; in a group it is not told where, as `memory.citations` says."""

    def shown(hits: Sequence[Hit]) -> list[dict[str, Any]]:
        cited = [one if citations else replace(one, citation=None) for one in hits]
        return [hit_json(one, rank) for rank, one in enumerate(cited, start=1)]

    return {
        "results": shown(found.hits),
        "strength": found.strength,
        "provider": found.provider,
        "model": found.model,
        "fallback": found.fallback,
        "partial": found.partial,
        "reasons": list(found.reasons),
        "below": shown(found.explanation.below if found.explanation else ()),
    }


def hit_json(one: Hit, rank: int) -> dict[str, Any]:
    """One result with the parts of its score."""
    return {
        "path": one.path,
        "source": one.source,
        "startLine": one.start_line,
        "endLine": one.end_line,
        "score": round(one.score, 4),
        "strength": one.strength,
        "snippet": one.snippet,
        "citation": one.citation,
        "heading": one.heading,
        "date": day_json(one.date),
        "was": one.was,
        "why": {
            "rank": rank,
            "vectorScore": round(one.vector_score, 4),
            "textScore": round(one.text_score, 4),
            "relevance": round(one.relevance, 4),
            "recency": round(one.recency, 4),
            "matched": list(one.matched),
            **(_why(one.why) if one.why else {}),
        },
    }


def _why(why: Why) -> dict[str, Any]:
    return {
        "vectorWeight": round(why.vector_weight, 4),
        "textWeight": round(why.text_weight, 4),
        "byVector": round(why.by_vector, 4),
        "byText": round(why.by_text, 4),
        "confidence": round(why.confidence, 4),
        "timely": why.timely,
        "moves": [{"step": move.step, "rank": move.rank} for move in why.moves],
    }


def listed_json(state: FileState) -> dict[str, Any]:
    """A note in a list."""
    return {
        "path": state.path,
        "bytes": state.size,
        "modified": round(state.mtime_ns / 1e9, 3),
        "date": day_json(state.date),
    }


def note_json(one: Note) -> dict[str, Any]:
    """A whole note."""
    return {
        "path": one.path,
        "text": one.text,
        "version": one.version,
        "editable": one.editable,
    }


def chunk_json(one: Chunk) -> dict[str, Any]:
    """Where a note is cut."""
    return {
        "startLine": one.start_line,
        "endLine": one.end_line,
        "heading": one.heading,
        "characters": len(one.text),
    }


def commit_json(one: Commit) -> dict[str, Any]:
    """A commit that changed a note."""
    return {
        "commit": one.commit,
        "date": one.date.isoformat(),
        "author": one.author,
        "subject": one.subject,
        "added": one.added,
        "removed": one.removed,
    }


def line_json(one: Line) -> dict[str, Any]:
    """A line of a difference."""
    return {"kind": one.kind, "text": one.text}


def day_json(date: datetime.date | None) -> str | None:
    """A date as it stands in file names."""
    return date.isoformat() if date else None
