"""What the JSON interface answers."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.transcripts.reading import sessions_folder
from memdown.web.operations import OPERATIONS, document
from memdown.web.site import Site
from waiting import eventually
from web.conftest import client_for
from web.live import site_over


def test_a_search_tells_where_and_why(client: TestClient) -> None:
    data = client.get("/api/search", params={"q": "router in the hall"}).json()
    first = data["results"][0]
    assert first["path"] == "memory/home.md"
    assert first["citation"].startswith("memory/home.md#L")
    assert set(first["why"]) >= {"rank", "vectorScore", "textScore", "recency", "matched"}
    assert "router" in first["why"]["matched"]


def test_a_group_is_not_told_where_something_stands(client: TestClient) -> None:
    """As over MCP: the chat, or the key of the session that asks, decides about citations."""
    told = {}
    for name, who in {
        "owner": {},
        "group": {"chat": "group"},
        "channel": {"sessionKey": "agent:main:slack:channel:c024"},
        "main": {"chat": "direct", "sessionKey": "agent:main:main"},
    }.items():
        data = client.get("/api/search", params={"q": "router in the hall", **who}).json()
        told[name] = data["results"][0]["citation"] is not None
    assert told == {"owner": True, "group": False, "channel": False, "main": True}
    wrong = client.get("/api/search", params={"q": "router", "chat": "party"})
    assert wrong.status_code == 400
    assert "direct, group or channel" in wrong.json()["error"]


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        ({"since": "2026-03-02", "until": "March 2026"}, {"memory/2026-03-02.md"}),
        ({"folder": "people"}, set()),
        ({"tag": "weather"}, {"memory/2026-03-02.md"}),
        ({"source": "notes"}, {"memory/2026-03-02.md"}),
    ],
)
def test_a_search_among_some_notes(
    client: TestClient, folder: Path, only: dict[str, str], paths: set[str]
) -> None:
    (folder / "memory/2026-03-02.md").write_text("# 2 March\n\n- Rain all day. #weather\n")
    data = client.get("/api/search", params={"q": "rain all day", **only}).json()
    assert {one["path"] for one in data["results"]} == paths
    page = client.get("/hits", params={"q": "rain all day", **only}).text
    assert ("Nothing found" in page) == (not paths)


def test_an_empty_answer_has_a_reason(client: TestClient) -> None:
    data = client.get("/api/search", params={"q": "zzqx", "minScore": "1"}).json()
    assert data["results"] == []
    assert data["reasons"]


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%20", "q=a&limit=0", "q=a&limit=x", "q=a&minScore=nan", "q=a&what=1", "q=a&q=b",
              "q=a&source=elsewhere", "q=a&since=whenever", "q=a&tag=%23", "q=a&folder=..", "q=a&limit=%C2%B2"],
)  # fmt: skip
def test_a_wrong_question_is_explained(client: TestClient, query: str) -> None:
    answer = client.get(f"/api/search?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_notes_are_listed_and_read(client: TestClient) -> None:
    data = client.get("/api/notes", params={"under": "memory/2026", "limit": 2}).json()
    assert data["total"] == 3
    assert [one["path"] for one in data["notes"]] == [
        "memory/2026-03-01.md",
        "memory/2026-03-02-trip.md",
    ]
    note = client.get("/api/notes/memory/people/ida.md").json()
    assert note["text"] == "# Ida\n\nHazelnut allergy.\n"
    assert note["editable"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("memory/none.md", 404),
        ("memory/%2e%2e/%2e%2e/etc/passwd", 403),
        ("%2Fetc%2Fpasswd", 403),
        ("..%2f..%2fsecret.md", 403),
        ("memory/a.txt", 403),
        ("memory/.git/x.md", 403),
        ("memory/%00.md", 403),
        ("memory/%F0%9F.md", 404),
    ],
)
def test_only_notes_are_read(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"/api/notes/{path}")
    assert answer.status_code == status
    assert "error" in answer.json()


def test_an_edit_and_its_conflict(client: TestClient, folder: Path) -> None:
    note = client.get("/api/notes/MEMORY.md").json()
    saved = client.put("/api/notes/MEMORY.md", json={"text": "# A\n", "base": note["version"]})
    assert saved.status_code == 200
    assert (folder / "MEMORY.md").read_text() == "# A\n"
    again = client.put("/api/notes/MEMORY.md", json={"text": "# B\n", "base": note["version"]})
    assert again.status_code == 409
    assert again.json()["current"]["text"] == "# A\n"
    assert (folder / "MEMORY.md").read_text() == "# A\n"


def test_a_new_note(client: TestClient, folder: Path) -> None:
    answer = client.put("/api/notes/memory/new.md", json={"text": "# New\n", "base": None})
    assert answer.status_code == 200
    assert (folder / "memory/new.md").read_text() == "# New\n"


def test_something_is_written_down(client: TestClient, folder: Path) -> None:
    today = datetime.date.today().isoformat()
    answer = client.post("/api/entries", json={"text": "Bought bread."})
    assert answer.status_code == 201
    assert answer.json()["path"] == f"memory/{today}.md"
    client.post("/api/entries", json={"text": "Always buy rye.", "durable": True})
    assert f"- Always buy rye. ({today})\n" in (folder / "MEMORY.md").read_text()
    assert client.post("/api/entries", json={"text": "  "}).status_code == 422


def test_a_secret_is_written_only_if_the_person_says_so(client: TestClient, folder: Path) -> None:
    """The page shows what it looks like and asks; the answer never repeats the secret."""
    token = "ghp" + "_" + "a1B2c3D4e5F6" * 3
    entry = {"text": f"token {token}", "durable": True}
    refused = client.post("/api/entries", json=entry)
    assert refused.status_code == 422
    assert refused.json()["secret"] == "a GitHub token (line 1)"
    assert token not in refused.text + (folder / "MEMORY.md").read_text()
    assert client.post("/api/entries", json={**entry, "allowSecrets": True}).status_code == 201
    note = {"text": f"pw: {token}\n", "base": None}
    assert client.put("/api/notes/memory/new.md", json=note).json()["secret"]
    assert not (folder / "memory/new.md").exists()
    saved = client.put("/api/notes/memory/new.md", json={**note, "allowSecrets": True})
    assert saved.status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"text": 1}', b'{"text": "a", "more": 1}', b'"x"', b"[" * 5000]
)
def test_a_wrong_body_is_explained(client: TestClient, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/api/entries", content=body, headers=headers)
    assert answer.status_code == 400
    assert client.post("/api/entries", content=b"text=x").status_code == 415


def test_a_huge_body_is_refused(client: TestClient) -> None:
    answer = client.post("/api/preview", json={"text": "a" * (9 * 1024 * 1024)})
    assert answer.status_code == 413


def test_read_only_changes_nothing(folder: Path, open_memory: Callable[..., Memory]) -> None:
    client = client_for(site_over(open_memory(folder), read_only=True))
    note = client.get("/api/notes/MEMORY.md").json()
    assert (
        client.put("/api/notes/MEMORY.md", json={"text": "", "base": note["version"]}).status_code
        == 403
    )
    assert client.post("/api/entries", json={"text": "x"}).status_code == 403
    assert client.post("/api/sync", json={}).status_code == 403
    assert client.get("/api/search", params={"q": "router"}).json()["results"]
    page = client.get("/notes/MEMORY.md?view=edit").text
    assert "cannot be edited here" in page
    assert "data-remember" not in client.get("/").text


def test_a_rebuild_reports_its_progress(client: TestClient) -> None:
    assert client.post("/api/sync", json={"force": True}).status_code == 202
    with client.stream("GET", "/api/sync/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    assert events[-1]["state"] == "done"
    assert events[-1]["report"]["indexed"] == 6
    assert client.get("/api/sync").json()["state"] == "done"
    assert client.get("/api/status").json()["dirty"] is False


def test_a_second_rebuild_joins_the_first(site: Site) -> None:
    assert site.job.start(force=True)
    site.job.start(force=True)
    eventually(lambda: site.job.state()["state"] != "running")
    assert site.job.state()["state"] == "done"


def test_the_calendar(client: TestClient) -> None:
    days = client.get("/api/calendar", params={"year": 2026}).json()["days"]
    assert [one["date"] for one in days] == ["2026-03-01", "2026-03-02"]
    assert days[1]["paths"] == ["memory/2026-03-02-trip.md", "memory/2026-03-02.md"]


def test_what_left_the_machine(client: TestClient) -> None:
    client.get("/api/search", params={"q": "router"})
    assert all(not one["requests"] for one in client.get("/api/sent").json()["days"])


def test_sessions_are_listed_read_and_searched(site: Site, client: TestClient) -> None:
    place = sessions_folder(site.memory.settings.state_dir, "main")
    place.mkdir(parents=True)
    turns = [
        ("user", "Which <b>router</b>?"),
        ("assistant", "The ER605, key sk-abcdefghijklmnopqrstuvwx123456."),
    ]
    lines = [
        {"type": "message", "message": {"role": role, "content": text}} for role, text in turns
    ]
    (place / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [one["id"] for one in client.get("/api/sessions").json()["sessions"]] == ["s1"]
    said = client.get("/api/sessions/s1").json()["turns"]
    assert [one["role"] for one in said] == ["user", "assistant"]
    assert "abcdefghijkl" not in said[1]["text"]
    found = client.get("/api/recall", params={"q": "the er605"}).json()["found"]
    assert found[0]["turn"]["line"] == 2
    assert client.get("/api/sessions/none").status_code == 404
    assert "ER605" in client.get("/sessions/s1").text
    assert "<b>router" not in client.get("/sessions/s1").text
    assert "<mark>ER605</mark>" in client.get("/sessions?q=ER605").text
    exported = client.get("/export/s1")
    assert exported.headers["content-disposition"] == "attachment; filename*=UTF-8''s1.md"
    assert "\n## User" in exported.text
    assert "ER605" in exported.text
    assert client.post("/api/sessions/delete", json={"session": "s1"}).json() == {"deleted": "s1"}
    assert client.get("/api/sessions").json()["sessions"] == []
    assert client.post("/api/sessions/delete", json={"session": "s1"}).status_code == 404


def test_every_call_is_documented(client: TestClient) -> None:
    assert client.get("/api/openapi.json").json() == document()
    names = [one.name for one in OPERATIONS]
    assert len(names) == len(set(names))
    for one in OPERATIONS:
        assert one.handler.__doc__


def test_an_unknown_call_is_json_too(client: TestClient) -> None:
    assert client.get("/api/nowhere").json() == {"error": "There is no page here."}
    assert client.delete("/api/notes").status_code == 405
