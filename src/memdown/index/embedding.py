"""Chunks → vectors: known ones from the cache, every other text embedded once, and kept at once."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from memdown.embedders.options import checked
from memdown.errors import EmbedderError, WorkspaceError
from memdown.index.changes import Chunking, Sources
from memdown.index.passage_vectors import Embedded, KnownWords, add_up, passage_texts
from memdown.index.store import Store
from memdown.notes.chunks import text_digest
from memdown.notes.related import Comparing
from memdown.text import estimate_tokens
from memdown.types import (
    BatchEmbedder,
    Chunk,
    Embedder,
    EmbeddingJobs,
    FileState,
    ModelKey,
    PassageEmbedder,
    ShortEmbedder,
    StreamingEmbedder,
    Vector,
    Vectors,
    VectorStream,
)
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.index.helper import AskedPortion, Helper

# What was paid for is written down soon, but not for every small request.
_VECTORS_A_WRITE = 256
_SECONDS_A_WRITE = 0.25
_DIGESTS_A_LOOK = 400


@dataclass(slots=True)
class Flight:
    """Chunks on their way: what is known of them, and what was asked for.

    `borrowed` are texts that the flight before already asked for.
    """

    vectors: dict[str, Vector]
    asked: Sequence[str] = ()
    batches: VectorStream = field(default_factory=lambda: _Nothing())
    borrowed: Sequence[str] = ()
    before: Flight | None = None
    error: EmbedderError | None = None


class Embedding:
    """The embedding of one sync. While one flight is under way, the next can be launched.

    With `down` the embedder is not asked at all: there are only the vectors that are known.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        key: ModelKey,
        dims: int | None,
        down: EmbedderError | None = None,
    ) -> None:
        self.embedded = 0
        self.looked_up = 0
        self.found = 0
        self._store = store
        self._embedder = embedder
        self._key = key
        self._dims = dims
        self._down = down
        self._adding: ShortEmbedder | None = None
        self._words = KnownWords()
        self._helper: Helper | None = None
        if isinstance(embedder, ShortEmbedder) and embedder.dims is not None and down is None:
            self._adding = embedder
        self._last: Flight | None = None
        self._flying: list[Flight] = []
        self._unkept: dict[str, Vector] = {}
        self._kept_at = 0.0

    @property
    def works_ahead(self) -> bool:
        """Whether the embedder goes on by itself, so that larger flights pay."""
        return isinstance(self._embedder, StreamingEmbedder)

    @property
    def is_down(self) -> bool:
        """Whether the embedder is not asked."""
        return self._down is not None

    def launch(self, chunks: Sequence[Chunk]) -> Flight:
        """Look the chunks up and start embedding the rest, where the embedder works by itself."""
        texts = {chunk.digest: chunk.text for chunk in chunks}
        vectors = self._known(list(texts))
        flying = set(self._last.asked) if self._last else set()
        missing = [digest for digest in texts if digest not in vectors]
        if missing and self._down is not None:
            flight = Flight(vectors, error=self._down)
            self._flying.append(flight)
            return flight
        asked = [digest for digest in missing if digest not in flying]
        borrowed = [digest for digest in missing if digest in flying]
        flight = Flight(vectors, asked, borrowed=borrowed, before=self._last if borrowed else None)
        if asked:
            flight.batches = _batches(self._embedder, [texts[digest] for digest in asked])
        self._last = flight
        self._flying.append(flight)
        return flight

    @property
    def adds_up(self) -> bool:
        """Whether vectors are sums of those of words: then nothing is launched, and passages have some."""
        return self._adding is not None

    @property
    def portions_ahead(self) -> int:
        """How many portions another process may be asked for before the answer about one is needed; 0 without one."""
        return self._helper.ahead if self._helper else 0

    @contextlib.contextmanager
    def helped(self) -> Iterator[None]:
        """Meanwhile another process adds up, if the embedder allows for it and there is one."""
        from memdown.index.helper import help_for

        self._helper = help_for(self._adding) if self._adding else None
        try:
            yield
        finally:
            helper, self._helper = self._helper, None
            if helper is not None:
                helper.end()

    def ask_for(self, chunks: Sequence[Chunk]) -> AskedPortion | None:
        """Have another process begin to add up; what it answers, `add_up` gives, in the order that was asked in."""
        return self._helper.ask(chunks) if self._helper else None

    def add_up(
        self, chunks: Sequence[Chunk], fresh: int, asked: AskedPortion | None = None
    ) -> Embedded | None:
        """The vectors of chunks, of which so many are new, and of all their passages; None if they are no sums."""
        if self._adding is None:
            return None
        made = self._helper.answer(asked) if self._helper and asked else None
        made = made or add_up(self._adding, chunks, self._words)
        self._check(made.chunks)
        self.embedded += fresh
        return made

    def of_passages(self, chunks: Sequence[Chunk]) -> Vectors | None:
        """The vectors of all passages of some chunks; None if the embedder is not made for that.

        A passage has the vector that a chunk with its text would have, and shares the cache with chunks.
        """
        if self._down is not None or not isinstance(self._embedder, PassageEmbedder):
            return None
        texts = [text for chunk in chunks for text in passage_texts(chunk)]
        digests = list(map(text_digest, texts))
        said = dict(zip(digests, texts, strict=True))
        known = self._cached(list(said))
        missing = {digest: text for digest, text in said.items() if digest not in known}
        if missing:
            made = self._embedder.embed_passages(list(missing.values()))
            self._check(made)
            fresh = dict(zip(missing, made, strict=True))
            known |= fresh
            if self._embedder.cacheable:
                self._unkept |= fresh
                self._keep()
        return np.stack([known[digest] for digest in digests]) if digests else None

    def keep_ready(self) -> None:
        """Keep the vectors that came meanwhile, without waiting for more."""
        for flight in self._flying:
            while flight.error is None and flight.batches.ready() and self._take(flight):
                pass
        if self._unkept and time.monotonic() - self._kept_at > _SECONDS_A_WRITE:
            self._keep()

    def land(self, flight: Flight) -> Flight:
        """Wait for the vectors of a flight; one that failed has an `error` and fewer of them."""
        try:
            while self._take(flight):
                self.keep_ready()
        finally:
            self._keep()
        self._flying.remove(flight)
        if flight.before is not None:
            lent = flight.before.vectors
            flight.vectors |= {digest: lent[digest] for digest in flight.borrowed if digest in lent}
            flight.error = flight.error or flight.before.error
            flight.before = None
        return flight

    def abandon(self) -> None:
        """Take back what was not sent yet, and keep what was answered: it is paid for."""
        for flight in self._flying:
            flight.batches.close()
        self.keep_ready()
        self._keep()

    def _take(self, flight: Flight) -> bool:
        """One more answer of a flight; False when there is none left."""
        try:
            try:
                positions, made = next(flight.batches)
            except StopIteration:
                return False
            self._check(made)
        except EmbedderError as error:
            flight.error = flight.error or error
            flight.batches.close()
            return False
        for position, row in zip(positions, made, strict=True):
            digest = flight.asked[position]
            flight.vectors[digest] = row
            if self._embedder.cacheable:
                self._unkept[digest] = row
        self.embedded += len(positions)
        if len(self._unkept) >= _VECTORS_A_WRITE:
            self._keep()
        return True

    def _known(self, digests: Sequence[str]) -> dict[str, Vector]:
        if not self._embedder.cacheable:
            return {}
        usable = self._cached(digests)
        self.looked_up += len(digests)
        self.found += len(usable)
        return usable

    def _cached(self, digests: Sequence[str]) -> dict[str, Vector]:
        if not self._embedder.cacheable:
            return {}
        found = self._store.cached(self._key, digests)
        if self._dims is None and found:
            self._dims = next(iter(found.values())).size
        return {digest: row for digest, row in found.items() if row.size == self._dims}

    def _check(self, made: Vectors) -> None:
        """Vectors of another length than the index has never get into the cache."""
        checked(made, count=len(made), dims=self._dims, provider=self._embedder.id, zeros=True)
        if self._dims is None and len(made):
            self._dims = made.shape[1]

    def _keep(self) -> None:
        if self._unkept:
            rows = np.stack(list(self._unkept.values()))
            self._store.remember_vectors(self._key, list(self._unkept), rows)
            self._unkept.clear()
        self._kept_at = time.monotonic()


