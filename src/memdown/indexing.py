"""One sync: find what changed, chunk it, embed it, write it, some files at a time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memdown.chunking import chunk_document
from memdown.embedding import Embedding, Flight, works_ahead
from memdown.errors import (
    BadAnswer,
    EmbedderError,
    NoteNotFound,
    NoteUnreadable,
    WorkspaceError,
)
from memdown.growing import Growth, write_portions
from memdown.text import TERMS_VERSION
from memdown.types import (
    Chunk,
    Document,
    Embedder,
    Failure,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Progress,
    ProgressCallback,
    Store,
    SyncReport,
    Vector,
    Vectors,
    Writer,
)

# Files are embedded and written together until this many new chunks are waiting: enough for large
# requests, few enough that memory stays flat and a stopped sync loses little. An embedder that
# works ahead, with several requests in flight, gets more at a time, so that it is never idle.
_CHUNKS_A_BATCH = 256
_CHUNKS_AHEAD = 1024
# What is written at once: many files cost little more than one, but a kill loses them all, and a
# file without a new chunk counts too.
_CHUNKS_A_WRITE = 256
_FILES_A_WRITE = 256

NO_MODEL = ModelKey("none", "none", "none")
# The size that is noted of a file to try it again at every scan: no file on disk has it.
_TRY_AGAIN = -1


@dataclass(frozen=True, slots=True)
class Change:
    """A file whose content may be new; `read` gives its document and its state as read."""

    state: FileState
    read: Callable[[], tuple[Document, FileState]]


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut."""

    tokens: int = 400
    overlap: int = 80


@dataclass(slots=True)
class _Tally:
    """What the report will say, while it is being counted."""

    indexed: int = 0
    unchanged: int = 0
    chunks: int = 0
    waiting: int = 0
    failed: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextlib.contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] += time.perf_counter() - start


@dataclass(slots=True)
class _Waiting:
    """A file that is chunked and waits for its vectors."""

    state: FileState
    chunks: Sequence[Chunk]
    keep: int

    @property
    def fresh(self) -> Sequence[Chunk]:
        return self.chunks[self.keep :]


def model_key(embedder: Embedder | None) -> ModelKey:
    """Which vectors this embedder's may stand beside."""
    if embedder is None:
        return NO_MODEL
    return ModelKey(embedder.id, embedder.model, embedder.provider_key)


def wanted_fingerprint(embedder: Embedder | None, chunking: Chunking) -> Fingerprint:
    """How an index would be made now."""
    return Fingerprint(
        key=model_key(embedder),
        chunk_tokens=chunking.tokens,
        chunk_overlap=chunking.overlap,
        terms_version=TERMS_VERSION,
        dims=embedder.dims if embedder else None,
    )


def fits(have: Fingerprint | None, want: Fingerprint) -> bool:
    """Whether an index made one way can be continued the other way."""
    if have is None:
        return False
    dims = have.dims if want.dims is None else want.dims
    return replace(have, dims=dims) == replace(want, dims=dims) and have.dims in (None, dims)


def chunks_of(document: Document, embedder: Embedder | None, chunking: Chunking) -> list[Chunk]:
    """How a document is cut."""
    return chunk_document(
        document,
        tokens=chunking.tokens,
        overlap=chunking.overlap,
        model=embedder.model if embedder else NO_MODEL.model,
        headings=document.headings,
    )


