"""Google Gemini: one way to ask for a question, another for documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memdown.embedders import failures
from memdown.embedders.batch_jobs import Jobs, JobState
from memdown.embedders.endpoints import VENDORS, lets_in
from memdown.embedders.http import Call
from memdown.embedders.openai import missing_key
from memdown.embedders.options import JobOptions, Options, Sent, Timeouts, Unavailable, prompts_for
from memdown.embedders.remote import RemoteEmbedder, Wire
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


_NAME = re.compile(r"(?:files|batches)/[A-Za-z0-9._-]+")
_FAILED = ("FAILED", "CANCELLED", "EXPIRED")


def gemini_jobs(embedder: RemoteEmbedder, options: JobOptions) -> Jobs | None:
    """The jobs of a Gemini embedder."""
    if not options.enabled or options.folder is None:
        return None
    names = (embedder.id, embedder.model, embedder.provider_key)
    return Jobs(_Api(embedder), embedder.http, names, options, options.folder)


class _Api:
    """Files and batches, as Gemini has them."""

    def __init__(self, embedder: RemoteEmbedder) -> None:
        self._http = embedder.http
        self._model = embedder.model
        self._base = embedder.http.base_url

    def line(self, digest: str, text: str) -> dict[str, Any]:
        from memdown.embedders.gemini import content

        return {"key": digest, "request": content(self._model, text, "RETRIEVAL_DOCUMENT")}

    def create(self, lines: bytes, load: Sent) -> str:
        place = self._http.place
        begun = self._http.send(
            Call(
                url=f"{self._route('upload')}/files",
                body={"file": {"display_name": "memdown", "mime_type": "application/jsonl"}},
                headers={
                    "x-goog-upload-protocol": "resumable",
                    "x-goog-upload-command": "start",
                    "x-goog-upload-header-content-length": str(len(lines)),
                    "x-goog-upload-header-content-type": "application/jsonl",
                },
            )
        )
        target = begun.headers.get("x-goog-upload-url", "")
        if not target:
            raise failures.odd(place, "no address to upload a batch job to")
        uploaded = self._http.json(
            Call(
                url=target,
                content=lines,
                headers={
                    "x-goog-upload-offset": "0",
                    "x-goog-upload-command": "upload, finalize",
                },
                timeout=600.0,
                load=replace(load, provider=place.provider, host=place.host),
            )
        )
        file = self._name(uploaded.get("file") if isinstance(uploaded, dict) else None)
        batch = {"display_name": "memdown", "input_config": {"file_name": file}}
        path = f"/models/{self._model}:asyncBatchEmbedContent"
        return self._name(self._http.json(Call(path, body={"batch": batch})))

    def look(self, job: str) -> JobState:
        answer = self._http.json(Call(f"/{job}", method="GET"))
        if not isinstance(answer, dict):
            raise failures.odd(self._http.place, "a batch job that is none")
        about = answer.get("metadata") or {}
        state = str(about.get("state", "")).rpartition("_STATE_")[2]
        output = self._output(answer)
        if state in _FAILED or answer.get("error"):
            message = (answer.get("error") or {}).get("message")
            return JobState("failed", output, message or state.lower())
        if answer.get("done") or state == "SUCCEEDED":
            return JobState("done", output)
        return JobState("running")

    def download(self, output: str, into: Path) -> None:
        url = f"{self._route('download')}/{output}:download?alt=media"
        self._http.send(Call(url=url, method="GET", timeout=600.0, into=into))

    def read(self, line: Any) -> tuple[str, Any]:
        return line["key"], line["response"]["embedding"]["values"]

    def cancel(self, job: str) -> None:
        self._http.json(Call(f"/{job}:cancel", body={}))

    def _route(self, kind: str) -> str:
        """Uploads and downloads have the version after them: https://host/upload/v1beta."""
        parts = urlsplit(self._base)
        before, _, version = parts.path.rpartition("/")
        return f"{parts.scheme}://{parts.netloc}{before}/{kind}/{version}"

    def _output(self, answer: dict[str, Any]) -> str | None:
        places = (answer.get("response"), (answer.get("metadata") or {}).get("output"))
        for place in places:
            name = place.get("responsesFile") if isinstance(place, dict) else None
            if isinstance(name, str) and _NAME.fullmatch(name):
                return name
        return None

    def _name(self, answer: Any) -> str:
        name = answer.get("name") if isinstance(answer, dict) else None
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise failures.odd(self._http.place, "a batch job without a name")
        return name
