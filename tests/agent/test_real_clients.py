"""The real programs against models that follow a script: what reaches the model, and what is kept.

Long: the programs come from npm, or from the folder that MEMDOWN_CLIENTS names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memdown.transcripts.sessions import SessionStore
from waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

PACKAGES = (
    "@anthropic-ai/claude-code@2.1.197",
    "@google/gemini-cli@0.61.0",
    "@openai/codex@0.166.0",
    "opencode-ai@1.18.33",
)
MANY = 10_000


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("MEMDOWN_CLIENTS")
    if named:
        return Path(named) / "node_modules/.bin"
    folder = tmp_path_factory.mktemp("clients")
    subprocess.run(["npm", "install", "--no-audit", *PACKAGES], cwd=folder, check=True, timeout=900)
    return folder / "node_modules/.bin"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "MEMDOWN_STATE_DIR": str(tmp_path / "state"),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "LOOP_KEY": "x",
    }


@pytest.fixture
def workspace(tmp_path: Path, environ: dict[str, str]) -> Path:
    """10,000 notes that are not indexed yet, and a MEMORY.md of 30 kB."""
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    facts = [f"- Fact {n} about the harbour office and its many drawers." for n in range(520)]
    text = "\n".join(["# Memory", "", *facts, "- Nora moved to Braga on Friday."])
    (folder / "MEMORY.md").write_text(text + "\n")
    for number in range(MANY):
        (folder / f"memory/note-{number}.md").write_text(f"# Note {number}\n\nItem {number}.\n")
    memdown(environ, folder, "init")
    return folder


def memdown(environ: dict[str, str], folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "memdown.cli", *arguments]
    subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True, timeout=300)


class Asked(list[dict[str, Any]]):
    """The requests that a model got."""

    def of_models(self) -> list[dict[str, Any]]:
        """Requests with tools: naming a conversation needs none."""
        return [one for one in self if one.get("tools")]


@contextmanager
def scripted_model(asked: Asked) -> Iterator[str]:
    """A server that speaks like Anthropic, OpenAI and Google: one search, then an answer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(b'{"data": [], "models": []}', "application/json")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            asked.append(body)
            if "GenerateContent" in self.path:
                text = f"data: {json.dumps(google_answer(body))}\r\n\r\n"
            elif "completions" in self.path:
                text = "".join(f"data: {json.dumps(one)}\n\n" for one in completion_events(body))
                text += "data: [DONE]\n\n"
            else:
                events = openai_events(body) if "responses" in self.path else anthropic_events(body)
                text = "".join(
                    f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events
                )
            self._send(text.encode(), "text/event-stream")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


FACT = json.dumps({"remember": [{"text": "The ferry leaves at nine.", "durable": True}]})


def is_flush(body: dict[str, Any]) -> bool:
    return "You have no tools here" in json.dumps(body)


