"""A conversation that goes on: only what was added is read and embedded, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown import Memory
from memdown.index.changes import Chunking
from memdown.index.growth import cut_portion, write_portion
from memdown.index.reader import Sought
from memdown.index.sqlite import SqliteStore
from memdown.testing import HashEmbedder
from memdown.transcripts import read_portions, scan_transcripts
from memdown.transcripts import reading as reading_module
from memdown.transcripts.discovery import Mark, parse_mark
from memdown.transcripts.reading import DEBOUNCE_SECONDS, Conversations
from memdown.types import Chunk, FileState, Fingerprint, ModelKey
from transcripts.talking import CONFIG, add, said, talk
from waiting import watched

WriteNotes = Callable[[dict[str, str]], Path]
OpenMemory = Callable[..., Memory]


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def memory(
    write_notes: WriteNotes, open_memory: OpenMemory, own_state: Path, embedder: HashEmbedder
) -> Memory:
    (own_state / "memdown.json5").write_text(CONFIG)
    return open_memory(write_notes({"MEMORY.md": "- The gate code is on the fridge.\n"}), embedder)


def found(memory: Memory, query: str) -> list[tuple[str, int, int]]:
    answer = memory.search(query, min_score=0.0, sources=["sessions"])
    return [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]


def snippets(memory: Memory, query: str) -> str:
    return "\n".join(
        hit.snippet for hit in memory.search(query, min_score=0.0, sources=["sessions"]).hits
    )


def test_lines_point_into_the_original(memory: Memory, own_state: Path) -> None:
    talk(
        own_state,
        "s1",
        '{"type":"session","id":"s1"}\n',
        "broken\n",
        said("user", "Which paint for the kitchen?"),
        '{"type":"model_change"}\n',
        said("assistant", "Sage green, matte."),
    )
    assert found(memory, "kitchen paint") == [("sessions/s1.jsonl", 3, 5)]


def test_it_is_opt_in(write_notes: WriteNotes, open_memory: OpenMemory, own_state: Path) -> None:
    talk(own_state, "s1", said("user", "kitchen paint"))
    memory = open_memory(write_notes({"MEMORY.md": "- note\n"}))
    assert memory.search("kitchen paint", min_score=0.0).hits[0].source == "memory"
    assert "sessions" not in memory.status().store.files


def test_switching_it_off_forgets_the_conversations(
    memory: Memory, own_state: Path, open_memory: OpenMemory
) -> None:
    talk(own_state, "s1", said("user", "kitchen paint"))
    memory.sync()
    assert memory.status().store.files["sessions"] == 1
    (own_state / "memdown.json5").unlink()
    again = open_memory(memory.settings.workspace)
    assert again.sync().removed == 1


def test_each_agent_has_its_own(memory: Memory, own_state: Path, open_memory: OpenMemory) -> None:
    talk(own_state, "mine", said("user", "kitchen paint"))
    talk(own_state, "theirs", said("user", "secret plan"), agent="other")
    other = open_memory(memory.settings.workspace, agent="other")
    assert {path for path, _, _ in found(memory, "kitchen paint secret plan")} == {
        "sessions/mine.jsonl"
    }
    assert {path for path, _, _ in found(other, "kitchen paint secret plan")} == {
        "sessions/theirs.jsonl"
    }


def test_a_search_sees_what_was_just_said(memory: Memory, own_state: Path) -> None:
    path = talk(own_state, "s1", said("user", "Which paint for the kitchen?"))
    found(memory, "paint")
    add(path, said("assistant", "The floor will be oak parquet."))
    assert "oak parquet" in snippets(memory, "oak parquet floor")


def test_only_what_was_added_is_embedded(
    memory: Memory, own_state: Path, embedder: HashEmbedder
) -> None:
    filler = [said("user", f"Message number {n} about topic {n % 7}. " * 8) for n in range(300)]
    path = talk(own_state, "s1", *filler)
    memory.sync()
    before = len(embedder.embedded)
    assert before > 20
    for number in range(5):
        add(path, said("user", f"An added remark, number {number}."))
        memory.sync()
    assert len(embedder.embedded) - before <= 5 * 2


def test_only_what_was_added_is_read(
    memory: Memory, own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = talk(own_state, "s1", *(said("user", f"Message {n}. " * 50) for n in range(2000)))
    memory.sync()
    read: list[int] = []
    pread = os.pread

    def counting(file: int, size: int, offset: int) -> bytes:
        data = pread(file, size, offset)
        read.append(len(data))
        return data

    add(path, said("user", "An added remark."))
    monkeypatch.setattr(os, "pread", counting)
    memory.sync()
    assert path.stat().st_size > 1_000_000
    assert sum(read) < 60_000


def test_a_truncated_transcript_is_read_anew(memory: Memory, own_state: Path) -> None:
    path = talk(own_state, "s1", said("user", "old apples"), said("user", "old pears"))
    memory.sync()
    path.write_text(said("user", "new plums"))
    assert "plums" in snippets(memory, "plums")
    assert "apples" not in snippets(memory, "apples pears plums")


def test_a_rewritten_transcript_is_read_anew(memory: Memory, own_state: Path) -> None:
    path = talk(own_state, "s1", said("user", "old apples"), said("user", "more"))
    memory.sync()
    text = path.read_text().replace("old apples", "new plums!")
    path.write_text(text + said("user", "and more"))
    assert "plums" in snippets(memory, "plums")
    assert "apples" not in snippets(memory, "apples plums")


def test_a_change_of_the_same_length_is_noticed(memory: Memory, own_state: Path) -> None:
    path = talk(own_state, "s1", said("user", "red apples"), said("user", "tail " * 3000))
    memory.sync()
    with path.open("r+b") as file:
        place = path.read_bytes().index(b"red apples")
        file.seek(place)
        file.write(b"big plums!")
    os.utime(path, ns=(1, 1))
    assert "big plums" in snippets(memory, "big plums")


def test_gone_and_archived_transcripts_leave_the_index(memory: Memory, own_state: Path) -> None:
    gone = talk(own_state, "gone", said("user", "apples"))
    archived = talk(own_state, "archived", said("user", "pears"))
    talk(own_state, "stays", said("user", "plums"))
    memory.sync()
    gone.unlink()
    archived.rename(archived.with_name("archived.jsonl.deleted.2026-03-01"))
    assert {path for path, _, _ in found(memory, "apples pears plums")} == {"sessions/stays.jsonl"}


def test_transcripts_cannot_be_opened_as_notes(memory: Memory, own_state: Path) -> None:
    from memdown import PathRefused

    talk(own_state, "s1", said("user", "kitchen paint"))
    memory.sync()
    with pytest.raises(PathRefused):
        memory.get("sessions/s1.jsonl")


def test_a_rebuild_reads_transcripts_too(memory: Memory, own_state: Path) -> None:
    talk(own_state, "s1", said("user", "kitchen paint"))
    memory.sync()
    assert memory.sync(force=True).rebuilt
    assert "kitchen" in snippets(memory, "kitchen paint")
    assert memory.sync().indexed == 0


def test_a_second_sync_changes_nothing(memory: Memory, own_state: Path) -> None:
    talk(own_state, "s1", said("user", "kitchen paint"), b'{"half')
    memory.sync()
    report = memory.sync()
    assert (report.indexed, report.embedded) == (0, 0)


def test_marks_are_read_as_they_were_written() -> None:
    mark = Mark(10, 2, 1, 1, True, 5, "ab")
    assert parse_mark(str(mark)) == mark
    assert parse_mark("") is None
    assert parse_mark("0:1:2:3:4:5:6:ab") is None
    assert parse_mark("x" * 64) is None


class Scene:
    """A store and a transcript, grown step by step without a Memory around them."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "t.jsonl"
        self.folder = folder
        self.store = SqliteStore(folder / "index.sqlite")
        self.store.begin(Fingerprint(ModelKey("none", "none", "none"), 40, 8, 1))

    def sync(self, most: int | None = None) -> None:
        """Index what is new, or, as if killed, only the first portions."""
        (state,) = scan_transcripts(self.folder).files.values()
        known = self.store.files().get(state.path)
        for number, portion in enumerate(read_portions(str(self.folder), state, known), 1):
            is_known = known is not None
            chunking = Chunking(tokens=40, overlap=8)
            addition = cut_portion(self.store, portion, chunking, "none", is_known=is_known)
            write_portion(self.store, portion.state, addition, None)
            if number == most:
                return

    def chunks(self) -> list[Chunk]:
        with self.store.snapshot() as snapshot:
            reader = snapshot.reader(Sought())
            keys = reader.chunk_key[reader.chunk_alive].tolist()
            return [stored.chunk for _, stored in sorted(snapshot.chunks(keys).items())]


