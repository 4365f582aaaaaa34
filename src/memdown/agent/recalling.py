"""Recall before a turn: a few memories that clearly belong to a message, without being asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memdown.agent.answers import RECALLED, framed, one_line
from memdown.errors import QueryError
from memdown.notes import date_of
from memdown.types import Hit

if TYPE_CHECKING:
    from memdown.memory import Memory

MAX_MEMORIES = 3
STRONG_SCORE = 0.6
# A score compares the notes with each other; these tell whether the best of them fits at all.
_LEAST_WORDS = 2
_CLOSE = 0.6
_SNIPPET_CHARS = 300
_POOL = 20
_IMPORTS = ("memory/imports/", "memory/imported/")


def recall(
    memory: Memory, message: str, *, limit: int = MAX_MEMORIES, min_score: float = STRONG_SCORE
) -> tuple[Hit, ...]:
    """Up to `limit` places in curated notes that match a message strongly; often none.

    Curated are MEMORY.md and the notes under memory/ that carry no date. Daily logs, transcripts,
    imports and extra paths never come up unasked.
    """
    if not memory.settings.enabled:
        return ()
    try:
        answer = memory.search(message, max_results=_POOL, min_score=min_score, sources=("memory",))
    except QueryError:
        return ()
    fitting = [hit for hit in answer.hits if is_curated(hit.path) and _fits(hit, min_score)]
    return tuple(fitting[:limit])


def _fits(hit: Hit, min_score: float) -> bool:
    """Whether more than a chance word is shared: two words, an identifier, or the meaning."""
    if hit.score < min_score:
        return False
    named = any(character.isdigit() for word in hit.matched for character in word)
    return named or len(hit.matched) >= _LEAST_WORDS or hit.vector_score >= _CLOSE


def is_curated(path: str) -> bool:
    """Whether a note is one that someone keeps in order."""
    if path in ("MEMORY.md", "memory.md"):
        return True
    return path.startswith("memory/") and not path.startswith(_IMPORTS) and date_of(path) is None


def recall_text(hits: Sequence[Hit]) -> str:
    """Recalled memories as text to put before a message; "" if there are none."""
    if not hits:
        return ""
    lines = [
        f"- {framed(_short(hit.snippet))} ({one_line(hit.path)}#L{hit.start_line})" for hit in hits
    ]
    return "\n".join(["<recalled-memories>", RECALLED, *lines, "</recalled-memories>"])


def _short(snippet: str) -> str:
    text = " ".join(snippet.split())
    return text if len(text) <= _SNIPPET_CHARS else f"{text[:_SNIPPET_CHARS].rstrip()} …"
