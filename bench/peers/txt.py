"""txtai: hybrid embeddings with vectors that are given, its own BM25 and SQLite content."""

from __future__ import annotations

from typing import Any

from txtai.embeddings import Embeddings

from bench.peers.driver import RESULTS, Given, Search, run


def fill(given: Given) -> Search:
    """Texts and vectors go in together; a lookup stands in for the model."""
    known: dict[str, Any] = dict(zip(given.texts, given.vectors, strict=True))
    asked: dict[str, Any] = {}

    def transform(texts: list[Any]) -> Any:
        import numpy as np

        return np.stack([known[text] if text in known else asked[text] for text in texts])

    embeddings = Embeddings(
        {
            "method": "external",
            "transform": transform,
            "hybrid": True,
            "content": True,
        }
    )
    embeddings.index((number, text, None) for number, text in enumerate(given.texts))

    def search(text: str, vector: Any) -> object:
        asked[text] = vector
        return embeddings.search(text, RESULTS)

    embeddings.save(str(given.place / "index"))
    return search


if __name__ == "__main__":
    run(fill)
