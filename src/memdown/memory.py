"""Memory: the one object that a program needs. It hands every call to the part that does the work."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memdown.config import Settings, load_settings
from memdown.notes.changes import By
from memdown.opening import Parts, open_parts, with_state_dir
from memdown.search.asking import Request
from memdown.types import Answer, Embedder, Excerpt, ProgressCallback, Reranker, Status, SyncReport

if TYPE_CHECKING:
    from memdown import notes
    from memdown.backends.ltm import LongTermMemory
    from memdown.notes.remembering import Pen, Remembered


class Memory:
    """A folder of Markdown notes that can be searched. Safe to use from several threads.

    What only some callers need is reached through `notebook`, `index` and `searcher`.
    """

    def __init__(self, parts: Parts) -> None:
        self.settings = parts.settings
        self.notebook = parts.notebook
        self.index = parts.index
        self.searcher = parts.searcher
        self.qmd = parts.qmd
        self._answering = parts.answering
        self._status = parts.status
        self._long_term = parts.long_term

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

        Without one it is the one around the current folder, else the configured workspace.
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
        today: datetime.date | Callable[[], datetime.date] | None = None,
        reranker: Reranker | None = None,
    ) -> Self:
        """Open a memory; an `embedder` or `reranker` of one's own replaces the configured one.

        `today` is the day of every question and entry: a date, or a function that gives one.
        """
        parts = open_parts(
            settings, embedder=embedder, environ=environ, today=today, reranker=reranker
        )
        return cls(parts)

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
        words_only: bool = False,
        progress: ProgressCallback | None = None,
        chat: str | None = None,
        session_key: str | None = None,
        as_of: datetime.date | str | None = None,
        history: bool = False,
        explain: bool = False,
    ) -> Answer:
        """Find the notes that answer a question; see `Answer.reasons` when little was found.

        Only notes of these `sources` ("notes", "sessions"), dated from `since` to `until` (days, or
        times such as "March" or "last week"), in a `folder` and with all `tags` are shown; a value
        that cannot be understood is a `QueryError`. What was struck or is over comes last and is
        marked (`Hit.was`); `history` shows it in its place, `as_of` what held on that day. With
        `words_only` no provider is asked; with `explain` the best of what is left out is named, too.

        Notes that changed are indexed first. When that takes long (5 s where someone sees the
        `progress`, else 1 s, or 10 s for a few files or a first index), the search goes on without
        them and says so; indexing goes on in the background until the memory is closed. With the
        qmd backend, `chat` and `session_key` say who asks, else the settings do.
        """
        return self._answering.search(
            Request(
                query, max_results, min_score, sources, since, until, folder, tags, progress,
                chat, session_key, words_only, as_of, history, explain,
            )
        )  # fmt: skip

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt:
        """Some lines of a note, from line `start` on; all of it by default."""
        exported = self.qmd.get(path, start, lines) if self.qmd is not None else None
        return exported or self.notebook.get(path, start=start, lines=lines)

    def notes(self) -> notes.Scan:
        """Every note there is, and what could not be looked at."""
        return self.notebook.scan()

    def remember(
        self,
        text: str,
        *,
        durable: bool = False,
        about: str = "",
        replaces: str | Sequence[str] = (),
        until: str | datetime.date | None = None,
        again: bool = False,
        actor: str = "person",
        session: str = "",
        allow_secrets: bool = False,
    ) -> Remembered:
        """Write something down: in MEMORY.md if it is durable, else in today's log.

        `about` names the heading that it belongs under. `replaces` are references ("MEMORY.md#L7")
        or the old words of facts that it replaces: they are struck, dated and nested below it.
        `until` is the last day on which it holds. What is known already is not written twice,
        except with `again`. The answer tells related facts, and asks where one looks outdated.
        What looks like a secret is refused with `SecretFound`, unless secrets are allowed.
        """
        return self.notebook.remember(
            text, durable=durable, about=about, until=until, again=again, by=By(actor, session),
            replaces=(replaces,) if isinstance(replaces, str) else replaces,
            allow_secrets=allow_secrets,
        )  # fmt: skip

    def pen(self, actor: str = "person", session: str = "") -> Pen:
        """What it takes to change facts: the notes, the day, who does it."""
        return self.notebook.pen(By(actor, session))

    def long_term(self) -> LongTermMemory:
        """The single memories of the plugin `memory-lancedb`; nothing is made before the first."""
        return self._long_term()

    def sync(self, *, force: bool = False, progress: ProgressCallback | None = None) -> SyncReport:
        """Bring the index up to date with the notes; `force` makes it anew."""
        report = self.index.sync(force=force, progress=progress)
        return report if self.qmd is None else self.qmd.with_update(report)

    def status(self, *, deep: bool = False) -> Status:
        """What the memory holds and uses. Nothing is written; `deep` tries the embedder."""
        status = self._status(deep)
        return status if self.qmd is None else self.qmd.with_status(status)

    def start_session(self) -> None:
        """Say that a session starts: the index is brought up to date in the background."""
        if self.qmd is not None:
            self.qmd.start(boot=True)
        if self.settings.sync.on_session_start:
            self.index.sync_in_background()

    def watch(self, stop: threading.Event) -> Iterator[SyncReport]:
        """Yield a report at once and for every change; what goes wrong later is tried again."""
        last: SyncReport | None = None
        for report in self.index.watch(stop):
            if self.qmd is not None:
                report = self.qmd.with_update(report, force=False, boot=last is None)
            if last is None or report.indexed or report.removed or report.failed != last.failed:
                yield report
            last = report

    def close(self) -> None:
        """Stop what runs in the background, between two files, and close the index."""
        if self.qmd is not None:
            self.qmd.close()
        self.index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
