"""How near a text is to others by meaning, for facts that are about to be written."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from memdown.errors import EmbedderError
from memdown.notes.related import Comparing
from memdown.types import Embedder

log = logging.getLogger("memdown")

# Where embedding costs time or money, only the nearest by words are compared.
_MOST_PAID: Final = 24
_MOST_FREE: Final = 400


def comparing_by(embedder: Embedder | None) -> Comparing | None:
    """How an embedder compares facts; None without one."""
    if embedder is None:
        return None
    model = embedder

    def nearness(text: str, others: Sequence[str]) -> Sequence[float] | None:
        if not others:
            return []
        try:
            vectors = model.embed_batch([text, *others])
        except EmbedderError as error:
            log.info("Facts are compared by words only: %s", error)
            return None
        return [float(value) for value in vectors[1:] @ vectors[0]]

    return Comparing(nearness, _MOST_PAID if embedder.cacheable else _MOST_FREE)
