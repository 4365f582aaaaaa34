"""Settings → the parts of a memory: the only place where they are built and put together."""

from __future__ import annotations

import datetime
import hashlib
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memdown import embedders
from memdown import notes as workspace
from memdown.config import Chat, ProviderSettings, RemoteSettings, Settings
from memdown.embedders import Choice, Given, JobOptions, Options, Sent, Setup, usage
from memdown.embedders.options import MOST_JOB_FAILURES
from memdown.errors import EmbedderError, MemdownError, WorkspaceError
from memdown.index import engines
from memdown.index.changes import Chunking, Sources
from memdown.index.embedding import comparing_by
from memdown.index.index import Index, WatchOptions, watch_file
from memdown.index.store import Store
from memdown.index.sync import Syncer, SyncOptions
from memdown.notes.arrivals import Arrivals
from memdown.notes.journal import Journal, Limits, Recorder, journal_file
from memdown.notes.notebook import Notebook
from memdown.search.answer import Searcher, SearchSetup
from memdown.search.asking import Request
from memdown.search.query import SearchOptions
from memdown.transcripts.reading import Conversations, sessions_folder
from memdown.tuning import TUNING
from memdown.types import Embedder, JobStatus, Reranker, Status
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.backends.ltm import LongTermMemory
    from memdown.backends.qmd import QmdSearcher, Sidecar

_SURENESS, _TIME = TUNING.sureness, TUNING.time

_T = TypeVar("_T")

