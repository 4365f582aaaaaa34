"""OpenAI, and everything that speaks like it: OpenRouter, vLLM, LM Studio, a proxy."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from memdown.embedders.endpoints import VENDORS, lets_in
from memdown.embedders.openai_jobs import openai_jobs
from memdown.embedders.options import Options, Timeouts
from memdown.embedders.remote import RemoteEmbedder, Wire
from memdown.embedders.unavailable import Unavailable
from memdown.errors import MissingKey
from memdown.types import Embedder


def create(options: Options) -> Embedder:
    """The embedder for OpenAI's address, or for the one in the options."""
    endpoint = options.endpoint
    model = options.model or VENDORS["openai"].model
    if endpoint.is_default:
        # OpenRouter wants the vendor's name before the model's, OpenAI does not.
        model = model.removeprefix("openai/")
    embedder = RemoteEmbedder(
        "openai",
        model,
        _wire(model, compact=endpoint.is_default),
        options,
        auth=bearer(endpoint.api_key),
        timeouts=options.timeouts or Timeouts(),
    )
    if endpoint.is_default and not lets_in(endpoint):
        return Unavailable.instead_of(embedder, missing_key("OpenAI", "OPENAI_API_KEY"))
    embedder.jobs = openai_jobs(embedder, options.jobs)
    return embedder


def missing_key(vendor: str, variable: str) -> MissingKey:
    """The error for a provider that is asked for without a key."""
    return MissingKey(
        f"No key for {vendor} was found; set {variable} or memorySearch.remote.apiKey, "
        "or set memorySearch.provider to bundled."
    )


def bearer(key: str | None) -> dict[str, str]:
    """The header that carries a key, if there is one."""
    return {"authorization": f"Bearer {key}"} if key else {}


def in_order(answer: Any) -> list[Any]:
    """The vectors of an answer in the order of the texts, whatever order it came in."""
    items = answer["data"]
    if all("index" in item for item in items):
        places = sorted(item["index"] for item in items)
        if places != list(range(len(items))):
            raise ValueError("an index is missing or comes twice")
        items = sorted(items, key=lambda item: item["index"])
    return [numbers(item["embedding"]) for item in items]


def numbers(embedding: Any) -> Any:
    """A vector as numbers; OpenAI sends it as base64 of float32 when asked to."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    return embedding


def _wire(model: str, *, compact: bool) -> Wire:
    # Base64 is a quarter of the size and far quicker to read, but not every server that speaks
    # like OpenAI knows it.
    more = {"encoding_format": "base64"} if compact else {}

    def ask(texts: Sequence[str]) -> tuple[str, Any]:
        return "/embeddings", {"model": model, "input": list(texts), **more}

    return Wire(
        query=lambda text: ask([text]),
        documents=ask,
        query_rows=in_order,
        document_rows=in_order,
        texts_a_request=512,
    )
