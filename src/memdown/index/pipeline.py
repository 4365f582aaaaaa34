"""Files → rows of the index: each is read, cut into chunks, embedded and written, some at a time."""

from __future__ import annotations

import contextlib
import gc
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memdown.errors import BadAnswer, EmbedderError, NoteNotFound, NoteUnreadable, WorkspaceError
from memdown.index import growth
from memdown.index.changes import IN_A_JOB, TRY_AGAIN, Changes, Chunking, Sources
from memdown.index.embedding import Embedding, Flight
from memdown.index.store import Writer, Writes
from memdown.types import (
    Chunk,
    Failure,
    FileState,
    IndexedFile,
    Progress,
    ProgressCallback,
    Vector,
    Vectors,
)
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.index.helper import AskedPortion
    from memdown.transcripts import Portion

# Files are embedded and written together until this many new chunks are waiting: enough for large
# requests, few enough that memory stays flat and a stopped sync loses little. An embedder that
# works ahead, with several requests in flight, gets more at a time, so that it is never idle.
_CHUNKS_A_BATCH = 256
_CHUNKS_AHEAD = 1024
# What is written at once: many files cost little more than one, but a kill loses them all, and a
# file without a new chunk counts too.
_CHUNKS_A_WRITE = 4_096
# The last file of a batch is written with it, not as a small segment of its own.
_MOST_CHUNKS_A_BATCH = _CHUNKS_A_WRITE - _CHUNKS_A_BATCH
# The words of a first portion are all new, which takes more memory than any later one.
_MOST_CHUNKS_A_SHARE = 3_072
_FILES_A_WRITE = 256


class Stopped(Exception):
    """Someone asked the sync to end."""


