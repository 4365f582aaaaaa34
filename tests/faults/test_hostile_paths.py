"""Paths that try to get out: nothing outside of the notes is shown, changed or made."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import socket
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from faults.figures import Campaign
from faults.stage import Stage, staged
from faults.test_fuzzed_input import text
from memdown import Memory, WorkspaceError
from memdown.agent import run_tool
from memdown.mcp.service import note_path

SECRET = "the secret that stands outside"
PLANTED = "planted by a hostile path\n"
UP = (
    "..",
    "..",
    "..",
    ".",
    "",
    "...",
    "..;",
    "%2e%2e",
    "%252e%252e",
    "．．",
    ".. ",
    "..\0",
    "memory",
)
ENDS = (
    "",
    ".md",
    "%00.md",
    "\0.md",
    "/",
    "/.",
    " ",
    "#L1-L9",
    ":1-3",
    "?x.md",
    ".md/..",
    "::$DATA",
)
INSIDE = ("memory/topic1.md", "memory/inner/note.md", "MEMORY.md")
LINKS = (
    *("memory/link.md", "memory/link/secret.md", "memory/link/outside/note.md", "memory/loop.md"),
    *("memory/loop/note.md", "memory/hard.md", "memory/pipe.md", "memory/socket.md"),
    *("memory/device.md", "memory/folder.md", "memory/.hidden.md", "memory/inner/up/MEMORY.md"),
)


def traversal(rng: random.Random, top: Path) -> str:
    separator = rng.choice(("/", "/", "/", "\\", "//", "/./", "%2f", "／"))
    steps = [rng.choice(UP) for _ in range(rng.randrange(1, 8))]
    start = rng.choice(("", "memory", "memory/inner", "./memory", "MEMORY.md", str(top)))
    target = rng.choice(("secret.md", "outside/note.md", "etc/passwd", "workspace/MEMORY.md"))
    return separator.join((start, *steps, target)) + rng.choice(ENDS)


def absolute(rng: random.Random, top: Path) -> str:
    target = rng.choice((str(top / "secret.md"), str(top / "outside/note.md"), "/etc/passwd"))
    before = rng.choice(
        (
            "",
            "/",
            "//",
            "file://",
            "file:",
            "memory:///",
            "~",
            "~root",
            "\\\\?\\",
            "/proc/self/root",
        )
    )
    return before + target + rng.choice(ENDS)


def linked(rng: random.Random, top: Path) -> str:
    return rng.choice((*LINKS, *INSIDE)) + rng.choice(ENDS)


def disguised(rng: random.Random, top: Path) -> str:
    """A name of a note, in other letters, cases and encodings."""
    path = rng.choice((*INSIDE, *LINKS, "../secret.md", "memory/../../secret.md"))
    change: Callable[[str], str] = rng.choice(
        (
            str.upper,
            str.title,
            quote,
            lambda one: quote(quote(one, safe=""), safe=""),
            lambda one: unicodedata.normalize("NFD", one.replace("e", "é")),
            lambda one: one.replace("/", "\\"),
            lambda one: one.replace(".", "\u2024"),
            lambda one: one.replace("/", "/\u200b"),
            lambda one: "".join(chr(ord(letter) + 0xFEE0) for letter in one if letter > " "),
            lambda one: one.encode().decode("utf-16-le", "ignore"),
        )
    )
    return change(path) + rng.choice(ENDS)


def oversized(rng: random.Random, top: Path) -> str:
    return rng.choice(
        (
            "memory/" + "a" * rng.choice((250, 256, 4096, 100_000)) + ".md",
            "memory/" + "d/" * rng.choice((50, 1000, 3000)) + "n.md",
            "../" * rng.choice((50, 5000)) + "secret.md",
            "memory/" + "\u0301" * 300 + ".md",
        )
    )


def random_text(rng: random.Random, top: Path) -> str:
    return rng.choice(("", "memory/", "MEMORY.md")) + text(rng) + rng.choice(("", ".md"))


KINDS = (traversal, traversal, absolute, linked, disguised, oversized, random_text, random_text)


def set_traps(stage: Stage) -> None:
    """What a path may lead to: links, hard links, pipes, devices, and a secret outside."""
    notes, top = stage.folder / "memory", stage.top
    (top / "secret.md").write_text(SECRET)
    (top / "outside").mkdir()
    (top / "outside/note.md").write_text(SECRET)
    (notes / "inner").mkdir()
    (notes / "inner/note.md").write_text("an inner note\n")
    (notes / "link.md").symlink_to(top / "secret.md")
    (notes / "link").symlink_to(top)
    (notes / "loop.md").symlink_to("loop.md")
    (notes / "loop").symlink_to("loop")
    (notes / "inner/up").symlink_to("../..")
    (notes / "device.md").symlink_to("/dev/zero")
    os.link(top / "secret.md", notes / "hard.md")
    os.mkfifo(notes / "pipe.md")
    (notes / "folder.md").mkdir()
    (notes / ".hidden.md").write_text("hidden\n")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(notes):
        # The name of a socket is short, so it is made from here.
        listener.bind("socket.md")


def outside(stage: Stage) -> dict[str, str]:
    """Everything that no path may change: all but the notes and the state."""
    found = {}
    for folder, names, files in os.walk(stage.top):
        here = Path(folder)
        if here in (stage.folder / "memory", stage.state):
            names.clear()
            continue
        for name in (*names, *files):
            path = here / name
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = hashlib.sha256(data).hexdigest()
    return found


def read_all_ways(memory: Memory, path: str) -> str:
    """What a path shows, by every way in which an agent, a client or a page can ask for it."""
    ways: tuple[Callable[[], str], ...] = (
        lambda: memory.get(path).text,
        lambda: memory.notebook.read(path).text,
        lambda: "".join(chunk.text for chunk in memory.index.chunks(path)),
        lambda: memory.get(note_path(f"memory:///{path}")).text,
        lambda: memory.get(note_path(path)).text,
    )
    shown = ""
    for way in ways:
        with contextlib.suppress(WorkspaceError):
            shown += way()
    result = run_tool(memory, "memory_get", {"path": path})
    return shown if result.is_error else shown + result.text


@pytest.mark.parametrize("paths", [400, pytest.param(20_000, marks=pytest.mark.long)])
def test_hostile_paths(tmp_path: Path, campaign: Campaign, paths: int) -> None:
    done = campaign("hostile paths, read in six ways and written to")
    rng = random.Random(29)
    count: Counter[str] = Counter()
    slowest = 0.0
    with staged(tmp_path) as stage:
        set_traps(stage)
        here = stage.top / "here"
        here.mkdir()
        stage.state.mkdir(mode=0o700)
        before = outside(stage)
        with stage.memory() as memory, contextlib.chdir(here):
            for _ in range(paths):
                path = rng.choice(KINDS)(rng, stage.top)
                start = time.process_time()
                shown = read_all_ways(memory, path)
                assert SECRET not in shown, path
                assert "root:" not in shown, path
                count["read"] += bool(shown)
                with contextlib.suppress(WorkspaceError):
                    note = memory.notebook.edit(path, PLANTED, base=None)
                    count["made"] += 1
                    made = stage.folder / note.path
                    assert made.resolve().is_relative_to(stage.folder / "memory"), path
                    assert made.read_text() == PLANTED
                    made.unlink()
                slowest = max(slowest, time.process_time() - start)
            assert outside(stage) == before
            memory.sync()
            assert not [
                hit for hit in memory.search("secret outside").hits if SECRET in hit.snippet
            ]
    done(
        f"{paths:,}",
        f"0 leaks, nothing changed outside of memory/, 0 unexpected errors; {count['read']:,} named "
        f"a note, {count['made']:,} a new one in memory/; slowest {slowest * 1000:.0f} ms of CPU",
    )
    assert count["read"]
    assert count["made"]
