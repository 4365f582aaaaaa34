"""Every built-in embedder keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest

from contracts.embedder_contract import EmbedderContract
from embedders.providers.loopback import KEY, Loopback
from embedders.tiny_gguf import write_tiny_bert
from memdown.embedders import EmbeddingEndpoint, Options, create
from memdown.testing import HashEmbedder
from memdown.types import Embedder


class TestBundled(EmbedderContract):
    def make(self) -> Embedder:
        return create("bundled")


class TestUniversal(EmbedderContract):
    def make(self) -> Embedder:
        return _better("universal")


class TestGranite(EmbedderContract):
    def make(self) -> Embedder:
        return _better("granite")


@cache
def _better(model: str) -> Embedder:
    """Made once: each of them loads its model."""
    return create("better", Options(model=model))


class TestHash(EmbedderContract):
    def make(self) -> Embedder:
        return HashEmbedder()


class TestLocal(EmbedderContract):
    path: ClassVar[Path]

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def model(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        cls.path = write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny.gguf")

    def make(self) -> Embedder:
        return create("local", Options(model_path=str(self.path)))


class RemoteContract(EmbedderContract):
    provider: str
    server: Loopback

    @pytest.fixture(autouse=True)
    def serve(self) -> Iterator[None]:
        self.server = Loopback()
        yield
        self.server.close()

    def make(self) -> Embedder:
        endpoint = EmbeddingEndpoint(self.server.base(self.provider), KEY, is_default=False)
        return create(self.provider, Options(model="plain", endpoint=endpoint))


class TestOpenAI(RemoteContract):
    provider = "openai"


class TestGemini(RemoteContract):
    provider = "gemini"


class TestVoyage(RemoteContract):
    provider = "voyage"


class TestOllama(RemoteContract):
    provider = "ollama"
