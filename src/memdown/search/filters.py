"""Which notes a search may show: of a time, in a folder, with a tag."""

from __future__ import annotations

import datetime
import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memdown.errors import QueryError
from memdown.text.dates import read_time
from memdown.types import FileState, Source
from memdown.values import dataclass

_LOGS = "memory/"


@dataclass(frozen=True, slots=True)
class Filter:
    """What a note must be; what is None or empty does not matter.

    A note without a date is of no time. All `tags` must be there, each itself or one below it:
    `work` is also `work/travel`.
    """

    since: datetime.date | None = None
    until: datetime.date | None = None
    folder: str = ""
    tags: tuple[str, ...] = ()


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
    first = _day("since", since, today)
    last = _day("until", until, today)
    if first and last and first > last:
        raise QueryError(f"since ({first}) is after until ({last}): no day is left; swap them.")
    named = [tags] if isinstance(tags, str) else list(tags or ())
    made = Filter(first, last, _folder(workspace, folder or ""), tuple(map(_tag, named)))
    return None if made == Filter() else made


def allowed(
    wanted: Filter, files: Mapping[int, FileState], sources: Sequence[Source]
) -> frozenset[int]:
    """The numbers of the files that a filter lets through."""
    inside = {number: file for number, file in files.items() if file.source in sources}
    if wanted.folder:
        paths = _within([file.path for file in inside.values()], wanted.folder)
        inside = {number: file for number, file in inside.items() if file.path in paths}
    return frozenset(
        number
        for number, file in inside.items()
        if _is_of_time(file, wanted) and _has_tags(file, wanted.tags)
    )


def why_none(wanted: Filter, files: Mapping[int, FileState]) -> str:
    """The reason why a filter lets no file through, and what would."""
    every = list(files.values())
    if wanted.folder and not _within([file.path for file in every], wanted.folder):
        folders = {path for file in every for path in _folders(file.path)}
        return f"there is no note in {wanted.folder}{_nearest(wanted.folder, folders)}"
    for tag in wanted.tags:
        if not any(_has_tags(file, (tag,)) for file in every):
            known = {name for file in every for name in file.tags}
            return f"no note has the tag {tag}{_nearest(tag, known)}"
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


def _within(paths: Iterable[str], folder: str) -> frozenset[str]:
    """The paths in a folder; it may be named without `memory/`, or in other case."""
    every = list(paths)
    for name, changed in (
        (folder, str),
        (_LOGS + folder, str),
        (folder.casefold(), str.casefold),
        (_LOGS + folder.casefold(), str.casefold),
    ):
        found = {
            one for one in every if changed(one) == name or changed(one).startswith(f"{name}/")
        }
        if found:
            return frozenset(found)
    return frozenset()


def _is_of_time(file: FileState, wanted: Filter) -> bool:
    if wanted.since is None and wanted.until is None:
        return True
    return (
        file.date is not None
        and (wanted.since is None or file.date >= wanted.since)
        and (wanted.until is None or file.date <= wanted.until)
    )


def _has_tags(file: FileState, tags: Sequence[str]) -> bool:
    return all(any(has == tag or has.startswith(f"{tag}/") for has in file.tags) for tag in tags)


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _nearest(name: str, known: Iterable[str]) -> str:
    """What to try instead."""
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
