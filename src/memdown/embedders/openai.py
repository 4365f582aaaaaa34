"""OpenAI, and everything that speaks like it: OpenRouter, vLLM, LM Studio, a proxy."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from memdown.embedders import failures
from memdown.embedders.batch_jobs import Jobs, JobState
from memdown.embedders.endpoints import VENDORS, lets_in
from memdown.embedders.http import Call, Http
from memdown.embedders.options import JobOptions, Options, Sent, Timeouts, Unavailable
from memdown.embedders.remote import RemoteEmbedder, Wire
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


_OVER = {
    "completed": "done",
    "failed": "failed",
    "expired": "failed",
    "cancelled": "failed",
}


def openai_jobs(embedder: RemoteEmbedder, options: JobOptions) -> Jobs | None:
    """Every line is a whole request of its own."""

    def line(digest: str, text: str) -> dict[str, Any]:
        body = {"model": embedder.model, "input": text, "encoding_format": "base64"}
        return {"custom_id": digest, "method": "POST", "url": "/v1/embeddings", "body": body}

    return _jobs(embedder, options, line, {"completion_window": "24h"})


def voyage_jobs(embedder: RemoteEmbedder, options: JobOptions) -> Jobs | None:
    """Lines hold the texts only; what is asked of them stands in the job."""

    def line(digest: str, text: str) -> dict[str, Any]:
        return {"custom_id": digest, "body": {"input": [text]}}

    params = {"model": embedder.model, "input_type": "document"}
    return _jobs(embedder, options, line, {"completion_window": "12h", "request_params": params})


def _jobs(
    embedder: RemoteEmbedder, options: JobOptions, line: Any, settings: Mapping[str, Any]
) -> Jobs | None:
    if not options.enabled or options.folder is None:
        return None
    names = (embedder.id, embedder.model, embedder.provider_key)
    api = _Api(embedder.http, line, settings)
    return Jobs(api, embedder.http, names, options, options.folder)


class _Api:
    """Files and batches, as both providers have them."""

    def __init__(self, http: Http, line: Any, settings: Mapping[str, Any]) -> None:
        self._http = http
        self.line = line
        self._settings = settings

    def create(self, lines: bytes, load: Sent) -> str:
        place = self._http.place
        file = self._http.json(
            Call(
                "/files",
                data={"purpose": "batch"},
                files={"file": ("memdown.jsonl", lines, "application/jsonl")},
                timeout=600.0,
                load=replace(load, provider=place.provider, host=place.host),
            )
        )
        body = {
            "input_file_id": self._text(file, "id"),
            "endpoint": "/v1/embeddings",
            **self._settings,
        }
        return self._text(self._http.json(Call("/batches", body=body)), "id")

    def look(self, job: str) -> JobState:
        answer = self._http.json(Call(f"/batches/{job}", method="GET"))
        status = self._text(answer, "status")
        if status not in _OVER:
            return JobState("running")
        output = answer.get("output_file_id")
        if _OVER[status] == "done":
            return JobState("done", output)
        return JobState("failed", output, _reason(answer, status))

    def download(self, output: str, into: Path) -> None:
        self._http.send(Call(f"/files/{output}/content", method="GET", timeout=600.0, into=into))

    def read(self, line: Any) -> tuple[str, Any]:
        response = line["response"]
        if response["status_code"] != 200:
            raise ValueError("the request failed")
        (item,) = response["body"]["data"]
        embedding = item["embedding"]
        if isinstance(embedding, str):
            embedding = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        return line["custom_id"], embedding

    def cancel(self, job: str) -> None:
        self._http.json(Call(f"/batches/{job}/cancel", body={}))

    def _text(self, answer: Any, name: str) -> str:
        value = answer.get(name) if isinstance(answer, dict) else None
        if not isinstance(value, str) or "/" in value:
            raise failures.odd(self._http.place, f"a batch job without {name!r}")
        return value


def _reason(answer: Any, status: str) -> str:
    errors = answer.get("errors")
    data = errors.get("data") if isinstance(errors, dict) else errors
    if isinstance(data, list) and data and isinstance(data[0], dict) and data[0].get("message"):
        return f"{status}, {data[0]['message']}"
    return status
