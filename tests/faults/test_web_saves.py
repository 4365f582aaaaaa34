"""Saves from the page while an editor saves the same note, and a server that is killed in the middle."""

from __future__ import annotations

import http.client
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from faults.figures import Campaign
from memdown import Memory
from waiting import eventually

PATH = "memory/home.md"
MOVES = ("replace", "rewrite", "append")
# How long the editor waits at most between two saves, in seconds.
PAUSES = (0.002, 0.01, 0.05, 0.2)
MANY = 100_000
FILLING = "What stood there before, which is long enough to take a moment to write.\n"


class Page:
    """`memdown serve` as a process, and a client that saves by its JSON interface."""

    def __init__(self, folder: Path, top: Path) -> None:
        command = [sys.executable, "-m", "memdown.cli", "serve", "--no-open", "--port", "0"]
        output = top / "served"
        with output.open("wb") as stdout:
            self.process = subprocess.Popen(
                [*command, "--json", "-w", folder], stdout=stdout, stderr=subprocess.DEVNULL
            )

        def announced() -> bool:
            assert self.process.poll() is None
            return output.read_text().rstrip().endswith("}")

        eventually(announced, what="the link to the page")
        said = json.loads(output.read_text())
        self._address = urlsplit(said["url"]).netloc
        token = Path(said["tokenFile"]).read_text().strip()
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection(self._address, timeout=60)

    def read(self) -> dict[str, Any]:
        """The note and its version."""
        status, note = self._ask("GET")
        assert status == 200, note
        return note

    def save(self, text: str, base: str) -> bool:
        """Whether it was saved, or refused because of another version or of an open file."""
        status, said = self._ask("PUT", {"text": text, "base": base})
        assert status in (200, 400, 409), said
        return status == 200

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)
        self._connection.close()

    def _ask(self, method: str, body: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
        text = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/notes/{PATH}", text, self._headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())


class Editor:
    """Another program that saves the note, and what of it must be in some note from then on."""

    def __init__(self, note: Path, name: int) -> None:
        self._note = note
        self._name = name
        self._saves = 0
        self.must: list[str] = []

    def make(self, move: str) -> None:
        self._saves += 1
        line = f"editor {self._name}.{self._saves}\n"
        if move == "append":
            with self._note.open("a") as file:
                file.write(line)
            self.must.append(line)
            return
        if move == "replace":
            draft = self._note.with_name("draft-of-an-editor")
            draft.write_text(line)
            draft.replace(self._note)
        else:
            self._note.write_text(line)
        self.must = [line]


class Round:
    """The page and an editor save one note at the same time."""

    def __init__(self, page: Page, note: Path, number: int, filling: str = "") -> None:
        self._page = page
        self._note = note
        self._number = number
        self.rng = random.Random(number)
        self.editor = Editor(note, number)
        # Where an editor only appends, nobody but the page can lose what the page saved.
        self.only_appends = number % 2 == 0
        self._pause = self.rng.choice(PAUSES)
        self._stop = threading.Event()
        self.saved: list[str] = []
        self.refused = 0
        self.edits = 0
        note.write_text(f"start\n{filling}")

    @contextmanager
    def editing(self) -> Iterator[None]:
        """An editor saves all the time while the block runs."""
        thread = threading.Thread(target=self._edit)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _edit(self) -> None:
        while not self._stop.wait(self.rng.uniform(0.0, self._pause)):
            self.editor.make("append" if self.only_appends else self.rng.choice(MOVES))
            self.edits += 1

    def save(self, saves: int) -> None:
        """Save from the page again and again; it ends early if the server does."""
        for number in range(saves):
            line = f"page {self._number}.{number}\n"
            try:
                seen = self._page.read()
                # Whoever edits starts from what is shown, and a line may not be whole yet.
                ending = "" if seen["text"].endswith("\n") or not seen["text"] else "\n"
                done = self._page.save(f"{seen['text']}{ending}{line}", seen["version"])
            except (OSError, http.client.HTTPException):
                return
            if done:
                self.saved.append(line)
            else:
                self.refused += 1

    def has_saved(self) -> bool:
        return bool(self.saved or self.refused)

    def check(self) -> bool:
        """Nothing is lost, and no hidden file is left; whether a version had to be kept."""
        folder = self._note.parent
        notes = [self._note, *folder.glob("*.kept-*.md"), *(folder.parent.glob("*.kept-*.md"))]
        texts = [note.read_text() for note in notes]
        must = self.editor.must + (self.saved if self.only_appends else [])
        lost = [line for line in must if not any(line in text for text in texts)]
        assert not lost, (self._number, lost, texts)
        assert not list(folder.glob(".memdown-*")), "a hidden file is left"
        for kept in notes[1:]:
            kept.unlink()
        return len(notes) > 1


def new_note(top: Path) -> Path:
    note = top / "workspace" / PATH
    note.parent.mkdir(parents=True)
    return note


@pytest.mark.parametrize("rounds", [20, pytest.param(2_000, marks=pytest.mark.long)])
def test_saves_from_the_page_beside_an_editor(
    tmp_path: Path, campaign: Campaign, rounds: int
) -> None:
    """The editor replaces the note, writes into it, or adds to it, seldom or all the time."""
    done = campaign("saves from the page while an editor saves the same note")
    note = new_note(tmp_path)
    page = Page(note.parents[1], tmp_path)
    count: Counter[str] = Counter()
    try:
        for number in range(rounds):
            turn = Round(page, note, number)
            with turn.editing():
                turn.save(4)
            count.update(saved=len(turn.saved), refused=turn.refused, edits=turn.edits)
            count["kept"] += turn.check()
            assert len(turn.saved) + turn.refused == 4, "the server is gone"
    finally:
        page.kill()
    done(
        f"{4 * rounds:,} saves, {count['edits']:,} by the editor",
        f"{count['saved']:,} saved, {count['refused']:,} refused; 0 of the editor's or the page's "
        f"lost; {count['kept']:,} times a version was kept as a note beside it",
    )
    assert count["saved"]
    assert count["refused"]


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.long)])
def test_a_server_killed_while_it_saves(tmp_path: Path, campaign: Campaign, kills: int) -> None:
    """The next command finds and settles what the save was about to do."""
    done = campaign("`kill -9` of the server during saves from the page, beside an editor")
    note = new_note(tmp_path)
    count: Counter[str] = Counter()
    for number in range(kills):
        page = Page(note.parents[1], tmp_path)
        turn = Round(page, note, number, FILLING * 3000)
        saving = threading.Thread(target=turn.save, args=(MANY,))
        with turn.editing():
            try:
                saving.start()
                eventually(turn.has_saved, what="a save from the page")
                time.sleep(turn.rng.uniform(0.0, 0.3))
            finally:
                page.kill()
                saving.join()
        count["drafts"] += bool(list(note.parent.glob(".memdown-*")))
        with Memory.open(note.parents[1]) as memory:
            memory.remember(f"after kill {number}")
        count.update(saved=len(turn.saved), kept=turn.check())
    done(
        f"{kills} kills",
        f"{count['saved']:,} acknowledged saves, 0 lost; {count['drafts']} times a hidden "
        f"draft was left, and settled by the next command; {count['kept']} versions of the editor "
        "kept as notes",
    )
