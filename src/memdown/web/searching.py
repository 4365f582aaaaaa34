"""The search page: what was found, shown so that it can be skimmed, and why it was found."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from memdown.errors import MemdownError, NoteNotFound, QueryError
from memdown.notes import date_of
from memdown.notes.document import read_front_matter, title_of
from memdown.text import match_spans
from memdown.types import Answer, Explanation, Hit, Move
from memdown.web import sessions
from memdown.web.rendering import Known, note_url, render_snippet
from memdown.web.site import Site, page

HITS = 10
MOST_HITS = 100
_SHOWN_CHARS = 420
_FILTERS = ("since", "until", "folder", "tag")
_FRONT_LINES = 40
_MOST_WORDS = 12
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SPEAKER = re.compile(r"^(User|Assistant): ", re.MULTILINE)
_NAMES = {"User": "You", "Assistant": "Agent"}


@dataclass(frozen=True, slots=True)
class WebQuestion:
    """A question as it stands in an address; `typing` while its last word is unfinished."""

    text: str
    source: str
    only: dict[str, str]
    count: int
    typing: bool


def asked_in(request: Request) -> WebQuestion:
    """The question of a request."""
    given = request.query_params
    count = given.get("count", "")
    return WebQuestion(
        text=given.get("q", "").strip(),
        source=given.get("source", ""),
        only={name: given.get(name, "").strip() for name in _FILTERS},
        count=min(MOST_HITS, int(count)) if count.isdecimal() and len(count) < 5 else HITS,
        typing=given.get("typing") == "1",
    )


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """An answer; it is `provisional` while a better one will follow."""

    answer: Answer
    milliseconds: float
    provisional: bool


def find(site: Site, asked: WebQuestion) -> LiveAnswer:
    """Search; while someone types, by words alone where a question would be sent away.

    An unfinished last word stands for the commonest word that begins like it; in a finished question
    only if nothing is found otherwise.
    """
    start = time.perf_counter()
    words_only = asked.typing and site.sends_away
    last = _LAST_WORD.search(asked.text)
    whole = site.current_library().complete(last[0]) if last else None
    completed = asked.text[: last.start()] + whole if last and whole else None
    answer = _search(
        site, asked, completed if asked.typing and completed else asked.text, words_only
    )
    if completed and not asked.typing and not answer.hits and last:
        other = _search(site, asked, completed, words_only)
        if other.hits:
            reason = f"no note holds {last[0]!r}: looked for {whole!r}"
            answer = replace(other, reasons=(reason, *other.reasons))
    took = (time.perf_counter() - start) * 1000
    return LiveAnswer(answer, took, words_only or (asked.typing and completed is not None))


def _search(site: Site, asked: WebQuestion, text: str, words_only: bool) -> Answer:
    only = asked.only
    sources: Any = (asked.source,) if asked.source in site.memory.settings.sources else None
    return site.memory.search(
        text,
        max_results=asked.count,
        sources=sources,
        since=only["since"] or None,
        until=only["until"] or None,
        folder=only["folder"],
        tags=only["tag"] or None,
        words_only=words_only,
    )


def results(site: Site, asked: WebQuestion) -> dict[str, Any]:
    """What the list of results shows."""
    base = {
        "only": asked.only,
        "query": asked.text,
        "source": asked.source,
        "sources": site.memory.settings.sources,
        "answer": None,
        "problem": "",
        "sends_away": site.sends_away,
    }
    if not asked.text:
        return base
    try:
        found = find(site, asked)
    except QueryError as error:
        return {**base, "problem": str(error)}
    answer = found.answer
    below = answer.explanation.below if answer.explanation else ()
    return {
        **base,
        "answer": answer,
        "reasons": list(map(_plain, answer.reasons)),
        "provisional": found.provisional,
        "took": found.milliseconds,
        "hits": shown_hits(site, answer.hits),
        "below": shown_hits(site, below[:5]) if not answer.hits else [],
        "more": min(MOST_HITS, asked.count * 3)
        if len(answer.hits) == asked.count < MOST_HITS
        else 0,
    }


def why(site: Site, request: Request) -> Response:
    """Why one result stands where it stands, when somebody asks."""
    asked = asked_in(request)
    rank = request.query_params.get("rank", "")
    if not asked.text or not rank.isdecimal() or not 1 <= int(rank[:4]) <= MOST_HITS:
        raise NoteNotFound("There is no such result; search again.")
    answer = find(site, asked).answer
    if int(rank) > len(answer.hits):
        raise NoteNotFound("There is no such result any more; search again.")
    hit = answer.hits[int(rank) - 1]
    shown = explain(hit, int(rank), asked.text, answer.explanation)
    values = {"why": shown, "answer": answer}
    return page(site, request, "why.html", values)


def shown_hits(site: Site, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """The hits with their titles and snippets as the page shows them."""
    known = site.known()
    titles = sessions.titles(site) if any(hit.source == "sessions" for hit in hits) else {}
    return [_shown(site, hit, known, titles) for hit in hits]


def _shown(site: Site, hit: Hit, known: Known, titles: Mapping[str, str]) -> dict[str, Any]:
    text, front = hit.snippet, 0
    if hit.source == "sessions":
        title = titles.get(hit.path) or hit.path.rpartition("/")[2]
        text = _SPEAKER.sub(lambda match: f"\n**{_NAMES[match[1]]}:** ", text).strip("\n")
    else:
        title = hit.heading.rpartition(" > ")[2]
        if not title or hit.start_line <= _FRONT_LINES:
            whole, front = _opening(site, hit.path)
            title = title or whole
    lines = text.split("\n")
    if front > 0 and hit.start_line <= front:
        # Front matter is no prose; what the note says comes first, if the hit reaches that far.
        rest = lines[front - hit.start_line + 1 :]
        lines = rest if any(line.strip() for line in rest) else _pairs(lines)
    return {
        "hit": hit,
        "url": _place(hit),
        "title": title,
        "kind": _kind(hit),
        "html": render_snippet(
            _without_title(focus("\n".join(lines), hit.matched), title),
            hit.matched,
            hit.path,
            known,
        ),
    }


def _kind(hit: Hit) -> str:
    """What a hit stands in; the day of a fact makes no log of the note."""
    if hit.source == "sessions":
        return "session"
    if hit.path.lower() == "memory.md":
        return "long-term"
    return "daily" if date_of(hit.path) else "topic"


def _opening(site: Site, path: str) -> tuple[str, int]:
    """A note's title, and how many lines of front matter it begins with."""
    text = site.library.texts.get(path)
    if text is None:
        try:
            text = site.memory.get(path, lines=_FRONT_LINES).text
        except MemdownError:
            return path.rpartition("/")[2], 0
    lines = text.split("\n", _FRONT_LINES)[:_FRONT_LINES]
    return title_of(path, lines), read_front_matter(lines).lines


