"""What every store must do, as a test class: subclass it and give a `make_store`.

It needs `pytest`. A plugin's author runs it as Memdown runs it for SQLite, PostgreSQL and LanceDB.
"""

from __future__ import annotations

import datetime
import hashlib
import threading
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from memdown.index.bm25 import idf, length_norms, saturate
from memdown.index.filters import FileListing, Filter, listing
from memdown.index.reader import Lexicon, Mask, Reader, Sought, word
from memdown.index.store import MendableStore, Snapshot, Store, Writer, Writes
from memdown.tuning import TUNING
from memdown.types import (
    FILE_SPAN,
    SOURCES,
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Passage,
    Source,
    Vector,
    Vectors,
)

_WORDS = TUNING.words

KEY = ModelKey("hash", "hash-4", "k")
PRINT = Fingerprint(KEY, 400, 80, 1, None)
DIMS = 4


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def state(path: str, source: Source = "memory", size: int = 1, mtime_ns: int = 2) -> FileState:
    date = datetime.date(2026, 3, 1)
    return FileState(path, source, size, mtime_ns, 3, 4, digest=digest(path), date=date)


def chunk(path: str, start: int, passages: Sequence[str], source: Source = "memory") -> Chunk:
    """A chunk of one-line passages."""
    text = "\n".join(passages)
    spans, offset = [], 0
    for number, passage in enumerate(passages):
        spans.append(Passage(offset, offset + len(passage), start + number, start + number, "Top"))
        offset += len(passage) + 1
    end = start + len(passages) - 1
    return Chunk(
        id=digest(f"{source}:{path}:{start}:{end}:{text}"),
        path=path,
        source=source,
        start_line=start,
        end_line=end,
        heading="Top",
        text=text,
        digest=digest(text),
        passages=tuple(spans),
    )


def unit(*numbers: float) -> Vectors:
    row = np.array([numbers], dtype=np.float32)
    result: Vectors = row / np.linalg.norm(row)
    return result


def words(*terms: str, sources: tuple[Source, ...] = ("memory", "sessions")) -> Sought:
    return Sought(terms, sources=sources)


def put(
    writer: Writer,
    file: FileState,
    chunks: Sequence[Chunk],
    vectors: Vectors | None,
    keep: int = 0,
) -> None:
    """Store a file; its first `keep` chunks are there already."""
    put_all(writer, [IndexedFile(file, chunks, vectors, keep)])


def put_all(writer: Writer, files: Sequence[IndexedFile]) -> None:
    """Store several files."""
    writer.apply(Writes(files))


def extend(
    writer: Writer, file: FileState, key: int, chunks: Sequence[Chunk], vectors: Vectors | None
) -> None:
    """Store a file that grew: its rows from number `key` on are replaced."""
    put_all(writer, [IndexedFile(file, chunks, vectors, replaces=key)])


def touch(writer: Writer, *files: FileState) -> None:
    """Keep the rows of files, with their new facts."""
    writer.apply(Writes(touched=files))


def remove(writer: Writer, paths: Sequence[str]) -> None:
    """Forget files."""
    writer.apply(Writes(removed=paths))


class FoundPassage(NamedTuple):
    """A passage that was found: its number, that of its chunk, and its BM25 or cosine."""

    key: int
    chunk: int
    score: float


def by_words(snapshot: Snapshot, sought: Sought) -> list[FoundPassage]:
    """The passages that hold something of what is sought, the best first."""
    reader = snapshot.reader(sought)
    if not reader.files:
        return []
    scores = np.zeros(len(reader.passage_file), np.float32)
    for one in sought.units():
        rows, text, head = reader.posting(one)
        norms = length_norms(reader.passage_length[rows], reader.average_length)
        often = np.float32(_WORDS.in_text) * text + np.float32(_WORDS.in_head) * head
        weight = idf(reader.count, reader.document_frequency(one))
        scores[rows] += np.float32(weight) * saturate(often, norms)
    scores[~_allowed(reader, sought)[reader.passage_file]] = 0
    matching = np.flatnonzero(scores > 0)
    chunks = reader.passage_chunk[matching]
    own = reader.chunk_key[chunks] + matching - reader.chunk_first[chunks]
    found = zip(
        own.tolist(), reader.chunk_key[chunks].tolist(), scores[matching].tolist(), strict=True
    )
    return sorted((FoundPassage(*one) for one in found), key=lambda one: (-one.score, one.key))


