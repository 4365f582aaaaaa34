"""Upkeep: an index is brought in step with the notes and transcripts it is made from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memdown import embedders
from memdown import notes as workspace
from memdown.embedders import usage
from memdown.errors import EmbedderError, IndexBusy
from memdown.index import backfill, indexing
from memdown.index.choice import Choice
from memdown.index.freshness import Noticing, Places
from memdown.index.indexing import Change, Chunking
from memdown.index.unreadable import Unreadable
from memdown.notes.document import read_document
from memdown.notes.journal import Journal, Recorder, journal_file
from memdown.transcripts.conversations import Conversations
from memdown.types import (
    Document,
    Embedder,
    Failure,
    FileState,
    ProgressCallback,
    Store,
    SyncReport,
)

_LOCK_SECONDS = 60.0
# What the paths of transcripts begin with.
SESSIONS = "sessions/"


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What a sync needs to know besides its parts.

    `claim` is called before the first write to the index, `cache_entries` limits the vectors that
    a batch job may hand over, `usage_log` is the file that counts look-ups.
    """

    chunking: Chunking
    lock_dir: Path
    usage_log: Path
    cache_entries: int
    claim: Callable[[], None]


class Upkeep:
    """One sync after another, each of them begun by a scan of what is on disk.

    `listed` are the folders that the last scan looked into, `lost` the notes and folders that
    could not be read then, `lacking` the files that have no vectors yet, `unreadable` what went
    wrong when this process tried to index a file.
    """

    def __init__(
        self,
        options: SyncOptions,
        notes: workspace.Workspace,
        store: Store,
        choice: Choice,
        conversations: Conversations,
        stop: threading.Event,
    ) -> None:
        self._options = options
        self.unreadable = Unreadable()
        self.listed: tuple[str, ...] = ()
        self.lost: tuple[Failure, ...] = ()
        self.lacking: tuple[FileState, ...] = ()
        self._notes = notes
        self._store = store
        self._choice = choice
        self._stop = stop
        self._noticing = Noticing()
        self._just_found: workspace.Scan | None = None
        self._conversations = conversations
        # What other programs did to the notes is part of their history.
        self._recorder = Recorder(Journal(journal_file(notes.folder, options.lock_dir)))

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self._notes.folder

    def watched_folders(self) -> list[Path]:
        """Every folder whose entries can change what is to be indexed."""
        folder = self.folder
        listed = [folder / name for name in self.listed]
        talks = [self._conversations.folder] if self._conversations.enabled else []
        outside = [path.parent for path in self._notes.extra]
        return [folder, folder.parent, *outside, *listed, *talks]

    @property
    def _embedder(self) -> Embedder | None:
        return self._choice.embedder

    def sync(
        self,
        force: bool,
        progress: ProgressCallback | None,
        *,
        only_settled: bool = False,
        jobs: bool = True,
        looked: bool = False,
        down: EmbedderError | None = None,
    ) -> SyncReport:
        """Bring the index up to date; `force` makes it anew.

        With `only_settled`, transcripts that are still growing wait; without `jobs`, nothing is
        handed to a batch job, which may take an hour. `looked` means that `pending` was asked just
        before, so that what it found need not be looked for again. `down` is why the embedder does
        not work, where that is known already: it is not asked then. If it turns out only now, the
        error is raised after all notes were indexed by their words.
        """
        settled: frozenset[str] | None = None
        found, self._just_found = self._just_found if looked else None, None
        if not force:
            fresh, settled, found = self._nothing_to_do(only_settled, found, jobs=jobs, down=down)
            if fresh is not None:
                return fresh
        with self._store.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    "Another process is indexing these notes; try again when it is done."
                )
            self._options.claim()
            workspace.repair(self._notes, self._options.lock_dir)
            error = down
            if error is None:
                try:
                    return self._update(force, progress, settled, jobs, found)
                except EmbedderError as failure:
                    if self._stop.is_set():
                        raise
                    error = failure
            if self._choice.fall_back(error, self._store.fingerprint(), self._has_no_vectors):
                return self._update(False, progress, settled, jobs=False)
            report = self._update(False, progress, settled, jobs=False, down=error)
            if down is None:
                raise error
            return report

    def _has_no_vectors(self) -> bool:
        """Whether another model could take over the index without spoiling anything."""
        if self._store.fingerprint() is None:
            return True
        with self._store.snapshot() as snapshot:
            return not snapshot.all_vectors(1)[0]

    def _update(
        self,
        force: bool,
        progress: ProgressCallback | None,
        settled: frozenset[str] | None,
        jobs: bool,
        found: workspace.Scan | None = None,
        down: EmbedderError | None = None,
    ) -> SyncReport:
        indexed = self._store.files()
        # What seems gone may have come, and been indexed by another process, since the scan.
        if found is None or indexing.gone_paths(found.files, indexed, found.unseen):
            found = self.scan(indexed)
        chunking = self.chunking()
        want = indexing.wanted_fingerprint(self._embedder, chunking)
        have = self._store.fingerprint()
        rebuild = bool(indexed) and (force or not indexing.fits(have, want))
        if have is not None and not indexed:
            self._store.begin(want)
        elif down is not None:
            if rebuild and not indexing.takes_text(have, want):
                raise down
            rebuild = False
        paths, failed = self._changed(found, indexed, jobs=jobs, down=down)
        if rebuild:
            paths, failed = list(found.files), []
        talks = [found.files[path] for path in paths if found.files[path].source == "sessions"]
        if settled is not None and not rebuild:
            talks = [state for state in talks if state.path in settled]
        changes = [
            self._change(found.files[path])
            for path in paths
            if found.files[path].source == "memory"
        ]
        waiting: frozenset[str] = frozenset()
        if jobs:
            entries = self._options.cache_entries
            waiting = backfill.by_jobs(self._store, self._embedder, changes, chunking, entries)
        if waiting and rebuild:
            return SyncReport(unchanged=len(indexed), waiting=len(changes), complete=False)
        gone = indexing.gone_paths(found.files, indexed, found.unseen)
        report = indexing.update(
            self._store,
            self._embedder,
            changes,
            gone,
            chunking,
            rebuild=rebuild,
            growths=[self._conversations.growth(state) for state in talks],
            unchanged=len(found.files) - len(paths),
            progress=progress,
            stop=self._stop,
            waiting=waiting,
            down=down,
        )
        self._recorder.finish(gone, complete=report.complete)
        self._note_usage(report)
        self.unreadable.note(paths, found.files, report.failed)
        self._note_lost(found, self._store.files())
        failed = [*found.problems, *failed, *report.failed]
        return replace(report, failed=tuple(failed), ignored=found.ignored)

    def _nothing_to_do(
        self,
        only_settled: bool,
        found: workspace.Scan | None,
        *,
        jobs: bool,
        down: EmbedderError | None,
    ) -> tuple[SyncReport | None, frozenset[str] | None, workspace.Scan]:
        """The report of a sync for which there is no work: no lock is taken, nothing written.

        With `only_settled` also the transcripts that have settled, since each is told so once;
        and what the scan found, for a sync that has work.
        """
        workspace.repair(self._notes, self._options.lock_dir)
        indexed = self._store.files()
        found = found or self.scan(indexed)
        paths, failed = self._changed(found, indexed, jobs=jobs, down=down)
        settled = None
        if only_settled:
            changed = [found.files[path] for path in paths]
            settled = frozenset(
                state.path
                for state in changed
                if state.source == "sessions"
                and self._conversations.settled(state, indexed.get(state.path))
            )
            paths = [s.path for s in changed if s.source == "memory" or s.path in settled]
        want = indexing.wanted_fingerprint(self._embedder, self.chunking())
        gone = indexing.gone_paths(found.files, indexed, found.unseen)
        have = self._store.fingerprint()
        # While the embedder is down an index of another model stays as it is.
        fits = have is not None if down else indexing.fits(have, want)
        if paths or gone or not fits or self._store.leftovers():
            return None, settled, found
        report = SyncReport(
            unchanged=len(indexed), failed=(*found.problems, *failed), ignored=found.ignored
        )
        return report, settled, found

    def _changed(
        self,
        found: workspace.Scan,
        indexed: Mapping[str, FileState],
        *,
        jobs: bool,
        down: EmbedderError | None,
    ) -> tuple[list[str], list[Failure]]:
        """The files to read, and those that could not be read and have not changed since."""
        paths: list[str] = []
        failed = [one for one in indexing.unreadable(found.files, indexed) if not one.passing]
        changed = indexing.changed_paths(found.files, indexed)
        if self._embedder is not None and (down is None or self._may_fall_back(indexed)):
            known = set(changed)
            waits = self._waits_for_vectors(found, indexed, jobs=jobs)
            changed += [path for path in waits if path not in known]
        for path in changed:
            failure = self.unreadable.failure(found.files[path])
            if failure is None:
                paths.append(path)
            else:
                failed.append(failure)
        return paths, failed

    def _may_fall_back(self, indexed: Mapping[str, FileState]) -> bool:
        """Whether the fallback could make an index that has no vectors at all anew."""
        return self._choice.has_spare and not any(
            state.digest and state.size and not state.problem for state in indexed.values()
        )

    def _waits_for_vectors(
        self, found: workspace.Scan, indexed: Mapping[str, FileState], *, jobs: bool
    ) -> list[str]:
        """The files whose vectors can be asked for now: what is in a batch job, only with `jobs`."""
        lacking = indexing.lacking(found.files, indexed)
        if lacking and not jobs:
            pending = backfill.jobs_of(self._embedder)
            if pending is not None and pending.pending():
                lacking = [state for state in lacking if state.problem != indexing.IN_A_JOB]
        return [state.path for state in lacking]

    def _note_lost(self, found: workspace.Scan, indexed: Mapping[str, FileState]) -> None:
        """Remember what could not be read, and what has no vectors: an answer may lack it."""
        unseen = {prefix.rstrip("/") for prefix in (*found.unseen, SESSIONS)}
        folders = [one for one in found.problems if one.path.rstrip("/") in unseen]
        self.lost = (*folders, *indexing.unreadable(found.files, indexed))
        self.lacking = tuple(indexing.lacking(found.files, indexed)) if self._embedder else ()

    def _note_usage(self, report: SyncReport) -> None:
        if self._embedder is not None and report.looked_up:
            name = self._embedder.id
            counts = usage.noted_today(name, looked_up=report.looked_up, found=report.found)
            usage.note(self._options.usage_log, counts)

    def estimate(
        self, *, force: bool = False, most_files: int | None = None
    ) -> backfill.Estimate | None:
        """What the next sync will embed, if it makes the whole index with a provider that costs."""
        embedder, indexed = self._embedder, self._store.files()
        want = indexing.wanted_fingerprint(embedder, self.chunking())
        if embedder is None or embedder.instant:
            return None
        if isinstance(embedder, embedders.Unavailable):
            return None
        files = workspace.scan(self._notes).files
        if indexed and not force and indexing.fits(self._store.fingerprint(), want):
            lacking = {state.path for state in indexing.lacking(files, indexed)}
            files = {path: state for path, state in files.items() if path in lacking}
            if not files:
                return None
        if most_files is not None and len(files) > most_files:
            return None
        changes = [self._change(state) for state in files.values()]
        return backfill.estimate(self._store, embedder, changes, self.chunking())

    def scan(self, known: Mapping[str, FileState]) -> workspace.Scan:
        """Every note and every transcript that counts; `known` are the files as indexed."""
        notes = workspace.scan(self._notes, known)
        self.listed = notes.folders
        talks, problems = self._conversations.scan()
        return replace(notes, files=notes.files | talks, problems=(*notes.problems, *problems))

    def _change(self, state: FileState) -> Change:
        return Change(state, lambda: self.note(state.path))

    def note(self, path: str) -> tuple[Document, FileState]:
        """A note as it is on disk now."""
        data, now = workspace.read_note(self._notes, path)
        self._recorder.add(path, data)
        document = read_document(now, workspace.decode(data, now.path))
        return document, replace(
            now,
            digest=document.digest,
            date=document.date,
            tags=document.tags,
            names=document.names,
        )

    def pending(self, down: EmbedderError | None = None) -> int:
        """How many files a sync would have to look into, if the embedder is not `down`."""
        if workspace.unfinished_save(self._notes, self._options.lock_dir):
            # What it left may be a version of a note that nobody has seen yet.
            return 1
        state = self._index_state(down)
        if state is not None and self._noticing.nothing_happened(state):
            return 0
        begun = self._noticing.before_scan() if state is not None else None
        indexed = self._store.files()
        found = self.scan(indexed)
        self._note_lost(found, indexed)
        count = len(self._changed(found, indexed, jobs=False, down=down)[0])
        count += len(indexing.gone_paths(found.files, indexed, found.unseen))
        want = indexing.wanted_fingerprint(self._embedder, self.chunking())
        if indexed and not down and not indexing.fits(self._store.fingerprint(), want):
            count += len(indexed)
        if begun is not None:
            self._noticing.scanned(begun, self._places(found), None if count else state)
        self._just_found = found if count else None
        return count

    def close(self) -> None:
        """Watch no folder any more."""
        self._noticing.close()

    def _index_state(self, down: EmbedderError | None = None) -> object | None:
        """What tells one state of the index from another; None if the store cannot tell it fast."""
        state: Callable[[], object] | None = getattr(self._store, "state", None)
        return None if state is None else (state(), self._embedder, down is None)

    def _places(self, found: workspace.Scan) -> Places:
        """Every folder whose entries can change what a scan finds."""
        folder = str(self._notes.folder)
        bases, ways = workspace.ways(self._notes)
        talks = [str(self._conversations.folder)] if self._conversations.enabled else []
        listed = (os.path.join(folder, name).rstrip("/") or "/" for name in found.folders)  # noqa: PTH118
        return Places((*bases, *talks), (*ways, *listed))

    def chunking(self) -> Chunking:
        """How documents are cut."""
        return self._options.chunking
