"""What wants a look: facts that disagree, questions without an answer, facts that nobody asks for.

Each proposal is one tap: this one holds, both hold, later. Nothing changes before, and everything can be
undone. What was asked and used is shown where the person switched that log on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from memdown.facts import use
from memdown.facts.reviewing import Proposal
from memdown.notes.remembering import Remembered
from memdown.notes.statements import Fact, facts_of
from memdown.types import Answer
from memdown.web.library import Library
from memdown.web.rendering import note_url, render_snippet
from memdown.web.site import Site, page

_MOST_SHOWN = 50
_MOST_USED = 30
# The same question again within this time, by a reload or the way back, is asked once.
_SAME_QUESTION_SECONDS = 600


@dataclass(frozen=True, slots=True)
class ProposalKind:
    """How proposals of one kind are shown: a heading, and what their buttons say.

    `sides` has a word for each fact: the verdict that keeps it.
    """

    title: str
    about: str
    apply: str
    fine: str
    sides: tuple[str, ...] = ()


# In the order of the page: what may mislead an agent comes first.
KINDS: Mapping[str, ProposalKind] = {
    "contradiction": ProposalKind(
        "Disagreements",
        "Two facts about the same thing say something different.",
        "This one holds",
        "Both hold",
        ("other", "apply"),
    ),
    "expired": ProposalKind("Over", "Their last day has passed.", "Strike it", "Still true"),
    "duplicate": ProposalKind(
        "Said twice",
        "The same stands in two places.",
        "Keep this one",
        "Keep both",
        ("apply", "other"),
    ),
    "repeated": ProposalKind(
        "Should last",
        "Several days say it, and MEMORY.md does not.",
        "Write it into MEMORY.md",
        "Not needed",
    ),
    "oversized": ProposalKind(
        "Too long", "More than a session takes in at its start.", "Move it", "Leave it"
    ),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the facts that a proposal is about; `verdict` is what keeps it, if it is a choice."""

    html: Markup
    url: str
    place: str
    when: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """A proposal as the page shows it."""

    proposal: Proposal
    sides: tuple[Side, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Written:
    """An answer that was written down, and how well its question finds something now."""

    done: Remembered
    found: str


def found(site: Site) -> tuple[Proposal, ...] | None:
    """What wants a look; None while a server that follows the notes looks for the first time."""
    if site.is_following:
        return site.proposals.last()
    site.library.refresh()
    return site.proposals.now()


def disagreements(site: Site) -> dict[str, Proposal]:
    """The proposals about facts that contradict each other, by the place of each fact."""
    return {
        reference: one
        for one in found(site) or ()
        if one.kind == "contradiction"
        for reference in one.references
    }


def show(site: Site, request: Request) -> Response:
    """The page of what wants a look."""
    proposals = found(site)
    library = site.current_library()
    groups: dict[str, list[ShownProposal]] = {}
    for kind in KINDS:
        chosen = [one for one in proposals or () if one.kind == kind]
        if chosen:
            groups[kind] = [_shown(library, one) for one in chosen[:_MOST_SHOWN]]
    values = {
        "section": "review",
        "looking": proposals is None,
        "groups": groups,
        "kinds": KINDS,
        "total": len(proposals or ()),
    }
    return page(site, request, "review.html", values)


def _shown(library: Library, proposal: Proposal) -> ShownProposal:
    verdicts = KINDS[proposal.kind].sides
    references = proposal.references[:2]
    sides = [
        _side(library, reference, verdicts[index] if index < len(verdicts) else "")
        for index, reference in enumerate(references)
    ]
    return ShownProposal(proposal, tuple(sides), len(proposal.references) - len(references))


def _side(library: Library, reference: str, verdict: str) -> Side:
    path, _, place = reference.partition("#L")
    line = int(place.partition("-")[0]) if place.partition("-")[0].isdecimal() else 0
    text = library.texts.get(path, "")
    fact = _fact_at(facts_of(text, path), line)
    lines = text.split("\n")
    said = fact.text if fact else lines[line - 1] if 0 < line <= len(lines) else ""
    html = render_snippet(said, (), path, library.files.__contains__, library.named)
    until = fact.validity.until if fact else None
    when = f"until {until}" if until else fact.day.isoformat() if fact and fact.day else ""
    return Side(
        html, note_url(path, line or None), f"{path} L{line}" if line else path, when, verdict
    )


def _fact_at(facts: Sequence[Fact], line: int) -> Fact | None:
    return next((one for one in facts if one.line <= line <= one.end_line), None)


def asked(site: Site, request: Request) -> Response:
    """The page of what was asked, what found nothing, and which facts are used."""
    library = site.current_library()
    found = use.report(site.memory) if use.is_on(site.memory) else None
    values = {
        "section": "review",
        "use": found,
        "often": [{"row": one, **_used(library, one.fact)} for one in found.often[:_MOST_USED]]
        if found
        else [],
        "never": [_used(library, fact) for fact in found.never[:_MOST_USED]] if found else [],
    }
    return page(site, request, "asked.html", values)


def _used(library: Library, fact: Fact) -> dict[str, Any]:
    html = render_snippet(fact.text, (), fact.path, library.files.__contains__, library.named)
    return {"fact": fact, "html": html, "url": note_url(fact.path, fact.line, fact.end_line)}


def log_question(site: Site, question: str, answer: Answer, actor: str = "person") -> None:
    """Note what a person asked, where the log is on; a reload asks nothing new."""
    if not use.is_on(site.memory):
        return
    now = time.monotonic()
    last = site.found.get("asked")
    if last is not None and last[0] == question and now - last[1] < _SAME_QUESTION_SECONDS:
        return
    site.found["asked"] = (question, now)
    use.record_question(site.memory, question, answer, actor=actor)


def log_opening(site: Site, question: str, path: str, first: int, last: int) -> None:
    """Note that a result was opened; what it answers was asked by then, typed or not."""
    if not use.is_on(site.memory):
        return
    if question:
        log_question(site, question, site.memory.search(question))
    use.record_opening(site.memory, path, first, last)


def answer_question(site: Site, question: str, text: str, *, durable: bool, allow: bool) -> Written:
    """Write down what a question asked for, and ask again."""
    done = site.memory.remember(text, durable=durable, allow_secrets=allow)
    site.memory.sync()
    again = site.memory.search(question)
    use.record_question(site.memory, question, again)
    return Written(done, again.strength or "nothing")
