"""Segments give the posting lists that the reader in memory computes, however they were written."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.errors import IndexCorrupt
from memdown.index import loading, merging, segments, vector_blocks
from memdown.index.loading import Follower
from memdown.index.merging import NewRows, Segment
from memdown.index.passages import feature_terms, occurrences, passage_terms, tokenise
from memdown.index.reader import (
    IndexedChunks,
    Reader,
    Unit,
    quantise,
    quantise_passages,
    read_in_memory,
    word,
)
from memdown.notes.chunks import chunk_document
from memdown.text.terms import ordered_terms, short_grams
from memdown.types import FILE_SPAN, Chunk, Document, FileState, StoredChunk, Vectors

WORDS = (
    *"router hall kitchen Anna's ER-605 2026-03-01 naïve don't the of and memorySearch.query".split(),
    "路由器在走廊",
    "เราเตอร์อยู่",
    "ルーター",
    "—",
    "router",
    "a" * 70,
    "x_y_z",
    "😀",
)
DIMS = 8


@dataclass
class Index:
    """An index in memory, written and read like one on disk."""

    blocks: dict[tuple[int, str, int], bytes] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    states: dict[int, FileState] = field(default_factory=dict)
    stored: dict[int, StoredChunk] = field(default_factory=dict)
    exact: dict[int, np.ndarray] = field(default_factory=dict)
    revision: int = 0
    dims: int | None = DIMS
    reads: int = 0

    def manifest(self) -> Sequence[int]:
        return [one.number for one in self.segments]

    def block(self, segment: int, part: str, number: int) -> bytes:
        self.reads += 1
        return self.blocks.get((segment, part, number), b"")

    def blocks_of(self, segment: int, part: str, numbers: Sequence[int]) -> Mapping[int, bytes]:
        return {number: self.block(segment, part, number) for number in numbers}

    def files(self) -> Mapping[int, FileState]:
        return self.states

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        return {key: self.stored[key] for key in keys}

    def vectors(self, keys: Sequence[int]) -> Vectors:
        return np.stack([self.exact[key] for key in keys])

    def write(self, files: Mapping[int, Sequence[Chunk]]) -> None:
        rows = []
        for number, chunks in files.items():
            is_new = number not in self.states
            self.states[number] = FileState(f"memory/{number}.md", "memory", 1, 1)
            vectors = _vectors(chunks)
            key = number * FILE_SPAN
            rows.append(NewRows(key, chunks, vectors, _vectors_of_passages(chunks), not is_new))
            self.stored = {k: one for k, one in self.stored.items() if k // FILE_SPAN != number}
            for chunk, vector in zip(chunks, vectors, strict=True):
                self.stored[key] = StoredChunk(key, chunk, None)
                self.exact[key] = vector
                key += len(chunk.passages)
        self._add(merging.make(rows))

    def remove(self, number: int) -> None:
        del self.states[number]
        self.stored = {k: one for k, one in self.stored.items() if k // FILE_SPAN != number}
        self._add(merging.make([NewRows(number * FILE_SPAN, [], None)]))

    def merge(self, places: range) -> None:
        made = merging.merge(self.segments, places, self.block)
        after = self.segments[places.stop :]
        del self.segments[places.start :]
        self._add(made)
        self.segments += after

    def _add(self, made: Sequence[merging.Made]) -> None:
        for one in made:
            self.revision += 1
            self.blocks |= {(self.revision, *part): data for part, data in one.parts.items()}
            self.segments.append(Segment(self.revision, one.passages))


def _vectors(chunks: Sequence[Chunk]) -> Vectors:
    seeds = [int(chunk.digest[:8], 16) for chunk in chunks]
    rows = [np.random.default_rng(seed).standard_normal(DIMS) for seed in seeds]
    return np.array(rows, np.float32).reshape(-1, DIMS)


def _vectors_of_passages(chunks: Sequence[Chunk]) -> Vectors:
    count = sum(len(chunk.passages) for chunk in chunks)
    return np.repeat(np.arange(count, dtype=np.float32) * 4 + 1, 4).reshape(count, 4)


def _chunks(number: int, text: str) -> list[Chunk]:
    document = Document(f"memory/{number}.md", "memory", text, "d", headings=((1, "Home > Hall"),))
    return chunk_document(document, tokens=32, overlap=8, model="m", headings=document.headings)


def _text(seed: int) -> str:
    pick = random.Random(seed)
    lines = pick.randint(0, 30)
    return "".join(
        " ".join(pick.choices(WORDS, k=pick.randint(1, 12))) + "\n" for _ in range(lines)
    )


def _units() -> list[Unit]:
    units = [
        word(term) for term in ("router", "hall", "the", "er-605", "路由", "器", "home", "none")
    ]
    units += [Unit("prefix", (start,)) for start in ("rou", "kit", "a", "路", "zzz")]
    return [*units, Unit("phrase", ("router", "hall")), Unit("phrase", ("the", "the", "of"))]


def _by_place(reader: Reader, unit: Unit) -> dict[tuple[str, int], tuple[float, float]]:
    """Which passages hold a unit, by file and line of their first occurrence there."""
    posting = reader.posting(unit)
    assert (np.diff(posting.rows) > 0).all()
    keys = reader.chunk_key[reader.passage_chunk]
    first = reader.chunk_first[reader.passage_chunk]
    places = keys % FILE_SPAN + np.arange(len(keys)) - first
    return {
        (reader.files[reader.passage_file[row]].path, int(places[row])): (text, head)
        for row, text, head in zip(
            posting.rows.tolist(), posting.text_tf.tolist(), posting.head_tf.tolist(), strict=True
        )
    }


def _same(index: Index, follower: Follower, texts: Mapping[int, str]) -> None:
    chunks = {number: _chunks(number, text) for number, text in texts.items()}
    want = read_in_memory(
        [IndexedChunks(index.states[number], some) for number, some in chunks.items()]
    )
    with follower.reading(index) as reader:
        for unit in _units():
            assert _by_place(reader, unit) == _by_place(want, unit), unit
        assert reader.count == want.count
        assert reader.average_length == pytest.approx(want.average_length)
        alive = np.flatnonzero(reader.chunk_alive)
        assert sorted(reader.chunk_key[alive]) == sorted(index.stored)
        if len(alive):
            exact = reader.vectors_of(alive.tolist())
            assert reader.chunk_vectors is not None
            numbers, scale = quantise(exact)
            assert np.array_equal(reader.chunk_vectors.numbers[alive], numbers)
            assert np.allclose(reader.chunk_vectors.scale[alive], scale)
            rows = np.flatnonzero(reader.alive)
            origin: Any = reader.origin
            found = origin.passage_vectors_of(rows.astype(np.int32))
            assert found is not None
            whole = found.numbers[:, 0] * found.scale
            key = reader.chunk_key[reader.passage_chunk[rows]]
            place = key % FILE_SPAN + rows - reader.chunk_first[reader.passage_chunk[rows]]
            assert np.allclose(whole, 4 * place + 1, rtol=0.02, atol=0.05)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 1000)), min_size=1, max_size=14))
def test_every_history_of_writes_gives_the_same_lists(writes: list[tuple[int, int]]) -> None:
    index, follower = Index(), Follower()
    texts: dict[int, str] = {}
    for step, (number, seed) in enumerate(writes):
        if seed % 7 == 0 and number in texts:
            index.remove(number)
            del texts[number]
        else:
            texts[number] = _text(seed)
            index.write({number: _chunks(number, texts[number])})
        if seed % 5 == 0 and len(index.segments) > 1:
            first = seed % (len(index.segments) - 1)
            index.merge(range(first, min(len(index.segments), first + 3)))
        if step % 3 == 0:
            _same(index, follower, texts)
    _same(index, follower, texts)
    _same(index, Follower(), texts)
    index.merge(range(len(index.segments)))
    _same(index, follower, texts)


def test_terms_are_those_of_the_passages() -> None:
    """The fast way to count terms, for all passages together, agrees with the plain one."""
    chunks = [chunk for seed in range(40) for chunk in _chunks(seed, _text(seed))]
    found = occurrences(tokenise(chunks))
    plain = [terms for chunk in chunks for terms in passage_terms(chunk)]
    counted: dict[int, list[bytes]] = {}
    for term, row in zip(found.term.tolist(), found.row.tolist(), strict=True):
        counted.setdefault(row, []).append(found.names[term])
    for row, (text, head) in enumerate(plain):
        wanted = [*map(str.encode, text), *(b"\x01" + term.encode() for term in head)]
        assert sorted(name for name in counted[row] if name[:1] != b"\x02") == sorted(wanted)
        assert found.lengths[row] == len(text) + len(head)
    assert found.names == sorted(set(found.names))


SAID = st.sampled_from(
    [
        "# Call",
        "## Nora: a heading",
        "Nora: did you see it?",
        "Nora: I'm Nora",
        "**Fahim Khan:** im Fahim and it is 10:31",
        "- Ben: call me Ben?)",
        "小明： 我是小明。你好吗？",
        "คุณวรวิทย์บอกว่าหนักไป",
        "Πού είναι το κλειδί;",
        "see https://example.org/a: b",
        "CI (continuous integration) ran 3 times last week",
        "- nothing of that",
        "  - nested: what now?",
        "a\0b \0 c",
        "",
        "   ",
        "word " * 100,
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=40))
def test_what_passages_tell_is_found_for_all_together_as_one_by_one(lines: list[str]) -> None:
    """Who speaks, what asks, which kinds of answer there are, and what shorter terms there are."""
    chunks = _chunks(1, "\n".join(lines))
    found = occurrences(tokenise(chunks))
    told = [terms for chunk in chunks for terms in feature_terms(chunk)]
    texts = [
        ordered_terms(chunk.text[one.start : one.end]) for chunk in chunks for one in chunk.passages
    ]
    for row, (features, text) in enumerate(zip(told, texts, strict=True)):
        mine = np.flatnonzero(found.row == row)
        names = [found.names[term].decode() for term in found.term[mine].tolist()]
        assert sorted(name for name in names if name[0] == "\x02") == sorted(features)
        placed = zip(found.position[mine].tolist(), names, strict=True)
        terms = [name for _, name in sorted(placed) if name[0] not in "\x01\x02"]
        # Behind the words in their order come shorter terms in any order.
        assert terms[: len(text)] == text
        assert sorted(terms[len(text) :]) == sorted(short_grams(text))


def test_a_change_is_followed_without_reading_everything() -> None:
    index, follower = Index(), Follower()
    for number in range(1, 30):
        index.write({number: _chunks(number, _text(number))})
    with follower.reading(index) as reader:
        for unit in _units():
            reader.posting(unit)
    before = index.reads
    index.write({3: _chunks(3, "router hall\n")})
    with follower.reading(index) as reader:
        assert ("memory/3.md", 0) in _by_place(reader, word("router"))
    # The rows and vectors of the new segment, its dictionary, and two lists.
    assert index.reads - before <= 6


def test_many_small_segments_are_due_to_be_merged_and_large_ones_are_not() -> None:
    small = [Segment(number, 5) for number in range(16)]
    large = Segment(99, 40_000)
    assert merging.due([large, *small], 0) == range(1, 17)
    assert not merging.due([large] * 40, 0)
    assert not merging.due(small[:15], 0)
    assert merging.due([large, large], 50_000) == range(2)


@pytest.mark.parametrize("dims", [1, 7, 64])
def test_vectors_of_passages_take_half_a_byte_a_number(dims: int) -> None:
    vectors = np.random.default_rng(dims).standard_normal((50, dims)).astype(np.float32)
    vectors[3] = 0
    packed = vector_blocks.pack_vectors(*quantise_passages(vectors), half=True)
    assert len(packed) == 8 + 50 * (2 + (dims + 1) // 2)
    found = vector_blocks.unpack_vectors(packed)
    made = found.numbers * found.scale[:, None]
    step = np.abs(vectors).max(axis=1, keepdims=True) / 7
    assert (np.abs(made - vectors) <= 0.8 * step + 1e-3).all()
    lengths = [np.linalg.norm(each, axis=1) for each in (made, vectors)]
    assert lengths[0] == pytest.approx(lengths[1], rel=2e-3)
    with pytest.raises(IndexCorrupt):
        vector_blocks.unpack_vectors(packed[:-1])


@pytest.mark.parametrize("dims", [64, 63])
def test_scales_that_follow_from_the_numbers_are_not_stored(dims: int) -> None:
    vectors = np.random.default_rng(1).normal(size=(50, dims)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    vectors[7] = 0
    numbers, scale = quantise_passages(vectors)
    scale[7] = 0
    whole = vector_blocks.pack_vectors(numbers, scale, half=True)
    bare = vector_blocks.pack_vectors(numbers, scale, half=True, bare=True)
    assert len(whole) - len(bare) == (2 * len(vectors) if dims % 2 == 0 else 0)
    found, other = vector_blocks.unpack_vectors(bare), vector_blocks.unpack_vectors(whole)
    assert (found.numbers == other.numbers).all()
    np.testing.assert_allclose(found.scale, other.scale, rtol=1e-3)
    assert found.scale[7] == 0
    with pytest.raises(IndexCorrupt):
        vector_blocks.unpack_vectors(bare[:-1])
    # Other lengths do not follow from the numbers.
    longer = vector_blocks.pack_vectors(numbers, 2 * scale, half=True, bare=True)
    assert (vector_blocks.unpack_vectors(longer).scale == 2 * other.scale).all()


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_a_dictionary_counts_entries_wherever_they_stand(terms: int) -> None:
    """Numbers of two bytes may begin at an odd place of the block."""
    names = [b"term%d" % number for number in range(terms)]
    each = np.tile(np.arange(400), terms)
    ones = np.ones(len(each), np.int64)
    lists = segments.Lists(names, np.arange(terms + 1) * 400, each, ones, ones)
    rows = segments.Rows(
        np.array([FILE_SPAN]),
        np.array([400]),
        np.ones((400, 2), np.int32),
        np.ones(400, np.int32),
        np.empty(0, np.int64),
    )
    found = segments.Dictionary(segments.encode(rows, lists)["terms", 0])
    assert [found.entries(number) for number in range(terms)] == [400] * terms
    assert [found.find(name) for name in names] == list(range(terms))


@pytest.mark.parametrize("last", [3, 300, 70_000, 3_000_000])
def test_lines_of_any_file_are_stored_in_few_bytes(last: int) -> None:
    lines = np.array([[1, 1], [2, last], [last, last + 2], [1, 2], [5, last]], np.int32)
    rows = segments.Rows(
        np.array([FILE_SPAN, 2 * FILE_SPAN]),
        np.array([3, 2]),
        lines,
        np.array([1, 2, 300, 4, 65_535], np.int32),
        np.array([FILE_SPAN]),
    )
    nothing = segments.Lists([], np.zeros(1, np.int64), *(np.empty(0, np.int64) for _ in range(3)))
    parts = segments.encode(rows, nothing)
    found = segments.read_rows(parts["rows", 0])
    for name in ("key", "passages", "lines", "length", "strikes"):
        assert np.array_equal(getattr(found, name), getattr(rows, name)), name
    with pytest.raises(IndexCorrupt):
        segments.read_rows(parts["rows", 0] + b"x")


@pytest.mark.parametrize("part", ["rows", "terms", "postings", "chunk_vectors"])
def test_a_cut_block_is_damage_and_no_answer(part: str) -> None:
    index = Index()
    index.write({1: _chunks(1, "router " * 100)})
    index.blocks[1, part, 0] = index.blocks[1, part, 0][:-3]
    with pytest.raises(IndexCorrupt), Follower().reading(index) as reader:
        reader.posting(word("router"))
        reader.posting(word("home"))


def test_long_lists_and_rare_words_are_packed_and_unpacked() -> None:
    pick = np.random.default_rng(1)
    lists = segments.Lists(
        [b"\x01h", b"common", b"rare", b"single"],
        np.array([0, 500, 40_500, 40_530, 40_531]),
        np.concatenate(
            [
                np.arange(500),
                np.sort(pick.choice(60_000, 40_000, replace=False)),
                np.sort(pick.choice(60_000, 30, replace=False)),
                [59_999],
            ]
        ),
        np.concatenate([np.ones(500, np.int64), pick.integers(1, 250, 40_000), [1] * 30, [2]]),
        np.empty(0, np.int64),
    )
    counts = lists.tf[500:]
    steps = pick.integers(1, 600, int(counts.sum()))
    firsts = np.cumsum(counts) - counts
    totals = np.cumsum(steps)
    positions = totals - np.repeat(totals[firsts], counts) + np.repeat(steps[firsts], counts)
    lists = segments.Lists(lists.names, lists.starts, lists.rows, lists.tf, positions)
    rows = segments.Rows(*(np.zeros(0, np.int64),) * 2, *_no_lines(60_000), np.zeros(0, np.int64))
    parts = segments.encode(rows, lists)

    def stream(part: str) -> bytes:
        return b"".join(data for (name, _), data in sorted(parts.items()) if name == part)

    back = segments.decode_lists(parts["terms", 0], stream("postings"), stream("positions"))
    assert back.names == lists.names
    assert all(
        np.array_equal(getattr(back, name), getattr(lists, name))
        for name in ("starts", "rows", "tf", "positions")
    )


def _no_lines(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((count, 2), np.int32), np.ones(count, np.int32)


def test_a_dictionary_is_read_wherever_its_numbers_begin() -> None:
    count = 300
    rows = segments.Rows(
        np.array([0]),
        np.array([count]),
        np.ones((count, 2), np.int32),
        np.ones(count, np.int32),
        np.empty(0, np.int64),
    )
    for terms in range(1, 6):
        names = [b"\x01" + b"x" * (300 + number) for number in range(terms)]
        lists = segments.Lists(
            names,
            np.arange(terms + 1) * count,
            np.tile(np.arange(count), terms),
            np.ones(terms * count, np.int64),
            np.empty(0, np.int64),
        )
        found = segments.Dictionary(segments.encode(rows, lists)["terms", 0])
        assert [found.entries(number) for number in range(terms)] == [count] * terms
        assert [found.find(name) for name in names] == list(range(terms))


def test_terms_are_found_by_how_they_begin_however_many_there_are() -> None:
    names = [f"{number:05}".encode() for number in range(0, 3_000, 2)]
    found = _dictionary(names)
    for place in (0, 1, 511, 512, 513, 1_024, 1_499):
        assert found.find(names[place]) == place
        assert found.beginning(names[place]) == range(place, place + 1)
        assert found.place(names[place] + b"0") == place + 1
    assert found.find(b"00001") is None
    assert found.beginning(b"001") == range(50, 100)
    assert found.beginning(b"0102") == range(510, 515)
    assert found.beginning(b"0") == range(1_500)
    assert not found.beginning(b"1")
    assert not found.beginning(b"")[1_500:]
    assert not _dictionary([]).beginning(b"a")


def _dictionary(names: list[bytes]) -> segments.Dictionary:
    """Terms of which each stands in one passage."""
    count = len(names)
    rows = segments.Rows(*(np.zeros(0, np.int64),) * 2, *_no_lines(1), np.zeros(0, np.int64))
    ones = np.ones(count, np.int64)
    lists = segments.Lists(names, np.arange(count + 1), ones - 1, ones, ones - 1)
    return segments.Dictionary(segments.encode(rows, lists)["terms", 0])


def test_terms_are_found_by_how_they_end() -> None:
    """Not by what stands inside of a term, nor by the end of one and the beginning of the next."""
    index = Index()
    index.write({1: _chunks(1, "reisepass kompass pass passat passen engpassi re")})
    dictionary = segments.Dictionary(index.blocks[1, "terms", 0])
    found = {name.decode() for name in dictionary.ending_with(b"pass")}
    assert found == {"reisepass", "kompass", "pass"}
    assert not list(dictionary.ending_with(b"zzzz"))


def test_a_dictionary_that_is_asked_often_finds_the_same() -> None:
    """By the hashes of its terms, from some hundred questions on."""
    index = Index()
    index.write({1: _chunks(1, " ".join(WORDS))})
    dictionary = segments.Dictionary(index.blocks[1, "terms", 0])
    names = dictionary.names()
    for _ in range(600 // len(names)):
        assert [dictionary.find(name) for name in names] == list(range(len(names)))
        assert all(dictionary.has(name, name[:1]) for name in names)
        assert dictionary.find(b"nowhere") is None
        assert not dictionary.has(b"nowhere", b"n")


def test_segments_that_are_asked_often_give_the_same_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their terms are looked up together then; a segment that only strikes has none."""
    monkeypatch.setattr(loading, "_FEW_LOOKS", 0)
    texts = {number: " ".join(WORDS[number:]) for number in range(1, 6)}
    index, follower = Index(), Follower()
    for number, text in texts.items():
        index.write({number: _chunks(number, text)})
        _same(index, follower, {one: texts[one] for one in range(1, number + 1)})
    index.remove(5)
    del texts[5]
    _same(index, follower, texts)
    _same(index, Follower(), texts)


