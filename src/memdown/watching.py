"""File changes as hints: each one says that a scan is worth while, never what changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path


def hints(
    folders: Sequence[Path], stop: threading.Event, *, debounce_ms: int, interval_s: float
) -> Iterator[None]:
    """Yield whenever Markdown below the folders may have changed, and at least every interval."""
    from watchfiles import watch

    existing = [folder for folder in folders if folder.exists()]
    for _ in watch(
        *existing,
        watch_filter=lambda _, path: path.lower().endswith(".md"),
        debounce=max(1, debounce_ms),
        stop_event=stop,
        rust_timeout=int(interval_s * 1000),
        yield_on_timeout=True,
        raise_interrupt=True,
    ):
        if stop.is_set():
            return
        yield
