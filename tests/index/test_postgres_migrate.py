"""Moving between engines embeds nothing again, there and back."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from index.postgres_server import Server
from memdown import Memory, cli
from memdown.config import load_settings
from memdown.index.engines import copy_vectors
from memdown.index.lancedb import create as lancedb
from memdown.index.postgres import create as postgres_store
from memdown.index.sqlite import create as sqlite
from memdown.index.store import Store
from memdown.testing import HashEmbedder

NOTES = {
    "MEMORY.md": "# Memory\n\n- Ana prefers tea.\n",
    "memory/home.md": "# Home\n\n## Network\n\nThe router is an ER605 in the hall.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    for path, text in NOTES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def test_vectors_go_from_engine_to_engine(postgres: Server, folder: Path, tmp_path: Path) -> None:
    settings = load_settings(workspace=folder)
    first = HashEmbedder()
    with Memory.from_settings(settings, embedder=first) as memory:
        memory.sync()
        want = memory.search("router in the hall", min_score=0.0)
        path = Path(memory.status().store.location)
    chain: list[tuple[dict[str, str], Store]] = [
        ({"driver": "sqlite"}, sqlite(path)),
        ({"driver": "postgres", "url": postgres.url}, postgres_store(postgres.url, agent="moved")),
        ({"driver": "lancedb", "path": str(tmp_path / "moved.lancedb")}, lancedb(tmp_path / "moved.lancedb")),
        ({"driver": "sqlite", "path": str(tmp_path / "back.sqlite")}, sqlite(tmp_path / "back.sqlite")),
    ]  # fmt: skip
    config = tmp_path / "memdown.json"
    for (_, source), (store, target) in itertools.pairwise(chain):
        assert copy_vectors(source, target) == len(first.embedded)
        config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
        again = HashEmbedder()
        moved = load_settings(config=config, workspace=folder, agent="moved")
        with Memory.from_settings(moved, embedder=again) as memory:
            assert memory.sync().indexed == len(NOTES)
            have = memory.search("router in the hall", min_score=0.0)
        assert again.embedded == []
        assert [hit.citation for hit in have.hits] == [hit.citation for hit in want.hits]
    for _, store_object in chain:
        store_object.close()


def test_the_command(postgres: Server, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--workspace", str(folder), "--agent", "commanded"]
    assert cli.run(["index", *where]) == 0
    capsys.readouterr()
    assert cli.run(["store", "migrate", "--to", postgres.url, *where, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["driver"], told["indexed"]) == ("postgres", 2)
    assert told["vectors"] >= 2
    store = postgres_store(postgres.url, agent="commanded")
    assert set(store.files()) == set(NOTES)
    store.close()
    assert cli.run(["store", "migrate", "--to", "sqlite", *where]) == 2
    assert "already" in capsys.readouterr().err
    assert cli.run(["store", "migrate", "--to", "oracle", *where]) == 2
    assert cli.run(["store", "migrate", *where]) == 2
    assert "--to" in capsys.readouterr().err
    config = folder / "server.json"
    store_settings = {"driver": "postgres", "url": postgres.url}
    config.write_text(
        json.dumps({"agents": {"defaults": {"memorySearch": {"store": store_settings}}}})
    )
    assert cli.run(["store", "migrate", *where, "--config", str(config)]) == 0
    assert "up to date" in capsys.readouterr().out
