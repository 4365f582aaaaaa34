"""The doctor finds what is wrong, says what to do, and mends what can safely be mended."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown import Memory
from memdown.cli import run as cli
from memdown.config import load_settings
from memdown.doctor import Check, Subject, examine, mend
from memdown.doctor.checks import provider
from memdown.testing import HashEmbedder

WriteNotes = Callable[[dict[str, str]], Path]
LINE = "The router in the hall is a blue TP-Link ER605 with six ports and a fan."


@pytest.fixture
def folder(write_notes: WriteNotes) -> Path:
    return write_notes({"MEMORY.md": f"# Memory\n\n{LINE}\n", "memory/tea.md": "Ana likes tea.\n"})


@pytest.fixture
def subject(folder: Path, open_memory: Callable[..., Memory]) -> Subject:
    memory = open_memory(folder)
    memory.sync()
    return Subject(memory.settings, memory)


def findings(subject: Subject) -> list[Check]:
    return [check for check in examine(subject) if check.verdict != "ok"]


def index_of(subject: Subject) -> Path:
    assert subject.settings is not None
    return subject.settings.store.path


def test_nothing_is_wrong(subject: Subject) -> None:
    assert findings(subject) == []
    names = {check.name for check in examine(subject)}
    assert names >= {
        *("Python", "SQLite", "SQLite libraries", "FTS5", "Checksums", "Vectors", "Configuration"),
        *("Workspace", "State folder", "Provider", "Lock", "Index", "Freshness", "Search"),
    }


def test_a_memory_that_no_session_gets_whole_is_told(subject: Subject, folder: Path) -> None:
    facts = "".join(f"- Fact {number} about the harbour office.\n" for number in range(400))
    (folder / "MEMORY.md").write_text(f"# Memory\n\n{LINE}\n\n{facts}")
    (told,) = [one for one in findings(subject) if one.name == "Session start"]
    assert "a session starts with 9,500 at most" in told.finding
    assert told.advice.startswith("memdown review")


def test_a_short_note_is_searched_for_too(
    write_notes: WriteNotes, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(write_notes({"MEMORY.md": "Ana likes tea.\n"}))
    memory.sync()
    checks = {check.name: check for check in examine(Subject(memory.settings, memory))}
    assert checks["Search"].finding == "finds MEMORY.md"


def test_drift_is_found_and_mended(subject: Subject, folder: Path) -> None:
    (folder / "memory/new.md").write_text("Something new.\n")
    (check,) = findings(subject)
    assert check.finding == "1 file differs from the index"
    assert mend([check]) == [(check, None)]
    assert findings(subject) == []


def test_a_damaged_index_is_found_and_replaced(subject: Subject) -> None:
    index = index_of(subject)
    assert subject.memory is not None
    assert subject.settings is not None
    subject.memory.close()
    data = bytearray(index.read_bytes())
    data[len(data) // 2] ^= 4
    index.write_bytes(data)
    memory = Memory.from_settings(subject.settings, embedder=HashEmbedder())
    with memory:
        again = Subject(memory.settings, memory)
        wrong = [check for check in findings(again) if check.name == "Index"]
        assert len(wrong) == 1
        assert "damaged" in wrong[0].finding
        assert mend(wrong) == [(wrong[0], None)]
        assert [check.name for check in findings(again)] == ["Leftovers"]
        mend(findings(again))
        assert findings(again) == []


def test_an_index_that_others_can_read(subject: Subject) -> None:
    index_of(subject).chmod(0o644)
    (check,) = findings(subject)
    assert check.name == "Permissions"
    assert f"chmod -R go-rwx {index_of(subject)}" in check.advice
    mend([check])
    assert stat.S_IMODE(index_of(subject).stat().st_mode) == 0o600


def test_a_lock_that_is_held_names_its_holder(subject: Subject) -> None:
    assert subject.memory is not None
    with subject.memory.index.store.writing(1.0):
        (check,) = findings(subject)
    assert check.name == "Lock"
    if sys.platform == "linux":
        assert f"process {os.getpid()}" in check.finding


def test_notes_that_cannot_be_used_are_named(subject: Subject, folder: Path) -> None:
    (folder / "memory/link.md").symlink_to(folder / "MEMORY.md")
    (check,) = findings(subject)
    assert "symbolic link" in check.finding


def test_a_provider_that_does_not_answer(folder: Path, open_memory: Callable[..., Memory]) -> None:
    from memdown.errors import Unreachable

    class Down(HashEmbedder):
        def embed_query(self, text: str):  # type: ignore[no-untyped-def]
            raise Unreachable("No connection to the provider could be made.")

    memory = open_memory(folder, Down())
    memory.sync()
    wrong = findings(Subject(memory.settings, memory))
    assert [check.name for check in wrong] == ["Provider"]
    assert wrong[0].verdict == "error"


def test_the_command_advises_and_fixes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["doctor", "-w", str(folder)]) == 0
    first = capsys.readouterr().out
    assert "2 files differ from the index" in first
    assert "memdown doctor --fix" in first
    assert cli(["doctor", "-w", str(folder), "--fix"]) == 0
    assert "Everything is fine." in capsys.readouterr().out
    assert cli(["doctor", "-w", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert {check["verdict"] for check in told["checks"]} == {"ok"}


def test_a_wrong_configuration_is_a_finding(folder: Path, tmp_path: Path) -> None:
    """By a process of its own: nothing but the findings may be seen."""
    config = tmp_path / "bad.json5"
    config.write_text("{agents: {defaults: {memorySearch: {provder: 'openai'}}}}")
    done = subprocess.run(
        [sys.executable, "-m", "memdown.cli", "doctor", "-w", folder, "--config", config],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "✗ Configuration" in done.stdout
    assert "provider" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_missing_workspace_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(["doctor", "-w", str(tmp_path / "nowhere")]) == 1
    assert "does not exist" in capsys.readouterr().out


@pytest.fixture(scope="module")
def with_granite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One memory for all languages: the model takes seconds to load."""
    top = tmp_path_factory.mktemp("granite")
    (top / "workspace/memory").mkdir(parents=True)
    config = top / "memdown.json5"
    config.write_text(
        '{agents: {defaults: {memorySearch: {provider: "better", model: "granite"}}}}'
    )
    environ = {"MEMDOWN_STATE_DIR": str(top / "state")}
    settings = load_settings(workspace=top / "workspace", config=config, environ=environ)
    with Memory.from_settings(settings) as memory:
        yield memory


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Der Router steht im Flur, und die Katze schläft auf dem Drucker.", "warning"),
        ("ルーターは廊下にあります。猫はプリンターの上で寝ます。", "warning"),
        ("The router is in the hall, and the cat sleeps on the printer.", "ok"),
        ("ER605, 10.0.0.1", "ok"),
    ],
)
def test_a_model_for_english_is_warned_of_where_notes_are_not(
    with_granite: Memory, text: str, verdict: str
) -> None:
    folder = with_granite.settings.workspace
    (folder / "MEMORY.md").write_text(f"{text}\n")
    (folder / "memory/a.md").write_text(f"# 2026\n\n{text}\n")
    (check,) = provider(Subject(with_granite.settings, with_granite))
    assert check.verdict == verdict, check.finding


@pytest.mark.parametrize(
    ("keys", "name", "advice"),
    [
        ('provider: "opneai"', "Configuration", "correct the configuration, then run memdown"),
        (
            'store: {driver: "shelf"}',
            "Configuration",
            "correct the configuration, then run memdown",
        ),
    ],
)
def test_what_keeps_a_memory_shut_gets_advice_that_fits(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    keys: str,
    name: str,
    advice: str,
) -> None:
    config = tmp_path / "memdown.json5"
    config.write_text(f"{{agents: {{defaults: {{memorySearch: {{{keys}}}}}}}}}")
    assert cli(["doctor", "-w", str(folder), "--config", str(config), "--json"]) == 1
    first = json.loads(capsys.readouterr().out)["checks"][0]
    assert (first["name"], first["verdict"]) == (name, "error")
    assert first["advice"].startswith(advice)