def by_vector(
    snapshot: Snapshot,
    vector: Vector,
    sources: Sequence[Source] = ("memory", "sessions"),
    limit: int = 10,
    files: frozenset[int] | None = None,
) -> list[FoundPassage]:
    """The nearest chunks, the best first."""
    sought = Sought(vector=vector, sources=tuple(sources), files=files, chunks=limit)
    reader = snapshot.reader(sought)
    if not reader.files or reader.chunk_vectors is None:
        return []
    if reader.chunk_vectors.numbers.shape[1] != vector.size:
        return []
    there = _allowed(reader, sought)[reader.chunk_file] & reader.chunk_alive
    rows = np.flatnonzero(there & (reader.chunk_vectors.scale > 0))
    exact = reader.vectors_of(rows.tolist()) @ vector
    keys = reader.chunk_key[rows]
    order = np.lexsort((keys, -np.round(exact, 6)))[:limit]
    return [FoundPassage(int(keys[n]), int(keys[n]), float(exact[n])) for n in order]


def _allowed(reader: Reader, sought: Sought) -> Mask:
    """The files that may be found, bool (F,)."""
    mask = np.isin(reader.file_source, [SOURCES.index(source) for source in sought.sources])
    if sought.files is not None:
        mask &= np.isin(reader.file_number, sorted(sought.files))
    return mask


def texts_found(store: Store, sought: Sought) -> list[str]:
    """The text of each matched passage, best first."""
    with store.snapshot() as snapshot:
        found = by_words(snapshot, sought)
        chunks = snapshot.chunks(sorted({one.chunk for one in found}))
        texts = []
        for one in found:
            stored = chunks[one.chunk]
            passage = stored.chunk.passages[one.key - stored.key]
            texts.append(stored.chunk.text[passage.start : passage.end])
        return texts


def longer_words(store: Store, end: str) -> list[str]:
    """The longer words that end like this."""
    with store.snapshot() as snapshot:
        return snapshot.reader(words(end)).ending(end)


