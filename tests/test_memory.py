"""The facade: notes go in as files, answers come out, whatever happens to files and index."""

from __future__ import annotations

import datetime
import gc
import logging
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import (
    Answer,
    IndexTooNew,
    Memory,
    NoteNotFound,
    PathRefused,
    Progress,
    QueryError,
    StoreError,
    WorkspaceError,
)
from memdown.testing import HashEmbedder
from waiting import eventually

WriteNotes = Callable[[dict[str, str]], Path]
OpenMemory = Callable[..., Memory]

NOTES = {
    "MEMORY.md": "# Memory\n\n- Ana prefers tea over coffee.\n- The team ships on Tuesdays.\n",
    "memory/home.md": "# Home\n\n## Network\n\nThe router is a TP-Link ER605 in the hall.\n",
    "memory/2026-03-01.md": "# 2026-03-01\n\n- Met Maria at the harbour office.\n",
    "memory/recipes.md": "# Recipes\n\nGreen curry needs coconut milk and basil.\n",
}


@pytest.fixture
def folder(write_notes: WriteNotes) -> Path:
    return write_notes(NOTES)


@pytest.fixture
def memory(folder: Path, open_memory: OpenMemory) -> Memory:
    return open_memory(folder)


def best(memory: Memory, query: str) -> str:
    return memory.search(query, min_score=0.0).hits[0].path


def same(one: Answer, other: Answer) -> bool:
    """Equal answers: the two ways of comparing vectors differ in the last bits of a score."""
    return [(hit.citation, hit.snippet, round(hit.score, 4)) for hit in one.hits] == [
        (hit.citation, hit.snippet, round(hit.score, 4)) for hit in other.hits
    ]


def test_a_first_search_finds_the_note(memory: Memory) -> None:
    hit = memory.search("which router is in the hall?", min_score=0.0).hits[0]
    assert hit.path == "memory/home.md"
    assert "ER605" in hit.snippet
    assert (hit.start_line, hit.end_line, hit.heading) == (5, 5, "Home > Network")
    assert hit.citation == "memory/home.md#L5-L5"
    assert 0 < hit.score <= 1


def test_with_the_bundled_embedder_meaning_counts(folder: Path) -> None:
    with Memory.open(folder) as memory:
        assert best(memory, "ingredients for a Thai dish") == "memory/recipes.md"


def test_changes_are_seen_by_the_next_search(memory: Memory, folder: Path) -> None:
    best(memory, "router")
    (folder / "memory/home.md").write_text("# Home\n\nThe router is a Fritzbox now.\n")
    assert "Fritzbox" in memory.search("router", min_score=0.0).hits[0].snippet
    (folder / "memory/new.md").write_text("The zebra is called Zoe.\n")
    assert best(memory, "zebra") == "memory/new.md"
    (folder / "memory/new.md").unlink()
    assert not [hit for hit in memory.search("zebra", min_score=0.0).hits if "zebra" in hit.snippet]


def test_a_change_that_keeps_size_and_mtime_is_seen(memory: Memory, folder: Path) -> None:
    """Restored backups and some editors put the old time back; inode or ctime tell."""
    file = folder / "memory/home.md"
    best(memory, "router")
    facts = file.stat()
    file.write_text(file.read_text().replace("ER605", "ER999"))
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert "ER999" in memory.search("router", min_score=0.0).hits[0].snippet


def test_a_second_sync_changes_nothing(folder: Path, open_memory: OpenMemory) -> None:
    embedder = HashEmbedder()
    memory = open_memory(folder, embedder)
    first = memory.sync()
    assert (first.indexed, first.removed, first.failed) == (4, 0, ())
    second = memory.sync()
    assert (second.indexed, second.unchanged) == (0, 4)
    assert len(embedder.requests) == 1


