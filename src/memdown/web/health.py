"""What the index page shows: what is indexed and how, what left the machine, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memdown.types import Status, Usage
from memdown.web.site import Site


@dataclass(frozen=True, slots=True)
class Sent:
    """What one provider got, all days together."""

    provider: str
    host: str
    requests: int
    texts: int
    characters: int
    first: str
    last: str


def facts(site: Site) -> dict[str, Any]:
    """Everything on the page."""
    status = site.memory.status()
    days = status.usage
    looked_up = sum(one.looked_up for one in days)
    return {
        "status": status,
        "state": _state(status),
        "files": sum(status.store.files.values()),
        "chunks": sum(status.store.chunks.values()),
        "hit_rate": sum(one.found for one in days) / looked_up if looked_up else None,
        "sent": _sent(days),
        "job": site.job.state(),
        "failed": site.job.report.failed if site.job.report else (),
        "chunking": site.memory.settings.chunking,
    }


def _state(status: Status) -> tuple[str, str]:
    """The freshness in one word for the colour and one sentence for people."""
    if not status.store.files and not status.changed:
        return "empty", "There are no notes yet"
    if not status.dirty:
        return "fresh", "Up to date"
    if not status.store.files:
        return "stale", "Not indexed yet"
    if status.changed:
        files = "file" if status.changed == 1 else "files"
        return "stale", f"{status.changed} {files} changed since the last index"
    return "stale", "The settings changed: the next sync makes the index anew"


def _sent(days: tuple[Usage, ...]) -> list[Sent]:
    """The days added up by provider and host, where something was sent at all."""
    sums: dict[tuple[str, str], Sent] = {}
    for one in days:
        if not one.requests:
            continue
        key = (one.provider, one.host)
        before = sums.get(key) or Sent(one.provider, one.host, 0, 0, 0, one.day, one.day)
        sums[key] = Sent(
            one.provider,
            one.host,
            before.requests + one.requests,
            before.texts + one.texts,
            before.characters + one.characters,
            min(before.first, one.day),
            max(before.last, one.day),
        )
    return list(sums.values())
