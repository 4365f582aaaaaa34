"""Voyage AI: tells questions from documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memdown.embedders.endpoints import VENDORS, lets_in
from memdown.embedders.openai import bearer, in_order, missing_key, voyage_jobs
from memdown.embedders.options import Options, Timeouts, Unavailable
from memdown.embedders.remote import RemoteEmbedder, Wire
from memdown.types import Embedder


def create(options: Options) -> Embedder:
    """The embedder for Voyage's address, or for the one in the options."""
    endpoint = options.endpoint
    model = (options.model or VENDORS["voyage"].model).removeprefix("voyage/")
    embedder = RemoteEmbedder(
        "voyage",
        model,
        _wire(model),
        options,
        auth=bearer(endpoint.api_key),
        timeouts=options.timeouts or Timeouts(),
    )
    if endpoint.is_default and not lets_in(endpoint):
        return Unavailable.instead_of(embedder, missing_key("Voyage", "VOYAGE_API_KEY"))
    embedder.jobs = voyage_jobs(embedder, options.jobs)
    return embedder


def _wire(model: str) -> Wire:
    def ask(texts: Sequence[str], kind: str) -> tuple[str, Any]:
        return "/embeddings", {"model": model, "input": list(texts), "input_type": kind}

    return Wire(
        query=lambda text: ask([text], "query"),
        documents=lambda texts: ask(texts, "document"),
        query_rows=in_order,
        document_rows=in_order,
        texts_a_request=512,
    )
