"""Large backfills: how much there is to embed, and handing it to a provider's batch jobs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from memdown.errors import WorkspaceError
from memdown.index.indexing import Change, Chunking, chunks_of, model_key
from memdown.text import estimate_tokens
from memdown.types import BatchEmbedder, Embedder, EmbeddingJobs, Store

_DIGESTS_A_LOOK = 400


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sync is going to embed: distinct texts, those in the cache, tokens of the others."""

    provider: str
    model: str
    texts: int
    cached: int
    tokens: int


def jobs_of(embedder: Embedder | None) -> EmbeddingJobs | None:
    """The batch jobs of an embedder, if its provider has some and they are turned on."""
    return embedder.jobs if isinstance(embedder, BatchEmbedder) else None


def estimate(
    store: Store, embedder: Embedder, changes: Sequence[Change], chunking: Chunking
) -> Estimate:
    """Read and cut everything that changed, and count what the cache does not have."""
    texts = missing = tokens = 0
    for group in _groups(embedder, changes, chunking):
        known = store.cached(model_key(embedder), list(group)) if embedder.cacheable else {}
        new = [text for digest, text in group.items() if digest not in known]
        texts += len(group)
        missing += len(new)
        tokens += sum(map(estimate_tokens, new))
    return Estimate(embedder.id, embedder.model, texts, texts - missing, tokens)


def by_jobs(
    store: Store,
    embedder: Embedder | None,
    changes: Sequence[Change],
    chunking: Chunking,
    cache_entries: int,
) -> frozenset[str]:
    """Have a large number of texts embedded by batch jobs, into the cache.

    Returns the digests of texts that a job still has: files that hold one wait for a later sync.
    """
    jobs = jobs_of(embedder)
    if embedder is None or jobs is None:
        return frozenset()
    remember = partial(store.remember_vectors, model_key(embedder))
    if jobs.pending():
        jobs.collect(remember)
    # A chunk is rarely less than half full: a cheap guess spares small syncs the second reading.
    size = sum(change.state.size for change in changes)
    guess = size / (chunking.tokens * 2)
    if jobs.usable and jobs.least_texts <= guess * 1.5 and guess < cache_entries:
        jobs.run(_missing(store, embedder, changes, chunking, jobs), remember)
    return jobs.waiting_for() if jobs.usable else frozenset()


def _missing(
    store: Store,
    embedder: Embedder,
    changes: Sequence[Change],
    chunking: Chunking,
    jobs: EmbeddingJobs,
) -> Iterator[tuple[str, str]]:
    waiting = jobs.waiting_for()
    for group in _groups(embedder, changes, chunking):
        known = store.cached(model_key(embedder), list(group))
        for digest, text in group.items():
            if digest not in known and digest not in waiting:
                yield digest, text


def _groups(
    embedder: Embedder, changes: Sequence[Change], chunking: Chunking
) -> Iterator[dict[str, str]]:
    """All distinct texts by their digests, a few at a time."""
    seen: set[str] = set()
    group: dict[str, str] = {}
    for change in changes:
        # What cannot be read is reported by the sync itself.
        with contextlib.suppress(WorkspaceError, OSError):
            document, _ = change.read()
            for chunk in chunks_of(document, embedder, chunking):
                if chunk.digest not in seen:
                    seen.add(chunk.digest)
                    group[chunk.digest] = chunk.text
        if len(group) >= _DIGESTS_A_LOOK:
            yield group
            group = {}
    if group:
        yield group
