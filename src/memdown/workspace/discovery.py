"""Which notes there are: a walk that only lists and stats, so that it can run before any search."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field

from memdown.types import Failure, FileState
from memdown.workspace.descriptors import enter, fault, opened_folder, shown
from memdown.workspace.roots import (
    MAX_DEPTH,
    Root,
    Workspace,
    check_folder,
    date_of,
    hidden,
    roots,
    unusable,
)


@dataclass(frozen=True, slots=True)
class Scan:
    """The notes found, by path, and what could not be looked at; a reason is a whole sentence."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: tuple[Failure, ...] = ()


def scan(workspace: Workspace) -> Scan:
    """Every note of the workspace and its extra paths, each file once, in the order of paths."""
    check_folder(workspace.folder)
    walk = _Walk()
    for root in roots(workspace):
        walk.root(root)
    problems = sorted(walk.problems.items())
    return Scan(
        dict(sorted(walk.files.items())),
        tuple(Failure(path, reason) for path, reason in problems),
    )


class _Walk:
    """What one scan has found so far."""

    __slots__ = ("_seen", "files", "problems")

    def __init__(self) -> None:
        self.files: dict[str, FileState] = {}
        self.problems: dict[str, str] = {}
        self._seen: set[tuple[int, int]] = set()

    def root(self, root: Root) -> None:
        try:
            with opened_folder(root.base, root.parts[:-1]) as parent:
                if not root.parts:
                    self._folder(parent, root.prefix, 0)
                    return
                name = root.parts[-1]
                facts = os.stat(name, dir_fd=parent, follow_symlinks=False)
                if stat.S_ISDIR(facts.st_mode):
                    self._enter(parent, name, root.prefix, 0)
                elif stat.S_ISREG(facts.st_mode) and not name.lower().endswith(".md"):
                    what = "is neither a folder nor a Markdown (.md) file; rename or remove it"
                    self._problem(root.name, what)
                else:
                    self._note(root.name, name, facts)
        except FileNotFoundError:
            if root.extra:
                self._problem(root.name, "is named in extraPaths but does not exist; create it")
        except OSError as error:
            if error.errno == errno.ELOOP:
                what = (
                    "goes through a symbolic link, which memory never follows; name its real path"
                )
            else:
                what = f"cannot be read ({error.strerror}); check the path and its permissions"
            self._problem(root.name, what)

    def _enter(self, parent: int, name: str, prefix: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._problem(prefix, f"is more than {MAX_DEPTH} folders deep; move its notes up")
            return
        try:
            folder = enter(parent, name)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problem(prefix, f"cannot be read ({error.strerror}); check its permissions")
            return
        try:
            self._folder(folder, prefix, depth)
        except OSError as error:
            self._problem(prefix, f"cannot be listed ({error.strerror}); check the disk")
        finally:
            os.close(folder)

    def _folder(self, folder: int, prefix: str, depth: int) -> None:
        inner = []
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if hidden(name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(name)
                elif name[-3:].lower() == ".md":
                    try:
                        facts = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    self._note(prefix + name, name, facts)
                elif entry.is_symlink() and entry.is_dir():
                    self._problem(
                        prefix + name,
                        "is a symbolic link, which memory never follows; name what it leads to "
                        "in extraPaths",
                    )
        for name in inner:
            bad = unusable(name)
            if bad:
                self._problem(prefix + name, f"has {bad} in its name; rename the folder")
            else:
                self._enter(folder, name, f"{prefix}{name}/", depth + 1)

    def _note(self, path: str, name: str, facts: os.stat_result) -> None:
        bad = unusable(name)
        if bad:
            self._problem(path, f"has {bad} in its name; rename the file")
            return
        wrong = fault(facts)
        if wrong:
            self._problem(path, wrong)
            return
        identity = (facts.st_dev, facts.st_ino)
        if identity in self._seen:
            return
        # Some network disks number no files; there a file found twice is better than a lost one.
        if facts.st_ino:
            self._seen.add(identity)
        self.files[path] = FileState(
            path,
            "memory",
            facts.st_size,
            facts.st_mtime_ns,
            facts.st_ctime_ns,
            facts.st_ino,
            "",
            date_of(name),
        )

    def _problem(self, path: str, what: str) -> None:
        name = shown(path.rstrip("/") or path or ".")
        self.problems.setdefault(name, f"{name} {what}.")
