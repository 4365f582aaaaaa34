"""One sync: scan the files, compare them with the index, and read, cut, embed and write what differs."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memdown import notes
from memdown.embedders import Choice, Unavailable, usage
from memdown.errors import EmbedderError, IndexBusy
from memdown.index import changes as changing
from memdown.index.changes import (
    IN_A_JOB,
    SESSIONS,
    Changes,
    Chunking,
    FailureMemo,
    Sources,
    compare,
    fits,
    lacking_vectors,
    takes_text,
)
from memdown.index.embedding import Backfill, Embedding, Estimate, jobs_of
from memdown.index.freshness import FolderEvents
from memdown.index.store import MendableStore, SettledStore, Store, Writes, is_stateful
from memdown.types import Embedder, Failure, FileState, ProgressCallback, SyncReport
from memdown.values import dataclass

_LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What every sync needs to know.

    `claim` is called before the first write to the index, `cache_entries` limits the vectors that
    a batch job may hand over, `usage_log` is the file that counts look-ups in the cache.
    """

    chunking: Chunking
    lock_dir: Path
    usage_log: Path
    cache_entries: int
    claim: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of one sync.

    `force` makes the index anew. With `only_settled`, transcripts that are still growing wait;
    without `jobs`, nothing is handed to a batch job, which may take an hour. `reuse_scan` takes
    what `pending` found just before. `down` is why the embedder does not work, where that is known
    already: it is not asked then.
    """

    force: bool = False
    progress: ProgressCallback | None = None
    only_settled: bool = False
    jobs: bool = True
    reuse_scan: bool = False
    down: EmbedderError | None = None


@dataclass(frozen=True, slots=True)
class Gaps:
    """What an answer may lack: files that could not be read, and files without vectors."""

    unreadable: tuple[Failure, ...] = ()
    without_vectors: tuple[FileState, ...] = ()


class Syncer:
    """One sync after another, each of them begun by a scan of what is on disk.

    `gaps` are those that the last sync or look left. What was changed before `current_as_of`, a time of
    `time.monotonic`, is in the index. Not safe for threads: `Index` takes turns.
    """

    def __init__(
        self,
        options: SyncOptions,
        sources: Sources,
        store: Store,
        choice: Choice,
        stop: threading.Event,
    ) -> None:
        self.sources = sources
        self.events = FolderEvents()
        self.gaps = Gaps()
        self._options = options
        self._store = store
        self._choice = choice
        self._stop = stop
        self._memo = FailureMemo()
        self.current_as_of = -math.inf
        # The last scan that found something to do, and when it began.
        self._last_scan: tuple[float, notes.Scan] | None = None

    @property
    def chunking(self) -> Chunking:
        """How documents are cut."""
        return self._options.chunking

    @property
    def _embedder(self) -> Embedder | None:
        return self._choice.embedder

    def run(self, order: Order) -> SyncReport:
        """Bring the index up to date.

        If it turns out only now that the embedder does not work, all notes are indexed by their
        words before its error is raised. Where nothing changed, no lock is taken, nothing written.
        """
        notes.repair(self.sources.workspace, self._options.lock_dir)
        last, self._last_scan = self._last_scan if order.reuse_scan else None, None
        began, scan = last or (time.monotonic(), None)
        report = self._brought_up_to_date(scan, order)
        if not order.only_settled and not self._stop.is_set():
            self.current_as_of = max(self.current_as_of, began)
        return report

    def _brought_up_to_date(self, scan: notes.Scan | None, order: Order) -> SyncReport:
        changes = self._compare(scan, order)
        settled = None
        if order.only_settled:
            changes = self._without_growing(changes)
            settled = frozenset(state.path for state in changes.transcripts)
        if not order.force and not changes.count and self._is_current(order.down):
            return SyncReport(
                unchanged=len(changes.indexed),
                failed=(*changes.scan.problems, *changes.failed),
                ignored=changes.scan.ignored,
            )
        with self._store.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    "Another process is indexing these notes; try again when it is done."
                )
            self._options.claim()
            return self._write(changes.scan, order, settled)

    def _write(self, scan: notes.Scan, order: Order, settled: frozenset[str] | None) -> SyncReport:
        """Write what changed: with the embedder, else with its fallback, else by words alone."""
        error = order.down
        if error is None:
            try:
                return self._pass(scan, order, settled)
            except EmbedderError as failure:
                if self._stop.is_set():
                    raise
                error = failure
        again = replace(order, force=False, jobs=False, down=None)
        if self._choice.fall_back(error, self._store.fingerprint(), self._has_no_vectors):
            return self._pass(scan, again, settled)
        report = self._pass(scan, replace(again, down=error), settled)
        if order.down is None:
            raise error
        return report

    def _pass(self, scan: notes.Scan, order: Order, settled: frozenset[str] | None) -> SyncReport:
        """One pass over all that changed, under the lock of the writer."""
        changes = self._compare(scan, order)
        # What seems gone may have come, and been indexed by another process, since the scan.
        if self.sources.any_exists(changes.gone):
            changes = self._compare(None, order)
        want, have = self.chunking.fingerprint(self._embedder), self._store.fingerprint()
        rebuild = bool(changes.indexed) and (order.force or not fits(have, want))
        if rebuild and order.down is not None:
            if not takes_text(have, want):
                raise order.down
            rebuild = False
        if rebuild:
            changes = changes.all_files()
        elif settled is not None:
            growing = tuple(one for one in changes.transcripts if one.path in settled)
            changes = replace(changes, transcripts=growing)
        in_jobs = self._in_jobs(changes, order)
        if in_jobs and rebuild:
            waiting = len(changes.notes)
            return SyncReport(unchanged=len(changes.indexed), waiting=waiting, complete=False)
        if not rebuild and (have is None or not changes.indexed):
            self._store.begin(want)
        report = self._index(changes, order, in_jobs, rebuild=rebuild)
        self.sources.finish(changes.gone, complete=report.complete)
        self._count_usage(report)
        self._memo.update(changes, report.failed)
        self._find_gaps(changes.scan, self._store.files())
        failed = (*changes.scan.problems, *changes.failed, *report.failed)
        if report.complete and settled is None:
            self._settle(notes.total_of(changes.scan.files.values()), failed, order.down)
        return replace(report, failed=failed, ignored=changes.scan.ignored)

    def _index(
        self, changes: Changes, order: Order, in_jobs: frozenset[str], *, rebuild: bool
    ) -> SyncReport:
        """Read, cut, embed and write. When stopped, a rebuild is dropped, anything else is kept."""
        from memdown.index.pipeline import Pipeline, Stopped, Tally

        want = self.chunking.fingerprint(self._embedder)
        have = want if rebuild else self._store.fingerprint() or want
        # An index of another model, whose rebuild has to wait, gets nothing of this one.
        key = have.key if order.down is not None else want.key
        embedding = None
        if self._embedder is not None:
            embedding = Embedding(self._store, self._embedder, key, have.dims, order.down)

        tally = Tally()
        begun = self._store.rebuild(want) if rebuild else contextlib.nullcontext(self._store)
        try:
            with contextlib.suppress(Stopped), begun as writer:
                Pipeline(
                    self.sources,
                    writer,
                    self.chunking,
                    key.model,
                    embedding,
                    self._stop,
                    tally,
                    order.progress,
                    rebuild=rebuild,
                    in_jobs=in_jobs,
                ).run(changes, {} if rebuild else changes.indexed)
        except EmbedderError:
            # A provider that is down is no reason to go on finding notes that are gone.
            if not rebuild:
                self._store.apply(Writes(removed=changes.gone))
            raise
        if changes.gone and not rebuild:
            with tally.timed("write"):
                self._store.apply(Writes(removed=changes.gone))
        return SyncReport(
            indexed=tally.indexed,
            removed=len(changes.gone),
            unchanged=changes.unchanged + tally.unchanged,
            chunks=tally.chunks,
            embedded=embedding.embedded if embedding else 0,
            looked_up=embedding.looked_up if embedding else 0,
            found=embedding.found if embedding else 0,
            waiting=tally.waiting,
            without_vectors=tally.without_vectors,
            rebuilt=rebuild,
            complete=not self._stop.is_set() and not tally.waiting,
            failed=tuple(tally.failed),
            seconds=dict(tally.seconds),
        )

    def pending(self, down: EmbedderError | None = None) -> int:
        """How many files a sync would have to look into, if the embedder is not `down`."""
        if notes.unfinished_save(self.sources.workspace, self._options.lock_dir):
            # What it left may be a version of a note that nobody has read yet.
            return 1
        state = self.index_state(down)
        if state is not None and self.events.nothing_happened(state):
            return 0
        began = time.monotonic()
        begun = self.events.before_scan() if state is not None else None
        glance = self.sources.glance() if isinstance(self._store, SettledStore) else None
        if glance is not None and self._is_settled(glance.total, down):
            self.gaps, self._last_scan = Gaps(), None
            if begun is not None:
                self.events.scanned(begun, self.sources.places(glance.folders), state)
            return 0
        changes = self._compare(None, Order(jobs=False, down=down))
        self._find_gaps(changes.scan, changes.indexed)
        count = changes.count
        want = self.chunking.fingerprint(self._embedder)
        if changes.indexed and not down and not fits(self._store.fingerprint(), want):
            count += len(changes.indexed)
        if begun is not None:
            places = self.sources.places(changes.scan.folders)
            self.events.scanned(begun, places, None if count else state)
        if glance is not None and not count:
            self._settle(glance.total, changes.failed, down)
        self._last_scan = (began, changes.scan) if count else None
        return count

    def estimate(self, *, force: bool = False, most_files: int | None = None) -> Estimate | None:
        """What the next sync will embed, if it makes the whole index with a provider that costs."""
        embedder, indexed = self._embedder, self._store.files()
        if embedder is None or embedder.instant or isinstance(embedder, Unavailable):
            return None
        files = notes.scan(self.sources.workspace).files
        want = self.chunking.fingerprint(embedder)
        if indexed and not force and fits(self._store.fingerprint(), want):
            lacking = {state.path for state in lacking_vectors(files, indexed)}
            files = {path: state for path, state in files.items() if path in lacking}
            if not files:
                return None
        if most_files is not None and len(files) > most_files:
            return None
        states = list(files.values())
        return Backfill(self._store, embedder, self.sources, self.chunking, states).estimate()

    def close(self) -> None:
        """Watch no folder any more."""
        self.events.close()

    def index_state(self, down: EmbedderError | None = None) -> object | None:
        """Equal for two states of the index that are; None if the store cannot compare them fast."""
        if not is_stateful(self._store):
            return None
        return self._store.state(), self._embedder, down is None

    def _is_settled(self, total: int, down: EmbedderError | None) -> bool:
        return isinstance(self._store, SettledStore) and self._store.is_settled(
            self._found(total, down)
        )

    def _settle(self, total: int, failed: Sequence[Failure], down: EmbedderError | None) -> None:
        """Spare the next process the list of files, if it would find nothing to do in it or to tell."""
        if isinstance(self._store, SettledStore) and not failed and self.gaps == Gaps():
            self._store.settle(self._found(total, down))

    def _found(self, total: int, down: EmbedderError | None) -> str:
        """What is on disk, and how it would be indexed."""
        want = self.chunking.fingerprint(self._embedder)
        return f"{total:x} {want} {'' if down is None else 'by words alone'}"

    def _compare(self, scan: notes.Scan | None, order: Order) -> Changes:
        indexed = self._store.files()
        scan = scan or self.sources.scan(indexed)
        awaiting = self._awaiting_vectors(scan, indexed, order)
        return compare(scan, indexed, self._memo, awaiting)

    def _awaiting_vectors(
        self, scan: notes.Scan, indexed: Mapping[str, FileState], order: Order
    ) -> Sequence[FileState]:
        """The files whose vectors can be asked for now: what is in a batch job, only with `jobs`."""
        if self._embedder is None or (order.down and not self._may_fall_back(indexed)):
            return ()
        lacking = lacking_vectors(scan.files, indexed)
        if lacking and not order.jobs:
            jobs = jobs_of(self._embedder)
            if jobs is not None and jobs.pending():
                return [state for state in lacking if state.problem != IN_A_JOB]
        return lacking

    def _may_fall_back(self, indexed: Mapping[str, FileState]) -> bool:
        """Whether the fallback could make an index that has no vectors at all anew."""
        return self._choice.has_spare and not any(
            state.digest and state.size and not state.problem for state in indexed.values()
        )

    def _without_growing(self, changes: Changes) -> Changes:
        settled = tuple(
            state
            for state in changes.transcripts
            if self.sources.transcripts.settled(state, changes.indexed.get(state.path))
        )
        return replace(changes, transcripts=settled)

    def _is_current(self, down: EmbedderError | None) -> bool:
        """Whether the index is made as it would be made now, and whole."""
        have = self._store.fingerprint()
        # While the embedder is down an index of another model stays as it is.
        fitting = fits(have, self.chunking.fingerprint(self._embedder))
        return (have is not None if down else fitting) and not self._has_leftovers()

    def _has_leftovers(self) -> bool:
        return isinstance(self._store, MendableStore) and self._store.leftovers()

    def _has_no_vectors(self) -> bool:
        """Whether another model could take over the index without spoiling anything."""
        if self._store.fingerprint() is None:
            return True
        with self._store.snapshot() as snapshot:
            return not snapshot.vectors(1)[0]

    def _in_jobs(self, changes: Changes, order: Order) -> frozenset[str]:
        if not order.jobs or self._embedder is None:
            return frozenset()
        backfill = Backfill(self._store, self._embedder, self.sources, self.chunking, changes.notes)
        return backfill.by_jobs(self._options.cache_entries)

    def _find_gaps(self, scan: notes.Scan, indexed: Mapping[str, FileState]) -> None:
        unlisted = {prefix.rstrip("/") for prefix in (*scan.unlisted, SESSIONS)}
        folders = [one for one in scan.problems if one.path.rstrip("/") in unlisted]
        lacking = lacking_vectors(scan.files, indexed) if self._embedder else ()
        self.gaps = Gaps((*folders, *changing.unreadable(scan.files, indexed)), tuple(lacking))

    def _count_usage(self, report: SyncReport) -> None:
        if self._embedder is not None and report.looked_up:
            counts = usage.noted_today(
                self._embedder.id, looked_up=report.looked_up, found=report.found
            )
            usage.note(self._options.usage_log, counts)
