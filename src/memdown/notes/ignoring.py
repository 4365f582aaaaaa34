"""What is left out of the notes: `.memdownignore` and `.gitignore`, in the syntax of the latter."""

from __future__ import annotations

import functools
import os
import stat
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdown.notes.descriptors import NOTE

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
