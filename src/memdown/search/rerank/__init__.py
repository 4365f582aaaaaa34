"""A closer look at the first results, off by default: rerankers are made here, by name."""

from __future__ import annotations

from collections.abc import Mapping

from memdown.embedders import Options
from memdown.embedders.endpoints import same_host
from memdown.embedders.options import EmbeddingEndpoint
from memdown.errors import ConfigError
from memdown.search.rerank.api import ApiReranker, RerankService
from memdown.types import Reranker

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
