"""Which folders become collections of `qmd`, and how their files are named in answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdown.config.qmd_settings import QmdPath
from memdown.types import Source

PREFIX = "qmd/"
SESSIONS = "sessions"
_NOTES = "**/*.md"
_UNFIT = re.compile(r"[^a-z0-9]+")
_GLOB = re.compile(r"([\\\[\]{}()*?!+@|])")


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder that `qmd` indexes; `prefix` stands before its files' paths in answers."""

    name: str
    folder: Path
    pattern: str
    prefix: str
    source: Source = "memory"

    def shown(self, path: str) -> str:
        """A file of the collection as users see it."""
        return self.prefix + path

    @property
    def record(self) -> list[str]:
        """What makes it another collection when it changes."""
        return [str(self.folder), self.pattern]


def wanted_collections(
    workspace: Path,
    paths: Sequence[QmdPath],
    *,
    default_memory: bool,
    sessions: Path | None,
) -> tuple[Collection, ...]:
    """The collections that the settings ask for, those with missing folders included."""
    found: list[Collection] = []
    if default_memory:
        found += [
            Collection("memory-root", workspace, "MEMORY.md", ""),
            Collection("memory-alt", workspace, "memory.md", ""),
            Collection("memory-dir", workspace / "memory", _NOTES, "memory/"),
        ]
    taken = {collection.name for collection in found} | {SESSIONS}
    places = {(collection.folder, collection.pattern) for collection in found}
    for given in paths:
        # Links above a collection are the user's own, as they are above a workspace.
        path = (workspace / Path(given.path).expanduser()).resolve()
        folder, pattern = (path, given.pattern)
        if path.is_file():
            folder, pattern = path.parent, _GLOB.sub(r"\\\1", path.name)
        if (folder, pattern) in places:
            continue
        places.add((folder, pattern))
        name = next(name for name in _names(given.name or path.stem) if name not in taken)
        taken.add(name)
        found.append(Collection(name, folder, pattern, _prefix(workspace, folder, name)))
    if sessions is not None:
        found.append(Collection(SESSIONS, sessions, _NOTES, f"{PREFIX}{SESSIONS}/", "sessions"))
    return tuple(found)


def file_of(path: str, collections: Sequence[Collection]) -> tuple[Path, str] | None:
    """The folder and the path inside it that `qmd/<collection>/<path>` means."""
    if not path.startswith(PREFIX):
        return None
    name, _, inner = path.removeprefix(PREFIX).partition("/")
    for collection in collections:
        if collection.name == name and collection.prefix.startswith(PREFIX) and inner:
            return collection.folder, inner
    return None


def _prefix(workspace: Path, folder: Path, name: str) -> str:
    """Notes of the workspace keep the names that the rest of Memdown gives them."""
    memory = workspace / "memory"
    if folder.is_relative_to(memory):
        return f"{folder.relative_to(workspace).as_posix()}/"
    return f"{PREFIX}{name}/"


def _names(wanted: str) -> Iterator[str]:
    name = _UNFIT.sub("-", wanted.lower()).strip("-") or "notes"
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
