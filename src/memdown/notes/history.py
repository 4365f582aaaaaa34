"""How a fact came about: what holds, and what it replaced, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memdown.notes.related import gather, rank_related
from memdown.notes.remembering import Pen
from memdown.notes.statements import Fact

_MOST: Final = 3
_RELATED: Final = 0.2
# What is this much less near than the best is about something else.
_SHARE: Final = 0.7


def chains(pen: Pen, query: str) -> list[list[Fact]]:
    """The facts that fit a question best, each followed by what it replaced."""
    facts = gather(pen.workspace)
    ranked = rank_related(query, facts, pen.comparing)
    if not ranked or ranked[0].score < _RELATED:
        return []
    found: dict[str, list[Fact]] = {}
    for one in ranked:
        if one.score < _SHARE * ranked[0].score or len(found) == _MOST:
            break
        head = _head(one.fact, facts)
        found.setdefault(head.reference, [head, *_past(head, facts)])
    return list(found.values())


def _head(fact: Fact, facts: Sequence[Fact]) -> Fact:
    """What a struck fact was replaced by: the bullet that it is nested under."""
    if not fact.struck or not fact.parent:
        return fact
    above = [one for one in facts if one.path == fact.path and one.line == fact.parent]
    return above[0] if above else fact


def _past(head: Fact, facts: Sequence[Fact]) -> list[Fact]:
    return [
        one
        for one in facts
        if one.path == head.path and one.parent == head.line and one.struck and one is not head
    ]
