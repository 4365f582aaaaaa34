"""The read model over chunks at hand, which every engine is compared with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memdown.embedders.bundled import BundledEmbedder
from memdown.index.reader import IndexedChunks, Reader, Unit, quantise, read_in_memory, word
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.types import FileState

NOTES = {
    "memory/home.md": "# Home\n\n- The router is a TP-Link router.\n\n# Garden\n\nTomatoes and beans.",
    "memory/work.md": "# Work\n\nThe release train leaves on Friday.\n",
}


def reader() -> Reader:
    embedder = BundledEmbedder()
    files = []
    for path, text in NOTES.items():
        state = FileState(path, "memory", len(text), 0)
        made = read_document(state, text)
        chunks = chunk_document(made, tokens=400, overlap=80, model="m", headings=made.headings)
        vectors = embedder.embed_batch([chunk.text for chunk in chunks])
        files.append(IndexedChunks(state, chunks, vectors))
    return read_in_memory(files, embedder.embed_batch)


def test_rows_of_a_file_stand_side_by_side_and_name_their_lines() -> None:
    made = reader()
    assert made.passage_file.tolist() == [0, 0, 1]
    assert made.passage_lines.tolist() == [[1, 3], [5, 7], [1, 3]]
    assert made.file_bounds.tolist() == [[0, 2], [2, 3]]
    assert made.chunk_first.tolist() == [0, 2]
    assert made.count == 3


def test_a_posting_list_counts_text_and_head_apart() -> None:
    made = reader()
    rows, text, head = made.posting(word("router"))
    assert (rows.tolist(), text.tolist(), head.tolist()) == ([0], [2.0], [0.0])
    rows, text, head = made.posting(word("home"))
    assert (rows.tolist(), text.tolist(), head.tolist()) == ([0, 1], [1.0, 0.0], [2.0, 1.0])


def test_prefixes_and_phrases_are_looked_up_in_the_text() -> None:
    made = reader()
    assert made.posting(Unit("prefix", ("tomat",))).rows.tolist() == [1]
    assert made.posting(Unit("phrase", ("releas", "train"))).rows.tolist() == [2]
    assert made.posting(Unit("phrase", ("train", "releas"))).rows.tolist() == []


def test_struck_passages_are_in_no_posting_list() -> None:
    made = reader()
    struck = replace(made, alive=np.array([False, True, True]))
    assert struck.posting(word("router")).rows.tolist() == []
    assert struck.count == 2
    assert struck.average_length == float(struck.passage_length[1:].mean())


def test_bytes_keep_a_vector_nearly() -> None:
    made = reader()
    assert made.chunk_vectors is not None
    exact = made.vectors_of([0, 1])
    restored = made.chunk_vectors.numbers * made.chunk_vectors.scale[:, None]
    assert np.abs(exact - restored).max() < 0.005
    assert quantise(exact).numbers.dtype == np.int8
