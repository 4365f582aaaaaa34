"""What a memory contains and uses, found out without changing anything."""

from __future__ import annotations

from pathlib import Path

from memdown import embedders
from memdown.embedders import usage
from memdown.errors import EmbedderError, IndexCorrupt
from memdown.index import watch
from memdown.index.changes import (
    changed_paths,
    fits,
    gone_paths,
    lacking_vectors,
    unreadable,
)
from memdown.index.embedding import jobs_of
from memdown.index.index import Index
from memdown.notes.notebook import Notebook
from memdown.types import (
    Embedder,
    Failure,
    FileState,
    Fingerprint,
    JobStatus,
    Source,
    Status,
    StoreStatus,
)
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """What the settings say and a status repeats; `place` is the file of the index."""

    agent: str
    workspace: str
    place: str
    sources: tuple[Source, ...]
    extra_paths: tuple[str, ...]
    cache_enabled: bool
    cache_max_entries: int
    vector_enabled: bool
    citations: str
    hybrid: bool
    extension_path: str | None
    usage_log: Path
    # How batch jobs would be done, where the embedder takes none or they are turned off.
    jobs: JobStatus


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the store says of itself; `damage` if it cannot."""

    files: dict[str, FileState]
    fingerprint: Fingerprint | None
    status: StoreStatus
    damage: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class _Trial:
    """Whether the embedder works; None if it was not tried."""

    works: bool | None = None
    error: str | None = None


def status_of(
    index: Index, notebook: Notebook, facts: StatusFacts, *, deep: bool = False
) -> Status:
    """The status of a memory; `deep` sends one text to the embedder to see whether it works."""
    stored = _stored(index, facts.place)
    found = index.syncer.sources.scan(stored.files)
    lost = unreadable(found.files, stored.files)
    tried = {one.path for one in lost}
    chosen = index.choice.embedder
    lacking = lacking_vectors(found.files, stored.files) if chosen else []
    changed = sum(
        path not in tried or not found.files[path].same_times(stored.files[path])
        for path in changed_paths(found.files, stored.files)
    )
    changed += len(gone_paths(found.files, stored.files, found.unlisted))
    want = index.syncer.chunking.fingerprint(chosen)
    embedder = index.choice.fitting(stored.fingerprint)
    fallen = index.choice.why_not_the_first(embedder)
    trial = _probe(chosen) if deep else _Trial()
    if not fallen and index.choice.problem and trial.error is None:
        trial = _Trial(False, index.choice.problem)
    jobs = jobs_of(embedder)
    return Status(
        backend="builtin",
        agent=facts.agent,
        workspace=facts.workspace,
        provider=embedder.id if embedder else embedders.NONE,
        model=embedder.model if embedder else embedders.NONE,
        requested_provider=index.choice.requested,
        fallback=fallen[0] if fallen else None,
        sources=facts.sources,
        extra_paths=facts.extra_paths,
        store=stored.status,
        dirty=changed > 0 or not fits(stored.fingerprint, want),
        changed=changed,
        cache_enabled=facts.cache_enabled,
        cache_max_entries=facts.cache_max_entries,
        vector_enabled=facts.vector_enabled,
        citations=facts.citations,
        problems=(*stored.damage, *found.problems, *lost, *notebook.leftovers(found)),
        without_vectors=len(lacking),
        without_vectors_reason=lacking[0].problem if lacking else None,
        embedder_works=trial.works,
        embedder_error=trial.error,
        usage=usage.read(facts.usage_log),
        hybrid=facts.hybrid,
        extension_path=facts.extension_path,
        jobs=jobs.status() if jobs is not None else facts.jobs,
        custom={"searchMode": _search_mode(embedder, facts.hybrid)},
        watcher=watch.announcement(index.watch_file),
    )


def _search_mode(embedder: Embedder | None, hybrid: bool) -> str:
    """How questions are answered, in OpenClaw's words."""
    if embedder is None:
        return "fts-only"
    return "hybrid" if hybrid else "vector-only"


def _stored(index: Index, place: str) -> _Stored:
    store = index.store
    try:
        return _Stored(store.files(), store.fingerprint(), store.status())
    except IndexCorrupt as damaged:
        why = f"{damaged} The next search makes a new one from the notes."
        return _Stored({}, None, _no_store(place, str(damaged)), (Failure(place, why),))


def _no_store(location: str, why: str) -> StoreStatus:
    """What a damaged index has: nothing that counts."""
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


def _probe(embedder: Embedder | None) -> _Trial:
    if embedder is None:
        return _Trial()
    try:
        embedder.embed_query("memory")
    except EmbedderError as error:
        return _Trial(False, str(error))
    return _Trial(True)
