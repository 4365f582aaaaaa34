"""Where notes may lie, and what their paths mean."""

from __future__ import annotations

import datetime
import functools
import os
import re
import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memdown.errors import PathRefused, WorkspaceError
from memdown.notes.descriptors import shown
from memdown.notes.ignoring import GIT, NO_RULES, OWN, Rules, patterns_at

CURATED = ("MEMORY.md", "memory.md")
LOGS = "memory"
MAX_DEPTH = 64
_MAX_PATH = 4096
_SKIPPED_FOLDERS = frozenset({"node_modules"})
_DATED = re.compile(r"(?<![^-_ .])[0-9]{4}-[0-9]{2}-[0-9]{2}(?=[-_ .]|$)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder of the notes, and the files and folders elsewhere that count as notes too.

    In an `adopted` folder all Markdown counts where it stands.
    """

    folder: Path
    extra: tuple[Path, ...] = ()
    adopted: bool = False


@dataclass(frozen=True, slots=True)
class Root:
    """A file or folder that counts: opened at `base`, then name by name along `parts`.

    Links above `base` are the user's own and are followed; below it none is. `git` tells whether
    `.gitignore` leaves notes out: many people keep their memory out of a repository by it.
    """

    name: str
    base: str
    parts: tuple[str, ...]
    extra: bool
    git: bool = True
    inner: bool = True

    @property
    def prefix(self) -> str:
        """What the paths of the notes in this folder start with."""
        return self.name if not self.name or self.name.endswith("/") else f"{self.name}/"


@dataclass(frozen=True, slots=True)
class Place:
    """A note's path as users see it, and the way to it."""

    path: str
    base: str
    parts: tuple[str, ...]
    extra: bool


def open_workspace(
    folder: Path, extra_paths: Sequence[str] = (), *, adopted: bool = False
) -> Workspace:
    """The workspace at `folder`, which must exist; notes and extra paths may still be missing."""
    try:
        real = Path(os.path.realpath(os.path.expanduser(folder)))  # noqa: PTH111
    except ValueError as error:
        raise WorkspaceError(
            f"The workspace {shown(folder)} cannot be used ({error}); name another folder."
        ) from None
    check_folder(real)
    extra = dict.fromkeys(_extra(real, path) for path in extra_paths)
    return Workspace(real, tuple(extra), adopted)


def check_kind(workspace: Workspace) -> None:
    """Refuse a folder that was hardly meant: it is full of other things, without any Markdown.

    A new workspace is empty, and that of an agent, or a project, has some Markdown in it.
    """
    folder = workspace.folder
    if any(root.extra or Path(root.base, *root.parts).exists() for root in roots(workspace)):
        return
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not hidden(entry.name)]
    if names and not any(name.lower().endswith(".md") for name in names):
        raise WorkspaceError(
            f"The folder {shown(folder)} holds no notes: there is no MEMORY.md, no memory/ and no "
            "Markdown in it; name another one, or make it a workspace with `memdown init`."
        )


def check_folder(folder: Path) -> None:
    """Raise a clear error unless the workspace can be listed."""
    try:
        with os.scandir(folder):
            (folder / LOGS).lstat()
    except FileNotFoundError:
        if not folder.exists():
            raise WorkspaceError(
                f"The workspace {shown(folder)} does not exist; run `memdown init` in the folder "
                f"of your notes, make this one with `memdown init {shlex.quote(shown(folder))}`, "
                "or name another."
            ) from None
    except NotADirectoryError:
        raise WorkspaceError(
            f"The workspace {shown(folder)} is not a folder; name the folder that holds "
            "MEMORY.md and memory/."
        ) from None
    except OSError as error:
        raise WorkspaceError(
            f"The workspace {shown(folder)} cannot be read ({error.strerror}); check its "
            "permissions or name another one."
        ) from None


def roots(workspace: Workspace) -> list[Root]:
    """All that counts, in the order in which a file found twice keeps its first name."""
    folder = str(workspace.folder)
    found = [Root(name, folder, (name,), False, git=False) for name in (*CURATED, LOGS)]
    outer = []
    for path in workspace.extra:
        if path.is_relative_to(workspace.folder):
            inner = path.relative_to(workspace.folder).parts
            found.append(Root("/".join(inner), folder, inner, True))
        else:
            parts = (path.name,) if path.name else ()
            outer.append(Root(str(path), str(path.parent), parts, True, inner=False))
    if workspace.adopted:
        found.append(Root("", folder, (), False))
    return [*found, *outer]


def rules_above(root: Root) -> Rules:
    """What `.memdownignore` says between the workspace and one of its roots.

    A root is named by someone, so no `.gitignore` above it counts.
    """
    rules = NO_RULES
    for depth in range(len(root.parts)) if root.inner else ():
        way = root.parts[:depth]
        own = patterns_at("/".join((root.base.rstrip("/"), *way, OWN)))
        rules = rules.below("".join(f"{part}/" for part in way), own, None)
    return rules


