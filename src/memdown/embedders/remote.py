"""An embedder behind HTTP: packs texts into requests, keeps four in flight, checks every answer.

The threads are daemons: a provider that hangs never keeps a process alive.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from memdown.embedders import failures
from memdown.embedders.endpoints import provider_key
from memdown.embedders.http import Call, Http, HttpReply, packed, stopped
from memdown.embedders.options import Options, Sent, Timeouts, checked, normalised
from memdown.errors import BadAnswer, EmbedderError, ProviderTimeout
from memdown.text import estimate_tokens

if TYPE_CHECKING:
    from memdown.embedders.batch_jobs import Jobs
    from memdown.types import Vector, Vectors

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


# Threads only send and receive. Packing is done before, unpacking after, by whoever waits for the
# vectors: so a thread has its next request on the way as soon as it has an answer.
IN_FLIGHT = 4
TOKENS_A_REQUEST = 8000
# What no provider minds: OpenAI takes 2,048 texts, Voyage 1,000, Gemini 100.
_TEXTS_A_REQUEST = 100
_MOST_FAILURES_IN_A_ROW = 2


@dataclass(frozen=True, slots=True)
class Wire:
    """How a provider wants to be asked and how it answers."""

    query: Callable[[str], tuple[str, Any]]
    documents: Callable[[Sequence[str]], tuple[str, Any]]
    query_rows: Callable[[Any], list[Any]]
    document_rows: Callable[[Any], list[Any]]
    texts_a_request: int = _TEXTS_A_REQUEST


class RemoteEmbedder:
    """One model of one provider. Thread-safe; the first connection is made by the first request."""

    cacheable = True
    instant = False
    text_weight: float | None = None

    def __init__(
        self,
        provider: str,
        model: str,
        wire: Wire,
        options: Options,
        *,
        auth: dict[str, str],
        timeouts: Timeouts,
        variant: str = "",
    ) -> None:
        self.id = provider
        self.model = model
        endpoint = options.endpoint
        more = (variant,) if variant else ()
        self.provider_key = provider_key(
            provider, model, endpoint.base_url, endpoint.headers, *more
        )
        self.dims: int | None = None
        self.jobs: Jobs | None = None
        self.http = Http(provider, options, auth=auth, timeouts=timeouts)
        self._wire = wire
        self._timeouts = timeouts
        self._pool = Pool(IN_FLIGHT, f"memdown-{provider}")
        self._dims_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.model}>"

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, in the time limit for questions, however many attempts."""
        limit = self._timeouts.query
        path, body = self._wire.query(text)
        call = Call(path, body=body, timeout=limit, one_deadline=True, load=self._load([text]))
        future = self._pool.submit(partial(self.http.send, call), urgent=True)
        try:
            reply = future.result(limit + 1.0)
        except WaitedTooLong:
            future.cancel()
            raise ProviderTimeout(
                f"{self.http.place} did not answer within {limit:g} seconds; try again later."
            ) from None
        vector: Vector = self._rows(reply, self._wire.query_rows, 1)[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents, in order."""
        rows: list[Vector | None] = [None] * len(texts)
        for positions, vectors in self.embed_in_batches(texts):
            for position, vector in zip(positions, vectors, strict=True):
                rows[position] = vector
        if not rows:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        return np.stack([row for row in rows if row is not None])

    def embed_in_batches(self, texts: Sequence[str]) -> Batches[HttpReply]:
        """Start embedding documents at once; what is finished comes as it is finished.

        When a request fails for good, what else was finished still comes, then the error.
        """
        futures: dict[Future[HttpReply], tuple[list[int], list[str]]] = {}
        for positions in pack(texts, self._wire.texts_a_request):
            some = [texts[position] for position in positions]
            futures[self._send(some)] = (positions, some)
        return Batches(futures, self._unpack)

    def close(self) -> None:
        """Stop waiting for the provider, wherever someone still does."""
        self.http.close()
        self._pool.close(stopped(self.http.place))

    def _send(self, texts: list[str]) -> Future[HttpReply]:
        path, body = self._wire.documents(texts)
        call = Call(path, body=body, timeout=self._timeouts.batch, load=self._load(texts))
        return self._pool.submit(partial(self.http.send, packed(call)))

    def _unpack(
        self, future: Future[HttpReply], positions: list[int], texts: list[str]
    ) -> Unpacked:
        """The vectors of one request; where some are unusable, the others and the error."""
        try:
            rows = self._rows(future.result(), self._wire.document_rows, len(texts))
        except BadAnswer:
            # One text that the provider cannot take must not keep its neighbours out. Before
            # anything ever worked, it is more likely that nothing does.
            if len(texts) == 1 or self.dims is None:
                raise
            return self._one_by_one(positions, texts)
        usable = np.flatnonzero(rows.any(axis=1))
        bad = None
        if len(usable) < len(rows):
            bad = BadAnswer(f"{self.http.place} returned an all-zero vector; it was not stored.")
        if len(usable):
            self._settle_dims(rows)
        return [positions[one] for one in usable], rows[usable], bad

    def _one_by_one(self, positions: list[int], texts: list[str]) -> Unpacked:
        kept: list[int] = []
        rows: list[Vectors] = [np.empty((0, self.dims or 0), dtype=np.float32)]
        failures_in_a_row = 0
        failed: BadAnswer | None = None
        for position, text in zip(positions, texts, strict=True):
            try:
                found, vectors, bad = self._unpack(self._send([text]), [position], [text])
            except BadAnswer as error:
                found, vectors, bad = [], rows[0], error
            failed = failed or bad
            failures_in_a_row = 0 if found else failures_in_a_row + 1
            kept += found
            rows.append(vectors)
            if failures_in_a_row == _MOST_FAILURES_IN_A_ROW:
                break
        return kept, np.concatenate(rows), failed

    def _rows(self, reply: HttpReply, read: Callable[[Any], list[Any]], count: int) -> Vectors:
        place = str(self.http.place)
        answer = self.http.read(reply)
        try:
            found = read(answer)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise failures.odd(self.http.place, "something that holds no embeddings") from None
        if len(found) != count:
            raise failures.odd(self.http.place, f"{len(found)} vectors for {count} texts")
        try:
            rows = np.asarray(found, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise failures.odd(
                self.http.place, "vectors of different lengths or of something else than numbers"
            ) from None
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise failures.odd(self.http.place, "empty vectors")
        # Zeros are looked for by whoever asked: a question may be without meaning, a note not.
        return checked(normalised(rows), count=count, dims=self.dims, provider=place, zeros=True)

    def _settle_dims(self, rows: Vectors) -> None:
        """Take the first answer's length of vectors for every other; answers may come at once."""
        with self._dims_lock:
            if self.dims is None:
                self.dims = rows.shape[1]
        checked(rows, count=len(rows), dims=self.dims, provider=str(self.http.place), zeros=True)

    def _load(self, texts: Sequence[str]) -> Sent:
        return Sent(
            self.id,
            self.http.place.host,
            len(texts),
            sum(map(len, texts)),
            sum(map(estimate_tokens, texts)),
        )


def pack(texts: Sequence[str], most: int = _TEXTS_A_REQUEST) -> Iterator[list[int]]:
    """Positions of texts that go into one request each: 8,000 estimated tokens, or one long text."""
    group: list[int] = []
    tokens = 0
    for position, text in enumerate(texts):
        size = estimate_tokens(text)
        if group and (tokens + size > TOKENS_A_REQUEST or len(group) >= most):
            yield group
            group, tokens = [], 0
        group.append(position)
        tokens += size
    if group:
        yield group
