"""The index file itself: permissions, damage, versions, read-only places, leftovers."""

from __future__ import annotations

import importlib
import os
import stat
import tempfile
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.store_contract import PRINT, by_vector, chunk, put, state, texts_found, unit, words
from memdown.errors import IndexBusy, IndexCorrupt, IndexTooNew, StoreError
from memdown.index.passages import passage_terms
from memdown.index.reader import Sought
from memdown.index.sqlite import create, damage, tables
from memdown.index.sqlite.connection import connect
from memdown.index.sqlite.schema import MIGRATIONS, m001_first_tables, table_names
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.types import FileState, Fingerprint, ModelKey


def fill(path: Path) -> None:
    store = create(path)
    with store.writing(1.0):
        store.begin(PRINT)
        for number in range(200):
            name = f"{number}.md"
            put(store, state(name), [chunk(name, 1, [f"alpha {number}"])], unit(1, 0, 0, 0))
    store.close()


@cache
def filled_once() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.sqlite"
        fill(path)
        assert not path.with_name("index.sqlite-wal").exists()
        return path.read_bytes()


def filled(path: Path) -> None:
    """A copy of one and the same index: to fill one takes most of a second."""
    path.write_bytes(filled_once())
    path.chmod(0o600)


def test_only_the_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "index.sqlite"
    fill(path)
    store = create(path)
    store.files()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def test_reading_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "state" / "index.sqlite"
    store = create(path)
    assert store.files() == {}
    assert store.status().size_bytes == 0
    assert not path.parent.exists()


def test_the_files_are_those_of_the_state_that_they_are_kept_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process writes between the look at the state and that at the files."""
    path = tmp_path / "index.sqlite"
    filled(path)
    read = tables.read_numbered

    def read_late(db: apsw.Connection) -> dict[int, FileState]:
        monkeypatch.setattr(tables, "read_numbered", read)
        other = create(path)
        with other.writing(1.0):
            put(other, state("late.md"), [chunk("late.md", 1, ["late"])], unit(1, 0, 0, 0))
        other.close()
        return read(db)

    monkeypatch.setattr(tables, "read_numbered", read_late)
    store = create(path)
    assert "late.md" not in store.files()
    assert "late.md" in store.files()


def test_a_newer_index_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    db = connect(path)
    db.pragma("user_version", len(MIGRATIONS) + 1)
    db.close()
    before = path.read_bytes()
    with pytest.raises(IndexTooNew, match="newer version"):
        create(path).files()
    with pytest.raises(IndexTooNew), create(path).writing(1.0):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("garbage", [b"not a database at all" * 300, b"\0" * 8192])
def test_garbage_is_called_damaged(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(garbage)
    with pytest.raises(IndexCorrupt, match="damaged"):
        create(path).files()


def test_a_folder_in_the_place_of_an_index_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(StoreError, match="is a folder; move it away"):
        create(tmp_path / "index.sqlite").files()


def test_a_truncated_index_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(IndexCorrupt):
        create(path).files()


def test_an_index_cut_off_beside_its_log_is_called_damaged(tmp_path: Path) -> None:
    """SQLite reads what lies behind the end of a file as zeros, and a row of zeros as one of NULLs."""
    path = tmp_path / "index.sqlite"
    filled(path)
    store = create(path)
    with store.writing(1.0):
        put(store, state("new.md"), [chunk("new.md", 1, ["beta"])], unit(1, 0, 0, 0))
    whole, log = path.read_bytes(), path.with_name("index.sqlite-wal").read_bytes()
    assert log
    store.close()
    cut_off = tmp_path / "cut" / "index.sqlite"
    cut_off.parent.mkdir()
    noticed: list[str] = []
    for end in range(len(whole), 16384, -4096):
        cut_off.write_bytes(whole[:end])
        cut_off.with_name("index.sqlite-wal").write_bytes(log)
        cut_off.with_name("index.sqlite-shm").unlink(missing_ok=True)
        copy = create(cut_off)
        try:
            assert len(copy.files()) == 201
            assert copy.check() == []
        except IndexCorrupt as error:
            noticed.append(str(error))
        copy.close()
    assert all("cut off" in reason for reason in noticed)
    assert len(noticed) > len(whole) // 4096 // 2


def test_an_empty_file_is_an_empty_index(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.touch()
    store = create(path)
    assert store.files() == {}
    with store.writing(1.0):
        store.begin(PRINT)
    assert store.fingerprint() == PRINT


def test_a_damaged_index_is_set_aside_with_its_side_files(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"garbage")
    path.with_name("index.sqlite-wal").write_bytes(b"old wal")
    store = create(path)
    with pytest.raises(IndexCorrupt):
        store.files()
    aside = Path(store.set_aside() or "")
    assert aside.read_bytes() == b"garbage"
    assert store.set_aside() is None
    assert aside.with_name(aside.name + "-wal").read_bytes() == b"old wal"
    assert not path.exists()
    with store.writing(1.0):
        store.begin(PRINT)
    assert store.fingerprint() == PRINT


def test_an_index_replaced_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old file and the size of the new one would look like an index that was cut off."""
    path = tmp_path / "index.sqlite"
    filled(path)
    really_check = damage.check_whole
    asides: list[Path] = []

    def check(db: apsw.Connection, at: Path, opened: os.stat_result) -> None:
        if not asides:
            asides.append(path.rename(tmp_path / "aside.sqlite"))
            path.touch()
        really_check(db, at, opened)

    monkeypatch.setattr(damage, "check_whole", check)
    store = create(path)
    store.files()
    assert asides
    assert store.files() == {}
    store.close()