@dataclass(slots=True)
class Tally:
    """What the report will say, while it is being counted."""

    indexed: int = 0
    unchanged: int = 0
    chunks: int = 0
    waiting: int = 0
    without_vectors: int = 0
    failed: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextlib.contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time that the block takes to a phase."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] += time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class _Cut:
    """A note that is cut into chunks; the first `keep` are stored, all of its text if `is_stored`."""

    state: FileState
    chunks: Sequence[Chunk]
    keep: int
    is_stored: bool

    @property
    def fresh(self) -> Sequence[Chunk]:
        """The chunks that need vectors."""
        return self.chunks[self.keep :]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Notes whose vectors are on their way; without a flight or portions that are `asked` for, they get none yet."""

    notes: Sequence[_Cut]
    flight: Flight | None
    asked: Sequence[AskedPortion | None] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One pass over files that changed.

    `embedding` is None where keywords must do. `rebuild` says that the writer's index is new and
    replaces a good one, so that nothing may be missing in it. `in_jobs` are digests of texts that a
    batch job has: the files that hold them are indexed by their words, and get vectors later.
    """

    sources: Sources
    writer: Writer
    chunking: Chunking
    model: str
    embedding: Embedding | None
    stop: threading.Event
    tally: Tally
    progress: ProgressCallback | None = None
    rebuild: bool = False
    in_jobs: frozenset[str] = frozenset()

    def run(self, changes: Changes, indexed: Mapping[str, FileState]) -> None:
        """Index what changed; what was asked of the embedder is taken back if that ends early."""
        try:
            uncollected = _uncollected() if self._is_planned else contextlib.nullcontext()
            with uncollected, self._helped(changes.notes):
                self._index_notes(changes.notes, indexed)
            self._index_transcripts(changes.transcripts, indexed)
        except BaseException:
            if self.embedding is not None:
                self.embedding.abandon()
            raise

    def _index_notes(self, states: Sequence[FileState], indexed: Mapping[str, FileState]) -> None:
        enough = _CHUNKS_AHEAD if self.embedding and self.embedding.works_ahead else _CHUNKS_A_BATCH
        waits = self.embedding is not None and self.embedding.works_ahead
        if self._is_planned:
            enough = max(enough, _portions_for(self._expected(states)).chunks)
        ready, unembedded, touched = _Basket(enough), _Basket(enough), _Basket(enough)
        flying: deque[_Batch] = deque()
        for number, state in enumerate(states):
            self._check_stop()
            self._report(number, len(states), state.path)
            note = self._read(state, indexed.get(state.path))
            if self.embedding is not None:
                self.embedding.keep_ready()
            if note is None:
                continue
            if note.is_stored and not note.chunks:
                touched.add(note)
            elif self.in_jobs.isdisjoint(chunk.digest for chunk in note.fresh):
                ready.add(note)
            else:
                self.tally.waiting += 1
                unembedded.add(note)
            if touched.is_full:
                self._touch(touched.take())
            if unembedded.is_full:
                self._write_texts(unembedded.take(), IN_A_JOB)
            if ready.is_full:
                # The next batch is launched before the last one lands: requests never pause for us.
                flying.append(self._launch(ready.take()))
                if len(flying) > self._most_flying:
                    self._land(flying.popleft())
                if not waits and not self._is_planned:
                    # The more is indexed, the more is written at once: large segments need no merging.
                    ready.grow_to(max(enough, min(_MOST_CHUNKS_A_BATCH, self.tally.chunks)))
        flying.append(self._launch(ready.take()))
        while flying:
            self._land(flying.popleft())
        self._write_texts(unembedded.take(), IN_A_JOB)
        self._touch(touched.take())
        self._report(len(states), len(states), "")

    @property
    def _is_planned(self) -> bool:
        """Whether nothing is waited for, so that the size of portions can be chosen beforehand."""
        return self.embedding is None or self.embedding.adds_up

    @property
    def _most_flying(self) -> int:
        """How many batches are under way while the next is read."""
        if not self._is_planned:
            return 1
        return self.embedding.portions_ahead if self.embedding else 0

    def _expected(self, states: Sequence[FileState]) -> int:
        """About how many chunks some notes have."""
        # A little less than a chunk adds: one more than expected would leave a small portion at the end.
        characters = 3.8 * max(1, self.chunking.tokens - self.chunking.overlap)
        return round(sum(max(0, state.size) for state in states) / characters)

    def _helped(self, states: Sequence[FileState]) -> AbstractContextManager[None]:
        """With several portions, another process makes vectors of one while this one reads the next."""
        if self.embedding is None or _portions_for(self._expected(states)).number < 2:
            return contextlib.nullcontext()
        return self.embedding.helped()

    def _read(self, state: FileState, known: FileState | None) -> _Cut | None:
        """Read and cut a note; None if it failed, no chunks if it says what is indexed."""
        try:
            with self.tally.timed("read"):
                document, now = self.sources.read(state.path, observed=True)
        except (WorkspaceError, OSError) as error:
            self._drop_text(state, known, error)
            return None
        is_stored = known is not None and known.digest == document.digest
        if known is not None and is_stored and (not known.problem or self.embedding is None):
            return _Cut(now, (), 0, is_stored=True)
        with self.tally.timed("chunk"):
            chunks = self.chunking.cut(document, self.model)
            keep = 0
            # A changed file of one chunk has nothing to keep.
            if known is not None and len(chunks) > 1:
                embedded = self.embedding is not None
                keep = self.writer.stored_prefix(document.path, chunks, embedded=embedded)
        return _Cut(now, chunks, keep, is_stored)

    def _drop_text(self, state: FileState, known: FileState | None, error: Exception) -> None:
        """Note that a file cannot be read: what it used to say must not answer any more."""
        self.tally.failed.append(Failure(state.path, str(error)))
        if isinstance(error, NoteNotFound):
            return
        passing = isinstance(error, (NoteUnreadable, OSError))
        size = TRY_AGAIN if passing else state.size
        noted = replace(state, digest="", size=size, problem=str(error))
        if noted != known:
            with self.tally.timed("write"):
                self.writer.apply(Writes([IndexedFile(noted, [], None)]))

    def _launch(self, batch: Sequence[_Cut]) -> _Batch:
        if self.embedding is None:
            return _Batch(batch, None)
        if self.embedding.adds_up:
            with self.tally.timed("embed"):
                asked = [self.embedding.ask_for(_chunks_of(some)) for some in _portions(batch)]
            return _Batch(batch, None, asked)
        with self.tally.timed("embed"):
            chunks = [chunk for note in batch for chunk in note.fresh]
            return _Batch(batch, self.embedding.launch(chunks))

    def _land(self, batch: _Batch) -> None:
        """Write notes when their vectors are there, some in one transaction.

        A provider that fails ends the sync, after what it did make is written. After a single bad
        answer the notes that it is about have no vectors, unless the index is being rebuilt.
        """
        error: EmbedderError | None = None
        vectors: Mapping[str, Vector] | None = None
        if self.embedding is not None and batch.flight is not None:
            with self.tally.timed("embed"):
                landed = self.embedding.land(batch.flight)
            vectors, error = landed.vectors, landed.error
        ready: list[_Cut] = []
        lacking: list[_Cut] = []
        for note in batch.notes:
            has_all = vectors is None or all(chunk.digest in vectors for chunk in note.fresh)
            (ready if has_all else lacking).append(note)
        self._write(ready, vectors, batch.asked)
        if error is None:
            return
        if self._ends_the_sync(error):
            raise error
        self._write_texts(lacking, str(error))
        self.tally.without_vectors += len(lacking)
        if not self._is_down:
            failed = [Failure(note.state.path, str(error), passing=True) for note in lacking]
            self.tally.failed += failed

    def _write(
        self,
        batch: Sequence[_Cut],
        vectors: Mapping[str, Vector] | None,
        asked: Sequence[AskedPortion | None],
    ) -> None:
        for some, one in zip_longest(_portions(batch), asked):
            writes = self._added_up(some, one) or Writes(
                [
                    IndexedFile(
                        note.state,
                        note.chunks,
                        _rows(vectors, note.fresh),
                        note.keep,
                        self._of_passages(note.chunks),
                    )
                    for note in some
                ]
            )
            with self.tally.timed("write"):
                self.writer.apply(writes)
            if self.embedding is not None:
                self.embedding.keep_ready()
            self.tally.indexed += len(some)
            self.tally.chunks += sum(len(note.chunks) for note in some)

    def _added_up(self, notes: Sequence[_Cut], asked: AskedPortion | None) -> Writes | None:
        """Notes with vectors of chunks and passages that are sums of those of words; None if they are not."""
        if self.embedding is None:
            return None
        with self.tally.timed("embed"):
            fresh = sum(len(note.fresh) for note in notes)
            made = self.embedding.add_up(_chunks_of(notes), fresh, asked)
        if made is None:
            return None
        files = []
        chunk = passage = 0
        for note in notes:
            last = chunk + len(note.chunks)
            upto = passage + sum(len(one.passages) for one in note.chunks)
            own, parts = made.chunks[chunk + note.keep : last], made.passages[passage:upto]
            files.append(IndexedFile(note.state, note.chunks, own, note.keep, parts))
            chunk, passage = last, upto
        return Writes(files, tokens=made.tokens)

    def _of_passages(self, chunks: Sequence[Chunk]) -> Vectors | None:
        if self.embedding is None:
            return None
        with self.tally.timed("embed"):
            return self.embedding.of_passages(chunks)

    def _write_texts(self, batch: Sequence[_Cut], why: str) -> None:
        """Index notes by their words; what they have of vectors stays."""
        with self.tally.timed("write"):
            for some in _portions([note for note in batch if not note.is_stored]):
                self.writer.apply(
                    Writes(
                        [
                            IndexedFile(
                                replace(note.state, problem=why), note.chunks, None, note.keep
                            )
                            for note in some
                        ]
                    )
                )
            stored = [replace(note.state, problem=why) for note in batch if note.is_stored]
            if stored:
                self.writer.apply(Writes(touched=stored))

    def _touch(self, batch: Sequence[_Cut]) -> None:
        """Store the new facts of notes whose content is what is indexed."""
        self.tally.unchanged += len(batch)
        if batch:
            with self.tally.timed("write"):
                self.writer.apply(Writes(touched=[note.state for note in batch]))

    def _index_transcripts(
        self, states: Sequence[FileState], indexed: Mapping[str, FileState]
    ) -> None:
        """Add what transcripts have more; each portion is written before the next is read."""
        for number, state in enumerate(states):
            known = indexed.get(state.path)
            # One that lacks vectors which may be had now is read from its start.
            lacks = known is not None and bool(known.problem and known.digest)
            begin = None if lacks and not self._is_down else known
            outcome = _Outcome(problem=begin.problem if begin else "")
            try:
                for portion in self.sources.portions(state, begin):
                    self._add_portion(portion, known, outcome)
                    self._report(number, len(states), state.path)
                    self._check_stop()
            except (WorkspaceError, OSError) as error:
                self._drop_text(state, known, error)
                continue
            self.tally.waiting += outcome.waits
            if outcome.error is not None:
                self.tally.without_vectors += 1
                if not self._is_down:
                    failure = Failure(state.path, str(outcome.error), passing=True)
                    self.tally.failed.append(failure)
            elif not outcome.waits:
                self.tally.indexed += 1

    def _add_portion(self, portion: Portion, known: FileState | None, outcome: _Outcome) -> None:
        if portion.fresh:
            outcome.problem = ""
        embedded = self.embedding is not None
        with self.tally.timed("chunk"):
            addition = growth.cut_portion(
                self.writer,
                portion,
                self.chunking,
                self.model,
                is_known=known is not None,
                embedded=embedded,
            )
        vectors = passages = None
        if not addition.is_empty:
            vectors, passages = self._embed_now(addition, outcome)
        state = replace(portion.state, problem=outcome.problem)
        growth.write_portion(self.writer, state, addition, vectors, passages)
        self.tally.chunks += len(addition.chunks)

    def _embed_now(
        self, addition: growth.Addition, outcome: _Outcome
    ) -> tuple[Vectors | None, Vectors | None]:
        """The vectors of fresh chunks and of all passages; None with the reason in the outcome if they cannot be had."""
        chunks = addition.fresh
        if not self.in_jobs.isdisjoint(chunk.digest for chunk in chunks):
            outcome.waits = True
            outcome.problem = outcome.problem or IN_A_JOB
            return None, None
        if self.embedding is None:
            return None, None
        with self.tally.timed("embed"):
            added = self.embedding.add_up(addition.chunks, len(chunks))
            if added is not None:
                return added.chunks[addition.keep :], added.passages
            landed = self.embedding.land(self.embedding.launch(chunks))
        if landed.error is None:
            return _rows(landed.vectors, chunks), self._of_passages(addition.chunks)
        if self._ends_the_sync(landed.error):
            raise landed.error
        outcome.error = landed.error
        outcome.problem = outcome.problem or str(landed.error)
        return None, None

    @property
    def _is_down(self) -> bool:
        return self.embedding is not None and self.embedding.is_down

    def _ends_the_sync(self, error: EmbedderError) -> bool:
        """Whether a failure is not of some texts only, or a good index would be replaced by less."""
        return self.rebuild or not (self._is_down or isinstance(error, BadAnswer))

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise Stopped

    def _report(self, done: int, total: int, label: str) -> None:
        if self.progress is not None:
            self.progress(Progress(done, total, label))


