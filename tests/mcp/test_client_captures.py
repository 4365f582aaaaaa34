"""What real clients send, captured from the programs themselves, and what they must get for it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdown.config import load_settings
from memdown.mcp.service import Service
from memdown.mcp.stdio import serve

SEARCH = {"name": "memory_search", "arguments": {"query": "where does Nora live"}}
# Claude Code 2.1.197, Codex 0.166.0, Gemini CLI 0.61.0, OpenCode 1.18.33.
CAPTURES: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {}, "elicitation": {}},
                "clientInfo": {
                    "name": "claude-code",
                    "title": "Claude Code",
                    "version": "2.1.197",
                    "description": "Anthropic's agentic coding tool",
                    "websiteUrl": "https://claude.com/claude-code",
                },
            },
            "jsonrpc": "2.0",
            "id": 0,
        },
        {"method": "notifications/initialized", "jsonrpc": "2.0"},
        {"method": "tools/list", "jsonrpc": "2.0", "id": 1},
        {"method": "prompts/list", "jsonrpc": "2.0", "id": 2},
        {"method": "resources/list", "jsonrpc": "2.0", "id": 3},
        {
            "method": "tools/call",
            "params": {
                **SEARCH,
                "_meta": {"claudecode/toolUseId": "toolu_1", "progressToken": 4},
            },
            "jsonrpc": "2.0",
            "id": 4,
        },
    ],
    "codex": [
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {
                    "experimental": {"codex/auth-change": {}},
                    "elicitation": {"form": {}, "url": {}},
                },
                "clientInfo": {"name": "codex-mcp-client", "title": "Codex", "version": "0.166.0"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/list",
            "params": {"_meta": {"progressToken": 0}},
        },
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {
                "_meta": {
                    "callId": "call_1",
                    "x-codex-turn-metadata": {"turn_trigger": "exec", "sandbox": "seccomp"},
                    "progressToken": 1,
                },
                **SEARCH,
            },
        },
    ],
    "gemini": [
        {
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"roots": {"listChanged": True}},
                "clientInfo": {"name": "gemini-cli-mcp-client", "version": "0.61.0"},
            },
            "jsonrpc": "2.0",
            "id": 0,
        },
        {"method": "notifications/initialized", "jsonrpc": "2.0"},
        {"method": "prompts/list", "params": {}, "jsonrpc": "2.0", "id": 1},
        {"method": "tools/list", "params": {}, "jsonrpc": "2.0", "id": 2},
        {"method": "resources/list", "params": {}, "jsonrpc": "2.0", "id": 3},
    ],
    "opencode": [
        {
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {}},
                "clientInfo": {"name": "opencode", "version": "1.18.33"},
            },
            "jsonrpc": "2.0",
            "id": 0,
        },
        {"method": "notifications/initialized", "jsonrpc": "2.0"},
        {"method": "tools/list", "jsonrpc": "2.0", "id": 1},
    ],
}


@pytest.mark.parametrize("client", sorted(CAPTURES))
def test_every_request_of_a_real_client_is_answered(
    write_notes: Callable[..., Path], client: str
) -> None:
    folder = write_notes({"MEMORY.md": "# Memory\n\n- Nora lives in Braga.\n"})
    asked = CAPTURES[client]
    reading = io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in asked))
    writing = io.BytesIO()
    serve(Service(load_settings(workspace=folder), write=True), reading, writing)
    messages = [json.loads(line) for line in writing.getvalue().splitlines()]
    answers = {one["id"]: one for one in messages if "id" in one}
    assert sorted(answers) == [one["id"] for one in asked if "id" in one]
    assert all("result" in answer for answer in answers.values())
    assert answers[0]["result"]["protocolVersion"] == asked[0]["params"]["protocolVersion"]
    listed = next(one["id"] for one in asked if one["method"] == "tools/list")
    names = [tool["name"] for tool in answers[listed]["result"]["tools"]]
    assert names[:3] == ["memory_search", "memory_get", "memory_remember"]
    for call in (one for one in asked if one["method"] == "tools/call"):
        result = answers[call["id"]]["result"]
        assert "Nora lives in Braga." in result["content"][0]["text"]
        assert "structuredContent" not in result, "the model would be given that instead"


def test_what_a_client_waits_for_loads_no_notes_and_no_index() -> None:
    """The list of tools must be there before the first request to the model."""
    code = (
        "import memdown.agent.session_start, memdown.mcp.stdio, sys\n"
        "print(*(name for name in ('numpy', 'memdown.notes', 'memdown.opening') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_who_asks_reaches_the_tools_over_the_wire(write_notes: Callable[..., Path]) -> None:
    """A server process, real requests: `_meta` says in which chat, and a group gets no sources."""
    folder = write_notes({"MEMORY.md": "# Memory\n\n- Nora lives in Braga.\n"})
    metas: list[dict[str, Any]] = [
        {},
        {"memdown/chat": "group"},
        {"memdown/sessionKey": "agent:main:telegram:group:12345"},
        {"memdown/sessionKey": "agent:main:main"},
        {"memdown/chat": "nonsense"},
        {"memdown/sessionKey": 7},
    ]
    asked: list[dict[str, Any]] = [
        CAPTURES["opencode"][0],
        CAPTURES["opencode"][1],
        *(
            {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {**SEARCH, "_meta": meta}}
            for n, meta in enumerate(metas, 1)
        ),
    ]
    answers: dict[int, dict[str, Any]] = {}
    with subprocess.Popen(
        [sys.executable, "-m", "memdown.cli", "mcp", "-w", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(one) + "\n" for one in asked))
        server.stdin.flush()
        # A client that closes the pipe wants no more answers; this one does.
        while not answers.keys() >= set(range(1, len(metas) + 1)):
            one = json.loads(server.stdout.readline())
            if "id" in one:
                answers[one["id"]] = one
        server.stdin.close()
    texts = [answers[n]["result"]["content"][0]["text"] for n in range(1, len(metas) + 1)]
    assert all("Nora lives in Braga." in text for text in texts[:4])
    assert ["MEMORY.md" in text for text in texts[:4]] == [True, False, False, True]
    assert "'nonsense' is no kind of chat; use one of direct, group, channel." in texts[4]
    assert "must be text" in texts[5]
