"""Memory: the facade over everything, and the only place where the parts are wired together."""

from __future__ import annotations

import datetime
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from memdown import embedders, indexing, search, stores, watching, workspace
from memdown.config import Settings, load_settings
from memdown.documents import read_document
from memdown.errors import EmbedderError, IndexBusy, IndexCorrupt, MemdownError
from memdown.indexing import Change, Chunking
from memdown.types import (
    Answer,
    Citation,
    Document,
    Embedder,
    Excerpt,
    FileState,
    ProgressCallback,
    Source,
    Status,
    Store,
    SyncReport,
)

log = logging.getLogger("memdown")
_T = TypeVar("_T")

# How long a search waits for the index: for a few changed files, or a first index, longer.
_FEW_FILES = 8
_PATIENCE_SECONDS = 1.0
_LONG_PATIENCE_SECONDS = 10.0
_LOCK_SECONDS = 60.0


class Memory:
    """A folder of Markdown notes that can be searched. Safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        notes: workspace.Workspace,
        store: Store,
        chosen: embedders.Chosen,
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> None:
        self.settings = settings
        self._notes = notes
        self._store = store
        self._chosen = chosen
        self._today = today
        self._sync_lock = threading.Lock()
        self._background: _SyncThread | None = None
        self._background_lock = threading.Lock()
        self._stop = threading.Event()

    @classmethod
    def open(
        cls,
        folder: str | Path | None = None,
        *,
        config: str | Path | None = None,
        agent: str = "main",
        state_dir: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Open the memory in `folder` (or the configured workspace). Nothing is written yet."""
        settings = load_settings(
            config=Path(config) if config else None,
            workspace=Path(folder) if folder else None,
            agent=agent,
            environ=_environment(environ, state_dir),
        )
        return cls.from_settings(settings)

    @classmethod
    def from_settings(cls, settings: Settings, *, embedder: Embedder | None = None) -> Self:
        """Wire the parts up; an `embedder` of one's own takes the place of the configured one."""
        notes = workspace.open_workspace(settings.workspace, settings.extra_paths)
        chosen = (
            embedders.Chosen(embedder, embedder.id)
            if embedder
            else embedders.choose(settings.provider, settings.fallback, {})
        )
        return cls(settings, notes, _open_store(settings), chosen)

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        sources: Sequence[Source] | None = None,
        progress: ProgressCallback | None = None,
    ) -> Answer:
        """Find the notes that answer a question; see `Answer.reasons` when little was found.

        Notes that changed are indexed first. When that takes long, the search goes on without
        them and says so, unless someone is watching the `progress`.
        """
        reasons: list[str] = []
        options = _search_options(self.settings, self._embedder, max_results, min_score, sources)
        asked = search.prepare(query, self._embedder, reasons)
        partial = self._freshen(reasons, progress) if self.settings.sync.on_search else False
        return self._guarded(lambda: self._answer(asked, options, partial, reasons))

    def _answer(
        self, asked: search.Query, options: search.SearchOptions, partial: bool, reasons: list[str]
    ) -> Answer:
        fingerprint = self._store.fingerprint()
        if fingerprint is None:
            hits, why = [], ["there are no notes yet: write some, or check the workspace"]
        else:
            if asked.vector is not None and fingerprint.key != indexing.model_key(self._embedder):
                asked = replace(asked, vector=None)
                reasons = [*reasons, "keywords only: the index is still of another model"]
            with self._store.snapshot() as snapshot:
                hits, why = search.answer(asked, snapshot, options, self._today())
        return Answer(
            hits=tuple(hits),
            provider=self._embedder.id if self._embedder else embedders.NONE,
            model=self._embedder.model if self._embedder else embedders.NONE,
            partial=partial,
            fallback=self._chosen.fallback_from,
            reasons=(*reasons, *why),
        )

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt:
        """Some lines of a note, from line `start` on; all of it by default."""
        data, state = workspace.read_note(self._notes, path)
        return workspace.excerpt(workspace.decode(data, state.path), state.path, start, lines)

    def remember(self, text: str, *, durable: bool = False) -> Citation:
        """Write something down: in MEMORY.md if it is durable, else in today's log."""
        return workspace.remember(
            self._notes,
            text,
            durable=durable,
            today=self._today(),
            lock_dir=self._lock_dir,
        )

    def sync(self, *, force: bool = False, progress: ProgressCallback | None = None) -> SyncReport:
        """Bring the index up to date with the notes; `force` makes it anew."""
        with self._sync_lock:
            return self._guarded(lambda: self._sync(force, progress))

    def _sync(self, force: bool, progress: ProgressCallback | None) -> SyncReport:
        with self._store.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy("Another process is indexing these notes; try again when it is done.")
            workspace.repair(self._notes, self._lock_dir)
            found = workspace.scan(self._notes)
            indexed = self._store.files()
            chunking = self._chunking()
            want = indexing.wanted_fingerprint(self._embedder, chunking)
            have = self._store.fingerprint()
            rebuild = bool(indexed) and (force or not indexing.fits(have, want))
            if have is not None and not indexed:
                self._store.begin(want)
            paths = list(found.files) if rebuild else indexing.changed_paths(found.files, indexed)
            report = indexing.update(
                self._store,
                self._embedder,
                [self._change(found.files[path]) for path in paths],
                indexing.gone_paths(found.files, indexed),
                chunking,
                rebuild=rebuild,
                unchanged=len(found.files) - len(paths),
                progress=progress,
                stop=self._stop,
            )
            return replace(report, failed=(*found.problems, *report.failed))

    def status(self, *, deep: bool = False) -> Status:
        """What the memory holds and uses. Nothing is written; `deep` tries the embedder."""
        found = workspace.scan(self._notes)
        indexed = self._store.files()
        changed = len(indexing.changed_paths(found.files, indexed))
        changed += len(indexing.gone_paths(found.files, indexed))
        have = self._store.fingerprint()
        fits = indexing.fits(have, indexing.wanted_fingerprint(self._embedder, self._chunking()))
        works, error = self._probe() if deep else (None, None)
        settings = self.settings
        return Status(
            backend="builtin",
            agent=settings.agent,
            workspace=str(settings.workspace),
            provider=self._embedder.id if self._embedder else embedders.NONE,
            model=self._embedder.model if self._embedder else embedders.NONE,
            requested_provider=self._chosen.requested,
            fallback=self._chosen.reason,
            sources=settings.sources,
            extra_paths=settings.extra_paths,
            store=self._store.status(),
            dirty=changed > 0 or not fits,
            changed=changed,
            cache_enabled=settings.cache.enabled,
            cache_max_entries=settings.cache.max_entries,
            vector_enabled=settings.store.vector.enabled,
            citations=settings.citations,
            problems=found.problems,
            embedder_works=works,
            embedder_error=error,
        )

    def watch(self, stop: threading.Event) -> Iterator[SyncReport]:
        """Keep the index fresh until `stop` is set; yields a report for every change."""
        yield self.sync()
        folders = [self.settings.workspace, *map(Path, self._notes.extra)]
        debounce = self.settings.sync.watch_debounce_ms
        for _ in watching.hints(folders, stop, debounce_ms=debounce, interval_s=5.0):
            report = self.sync()
            if report.indexed or report.removed or report.failed:
                yield report

    def close(self) -> None:
        """Stop what runs in the background, between two files, and close the index."""
        self._stop.set()
        if self._background is not None:
            self._background.join()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _embedder(self) -> Embedder | None:
        return self._chosen.embedder

    @property
    def _lock_dir(self) -> Path:
        return self.settings.state_dir / "locks"

    def _chunking(self) -> Chunking:
        return Chunking(self.settings.chunking.tokens, self.settings.chunking.overlap)

    def _change(self, state: FileState) -> Change:
        def read() -> tuple[Document, FileState]:
            data, now = workspace.read_note(self._notes, state.path)
            document = read_document(now, workspace.decode(data, now.path))
            return document, replace(now, digest=document.digest)

        return Change(state, read)

    def _freshen(self, reasons: list[str], progress: ProgressCallback | None) -> bool:
        """Sync what changed before a search; True if the search must go on without all of it."""
        waiting = self._pending()
        if not waiting:
            return False
        sync = self._start_background(progress)
        sync.join(None if progress else self._patience(waiting))
        if sync.is_alive():
            reasons.append(f"partial: {waiting} changed files are still being indexed")
        elif sync.error:
            reasons.append(f"partial: the index could not be brought up to date: {sync.error}")
        return sync.is_alive() or sync.error is not None

    def _patience(self, waiting: int) -> float:
        soon = waiting <= _FEW_FILES or self._store.fingerprint() is None
        return _LONG_PATIENCE_SECONDS if soon else _PATIENCE_SECONDS

    def _pending(self) -> int:
        found = workspace.scan(self._notes)
        indexed = self._guarded(self._store.files)
        count = len(indexing.changed_paths(found.files, indexed))
        count += len(indexing.gone_paths(found.files, indexed))
        want = indexing.wanted_fingerprint(self._embedder, self._chunking())
        if indexed and not indexing.fits(self._store.fingerprint(), want):
            count += len(indexed)
        return count

    def _start_background(self, progress: ProgressCallback | None) -> _SyncThread:
        with self._background_lock:
            if self._background is None or not self._background.is_alive():
                self._background = _SyncThread(self, progress)
                self._background.start()
            return self._background

    def _guarded(self, work: Callable[[], _T]) -> _T:
        """Do some work; if the index turns out damaged, set it aside and begin a new one."""
        try:
            return work()
        except IndexCorrupt as error:
            aside = self._store.set_aside()
            log.warning("%s It was moved to %s and is being rebuilt from the notes.", error, aside)
        if self._sync_lock.locked():
            return work()
        self.sync()
        return work()

    def _probe(self) -> tuple[bool | None, str | None]:
        if self._embedder is None:
            return None, None
        try:
            self._embedder.embed_query("memory")
        except EmbedderError as error:
            return False, str(error)
        return True, None


