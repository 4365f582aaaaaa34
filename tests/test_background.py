"""One sync in the background at a time."""

from __future__ import annotations

import threading

from memdown.background import Background
from memdown.errors import StoreError


def test_a_second_start_joins_the_sync_that_runs() -> None:
    go = threading.Event()
    background = Background(lambda _: go.wait())
    first, was_running = background.start(None)
    second, joined = background.start(None)
    go.set()
    first.join()
    third, again = background.start(None)
    background.join()
    assert (was_running, joined, again) == (False, True, False)
    assert second is first
    assert third is not first


def test_its_error_is_kept_for_whoever_waits() -> None:
    def fail(_: object) -> None:
        raise StoreError("The disk is full.")

    background = Background(fail)
    thread, _ = background.start(None)
    thread.join()
    assert str(thread.error) == "The disk is full."


def test_waiting_while_it_starts_is_safe() -> None:
    for _ in range(200):
        background = Background(lambda _: None)
        starter = threading.Thread(target=background.start, args=(None,))
        starter.start()
        background.join()
        starter.join()
        background.join()
