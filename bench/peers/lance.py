"""LanceDB: its own full-text index, flat vectors, its own reranker for hybrid queries."""

from __future__ import annotations

from typing import Any

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from bench.peers.driver import RESULTS, Given, Search, run


def fill(given: Given) -> Search:
    """One table with a full-text index."""
    dims = given.vectors.shape[1]
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(given.vectors.ravel()), dims)
    data = pa.table({"text": pa.array(given.texts), "vector": vectors})
    table = lancedb.connect(str(given.place)).create_table("chunks", data)
    table.create_fts_index("text", replace=True)
    reranker = RRFReranker()

    def search(text: str, vector: Any) -> object:
        query = table.search(query_type="hybrid").vector(vector).text(_plain(text))
        return query.rerank(reranker).limit(RESULTS).to_list()

    return search


def _plain(text: str) -> str:
    """The words alone: some signs are operators."""
    return "".join(sign if sign.isalnum() else " " for sign in text)


if __name__ == "__main__":
    run(fill)