@dataclass(slots=True)
class _Outcome:
    """How it went with one transcript; `problem` is why it lacks vectors."""

    waits: bool = False
    error: EmbedderError | None = None
    problem: str = ""


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no cycles of values meanwhile: there are none among hundreds of thousands of passages, and to
    look for them took a fourteenth of a full index."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Basket:
    """Notes that are worth a step together when there are many, or `enough` new chunks."""

    def __init__(self, enough: int) -> None:
        self._enough = enough
        self._notes: list[_Cut] = []
        self._chunks = 0

    @property
    def is_full(self) -> bool:
        return self._chunks >= self._enough or len(self._notes) >= max(_FILES_A_WRITE, self._enough)

    def grow_to(self, enough: int) -> None:
        """Be full later."""
        self._enough = enough

    def add(self, note: _Cut) -> None:
        self._notes.append(note)
        self._chunks += len(note.fresh)

    def take(self) -> Sequence[_Cut]:
        """All of them, to begin anew."""
        taken, self._notes, self._chunks = self._notes, [], 0
        return taken


def _portions(notes: Sequence[_Cut]) -> Iterator[list[_Cut]]:
    """The notes in portions that are written at once."""
    some: list[_Cut] = []
    fresh = 0
    for note in notes:
        if some and fresh + len(note.fresh) > _CHUNKS_A_WRITE:
            yield some
            some, fresh = [], 0
        some.append(note)
        fresh += len(note.fresh)
    if some:
        yield some


def _chunks_of(notes: Sequence[_Cut]) -> list[Chunk]:
    return [chunk for note in notes for chunk in note.chunks]


class _Portions(NamedTuple):
    """How many portions there are, and how many chunks each has at most."""

    number: int
    chunks: int


def _portions_for(chunks: int) -> _Portions:
    """Few and equal portions: fewer segments have fewer words twice."""
    count = -(-chunks // _MOST_CHUNKS_A_SHARE)
    return _Portions(count, -(-chunks // count) if count else 0)


def _rows(vectors: Mapping[str, Vector] | None, chunks: Sequence[Chunk]) -> Vectors | None:
    """The vectors of chunks in their order: float32, shape (chunks, dims)."""
    if vectors is None:
        return None
    if not chunks:
        return np.empty((0, 0), dtype=np.float32)
    return np.stack([vectors[chunk.digest] for chunk in chunks])
