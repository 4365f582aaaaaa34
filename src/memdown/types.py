"""The values that flow through Memdown, and the protocols its parts meet at."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import (
    TYPE_CHECKING,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeGuard,
    runtime_checkable,
)

from memdown.values import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
Vectors: TypeAlias = "NDArray[np.float32]"

Source = Literal["memory", "sessions"]
Strength = Literal["strong", "weak"]
SOURCES: tuple[Source, ...] = ("memory", "sessions")
FILE_SPAN = 1 << 24


@dataclass(frozen=True, slots=True)
class FileState:
    """What tells whether a file changed: cheap facts first, the digest when they differ.

    `problem` says what a file that is known to the index lacks there, and why: its text if it has no
    digest, else some of its vectors.
    `date`, `tags` and `names` are what a note says of itself: its day, its tags in lower case, and
    the words by which it is found besides its own, such as aliases.
    """

    path: str
    source: Source
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    digest: str = ""
    date: datetime.date | None = None
    problem: str = ""
    tags: tuple[str, ...] = ()
    names: str = ""

    def same_stat(self, other: FileState) -> bool:
        """Whether the facts that cost no reading are equal."""
        return (self.size, self.mtime_ns, self.ctime_ns, self.inode) == (
            other.size,
            other.mtime_ns,
            other.ctime_ns,
            other.inode,
        )

    def same_times(self, other: FileState) -> bool:
        """Whether both are one file at one time, whatever size was noted."""
        return (self.mtime_ns, self.ctime_ns, self.inode) == (
            other.mtime_ns,
            other.ctime_ns,
            other.inode,
        )


class Table(NamedTuple):
    """The rows of a table, from one line to another, and what its first row says of its columns."""

    first: int
    last: int
    columns: str


@dataclass(frozen=True, slots=True)
class Document:
    """One text to be indexed.

    `line_map[i]` is the original number of line `i + 1`, if they differ. `headings` are the places
    where the path of headings changes: (line, "Home > Network"). `tables` are in the order of their lines.
    `names` are further words by which all of it is found: its aliases and the tags in its front matter.
    """

    path: str
    source: Source
    text: str
    digest: str
    title: str = ""
    date: datetime.date | None = None
    line_map: tuple[int, ...] | None = None
    headings: tuple[tuple[int, str], ...] = ()
    tables: tuple[Table, ...] = ()
    tags: tuple[str, ...] = ()
    names: str = ""


class Passage(NamedTuple):
    """A few whole lines of a chunk, the unit that keywords are matched in.

    `start` and `end` are offsets into the chunk's text, `heading` is the path of headings above, of a table's row
    with its columns (empty when the passage was read back from a store).
    """

    start: int
    end: int
    start_line: int
    end_line: int
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of lines, the unit that is embedded.

    Neighbouring chunks overlap; passages do not: a chunk's passages cover the lines that the
    chunk before it did not hold. `lines` numbers the lines of the text where they do not simply
    count up from `start_line`. `names` are those of its document (empty when the chunk was read back
    from a store that keeps terms).
    """

    id: str
    path: str
    source: Source
    start_line: int
    end_line: int
    heading: str
    text: str
    digest: str
    passages: Sequence[Passage]
    lines: tuple[int, ...] | None = None
    names: str = ""

    def line_at(self, offset: int) -> int:
        """The number of the line that holds this place in the text."""
        index = self.text.count("\n", 0, offset)
        return self.lines[index] if self.lines else self.start_line + index


@dataclass(frozen=True, slots=True)
class ModelKey:
    """Which vectors may stand side by side: same provider, model and endpoint."""

    provider: str
    model: str
    provider_key: str

    @classmethod
    def of(cls, embedder: Embedder | None) -> ModelKey:
        """The key of the vectors that an embedder makes."""
        if embedder is None:
            return cls("none", "none", "none")
        return cls(embedder.id, embedder.model, embedder.provider_key)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How an index was made; when it no longer fits the settings, the index is made anew."""

    key: ModelKey
    chunk_tokens: int
    chunk_overlap: int
    terms_version: int
    dims: int | None = None


LEFT_OUT = "…"
"""A line of a snippet that stands for lines that are not shown."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk read back from a store."""

    key: int
    chunk: Chunk
    date: datetime.date | None


class Move(NamedTuple):
    """The rank that a hit had after a step of the ranking, counted from 1 within its source.

    The steps: `fusion` of words and meaning, `coverage` of the query's words and `closeness` of the
    passage itself, `time` (age, or a time that the query names), `repeats`, `reranking`,
    `diversity` and `sources` in turn.
    """

    step: str
    rank: int


