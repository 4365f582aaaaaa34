"""What an embedder is made from, and what its texts and vectors must be like.

The options are plain values that tell nothing secret when shown; some models want words before a
text that tell questions from documents; vectors are finite and of length one. Where something is
missing, `Unavailable` stands in an embedder's place and says so when it is used; `PluginEmbedder` stands before one
that another package brings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from memdown.errors import BadAnswer, EmbedderError, MemdownError
from memdown.types import (
    BatchEmbedder,
    Closeable,
    PassageEmbedder,
    ShortEmbedder,
    StreamingEmbedder,
    SynonymKnowing,
    WordKnowing,
    offers,
)
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.types import Embedder, Vector, Vectors


@dataclass(frozen=True, slots=True)
class Sent:
    """What one request carried to a provider."""

    provider: str
    host: str
    texts: int
    characters: int
    tokens: int


def _nobody(sent: Sent) -> None:
    """Nobody keeps count."""


@dataclass(frozen=True, slots=True)
class EmbeddingEndpoint:
    """Where requests go and what they carry to be let in.

    `key_source` says where the key was found, such as `OPENAI_API_KEY`; `withheld` names a key
    that was found but belongs to another host.
    """

    base_url: str = ""
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_source: str | None = None
    withheld: str | None = None
    is_default: bool = True


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: until an answer to a query or a batch is given up, and between two attempts."""

    query: float = 60.0
    batch: float = 120.0
    first_pause: float = 0.5
    longest_pause: float = 8.0
    longest_wait_asked: float = 60.0


LOCAL_TIMEOUTS = Timeouts(query=300.0, batch=600.0)


