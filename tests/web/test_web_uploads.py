"""Files that are sent to be imported: nothing is written before it is asked for, nothing is left."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.web import uploads
from memdown.web.site import Site
from web.conftest import client_for
from web.live import site_over

MEM0 = json.dumps({"results": [{"id": "1", "memory": "Ida plays the cello."}]})


def send(client: TestClient, name: str, data: str | bytes) -> tuple[int, dict[str, object]]:
    content = data.encode() if isinstance(data, str) else data
    answer = client.post("/api/import", params={"name": name}, content=content)
    return answer.status_code, answer.json()


def kept(site: Site) -> list[Path]:
    return list((site.memory.settings.state_dir / "uploads").glob("*"))


def test_a_markdown_file_is_shown_first_and_comes_in_when_asked(
    client: TestClient, folder: Path, site: Site
) -> None:
    before = sorted(folder.rglob("*.md"))
    _, seen = send(client, "Trip to Porto.md", "# Porto\n\n- The tram is 28.\n")
    assert seen["notes"] == 1
    assert sorted(folder.rglob("*.md")) == before
    done = client.post("/api/import/apply", json={"upload": seen["upload"]}).json()
    assert "The tram is 28." in (folder / done["first"]).read_text()
    assert kept(site) == []
    assert client.get(f"/notes/{done['first']}").status_code == 200
    _, again = send(client, "Trip to Porto.md", "# Porto\n\n- The tram is 28.\n")
    assert (again["notes"], again["same"]) == (0, 1)


def test_an_export_comes_in(client: TestClient, folder: Path) -> None:
    _, seen = send(client, "mem0.json", MEM0)
    done = client.post("/api/import/apply", json={"upload": seen["upload"]}).json()
    assert "Ida plays the cello." in (folder / done["first"]).read_text()


def test_what_is_not_wanted_leaves_nothing(client: TestClient, folder: Path, site: Site) -> None:
    before = sorted(folder.rglob("*"))
    _, seen = send(client, "a.md", "# A\n")
    assert os.stat(kept(site)[0]).st_mode & 0o077 == 0
    assert client.post("/api/import/cancel", json={"upload": seen["upload"]}).status_code == 200
    assert client.post("/api/import/apply", json={"upload": seen["upload"]}).status_code == 404
    assert kept(site) == []
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("picture.png", b"\x89PNG"),
        ("broken.zip", b"PK\x03\x04 nothing"),
        ("broken.json", b"{"),
        ("x" * 300, b""),
    ],
)
def test_what_cannot_be_read_is_explained_by_its_name(
    client: TestClient, site: Site, name: str, data: bytes
) -> None:
    status, said = send(client, name, data)
    shown = said.get("error") or said["problems"][0]["reason"]  # type: ignore[index]
    assert status in (200, 422)
    assert str(site.memory.settings.state_dir) not in str(shown)
    if status == 422:
        assert kept(site) == []


@pytest.mark.parametrize(
    "name", ["../../MEMORY.md", "..\\..\\MEMORY.md", "/etc/x.md", ".md", "a\0b.md", "…/‮x.md"]
)
def test_a_name_cannot_lead_anywhere_else(
    client: TestClient, folder: Path, site: Site, name: str
) -> None:
    lasting = (folder / "MEMORY.md").read_bytes()
    _, seen = send(client, name, "# Evil\n\n- evil\n")
    if "upload" in seen:
        (one,) = kept(site)
        assert {file.parent for file in one.rglob("*")} == {one}
        client.post("/api/import/apply", json={"upload": seen["upload"]})
    assert (folder / "MEMORY.md").read_bytes() == lasting
    outside = [one for one in folder.parent.rglob("*evil*") if not one.is_relative_to(folder)]
    assert outside == []


@pytest.mark.parametrize(
    ("upload", "status"),
    [("../x", 400), ("0123456789abcdef", 404), ("zz", 400), ("0123456789abcdef/..", 400)],
)
def test_only_what_was_sent_can_be_imported(client: TestClient, upload: str, status: int) -> None:
    """No path is a name of an upload, and one that was never sent is not there."""
    for path in ("apply", "cancel"):
        answer = client.post(f"/api/import/{path}", json={"upload": upload})
        assert answer.status_code == status, answer.text


def test_too_large_a_file_is_refused_and_dropped(
    client: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_UPLOAD_BYTES", 1024 * 1024)
    status, said = send(client, "big.md", b"x" * (1024 * 1024 + 1))
    assert status == 413
    assert "memdown import" in str(said["error"])
    assert kept(site) == []


def test_read_only_takes_no_file(folder: Path, open_memory: Callable[..., Memory]) -> None:
    site = site_over(open_memory(folder), read_only=True)
    assert send(client_for(site), "a.md", "# A\n")[0] == 403
    assert kept(site) == []
