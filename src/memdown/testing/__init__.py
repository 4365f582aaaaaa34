"""What users need to test against Memdown: an embedder that needs nothing and never surprises."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memdown.embedders.options import normalised
from memdown.text import index_terms
from memdown.types import Vector, Vectors

if "pytest" in sys.modules:
    # A test of the suites that fails shows its values, as in the modules that pytest itself loads.
    sys.modules["pytest"].register_assert_rewrite(f"{__name__}.embedders", f"{__name__}.stores")


class HashEmbedder:
    """Texts that share words are close: every word adds a direction of its own.

    `requests` records what was embedded, so that a test can tell what was embedded twice.
    """

    id = "hash"
    cacheable = True
    instant = False
    text_weight: float | None = None

    def __init__(self, dims: int = 64, model: str = "hash-64", provider_key: str = "hash") -> None:
        self.dims: int | None = dims
        self.model = model
        self.provider_key = provider_key
        self.requests: list[list[str]] = []
        self._dims = dims

    @property
    def embedded(self) -> list[str]:
        """Every document embedded so far."""
        return [text for request in self.requests for text in request]

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._rows([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        self.requests.append(list(texts))
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self._dims), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in index_terms(text) or ["(nothing)"]:
                row += _direction(term, self._dims)
        return normalised(rows)


@lru_cache(maxsize=10_000)
def _direction(term: str, dims: int) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)
