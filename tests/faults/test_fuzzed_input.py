"""Any text as a query, and links that change while a note is read."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from pathlib import Path

import pytest

from faults.figures import Campaign
from faults.stage import Stage, staged
from memdown import Memory, QueryError, WorkspaceError

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


@pytest.mark.parametrize("queries", [150, pytest.param(10_000, marks=pytest.mark.long)])
def test_fuzzed_queries(tmp_path: Path, campaign: Campaign, queries: int) -> None:
    done = campaign("fuzzed queries")
    with staged(tmp_path) as stage, stage.memory() as memory:
        memory.sync()
        took = fuzz_queries(memory, queries)
    p50, p99 = took[queries // 2], took[-1 - queries // 100]
    done(
        f"{queries:,}",
        f"0 exceptions; CPU time p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.0f} ms, slowest "
        f"{took[-1] * 1000:.0f} ms",
    )
    if queries >= 10_000:
        assert p99 < P99
        assert took[-1] < LIMIT


@pytest.mark.parametrize("seconds", [0.5, pytest.param(60.0, marks=pytest.mark.long)])
def test_links_that_change_while_a_note_is_read(
    tmp_path: Path, campaign: Campaign, seconds: float
) -> None:
    done = campaign("a note and its folder swapped for links to a secret while it is read")
    with staged(tmp_path) as stage, stage.memory() as memory:
        memory.sync()
        reads = race_links(stage, memory, seconds)
    done(f"{reads:,} reads", "0 leaks")
