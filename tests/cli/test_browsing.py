"""`memdown list`, `recent` and `edit`: the notes as files, opened where the answer stands."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown.cli import run

DAY = 86_400
NOTES = {
    "MEMORY.md": "# Memory\n\n- Ana prefers tea.\n",
    "memory/2026-03-01.md": "# First of March\n\n- Rain.\n\n- Planted tomatoes.\n\n",
    "memory/projects/boat.md": "---\ntitle: The boat\n---\n\nQuentin owns it.\n",
}


@pytest.fixture(autouse=True)
def folder(write_notes: Callable[[dict[str, str]], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_notes(NOTES)
    monkeypatch.chdir(folder)
    now = time.time()
    for days, path in enumerate(NOTES):
        os.utime(folder / path, (now - days * 5 * DAY,) * 2)
    return folder


def test_list_has_day_size_path_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(maxsplit=4)[3:] for row in rows] == [
        ["MEMORY.md", "Memory"],
        ["memory/2026-03-01.md", "First of March"],
        ["memory/projects/boat.md", "The boat"],
    ]
    assert rows[1].startswith("2026-03-01")


@pytest.mark.parametrize(
    "name", ["memory/projects", "memory/projects/", "./memory/projects", "{folder}/memory/projects"]
)
def test_list_of_one_folder(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", name.format(folder=folder), "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note["path"] == "memory/projects/boat.md"
    assert (note["title"], note["date"], note["bytes"]) == (
        "The boat",
        None,
        len(NOTES["memory/projects/boat.md"]),
    )


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "memory/none"]) == 1
    assert capsys.readouterr().err == "There are no notes in memory/none.\n"


def test_a_note_that_cannot_be_read_stops_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "memory/latin.md").write_bytes(b"L\xf6we")
    assert run(["list"]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    assert "memory/latin.md is not UTF-8" in said.err


def test_recent_shows_the_newest_first_with_their_last_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["recent"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].endswith("MEMORY.md:1-3   Memory")
    assert rows[1:3] == ["   # Memory", "   - Ana prefers tea."]
    assert rows[3].endswith("memory/2026-03-01.md:3-5   First of March")
    assert rows[4:] == ["   - Rain.", "   - Planted tomatoes."]


def test_recent_can_look_further_back_and_show_less(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recent", "--days", "30", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["notes"]) == 3
    assert run(["recent", "--days", "30", "-n", "2"]) == 0
    assert capsys.readouterr().err == "1 more note changed; -n 3 shows them.\n"
    assert run(["recent", "memory/projects"]) == 1
    assert capsys.readouterr().err == "No note has changed in the last 7 days.\n"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that writes down what it was told to open."""
    program = tmp_path / "bin/vim"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/opened\n')
    program.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{program} -n")
    return tmp_path / "opened"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["memory/2026-03-01.md:5"], 5),
        (["memory/2026-03-01.md#L5-L5"], 5),
        (["memory/2026-03-01.md"], 1),
        (["planted", "tomatoes"], 5),
    ],
)
def test_edit_opens_the_note_at_the_line(
    words: list[str], line: int, editor: Path, folder: Path
) -> None:
    assert run(["edit", *words]) == 0
    assert editor.read_text().splitlines() == ["-n", f"+{line}", f"{folder}/memory/2026-03-01.md"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("code", ["--wait", "--goto", "{file}:3"]), ("hx", ["{file}:3"]), ("other", ["{file}"])],
)
def test_every_editor_is_told_the_line_in_its_own_way(
    name: str, told: list[str], editor: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = editor.parent / "bin" / name
    (editor.parent / "bin/vim").rename(program)
    monkeypatch.setenv("VISUAL", str(program))
    assert run(["edit", "MEMORY.md:3"]) == 0
    expected = [one.format(file=folder / "MEMORY.md") for one in told]
    assert editor.read_text().splitlines() == expected


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("", "No editor is set"),
        ("no-such-editor", "cannot be started"),
        ("'half", "cannot be started"),
        ("false", "ended with code 1"),
    ],
)
def test_trouble_with_the_editor_is_one_sentence(
    value: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EDITOR", value)
    monkeypatch.delenv("VISUAL", raising=False)
    assert run(["edit", "MEMORY.md"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("path", ["boat.md", "../MEMORY.md", "/etc/passwd.md"])
def test_edit_opens_notes_only(path: str, editor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["edit", path]) == 2
    assert not editor.exists()
    assert capsys.readouterr().err


def test_a_question_without_an_answer_opens_nothing(
    editor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["edit", "quantum", "chromodynamics"]) == 2
    assert not editor.exists()
    assert "No note answers 'quantum chromodynamics'" in capsys.readouterr().err
