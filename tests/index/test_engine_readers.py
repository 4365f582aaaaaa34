"""Every engine's reader says what a new process would read from SQLite, whatever is written meanwhile."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from contracts.store_contract import (
    PRINT,
    by_vector,
    by_words,
    chunk,
    longer_words,
    put,
    remove,
    state,
    texts_found,
    words,
)
from index.postgres_server import Server
from memdown.index import lancedb, postgres
from memdown.index.packing import pack_passages
from memdown.index.postgres import PostgresStore
from memdown.index.postgres.choosing import best_sums
from memdown.index.reader import Sought, word
from memdown.index.shortlist import ListedChunk, pack_brief, read_shortlist, terms_of
from memdown.index.sqlite.store import SqliteStore
from memdown.index.store import Snapshot, Store
from memdown.text.cues import INTRODUCES
from memdown.types import FILE_SPAN, FileState, Source, Vectors

WORDS = ("router", "route", "routing", "hall", "hallway", "cat", "kühn", "kühler", "ทดสอบ", "er605")
BOTH: tuple[Source, ...] = ("memory", "sessions")


@dataclass(frozen=True, slots=True)
class Step:
    """One change, and what is asked for after it."""

    what: str
    number: int
    texts: list[str]
    sought: Sought


_texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4
)
_sought = st.builds(
    Sought,
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(tuple),
    prefixes=st.lists(st.sampled_from(["route", "hallw"]), max_size=2, unique=True).map(tuple),
    phrases=st.lists(st.tuples(*[st.sampled_from(WORDS)] * 2), max_size=1).map(tuple),
    sources=st.sampled_from([("memory",), ("sessions",), BOTH]),
)
_steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["write", "write", "write", "remove", "rebuild"]),
        st.integers(0, 5),
        _texts,
        _sought,
    ),
    min_size=2,
    max_size=8,
)
# A phrase that overlaps itself stands there twice.
REPEATED = Step(
    "write", 0, ["hall hall hall"], Sought(("hall",), phrases=(("hall", "hall"),), sources=BOTH)
)
_numbers = itertools.count()


def vector(seed: int) -> Vectors:
    row = np.random.default_rng(seed).normal(size=(1, 4)).astype(np.float32)
    made: Vectors = row / np.linalg.norm(row)
    return made


def begun(store: Store) -> Store:
    with store.writing(5.0) as acquired:
        assert acquired
        store.begin(PRINT)
    return store


def do(store: Store, step: Step, seed: int) -> None:
    source: Source = "sessions" if step.number % 2 else "memory"
    path = f"{source}/{step.number}.md"
    made = [chunk(path, 1, step.texts, source)]
    if step.what == "remove":
        remove(store, [path])
    elif step.what == "write":
        put(store, state(path, source), made, vector(seed))
    else:
        with store.rebuild(PRINT) as writer:
            put(writer, state(path, source), made, vector(seed))


def write(store: Store, number: int, texts: list[str], seed: int) -> None:
    with store.writing(5.0):
        do(store, Step("write", number, texts, words()), seed)


def near(snapshot: Snapshot) -> list[float]:
    return [match.score for match in by_vector(snapshot, vector(7)[0], BOTH, 50)]


def compare(held: Store, steps: list[Step]) -> None:
    """Every step is done in both stores; what is found must score as in a newly opened SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "index.sqlite"
        with closing(SqliteStore(file)) as plain:
            begun(plain)
            for seed, step in enumerate(steps):
                for store in (plain, held):
                    # LanceDB makes its indexes when a writer is done.
                    with store.writing(5.0):
                        do(store, step, seed)
                with (
                    closing(SqliteStore(file)) as fresh,
                    fresh.snapshot() as one,
                    held.snapshot() as other,
                ):
                    _same(one, other, step.sought)


def _same(one: Snapshot, other: Snapshot, sought: Sought) -> None:
    asked, found = by_words(one, sought), by_words(other, sought)
    assert [match.score for match in found] == pytest.approx(
        [match.score for match in asked], rel=1e-4
    )
    assert near(other) == pytest.approx(near(one), abs=1e-3)
    chunks = {match.chunk for match in found}
    assert set(other.chunks(sorted(chunks))) == chunks
    for unit in sought.units():
        if len(other.reader(sought).posting(unit).rows):
            assert other.reader(sought).document_frequency(unit) == one.reader(
                sought
            ).document_frequency(unit)


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(_steps)
def test_sqlite_follows_what_is_written(steps: list[Step]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SqliteStore(Path(folder) / "index.sqlite")) as store,
    ):
        compare(begun(store), steps)


@pytest.mark.parametrize("few", [0, 256])
@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=_steps)
def test_lancedb_finds_what_sqlite_finds(
    monkeypatch: pytest.MonkeyPatch, few: int, steps: list[Step]
) -> None:
    monkeypatch.setattr("memdown.index.lancedb.reading.FEW_CHUNKS", few)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(lancedb.create(Path(folder) / "index.lancedb")) as store,
    ):
        # How rare a phrase is, LanceDB tells from the candidates alone.
        compare(
            begun(store), [replace(one, sought=replace(one.sought, phrases=())) for one in steps]
        )


@pytest.mark.parametrize("few", [0, 256])
@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(steps=[REPEATED])
@given(steps=_steps)
def test_postgres_finds_what_sqlite_finds(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, few: int, steps: list[Step]
) -> None:
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", few)
    with opened(postgres) as store:
        compare(begun(store), steps)


