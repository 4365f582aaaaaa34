"""`memdown config get`, `set` and `unset`: checked first, and comments stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdown.cli import run

COMMENTED = """\
// Mine.
{
  agents: {defaults: {memorySearch: {
    provider: 'none', // no vectors
  }}},
}
"""


@pytest.fixture
def file(own_state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return own_state / "memdown.json5"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["config", *arguments]) == code
    captured = capsys.readouterr()
    return (captured.err if code else captured.out).strip()


def test_a_key_is_set_and_read_back(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "get", "query.maxResults") == "6"
    assert str(file) in said(capsys, "set", "query.maxResults", "10")
    assert said(capsys, "get", "query.maxResults") == "10"
    assert said(capsys, "get", "agents.defaults.memorySearch.query.maxResults", "--json") == "10"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "nothing was changed" in said(capsys, "set", "query.maxResults", "10")
    said(capsys, "unset", "query.maxResults")
    assert said(capsys, "get", "query.maxResults") == "6"


def test_comments_survive(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(COMMENTED)
    said(capsys, "set", "sync.watch", "false")
    said(capsys, "set", "provider", "bundled")
    text = file.read_text()
    assert text.startswith("// Mine.\n")
    assert 'provider: "bundled", // no vectors' in text
    assert said(capsys, "get", "sync.watch") == "false"
    assert [path.name for path in file.parent.iterdir()] == ["memdown.json5"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query.maxResult", "3"], "did you mean query.maxResults?"),
        (["frobnicate.everything", "3"], "is not a key that Memdown knows"),
        (["maxResults", "3"], "may be query.maxResults or memory.qmd.limits.maxResults"),
        (["query.maxResults", "many"], "must be a whole number"),
        (["query.maxResults", "-1"], "must be at least 0"),
        (["slots.memory", "non"], 'did you mean "none"?'),
        (["provider", "opnai"], "did you mean 'openai'?"),
        (["extraPaths", "['a'"], "not valid JSON5"),
        (["extraPaths", "a"], "must be a list"),
        (["remote.apiKey", "${NOT_SET_ANYWHERE}"], "NOT_SET_ANYWHERE"),
        (["workspace", "/nowhere/at/all"], "there is no folder"),
        (["workspace", "[]"], "must be the path of a folder"),
        (["query", "3"], "must be an object"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    file.write_text(COMMENTED)
    assert sentence in said(capsys, "set", *arguments, code=2)
    assert file.read_text() == COMMENTED


def test_a_broken_file_is_left_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("{oops")
    assert "memdown.json5" in said(capsys, "set", "query.maxResults", "3", code=2)
    assert file.read_text() == "{oops"


def test_the_default_workspace(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is meant from here, while one in the file is taken from the file."""
    (tmp_path / "notes").mkdir()
    said(capsys, "set", "workspace", "notes")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert said(capsys, "get", "workspace") == str(tmp_path / "notes")


def test_secrets_are_not_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "hunter" not in said(capsys, "set", "remote.apiKey", "hunter-2")
    assert said(capsys, "get", "remote.apiKey") == "set"
    said(capsys, "set", "models.providers.openai.apiKey", "hunter-3")
    assert said(capsys, "get", "models.providers.openai.apiKey") == "set"


def test_another_file_in_strict_json_stays_so(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "openclaw.json"
    other.write_text('{"agents": {"list": [{"id": "main"}]}, "gateway": {"port": 1}}')
    said(capsys, "set", "query.maxResults", "3", "--config", str(other))
    data = json.loads(other.read_text())
    assert data["agents"]["defaults"]["memorySearch"]["query"]["maxResults"] == 3
    assert data["gateway"] == {"port": 1}
    assert not file.exists()


def test_a_link_to_the_file_stays_a_link(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dotfile").write_text("{}")
    file.symlink_to(tmp_path / "dotfile")
    said(capsys, "set", "sync.watch", "false")
    assert file.is_symlink()
    assert "watch" in (tmp_path / "dotfile").read_text()


def test_extra_paths_of_this_workspace_alone(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies outside is not written into the folder, which others may get to see and change."""
    for name in ("notes", "other"):
        (tmp_path / name).mkdir()
        assert run(["init", str(tmp_path / name)]) == 0
    capsys.readouterr()
    (tmp_path / "team").mkdir()
    (tmp_path / "team/plan.md").write_text("# Plan\n\nThe zeppelin starts on Monday.\n")
    monkeypatch.chdir(tmp_path / "notes")
    said(capsys, "set", "--here", "extraPaths", '["docs", "../team"]')
    assert "team" not in (tmp_path / "notes/.memdown.json5").read_text()
    assert not file.exists()
    assert json.loads(said(capsys, "get", "extraPaths")) == ["docs", "../team"]
    assert run(["search", "zeppelin"]) == 0
    assert "team/plan.md" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "other")
    assert json.loads(said(capsys, "get", "extraPaths")) == []
    assert run(["search", "zeppelin"]) == 1
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "notes")
    said(capsys, "set", "--here", "extraPaths", "[]")
    assert json.loads(said(capsys, "get", "extraPaths")) == []


def test_only_harmless_keys_belong_to_one_workspace(
    tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "MEMORY.md").write_text("x")
    assert "cannot be set for one workspace" in said(
        capsys, "set", "--here", "provider", "openai", code=2
    )
    assert "true or false" in said(capsys, "set", "--here", "adopt", "maybe", code=2)
    assert not (tmp_path / ".memdown.json5").exists()
    said(capsys, "set", "--here", "adopt", "true")
    assert "adopt: true" in (tmp_path / ".memdown.json5").read_text()
