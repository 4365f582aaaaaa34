"""The examples in examples/agents run as they are, against an endpoint on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.chat.loopback import Body, Say, loopback

EXAMPLES = Path(__file__).parents[2] / "examples"


def remembers(body: Body) -> Say:
    """Looks the router up and answers with what it found."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return Say("A TP-Link." if "home-network.md" in json.dumps(last) else "I found nothing.")
    assert {tool["function"]["name"] for tool in body["tools"]} == {"memory_search", "memory_get"}
    return Say(calls=(("memory_search", {"query": "which router do we use at home?"}),))


def run_example(name: str, folder: Path) -> str:
    """The key is for the chat alone: notes are not to be embedded with it."""
    config = folder / "memdown.json5"
    config.write_text('{agents: {defaults: {memorySearch: {provider: "bundled"}}}}')
    with loopback(remembers) as place:
        environ = {
            **os.environ,
            "OPENAI_BASE_URL": f"{place.url}/v1",
            "OPENAI_API_KEY": "for-tests",
            "MEMDOWN_CONFIG": str(config),
            "MODEL": "scripted",
            "WORKSPACE": str(EXAMPLES / "workspace"),
        }
        result = subprocess.run(
            [sys.executable, str(EXAMPLES / "agents" / name), "Which router do we use at home?"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        assert any("call memory_search" in json.dumps(body) for body in place.asked)
    return result.stdout.strip()


def test_plain_http(tmp_path: Path) -> None:
    assert run_example("plain_http.py", tmp_path) == "A TP-Link."


@pytest.mark.long
@pytest.mark.parametrize("name", ["openai_agents.py", "langgraph_agent.py", "pydantic_ai_agent.py"])
def test_frameworks(name: str, tmp_path: Path) -> None:
    """Needs the extra `examples`, which `make test-long` installs."""
    assert run_example(name, tmp_path) == "A TP-Link."
