"""The `qmd` command kept beside a memory: its collections, its updates and its answers."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from memdown import notes
from memdown.backends.qmd.collections import (
    PREFIX,
    Collection,
    export_transcripts,
    file_of,
    refusal,
    wanted_collections,
)
from memdown.backends.qmd.commands import (
    CommandFailed,
    Commands,
    QmdState,
    Rest,
    alone,
    read_notebook,
    read_results,
    within,
    write_notebook,
)
from memdown.config import Chat, chat_of
from memdown.config.settings import QmdSettings
from memdown.errors import PathRefused
from memdown.notes.roots import Workspace, locate
from memdown.search.answer import Searcher
from memdown.search.asking import Request
from memdown.search.query import clean
from memdown.types import Answer, Excerpt, Failure, Hit, Source, Status, SyncReport

log = logging.getLogger("memdown")

NAME = "qmd"
# How long a search waits for an update that has begun: longer when there is no index at all yet.
_PATIENCE_SECONDS = 1.0
_LONG_PATIENCE_SECONDS = 10.0
_NEVER_SECONDS = 3600.0
_SHORTEST_PAUSE_SECONDS = 0.2


class Sidecar:
    """One agent's `qmd`, in the folder `home`. Whatever goes wrong with it is told as a reason.

    `fingerprint` tells one state of the notes from another, without reading them.
    """

    def __init__(
        self,
        settings: QmdSettings,
        home: Path,
        notes: Workspace,
        transcripts: Path,
        fingerprint: Callable[[], str],
        *,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._home = home
        self._transcripts = transcripts
        self._fingerprint = fingerprint
        self._clock = clock
        self._environ = os.environ if environ is None else environ
        self._stop = threading.Event()
        self._commands = Commands(settings, home, self._environ, self._stop)
        self._exports: Path | None = None
        self._refused: str | None = None
        if settings.sessions.enabled:
            given = settings.sessions.export_dir
            self._exports = Path(given).expanduser() if given else home / "sessions"
            self._refused = refusal(self._exports, notes.folder) if given else None
        self._notes = notes
        self.collections = wanted_collections(
            notes,
            settings.paths,
            default_memory=settings.include_default_memory,
            sessions=self._exports,
        )
        self._thread: threading.Thread | None = None
        self._thread_lock = threading.Lock()
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._boot = False
        self._booted = threading.Event()

    def answer(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        sources: Sequence[Source] | None = None,
        chat: Chat | None = None,
    ) -> Answer:
        """What `qmd` finds; raises `CommandFailed`, which says why, if it cannot answer."""
        if not self._settings.scope.allows(chat or Chat()):
            why = "memory.qmd.scope does not allow results in this chat"
            return Answer((), NAME, self._settings.search_mode, reasons=(why,))
        if not clean(query):
            raise CommandFailed("the query is empty")
        reason = self.problem() or self._prepared()
        if reason:
            raise CommandFailed(reason)
        try:
            hits = self._found(clean(query), max_results)
        except CommandFailed as error:
            self._note_failure("searching", str(error))
            raise
        if self._book.searching.failures:
            log.info("qmd answers again.")
            self._note(searching=Rest())
        kept = [
            hit
            for hit in hits
            # Some of its scores are 0 for good results, so only a caller's own limit counts.
            if hit.score >= (min_score or 0.0) and (sources is None or hit.source in sources)
        ]
        limits = self._settings.limits
        chosen = within(
            kept,
            most=limits.max_results if max_results is None else max_results,
            snippet_chars=limits.max_snippet_chars,
            all_chars=limits.max_injected_chars,
        )
        behind = self._behind()
        why_not = [] if chosen else ["qmd found nothing"]
        if behind:
            why_not.append(f"partial: {behind}")
        return Answer(
            tuple(chosen),
            NAME,
            self._settings.search_mode,
            partial=behind is not None,
            reasons=tuple(why_not),
        )

    def may_be_helped(self, chat: Chat) -> bool:
        """Whether the notes that `qmd` is asked for are those of the built-in index, and may be seen here."""
        return self._settings.include_default_memory and self._settings.scope.allows(chat)

    def _behind(self) -> str | None:
        """What a search may miss because `qmd` has not seen the latest notes, and till when."""
        book = self._book
        if book.notes == self._fingerprint():
            return None
        if not book.updating.is_over(self._clock()):
            return f"the latest notes are not in qmd's index: {book.updating.reason}"
        # It goes on in the background, where there is something that runs on.
        self.start()
        self._wake.set()
        wait = max(0.0, self._debounced(book))
        when = f"in {wait:.0f} s (memory.qmd.update.debounceMs)" if wait >= 0.5 else "now"
        return f"notes changed since qmd was last brought up to date; it takes them in {when}"

    def problem(self) -> str | None:
        """Why `qmd` would not be asked now, or None."""
        if self._refused:
            return self._refused
        command = self._settings.command
        if shutil.which(command, path=self._environ.get("PATH")) is None:
            return f"the command {command} is not installed (npm install -g @tobilu/qmd)"
        resting = self._book.searching
        if not resting.is_over(self._clock()):
            return f"{resting.reason} (tried again in {resting.until - self._clock():.0f} s)"
        return None

    def status(self) -> str | None:
        """Why searches are not answered by `qmd`, or None if they are."""
        book = self._book
        if reason := self.problem():
            return reason
        if not book.updated:
            return book.updating.reason or "qmd has not indexed the notes yet"
        return None

    def facts(self) -> dict[str, object]:
        """What a status says of it: its mode, its collections, and when it last worked, in ms."""
        book = self._book
        return {
            "searchMode": self._settings.search_mode,
            "collections": [one.name for one in self._existing()],
            "lastUpdateAt": round(book.updated * 1000) or None,
            "lastEmbedAt": round(book.embedded * 1000) or None,
        }

    def start(self, *, boot: bool = False) -> None:
        """Begin to keep the index fresh in the background; at the `boot` of a session, at once."""
        with self._thread_lock:
            if self._thread is None and not self._stop.is_set():
                self._boot = boot and self._settings.update.on_boot
                self._thread = threading.Thread(target=self._keep_fresh, name="memdown-qmd")
                self._thread.daemon = True
                self._thread.start()

    def update(self, *, force: bool = True, boot: bool = False) -> str | None:
        """Bring `qmd` up to date now; the reason if that fails. Another process's update counts.

        Without `force` only if it is due, as it is at the `boot` of a session.
        """
        if self._refused:
            return self._refused
        command = self._settings.command
        if shutil.which(command, path=self._environ.get("PATH")) is None:
            return f"the command {command} is not installed (npm install -g @tobilu/qmd)"
        if not force and not self._is_due(self._book, boot=boot):
            return None
        self._commands.make_home()
        with alone(self._home / "update.lock") as acquired:
            if not acquired:
                return None
            try:
                self._update()
                self._embed_if_due()
            except CommandFailed as error:
                if not self._stop.is_set():
                    self._note_failure("updating", str(error))
                return str(error)
            except OSError as error:
                self._note_failure("updating", str(error))
                return f"the folder {self._home} cannot be used ({error.strerror})"
        return None

    def with_update(
        self, report: SyncReport, *, force: bool = True, boot: bool = False
    ) -> SyncReport:
        """The report of a sync after `qmd` is brought up to date, too; its trouble is in it."""
        force = force or (boot and self._settings.update.on_boot)
        reason = self.update(force=force)
        if reason is None or not force:
            return report
        failure = Failure(NAME, f"qmd is not up to date: {reason}.", passing=True)
        return replace(report, failed=(*report.failed, failure))

    def with_status(self, status: Status) -> Status:
        """The status of a memory that asks `qmd` first."""
        problem = self.status()
        return replace(
            status,
            backend="builtin" if problem else NAME,
            backend_reason=problem,
            custom={**status.custom, NAME: self.facts()},
        )

    def get(self, path: str, start: int = 1, lines: int | None = None) -> Excerpt | None:
        """Some lines of the file that `qmd/<collection>/<path>` names; None if it names none."""
        place = file_of(path, self.collections)
        if place is None:
            return None
        folder, inner = place
        data, _ = notes.read_note(notes.Workspace(folder, (folder,)), inner)
        return notes.excerpt(notes.decode(data, path), path, start, lines)

    def close(self, patience: float = _LONG_PATIENCE_SECONDS) -> None:
        """Let an update that runs come to its end, but not for long; then nothing runs any more."""
        thread = self._thread
        if thread is not None:
            if not self._idle.wait(patience):
                log.info("An update of qmd was stopped; the next one goes on.")
            self._stop.set()
            self._wake.set()
            thread.join()
        self._stop.set()

    @property
    def _book(self) -> QmdState:
        return read_notebook(self._home / "state.json")

    def _note(self, **changes: object) -> QmdState:
        self._commands.make_home()
        return write_notebook(self._home / "state.json", **changes)

    def _note_failure(
        self, what: Literal["searching", "updating", "embedding"], reason: str
    ) -> None:
        book = self._book
        rests = {
            "searching": book.searching,
            "updating": book.updating,
            "embedding": book.embedding,
        }
        rest = rests[what]
        if not rest.failures:
            log.warning("qmd: %s; the built-in index answers meanwhile.", reason)
        self._note(**{what: rest.after_failure(reason, self._clock())})

    def _prepared(self) -> str | None:
        """Wait a little for an update that is due; the reason if there is no index to search."""
        book = self._book
        update = self._settings.update
        # With `waitForBootSync` nothing is answered from an index that is being brought up to date.
        whole = update.wait_for_boot_sync and not self._booted.is_set()
        if self._is_due(book) or (whole and self._thread is not None):
            self._idle.clear()
            self.start()
            self._wake.set()
            if whole:
                self._booted.wait((update.update_timeout_ms + update.embed_timeout_ms) / 1000)
            else:
                self._idle.wait(_PATIENCE_SECONDS if book.updated else _LONG_PATIENCE_SECONDS)
            book = self._book
        if not book.updated:
            return book.updating.reason or "qmd is still indexing the notes for the first time"
        return None

    def _keep_fresh(self) -> None:
        """Update when it is due, until the memory is closed."""
        while not self._stop.is_set():
            # Cleared before looking, so that a call that comes meanwhile is not lost.
            self._wake.clear()
            self.update(force=False, boot=self._boot)
            self._boot = False
            self._booted.set()
            self._idle.set()
            self._wake.wait(self._pause())

    def _pause(self) -> float:
        """Seconds until the next look: sooner, if notes changed that wait for the debounce."""
        every = self._settings.update.interval.seconds or _NEVER_SECONDS
        book = self._book
        waiting = book.updated and book.updating.is_over(self._clock())
        if waiting and book.notes != self._fingerprint():
            return min(every, max(_SHORTEST_PAUSE_SECONDS, self._debounced(book)))
        return every

    def _debounced(self, book: QmdState) -> float:
        """Seconds until notes that changed may be taken in."""
        return book.updated + self._settings.update.debounce_ms / 1000 - self._clock()

    def _is_due(self, book: QmdState, *, boot: bool = False) -> bool:
        now, update = self._clock(), self._settings.update
        if not book.updating.is_over(now):
            return False
        age = now - book.updated
        if not book.updated or age < 0 or self._records() != dict(book.collections):
            return True
        if update.interval.seconds and age >= update.interval.seconds:
            return True
        if self._debounced(book) > 0:
            return False
        return boot or book.notes != self._fingerprint()

    def _records(self) -> dict[str, list[str]]:
        return {one.name: one.record for one in self._existing()}

    def _existing(self) -> list[Collection]:
        return [collection for collection in self.collections if collection.folder.is_dir()]

    def _update(self) -> None:
        notes = self._fingerprint()
        if self._exports is not None:
            days = self._settings.sessions.retention_days
            export_transcripts(self._transcripts, self._exports, retention_days=days)
        made = dict(self._book.collections)
        try:
            self._commands.make_collections(self._existing(), made)
            self._commands.update()
        except CommandFailed as error:
            if not self._commands.is_damaged(str(error)):
                raise
            # The index is qmd's and ours alone: it can be made again from the notes.
            log.warning("The index of qmd was damaged and is made anew.")
            self._commands.remove_index()
            self._commands.make_collections(self._existing(), {})
            self._commands.update()
        self._note(updated=self._clock(), notes=notes, collections=self._records(), updating=Rest())

    def _embed_if_due(self) -> None:
        """Vectors are for the modes that use them: the model alone is hundreds of megabytes."""
        book, now = self._book, self._clock()
        every = self._settings.update.embed_interval.seconds
        if self._settings.search_mode == "search" or not book.embedding.is_over(now):
            return
        if book.embedded and (not every or 0 <= now - book.embedded < every):
            return
        try:
            self._commands.embed()
        except CommandFailed as error:
            if not self._stop.is_set():
                self._note_failure("embedding", str(error))
            raise
        self._note(embedded=now, embedding=Rest())

    def _found(self, query: str, max_results: int | None) -> list[Hit]:
        limits = self._settings.limits
        count = max(limits.max_results, max_results or 0)
        deadline = time.monotonic() + limits.timeout_ms / 1000
        hits: list[Hit] = []
        for words in self._commands.wordings(query):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            printed = self._commands.search(words, count, left)
            found = read_results(printed, self.collections)
            hits = list(
                {(hit.path, hit.start_line): hit for hit in found if self._counts(hit)}.values()
            )
            if hits:
                break
        return hits

    def _counts(self, hit: Hit) -> bool:
        """Whether a file is a note of ours: what is hidden or ignored is none, though qmd has it."""
        if hit.path.startswith(PREFIX):
            return True
        try:
            locate(self._notes, hit.path)
        except PathRefused:
            return False
        return True


class QmdSearcher:
    """Asks `qmd` first; `own` answers in its place, and the answer says why.

    `chat` is where requests come from that do not say it.
    """

    def __init__(self, sidecar: Sidecar, own: Searcher, chat: Chat) -> None:
        self._sidecar = sidecar
        self._own = own
        self._chat = chat

    def search(self, request: Request) -> Answer:
        """Find what answers a request."""
        scope = self._own.scope(request)
        if scope.only is not None:
            own = self._own.search(request)
            why = "the built-in index answered instead of qmd, which takes no filter"
            return replace(own, reasons=(why, *own.reasons))
        chat = self._chat
        if request.chat or request.session_key:
            chat = chat_of(request.chat or "direct", request.session_key)
        try:
            answer = self._sidecar.answer(
                request.query,
                max_results=request.max_results,
                min_score=request.min_score,
                sources=scope.sources,
                chat=chat,
            )
        except CommandFailed as error:
            own = self._own.search(request)
            why = f"the built-in index answered instead of qmd: {error}"
            return replace(own, fallback=own.fallback or NAME, reasons=(why, *own.reasons))
        if answer.hits or not self._sidecar.may_be_helped(chat):
            return answer
        own = self._own.search(request)
        if own.strength != "strong":
            return answer
        reasons = (*answer.reasons, "the built-in index answered instead", *own.reasons)
        return replace(own, partial=own.partial or answer.partial, reasons=reasons)
