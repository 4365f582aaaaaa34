"""What a hostile or clumsy peer sends: the server answers, stays up, and says nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from mcp_case import TOKEN, command, http_thread
from memdown import http_server as connections
from memdown.errors import ConfigError
from memdown.mcp import http
from memdown.mcp.http import find_token

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": 99, "method": "ping"}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def folder(write_notes: Callable[..., Path]) -> Path:
    return write_notes({"MEMORY.md": "# Memory\n\nThe router is an ER-605.\n"})


BAD_LINES = [
    "not json at all",
    "{",
    "[]",
    "null",
    '{"jsonrpc": "1.0", "id": 5, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 5, "method": "no/such/method"}',
    '{"jsonrpc": "2.0", "id": 5, "method": "tools/call"}',
    '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": 7}}',
    '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x", "arguments": []}}',
    '{"jsonrpc": "2.0", "id": 5, "method": "resources/list", "params": {"cursor": 12}}',
    '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}}',
    '{"jsonrpc": "2.0", "id": 5, "result": {}}',
    "\x00\x01",
    "[" * 10_000,
]


class Wire:
    """A server over its bare pipes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            command(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, line: str | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line if isinstance(line, str) else json.dumps(line)}\n")
        self.process.stdin.flush()

    def answer_to(self, request_id: int) -> dict[str, Any]:
        """Read until this request is answered; every line must be of the protocol."""
        assert self.process.stdout is not None
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == request_id:
                return answer

    def end(self) -> tuple[str, str]:
        out, errors = self.process.communicate()
        assert self.process.returncode == 0, errors
        return out, errors


def test_bad_lines_do_not_end_the_conversation(folder: Path) -> None:
    wire = Wire(folder)
    wire.send(HELLO)
    hello = wire.answer_to(1)["result"]
    assert hello["serverInfo"]["name"] == "memdown"
    assert "memory_search" in hello["instructions"]
    wire.send(READY)
    for number, line in enumerate(BAD_LINES, start=100):
        wire.send(line)
        wire.send({**PING, "id": number})
        assert "result" in wire.answer_to(number), line
    _, errors = wire.end()
    assert "Traceback" not in errors


def test_standard_output_holds_the_protocol_alone(folder: Path) -> None:
    search = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "router"}},
    }
    wire = Wire(folder)
    for message in (HELLO, READY, search):
        wire.send(message)
    assert "result" in wire.answer_to(2)
    out, _ = wire.end()
    assert out == ""


def post(address: str, body: Any = HELLO, **headers: str) -> httpx.Response:
    given = {**ACCEPT, "authorization": f"Bearer {TOKEN}", **headers}
    sent = {name: value for name, value in given.items() if value}
    return httpx.post(address, json=body, headers=sent, timeout=30)


def test_who_may_use_http(folder: Path) -> None:
    with http_thread(folder) as address:
        port = address.split(":")[2].split("/")[0]
        assert post(address).status_code == 200
        assert post(address, origin=f"http://localhost:{port}").status_code == 200
        for headers, status in [
            ({"authorization": ""}, 401),
            ({"authorization": "Bearer wrong"}, 401),
            ({"authorization": f"Basic {TOKEN}"}, 401),
            ({"authorization": f"Bearer {TOKEN}x"}, 401),
            ({"host": "evil.example"}, 421),
            ({"host": f"evil.example:{port}"}, 421),
            ({"host": "127.0.0.1:1"}, 421),
            ({"origin": "https://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"origin": f"http://127.0.0.1:{port}.evil.example"}, 403),
        ]:
            answer = post(address, **headers)
            assert answer.status_code == status, headers
            assert "memdown" not in answer.headers.get("server", "")
        assert httpx.get(address).status_code == 401


def test_bad_bodies_over_http(folder: Path) -> None:
    headers = {**ACCEPT, "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    with http_thread(folder) as address:
        assert address.startswith("http://127.0.0.1:")
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"x" * 5_000_000):
            answer = httpx.post(address, content=body, headers=headers, timeout=30)
            assert 400 <= answer.status_code < 500
        assert post(address).status_code == 200


def test_a_busy_port_is_one_sentence(folder: Path) -> None:
    with http.listen("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
        result = subprocess.run(
            command(folder, "--http", "--port", port), capture_output=True, text=True, check=False
        )
    assert result.returncode == 2
    assert "choose another --port" in result.stderr


def test_the_token_is_made_once_for_the_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMDOWN_MCP_TOKEN", raising=False)
    token, where = find_token(tmp_path / "state")
    assert find_token(tmp_path / "state") == (token, where)
    assert len(token) >= 32
    assert os.stat(where).st_mode & 0o777 == 0o600
    Path(where).write_text("short")
    with pytest.raises(ConfigError, match="no usable token"):
        find_token(tmp_path / "state")
    monkeypatch.setenv("MEMDOWN_MCP_TOKEN", "short")
    with pytest.raises(ConfigError, match="too short"):
        find_token(tmp_path / "state")


def test_slow_clients_and_abandoned_sessions_are_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes memory, and clients that crash never say goodbye; connecting needs no token."""
    monkeypatch.setattr(http, "IDLE_SECONDS", 1.5)
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with http_thread(folder) as address:
        port = int(address.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(b"POST /mcp HTTP/1.1\r\n")
            with contextlib.suppress(ConnectionError):
                assert client.recv(100) == b""
        session = {"mcp-session-id": post(address).headers["mcp-session-id"]}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        assert post(address, READY, **session).status_code == 202
        assert post(address, listing, **session).status_code == 200
        deadline = time.monotonic() + 30
        while post(address, listing, **session).status_code != 404:
            assert time.monotonic() < deadline
            # Each question keeps the session alive, so the pauses are longer than that takes.
            time.sleep(2)