def changed_paths(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[str]:
    """The files that are new, look different from what is indexed, or are to be tried again."""
    return [
        path
        for path, state in on_disk.items()
        if state is not (known := indexed.get(path))
        and (known is None or not state.same_stat(known))
    ]


def unreadable(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[Failure]:
    """The files that are there and could not be read when they were last looked into."""
    return [
        Failure(path, state.problem, passing=state.size == _TRY_AGAIN)
        for path, state in indexed.items()
        if state.problem and not state.digest and path in on_disk
    ]


def gone_paths(
    on_disk: Iterable[str], indexed: Iterable[str], unseen: Sequence[str] = ()
) -> list[str]:
    """The indexed files that are no longer there, as far as that can be seen.

    A folder that cannot be looked into, such as one on a disk that is not mounted, has lost
    nothing: what is known of it stays.
    """
    gone = set(indexed) - set(on_disk)
    return sorted(path for path in gone if not path.startswith(tuple(unseen)))


def update(
    store: Store,
    embedder: Embedder | None,
    changes: Sequence[Change],
    gone: Sequence[str],
    chunking: Chunking,
    *,
    rebuild: bool,
    growths: Sequence[Growth] = (),
    unchanged: int = 0,
    progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
    waiting: frozenset[str] = frozenset(),
) -> SyncReport:
    """Bring the store up to date. With `rebuild`, `changes` and `growths` must hold every file.

    When `stop` is set it ends between two writes: a rebuild is dropped, anything else is kept and
    continued by the next sync. Files that hold a text in `waiting` are left for a later sync.
    """
    tally = _Tally(unchanged=unchanged)
    want = wanted_fingerprint(embedder, chunking)
    embedding = _embedding(store, embedder, want, rebuild=rebuild)
    work = _Work(store, embedder, chunking, tally, progress, stop, embedding, rebuild, waiting)
    if rebuild:
        with (
            contextlib.suppress(_Stopped),
            store.rebuild(want) as writer,
            _nothing_left_flying(embedding),
        ):
            _write_all(work, writer, changes, {})
            _write_growths(work, writer, growths, {})
    else:
        if store.fingerprint() is None:
            store.begin(want)
        try:
            with contextlib.suppress(_Stopped), _nothing_left_flying(embedding):
                indexed = store.files() if changes or growths else {}
                _write_all(work, store, changes, indexed)
                _write_growths(work, store, growths, indexed)
        except EmbedderError:
            # A provider that is down is no reason to go on finding notes that are gone.
            store.remove(gone)
            raise
        if gone:
            with tally.timed("write"):
                store.remove(gone)
    return SyncReport(
        indexed=tally.indexed,
        removed=len(gone),
        unchanged=tally.unchanged,
        chunks=tally.chunks,
        embedded=embedding.embedded if embedding else 0,
        looked_up=embedding.looked_up if embedding else 0,
        found=embedding.found if embedding else 0,
        waiting=tally.waiting,
        rebuilt=rebuild,
        complete=not (stop and stop.is_set()) and not tally.waiting,
        failed=tuple(tally.failed),
        seconds=dict(tally.seconds),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What every step of a sync needs."""

    store: Store
    embedder: Embedder | None
    chunking: Chunking
    tally: _Tally
    progress: ProgressCallback | None
    stop: threading.Event | None
    embedding: Embedding | None
    rebuild: bool
    waiting: frozenset[str]


class _Stopped(Exception):
    """Someone asked the sync to end."""


def _write_all(
    work: _Work, writer: Writer, changes: Sequence[Change], indexed: Mapping[str, FileState]
) -> None:
    enough = _CHUNKS_AHEAD if works_ahead(work.embedder) else _CHUNKS_A_BATCH
    waiting: list[_Waiting] = []
    same: list[FileState] = []
    fresh = 0
    flying: _Flying | None = None
    for number, change in enumerate(changes):
        if work.stop and work.stop.is_set():
            raise _Stopped
        if work.progress:
            work.progress(Progress(number, len(changes), change.state.path))
        prepared = _prepare(work, writer, change, indexed, same)
        if len(same) >= _FILES_A_WRITE:
            _touch(work, writer, same)
        if work.embedding is not None:
            work.embedding.drain()
        if prepared is None:
            continue
        if not work.waiting.isdisjoint(chunk.digest for chunk in prepared.fresh):
            work.tally.waiting += 1
            continue
        waiting.append(prepared)
        fresh += len(prepared.fresh)
        if fresh >= enough or len(waiting) >= _FILES_A_WRITE:
            # The next flight is launched before the last one lands: requests never pause for us.
            launched = _launch(work, waiting)
            _land(work, writer, flying)
            waiting, fresh, flying = [], 0, launched
    launched = _launch(work, waiting)
    _land(work, writer, flying)
    _land(work, writer, launched)
    _touch(work, writer, same)
    if work.progress:
        work.progress(Progress(len(changes), len(changes), ""))


def _prepare(
    work: _Work,
    writer: Writer,
    change: Change,
    indexed: Mapping[str, FileState],
    same: list[FileState],
) -> _Waiting | None:
    """Read and chunk one file; None if it failed, or if it joins the `same`: nothing in it is new."""
    tally = work.tally
    try:
        with tally.timed("read"):
            document, state = change.read()
    except (WorkspaceError, OSError) as error:
        _drop_text(work, writer, change.state, indexed.get(change.state.path), error)
        return None
    known = indexed.get(document.path)
    if known is not None and known.digest == document.digest:
        same.append(state)
        tally.unchanged += 1
        return None
    with tally.timed("chunk"):
        chunks = chunks_of(document, work.embedder, work.chunking)
        # A changed file of one chunk has nothing to keep.
        keep = writer.stored_prefix(document.path, chunks) if known and len(chunks) > 1 else 0
    return _Waiting(state, chunks, keep)


def _drop_text(
    work: _Work, writer: Writer, state: FileState, known: FileState | None, error: Exception
) -> None:
    """Note that a file cannot be read: what it used to say must not answer any more."""
    work.tally.failed.append(Failure(state.path, str(error)))
    if isinstance(error, NoteNotFound):
        return
    passing = isinstance(error, (NoteUnreadable, OSError))
    size = _TRY_AGAIN if passing else state.size
    noted = replace(state, digest="", size=size, problem=str(error))
    if noted != known:
        with work.tally.timed("write"):
            writer.replace(noted, [], None)


def _touch(work: _Work, writer: Writer, same: list[FileState]) -> None:
    """Note the new facts of files whose content is what is indexed."""
    if same:
        with work.tally.timed("write"):
            writer.touch(*same)
        same.clear()


def _write_growths(
    work: _Work, writer: Writer, growths: Sequence[Growth], indexed: Mapping[str, FileState]
) -> None:
    """Add what transcripts have more; each portion is written before the next is read."""

    def cut(document: Document) -> list[Chunk]:
        with work.tally.timed("chunk"):
            return chunks_of(document, work.embedder, work.chunking)

    for number, growth in enumerate(growths):
        path = growth.state.path
        try:
            for chunks in write_portions(
                writer, growth, indexed.get(path), cut, lambda fresh: _embedded(work, fresh)
            ):
                work.tally.chunks += chunks
                if work.progress:
                    work.progress(Progress(number, len(growths), path))
                if work.stop and work.stop.is_set():
                    raise _Stopped
            work.tally.indexed += 1
        except _WaitsForBatch:
            work.tally.waiting += 1
        except (WorkspaceError, OSError) as error:
            _drop_text(work, writer, growth.state, indexed.get(path), error)
        except BadAnswer as error:
            if work.rebuild:
                raise
            work.tally.failed.append(Failure(path, str(error), passing=True))


class _WaitsForBatch(Exception):
    """A text is in a batch job that has not come back yet."""


def _embedded(work: _Work, chunks: Sequence[Chunk]) -> Vectors | None:
    """The chunks' vectors, now; an error if any cannot be had."""
    if not work.waiting.isdisjoint(chunk.digest for chunk in chunks):
        raise _WaitsForBatch
    if work.embedding is None:
        return None
    with work.tally.timed("embed"):
        landed = work.embedding.land(work.embedding.launch(chunks))
    if landed.error is not None:
        raise landed.error
    return _rows(landed.vectors, chunks)


@dataclass(frozen=True, slots=True)
class _Flying:
    """Files whose vectors are on their way; no flight means that they get none."""

    files: Sequence[_Waiting]
    flight: Flight | None


def _embedding(
    store: Store, embedder: Embedder | None, want: Fingerprint, *, rebuild: bool
) -> Embedding | None:
    if embedder is None:
        return None
    have = None if rebuild else store.fingerprint()
    return Embedding(store, embedder, want.key, have.dims if have else want.dims)


@contextlib.contextmanager
def _nothing_left_flying(embedding: Embedding | None) -> Iterator[None]:
    """When a sync ends early, whatever the reason, no more texts are sent."""
    try:
        yield
    except BaseException:
        if embedding is not None:
            embedding.abandon()
        raise


def _launch(work: _Work, waiting: Sequence[_Waiting]) -> _Flying:
    fresh = [chunk for file in waiting for chunk in file.fresh]
    if work.embedding is None:
        return _Flying(waiting, None)
    with work.tally.timed("embed"):
        return _Flying(waiting, work.embedding.launch(fresh))


def _land(work: _Work, writer: Writer, flying: _Flying | None) -> None:
    """Write files when their vectors are there, some in one transaction.

    A provider that fails ends the sync, after what it did make is written. A single bad answer
    costs the files that it is about, unless a good index would be replaced by less.
    """
    if flying is None:
        return
    tally = work.tally
    error: EmbedderError | None = None
    vectors: Mapping[str, Vector] | None = None
    if work.embedding is not None and flying.flight is not None:
        with tally.timed("embed"):
            landed = work.embedding.land(flying.flight)
        vectors, error = landed.vectors, landed.error
    ready: list[_Waiting] = []
    for file in flying.files:
        if vectors is not None and any(chunk.digest not in vectors for chunk in file.fresh):
            tally.failed.append(Failure(file.state.path, str(error), passing=True))
        else:
            ready.append(file)
    for files in _portions(ready):
        with tally.timed("write"):
            writer.replace_all(
                [
                    IndexedFile(file.state, file.chunks, _rows(vectors, file.fresh), file.keep)
                    for file in files
                ]
            )
        if work.embedding is not None:
            work.embedding.drain()
        tally.indexed += len(files)
        tally.chunks += sum(len(file.chunks) for file in files)
    if error is not None and (work.rebuild or not isinstance(error, BadAnswer)):
        raise error


def _portions(files: Sequence[_Waiting]) -> Iterator[list[_Waiting]]:
    """The files in portions that are written at once."""
    some: list[_Waiting] = []
    fresh = 0
    for file in files:
        if some and fresh + len(file.fresh) > _CHUNKS_A_WRITE:
            yield some
            some, fresh = [], 0
        some.append(file)
        fresh += len(file.fresh)
    if some:
        yield some


def _rows(vectors: Mapping[str, Vector] | None, chunks: Sequence[Chunk]) -> Vectors | None:
    if vectors is None:
        return None
    if not chunks:
        return np.empty((0, 0), dtype=np.float32)
    return np.stack([vectors[chunk.digest] for chunk in chunks])
