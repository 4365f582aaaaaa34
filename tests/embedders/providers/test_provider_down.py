"""A provider that is down hides no note: words at once, vectors when it is back, nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from embedders.providers.loopback import Loopback
from embedders.providers.scene import Scene
from memdown import Answer, Memory
from memdown.cli import run
from memdown.errors import MissingKey, RefusedKey, Unreachable
from transcripts.talking import add, said, talk

NOTES = {
    "MEMORY": "# Home\n\nThe router ER-605 stands in the hall.\n",
    "memory__cats": "The cat sleeps on the printer because it is warm.\n",
    "memory__empty": "",
}


@pytest.fixture
def scene(tmp_path: Path, server: Loopback, own_state: Path) -> Scene:
    scene = Scene(tmp_path, server, own_state)
    scene.write(**NOTES)
    return scene


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


def by_meaning(memory: Memory, query: str, path: str) -> bool:
    """Whether a note is found with a vector of its own."""
    hits = memory.search(query, min_score=0.0).hits
    return next(hit for hit in hits if hit.path == path).vector_score > 0


@pytest.mark.parametrize("fault", ["401", "429", "hang", "cut", "wrong_count"])
@pytest.mark.parametrize("driver", ["sqlite", "lancedb"])
def test_a_first_use_finds_notes_by_their_words(fault: str, driver: str, scene: Scene) -> None:
    scene.search = {"store": {"driver": driver}}
    scene.server.misbehave(fault)
    with scene.memory() as memory:
        answer = memory.search("ER-605")
        assert paths(answer) == ["MEMORY.md"]
        assert answer.reasons[0].startswith("keywords only: ")
        assert "openai (127.0.0.1" in answer.reasons[0]
        status = memory.status()
        assert (status.without_vectors, status.changed, status.dirty) == (2, 0, False)
        assert "openai" in (status.without_vectors_reason or "")
        sent = len(scene.server.seen)
        assert paths(memory.search("cat printer")) == ["memory/cats.md"]
        # Only the question is tried again: the notes are known, and the provider is known to be down.
        assert {text for seen in scene.server.seen[sent:] for text in seen.body["input"]} == {
            "cat printer"
        }
    scene.server.behave()
    scene.server.seen.clear()
    with scene.memory() as memory:
        assert by_meaning(memory, "where does the router stand", "MEMORY.md")
        answer = memory.search("cat printer")
        assert (answer.partial, answer.reasons) == (False, ())
        assert memory.status().without_vectors == 0
        assert memory.index.check() == []
    texts = scene.server.texts()
    assert sorted(text for text in texts if text.startswith(("#", "The"))) == sorted(
        text.strip() for text in NOTES.values() if text
    )


def test_a_note_saved_during_an_outage(scene: Scene) -> None:
    """Beside others that keep their vectors; only what is new is sent when the provider is back."""
    long = "\n\n".join(f"Paragraph {n} of the log. " + "words " * 300 for n in range(3))
    scene.write(memory__log=long)
    with scene.memory() as memory:
        memory.sync()
    scene.server.misbehave("500")
    scene.write(memory__log=f"{long}\n\nThe dishwasher E24 is broken.\n")
    with scene.memory() as memory:
        with pytest.raises(Unreachable):
            memory.sync()
        answer = memory.search("dishwasher E24")
        assert paths(answer)[0] == "memory/log.md"
        assert "E24" in answer.hits[0].snippet
    scene.server.behave()
    scene.server.seen.clear()
    with scene.memory() as memory:
        report = memory.sync()
        assert (report.indexed, report.without_vectors) == (1, 0)
        assert memory.index.check() == []
    assert all("E24" in text for text in scene.server.texts())
    assert 1 <= len(scene.server.texts()) <= 2


def test_a_missing_key(scene: Scene) -> None:
    with scene.memory(remote={}) as memory:
        answer = memory.search("ER-605")
        assert paths(answer) == ["MEMORY.md"]
        assert "No key for OpenAI was found" in answer.reasons[0]
        with pytest.raises(MissingKey):
            memory.sync()
    with scene.memory() as memory:
        assert by_meaning(memory, "router", "MEMORY.md")


def test_what_is_forgotten_goes_and_what_changes_is_seen(scene: Scene) -> None:
    scene.server.misbehave("401")
    with scene.memory() as memory:
        assert paths(memory.search("cat printer")) == ["memory/cats.md"]
        scene.write(memory__cats="The cat moved to the sofa.\n")
        assert paths(memory.search("sofa")) == ["memory/cats.md"]
        assert "printer" not in memory.search("cat").hits[0].snippet
        (scene.workspace / "memory/cats.md").unlink()
        assert paths(memory.search("sofa")) == []


def test_a_provider_that_gives_no_vector_for_one_note(scene: Scene) -> None:
    scene.server.misbehave("one_zero", times=1)
    with scene.memory() as memory:
        report = memory.sync()
        assert [failure.path for failure in report.failed] == ["MEMORY.md"]
        assert report.without_vectors == 1
        answer = memory.search("ER-605")
        assert paths(answer)[0] == "MEMORY.md"
        assert answer.partial
        assert answer.reasons[0].startswith("partial: 1 notes have no vectors yet")
    with scene.memory() as memory:
        assert not memory.search("ER-605").partial


def test_a_switch_to_a_provider_that_is_down(scene: Scene) -> None:
    """The index of the old model stays as it is, and still learns of new notes."""
    with scene.memory(provider="bundled") as memory:
        memory.sync()
    scene.server.misbehave("401")
    scene.write(memory__new="The dishwasher E24 is broken.\n")
    with scene.memory() as memory:
        with pytest.raises(RefusedKey):
            memory.sync()
        answer = memory.search("dishwasher E24")
        assert answer.provider == "bundled"
        assert paths(answer)[0] == "memory/new.md"
        fingerprint = memory.index.store.fingerprint()
        assert fingerprint is not None
        assert fingerprint.key.provider == "bundled"
    scene.server.behave()
    with scene.memory() as memory:
        assert memory.sync().rebuilt
        assert memory.status().without_vectors == 0


def test_another_cut_of_the_notes_waits_for_the_provider(scene: Scene) -> None:
    """Chunks of two sizes in one index would be found twice; the old index answers as it is."""
    with scene.memory() as memory:
        memory.sync()
    scene.server.misbehave("401")
    scene.write(memory__new="The dishwasher E24 is broken.\n")
    with scene.memory(chunking={"tokens": 50, "overlap": 0}) as memory:
        with pytest.raises(RefusedKey):
            memory.sync()
        assert paths(memory.search("ER-605")) == ["MEMORY.md"]
    scene.server.behave()
    with scene.memory(chunking={"tokens": 50, "overlap": 0}) as memory:
        assert paths(memory.search("dishwasher E24"))[0] == "memory/new.md"


def test_a_fallback_takes_over_what_has_no_vectors_yet(scene: Scene) -> None:
    scene.server.misbehave("401")
    with scene.memory() as memory:
        assert paths(memory.search("ER-605")) == ["MEMORY.md"]
    with scene.memory(fallback="bundled") as memory:
        answer = memory.search("where does the router stand")
        assert (answer.provider, answer.fallback) == ("bundled", "openai")
        assert answer.hits[0].vector_score > 0
        assert memory.status().without_vectors == 0


def test_a_fallback_is_waited_for_as_long_as_any_first_index(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider is known to be down and is not asked again, so nothing else takes long."""
    monkeypatch.setattr("memdown.index.index._PATIENCE_SECONDS", 0.0)
    scene.server.misbehave("401")
    with scene.memory(fallback="bundled") as memory:
        answer = memory.search("where does the router stand")
    assert answer.hits[0].path == "MEMORY.md"
    assert not answer.partial
    assert len(scene.server.seen) == 1


