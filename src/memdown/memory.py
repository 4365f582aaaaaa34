"""Memory: the facade over everything, and the only place where the parts are wired together."""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from memdown import embedders
from memdown import notes as workspace
from memdown.config import Settings, load_settings
from memdown.embedders import usage
from memdown.errors import EmbedderError, IndexCorrupt, MemdownError, WorkspaceError
from memdown.index import backfill, indexing
from memdown.index import watch as watching
from memdown.index.background import Background
from memdown.index.choice import Choice
from memdown.index.sync import SESSIONS, Upkeep
from memdown.opening import (
    check_own,
    embedder_setup,
    lock_dir,
    open_conversations,
    open_long_term,
    open_notes,
    open_reranker,
    open_sidecar,
    open_store,
    search_options,
    sync_options,
    usage_log,
    with_own_index,
    with_state_dir,
)
from memdown.search import answer as search
from memdown.search import filters as filtering
from memdown.search.answer import Query, SearchOptions
from memdown.search.asking import check_request, source_names
from memdown.search.filters import Filter
from memdown.text.redaction import refuse_secrets
from memdown.transcripts.conversations import sessions_folder
from memdown.types import (
    Answer,
    Chunk,
    Citation,
    Embedder,
    Excerpt,
    Failure,
    Hit,
    ProgressCallback,
    Reranker,
    Source,
    Status,
    Store,
    StoredChunk,
    StoreStatus,
    SyncReport,
    Vector,
    Vectors,
)

if TYPE_CHECKING:
    from memdown.backends.ltm import LongTermMemory

log = logging.getLogger("memdown")
_T = TypeVar("_T")

# So many notes that could not be read are named in an answer.
_MOST_NAMED = 3
# What is wrong with an index may come out in more than one look at it.
_MOST_DAMAGES = 2
# How long a search waits for the index: for a few changed files, or a first index, longer; and
# where someone sees the progress, who can go on indexing by hand.
_FEW_FILES = 8
_WATCHED_SECONDS = 5.0
_PATIENCE_SECONDS = 1.0
_LONG_PATIENCE_SECONDS = 10.0


def _counts(lost: Failure, sources: Sequence[Source]) -> bool:
    """Whether what could not be read might have been found in these sources."""
    return ("sessions" if lost.path.startswith(SESSIONS) else "memory") in sources


def _named(lost: Sequence[Failure]) -> list[str]:
    """The reasons why an answer may lack something: what could not be read."""
    reasons = [f"partial: {one.reason}" for one in lost[:_MOST_NAMED]]
    if len(lost) > _MOST_NAMED:
        more = len(lost) - _MOST_NAMED
        reasons.append(f"partial: {more} more could not be read; `memdown status` names them")
    return reasons


def _no_store(location: str, why: str) -> StoreStatus:
    """What a damaged index holds: nothing that counts."""
    return StoreStatus(
        files={},
        chunks={},
        cache_entries=0,
        fts_available=False,
        fts_error=why,
        vector_available=False,
        vector_error=why,
        dims=None,
        location=location,
        size_bytes=0,
    )


_WITHOUT_SECRETS = "leave it out, or pass allow_secrets=True to write it anyway"


