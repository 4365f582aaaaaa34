"""A copy in memory answers as the index does, whatever is written meanwhile and by whomever."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.store_contract import PRINT, chunk, state, words
from index.postgres_server import Server
from memdown.index import lancedb, mirror, postgres
from memdown.index.inverted import Column, Inverted
from memdown.index.mirror import Mirror
from memdown.index.postgres import PostgresStore
from memdown.index.reader import Unit
from memdown.index.sqlite.store import SqliteStore
from memdown.types import Snapshot, Source, Store, TextMatches, TextQuery, Vectors

WORDS = ("router", "route", "routing", "hall", "hallway", "cat", "kühn", "kühler", "ทดสอบ", "er605")
BOTH: tuple[Source, ...] = ("memory", "sessions")

_texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4
)
_query = st.builds(
    TextQuery,
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(tuple),
    prefixes=st.lists(st.sampled_from(["rout", "hall", "küh"]), max_size=2, unique=True).map(tuple),
    phrases=st.lists(st.tuples(*[st.sampled_from(WORDS)] * 2), max_size=1).map(tuple),
    sources=st.sampled_from([("memory",), ("sessions",), BOTH]),
    limit=st.sampled_from([1, 3, 50]),
)
_step = st.tuples(
    st.sampled_from(["write", "write", "write", "remove", "rebuild"]),
    st.integers(0, 5),
    _texts,
    _query,
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


def do(store: Store, step: tuple[str, int, list[str], TextQuery], seed: int) -> None:
    what, number, texts, _ = step
    source: Source = "sessions" if number % 2 else "memory"
    path = f"{source}/{number}.md"
    if what == "remove":
        store.remove([path])
    elif what == "write":
        store.replace(state(path, source), [chunk(path, 1, texts, source)], vector(seed))
    else:
        with store.rebuild(PRINT) as writer:
            writer.replace(state(path, source), [chunk(path, 1, texts, source)], vector(seed))


def scores(found: TextMatches) -> list[float]:
    return [match.score for match in found.matches]


def near(snapshot: Snapshot) -> list[float]:
    return [match.score for match in snapshot.match_vector(vector(7)[0], BOTH, 50)]


def compare(
    held: Store, steps: list[tuple[str, int, list[str], TextQuery]], ready: Callable[[], None]
) -> None:
    """Every step is done in both stores; what is held must score as SQLite's own index does."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        plain = SqliteStore(Path(folder) / "index.sqlite")
        stack.callback(plain.close)
        begun(plain)
        for seed, step in enumerate(steps):
            for store in (plain, held):
                do(store, step, seed)
            ready()
            with (
                closing(SqliteStore(Path(folder) / "index.sqlite")) as fresh,
                fresh.snapshot() as one,
                held.snapshot() as other,
            ):
                asked, found = one.match_text(step[3]), other.match_text(step[3])
                assert found.reachable == pytest.approx(asked.reachable, rel=1e-6)
                assert scores(found) == pytest.approx(scores(asked), rel=1e-5)
                assert near(other) == pytest.approx(near(one), abs=1e-4)
                chunks = set(other.chunk_keys([match.key for match in found.matches]).values())
                assert set(other.load(list(chunks))) == chunks


@settings(max_examples=25, deadline=None)
@given(st.lists(_step, min_size=2, max_size=8))
def test_lancedb_scores_as_sqlite(steps: list[tuple[str, int, list[str], TextQuery]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = lancedb.create(Path(folder) / "index.lancedb")
        compare(begun(store), steps, lambda: None)
        store.close()


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(_step, min_size=2, max_size=8))
def test_postgres_scores_as_sqlite(
    postgres: Server, steps: list[tuple[str, int, list[str], TextQuery]]
) -> None:
    with opened(postgres) as store:
        begun(store)
        compare(store, steps, lambda: None)


@contextmanager
def opened(server: Server, agent: str | None = None) -> Iterator[PostgresStore]:
    store = postgres.create(server.url, agent=agent or f"mirror-{next(_numbers)}")
    try:
        yield store
    finally:
        store.close()


def test_a_search_that_began_earlier_sees_what_was_there(postgres: Server) -> None:
    with opened(postgres, "earlier") as store:
        begun(store)
        do(store, ("write", 0, ["cat"], words()), 1)
        with store.snapshot() as late, store.snapshot() as early:
            assert len(early.match_text(words("cat")).matches) == 1
            do(store, ("write", 2, ["cat hall"], words()), 2)
            with store.snapshot() as newer:
                assert len(newer.match_text(words("cat")).matches) == 2
            for snapshot in (early, late):
                assert len(snapshot.match_text(words("cat")).matches) == 1
                assert len(near(snapshot)) == 1


def test_many_threads_get_right_answers_while_notes_change(postgres: Server) -> None:
    with opened(postgres, "threads") as store:
        begun(store)
        for number in range(0, 12, 2):
            do(store, ("write", number, ["cat router"], words()), number)
        wrong: list[object] = []
        done = threading.Event()

        def search() -> None:
            while not done.is_set():
                with store.snapshot() as snapshot:
                    found = len(snapshot.match_text(words("cat")).matches)
                    if found != 6 or len(near(snapshot)) != 6:
                        wrong.append(found)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for seed in range(12):
            do(store, ("write", 2 * (seed % 6), ["hall cat", "router"], words()), seed)
        done.set()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_closed_mirror_reads_nothing() -> None:
    class Nothing:
        state = mirror.State("x", None, 1)

    # Looking would fail: None is no view.
    one = Mirror(lambda: None)  # type: ignore[arg-type,return-value]
    one.close()
    for _ in range(3):
        assert one.view(Nothing()) is None  # type: ignore[arg-type]
    assert one._reading is None


@given(st.lists(st.tuples(_texts.map(lambda texts: texts[0].split()), _texts), max_size=8))
def test_holders_are_counted_right(passages: list[tuple[list[str], list[str]]]) -> None:
    rows = [(text, " ".join(head).split()) for text, head in passages]
    names = sorted({term for text, head in rows for term in (*text, *head)})
    numbers = {name: 3 * number for number, name in enumerate(names)}

    def column(side: int) -> Column:
        lists = [row[side] for row in rows]
        flat = [numbers[term] for terms in lists for term in terms]
        ends = np.cumsum([len(terms) for terms in lists], dtype=np.int64)
        return Column(np.array(flat, np.int32), ends)

    made = Inverted(
        np.arange(len(rows), dtype=np.int64) * 5,
        column(0),
        column(1),
        names,
        np.array([numbers[name] for name in names], np.int32),
    )
    for word in WORDS:
        often = [text.count(word) + 0.3 * head.count(word) for text, head in rows]
        held = made.holders(Unit("word", (word,)))
        assert dict(zip(held.keys.tolist(), held.often.tolist(), strict=True)) == pytest.approx(
            {5 * n: count for n, count in enumerate(often) if count}
        )
        for other in WORDS[:4]:
            counts = [
                sum(pair == (word, other) for pair in itertools.pairwise(text)) for text, _ in rows
            ]
            phrase = made.holders(Unit("phrase", (word, other)))
            assert dict(zip(phrase.keys.tolist(), phrase.often.tolist(), strict=True)) == {
                5 * n: count for n, count in enumerate(counts) if count
            }
    starting = [sum(term.startswith("rout") for term in text) for text, _ in rows]
    prefix = made.holders(Unit("prefix", ("rout",)))
    assert dict(zip(prefix.keys.tolist(), prefix.often.tolist(), strict=True)) == {
        5 * n: count for n, count in enumerate(starting) if count
    }
