"""What writers do that are killed in the middle, each in a process of its own."""

from __future__ import annotations

import datetime
import os
import signal
from collections.abc import Callable
from pathlib import Path

from forked import Forked
from memdown import files
from memdown.notes import open_workspace, read_whole, remember, save, swapping
from memdown.notes.remembering import Pen, remember_fact


def ended(work: Callable[..., None], *arguments: object, output: Path, failpoint: str = "") -> int:
    """How a process ended that called one of the functions below."""
    environ = {**os.environ, files.VARIABLE: failpoint}
    return Forked(work, *arguments, output=output, environ=environ).wait()


def replace_fact(folder: Path, locks: Path, old: str) -> None:
    pen = Pen(open_workspace(folder), locks, datetime.date(2026, 11, 17))
    remember_fact(pen, "Lives in Porto.", replaces=[old])


def save_beside(editor: str, top: Path, locks: Path) -> None:
    """Save a note, which an editor saves as well just before the two are swapped."""

    def reach(point: str) -> None:
        if point == "save.drafted" and editor == "editor":
            other = top / "other"
            other.write_text("# Theirs, saved just before the swap: quillon\n")
            other.replace(top / "ws/memory/home.md")
        files.reach(point)

    vars(swapping)["reach"] = reach
    notes = open_workspace(top / "ws")
    base = read_whole(notes, "memory/home.md").version
    save(notes, "memory/home.md", "# Mine\n" * 50_000, base=base, lock_dir=locks)


def write_a_part(folder: Path, locks: Path, part: int) -> None:
    """The kernel gives up a write between two pages when a process is killed; here it always does."""
    whole = os.write

    def write(descriptor: int, data: bytes) -> int:
        whole(descriptor, data[:part])
        os.kill(os.getpid(), signal.SIGKILL)
        return part

    vars(os)["write"] = write
    today = datetime.date(2026, 3, 1)
    remember(
        open_workspace(folder), "cut off in the middle", durable=False, today=today, lock_dir=locks
    )
