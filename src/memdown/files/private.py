"""Files and folders that only their owner may look into, and the check that nobody else wrote them.

`mkdir(parents=True)` gives its mode to the last folder only, and the process's umask decides about
the rest; what lies in the state folder is private whatever the umask is.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memdown.errors import UnsafePlace

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path) -> None:
    """Make a folder and whatever is missing above it, each for its owner alone."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, os.strerror(20), str(folder))


def open_file(file: Path, flags: int) -> int:
    """A descriptor of a file that is made, where it is missing, for its owner alone."""
    return os.open(file, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def check_place(path: Path) -> None:
    """Refuse a file or folder that someone else owns or may write; one that is missing is fine.

    What stands in a configuration can load a library or send notes away, so it must be the
    user's own word, or that of root.
    """
    try:
        facts = path.stat()
    except OSError:
        return
    what = "folder" if stat.S_ISDIR(facts.st_mode) else "file"
    if facts.st_uid not in (0, os.geteuid()):
        raise UnsafePlace(
            path,
            f"The {what} {path} belongs to another user ({_name(facts.st_uid)}), who could make "
            f"Memdown run anything as you; run Memdown as that user, or use a {what} of your own.",
            mendable=False,
        )
    if facts.st_mode & stat.S_IWOTH or (
        facts.st_mode & stat.S_IWGRP and not _is_own_group(facts.st_uid, facts.st_gid)
    ):
        raise UnsafePlace(
            path,
            f"The {what} {path} can be written by other users ({stat.S_IMODE(facts.st_mode):03o}), "
            "who could make Memdown run anything as you; "
            f"run `chmod go-w {path}`, or `memdown doctor --fix`.",
            mendable=True,
        )


def close_to_others(path: Path) -> None:
    """Take from other users what they may do with a file or folder."""
    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)


def is_open_to_others(path: Path) -> bool:
    """Whether other users may do anything with a file or folder."""
    return bool(path.stat().st_mode & _OTHERS)


def open_to_others(top: Path) -> list[Path]:
    """What other users could read at or below a folder; a private folder hides all it holds."""
    found: list[Path] = []
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            facts = folder.lstat()
            if not stat.S_ISDIR(facts.st_mode) or not facts.st_mode & _OTHERS:
                continue
            found.append(folder)
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif not entry.is_symlink() and entry.stat().st_mode & _OTHERS:
                        found.append(Path(entry.path))
        except OSError:
            continue
    return found


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"number {user}"


def _is_own_group(user: int, group: int) -> bool:
    """Whether a group is its owner's alone, as many systems make one for every user."""
    import grp
    import pwd

    try:
        owner, entry = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    return (
        owner.pw_gid == group
        and entry.gr_name == owner.pw_name
        and set(entry.gr_mem) <= {owner.pw_name}
    )
