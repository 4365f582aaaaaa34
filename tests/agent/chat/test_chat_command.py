"""`memdown chat` as a person uses it."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.chat.loopback import Say, loopback
from memdown.cli import run


@pytest.fixture
def folder(write_notes: Callable[..., Path]) -> Path:
    return write_notes({"MEMORY.md": "# Memory\n\n- The router is an ER-605.\n"})


def test_one_question(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with loopback(lambda body: Say("An ER-605.")) as place:
        arguments = ["chat", "Which router?", "--model", "scripted", "-w", str(folder)]
        assert run([*arguments, "--base-url", f"{place.url}/v1"]) == 0
    assert capsys.readouterr().out == "An ER-605.\n"


def test_a_conversation_with_commands(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = "Hello\n\n/status\n/memory\n/memory router\n/new\n/what\n/quit\nnot read\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with loopback(lambda body: Say("Hello yourself.")) as place:
        arguments = ["chat", "--model", "scripted", "-w", str(folder)]
        assert run([*arguments, "--base-url", f"{place.url}/v1"]) == 0
        assert len(place.asked) == 1
    out = capsys.readouterr().out
    for words in (
        "Hello yourself.",
        "of 128000 tokens",
        "Workspace:",
        "ER-605",
        "New session",
        "/quit",
    ):
        assert words in out


def test_the_last_session_goes_on(folder: Path) -> None:
    with loopback(lambda body: Say("Yes.")) as place:
        arguments = ["--model", "scripted", "-w", str(folder), "--base-url", f"{place.url}/v1"]
        run(["chat", "I am Ana.", *arguments])
        run(["chat", "Who am I?", "--resume", *arguments])
        run(["chat", "Who am I?", *arguments])
        seen = ["I am Ana." in str(body["messages"]) for body in place.asked]
    assert seen == [True, True, False]


def test_without_a_key_it_says_what_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chat", "Hi", "--model", "m", "-w", str(folder)]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err


def test_an_endpoint_error_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with loopback(lambda body: Say(status=401, error="who are you")) as place:
        arguments = ["chat", "Hi", "--model", "m", "-w", str(folder)]
        assert run([*arguments, "--base-url", f"{place.url}/v1"]) == 1
    assert "refused the key" in capsys.readouterr().err


def test_each_agent_goes_on_with_its_own_session(folder: Path) -> None:
    """No agent sees another's conversations."""
    with loopback(lambda body: Say("Yes.")) as place:
        arguments = ["--model", "scripted", "-w", str(folder), "--base-url", f"{place.url}/v1"]
        run(["chat", "I am Ana.", *arguments])
        run(["chat", "Who am I?", "--resume", "--agent", "other", *arguments])
        run(["chat", "Who am I?", "--resume", *arguments])
        seen = ["I am Ana." in str(body["messages"]) for body in place.asked]
    assert seen == [True, False, True]


def test_deleting_a_session_leaves_nothing_of_it(
    folder: Path, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with loopback(lambda body: Say("Noted.")) as place:
        arguments = ["--model", "scripted", "-w", str(folder), "--base-url", f"{place.url}/v1"]
        run(["chat", "The vault is behind the mirror.", *arguments])
    capsys.readouterr()
    assert run(["sessions", "list", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["sessions"]
    assert run(["sessions", "delete", one["id"], "--yes"]) == 0
    kept = [path for path in own_state.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"behind the mirror" in path.read_bytes()]


def test_a_group_has_one_session_that_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another group and the owner alone have sessions of their own, and only the owner MEMORY.md."""

    def say(text: str, *more: str) -> str:
        assert run(["chat", text, *options, *more]) == 0
        return json.dumps(place.asked[-1])

    with loopback(lambda body: Say("Yes.")) as place:
        options = ["--model", "scripted", "-w", str(folder), "--base-url", f"{place.url}/v1"]
        alone = say("The safe is behind the clock.")
        assert "ER-605" in alone
        monkeypatch.setenv("MEMDOWN_SESSION_KEY", "agent:main:telegram:group:-100")
        first = say("Pizza at eight.")
        assert "ER-605" not in first
        assert "Pizza at eight." in say("And drinks?"), "the same session"
        resumed = say("Who comes?", "--resume")
        assert "And drinks?" in resumed
        assert "behind the clock" not in resumed
        monkeypatch.setenv("MEMDOWN_SESSION_KEY", "agent:main:discord:channel:77")
        assert "Pizza" not in say("Release on Friday.", "--resume")
        monkeypatch.delenv("MEMDOWN_SESSION_KEY")
        monkeypatch.setenv("MEMDOWN_CHAT", "group")
        assert "ER-605" not in say("A group without a name.")
        monkeypatch.delenv("MEMDOWN_CHAT")
        assert "behind the clock" in say("Where is the key?", "--resume")
    capsys.readouterr()
    assert run(["sessions", "list", "-w", str(folder), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["sessions"]
    held = {(one["chat"], one["sessionKey"], one["messages"]) for one in listed}
    assert held == {
        ("direct", None, 4),
        ("group", "agent:main:telegram:group:-100", 6),
        ("channel", "agent:main:discord:channel:77", 2),
        ("group", "agent:main:terminal:group", 2),
    }
    group = next(one["id"] for one in listed if one["messages"] == 6)
    assert run(["sessions", "list", "-w", str(folder)]) == 0
    assert "group " in capsys.readouterr().out
    assert run(["sessions", "delete", group, "--yes", "-w", str(folder)]) == 0
    assert not list(Path(os.environ["MEMDOWN_STATE_DIR"]).rglob(f"*{group}*"))
    assert not list(Path(os.environ["MEMDOWN_STATE_DIR"]).rglob("groups/*100*"))
