"""Review: what wants a look, one tap each, and that every tap can be taken back."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.errors import NoteNotFound, WorkspaceError
from memdown.facts.reviewing import Decisions, decide, review
from memdown.web.site import Site
from web.conftest import client_for
from web.live import site_over

YESTERDAY = datetime.date.today() - datetime.timedelta(1)
NOTES = {
    "MEMORY.md": f"""\
# Memory

- The stand-up is at 09:30. (2026-01-05)
- Works from Madrid. (until {YESTERDAY})
- The printer hates blue paper.
""",
    "memory/office.md": "# Office\n\n- The stand-up is at 10:15. (2026-02-05)\n",
    "memory/odd.md": "# Odd\n\n- The printer hates blue paper.\n",
    **{f"memory/2026-03-0{day}.md": "- Teo had his night shift again.\n" for day in (1, 2, 3)},
}


@pytest.fixture
def folder(write_notes: Callable[[dict[str, str]], Path]) -> Path:
    return write_notes(NOTES)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*.md"))}


def proposals(client: TestClient) -> dict[str, dict[str, str]]:
    found = client.get("/api/review").json()["proposals"]
    return {one["kind"]: one for one in found}


def test_the_page_shows_both_sides_with_their_days(client: TestClient) -> None:
    page = client.get("/review").text
    assert "The stand-up is at 09:30." in page
    assert "The stand-up is at 10:15." in page
    assert "2026-02-05" in page
    assert f"until {YESTERDAY}" in page
    assert page.count('data-verdict="other"') == 2
    assert page.count("This one holds") == 2


@pytest.mark.parametrize(
    ("kind", "verdict", "path", "there", "gone"),
    [
        ("contradiction", "apply", "MEMORY.md", "~~The stand-up is at 09:30.", "- The stand-up is"),
        ("contradiction", "other", "memory/office.md", "~~The stand-up is at 10:15.~~", "zzz"),
        ("expired", "apply", "MEMORY.md", "~~Works from Madrid.~~", "- Works from"),
        ("duplicate", "apply", "memory/odd.md", "# Odd", "blue paper"),
        ("duplicate", "other", "MEMORY.md", "# Memory", "blue paper"),
        ("repeated", "apply", "MEMORY.md", "Teo had his night shift again.", "zzz"),
    ],
)
def test_each_tap_does_what_it_says_and_is_undone(
    client: TestClient, folder: Path, kind: str, verdict: str, path: str, there: str, gone: str
) -> None:
    before = bytes_of(folder)
    key = proposals(client)[kind]["key"]
    done = client.post("/api/review", json={"key": key, "verdict": verdict}).json()
    text = (folder / path).read_text()
    assert there in text
    assert gone not in text
    assert kind not in proposals(client)
    for number in reversed(done["changes"]):
        assert client.post("/api/undo", json={"id": number}).status_code == 200
    assert bytes_of(folder) == before
    assert proposals(client)[kind]["key"] == key


@pytest.mark.parametrize("verdict", ["fine", "later"])
def test_what_is_put_aside_is_not_asked_again_until_it_is_opened(
    client: TestClient, folder: Path, verdict: str
) -> None:
    before = bytes_of(folder)
    key = proposals(client)["contradiction"]["key"]
    assert client.post("/api/review", json={"key": key, "verdict": verdict}).json() == {
        "changes": []
    }
    assert "contradiction" not in proposals(client)
    # Lines that move above it do not bring it back.
    memory = folder / "MEMORY.md"
    memory.write_text(memory.read_text().replace("# Memory\n", "# Memory\n\nWhat lasts.\n"))
    assert "contradiction" not in proposals(client)
    client.post("/api/review/open", json={"key": key})
    assert proposals(client)["contradiction"]["key"] == key
    memory.write_bytes(before[str(memory)])
    assert bytes_of(folder) == before


def test_later_is_over_after_a_week_and_fine_never(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "x.decided.json")
    decisions.hide("a")
    decisions.hide("b", until=1_000.0)
    assert decisions.hidden(999.0) == {"a", "b"}
    assert decisions.hidden(1_001.0) == {"a"}
    decisions.file.write_text("nonsense")
    assert decisions.hidden(0.0) == frozenset()


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    decisions = Decisions(tmp_path / "x.json")
    decisions.hide("a")
    (tmp_path / "x.json").unlink()
    (tmp_path / "x.json").mkdir()
    with pytest.raises(WorkspaceError, match="cannot be written"):
        decisions.hide("b")


def test_a_proposal_of_a_note_that_changed_meanwhile_is_refused(
    client: TestClient, folder: Path, site: Site
) -> None:
    """A number would mean another proposal by now; a key means this one or none."""
    key = proposals(client)["contradiction"]["key"]
    (folder / "memory/office.md").write_text("# Office\n")
    answer = client.post("/api/review", json={"key": key, "verdict": "apply"})
    assert answer.status_code == 404
    assert "changed meanwhile" in answer.json()["error"]
    with pytest.raises(NoteNotFound):
        decide(site.memory, key, "later")
    with pytest.raises(WorkspaceError, match="no other side"):
        decide(site.memory, proposals(client)["expired"]["key"], "other")


def test_read_only_shows_and_changes_nothing(
    folder: Path, open_memory: Callable[..., Memory]
) -> None:
    client = client_for(site_over(open_memory(folder), read_only=True))
    assert "data-verdict" not in client.get("/review").text
    key = proposals(client)["contradiction"]["key"]
    for path, body in (("", {"verdict": "apply"}), ("/open", {})):
        assert client.post(f"/api/review{path}", json={"key": key, **body}).status_code == 403


def test_today_marks_what_contradicts(site: Site, client: TestClient) -> None:
    site.memory.sync()
    site.memory.remember("The stand-up is at 11:00.", durable=True, actor="client:codex")
    page = client.get("/").text
    assert "Something else stands in" in page
    assert "memory/office.md L3" in page
    key = proposals(client)["contradiction"]["key"]
    assert key in {one.key for one in review(site.memory)}


def test_nothing_to_review(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    folder = write_notes({"MEMORY.md": "# Memory\n\n- Tea, not coffee.\n"})
    client = client_for(site_over(open_memory(folder)))
    assert "Nothing wants a look" in client.get("/review").text


@pytest.fixture
def logged(tmp_path: Path, folder: Path, open_memory: Callable[..., Memory]) -> TestClient:
    config = tmp_path / "memdown.json5"
    config.write_text("{memory: {use: {enabled: true}}}")
    return client_for(site_over(open_memory(folder, config=config)))


def test_what_was_asked_and_found_nothing_gets_an_answer(logged: TestClient, folder: Path) -> None:
    """A question that finds nothing is listed until its answer is written down; undo lists nothing."""
    question = "who repairs the dishwasher"
    for _ in range(2):
        logged.get("/", params={"q": question})
    logged.get("/hits", params={"q": "half typed que", "typing": "1"})
    assert [one["question"] for one in logged.get("/api/use").json()["missed"]] == [question]
    page = logged.get("/asked").text
    assert question in page
    assert "Write the answer" in page
    assert "asked 2 times" not in page, "a reload asks nothing new"
    text = "Frau Kraft repairs the dishwasher, 040 1234."
    done = logged.post("/api/answer", json={"question": question, "text": text}).json()
    assert done["found"] == "strong"
    assert text in (folder / "MEMORY.md").read_text()
    assert logged.get("/api/use").json()["missed"] == []
    assert logged.post("/api/undo", json={"id": done["changes"][0]}).status_code == 200
    assert text not in (folder / "MEMORY.md").read_text()


def test_what_is_opened_from_a_result_counts(logged: TestClient) -> None:
    opened = {"question": "printer paper", "path": "MEMORY.md", "line": 5, "end": 5}
    assert logged.post("/api/opened", json=opened).json() == {"logged": True}
    (most, *_) = logged.get("/api/use").json()["often"]
    assert (most["text"], most["opened"]) == ("The printer hates blue paper.", 1)
    assert "Recalled most" in logged.get("/asked").text


def test_what_was_not_meant_is_kept_with_what_was(logged: TestClient) -> None:
    """The question is one without a good answer then, and what is opened next is its answer."""
    question = "printer paper"
    assert "Not what I meant" in logged.get("/", params={"q": question}).text
    assert logged.get("/api/use").json()["missed"] == []
    missed = {"question": question, "path": "memory/odd.md"}
    assert logged.post("/api/missed", json=missed).json() == {"logged": True}
    use = logged.get("/api/use").json()
    assert [one["question"] for one in use["missed"]] == [question]
    assert use["questions"] == 1
    assert question in logged.get("/asked").text


def test_a_verdict_that_is_taken_back_is_in_the_list_at_once(
    site: Site, client: TestClient
) -> None:
    """All notes are looked through again only in the background, once a server follows them."""
    key = proposals(client)["contradiction"]["key"]
    done = client.post("/api/review", json={"key": key, "verdict": "apply"}).json()
    for number in reversed(done["changes"]):
        client.post("/api/undo", json={"id": number})
    client.post("/api/review/open", json={"key": key})
    assert key in {one.key for one in site.proposals.last() or ()}


def test_without_the_log_nothing_is_written_down(client: TestClient, site: Site) -> None:
    client.get("/", params={"q": "dishwasher"})
    client.post("/api/opened", json={"question": "x", "path": "MEMORY.md"})
    client.post("/api/missed", json={"question": "x", "path": "MEMORY.md"})
    assert "Not what I meant" not in client.get("/", params={"q": "router"}).text
    assert "Nothing is written down" in client.get("/asked").text
    assert list(site.memory.settings.state_dir.rglob("use/*.jsonl")) == []
