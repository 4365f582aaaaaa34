"""What a user without the rights is told; root has all rights, so these run as nobody."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PRELUDE = """
import datetime, os, pathlib, sys
from memdown.errors import MemdownError
from memdown.notes import open_workspace, read_note, remember, scan
folder, locks = map(pathlib.Path, sys.argv[1:])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
"""
EPILOGUE = """
except MemdownError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def top() -> Iterator[Path]:
    """A folder that everybody may enter; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        top.chmod(0o755)
        (top / "locks").mkdir()
        (top / "locks").chmod(0o777)
        (top / "workspace/memory").mkdir(parents=True)
        yield top
        for path in sorted(top.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


def as_nobody(top: Path, action: str) -> str:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{PRELUDE}    {action}{EPILOGUE}",
            top / "workspace",
            top / "locks",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


REMEMBER = (
    "print(remember(open_workspace(folder), 'x', durable={}, "
    "today=datetime.date(2026, 3, 1), lock_dir=locks))"
)


def test_a_workspace_that_cannot_be_read(top: Path) -> None:
    (top / "workspace").chmod(0o000)

    said = as_nobody(top, "open_workspace(folder)")

    assert said.startswith("WorkspaceError The workspace")
    assert "cannot be read (Permission denied); check its permissions" in said


def test_a_folder_that_cannot_be_read_is_named_and_the_rest_is_found(top: Path) -> None:
    for name in ("open", "closed"):
        (top / "workspace/memory" / name).mkdir()
        (top / "workspace/memory" / name / "a.md").write_text("note")
    (top / "workspace/memory/closed").chmod(0o000)

    said = as_nobody(
        top,
        "found = scan(open_workspace(folder)); print(list(found.files), found.problems[0].reason)",
    )

    assert said == (
        "['memory/open/a.md'] memory/closed cannot be read (Permission denied); "
        "check its permissions.\n"
    )


def test_a_note_that_cannot_be_read(top: Path) -> None:
    (top / "workspace/MEMORY.md").write_text("note")
    (top / "workspace/MEMORY.md").chmod(0o000)

    said = as_nobody(top, "read_note(open_workspace(folder), 'MEMORY.md')")

    assert said.startswith("NoteUnreadable MEMORY.md cannot be read (Permission denied)")


def test_a_note_that_cannot_be_written(top: Path) -> None:
    (top / "workspace/MEMORY.md").write_text("note")
    (top / "workspace/MEMORY.md").chmod(0o444)

    said = as_nobody(top, REMEMBER.format(True))

    assert said.startswith("WorkspaceError MEMORY.md cannot be written (Permission denied)")
    assert (top / "workspace/MEMORY.md").read_text() == "note"


@pytest.mark.parametrize("durable", [True, False])
def test_a_workspace_that_cannot_be_written(top: Path, durable: bool) -> None:
    (top / "workspace").chmod(0o555)
    (top / "workspace/memory").chmod(0o555)

    said = as_nobody(top, REMEMBER.format(durable))

    assert said.startswith("WorkspaceError")
    assert "cannot be written (Permission denied); check the permissions" in said


def test_a_state_folder_that_cannot_be_written(top: Path) -> None:
    (top / "locks").chmod(0o555)

    said = as_nobody(top, REMEMBER.format(True))

    assert said.startswith("WorkspaceError The lock file")
    assert list((top / "workspace").iterdir()) == [top / "workspace/memory"]


def test_a_folder_that_may_be_listed_but_not_entered_hides_nothing_else(top: Path) -> None:
    """Its names are seen but nothing behind them: the folder is named once, not every note."""
    for name in ("listed", "open"):
        (top / "workspace/memory" / name).mkdir()
        for number in range(3):
            (top / "workspace/memory" / name / f"{number}.md").write_text("note")
    (top / "workspace/memory/listed").chmod(0o444)

    said = as_nobody(
        top,
        "found = scan(open_workspace(folder)); "
        "print(len(found.files), found.unlisted, [one.reason for one in found.problems])",
    )

    assert said == (
        "3 ('memory/listed/',) ['memory/listed cannot be looked at (Permission denied); "
        "check permissions.']\n"
    )


def test_a_link_into_a_private_folder_hides_nothing(top: Path) -> None:
    (top / "private/inner").mkdir(parents=True)
    (top / "private").chmod(0o700)
    (top / "workspace/memory/link").symlink_to(top / "private/inner")
    for number in range(20):
        (top / "workspace/memory" / f"{number}.md").write_text("note")

    said = as_nobody(
        top,
        "found = scan(open_workspace(folder)); "
        "print(len(found.files), [one.path for one in found.problems])",
    )

    assert said == "20 ['memory/link']\n"
