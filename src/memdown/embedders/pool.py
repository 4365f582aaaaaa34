"""A few threads for requests. They are daemons: a provider that hangs never keeps a process alive."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

T = TypeVar("T")


class Pool:
    """Runs work on at most `size` threads, which are started when there is work for them."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._running: set[Future[Any]] = set()
        self._wake = threading.Condition()
        self._threads = 0
        self._idle = 0
        self._ended: Exception | None = None

    def submit(self, work: Callable[[], T], *, urgent: bool = False) -> Future[T]:
        """Have the work done; what is urgent goes before everything that waits."""
        future: Future[T] = Future()
        with self._wake:
            if self._ended is not None:
                future.set_exception(self._ended)
                return future
            (self._waiting.appendleft if urgent else self._waiting.append)((future, work))
            if self._idle == 0 and self._threads < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
            self._wake.notify()
        return future

    def close(self, error: Exception) -> None:
        """Let everyone who waits for a result have `error` instead, at once."""
        with self._wake:
            self._ended = error
            left = [*self._running, *(future for future, _ in self._waiting)]
            self._waiting.clear()
            self._wake.notify_all()
        for future in left:
            _settle(future, error=error)

    def _work(self) -> None:
        while True:
            with self._wake:
                self._idle += 1
                while not self._waiting and self._ended is None:
                    self._wake.wait()
                self._idle -= 1
                if self._ended is not None:
                    return
                future, work = self._waiting.popleft()
                if not future.set_running_or_notify_cancel():
                    continue
                self._running.add(future)
            try:
                result = work()
            except Exception as error:
                _settle(future, error=error)
            else:
                _settle(future, result=result)
            with self._wake:
                self._running.discard(future)
            del future, work


def _settle(future: Future[Any], *, result: Any = None, error: Exception | None = None) -> None:
    # The other side may have settled it already: a closed pool does not wait for its threads.
    with contextlib.suppress(InvalidStateError):
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)
