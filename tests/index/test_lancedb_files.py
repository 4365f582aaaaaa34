"""LanceDB answers what SQLite answers, and survives kills, several processes and much writing."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest
from lancedb.index import IvfPq

from contracts.store_contract import (
    KEY,
    PRINT,
    by_vector,
    by_words,
    chunk,
    put,
    remove,
    state,
    texts_found,
    unit,
    words,
)
from index.agreement import EXAMPLE, agreement, made_up, opened, questions_of
from index.rebuilding import rebuilding
from memdown.errors import IndexCorrupt, StoreError
from memdown.index.lancedb import LanceStore, create, reading, upkeep
from memdown.index.lancedb.database import read_pointers
from memdown.index.lancedb.store import agent_url
from memdown.types import FILE_SPAN


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index.lancedb"


@pytest.fixture
def store(folder: Path) -> LanceStore:
    """A store with one note."""
    made = create(folder)
    with made.writing(5.0) as acquired:
        assert acquired
        made.begin(PRINT)
        put(made, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
    return made


def stored(folder: Path, name: str) -> Any:
    """A table as LanceDB itself has it."""
    return lancedb.connect(folder).open_table(name)


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.long)])
def test_the_example_workspace(tmp_path: Path, count: int) -> None:
    asked = questions_of(EXAMPLE, count)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    lancedb = {"driver": "lancedb", "path": str(tmp_path / "index.lancedb")}
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, lancedb, "example") as other,
    ):
        agreed = agreement(one, other, asked)
        assert agreed.first >= 0.95
        assert agreed.six >= 0.9
        assert other.status().store.location.endswith("index.lancedb")


@pytest.mark.long
def test_a_workspace_of_5000_chunks(tmp_path: Path) -> None:
    notes, asked = made_up(tmp_path / "notes")
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    lancedb = {"driver": "lancedb", "path": str(tmp_path / "index.lancedb")}
    with (
        opened(notes, config, sqlite, "many") as one,
        opened(notes, config, lancedb, "many") as other,
    ):
        agreed = agreement(one, other, asked)
        assert agreed.first >= 0.95
        assert agreed.six >= 0.9


def test_vectors_of_a_large_table_have_an_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MANY", 300)
    store = create(folder)
    drawn = np.random.default_rng(1).standard_normal((600, 16), np.float32)
    vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    with store.writing(5.0):
        store.begin(replace(PRINT, dims=16))
        every = [chunk("b.md", n + 1, [f"beta{n}"]) for n in range(600)]
        put(store, state("b.md"), every, vectors)
    with store._database.using() as db:
        assert db is not None
        (pointer,) = read_pointers(db).values()

        def kinds() -> dict[str, str]:
            table = stored(folder, pointer.table)
            return {one.columns[0]: one.index_type for one in table.list_indices()}

        reading.make_indexes(db, pointer.table)
        assert kinds()["embedding"] == "IvfSq"
        before = IvfPq(distance_type="cosine", num_sub_vectors=2)
        stored(folder, pointer.table).create_index("embedding", config=before, replace=True)
        assert kinds()["embedding"] == "IvfPq"
        reading.make_indexes(db, pointer.table)
        assert kinds()["embedding"] == "IvfSq", "an earlier kind is followed by this one"
    put(store, state("c.md"), [chunk("c.md", 1, ["gamma"])], -vectors[:1])
    wanted = [(vectors[n], f"beta{n}") for n in (0, 7, 599)] + [(-vectors[0], "gamma")]
    with store.snapshot() as snapshot:
        for vector, text in wanted:
            best = by_vector(snapshot, vector, limit=3)[0].chunk
            assert snapshot.chunks([best])[best].chunk.text == text


@pytest.mark.parametrize("point", ["rebuild.file:2", "rebuild.before_flip"])
def test_a_killed_rebuild_leaves_the_old_index(store: LanceStore, folder: Path, point: str) -> None:
    said = folder.with_name("said")
    killed = rebuilding("lancedb", folder, output=said, failpoint=point)
    assert killed.wait() == -signal.SIGKILL, said.read_text()
    assert set(store.files()) == {"a.md"}
    assert texts_found(store, words("alpha", "gamma")) == ["alpha"]
    with store.writing(30.0) as acquired:
        assert acquired, "the lock must go with its holder"
    assert not store.leftovers()
    assert store.check() == []


def test_readers_see_the_old_or_the_new_index(store: LanceStore, folder: Path) -> None:
    said = folder.with_name("said")
    worker = rebuilding("lancedb", folder, output=said)
    seen = set()
    while worker.poll() is None:
        with store.snapshot() as snapshot:
            found = by_words(snapshot, words("alpha", "gamma"))
            assert len(snapshot.chunks([one.chunk for one in found])) == len(found)
            seen.add(len(found))
        time.sleep(0.01)
    assert worker.wait() == 0, said.read_text()
    assert seen <= {1, 3}
    assert texts_found(store, words("gamma")) == ["gamma"] * 3


def test_another_process_s_notes_are_seen(store: LanceStore, folder: Path) -> None:
    other = create(folder)
    assert texts_found(other, words("alpha", "beta")) == ["alpha"]
    put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
    assert sorted(texts_found(other, words("alpha", "beta"))) == ["alpha", "beta"]
    remove(store, ["a.md"])
    assert texts_found(other, words("alpha", "beta")) == ["beta"]


def test_many_writes_are_put_together(
    store: LanceStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_COMPACT_AFTER", 5)
    with store.writing(5.0):
        for number in range(8):
            path = f"n-{number}.md"
            put(store, state(path), [chunk(path, 1, [f"beta {number}"])], unit(0, 1, 0, 0))
            store.files()  # Reading writes what was collected.
    with store._database.using() as db:
        (pointer,) = read_pointers(db).values()
        assert stored(folder, pointer.table).stats()["fragment_stats"]["num_fragments"] == 1
    assert len(texts_found(store, words("beta"))) == 8
    assert texts_found(store, words("alpha")) == ["alpha"]


def test_many_notes_are_written_together(store: LanceStore, folder: Path) -> None:
    """One commit for each would make thousands of versions and take many times as long."""
    before = store.state()
    with store.writing(5.0):
        for number in range(50):
            path = f"n-{number}.md"
            put(store, state(path), [chunk(path, 1, [f"beta {number}"])], unit(0, 1, 0, 0))
        put(store, state("n-7.md"), [chunk("n-7.md", 1, ["gamma"])], unit(0, 1, 0, 0))
        put(store, state("a.md"), [chunk("a.md", 1, ["delta"])], unit(0, 1, 0, 0))
        assert store.state() == before or len(store.files()) == 51
    assert len(store.files()) == 51
    assert len(texts_found(store, words("beta"))) == 49
    assert texts_found(store, words("alpha", "gamma", "delta")) == ["delta", "gamma"]
    with store._database.using() as db:
        (pointer,) = read_pointers(db).values()
        assert stored(folder, pointer.table).version < 8


def test_what_was_collected_is_kept_when_a_sync_ends_early(store: LanceStore) -> None:
    with pytest.raises(KeyboardInterrupt), store.writing(5.0):
        put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
        raise KeyboardInterrupt
    assert set(store.files()) == {"a.md", "b.md"}


def test_old_vectors_leave_the_cache(folder: Path) -> None:
    store = create(folder, cache_entries=3)
    rows = np.concatenate([unit(1, 0, 0, 0)] * 3)
    store.remember_vectors(KEY, ["a", "b", "c"], rows)
    store.remember_vectors(KEY, ["d"], rows[:1])
    assert store.status().cache_entries <= 3
    assert "d" in store.cached(KEY, ["d"])


def test_damage_is_found_and_set_aside(store: LanceStore, folder: Path) -> None:
    for file in folder.rglob("*.lance"):
        if file.is_file() and "index_" in str(file):
            file.write_bytes(b"no table at all" * 10)
    store.close()
    again = create(folder)
    with pytest.raises((StoreError, IndexCorrupt)):
        texts_found(again, words("alpha"))
    aside = again.set_aside()
    assert aside is not None
    assert Path(aside).exists()
    assert again.files() == {}


def test_a_changed_text_is_told(store: LanceStore, folder: Path) -> None:
    with store._database.using() as db:
        (pointer,) = read_pointers(db).values()
    stored(folder, pointer.table).update(where="key >= 0", values={"digest": "0" * 64})
    assert len(store.check()) == 1
    with pytest.raises(IndexCorrupt, match=r"a\.md"):
        store.last_chunk("a.md")


def test_vectors_of_a_large_table_can_be_filtered(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LanceDB looks through its files itself, and must look at the named ones only."""
    monkeypatch.setattr("memdown.index.lancedb.reading.FEW_CHUNKS", 0)
    with store.writing(5.0):
        for number in range(5):
            path = f"{number}.md"
            put(store, state(path), [chunk(path, 1, ["word"])], unit(1, number, 0, 0))
    with store.snapshot() as snapshot:
        numbers = {file.path: number for number, file in snapshot.files().items()}
        some = frozenset({numbers["1.md"], numbers["3.md"]})
        found = by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 9, some)
        assert [one.key // FILE_SPAN for one in found] == [numbers["3.md"], numbers["1.md"]]
        assert by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 9, frozenset()) == []
        assert len(by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 9)) == 6