@dataclass(frozen=True, slots=True)
class Why:
    """Why a hit stands where it stands.

    `by_text` and `by_vector` compare it with the best of each leg, which is 1; `confidence` is how
    sure we are that the notes hold an answer at all. `timely` tells whether it is of the time that
    the query names; None if it names none. `resembles` tells whether it shares a word with the query
    or is near in meaning: what does not is only shown where all is asked for.
    """

    text_weight: float
    vector_weight: float
    by_text: float
    by_vector: float
    confidence: float
    timely: bool | None = None
    moves: tuple[Move, ...] = ()
    resembles: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """One found place: whole lines of one note, with the reasons for its rank.

    `strength` tells whether it is likely to answer, or only the nearest there is. `was` marks what
    no longer holds: struck, over, or said otherwise by a newer hit.
    """

    path: str
    source: Source
    start_line: int
    end_line: int
    score: float
    snippet: str
    relevance: float = 0.0
    vector_score: float = 0.0
    text_score: float = 0.0
    recency: float = 1.0
    heading: str = ""
    date: datetime.date | None = None
    matched: tuple[str, ...] = ()
    citation: str | None = None
    why: Why | None = None
    strength: Strength = "strong"
    was: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an answer came about: what was looked for, and what was just below the bar.

    `words` and `phrases` are what the keyword leg looked for, `exact` those of the words whose hits
    are never dropped, `period` the time that the query names. Of `candidates` places, those under
    `min_score` were left out; the best of them are `below`.
    """

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    exact: tuple[str, ...]
    period: tuple[datetime.date, datetime.date] | None
    min_score: float
    candidates: int
    below: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, by which means, and, when it is empty or partial, why."""

    hits: tuple[Hit, ...]
    provider: str
    model: str
    partial: bool = False
    fallback: str | None = None
    reasons: tuple[str, ...] = ()
    explanation: Explanation | None = None

    @property
    def strength(self) -> Strength | None:
        """`strong` if a hit is, `weak` if none is; None if nothing was found."""
        if not self.hits:
            return None
        return "strong" if any(hit.strength == "strong" for hit in self.hits) else "weak"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a note."""

    path: str
    text: str
    start_line: int
    end_line: int
    total_lines: int


@dataclass(frozen=True, slots=True)
class Citation:
    """Where something stands: a note and its lines."""

    path: str
    start_line: int
    end_line: int

    def __str__(self) -> str:
        return f"{self.path}#L{self.start_line}-L{self.end_line}"


@dataclass(frozen=True, slots=True)
class Failure:
    """One file that could not be indexed, and why; `passing` trouble may end without a change."""

    path: str
    reason: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did.

    `found` of the `looked_up` texts were in the cache; `waiting` files wait for a batch job.
    `ignored` are the notes, and with a final slash the folders, that ignore files leave out.
    `without_vectors` files were indexed by their words only, since the embedder gave no vectors.
    """

    indexed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedded: int = 0
    looked_up: int = 0
    found: int = 0
    waiting: int = 0
    without_vectors: int = 0
    rebuilt: bool = False
    complete: bool = True
    failed: tuple[Failure, ...] = ()
    ignored: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long job is."""

    completed: int
    total: int
    label: str


ProgressCallback = Callable[[Progress], None]


class Embedder(Protocol):
    """Turns texts into L2-normalised float32 vectors."""

    @property
    def id(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dims(self) -> int | None:
        """The length of a vector; None until the first answer of a provider tells."""

    @property
    def provider_key(self) -> str:
        """A digest of what else changes the vectors, such as the endpoint; never a secret."""

    @property
    def cacheable(self) -> bool:
        """Whether keeping vectors pays: False where embedding costs no more than looking up."""

    @property
    def instant(self) -> bool:
        """Whether it answers within microseconds at no cost, so that a search may ask it often."""

    @property
    def text_weight(self) -> float | None:
        """The keyword leg's measured best share beside this embedder; None if never measured."""

    def embed_query(self, text: str) -> Vector: ...

    def embed_batch(self, texts: Sequence[str]) -> Vectors: ...


class VectorStream(Protocol):
    """Vectors as they are finished, in any order: (positions of the texts, their vectors).

    An error comes last, after all that was answered.
    """

    def __next__(self) -> tuple[Sequence[int], Vectors]: ...

    def ready(self) -> bool:
        """Whether the next ones can be had without waiting."""

    def close(self) -> None:
        """Take back what was not begun yet."""


@runtime_checkable
class StreamingEmbedder(Embedder, Protocol):
    """An embedder that works by itself: vectors are kept as they come, while texts are prepared."""

    def embed_in_batches(self, texts: Sequence[str]) -> VectorStream: ...


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How batch jobs are done, and how they went; times are seconds."""

    enabled: bool = False
    pending: int = 0
    failures: int = 0
    limit: int = 0
    wait: bool = True
    concurrency: int = 0
    poll_seconds: float = 0.0
    timeout_seconds: float = 0.0
    last_error: str | None = None
    last_provider: str | None = None


class EmbeddingJobs(Protocol):
    """A provider's slow and cheap way: texts are handed over in a file, vectors collected later."""

    @property
    def least_texts(self) -> int:
        """From how many texts on a job is worth it."""

    @property
    def usable(self) -> bool:
        """Whether new jobs are started; after some failures they are not."""

    def pending(self) -> int:
        """How many jobs were started and not collected yet."""

    def waiting_for(self) -> frozenset[str]:
        """The digests of the texts in those jobs."""

    def run(
        self,
        texts: Iterable[tuple[str, str]],
        remember: Callable[[Sequence[str], Vectors], None],
    ) -> None:
        """Start jobs for texts (digest, text), if they are enough; and collect what is done."""

    def collect(self, remember: Callable[[Sequence[str], Vectors], None]) -> None:
        """Keep what finished jobs brought."""

    def status(self) -> JobStatus: ...


