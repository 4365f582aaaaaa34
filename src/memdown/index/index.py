"""The index of one memory: kept in step with the notes, repaired by being made anew."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from memdown.embedders import Choice
from memdown.errors import EmbedderError, IndexCorrupt, MemdownError
from memdown.index import watch
from memdown.index.embedding import Estimate
from memdown.index.store import MendableStore, Store
from memdown.index.sync import Order, Syncer
from memdown.types import (
    Chunk,
    Embedder,
    Failure,
    ModelKey,
    Progress,
    ProgressCallback,
    StoredChunk,
    SyncReport,
    Vectors,
)
from memdown.values import dataclass

Work = Callable[[ProgressCallback], object]


class SyncThread(threading.Thread):
    """One sync, and the error that ended it, if any; it begins when the one `before` it is done.

    `indexing` is set when the first file is indexed, or when it turned out that there is none.
    """

    def __init__(
        self, work: Work, progress: ProgressCallback | None, before: SyncThread | None = None
    ) -> None:
        super().__init__(name="memdown-sync", daemon=True)
        self._work = work
        self._watchers = [progress] if progress else []
        self._before = before
        self.has_begun = False
        self.indexing = threading.Event()
        self.error: MemdownError | None = None

    def run(self) -> None:
        if self._before is not None:
            self._before.join()
            self._before = None
        self.has_begun = True
        try:
            self._work(self._note)
        except MemdownError as error:
            self.error = error
        finally:
            self.indexing.set()

    def _note(self, progress: Progress) -> None:
        self.indexing.set()
        for report in tuple(self._watchers):
            report(progress)

    def also_report_to(self, progress: ProgressCallback) -> None:
        """Report to someone who came later and waits for this sync, too."""
        self._watchers.append(progress)


class Background:
    """Starts a sync unless one is running. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: SyncThread | None = None

    def start(self, work: Work, progress: ProgressCallback | None) -> tuple[SyncThread, bool]:
        """The sync that runs now, and whether it was running already."""
        with self._lock:
            if self._latest is not None and self._latest.is_alive():
                if progress:
                    self._latest.also_report_to(progress)
                return self._latest, True
            return self._started(SyncThread(work, progress)), False

    def start_anew(self, work: Work) -> None:
        """Sync after now: one that runs may have passed over what was saved a moment ago."""
        with self._lock:
            latest = self._latest
            is_alive = latest is not None and latest.is_alive()
            if latest is None or not is_alive or latest.has_begun:
                self._started(SyncThread(work, None, latest if is_alive else None))

    def _started(self, thread: SyncThread) -> SyncThread:
        thread.start()
        self._latest = thread
        return thread

    def join(self) -> None:
        """Wait until no sync runs."""
        with self._lock:
            latest = self._latest
        if latest is not None:
            latest.join()


log = logging.getLogger("memdown")
_P = ParamSpec("_P")
_T = TypeVar("_T")

# Damage may show at a second place only after the first was replaced.
_MOST_DAMAGES = 2
# How long a search waits for the index: longer for a few changed files or a first index; and
# where someone sees the progress, who can go on indexing by hand.
_FEW_FILES = 8
_WATCHED_SECONDS = 5.0
_PATIENCE_SECONDS = 1.0
_LONG_PATIENCE_SECONDS = 10.0
# So many syncs of other threads are waited for.
_MOST_TURNS = 4


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How a watcher works: seconds of quiet before a sync, and from one sync to the next at most."""

    debounce_seconds: float
    interval_seconds: float | None
    events: bool = True


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether an index has all that is in the notes now; `reason` says why it has not."""

    complete: bool = True
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class VectorSample:
    """Some indexed chunks and their vectors: `vectors[i]` (float32, shape (n, dims)) is of `chunks[i]`."""

    chunks: tuple[StoredChunk, ...]
    vectors: Vectors


