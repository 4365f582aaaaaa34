"""Where notes may lie, what their paths mean, and what `.memdownignore` and `.gitignore` leave out."""

from __future__ import annotations

import datetime
import functools
import os
import re
import shlex
import stat
import unicodedata
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memdown.errors import PathRefused, WorkspaceError
from memdown.notes.descriptors import NOTE, shown
from memdown.values import dataclass, pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


OWN = ".memdownignore"
GIT = ".gitignore"
_MAX_BYTES = 100_000
# RE2 refuses a set that would take too much memory.
_LINES_A_GROUP = 50

Patterns = tuple["GitIgnoreSpec", ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of a folder and of those above it; `prefix` is the folder's path with a slash.

    The nearest file that says something about a path decides. `.memdownignore` is asked first, so
    that `!name` in it brings back what `.gitignore` leaves out.
    """

    prefix: str = ""
    own: Patterns = ()
    git: Patterns = ()
    above: Rules | None = None

    def below(self, prefix: str, own: bytes | None, git: bytes | None) -> Rules:
        """The rules in a folder that has ignore files with this content."""
        if own is None and git is None:
            return self
        return Rules(prefix, _compiled(own), _compiled(git), self)

    def leave_out(self, path: str) -> bool:
        """Whether a path is left out; that of a folder ends with a slash."""
        for kind in ("own", "git"):
            level: Rules | None = self
            while level is not None:
                inner = path[len(level.prefix) :]
                patterns: Patterns = getattr(level, kind)
                for spec in reversed(patterns):
                    if (said := spec.check_file(inner).include) is not None:
                        return said
                level = level.above
        return False


NO_RULES = Rules()


def read_patterns(name: str, folder: int | None = None) -> bytes | None:
    """The content of an ignore file, None if there is none; an OSError if it cannot be read."""
    try:
        file = os.open(name, os.O_RDONLY | NOTE, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(0, "it is not a regular file")
        if facts.st_size > _MAX_BYTES:
            raise OSError(0, "it is larger than 100 kB")
        return os.read(file, _MAX_BYTES)
    finally:
        os.close(file)


def patterns_at(path: str) -> bytes | None:
    """The same by path, where a file that cannot be read counts as none: a scan names it."""
    try:
        return read_patterns(path)
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _compiled(data: bytes | None) -> Patterns:
    lines = [
        line
        for line in (data or b"").decode("utf-8", "replace").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    groups = (lines[at : at + _LINES_A_GROUP] for at in range(0, len(lines), _LINES_A_GROUP))
    return tuple(spec for group in groups for spec in _specs(group))


def _specs(lines: list[str]) -> list[GitIgnoreSpec]:
    """Some lines compiled, those left out that are no patterns."""
    # Imported only now: most folders have no such file.
    from pathspec import GitIgnoreSpec

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The patterns may come with a foreign checkout: RE2 takes linear time with any.
            return [GitIgnoreSpec.from_lines(lines, backend="re2")]
    except Exception:
        # What a bad pattern raises depends on which of three libraries finds it.
        return [] if len(lines) == 1 else [spec for line in lines for spec in _specs([line])]


CURATED = ("MEMORY.md", "memory.md")
LOGS = "memory"
MAX_DEPTH = 64
_MAX_PATH = 4096
_SKIPPED_FOLDERS = frozenset({"node_modules"})
_DATED = pattern(r"(?<![^-_ .])[0-9]{4}-[0-9]{2}-[0-9]{2}(?=[-_ .]|$)", re.ASCII)


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
class NotePlace:
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
    # What is named inside of another extra path counts by itself, so it comes first.
    for path in sorted(workspace.extra, key=lambda extra: -len(extra.parts)):
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


def locate(workspace: Workspace, path: str) -> NotePlace:
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
    return NotePlace(name, root.base, root.parts + inner, extra)


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
