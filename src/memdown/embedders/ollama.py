"""Ollama: models on this machine, or on one that you run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memdown.embedders.endpoints import VENDORS
from memdown.embedders.openai import bearer
from memdown.embedders.options import LOCAL_TIMEOUTS, Options, prompts_for
from memdown.embedders.remote import RemoteEmbedder, Wire


def create(options: Options) -> RemoteEmbedder:
    """The embedder for an Ollama server; without an address, the one on this machine."""
    base_url = (options.endpoint.base_url or VENDORS["ollama"].base_url).removesuffix("/v1")
    options = replace(options, endpoint=replace(options.endpoint, base_url=base_url))
    model = (options.model or VENDORS["ollama"].model).removeprefix("ollama/")
    return RemoteEmbedder(
        "ollama",
        model,
        _wire(model),
        options,
        auth=bearer(options.endpoint.api_key),
        timeouts=options.timeouts or LOCAL_TIMEOUTS,
        variant=prompts_for(model).name,
    )


def _wire(model: str) -> Wire:
    prompts = prompts_for(model)

    def ask(texts: Sequence[str], prompt: str) -> tuple[str, Any]:
        return "/api/embed", {"model": model, "input": [prompt + text for text in texts]}

    def rows(answer: Any) -> list[Any]:
        found: list[Any] = answer["embeddings"]
        return found

    return Wire(
        query=lambda text: ask([text], prompts.query),
        documents=lambda texts: ask(texts, prompts.document),
        query_rows=rows,
        document_rows=rows,
    )
