"""A reranker behind HTTP, as Jina, Cohere, Voyage and many servers of one's own speak.

`POST /rerank {model, query, documents}` answers with `{index, relevance_score}` for each document.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from memdown.embedders import Options, Sent
from memdown.embedders.endpoints import host
from memdown.embedders.http import Call, Http
from memdown.embedders.options import EmbeddingEndpoint, Timeouts
from memdown.errors import BadAnswer
from memdown.text import estimate_tokens


@dataclass(frozen=True, slots=True)
class RerankService:
    """A known service: its address, its usual model, and where its key is looked for."""

    base_url: str
    model: str
    variable: str


class ApiReranker:
    """Asks a service. Safe to use from several threads."""

    def __init__(
        self,
        provider: str,
        model: str,
        endpoint: EmbeddingEndpoint,
        options: Options,
        *,
        count: int,
        seconds: float,
    ) -> None:
        self.count = count
        self._provider = provider
        self._model = model
        self._seconds = seconds
        self._host = host(endpoint.base_url)
        auth = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        self._http = Http(
            provider,
            replace(options, endpoint=endpoint),
            auth=auth,
            timeouts=Timeouts(query=seconds, first_pause=0.2),
        )

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for every text, in their order."""
        body = {"model": self._model, "query": query, "documents": list(texts)}
        tokens = sum(map(estimate_tokens, texts)) + len(texts) * estimate_tokens(query)
        sent = Sent(self._provider, self._host, len(texts), sum(map(len, texts)), tokens)
        data = self._http.json(
            Call("/rerank", body=body, timeout=self._seconds, one_deadline=True, load=sent)
        )
        return self._scores(data, len(texts))

    def _scores(self, data: Any, count: int) -> list[float]:
        try:
            rows = data["results"] if "results" in data else data["data"]
            found = {int(row["index"]): float(row["relevance_score"]) for row in rows}
            scores = [found[number] for number in range(count)]
        except (TypeError, KeyError, ValueError):
            scores = [math.nan]
        if not all(map(math.isfinite, scores)):
            raise BadAnswer(
                f"{self._provider} ({self._host}) did not answer with a relevance_score for each "
                "of the documents; check memorySearch.query.rerank.baseUrl and model."
            )
        return scores

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()
