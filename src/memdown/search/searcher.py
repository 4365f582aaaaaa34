"""One search from the caller's words to the answer: fresh index, query, candidates, reasons."""

from __future__ import annotations

import contextlib
import datetime
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memdown import embedders
from memdown.index.changes import SESSIONS
from memdown.index.index import Index
from memdown.search import answer as search
from memdown.search import filters as filtering
from memdown.search.answer import Query, SearchOptions
from memdown.search.asking import check_request, source_names
from memdown.search.currency import Seen, read_as_of
from memdown.search.filters import Filter
from memdown.types import (
    Answer,
    Embedder,
    Failure,
    Hit,
    ModelKey,
    ProgressCallback,
    Reranker,
    Source,
)

# So many notes that could not be read are named in an answer.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for; None leaves a choice to the settings.

    `chat` and `session_key` say who asks, for `memory.qmd.scope`. With `words_only` the query is not
    embedded: nothing of it goes to a provider.
    `as_of` asks for what held on another day, `history` for what was beside what is.
    """

    query: str
    max_results: int | None = None
    min_score: float | None = None
    sources: str | Sequence[str] | None = None
    since: datetime.date | str | None = None
    until: datetime.date | str | None = None
    folder: str | None = None
    tags: str | Sequence[str] | None = None
    progress: ProgressCallback | None = None
    chat: str | None = None
    session_key: str | None = None
    words_only: bool = False
    as_of: datetime.date | str | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class RequestScope:
    """A checked request's sources (None: those of the settings) and filter (None: every note)."""

    sources: tuple[Source, ...] | None
    only: Filter | None


class Searcher:
    """Answers requests from one index. Safe to use from several threads.

    `defaults` are the options where a request names none, `sync_first` brings the index up to date
    before each search, `in_turn` lets one search run after the other. `seen` tells when the undated facts
    of a note came.
    """

    def __init__(
        self,
        index: Index,
        workspace: Path,
        defaults: SearchOptions,
        *,
        today: Callable[[], datetime.date] = datetime.date.today,
        reranker: Reranker | None = None,
        sync_first: bool = True,
        in_turn: bool = True,
        seen: Seen | None = None,
    ) -> None:
        self._index = index
        self._workspace = workspace
        self._defaults = defaults
        self._today = today
        self._reranker = reranker
        self._sync_first = sync_first
        self._seen = seen
        # Python runs one thread at a time: searches that wait for nothing are done sooner in turn.
        self._turn = threading.Lock() if in_turn else contextlib.nullcontext()

    def scope(self, request: Request) -> RequestScope:
        """The part of the notes that a request asks about; a `QueryError` if it cannot be meant."""
        check_request(request.query, request.max_results, request.min_score)
        only = filtering.make_filter(
            self._index.syncer.sources.folder,
            self._today(),
            since=request.since,
            until=request.until,
            folder=request.folder,
            tags=request.tags,
        )
        return RequestScope(
            None if request.sources is None else source_names(request.sources), only
        )

    def search(self, request: Request) -> Answer:
        """Find what answers a request; `Answer.reasons` says why little was found."""
        scope = self.scope(request)
        reasons: list[str] = []
        partial = False
        embedder = self._index.fitting_embedder()
        asked = search.prepare(request.query, None if request.words_only else embedder, reasons)
        if self._sync_first:
            # A provider that could not answer a question will not embed notes either.
            down = asked.failure if embedder is self._index.choice.embedder else None
            fresh = self._index.freshen(request.progress, down)
            partial = not fresh.complete
            fitting = self._index.fitting_embedder()
            if fitting is not embedder:
                embedder = fitting
                reasons.clear()
                asked = search.prepare(
                    request.query, None if request.words_only else embedder, reasons
                )
            if fresh.reason:
                reasons.append(f"partial: {fresh.reason}")
        gaps = self._index.syncer.gaps
        if asked.vector is not None and not partial and (lacking := gaps.without_vectors):
            partial = True
            reasons.append(
                f"partial: {len(lacking)} notes have no vectors yet and are found by their words "
                f"only: {lacking[0].problem}"
            )
        options = self._options(request, scope, embedder)
        if lost := _named([one for one in gaps.unreadable if _counts(one, options.sources)]):
            partial = True
            reasons += lost
        if "sessions" in options.sources and "sessions" not in self._defaults.sources:
            reasons.append(
                "conversations are not indexed: turn on memorySearch.experimental.sessionMemory and "
                "add sessions to memorySearch.sources"
            )
        return self._index.healing(
            self._answer, asked, embedder, options, partial, reasons, scope.only
        )

    def _answer(
        self,
        asked: Query,
        embedder: Embedder | None,
        options: SearchOptions,
        partial: bool,
        reasons: list[str],
        only: Filter | None,
    ) -> Answer:
        store, choice = self._index.store, self._index.choice
        fingerprint = store.fingerprint()
        hits: list[Hit]
        if fingerprint is None:
            why = [f"there are no notes in {self._workspace} yet: write some, or check the folder"]
            hits, explanation = [], None
        else:
            if asked.vector is not None and fingerprint.key != ModelKey.of(embedder):
                asked = replace(asked, vector=None)
                reasons = [*reasons, "keywords only: the index is still of another model"]
            if asked.vector is not None and fingerprint.dims not in (None, asked.vector.size):
                asked = replace(asked, vector=None)
                reasons = [*reasons, "keywords only: the provider's vectors have another length"]
            question = search.Asked(
                asked, options, self._today(), embedder, self._reranker, seen=self._seen
            )
            gathered: list[Hit] = []
            nothing_left = ""
            with self._turn, store.snapshot() as snapshot:
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
            fallback=choice.fallen_from(embedder),
            reasons=(*choice.why_not_the_first(embedder), *reasons, *why),
            explanation=explanation,
        )

    def _options(
        self, request: Request, scope: RequestScope, embedder: Embedder | None
    ) -> SearchOptions:
        """What the request says, else the settings, else what suits the embedder best."""
        day = read_as_of(request.as_of, self._today())
        options = replace(self._defaults, as_of=day, history=request.history)
        if options.text_weight is None and embedder is not None:
            options = replace(options, text_weight=embedder.text_weight)
        if request.max_results is not None:
            options = replace(options, max_results=request.max_results)
        if request.min_score is not None:
            options = replace(options, min_score=request.min_score, strict=True)
        if scope.sources is not None:
            options = replace(options, sources=scope.sources)
        return options


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
