"""Which folders become collections of `qmd`, and how their files are named in answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdown.config.settings import QmdPath
from memdown.errors import PathRefused
from memdown.notes.roots import Workspace, roots
from memdown.types import Source

PREFIX = "qmd/"
SESSIONS = "sessions"
_NOTES = "**/*.md"
_EXTRA_PREFIX = "memory-extra-"
_UNFIT = re.compile(r"[^a-z0-9]+")
_GLOB = re.compile(r"([\\\[\]{}()*?!+@|])")
_GLOB_PART = re.compile(r"\*\*/|\*\*|\\.|\[[^]]+\]|.", re.DOTALL)
_WILD = {
    "**/": "(?:[^/]+/)*",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
    "{": "(?:",
    "}": ")",
}


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
    notes: Workspace,
    paths: Sequence[QmdPath],
    *,
    default_memory: bool,
    sessions: Path | None,
) -> tuple[Collection, ...]:
    """The collections that the settings ask for, those with missing folders included."""
    found = [
        one for one in _of_notes(notes) if default_memory or one.name.startswith(_EXTRA_PREFIX)
    ]
    taken = {collection.name for collection in found} | {SESSIONS}
    places = {(collection.folder, collection.pattern) for collection in found}
    for given in paths:
        # Links above a collection are the user's own, as they are above a workspace.
        path = (notes.folder / Path(given.path).expanduser()).resolve()
        folder, pattern = (path, given.pattern)
        if path.is_file():
            folder, pattern = path.parent, _literal(path.name)
        if (folder, pattern) in places:
            continue
        places.add((folder, pattern))
        name = next(name for name in _names(given.name or path.stem) if name not in taken)
        taken.add(name)
        found.append(Collection(name, folder, pattern, _prefix(notes.folder, folder, name)))
    if sessions is not None:
        found.append(Collection(SESSIONS, sessions, _NOTES, f"{PREFIX}{SESSIONS}/", "sessions"))
    return tuple(found)


def _of_notes(notes: Workspace) -> Iterator[Collection]:
    """The memory's own notes and extra paths, each under the names that they have elsewhere."""
    own = {
        "MEMORY.md": "memory-root",
        "memory.md": "memory-alt",
        "memory": "memory-dir",
        "": "workspace",
    }
    extra = 0
    for root in roots(notes):
        # Of an adopted folder all Markdown counts, the curated notes among it.
        if notes.adopted and root.inner and root.name:
            continue
        if root.extra:
            extra += 1
        name = f"{_EXTRA_PREFIX}{extra}" if root.extra else own[root.name]
        place = Path(root.base, *root.parts)
        if root.name.lower().endswith(".md"):
            above = root.name.rpartition("/")
            yield Collection(name, place.parent, _literal(place.name), above[0] + above[1])
        else:
            yield Collection(name, place, _NOTES, root.prefix)


def file_of(path: str, collections: Sequence[Collection]) -> tuple[Path, str] | None:
    """The folder and the path inside it that `qmd/<collection>/<path>` means.

    A file that the collection's pattern leaves out is refused.
    """
    if not path.startswith(PREFIX):
        return None
    name, _, inner = path.removeprefix(PREFIX).partition("/")
    for collection in collections:
        if collection.name == name and collection.prefix.startswith(PREFIX) and inner:
            if not fits_pattern(inner, collection.pattern):
                raise PathRefused(
                    f"{path} is left out by the pattern {collection.pattern} of the collection "
                    f"{name} (memory.qmd.paths[].pattern); use a path that a search shows."
                )
            return collection.folder, inner
    return None


def fits_pattern(path: str, pattern: str) -> bool:
    """Whether a path is one that a glob means: `**`, `*`, `?`, `[a-z]`, `{a,b}`, `\\` as escape."""
    try:
        return re.fullmatch(_regex(pattern), path) is not None
    except re.error:
        return False


def _regex(pattern: str) -> str:
    result = ""
    depth = 0
    for part in _GLOB_PART.findall(pattern):
        depth += {"{": 1, "}": -1 if depth else 0}.get(part, 0)
        if part in _WILD:
            result += _WILD[part]
        elif part == "," and depth:
            result += "|"
        elif part.startswith("[") and len(part) > 2:
            inside = part[1:-1].replace("\\", "\\\\")
            result += f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
        else:
            result += re.escape(part.removeprefix("\\"))
    return result


def _literal(name: str) -> str:
    """A pattern that means one file, whatever is in its name."""
    return _GLOB.sub(r"\\\1", name)


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
