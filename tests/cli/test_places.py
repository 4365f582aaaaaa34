"""Places that people type, copy from a search, or get slightly wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown.cli import run
from memdown.cli.browsing import LinePlace, parse_place, place_text, similar_paths

NOTES = {
    "MEMORY.md": "# Memory\n\n- Tea.\n- Scones.\n",
    "memory/howto/deploy.md": "# Deploy\n\nNever on Friday.\n",
    "memory/empty.md": "",
}


@pytest.fixture(autouse=True)
def inside(write_notes: Callable[[dict[str, str]], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_notes(NOTES)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("memory/a.md", LinePlace("memory/a.md")),
        ("memory/a.md:3", LinePlace("memory/a.md", 3, 3)),
        ("memory/a.md:3-9", LinePlace("memory/a.md", 3, 9)),
        ("memory/a.md#L3", LinePlace("memory/a.md", 3, 3)),
        ("memory/a.md#L3-L9", LinePlace("memory/a.md", 3, 9)),
        ("memory/A.MD:3", LinePlace("memory/A.MD", 3, 3)),
        ("memory/12:30.md", LinePlace("memory/12:30.md")),
        ("memory/a.md:3:9", LinePlace("memory/a.md:3:9")),
    ],
)
def test_places(text: str, place: LinePlace) -> None:
    assert parse_place(text) == place


def test_a_place_that_is_shown_can_be_read_again() -> None:
    assert parse_place(place_text("a.md", 3, 9)) == LinePlace("a.md", 3, 9)
    assert parse_place(place_text("a.md", 3, 3)) == LinePlace("a.md", 3, 3)


@pytest.mark.parametrize("place", ["MEMORY.md:3-4", "MEMORY.md#L3-L4"])
def test_get_takes_both_notations(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["get", place]) == 0
    assert capsys.readouterr().out == "- Tea.\n- Scones.\n"
    assert run(["get", "MEMORY.md:3"]) == 0
    assert capsys.readouterr().out == "- Tea.\n"
    assert run(["get", "MEMORY.md", "--from", "3", "--lines", "1"]) == 0
    assert capsys.readouterr().out == "- Tea.\n"


def test_get_as_json_has_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["get", "MEMORY.md:3-4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "path": "MEMORY.md",
        "text": "- Tea.\n- Scones.",
        "startLine": 3,
        "endLine": 4,
        "totalLines": 4,
    }


def test_beyond_the_end_there_is_nothing_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["get", "MEMORY.md", "--from", "100"]) == 1
    assert capsys.readouterr().err == "memdown: MEMORY.md has 4 lines; there is no line 100.\n"
    assert run(["get", "memory/empty.md"]) == 0
    assert capsys.readouterr().err == "memory/empty.md is empty.\n"


@pytest.mark.parametrize("typed", ["deploy.md", "deploy", "memory/deploy.md", "memory/deplyo.md"])
def test_a_path_that_leads_nowhere_is_answered_with_the_one_meant(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["get", typed]) == 2
    said = capsys.readouterr().err
    assert said == f"memdown: There is no note {typed}; did you mean memory/howto/deploy.md?\n"


def test_a_path_out_of_the_memory_is_refused_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["get", "../howto/deploy.md"]) == 2
    assert "'..' in it" in capsys.readouterr().err


def test_notes_of_the_same_name_come_first() -> None:
    notes = ["memory/a/home.md", "memory/b/Home.md", "memory/home-network.md"]
    assert similar_paths("home.md", notes) == notes[:2]
    assert similar_paths("network", notes) == ["memory/home-network.md"]
    assert similar_paths("zzz.md", notes) == []


def test_the_shell_completes_paths(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_MEMDOWN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "memdown get memory/h")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert run([]) == 0
    assert capsys.readouterr().out == f"plain,memory/howto/deploy.md{os.linesep}"
