"""A note that cannot be read any more: its old text never answers, and everyone is told why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown import Memory
from memdown.cli import run
from memdown.doctor import Subject, examine, mend

OpenMemory = Callable[..., Memory]
LATIN = "# Geheim\n\nDer L\xf6we ist weg.\n".encode("latin-1")
WHY = "memory/secret.md is not UTF-8 text (byte 16); save it as UTF-8."


@pytest.fixture
def folder(write_notes: Callable[[dict[str, str]], Path]) -> Path:
    return write_notes(
        {
            "MEMORY.md": "# Memory\n\nThe router in the hall is a blue ER605 with six ports.\n",
            "memory/secret.md": "# Secret\n\nThe zebra code is alpha.\n",
        }
    )


def texts(memory: Memory, query: str) -> list[str]:
    return [hit.snippet for hit in memory.search(query, min_score=0.0).hits]


def test_the_old_text_is_gone_with_the_next_search(folder: Path, open_memory: OpenMemory) -> None:
    """An editor saved it as Latin-1: what it said before is no longer there."""
    memory = open_memory(folder)
    assert any("zebra" in text for text in texts(memory, "zebra code"))
    (folder / "memory/secret.md").write_bytes(LATIN)
    answer = memory.search("zebra code", min_score=0.0)
    assert not any("zebra" in hit.snippet for hit in answer.hits)
    assert answer.partial
    assert f"partial: {WHY}" in answer.reasons


def test_it_returns_when_it_can_be_read_again(folder: Path, open_memory: OpenMemory) -> None:
    memory = open_memory(folder)
    (folder / "memory/secret.md").write_bytes(LATIN)
    assert memory.search("zebra").partial
    (folder / "memory/secret.md").write_text("The zebra code is beta.\n")
    answer = memory.search("zebra code")
    assert answer.hits[0].snippet == "The zebra code is beta."
    assert not answer.partial


@pytest.mark.parametrize("data", [LATIN, b"\0\1\2" * 20, b"x" * (32 * 1024 * 1024 + 1)])
def test_status_names_it_in_every_process(
    data: bytes, folder: Path, open_memory: OpenMemory
) -> None:
    """Not as a change that every sync leaves: a sync cannot do anything about it."""
    with open_memory(folder) as memory:
        memory.sync()
    (folder / "memory/secret.md").write_bytes(data)
    assert open_memory(folder).status().changed == 1
    first = open_memory(folder).sync()
    again = open_memory(folder).sync()
    for report in (first, again):
        assert [failure.path for failure in report.failed] == ["memory/secret.md"]
    status = open_memory(folder).status()
    assert (status.dirty, status.changed) == (False, 0)
    assert status.store.files == {"memory": 1}
    assert [problem.path for problem in status.problems] == ["memory/secret.md"]


def test_a_rebuild_names_it_too(folder: Path, open_memory: OpenMemory) -> None:
    (folder / "memory/secret.md").write_bytes(LATIN)
    memory = open_memory(folder)
    memory.sync()
    memory.sync(force=True)
    assert [problem.reason for problem in open_memory(folder).status().problems] == [WHY]


def test_it_is_forgotten_when_it_is_gone(folder: Path, open_memory: OpenMemory) -> None:
    memory = open_memory(folder)
    (folder / "memory/secret.md").write_bytes(LATIN)
    memory.sync()
    (folder / "memory/secret.md").unlink()
    answer = memory.search("router")
    assert not answer.partial
    assert memory.status().problems == ()


def test_three_are_named_and_the_rest_counted(folder: Path, open_memory: OpenMemory) -> None:
    for number in range(5):
        (folder / f"memory/bad{number}.md").write_bytes(LATIN)
    answer = open_memory(folder).search("router")
    named = [reason for reason in answer.reasons if reason.startswith("partial: memory/bad")]
    assert len(named) == 3
    assert "partial: 2 more could not be read; `memdown status` names them" in answer.reasons


def test_the_doctor_names_it_and_does_not_claim_to_have_mended_it(
    folder: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory(folder)
    memory.sync()
    (folder / "memory/secret.md").write_bytes(LATIN)
    subject = Subject(memory.settings, memory)
    before = [check for check in examine(subject) if check.verdict != "ok"]
    assert [check.name for check in before] == ["Freshness"]
    assert [reason for _, reason in mend(before)] == [None]
    after = [check for check in examine(subject) if check.verdict != "ok"]
    assert [(check.name, check.finding) for check in after] == [("Notes", WHY)]


def test_a_sync_that_changes_nothing_is_no_fix(folder: Path, open_memory: OpenMemory) -> None:
    """The doctor looks again before it says "fixed"."""
    memory = open_memory(folder)
    memory.sync()
    (folder / "memory/new.md").write_text("Something new.\n")
    subject = Subject(memory.settings, memory)
    wrong = [check for check in examine(subject) if check.name == "Freshness"]
    memory.index.stop()
    ((_, reason),) = mend(wrong)
    assert reason is not None
    assert "still differs" in reason


def test_questions_are_drafted_and_asked_without_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "memory/binary.md").write_bytes(b"\0\1\2")
    questions = tmp_path / "questions.txt"
    assert run(["eval", "make", "-w", str(folder)]) == 0
    drafted = capsys.readouterr()
    assert "Left out: memory/binary.md looks like a binary file" in drafted.err
    questions.write_text(drafted.out)
    (folder / "memory/secret.md").write_bytes(LATIN)
    assert run(["eval", str(questions), "-w", str(folder), "--json"]) == 0
    asked = capsys.readouterr()
    assert f"Left out: {WHY}" in asked.err
    assert json.loads(asked.out)[0]["notes"] == 1


AS_NOBODY = """
import os, pathlib, sys, tempfile
from memdown import Memory
folder, state = map(pathlib.Path, sys.argv[1:])
with tempfile.TemporaryDirectory() as name:
    # What is imported only when it is needed may lie where nobody else can read it.
    pathlib.Path(name, "MEMORY.md").write_text("A word of some kind.")
    Memory.open(name, state_dir=name).search("word")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
