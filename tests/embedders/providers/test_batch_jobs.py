"""Batch jobs: started, collected, resumed and given up, with each provider that has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from embedders.providers.loopback import Loopback
from embedders.providers.scene import Scene

PROVIDERS = ("openai", "voyage", "gemini")


@pytest.fixture
def scene(tmp_path: Path, server: Loopback, own_state: Path) -> Scene:
    """Eight notes, and jobs from four texts on."""
    scene = Scene(tmp_path, server, own_state)
    scene.job_changes = {"least_texts": 4, "poll_seconds": 0.01}
    for number in range(8):
        scene.write(**{f"memory__n{number}": f"Note number {number} on subject {number}.\n"})
    # Jobs are thought of only when the files are large enough to hold so many chunks.
    scene.search = {"chunking": {"tokens": 8, "overlap": 0}}
    return scene


def at(provider: str, server: Loopback, **batch: Any) -> dict[str, Any]:
    remote = {"baseUrl": server.base(provider), "apiKey": server.key, "batch": batch}
    return {"provider": provider, "remote": remote}


def normal_requests(server: Loopback) -> int:
    paths = ("/v1/embeddings", ":batchEmbedContents")
    return sum(seen.path.endswith(paths) for seen in server.seen)


def jobs_written(scene: Scene) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in (scene.state / "jobs").rglob("*.json")]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_large_backfill_is_one_job(provider: str, scene: Scene) -> None:
    with scene.memory(**at(provider, scene.server)) as memory:
        report = memory.sync()
        answer = memory.search("subject 5")
    assert report.failed == ()
    assert report.indexed == 8
    assert report.embedded == 0
    assert len(scene.server.jobs) == 1
    assert normal_requests(scene.server) == (0 if provider == "gemini" else 1)
    assert answer.hits[0].path == "memory/n5.md"
    assert jobs_written(scene) == []
    assert list((scene.state / "jobs").rglob("*.results")) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_lines_that_fail_are_sent_again_normally(provider: str, scene: Scene) -> None:
    scene.write(memory__n3="Note number 3: fail me.\n")
    with scene.memory(**at(provider, scene.server)) as memory:
        report = memory.sync()
    assert report.indexed == 8
    assert report.embedded >= 1
    assert normal_requests(scene.server) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_waiting_a_later_sync_collects(provider: str, scene: Scene) -> None:
    scene.server.looks_until_done = 3
    changes = at(provider, scene.server, wait=False)
    with scene.memory(**changes) as memory:
        first = memory.sync()
        status = memory.status()
    assert (first.indexed, first.waiting, first.complete) == (0, 8, False)
    assert status.jobs.pending == 1
    assert len(jobs_written(scene)) == 1
    scene.write(memory__other="Something that is in no job.\n")
    scene.server.looks_until_done = 10**9
    with scene.memory(**changes) as memory:
        second = memory.sync()
    assert (second.indexed, second.waiting) == (1, 8)
    scene.server.looks_until_done = 0
    with scene.memory(**changes) as memory:
        third = memory.sync()
        assert (third.indexed, third.waiting, third.complete) == (8, 0, True)
        assert memory.status().jobs.pending == 0
    assert len(scene.server.jobs) == 1


def test_a_rebuild_that_waits_leaves_the_old_index(scene: Scene) -> None:
    with scene.memory(provider="bundled") as memory:
        memory.sync()
    changes = at("openai", scene.server, wait=False)
    scene.server.looks_until_done = 2
    with scene.memory(**changes) as memory:
        report = memory.sync()
        assert not report.rebuilt
        assert not report.complete
    scene.server.looks_until_done = 0
    with scene.memory(**changes) as memory:
        assert memory.sync().rebuilt
    assert normal_requests(scene.server) == 0


def test_a_killed_process_leaves_a_job_that_is_collected(scene: Scene) -> None:
    """The job is written down before it is waited for; here the wait is cut short."""
    scene.server.looks_until_done = 10**9
    changes = at("openai", scene.server, wait=False)
    with scene.memory(**changes) as memory:
        memory.sync()
    scene.server.looks_until_done = 0
    with scene.memory(**at("openai", scene.server)) as memory:
        report = memory.sync()
    assert report.indexed == 8
    assert len(scene.server.jobs) == 1
    assert normal_requests(scene.server) == 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_failed_job_falls_back_to_normal_requests(
    provider: str, scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.server.job_state = "failed"
    with scene.memory(**at(provider, scene.server)) as memory:
        report = memory.sync()
        status = memory.status()
    assert report.indexed == 8
    assert normal_requests(scene.server) == 1
    assert "failed" in caplog.text
    assert "failed" in (status.jobs.last_error or "")


def test_two_failures_turn_jobs_off(scene: Scene) -> None:
    scene.server.misbehave("404", only="/files")
    with scene.memory(**at("openai", scene.server)) as memory:
        report = memory.sync()
        assert report.indexed == 8
        assert sum(seen.path == "/v1/files" for seen in scene.server.seen) == 2
        for number in range(8):
            scene.write(**{f"memory__m{number}": f"Another one, number {number} of 8.\n"})
        memory.sync()
        assert sum(seen.path == "/v1/files" for seen in scene.server.seen) == 2


def test_a_job_that_takes_too_long_is_cancelled_after_a_second_chance(scene: Scene) -> None:
    scene.server.looks_until_done = 10**9
    scene.job_changes["timeout_seconds"] = 0.1
    with scene.memory(**at("openai", scene.server)) as memory:
        report = memory.sync()
    assert report.indexed == 8
    assert any(seen.path.endswith("/cancel") for seen in scene.server.seen)
    # What the cancelled job had made was kept: nothing is paid twice.
    assert normal_requests(scene.server) == 0
    assert jobs_written(scene) == []


def test_a_job_that_the_provider_forgot_is_forgotten(scene: Scene) -> None:
    scene.server.looks_until_done = 10**9
    changes = at("openai", scene.server, wait=False)
    with scene.memory(**changes) as memory:
        memory.sync()
    scene.server.jobs.clear()
    with scene.memory(**changes) as memory:
        memory.sync()
    assert len(jobs_written(scene)) == 1
    assert len(scene.server.jobs) == 1


def test_few_texts_are_sent_normally(scene: Scene) -> None:
    scene.job_changes["least_texts"] = 9
    with scene.memory(**at("openai", scene.server)) as memory:
        memory.sync()
    assert scene.server.jobs == {}


def test_jobs_can_be_turned_off(scene: Scene) -> None:
    scene.job_changes = {}
    with scene.memory(**at("openai", scene.server, enabled=False)) as memory:
        memory.sync()
        shown = memory.status().jobs
        # How they would be done is shown all the same.
        assert not shown.enabled
        assert (shown.limit, shown.concurrency, shown.timeout_seconds) == (2, 2, 3600)
    assert scene.server.jobs == {}


def test_a_search_never_waits_for_a_job(scene: Scene) -> None:
    scene.server.looks_until_done = 10**9
    with scene.memory(**at("openai", scene.server)) as memory:
        assert memory.search("subject 5").hits[0].path == "memory/n5.md"
    assert scene.server.jobs == {}


def test_the_wire_format_of_each_job(scene: Scene) -> None:
    for provider in PROVIDERS:
        with scene.memory(**at(provider, scene.server)) as memory:
            memory.sync(force=True)
    created = [seen.body for seen in scene.server.seen if seen.path == "/v1/batches"]
    assert created[0]["completion_window"] == "24h"
    assert created[1]["completion_window"] == "12h"
    assert created[1]["request_params"] == {"model": "voyage-4-large", "input_type": "document"}
    openai, voyage, gemini = (
        json.loads(data.splitlines()[0])
        for name, data in scene.server.files.items()
        if name.startswith(("file-", "up-"))
    )
    assert openai["method"] == "POST"
    assert openai["url"] == "/v1/embeddings"
    assert openai["body"]["model"] == "text-embedding-3-small"
    assert len(openai["custom_id"]) == 64
    assert list(voyage["body"]) == ["input"]
    assert gemini["request"]["taskType"] == "RETRIEVAL_DOCUMENT"
    assert len(gemini["key"]) == 64