@runtime_checkable
class BatchEmbedder(Embedder, Protocol):
    """An embedder whose provider takes batch jobs; `jobs` is None where they are turned off."""

    @property
    def jobs(self) -> EmbeddingJobs | None: ...


@runtime_checkable
class Closeable(Embedder, Protocol):
    """An embedder that stops what it does, such as threads, when it is needed no more."""

    def close(self) -> None: ...


@runtime_checkable
class ShortEmbedder(Embedder, Protocol):
    """An embedder so fast that passages are embedded as well, with fewer numbers than chunks.

    Its vector of a text is the sum of those of its words, brought to length one.
    """

    def embed_words(self, words: Sequence[str], dims: int) -> Vectors:
        """What words add to the vector of a text, float32 (n, dims), of any length."""

    def embed_short(self, texts: Sequence[str], dims: int) -> Vectors:
        """Vectors of the first `dims` numbers, float32 (n, dims), of length one."""


@runtime_checkable
class PassageEmbedder(Embedder, Protocol):
    """An embedder on this machine that gives each passage a vector as well, as long as those of chunks."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors: ...


@runtime_checkable
class WordKnowing(Embedder, Protocol):
    """An embedder that can tell words from gibberish."""

    def knows(self, text: str) -> bool: ...


class NearWord(NamedTuple):
    """A word that means nearly the same as another, and how near it is: the cosine of the two."""

    word: str
    similarity: float


@runtime_checkable
class SynonymKnowing(Embedder, Protocol):
    """An embedder that knows words of nearly the same meaning at no cost."""

    def synonyms(self, word: str) -> Sequence[NearWord]: ...

    def has_word(self, word: str) -> bool:
        """Whether a text in small letters is a word that it surely knows."""


def knows_words(embedder: Embedder | None) -> TypeGuard[WordKnowing]:
    """Whether an embedder can tell words from gibberish."""
    return offers(embedder, WordKnowing)


def knows_synonyms(embedder: Embedder | None) -> TypeGuard[SynonymKnowing]:
    """Whether an embedder knows words of nearly the same meaning."""
    return offers(embedder, SynonymKnowing)


_offered: dict[tuple[type, type], bool] = {}


def offers(thing: object, protocol: type) -> bool:
    """Whether a thing is what a protocol describes, asked once for each class.

    Python looks for every method of a protocol each time, which takes longer than most of what a search does.
    """
    key = type(thing), protocol
    known = _offered.get(key)
    if known is None:
        known = _offered[key] = isinstance(thing, protocol)
    return known


class Reranker(Protocol):
    """Judges how well texts answer a query, more exactly and more slowly than the two legs."""

    @property
    def count(self) -> int:
        """How many of the first results it is asked about."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for every text, higher is better; raises EmbedderError if it cannot."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What a store holds and what it can do."""

    files: Mapping[Source, int]
    chunks: Mapping[Source, int]
    cache_entries: int
    fts_available: bool
    fts_error: str | None
    vector_available: bool
    vector_error: str | None
    dims: int | None
    location: str
    size_bytes: int
    vector_engine: str = "compared in process, stored by sqlite-vec"
    text_engine: str = "BM25 over posting lists of our own"


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file to be stored, with all its chunks, of which the first `keep` are stored already.

    `vectors`, shape (len(chunks) - keep, D), are of the others; without them they are found by their
    words only. `passage_vectors` are of the passages of all its chunks; None where the embedder is too
    dear to embed them as well. Of a file that grew, `chunks` are only its new end, which takes the
    place of what is stored from the key `replaces` on, and `keep` is 0.
    """

    state: FileState
    chunks: Sequence[Chunk]
    vectors: Vectors | None
    keep: int = 0
    passage_vectors: Vectors | None = None
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class ProviderUsage:
    """One day with one provider: what was sent to its host, and what the cache had already."""

    day: str
    provider: str
    host: str = ""
    requests: int = 0
    texts: int = 0
    characters: int = 0
    tokens: int = 0
    looked_up: int = 0
    found: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """Everything worth knowing about a memory, without changing anything."""

    backend: str
    agent: str
    workspace: str
    provider: str
    model: str
    requested_provider: str
    fallback: str | None
    sources: tuple[Source, ...]
    extra_paths: tuple[str, ...]
    store: StoreStatus
    dirty: bool
    changed: int
    cache_enabled: bool
    cache_max_entries: int
    vector_enabled: bool
    citations: str
    problems: tuple[Failure, ...]
    without_vectors: int = 0
    without_vectors_reason: str | None = None
    embedder_works: bool | None = None
    embedder_error: str | None = None
    usage: tuple[ProviderUsage, ...] = ()
    hybrid: bool = True
    extension_path: str | None = None
    jobs: JobStatus = JobStatus()
    custom: Mapping[str, object] = field(default_factory=dict)
    watcher: str | None = None
    backend_reason: str | None = None
