"""What the index page shows: what is indexed and how, what left the machine, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memdown.types import Failure, Status, Usage
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
    failed = site.job.report.failed if site.job.report else ()
    looked_up = sum(one.looked_up for one in days)
    return {
        "status": status,
        "state": _state(status, failed),
        "files": sum(status.store.files.values()),
        "chunks": sum(status.store.chunks.values()),
        "hit_rate": sum(one.found for one in days) / looked_up if looked_up else None,
        "sent": _sent(days),
        "job": site.job.state(),
        "failed": failed,
        "browsers": site.access.pairings.all() if site.access.pairings else [],
        "chunking": site.memory.settings.chunking,
    }


def _state(status: Status, failed: Sequence[Failure]) -> tuple[str, str]:
    """The health in one word for the colour and one sentence for people."""
    notes = status.store.files.get("memory", 0)
    unread = len({one.path for one in (*status.problems, *failed)})
    waiting = max(0, status.changed - unread)
    if not status.store.files and not status.changed:
        return "empty", "There are no notes yet."
    if not status.store.files:
        return "stale", "Not indexed yet: the first search does it."
    said = [f"{notes:,} {'note' if notes == 1 else 'notes'}"]
    if waiting:
        said.append(f"{waiting} not indexed yet")
    elif status.dirty and not unread:
        said.append("to be indexed anew, because the settings changed")
    else:
        said.append("all up to date" if not unread else "the rest up to date")
    if unread:
        said.append(f"{unread} that could not be read")
    said.append(
        "nothing left this machine" if not _sent(status.usage) else "some text was sent away"
    )
    return "bad" if unread else "stale" if waiting or status.dirty else "fresh", ", ".join(
        said
    ) + "."


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
