"""A closer look at the first results, off by default, by a reranker behind HTTP.

Jina, Cohere, Voyage and many servers of one's own speak alike: `POST /rerank {model, query, documents}`
answers with `{index, relevance_score}` for each document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memdown.embedders import Options, Sent
from memdown.embedders.endpoints import host, same_host
from memdown.embedders.http import Call, Http
from memdown.embedders.options import EmbeddingEndpoint, Timeouts
from memdown.errors import BadAnswer, ConfigError
from memdown.text import estimate_tokens
from memdown.types import Reranker


@dataclass(frozen=True, slots=True)
class RerankService:
    """A known service: its address, its usual model, and where its key is looked for."""

    base_url: str
    model: str
    variable: str


SERVICES: Mapping[str, RerankService] = {
    "jina": RerankService(
        "https://api.jina.ai/v1", "jina-reranker-v2-base-multilingual", "JINA_API_KEY"
    ),
    "cohere": RerankService("https://api.cohere.com/v2", "rerank-v3.5", "COHERE_API_KEY"),
    "voyage": RerankService("https://api.voyageai.com/v1", "rerank-2.5-lite", "VOYAGE_API_KEY"),
}


def create(
    provider: str,
    *,
    model: str | None,
    base_url: str | None,
    api_key: str | None,
    count: int,
    seconds: float,
    environ: Mapping[str, str],
    options: Options,
) -> Reranker:
    """The reranker that the settings name; a key in the environment goes to its own host only."""
    service = SERVICES.get(provider)
    address = (base_url or (service.base_url if service else "")).rstrip("/")
    chosen = model or (service.model if service else "")
    if not address.startswith(("http://", "https://")) or not chosen:
        raise ConfigError(
            f"memorySearch.query.rerank.provider is {provider!r}: choose from "
            f"{', '.join(SERVICES)}, or set baseUrl and model of a service that speaks like them."
        )
    if api_key is None and service and same_host(address, service.base_url):
        api_key = environ.get(service.variable, "").strip() or None
        if api_key is None:
            raise ConfigError(
                f"Reranking with {provider} needs a key: set memorySearch.query.rerank.apiKey or "
                f"{service.variable}, or turn it off with memorySearch.query.rerank.enabled."
            )
    endpoint = EmbeddingEndpoint(address, api_key, is_default=base_url is None)
    return ApiReranker(provider, chosen, endpoint, options, count=count, seconds=seconds)


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
