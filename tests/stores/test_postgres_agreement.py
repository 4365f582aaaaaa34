"""PostgreSQL answers what SQLite answers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest

from stores.agreement import agreement, opened
from stores.postgres_server import Server

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "workspace"


def questions_of(folder: Path, count: int) -> list[str]:
    """Runs of two to five words out of the notes, and single ones."""
    rng = Random(7)
    lines = [
        line.split()
        for file in sorted(folder.rglob("*.md"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if len(re.findall(r"\w+", line)) > 5
    ]
    asked = []
    for _ in range(count):
        words = rng.choice(lines)
        length = rng.randint(1, 5)
        start = rng.randrange(max(1, len(words) - length))
        asked.append(" ".join(words[start : start + length]) + " note")
    return asked


def test_the_example_workspace(postgres: Server, tmp_path: Path) -> None:
    asked = questions_of(EXAMPLE, 200)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, {"driver": "postgres", "url": postgres.url}, "example") as other,
    ):
        assert agreement(one, other, asked) >= 0.95


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