def _batches(embedder: Embedder, texts: Sequence[str]) -> VectorStream:
    if isinstance(embedder, StreamingEmbedder):
        return embedder.embed_in_batches(texts)
    return _AtOnce(embedder, texts)


class _Nothing:
    """No vectors at all."""

    def __next__(self) -> tuple[Sequence[int], Vectors]:
        raise StopIteration

    def ready(self) -> bool:
        return False

    def close(self) -> None:
        """There is nothing to take back."""


class _AtOnce(_Nothing):
    """All vectors together, made when they are asked for: what an embedder does on its own."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._texts: Sequence[str] | None = texts

    def __next__(self) -> tuple[Sequence[int], Vectors]:
        if self._texts is None:
            raise StopIteration
        texts, self._texts = self._texts, None
        return range(len(texts)), self._embedder.embed_batch(texts)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sync is going to embed: distinct texts, those in the cache, tokens of the others."""

    provider: str
    model: str
    texts: int
    cached: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Backfill:
    """The texts of many notes, before they are embedded: to be counted, or given to batch jobs."""

    store: Store
    embedder: Embedder
    sources: Sources
    chunking: Chunking
    states: Sequence[FileState]

    def estimate(self) -> Estimate:
        """Read and cut the notes, and count what the cache does not have."""
        texts = missing = tokens = 0
        for group in self._groups():
            new = self._not_cached(group)
            texts += len(group)
            missing += len(new)
            tokens += sum(map(estimate_tokens, new.values()))
        return Estimate(self.embedder.id, self.embedder.model, texts, texts - missing, tokens)

    def by_jobs(self, cache_entries: int) -> frozenset[str]:
        """Have a large number of texts embedded by batch jobs, into a cache of so many entries.

        Returns the digests of texts that a job still has: files that hold one wait for a later sync.
        """
        jobs = jobs_of(self.embedder)
        if jobs is None:
            return frozenset()
        remember = partial(self.store.remember_vectors, ModelKey.of(self.embedder))
        if jobs.pending():
            jobs.collect(remember)
        # A chunk is rarely less than half full: a cheap guess spares small syncs the second reading.
        guess = sum(state.size for state in self.states) / (self.chunking.tokens * 2)
        if jobs.usable and jobs.least_texts <= guess * 1.5 and guess < cache_entries:
            jobs.run(self._missing(jobs), remember)
        return jobs.waiting_for() if jobs.usable else frozenset()

    def _missing(self, jobs: EmbeddingJobs) -> Iterator[tuple[str, str]]:
        waiting = jobs.waiting_for()
        for group in self._groups():
            for digest, text in self._not_cached(group).items():
                if digest not in waiting:
                    yield digest, text

    def _not_cached(self, texts: dict[str, str]) -> dict[str, str]:
        if not self.embedder.cacheable:
            return texts
        known = self.store.cached(ModelKey.of(self.embedder), list(texts))
        return {digest: text for digest, text in texts.items() if digest not in known}

    def _groups(self) -> Iterator[dict[str, str]]:
        """All distinct texts by their digests, a few at a time."""
        seen: set[str] = set()
        group: dict[str, str] = {}
        for state in self.states:
            # What cannot be read is reported by the sync itself.
            with contextlib.suppress(WorkspaceError, OSError):
                document = self.sources.read(state.path).document
                for chunk in self.chunking.cut(document, self.embedder.model):
                    if chunk.digest not in seen:
                        seen.add(chunk.digest)
                        group[chunk.digest] = chunk.text
            if len(group) >= _DIGESTS_A_LOOK:
                yield group
                group = {}
        if group:
            yield group


def jobs_of(embedder: Embedder | None) -> EmbeddingJobs | None:
    """The batch jobs of an embedder that has them turned on."""
    return embedder.jobs if isinstance(embedder, BatchEmbedder) else None


log = logging.getLogger("memdown")

# Where embedding costs time or money, only the nearest by words are compared.
_MOST_PAID: Final = 24
_MOST_FREE: Final = 400


def comparing_by(embedder: Embedder | None) -> Comparing | None:
    """How an embedder compares facts; None without one."""
    if embedder is None:
        return None
    model = embedder

    def nearness(text: str, others: Sequence[str]) -> Sequence[float] | None:
        if not others:
            return []
        try:
            vectors = model.embed_batch([text, *others])
        except EmbedderError as error:
            log.info("Facts are compared by words only: %s", error)
            return None
        return [float(value) for value in vectors[1:] @ vectors[0]]

    return Comparing(nearness, _MOST_PAID if embedder.cacheable else _MOST_FREE)
