"""Google Gemini: one way to ask for a question, another for documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memdown.embedders.endpoints import VENDORS, lets_in
from memdown.embedders.gemini_jobs import gemini_jobs
from memdown.embedders.openai import missing_key
from memdown.embedders.options import Options, Timeouts
from memdown.embedders.prompts import prompts_for
from memdown.embedders.remote import RemoteEmbedder, Wire
from memdown.embedders.unavailable import Unavailable
from memdown.types import Embedder


def create(options: Options) -> Embedder:
    """The embedder for Google's address, or for the one in the options."""
    endpoint = options.endpoint
    model = options.model or VENDORS["gemini"].model
    for prefix in ("models/", "google/", "gemini/"):
        model = model.removeprefix(prefix)
    embedder = RemoteEmbedder(
        "gemini",
        model,
        _wire(model),
        options,
        auth={"x-goog-api-key": endpoint.api_key} if endpoint.api_key else {},
        timeouts=options.timeouts or Timeouts(),
        variant=prompts_for(model).name,
    )
    if endpoint.is_default and not lets_in(endpoint):
        return Unavailable.instead_of(embedder, missing_key("Gemini", "GEMINI_API_KEY"))
    embedder.jobs = gemini_jobs(embedder, options.jobs)
    return embedder


def content(model: str, text: str, task: str) -> dict[str, Any]:
    """One request for one text, as all of Gemini's ways to ask want it."""
    prompts = prompts_for(model)
    if prompts.name:
        # The second generation of the model takes the task as words before the text.
        said = prompts.query if task == "RETRIEVAL_QUERY" else prompts.document
        return {"model": f"models/{model}", "content": {"parts": [{"text": said + text}]}}
    return {
        "model": f"models/{model}",
        "content": {"parts": [{"text": text}]},
        "taskType": task,
    }


def _wire(model: str) -> Wire:
    def documents(texts: Sequence[str]) -> tuple[str, Any]:
        requests = [content(model, text, "RETRIEVAL_DOCUMENT") for text in texts]
        return f"/models/{model}:batchEmbedContents", {"requests": requests}

    return Wire(
        query=lambda text: (
            f"/models/{model}:embedContent",
            content(model, text, "RETRIEVAL_QUERY"),
        ),
        documents=documents,
        query_rows=lambda answer: [answer["embedding"]["values"]],
        document_rows=lambda answer: [one["values"] for one in answer["embeddings"]],
        texts_a_request=100,
    )
