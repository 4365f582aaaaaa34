"""One sync: find what changed, chunk it, embed it, write it, some files at a time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memdown.errors import (
    BadAnswer,
    EmbedderError,
    NoteNotFound,
    NoteUnreadable,
    WorkspaceError,
)
from memdown.index.embedding import Embedding, Flight, works_ahead
from memdown.notes.chunks import chunk_document
from memdown.text import TERMS_VERSION
from memdown.transcripts.growing import Embedded, Growth, write_portions
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
# What is noted of a file whose texts are in a batch job.
IN_A_JOB = "its vectors are in a batch job that has not come back yet"


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
    without_vectors: int = 0
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
    """A file that is chunked and waits for its vectors; `is_stored` if its text is indexed already."""

    state: FileState
    chunks: Sequence[Chunk]
    keep: int
    is_stored: bool

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
    return _cut(document, model_key(embedder).model, chunking)


def _cut(document: Document, model: str, chunking: Chunking) -> list[Chunk]:
    return chunk_document(
        document,
        tokens=chunking.tokens,
        overlap=chunking.overlap,
        model=model,
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


def lacking(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[FileState]:
    """The files that are there and found by their words only, since vectors of theirs are missing."""
    return [
        state
        for path, state in indexed.items()
        if state.problem and state.digest and path in on_disk
    ]


def takes_text(have: Fingerprint | None, want: Fingerprint) -> bool:
    """Whether texts can be added to an index although vectors cannot: it is cut in the same way."""
    return have is None or fits(replace(have, key=want.key, dims=want.dims), want)


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
    down: EmbedderError | None = None,
) -> SyncReport:
    """Bring the store up to date. With `rebuild`, `changes` and `growths` must hold every file.

    When `stop` is set it ends between two writes: a rebuild is dropped, anything else is kept and
    continued by the next sync. Files that hold a text in `waiting`, and with `down` all whose
    vectors are not known, are indexed by their words; a later sync gives them their vectors.
    """
    tally = _Tally(unchanged=unchanged)
    want = wanted_fingerprint(embedder, chunking)
    have = None if rebuild else store.fingerprint()
    # An index of another model, whose rebuild has to wait, gets nothing of this one.
    key = have.key if have and down else want.key
    embedding = None
    if embedder is not None:
        embedding = Embedding(store, embedder, key, have.dims if have else want.dims, down)
    work = _Work(embedder, key.model, chunking, tally, progress, stop, embedding, rebuild, waiting)
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
        without_vectors=tally.without_vectors,
        rebuilt=rebuild,
        complete=not (stop and stop.is_set()) and not tally.waiting,
        failed=tuple(tally.failed),
        seconds=dict(tally.seconds),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What every step of a sync needs."""

    embedder: Embedder | None
    model: str
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
    in_a_job: list[_Waiting] = []
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
            in_a_job.append(prepared)
            if len(in_a_job) >= _FILES_A_WRITE:
                _write_texts(work, writer, in_a_job, IN_A_JOB)
                in_a_job = []
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
    _write_texts(work, writer, in_a_job, IN_A_JOB)
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
    is_stored = known is not None and known.digest == document.digest
    if known is not None and is_stored and (not known.problem or work.embedding is None):
        same.append(state)
        tally.unchanged += 1
        return None
    with tally.timed("chunk"):
        chunks = _cut(document, work.model, work.chunking)
        keep = 0
        # A changed file of one chunk has nothing to keep.
        if known is not None and len(chunks) > 1:
            embedded = work.embedding is not None
            keep = writer.stored_prefix(document.path, chunks, embedded=embedded)
    return _Waiting(state, chunks, keep, is_stored)


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
            return _cut(document, work.model, work.chunking)

    for number, growth in enumerate(growths):
        path = growth.state.path
        known = indexed.get(path)
        embedding = _GrowthEmbedding(work, path)
        try:
            for chunks in write_portions(
                writer,
                growth,
                known,
                cut,
                embedding,
                embedded=work.embedding is not None,
                complete=_lacks_vectors(known) and not _is_down(work),
            ):
                work.tally.chunks += chunks
                if work.progress:
                    work.progress(Progress(number, len(growths), path))
                if work.stop and work.stop.is_set():
                    raise _Stopped
        except (WorkspaceError, OSError) as error:
            _drop_text(work, writer, growth.state, indexed.get(path), error)
            continue
        work.tally.waiting += embedding.waits
        if embedding.error is not None:
            work.tally.without_vectors += 1
            if not _is_down(work):
                failure = Failure(path, str(embedding.error), passing=True)
                work.tally.failed.append(failure)
        elif not embedding.waits:
            work.tally.indexed += 1


class _GrowthEmbedding:
    """Vectors for the portions of one transcript, and why some of them could not be had."""

    def __init__(self, work: _Work, path: str) -> None:
        self._work = work
        self._path = path
        self.waits = False
        self.error: EmbedderError | None = None

    def __call__(self, chunks: Sequence[Chunk]) -> Embedded:
        work = self._work
        if not work.waiting.isdisjoint(chunk.digest for chunk in chunks):
            self.waits = True
            return Embedded(None, IN_A_JOB)
        if work.embedding is None:
            return Embedded(None)
        with work.tally.timed("embed"):
            landed = work.embedding.land(work.embedding.launch(chunks))
        if landed.error is None:
            return Embedded(_rows(landed.vectors, chunks))
        if _ends_the_sync(work, landed.error):
            raise landed.error
        self.error = landed.error
        return Embedded(None, str(landed.error))


def _ends_the_sync(work: _Work, error: EmbedderError) -> bool:
    """Whether a failure is not of some texts only, or a good index would be replaced by less."""
    return work.rebuild or not (_is_down(work) or isinstance(error, BadAnswer))


def _is_down(work: _Work) -> bool:
    return work.embedding is not None and work.embedding.is_down


def _lacks_vectors(known: FileState | None) -> bool:
    return known is not None and bool(known.problem and known.digest)


@dataclass(frozen=True, slots=True)
class _Flying:
    """Files whose vectors are on their way; no flight means that they get none."""

    files: Sequence[_Waiting]
    flight: Flight | None


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

    A provider that fails ends the sync, after what it did make is written. After a single bad
    answer the files that it is about have no vectors, unless a good index would be replaced by less.
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
    lacking: list[_Waiting] = []
    for file in flying.files:
        has_all = vectors is None or all(chunk.digest in vectors for chunk in file.fresh)
        (ready if has_all else lacking).append(file)
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
    if error is not None and _ends_the_sync(work, error):
        raise error
    _write_texts(work, writer, lacking, str(error))
    tally.without_vectors += len(lacking)
    if not _is_down(work):
        tally.failed += [Failure(one.state.path, str(error), passing=True) for one in lacking]


def _write_texts(work: _Work, writer: Writer, files: Sequence[_Waiting], why: str) -> None:
    """Index files by their words; what they have of vectors stays."""
    with work.tally.timed("write"):
        for some in _portions([file for file in files if not file.is_stored]):
            writer.replace_all(
                [
                    IndexedFile(replace(file.state, problem=why), file.chunks, None, file.keep)
                    for file in some
                ]
            )
        stored = [replace(file.state, problem=why) for file in files if file.is_stored]
        if stored:
            writer.touch(*stored)


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
