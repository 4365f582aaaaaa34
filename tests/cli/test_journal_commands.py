"""`memdown remember --replaces`, `history`, `diff` and `undo`, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdown.cli import run


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    monkeypatch.setenv("MEMDOWN_STATE_DIR", str(tmp_path / "state"))
    (folder / "MEMORY.md").write_text("# Memory\n\n- Nora lives in Lisbon.\n")
    assert run(["init", str(folder)]) == 0
    monkeypatch.chdir(folder)
    return folder


def test_a_fact_is_replaced_shown_and_taken_back(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (notes / "MEMORY.md").read_bytes()
    assert run(["search", "where does Nora live"]) == 0
    capsys.readouterr()
    assert run(["remember", "Nora lives in Porto now.", "--durable"]) == 0
    asked = capsys.readouterr()
    assert "Does this replace MEMORY.md#L3" in asked.err
    assert run(["remember", "Nora lives in Porto now.", "--replaces", "MEMORY.md:3"]) == 0
    assert "replaced MEMORY.md#L3" in capsys.readouterr().out
    assert "  - ~~Nora lives in Lisbon.~~" in (notes / "MEMORY.md").read_text()

    assert run(["history", "where does Nora live"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Nora lives in Porto now.")
    assert "  was: Nora lives in Lisbon." in shown

    assert run(["diff", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["actor"] == "person"
    assert run(["undo"]) == 0
    assert run(["undo"]) == 0
    assert (notes / "MEMORY.md").read_bytes() == before
    assert run(["undo"]) == 2
    assert "no change in the journal" in capsys.readouterr().err


def test_changes_by_other_programs_are_shown(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["index"])
    (notes / "MEMORY.md").write_text("# Memory\n\n- Nora lives in Braga.\n")
    capsys.readouterr()
    assert run(["history", "MEMORY.md"]) == 0
    shown = capsys.readouterr().out
    assert "outside" in shown
    assert "+ - Nora lives in Braga." in shown
    assert run(["undo", "99"]) == 2
