"""What must be known from one process to the next: when `qmd` last worked, and when to try again."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from memdown.files.private import open_file

_FIRST_REST_SECONDS = 15.0
_LONGEST_REST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Rest:
    """After a failure nothing is tried until `until`; each further failure rests twice as long."""

    failures: int = 0
    until: float = 0.0
    reason: str = ""

    def after_failure(self, reason: str, now: float) -> Rest:
        """One failure more."""
        pause = min(_LONGEST_REST_SECONDS, _FIRST_REST_SECONDS * 2.0 ** min(self.failures, 16))
        return Rest(self.failures + 1, now + pause, reason)

    def is_over(self, now: float) -> bool:
        """Whether it may be tried (again); a clock that was set back does not stop it for ever."""
        return now >= self.until or self.until - now > _LONGEST_REST_SECONDS


@dataclass(frozen=True, slots=True)
class Notebook:
    """Times are seconds since 1970; `collections` are those that were made, as name → record."""

    updated: float = 0.0
    embedded: float = 0.0
    notes: str = ""
    collections: Mapping[str, list[str]] = field(default_factory=dict)
    searching: Rest = Rest()
    updating: Rest = Rest()
    embedding: Rest = Rest()


def read_notebook(file: Path) -> Notebook:
    """What was written down; nothing if there is none or it makes no sense."""
    try:
        data = json.loads(file.read_bytes())
        data |= {name: Rest(**data[name]) for name in ("searching", "updating", "embedding")}
        known = {one.name for one in fields(Notebook)}
        return Notebook(**{name: data[name] for name in data if name in known})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Notebook()


def write_notebook(file: Path, **changes: object) -> Notebook:
    """Change what is written down; other processes may be changing other things of it."""
    with _locked(file.with_suffix(".lock"), wait=True):
        book = replace(read_notebook(file), **changes)  # type: ignore[arg-type]
        draft = file.with_suffix(f".{os.getpid()}.new")
        with os.fdopen(open_file(draft, os.O_WRONLY | os.O_TRUNC), "w") as opened:
            opened.write(json.dumps(asdict(book)))
        draft.replace(file)
    return book


@contextlib.contextmanager
def alone(file: Path) -> Iterator[bool]:
    """Be the only process that updates; False if another one is at it."""
    with _locked(file, wait=False) as acquired:
        yield acquired


@contextlib.contextmanager
def _locked(file: Path, *, wait: bool) -> Iterator[bool]:
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
