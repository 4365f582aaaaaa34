"""memsearch with Milvus Lite, as it comes, but for the embedder: that is ours, so that none is
downloaded and embedding costs the same.
"""

from __future__ import annotations

import asyncio
from typing import Any

from memsearch import MemSearch, core

from bench.peers.driver import RESULTS, Given, Search, run
from memdown.embedders.bundled import DIMS, BundledEmbedder


class OurEmbedder:
    """What memsearch asks of a provider."""

    model_name = "bundled"
    dimension = DIMS
    batch_size = 256

    def __init__(self) -> None:
        self._embedder = BundledEmbedder()

    async def embed(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed_batch(texts).tolist()
        return rows


def fill(given: Given) -> Search:
    """It reads, cuts and embeds the notes by itself."""
    core.get_provider = lambda *_, **__: OurEmbedder()
    memory = MemSearch([str(given.notes)], milvus_uri=str(given.place / "milvus.db"))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(memory.index())

    def search(text: str, _: Any) -> object:
        return loop.run_until_complete(memory.search(text, top_k=RESULTS))

    return search


if __name__ == "__main__":
    run(fill, embeds=True)
