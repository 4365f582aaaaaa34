"""Which notes there are: a walk that only lists and stats, so that it can run before any search."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import field

from memdown.notes.descriptors import enter, fault, opened_folder, shown
from memdown.notes.roots import (
    GIT,
    MAX_DEPTH,
    NO_RULES,
    OWN,
    Root,
    Rules,
    Workspace,
    check_folder,
    date_of,
    hidden,
    read_patterns,
    roots,
    rules_above,
    unusable,
)
from memdown.types import Failure, FileState
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class Scan:
    """The notes found, by path, and what could not be looked at; a reason is a whole sentence.

    `folders` are those that were listed; `unlisted` those that may hold notes but could not be.
    `ignored` are the notes, and with a final slash the folders, that ignore files leave out.
    """

    files: dict[str, FileState] = field(default_factory=dict)
    problems: tuple[Failure, ...] = ()
    folders: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def scan(workspace: Workspace, known: Mapping[str, FileState] | None = None) -> Scan:
    """Every note of the workspace and its extra paths, each file once, in the order of paths.

    A file that has not changed since it became `known` keeps that very state, which makes a scan
    of thousands of notes about as fast as listing them.
    """
    check_folder(workspace.folder)
    walk = _Walk(known or {})
    for root in roots(workspace):
        walk.root(root)
    problems = sorted(walk.problems.items())
    return Scan(
        {path: walk.files[path] for path in sorted(walk.files)},
        tuple(Failure(path, reason) for path, reason in problems),
        tuple(walk.folders),
        tuple(walk.unlisted),
        tuple(sorted(walk.ignored - walk.files.keys())),
    )


@dataclass(frozen=True, slots=True)
class Glance:
    """What a walk has come by, as one number instead of a list: another one if any file changed.

    It says nothing if there were `problems`.
    """

    folders: tuple[str, ...]
    total: int
    problems: bool


def glance(workspace: Workspace) -> Glance:
    """The same walk as a scan, in little memory however many notes there are."""
    check_folder(workspace.folder)
    walk = _Glancing({})
    for root in roots(workspace):
        walk.root(root)
    return Glance(tuple(walk.folders), walk.total, bool(walk.problems))


def total_of(files: Iterable[FileState]) -> int:
    """The number of a walk that comes by these files, in any order."""
    total = 0
    for one in files:
        total += _number(one.path, one.size, one.mtime_ns, one.ctime_ns, one.inode)
    return total


def _number(path: str, *facts: int) -> int:
    text = f"{path}\0{facts}".encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


class _Walk:
    """What one scan has found so far."""

    __slots__ = (
        "_git",
        "_identities",
        "_known",
        "files",
        "folders",
        "ignored",
        "problems",
        "unlisted",
    )

    def __init__(self, known: Mapping[str, FileState]) -> None:
        self._known = known
        self.files: dict[str, FileState] = {}
        self.problems: dict[str, str] = {}
        self.folders: dict[str, None] = {}
        self.unlisted: list[str] = []
        self.ignored: set[str] = set()
        self._git = False
        self._identities: set[tuple[int, int]] = set()

    def root(self, root: Root) -> None:
        self._git = root.git
        rules = rules_above(root)
        try:
            with opened_folder(root.base, root.parts[:-1]) as parent:
                if not root.parts:
                    self._folder(parent, root.prefix, 0, rules)
                    return
                name = root.parts[-1]
                facts = os.stat(name, dir_fd=parent, follow_symlinks=False)
                if stat.S_ISDIR(facts.st_mode):
                    self._enter(parent, name, root.prefix, 0, rules)
                elif stat.S_ISREG(facts.st_mode) and not name.lower().endswith(".md"):
                    what = "is neither a folder nor a Markdown (.md) file; rename or remove it"
                    self._problem(root.name, what)
                elif not self._is_ignored(root.name, rules):
                    self._note(root.name, name, facts)
        except FileNotFoundError:
            if root.extra:
                # It may lie on a disk that is not there at the moment.
                self.unlisted.append(root.prefix)
                self._problem(root.name, "is named in extraPaths but does not exist; create it")
        except OSError as error:
            if error.errno == errno.ELOOP:
                what = (
                    "goes through a symbolic link, which memory never follows; name its real path"
                )
            else:
                self.unlisted.append(root.prefix)
                what = f"cannot be read ({error.strerror}); check the path and its permissions"
            self._problem(root.name, what)

    def _enter(self, parent: int, name: str, prefix: str, depth: int, rules: Rules) -> None:
        if prefix in self.folders or self._is_ignored(prefix, rules):
            return
        if depth > MAX_DEPTH:
            self._problem(prefix, f"is more than {MAX_DEPTH} folders deep; move its notes up")
            return
        try:
            folder = enter(parent, name)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.ELOOP:
                self.unlisted.append(prefix)
            self._problem(prefix, f"cannot be read ({error.strerror}); check its permissions")
            return
        try:
            self._folder(folder, prefix, depth, rules)
        except OSError as error:
            self.unlisted.append(prefix)
            self._problem(prefix, f"cannot be listed ({error.strerror}); check the disk")
        finally:
            os.close(folder)

    def _folder(self, folder: int, prefix: str, depth: int, rules: Rules) -> None:
        if prefix in self.folders:
            return
        self.folders[prefix] = None
        inner, entries, patterns = [], [], []
        with os.scandir(folder) as listing:
            for entry in listing:
                if not hidden(entry.name):
                    entries.append(entry)
                elif entry.name == OWN or (entry.name == GIT and self._git):
                    patterns.append(entry.name)
        if patterns:
            rules = self._with_patterns(folder, prefix, rules, patterns)
        ruled = rules is not NO_RULES
        for entry in entries:
            name = entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    inner.append(name)
                elif name[-3:].lower() == ".md":
                    if not (ruled and self._is_ignored(prefix + name, rules)):
                        self._note(prefix + name, name, entry.stat(follow_symlinks=False))
                elif entry.is_symlink() and _may_be_folder(entry):
                    self._problem(
                        prefix + name,
                        "is a symbolic link, which memory never follows; name what it leads to "
                        "in extraPaths",
                    )
            except FileNotFoundError:
                continue
            except OSError as error:
                # One entry that cannot be looked at must not hide the others. Without the right
                # to search a folder it is every entry, so the folder is named.
                refused = isinstance(error, PermissionError)
                place = prefix if refused else prefix + name
                if place not in self.unlisted:
                    self.unlisted.append(place)
                self._problem(place, f"cannot be looked at ({error.strerror}); check permissions")
        for name in inner:
            bad = unusable(name)
            if bad:
                self._problem(prefix + name, f"has {bad} in its name; rename the folder")
            else:
                self._enter(folder, name, f"{prefix}{name}/", depth + 1, rules)

    def _with_patterns(self, folder: int, prefix: str, rules: Rules, names: list[str]) -> Rules:
        """The rules inside a folder: those around it and those of its own ignore files."""
        found: dict[str, bytes | None] = {}
        for name in names:
            try:
                found[name] = read_patterns(name, folder)
            except OSError as error:
                what = f"cannot be read ({error.strerror}), so it leaves nothing out; check it"
                self._problem(prefix + name, what)
        return rules.below(prefix, found.get(OWN), found.get(GIT))

    def _is_ignored(self, path: str, rules: Rules) -> bool:
        # A name that is no text is named as such instead.
        if path in self.files or rules is NO_RULES or unusable(path):
            return False
        ignored = rules.leave_out(path)
        if ignored:
            self.ignored.add(path)
        return ignored

    def _note(self, path: str, name: str, facts: os.stat_result) -> None:
        known = self._known.get(path)
        if (
            known is not None
            and known.mtime_ns == facts.st_mtime_ns
            and known.ctime_ns == facts.st_ctime_ns
            and known.size == facts.st_size
            and known.inode == facts.st_ino
            and facts.st_nlink == 1
            and known.inode
        ):
            identity = (facts.st_dev, facts.st_ino)
            if identity not in self._identities:
                self._identities.add(identity)
                self.files[path] = known
            return
        bad = unusable(name)
        if bad:
            self._problem(path, f"has {bad} in its name; rename the file")
            return
        wrong = fault(facts)
        if wrong:
            self._problem(path, wrong)
            return
        identity = (facts.st_dev, facts.st_ino)
        if identity in self._identities:
            return
        # Some network disks number no files; there a file found twice is better than a lost one.
        if facts.st_ino:
            self._identities.add(identity)
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


class _Glancing(_Walk):
    """A walk that keeps no list."""

    __slots__ = ("total",)

    def __init__(self, known: Mapping[str, FileState]) -> None:
        super().__init__(known)
        self.total = 0

    def _note(self, path: str, name: str, facts: os.stat_result) -> None:
        if unusable(name) or fault(facts):
            super()._note(path, name, facts)
            return
        self.total += _number(
            path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
        )


def _may_be_folder(link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder, or to what cannot be told: a loop, a private folder."""
    try:
        return link.is_dir()
    except OSError:
        return True
