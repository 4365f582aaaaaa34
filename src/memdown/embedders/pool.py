"""A few threads for requests, and the answers to several of them, handed on as they come.

The threads are daemons: a provider that hangs never keeps a process alive.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from memdown.errors import BadAnswer, EmbedderError

if TYPE_CHECKING:
    from memdown.types import Vectors


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


Unpacked = tuple[list[int], "Vectors", BadAnswer | None]


class Batches(Generic[T]):
    """An iterator of (positions, vectors); an error comes last, after all that was answered.

    `ready` tells whether the next one is there already. A bad answer leaves the other requests
    alone, since it may be about one text; any other failure takes back what was not sent yet.
    """

    def __init__(
        self,
        requests: dict[Future[T], tuple[list[int], list[str]]],
        unpack: Callable[[Future[T], list[int], list[str]], Unpacked],
    ) -> None:
        self._requests = requests
        self._unpack = unpack
        self._failed: EmbedderError | None = None
        self._done: SimpleQueue[Future[T]] = SimpleQueue()
        for future in list(requests):
            future.add_done_callback(self._done.put)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Sequence[int], Vectors]:
        while self._requests:
            future = self._done.get()
            positions, texts = self._requests.pop(future)
            if future.cancelled():
                continue
            try:
                kept, vectors, bad = self._unpack(future, positions, texts)
            except BadAnswer as error:
                self._failed = self._failed or error
                continue
            except EmbedderError as error:
                if self._failed is None or isinstance(self._failed, BadAnswer):
                    self._failed = error
                self.close()
                continue
            self._failed = self._failed or bad
            if kept:
                return kept, vectors
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        raise StopIteration

    def ready(self) -> bool:
        """Whether an answer is waiting to be unpacked."""
        return not self._done.empty()

    def close(self) -> None:
        """Take back what was not sent yet."""
        for future in list(self._requests):
            future.cancel()
