"""The page of what wants a look: facts that disagree, say the same twice, are over, or should last.

Each is one tap: this one holds, both hold, later. Nothing changes before, and everything can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from memdown.facts.reviewing import Proposal
from memdown.notes.statements import Fact, facts_of
from memdown.web.library import Library
from memdown.web.rendering import note_url, render_snippet
from memdown.web.site import Site, page

_MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Kind:
    """How proposals of one kind are shown: a heading, and what their buttons say.

    `sides` has a word for each fact: the verdict that keeps it.
    """

    title: str
    about: str
    apply: str
    fine: str
    sides: tuple[str, ...] = ()


# In the order of the page: what may mislead an agent comes first.
KINDS: Mapping[str, Kind] = {
    "contradiction": Kind(
        "Disagreements",
        "Two facts about the same thing say something different.",
        "This one holds",
        "Both hold",
        ("other", "apply"),
    ),
    "expired": Kind("Over", "Their last day has passed.", "Strike it", "Still true"),
    "duplicate": Kind(
        "Said twice",
        "The same stands in two places.",
        "Keep this one",
        "Keep both",
        ("apply", "other"),
    ),
    "repeated": Kind(
        "Should last",
        "Several days say it, and MEMORY.md does not.",
        "Write it into MEMORY.md",
        "Not needed",
    ),
    "oversized": Kind(
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
class Shown:
    """A proposal as the page shows it."""

    proposal: Proposal
    sides: tuple[Side, ...]
    more: int


def found(site: Site) -> tuple[Proposal, ...] | None:
    """What wants a look; None while a server that follows the notes looks for the first time."""
    if site.is_following:
        return site.reviews.last()
    site.library.refresh()
    return site.reviews.now()


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
    groups: dict[str, list[Shown]] = {}
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


def _shown(library: Library, proposal: Proposal) -> Shown:
    verdicts = KINDS[proposal.kind].sides
    references = proposal.references[:2]
    sides = [
        _side(library, reference, verdicts[index] if index < len(verdicts) else "")
        for index, reference in enumerate(references)
    ]
    return Shown(proposal, tuple(sides), len(proposal.references) - len(references))


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
