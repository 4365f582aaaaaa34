"""An embedder that was asked for and cannot come up: it keeps its place and says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from memdown.errors import EmbedderError

if TYPE_CHECKING:
    from memdown.types import Embedder, Vector, Vectors


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
