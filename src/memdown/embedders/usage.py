"""What left this machine, and what the cache saved: a small log in the state folder, by day."""

from __future__ import annotations

import datetime
import json
import logging
import os
from dataclasses import asdict, fields, replace
from pathlib import Path

from memdown.files import locked, open_file, replace_file
from memdown.types import ProviderUsage

log = logging.getLogger("memdown")

_COMPACT_BYTES = 256 * 1024


_COUNTS = tuple(one.name for one in fields(ProviderUsage))[3:]


def note(path: Path, usage: ProviderUsage) -> None:
    """Add to the log. Losing count is no reason to fail: trouble is only logged."""
    line = json.dumps({key: value for key, value in asdict(usage).items() if value})
    try:
        with locked(_lock_file(path)) as alone:
            with os.fdopen(
                open_file(path, os.O_APPEND | os.O_WRONLY), "a", encoding="utf-8"
            ) as log_file:
                log_file.write(line + "\n")
            if alone and path.stat().st_size > _COMPACT_BYTES:
                _compact(path)
    except OSError as error:
        log.warning("What is sent to providers cannot be written to %s: %s.", path, error)


def read(path: Path) -> tuple[ProviderUsage, ...]:
    """Everything noted, added up by day, provider and host, oldest first."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    sums: dict[tuple[str, str, str], ProviderUsage] = {}
    for line in lines:
        one = _parse(line)
        if one is None:
            continue
        key = (one.day, one.provider, one.host)
        sums[key] = _add(sums[key], one) if key in sums else one
    return tuple(sums[key] for key in sorted(sums))


def noted_today(provider: str, host: str = "", **counts: int) -> ProviderUsage:
    """Counts of this day, as people here call it."""
    return ProviderUsage(datetime.date.today().isoformat(), provider, host, **counts)  # noqa: DTZ011


def _parse(line: str) -> ProviderUsage | None:
    """A line of the log; None for one that was cut off."""
    try:
        data = json.loads(line)
        counts = {name: int(data.get(name, 0)) for name in _COUNTS}
        return ProviderUsage(
            str(data["day"]), str(data["provider"]), str(data.get("host", "")), **counts
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _add(first: ProviderUsage, second: ProviderUsage) -> ProviderUsage:
    counts = {name: getattr(first, name) + getattr(second, name) for name in _COUNTS}
    return replace(first, **counts)


def _compact(path: Path) -> None:
    """Rewrite the log with one line for each day, provider and host."""
    lines = (
        json.dumps({key: value for key, value in asdict(usage).items() if value}) + "\n"
        for usage in read(path)
    )
    replace_file(path, "".join(lines).encode("utf-8"))


def _lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")
