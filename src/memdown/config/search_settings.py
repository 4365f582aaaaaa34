"""What `memorySearch` holds: the settings of indexing and search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memdown.config.values import Secret, Strict, about
from memdown.types import Source


@dataclass(frozen=True, slots=True)
class ExperimentalSettings(Strict):
    """What is not switched on by itself."""

    session_memory: bool = field(
        default=False, metadata=about("Index session transcripts, if `sources` names them.")
    )


@dataclass(frozen=True, slots=True)
class BatchSettings(Strict):
    """Batch jobs for large backfills."""

    enabled: bool = field(default=True, metadata=about("Use batch jobs where the provider can."))
    wait: bool = field(
        default=True, metadata=about("Wait for a job; otherwise a later sync collects it.")
    )
    concurrency: int = field(default=2, metadata=about("Jobs at a time.", low=1, high=16))
    poll_interval_ms: int = field(
        default=2000, metadata=about("Time between two looks at a job.", low=1, high=3_600_000)
    )
    timeout_minutes: float = field(
        default=60.0, metadata=about("When to give a job up.", above=0, high=10_080)
    )


@dataclass(frozen=True, slots=True)
class RemoteSettings(Strict):
    """Where remote embeddings come from; wins over `models.providers.<provider>`."""

    base_url: str | None = field(
        default=None, metadata=about("Address of the provider, or of one that speaks like OpenAI.")
    )
    api_key: Secret | None = field(default=None, metadata=about("Key of the provider."))
    headers: Mapping[str, Secret] = field(
        default_factory=dict, metadata=about("Further request headers.")
    )
    batch: BatchSettings = field(default_factory=BatchSettings)


@dataclass(frozen=True, slots=True)
class LocalSettings(Strict):
    """A model that runs on this machine."""

    model_path: str | None = field(
        default=None,
        metadata=about("A GGUF file or an `hf:` address; unset: embeddinggemma-300M.", path=True),
    )
    model_cache_dir: str | None = field(
        default=None, metadata=about("Where downloaded models are kept.", path=True)
    )


@dataclass(frozen=True, slots=True)
class VectorSettings(Strict):
    """Vector search inside the store."""

    enabled: bool = field(
        default=True, metadata=about("Use the vector extension; without it results are the same.")
    )
    extension_path: str | None = field(
        default=None,
        metadata=about("The extension's file, instead of the installed one.", path=True),
    )


@dataclass(frozen=True, slots=True)
class StoreSettings(Strict):
    """Where the index is kept."""

    driver: str = field(default="sqlite", metadata=about("The engine."))
    path: Path = field(
        default=Path("memory/{agentId}.sqlite"),
        metadata=about(
            "The index file; `{agentId}` is replaced; relative to the state folder.", path=True
        ),
    )
    url: Secret | None = field(
        default=None, metadata=about("Address of the server, for engines that are one.")
    )
    read_url: Secret | None = field(
        default=None, metadata=about("Address of a replica that searches may read from.")
    )
    vector: VectorSettings = field(default_factory=VectorSettings)


@dataclass(frozen=True, slots=True)
class ChunkingSettings(Strict):
    """How notes are cut."""

    tokens: int = field(default=400, metadata=about("Size of a chunk.", low=8, high=8192))
    overlap: int = field(
        default=80,
        metadata=about(
            "How much of a chunk the next one repeats; less than `tokens`.", low=0, high=8191
        ),
    )


@dataclass(frozen=True, slots=True)
class SessionSyncSettings(Strict):
    """When a growing transcript is indexed again: whichever comes first."""

    delta_bytes: int = field(default=100_000, metadata=about("Bytes added.", low=0, high=10**12))
    delta_messages: int = field(default=50, metadata=about("Messages added.", low=0, high=10**9))


@dataclass(frozen=True, slots=True)
class SyncSettings(Strict):
    """When the index is brought up to date."""

    on_session_start: bool = field(default=True, metadata=about("When a session starts."))
    on_search: bool = field(default=True, metadata=about("Before a search."))
    watch: bool = field(
        default=True,
        metadata=about(
            "`memdown watch` indexes what changes at once. `false`: only every `intervalMinutes`."
        ),
    )
    watch_debounce_ms: int = field(
        default=1500,
        metadata=about(
            "How long a note must have been left alone before `memdown watch` indexes it.",
            low=0,
            high=3_600_000,
        ),
    )
    interval_minutes: float = field(
        default=0.0,
        metadata=about(
            "`memdown watch` also indexes every so many minutes, fractions too; 0: never. While "
            "files are watched, it looks every 30 s anyway, since events can be lost.",
            low=0,
            high=10_080,
        ),
    )
    sessions: SessionSyncSettings = field(default_factory=SessionSyncSettings)


@dataclass(frozen=True, slots=True)
class MmrSettings(Strict):
    """Fewer results that say the same."""

    enabled: bool = field(default=False, metadata=about("Prefer results that differ."))
    lambda_: float = field(
        default=0.7, metadata=about("1: relevance only, 0: variety only.", low=0, high=1)
    )


@dataclass(frozen=True, slots=True)
class DecaySettings(Strict):
    """Newer daily notes before older ones."""

    enabled: bool = field(default=True, metadata=about("Let dated notes fade in rank."))
    half_life_days: float | None = field(
        default=None,
        metadata=about(
            "Age in days at which the score of a dated note is halved, again and again; unset: the "
            "gentle decay, which takes at most 15 %, half of it in 30 days.",
            above=0,
            high=36_500,
        ),
    )


@dataclass(frozen=True, slots=True)
class HybridSettings(Strict):
    """How meaning and words are weighed. A weight of None is the embedder's measured best."""

    enabled: bool = field(default=True, metadata=about("Use words as well as meaning."))
    vector_weight: float | None = field(
        default=None,
        metadata=about(
            "How much meaning counts against words; unset: what was measured for the embedder, 0.3 "
            "where nothing was.",
            low=0,
        ),
    )
    text_weight: float | None = field(
        default=None, metadata=about("How much words count; unset: 1 − `vectorWeight`.", low=0)
    )
    candidate_multiplier: int = field(
        default=4,
        metadata=about(
            "How far both searches look before they are merged: 25 candidates each times this "
            "number; more finds a little more among very many alike notes, and takes longer.",
            low=1,
            high=20,
        ),
    )
    mmr: MmrSettings = field(default_factory=MmrSettings)
    temporal_decay: DecaySettings = field(default_factory=DecaySettings)


