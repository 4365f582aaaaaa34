"""Today: what was changed by whom, what is new, and that everything can be taken back."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown.web.changes import LastVisit, Read
from memdown.web.site import Site


@pytest.fixture
def synced(site: Site) -> Site:
    """The journal tells changes from outside only of notes that it has looked at."""
    site.memory.sync()
    return site


def changes(client: TestClient) -> list[dict[str, object]]:
    return list(client.get("/api/changes").json()["changes"])


def test_an_agents_line_is_new_until_it_is_looked_at(synced: Site, client: TestClient) -> None:
    synced.memory.remember("Walnuts too.", actor="client:codex", session="talk#L3")
    page = client.get("/").text
    assert "codex" in page
    assert "Walnuts too." in page
    assert 'href="/sessions/talk#L3"' in page
    assert client.get("/api/pulse").json()["unread"] == 1
    number = changes(client)[0]["id"]
    assert client.post("/api/read", json={"id": number}).json() == {"unread": 0}
    assert "All caught up" in client.get("/").text


def test_own_changes_are_not_new(synced: Site, client: TestClient) -> None:
    client.post("/api/entries", json={"text": "Mine."})
    assert client.get("/api/pulse").json()["unread"] == 0
    assert "<strong>You</strong>" in client.get("/").text


def test_every_act_can_be_taken_back(synced: Site, client: TestClient, folder: Path) -> None:
    """Strike, delete, rename, restore: undo brings the very bytes back."""
    file = folder / "memory/people/ida.md"
    before = file.read_bytes()
    struck = client.post("/api/strike", json={"path": "memory/people/ida.md", "line": 3})
    assert "~~Hazelnut allergy.~~" in file.read_text()
    assert client.post("/api/undo", json={"id": struck.json()["change"]}).status_code == 200
    assert file.read_bytes() == before
    version = client.get("/api/notes/memory/people/ida.md").json()["version"]
    gone = client.post("/api/trash", json={"path": "memory/people/ida.md", "base": version})
    assert not file.exists()
    assert client.post("/api/undo", json={"id": gone.json()["change"]}).status_code == 200
    assert file.read_bytes() == before
    moved = {"path": "memory/people/ida.md", "to": "memory/people/ida-voss.md", "base": version}
    assert client.post("/api/rename", json=moved).json() == {"path": "memory/people/ida-voss.md"}
    assert (folder / "memory/people/ida-voss.md").read_bytes() == before
    assert not file.exists()


def test_an_earlier_version_is_restored(synced: Site, client: TestClient, folder: Path) -> None:
    path = "memory/people/ida.md"
    numbers = []
    for text in ("# Ida\n\nOne.\n", "# Ida\n\nTwo.\n"):
        base = client.get(f"/api/notes/{path}").json()["version"]
        assert client.put(f"/api/notes/{path}", json={"text": text, "base": base}).is_success
        numbers.append(changes(client)[0]["id"])
    assert client.post("/api/restore", json={"path": path, "id": numbers[0]}).status_code == 200
    assert (folder / path).read_text() == "# Ida\n\nOne.\n"
    page = client.get(f"/notes/{path}?view=history").text
    assert "Restore this version" in page


def test_what_lasts_moves_to_memory_md(synced: Site, client: TestClient, folder: Path) -> None:
    synced.memory.remember("First of the day.", actor="agent")
    synced.memory.remember("Ida plays the cello.", actor="agent")
    number = changes(client)[0]["id"]
    assert client.post("/api/keep", json={"id": number}).status_code == 200
    assert "Ida plays the cello." in (folder / "MEMORY.md").read_text()
    log = folder / f"memory/{datetime.date.today().isoformat()}.md"
    assert "cello" not in log.read_text()


@pytest.mark.parametrize(("call", "status"), [("undo", 422), ("keep", 404)])
def test_a_change_that_is_not_there_is_explained(
    client: TestClient, call: str, status: int
) -> None:
    """What cannot be taken back is a conflict, whatever the reason."""
    answer = client.post(f"/api/{call}", json={"id": 999})
    assert answer.status_code == status
    assert "journal" in answer.json()["error"]


def test_a_long_pause_is_a_return(tmp_path: Path) -> None:
    looked = LastVisit(tmp_path / "x.sqlite")
    assert looked.visit(1_000_000).before == 0
    assert looked.visit(1_000_600).before == 0
    assert looked.visit(1_100_000).before == 1_000_600
    looked.mark([3, 7], upto=5)
    assert looked.read() == Read(5, frozenset({7}), 1_100_000, 1_000_600)
    (tmp_path / "x.read.json").write_text("damaged")
    assert looked.read() == Read()


def test_words_are_forgotten_everywhere_with_a_receipt(
    synced: Site, client: TestClient, folder: Path
) -> None:
    """While the notes are being followed, as in a server that runs."""
    with synced.following():
        places = client.post("/api/forget/places", json={"words": "memory/people/ida.md#L3"}).json()
        assert places["words"] == "Hazelnut allergy."
        assert {one["kind"] for one in places["places"]} >= {"note", "index"}
        receipt = client.post("/api/forget", json={"words": "Hazelnut allergy."}).json()
        assert receipt["complete"], receipt
        assert "Hazelnut" not in (folder / "memory/people/ida.md").read_text()
        assert client.get("/api/search", params={"q": "hazelnut"}).json()["results"] == []


def test_to_memory_md_is_one_act_that_is_undone_as_one(
    synced: Site, client: TestClient, folder: Path
) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*.md")}
    synced.memory.remember("Walnuts too.", actor="client:codex")
    log = folder / f"memory/{datetime.date.today()}.md"
    logged = log.read_bytes()
    number = changes(client)[0]["id"]
    done = client.post("/api/keep", json={"id": number}).json()
    assert "Walnuts too." in (folder / "MEMORY.md").read_text()
    assert not log.exists()
    assert done["citation"].startswith("MEMORY.md#L")
    for one in reversed(done["changes"]):
        assert client.post("/api/undo", json={"id": one}).status_code == 200
    assert log.read_bytes() == logged
    assert (folder / "MEMORY.md").read_bytes() == before[folder / "MEMORY.md"]


def test_to_memory_md_loses_nothing_if_it_cannot_be_written(
    synced: Site, client: TestClient, folder: Path
) -> None:
    """The fact is written there before it goes here; nor is a line lost that was edited since."""
    synced.memory.remember("Walnuts too.", actor="client:codex")
    log = folder / f"memory/{datetime.date.today()}.md"
    number = changes(client)[0]["id"]
    lasting = (folder / "MEMORY.md").read_bytes()
    (folder / "MEMORY.md").write_bytes(b"\xff\xfe no text")
    assert client.post("/api/keep", json={"id": number}).status_code == 422
    assert "Walnuts too." in log.read_text()
    (folder / "MEMORY.md").write_bytes(lasting)
    log.write_text(log.read_text().replace("Walnuts too.", "Walnuts and pecans."))
    done = client.post("/api/keep", json={"id": number}).json()
    assert "Walnuts too." in (folder / "MEMORY.md").read_text()
    assert "Walnuts and pecans." in log.read_text()
    assert done["left"]


def test_the_first_line_of_a_day_is_taken_back_after_the_second(
    synced: Site, client: TestClient, folder: Path
) -> None:
    """It made the note; the note stays, with its heading and what came later, and comes back exactly."""
    log = folder / f"memory/{datetime.date.today()}.md"
    synced.memory.remember("Ferry at nine.", actor="client:codex")
    first = changes(client)[0]["id"]
    synced.memory.remember("Bring the blue bag.", actor="client:codex")
    both = log.read_bytes()
    assert client.post("/api/undo", json={"id": first}).status_code == 200
    assert "Ferry" not in log.read_text()
    assert log.read_text().startswith("# ")
    assert "- Bring the blue bag." in log.read_text()
    assert client.post("/api/undo", json={"id": changes(client)[0]["id"]}).status_code == 200
    assert log.read_bytes() == both
