"""A progress bar for long indexing, on a terminal only."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memdown.cli.terminal import own
from memdown.types import Progress, ProgressCallback

_CLEAR = "\r\033[K"
_WIDTH = 24
_EVERY_SECONDS = 0.1
_QUIET_SECONDS = 0.5


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """A callback that draws the progress on standard error, once the work is not a short one."""
    start = time.monotonic()
    drawn = 0.0
    over = False

    def draw(progress: Progress) -> None:
        nonlocal drawn
        now = time.monotonic()
        # A search does not wait for long indexing, which then goes on behind it.
        if over or now - start < _QUIET_SECONDS or now - drawn < _EVERY_SECONDS:
            return
        drawn = now
        line = bar_line(progress, now - start)
        shown = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(own(_CLEAR, sys.stderr) + shown)
        sys.stderr.flush()

    def ignore(progress: Progress) -> None:
        """Nobody is looking."""

    try:
        yield draw if sys.stderr.isatty() else ignore
    finally:
        over = True
        if drawn:
            sys.stderr.write(own(_CLEAR, sys.stderr))
            sys.stderr.flush()


def bar_line(progress: Progress, seconds: float) -> str:
    """The bar with count, rate and remaining time."""
    share = progress.completed / progress.total if progress.total else 1.0
    rate = progress.completed / seconds if seconds > 0 else 0.0
    left = f"{(progress.total - progress.completed) / rate:.0f} s left" if rate else "starting"
    bar = "█" * int(share * _WIDTH) + "░" * (_WIDTH - int(share * _WIDTH))
    return (
        f"Indexing {bar} {progress.completed}/{progress.total} files, "
        f"{rate:.0f}/s, {left}  {progress.label}"
    )
