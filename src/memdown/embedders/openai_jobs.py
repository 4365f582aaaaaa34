"""Batch jobs of OpenAI, and of Voyage, which differ in two places."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memdown.embedders import failures
from memdown.embedders.batch_jobs import Jobs, Look
from memdown.embedders.http import Call, Http
from memdown.embedders.options import JobOptions, Sent

if TYPE_CHECKING:
    from memdown.embedders.remote import RemoteEmbedder

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

    def look(self, job: str) -> Look:
        answer = self._http.json(Call(f"/batches/{job}", method="GET"))
        status = self._text(answer, "status")
        if status not in _OVER:
            return Look("running")
        output = answer.get("output_file_id")
        if _OVER[status] == "done":
            return Look("done", output)
        return Look("failed", output, _reason(answer, status))

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