# Days after which a note has lost half of the little that age takes from it.
GENTLE_HALF_LIFE = 30.0
# A fact that is remembered is looked for by so many characters, in so many notes.
_MOST_SOUGHT, _NEAR_NOTES = 400, 30


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is made of."""

    settings: Settings
    notebook: Notebook
    index: Index
    searcher: Searcher
    answering: Searcher | QmdSearcher
    qmd: Sidecar | None
    status: Callable[[bool], Status]
    long_term: Callable[[], LongTermMemory]


def open_parts(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    environ: Mapping[str, str] | None = None,
    today: datetime.date | Callable[[], datetime.date] | None = None,
    reranker: Reranker | None = None,
) -> Parts:
    """Build the parts of a memory; an `embedder` or `reranker` given here replaces the configured."""
    notes = open_notes(settings)
    workspace.check_kind(notes)
    settings = with_own_index(settings, notes.folder)
    clock = _clock(today)
    chosen = (
        embedders.Chosen(embedder, embedder.id, ours=False)
        if embedder
        else embedders.choose(embedder_setup(settings, environ))
    )
    index = open_index(settings, notes, chosen, environ)
    notebook = Notebook(
        notes,
        lock_dir(settings),
        today=clock,
        read_only=_no_writing(settings),
        comparing=lambda: comparing_by(index.choice.embedder),
        finding=_finding(index, settings, clock),
    )
    setup = SearchSetup(
        settings.workspace,
        search_defaults(settings),
        today=clock,
        reranker=reranker or open_reranker(settings, environ),
        sync_first=settings.sync.on_search,
        arrivals=Arrivals(Journal(journal_file(notes.folder, lock_dir(settings)))),
        # Python runs one thread at a time: searches that wait for nothing are done sooner in turn.
        turn=threading.Lock() if settings.store.driver == "sqlite" else nullcontext(),
    )
    searcher = Searcher(index, setup)
    qmd = open_sidecar(settings, notes)
    return Parts(
        settings,
        notebook,
        index,
        searcher,
        _answering(searcher, qmd, settings.chat),
        qmd,
        partial(_status, settings, index, notebook),
        _once(partial(_long_term_beside, settings, index)),
    )


def _finding(
    index: Index, settings: Settings, clock: Callable[[], datetime.date]
) -> Callable[[str], list[str]]:
    """Where facts near a text may stand, by the index as it is: nothing is indexed before a fact is written."""
    setup = SearchSetup(
        settings.workspace, search_defaults(settings), today=clock, sync_first=False
    )
    searcher = Searcher(index, setup)

    def find(text: str) -> list[str]:
        query = " ".join(text.split())[:_MOST_SOUGHT]
        request = Request(query, max_results=_NEAR_NOTES, sources="memory", words_only=True)
        try:
            hits = searcher.search(request).hits
        except MemdownError:
            return []
        return list(dict.fromkeys(hit.path for hit in hits))

    return find


def open_index(
    settings: Settings,
    notes: workspace.Workspace,
    chosen: embedders.Chosen,
    environ: Mapping[str, str] | None = None,
) -> Index:
    """The index of a workspace, made with the chosen embedder."""
    store, choice, stop = open_store(settings, environ), Choice(chosen), threading.Event()
    # What other programs did to the notes is part of their history.
    limits = Limits(settings.journal.days, settings.journal.max_megabytes * 1024 * 1024)
    recorder = Recorder(Journal(journal_file(notes.folder, lock_dir(settings)), limits))
    sources = Sources(
        notes,
        open_conversations(settings),
        recorder,
        clean=partial(_without_forgotten, lock_dir(settings)),
    )
    syncer = Syncer(sync_options(settings, notes.folder), sources, store, choice, stop)
    sync = settings.sync
    interval = sync.interval_minutes * 60 or None
    watching = WatchOptions(sync.watch_debounce_ms / 1000, interval, sync.watch)
    place = watch_file(lock_dir(settings), notes.folder)
    return Index(store, choice, syncer, watching, place, stop)


def _without_forgotten(folder: Path, text: str) -> str:
    """The text of a transcript without what was forgotten in the notes."""
    from memdown.text.tombstones import read_tombstones, scrub, tombstone_file

    return scrub(text, read_tombstones(tombstone_file(folder)))


def _answering(searcher: Searcher, qmd: Sidecar | None, chat: Chat) -> Searcher | QmdSearcher:
    if qmd is None:
        return searcher
    from memdown.backends.qmd import QmdSearcher

    return QmdSearcher(qmd, searcher, chat)


def _status(settings: Settings, index: Index, notebook: Notebook, deep: bool) -> Status:
    from memdown.index.status import StatusFacts, status_of

    facts = StatusFacts(
        agent=settings.agent,
        workspace=str(settings.workspace),
        place=str(settings.store.path),
        sources=settings.sources,
        extra_paths=settings.extra_paths,
        cache_enabled=settings.cache.enabled,
        cache_max_entries=settings.cache.max_entries,
        vector_enabled=settings.store.vector.enabled,
        citations=settings.citations,
        hybrid=settings.query.hybrid.enabled,
        extension_path=settings.store.vector.extension_path,
        usage_log=usage_log(settings),
        jobs=_unused_jobs(settings),
    )
    return status_of(index, notebook, facts, deep=deep)


def _unused_jobs(settings: Settings) -> JobStatus:
    batch = settings.remote.batch
    return JobStatus(
        limit=MOST_JOB_FAILURES,
        wait=batch.wait,
        concurrency=batch.concurrency,
        poll_seconds=batch.poll_interval_ms / 1000,
        timeout_seconds=batch.timeout_minutes * 60,
    )


def _clock(
    today: datetime.date | Callable[[], datetime.date] | None,
) -> Callable[[], datetime.date]:
    if today is None:
        return datetime.date.today
    return (lambda: today) if isinstance(today, datetime.date) else today


def _once(make: Callable[[], _T]) -> Callable[[], _T]:
    """Call `make` at the first call only, also when several threads call at once."""
    lock = threading.Lock()
    made: list[_T] = []

    def get() -> _T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def _long_term_beside(settings: Settings, index: Index) -> LongTermMemory:
    return open_long_term(settings, index.choice.embedder)


def open_notes(settings: Settings) -> workspace.Workspace:
    """The notes that the settings name."""
    return workspace.open_workspace(
        settings.workspace, settings.extra_paths, adopted=settings.adopted
    )


def check_own(settings: Settings) -> None:
    """Refuse to write into a checkout that the user never made a memory."""
    if refusal := _refusal(settings):
        raise WorkspaceError(refusal)


def _refusal(settings: Settings) -> str | None:
    if not settings.foreign:
        return None
    return (
        f"{settings.workspace} looks like a memory, but it lies in a checkout and you never "
        "made it yours, so nothing is written there; run `memdown init` in it once if it is "
        "your memory, or name another folder with --workspace."
    )


def check_writable(settings: Settings) -> None:
    """Refuse to write notes where the user does not want it."""
    if refusal := _no_writing(settings):
        raise WorkspaceError(refusal)


def _no_writing(settings: Settings) -> str | None:
    if settings.access == "rw":
        return _refusal(settings)
    return (
        f"The notes in {settings.workspace} may not be written here: sandbox.workspaceAccess is "
        f'"{settings.access}"; set it to "rw" to allow it.'
    )


def embedder_setup(settings: Settings, environ: Mapping[str, str] | None = None) -> Setup:
    """What the settings and the environment say about embedders."""
    batch = settings.remote.batch
    log = usage_log(settings)

    def note(sent: Sent) -> None:
        counts = usage.noted_today(
            sent.provider,
            sent.host,
            requests=1,
            texts=sent.texts,
            characters=sent.characters,
            tokens=sent.tokens,
        )
        usage.note(log, counts)

    jobs = JobOptions(
        # Results are handed over in the cache: without one there is no way to collect them.
        enabled=batch.enabled and settings.cache.enabled,
        wait=batch.wait,
        concurrency=batch.concurrency,
        poll_seconds=batch.poll_interval_ms / 1000,
        timeout_seconds=batch.timeout_minutes * 60,
        folder=settings.state_dir / "jobs" / settings.agent,
    )
    return Setup(
        provider=settings.provider,
        fallback=settings.fallback,
        model=settings.model,
        remote=_given(settings.remote),
        sections={name: _given(section) for name, section in settings.providers.items()},
        environ=os.environ if environ is None else environ,
        profiles={name: key.reveal() for name, key in settings.profile_keys.items()},
        configs=settings.plugin_configs,
        model_path=settings.local.model_path,
        model_cache_dir=settings.local.model_cache_dir or str(settings.state_dir / "models"),
        options=Options(jobs=jobs, on_sent=note),
    )


def with_own_index(settings: Settings, folder: Path) -> Settings:
    """The settings with the index file that belongs to this workspace."""
    if settings.store.path != _default_index(settings):
        return settings
    path = engines.index_path(settings.store.path, folder)
    return replace(settings, store=replace(settings.store, path=path))


def claim_index(settings: Settings, folder: Path) -> None:
    """Note, before the first write, that the agent's default index is this workspace's."""
    if settings.store.path == _default_index(settings):
        engines.claim(settings.store.path, folder)


def _default_index(settings: Settings) -> Path:
    return settings.state_dir / "memory" / f"{settings.agent}.sqlite"


def _tenant(settings: Settings) -> str:
    """The name that an agent's index has on a server: another folder's index has one of its own."""
    default, path = _default_index(settings), settings.store.path
    is_other = path.parent == default.parent and path.stem.startswith(f"{settings.agent}-")
    return path.stem if is_other else settings.agent


def store_options(settings: Settings, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What every store is made from, built in or of a plugin; each takes what it needs (docs/plugins.md)."""
    store = settings.store
    named = (os.environ if environ is None else environ).get("MEMDOWN_POSTGRES_URL", "").strip()
    in_environment = named if store.driver == "postgres" and named else None
    tenant = _tenant(settings)
    return {
        "url": store.url.reveal() if store.url else in_environment,
        "read_url": store.read_url.reveal() if store.read_url else None,
        "agent": tenant,
        "workspace": settings.workspace,
        "state_dir": settings.state_dir,
        "path": store.path.with_suffix(".lancedb") if store.driver == "lancedb" else store.path,
        "host_file": _default_index(settings).with_name(f"{tenant}.host.sqlite"),
        "patience": store.timeout_ms / 1000,
        "vector_enabled": store.vector.enabled,
        "extension_path": store.vector.extension_path,
        "cache_entries": settings.cache.max_entries if settings.cache.enabled else 0,
        "config": dict(settings.plugin_configs.get(store.driver, {})),
    }


