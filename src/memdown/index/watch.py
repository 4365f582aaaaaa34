"""File changes as hints: each one says that a scan is worth while, never what changed.

Only folders are watched, one by one and not recursively: what lies in a workspace beside the notes
costs nothing, and no link leads the watch elsewhere. A folder that is new, or was replaced, makes
the watch anew. Where the system gives no more watches, the notes are scanned instead, and `say`
is told so.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from memdown.errors import ConfigError
from memdown.files import make_folder

log = logging.getLogger("memdown")

# Events can be lost; a scan at this pace finds what they missed.
SAFETY_SECONDS = 30.0
_SCAN_SECONDS = 2.0
# Scanning takes at most this share of one core.
_SCAN_SHARE = 0.004
_TRY_EVENTS_AGAIN_SECONDS = 300.0
_TICK_MS = 250
_STEP_MS = 100
# Someone who writes all the time must not put a sync off for ever.
_LONGEST_DEBOUNCES = 4
_NOTES = (".md", ".jsonl", ".gitignore", ".memdownignore")

Say = Callable[[str | None], None]


def hints(
    places: Callable[[], Sequence[Path]],
    stop: threading.Event,
    *,
    debounce_s: float,
    events: bool = True,
    interval_s: float | None = None,
    again_in: Callable[[], float | None] = lambda: None,
    say: Say = lambda _: None,
) -> Iterator[None]:
    """Yield whenever the notes in `places` may have changed: at once, then after every change.

    `places` is asked again after each hint, and `again_in` for the seconds after which another one
    is wanted, since something was put off. `say` gets the reason while events are not to be had,
    and None when they are. Every `interval_s` seconds there is a hint in any case; without `events`
    there is no other.
    """
    if not events:
        yield from _by_interval(stop, interval_s, say)
        return
    safety_s = SAFETY_SECONDS if interval_s is None else min(SAFETY_SECONDS, interval_s)
    while not stop.is_set():
        try:
            yield from _by_events(places, stop, debounce_s, safety_s, again_in, say)
            continue
        except FileNotFoundError:
            # A folder went while the watch was being made; the next look shows another set.
            stop.wait(_TICK_MS / 1000)
            yield
            continue
        except (OSError, RuntimeError) as error:
            say(f"scanning, because folders cannot be watched ({_short(error)})")
        yield from _by_scanning(stop, _TRY_EVENTS_AGAIN_SECONDS, _SCAN_SECONDS)


def _by_interval(stop: threading.Event, interval_s: float | None, say: Say) -> Iterator[None]:
    """Yield at once and every `interval_s` seconds, whatever happens to the files."""
    if interval_s is None:
        raise ConfigError(
            "There is nothing to watch for: memorySearch.sync.watch is false and "
            "sync.intervalMinutes is 0; turn one of them on."
        )
    say(f"scanning every {interval_s / 60:g} minutes, because memorySearch.sync.watch is false")
    while not stop.is_set():
        yield
        stop.wait(interval_s)


def _by_events(
    places: Callable[[], Sequence[Path]],
    stop: threading.Event,
    debounce_s: float,
    safety_s: float,
    again_in: Callable[[], float | None],
    say: Say,
) -> Iterator[None]:
    """Yield after changes until the set of watched folders is no longer the right one."""
    from watchfiles import watch

    watched = _identities(places())
    changed_at: float | None = None
    quiet_at = 0.0
    due = 0.0
    for changes in watch(
        *watched,
        watch_filter=None,
        debounce=_STEP_MS * 4,
        step=_STEP_MS,
        stop_event=stop,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        recursive=False,
    ):
        now = time.monotonic()
        if not due:
            say(None)
        if any(_counts(path, watched) for _, path in changes):
            changed_at = now if changed_at is None else changed_at
            quiet_at = now + debounce_s
        long_enough = changed_at is not None and (
            now >= quiet_at or now - changed_at >= _LONGEST_DEBOUNCES * debounce_s
        )
        if stop.is_set():
            return
        if now >= due or long_enough:
            yield
            pause = again_in()
            changed_at = None
            due = time.monotonic() + (safety_s if pause is None else min(safety_s, pause))
            if _identities(places()) != watched:
                return


def _by_scanning(stop: threading.Event, again: float, pause: float) -> Iterator[None]:
    """Yield at a pace that what follows each hint, a scan, does not become a burden."""
    end = time.monotonic() + again
    while not stop.is_set() and time.monotonic() < end:
        start = time.process_time()
        yield
        cost = time.process_time() - start
        stop.wait(min(SAFETY_SECONDS, max(pause, cost / _SCAN_SHARE)))


def _identities(places: Sequence[Path]) -> Mapping[Path, tuple[int, int]]:
    """The folders that can be watched, and which ones they are: a name may get another folder.

    One that cannot be read is left out here, since `watchfiles`, when told to ignore those, also
    ignores that there are no more watches.
    """
    found = {}
    for place in places:
        with contextlib.suppress(OSError):
            facts = place.stat()
            if os.access(place, os.R_OK | os.X_OK):
                found[place] = (facts.st_dev, facts.st_ino)
    return found


def _counts(path: str, watched: Mapping[Path, object]) -> bool:
    """Whether a change at this path can be one of the notes: a note, or a folder."""
    return (
        path.lower().endswith(_NOTES)
        or Path(path) in watched
        or (not Path(path).name.startswith(".") and os.path.isdir(path))  # noqa: PTH112
    )


def _short(error: Exception) -> str:
    return str(error).partition(" about [")[0].rstrip(".")


@contextlib.contextmanager
def announced(file: Path) -> Iterator[Say]:
    """Let other processes see, for the time of the block, that someone watches, and how."""
    try:
        make_folder(file.parent)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield lambda _: None
        return

    def say(reason: str | None) -> None:
        data = json.dumps({"pid": os.getpid(), "degraded": reason}).encode()
        with contextlib.suppress(OSError):
            os.pwrite(descriptor, data.ljust(512), 0)
        if reason:
            log.warning("The notes are watched by %s.", reason)

    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield say
    finally:
        os.close(descriptor)


def announcement(file: Path) -> str | None:
    """How the notes are being watched by a process that is alive; None if by none."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            data = json.loads(os.pread(descriptor, 4096, 0) or b"{}")
        else:
            return None
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)
    how = data.get("degraded") or "by file events"
    return f"{how}, process {data.get('pid', '?')}"