def asked_normally(server: Loopback) -> list[str]:
    """The texts that were sent outside of jobs."""
    sent = [seen.body["input"] for seen in server.seen if seen.path == "/v1/embeddings"]
    return [text for texts in sent for text in texts]


def test_notes_in_a_batch_job_are_found_by_their_words(scene: Scene) -> None:
    """A search neither waits for the job nor pays for its texts a second time."""
    scene.job_changes = {"least_texts": 4, "poll_seconds": 0.01}
    scene.search = {"chunking": {"tokens": 8, "overlap": 0}}
    for number in range(8):
        scene.write(**{f"memory__n{number}": f"Note number {number} on subject E{number}7.\n"})
    scene.server.looks_until_done = 10**9
    remote = {
        "baseUrl": scene.server.base("openai"),
        "apiKey": scene.server.key,
        "batch": {"wait": False},
    }
    with scene.memory(remote=remote) as memory:
        report = memory.sync()
        assert report.waiting >= 8
        assert not report.complete
        answer = memory.search("E57")
        assert paths(answer)[0] == "memory/n5.md"
        assert answer.partial
        assert "batch job" in answer.reasons[0]
    assert asked_normally(scene.server) == ["E57"]
    scene.server.looks_until_done = 0
    with scene.memory(remote=remote) as memory:
        assert memory.sync().waiting == 0
        assert not memory.search("E57").partial
    assert asked_normally(scene.server) == ["E57", "E57"]
    assert len(scene.server.jobs) == 1


def test_a_conversation_that_goes_on_during_an_outage(scene: Scene) -> None:
    scene.search = {"sources": ["memory", "sessions"], "experimental": {"sessionMemory": True}}
    transcript = talk(scene.state, "talk", said("user", "The harbour crane is called Gustav."))
    with scene.memory() as memory:
        memory.sync()
    scene.server.misbehave("500")
    add(transcript, said("assistant", "The dishwasher E24 is broken."))
    with scene.memory() as memory:
        assert "sessions/talk.jsonl" in paths(memory.search("dishwasher E24"))
        add(transcript, said("user", "Call the plumber Okonkwo."))
        assert "sessions/talk.jsonl" in paths(memory.search("plumber Okonkwo"))
        assert "sessions/talk.jsonl" in paths(memory.search("crane Gustav"))
        assert memory.status().without_vectors == 1
    scene.server.behave()
    with scene.memory() as memory:
        assert by_meaning(memory, "plumber Okonkwo", "sessions/talk.jsonl")
        assert memory.status().without_vectors == 0
        assert memory.index.check() == []


def test_the_commands_tell(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene.server.misbehave("401")
    place: list[Any] = ["-w", str(scene.workspace), "--config", str(scene.config())]
    assert run(["search", "ER-605", *place]) == 0
    shown = capsys.readouterr()
    assert "ER-605" in shown.out
    assert "keywords only: openai" in shown.err
    assert run(["index", *place]) == 2
    assert "refused access" in capsys.readouterr().err
    assert run(["status", *place]) == 0
    assert "2 files are found by their words only: openai" in capsys.readouterr().out
    assert run(["doctor", *place]) == 1
    assert "2 files are found by their words only" in capsys.readouterr().out
