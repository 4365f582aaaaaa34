"""Which hosts have which files of an index that several share, and the files that none has any more.

Every host reports the files it has whenever they become others, and once a day. A file of a host that
is gone stays in the index, since no other may remove it; here is found which ones those are. Paths are
reported as short digests: they are compared, never shown.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable, Sequence

from memdown.errors import ConfigError
from memdown.index.manifest import Manifest
from memdown.values import dataclass

# A host whose files stay the same reports them again after this time.
REPORT_SECONDS = 24 * 3600.0
_TRY_AGAIN_SECONDS = 3600.0
_DAY = 24 * 3600.0
_NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class HostReport:
    """What a host reported last, and how many seconds ago; `paths` are packed by `pack_paths`."""

    host: str
    name: str
    age: float
    paths: bytes

    @property
    def files(self) -> int:
        """How many files it has."""
        return len(self.paths) // _NAME_BYTES


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file of the index that no living host has; `had` is who reported it last, None if nobody did."""

    path: str
    had: str | None


@dataclass(frozen=True, slots=True)
class Ownership:
    """All hosts that reported, those of them that count as gone, and the files that no other has."""

    hosts: tuple[HostReport, ...]
    gone: tuple[HostReport, ...]
    orphans: tuple[Orphan, ...]
    me: str

    def removable(self, *, unreported: bool) -> list[str]:
        """The paths of hosts that are gone; with `unreported` also those that nobody reported."""
        return [one.path for one in self.orphans if unreported or one.had is not None]


class ReportTurn:
    """When a process that writes nothing tries to report: seldom, since it may not be allowed to."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_due(self, manifest: Manifest) -> bool:
        """Whether it should try now; then not again for a while."""
        if time.monotonic() < self._next or not is_report_due(manifest):
            return False
        self._next = time.monotonic() + _TRY_AGAIN_SECONDS
        return True


def joining(agent: str, place: str) -> str:
    """What a host is told that begins to share an index: whoever names the same agent there has the same one."""
    return (
        f"Other hosts have notes of the agent {agent!r} at {place}; they are found here from now on, and this "
        "host's notes there. If that is another memory, give this one a name of its own with --agent."
    )


def is_report_due(manifest: Manifest) -> bool:
    """Whether other hosts do not know yet, or not any more, which files this one has."""
    return manifest.reported_before() >= REPORT_SECONDS


def pack_paths(paths: Iterable[str]) -> bytes:
    """Paths as one value: the first bytes of the digest of each, in order."""
    return b"".join(sorted(map(_name, paths)))


def find_orphans(
    indexed: Iterable[str],
    mine: Collection[str],
    hosts: Sequence[HostReport],
    me: str,
    *,
    days: float,
    gone: Collection[str] = (),
) -> Ownership:
    """The files among those `indexed` that neither this host (`mine`) nor another living one has.

    A host counts as gone that has been silent for more than `days`, or is named in `gone` by its name
    or the beginning of its number. Naming this host, or one that is not known, is an error.
    """
    named = {one.host for name in gone for one in _named(name, hosts, me)}
    lost = [one for one in hosts if one.host != me and (one.host in named or one.age > days * _DAY)]
    living = {name for one in hosts if one not in lost for name in _names(one.paths)}
    last = {
        name: one for one in sorted(lost, key=lambda one: -one.age) for name in _names(one.paths)
    }
    orphans = []
    for path in sorted(set(indexed).difference(mine)):
        name = _name(path)
        if name not in living:
            had = last.get(name)
            orphans.append(Orphan(path, had.name if had else None))
    return Ownership(tuple(hosts), tuple(lost), tuple(orphans), me)


def _named(name: str, hosts: Sequence[HostReport], me: str) -> list[HostReport]:
    found = [one for one in hosts if name and (one.name == name or one.host.startswith(name))]
    if not found:
        known = ", ".join(f"{one.name} ({one.host})" for one in hosts) or "none"
        raise ConfigError(f"No host {name!r} has reported files; those that have: {known}.")
    if len(found) > 1:
        which = ", ".join(one.host for one in found)
        raise ConfigError(f"Several hosts are called {name!r}; name one by its number: {which}.")
    if found[0].host == me:
        raise ConfigError(
            f"{name!r} is this host; delete its notes and run `memdown index`, or run the command "
            "on another host."
        )
    return found


def _name(path: str) -> bytes:
    return hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=_NAME_BYTES).digest()


def _names(packed: bytes) -> list[bytes]:
    return [packed[at : at + _NAME_BYTES] for at in range(0, len(packed), _NAME_BYTES)]