@pytest.mark.parametrize("engine", ["sqlite", "lancedb"])
def test_an_index_that_another_writes_to_is_not_set_aside(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files would be moved away from under the writer."""
    module = importlib.import_module(f"memdown.index.{engine}.store")
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.05)
    path = tmp_path / "index"
    writer, other = module.create(path), module.create(path)
    with writer.writing(1.0):
        writer.begin(PRINT)
        with pytest.raises(IndexBusy, match="another process is writing"):
            other.set_aside()
    assert path.exists()


def test_a_killed_rebuild_leaves_no_litter(tmp_path: Path) -> None:
    """What a kill leaves is what stands in the file when the process is gone."""
    path = tmp_path / "index.sqlite"
    filled(path)
    store = create(path)
    rebuild = store.rebuild(PRINT)
    writer = rebuild.__enter__()
    put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
    other = create(path)
    with other.writing(1.0):
        pass
    db = apsw.Connection(str(path))
    assert not [name for name in table_names(db) if name.startswith(("next_", "old_"))]
    db.close()
    assert len(other.files()) == 200


def test_without_the_extension_an_index_made_with_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    plain = create(path, vector_enabled=False)
    with plain.snapshot() as snapshot:
        assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 500)) == 200


def test_a_missing_extension_is_told(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    store = create(path, extension_path="/nowhere/vec0")
    status = store.status()
    assert not status.vector_available
    assert "nowhere" in (status.vector_error or "")
    with store.snapshot() as snapshot:
        assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 500)) == 200


def test_without_fts5_words_and_vectors_still_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An authorizer that denies the function stands for an SQLite built without FTS5."""
    original = apsw.Connection

    def deny(action: int, _: str | None, name: str | None, *__: object) -> int:
        is_fts = action == apsw.SQLITE_FUNCTION and name == "fts5_source_id"
        return apsw.SQLITE_DENY if is_fts else apsw.SQLITE_OK

    def connect(*args: object, **kwargs: object) -> apsw.Connection:
        db = original(*args, **kwargs)  # type: ignore[arg-type]
        db.authorizer = deny
        return db

    monkeypatch.setattr(apsw, "Connection", connect)
    path = tmp_path / "index.sqlite"
    filled(path)
    store = create(path)
    assert not store.status().fts_available
    assert "alpha 7" in texts_found(store, words("7"))
    with store.snapshot() as snapshot:
        assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 500)) == 200