class StoreContract:
    """The suite. Every test gets an empty store with a fingerprint."""

    @abstractmethod
    def make_store(self, folder: Path) -> Store: ...

    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        store = self.make_store(tmp_path)
        with store.writing(1.0) as acquired:
            assert acquired
            store.begin(PRINT)
        return store

    def test_a_new_store_is_empty(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        assert store.files() == {}
        assert store.fingerprint() is None
        assert sum(store.status().files.values()) == 0

    def test_what_is_written_is_read_back(self, store: Store) -> None:
        written = chunk("memory/a.md", 3, ["The router is an ER605.", "It hangs in the hall."])
        put(store, state("memory/a.md"), [written], unit(1, 0, 0, 0))
        assert store.files() == {"memory/a.md": state("memory/a.md")}
        with store.snapshot() as snapshot:
            (match,) = by_words(snapshot, words("router"))
            stored = snapshot.chunks([match.chunk])
        (loaded,) = stored.values()
        assert loaded.date == datetime.date(2026, 3, 1)
        assert loaded.chunk.text == written.text
        assert (loaded.chunk.start_line, loaded.chunk.end_line) == (3, 4)
        assert [p.start_line for p in loaded.chunk.passages] == [3, 4]

    def test_what_a_note_says_of_itself_is_kept(self, store: Store) -> None:
        """Filters and the day of a hit live on it, and a name is found like a heading."""
        file = replace(state("a.md"), tags=("work", "home/garden", "日记"), names='Anita "AR"')
        written = replace(chunk("a.md", 1, ["likes tea"]), names=file.names)
        put(store, file, [written], unit(1, 0, 0, 0))
        assert store.files() == {"a.md": file}
        assert texts_found(store, words("anita")) == ["likes tea"]
        touch(store, replace(file, mtime_ns=9, tags=("other",), date=None))
        assert store.files()["a.md"].tags == ("other",)
        assert store.files()["a.md"].date is None

    def test_only_the_files_that_are_named_are_searched(self, store: Store) -> None:
        """Before the limit: what is rare must not be hidden by what is common."""
        files = []
        for number in range(600):
            path = f"memory/{number:03}.md"
            lines = ["apple pie", "apple tree"] if number else ["an apple and much else besides"]
            row = unit(1, number, 0, 0)
            files.append(IndexedFile(state(path), [chunk(path, 1, lines)], row))
        with store.writing(1.0):
            put_all(store, files)
        # The second search of a process is answered otherwise than the first.
        for _ in range(3):
            with store.snapshot() as snapshot:
                numbers = {file.path: number for number, file in snapshot.files().items()}
                assert set(numbers) == set(store.files())
                some = frozenset({numbers["memory/000.md"], numbers["memory/599.md"]})
                text = by_words(snapshot, Sought(("appl",), sources=("memory",), files=some))
                near = by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 2, some)
                assert {one.key // FILE_SPAN for one in text} == some
                assert [one.key // FILE_SPAN for one in near] == [
                    numbers["memory/599.md"],
                    numbers["memory/000.md"],
                ]
                none: frozenset[int] = frozenset()
                assert by_words(snapshot, Sought(("appl",), files=none)) == []
                assert by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 2, none) == []
                assert snapshot.files()[numbers["memory/599.md"]] == state("memory/599.md")

    def test_files_of_a_time(self, store: Store) -> None:
        days = {f"{day}.md": datetime.date(2026, 3, day) for day in (1, 2, 3, 4)}
        files = [replace(state(path), date=date) for path, date in days.items()]
        files += [
            replace(state("undated.md"), date=None, names='"date": "2026-03-02"'),
            replace(state("broken.md"), date=days["2.md"], problem="no vectors yet"),
            replace(state("talk.jsonl", "sessions"), date=days["3.md"]),
        ]
        for file in files:
            put(store, file, [chunk(file.path, 1, ["one"], file.source)], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            paths = {number: file.path for number, file in snapshot.files().items()}
            found = snapshot.dated(days["2.md"], days["3.md"])
            assert {paths[number]: source for number, source in found.items()} == {
                "2.md": "memory",
                "3.md": "memory",
                "talk.jsonl": "sessions",
            }
            assert snapshot.dated(datetime.date(2025, 1, 1), datetime.date(2025, 2, 1)) == {}

    def test_a_filter_lets_the_same_files_through_as_a_list_of_them(self, store: Store) -> None:
        early, late = datetime.date(2026, 3, 1), datetime.date(2026, 4, 2)
        made: list[tuple[str, Source, datetime.date | None, tuple[str, ...]]] = [
            ("MEMORY.md", "memory", None, ("work",)),
            ("memory/2026-03-01.md", "memory", early, ("work/travel", "home")),
            ("memory/Projects/river.md", "memory", early, ("workshop",)),
            ("memory/Projects/deep/lake.md", "memory", late, ("work",)),
            ("projects/plan.md", "memory", late, ()),
            ("Straße/haus_1.md", "memory", late, ("home",)),
            ("Stra%e/x.md", "memory", None, ()),
            ("/outside/notes/a.md", "memory", late, ()),
            ("sessions/talk.jsonl", "sessions", late, ()),
        ]
        for path, source, date, tags in made:
            file = replace(state(path, source), date=date, tags=tags)
            put(store, file, [chunk(path, 1, ["one"], source)], unit(1, 0, 0, 0))
        folders = """
            memory projects Projects PROJECTS/deep deep strasse Stra%e MEMORY.md memory.MD /outside
            2026-03-01.md sessions nowhere %
        """
        wanted = [
            Filter(since, until, folder, tags)
            for since in (None, late)
            for until in (None, early, late)
            for folder in ["", *folders.split()]
            for tags in ((), ("work",), ("work", "home"), ("none",))
        ]
        # Every seventh of the 360: each value of each kind is among them, beside many others.
        wanted = wanted[::7]
        with store.snapshot() as snapshot:
            quick, slow = listing(snapshot), FileListing(snapshot.files())
            for one in wanted:
                for sources in (("memory",), SOURCES):
                    assert quick.matching(one, sources) == slow.matching(one, sources), one
            assert quick.folders() == slow.folders()
            assert quick.tags() == slow.tags() == {"work", "work/travel", "home", "workshop"}

    def test_words_are_found_by_their_ends(self, store: Store) -> None:
        """The last part of a compound says what it is, and may be all that is asked for; an engine that cannot
        tell finds none."""
        texts = {
            "a.md": "Der Reisepass und der Impfpass, passend",
            "b.md": "Ein Führungszeugnis im Reisepass",
        }
        with store.writing(1.0):
            for path, text in texts.items():
                put(store, state(path), [chunk(path, 1, [text])], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            can_tell = isinstance(snapshot.reader(words("pass")).origin, Lexicon)
        if not can_tell:
            assert longer_words(store, "pass") == []
            return
        assert longer_words(store, "pass") == ["impfpass", "reisepass"]
        with store.writing(1.0):
            remove(store, ["a.md"])
        # What is gone may be named for a while: it finds nothing.
        assert "reisepass" in longer_words(store, "pass")
        assert len(longer_words(store, "zeugni")) == 1
        assert longer_words(store, "reisepass") == longer_words(store, "tasse") == []

    def test_files_outlive_the_store(self, store: Store, tmp_path: Path) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["one"])], unit(1, 0, 0, 0))
        store.close()
        again = self.make_store(tmp_path)
        assert set(again.files()) == {"a.md"}
        assert again.fingerprint() == Fingerprint(KEY, 400, 80, 1, DIMS)

    def test_passages_of_a_file_are_numbered_in_order(self, store: Store) -> None:
        chunks = [chunk("a.md", 1, ["apple one", "apple two"]), chunk("a.md", 3, ["apple three"])]
        put(store, state("a.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 2))
        with store.snapshot() as snapshot:
            found = sorted(by_words(snapshot, words("appl")))
        first = found[0].key
        assert [one.key for one in found] == [first, first + 1, first + 2]
        assert [one.chunk for one in found] == [first, first, first + 2]

    def test_files_do_not_share_numbers(self, store: Store) -> None:
        for path in ("a.md", "b.md"):
            put(store, state(path), [chunk(path, 1, ["same words"])], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            keys = [m.key for m in by_words(snapshot, words("word"))]
        assert len({key // FILE_SPAN for key in keys}) == 2

    def test_replacing_leaves_nothing_of_the_old(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["old text"])], unit(1, 0, 0, 0))
        put(store, state("a.md"), [chunk("a.md", 1, ["new text"])], unit(0, 1, 0, 0))
        assert texts_found(store, words("text")) == ["new text"]
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 10)
        assert [round(m.score, 3) for m in matches] == [1.0]

    def test_kept_chunks_stay(self, store: Store) -> None:
        """Appending to a long log must not cost the embedding of the whole log."""
        first = chunk("a.md", 1, ["morning run", "coffee"])
        put(store, state("a.md"), [first], unit(1, 0, 0, 0))
        more = [first, chunk("a.md", 3, ["evening rest"])]
        keep = store.stored_prefix("a.md", more)
        assert keep == 1
        put(store, state("a.md"), more, unit(0, 1, 0, 0), keep)
        assert texts_found(store, words("morn")) == ["morning run"]
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 10)
        assert sorted(round(m.score, 3) for m in matches) == [0.0, 1.0]

    def test_several_files_are_stored_together(self, store: Store) -> None:
        """New ones, one that is kept in part, and one without anything in it."""
        first = chunk("a.md", 1, ["morning run", "coffee"])
        put(store, state("a.md"), [first], unit(1, 0, 0, 0))
        later = chunk("a.md", 3, ["evening rest"])
        put_all(
            store,
            [
                IndexedFile(state("a.md"), [first, later], unit(0, 1, 0, 0), 1),
                IndexedFile(state("b.md"), [chunk("b.md", 1, ["night"])], unit(0, 0, 1, 0)),
                IndexedFile(state("c.md"), [], np.empty((0, 0), np.float32)),
            ],
        )
        put_all(store, [])
        assert set(store.files()) == {"a.md", "b.md", "c.md"}
        for term, text in (("morn", "morning run"), ("rest", "evening rest"), ("night", "night")):
            assert texts_found(store, words(term)) == [text]
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 10)
        assert sorted(round(match.score, 3) for match in matches) == [0.0, 0.0, 1.0]

    def test_a_rebuild_stores_several_files_together(self, store: Store) -> None:
        with store.rebuild(PRINT) as writer:
            put_all(
                writer,
                [
                    IndexedFile(state(name), [chunk(name, 1, [name])], unit(1, 0, 0, 0))
                    for name in ("a.md", "b.md")
                ],
            )
        assert set(store.files()) == {"a.md", "b.md"}
        assert store.fingerprint() == Fingerprint(KEY, 400, 80, 1, DIMS)

    def test_a_file_is_continued_from_its_last_chunk(self, store: Store) -> None:
        """A transcript grows by its end: what stands before must cost nothing."""
        path = "sessions/s.jsonl"
        assert store.last_chunk(path) is None
        first = [chunk(path, 1, ["User: apple"], "sessions"), chunk(path, 2, ["pear"], "sessions")]
        put(store, state(path, "sessions"), first, np.concatenate([unit(1, 0, 0, 0)] * 2))
        last = store.last_chunk(path)
        assert last is not None
        assert last.chunk.text == "pear"
        more = [chunk(path, 2, ["pear", "plum"], "sessions"), chunk(path, 4, ["fig"], "sessions")]
        rows = np.concatenate([unit(0, 1, 0, 0), unit(0, 0, 1, 0)])
        extend(store, state(path, "sessions", mtime_ns=7), last.key, more, rows)
        assert store.files()[path].mtime_ns == 7
        for term, text in (
            ("appl", "User: apple"),
            ("pear", "pear"),
            ("plum", "plum"),
            ("fig", "fig"),
        ):
            assert texts_found(store, words(term)) == [text]
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(1, 0, 0, 0)[0], ["sessions"], 10)
        assert sorted(round(match.score, 3) for match in matches) == [0.0, 0.0, 1.0]
        newest = store.last_chunk(path)
        assert newest is not None
        assert newest.chunk.text == "fig"

    def test_a_rebuild_can_continue_its_files(self, store: Store) -> None:
        path = "sessions/s.jsonl"
        with store.rebuild(PRINT) as writer:
            assert writer.last_chunk(path) is None
            made = [chunk(path, 1, ["apple"], "sessions")]
            put(writer, state(path, "sessions"), made, unit(1, 0, 0, 0))
            last = writer.last_chunk(path)
            assert last is not None
            more = [chunk(path, 1, ["apple"], "sessions"), chunk(path, 2, ["pear"], "sessions")]
            rows = np.concatenate([unit(1, 0, 0, 0), unit(0, 1, 0, 0)])
            extend(writer, state(path, "sessions"), last.key, more, rows)
            touch(writer, state(path, "sessions", mtime_ns=7))
            assert store.files() == {}
        assert store.files()[path].mtime_ns == 7
        assert texts_found(store, words("pear")) == ["pear"]

    def test_a_changed_chunk_is_not_kept(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["one"])], unit(1, 0, 0, 0))
        assert store.stored_prefix("a.md", [chunk("a.md", 1, ["two"])]) == 0
        assert store.stored_prefix("other.md", [chunk("other.md", 1, ["one"])]) == 0

    def test_removed_files_are_gone(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        remove(store, ["a.md", "never-there.md"])
        assert store.files() == {}
        assert texts_found(store, words("alpha")) == []
        with store.snapshot() as snapshot:
            assert by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 10) == []

    def test_touch_keeps_rows_and_notes_the_new_facts(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        put(store, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
        touch(store, state("a.md", mtime_ns=99), state("b.md", mtime_ns=98))
        assert store.files()["a.md"].mtime_ns == 99
        assert store.files()["b.md"].mtime_ns == 98
        assert texts_found(store, words("alpha")) == ["alpha"]

    def test_any_word_finds_and_rare_words_win(self, store: Store) -> None:
        lines = ["the common thing", "another common thing", "a common zebra", "common again"]
        chunks = [chunk("a.md", number, [line]) for number, line in enumerate(lines, start=1)]
        put(store, state("a.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 4))
        found = texts_found(store, words("common", "zebra", "missing"))
        assert found[0] == "a common zebra"
        assert len(found) == 4

    def test_frequencies_are_those_of_the_whole_index(self, store: Store) -> None:
        chunks = [chunk("a.md", n, [f"filler number {n} goes here"]) for n in range(1, 20)]
        chunks.append(chunk("a.md", 30, ["zebra crossing"]))
        put(store, state("a.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 20))
        with store.snapshot() as snapshot:
            reader = snapshot.reader(words("zebra", "fill"))
            assert reader.count == 20
            assert reader.document_frequency(word("zebra")) == 1
            assert reader.document_frequency(word("filler")) == 19
            assert reader.document_frequency(word("nowhere")) == 0

    def test_headings_and_file_names_are_searched_too(self, store: Store) -> None:
        put(
            store,
            state("memory/holidays.md"),
            [chunk("memory/holidays.md", 1, ["We went by train."])],
            unit(1, 0, 0, 0),
        )
        assert texts_found(store, words("holidai")) == ["We went by train."]
        assert texts_found(store, words("top")) == ["We went by train."]

    def test_phrases_match_in_order(self, store: Store) -> None:
        chunks = [chunk("a.md", 1, ["red green blue"]), chunk("a.md", 2, ["blue green red"])]
        put(store, state("a.md"), chunks, np.concatenate([unit(1, 0, 0, 0)] * 2))
        asked = Sought(phrases=(("green", "blue"),))
        assert texts_found(store, asked) == ["red green blue"]

    @pytest.mark.parametrize(
        "term", ['"', "a OR b", "NEAR(", "text:", "*", "er-605", "日本", "a'b", "x\ty", "^", "-"]
    )
    def test_no_term_is_syntax(self, store: Store, term: str) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["plain words"])], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            by_words(snapshot, Sought((term,), (term,), ((term, term),)))

    def test_nearest_first_and_limited(self, store: Store) -> None:
        rows = np.concatenate([unit(1, 0, 0, 0), unit(1, 1, 0, 0), unit(0, 0, 1, 0)])
        chunks = [chunk("a.md", number, [f"line {number}"]) for number in (1, 2, 3)]
        put(store, state("a.md"), chunks, rows)
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 2)
            assert [round(match.score, 2) for match in matches] == [1.0, 0.71]

    def test_sources_are_filtered_before_the_limit(self, store: Store) -> None:
        for number in range(60):
            path = f"sessions/{number}.jsonl"
            chunks = [chunk(path, 1, ["plan plan plan"], "sessions")]
            put(store, state(path, "sessions"), chunks, unit(1, 0, 0, 0))
        put(store, state("a.md"), [chunk("a.md", 1, ["a plan"])], unit(1, 1, 0, 0))
        assert texts_found(store, words("plan", sources=("memory",))) == ["a plan"]
        with store.snapshot() as snapshot:
            matches = by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 5)
        assert len(matches) == 1

    def test_a_store_without_vectors_finds_by_word(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], None)
        assert texts_found(store, words("alpha")) == ["alpha"]
        with store.snapshot() as snapshot:
            assert by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 5) == []

    def test_chunks_may_wait_for_their_vectors(self, store: Store) -> None:
        """A provider that is down hides no note: it is found by its words, beside the others."""
        first = [chunk("a.md", 1, ["alpha one", "alpha two"]), chunk("a.md", 3, ["alpha three"])]
        put(store, state("a.md"), first, None)
        assert store.fingerprint() == PRINT
        put(store, state("b.md"), [chunk("b.md", 1, ["alpha four"])], unit(1, 0, 0, 0))
        more = [*first, chunk("a.md", 4, ["alpha five"])]
        put(store, state("a.md"), more, None, 2)
        asked = unit(1, 0, 0, 0)[0]
        for _ in range(3):
            found = texts_found(store, words("alpha"))
            assert sorted(found) == [f"alpha {n}" for n in ("five", "four", "one", "three", "two")]
            with store.snapshot() as snapshot:
                (match,) = by_vector(snapshot, asked, ["memory"], 10)
                assert snapshot.chunks([match.key])[match.key].chunk.path == "b.md"
                assert snapshot.vectors(10)[0] == [match.key]
                reader = snapshot.reader(Sought(vector=asked))
                near = np.ones(len(reader.chunk_key), np.float32)
                background = reader.chunk_background(near, asked, None)
                assert background == pytest.approx(1.0, abs=0.01)
        if isinstance(store, MendableStore):
            assert store.check() == []

    def test_vectors_follow_when_they_can_be_had(self, store: Store) -> None:
        """Only those that are missing: what has a vector is kept."""
        chunks = [chunk("a.md", n, [f"line {n}"]) for n in (1, 2, 3)]
        put(store, state("a.md"), chunks[:1], unit(1, 0, 0, 0))
        lacking = replace(state("a.md"), problem="The provider is down.")
        put(store, lacking, chunks, None, 1)
        assert store.files()["a.md"] == lacking
        assert store.stored_prefix("a.md", chunks) == 3
        assert store.stored_prefix("a.md", chunks, embedded=True) == 1
        rows = np.concatenate([unit(0, 1, 0, 0), unit(0, 0, 1, 0)])
        put(store, state("a.md"), chunks, rows, 1)
        assert store.files()["a.md"] == state("a.md")
        assert store.stored_prefix("a.md", chunks, embedded=True) == 3
        for _ in range(3):
            with store.snapshot() as snapshot:
                matches = by_vector(snapshot, unit(0, 1, 0, 0)[0], ["memory"], 10)
                assert sorted(round(match.score, 3) for match in matches) == [0.0, 0.0, 1.0]

    def test_a_first_index_without_any_vector_learns_their_length_later(
        self, store: Store, tmp_path: Path
    ) -> None:
        chunks = [chunk("a.md", 1, ["alpha"])]
        put(store, replace(state("a.md"), problem="The provider is down."), chunks, None)
        assert texts_found(store, words("alpha")) == ["alpha"]
        store.close()
        again = self.make_store(tmp_path)
        assert again.stored_prefix("a.md", chunks, embedded=True) == 0
        put(again, state("a.md"), chunks, unit(1, 0, 0, 0))
        assert again.fingerprint() == Fingerprint(KEY, 400, 80, 1, DIMS)
        with again.snapshot() as snapshot:
            assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 10)) == 1

    def test_a_transcript_may_grow_without_vectors(self, store: Store) -> None:
        path = "sessions/s.jsonl"
        made = [chunk(path, 1, ["User: apple"], "sessions"), chunk(path, 2, ["pear"], "sessions")]
        put(store, state(path, "sessions"), made, np.concatenate([unit(1, 0, 0, 0)] * 2))
        last = store.last_chunk(path)
        assert last is not None
        more = [chunk(path, 2, ["pear", "plum"], "sessions")]
        extend(store, state(path, "sessions"), last.key, more, None)
        assert texts_found(store, words("plum")) == ["plum"]
        with store.snapshot() as snapshot:
            assert len(by_vector(snapshot, unit(1, 0, 0, 0)[0], ["sessions"], 10)) == 1

    def test_all_vectors_can_be_read_at_once(self, store: Store) -> None:
        """The map draws every chunk; a store too large for that gives an even sample."""
        with store.snapshot() as snapshot:
            assert snapshot.vectors(10)[0] == []
        rows = np.concatenate([unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(0, 0, 1, 0)])
        chunks = [chunk("a.md", number, [f"line {number}"]) for number in (1, 2, 3)]
        put(store, state("a.md"), chunks, rows)
        with store.snapshot() as snapshot:
            keys, vectors = snapshot.vectors(10)
            loaded = snapshot.chunks(keys)
            assert [loaded[key].chunk.start_line for key in keys] == [1, 2, 3]
            assert vectors.tolist() == rows.tolist()
            some, fewer = snapshot.vectors(2)
        assert len(some) == len(fewer) == 2

    def test_an_empty_file_is_known(self, store: Store) -> None:
        put(store, state("a.md"), [], np.empty((0, DIMS), np.float32))
        assert set(store.files()) == {"a.md"}

    def test_a_file_that_cannot_be_read_keeps_its_reason_and_no_text(
        self, store: Store, tmp_path: Path
    ) -> None:
        """It is known, so that it is not read again at every scan, and counts for nothing."""
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        noted = replace(state("a.md", size=-1), digest="", problem="a.md is no text.")
        put(store, noted, [], None)
        assert store.files() == {"a.md": noted}
        assert texts_found(store, words("alpha")) == []
        assert store.status().files.get("memory", 0) == 0
        store.close()
        again = self.make_store(tmp_path)
        assert again.files() == {"a.md": noted}
        put(again, state("a.md"), [chunk("a.md", 1, ["beta"])], unit(1, 0, 0, 0))
        assert again.files() == {"a.md": state("a.md")}
        assert texts_found(again, words("beta")) == ["beta"]

    def test_lines_of_a_transcript_are_kept(self, store: Store) -> None:
        made = chunk("sessions/s.jsonl", 4, ["User: hi", "Assistant: ho"], "sessions")
        mapped = Chunk(**{name: getattr(made, name) for name in made.__slots__} | {"lines": (4, 9)})
        put(store, state("sessions/s.jsonl", "sessions"), [mapped], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            (match,) = by_words(snapshot, words("ho"))
            assert snapshot.chunks([match.chunk])[match.chunk].chunk.lines == (4, 9)

    def test_the_cache_gives_back_what_it_got(self, store: Store) -> None:
        store.remember_vectors(
            KEY, ["d1", "d2"], np.concatenate([unit(1, 0, 0, 0), unit(0, 1, 0, 0)])
        )
        found = store.cached(KEY, ["d1", "d2", "d3"])
        assert sorted(found) == ["d1", "d2"]
        assert found["d2"].tolist() == [0, 1, 0, 0]
        assert store.cached(ModelKey("hash", "other", "k"), ["d1"]) == {}
        assert store.status().cache_entries == 2

    def test_a_rebuild_replaces_everything_at_once(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        store.remember_vectors(KEY, ["d1"], unit(1, 0, 0, 0))
        other = Fingerprint(ModelKey("hash", "hash-2", "k"), 400, 80, 1, None)
        with store.rebuild(other) as writer:
            rows = np.array([[1.0, 0.0]], np.float32)
            put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], rows)
            assert set(store.files()) == {"a.md"}
            assert texts_found(store, words("alpha")) == ["alpha"]
        assert set(store.files()) == {"b.md"}
        assert store.fingerprint() == Fingerprint(other.key, 400, 80, 1, 2)
        assert texts_found(store, words("alpha", "beta")) == ["beta"]
        with store.snapshot() as snapshot:
            assert len(by_vector(snapshot, np.array([1, 0], np.float32), ["memory"], 5)) == 1
        assert store.status().cache_entries == 1

    def test_a_second_rebuild_works_like_the_first(self, store: Store) -> None:
        for name in ("a.md", "b.md", "c.md"):
            with store.rebuild(PRINT) as writer:
                put(writer, state(name), [chunk(name, 1, ["alpha"])], unit(1, 0, 0, 0))
            assert set(store.files()) == {name}
            assert texts_found(store, words("alpha")) == ["alpha"]

    def test_a_failed_rebuild_leaves_the_old_index(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        with pytest.raises(RuntimeError), store.rebuild(PRINT) as writer:
            put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(1, 0, 0, 0))
            raise RuntimeError
        assert set(store.files()) == {"a.md"}
        assert texts_found(store, words("alpha", "beta")) == ["alpha"]

    def test_a_snapshot_does_not_change(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        with store.snapshot() as snapshot:
            assert len(by_words(snapshot, words("alpha"))) == 1
            with store.rebuild(PRINT) as writer:
                put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
            assert len(by_words(snapshot, words("alpha"))) == 1
            assert by_words(snapshot, words("beta")) == []
            (match,) = by_vector(snapshot, unit(1, 0, 0, 0)[0], ["memory"], 5)
            assert snapshot.chunks([match.key])[match.key].chunk.path == "a.md"

    def test_one_writer_at_a_time(self, store: Store, tmp_path: Path) -> None:
        other = self.make_store(tmp_path)
        with store.writing(1.0) as first, other.writing(0.05) as second:
            assert (first, second) == (True, False)
        with other.writing(0.05) as third:
            assert third

    def test_many_threads_may_read(self, store: Store) -> None:
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        errors: list[BaseException] = []

        def read() -> None:
            try:
                for _ in range(20):
                    assert texts_found(store, words("alpha")) == ["alpha"]
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=read) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
