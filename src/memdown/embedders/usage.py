"""What left this machine, and what the cache saved: a small log in the state folder, by day."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path

from memdown.files.private import make_folder, open_file
from memdown.types import Usage

log = logging.getLogger("memdown")

_COMPACT_BYTES = 256 * 1024


_COUNTS = tuple(one.name for one in fields(Usage))[3:]


def note(path: Path, usage: Usage) -> None:
    """Add to the log. Losing count is no reason to fail: trouble is only logged."""
    line = json.dumps({key: value for key, value in asdict(usage).items() if value})
    try:
        with _locked(path):
            with os.fdopen(
                open_file(path, os.O_APPEND | os.O_WRONLY), "a", encoding="utf-8"
            ) as log_file:
                log_file.write(line + "\n")
            if path.stat().st_size > _COMPACT_BYTES:
                _compact(path)
    except OSError as error:
        log.warning("What is sent to providers cannot be written to %s: %s.", path, error)


def read(path: Path) -> tuple[Usage, ...]:
    """Everything noted, added up by day, provider and host, oldest first."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    sums: dict[tuple[str, str, str], Usage] = {}
    for line in lines:
        one = _parse(line)
        if one is None:
            continue
        key = (one.day, one.provider, one.host)
        sums[key] = _add(sums[key], one) if key in sums else one
    return tuple(sums[key] for key in sorted(sums))


def noted_today(provider: str, host: str = "", **counts: int) -> Usage:
    """Counts of this day, as people here call it."""
    return Usage(datetime.date.today().isoformat(), provider, host, **counts)  # noqa: DTZ011


def _parse(line: str) -> Usage | None:
    """A line of the log; None for one that was cut off."""
    try:
        data = json.loads(line)
        counts = {name: int(data.get(name, 0)) for name in _COUNTS}
        return Usage(str(data["day"]), str(data["provider"]), str(data.get("host", "")), **counts)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _add(first: Usage, second: Usage) -> Usage:
    counts = {name: getattr(first, name) + getattr(second, name) for name in _COUNTS}
    return replace(first, **counts)


def _compact(path: Path) -> None:
    """Rewrite the log with one line for each day, provider and host."""
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        for usage in read(path):
            file.write(json.dumps({key: value for key, value in asdict(usage).items() if value}))
            file.write("\n")
    Path(temporary).replace(path)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Be alone with the log, among all processes; the lock file stays."""
    make_folder(path.parent)
    with os.fdopen(open_file(path.with_name(path.name + ".lock"), os.O_WRONLY), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
