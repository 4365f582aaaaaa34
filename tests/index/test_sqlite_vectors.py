"""sqlite-vec on, off, or another library: an index always answers the same and can be written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.store_contract import PRINT, by_vector, chunk, put, remove, state, unit
from memdown.doctor.checks import vector_extension
from memdown.index.sqlite import create
from memdown.index.sqlite.connection import connect
from memdown.index.sqlite.schema import table_names
from memdown.index.sqlite.store import SqliteStore
from memdown.types import Fingerprint, ModelKey, Vector, Vectors

# A library that SQLite loads and that knows nothing of vectors.
ANOTHER = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "rot13.so"
ASKED = unit(1, 2, 3, 4)[0]


def vector(seed: int) -> Vectors:
    row = np.random.default_rng(seed).normal(size=(1, 4)).astype(np.float32)
    made: Vectors = row / np.linalg.norm(row)
    return made


def write(store: SqliteStore, name: str, *seeds: int) -> None:
    chunks = [chunk(name, n + 1, [f"alpha {seed}"]) for n, seed in enumerate(seeds)]
    rows = np.concatenate([vector(seed) for seed in seeds])
    with store.writing(1.0) as acquired:
        assert acquired
        if store.fingerprint() is None:
            store.begin(PRINT)
        put(store, state(name), chunks, rows)


def found(path: Path, asked: Vector = ASKED, *, on: bool) -> list[tuple[str, float]]:
    """What the first search of a process finds, and that the second finds the same."""
    store = create(path, vector_enabled=on)
    answers = []
    for _ in range(2):
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, asked, ["memory"], 50)
            chunks = snapshot.chunks([match.key for match in matches])
        answers.append([(chunks[m.key].chunk.text, m.score) for m in matches])
    assert store.check() == []
    store.close()
    same(*answers)
    return answers[0]


def same(first: list[tuple[str, float]], second: list[tuple[str, float]]) -> None:
    """The copy in memory holds two bytes a number, so scores differ in the fifth digit."""
    assert sorted(text for text, _ in first) == sorted(text for text, _ in second)
    assert [score for _, score in first] == pytest.approx([s for _, s in second], abs=1e-4)


STEP = st.tuples(
    st.sampled_from(["write", "write", "write", "remove", "rebuild"]),
    st.booleans(),
    st.integers(0, 3),
    st.lists(st.integers(0, 10_000), min_size=1, max_size=3, unique=True),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, min_size=2, max_size=10))
def test_on_and_off_find_the_same(steps: list[tuple[str, bool, int, list[int]]]) -> None:
    """Whoever wrote what: vectors may stand in `chunks_vec`, beside the chunks, or in both."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.sqlite"
        there: dict[str, list[int]] = {}
        for what, on, number, seeds in steps:
            store = create(path, vector_enabled=on)
            name = f"{number}.md"
            if what == "write" or store.fingerprint() is None:
                write(store, name, *seeds)
                there[name] = seeds
            elif what == "remove":
                with store.writing(1.0):
                    remove(store, [name])
                there.pop(name, None)
            else:
                with store.writing(1.0), store.rebuild(PRINT) as writer:
                    for known, have in there.items():
                        chunks = [
                            chunk(known, n + 1, [f"alpha {seed}"]) for n, seed in enumerate(have)
                        ]
                        rows = np.concatenate([vector(seed) for seed in have])
                        put(writer, state(known), chunks, rows)
            store.close()
        expected = {f"alpha {seed}" for have in there.values() for seed in have}
        assert {text for text, _ in found(path, on=True)} == expected
        same(found(path, on=True), found(path, on=False))


@pytest.mark.parametrize("library", ["/nowhere/vec0", str(ANOTHER), None])
def test_a_rebuild_without_the_extension(library: str | None, tmp_path: Path) -> None:
    """SQLite cannot even rename a table of a module that it does not know."""
    path = tmp_path / "index.sqlite"
    with_it = create(path)
    write(with_it, "a.md", 1)
    with_it.close()
    store = create(path, vector_enabled=library is not None, extension_path=library)
    with store.writing(1.0), store.rebuild(PRINT) as writer:
        put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], vector(2))
    assert set(store.files()) == {"b.md"}
    store.close()
    db = connect(path, read_only=True)
    assert not [name for name in table_names(db) if "chunks_vec" in name]
    db.close()
    assert [text for text, _ in found(path, on=True)] == ["beta"]


def test_a_library_that_is_not_sqlite_vec(tmp_path: Path) -> None:
    """It loads, so only a look at what it brings can tell."""
    path = tmp_path / "index.sqlite"
    store = create(path, extension_path=str(ANOTHER))
    write(store, "a.md", 1)
    with store.snapshot() as snapshot:
        assert len(by_vector(snapshot, ASKED, ["memory"], 5)) == 1
    status = store.status()
    assert not status.vector_available
    assert status.vector_error == f"{ANOTHER} is not sqlite-vec: it has no vec0"


def test_an_emptied_index_takes_vectors_of_another_length(tmp_path: Path) -> None:
    store = create(tmp_path / "index.sqlite")
    write(store, "a.md", 1)
    with store.writing(1.0):
        remove(store, ["a.md"])
        store.begin(Fingerprint(ModelKey("hash", "hash-2", "k"), 400, 80, 1, None))
        rows = np.array([[0.6, 0.8]], np.float32)
        put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], rows)
    with store.snapshot() as snapshot:
        assert len(by_vector(snapshot, rows[0], ["memory"], 5)) == 1


def test_the_doctor_tells_which_library_it_is(tmp_path: Path) -> None:
    from dataclasses import replace

    from memdown.config import load_settings
    from memdown.doctor import Subject

    settings = load_settings(workspace=tmp_path)
    chosen = replace(settings.store.vector, extension_path=str(ANOTHER))
    settings = replace(settings, store=replace(settings.store, vector=chosen))
    (check,) = vector_extension(Subject(settings, None))
    assert check.verdict == "warning"
    assert "is not sqlite-vec" in check.finding
