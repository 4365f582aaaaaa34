"""Random histories through the page's own calls: undone from the last to the first, every byte is back."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.web.site import Site
from web.conftest import NOTES, client_for
from web.live import site_over

PATHS = ["MEMORY.md", "memory/home.md", "memory/people/ida.md", "memory/new.md"]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*.md")}


def act(client: TestClient, site: Site, chance: random.Random) -> None:
    """One thing that a person or an agent does; some are refused, which is fine."""
    path = chance.choice(PATHS)
    note = client.get(f"/api/notes/{path}").json()
    kind = chance.choice(["save", "entry", "agent", "strike", "trash", "rename", "keep", "read"])
    if kind == "save":
        lines = note.get("text", "# New\n").split("\n")
        lines.insert(chance.randrange(len(lines) + 1), f"- Line {chance.randrange(1000)}.")
        client.put(
            f"/api/notes/{path}", json={"text": "\n".join(lines), "base": note.get("version")}
        )
    elif kind == "entry":
        text = f"Entry {chance.randrange(1000)}."
        client.post("/api/entries", json={"text": text, "durable": chance.random() < 0.5})
    elif kind == "agent":
        site.memory.remember(f"Learned {chance.randrange(1000)}.", actor="client:codex")
    elif kind == "strike":
        client.post("/api/strike", json={"path": path, "line": chance.randrange(1, 9)})
    elif kind == "trash" and "version" in note:
        client.post("/api/trash", json={"path": path, "base": note["version"]})
    elif kind == "rename" and "version" in note:
        to = f"memory/moved-{chance.randrange(3)}.md"
        client.post("/api/rename", json={"path": path, "to": to, "base": note["version"]})
    elif kind == "keep":
        changes = client.get("/api/changes").json()["changes"]
        if changes:
            client.post("/api/keep", json={"id": chance.choice(changes)["id"]})
    else:
        client.get("/")


def run_history(folder: Path, site: Site, seed: int, acts: int) -> None:
    client = client_for(site)
    site.memory.sync()
    before = bytes_of(folder)
    chance = random.Random(seed)
    start = max((one["id"] for one in client.get("/api/changes").json()["changes"]), default=0)
    for _ in range(acts):
        act(client, site, chance)
    made = client.get("/api/changes?limit=1000").json()["changes"]
    for one in sorted((one["id"] for one in made if one["id"] > start), reverse=True):
        answer = client.post("/api/undo", json={"id": one})
        assert answer.status_code == 200, f"seed {seed}: {answer.text}"
    assert bytes_of(folder) == before, f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_everything_is_taken_back(site: Site, folder: Path, seed: int) -> None:
    run_history(folder, site, seed, acts=12)


@pytest.mark.long
def test_everything_is_taken_back_in_a_campaign(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    for seed in range(200):
        folder = tmp_path / f"notes-{seed}"
        for path, text in NOTES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        state_dir = tmp_path / f"state-{seed}"
        state_dir.mkdir()
        environ = {"MEMDOWN_STATE_DIR": str(state_dir)}
        run_history(folder, site_over(open_memory(folder, environ=environ)), seed, acts=25)
