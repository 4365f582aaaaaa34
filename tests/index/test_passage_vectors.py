"""Vectors of passages: many at a time from the rows of their words, the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.embedders.bundled import BundledEmbedder
from memdown.index.changes import Chunking
from memdown.index.passage_vectors import PASSAGE_DIMS, PassageEmbedding, passage_texts
from memdown.notes.document import read_document
from memdown.types import Chunk, FileState

EMBEDDER = BundledEmbedder()

LINES = st.sampled_from(
    [
        "# Garden > shed",
        "- [ ] buy **paint** on 2026-03-01 at 10:30",
        "1. first of all",
        "12:30",
        "see `docs/a b/c.md` and `code`",
        "https://example.org/a_b and foo_bar",
        "多么美好的一天 with friends",
        "| a | b |",
        "",
        "word " * 60,
        "long " * 400,
        "Nora: did you see it?",
    ]
)


def chunks_of(text: str) -> list[Chunk]:
    state = FileState(path="memory/a.md", source="memory", size=1, mtime_ns=1, digest="")
    return Chunking().cut(read_document(state, text), "model")


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=30))
def test_passages_have_the_vectors_of_their_texts(lines: list[str]) -> None:
    chunks = chunks_of("\n".join(lines))
    texts = [text for chunk in chunks for text in passage_texts(chunk)]
    made = PassageEmbedding(EMBEDDER).embed(chunks)
    assert made == pytest.approx(EMBEDDER.embed_short(texts, PASSAGE_DIMS), abs=1e-5)


def test_words_are_kept_for_the_next_passages() -> None:
    embedding = PassageEmbedding(EMBEDDER)
    chunks = chunks_of("The tent hung in the loft.\n\nThe loft hung in the tent.")
    first = embedding.embed(chunks)
    assert np.array_equal(embedding.embed(chunks), first)
    assert first[0] == pytest.approx(first[1], abs=1e-2)
