"""The embedder that comes with the install: static word-piece vectors, no key, no network.

The weights and the tokenizer are data files of the `wordllama` package. They are read directly,
because importing the package costs half a second and its own loader may go online.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memdown.embedders.vectors import normalised
from memdown.errors import EmbedderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from memdown.types import Vector, Vectors

MODEL = "wordllama-l2-supercat-256"
DIMS = 256
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_BATCH = 64


class BundledEmbedder:
    """Averages the vectors of a text's word pieces. Thread-safe; files are read on first use."""

    id = "bundled"
    model = MODEL
    dims: int | None = DIMS
    provider_key = "bundled-lower"
    cacheable = False
    text_weight: float | None = 0.6

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, np.ndarray] | None = None

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        tokenizer, weights = self._load(wide=len(texts) >= _BATCH)
        rows = np.zeros((len(texts), DIMS), dtype=np.float32)
        for first in range(0, len(texts), _BATCH):
            # Runs of white space carry no meaning, yet would be averaged in as pieces of their own;
            # the vectors of capitalised words are worse than those of the same words in small.
            batch = [" ".join(text.lower().split()) for text in texts[first : first + _BATCH]]
            encoded = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            for row, encoding in enumerate(encoded, start=first):
                pieces = encoding.ids
                if pieces:
                    rows[row] = weights.take(pieces, axis=0).sum(axis=0, dtype=np.float32)
        return normalised(rows)

    def _load(self, *, wide: bool) -> tuple[Tokenizer, np.ndarray]:
        """Tokenizer and weights. Half-precision weights load fast, wide ones sum five times faster."""
        with self._lock:
            if self._loaded is None:
                self._loaded = (_load_tokenizer(), _load_weights())
            tokenizer, weights = self._loaded
            if wide and weights.dtype != np.float32:
                weights = weights.astype(np.float32)
                self._loaded = (tokenizer, weights)
            return tokenizer, weights


def _package_file(name: str) -> Path:
    spec = importlib.util.find_spec("wordllama")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / name
        if path.is_file():
            return path
    raise EmbedderError(
        "The bundled embedder's files are missing: reinstall it with "
        "`pip install --force-reinstall wordllama`, or set memorySearch.provider to another one."
    )


def _load_tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer, pre_tokenizers

    tokenizer = Tokenizer.from_file(str(_package_file(_TOKENIZER)))
    # Pieces never span words, so splitting first gives the same pieces in two thirds of the time.
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    return tokenizer


def _load_weights() -> np.ndarray:
    from safetensors import safe_open

    with safe_open(_package_file(_WEIGHTS), framework="numpy") as file:
        weights: np.ndarray = file.get_tensor("embedding.weight")
    return weights


def create(options: object = None) -> BundledEmbedder:  # noqa: ARG001
    """The bundled embedder; there is nothing to choose."""
    return BundledEmbedder()