def test_touched_files_are_not_embedded_again(folder: Path, open_memory: OpenMemory) -> None:
    embedder = HashEmbedder()
    memory = open_memory(folder, embedder)
    memory.sync()
    os.utime(folder / "MEMORY.md")
    assert memory.sync().indexed == 0
    assert len(embedder.requests) == 1


def test_a_forced_rebuild_embeds_nothing_twice(folder: Path, open_memory: OpenMemory) -> None:
    embedder = HashEmbedder()
    memory = open_memory(folder, embedder)
    memory.sync()
    before = memory.search("router", min_score=0.0)
    report = memory.sync(force=True)
    assert report.rebuilt
    assert report.indexed == 4
    assert len(embedder.requests) == 1
    assert same(memory.search("router", min_score=0.0), before)


def test_another_model_means_one_rebuild(folder: Path, open_memory: OpenMemory) -> None:
    open_memory(folder, HashEmbedder()).sync()
    other = open_memory(folder, HashEmbedder(32, "hash-32"))
    assert other.status().dirty
    assert other.sync().rebuilt
    assert not other.sync().rebuilt
    assert best(other, "router") == "memory/home.md"


def test_a_deleted_index_comes_back_equal(folder: Path, open_memory: OpenMemory) -> None:
    memory = open_memory(folder)
    before = memory.search("harbour", min_score=0.0)
    place = Path(memory.status().store.location)
    memory.close()
    for file in place.parent.iterdir():
        file.unlink()
    assert same(open_memory(folder).search("harbour", min_score=0.0), before)


