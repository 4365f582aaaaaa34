"""`memdown sessions`, `import` and `redact` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from imports import fixtures
from memdown.cli import run
from memdown.transcripts.sessions import SessionStore, StoredMessage
from transcripts.talking import CONFIG, said, talk

KEY = "ghp" + "_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def scene(own_state: Path) -> Path:
    talk(
        own_state,
        "kitchen",
        said("user", "Which paint for the kitchen?"),
        "broken\n",
        said("assistant", f"Sage green. The key is {KEY}."),
        said("user", "Thanks."),
    )
    store = SessionStore(own_state / "agents" / "main" / "sessions")
    store.create("chat-1")
    store.append("chat-1", StoredMessage("user", "Hello there"), StoredMessage("assistant", "Hi!"))
    store.create("family", group_id="g1")
    return own_state


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


def test_list_shows_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "sessions", "list")
    assert "transcript  kitchen" in text
    assert "Which paint for the kitchen?" in text
    data = json.loads(out(capsys, "sessions", "list", "--json"))
    found = {one["id"]: one for one in data["sessions"]}
    assert {name: one["kind"] for name, one in found.items()} == {
        "kitchen": "transcript",
        "chat-1": "chat",
        "family": "group",
    }
    assert (found["kitchen"]["messages"], found["kitchen"]["skipped"]) == (3, 1)


def test_show_and_export_hide_secrets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = out(capsys, "sessions", "show", "kitchen")
    assert "Sage green" in text
    assert KEY not in text
    assert "Hello there" in out(capsys, "sessions", "show", "chat-1")
    assert out(capsys, "sessions", "show", "kitchen", "--last", "1").strip() == "User: Thanks."
    file = tmp_path / "kitchen.md"
    out(capsys, "sessions", "export", "kitchen", "-o", str(file))
    assert file.read_text().startswith("# kitchen\n\n## User, 2026-03-01")
    assert KEY not in file.read_text()
    lines = out(capsys, "sessions", "export", "kitchen", "--format", "jsonl").splitlines()
    assert [json.loads(line)["line"] for line in lines] == [1, 3, 4]


def test_search_shows_the_turns_around(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "sessions", "search", "sage GREEN")
    assert "sessions/kitchen.jsonl#L3" in text
    assert ">  Assistant: Sage green." in text
    assert "Thanks." in text
    data = json.loads(out(capsys, "sessions", "search", "sage green", "--json", "--context", "1"))
    assert data["results"][0]["before"][0]["text"] == "Which paint for the kitchen?"
    assert run(["sessions", "search", "no such words"]) == 1


def test_delete_removes_and_the_index_forgets(
    scene: Path, capsys: pytest.CaptureFixture[str], write_notes: Callable[[dict[str, str]], Path]
) -> None:
    (scene / "memdown.json5").write_text(CONFIG)
    folder = str(write_notes({"MEMORY.md": "- note\n"}))
    assert "kitchen" in out(capsys, "search", "kitchen paint", "--min-score", "0", "-w", folder)
    out(capsys, "sessions", "delete", "kitc", "--yes")
    assert run(["search", "kitchen paint", "--source", "sessions", "-w", folder]) == 1
    out(capsys, "sessions", "delete", "chat-1", "--yes")
    assert not (scene / "agents/main/sessions/chats/chat-1.json5").exists()
    assert run(["sessions", "show", "kitchen"]) == 2
    assert "sessions list" in capsys.readouterr().err


def test_a_damaged_session_is_named_and_the_others_are_listed(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (scene / "agents/main/sessions/chats/chat-1.json5").write_text("{ oops")
    assert run(["sessions", "list"]) == 0
    shown = capsys.readouterr()
    assert "kitchen" in shown.out
    assert "chat-1.json5 is damaged" in shown.err


def test_another_agent_has_other_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        json.loads(out(capsys, "sessions", "list", "--agent", "other", "--json"))["sessions"] == []
    )


def test_redact_names_places_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(f"first\nthe key {KEY}\npassword = hunter2\n")
    text = out(capsys, "redact", str(file))
    assert f"{file}:2:9: GitHub token, 40 characters" in text
    assert f"{file}:3:12: password" in text
    assert KEY not in text
    data = json.loads(out(capsys, "redact", str(file), "--json"))
    assert [one["line"] for one in data["secrets"]] == [2, 3]
    assert out(capsys, "redact", str(file), "--text") == (
        "first\nthe key [redacted: GitHub token]\npassword = [redacted: password]\n"
    )
    assert KEY in file.read_text()
    assert run(["redact", str(tmp_path / "none")]) == 2


def test_import_shows_first_and_copies_with_apply(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write_notes: Callable[[dict[str, str]], Path],
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    fixtures.claude_code(home)
    folder = write_notes({"MEMORY.md": "- note\n"})
    text = out(capsys, "import", "claude-code", "-w", str(folder))
    assert "Would copy 3" in text
    assert "Add --apply" in text
    assert not (folder / "memory").exists()
    text = out(capsys, "import", "claude-code", "--apply", "-w", str(folder))
    assert "Copied 3" in text
    assert "experimental.sessionMemory" in text
    again = json.loads(out(capsys, "import", "claude-code", "--json", "-w", str(folder)))
    assert {item["status"] for item in again["items"]} == {"same"}
    assert f"claude-code-{fixtures.SESSION}" in out(capsys, "sessions", "list")