def open_sidecar(settings: Settings, notes: workspace.Workspace) -> Sidecar | None:
    """The `qmd` command that answers in place of the index, if the settings ask for it."""
    if settings.backend != "qmd":
        return None
    from memdown.backends.qmd import Sidecar

    def facts() -> str:
        files = workspace.scan(notes).files.values()
        transcripts = sessions_folder(settings.state_dir, settings.agent)
        changed = (
            transcripts.stat().st_mtime_ns
            if settings.qmd.sessions.enabled and transcripts.is_dir()
            else 0
        )
        states = sorted((file.path, file.size, file.mtime_ns) for file in files)
        return hashlib.sha256(repr((changed, states)).encode()).hexdigest()

    home = settings.state_dir / "agents" / settings.agent / "qmd"
    transcripts = sessions_folder(settings.state_dir, settings.agent)
    return Sidecar(settings.qmd, home, notes, transcripts, facts)


def open_reranker(settings: Settings, environ: Mapping[str, str] | None = None) -> Reranker | None:
    """The reranker that is turned on, if one is."""
    rerank = settings.query.rerank
    if not rerank.enabled:
        return None
    from memdown.search import rerank as reranking

    return reranking.create(
        rerank.provider,
        model=rerank.model,
        base_url=rerank.base_url,
        api_key=rerank.api_key.reveal() if rerank.api_key else None,
        count=rerank.candidates,
        seconds=rerank.timeout_ms / 1000,
        environ=os.environ if environ is None else environ,
        options=embedder_setup(settings, environ).options,
    )