class Index:
    """Keeps a store in step with notes and transcripts. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        choice: Choice,
        syncer: Syncer,
        watching: WatchOptions,
        watch_file: Path,
        stop: threading.Event,
    ) -> None:
        self.store = store
        self.choice = choice
        self.syncer = syncer
        self.watch_file = watch_file
        self._watching = watching
        self._stop = stop
        self._sync_lock = threading.Lock()
        self._background = Background()

    def sync(self, *, force: bool = False, progress: ProgressCallback | None = None) -> SyncReport:
        """Bring the index up to date with the notes; `force` makes it anew."""
        with self._sync_lock:
            return self._replacing_damage(self.syncer.run, Order(force=force, progress=progress))

    def sync_settled(self) -> SyncReport:
        """Bring the index up to date, except with transcripts that are still growing."""
        try:
            with self._sync_lock:
                return self._replacing_damage(self.syncer.run, Order(only_settled=True))
        except MemdownError as error:
            failure = Failure(str(self.syncer.sources.folder), str(error))
            return SyncReport(complete=False, failed=(failure,))

    def sync_in_background(self) -> None:
        """Begin to bring the index up to date, if there is anything to do."""
        if self.healing(self.syncer.pending):
            self._background.start_anew(self._sync_for_search)

    def freshen(
        self, progress: ProgressCallback | None, down: EmbedderError | None = None
    ) -> Freshness:
        """Sync what changed before a search, and wait for it as long as a search may take.

        `down` is why the embedder does not work: notes are then indexed without asking it.
        """

        def work(report: ProgressCallback | None) -> SyncReport:
            return self._sync_for_search(report, down)

        asked = time.monotonic()
        # A sync that was under way, or that another thread has looked for, may have passed a note before it was
        # saved; one of the next has not.
        for _ in range(_MOST_TURNS):
            waiting = self.healing(self.syncer.pending, down)
            if not waiting:
                return Freshness()
            # Before the sync begins: it may move a damaged index away.
            patience = self._patience(waiting)
            sync, was_running = self._background.start(work, progress)
            if down is not None and was_running:
                # It may be waiting for the provider.
                sync.join(_PATIENCE_SECONDS)
            elif progress:
                # To look at very many files takes seconds, too, and every search must get further.
                sync.indexing.wait(_LONG_PATIENCE_SECONDS)
                sync.join(_WATCHED_SECONDS)
            else:
                sync.join(patience)
            if sync.is_alive() or sync.error or self.syncer.current_as_of >= asked:
                break
        else:
            return Freshness(False, f"{waiting} changed files are still being indexed")
        if sync.is_alive() and progress:
            return Freshness(
                False, f"indexing is not complete ({waiting} files changed): run `memdown index`"
            )
        if sync.is_alive():
            return Freshness(False, f"{waiting} changed files are still being indexed")
        if sync.error:
            return Freshness(False, f"the index could not be brought up to date: {sync.error}")
        return Freshness()

    def fitting_embedder(self) -> Embedder | None:
        """The embedder for questions: the one that the index was made with, if it is at hand."""
        # The common case needs no look into the index.
        if self.choice.is_settled:
            return self.choice.embedder
        return self.choice.fitting(self.healing(self.store.fingerprint))

    def estimate(self, *, force: bool = False, most_files: int | None = None) -> Estimate | None:
        """What the next sync will embed, if it makes the whole index with a provider that costs.

        All notes are read for this, so None is returned if there are more than `most_files`.
        """
        return self._replacing_damage(self.syncer.estimate, force=force, most_files=most_files)

    def check(self) -> list[str]:
        """What is wrong with the index itself, after a thorough look; nothing is the rule."""
        if not isinstance(self.store, MendableStore):
            return []
        try:
            return self.store.check()
        except IndexCorrupt as error:
            return [str(error)]

    def replace_damaged(self) -> SyncReport:
        """Set an index that `check` found damaged aside, and make a new one from the notes."""
        if isinstance(self.store, MendableStore):
            self.store.set_aside()
        return self.sync()

    def watch(self, stop: threading.Event) -> Iterator[SyncReport]:
        """Keep the index fresh until `stop` is set; yields a report at once and after every hint.

        What goes wrong after the first, such as a full disk, is reported and tried again.
        """
        yield self.sync()
        with watch.announced(self.watch_file) as say:
            for _ in watch.hints(
                self.syncer.sources.watched_folders,
                stop,
                debounce_s=self._watching.debounce_seconds,
                events=self._watching.events,
                interval_s=self._watching.interval_seconds,
                again_in=self.syncer.sources.transcripts.ripe_in,
                say=say,
            ):
                yield self.sync_settled()

    def chunks(self, path: str) -> list[Chunk]:
        """How a note is cut for the index."""
        document = self.syncer.sources.read(path).document
        return self.syncer.chunking.cut(document, ModelKey.of(self.choice.embedder).model)

    def vectors(self, limit: int) -> VectorSample:
        """The indexed chunks with their vectors, evenly drawn if there are more than `limit`."""
        return self.healing(self._vectors, limit)

    def _vectors(self, limit: int) -> VectorSample:
        if self.store.fingerprint() is None:
            return VectorSample((), np.empty((0, 1), np.float32))
        with self.store.snapshot() as snapshot:
            keys, rows = snapshot.vectors(limit)
            chunks = snapshot.chunks(keys)
            return VectorSample(tuple(chunks[key] for key in keys), rows)

    def healing(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do some work; if the index turns out damaged, make a new one from the notes and repeat."""
        for _ in range(_MOST_DAMAGES):
            try:
                return work(*args, **kwargs)
            except IndexCorrupt as error:
                self._set_aside(error)
            self.sync()
        return work(*args, **kwargs)

    def stop(self) -> None:
        """End a sync that runs, between two writes; what it has written stays."""
        self._stop.set()

    def close(self) -> None:
        """Stop what runs in the background, between two files, and close the store."""
        self.stop()
        self.choice.close()
        self._background.join()
        self.syncer.close()
        self.store.close()

    def _replacing_damage(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do work that fills an index by itself, with a new one if this one is damaged."""
        for _ in range(_MOST_DAMAGES):
            try:
                return work(*args, **kwargs)
            except IndexCorrupt as error:
                self._set_aside(error)
        return work(*args, **kwargs)

    def _set_aside(self, error: IndexCorrupt) -> None:
        if not isinstance(self.store, MendableStore):
            raise error
        aside = self.store.set_aside()
        if aside is not None:
            # Its advice is to do what is being done.
            problem = str(error).partition("; rebuild it")[0].removesuffix(".")
            log.warning("%s. It is kept as %s; a new one is made from the notes.", problem, aside)

    def _sync_for_search(
        self, progress: ProgressCallback | None, down: EmbedderError | None = None
    ) -> SyncReport:
        """Someone waits: batch jobs, which may take an hour, are not for now."""
        with self._sync_lock:
            order = Order(progress=progress, jobs=False, reuse_scan=True, down=down)
            return self._replacing_damage(self.syncer.run, order)

    def _patience(self, waiting: int) -> float:
        soon = waiting <= _FEW_FILES or self.healing(self.store.fingerprint) is None
        return _LONG_PATIENCE_SECONDS if soon else _PATIENCE_SECONDS


def watch_file(lock_dir: Path, folder: Path) -> Path:
    """Where the watcher of a workspace announces itself."""
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return lock_dir / f"watch-{name}.json"
