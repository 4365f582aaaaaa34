"""A first search in very many new notes answers within seconds, says so, and each one gets further."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults.figures import Campaign
from memdown import Memory
from memdown.cli import run
from waiting import eventually

FOLDERS = 100
Search = Callable[[], dict[str, Any]]


def write_many(folder: Path, count: int) -> None:
    for number in range(FOLDERS):
        (folder / f"memory/d{number}").mkdir(parents=True)
    for number in range(count):
        note = folder / f"memory/d{number % FOLDERS}/n{number}.md"
        note.write_text(f"# Note {number}\n\nThe creature{number} lives in the harbour here.\n")


def indexed(folder: Path) -> int:
    with Memory.open(folder) as memory:
        return sum(memory.status().store.files.values())


def check_first_searches(folder: Path, count: int, search: Search, campaign: Campaign) -> None:
    """`search` is a command of its own each time."""
    done = campaign("first searches in very many new notes, by the command line")
    write_many(folder, count)
    seconds, reached = [], [0]

    def has_got_further() -> bool:
        start = time.monotonic()
        answer = search()
        seconds.append(time.monotonic() - start)
        assert answer["partial"], "it must not have waited for all"
        assert "memdown index" in " ".join(answer["reasons"])
        reached.append(indexed(folder))
        assert reached[-2] <= reached[-1] < count, "what is indexed is kept"
        return len(set(reached)) > 2

    eventually(has_got_further, 600.0)
    with Memory.open(folder) as memory:
        assert memory.sync().complete
    assert not search().get("partial")
    assert indexed(folder) == count
    done(
        f"{count:,} notes",
        f"the first answer after {seconds[0]:.1f} s, told to be partial; after {len(seconds)} searches "
        f"{reached[-1]:,} notes were indexed, after `memdown index` all were found",
    )


def test_first_searches(
    tmp_path: Path,
    campaign: Campaign,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With less patience, so that few notes are many; with ever more of it for a busy machine."""
    patience = 0.3

    def search() -> dict[str, Any]:
        nonlocal patience
        monkeypatch.setattr("memdown.index.index._WATCHED_SECONDS", patience)
        patience *= 1.2
        run(["search", "creature7", "-w", str(tmp_path), "--json"])
        answer: dict[str, Any] = json.loads(capfd.readouterr().out)
        return answer

    check_first_searches(tmp_path, 4_000, search, campaign)


@pytest.mark.long
def test_first_searches_in_a_hundred_thousand_notes(tmp_path: Path, campaign: Campaign) -> None:
    command = [sys.executable, "-m", "memdown.cli", "search", "creature7", "--json"]

    def search() -> dict[str, Any]:
        done = subprocess.run(
            [*command, "-w", str(tmp_path)], capture_output=True, text=True, timeout=600
        )
        assert "Traceback" not in done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    check_first_searches(tmp_path, 100_000, search, campaign)