def covered(chunks: list[Chunk]) -> list[str]:
    """What the passages hold, put together: every line once if all is right."""
    lines: list[str] = []
    for chunk in chunks:
        for passage in chunk.passages:
            lines += chunk.text[passage.start : passage.end].split("\n")
    return lines


messages = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(messages, min_size=0, max_size=8), min_size=1, max_size=6))
def test_growing_gives_the_same_chunks_as_reading_at_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[str]]
) -> None:
    """However a conversation was cut into syncs, its chunks are the same in the end."""
    grown, whole = (Scene(tmp_path_factory.mktemp("s")) for _ in range(2))
    for step in steps:
        lines = b"".join(said("user", text).encode() for text in step)
        for scene in (grown, whole):
            with scene.path.open("ab") as file:
                file.write(lines)
        grown.sync()
    whole.sync()
    assert [chunk.text for chunk in grown.chunks()] == [chunk.text for chunk in whole.chunks()]
    assert [chunk.id for chunk in grown.chunks()] == [chunk.id for chunk in whole.chunks()]
    wanted = [f"User: {' '.join(text.split())}" for step in steps for text in step]
    assert covered(grown.chunks()) == wanted
    for scene in (grown, whole):
        scene.store.close()


@pytest.mark.parametrize("killed_after", [1, 2, 3])
def test_a_killed_sync_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(reading_module, "PORTION_CHARS", 200)
    texts = [f"message number {n} of this talk" for n in range(60)]
    scene = Scene(tmp_path)
    scene.path.write_text("".join(said("user", text) for text in texts))
    scene.sync(most=killed_after)
    assert len(covered(scene.chunks())) < len(texts)
    scene.sync()
    assert covered(scene.chunks()) == [f"User: {text}" for text in texts]
    scene.store.close()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def state_of(path: Path) -> FileState:
    return scan_transcripts(path.parent).files[f"sessions/{path.name}"]


