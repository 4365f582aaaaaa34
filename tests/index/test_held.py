"""What is held in memory answers as the index itself does, whatever is written meanwhile."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.store_contract import PRINT, chunk, state, texts_found, words
from memdown.index.nearest import Gathered, pack
from memdown.index.sqlite.store import SqliteStore
from memdown.types import Source, TextMatches, TextQuery, Vectors

_WORDS = (
    "router",
    "route",
    "routing",
    "hall",
    "hallway",
    "cat",
    "kühn",
    "kühler",
    "ทดสอบ",
    "er605",
)
_passages = st.lists(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4
)
_query = st.builds(
    TextQuery,
    words=st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4, unique=True).map(tuple),
    prefixes=st.lists(st.sampled_from(["rout", "hall", "küh"]), max_size=2, unique=True).map(tuple),
    phrases=st.lists(st.tuples(*[st.sampled_from(_WORDS)] * 2), max_size=1).map(tuple),
    sources=st.sampled_from([("memory",), ("sessions",), ("memory", "sessions")]),
    limit=st.sampled_from([1, 3, 50]),
)
_step = st.tuples(
    st.sampled_from(["write", "write", "write", "remove"]),
    st.integers(0, 5),
    _passages,
    _query,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = _opened(tmp_path)
    yield opened
    opened.close()


def _opened(folder: Path) -> SqliteStore:
    store = SqliteStore(folder / "index.sqlite")
    with store.writing(1.0):
        store.begin(PRINT)
    return store


def _source(number: int) -> Source:
    return "sessions" if number % 2 else "memory"


def _vector(seed: int) -> Vectors:
    row = np.random.default_rng(seed).normal(size=(1, 4)).astype(np.float32)
    made: Vectors = row / np.linalg.norm(row)
    return made


def _asked(store: SqliteStore, query: TextQuery) -> TextMatches:
    with store.snapshot() as snapshot:
        return snapshot.match_text(query)


def _fresh(store: SqliteStore) -> SqliteStore:
    """Another process: its first search asks the index itself."""
    return SqliteStore(store._path)


def _same(held: TextMatches, asked: TextMatches) -> None:
    assert held.reachable == pytest.approx(asked.reachable, rel=1e-6)
    assert [m.score for m in held.matches] == pytest.approx(
        [m.score for m in asked.matches], rel=1e-6
    )
    last = asked.matches[-1].score if asked.matches else 0.0
    assert _above(held, last) == _above(asked, last)


def _above(found: TextMatches, last: float) -> set[int]:
    """What is better than the last one, with which others may tie."""
    return {match.key for match in found.matches if match.score > last * (1 + 1e-6)}


@settings(max_examples=60, deadline=None)
@given(st.lists(_step, min_size=2, max_size=10))
def test_scores_are_those_of_the_index(
    steps: list[tuple[str, int, list[str], TextQuery]],
) -> None:
    """After every write, with what earlier searches left in memory."""
    with tempfile.TemporaryDirectory() as folder:
        store = _opened(Path(folder))
        for count, (what, number, passages, query) in enumerate(steps):
            source = _source(number)
            path = f"{source}/{number}.md"
            if what == "remove":
                store.remove([path])
            else:
                written = chunk(path, 1, passages, source)
                store.replace(state(path, source), [written], _vector(count))
            other = _fresh(store)
            held = _asked(store, query)
            _same(held, _asked(other, query))
            other.close()
            with store.snapshot() as snapshot:
                vectors = dict(zip(*_all_vectors(store), strict=True))
                near = snapshot.match_vector(_vector(7)[0], ["memory", "sessions"], 50)
            assert {match.key for match in near} == set(vectors)
            for match in near:
                assert match.score == pytest.approx(
                    float(vectors[match.key] @ _vector(7)[0]), abs=1e-4
                )
        store.close()


def _all_vectors(store: SqliteStore) -> tuple[list[int], Vectors]:
    with store.snapshot() as snapshot:
        return snapshot.all_vectors(1000)


def test_a_search_that_began_earlier_sees_what_was_there(store: SqliteStore) -> None:
    """Memory may be ahead of it by then."""
    store.replace(state("memory/a.md"), [chunk("memory/a.md", 1, ["cat"])], _vector(1))
    _asked(store, words("cat"))
    _asked(store, words("cat"))
    with store.snapshot() as earlier:
        earlier.load([0])
        store.replace(state("memory/b.md"), [chunk("memory/b.md", 1, ["cat hall"])], _vector(2))
        assert len(_asked(store, words("cat")).matches) == 2
        assert len(earlier.match_text(words("cat")).matches) == 1
        assert len(earlier.match_vector(_vector(1)[0], ["memory"], 9)) == 1


def test_a_chunk_that_was_shown_before_is_shown_as_it_is_now(store: SqliteStore) -> None:
    store.replace(state("memory/a.md"), [chunk("memory/a.md", 1, ["the cat"])], _vector(1))
    for _ in range(3):
        assert texts_found(store, words("cat")) == ["the cat"]
    with store.snapshot() as earlier:
        (key,) = earlier.chunk_keys(
            [match.key for match in earlier.match_text(words("cat")).matches]
        )
        store.replace(state("memory/a.md"), [chunk("memory/a.md", 1, ["a cat"])], _vector(1))
        assert texts_found(store, words("cat")) == ["a cat"]
        assert earlier.load([key])[key].chunk.text == "the cat"
    assert texts_found(store, words("cat")) == ["a cat"]


def test_a_rebuild_is_followed(store: SqliteStore) -> None:
    store.replace(state("memory/a.md"), [chunk("memory/a.md", 1, ["cat"])], _vector(1))
    for _ in range(2):
        _asked(store, words("cat", "hall"))
    with store.rebuild(PRINT) as writer:
        writer.replace(state("memory/a.md"), [chunk("memory/a.md", 1, ["hall"])], _vector(1))
    (found,) = _asked(store, words("cat", "hall")).matches
    _same(
        TextMatches((found,), _asked(store, words("cat", "hall")).reachable),
        _asked(_fresh(store), words("cat", "hall")),
    )


def test_an_index_without_the_extension_is_held_too(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "index.sqlite", vector_enabled=False)
    with store.writing(1.0):
        store.begin(PRINT)
    for number in range(3):
        path = f"memory/{number}.md"
        store.replace(state(path), [chunk(path, 1, ["cat"])], _vector(number))
        with store.snapshot() as snapshot:
            near = snapshot.match_vector(_vector(number)[0], ["memory"], 5)
        assert near[0].score == pytest.approx(1.0, abs=1e-4)
        assert len(near) == number + 1
    store.close()


def _random(count: int, dims: int, seed: int) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)
    made: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def test_two_bytes_a_number_are_enough() -> None:
    rows = _random(500, 256, 1)
    restored = pack(rows).restored(np.arange(500))
    assert np.abs(rows @ rows[0] - restored @ rows[0]).max() < 2e-5


def test_the_nearest_are_the_exact_ones() -> None:
    """At least 999 of 1,000 of the first 24, by the vectors as they were."""
    rows, asked = _random(20_000, 256, 2), _random(50, 256, 3)
    gathered = Gathered(256)
    gathered.append(np.arange(20_000, dtype=np.int64), rows)
    found = 0
    for vector in asked:
        exact = set(np.argsort(-(rows @ vector))[:24].tolist())
        found += len(exact & {match.key for match in gathered.now().match(vector, 24)})
    assert found >= 0.999 * 24 * len(asked)


def test_what_is_struck_out_is_not_found_and_can_come_back() -> None:
    rows = _random(600, 8, 4)
    gathered = Gathered(8)
    gathered.append(np.arange(0, 600, 2, dtype=np.int64), rows[::2])
    before = gathered.now()
    gathered.strike(lambda keys: keys < 300)
    gathered.append(np.arange(1, 600, 2, dtype=np.int64), rows[1::2])
    gathered.append(np.array([0], np.int64), rows[:1])
    left = {0, *range(300, 600, 2), *range(1, 600, 2)}
    assert {match.key for match in gathered.now().match(rows[1], 1000)} == left
    assert set(gathered.now().similarities(rows[1], range(600))) == left
    assert {match.key for match in before.match(rows[1], 1000)} == set(range(0, 600, 2))


def test_nothing_is_near_when_there_is_nothing() -> None:
    nothing = Gathered(8).now()
    assert nothing.match(_random(1, 8, 5)[0], 5) == []
    assert nothing.similarities(_random(1, 8, 5)[0], [1, 2]) == {}
    assert not nothing.middle([1]).any()


def test_equal_scores_stand_in_the_order_of_the_notes() -> None:
    gathered = Gathered(8)
    row = _random(1, 8, 6)
    gathered.append(np.array([5, 3, 9], np.int64), np.repeat(row, 3, axis=0))
    found = gathered.now().match(row[0], 3)
    assert [match.key for match in found] == [3, 5, 9]
