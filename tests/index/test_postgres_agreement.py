"""PostgreSQL answers what SQLite answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.agreement import EXAMPLE, agreement, made_up, opened, questions_of
from index.postgres_server import Server


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.long)])
def test_the_example_workspace(postgres: Server, tmp_path: Path, count: int) -> None:
    asked = questions_of(EXAMPLE, count)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, {"driver": "postgres", "url": postgres.url}, "example") as other,
    ):
        agreed = agreement(one, other, asked)
        assert agreed.first >= 0.95
        assert agreed.six >= 0.9


@pytest.mark.long
def test_a_workspace_of_5000_chunks(postgres: Server, tmp_path: Path) -> None:
    folder, asked = made_up(tmp_path / "notes")
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(folder, config, sqlite, "many") as one,
        opened(folder, config, {"driver": "postgres", "url": postgres.url}, "many") as other,
    ):
        agreed = agreement(one, other, asked)
        assert agreed.first >= 0.95
        assert agreed.six >= 0.9