@dataclass(frozen=True, slots=True)
class RerankSettings(Strict):
    """A second, closer look at the first results by a service that costs time and money."""

    enabled: bool = field(default=False, metadata=about("Ask a reranker for the last word."))
    provider: str = field(
        default="jina", metadata=about("`jina`, `cohere`, `voyage`, or another with `baseUrl`.")
    )
    model: str | None = field(
        default=None, metadata=about("The reranking model; unset: the provider's default.")
    )
    base_url: str | None = field(
        default=None, metadata=about("Address that `/rerank` is added to; unset: the provider's.")
    )
    api_key: Secret | None = field(
        default=None,
        metadata=about("Key; unset: `JINA_API_KEY`, `COHERE_API_KEY`, `VOYAGE_API_KEY`."),
    )
    candidates: int = field(
        default=30, metadata=about("How many of the first results it sees.", low=2, high=50)
    )
    timeout_ms: int = field(
        default=5000, metadata=about("When to go on without it.", low=100, high=60_000)
    )


@dataclass(frozen=True, slots=True)
class QuerySettings(Strict):
    """How a search answers."""

    max_results: int = field(default=6, metadata=about("Results at most.", low=1, high=100))
    min_score: float | None = field(
        default=None,
        metadata=about(
            "What a result must score at least; unset: weaker results than 0.35 are shown as `weak`.",
            low=0,
            high=1,
        ),
    )
    hybrid: HybridSettings = field(default_factory=HybridSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)


@dataclass(frozen=True, slots=True)
class CacheSettings(Strict):
    """Embeddings kept, so that unchanged text is not embedded twice."""

    enabled: bool = field(default=True, metadata=about("Keep embeddings."))
    max_entries: int = field(
        default=50_000, metadata=about("Embeddings kept; the least used go.", low=0, high=10**8)
    )


@dataclass(frozen=True, slots=True)
class MemorySearch(Strict):
    """Everything under `memorySearch`, as it stands in the file."""

    enabled: bool = field(default=True, metadata=about("When false, neither tool exists."))
    sources: tuple[Source, ...] = field(
        default=("memory",),
        metadata=about(
            '`"memory"`, `"sessions"`; the latter counts only with `experimental.sessionMemory`.'
        ),
    )
    extra_paths: tuple[str, ...] = field(
        default=(),
        metadata=about("More folders or `.md` files, absolute or relative to the workspace."),
    )
    provider: str = field(
        default="auto",
        metadata=about(
            "`openai`, `gemini`, `voyage`, `ollama`, `local`, `bundled`, `none`, or a plugin's name."
        ),
    )
    fallback: str = field(
        default="none", metadata=about("The provider to use when the first one fails.")
    )
    model: str | None = field(
        default=None, metadata=about("The embedding model; unset: the provider's default.")
    )
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    local: LocalSettings = field(default_factory=LocalSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    experimental: ExperimentalSettings = field(default_factory=ExperimentalSettings)
