"""What a host knows of its files, which several of its processes read and write at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contracts.store_contract import state
from memdown.errors import DiskFull
from memdown.index.manifest import Manifest


def test_processes_that_write_at_once_wait_for_each_other(tmp_path: Path) -> None:
    """Each reads before it writes, and what it read may be old by then."""

    def fill(name: str) -> None:
        manifest = Manifest(tmp_path / "host.sqlite", "place")
        for number in range(60):
            manifest.claim([f"{name}{number}.md"])
            manifest.learn(f"0 {number} 0", [state(f"{name}{number}.md")])
            manifest.note([state(f"{name}{number}.md")])
            manifest.forget([f"{name}{number - 1}.md"])
        manifest.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, "abcd"))
    left = Manifest(tmp_path / "host.sqlite", "place")
    assert sorted(left.files()) == [f"{name}59.md" for name in "abcd"]
    assert sorted(left.facts()) == sorted(left.files())
    left.close()


def test_what_was_not_written_is_not_known(tmp_path: Path) -> None:
    """What is kept in memory must not be ahead of the file."""
    manifest = Manifest(tmp_path / "host.sqlite", "place")
    manifest.note([state("a.md")])
    pages = manifest._open().pragma("page_count")
    manifest._open().pragma("max_page_count", pages)
    many = [state(f"{number}.md") for number in range(5_000)]
    with pytest.raises(DiskFull):
        manifest.note(many)
    assert list(manifest.files()) == ["a.md"]
    manifest._open().pragma("max_page_count", 1 << 20)
    manifest.note(many)
    assert len(manifest.files()) == 5_001
    manifest.close()
