"""Any text as a query, any text as a path, and links that change while a note is read."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.stage import Stage, staged
from memdown import Memory, QueryError, WorkspaceError

Tell = Callable[[str], None]
LIMIT, P99 = 0.5, 0.1
SECRET = "the secret that stands outside"
PIECES = (
    *"abcdefgh .,:;!?()[]{}<>*\"'`~^&|\\/-_=+#@$%\n\t\0",
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "text:",
        "prefix*",
        '"',
        "..",
        "/",
        "memory/",
        "MEMORY.md",
        ".md",
    ),
    *(
        "猫",
        "東京",
        "สวัสดี",
        "é",
        "\u0301",
        "\u202e",
        "\ud800",
        "👩‍👩‍👧",
        "ER-605",
        "2026-03-01",
        "topic",
    ),
    *("/etc/passwd", "../", "./", "//", "%2e%2e", "~", "link", "inner/", "\r", "\x1b[2J"),
)


def text(rng: random.Random) -> str:
    size = rng.choice((1, 2, 5, 12, 40)) if rng.random() < 0.99 else 3000
    return "".join(rng.choice(PIECES) for _ in range(size))


def fuzz_queries(memory: Memory, rounds: int) -> list[float]:
    """The seconds of CPU that each query took, in order: other work on the machine does not count."""
    rng = random.Random(23)
    took = []
    for _ in range(rounds):
        query, least = text(rng), rng.choice((None, 0.0, 1.0))
        took.append(ask(memory, query, least))
    return sorted(took)


def ask(memory: Memory, query: str, least: float | None) -> float:
    start = time.process_time()
    with contextlib.suppress(QueryError):
        answer = memory.search(query, min_score=least)
        assert answer.hits or answer.reasons
    return time.process_time() - start


def fuzz_paths(memory: Memory, rounds: int) -> tuple[float, int]:
    rng, slowest, opened = random.Random(29), 0.0, 0
    for _ in range(rounds):
        path = text(rng)
        start = time.perf_counter()
        with contextlib.suppress(WorkspaceError):
            assert SECRET not in memory.get(path).text
            opened += 1
        slowest = max(slowest, time.perf_counter() - start)
    return slowest, opened


def race_links(stage: Stage, memory: Memory, seconds: float) -> int:
    """One thread swaps a note and its folder for links to a secret while another reads."""
    outside = stage.top / "outside"
    outside.mkdir()
    (outside / "note.md").write_text(SECRET)
    inner = stage.folder / "memory/inner"
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                inner.mkdir()
                (inner / "note.md").write_text("harmless")
                (inner / "note.md").unlink()
                os.symlink(outside / "note.md", inner / "note.md")
                (inner / "note.md").unlink()
                inner.rmdir()
                os.symlink(outside, inner)
                inner.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    reads, end = 0, time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            reads += 1
            with contextlib.suppress(WorkspaceError):
                assert memory.get("memory/inner/note.md").text in ("harmless", "")
    finally:
        stop.set()
        swapping.join()
    memory.sync()
    assert not [hit for hit in memory.search("secret stands outside").hits if SECRET in hit.snippet]
    return reads


def fuzz(top: Path, queries: int, paths: int, seconds: float, tell: Tell) -> None:
    with staged(top) as stage, stage.memory() as memory:
        (top / "secret.md").write_text(SECRET)
        os.symlink(top / "secret.md", stage.folder / "memory/link.md")
        os.symlink(top, stage.folder / "memory/link")
        memory.sync()
        took = fuzz_queries(memory, queries)
        slowest_path, opened = fuzz_paths(memory, paths)
        reads = race_links(stage, memory, seconds)
    p99 = took[-1 - queries // 100]
    tell(
        f"{queries} queries (p50 {took[queries // 2] * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, "
        f"slowest {took[-1] * 1000:.0f} ms), {paths} paths ({opened} opened, "
        f"slowest {slowest_path * 1000:.0f} ms), {reads} reads in a race with links: "
        "0 exceptions, 0 leaks"
    )
    if queries >= 10_000:
        assert p99 < P99
        assert took[-1] < LIMIT
        assert slowest_path < LIMIT


def test_fuzzed_input(tmp_path: Path, tell: Tell) -> None:
    fuzz(tmp_path, 150, 400, 0.5, tell)


@pytest.mark.long
def test_much_fuzzed_input(tmp_path: Path, tell: Tell) -> None:
    fuzz(tmp_path, 10_000, 5_000, 60.0, tell)
