"""A filter from what a user gave, and why it lets nothing through."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from memdown.errors import QueryError
from memdown.index.filters import Filter, FilteredFiles
from memdown.text.dates import read_time
from memdown.types import SOURCES


def make_filter(
    workspace: Path,
    today: datetime.date,
    *,
    since: datetime.date | str | None = None,
    until: datetime.date | str | None = None,
    folder: str | None = None,
    tags: str | Sequence[str] | None = None,
) -> Filter | None:
    """A filter from what a user gave; None if nothing is left out. Raises QueryError."""
    if since is None and until is None and folder is None and tags is None:
        return None
    first = _day("since", since, today)
    last = _day("until", until, today)
    if first and last and first > last:
        raise QueryError(f"since ({first}) is after until ({last}): no day is left; swap them.")
    named = [tags] if isinstance(tags, str) else list(tags or ())
    made = Filter(first, last, _folder(workspace, folder or ""), tuple(map(_tag, named)))
    return None if made == Filter() else made


def why_none(wanted: Filter, files: FilteredFiles) -> str:
    """The reason why a filter lets no file through, and what would."""
    if wanted.folder and not files.matching(Filter(folder=wanted.folder), SOURCES):
        return f"there is no note in {wanted.folder}{_nearest(wanted.folder, files.folders())}"
    for tag in wanted.tags:
        if not files.matching(Filter(tags=(tag,)), SOURCES):
            return f"no note has the tag {tag}{_nearest(tag, files.tags())}"
    parts = [
        f"in {wanted.folder}" if wanted.folder else "",
        f"since {wanted.since}" if wanted.since else "",
        f"until {wanted.until}" if wanted.until else "",
        *(f"tagged {tag}" for tag in wanted.tags),
    ]
    undated = " (notes without a date are of no time)" if wanted.since or wanted.until else ""
    return f"there is no note {' '.join(filter(None, parts))}{undated}"


def _day(
    name: str, given: datetime.date | str | None, today: datetime.date
) -> datetime.date | None:
    if given is None:
        return None
    if isinstance(given, datetime.datetime):
        return given.date()
    if isinstance(given, datetime.date):
        return given
    days = read_time(given, today) if isinstance(given, str) else None
    if days is None:
        raise QueryError(
            f"{name} is {given!r}, which is no time that is understood: give a day such as "
            "2026-03-01, or a time such as March, last week or 7d."
        )
    return days[0] if name == "since" else days[1]


def _folder(workspace: Path, given: str) -> str:
    """A folder as paths of notes begin: from the workspace on, or absolute."""
    text = given.strip()
    if not text:
        return ""
    path = os.path.normpath(os.path.expanduser(text))  # noqa: PTH111
    if path.split("/")[0] == "..":
        raise QueryError(
            f"The folder {given!r} is above the workspace: give its path from there on."
        )
    if os.path.isabs(path) and Path(path).is_relative_to(workspace):  # noqa: PTH117
        path = str(Path(path).relative_to(workspace))
    return "" if path == "." else path


def _tag(given: str) -> str:
    tag = given.strip().strip("#/").lower() if isinstance(given, str) else ""
    if not tag:
        raise QueryError(f"The tag {given!r} is empty: name one, such as work.")
    return tag


def _nearest(name: str, known: Iterable[str]) -> str:
    """What to try instead."""
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
