"""What `memorySearch` holds: the settings of indexing and search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from memdown.config.values import Secret, about
from memdown.types import Source
from memdown.validation import Strict
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class ExperimentalSettings(Strict):
    """What is not switched on by itself."""

    session_memory: bool = field(
        default=False,
        metadata=about("Past conversations can be searched, if `sources` names them."),
    )


@dataclass(frozen=True, slots=True)
class BatchSettings(Strict):
    """Batch jobs for large backfills."""

    enabled: bool = field(
        default=True,
        metadata=about(
            "Hand over 5,000 texts or more as a batch job, where the provider takes them: cheaper, "
            "but it may take hours."
        ),
    )
    wait: bool = field(
        default=True,
        metadata=about(
            "Indexing ends when the job is done; `false`: at once, and a later sync collects the vectors."
        ),
    )
    concurrency: int = field(
        default=2, metadata=about("So many jobs run at a time; the others wait.", low=1, high=16)
    )
    poll_interval_ms: int = field(
        default=2000,
        metadata=about(
            "How often the provider is asked whether a job is done.", low=1, high=3_600_000
        ),
    )
    timeout_minutes: float = field(
        default=60.0,
        metadata=about(
            "After this time a job is given up, and its texts are embedded the normal way.",
            above=0,
            high=10_080,
        ),
    )


@dataclass(frozen=True, slots=True)
class RemoteSettings(Strict):
    """Where remote embeddings come from; wins over `models.providers.<provider>`."""

    base_url: str | None = field(
        default=None,
        metadata=about(
            "Where texts are sent, in place of the provider's own address; with `openai` any server "
            "that speaks like it."
        ),
    )
    api_key: Secret | None = field(
        default=None,
        metadata=about(
            "The key that is sent; unset: that of `models.providers`, else of the environment."
        ),
    )
    headers: Mapping[str, Secret] = field(
        default_factory=dict,
        metadata=about("Sent with every request, such as a header that a proxy wants."),
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
        default=None,
        metadata=about(
            "The folder that models are downloaded to; unset: `models` in the state folder.",
            path=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class VectorSettings(Strict):
    """Vector search inside the store."""

    enabled: bool = field(
        default=True,
        metadata=about(
            "Use the engine's vector search. Without it SQLite finds the same, from vectors in its "
            "own tables; PostgreSQL and LanceDB find by words only."
        ),
    )
    extension_path: str | None = field(
        default=None,
        metadata=about("The extension's file, instead of the installed one.", path=True),
    )


@dataclass(frozen=True, slots=True)
class StoreSettings(Strict):
    """Where the index is kept."""

    driver: str = field(
        default="sqlite",
        metadata=about(
            "Where the index lives: `sqlite` (a file), `lancedb`, `postgres`, or a plugin's name."
        ),
    )
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
    timeout_ms: int = field(
        default=1500,
        metadata=about(
            "How long a search waits at a server for what it can do without; then it answers by words "
            "or by meaning alone, and says so.",
            low=50,
            high=60_000,
        ),
    )
    vector: VectorSettings = field(default_factory=VectorSettings)


@dataclass(frozen=True, slots=True)
class ChunkingSettings(Strict):
    """How notes are cut."""

    tokens: int = field(
        default=400,
        metadata=about(
            "How much text is indexed together: smaller chunks find single facts, larger ones give "
            "the model more around them. A change indexes everything anew.",
            low=8,
            high=8192,
        ),
    )
    overlap: int = field(
        default=80,
        metadata=about(
            "How many tokens of a chunk the next one repeats, so that nothing is cut apart; less than "
            "`tokens`.",
            low=0,
            high=8191,
        ),
    )


@dataclass(frozen=True, slots=True)
class SessionSyncSettings(Strict):
    """When a growing transcript is indexed again: whichever comes first."""

    delta_bytes: int = field(
        default=100_000,
        metadata=about(
            "A conversation is indexed again once it has grown by so many bytes; 0: by any.",
            low=0,
            high=10**12,
        ),
    )
    delta_messages: int = field(
        default=50,
        metadata=about(
            "The same, by messages: whichever comes first; 0: by any.", low=0, high=10**9
        ),
    )


@dataclass(frozen=True, slots=True)
class SyncSettings(Strict):
    """When the index is brought up to date."""

    on_session_start: bool = field(
        default=True,
        metadata=about(
            "Notes changed since the last time are indexed when a session starts: MCP, chat, hooks."
        ),
    )
    on_search: bool = field(
        default=True,
        metadata=about(
            "A search first indexes what has changed; `false`: it may answer from old text."
        ),
    )
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

    enabled: bool = field(
        default=False,
        metadata=about(
            "Of results that say nearly the same, one comes first and the others later."
        ),
    )
    lambda_: float = field(
        default=0.7, metadata=about("1: relevance only, 0: variety only.", low=0, high=1)
    )


@dataclass(frozen=True, slots=True)
class DecaySettings(Strict):
    """Newer daily notes before older ones."""

    enabled: bool = field(
        default=True,
        metadata=about("Of two notes that fit alike, the newer dated one comes first."),
    )
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

    enabled: bool = field(
        default=True,
        metadata=about(
            "Look for the words of a question as well as for its meaning; `false`: exact names may be missed."
        ),
    )
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
            "From how many of the best passages results are chosen: 25 times this number. More gives "
            "`mmr` more to choose from among many alike notes, and takes longer.",
            low=1,
            high=20,
        ),
    )
    mmr: MmrSettings = field(default_factory=MmrSettings)
    temporal_decay: DecaySettings = field(default_factory=DecaySettings)


@dataclass(frozen=True, slots=True)
class RerankSettings(Strict):
    """A second, closer look at the first results by a service that costs time and money."""

    enabled: bool = field(
        default=False,
        metadata=about(
            "The first results are sent to a reranking service, which orders them anew."
        ),
    )
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
        default=30, metadata=about("How many of the first results are sent to it.", low=2, high=50)
    )
    timeout_ms: int = field(
        default=5000,
        metadata=about("If it takes longer, the results stay as they were.", low=100, high=60_000),
    )


@dataclass(frozen=True, slots=True)
class QuerySettings(Strict):
    """How a search answers."""

    max_results: int = field(
        default=6,
        metadata=about(
            "How many results a search shows at most, where the question does not say.",
            low=1,
            high=100,
        ),
    )
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

    enabled: bool = field(
        default=True,
        metadata=about("Text that was embedded once is not sent again, also after a rebuild."),
    )
    max_entries: int = field(
        default=50_000,
        metadata=about("So many are kept; the least recently used go.", low=0, high=10**8),
    )


@dataclass(frozen=True, slots=True)
class MemorySearch(Strict):
    """Everything under `memorySearch`, as it stands in the file."""

    enabled: bool = field(
        default=True, metadata=about("`false`: agents get no memory tools, and hooks do nothing.")
    )
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
            "`openai`, `gemini`, `voyage`, `ollama`, `local`, `better`, `bundled`, `none`, or a "
            "plugin's name."
        ),
    )
    fallback: str = field(
        default="none", metadata=about("The provider that is used when the first one fails.")
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