def _pairs(lines: Sequence[str]) -> list[str]:
    """Front matter alone as a list, so that its lines do not run together."""
    return [f"- {line}" for line in lines if line.strip() and line.strip() != "---"]


def _place(hit: Hit) -> str:
    """Where a hit is shown: the note at its lines, with the words to mark."""
    lines = f"L{hit.start_line}" + (f"-L{hit.end_line}" if hit.end_line != hit.start_line else "")
    words = ",".join(quote(word, safe="") for word in as_written(hit)[:_MOST_WORDS])
    if hit.source == "sessions":
        url = "/" + quote(hit.path.removesuffix(".jsonl"), safe="/")
    else:
        url = note_url(hit.path)
    return f"{url}#{lines}" + (f":{words}" if words else "")


def _without_title(text: str, title: str) -> str:
    first, _, rest = text.partition("\n")
    if first.startswith("#") and first.lstrip("# ").rstrip() == title and rest.strip():
        return rest
    return text


def focus(snippet: str, matched: Collection[str], size: int = _SHOWN_CHARS) -> str:
    """The lines of a long snippet that hold the most matches, for a list that can be skimmed."""
    if len(snippet) <= size:
        return snippet
    lines = snippet.split("\n")
    found = [len(match_spans(line, matched)) for line in lines]
    best, chosen = -1, (0, 1)
    for first in range(len(lines)):
        last, length = first, 0
        while last < len(lines) and (last == first or length + len(lines[last]) <= size):
            length += len(lines[last]) + 1
            last += 1
        # The heading above a match is worth as much as half a match.
        score = 2 * sum(found[first:last]) + lines[first].startswith("#")
        if score > best:
            best, chosen = score, (first, last)
    return "\n".join(lines[chosen[0] : chosen[1]])


