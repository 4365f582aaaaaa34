"""A GGUF model on this machine, run by llama.cpp in a process of its own.

`hf:` addresses are downloaded once, and resumed.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import json
import logging
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np

from memdown.embedders import local_worker
from memdown.embedders.endpoints import provider_key
from memdown.embedders.options import (
    LOCAL_TIMEOUTS,
    Options,
    Unavailable,
    checked,
    normalised,
    prompts_for,
)
from memdown.errors import BadAnswer, EmbedderError, MissingExtra, ProviderTimeout
from memdown.files import make_folder
from memdown.types import Embedder, Vector, Vectors

DEFAULT = "hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf"
_CONNECT_SECONDS = 5.0
_ADDRESS = re.compile(r"hf:(?://)?([^/@\s]+/[^/@\s]+)(?:@([^/\s]+))?/(\S+\.gguf)")


def model_name(path: str) -> str:
    """The name of a model: its file without folders and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".gguf") or path


def problem_with(path: str) -> EmbedderError | None:
    """What can be told to be wrong with a path before it is used."""
    if path.startswith("hf:"):
        if _ADDRESS.fullmatch(path):
            return None
        return EmbedderError(
            f"memorySearch.local.modelPath is {path!r}, which is not the address of a GGUF file; "
            f"write it like {DEFAULT}."
        )
    if not Path(path).is_file():
        return EmbedderError(
            f"The model file {path} does not exist; correct memorySearch.local.modelPath, "
            "or give it an hf: address to download from."
        )
    return None


def find(path: str, cache_dir: str | None) -> Path:
    """The model's file on this machine; what is not here yet is downloaded, with a progress bar."""
    problem = problem_with(path)
    if problem is not None:
        raise problem
    match = _ADDRESS.fullmatch(path)
    if match is None:
        return Path(path)
    repository, revision, file = match.groups()
    from huggingface_hub import hf_hub_download, try_to_load_from_cache
    from huggingface_hub.constants import ENDPOINT

    # Asked first, because the download looks for a newer version, which needs the network.
    known = try_to_load_from_cache(repository, file, cache_dir=cache_dir, revision=revision)
    if isinstance(known, str):
        return Path(known)
    try:
        if cache_dir is not None:
            make_folder(Path(cache_dir))
        _knock(ENDPOINT)
        return Path(hf_hub_download(repository, file, cache_dir=cache_dir, revision=revision))
    except Exception as error:
        raise EmbedderError(
            f"The model {path} is not on this machine and cannot be downloaded "
            f"({type(error).__name__}); connect to the internet once, or set "
            "memorySearch.local.modelPath to a GGUF file."
        ) from error


def _knock(url: str) -> None:
    """Fail at once without a network; the library would try for half a minute."""
    if any(getproxies().get(kind) for kind in ("https", "http", "all")):
        return
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_SECONDS).close()


log = logging.getLogger("memdown.llama")

_TEXTS_A_CALL = 16
_LOAD_SECONDS = 300.0


def create(options: Options) -> Embedder:
    """The embedder for a model file or an `hf:` address; nothing is loaded or downloaded yet."""
    embedder = LocalEmbedder(options)
    if importlib.util.find_spec("xllamacpp") is None:
        return Unavailable.instead_of(embedder, MissingExtra("The provider 'local'", "local"))
    problem = problem_with(embedder.path)
    return Unavailable.instead_of(embedder, problem) if problem else embedder


class LocalEmbedder:
    """One model in one process, started by the first text and ended with the embedder."""

    id = "local"
    cacheable = True
    instant = False
    text_weight: float | None = None

    def __init__(self, options: Options) -> None:
        self.path = options.model_path or options.model or DEFAULT
        self.model = model_name(self.path)
        self._prompts = prompts_for(self.model)
        self.provider_key = provider_key(self.id, self.model, self.path, {}, self._prompts.name)
        self.dims: int | None = None
        self._cache_dir = options.model_cache_dir
        self._timeouts = options.timeouts or LOCAL_TIMEOUTS
        self._worker: _Worker | None = None
        self._lock = threading.Lock()
        self._closed = False

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        vector: Vector = self._embed([self._prompts.query + text], self._timeouts.query)[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents; a question may come in between."""
        rows = [
            self._embed(
                [self._prompts.document + text for text in texts[first : first + _TEXTS_A_CALL]],
                self._timeouts.batch,
            )
            for first in range(0, len(texts), _TEXTS_A_CALL)
        ]
        if not rows:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        whole = np.concatenate(rows)
        return checked(whole, count=len(texts), dims=self.dims, provider=f"local ({self.model})")

    def close(self) -> None:
        """End the process; a text that is being embedded is given up."""
        self._closed = True
        worker = self._worker
        if worker is not None:
            worker.end()

    def _embed(self, texts: list[str], seconds: float) -> Vectors:
        with self._lock:
            worker = self._running()
            try:
                answer = worker.ask(texts, seconds)
            except EmbedderError:
                # The process may be anywhere now; the next text gets a new one.
                worker.end()
                self._worker = None
                raise
        if "vectors" not in answer:
            raise BadAnswer(f"The model {self.model} failed: {answer.get('error')}.")
        found = [np.frombuffer(base64.b64decode(row), dtype="<f4") for row in answer["vectors"]]
        rows = normalised(np.stack(found))
        rows = checked(
            rows, count=len(texts), dims=self.dims, provider=f"local ({self.model})", zeros=True
        )
        self.dims = rows.shape[1]
        return rows

    def _running(self) -> _Worker:
        if self._closed:
            raise EmbedderError("The local model was stopped because the memory was closed.")
        if self._worker is None:
            self._worker = _Worker(find(self.path, self._cache_dir))
        return self._worker


class _Worker:
    """The process with the model, and the pipes to it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._said: deque[str] = deque(maxlen=5)
        self._process = subprocess.Popen(
            [sys.executable, str(local_worker.__file__), str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Threads that wait for each other in a loop take a second for three words where others use the cores.
            env={"OMP_WAIT_POLICY": "passive", **os.environ},
        )
        assert self._process.stderr is not None  # noqa: S101
        self._listener = threading.Thread(
            target=self._listen, args=(self._process.stderr,), daemon=True
        )
        self._listener.start()
        self._unread = b""
        try:
            self._read(time.monotonic() + _LOAD_SECONDS, "load")
        except EmbedderError:
            self.end()
            raise

    def ask(self, texts: list[str], seconds: float) -> dict[str, Any]:
        """Send texts and wait for the answer."""
        deadline = time.monotonic() + seconds
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(json.dumps(texts).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended("embed") from None
        return self._read(deadline, "embed")

    def end(self) -> None:
        """End the process and close the pipes."""
        self._process.kill()
        self._process.wait()
        self._listener.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _read(self, deadline: float, what: str) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise ProviderTimeout(
                    f"The model in {self._file} took too long to {what}; use a smaller one."
                )
            data = os.read(pipe, 1 << 16)
            if not data:
                raise self._ended(what)
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self, what: str) -> EmbedderError:
        self._listener.join(1.0)
        reason = "; ".join(self._said) or "it said nothing"
        return EmbedderError(
            f"The model in {self._file} could not {what} ({reason}); "
            "download the file again or choose another one."
        )

    def _listen(self, pipe: IO[bytes]) -> None:
        """llama.cpp's own words: for the debug log, and the last errors for our sentence."""
        with contextlib.suppress(OSError, ValueError):
            for raw in pipe:
                line = raw.decode("utf-8", "replace").strip()
                log.debug("%s", line)
                if " E " in line or "rror" in line or "ASSERT" in line:
                    self._said.append(line[:200])
