"""The answers to several requests, handed on as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from memdown.errors import BadAnswer, EmbedderError

if TYPE_CHECKING:
    from memdown.types import Vectors

T = TypeVar("T")
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
