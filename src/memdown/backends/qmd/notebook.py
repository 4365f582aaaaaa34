"""What must be known from one process to the next: when `qmd` last worked, and when to try again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from memdown.files import locked, replace_file

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
class QmdState:
    """Times are seconds since 1970; `collections` are those that were made, as name → record."""

    updated: float = 0.0
    embedded: float = 0.0
    notes: str = ""
    collections: Mapping[str, list[str]] = field(default_factory=dict)
    searching: Rest = Rest()
    updating: Rest = Rest()
    embedding: Rest = Rest()


def read_notebook(file: Path) -> QmdState:
    """What was written down; nothing if there is none or it makes no sense."""
    try:
        data = json.loads(file.read_bytes())
        data |= {name: Rest(**data[name]) for name in ("searching", "updating", "embedding")}
        known = {one.name for one in fields(QmdState)}
        return QmdState(**{name: data[name] for name in data if name in known})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return QmdState()


def write_notebook(file: Path, **changes: object) -> QmdState:
    """Change what is written down; other processes may be changing other things of it."""
    with locked(file.with_suffix(".lock")):
        book = replace(read_notebook(file), **changes)  # type: ignore[arg-type]
        replace_file(file, json.dumps(asdict(book)).encode("utf-8"))
    return book


@contextlib.contextmanager
def alone(file: Path) -> Iterator[bool]:
    """Be the only process that updates; False if another one is at it."""
    with locked(file, timeout=0) as acquired:
        yield acquired
