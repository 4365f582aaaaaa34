"""`memdown mcp install` and `memdown hooks install`: shown first, then written, then undone."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memdown.agent.client_files import apply_change, parse_json, plan_change
from memdown.agent.hooks.install import installed_commands, settings_file
from memdown.agent.hooks.install import prove as prove_hooks
from memdown.cli import run
from memdown.errors import ConfigError, MemdownError
from memdown.mcp.clients import CLIENTS, installed_command, plan_install, prove


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/MEMORY.md").write_text("# Memory\n\n- Tea.\n")
    monkeypatch.chdir(tmp_path / "notes")
    return folder


def read(file: Path) -> Any:
    text = file.read_text()
    return tomllib.loads(text) if file.suffix == ".toml" else parse_json(text)


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_every_client_has_its_file_and_entry(client: str, home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    change = plan_install(client, workspace=notes)
    assert str(notes) in change.difference()
    assert not any(path.is_file() for path in home.rglob("*"))
    apply_change(change)
    (file,) = [path for path in home.rglob("*") if path.is_file()]
    words, _ = installed_command(client, file)
    assert Path(words[0]).is_absolute()
    assert words[-3:] == ["mcp", "--workspace", str(notes)]
    assert not plan_install(client, workspace=notes).needed
    apply_change(plan_install(client, undo=True))
    assert not file.exists()


def test_an_install_is_shown_made_tried_and_undone(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = str(tmp_path / "notes")
    arguments = ["mcp", "install", "cursor"]
    assert run(arguments) == 0
    shown = capsys.readouterr()
    assert notes in shown.out
    assert "--apply" in shown.err
    assert not any(path.is_file() for path in home.rglob("*"))
    assert run([*arguments, "--apply"]) == 0
    assert f"answers, workspace {notes}, 1 note." in capsys.readouterr().out
    assert run([*arguments, "--apply"]) == 0
    assert "nothing was changed" in capsys.readouterr().out
    assert run([*arguments, "--undo", "--apply"]) == 0
    assert not any(path.is_file() for path in home.rglob("*"))


@pytest.mark.parametrize(
    ("client", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_client_that_was_moved_is_told_where_it_is(
    client: str, variable: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    assert plan_install(client).file == tmp_path / "moved" / file


def test_codex_is_asked_to_wait_for_the_tools(home: Path) -> None:
    """It gives a server one second; what the user set stays, also when ours is taken out."""
    file = home / ".codex/config.toml"
    file.parent.mkdir()
    for before, waits in (
        ('model = "x" # mine\n[projects."/p"]\ntrust_level = "trusted"\n', 10_000),
        ("mcp_optional_startup_grace_ms = 10_000\n", 10_000),
        ("mcp_optional_startup_grace_ms = 1\n", 1),
    ):
        file.write_text(before)
        assert run(["mcp", "install", "codex", "--apply"]) == 0
        assert read(file)["mcp_optional_startup_grace_ms"] == waits
        assert "required" not in read(file)["mcp_servers"]["memdown"], "Codex works without us, too"
        assert run(["mcp", "install", "codex", "--undo", "--apply"]) == 0
        assert file.read_text() == before


@pytest.mark.parametrize(
    ("client", "file", "event", "timeout"),
    [
        ("codex", ".codex/hooks.json", "PreCompact", 30),
        ("gemini", ".gemini/settings.json", "PreCompress", 30_000),
    ],
)
def test_hooks_of_other_clients_are_added_and_leave_the_file_as_it_was(
    home: Path, client: str, file: str, event: str, timeout: int
) -> None:
    place = home / file
    place.parent.mkdir()
    before = '{\n  "theme": "dark", // mine\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n'
    place.write_text(before)
    assert run(["hooks", "install", client, "--recall", "--apply"]) == 0
    assert read(place)["hooks"][event][0]["hooks"][0]["timeout"] == timeout
    commands = installed_commands(place, client)
    assert len(commands) == 5
    assert any("hook session-end --later" in one for one in commands) == (client == "codex")
    assert run(["hooks", "install", client, "--undo", "--apply"]) == 0
    assert place.read_text() == before


@pytest.mark.usefixtures("home")
def test_hooks_follow_a_claude_code_that_was_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert settings_file(project=False) == tmp_path / "moved/settings.json"


def test_the_old_file_is_kept_and_its_rest_stays(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / ".claude.json"
    file.write_text('{\n  "projects": {"/a": {"x": 1}},\n  "mcpServers": {}\n}\n')
    file.chmod(0o640)
    assert run(["mcp", "install", "claude-code", "--apply"]) == 0
    assert '"projects": {"/a": {"x": 1}}' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o640
    (backup,) = home.glob(".claude.json.memdown-*")
    assert '"mcpServers": {}' in backup.read_text()
    assert str(backup) in capsys.readouterr().out


def test_a_file_that_is_no_json_is_left_alone(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / ".cursor/mcp.json"
    file.parent.mkdir()
    file.write_text("{oops")
    assert run(["mcp", "install", "cursor", "--apply"]) == 2
    assert "mcp.json" in capsys.readouterr().err
    assert file.read_text() == "{oops"


def test_a_link_stays_a_link(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    link = home / ".claude.json"
    link.symlink_to(real)
    run(["mcp", "install", "claude-code", "--apply"])
    assert link.is_symlink()
    assert "memdown" in real.read_text()


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("{}")
    change = plan_change(file, lambda text: text + " ")
    file.write_text('{"new": 1}')
    with pytest.raises(ConfigError, match="changed by another program"):
        apply_change(change)
    assert file.read_text() == '{"new": 1}'


def test_for_one_project(home: Path) -> None:
    run(["mcp", "install", "vscode", "--project", "--write", "--apply"])
    entry = read(home.parent / "notes/.vscode/mcp.json")["servers"]["memdown"]
    assert "--write" in entry["args"]
    with pytest.raises(ConfigError, match="no file for a single project"):
        plan_install("windsurf", project=True)


def test_hooks_are_added_beside_others_and_taken_out_again(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / ".claude/settings.json"
    file.parent.mkdir()
    before = {
        "model": "opus",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    }
    file.write_text(json.dumps(before, indent=2) + "\n")
    assert run(["hooks", "install"]) == 0
    assert json.loads(file.read_text()) == before
    assert run(["hooks", "install", "--apply"]) == 0
    hooks = json.loads(file.read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "PreCompact", "Stop", "SessionEnd"}
    notes = home.parent / "notes"
    assert [group["hooks"][0]["command"].split(" hook ")[-1] for group in hooks["Stop"]] == [
        "say done",
        f"stop --workspace {notes}",
    ]
    assert f"Tried once: workspace {notes}, 1 note." in capsys.readouterr().out
    assert [path.name for path in notes.rglob("*")] == ["MEMORY.md"]
    assert run(["hooks", "install", "--apply"]) == 0
    assert json.loads(file.read_text())["hooks"] == hooks
    assert run(["hooks", "install", "--recall", "--apply"]) == 0
    assert "UserPromptSubmit" in json.loads(file.read_text())["hooks"]
    assert run(["hooks", "install", "--undo", "--apply"]) == 0
    assert json.loads(file.read_text()) == before


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (["hooks", "install"], ".claude/settings.json"),
        (["hooks", "install", "opencode"], ".config/opencode/plugins/memdown.js"),
        (["mcp", "install", "codex"], ".codex/config.toml"),
        (["mcp", "install", "opencode"], ".config/opencode/opencode.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_new_file_is_taken_away_again(
    command: list[str], file: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--apply"]) == 0
    assert "workspace" in capsys.readouterr().out
    assert (home / file).is_file()
    assert run([*command, "--undo", "--apply"]) == 0
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert run([*command, "--undo", "--apply"]) == 0


def test_a_plugin_of_somebody_else_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    file = settings_file("opencode", project=False)
    assert file == home / "xdg/opencode/plugins/memdown.js"
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = async () => ({})\n")
    for more in ([], ["--undo"]):
        assert run(["hooks", "install", "opencode", *more, "--apply"]) == 2
        assert "another program made this plugin" in capsys.readouterr().err
    assert "Mine" in file.read_text()


INSTALLS = (["mcp", "install", "cursor"], ["hooks", "install"])


@pytest.mark.parametrize("command", INSTALLS, ids=" ".join)
def test_below_a_workspace_that_one_is_named(
    command: list[str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inner = home.parent / "notes/memory/deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert run([*command, "--apply"]) == 0
    assert f"workspace {home.parent / 'notes'}, 1 note." in capsys.readouterr().out


@pytest.mark.parametrize("command", INSTALLS, ids=" ".join)
def test_without_a_workspace_nothing_is_installed(
    command: list[str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An agent without a memory that looks installed is the worst of all answers."""
    monkeypatch.chdir(home)
    assert run([*command, "--apply"]) == 2
    assert "run `memdown init` in the folder of your notes" in capsys.readouterr().err
    assert not [path for path in home.rglob("*") if path.is_file()]