def test_a_state_is_of_one_moment_though_another_process_writes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a search in between would take what it has read for the newer state, and so would the next."""
    path = tmp_path / "index.sqlite"
    filled(path)
    store, other = create(path), create(path)
    read = tables.read_fingerprint

    def written_meanwhile(db: apsw.Connection) -> Fingerprint | None:
        monkeypatch.setattr(tables, "read_fingerprint", read)
        with other.writing(1.0):
            put(other, state("new.md"), [chunk("new.md", 1, ["beta"])], unit(1, 0, 0, 0))
        return read(db)

    monkeypatch.setattr(tables, "read_fingerprint", written_meanwhile)
    before = store.state()
    assert store.state() != before
    with store.snapshot() as snapshot:
        assert "new.md" in {file.path for file in snapshot.files().values()}
    store.close()
    other.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = create(tmp_path / "index.sqlite")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.files()


def test_rows_of_a_rebuild_name_the_new_model(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    store = create(path)
    other = Fingerprint(ModelKey("hash", "other-model", "k"), 400, 80, 1, None)
    with store.rebuild(other) as writer:
        put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
    store.close()
    db = apsw.Connection(str(path), vfs=damage.layer())
    assert db.execute("SELECT DISTINCT model FROM chunks").fetchall() == [("other-model",)]
    db.close()


def test_readers_may_come_while_an_index_is_being_made(tmp_path: Path) -> None:
    """Whoever opens the file while it is empty must not call its first page damaged."""
    paths = [tmp_path / f"index{number}.sqlite" for number in range(15)]
    errors: list[StoreError] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            store = create(next((path for path in paths if not path.exists()), paths[-1]))
            try:
                while not store.files() and not stop.is_set():
                    pass
            except StoreError as error:
                errors.append(error)
            store.close()

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for path in paths:
        store = create(path)
        with store.writing(5.0):
            store.begin(PRINT)
            put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        store.close()
    stop.set()
    for reader in readers:
        reader.join()
    assert errors == []


def test_an_index_of_an_older_layout_is_emptied(tmp_path: Path) -> None:
    """The notes make it anew; what was paid for stays in the cache."""
    path = tmp_path / "index.sqlite"
    db = connect(path)
    with db:
        m001_first_tables(db)
        db.execute("CREATE TABLE files (path TEXT, hash TEXT)").fetchall()
        db.execute("CREATE TABLE chunks (id TEXT)").fetchall()
        db.execute(
            "INSERT INTO meta VALUES ('memory_index_meta_v1', 'of another shape')"
        ).fetchall()
        row = ("hash", "hash-4", "k", "d1", unit(1, 0, 0, 0).tobytes(), 4, 1)
        db.execute("INSERT INTO embedding_cache VALUES (?, ?, ?, ?, ?, ?, ?)", row).fetchall()
        db.pragma("user_version", 1)
    db.close()
    store = create(path)
    assert store.files() == {}
    assert store.fingerprint() is None
    with store.writing(1.0):
        store.begin(PRINT)
    assert list(store.cached(PRINT.key, ["d1"])) == ["d1"]


def test_an_index_of_the_last_layout_is_made_anew_with_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "index.sqlite"
    filled(path)
    db = connect(path)
    with db:
        db.execute("ALTER TABLE chunks RENAME TO chunk_rows").fetchall()
        db.execute("CREATE VIEW chunks AS SELECT * FROM chunk_rows").fetchall()
        db.execute("DROP TABLE segments").fetchall()
        db.execute("DROP TABLE manifest").fetchall()
        db.pragma("user_version", 5)
    db.close()
    store = create(path)
    assert store.files() == {}
    with store.writing(1.0):
        store.begin(PRINT)
        put(store, state("a.md"), [chunk("a.md", 1, ["one apple"])], unit(1, 0, 0, 0))
    assert texts_found(store, words("appl")) == ["one apple"]
    assert store.check() == []
    assert [record.getMessage() for record in caplog.records] == [
        f"The index {path} was made by an earlier version of Memdown; it is made anew from the notes."
    ]
    store.close()


def test_an_index_of_openclaw_is_kept_and_a_new_one_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is no damaged index: its program may still need it."""
    path = tmp_path / "index.sqlite"
    db = apsw.Connection(str(path))
    for statement in (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
        "CREATE TABLE files (path TEXT PRIMARY KEY, source TEXT, hash TEXT, mtime INTEGER, size INTEGER)",
        "CREATE TABLE chunks (id TEXT PRIMARY KEY, path TEXT, source TEXT, start_line INTEGER, "
        "end_line INTEGER, hash TEXT, model TEXT, text TEXT, embedding TEXT, updated_at INTEGER)",
        "INSERT INTO files VALUES ('MEMORY.md', 'memory', 'h', 1, 1)",
    ):
        db.execute(statement).fetchall()
    db.close()
    store = create(path)
    assert store.files() == {}
    assert store.fingerprint() is None
    with store.writing(1.0):
        store.begin(PRINT)
        put(store, state("a.md"), [chunk("a.md", 1, ["one apple"])], unit(1, 0, 0, 0))
    assert list(store.files()) == ["a.md"]
    kept = apsw.Connection(str(path.with_name("index.sqlite.openclaw")))
    assert kept.execute("SELECT path FROM files").get == "MEMORY.md"
    kept.close()
    (told,) = [record.getMessage() for record in caplog.records]
    assert "OpenClaw" in told
    assert "damaged" not in told
    store.close()