def test_in_the_background_small_changes_wait(tmp_path: Path) -> None:
    """Deltas: 100,000 bytes or 50 messages, then 5 s; a search does not ask this."""
    path = talk(tmp_path, "s", *(said("user", f"m{n}") for n in range(3)))
    clock = Clock()
    talks = Conversations(
        path.parent, enabled=True, delta_bytes=10_000, delta_messages=5, clock=clock
    )
    assert not talks.settled(state_of(path), None), "too little yet"
    add(path, said("user", "m4"), said("user", "m5"))
    assert not talks.settled(state_of(path), None), "enough, but only just noticed"
    clock.now += DEBOUNCE_SECONDS
    assert talks.settled(state_of(path), None)
    (portion,) = read_portions(str(path.parent), state_of(path), None)
    add(path, said("user", "x" * 11_000))
    assert not talks.settled(state_of(path), portion.state)
    clock.now += DEBOUNCE_SECONDS
    assert talks.settled(state_of(path), portion.state), "few messages, many bytes"


def test_what_was_put_off_is_indexed_when_its_time_has_come(
    memory: Memory, own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else happens after the last message, and the next scan for safety is 30 s away."""
    monkeypatch.setattr(reading_module, "DEBOUNCE_SECONDS", 0.5)
    path = talk(own_state, "s1", said("user", "apples"))
    with watched(memory) as indexed:
        add(path, *(said("user", f"plum {number}") for number in range(50)))
        assert indexed.wait(20)


def test_a_transcript_that_went_away_is_not_waited_for(tmp_path: Path) -> None:
    path = talk(tmp_path, "s", *(said("user", f"m{n}") for n in range(9)))
    clock = Clock()
    talks = Conversations(
        path.parent, enabled=True, delta_bytes=10_000, delta_messages=5, clock=clock
    )
    assert talks.ripe_in() is None
    assert not talks.settled(state_of(path), None)
    clock.now += 2
    assert talks.ripe_in() == DEBOUNCE_SECONDS - 2
    clock.now += 60
    assert talks.ripe_in() is None


def test_vectors_grow_with_the_text(
    memory: Memory, own_state: Path, embedder: HashEmbedder
) -> None:
    path = talk(own_state, "s1", said("user", "apples and pears"))
    memory.sync()
    add(path, said("user", "plums and figs"))
    memory.sync()
    rows = memory.index.vectors(10).vectors
    assert rows.shape == (2, 64)
    assert np.isfinite(rows).all()