@pytest.mark.parametrize("damage", [b"garbage" * 1000, b"\0" * 5000, b""])
def test_a_damaged_index_is_rebuilt(
    folder: Path, open_memory: OpenMemory, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(folder)
    before = memory.search("harbour", min_score=0.0)
    place = Path(memory.status().store.location)
    memory.close()
    for side in ("-wal", "-shm"):
        place.with_name(place.name + side).unlink(missing_ok=True)
    place.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert same(open_memory(folder).search("harbour", min_score=0.0), before)
    assert len(caplog.records) == (1 if damage else 0)


def test_an_index_of_a_newer_version_is_an_error(folder: Path, open_memory: OpenMemory) -> None:
    from memdown.index.sqlite.connection import connect

    memory = open_memory(folder)
    memory.sync()
    place = memory.status().store.location
    memory.close()
    db = connect(Path(place))
    db.pragma("user_version", 999)
    db.close()
    with pytest.raises(IndexTooNew):
        open_memory(folder).search("harbour")


def test_one_bad_file_does_not_stop_the_rest(folder: Path, memory: Memory) -> None:
    (folder / "memory/latin1.md").write_bytes("caf\xe9 au lait".encode("latin-1"))
    (folder / "memory/binary.md").write_bytes(b"\0\1\2" * 100)
    report = memory.sync()
    assert report.indexed == 4
    assert {failure.path for failure in report.failed} == {"memory/latin1.md", "memory/binary.md"}
    assert best(memory, "router") == "memory/home.md"


def test_an_empty_workspace_answers_with_a_reason(
    write_notes: WriteNotes, open_memory: OpenMemory
) -> None:
    answer = open_memory(write_notes({})).search("anything")
    assert answer.hits == ()
    assert answer.reasons


@pytest.mark.parametrize("query", ["", "   ", "\0", "\n\t"])
def test_an_empty_query_is_an_error(memory: Memory, query: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        memory.search(query)


@pytest.mark.parametrize(
    "query",
    [
        "?",
        "!!! ...",
        "a",
        "猫",
        'AND OR NOT NEAR("x" *)',
        '"unclosed',
        "text:router",
        "\ud800",
        "router\0hall",
        "x" * 100_000,
        "router " * 20_000,
        "who are we",
    ],
)
def test_any_text_is_a_legal_query(memory: Memory, query: str) -> None:
    answer = memory.search(query)
    assert answer.hits or answer.reasons


def test_max_results_only_cuts(memory: Memory) -> None:
    query = "router tea maria curry"
    every = memory.search(query, max_results=50, min_score=0.0).hits
    first = memory.search(query, max_results=2, min_score=0.0).hits
    assert [hit.citation for hit in first] == [hit.citation for hit in every[:2]]
    # Vectors in memory have two bytes a number, so the last digits may differ.
    assert [hit.score for hit in first] == pytest.approx([hit.score for hit in every[:2]], rel=1e-4)


def test_the_first_results_do_not_depend_on_how_many_are_asked_for(
    write_notes: Callable[..., Path], open_memory: Callable[..., Memory]
) -> None:
    """Many notes that share their words: the best ones are the best of all, not of a small pool."""
    draw = random.Random(3)
    words = "harbour boat crane rope pilot tide lamp cargo dock storm captain signal".split()
    notes = {
        f"memory/{number}.md": f"# Note {number}\n\n"
        + "".join(f"- The {' '.join(draw.sample(words, 5))} on pier {n}.\n" for n in range(6))
        for number in range(60)
    }
    memory = open_memory(write_notes(notes))
    for query in ("which boat waits for the pilot", "storm signal lamp", "pier 4 cargo"):
        every = [hit.citation for hit in memory.search(query, max_results=50).hits]
        for count in (1, 2, 3, 6):
            first = [hit.citation for hit in memory.search(query, max_results=count).hits]
            assert first == every[:count], (query, count)


def test_nothing_relevant_gives_nothing_and_says_why(folder: Path) -> None:
    with Memory.open(folder) as memory:
        assert memory.search("quantum chromodynamics lattice").strength == "weak"
        answer = memory.search("xqzt wqxv")
        assert (answer.hits, answer.strength) == ((), None)
        (reason,) = answer.reasons
        assert "nothing in the notes resembles the query" in reason


def test_an_exact_identifier_is_found_whatever_the_minimum(memory: Memory) -> None:
    assert memory.search("ER605", min_score=1.0).hits[0].path == "memory/home.md"


def test_newer_wins_a_tie_and_old_stays_findable(
    write_notes: WriteNotes, open_memory: OpenMemory
) -> None:
    today = datetime.date.today()
    new, old = today.isoformat(), (today - datetime.timedelta(days=400)).isoformat()
    folder = write_notes(
        {
            f"memory/{old}.md": "The gate code is on the blue card.\n\nOnly here: the safe is green.\n",
            f"memory/{new}.md": "The gate code is on the blue card.\n\nLunch was late.\n",
        }
    )
    memory = open_memory(folder)
    hits = memory.search("what colour is the safe", min_score=0.0).hits
    assert "safe is green" in hits[0].snippet
    assert memory.search("gate code", min_score=0.0).hits[0].path == f"memory/{new}.md"


def test_get_reads_lines(memory: Memory) -> None:
    excerpt = memory.get("MEMORY.md", start=3, lines=1)
    assert excerpt.text == "- Ana prefers tea over coffee."
    assert (excerpt.start_line, excerpt.end_line, excerpt.total_lines) == (3, 3, 4)
    assert memory.get("MEMORY.md", start=99).text == ""


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/passwd", "memory/../../x.md", "other.md", ""]
)
def test_get_stays_inside(memory: Memory, path: str) -> None:
    with pytest.raises(PathRefused):
        memory.get(path)


def test_get_of_a_missing_note_says_so(memory: Memory) -> None:
    with pytest.raises(NoteNotFound):
        memory.get("memory/nothing.md")


def test_what_is_remembered_is_found(memory: Memory) -> None:
    today = datetime.date.today().isoformat()
    citation = memory.remember("The spare key hangs behind the fridge.")
    assert citation.path == f"memory/{today}.md"
    assert "fridge" in memory.get(citation.path, start=citation.start_line, lines=1).text
    assert best(memory, "spare key") == citation.path
    assert memory.remember("Ana is vegetarian.", durable=True).path == "MEMORY.md"
    assert best(memory, "vegetarian") == "MEMORY.md"


def test_a_missing_workspace_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="does not exist"):
        Memory.open(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="not a folder"):
        Memory.open(tmp_path / "file")