@given(text=st.text(alphabet="# ab\n日é\r", max_size=300), mapped=st.booleans())
def test_a_chunk_is_read_back_whole(
    tmp_path_factory: pytest.TempPathFactory, text: str, mapped: bool
) -> None:
    """What is made of chunks later, such as their terms, must be what was made when indexing."""
    document = read_document(state("memory/a.md"), text)
    if mapped:
        document = replace(document, line_map=tuple(range(3, 2000, 2)))
    chunks = chunk_document(document, tokens=10, overlap=3, model="m", headings=document.headings)
    store = create(tmp_path_factory.mktemp("index") / "index.sqlite", vector_enabled=False)
    store.begin(PRINT)
    put(store, state("memory/a.md"), chunks, None)
    with store.snapshot() as snapshot:
        reader = snapshot.reader(Sought())
        stored = snapshot.chunks(reader.chunk_key.tolist())
    assert [one.chunk for _, one in sorted(stored.items())] == chunks
    for (_, one), made in zip(sorted(stored.items()), chunks, strict=True):
        assert list(passage_terms(one.chunk)) == list(passage_terms(made))
    store.close()


def test_other_programs_read_chunks_under_the_known_names(tmp_path: Path) -> None:
    """Plain text, one row a chunk; words are found through `chunks_fts`."""
    path = tmp_path / "index.sqlite"
    store = create(path)
    store.begin(PRINT)
    made = [chunk("memory/a.md", 1, ["alpha", "beta"]), chunk("memory/a.md", 3, ["gamma é"])]
    put(store, state("memory/a.md"), made, np.concatenate([unit(1, 0, 0, 0)] * 2))
    store.close()
    db = apsw.Connection(str(path))
    rows: list[Any] = db.execute(
        "SELECT id, path, source, start_line, end_line, hash, model, text FROM chunks "
        "ORDER BY start_line"
    ).fetchall()
    assert rows == [
        (one.id, one.path, "memory", one.start_line, one.end_line, one.digest, "hash-4", one.text)
        for one in made
    ]
    found = "SELECT text FROM chunks WHERE rowid IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)"
    assert db.execute(found, ("gamma",)).fetchall() == [(made[1].text,)]
    db.close()


def test_what_a_rebuild_leaves_is_given_back(tmp_path: Path) -> None:
    """A rebuild makes all tables twice; the file must not stay twice as large."""
    path = tmp_path / "index.sqlite"
    store = create(path)
    chunks = [chunk("a.md", n, [f"word{n} and word{n * 7}" * 20]) for n in range(1, 1500)]
    rows = np.concatenate([unit(1, 0, 0, 0)] * len(chunks))
    with store.writing(1.0):
        store.begin(PRINT)
        put(store, state("a.md"), chunks, rows)
    store.close()
    before = path.stat().st_size
    store = create(path)
    with store.writing(1.0), store.rebuild(PRINT) as writer:
        put(writer, state("a.md"), chunks, rows)
    assert store.check() == []
    assert len(texts_found(store, words("word8"))) == 1
    store.close()
    assert path.stat().st_size < 1.1 * before