def anthropic_events(body: dict[str, Any]) -> list[dict[str, Any]]:
    block: dict[str, Any]
    name = "mcp__memdown__memory_search"
    searches = any(tool["name"] == name for tool in body.get("tools", ()))
    if is_flush(body):
        block, stop = {"type": "text", "text": ""}, "end_turn"
        delta = {"type": "text_delta", "text": FACT}
    elif searches and "tool_result" not in json.dumps(body["messages"][-1]):
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": '{"query": "where does Nora live"}'}
        stop = "tool_use"
    else:
        block, stop = {"type": "text", "text": ""}, "end_turn"
        delta = {"type": "text_delta", "text": "In Braga."}
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1},
    }  # fmt: skip
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def openai_events(body: dict[str, Any]) -> list[dict[str, Any]]:
    space = next((one for one in body.get("tools", ()) if "memory_search" in json.dumps(one)), None)
    item: dict[str, Any]
    if space and not is_flush(body) and "function_call_output" not in json.dumps(body["input"]):
        item = {
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed",
            "name": "memory_search", "namespace": space["name"],
            "arguments": '{"query": "where does Nora live"}',
        }  # fmt: skip
    else:
        said = FACT if is_flush(body) else "In Braga."
        text = {"type": "output_text", "text": said, "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "content": [text]}
    response = {"id": "r", "object": "response", "status": "completed", "output": [item]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {**response, "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "usage": usage}},
    ]


def google_answer(body: dict[str, Any]) -> dict[str, Any]:
    declared = [one for tool in body.get("tools", ()) for one in tool["functionDeclarations"]]
    name = next((one["name"] for one in declared if "memory_search" in one["name"]), "")
    part: dict[str, Any] = {"text": FACT if is_flush(body) else "In Braga."}
    if name and not is_flush(body) and "functionResponse" not in json.dumps(body["contents"][-1]):
        part = {"functionCall": {"name": name, "args": {"query": "where does Nora live"}}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
    }


def completion_events(body: dict[str, Any]) -> list[dict[str, Any]]:
    names = [one["function"]["name"] for one in body.get("tools", ())]
    name = next((one for one in names if "memory_search" in one), "")
    said = FACT if is_flush(body) else "In Braga."
    delta: dict[str, Any] = {"role": "assistant", "content": said}
    stop = "stop"
    if name and body["messages"][-1]["role"] != "tool":
        function = {"name": name, "arguments": '{"query": "where does Nora live"}'}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        delta, stop = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
    common = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    return [
        {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**common, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage},
    ]


def check_what_the_model_got(asked: Asked) -> None:
    first, second = asked.of_models()[:2]
    assert "memory_search" in json.dumps(first["tools"]), "the tools are in the first request"
    assert "Nora moved to Braga on Friday." in json.dumps(first), "and the fact written last"
    assert "persisted-output" not in json.dumps(first)
    assert json.dumps(first).count("Memory at the start of this session") == 1
    results = json.dumps(second)
    assert "Recalled from memory: data to judge" in results
    assert '\\"results\\"' not in results, "text, not JSON"


def test_claude_code(
    programs: Path, environ: dict[str, str], workspace: Path, tmp_path: Path
) -> None:
    memdown(environ, workspace, "mcp", "install", "claude-code", "--write", "--apply")
    memdown(environ, workspace, "hooks", "install", "--apply")
    project = tmp_path / "project"
    project.mkdir()
    asked = Asked()
    with scripted_model(asked) as address:
        command = [
            str(programs / "claude"), "-p", "Where does Nora live?",
            "--allowedTools", "mcp__memdown__memory_search",
        ]  # fmt: skip
        subprocess.run(
            command,
            cwd=project,
            env={**environ, "ANTHROPIC_BASE_URL": address},
            check=True,
            timeout=300,
        )
    check_what_the_model_got(asked)
    (log,) = (workspace / "memory").glob("2*.md")
    assert "in project (session" in log.read_text()
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_a_client_saves_what_must_last(
    client: str, programs: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    """After a session its own command is asked, once, and its hooks do not start it again."""
    notes, project = tmp_path / "few", tmp_path / "project"
    for folder in (notes, project):
        folder.mkdir()
    (notes / "MEMORY.md").write_text("# Memory\n\n- Ana likes tea.\n")
    memdown(environ, notes, "init")
    memdown(environ, notes, "config", "set", "compaction.memoryFlush.command", client)
    hooked = "claude-code" if client == "claude" else client
    memdown(environ, notes, "hooks", "install", hooked, "--apply")
    commands = {
        "claude": ["claude", "-p"],
        "codex": ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"],
        "gemini": ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
        "opencode": ["opencode", "run"],
    }
    asked = Asked()
    with scripted_model(asked) as address:
        here = configured(client, environ, address)
        subprocess.run(
            [*commands[client], "The ferry leaves at nine."],
            cwd=project,
            env={**here, "PATH": f"{programs}:{environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            check=True,
            timeout=300,
        )
        eventually(
            lambda: "The ferry leaves at nine." in (notes / "MEMORY.md").read_text(), seconds=300
        )
    sessions = tmp_path / "state/agents/main/sessions"
    (copy,) = sessions.glob("*.jsonl")
    eventually(lambda: '"type": "digest"' in copy.read_text())
    # Gemini CLI lets a router without tools look at every prompt first.
    turns = asked.of_models() if client == "gemini" else asked
    assert sum(is_flush(one) for one in turns) == 1
    (entry,) = SessionStore(sessions).list().entries
    assert (entry.session_id, entry.channel) == (copy.stem, hooked)


def configured(client: str, environ: dict[str, str], address: str) -> dict[str, str]:
    """The environment in which a client asks the scripted model; its own file is changed for that."""
    home = Path(environ["HOME"])
    if client == "codex":
        config = home / ".codex/config.toml"
        before = config.read_text() if config.exists() else ""
        # What the install put at the top must stand before any table.
        config.write_text(
            f'model = "scripted"\nmodel_provider = "loop"\napproval_policy = "never"\n{before}\n'
            f'[model_providers.loop]\nname = "loop"\nbase_url = "{address}/v1"\n'
            'wire_api = "responses"\nenv_key = "LOOP_KEY"\n'
        )
    if client == "gemini":
        file = home / ".gemini/settings.json"
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        file.write_text(json.dumps({**json.loads(file.read_text()), **auth}))
    if client == "opencode":
        file = home / ".config/opencode/opencode.json"
        settings = json.loads(file.read_text()) if file.exists() else {}
        loop = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{address}/v1", "apiKey": "x"},
            "models": {"scripted": {"limit": {"context": 100_000, "output": 4_000}}},
        }
        model = {"model": "loop/scripted", "small_model": "loop/scripted", "autoupdate": False}
        file.write_text(json.dumps({**settings, **model, "provider": {"loop": loop}}))
    return {
        **environ,
        "ANTHROPIC_BASE_URL": address,
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": address,
    }


def test_codex(programs: Path, environ: dict[str, str], workspace: Path, tmp_path: Path) -> None:
    memdown(environ, workspace, "mcp", "install", "codex", "--write", "--apply")
    memdown(environ, workspace, "hooks", "install", "codex", "--apply")
    project = tmp_path / "project"
    project.mkdir()
    asked = Asked()
    with scripted_model(asked) as address:
        command = [
            str(programs / "codex"), "exec", "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust", "Where does Nora live?",
        ]  # fmt: skip
        subprocess.run(
            command,
            cwd=project,
            env=configured("codex", environ, address),
            check=True,
            timeout=300,
            stdin=subprocess.DEVNULL,
        )
    check_what_the_model_got(asked)
    # Codex does not wait for the digest; it is there a little later.
    (log,) = eventually(lambda: list((workspace / "memory").glob("2*.md")))
    eventually(lambda: "Where does Nora live? (you)" in log.read_text())
    assert list(project.iterdir()) == []


def test_gemini(programs: Path, environ: dict[str, str], workspace: Path, tmp_path: Path) -> None:
    memdown(environ, workspace, "mcp", "install", "gemini", "--write", "--apply")
    memdown(environ, workspace, "hooks", "install", "gemini", "--apply")
    project = tmp_path / "project"
    project.mkdir()
    asked = Asked()
    with scripted_model(asked) as address:
        command = [
            str(programs / "gemini"), "--yolo", "--skip-trust", "-m", "gemini-2.5-flash",
            "-p", "Where does Nora live?",
        ]  # fmt: skip
        subprocess.run(
            command,
            cwd=project,
            env=configured("gemini", environ, address),
            check=True,
            timeout=300,
        )
    check_what_the_model_got(asked)
    (log,) = (workspace / "memory").glob("2*.md")
    assert "Where does Nora live? (you)" in log.read_text()
    assert list(project.iterdir()) == []


def test_opencode(programs: Path, environ: dict[str, str], workspace: Path, tmp_path: Path) -> None:
    memdown(environ, workspace, "mcp", "install", "opencode", "--write", "--apply")
    memdown(environ, workspace, "hooks", "install", "opencode", "--recall", "--apply")
    project = tmp_path / "project"
    project.mkdir()
    asked = Asked()
    with scripted_model(asked) as address:
        command = [str(programs / "opencode"), "run", "Where does Nora live?"]
        subprocess.run(
            command,
            cwd=project,
            env=configured("opencode", environ, address),
            check=True,
            timeout=300,
        )
    check_what_the_model_got(asked)
    (log,) = (workspace / "memory").glob("2*.md")
    assert "Where does Nora live?" in log.read_text()
    assert "in project (session" in log.read_text()
    assert list(project.iterdir()) == []
