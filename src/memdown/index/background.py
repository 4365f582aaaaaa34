"""A sync in the background: at most one at a time, which whoever needs it can wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memdown.errors import MemdownError
from memdown.types import Progress, ProgressCallback

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