def test_agents_with_one_address_have_an_index_each(tmp_path: Path) -> None:
    """The documented setting names one bucket for all agents; nobody may see another's notes."""
    alice, bob = (
        create(tmp_path / f"{name}.lancedb", url=str(tmp_path / "shared"), agent=name)
        for name in ("alice", "bob")
    )
    for store, text in ((alice, "alpha"), (bob, "beta")):
        with store.writing(5.0):
            store.begin(PRINT)
            put(store, state("a.md"), [chunk("a.md", 1, [text])], unit(1, 0, 0, 0))
    assert texts_found(alice, words("alpha", "beta")) == ["alpha"]
    assert texts_found(bob, words("alpha", "beta")) == ["beta"]


def test_an_address_may_say_where_the_agents_name_goes() -> None:
    assert agent_url("s3://bucket/memory", "a b") == "s3://bucket/memory/a%20b"
    assert agent_url("s3://bucket/{agentId}/index", "bob") == "s3://bucket/bob/index"


def test_what_was_removed_is_gone_from_disk_after_vacuuming(tmp_path: Path) -> None:
    """LanceDB keeps deleted rows in their file, and every earlier version, until it is told not to."""
    store = create(tmp_path / "index.lancedb")
    with store.writing(5.0):
        store.begin(PRINT)
        for number in range(30):
            path = f"n-{number}.md"
            put(store, state(path), [chunk(path, 1, [f"word{number}"])], unit(1, 0, 0, 0))
    with store.writing(5.0):
        remove(store, ["n-7.md"])
    store.vacuum()
    files = [file for file in (tmp_path / "index.lancedb").rglob("*") if file.is_file()]
    assert [file for file in files if b"word7" in file.read_bytes()] == []
    assert len(files) < 40
    assert texts_found(store, words("word8")) == ["word8"]
    assert store.check() == []


