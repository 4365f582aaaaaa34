"""One sync: find what changed, chunk it, embed it, write it, file by file."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memdown.chunking import chunk_document
from memdown.errors import WorkspaceError
from memdown.text import TERMS_VERSION
from memdown.types import (
    Chunk,
    Document,
    Embedder,
    Failure,
    FileState,
    Fingerprint,
    ModelKey,
    Progress,
    ProgressCallback,
    Store,
    SyncReport,
    Vectors,
    Writer,
)

# Files are embedded and written together until this many new chunks are waiting: enough for large
# requests, few enough that memory stays flat and a stopped sync loses little.
_CHUNKS_A_BATCH = 256

NO_MODEL = ModelKey("none", "none", "none")


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
    embedded: int = 0
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


def changed_paths(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[str]:
    """The files that are new or look different from what is indexed."""
    return [
        path
        for path, state in on_disk.items()
        if path not in indexed or not state.same_stat(indexed[path])
    ]


def gone_paths(on_disk: Iterable[str], indexed: Iterable[str]) -> list[str]:
    """The indexed files that are no longer there."""
    return sorted(set(indexed) - set(on_disk))


def update(
    store: Store,
    embedder: Embedder | None,
    changes: Sequence[Change],
    gone: Sequence[str],
    chunking: Chunking,
    *,
    rebuild: bool,
    unchanged: int = 0,
    progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> SyncReport:
    """Bring the store up to date. With `rebuild`, `changes` must hold every file.

    When `stop` is set it ends between two files: a rebuild is dropped, anything else is kept and
    continued by the next sync.
    """
    tally = _Tally(unchanged=unchanged)
    work = _Work(store, embedder, chunking, tally, progress, stop)
    want = wanted_fingerprint(embedder, chunking)
    if rebuild:
        with contextlib.suppress(_Stopped), store.rebuild(want) as writer:
            _write_all(work, writer, changes, {})
    else:
        if store.fingerprint() is None:
            store.begin(want)
        with contextlib.suppress(_Stopped):
            _write_all(work, store, changes, store.files() if changes else {})
        if gone:
            with tally.timed("write"):
                store.remove(gone)
    return SyncReport(
        indexed=tally.indexed,
        removed=len(gone),
        unchanged=tally.unchanged,
        chunks=tally.chunks,
        embedded=tally.embedded,
        rebuilt=rebuild,
        complete=not (stop and stop.is_set()),
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


class _Stopped(Exception):
    """Someone asked the sync to end."""


def _write_all(
    work: _Work, writer: Writer, changes: Sequence[Change], indexed: Mapping[str, FileState]
) -> None:
    waiting: list[_Waiting] = []
    for number, change in enumerate(changes):
        if work.stop and work.stop.is_set():
            raise _Stopped
        if work.progress:
            work.progress(Progress(number, len(changes), change.state.path))
        prepared = _prepare(work, writer, change, indexed)
        if prepared is None:
            continue
        waiting.append(prepared)
        if sum(len(file.fresh) for file in waiting) >= _CHUNKS_A_BATCH:
            _flush(work, writer, waiting)
            waiting.clear()
    _flush(work, writer, waiting)
    if work.progress:
        work.progress(Progress(len(changes), len(changes), ""))


def _prepare(
    work: _Work, writer: Writer, change: Change, indexed: Mapping[str, FileState]
) -> _Waiting | None:
    """Read and chunk one file; None if it failed or holds what is indexed already."""
    tally = work.tally
    try:
        with tally.timed("read"):
            document, state = change.read()
    except (WorkspaceError, OSError) as error:
        tally.failed.append(Failure(change.state.path, str(error)))
        return None
    known = indexed.get(document.path)
    if known is not None and known.digest == document.digest:
        writer.touch(state)
        tally.unchanged += 1
        return None
    with tally.timed("chunk"):
        chunks = chunk_document(
            document,
            tokens=work.chunking.tokens,
            overlap=work.chunking.overlap,
            model=work.embedder.model if work.embedder else NO_MODEL.model,
            headings=document.headings,
        )
        keep = writer.stored_prefix(document.path, chunks) if known else 0
    return _Waiting(state, chunks, keep)


def _flush(work: _Work, writer: Writer, waiting: Sequence[_Waiting]) -> None:
    """Embed what waits in one go and write it, one transaction a file."""
    tally = work.tally
    fresh = [chunk for file in waiting for chunk in file.fresh]
    with tally.timed("embed"):
        rows = _embed(work.store, work.embedder, fresh, tally)
    first = 0
    for file in waiting:
        count = len(file.fresh)
        vectors = None if rows is None else rows[first : first + count]
        first += count
        with tally.timed("write"):
            writer.replace(file.state, file.chunks, vectors, file.keep)
        tally.indexed += 1
        tally.chunks += len(file.chunks)


def _embed(
    store: Store, embedder: Embedder | None, chunks: Sequence[Chunk], tally: _Tally
) -> Vectors | None:
    """The chunks' vectors, each distinct text embedded once, known ones taken from the cache."""
    if embedder is None:
        return None
    if not chunks:
        return np.empty((0, embedder.dims or 0), dtype=np.float32)
    texts = {chunk.digest: chunk.text for chunk in chunks}
    key = model_key(embedder)
    vectors = store.cached(key, list(texts)) if embedder.cacheable else {}
    missing = [digest for digest in texts if digest not in vectors]
    if missing:
        made = embedder.embed_batch([texts[digest] for digest in missing])
        if embedder.cacheable:
            store.remember_vectors(key, missing, made)
        vectors |= dict(zip(missing, made, strict=True))
        tally.embedded += len(missing)
    return np.stack([vectors[chunk.digest] for chunk in chunks])


