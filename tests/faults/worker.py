"""One process of the fault campaign: `work`, or `python worker.py ROLE FOLDER STATE [NAME [COUNT]]`.

What a role has done it says on standard output, line by line; a line that starts with BAD is
something that must never happen.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from memdown import MemdownError, Memory, files
from memdown.config import load_settings
from memdown.errors import NoteChanged
from memdown.index.sqlite import SqliteStore
from memdown.notes import swapping
from memdown.testing import HashEmbedder

ENTRY = re.compile(r"entry (\S+) checked (\S+)")
ANCHOR = "The anchor note never changes: the lighthouse keeper is called Quillon."


def seal(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def entry(name: str) -> str:
    return f"entry {name} checked {seal(name)}"


def say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def open_memory(folder: Path, state: Path) -> Memory:
    settings = load_settings(
        workspace=folder, environ={**os.environ, "MEMDOWN_STATE_DIR": str(state)}
    )
    return Memory.from_settings(settings, embedder=HashEmbedder())


def write(memory: Memory, name: str, count: int) -> None:
    longest = 0.0
    for number in range(count):
        start = time.monotonic()
        memory.remember(entry(f"{name}-{number}"))
        longest = max(longest, time.monotonic() - start)
        say(f"WROTE {name}-{number}")
    say(f"LONGEST {longest:.3f}")


def edit(memory: Memory, name: str, count: int) -> None:
    """Save a note as the page does, while every second time an editor saves it, too."""
    path = "memory/edited.md"
    note = memory.settings.workspace / path
    if not note.exists():
        memory.notebook.edit(path, "start\n", base=None)
    for number in range(count):
        theirs = number % 2

        def reach(point: str, number: int = number, theirs: int = theirs) -> None:
            if point == "save.drafted" and theirs:
                draft = note.with_name("draft-of-an-editor")
                draft.write_text(f"{entry(f'{name}-{number}')}\n")
                draft.replace(note)
                say(f"WROTE {name}-{number}")
            files.reach(point)

        vars(swapping)["reach"] = reach
        try:
            memory.notebook.edit(path, f"mine {number}\n", base=memory.notebook.read(path).version)
        except NoteChanged:
            say("CHANGED")
        say(f"EDITED {number}")


def save(memory: Memory, name: str, count: int) -> None:
    """Save a note again and again as the web page does: read it, change it, name its version."""
    path = f"memory/saved-{name}.md"
    note = memory.notebook.edit(path, "# Saved\n", base=None)
    for number in range(count):
        text = f"{note.text}\n{entry(f'{name}-{number}')}\n"
        note = memory.notebook.edit(path, text, base=note.version)
        say(f"SAVED {name}-{number}")


def sync(memory: Memory, name: str, count: int) -> None:
    for _ in range(count):
        memory.sync()
        say("SYNCED")


def rebuild(memory: Memory, name: str, count: int) -> None:
    for _ in range(count):
        memory.sync(force=True)
        say(f"REBUILT {time.monotonic():.6f}")


def search(memory: Memory, name: str, count: int) -> None:
    for _ in range(count):
        answer = memory.search("anchor lighthouse keeper quillon", min_score=0.0, max_results=20)
        if not any(ANCHOR in hit.snippet for hit in answer.hits):
            say(f"BAD the anchor is missing: {answer}")
        for hit in answer.hits:
            for found, sealed in ENTRY.findall(hit.snippet):
                if seal(found) != sealed and not hit.snippet.endswith(sealed):
                    say(f"BAD torn: {found} {sealed}")
        say("SEARCHED")


def revision(index: Path) -> int:
    """The number of an index's state, as any SQLite tool reads it."""
    with closing(apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        db.set_busy_timeout(5_000)
        return int(db.execute("SELECT value FROM meta WHERE key = 'revision'").get)


def follow(memory: Memory, name: str, count: int) -> None:
    """Say whenever the index is another one, without syncing."""
    store = memory.index.store
    assert isinstance(store, SqliteStore)
    last = 0
    deadline = time.monotonic() + count
    while time.monotonic() < deadline:
        with store.snapshot() as snapshot:
            keys, rows = snapshot.vectors(100_000)
            chunks = snapshot.chunks(keys)
        if len(chunks) != len(rows):
            say(f"BAD {len(chunks)} chunks, {len(rows)} vectors")
        number = revision(Path(store.status().location))
        if number != last:
            say(f"SAW {number} {len(chunks)} {time.monotonic():.6f}")
            last = number
        time.sleep(0.005)


def watch(memory: Memory, name: str, count: int) -> None:
    for report in memory.watch(threading.Event()):
        say(f"REPORT {report.indexed} {report.removed} {len(report.failed)}")


ROLES: dict[str, Callable[[Memory, str, int], None]] = {
    "edit": edit,
    "write": write,
    "save": save,
    "sync": sync,
    "rebuild": rebuild,
    "search": search,
    "follow": follow,
    "watch": watch,
}


def work(role: str, folder: Path, state: Path, name: str = "", count: int = 1_000_000) -> None:
    with open_memory(folder, state) as memory:
        say("READY")
        try:
            ROLES[role](memory, name or role, count)
        except MemdownError as error:
            say(f"BAD {type(error).__name__} {error}")


def search_as_nobody(top: Path) -> None:
    """Search as a user who owns nothing but this folder."""
    # What is needed is loaded while it can be: the interpreter itself may lie in a private folder.
    with tempfile.TemporaryDirectory() as name:
        warm = Path(name)
        (warm / "memory").mkdir()
        (warm / "memory/a.md").write_text("warm")
        with open_memory(warm, warm / "state") as memory:
            memory.search("warm")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    with open_memory(top / "workspace", top / "state") as memory:
        answer = memory.search("lighthouse", min_score=0.0)
        say(" ".join([str(len(answer.hits)), str(answer.partial), *answer.reasons]))


if __name__ == "__main__":
    role, folder, state, *more = sys.argv[1:]
    counts = [int(one) for one in more[1:]]
    work(role, Path(folder), Path(state), more[0] if more else "", *counts)