def test_segments_that_are_merged_are_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was known of the terms of a segment that there is no more does not count."""
    monkeypatch.setattr(loading, "_FEW_LOOKS", 0)
    texts = {number: " ".join(WORDS[number:]) for number in range(1, 9)}
    index, follower = Index(), Follower()
    for number, text in texts.items():
        index.write({number: _chunks(number, text)})
    _same(index, follower, texts)
    index.merge(range(2))
    _same(index, follower, texts)
    index.merge(range(2, 5))
    _same(index, follower, texts)
    index.merge(range(len(index.segments)))
    _same(index, follower, texts)


@pytest.mark.parametrize("looks", [0, 1_000])
def test_lists_that_are_fetched_together_are_those_that_are_fetched_alone(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """Long ones and short ones, with heads and without, of words that stand nowhere, too."""
    monkeypatch.setattr(loading, "_FEW_LOOKS", looks)
    pick = random.Random(3)
    index, follower = Index(), Follower()
    for number in range(1, 6):
        lines = [" ".join(pick.choices(WORDS, k=9)) for _ in range(40 * number)]
        index.write({number: _chunks(number, "\n".join([*lines, f"once{number}"]))})
        units = [*_units(), *(word(f"once{one}") for one in range(1, 8))]
        with follower.reading(index) as reader, Follower().reading(index) as alone:
            reader.fetch(units)
            for unit in units:
                assert _by_place(reader, unit) == _by_place(alone, unit), unit


def test_blocks_that_make_room_for_others_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_MOST_BLOCKS", 1)
    texts = {number: " ".join(WORDS[number:]) for number in range(1, 5)}
    index = Index()
    for number, text in texts.items():
        index.write({number: _chunks(number, text)})
    _same(index, Follower(), texts)


def test_long_lists_are_deflated_and_found() -> None:
    pick = random.Random(5)
    lines = [" ".join(pick.choices(WORDS, k=12)) for _ in range(1_500)]
    texts = {1: "\n".join(lines)}
    index = Index()
    index.write({1: _chunks(1, texts[1])})
    dictionary = segments.Dictionary(index.blocks[1, "terms", 0])
    marked = [
        dictionary.postings(0, dictionary.count, b"").deflated,
        dictionary.all_positions(b"").deflated,
    ]
    assert all(some.any() and not some.all() for some in marked)
    _same(index, Follower(), texts)
    index.merge(range(1))
    _same(index, Follower(), texts)
