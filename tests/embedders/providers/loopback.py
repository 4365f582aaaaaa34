"""A server on this machine that speaks every provider's wire format, and misbehaves on demand."""

from __future__ import annotations

import base64
import json
import re
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memdown.testing import HashEmbedder

DIMS = 16
KEY = "sk-loopback-0123456789abcdef"
NOTHING: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Answer:
    """What the server says: `data` is JSON or bytes."""

    data: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Loopback:
    """The server. `misbehave` makes it do one thing wrong, for some requests or for all."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.dims = DIMS
        self.key: str | None = KEY
        self.delay = 0.0
        self.looks_until_done = 2
        self.job_state = "completed"
        self.failing_ids: set[str] = set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.redirect_to = ""
        self.files: dict[str, bytes] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self._faults: list[tuple[str, int, str]] = []
        self._lock = threading.Lock()
        self.released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def do_GET(self) -> None:
                server._serve(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *arguments: object) -> None:
                """Tests read what the client says, not the server's log."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: object, client_address: object) -> None:
                """A client that gave up is part of the game."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def base(self, provider: str) -> str:
        """The base address that a provider would have here."""
        return self.origin + {"gemini": "/v1beta", "ollama": ""}.get(provider, "/v1")

    def misbehave(self, fault: str, times: int = 10**9, only: str = "") -> None:
        """Do something wrong in the next `times` requests whose path holds `only`."""
        self._faults.append((fault, times, only))

    def behave(self) -> None:
        """Do everything right again."""
        self._faults.clear()

    def texts(self) -> list[str]:
        """Every document that was sent for embedding, one by one, in the order of arrival."""
        return [text for seen in self.seen for text in _documents(seen)]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        kind = headers.get("content-type", "")
        body: Any = json.loads(raw) if kind == "application/json" and raw else raw
        seen = Seen(handler.command, handler.path, headers, body)
        with self._lock:
            self.seen.append(seen)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            fault = self._next_fault(seen.path)
        try:
            if self.delay:
                time.sleep(self.delay)
            self._reply(handler, self._answer(seen), fault)
        finally:
            with self._lock:
                self.in_flight -= 1

    def _next_fault(self, path: str) -> str:
        for number, (fault, times, only) in enumerate(self._faults):
            if only in path and times > 0:
                self._faults[number] = (fault, times - 1, only)
                return fault
        return ""

    def _answer(self, seen: Seen) -> Answer:
        given = seen.headers.get("x-goog-api-key") or seen.headers.get("authorization", "")
        if self.key is not None and given.removeprefix("Bearer ") != self.key:
            said = f"Incorrect API key provided: {given.removeprefix('Bearer ')}"
            return Answer({"error": {"message": said, "code": "invalid_api_key"}}, 401)
        for pattern, method, reply in _ROUTES:
            if seen.method == method and (match := re.fullmatch(pattern, seen.path)):
                return reply(self, seen, *match.groups())
        return Answer({"error": {"message": f"no such address: {seen.path}"}}, 404)

    def _reply(self, handler: BaseHTTPRequestHandler, answer: Answer, fault: str) -> None:
        if fault == "hang":
            self.released.wait()
            return
        if fault == "slow":
            time.sleep(0.3)
        answer = _spoil(self, answer, fault)
        data = answer.data if isinstance(answer.data, bytes) else json.dumps(answer.data).encode()
        handler.send_response(answer.status)
        kind = "text/html" if fault == "html" else "application/json"
        for name, value in {"content-type": kind, **answer.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        if fault == "cut":
            handler.wfile.write(data[: len(data) // 2])
            handler.close_connection = True
        else:
            handler.wfile.write(data)
        handler.wfile.flush()

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """Texts that share words are close."""
        rows: list[list[float]] = HashEmbedder(self.dims).embed_batch(texts).tolist()
        return rows


def _documents(seen: Seen) -> Iterator[str]:
    body = seen.body
    if seen.path.endswith(("/embeddings", "/api/embed")):
        yield from body["input"]
    elif seen.path.endswith(":batchEmbedContents"):
        for request in body["requests"]:
            yield request["content"]["parts"][0]["text"]
    elif seen.path.endswith("/files") and isinstance(body, bytes):
        for line in _multipart(seen)["file"].splitlines():
            held = json.loads(line)["body"]["input"]
            yield from [held] if isinstance(held, str) else held


_ERRORS: dict[str, tuple[int, Any, dict[str, str]]] = {
    "401": (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, {}),
    "403": (403, {"error": {"message": "Country, region, or territory not supported"}}, {}),
    "400": (400, {"error": {"message": "This model's maximum context length is 8192"}}, {}),
    "404": (404, {"error": {"message": "The model `nope` does not exist"}}, {}),
    "429": (429, {"error": {"message": "Rate limit reached for requests"}}, {}),
    "429-after": (429, {"error": {"message": "Slow down"}}, {"retry-after": "0.2"}),
    "429-later": (429, {"error": {"message": "Slow down"}}, {"retry-after": "3600"}),
    "429-minute": (
        429,
        {
            "error": {
                "code": 429,
                "message": "Resource has been exhausted (e.g. check quota).",
                "status": "RESOURCE_EXHAUSTED",
            }
        },
        {},
    ),
    "429-told": (
        429,
        {"error": {"message": "Rate limit reached for tokens. Please try again in 200ms."}},
        {},
    ),
    "429-info": (
        429,
        {
            "error": {
                "message": "You exceeded your current quota, please check your plan and billing.",
                "details": [
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.2s"}
                ],
            }
        },
        {},
    ),
    "quota": (429, {"error": {"message": "You exceeded your current quota", "code": "x"}}, {}),
    "500": (500, {"error": {"message": "The server had an error"}}, {}),
    "503": (503, b"<html><body>Service Unavailable</body></html>", {}),
    "html": (200, b"<!doctype html><title>Log in</title>", {}),
    "key-400": (400, {"error": {"message": "API key not valid.", "status": "INVALID"}}, {}),
}


def _spoil(server: Loopback, answer: Answer, fault: str) -> Answer:
    if fault in _ERRORS:
        status, data, headers = _ERRORS[fault]
        return Answer(data, status, headers)
    if fault == "redirect":
        return Answer({}, 307, {"location": server.redirect_to})
    if fault == "cut_json":
        whole = json.dumps(answer.data).encode()
        return Answer(whole[: len(whole) // 2])
    change = _CHANGES.get(fault)
    if change is None:
        return answer
    data = dict(answer.data)
    if "embedding" in data:
        data["embedding"] = {"values": change([data["embedding"]["values"]])[0]}
    elif "data" in data:
        items = [dict(item) for item in data["data"]]
        if fault == "reordered":
            items.reverse()
        elif fault == "duplicate":
            items = [{**item, "index": 0} for item in items]
        else:
            rows = change([item["embedding"] for item in items])
            items = [
                {"object": "embedding", "index": number, "embedding": row}
                for number, row in enumerate(rows)
            ]
        data["data"] = items
    elif data.get("embeddings") and isinstance(data["embeddings"][0], dict):
        rows = change([item["values"] for item in data["embeddings"]])
        data["embeddings"] = [{"values": row} for row in rows]
    elif "embeddings" in data:
        data["embeddings"] = change(data["embeddings"])
    return Answer(data, answer.status, answer.headers)


_CHANGES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "reordered": lambda rows: rows,
    "duplicate": lambda rows: rows,
    "wrong_count": lambda rows: rows[:-1] if len(rows) > 1 else rows * 2,
    "wrong_dims": lambda rows: [row[:-3] for row in rows],
    "uneven": lambda rows: [row[: len(row) - number % 2] for number, row in enumerate(rows)],
    "nan": lambda rows: [[float("nan")] * len(row) for row in rows],
    "zeros": lambda rows: [[0.0] * len(row) for row in rows],
    "one_zero": lambda rows: [[0.0] * len(rows[0]), *rows[1:]],
    "words": lambda rows: [["many", "words"] for _ in rows],
}


def _openai(server: Loopback, seen: Seen) -> Answer:
    texts = seen.body["input"]
    if isinstance(texts, str):
        texts = [texts]
    rows: list[Any] = list(server.vectors(texts))
    if seen.body.get("encoding_format") == "base64":
        rows = [base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode() for row in rows]
    items = [
        {"object": "embedding", "index": number, "embedding": row}
        for number, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Answer({"object": "list", "data": items, "model": seen.body["model"], "usage": usage})


def _gemini_query(server: Loopback, seen: Seen, model: str) -> Answer:
    assert seen.body["model"] == f"models/{model}"
    text = seen.body["content"]["parts"][0]["text"]
    return Answer({"embedding": {"values": server.vectors([text])[0]}})


def _gemini_documents(server: Loopback, seen: Seen, model: str) -> Answer:
    texts = [one["content"]["parts"][0]["text"] for one in seen.body["requests"]]
    assert all(one["model"] == f"models/{model}" for one in seen.body["requests"])
    return Answer({"embeddings": [{"values": row} for row in server.vectors(texts)]})


def _ollama(server: Loopback, seen: Seen) -> Answer:
    return Answer({"model": seen.body["model"], "embeddings": server.vectors(seen.body["input"])})


def _multipart(seen: Seen) -> dict[str, bytes]:
    head = f"content-type: {seen.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser().parsebytes(head + seen.body)
    parts: dict[str, bytes] = {}
    for part in message.get_payload():
        assert not isinstance(part, str)
        name = part.get_param("name", header="content-disposition")
        parts[str(name)] = part.get_payload(decode=True)  # type: ignore[assignment]
    return parts


def _upload(server: Loopback, seen: Seen) -> Answer:
    parts = _multipart(seen)
    assert parts["purpose"] == b"batch"
    return Answer({"id": _keep(server, "file", parts["file"]), "object": "file"})


def _keep(server: Loopback, kind: str, data: bytes) -> str:
    with server._lock:
        name = f"{kind}-{len(server.files) + 1}"
        server.files[name] = data
    return name


def _create_batch(server: Loopback, seen: Seen) -> Answer:
    assert seen.body["endpoint"] == "/v1/embeddings"
    with server._lock:
        name = f"batch-{len(server.jobs) + 1}"
        server.jobs[name] = {**seen.body, "looks": 0}
    return Answer({"id": name, "object": "batch", "status": "validating"})


def _look_at_batch(server: Loopback, seen: Seen, name: str) -> Answer:
    job = server.jobs.get(name)
    if job is None:
        return Answer({"error": {"message": f"No batch found with id '{name}'"}}, 404)
    job["looks"] += 1
    status = "in_progress"
    output = None
    if job.get("cancelled"):
        status = "cancelled"
    elif job["looks"] > server.looks_until_done:
        status = server.job_state
    if status in ("completed", "cancelled"):
        output = _keep(server, "output", _batch_output(server, job))
    errors = {"data": [{"message": "The file is not valid"}]} if status == "failed" else None
    return Answer({"id": name, "status": status, "output_file_id": output, "errors": errors})


def _batch_output(server: Loopback, job: dict[str, Any]) -> bytes:
    lines = []
    for raw in server.files[job["input_file_id"]].splitlines():
        line = json.loads(raw)
        request = {**job.get("request_params", {}), **line["body"]}
        seen = Seen("POST", "/v1/embeddings", {}, request)
        status = 200
        body = _openai(server, seen).data
        if line["custom_id"] in server.failing_ids or "fail me" in json.dumps(request["input"]):
            status, body = 500, {"error": {"message": "sorry"}}
        response = {"status_code": status, "request_id": "r", "body": body}
        lines.append(
            {"id": "l", "custom_id": line["custom_id"], "response": response, "error": None}
        )
    lines.reverse()
    return "\n".join(json.dumps(line) for line in lines).encode()


def _cancel_batch(server: Loopback, seen: Seen, name: str) -> Answer:
    server.jobs[name]["cancelled"] = True
    return Answer({"id": name, "status": "cancelling"})


def _content(server: Loopback, seen: Seen, name: str) -> Answer:
    return Answer(server.files[name])


def _gemini_start(server: Loopback, seen: Seen) -> Answer:
    assert seen.headers["x-goog-upload-protocol"] == "resumable"
    assert seen.headers["x-goog-upload-command"] == "start"
    target = f"{server.origin}/upload/v1beta/files?upload_id=7"
    return Answer({}, headers={"x-goog-upload-url": target})


def _gemini_upload(server: Loopback, seen: Seen) -> Answer:
    assert seen.headers["x-goog-upload-command"] == "upload, finalize"
    name = _keep(server, "up", seen.body)
    return Answer({"file": {"name": f"files/{name}", "mimeType": "application/jsonl"}})


def _gemini_create(server: Loopback, seen: Seen, model: str) -> Answer:
    file = seen.body["batch"]["input_config"]["file_name"].removeprefix("files/")
    with server._lock:
        name = f"g{len(server.jobs) + 1}"
        server.jobs[name] = {"input": file, "model": model, "looks": 0}
    about = {"@type": "type.googleapis.com/…EmbedContentBatch", "state": "BATCH_STATE_PENDING"}
    return Answer({"name": f"batches/{name}", "metadata": about})


def _gemini_look(server: Loopback, seen: Seen, name: str) -> Answer:
    job = server.jobs[name]
    job["looks"] += 1
    if job["looks"] <= server.looks_until_done:
        about = {"state": "BATCH_STATE_RUNNING"}
        return Answer({"name": f"batches/{name}", "metadata": about, "done": False})
    if server.job_state == "failed":
        about = {"state": "BATCH_STATE_FAILED"}
        error = {"code": 3, "message": "bad file"}
        return Answer({"name": f"batches/{name}", "metadata": about, "done": True, "error": error})
    lines = []
    for raw in server.files[job["input"]].splitlines():
        line = json.loads(raw)
        text = line["request"]["content"]["parts"][0]["text"]
        if "fail me" in text:
            lines.append({"key": line["key"], "error": {"code": 13, "message": "sorry"}})
            continue
        embedding = {"values": server.vectors([text])[0]}
        lines.append({"key": line["key"], "response": {"embedding": embedding}})
    output = "\n".join(json.dumps(line) for line in lines).encode()
    file = f"files/{_keep(server, 'result', output)}"
    success = {"state": "BATCH_STATE_SUCCEEDED", "output": {"responsesFile": file}}
    response = {"responsesFile": file}
    return Answer(
        {"name": f"batches/{name}", "metadata": success, "done": True, "response": response}
    )


_ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    (r"/v1/embeddings", "POST", _openai),
    (r"/v1beta/models/([\w.-]+):embedContent", "POST", _gemini_query),
    (r"/v1beta/models/([\w.-]+):batchEmbedContents", "POST", _gemini_documents),
    (r"/api/embed", "POST", _ollama),
    (r"/v1/files", "POST", _upload),
    (r"/v1/batches", "POST", _create_batch),
    (r"/v1/batches/([\w-]+)", "GET", _look_at_batch),
    (r"/v1/batches/([\w-]+)/cancel", "POST", _cancel_batch),
    (r"/v1/files/([\w-]+)/content", "GET", _content),
    (r"/upload/v1beta/files", "POST", _gemini_start),
    (r"/upload/v1beta/files\?upload_id=7", "POST", _gemini_upload),
    (r"/v1beta/models/([\w.-]+):asyncBatchEmbedContent", "POST", _gemini_create),
    (r"/v1beta/batches/([\w-]+)", "GET", _gemini_look),
    (r"/v1beta/batches/([\w-]+):cancel", "POST", _cancel_batch),
    (r"/download/v1beta/files/([\w-]+):download\?alt=media", "GET", _content),
)
