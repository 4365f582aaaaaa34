"""A whole memory over a provider: what it survives, what it keeps, what it never pays twice."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

import apsw
import numpy as np
import pytest

from embedders.providers.loopback import DIMS, KEY, Loopback
from embedders.providers.scene import QUICK, Scene
from memdown import Memory
from memdown.embedders import Timeouts
from memdown.errors import EmbedderError, MissingKey, RefusedKey, Unreachable
from waiting import eventually

NOTES = {
    "MEMORY": "# Home\n\nThe router ER-605 stands in the hall.\n",
    "memory__2026-03-01": "Fixed the coffee machine with a new gasket.\n",
    "memory__cats": "The cat sleeps on the printer because it is warm.\n",
}
ALL_FAULTS = [
    "401",
    "403",
    "429",
    "429-later",
    "quota",
    "500",
    "503",
    "hang",
    "cut",
    "cut_json",
    "html",
    "wrong_count",
    "wrong_dims",
    "nan",
    "zeros",
    "duplicate",
    "redirect",
    "404",
    "400",
    "words",
    "uneven",
]


@pytest.fixture
def scene(tmp_path: Path, server: Loopback, own_state: Path) -> Scene:
    scene = Scene(tmp_path, server, own_state)
    scene.write(**NOTES)
    return scene


def rows_in(state: Path, table: str) -> list[bytes]:
    """The vectors that an index or its cache holds, read when no memory is open."""
    db = apsw.Connection(str(state / "memory" / "main.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = db.execute(f"SELECT embedding FROM {table}").fetchall()
        # An empty one is a mark: that chunk's vector is in `chunks_vec`.
        return [row[0] for row in rows if isinstance(row[0], bytes) and row[0]]
    finally:
        db.close()


def test_a_search_finds_by_meaning_of_the_provider(scene: Scene) -> None:
    with scene.memory() as memory:
        answer = memory.search("where does the router stand")
    assert answer.hits[0].path == "MEMORY.md"
    assert (answer.provider, answer.model) == ("openai", "text-embedding-3-small")
    assert answer.hits[0].vector_score > 0
    assert answer.reasons == ()


def test_the_second_index_and_a_forced_rebuild_send_nothing(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
        sent = len(scene.server.seen)
        assert memory.sync().indexed == 0
        report = memory.sync(force=True)
    assert report.rebuilt
    assert (report.embedded, report.found) == (0, 3)
    assert len(scene.server.seen) == sent


def test_one_changed_file_sends_only_what_is_new(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
        scene.server.seen.clear()
        scene.write(memory__cats="The cat now sleeps on the sofa.\n")
        memory.sync()
    assert scene.server.texts() == ["The cat now sleeps on the sofa."]


def test_the_same_text_in_two_files_is_sent_once(scene: Scene) -> None:
    scene.write(memory__a="The same words.\n", memory__b="The same words.\n")
    with scene.memory() as memory:
        memory.sync()
    assert scene.server.texts().count("The same words.") == 1


@pytest.mark.parametrize("fault", ALL_FAULTS)
def test_a_first_index_fails_cleanly(fault: str, scene: Scene) -> None:
    """Nothing bad gets into cache or index, the search answers in time, and says why."""
    scene.server.redirect_to = "http://127.0.0.1:9/v1/embeddings"
    scene.server.misbehave(fault)
    began = time.monotonic()
    with scene.memory() as memory:
        answer = memory.search("where does the router stand")
        took = time.monotonic() - began
    # Every vector is as long as the others here: it is a first index that cannot know better.
    fine = fault in ("wrong_dims", "uneven")
    assert took < QUICK.query + QUICK.batch + 2
    if not fine:
        assert "openai (127.0.0.1" in " ".join(answer.reasons) or fault in ("nan", "zeros")
        assert answer.reasons
    assert KEY not in repr(answer)
    for table in ("embedding_cache", "chunks"):
        for blob in rows_in(scene.state, table):
            row = np.frombuffer(blob, dtype=np.float32)
            assert np.isfinite(row).all()
            assert row.any()
    scene.server.behave()
    if not fine:
        with scene.memory() as memory:
            again = memory.search("where does the router stand")
        assert again.hits[0].path == "MEMORY.md"
        assert again.reasons == ()


@pytest.mark.parametrize("fault", ALL_FAULTS)
def test_a_built_index_keeps_answering_by_keyword(fault: str, scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
    before = sorted(rows_in(scene.state, "embedding_cache"))
    scene.write(memory__new="A new note about the dishwasher.\n")
    scene.server.redirect_to = "http://127.0.0.1:9/v1/embeddings"
    scene.server.misbehave(fault)
    began = time.monotonic()
    with scene.memory() as memory:
        answer = memory.search("ER-605")
        assert time.monotonic() - began < QUICK.query + QUICK.batch + 2
    assert answer.hits[0].path == "MEMORY.md"
    assert answer.provider == "openai"
    # With one new text there is nothing to mix up.
    assert answer.reasons or fault in ("uneven", "duplicate")
    after = rows_in(scene.state, "embedding_cache")
    assert set(before) <= set(after)
    assert {len(row) for row in after} == {DIMS * 4}
    scene.server.behave()
    with scene.memory() as memory:
        found = memory.search("dishwasher")
    assert "memory/new.md" in [hit.path for hit in found.hits]
    assert found.reasons == ()


def test_a_failed_sync_is_continued_not_begun_again(scene: Scene) -> None:
    scene.search = {"chunking": {"tokens": 8000, "overlap": 0}}
    scene.timeouts = Timeouts(query=20.0, batch=20.0, first_pause=0.02)
    for number in range(8):
        scene.write(**{f"memory__long{number}": f"note {number} " + "words " * 5000})
    scene.server.misbehave("slow", times=4)
    scene.server.misbehave("401")
    with scene.memory() as memory, pytest.raises(RefusedKey):
        memory.sync()
    kept = len(rows_in(scene.state, "embedding_cache"))
    assert kept >= 1
    scene.server.behave()
    scene.server.seen.clear()
    with scene.memory() as memory:
        report = memory.sync()
    assert report.failed == ()
    assert len(scene.server.texts()) == 11 - kept


def test_a_missing_key_does_not_hide_the_index(scene: Scene) -> None:
    """Not even if the provider was asked for by name."""
    scene.search = {"remote": {}}
    scene.server.key = None
    with pytest.raises(MissingKey, match=r"OPENAI_API_KEY"), scene.memory() as memory:
        memory.sync()
    with scene.memory(provider="none") as memory:
        memory.sync()
    with scene.memory(provider="openai") as memory:
        answer = memory.search("ER-605")
        status = memory.status()
    assert answer.hits[0].path == "MEMORY.md"
    assert "No key for OpenAI was found" in answer.reasons[0]
    assert status.embedder_works is False
    assert "No key for OpenAI" in (status.embedder_error or "")


def test_removed_notes_go_even_when_the_provider_is_down(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
        (scene.workspace / "memory" / "cats.md").unlink()
        scene.write(memory__new="Something new.\n")
        scene.server.misbehave("500")
        with pytest.raises(Unreachable):
            memory.sync()
        assert [hit.path for hit in memory.search("cat sleeps printer").hits] == []


def test_a_fallback_builds_a_new_index(scene: Scene) -> None:
    scene.server.misbehave("401")
    with scene.memory(fallback="bundled") as memory:
        answer = memory.search("where does the router stand")
        status = memory.status()
    assert answer.hits[0].path == "MEMORY.md"
    assert (answer.provider, answer.fallback) == ("bundled", "openai")
    assert answer.hits[0].vector_score > 0
    assert answer.reasons[0].startswith("bundled stands in for openai: openai (127.0.0.1")
    assert "refused access" in answer.reasons[0]
    assert status.requested_provider == "openai"
    assert status.fallback == answer.reasons[0]


def test_a_fallback_never_replaces_a_good_index(scene: Scene) -> None:
    with scene.memory(fallback="bundled") as memory:
        memory.sync()
    scene.server.misbehave("401")
    scene.write(memory__new="A new note about the dishwasher.\n")
    with scene.memory(fallback="bundled") as memory:
        with pytest.raises(RefusedKey):
            memory.sync()
        assert memory.search("ER-605").hits[0].path == "MEMORY.md"
    scene.server.behave()
    scene.server.seen.clear()
    with scene.memory(fallback="bundled") as memory:
        memory.sync()
    assert scene.server.texts() == ["A new note about the dishwasher."]


def test_an_index_of_the_fallback_is_kept_fresh_by_it_and_replaced_when_it_can_be(
    scene: Scene,
) -> None:
    scene.server.misbehave("500")
    with scene.memory(fallback="bundled") as memory:
        memory.sync()
    scene.write(memory__new="A new note about the dishwasher.\n")
    with scene.memory(fallback="bundled") as memory:
        answer = memory.search("dishwasher")
    assert "memory/new.md" in [hit.path for hit in answer.hits]
    assert answer.provider == "bundled"
    scene.server.behave()
    with scene.memory(fallback="bundled") as memory:
        report = memory.sync()
        answer = memory.search("dishwasher")
    assert report.rebuilt
    assert answer.provider == "openai"
    assert answer.fallback is None


def test_a_missing_key_with_a_fallback_goes_on_at_once(scene: Scene) -> None:
    with scene.memory(remote={}, fallback="bundled") as memory:
        answer = memory.search("where does the router stand")
    assert (answer.provider, answer.fallback) == ("bundled", "openai")
    assert answer.hits[0].path == "MEMORY.md"


def test_switching_the_model_rebuilds_once_and_back_for_nothing(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
    with scene.memory(model="text-embedding-3-large") as memory:
        estimate = memory.index.estimate()
        assert estimate is not None
        assert (estimate.texts, estimate.cached, estimate.model) == (3, 0, "text-embedding-3-large")
        assert memory.sync().rebuilt
        assert memory.index.estimate() is None
        assert not memory.sync().rebuilt
    scene.server.seen.clear()
    with scene.memory() as memory:
        back = memory.index.estimate()
        assert back is not None
        assert back.cached == 3
        assert memory.sync().rebuilt
    assert scene.server.texts() == []


def test_a_switch_that_fails_leaves_the_old_index(scene: Scene) -> None:
    with scene.memory(provider="bundled") as memory:
        memory.sync()
    scene.server.misbehave("429")
    with scene.memory() as memory:
        with pytest.raises(EmbedderError):
            memory.sync()
        answer = memory.search("where does the router stand")
    assert answer.provider == "bundled"
    assert answer.hits[0].vector_score > 0


def test_a_new_key_is_no_new_index(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
    scene.server.key = "another"
    with scene.memory(
        remote={"baseUrl": scene.server.base("openai"), "apiKey": "another"}
    ) as memory:
        assert not memory.sync().rebuilt


def test_the_key_is_in_no_file_and_no_log(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with scene.memory() as memory:
        memory.search("router")
        scene.server.misbehave("401")
        memory.search("cat")
        status = memory.status(deep=True)
    assert KEY not in repr(status)
    assert "httpx" in {record.name for record in caplog.records}
    assert KEY not in caplog.text + repr([vars(record) for record in caplog.records])
    for file in scene.state.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes()


def test_status_counts_what_left_the_machine(scene: Scene) -> None:
    with scene.memory() as memory:
        memory.sync()
        memory.search("router")
        memory.sync(force=True)
        status = memory.status()
    sent = [one for one in status.usage if one.requests]
    assert [(one.provider, one.host) for one in sent] == [
        ("openai", scene.server.origin.removeprefix("http://"))
    ]
    assert (sent[0].requests, sent[0].texts) == (2, 4)
    assert sent[0].characters == sum(map(len, scene.server.texts()))
    looked_up = sum(one.looked_up for one in status.usage)
    found = sum(one.found for one in status.usage)
    assert (looked_up, found) == (6, 3)


def test_one_note_that_cannot_be_embedded_costs_no_other(scene: Scene) -> None:
    scene.server.misbehave("one_zero", times=1)
    with scene.memory() as memory:
        report = memory.sync()
        assert [failure.path for failure in report.failed] == ["MEMORY.md"]
        assert report.indexed == 2
    with scene.memory() as memory:
        again = memory.sync()
    assert again.failed == ()
    assert again.indexed == 1


def test_closing_does_not_wait_for_a_provider_that_hangs(scene: Scene) -> None:
    scene.server.misbehave("hang")
    with scene.memory() as memory:
        memory.search("router")
        began = time.monotonic()
    assert time.monotonic() - began < 1


def test_a_memory_of_ones_own_embedder_leaves_it_open(scene: Scene) -> None:
    from memdown.config import load_settings
    from memdown.embedders import choose

    embedder = choose(scene.setup()).embedder
    assert embedder is not None
    settings = load_settings(config=scene.config(), workspace=scene.workspace)
    with Memory.from_settings(settings, embedder=embedder) as memory:
        memory.sync()
    assert embedder.embed_query("still here").any()
    embedder.close()  # type: ignore[attr-defined]


def test_a_killed_process_has_kept_what_it_paid_for(scene: Scene) -> None:
    """All but the requests of the last moment: four in flight, and a quarter of a second."""
    scene.search = {"chunking": {"tokens": 8192, "overlap": 0}}
    scene.server.delay = 0.1
    for number in range(40):
        scene.write(**{f"memory__long{number}": f"{number} " + "w" * 30_000})
    command = [sys.executable, "-m", "memdown.cli", "index", "-w", str(scene.workspace)]
    command += ["--config", str(scene.config())]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        eventually(lambda: len(scene.server.seen) >= 24 or process.poll() is not None)
        process.kill()
    scene.server.delay = 0.0
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    texts = scene.server.texts()
    assert len(set(texts)) == 43
    assert len(texts) - 43 <= 20
