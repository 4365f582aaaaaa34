"""What a search may be asked for; a type checker sees it, a running program only here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import index
from typing import SupportsFloat, SupportsIndex

from memdown.errors import QueryError
from memdown.types import Source

_SOURCES: Mapping[object, Source] = {
    "notes": "memory",
    "memory": "memory",
    "sessions": "sessions",
}


def check_request(query: object, max_results: object, min_score: object) -> None:
    """Raise a QueryError that names what cannot be meant; None leaves a choice to the settings."""
    if not isinstance(query, str):
        raise QueryError(f"The query must be text, not {type(query).__name__}.")
    if max_results is not None and not (
        isinstance(max_results, SupportsIndex) and index(max_results) >= 1
    ):
        raise QueryError(f"max_results is {max_results!r}; ask for 1 result or more.")
    if min_score is not None and not (
        isinstance(min_score, SupportsFloat) and 0 <= float(min_score) <= 1
    ):
        raise QueryError(f"min_score is {min_score!r}; a score is between 0 and 1.")


def source_names(sources: object) -> tuple[Source, ...]:
    """The sources that are meant; notes are called memory as well. Raises QueryError."""
    named = [sources] if isinstance(sources, str) else sources
    if not isinstance(named, Collection) or not named:
        raise QueryError(f"sources is {sources!r}; give notes, sessions or both.")
    for name in named:
        if name not in _SOURCES:
            raise QueryError(f"There is no source {name!r}; there are notes and sessions.")
    return tuple(dict.fromkeys(_SOURCES[name] for name in named))
