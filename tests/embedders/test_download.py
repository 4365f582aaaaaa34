"""`hf:` addresses: downloaded once, resumed, found again without a network, explained when offline."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from embedders.tiny_gguf import DIMS, write_tiny_bert

ADDRESS = "hf:someone/tiny-GGUF/tiny-bert.gguf"


class Hub:
    """Serves one model file as huggingface.co does; the first download may be cut short."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.cut_after: int | None = None
        self.ranges: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self._start(200, len(hub.data))

            def do_GET(self) -> None:
                if not self.path.endswith("/resolve/main/tiny-bert.gguf"):
                    self._start(404, 0)
                    return
                span = self.headers.get("range", "")
                hub.ranges.append(span)
                first = int(span.removeprefix("bytes=").split("-")[0]) if span else 0
                rest = hub.data[first:]
                if span:
                    where = f"bytes {first}-{len(hub.data) - 1}/{len(hub.data)}"
                    self._start(206, len(rest), where)
                else:
                    self._start(200, len(rest))
                cut, hub.cut_after = hub.cut_after, None
                self.wfile.write(rest[:cut])

            def _start(self, status: int, length: int, where: str = "") -> None:
                self.send_response(status)
                self.send_header("content-length", str(length))
                self.send_header("etag", f'"{hashlib.sha256(hub.data).hexdigest()}"')
                self.send_header("x-repo-commit", "a" * 40)
                if where:
                    self.send_header("content-range", where)
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    # Large enough that a part of it is on disk when the connection breaks.
    data = write_tiny_bert(tmp_path / "tiny-bert.gguf").read_bytes() + bytes(12 << 20)
    made = Hub(data)
    yield made
    made.close()


def try_model(tmp_path: Path, url: str, address: str = ADDRESS) -> subprocess.CompletedProcess[str]:
    search = {"provider": "local", "local": {"modelPath": address}}
    config = tmp_path / "config.json5"
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": search}}}))
    environ = {
        **os.environ,
        "HF_ENDPOINT": url,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DOWNLOAD_TIMEOUT": "2",
        "HF_HUB_ETAG_TIMEOUT": "2",
    }
    command = [sys.executable, "-m", "memdown.cli", "providers", "test", "--config", str(config)]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_a_model_is_downloaded_once(tmp_path: Path, hub: Hub, own_state: Path) -> None:
    first = try_model(tmp_path, hub.url)
    assert first.returncode == 0, first.stderr
    assert f"local works: tiny-bert, {DIMS} dimensions" in first.stdout
    assert len(list((own_state / "models").rglob("tiny-bert.gguf"))) == 1
    second = try_model(tmp_path, "http://127.0.0.1:9")
    assert second.returncode == 0, second.stderr
    assert len(hub.ranges) == 1


def test_an_interrupted_download_goes_on(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after = 11 << 20
    tried = try_model(tmp_path, hub.url)
    if tried.returncode != 0:
        assert "cannot be downloaded" in tried.stderr
        tried = try_model(tmp_path, hub.url)
    assert tried.returncode == 0, tried.stderr
    assert hub.ranges[-1].startswith("bytes=")


def test_without_a_network_the_sentence_says_what_to_do(tmp_path: Path) -> None:
    done = try_model(tmp_path, "http://127.0.0.1:9")
    assert done.returncode == 2
    assert f"The model {ADDRESS} is not on this machine and cannot be downloaded" in done.stderr
    assert "connect to the internet once" in done.stderr
    assert "Traceback" not in done.stderr