class _SyncThread(threading.Thread):
    """One sync in the background, and the error that ended it, if any."""

    def __init__(self, memory: Memory, progress: ProgressCallback | None) -> None:
        super().__init__(name="memdown-sync", daemon=True)
        self._memory = memory
        self._progress = progress
        self.error: MemdownError | None = None

    def run(self) -> None:
        try:
            self._memory.sync(progress=self._progress)
        except MemdownError as error:
            self.error = error


def _environment(
    environ: Mapping[str, str] | None, state_dir: str | Path | None
) -> Mapping[str, str] | None:
    if state_dir is None:
        return environ
    return {**(os.environ if environ is None else environ), "MEMDOWN_STATE_DIR": str(state_dir)}


def _open_store(settings: Settings) -> Store:
    options: dict[str, Any] = {
        "path": settings.store.path,
        "vector_enabled": settings.store.vector.enabled,
        "extension_path": settings.store.vector.extension_path,
        "cache_entries": settings.cache.max_entries if settings.cache.enabled else 0,
    }
    return stores.open_store(settings.store.driver, **options)


def _search_options(
    settings: Settings,
    embedder: Embedder | None,
    max_results: int | None,
    min_score: float | None,
    sources: Sequence[Source] | None,
) -> search.SearchOptions:
    query, hybrid = settings.query, settings.query.hybrid
    text_weight = hybrid.text_weight
    if text_weight is None and embedder is not None:
        text_weight = embedder.text_weight
    return search.SearchOptions(
        max_results=query.max_results if max_results is None else max_results,
        min_score=query.min_score if min_score is None else min_score,
        sources=settings.sources if sources is None else tuple(sources),
        hybrid=hybrid.enabled,
        text_weight=text_weight,
        candidate_multiplier=hybrid.candidate_multiplier,
        mmr_lambda=hybrid.mmr.lambda_ if hybrid.mmr.enabled else None,
        half_life_days=(
            hybrid.temporal_decay.half_life_days if hybrid.temporal_decay.enabled else None
        ),
    )