def open_long_term(
    settings: Settings,
    embedder: Embedder | None = None,
    environ: Mapping[str, str] | None = None,
) -> LongTermMemory:
    """The single memories of the plugin `memory-lancedb`, with the configured embedder."""
    from memdown.backends.ltm import LongTermMemory

    if embedder is None:
        embedder = embedders.choose(embedder_setup(settings, environ)).embedder
    if embedder is None:
        raise EmbedderError(
            "Single memories are found by meaning, so memory-lancedb needs an embedder: set "
            "memorySearch.provider to another value than none."
        )
    path = settings.state_dir / "agents" / settings.agent / "memories.lancedb"
    return LongTermMemory(path, embedder)


def usage_log(settings: Settings) -> Path:
    """Where it is written down what was sent to providers."""
    return settings.state_dir / "usage.jsonl"


def _given(settings: RemoteSettings | ProviderSettings) -> Given:
    return Given(
        base_url=settings.base_url,
        api_key=settings.api_key.reveal() if settings.api_key else None,
        headers={name: value.reveal() for name, value in settings.headers.items()},
    )


def lock_dir(settings: Settings) -> Path:
    """Where processes meet that write to the same notes."""
    return settings.state_dir / "locks"


def with_state_dir(
    environ: Mapping[str, str] | None, state_dir: str | Path | None
) -> Mapping[str, str] | None:
    """The environment, with the state folder set if one is given."""
    if state_dir is None:
        return environ
    return {**(os.environ if environ is None else environ), "MEMDOWN_STATE_DIR": str(state_dir)}


def open_store(settings: Settings, environ: Mapping[str, str] | None = None) -> Store:
    """The store that the settings name."""
    return engines.open_store(settings.store.driver, **store_options(settings, environ))


def search_defaults(settings: Settings) -> SearchOptions:
    """How a search is done where its request does not say it."""
    query, hybrid = settings.query, settings.query.hybrid
    decay = hybrid.temporal_decay
    return SearchOptions(
        max_results=query.max_results,
        min_score=_SURENESS.strong if query.min_score is None else query.min_score,
        strict=query.min_score is not None,
        sources=settings.sources,
        hybrid=hybrid.enabled,
        text_weight=hybrid.text_weight,
        candidate_multiplier=hybrid.candidate_multiplier,
        mmr_lambda=hybrid.mmr.lambda_ if hybrid.mmr.enabled else None,
        half_life_days=(decay.half_life_days or GENTLE_HALF_LIFE) if decay.enabled else None,
        most_decay=_TIME.most_decay if decay.half_life_days is None else 1.0,
    )


def sync_options(settings: Settings, folder: Path) -> SyncOptions:
    """How the index of the workspace in `folder` is kept in step."""
    return SyncOptions(
        chunking=Chunking(settings.chunking.tokens, settings.chunking.overlap),
        lock_dir=lock_dir(settings),
        usage_log=usage_log(settings),
        cache_entries=settings.cache.max_entries,
        claim=lambda: claim_index(settings, folder),
    )


def open_conversations(settings: Settings) -> Conversations:
    """The agent's transcripts as a source of the index."""
    return Conversations(
        sessions_folder(settings.state_dir, settings.agent),
        enabled="sessions" in settings.sources,
        delta_bytes=settings.sync.sessions.delta_bytes,
        delta_messages=settings.sync.sessions.delta_messages,
    )
