"""What is private is made so whatever the umask, and what others could have written is refused."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from commands import in_turn
from forked import Forked
from memdown.cli import run
from memdown.config import load_settings
from memdown.errors import UnsafePlace
from memdown.files import check_place, make_folder, replace_file

OTHERS = stat.S_IRWXG | stat.S_IRWXO
NOBODY = 65534


def modes(top: Path) -> dict[str, str]:
    """What other users may do at and below a folder; nothing is the rule."""
    return {
        str(path.relative_to(top.parent)): f"{stat.S_IMODE(path.lstat().st_mode):o}"
        for path in (top, *top.rglob("*"))
        if not path.is_symlink() and path.lstat().st_mode & OTHERS
    }


FIRST_COMMANDS = {
    "init": [["init", ".memdown/workspace"], ["remember", "x"], ["remember", "--durable", "y"]],
    "remember": [["init", ".memdown/workspace"], ["remember", "x"], ["search", "x"]],
    "hook": [["hook", "session-end"], ["hook", "session-start"]],
    "sessions": [["sessions", "list"], ["status"], ["doctor"]],
    "mcp": [["mcp", "install", "claude-code"], ["config", "show"]],
}


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o002])
@pytest.mark.parametrize("name", FIRST_COMMANDS)
def test_the_first_commands_make_only_private_files(tmp_path: Path, name: str, umask: int) -> None:
    """On a shared machine the umask lets others in, and a diary is nobody else's business."""
    talk = tmp_path / "talk.jsonl"
    said = [
        {"role": role, "content": "We decided to use the ER605 router."}
        for role in ("user", "assistant")
    ]
    talk.write_text(
        "".join(json.dumps({"type": one["role"], "message": one}) + "\n" for one in said)
    )
    event = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "transcript_path": str(talk)})
    environ = {key: value for key, value in os.environ.items() if key != "MEMDOWN_STATE_DIR"}
    home = tmp_path / "home"
    home.mkdir()
    printed = tmp_path / "printed"
    process = Forked(
        in_turn,
        *(FIRST_COMMANDS[name], event, home, umask),
        output=printed,
        environ={**environ, "HOME": str(home)},
    )
    assert process.wait() == 0, printed.read_text()
    state = home / ".memdown"
    assert not state.exists() or modes(state) == {}
    if name in ("init", "hook"):
        assert any(state.rglob("*.md" if name == "init" else "*.jsonl"))


def test_a_workspace_elsewhere_follows_the_umask(tmp_path: Path) -> None:
    """It may be a folder that a team shares."""
    before = os.umask(0o022)
    try:
        assert run(["init", str(tmp_path / "team")]) == 0
        assert run(["remember", "x", "--workspace", str(tmp_path / "team")]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "team").stat().st_mode) == 0o755
    for note in (tmp_path / "team").rglob("*.md"):
        assert stat.S_IMODE(note.stat().st_mode) == 0o644


def test_every_folder_on_the_way_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_folder(tmp_path / "a/b/c")
        make_folder(tmp_path / "a/b/c")
    finally:
        os.umask(before)
    assert modes(tmp_path / "a") == {}
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        make_folder(tmp_path / "file/b")


@pytest.mark.parametrize("name", [".", "memdown.json5"])
@pytest.mark.parametrize("mode", [0o777, 0o602])
def test_what_others_may_write_is_not_obeyed(own_state: Path, name: str, mode: int) -> None:
    """Its `extensionPath` would run code of theirs as this user."""
    (own_state / "memdown.json5").write_text("{}")
    (own_state / name).chmod(mode | 0o100)
    with pytest.raises(UnsafePlace, match="can be written by other users"):
        load_settings(workspace=own_state)


@pytest.mark.parametrize("name", [".", "memdown.json5"])
def test_what_another_user_owns_is_not_obeyed(
    own_state: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_state / "memdown.json5").write_text("{}")
    if os.geteuid() == 0:
        os.chown(own_state / name, NOBODY, NOBODY)
    else:
        # Only root can give a file away; for anyone else it is the reader who is another.
        monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with pytest.raises(UnsafePlace, match="belongs to another user"):
        load_settings(workspace=own_state)


def test_the_group_of_one_user_alone_is_no_other(tmp_path: Path) -> None:
    """With a umask of 002, which many systems set, a user's own files are writable by it."""
    file = tmp_path / "memdown.json5"
    file.write_text("{}")
    file.chmod(0o664)
    check_place(file)
    check_place(tmp_path / "missing")


def test_doctor_tells_of_open_files_and_mends_them(
    own_state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Older versions made them so."""
    assert run(["init", str(tmp_path / "ws")]) == 0
    old = own_state / "agents/main"
    old.mkdir(parents=True)
    (old / "sessions.json").write_text("{}")
    for path in (own_state, old.parent, old, old / "sessions.json"):
        path.chmod(0o755)
    capsys.readouterr()
    run(["doctor", "--workspace", str(tmp_path / "ws")])
    assert "can be read by other users" in capsys.readouterr().out
    run(["doctor", "--fix", "--workspace", str(tmp_path / "ws")])
    assert modes(own_state) == {}


def test_doctor_mends_a_state_folder_that_everybody_may_write(
    own_state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_state.chmod(0o777)
    assert run(["init", str(tmp_path / "ws")]) == 2
    assert "memdown doctor --fix" in capsys.readouterr().err
    (tmp_path / "ws/memory").mkdir(parents=True)
    assert run(["doctor", "--workspace", str(tmp_path / "ws")]) == 1
    run(["doctor", "--fix", "--workspace", str(tmp_path / "ws")])
    assert modes(own_state) == {}
    assert run(["init", str(tmp_path / "ws")]) == 0


def test_a_file_that_changed_since_is_not_replaced(tmp_path: Path) -> None:
    """Whoever read it and writes it anew must not take back what came meanwhile."""
    file = tmp_path / "log.jsonl"
    file.write_text("one\n")
    file.chmod(0o640)
    before = file.stat()
    file.write_text("one\ntwo\n")
    assert not replace_file(file, b"1\n", since=before)
    assert file.read_text() == "one\ntwo\n"
    assert replace_file(file, b"1\n2\n", since=file.stat(), mtime_ns=5, durable=False)
    assert (file.read_text(), file.stat().st_mtime_ns) == ("1\n2\n", 5)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["log.jsonl"]