def ask(query):
    with Memory.open(folder, state_dir=state) as memory:
        answer = memory.search(query, min_score=0.0)
        found = any("zebra" in hit.snippet for hit in answer.hits)
        print(found, answer.partial, *answer.reasons, sep="|")
        print(memory.status().changed, *(one.path for one in memory.status().problems), sep="|")
"""


@pytest.fixture
def top() -> Iterator[Path]:
    """A folder of nobody, since root may read everything; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        (top / "state").mkdir()
        (top / "notes/memory/sub").mkdir(parents=True)
        (top / "notes/memory/sub/zebra.md").write_text("The zebra code is alpha.\n")
        (top / "notes/memory/tea.md").write_text("Ana likes tea.\n")
        if os.geteuid() == 0:
            for path in (top, *top.rglob("*")):
                os.chown(path, 65534, 65534)
        yield top
        (top / "notes/memory/sub").chmod(0o700)


def as_nobody(top: Path, actions: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY + actions, top / "notes", top / "state"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_note_without_permission(top: Path) -> None:
    """Each process tries it again: what the system refuses may change without a trace in the file."""
    note = "(folder / 'memory/sub/zebra.md')"
    told = as_nobody(
        top,
        f"ask('zebra'); {note}.chmod(0); ask('zebra'); ask('zebra')\n"
        f"{note}.chmod(0o600); ask('zebra')",
    )
    assert told[0] == "True|False"
    for answer, status in (told[2:4], told[4:6]):
        assert answer.startswith("False|True|partial: memory/sub/zebra.md cannot be read (")
        assert status == "0|memory/sub/zebra.md"
    assert told[6:] == ["True|False", "0"]


def test_a_folder_that_cannot_be_listed(top: Path) -> None:
    """Its notes stay in the index, as those on a disk that is not plugged in; the answer says so."""
    told = as_nobody(top, "ask('zebra'); (folder / 'memory/sub').chmod(0); ask('tea')")
    assert told[0] == "True|False"
    assert "|True|partial: memory/sub cannot be read (Permission denied)" in told[2]
    assert told[3] == "0|memory/sub"
