"""Passages scored in arrays: who is asked about, the whole of an index or a part, few and many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memdown.embedders.bundled import BundledEmbedder
from memdown.index.reader import IndexedChunks, Reader, read_in_memory
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.search import scoring
from memdown.search.tuning import TUNING, Tuning
from memdown.text import query_terms
from memdown.types import FileState

EMBEDDER = BundledEmbedder()
TALK = "# Talk\n\n" + "\n\n".join(
    f"{who}: {said}"
    for who, said in [
        ("Nora", "Do you like the garden in autumn?"),
        ("Ben", "I planted garlic and onions in the garden last week."),
        ("Nora", "I planted tulips in the garden, forty of them, and I am tired."),
        ("Ben", "Forty tulips in the garden, that is a lot."),
        ("Nora", "The car is at the garage until Friday."),
        ("Ben", "Then take my bicycle."),
    ]
)


def reader_of(notes: dict[str, str]) -> Reader:
    files = []
    for path, text in notes.items():
        state = FileState(path, "memory", len(text), 0)
        made = read_document(state, text)
        chunks = chunk_document(made, tokens=100, overlap=10, model="m", headings=made.headings)
        vectors = EMBEDDER.embed_batch([chunk.text for chunk in chunks])
        files.append(IndexedChunks(state, chunks, vectors))
    return read_in_memory(files, EMBEDDER.embed_batch)


def ranked(question: str, reader: Reader, tuning: Tuning = TUNING) -> list[int]:
    vector = EMBEDDER.embed_query(question)
    found = scoring.rank(
        question, query_terms(question), vector, reader, scoring.Scope(None), 0.7, tuning
    )
    return [one.key for one in found.best]


def text_at(reader: Reader, key: int) -> str:
    row = int(np.searchsorted(reader.chunk_key, key, side="right")) - 1
    stored = reader.chunks([row])[row]
    passage = stored.chunk.passages[key - stored.key]
    return stored.chunk.text[passage.start : passage.end]


def test_what_the_named_person_said_comes_first() -> None:
    reader = reader_of({"memory/talk.md": TALK, "memory/cars.md": "The garage has two cars."})
    first = text_at(reader, ranked("What did Nora plant in the garden?", reader)[0])
    assert "tulips" in first
    first = text_at(reader, ranked("What did Ben plant in the garden?", reader)[0])
    assert "garlic" in first


def test_a_pool_of_the_best_gives_the_same_first_results_as_all() -> None:
    notes = {
        f"memory/{n}.md": f"# Log {n}\n\nPump {n} ran for {n} hours near valve {n % 7}.\n\nAll is well."
        for n in range(200)
    }
    reader = reader_of(notes)
    small = replace(TUNING, pool_all=10, pool_text=150, pool_chunks=60)
    for question in ("How long did pump 17 run?", "valve 3 hours", "Is everything fine?"):
        assert ranked(question, reader, small)[:3] == ranked(question, reader)[:3]


def test_only_the_files_in_scope_are_found() -> None:
    reader = reader_of({"memory/a.md": "The boat is blue.", "memory/b.md": "The boat is red."})
    only = np.array([False, True])
    found = scoring.rank(
        "boat", query_terms("boat"), None, reader, scoring.Scope(only), 0.7, TUNING
    )
    assert [text_at(reader, one.key) for one in found.best] == ["The boat is red."]


def test_an_empty_index_has_no_candidates() -> None:
    reader = reader_of({})
    found = scoring.rank(
        "boat", query_terms("boat"), None, reader, scoring.Scope(None), 0.7, TUNING
    )
    assert found.best == []
    assert found.sure == 0.0
