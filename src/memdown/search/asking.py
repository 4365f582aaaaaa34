"""What a caller asks for, and whether it can be meant."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import SupportsFloat, SupportsIndex

from memdown.errors import QueryError
from memdown.index.filters import Filter
from memdown.search.filters import make_filter
from memdown.types import ProgressCallback, Source
from memdown.values import dataclass

_SOURCES: Mapping[object, Source] = {
    "notes": "memory",
    "memory": "memory",
    "sessions": "sessions",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for; None leaves a choice to the settings.

    `chat` and `session_key` say who asks, for `memory.qmd.scope`. With `words_only` the query is not
    embedded: nothing of it goes to a provider.
    `as_of` asks for what held on another day, `history` for what was beside what is. With `explain` the
    best of what is below the bar is told as well; where nothing is above it, it always is.
    """

    query: str
    max_results: int | None = None
    min_score: float | None = None
    sources: str | Sequence[str] | None = None
    since: datetime.date | str | None = None
    until: datetime.date | str | None = None
    folder: str | None = None
    tags: str | Sequence[str] | None = None
    progress: ProgressCallback | None = None
    chat: str | None = None
    session_key: str | None = None
    words_only: bool = False
    as_of: datetime.date | str | None = None
    history: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True)
class RequestScope:
    """A checked request's sources (None: those of the settings) and filter (None: every note)."""

    sources: tuple[Source, ...] | None
    only: Filter | None


def request_scope(request: Request, folder: Path, today: datetime.date) -> RequestScope:
    """The part of the notes in a folder that a request asks about; a `QueryError` if it cannot be meant."""
    check_request(request.query, request.max_results, request.min_score)
    only = make_filter(
        folder,
        today,
        since=request.since,
        until=request.until,
        folder=request.folder,
        tags=request.tags,
    )
    return RequestScope(None if request.sources is None else source_names(request.sources), only)


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