def test_status_writes_nothing(memory: Memory, own_state: Path) -> None:
    status = memory.status()
    assert status.dirty
    assert status.changed == 4
    assert list(own_state.iterdir()) == []
    memory.sync()
    status = memory.status(deep=True)
    assert not status.dirty
    assert status.store.files == {"memory": 4}
    assert status.embedder_works


def test_keywords_alone_work(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.json5"
    config.write_text("{agents: {defaults: {memorySearch: {provider: 'none'}}}}")
    with Memory.open(folder, config=config) as memory:
        answer = memory.search("router", min_score=0.0)
        assert answer.hits[0].path == "memory/home.md"
        assert answer.provider == "none"


def test_two_workspaces_do_not_mix(
    write_notes: WriteNotes, tmp_path: Path, open_memory: OpenMemory
) -> None:
    """The same agent used in two folders: each search sees its own notes, and only those."""
    first = open_memory(write_notes(NOTES))
    second_folder = tmp_path / "second"
    (second_folder / "memory").mkdir(parents=True)
    (second_folder / "memory/a.md").write_text("The router here is a Mikrotik.\n")
    second = open_memory(second_folder)
    for _ in range(2):
        assert best(first, "router") == "memory/home.md"
        assert {hit.path for hit in second.search("router", min_score=0.0).hits} == {"memory/a.md"}


def test_many_threads_search_while_notes_change(memory: Memory, folder: Path) -> None:
    memory.sync()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(15):
                assert best(memory, "router") == "memory/home.md"
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(15):
        (folder / "memory/log.md").write_text(f"Line {number}\n")
    for thread in threads:
        thread.join()
    assert errors == []


def test_many_changes_go_on_in_the_background(
    write_notes: WriteNotes, open_memory: OpenMemory
) -> None:
    class SlowEmbedder(HashEmbedder):
        gate = threading.Event()

        def embed_batch(self, texts):  # type: ignore[no-untyped-def]
            self.gate.wait(20)
            return super().embed_batch(texts)

    embedder = SlowEmbedder()
    embedder.gate.set()
    folder = write_notes(NOTES)
    memory = open_memory(folder, embedder)
    memory.sync()
    embedder.gate.clear()
    write_notes({f"memory/n{number}.md": f"Bulk note {number}\n" for number in range(50)})
    answer = memory.search("router", min_score=0.0)
    assert answer.partial
    assert answer.hits[0].path == "memory/home.md"
    assert "still being indexed" in answer.reasons[0]
    embedder.gate.set()
    eventually(lambda: not memory.search("router").partial)
    assert best(memory, "bulk 17") == "memory/n17.md"


def test_a_day_that_is_asked_for_comes_before_newer_ones(
    write_notes: WriteNotes, open_memory: OpenMemory
) -> None:
    walked = {f"memory/2026-03-{n:02}.md": f"# Log\n\n- Walked {n} km.\n" for n in range(1, 9)}
    memory = open_memory(write_notes(walked))
    assert best(memory, "how far did I walk on 4 March 2026") == "memory/2026-03-04.md"


def test_an_index_that_could_not_be_filled_says_nothing_of_the_notes(
    write_notes: WriteNotes, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full: that no note resembles the question is not known."""

    def full(*_: object, **__: object) -> None:
        raise StoreError("No space left for the index.")

    monkeypatch.setattr("memdown.index.sqlite.filing.write_files", full)
    answer = open_memory(write_notes(NOTES)).search("router")
    assert answer.partial
    assert len(answer.reasons) == 1
    assert "No space left" in answer.reasons[0]


def test_a_first_search_in_many_notes_does_not_wait_for_all(
    write_notes: WriteNotes, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where someone sees the progress; what is indexed by then answers, and is kept."""
    monkeypatch.setattr("memdown.index.index._WATCHED_SECONDS", 0.2)
    folder = write_notes({f"memory/{n}.md": f"Note number n{n}.\n" for n in range(900)})
    go_on = threading.Event()

    class Slow(HashEmbedder):
        def embed_batch(self, texts):  # type: ignore[no-untyped-def]
            if self.requests:
                assert go_on.wait(60)
            return super().embed_batch(texts)

    slow = Slow()
    with open_memory(folder, slow) as memory:

        def found() -> Answer | None:
            answer = memory.search("n0", progress=lambda _: None)
            return answer if answer.hits else None

        answer = eventually(found)
        assert answer is not None
        assert answer.hits[0].path == "memory/0.md"
        assert answer.partial
        assert any("run `memdown index`" in reason for reason in answer.reasons)
        memory.index.stop()
        go_on.set()
    with open_memory(folder, slow) as memory:
        report = memory.sync()
        assert 0 < report.unchanged < 900
        assert report.indexed == 900 - report.unchanged
        assert not memory.search("n899").partial
    assert len(slow.embedded) == 900


def test_watch_reports_changes(memory: Memory, folder: Path) -> None:
    stop = threading.Event()
    reports = memory.watch(stop)
    assert next(reports).indexed == 4
    timer = threading.Timer(0.3, (folder / "memory/late.md").write_text, ["A late note.\n"])
    timer.start()
    assert next(reports).indexed == 1
    stop.set()
    assert list(reports) == []


def test_a_closed_memory_says_so(folder: Path) -> None:
    memory = Memory.open(folder)
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.search("router")


def test_an_empty_note_is_indexed_beside_others(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """An editor truncates a file before it writes: for a moment it has no chunks and no vectors."""
    notes = {"memory/a.md": "Alpha.\n", "memory/b.md": "", "memory/c.md": "Gamma.\n"}
    with open_memory(write_notes(notes)) as memory:
        assert memory.sync().indexed == 3
        assert memory.search("gamma").hits[0].path == "memory/c.md"


def test_related_facts_are_found_among_very_many_notes(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """An old one, too, and by the words of `replaces`; before there is an index, the newest are read."""
    first = datetime.date(2025, 1, 1)
    logs = {
        f"memory/{first + datetime.timedelta(n)}.md": f"# Log\n\n- Walked {n} steps to the quay.\n"
        for n in range(450)
    }
    memory = open_memory(
        write_notes(logs | {"memory/2024-06-01.md": "# Log\n\n- Mara lives in Lisbon.\n"})
    )
    assert memory.remember("Walked 449 steps to the quay.").known
    memory.sync()
    done = memory.remember("Mara moved to Porto.")
    assert [one.reference for one in done.related][:1] == ["memory/2024-06-01.md#L3"]
    assert "memory/2024-06-01.md#L3" in done.question
    again = memory.remember("Mara moved to Porto.", replaces=["Mara lives in Lisbon"])
    assert again.replaced == ("memory/2024-06-01.md#L3",)


def test_cycles_are_looked_for_again_after_a_sync(tmp_path: Path) -> None:
    """Also after one that was interrupted; meanwhile it would only take time."""
    notes = tmp_path / "notes" / "memory"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text("# Router\n\nIt stands in the hall.\n")
    seen: list[bool] = []

    def interrupted(_: Progress) -> None:
        seen.append(gc.isenabled())
        raise KeyboardInterrupt

    with Memory.open(notes.parent, state_dir=tmp_path / "state") as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.sync(progress=interrupted)
        assert gc.isenabled()
        memory.sync(progress=lambda _: seen.append(gc.isenabled()))
        assert gc.isenabled()
        assert memory.search("router")
    assert not any(seen)