# After so many failures no new jobs are started.
MOST_JOB_FAILURES = 2


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Batch jobs: when a provider's slow and cheap way is taken, and how long it is waited for."""

    enabled: bool = True
    wait: bool = True
    concurrency: int = 2
    poll_seconds: float = 2.0
    timeout_seconds: float = 3600.0
    least_texts: int = 5000
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Everything a factory of an embedder may want to know; a plugin's gets the same.

    `config` is what the file says of a plugin alone: `plugins.entries.<name>.config`.
    """

    model: str | None = None
    endpoint: EmbeddingEndpoint = field(default_factory=EmbeddingEndpoint)
    model_path: str | None = None
    model_cache_dir: str | None = None
    timeouts: Timeouts | None = None
    jobs: JobOptions = field(default_factory=lambda: JobOptions(enabled=False))
    on_sent: Callable[[Sent], None] = _nobody
    config: Mapping[str, object] = field(default_factory=dict, repr=False)


class Unavailable:
    """Has the names of the real one, so that the index made with it stays what it is."""

    dims: int | None = None
    cacheable = True
    instant = False
    text_weight: float | None = None

    def __init__(self, name: str, model: str, provider_key: str, error: Exception) -> None:
        self.id = name
        self.model = model
        self.provider_key = provider_key
        self.error = error

    @classmethod
    def instead_of(cls, embedder: Embedder, error: Exception) -> Unavailable:
        """A stand-in for an embedder that lacks something."""
        return cls(embedder.id, embedder.model, embedder.provider_key, error)

    def embed_query(self, text: str) -> Vector:  # noqa: ARG002
        self._fail()

    def embed_batch(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        self._fail()

    def _fail(self) -> NoReturn:
        if isinstance(self.error, EmbedderError):
            raise type(self.error)(*self.error.args)
        raise EmbedderError(str(self.error))


@dataclass(frozen=True, slots=True)
class Prompts:
    """What goes before a question and before a document; `name` is empty where nothing does."""

    name: str = ""
    query: str = ""
    document: str = ""


_GEMMA = Prompts("gemma", "task: search result | query: ", "title: none | text: ")
_PASSAGES = Prompts("passages", "Represent this sentence for searching relevant passages: ")
_INSTRUCT = Prompts(
    "instruct",
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
)
# By a part of the model's name; the first that fits counts.
_KNOWN: tuple[tuple[str, Prompts], ...] = (
    ("embeddinggemma", _GEMMA),
    ("gemini-embedding-2", _GEMMA),
    ("nomic-embed-text", Prompts("nomic", "search_query: ", "search_document: ")),
    ("qwen3-embedding", _INSTRUCT),
    ("arctic-embed2", Prompts("arctic2", "query: ")),
    ("arctic-embed-l-v2", Prompts("arctic2", "query: ")),
    ("arctic-embed", _PASSAGES),
    ("mxbai-embed", _PASSAGES),
    ("e5-", Prompts("e5", "query: ", "passage: ")),
)


def prompts_for(model: str) -> Prompts:
    """The prompts of a model, told by its name."""
    name = model.lower()
    return next((prompts for part, prompts in _KNOWN if part in name), Prompts())


def normalised(rows: Vectors) -> Vectors:
    """The rows with non-finite numbers as 0, each scaled to length one; zero rows stay zero."""
    import numpy as np

    rows = np.nan_to_num(np.asarray(rows, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: Vectors = np.divide(rows, lengths, out=rows, where=lengths > 0)
    return result


def checked(
    rows: Vectors, *, count: int, dims: int | None, provider: str, zeros: bool = False
) -> Vectors:
    """The rows if there are `count` of them, of `dims` numbers, none all zero; else an error.

    With `zeros`, rows of zeros are let through.
    """
    if rows.ndim != 2 or rows.shape[0] != count:
        got = rows.shape[0] if rows.ndim else 0
        raise BadAnswer(f"{provider} returned {got} vectors for {count} texts; nothing was stored.")
    if dims is not None and rows.shape[1] != dims:
        raise BadAnswer(
            f"{provider} returned vectors of {rows.shape[1]} numbers instead of {dims}; "
            "nothing was stored. Check memorySearch.model."
        )
    if not zeros and not rows.any(axis=1).all():
        raise BadAnswer(f"{provider} returned an all-zero vector; nothing was stored.")
    return rows


_NAMES = ("id", "model", "dims", "provider_key", "cacheable", "instant", "text_weight")
# Who can do more than embed was written against these protocols, and is used as it is.
_MORE = (
    BatchEmbedder,
    PassageEmbedder,
    ShortEmbedder,
    StreamingEmbedder,
    SynonymKnowing,
    WordKnowing,
)


def guarded(name: str, embedder: Embedder) -> Embedder:
    """The embedder that the plugin `name` made, behind a guard; an EmbedderError if it is none."""
    wanted = (*_NAMES, "embed_query", "embed_batch")
    missing = [one for one in wanted if not hasattr(embedder, one)]
    if missing:
        raise EmbedderError(
            f"The plugin {name!r} is no embedder: it lacks {', '.join(missing)}; tell its author, or "
            "set memorySearch.provider to another one."
        )
    can_more = any(offers(embedder, protocol) for protocol in _MORE)
    return embedder if can_more else PluginEmbedder(name, embedder)


class PluginEmbedder:
    """An embedder that cannot spoil an index: rows are float32 of length one, one for each text."""

    def __init__(self, name: str, embedder: Embedder) -> None:
        self._name = name
        self._embedder = embedder

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dims(self) -> int | None:
        return self._embedder.dims

    @property
    def provider_key(self) -> str:
        return self._embedder.provider_key

    @property
    def cacheable(self) -> bool:
        return self._embedder.cacheable

    @property
    def instant(self) -> bool:
        return self._embedder.instant

    @property
    def text_weight(self) -> float | None:
        return self._embedder.text_weight

    def embed_query(self, text: str) -> Vector:
        """One vector."""
        vector: Vector = self._rows(lambda: [self._embedder.embed_query(text)], 1)[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in order."""
        return self._rows(lambda: self._embedder.embed_batch(texts), len(texts))

    def close(self) -> None:
        """Close what is behind it, if that can be closed."""
        if isinstance(self._embedder, Closeable):
            self._embedder.close()

    def _rows(self, ask: Callable[[], Any], count: int) -> Vectors:
        import numpy as np

        try:
            rows = np.asarray(ask(), dtype=np.float32)
        except MemdownError:
            raise
        # What a plugin may raise is not known; a search goes on by words, and says why.
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise BadAnswer(
                f"The plugin {self._name!r} failed ({what}); nothing was stored. Tell its author, or set "
                "memorySearch.provider to another embedder."
            ) from error
        if count == 0:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        dims, provider = self._embedder.dims, f"the plugin {self._name!r}"
        return normalised(checked(rows, count=count, dims=dims, provider=provider, zeros=True))