def test_vacuuming_leaves_nothing_of_the_index_before(store: LanceStore, folder: Path) -> None:
    """Erasing makes the index anew; a table that a search might still read would hold the words."""
    with store.writing(5.0), store.rebuild(PRINT) as writer:
        put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
    store.vacuum()
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert [file for file in files if b"alpha" in file.read_bytes()] == []
    assert texts_found(store, words("beta")) == ["beta"]


def test_a_large_table_is_asked_and_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own indexes give the candidates, our ranking judges them: the answers hardly differ."""
    monkeypatch.setattr("memdown.index.lancedb.reading.FEW_CHUNKS", 20)
    asked = questions_of(EXAMPLE, 30)
    config = tmp_path / "memdown.json"
    sqlite = {"driver": "sqlite", "path": str(tmp_path / "index.sqlite")}
    lancedb = {"driver": "lancedb", "path": str(tmp_path / "index.lancedb")}
    with (
        opened(EXAMPLE, config, sqlite, "example") as one,
        opened(EXAMPLE, config, lancedb, "example") as other,
    ):
        agreed = agreement(one, other, asked)
        held = other.index.store
        assert isinstance(held, LanceStore)
        assert held._database.kept.reader is None, "nothing is held"
    assert agreed.first >= 0.95
    assert agreed.six >= 0.9
