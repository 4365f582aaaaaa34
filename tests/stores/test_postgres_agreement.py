"""PostgreSQL answers what SQLite answers."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from stores.agreement import EXAMPLE, ROOT, agreement, opened, questions_of
from stores.postgres_server import Server


@pytest.mark.parametrize(
    ("count", "share"), [(50, 0.9), pytest.param(200, 0.95, marks=pytest.mark.long)]
)
def test_the_example_workspace(postgres: Server, tmp_path: Path, count: int, share: float) -> None:
    """Few questions tell less: one in fifty is two points."""
    asked = questions_of(EXAMPLE, count)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, {"driver": "postgres", "url": postgres.url}, "example") as other,
    ):
        assert agreement(one, other, asked) >= share


@pytest.mark.long
def test_a_workspace_of_5000_chunks(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from bench.generate import generate

    work = generate(tmp_path / "notes", 5_000)
    asked = [question.text for question in Random(3).sample(work.questions, 200)]
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(work.folder, config, sqlite, "many") as one,
        opened(work.folder, config, {"driver": "postgres", "url": postgres.url}, "many") as other,
    ):
        assert agreement(one, other, asked) >= 0.95
