"""The reranker: asked over real HTTP, in its wire format; without it, the order stays as it was."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memdown import ConfigError, Memory
from memdown.config import load_settings

Notes = dict[str, str]
NOTES = {f"memory/{name}.md": f"The {name} door opens with the key.\n" for name in "abcdef"}


class Server:
    """Answers `/v1/rerank`: the text that holds `favourite` is best."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.favourite = "e door"
        self.field = "results"
        self.answer: Callable[[list[str]], tuple[int, Any]] = self._good
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.seen.append((self.path, dict(self.headers), body))
                status, data = server.answer(body["documents"])
                raw = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *arguments: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def _good(self, documents: list[str]) -> tuple[int, Any]:
        scored = [
            {"index": n, "relevance_score": 0.9 if self.favourite in text else 0.1}
            for n, text in enumerate(documents)
        ]
        return 200, {self.field: list(reversed(scored))}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., Path]:
    """Writes a configuration with a reranker."""

    def write(**rerank: Any) -> Path:
        file = tmp_path / "config.json5"
        search = {"provider": "none", "query": {"rerank": {"enabled": True, **rerank}}}
        file.write_text(json.dumps({"agents": {"defaults": {"memorySearch": search}}}))
        return file

    return write


def paths(memory: Memory) -> list[str]:
    return [hit.path for hit in memory.search("door key").hits]


@pytest.mark.parametrize("field", ["results", "data"])
def test_it_has_the_last_word(
    server: Server, write_notes: Callable[[Notes], Path], configure: Callable[..., Path], field: str
) -> None:
    """Jina and Cohere answer with `results`, Voyage with `data`; the scores keep their meaning."""
    server.field = field
    config = configure(
        baseUrl=server.base_url, model="tiny", provider="own", apiKey="sk-rerank-key"
    )
    with Memory.open(write_notes(NOTES), config=config) as memory:
        hits = memory.search("door key").hits
    assert hits[0].path == "memory/e.md"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert "reranking" in [move.step for move in hits[0].why.moves]  # type: ignore[union-attr]
    ((path, headers, body),) = server.seen
    assert path == "/v1/rerank"
    assert headers["Authorization"] == "Bearer sk-rerank-key"
    assert (body["model"], body["query"]) == ("tiny", "door key")
    assert len(body["documents"]) == len(NOTES)


def test_it_sees_no_more_than_it_is_given(
    server: Server, write_notes: Callable[[Notes], Path], configure: Callable[..., Path]
) -> None:
    config = configure(baseUrl=server.base_url, model="tiny", provider="own", candidates=2)
    with Memory.open(write_notes(NOTES), config=config) as memory:
        assert len(paths(memory)) == len(NOTES)
    assert len(server.seen[0][2]["documents"]) == 2


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"results": []}),
        (200, {"results": [{"index": 0, "relevance_score": "high"}]}),
        (200, {"error": "no"}),
        (200, []),
        (401, {"error": "key"}),
    ],
)
def test_when_it_fails_the_order_stays_and_the_answer_says_so(
    server: Server,
    write_notes: Callable[[Notes], Path],
    configure: Callable[..., Path],
    answer: tuple[int, Any],
) -> None:
    folder = write_notes(NOTES)
    config = configure(enabled=False)
    with Memory.open(folder, config=config) as memory:
        before = paths(memory)
    server.answer = lambda documents: answer
    config = configure(baseUrl=server.base_url, model="tiny", provider="own")
    with Memory.open(folder, config=config) as memory:
        found = memory.search("door key")
    assert [hit.path for hit in found.hits] == before
    assert any(reason.startswith("not reranked: ") for reason in found.reasons)


def test_a_single_hit_is_not_sent_anywhere(
    server: Server, write_notes: Callable[[Notes], Path], configure: Callable[..., Path]
) -> None:
    config = configure(baseUrl=server.base_url, model="tiny", provider="own")
    notes = {"memory/a.md": "The heron is grey.\n", "memory/b.md": "Bread.\n"}
    with Memory.open(write_notes(notes), config=config) as memory:
        assert len(memory.search("heron").hits) == 1
    assert server.seen == []


def test_off_by_default_nobody_is_asked(
    server: Server, write_notes: Callable[[Notes], Path], configure: Callable[..., Path]
) -> None:
    config = configure(enabled=False, baseUrl=server.base_url, model="tiny", provider="own")
    with Memory.open(write_notes(NOTES), config=config) as memory:
        assert memory.search("door key").hits
    assert server.seen == []


def test_a_known_service_needs_its_key(
    write_notes: Callable[[Notes], Path], configure: Callable[..., Path], monkeypatch: Any
) -> None:
    monkeypatch.delenv("JINA_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="JINA_API_KEY"):
        Memory.open(write_notes(NOTES), config=configure(provider="jina"))


def test_a_key_in_the_environment_goes_to_its_own_host_only(
    server: Server,
    write_notes: Callable[[Notes], Path],
    configure: Callable[..., Path],
    monkeypatch: Any,
) -> None:
    monkeypatch.setenv("JINA_API_KEY", "sk-of-another-host")
    config = configure(provider="jina", baseUrl=server.base_url)
    with Memory.open(write_notes(NOTES), config=config) as memory:
        assert memory.search("door key").hits
    assert "Authorization" not in server.seen[0][1]


def test_an_unknown_service_needs_an_address(
    write_notes: Callable[[Notes], Path], configure: Callable[..., Path]
) -> None:
    with pytest.raises(ConfigError, match="choose from jina, cohere, voyage"):
        Memory.open(write_notes(NOTES), config=configure(provider="nobody"))


class LongestFirst:
    """A reranker of one's own."""

    count = 20

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]


def test_one_of_ones_own(write_notes: Callable[[Notes], Path]) -> None:
    notes = NOTES | {"memory/long.md": "The door of the shed opens with the old brass key.\n"}
    settings = load_settings(workspace=write_notes(notes))
    with Memory.from_settings(settings, reranker=LongestFirst()) as memory:
        assert paths(memory)[0] == "memory/long.md"