@pytest.mark.parametrize("command", INSTALLS, ids=" ".join)
def test_a_foreign_checkout_is_not_installed_by_accident(
    command: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = home.parent / "notes"
    (notes / ".git").mkdir()
    assert run([*command, "--apply"]) == 2
    assert "you never made it yours" in capsys.readouterr().err
    assert run(["init"]) == 0
    assert run([*command, "--apply"]) == 0


@pytest.mark.parametrize("command", INSTALLS, ids=" ".join)
def test_by_project_no_workspace_is_named(
    command: list[str], home: Path, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_state / "workspace").mkdir()
    assert run([*command, "--by-project", "--apply"]) == 0
    assert "Tried once" in capsys.readouterr().out
    (file,) = [path for path in home.rglob("*") if path.is_file()]
    assert "--workspace" not in file.read_text()
    assert run([*command, "--by-project", "-w", "."]) == 2


def test_a_server_that_does_not_work_is_told_in_a_sentence(
    home: Path, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The configuration names a provider that is not there: every search would fail."""
    (own_state / "memdown.json5").write_text(
        "{agents: {defaults: {memorySearch: {provider: 'opnai'}}}}"
    )
    assert run(["mcp", "install", "cursor", "--apply"]) == 1
    said = capsys.readouterr()
    assert "it is installed, but it does not work" in said.err
    assert "did you mean 'openai'" in said.err
    assert run(["mcp", "install", "cursor", "--apply", "--json"]) == 1
    assert "opnai" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("import sys; sys.exit(3)", "ended"),
        ("print('hello', flush=True); input()", "not of the protocol"),
        ("import sys\nfor line in sys.stdin: pass", "did not answer in time"),
    ],
)
def test_servers_that_misbehave_are_told(program: str, problem: str) -> None:
    with pytest.raises(MemdownError, match=problem):
        prove([sys.executable, "-c", program], {}, seconds=3)
    with pytest.raises(MemdownError, match="cannot be started"):
        prove(["/nowhere/memdown"], {})


def test_hooks_of_a_workspace_that_cannot_be_used_are_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["hooks", "install", "--apply"]) == 0
    capsys.readouterr()
    notes = home.parent / "notes"
    (notes / ".memdown.json5").write_text("{extraPaths: ['/etc']}")
    file = home / ".claude/settings.json"
    with pytest.raises(MemdownError, match="is not inside this folder"):
        prove_hooks(installed_commands(file))