@contextmanager
def opened(server: Server, agent: str | None = None) -> Iterator[PostgresStore]:
    with closing(postgres.create(server.url, agent=agent or f"reader-{next(_numbers)}")) as store:
        yield store


@pytest.mark.parametrize("few", [0, 256])
def test_a_search_that_began_earlier_sees_what_was_there(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """What a process has in memory may be ahead of it by then."""
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", few)
    monkeypatch.setattr("memdown.index.lancedb.reading.FEW_CHUNKS", few)
    with (
        opened(postgres) as server,
        closing(SqliteStore(tmp_path / "index.sqlite")) as sqlite,
        closing(lancedb.create(tmp_path / "index.lancedb")) as lance,
    ):
        for store in (server, sqlite, lance):
            begun(store)
            write(store, 0, ["cat"], 1)
            with store.snapshot() as late, store.snapshot() as early:
                assert len(by_words(early, words("cat"))) == 1
                write(store, 2, ["cat hall"], 2)
                with store.snapshot() as newer:
                    assert len(by_words(newer, words("cat"))) == 2
                for snapshot in (early, late):
                    assert len(by_words(snapshot, words("cat"))) == 1
                    assert len(near(snapshot)) == 1
            write(store, 0, ["a cat"], 1)
            assert texts_found(store, words("cat")) == ["a cat", "cat hall"]


def test_words_that_end_alike_are_asked_of_the_engines_themselves(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    monkeypatch.setattr("memdown.index.lancedb.reading.FEW_CHUNKS", 0)
    with (
        opened(postgres, "ends") as server,
        closing(lancedb.create(tmp_path / "index.lancedb")) as lance,
    ):
        for store in (server, lance):
            begun(store)
            write(store, 0, ["Reisepass passend", "Impfpass Straße"], 1)
            write(store, 2, ["der Reisepass"], 2)
            assert longer_words(store, "pass") == ["impfpass", "reisepass"]
            assert longer_words(store, "reisepass") == longer_words(store, "'x") == []
            write(store, 0, ["nothing"], 1)
            assert longer_words(store, "pass") == ["reisepass"]


def test_words_of_an_earlier_version_are_found_by_their_ends_after_the_next_sync(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdown.index.postgres.reading.FEW_CHUNKS", 0)
    with opened(postgres, "earlier") as store:
        begun(store)
        with monkeypatch.context() as before:
            before.setattr("memdown.index.postgres.postings._note_ends", lambda *_: None)
            write(store, 0, ["der Reisepass"], 1)
        assert longer_words(store, "pass") == []
        for _ in range(2):
            with store.writing(1.0):
                pass
            assert longer_words(store, "pass") == ["reisepass"]


def test_many_threads_get_right_answers_while_notes_change(postgres: Server) -> None:
    with opened(postgres, "threads") as store:
        begun(store)
        for number in range(0, 12, 2):
            write(store, number, ["cat router"], number)
        wrong: list[object] = []
        done = threading.Event()

        def search() -> None:
            while not done.is_set():
                with store.snapshot() as snapshot:
                    found = len(by_words(snapshot, words("cat")))
                    if found != 6 or len(near(snapshot)) != 6:
                        wrong.append(found)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for seed in range(12):
            write(store, 2 * (seed % 6), ["hall cat", "router"], seed)
        done.set()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_sqlite_without_the_extension_compares_vectors_too(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "index.sqlite", vector_enabled=False)) as store:
        begun(store)
        for number in range(3):
            path = f"memory/{number}.md"
            put(store, state(path), [chunk(path, 1, ["cat"])], vector(number))
            with store.snapshot() as snapshot:
                found = by_vector(snapshot, vector(number)[0], ["memory"], 5)
            assert found[0].score == pytest.approx(1.0, abs=1e-4)
            assert len(found) == number + 1


def test_the_best_sums_are_those_of_all_lists_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lists are looked into only, where they cannot bring anything new."""
    monkeypatch.setattr("memdown.index.postgres.choosing._LONG_LIST", 40)
    drawn = np.random.default_rng(5)
    for _ in range(200):
        lists = []
        for size, weight in zip(
            drawn.integers(0, 400, 6), (9.0, 6.0, 4.0, 2.0, 1.0, 0.5), strict=True
        ):
            keys = np.unique(drawn.integers(0, 1_000, size))
            lists.append((keys, weight * drawn.choice([0.5, 0.75, 1.0], len(keys))))
        count = int(drawn.integers(1, 60))
        sums: dict[int, float] = {}
        for keys, gains in lists:
            for key, gain in zip(keys.tolist(), gains.tolist(), strict=True):
                sums[key] = sums.get(key, 0.0) + gain
        least = sorted(sums.values(), reverse=True)[:count][-1:] or [0.0]
        wanted = {key for key, value in sums.items() if value >= least[0]}
        assert set(best_sums(lists, count).tolist()) == wanted


def test_what_is_told_of_passages_is_known_without_their_words() -> None:
    """A shortlist comes with its features: who introduces himself is found in it, and no terms are read."""
    one = chunk("memory/chat.md", 1, ["ek93: Hi! Totally forgot to introduce myself, I'm Kate."])
    listed = ListedChunk(
        FILE_SPAN, pack_passages(one)[1], None, None, None, pack_brief(terms_of(one))
    )
    files = {1: FileState("memory/chat.md", "memory", 0, 0)}
    reader = read_shortlist([listed], files, None, lambda _: {}, None)
    assert reader.among(word(INTRODUCES), np.arange(1, dtype=np.int32)).tolist() == [0]