def _plain(reason: str) -> str:
    """A reason in the words of the page: the library speaks to programs and terminals, too."""
    text = reason.removeprefix("partial: ")
    for said, meant in _WORDING:
        text = text.replace(said, meant)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


_WORDING = (
    ("; lower it with --min-score", ""),
    (": lower it with --min-score", ""),
    (": run `memdown index`", ""),
    ("; `memdown status` names them", "; Health names them"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score; the parts add up to it."""

    name: str
    about: str
    value: float
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a hit was found: its words, and the parts that its score is the sum of."""

    sentence: Markup
    parts: tuple[Part, ...]
    score: float
    rank: int
    timely: bool | None
    details: tuple[tuple[str, str], ...]


def explain(hit: Hit, rank: int, query: str, explanation: Explanation | None) -> Explained:
    """Why a hit stands where it stands, in parts that a person can check."""
    why = hit.why
    by_text, by_vector = (why.by_text, why.by_vector) if why else (hit.text_score, hit.vector_score)
    text = by_text * (why.text_weight if why else 0.5)
    vector = by_vector * (why.vector_weight if why else 0.5)
    score, before = round(hit.score, 2), round(hit.relevance, 2)
    share = text / (text + vector) if text + vector else float(bool(hit.matched))
    words = round(before * share, 2)
    parts = [
        Part("Words", "how many of the words stand here, and how rare they are", words, "words"),
        Part("Meaning", "how near it is in meaning", round(before - words, 2), "meaning"),
    ]
    if score != before:
        about = "older days count a little less" if score < before else "of the time asked for"
        parts.append(Part("Time", about, round(score - before, 2), "time"))
    return Explained(
        sentence=_sentence(hit, query, explanation),
        parts=tuple(parts),
        score=score,
        rank=rank,
        timely=why.timely if why else None,
        details=tuple(_details(hit, why.moves if why else ())),
    )


def _details(hit: Hit, moves: Sequence[Move]) -> list[tuple[str, str]]:
    """The numbers behind the parts, for whoever wants to know exactly."""
    why = hit.why
    rows = [
        ("Similarity of meaning", f"{hit.vector_score:.2f}"),
        ("Fit of the words", f"{hit.text_score:.2f} of what is possible"),
        ("Age", f"× {hit.recency:.2f}"),
    ]
    if why:
        rows.insert(2, ("Weights", f"words {why.text_weight:.2f}, meaning {why.vector_weight:.2f}"))
        rows.insert(3, ("Sure that the notes answer", f"{why.confidence:.2f}"))
    if moves:
        steps = " → ".join(f"{move.step} {move.rank}" for move in moves)
        rows.append(("Rank step by step", steps))
    return rows


def _sentence(hit: Hit, query: str, explanation: Explanation | None) -> Markup:
    """Which words of the question stand here, and which do not."""
    asked = explanation.words if explanation else hit.matched
    found = as_written(hit)
    missing = [
        query[start:end]
        for start, end in match_spans(query, [word for word in asked if word not in hit.matched])
    ]
    marked = Markup(", ").join(Markup("<mark>{}</mark>").format(word) for word in found[:8])
    struck = Markup(", ").join(Markup("<s>{}</s>").format(word) for word in missing[:8])
    if not found:
        return Markup("None of the words stands here; it is near in meaning.")
    if not missing:
        return Markup("Every word stands here: {}.").format(marked)
    return Markup("Here stands {}; not here: {}.").format(marked, struck)


def as_written(hit: Hit) -> tuple[str, ...]:
    """The words that matched as they stand in the text; the index knows only their stems."""
    spans = match_spans(hit.snippet, hit.matched)
    return tuple(dict.fromkeys(hit.snippet[start:end].lower() for start, end in spans))
