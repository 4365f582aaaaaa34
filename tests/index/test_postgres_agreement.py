"""PostgreSQL answers what SQLite answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.agreement import EXAMPLE, agreement, made_up, opened, questions_of
from index.postgres_server import Server
from memdown import Memory
from memdown.index.postgres import PostgresStore


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("way", ["server", "memory"])
def test_the_example_workspace(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, way: str
) -> None:
    asked = questions_of(EXAMPLE, count)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    if way == "server":
        keep_out_of_memory(monkeypatch)
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, {"driver": "postgres", "url": postgres.url}, "example") as other,
    ):
        if way == "memory":
            read_into_memory(other)
        assert agreement(one, other, asked) >= 0.95


@pytest.mark.long
def test_a_workspace_of_5000_chunks(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First by the server alone, as a process does that asks once, then from memory."""
    folder, asked = made_up(tmp_path / "notes", monkeypatch)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(folder, config, sqlite, "many") as one,
        opened(folder, config, {"driver": "postgres", "url": postgres.url}, "many") as other,
    ):
        with monkeypatch.context() as patched:
            keep_out_of_memory(patched)
            assert agreement(one, other, asked) >= 0.95
        read_into_memory(other)
        assert agreement(one, other, asked) >= 0.95


def keep_out_of_memory(patched: pytest.MonkeyPatch) -> None:
    patched.setattr("memdown.index.mirror.MOST_BYTES", -1)


def read_into_memory(memory: Memory) -> None:
    store = memory.index.store
    assert isinstance(store, PostgresStore)
    store._mirror._too_large = None
    for _ in range(2):
        memory.search("harbour")
    store._mirror.wait()
    assert store._mirror._view is not None