class Memory:
    """A folder of Markdown notes that can be searched. Safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        notes: workspace.Workspace,
        store: Store,
        chosen: embedders.Chosen,
        today: Callable[[], datetime.date] = datetime.date.today,
        reranker: Reranker | None = None,
    ) -> None:
        self.settings = settings
        self._notes = notes
        self._store = store
        self._choice = Choice(chosen)
        self._today = today
        self._reranker = reranker
        self._sync_lock = threading.Lock()
        self._background = Background()
        self._stop = threading.Event()
        # Python runs one thread at a time: searches that wait for nothing are done sooner in turn.
        waits = settings.store.driver != "sqlite"
        self._turn = contextlib.nullcontext() if waits else threading.Lock()
        self._upkeep = Upkeep(
            sync_options(settings, notes.folder),
            notes,
            store,
            self._choice,
            open_conversations(settings),
            self._stop,
        )
        self._qmd = open_sidecar(settings, notes)
        self._long_term: LongTermMemory | None = None
        self._long_term_lock = threading.Lock()

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
        """Open the memory in `folder`. Nothing is written yet.

        Without one it is the folder around the current one that `memdown init` was run in, else
        the configured workspace.
        """
        settings = load_settings(
            config=Path(config) if config else None,
            workspace=Path(folder) if folder else None,
            agent=agent,
            environ=with_state_dir(environ, state_dir),
        )
        return cls.from_settings(settings, environ=environ)

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        environ: Mapping[str, str] | None = None,
        today: datetime.date | None = None,
        reranker: Reranker | None = None,
    ) -> Self:
        """Wire the parts up; an `embedder` or `reranker` of one's own replaces the configured one.

        `today` stands still at the given day, for questions that were asked then.
        """
        notes = open_notes(settings)
        workspace.check_kind(notes)
        settings = with_own_index(settings, notes.folder)
        chosen = (
            embedders.Chosen(embedder, embedder.id, ours=False)
            if embedder
            else embedders.choose(embedder_setup(settings, environ))
        )
        clock = datetime.date.today if today is None else lambda: today
        reranker = reranker or open_reranker(settings, environ)
        return cls(settings, notes, open_store(settings, environ), chosen, clock, reranker)

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        sources: str | Sequence[str] | None = None,
        since: datetime.date | str | None = None,
        until: datetime.date | str | None = None,
        folder: str | None = None,
        tags: str | Sequence[str] | None = None,
        progress: ProgressCallback | None = None,
        chat: str = "direct",
        session_key: str | None = None,
    ) -> Answer:
        """Find the notes that answer a question; see `Answer.reasons` when little was found.

        Only notes of these `sources` ("notes", "sessions"), dated from `since` to `until` (days, or
        times such as "March" or "last week"), in a `folder` and with all `tags` are shown; a value
        that cannot be understood is a `QueryError`.

        Notes that changed are indexed first. When that takes long, the search goes on without
        them and says so; indexing goes on in the background until the memory is closed. Where
        someone is watching the `progress`, a search waits 5 s, else 1 s, or 10 s for a few files
        or a first index. With the qmd backend, `chat` and `session_key` tell who asks, for
        `memory.qmd.scope`.
        """
        check_request(query, max_results, min_score)
        only = filtering.make_filter(
            self._notes.folder, self._today(), since=since, until=until, folder=folder, tags=tags
        )
        asked = None if sources is None else source_names(sources)
        if self._qmd is None or only is not None:
            own = self._search(query, max_results, min_score, asked, progress, only)
            if self._qmd is None:
                return own
            why = "the built-in index answered instead of qmd, which takes no filter"
            return replace(own, reasons=(why, *own.reasons))
        from memdown.backends.qmd import chat_of

        answer = self._qmd.answer(
            query,
            max_results=max_results,
            min_score=min_score,
            sources=asked,
            chat=chat_of(chat, session_key),
        )
        if isinstance(answer, Answer):
            return answer
        own = self._search(query, max_results, min_score, asked, progress)
        why = f"the built-in index answered instead of qmd: {answer}"
        return replace(own, fallback=own.fallback or "qmd", reasons=(why, *own.reasons))

    def _search(
        self,
        query: str,
        max_results: int | None,
        min_score: float | None,
        sources: Sequence[Source] | None,
        progress: ProgressCallback | None,
        only: Filter | None = None,
    ) -> Answer:
        reasons: list[str] = []
        partial = False
        embedder = self._guarded(self._fitting_embedder)
        asked = search.prepare(query, embedder, reasons)
        if self.settings.sync.on_search:
            # A provider that could not answer a question will not embed notes either.
            down = asked.failure if embedder is self._embedder else None
            late: list[str] = []
            partial = self._freshen(late, progress, down)
            fitting = self._guarded(self._fitting_embedder)
            if fitting is not embedder:
                embedder = fitting
                reasons.clear()
                asked = search.prepare(query, embedder, reasons)
            reasons += late
        if asked.vector is not None and not partial and (lacking := self._upkeep.lacking):
            partial = True
            reasons.append(
                f"partial: {len(lacking)} notes have no vectors yet and are found by their words "
                f"only: {lacking[0].problem}"
            )
        options = search_options(self.settings, embedder, max_results, min_score, sources)
        if lost := _named([one for one in self._upkeep.lost if _counts(one, options.sources)]):
            partial = True
            reasons += lost
        if "sessions" in options.sources and "sessions" not in self.settings.sources:
            reasons.append(
                "conversations are not indexed: turn on memorySearch.experimental.sessionMemory and "
                "add sessions to memorySearch.sources"
            )
        return self._guarded(lambda: self._answer(asked, embedder, options, partial, reasons, only))

    def _answer(
        self,
        asked: Query,
        embedder: Embedder | None,
        options: SearchOptions,
        partial: bool,
        reasons: list[str],
        only: Filter | None,
    ) -> Answer:
        fingerprint = self._store.fingerprint()
        hits: list[Hit]
        if fingerprint is None:
            folder = self.settings.workspace
            hits, why = [], [f"there are no notes in {folder} yet: write some, or check the folder"]
            explanation = None
        else:
            if asked.vector is not None and fingerprint.key != indexing.model_key(embedder):
                asked = replace(asked, vector=None)
                reasons = [*reasons, "keywords only: the index is still of another model"]
            if asked.vector is not None and fingerprint.dims not in (None, asked.vector.size):
                asked = replace(asked, vector=None)
                reasons = [*reasons, "keywords only: the provider's vectors have another length"]
            question = search.Asked(asked, options, self._today(), embedder, self._reranker)
            gathered: list[Hit] = []
            nothing_left = ""
            with self._turn, self._store.snapshot() as snapshot:
                if only is not None:
                    files = filtering.allowed(only, snapshot.files(), options.sources)
                    question = replace(question, files=files)
                    nothing_left = "" if files else filtering.why_none(only, snapshot.files())
                if not nothing_left:
                    question = search.settle(search.timed(question, snapshot), snapshot)
                    gathered = search.gather(question, snapshot)
                    if better := search.respell(question, gathered, snapshot):
                        question, gathered = better
            found = search.arrange(question, gathered)
            hits, explanation = found.hits, found.explanation
            why = [nothing_left] if nothing_left else found.reasons
        return Answer(
            hits=tuple(hits),
            provider=embedder.id if embedder else embedders.NONE,
            model=embedder.model if embedder else embedders.NONE,
            partial=partial,
            fallback=self._choice.fallen_from(embedder),
            reasons=(*self._choice.why_not_the_first(embedder), *reasons, *why),
            explanation=explanation,
        )

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt:
        """Some lines of a note, from line `start` on; all of it by default."""
        place = self._qmd.file_of(path) if self._qmd is not None else None
        if place is not None:
            folder, inner = place
            data, _ = workspace.read_note(workspace.Workspace(folder, (folder,)), inner)
            return workspace.excerpt(workspace.decode(data, path), path, start, lines)
        data, state = workspace.read_note(self._notes, path)
        return workspace.excerpt(workspace.decode(data, state.path), state.path, start, lines)

    def remember(
        self, text: str, *, durable: bool = False, allow_secrets: bool = False
    ) -> Citation:
        """Write something down: in MEMORY.md if it is durable, else in today's log.

        What looks like a secret is refused with `SecretFound`, unless secrets are allowed.
        """
        check_own(self.settings)
        if not allow_secrets:
            refuse_secrets(text, _WITHOUT_SECRETS)
        return workspace.remember(
            self._notes,
            text,
            durable=durable,
            today=self._today(),
            lock_dir=self._lock_dir,
        )

    def long_term(self) -> LongTermMemory:
        """The single memories of the plugin `memory-lancedb`; nothing is made before the first."""
        with self._long_term_lock:
            if self._long_term is None:
                self._long_term = open_long_term(self.settings, self._embedder)
            return self._long_term

    def notes(self) -> workspace.Scan:
        """Every note there is, and what could not be looked at."""
        return workspace.scan(self._notes)

    def read(self, path: str) -> workspace.Note:
        """A whole note, with the version that `edit` must name."""
        return workspace.read_whole(self._notes, path)

    def edit(
        self, path: str, text: str, *, base: str | None, allow_secrets: bool = False
    ) -> workspace.Note:
        """Give a note new text if it still is the version `base`; None makes a new note.

        A secret that is not in the note yet is refused as in `remember`.
        """
        check_own(self.settings)
        if not allow_secrets:
            try:
                before = self.read(path).text if base else ""
            except WorkspaceError:
                # Saving tells what is wrong with the note.
                before = ""
            refuse_secrets(text, _WITHOUT_SECRETS, before=before)
        return workspace.save(self._notes, path, text, base=base, lock_dir=self._lock_dir)

    def drafts(self) -> list[str]:
        """The hidden files that saves have left which were cut off."""
        return workspace.drafts(self._notes)

    def recover(self) -> list[str]:
        """Make notes of those files, unless a note says the same; their paths."""
        return workspace.recover(self._notes, self._lock_dir)

    def chunks(self, path: str) -> list[Chunk]:
        """How a note is cut for the index."""
        return indexing.chunks_of(
            self._upkeep.note(path)[0], self._embedder, self._upkeep.chunking()
        )

    def vectors(self, limit: int) -> tuple[list[StoredChunk], Vectors]:
        """The indexed chunks with their vectors, evenly drawn if there are more than `limit`."""
        return self._guarded(lambda: self._vectors(limit))

    def _vectors(self, limit: int) -> tuple[list[StoredChunk], Vectors]:
        if self._store.fingerprint() is None:
            return [], np.empty((0, 1), np.float32)
        with self._store.snapshot() as snapshot:
            keys, rows = snapshot.all_vectors(limit)
            chunks = snapshot.load(keys)
            return [chunks[key] for key in keys], rows

    def revision(self) -> str:
        """What tells one state of the index from another."""
        files = self._guarded(self._store.files).values()
        indexed = sorted((state.path, state.digest, state.problem) for state in files)
        return hashlib.sha256(repr((self._store.fingerprint(), indexed)).encode()).hexdigest()

    def vector_of(self, query: str) -> Vector | None:
        """Where a question stands among `vectors`; None if it cannot be told."""
        return search.prepare(query, self._fitting_embedder(), []).vector

    def sync(self, *, force: bool = False, progress: ProgressCallback | None = None) -> SyncReport:
        """Bring the index up to date with the notes; `force` makes it anew."""
        with self._sync_lock:
            report = self._guarded(lambda: self._upkeep.sync(force, progress), syncing=True)
        return self._with_qmd(report)

    def _with_qmd(self, report: SyncReport) -> SyncReport:
        reason = self._qmd.update() if self._qmd is not None else None
        if reason is None:
            return report
        failure = Failure("qmd", f"qmd is not up to date: {reason}.", passing=True)
        return replace(report, failed=(*report.failed, failure))

    def _sync_for_search(
        self, progress: ProgressCallback | None, down: EmbedderError | None = None
    ) -> SyncReport:
        """Someone waits: batch jobs, which may take an hour, are not for now."""

        def work() -> SyncReport:
            return self._upkeep.sync(False, progress, jobs=False, looked=True, down=down)

        with self._sync_lock:
            return self._guarded(work, syncing=True)

    def estimate(
        self, *, force: bool = False, most_files: int | None = None
    ) -> backfill.Estimate | None:
        """What the next sync will embed, if it makes the whole index with a provider that costs.

        All notes are read for this, so None is returned if there are more than `most_files`.
        """
        work = lambda: self._upkeep.estimate(force=force, most_files=most_files)  # noqa: E731
        return self._guarded(work, syncing=True)

    def status(self, *, deep: bool = False) -> Status:
        """What the memory holds and uses. Nothing is written; `deep` tries the embedder."""
        damage: tuple[Failure, ...] = ()
        try:
            indexed, have, store = (
                self._store.files(),
                self._store.fingerprint(),
                self._store.status(),
            )
        except IndexCorrupt as damaged:
            place = str(self.settings.store.path)
            indexed, have, store = {}, None, _no_store(place, str(damaged))
            why = f"{damaged} The next search makes a new one from the notes."
            damage = (Failure(place, why),)
        found = self._upkeep.scan(indexed)
        lost = indexing.unreadable(found.files, indexed)
        tried = {one.path for one in lost}
        lacking = indexing.lacking(found.files, indexed) if self._embedder else []
        changed = sum(
            path not in tried or not found.files[path].same_times(indexed[path])
            for path in indexing.changed_paths(found.files, indexed)
        )
        changed += len(indexing.gone_paths(found.files, indexed, found.unseen))
        fits = indexing.fits(
            have, indexing.wanted_fingerprint(self._embedder, self._upkeep.chunking())
        )
        embedder = self._choice.fitting(have)
        works, error = self._probe() if deep else (None, None)
        fallen = self._choice.why_not_the_first(embedder)
        if not fallen and self._choice.problem and error is None:
            works, error = False, self._choice.problem
        jobs = getattr(embedder, "jobs", None)
        settings = self.settings
        qmd_problem = self._qmd.status() if self._qmd is not None else None
        return Status(
            backend="builtin" if self._qmd is None or qmd_problem else "qmd",
            backend_reason=qmd_problem,
            agent=settings.agent,
            workspace=str(settings.workspace),
            provider=embedder.id if embedder else embedders.NONE,
            model=embedder.model if embedder else embedders.NONE,
            requested_provider=self._choice.requested,
            fallback=fallen[0] if fallen else None,
            sources=settings.sources,
            extra_paths=settings.extra_paths,
            store=store,
            dirty=changed > 0 or not fits,
            changed=changed,
            cache_enabled=settings.cache.enabled,
            cache_max_entries=settings.cache.max_entries,
            vector_enabled=settings.store.vector.enabled,
            citations=settings.citations,
            problems=(*damage, *found.problems, *lost, *self._leftovers(found)),
            without_vectors=len(lacking),
            without_vectors_reason=lacking[0].problem if lacking else None,
            embedder_works=works,
            embedder_error=error,
            usage=usage.read(usage_log(settings)),
            jobs_enabled=jobs is not None,
            jobs_pending=jobs.pending() if jobs is not None else 0,
            jobs_error=jobs.last_error if jobs is not None else None,
            watcher=watching.announcement(self._watch_file),
        )

    def _leftovers(self, found: workspace.Scan) -> tuple[Failure, ...]:
        unfinished = workspace.unfinished_save(self._notes, self._lock_dir)
        kept = workspace.kept_versions(found.files)
        return (unfinished, *kept) if unfinished else kept

    def check(self) -> list[str]:
        """What is wrong with the index itself, after a thorough look; nothing is the rule."""
        try:
            return self._store.check()
        except IndexCorrupt as error:
            return [str(error)]

    def replace_damaged(self) -> SyncReport:
        """Set an index that `check` found damaged aside, and make a new one from the notes."""
        self._store.set_aside()
        return self.sync()

    def start_session(self) -> None:
        """Tell that a session starts: the index is brought up to date in the background."""
        if self._qmd is not None:
            self._qmd.start()
        if self.settings.sync.on_session_start and self._guarded(self._upkeep.pending):
            self._background.start_anew(self._sync_for_search)

    def watch(self, stop: threading.Event) -> Iterator[SyncReport]:
        """Keep the index fresh until `stop` is set; yields a report at once and for every change.

        What goes wrong later, such as a full disk, is reported and tried again.
        """
        last = self.sync()
        yield last
        sync = self.settings.sync
        longest = watching.SAFETY_SECONDS
        if sync.interval_minutes:
            longest = min(longest, sync.interval_minutes * 60)
        with watching.announced(self._watch_file) as say:
            for _ in watching.hints(
                self._watched_places,
                stop,
                debounce_s=sync.watch_debounce_ms / 1000,
                events=sync.watch,
                safety_s=longest,
                say=say,
            ):
                report = self._sync_while_watching()
                if report.indexed or report.removed or report.failed != last.failed:
                    yield report
                last = report

    def _sync_while_watching(self) -> SyncReport:
        try:
            with self._sync_lock:
                work = lambda: self._upkeep.sync(False, None, only_settled=True)  # noqa: E731
                report = self._guarded(work, syncing=True)
            if self._qmd is not None:
                self._qmd.update(force=False)
            return report
        except MemdownError as error:
            failure = Failure(str(self.settings.workspace), str(error))
            return SyncReport(complete=False, failed=(failure,))

    def _watched_places(self) -> list[Path]:
        """Every folder whose entries can change what is to be indexed."""
        folder = self._notes.folder
        listed = [folder / name for name in self._upkeep.listed]
        talks = sessions_folder(self.settings.state_dir, self.settings.agent)
        more = [talks] if "sessions" in self.settings.sources else []
        return [folder, folder.parent, *(path.parent for path in self._notes.extra), *listed, *more]

    @property
    def _watch_file(self) -> Path:
        name = hashlib.sha256(os.fsencode(self._notes.folder)).hexdigest()[:16]
        return self._lock_dir / f"watch-{name}.json"

    def close(self) -> None:
        """Stop what runs in the background, between two files, and close the index."""
        self._stop.set()
        if self._qmd is not None:
            self._qmd.close()
        self._choice.close()
        self._background.join()
        self._upkeep.close()
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
        return self._choice.embedder

    def _fitting_embedder(self) -> Embedder | None:
        # The common case needs no look into the index.
        if self._choice.is_settled:
            return self._embedder
        return self._choice.fitting(self._store.fingerprint())

    @property
    def _lock_dir(self) -> Path:
        return lock_dir(self.settings)

    def _freshen(
        self,
        reasons: list[str],
        progress: ProgressCallback | None,
        down: EmbedderError | None,
    ) -> bool:
        """Sync what changed before a search; True if the search must go on without all of it.

        `down` is why the embedder does not work: notes are then indexed without asking it.
        """
        work = functools.partial(self._sync_for_search, down=down)
        # A sync that was under way may have passed a note before it was saved; the next has not.
        for _ in range(2):
            waiting = self._guarded(lambda: self._upkeep.pending(down))
            if not waiting:
                return False
            # Before the sync begins: what it finds damaged it moves away.
            patience = self._guarded(functools.partial(self._patience, waiting))
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
            if not was_running or sync.is_alive() or sync.error:
                break
        if sync.is_alive() and progress:
            reasons.append(
                f"partial: indexing is not complete ({waiting} files changed): run `memdown index`"
            )
        elif sync.is_alive():
            reasons.append(f"partial: {waiting} changed files are still being indexed")
        elif sync.error:
            reasons.append(f"partial: the index could not be brought up to date: {sync.error}")
        return sync.is_alive() or sync.error is not None

    def _patience(self, waiting: int) -> float:
        soon = waiting <= _FEW_FILES or self._guarded(self._store.fingerprint) is None
        return _LONG_PATIENCE_SECONDS if soon else _PATIENCE_SECONDS

    def _guarded(self, work: Callable[[], _T], *, syncing: bool = False) -> _T:
        """Do some work; if the index turns out damaged, set it aside and begin a new one.

        `syncing` tells that the work, or what follows on it, fills the new index by itself.
        """
        for _ in range(_MOST_DAMAGES):
            try:
                return work()
            except IndexCorrupt as error:
                aside = self._store.set_aside()
                if aside is not None:
                    log.warning("%s It is now %s; a new one is made from the notes.", error, aside)
            if not syncing:
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
