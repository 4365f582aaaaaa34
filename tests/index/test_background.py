"""A sync in the background is one, and whoever waits for it learns how far it is."""

from __future__ import annotations

import threading

from memdown.index.index import Background
from memdown.types import Progress, ProgressCallback


def test_who_comes_later_gets_the_progress_of_the_sync_that_runs() -> None:
    """A client's first search finds the sync of the start under way."""
    begun, go_on = threading.Event(), threading.Event()
    first: list[Progress] = []
    second: list[Progress] = []

    def work(progress: ProgressCallback) -> None:
        progress(Progress(1, 2, "notes"))
        begun.set()
        go_on.wait(30)
        progress(Progress(2, 2, "notes"))

    background = Background()
    background.start(work, first.append)
    assert begun.wait(30)
    sync, was_running = background.start(work, second.append)
    assert was_running
    go_on.set()
    sync.join(30)
    assert [one.completed for one in first] == [1, 2]
    assert [one.completed for one in second] == [2]
