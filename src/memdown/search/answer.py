"""One search, from the caller's words to the answer: `answer` is the whole of it, from top to bottom."""

from __future__ import annotations

import contextlib
import datetime
import threading
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path

from memdown import embedders
from memdown.index.changes import SESSIONS
from memdown.index.filters import Filter, listing
from memdown.index.index import Index
from memdown.index.store import leaves_out, missing_from
from memdown.search.arranging import arrange
from memdown.search.asking import Request, RequestScope, request_scope
from memdown.search.currency import ArrivalSource, read_as_of
from memdown.search.filters import why_none
from memdown.search.gathering import gather, respell
from memdown.search.query import Asked, Query, SearchOptions, prepare, settle, timed
from memdown.search.spelling import speakers_meant
from memdown.types import Answer, Embedder, Failure, Hit, ModelKey, Reranker, Source
from memdown.values import dataclass

# So many notes that could not be read are named in an answer.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class SearchSetup:
    """How the searches of one memory are done.

    `defaults` are the options where a request names none, `sync_first` brings the index up to date
    before each search. `turn` is held while a search runs; `arrivals` tells when the undated facts of a note
    came.
    """

    workspace: Path
    defaults: SearchOptions
    today: Callable[[], datetime.date] = datetime.date.today
    reranker: Reranker | None = None
    sync_first: bool = True
    arrivals: ArrivalSource | None = None
    turn: contextlib.AbstractContextManager[object] = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A question and an index that is as fresh as can be; what is missing makes an answer partial."""

    query: Query
    embedder: Embedder | None
    reasons: list[str]
    partial: bool


def answer(request: Request, index: Index, setup: SearchSetup) -> Answer:
    """Find what answers a request; `Answer.reasons` says why little was found."""
    scope = request_scope(request, index.syncer.sources.folder, setup.today())
    prepared = _prepare(request, index, setup)
    options = _options(request, scope, prepared.embedder, setup)
    prepared = _with_gaps(prepared, index, options, setup)
    return index.healing(_found, prepared, index, options, scope.only, setup)


class Searcher:
    """Answers requests from one index. Safe to use from several threads."""

    def __init__(self, index: Index, setup: SearchSetup) -> None:
        self._index = index
        self._setup = setup

    def scope(self, request: Request) -> RequestScope:
        """The part of the notes that a request asks about; a `QueryError` if it cannot be meant."""
        return request_scope(request, self._index.syncer.sources.folder, self._setup.today())

    def search(self, request: Request) -> Answer:
        """Find what answers a request; `Answer.reasons` says why little was found."""
        return answer(request, self._index, self._setup)


def _prepare(request: Request, index: Index, setup: SearchSetup) -> _Prepared:
    """The question as both legs understand it, and the index brought up to date, but not for long."""
    reasons: list[str] = []
    embedder = index.fitting_embedder()
    query = prepare(request.query, None if request.words_only else embedder, reasons)
    if not setup.sync_first:
        return _Prepared(query, embedder, reasons, partial=False)
    # A provider that could not answer a question will not embed notes either.
    down = query.failure if embedder is index.choice.embedder else None
    fresh = index.freshen(request.progress, down)
    fitting = index.fitting_embedder()
    if fitting is not embedder:
        embedder = fitting
        reasons.clear()
        query = prepare(request.query, None if request.words_only else embedder, reasons)
    if fresh.reason:
        reasons.append(f"partial: {fresh.reason}")
    return _Prepared(query, embedder, reasons, partial=not fresh.complete)


def _with_gaps(
    prepared: _Prepared, index: Index, options: SearchOptions, setup: SearchSetup
) -> _Prepared:
    """With the reasons why something may be missing from the index."""
    reasons, partial = [*prepared.reasons], prepared.partial
    gaps = index.syncer.gaps
    if prepared.query.vector is not None and not partial and (lacking := gaps.without_vectors):
        partial = True
        reasons.append(
            f"partial: {len(lacking)} notes have no vectors yet and are found by their words "
            f"only: {lacking[0].problem}"
        )
    if lost := _named([one for one in gaps.unreadable if _counts(one, options.sources)]):
        partial = True
        reasons += lost
    if "sessions" in options.sources and "sessions" not in setup.defaults.sources:
        reasons.append(
            "conversations are not indexed: turn on memorySearch.experimental.sessionMemory and "
            "add sessions to memorySearch.sources"
        )
    return _Prepared(prepared.query, prepared.embedder, reasons, partial)


def _found(
    prepared: _Prepared,
    index: Index,
    options: SearchOptions,
    only: Filter | None,
    setup: SearchSetup,
) -> Answer:
    query, embedder = prepared.query, prepared.embedder
    store, choice = index.store, index.choice
    reasons = [*prepared.reasons]
    fingerprint = store.fingerprint()
    hits: list[Hit] = []
    missing: Sequence[str] = ()
    explanation = None
    if fingerprint is None:
        # Where the index could not be made, the reason is told already.
        if not prepared.partial:
            reasons.append(
                f"there are no notes in {setup.workspace} yet: write some, or check the folder"
            )
    else:
        if query.vector is not None and fingerprint.key != ModelKey.of(embedder):
            query = replace(query, vector=None)
            reasons.append("keywords only: the index is still of another model")
        if query.vector is not None and fingerprint.dims not in (None, query.vector.size):
            query = replace(query, vector=None)
            reasons.append("keywords only: the provider's vectors have another length")
        asked = Asked(
            query, options, setup.today(), embedder, setup.reranker, arrivals=setup.arrivals
        )
        nothing_left = ""
        gathered: list[Hit] = []
        with setup.turn, store.snapshot() as snapshot:
            if only is not None:
                known = listing(snapshot)
                files = known.matching(only, options.sources)
                asked = replace(asked, files=files)
                nothing_left = "" if files else why_none(only, known)
            if not nothing_left:
                asked = settle(timed(asked, snapshot), snapshot)
                if not leaves_out(snapshot, "other names of speakers"):
                    asked = speakers_meant(asked, snapshot)
                gathered = gather(asked, snapshot)
                if not missing_from(snapshot) and (better := respell(asked, gathered, snapshot)):
                    asked, gathered = better
                missing = missing_from(snapshot)
        found = arrange(asked, gathered)
        hits, explanation = found.hits, found.explanation
        reasons += [f"partial: {one}" for one in missing]
        # Where nothing is indexed yet, the notes may hold the answer; why it is not is told already.
        if hits or not prepared.partial or store.files():
            reasons += [nothing_left] if nothing_left else found.reasons
    return Answer(
        hits=tuple(hits),
        provider=embedder.id if embedder else embedders.NONE,
        model=embedder.model if embedder else embedders.NONE,
        partial=prepared.partial or bool(missing),
        fallback=choice.fallen_from(embedder),
        reasons=(*choice.why_not_the_first(embedder), *reasons),
        explanation=explanation,
    )


def _options(
    request: Request, scope: RequestScope, embedder: Embedder | None, setup: SearchSetup
) -> SearchOptions:
    """What the request says, else the settings, else what suits the embedder best."""
    defaults = setup.defaults
    weight = defaults.text_weight
    if weight is None and embedder is not None:
        weight = embedder.text_weight
    return replace(
        defaults,
        as_of=read_as_of(request.as_of, setup.today()),
        history=request.history,
        explain=request.explain,
        text_weight=weight,
        max_results=request.max_results or defaults.max_results,
        min_score=defaults.min_score if request.min_score is None else request.min_score,
        strict=defaults.strict or request.min_score is not None,
        sources=defaults.sources if scope.sources is None else scope.sources,
    )


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
