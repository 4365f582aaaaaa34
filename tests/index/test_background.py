"""One sync in the background at a time."""

from __future__ import annotations

import threading

from memdown.errors import StoreError
from memdown.index.background import Background


def test_a_second_start_joins_the_sync_that_runs() -> None:
    go = threading.Event()
    background = Background()
    first, was_running = background.start(lambda _: go.wait(), None)
    second, joined = background.start(lambda _: go.wait(), None)
    go.set()
    first.join()
    third, again = background.start(lambda _: None, None)
    background.join()
    assert (was_running, joined, again) == (False, True, False)
    assert second is first
    assert third is not first


def test_its_error_is_kept_for_whoever_waits() -> None:
    def fail(_: object) -> None:
        raise StoreError("The disk is full.")

    background = Background()
    thread, _ = background.start(fail, None)
    thread.join()
    assert str(thread.error) == "The disk is full."


def test_waiting_while_it_starts_is_safe() -> None:
    done: list[int] = []
    for number in range(200):
        background = Background()
        starter = threading.Thread(
            target=background.start,
            args=(lambda _, number=number: done.append(number), None),
        )
        starter.start()
        background.join()
        starter.join()
        background.join()
        assert done[-1:] == [number], "whoever waits after the start waits for its end"
    assert done == list(range(200))


def test_a_new_start_does_not_rely_on_the_sync_that_runs() -> None:
    """It may have passed over a note that was saved a moment ago, so that nobody would look again."""
    go, done = threading.Event(), []
    background = Background()
    background.start(lambda _: go.wait(), None)
    background.start_anew(lambda _: done.append("second"))
    background.start_anew(lambda _: done.append("third"))
    assert done == []
    go.set()
    background.join()
    assert done == ["second"], "one that has not begun yet will see everything"