def _is_left_out(root: Root, inner: Sequence[str]) -> bool:
    """Whether a scan of this root would pass over the file that `inner` leads to."""
    rules = rules_above(root)
    if not inner:
        return rules.leave_out(root.name)
    if root.parts and rules.leave_out(root.prefix):
        return True
    prefix = root.prefix
    place = "/".join((root.base.rstrip("/"), *root.parts))
    for name in inner:
        own = patterns_at(f"{place}/{OWN}")
        rules = rules.below(prefix, own, patterns_at(f"{place}/{GIT}") if root.git else None)
        prefix, place = f"{prefix}{name}/", f"{place}/{name}"
        if name is not inner[-1] and rules.leave_out(prefix):
            return True
    return rules.leave_out(prefix.rstrip("/"))


def ways(workspace: Workspace) -> tuple[list[str], list[str]]:
    """Where the roots are opened, and the folders on the way from there to each of them."""
    found = roots(workspace)
    inner = [
        "/".join((root.base.rstrip("/"), *root.parts[:depth]))
        for root in found
        for depth in range(1, len(root.parts))
    ]
    return list(dict.fromkeys(root.base for root in found)), list(dict.fromkeys(inner))


def locate(workspace: Workspace, path: str) -> Place:
    """Where a path given by a user or a model leads; only paths of notes lead anywhere."""
    name = normalised(path)
    absolute = name.startswith("/")
    matching = [
        root
        for root in roots(workspace)
        if name == root.name or (name.startswith(root.prefix) and (root.prefix or not absolute))
    ]
    if not matching:
        hint = "give it relative to the workspace" if absolute else "use a path that a search shows"
        raise PathRefused(
            f"{shown(path)} is outside the memory (MEMORY.md, memory/ and extraPaths); {hint}."
        )
    root = max(matching, key=lambda root: len(root.name))
    inner = _parts_below(root, name)
    if not name.lower().endswith(".md"):
        raise PathRefused(f"{shown(path)} is not a Markdown note; only .md files can be opened.")
    if len(inner) - 1 > MAX_DEPTH:
        raise PathRefused(f"{shown(path)} is more than {MAX_DEPTH} folders deep; use a search.")
    if any(hidden(part) for part in inner):
        raise PathRefused(
            f"{shown(path)} is hidden (a name with a leading dot, or node_modules), and memory "
            "holds no hidden files; rename it to use it."
        )
    if all(_is_left_out(root, _parts_below(root, name)) for root in matching):
        raise PathRefused(
            f"{shown(path)} is left out of the notes by {OWN} or {GIT}; change that file to use it."
        )
    extra = all(root.extra for root in matching)
    return Place(name, root.base, root.parts + inner, extra)


def _parts_below(root: Root, name: str) -> tuple[str, ...]:
    return tuple(name[len(root.prefix) :].split("/")) if name != root.name else ()


def normalised(path: str) -> str:
    """A path without doubled and trailing slashes and `./`; one that could mislead is refused."""
    if not path.strip():
        raise PathRefused("The path is empty; give the path of a note, such as MEMORY.md.")
    fault = "too many characters" if len(path) > _MAX_PATH else unusable(path)
    if fault:
        raise PathRefused(f"{shown(path)} has {fault} in it; use a path that a search shows.")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise PathRefused(f"{shown(path)} has '..' in it; give the path from the workspace on.")
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def hidden(name: str) -> bool:
    """Whether a name below a root is passed over."""
    return name.startswith(".") or name in _SKIPPED_FOLDERS


def unusable(name: str) -> str | None:
    """Why a file or folder name cannot be part of a path, or None: most can.

    Control characters would reach terminals and prompts with every citation, and a backslash is a
    separator elsewhere.
    """
    if "\\" in name:
        return "a backslash"
    if name.isprintable():
        return None
    kinds = {unicodedata.category(character) for character in name}
    if "Cs" in kinds:
        return "bytes that are not UTF-8"
    if kinds & {"Cc", "Zl", "Zp"}:
        return "a control character"
    return None


def date_of(path: str) -> datetime.date | None:
    """The day a note belongs to, from its name: `2026-03-01.md`, `trip 2026-03-01 notes.md`."""
    name = path.rpartition("/")[2]
    return next(filter(None, map(_day, _DATED.findall(name))), None)


@functools.lru_cache(maxsize=4096)
def _day(iso: str) -> datetime.date | None:
    try:
        return datetime.date(int(iso[:4]), int(iso[5:7]), int(iso[8:]))
    except ValueError:
        return None


def is_memory(path: str) -> bool:
    """Whether a note is one of MEMORY.md and memory/, not of an adopted folder or extra path."""
    return path in CURATED or path.startswith(f"{LOGS}/")


def daily_note(day: datetime.date) -> str:
    """The path of the daily log."""
    return f"{LOGS}/{day.isoformat()}.md"


def _extra(folder: Path, configured: str) -> Path:
    if not configured.strip() or unusable(configured):
        raise WorkspaceError(
            f"extraPaths names {shown(configured) or 'an empty path'!r}, which is no usable path; "
            "correct or remove that entry."
        )
    path = Path(os.path.normpath(folder / os.path.expanduser(configured)))  # noqa: PTH111
    if path.is_relative_to(folder):
        return path
    real = Path(os.path.realpath(path.parent), path.name)
    return real if real.is_relative_to(folder) else path
