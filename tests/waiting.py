"""Waiting for something that another thread or process will do, never without end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from memdown import Memory

T = TypeVar("T")


def eventually(
    condition: Callable[[], T], seconds: float = 120.0, *, pause: float = 0.02, what: str = ""
) -> T:
    """Ask again and again until the condition holds, and return what it said then.

    `seconds` is for a machine that is busy with other work; a test that waits that long fails. A
    condition that can tell earlier that it will never hold fails with an assertion of its own.
    """
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            # Not in an assert: the run must end even where assertions are turned off.
            raise AssertionError(f"{what or condition} did not hold within {seconds:.0f} s")
        time.sleep(pause)


@contextmanager
def watched(memory: Memory) -> Iterator[threading.Event]:
    """Watches in a thread; the event is set when something was indexed after the first look."""
    stop, begun, indexed = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        for number, report in enumerate(memory.index.watch(stop)):
            if number:
                begun.set()
            if number > 1 and report.indexed:
                indexed.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert begun.wait(30)
        yield indexed
    finally:
        stop.set()
        thread.join(60)
        assert not thread.is_alive()
