"""A secret is not written into notes without a warning, whichever way it comes."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.scripted import ScriptedModel
from memdown import Memory, SecretFound
from memdown.agent import memory_remember, run_flush, run_tool
from memdown.agent.turns import Message, Reply, ToolCall
from memdown.doctor import Subject, examine

TOKEN = "ghp" + "_" + "a1B2c3D4e5F6" * 3
PASSWORD = "Xk9" + "!fooBar7"


@pytest.fixture
def memory(write_notes: Callable[..., Path], open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(write_notes({"MEMORY.md": "# Memory\n\n- Ana prefers tea.\n"}))


def written(memory: Memory) -> str:
    return "".join(path.read_text() for path in memory.settings.workspace.rglob("*.md"))


def command(memory: Memory, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    place = ("-w", str(memory.settings.workspace))
    return subprocess.run(
        [sys.executable, "-m", "memdown.cli", *arguments, *place],
        capture_output=True,
        text=True,
        input=text,
        check=False,
    )


def test_remember_refuses_a_secret_and_names_its_kind_only(memory: Memory) -> None:
    with pytest.raises(SecretFound) as refused:
        memory.remember(f"The deploy key:\n{TOKEN}", durable=True)
    assert "a GitHub token (line 2)" in str(refused.value)
    assert "allow_secrets=True" in str(refused.value)
    assert TOKEN not in str(refused.value)
    assert TOKEN not in written(memory)


def test_it_is_written_if_the_caller_says_so(memory: Memory) -> None:
    memory.remember(f"password: {PASSWORD}", allow_secrets=True)
    assert PASSWORD in written(memory)


def test_an_edit_is_refused_only_for_a_secret_that_is_new(memory: Memory) -> None:
    """Who has a secret in a note already must be able to edit the rest, and to take it out."""
    with pytest.raises(SecretFound):
        memory.notebook.edit("memory/a.md", f"password: {PASSWORD}\n", base=None)
    first = memory.notebook.edit(
        "memory/a.md", f"password: {PASSWORD}\n", base=None, allow_secrets=True
    )
    second = memory.notebook.edit(
        "memory/a.md", f"# A\n\npassword: {PASSWORD}\n", base=first.version
    )
    with pytest.raises(SecretFound, match="GitHub token"):
        memory.notebook.edit("memory/a.md", f"password: {PASSWORD}\n{TOKEN}\n", base=second.version)
    assert memory.notebook.edit("memory/a.md", "# A\n", base=second.version).text == "# A\n"


def test_the_command_warns_and_writes_nothing(memory: Memory) -> None:
    for given, text in (((f"token {TOKEN}",), ""), (("-",), f"token {TOKEN}\n")):
        refused = command(memory, "remember", *given, text=text)
        assert refused.returncode == 1
        assert "looks like a GitHub token" in refused.stderr
        assert "--allow-secret" in refused.stderr
        assert TOKEN not in refused.stdout + refused.stderr + written(memory)
    allowed = command(memory, "remember", "--allow-secret", f"token {TOKEN}")
    assert allowed.returncode == 0
    assert TOKEN in written(memory)


def test_a_model_is_told_what_to_do_instead(memory: Memory) -> None:
    result = run_tool(memory, "memory_remember", {"text": f"pass: {PASSWORD}"}, write=True)
    assert result.is_error
    assert "where it is kept" in result.data["error"]
    assert PASSWORD not in result.text + written(memory)
    assert memory_remember(memory, f"pass: {PASSWORD}", allow_secrets=True)["path"]


def test_a_flush_loses_nothing_and_keeps_no_secret(memory: Memory) -> None:
    """A refusal there would cost the fact beside the secret: nobody is asked again."""
    call = ToolCall("1", "memory_remember", f'{{"text": "Db is db1, password: {PASSWORD}"}}')
    result = run_flush(
        memory, ScriptedModel(Reply("", (call,)), Reply("NO_REPLY")), [Message("user", "hi")]
    )
    assert result.done
    day = datetime.date.today().isoformat()
    assert "Db is db1, password: [redacted: password]" in memory.get(f"memory/{day}.md").text


def test_the_doctor_lists_them_without_showing_them(memory: Memory) -> None:
    subject = Subject(memory.settings, memory)
    assert [one.finding for one in examine(subject) if one.name == "Secrets"] == [
        "no note holds what looks like a secret"
    ]
    memory.notebook.edit("memory/a.md", f"# A\n\n{TOKEN}\n", base=None, allow_secrets=True)
    memory.notebook.edit("memory/b.md", f"pw: {PASSWORD}\n" * 30, base=None, allow_secrets=True)
    found = [one for one in examine(subject) if one.name == "Secrets"]
    assert {one.verdict for one in found} == {"warning"}
    assert found[0].finding == "memory/a.md, line 3, looks as if it holds a secret: GitHub token"
    assert found[-1].finding == "11 more places in the notes look like secrets"
    assert TOKEN not in str(found)
    assert PASSWORD not in str(found)
