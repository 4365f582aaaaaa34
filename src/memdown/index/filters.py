"""Which files a search may find: of a time, in a folder, with tags. An engine may look them up itself."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from memdown.index.store import Snapshot
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


@runtime_checkable
class FilteredFiles(Protocol):
    """Tells which files a filter lets through; a snapshot that can do so is spared a list of all files."""

    def matching(self, wanted: Filter, sources: Sequence[Source]) -> frozenset[int]:
        """The numbers of the files that a filter lets through."""

    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, however deep."""

    def tags(self) -> frozenset[str]:
        """Every tag that a file has."""


def listing(snapshot: Snapshot) -> FilteredFiles:
    """The snapshot itself, or a list of its files."""
    return snapshot if isinstance(snapshot, FilteredFiles) else FileListing(snapshot.files())


@dataclass(frozen=True, slots=True)
class FileListing:
    """Files in memory, by their numbers."""

    files: Mapping[int, FileState]

    def matching(self, wanted: Filter, sources: Sequence[Source]) -> frozenset[int]:
        """The numbers of the files that a filter lets through."""
        inside = {number: file for number, file in self.files.items() if file.source in sources}
        if wanted.folder:
            paths = _within([file.path for file in inside.values()], wanted.folder)
            inside = {number: file for number, file in inside.items() if file.path in paths}
        return frozenset(
            number
            for number, file in inside.items()
            if _is_of_time(file, wanted) and _has_tags(file, wanted.tags)
        )

    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, however deep."""
        return frozenset(name for file in self.files.values() for name in folders_of(file.path))

    def tags(self) -> frozenset[str]:
        """Every tag that a file has."""
        return frozenset(name for file in self.files.values() for name in file.tags)


def folders_of(path: str) -> list[str]:
    """The folders that a path leads through."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def meanings(folder: str) -> tuple[str, str]:
    """What a folder may be called in full: as it is named, or below the folder of daily notes."""
    return folder, _LOGS + folder


def _within(paths: Iterable[str], folder: str) -> frozenset[str]:
    """The paths in a folder; it may be named without `memory/`, or in other case."""
    every = list(paths)
    for changed in (str, str.casefold):
        for name in map(changed, meanings(folder)):
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
