"""What a search may be asked for; a type checker sees it, a running program only here."""

from __future__ import annotations

from collections.abc import Collection
from operator import index
from typing import SupportsFloat, SupportsIndex

from memdown.errors import QueryError
from memdown.types import SOURCES


def check_request(query: object, max_results: object, min_score: object, sources: object) -> None:
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
    if sources is not None:
        _check_sources(sources)


def _check_sources(sources: object) -> None:
    if isinstance(sources, str) or not isinstance(sources, Collection) or not sources:
        raise QueryError(f"sources is {sources!r}; give a list of {' and '.join(SOURCES)}.")
    for source in sources:
        if source not in SOURCES:
            raise QueryError(f"There is no source {source!r}; there are {' and '.join(SOURCES)}.")
